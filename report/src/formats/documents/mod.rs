//! JSON documents of commands that show no run. Sizes are in bytes, times in nanoseconds, rates per second.

mod limits;

pub use limits::{
    AccountItem, AllowedRate, BurstStretch, ExplainedPoint, LimitsAccount, LimitsContract, LimitsContracts,
    LimitsExplain, LimitsList, LimitsOrigin, LimitsParameter, LimitsRow, LimitsVolume, ListedInstance, ListedVolume,
    NextLimit,
};

use model::{Sentence, judged::ForeignFinding};
use serde::Serialize;
use std::collections::BTreeMap;

/// Mistakes in plans.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lint<'a> {
    /// Headline.
    pub verdict: &'a Sentence,
    /// Number of plans that were checked.
    pub plans: usize,
    /// The findings, the most severe first.
    pub findings: &'a [ForeignFinding],
    /// Exit code of the program.
    pub exit_code: i32,
}

/// This build of secchi, and which of its features work on this machine.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Version<'a> {
    /// Version of secchi.
    pub version: &'a str,
    /// Commit of the build; `None` if it is unknown.
    pub commit: Option<&'a str>,
    /// Target triple, as far as a program knows it.
    pub target: &'a str,
    /// Build profile: `release` or `debug`.
    pub profile: &'a str,
    /// Features of the build, and whether this build has them.
    pub features: BTreeMap<&'a str, bool>,
    /// Name and version of the kernel.
    pub kernel: &'a str,
    /// Settings of the kernel that restrict I/O engines.
    pub settings: BTreeMap<&'a str, &'a str>,
    /// I/O engines.
    pub engines: Vec<ProbedEngine<'a>>,
    /// Database engines.
    pub databases: Vec<ProbedEngine<'a>>,
}

/// An engine, and whether it works on this machine.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProbedEngine<'a> {
    /// Name of the engine.
    pub name: &'a str,
    /// True if the engine works here.
    pub usable: bool,
    /// Version of the engine; `None` if it has none or does not work here.
    pub version: Option<&'a str>,
    /// Reason why the engine does not work here; `None` if it works.
    pub why_not: Option<&'a str>,
}

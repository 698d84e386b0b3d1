//! The report page: one HTML file of one or several runs. It opens offline, asks nothing of any network, and runs no script
//! but the two it carries, which its policy names by their hashes.
//!
//! Everything a reader must have (verdict, needs, doubts, figures, environment) is plain HTML; scripts draw charts from the JSON
//! beside it. Text of a run goes through [`maud`], which escapes it, or into that JSON, in which `<` is written `\u003c`.

use super::data::RunData;
use super::texts::{Language, Texts};
use super::{body, data};
use crate::formats::ReportedRun;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Comparison, RunRecord};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::io::{self, Write};

pub(in crate::formats) const STYLE: &str = include_str!("../../../assets/page.css");
pub(in crate::formats) const CHARTS: &str = include_str!("../../../assets/echarts.min.js");
pub(super) const SCRIPT: &str =
    concat!(include_str!("../../../assets/look.js"), include_str!("../../../assets/page.js"));

impl ReportedRun<'_> {
    /// What it is called on the page.
    pub(super) fn name(&self) -> String {
        if self.label.is_empty() { self.record.id.chars().take(8).collect() } else { crate::harmless(self.label) }
    }
}

/// What stands on a page.
#[derive(Debug, Clone, Copy, Default)]
pub struct Page<'a> {
    /// The first run leads; others are laid over its charts. None where only others' files are compared.
    pub runs: &'a [ReportedRun<'a>],
    /// Two sides compared, of which the page tells first.
    pub comparison: Option<&'a Comparison>,
    /// Language of its words.
    pub language: Language,
    /// Where it is served among others: the address that its head leads back to.
    pub home: Option<&'a str>,
}

impl Page<'_> {
    /// What made the first run; else what makes the page.
    pub(super) fn tool(&self) -> &str {
        self.runs.first().map_or(concat!("secchi ", env!("CARGO_PKG_VERSION")), |lead| lead.record.tool.as_str())
    }
}

/// What the scripts are given.
#[derive(Serialize)]
struct Document<'a> {
    texts: &'a Texts,
    runs: Vec<RunData>,
    comparison: Option<data::ComparisonData>,
}

/// Writes the page.
///
/// # Errors
/// Those of `out`.
pub fn write_page(page: &Page<'_>, out: &mut dyn Write) -> io::Result<()> {
    let joint: Vec<Cow<'_, RunRecord>> = page.runs.iter().map(|r| r.record.joint()).collect();
    let texts = Texts::of(page.language);
    let data = page.runs.iter().zip(&joint).map(|(r, joint)| RunData::of(r.name(), joint, r.judgement, texts));
    let document = Document {
        texts,
        runs: data.collect(),
        comparison: page.comparison.map(|c| data::ComparisonData::of(c, texts)),
    };
    let json = serde_json::to_string(&document).map_err(io::Error::other)?.replace('<', "\\u003c");
    // What the two scripts and the style are is said in advance: nothing else in the file can run, whatever it is.
    let policy = format!(
        "default-src 'none'; script-src {} {}; style-src {}; img-src data: blob:; base-uri 'none'; form-action 'none'",
        hash(CHARTS),
        hash(SCRIPT),
        hash(STYLE)
    );
    let html = body::page(page, &joint, &policy, &json);
    out.write_all(html.into_string().as_bytes())
}

/// As a content security policy names a script or style by what it is.
pub(in crate::formats) fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

//! The report page: one HTML file of one or several runs. It opens offline, asks nothing of any network, and runs no script
//! but the two it carries, which its policy names by their hashes.
//!
//! Everything a reader must have (verdict, needs, doubts, figures, environment) is plain HTML; scripts draw charts from the JSON
//! beside it. Text of a run goes through [`maud`], which escapes it, or into that JSON, in which `<` is written `\u003c`.

mod body;
pub(super) mod data;
pub(super) mod texts;

pub use texts::Language;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use data::RunData;
use model::{Judgement, Labels, RunRecord};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::io::{self, Write};

pub(super) const STYLE: &str = include_str!("../../../assets/page.css");
pub(super) const CHARTS: &str = include_str!("../../../assets/echarts.min.js");
const SCRIPT: &str = concat!(include_str!("../../../assets/look.js"), include_str!("../../../assets/page.js"));

/// One run on the page.
pub struct PageRun<'a> {
    /// What its reader calls it; empty = the first digits of its id.
    pub label: &'a str,
    /// The run.
    pub record: &'a RunRecord,
    /// What is said of it.
    pub judgement: &'a Judgement,
    /// What is said of it where it is kept.
    pub labels: &'a Labels,
}

impl PageRun<'_> {
    fn name(&self) -> String {
        if self.label.is_empty() { self.record.id.chars().take(8).collect() } else { crate::harmless(self.label) }
    }
}

/// What the scripts are given.
#[derive(Serialize)]
struct Document<'a> {
    texts: &'a texts::Texts,
    runs: Vec<RunData>,
}

/// Writes the page. The first run leads; others are laid over its charts. Where it is served among others, `home` is the
/// address that its head leads back to.
///
/// # Errors
/// Those of `out`.
pub fn write_page(runs: &[PageRun<'_>], language: Language, home: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
    let joint: Vec<Cow<'_, RunRecord>> = runs.iter().map(|r| r.record.joint()).collect();
    let data = runs.iter().zip(&joint).map(|(r, joint)| RunData::of(r.name(), joint, r.judgement));
    let document = Document { texts: language.texts(), runs: data.collect() };
    let json = serde_json::to_string(&document).map_err(io::Error::other)?.replace('<', "\\u003c");
    // What the two scripts and the style are is said in advance: nothing else in the file can run, whatever it is.
    let policy = format!(
        "default-src 'none'; script-src {} {}; style-src {}; img-src data: blob:; base-uri 'none'; form-action 'none'",
        hash(CHARTS),
        hash(SCRIPT),
        hash(STYLE)
    );
    let page = body::page(runs, &joint, language, home, &policy, &json);
    out.write_all(page.into_string().as_bytes())
}

/// As a content security policy names a script or style by what it is.
pub(super) fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

#[cfg(test)]
mod tests;

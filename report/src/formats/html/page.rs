//! The report page: one HTML file for one or several runs. It opens offline, sends no network requests, and runs no
//! script except the two that it contains, which its policy lists by their hashes.
//!
//! All essential information (verdict, needs, doubts, figures, environment) is plain HTML. Scripts draw the charts from
//! JSON in the same file. Text of a run is either escaped by [`maud`] or part of the JSON, in which `<` is written as
//! `\u003c`.

use super::assets::{CHARTS, SCRIPT, STYLE};
use super::data::RunData;
use super::texts::Texts;
use super::view::Page;
use super::{body, data};
use crate::widgets::digits::group_page;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::RunRecord;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::io::{self, Write};

/// Input of the scripts.
#[derive(Serialize)]
struct Document<'a> {
    texts: &'a Texts,
    runs: Vec<RunData>,
    comparison: Option<data::ComparisonData>,
}

/// Writes the page.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_page(page: &Page<'_>, out: &mut dyn Write) -> io::Result<()> {
    let joint: Vec<Cow<'_, RunRecord>> = page.runs.iter().map(|r| r.record.joint()).collect();
    let texts = Texts::for_language(page.language);
    let data = page.runs.iter().zip(&joint).map(|(r, joint)| RunData::new(r.name(), joint, r.judgement, texts));
    let document = Document {
        texts,
        runs: data.collect(),
        comparison: page.comparison.map(|c| data::ComparisonData::new(c, texts)),
    };
    let html = body::page(page, &joint, &policy(), &as_json(&document)?);
    out.write_all(group_page(page.language, html.into_string()).as_bytes())
}

/// Serializes data for a page; the result cannot close the element that contains it.
pub(super) fn as_json(data: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(data).map_err(io::Error::other)?.replace('<', "\\u003c"))
}

/// Returns the policy, which lists the two scripts and the style by hash, so that nothing else in the file can run.
pub(super) fn policy() -> String {
    format!(
        "default-src 'none'; script-src {} {}; style-src {}; img-src data: blob:; base-uri 'none'; form-action 'none'",
        hash(&CHARTS),
        hash(&SCRIPT),
        hash(&STYLE)
    )
}

/// Returns the hash by which a content security policy identifies a script or style.
pub(in crate::formats) fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

//! The report page: one HTML file of one or several runs. It opens offline, asks nothing of any network, and runs no script
//! but the two it carries, which its policy names by their hashes.
//!
//! Everything a reader must have (verdict, needs, doubts, figures, environment) is plain HTML; scripts draw charts from the JSON
//! beside it. Text of a run goes through [`maud`], which escapes it, or into that JSON, in which `<` is written `\u003c`.

use super::assets::{CHARTS, SCRIPT, STYLE};
use super::data::RunData;
use super::texts::Texts;
use super::view::Page;
use super::{body, data};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::RunRecord;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::io::{self, Write};

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
    let texts = Texts::for_language(page.language);
    let data = page.runs.iter().zip(&joint).map(|(r, joint)| RunData::new(r.name(), joint, r.judgement, texts));
    let document = Document {
        texts,
        runs: data.collect(),
        comparison: page.comparison.map(|c| data::ComparisonData::new(c, texts)),
    };
    let html = body::page(page, &joint, &policy(), &as_json(&document)?);
    out.write_all(html.into_string().as_bytes())
}

/// Data as they stand in a page: nothing in them ends their element.
pub(super) fn as_json(data: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(data).map_err(io::Error::other)?.replace('<', "\\u003c"))
}

/// What the two scripts and the style are is said in advance: nothing else in the file can run, whatever it is.
pub(super) fn policy() -> String {
    format!(
        "default-src 'none'; script-src {} {}; style-src {}; img-src data: blob:; base-uri 'none'; form-action 'none'",
        hash(&CHARTS),
        hash(&SCRIPT),
        hash(&STYLE)
    )
}

/// As a content security policy names a script or style by what it is.
pub(in crate::formats) fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

//! The report page: one HTML file for one or several runs. It opens offline, sends no network requests, and runs no
//! script except the two that it contains, which its policy lists by their hashes.
//!
//! All essential information (verdict, needs, doubts, figures, environment) is plain HTML. Scripts draw the charts from
//! JSON in the same file. Text of a run is either escaped by [`maud`] or part of the JSON, in which `<` is written as
//! `\u003c`.

use super::body;
use super::view::Page;
use crate::document::View;
use crate::formats::Subject;
use crate::kinds::{self, charts};
use crate::render::html::assets::{CHARTS, SCRIPT, STYLE};
use crate::render::html::texts::Texts;
use crate::widgets::digits::group_page;
use crate::widgets::ink::Ink;
use crate::{Style, render};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::io::{self, Write};

/// Input of the scripts.
#[derive(Serialize)]
struct Data<'a> {
    texts: &'a Texts,
    charts: Vec<serde_json::Value>,
    /// Tables of the document, for the download.
    tables: serde_json::Value,
}

/// Writes the page.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_page(page: &Page<'_>, out: &mut dyn Write) -> io::Result<()> {
    let runs = page.subject.runs();
    let documents: Vec<_> = runs.iter().map(|run| kinds::document(run, View::Page)).collect();
    let built;
    let lead = match (page.subject, documents.as_slice()) {
        (Subject::Runs([_]), [only]) => only,
        _ => {
            built = page.subject.document(View::Page);
            &built
        }
    };
    let others = match runs.as_slice() {
        _ if lead.charts().next().is_some() => Vec::new(),
        [only] => charts::for_run(only),
        several => charts::for_runs(several),
    };
    let ink = Ink::new(&Style { language: page.language, ..Style::default() });
    let data = Data {
        texts: Texts::for_language(page.language),
        charts: render::html::charts(lead.charts().chain(&others), page.language),
        tables: render::json::tables(lead, ink),
    };
    // The data must not close the element that contains it.
    let json = serde_json::to_string(&data).map_err(io::Error::other)?.replace('<', "\\u003c");
    let html = body::page(page, lead, &documents, &policy(), &json);
    out.write_all(group_page(page.language, html.into_string()).as_bytes())
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

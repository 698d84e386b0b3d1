//! The report page: one HTML file for one or several runs. It opens offline, sends no network requests, and runs no
//! script except the two that it contains, which its policy lists by their hashes.
//!
//! All essential information (verdict, needs, doubts, figures, environment) is plain HTML. Scripts draw the charts from
//! JSON in the same file. Text of a run is either escaped by [`maud`] or part of the JSON, in which `<` is written as
//! `\u003c`.

use super::{Page, body};
use crate::document::View;
use crate::formats::Subject;
use crate::render::html::assets::{CHARTS, SCRIPT, STYLE};
use crate::render::html::shell::{json, policy};
use crate::render::html::texts::Texts;
use crate::widgets::ink::Ink;
use crate::{ReportedRun, Style, kinds, render};
use serde::Serialize;
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
    let lead = page.subject.document(View::Page);
    // The details of one of several runs have no charts.
    let details = |run: &ReportedRun<'_>| kinds::document(run, View::PageEnd);
    let documents: Vec<_> = match page.subject {
        Subject::Runs([_]) => Vec::new(),
        _ => runs.iter().map(details).collect(),
    };
    let ink = Ink::new(&Style { language: page.language, ..Style::default() });
    let data = Data {
        texts: Texts::for_language(page.language),
        charts: render::html::charts(lead.charts(), page.language),
        tables: render::json::tables(&lead, ink),
    };
    let policy = policy(&[&CHARTS, &SCRIPT], &STYLE, "base-uri 'none'; form-action 'none'");
    out.write_all(&body::page(page, &lead, &documents, &policy, &json(&data)?))
}

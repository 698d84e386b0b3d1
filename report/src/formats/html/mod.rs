//! The report page: one HTML file for one or several runs. It opens offline, sends no network requests, and runs no
//! script except the two that it contains, which its policy lists by their hashes.
//!
//! All essential information (verdict, needs, doubts, figures, environment) is plain HTML. Scripts draw the charts from
//! JSON in the same file. Text of a run is either escaped by [`maud`] or part of the JSON, in which `<` is written as
//! `\u003c`.

#[cfg(test)]
mod tests;

pub use messages::Language;

use super::Subject;
use crate::document::{Document, Tone, View};
use crate::kinds::words::tool;
use crate::render::html::assets::{CHARTS, SCRIPT, STYLE};
use crate::render::html::shell::{Frame, answer, json, policy, text};
use crate::render::html::texts::Texts;
use crate::widgets::ink::Ink;
use crate::{ReportedRun, Style, kinds, render};
use maud::{Markup, html};
use serde::Serialize;
use std::io::{self, Write};

/// Name of this program, for reports without a run.
const VERSION: &str = concat!("secchi ", env!("CARGO_PKG_VERSION"));

/// Contents of a page.
#[derive(Debug, Clone, Copy, Default)]
pub struct Page<'a> {
    /// Subject of the page.
    pub subject: Subject<'a>,
    /// Language of the page's texts.
    pub language: Language,
    /// Address to which the header links back, if the page is served together with others.
    pub home: Option<&'a str>,
}

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
    let (language, t) = (page.language, Texts::for_language(page.language));
    let lead = page.subject.document(View::Page);
    let charts = render::html::charts(lead.charts(), language);
    let tables = render::json::tables(&lead, Ink::new(&Style { language, ..Style::default() }));
    let meta = html! {
        // Identifies the page as ours, so that it may be replaced.
        meta name="generator" content="secchi";
        meta http-equiv="Content-Security-Policy" content=(policy(&[&CHARTS, &SCRIPT], &STYLE, "base-uri 'none'; form-action 'none'"));
    };
    let (title, json) = (format!("{} · {}", t.report, text(&lead.name)), json(&Data { texts: t, charts, tables })?);
    let frame = Frame { language, meta, title: &title, style: &STYLE, scripts: &[&CHARTS, &SCRIPT], json: &json };
    out.write_all(&frame.page(&body(page, &lead, t)))
}

/// Returns the part of the page that needs no script.
fn body(page: &Page<'_>, lead: &Document, t: &'static Texts) -> Markup {
    let runs = page.subject.runs();
    html! {
        (render::html::header(lead, page.home, t))
        main {
            (render::html::key(lead, t))
            section #lead aria-label=(t.charts) {}
            (render::html::trust(lead, t))
            section #charts aria-label=(t.charts) { noscript { p .hint { (t.need_scripts) } } }
            @if let Subject::Runs([run]) = page.subject {
                article id={ "run-" (run.anchor()) } aria-label=(lead.name) { (render::html::parts(lead, View::PageEnd, t)) }
            } @else {
                (render::html::parts(lead, View::PageEnd, t))
                @for run in &runs { details .run {
                    summary { b { (run.name()) } " " span .small { (text(&run.record.started)) } }
                    (article(run, t))
                } }
            }
        }
        footer { p { (t.made_by) " " (text(&tool(runs.first().map_or(VERSION, |run| run.record.tool.as_str())))) } }
    }
}

/// Returns the details of one of several runs, which have no charts.
fn article(run: &ReportedRun<'_>, t: &'static Texts) -> Markup {
    let d = &kinds::document(run, View::PageEnd);
    html! {
        article id={ "run-" (run.anchor()) } aria-label=(d.name) {
            @if !d.head.answer.lines.is_empty() { div .answer { (answer(&d.head.answer, t)) } }
            @if let Some((verdict, outcome)) = &d.head.verdict {
                p .verdict .(Tone::from(*outcome).class()) { (text(&t.translate(verdict))) }
            }
            (render::html::key(d, t))
            (render::html::trust(d, t))
            (render::html::parts(d, View::PageEnd, t))
        }
    }
}

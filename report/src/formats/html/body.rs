//! The part of the page that needs no script.

use super::Page;
use crate::document::{Document, Tone, View};
use crate::formats::Subject;
use crate::kinds::words::tool;
use crate::render::html::assets::{CHARTS, SCRIPT, STYLE};
use crate::render::html::shell::{Frame, answer, text};
use crate::render::html::texts::Texts;
use crate::{ReportedRun, render};
use maud::{Markup, html};

/// Name of this program, for reports without a run.
const VERSION: &str = concat!("secchi ", env!("CARGO_PKG_VERSION"));
/// Returns the placeholder for charts, with a hint for browsers without scripts.
pub(super) fn chart_section(t: &Texts) -> Markup {
    html! { section #charts aria-label=(t.charts) { noscript { p .hint { (t.need_scripts) } } } }
}

/// Returns the page of a document; `documents` are those of its runs, if there are several.
pub(super) fn page(page: &Page<'_>, lead: &Document, documents: &[Document], policy: &str, json: &str) -> Vec<u8> {
    let (runs, t) = (page.subject.runs(), Texts::for_language(page.language));
    let body = html! {
        (render::html::header(lead, page.home, t))
        main {
            (render::html::key(lead, t))
            section #lead aria-label=(t.charts) {}
            (render::html::trust(lead, t))
            (chart_section(t))
            @if let Subject::Runs([run]) = page.subject {
                article id={ "run-" (run.anchor()) } aria-label=(lead.name) { (render::html::parts(lead, View::PageEnd, t)) }
            } @else {
                (render::html::parts(lead, View::PageEnd, t))
                @for (run, d) in runs.iter().zip(documents) { details .run {
                    summary { b { (run.name()) } " " span .small { (text(&run.record.started)) } }
                    (article(d, run, t))
                } }
            }
        }
        footer { p { (t.made_by) " " (text(&tool(runs.first().map_or(VERSION, |run| run.record.tool.as_str())))) } }
    };
    let meta = html! {
        // Identifies the page as ours, so that it may be replaced.
        meta name="generator" content="secchi";
        meta http-equiv="Content-Security-Policy" content=(policy);
    };
    let title = format!("{} · {}", t.report, text(&lead.name));
    let frame =
        Frame { language: page.language, meta, title: &title, style: &STYLE, scripts: &[&CHARTS, &SCRIPT], json };
    frame.page(&body)
}

/// Returns the document of one of several runs.
fn article(d: &Document, run: &ReportedRun<'_>, t: &'static Texts) -> Markup {
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

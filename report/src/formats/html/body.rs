//! The part of the page that needs no script.

use super::view::Page;
use crate::document::{Document, View};
use crate::formats::Subject;
use crate::kinds::words::tool;
use crate::render::html::assets::{CHARTS, SCRIPT, STYLE};
use crate::render::html::shell::{answer, class, text};
use crate::render::html::texts::Texts;
use crate::{ReportedRun, render};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Name of this program, for reports without a run.
const VERSION: &str = concat!("secchi ", env!("CARGO_PKG_VERSION"));
/// Returns a document that contains its own style, scripts and data; `policy` allows only these.
pub(super) fn document(t: &Texts, title: &str, policy: &str, json: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang=(t.language().code()) {
            head {
                meta charset="utf-8";
                // Identifies the page as ours, so that it may be replaced.
                meta name="generator" content="secchi";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (t.report) " · " (title) }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE.as_str())) }
            }
            body {
                (body)
                script #data type="application/json" { (PreEscaped(json)) }
                script { (PreEscaped(CHARTS.as_str())) }
                script { (PreEscaped(SCRIPT.as_str())) }
            }
        }
    }
}

/// Returns the placeholder for charts, with a hint for browsers without scripts.
pub(super) fn chart_section(t: &Texts) -> Markup {
    html! { section #charts aria-label=(t.charts) { noscript { p .hint { (t.need_scripts) } } } }
}

/// Returns the page of a document; `documents` are those of its runs.
pub(super) fn page(page: &Page<'_>, lead: &Document, documents: &[Document], policy: &str, json: &str) -> Markup {
    let (runs, t) = (page.subject.runs(), Texts::for_language(page.language));
    let is_single = matches!(page.subject, Subject::Runs([_]));
    let body = html! {
        (render::html::header(lead, page.home, t))
        main {
            (render::html::key(lead, t))
            section #lead aria-label=(t.charts) {}
            (render::html::trust(lead, t))
            (chart_section(t))
            @if !is_single { (render::html::parts(lead, View::PageEnd, t)) }
            @for (run, d) in runs.iter().zip(documents) {
                @if is_single { (article(d, run, false, t)) }
                @else { details .run {
                    summary { b { (run.name()) } " " span .small { (text(&run.record.started)) } }
                    (article(d, run, true, t))
                } }
            }
        }
        footer { p { (t.made_by) " " (text(&tool(runs.first().map_or(VERSION, |run| run.record.tool.as_str())))) } }
    };
    document(t, &text(&lead.name), policy, json, &body)
}

/// Returns the rest of a document after the charts; among several runs, all of it.
fn article(d: &Document, run: &ReportedRun<'_>, several: bool, t: &'static Texts) -> Markup {
    html! {
        article id={ "run-" (run.anchor()) } aria-label=(d.name) {
            @if several {
                @if !d.head.answer.lines.is_empty() { div .answer { (answer(&d.head.answer, t)) } }
                @if let Some((verdict, outcome)) = &d.head.verdict {
                    p .verdict .(class(*outcome)) { (text(&t.translate(verdict))) }
                }
                (render::html::key(d, t))
                (render::html::trust(d, t))
            }
            (render::html::parts(d, View::PageEnd, t))
        }
    }
}

//! The page of all runs: a table to search, select from and open.

use super::figures::Headline;
use super::texts::Texts;
use super::{Page, bar, page};
use crate::harmless;
use crate::kinds::list::{RunRow, started};
use crate::render::html::assets::assets;
use crate::widgets::figures::duration;
use maud::{Markup, html};
use messages::Language;
use model::judged::Outcome;
use serde::Serialize;
use std::sync::LazyLock;

static SCRIPT: LazyLock<String> = LazyLock::new(|| assets(&["dashboard.js", "runs.js"]));

/// Maximum length of a search, in characters.
pub const LONGEST_SEARCH: usize = 1000;

/// A run in the list, with its figures if they are known.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedRun {
    /// The row as shown in a terminal's list.
    pub row: RunRow,
    /// Figures of the run; `None` if they have not been computed yet.
    pub figures: Option<Headline>,
}

/// Contents of the page.
#[derive(Debug, Clone, PartialEq)]
pub struct RunsView<'a> {
    /// The runs on this page, newest first.
    pub runs: &'a [ListedRun],
    /// The search as typed.
    pub query: &'a str,
    /// Reason why the search is invalid, as a clause.
    pub wrong: Option<&'a str>,
    /// True if the search was parsed as a filter.
    pub filter: bool,
    /// Number of the page, from 1.
    pub page: usize,
    /// Total number of pages.
    pub pages: usize,
    /// Number of matching runs.
    pub matched: usize,
    /// Number of runs in the store.
    pub total: usize,
    /// Name of the store as given.
    pub store: &'a str,
    /// True for a team store, which has no runs in progress.
    pub team: bool,
}

#[derive(Serialize)]
struct Data<'a> {
    texts: &'a Texts,
}

/// Returns the page of all runs.
#[must_use]
pub fn runs_page(view: &RunsView<'_>, language: Language) -> Page {
    let t = Texts::for_language(language);
    let body = html! {
        header {
            (bar(t, true))
            form #find role="search" action="/" method="get" {
                label .sr for="q" { (t.search) }
                input #q type="search" name="q" value=(harmless(view.query)) placeholder={ (t.search) ": " (t.search_hint) } maxlength=(LONGEST_SEARCH) autocomplete="off" spellcheck="false";
                p #count .small role="status" { (counted(view, t)) " · " (harmless(view.store)) }
                @if view.team { p .small { (t.team) } }
            }
        }
        main {
            p #lost .partial role="alert" hidden { (t.no_answer) }
            form #compare action="/compare" method="get" aria-label=(t.compare) {
                div #list data-page=(view.page) data-filter[view.filter] { (list(view, t)) }
                div #chosen .chosen role="status" {
                    span #hint { (t.compare_hint) }
                    button #clear type="button" hidden { (t.clear) }
                    button #go type="submit" { (t.compare) }
                }
            }
        }
    };
    page(t.runs, language, &Data { texts: t }, &[&SCRIPT], &body)
}

fn counted(view: &RunsView<'_>, t: &Texts) -> String {
    if view.wrong.is_some() {
        return t.wrong_search.to_owned();
    }
    if view.matched == view.total {
        return format!("{} {}", view.total, if view.total == 1 { t.found_one } else { t.found });
    }
    format!("{} {} {} {}", view.matched, t.of, view.total, t.found)
}

fn list(view: &RunsView<'_>, t: &Texts) -> Markup {
    if let Some(wrong) = view.wrong {
        return html! {
            div .empty {
                p { strong { (t.wrong_search) } }
                p lang="en" { (harmless(wrong)) }
                p { (t.filter_example) " " code { "target~/mnt and bs=8k and since 3d" } }
            }
        };
    }
    if view.total == 0 {
        return html! {
            div .empty {
                p { strong { (t.no_runs) } }
                p { (t.first_run) }
                pre tabindex="0" { code { "secchi qualify PATH" @if view.team { " --store '" (harmless(view.store)) "'" } } }
            }
        };
    }
    if view.runs.is_empty() {
        return html! { div .empty { p { (if view.filter { t.none_filtered } else { t.none_found }) } } };
    }
    html! {
        table .runs aria-label=(t.runs) {
            thead { tr {
                th scope="col" { span .sr { (t.compare) } }
                th scope="col" { (t.run) }
                th scope="col" .r { (t.iops) }
                th scope="col" .r { (t.bandwidth) }
                th scope="col" .r { (t.p99) }
                th scope="col" .r { (t.lasted) }
            } }
            tbody { @for run in view.runs { (row(run, t)) } }
        }
        @if view.pages > 1 { (pager(view, t)) }
    }
}

fn row(run: &ListedRun, t: &Texts) -> Markup {
    let RunRow { command, state, duration: took, labels, .. } = &run.row;
    let verdict = messages::translate(t.language(), &run.row.verdict);
    let [id, since, place, verdict] = [&*run.row.id, &run.row.started, &run.row.target, &verdict].map(harmless);
    let running = *state == "running";
    let short: String = id.chars().take(8).collect();
    let title = match (running, verdict.is_empty()) {
        (true, _) => t.watch_it,
        (_, true) => t.report,
        _ => verdict.as_str(),
    };
    // Verdicts of other programs exist in English only.
    let english = !running && !verdict.is_empty() && run.row.verdict.message().is_none();
    let (class, badge) = badge(state, run.figures.as_ref(), t);
    let figure = |i: usize| run.figures.as_ref().map(|f| f.shown[i].as_str()).unwrap_or_default();
    let label = run.figures.as_ref().map(|f| labelled(f, t)).unwrap_or_default();
    // `79 transactions/s` must not be labelled IOPS, not even on a phone, on which the column's header is shown after
    // the figure.
    let says_what = run.figures.as_ref().is_some_and(|f| !f.rate.1.is_empty());
    html! {
        tr id={ "r-" (id) } data-id=(id) data-state=(state) data-known[run.figures.is_some() || *state == "unreadable"] {
            td .tick { input type="checkbox" name="run" value=(id) aria-label={ (t.compare) " " (short) } disabled[*state == "unreadable"]; }
            th scope="row" {
                span .badge .(class) { (badge) }
                " "
                a href={ "/run/" (id) } lang=[english.then_some("en")] { (title) }
                span .small {
                    span .place { (place) }
                    span { (harmless(command)) }
                    time datetime=(since) { (started(&since)) }
                    code { (short) }
                    span .label { (label) }
                    @for tag in &labels.tags { span .tag { (harmless(tag)) } }
                    @if !labels.note.is_empty() { em { (harmless(&labels.note)) } }
                }
            }
            td .r .iops data-label=[(!says_what).then_some(t.iops)] { (figure(0)) }
            td .r .mbps data-label=(t.bandwidth) { (figure(1)) }
            td .r .p99 data-label=(t.p99) { (figure(2)) }
            td .r .took data-label=(t.lasted) { (duration(*took)) }
        }
    }
}

/// Formats the label of a run, such as `8k randread × 16, 5 more`.
fn labelled(figures: &Headline, t: &Texts) -> String {
    if figures.more == 0 {
        return harmless(&figures.label);
    }
    format!("{}, {} {}", harmless(&figures.label), figures.more, t.more)
}

/// Returns the class and the text of a run's badge: its final state if it did not complete normally, otherwise the
/// outcome of its needs once known.
fn badge(state: &str, figures: Option<&Headline>, t: &Texts) -> (&'static str, &'static str) {
    // A completed run that had no needs and passed has no outcome to show.
    let outcome = figures.filter(|f| f.needs > 0 || f.outcome != Outcome::Pass).map(|f| f.outcome);
    match (state, outcome) {
        ("running", _) => ("now", t.running),
        ("interrupted", _) => ("open", t.interrupted),
        ("stopped", _) => ("open", t.stopped),
        ("hung", _) => ("fail", t.hung),
        ("failed", _) => ("fail", t.failed),
        ("damaged", _) => ("fail", t.damaged_run),
        ("unreadable", _) => ("fail", t.unreadable),
        (_, Some(Outcome::Pass)) => ("pass", t.met),
        (_, Some(Outcome::Fail)) => ("fail", t.not_met),
        (_, Some(Outcome::Undecided)) => ("open", t.undecided),
        (_, None) => ("note", t.complete),
    }
}

fn pager(view: &RunsView<'_>, t: &Texts) -> Markup {
    let query: String = if view.query.is_empty() { String::new() } else { format!("&q={}", encoded(view.query)) };
    html! {
        nav .pager aria-label=(t.page) {
            @if view.page > 1 { a rel="prev" href={ "/?page=" (view.page - 1) (query) } { "‹ " (t.newer) } }
            span { (t.page) " " (view.page) " " (t.of) " " (view.pages) }
            @if view.page < view.pages { a rel="next" href={ "/?page=" (view.page + 1) (query) } { (t.older) " ›" } }
        }
    }
}

/// Percent-encodes text for use in a URL.
fn encoded(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
    text.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

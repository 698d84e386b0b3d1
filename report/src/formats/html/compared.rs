//! Several runs on one page, with a row for each workload and a column for each run; and a comparison of two sides.

use super::key_figures::PageKind;
use super::parts::{anchor, answer, labels, place, standing, text, time};
use super::texts::Texts;
use crate::formats::ReportedRun;
use crate::overview::{entries, is_doubted};
use crate::screens::comparison;
use crate::widgets::figures::megabytes;
use maud::{Markup, html};
use model::{Answer, Compared, Comparison, LevelFigures, RunSet, thousands};

/// Returns each run with its answer, then each workload with its rate and time in every run and the change from the
/// first run.
pub(super) fn runs(runs: &[ReportedRun<'_>], t: &Texts) -> Markup {
    html! {
        section aria-label=(t.compared) {
            div .wide tabindex="0" { table .runs {
                thead { tr { th scope="col" { (t.run) } th scope="col" { (t.started) } th scope="col" { (t.target) } th scope="col" { (t.verdict) } } }
                tbody { @for run in runs { tr {
                    th scope="row" { a href={ "#run-" (anchor(run)) } { (run.name()) } (labels(run.labels)) }
                    td { (text(&moment(&run.record.started))) }
                    td { (text(&place(run.record))) }
                    td {
                        @if run.judgement.answer.lines.is_empty() { span .(standing(run.judgement)) { (text(&t.translate(&run.judgement.verdict))) } }
                        @else { div .answer { (answer(&run.judgement.answer, t)) } }
                    }
                } } }
            } }
        }
        (figures(runs, t))
    }
}

/// Returns the representative level of each workload, by run.
fn figures(runs: &[ReportedRun<'_>], t: &Texts) -> Markup {
    let labelled: Vec<Vec<(&str, &LevelFigures)>> =
        runs.iter().map(|r| entries(r.judgement).into_iter().map(|(p, l)| (p.label.as_str(), l)).collect()).collect();
    let mut named: Vec<&str> = Vec::new();
    for (label, _) in labelled.iter().flatten() {
        if !named.contains(label) {
            named.push(label);
        }
    }
    let level = |run: usize, label: &str| labelled[run].iter().find(|(l, _)| *l == label).map(|(_, level)| *level);
    let kinds = runs
        .iter()
        .any(|r| matches!(PageKind::from_record(r.record), PageKind::Workloads | PageKind::Mark | PageKind::Jobs));
    html! {
        @if kinds && !named.is_empty() { div .part {
            h2 { (t.figures) }
            div .wide tabindex="0" { table .figures .several {
                thead { tr { th scope="col" { (t.workload) } @for run in runs { th scope="col" { (run.name()) } } } }
                tbody { @for label in &named { tr {
                    th scope="row" { (text(label)) }
                    @for (i, run) in runs.iter().enumerate() { @match level(i, label) {
                        None => { td { "–" } }
                        Some(l) if l.struck.is_some() => { td .why { (text(&l.struck.as_ref().map(|why| t.translate(why)).unwrap_or_default())) } }
                        Some(l) => {
                            td data-v=(l.iops.value) {
                                b { (thousands(l.iops.value)) } " " span .unit { "IOPS" }
                                @if is_doubted(l, &run.judgement.caveats) { " " abbr title=(l.caveats.join(", ")) { "?" } }
                                @if i > 0 { (changed(level(0, label), l)) }
                                span .below { (megabytes(l.bandwidth)) " " (t.bandwidth) @if let Some(p99) = l.p99.value() { " · p99 " (time(p99)) } }
                            }
                        }
                    } }
                } } }
            } }
            p .small { (t.one_run_each) }
        } }
    }
}

/// Returns the change of a rate from the first run.
fn changed(first: Option<&LevelFigures>, level: &LevelFigures) -> Markup {
    let ratio = first.filter(|f| f.struck.is_none() && f.iops.value > 0.0).map(|f| level.iops.value / f.iops.value);
    html! { @if let Some(ratio) = ratio { " " span .change { (comparison::change(ratio)) } } }
}

/// Returns the comparison of two sides: a row for each figure with its change, the interval of the change and the
/// conclusion.
pub(super) fn sides(c: &Comparison, t: &Texts) -> Markup {
    html! {
        section aria-label=(t.compared) {
            div .wide tabindex="0" { table .figures {
                thead { tr {
                    th scope="col" { (t.name) } th scope="col" { "A" } th scope="col" { "B" } th scope="col" { (t.change) }
                    th scope="col" { (t.interval95) } th scope="col" { "p" } th scope="col" .words { (t.verdict) }
                } }
                tbody { @for f in &c.figures { tr {
                    th scope="row" { (text(&t.translate(comparison::name(f, c)))) }
                    td { (median(f, &f.a)) }
                    td { (median(f, &f.b)) }
                    td .(class(f)) { b { @match f.ratio { Some(r) => (comparison::change(r)), None => "–" } } }
                    td { @match f.ci { Some((low, high)) => { (comparison::change(low)) " … " (comparison::change(high)) }, None => "–" } }
                    td { @match f.p_adjusted { Some(p) => (format!("{p:.4}")), None => "–" } }
                    td .words .(class(f)) { (t.translate(comparison::answer(f, c))) @if !f.why.is_empty() { span .below { (text(&t.translate(&f.why))) } } }
                } } }
            } }
            dl .sides {
                dt { "A" } dd { (side(&c.a)) }
                dt { "B" } dd { (side(&c.b)) }
                @for d in &c.differing { dt { (text(&d.name)) } dd { (text(&d.a)) " → " (text(&d.b)) } }
            }
            @for remark in &c.remarks { p .small { (text(&t.translate(remark))) } }
            p .small { (t.translate(comparison::legend(c))) }
        }
    }
}

fn median(f: &Compared, side: &[f64]) -> String {
    comparison::median(f, side).map_or_else(|| "–".to_owned(), |m| m.replace(" us", " µs"))
}

/// Shortens an RFC 3339 time to `2026-11-24 03:05:38`; any other text is returned unchanged.
fn moment(started: &str) -> String {
    match (started.get(..10), started.get(11..19)) {
        (Some(date), Some(time)) => format!("{date} {time}"),
        _ => started.to_owned(),
    }
}

fn class(f: &Compared) -> &'static str {
    match (f.answer, f.better) {
        (Answer::Changed, Some(true)) => "pass",
        (Answer::Changed, _) => "fail",
        (Answer::Same, _) => "plain",
        (Answer::CannotTell, _) => "open",
    }
}

/// Returns the colour class of the page header.
pub(super) fn head(c: &Comparison) -> &'static str {
    match c.exit_code {
        0 => "pass",
        1 => "fail",
        _ => "open",
    }
}

fn side(side: &RunSet) -> Markup {
    html! { (side.runs.len()) ": " (text(&side.runs.join(", "))) @if !side.tools.is_empty() { " (" (text(&side.tools.join(", "))) ")" } }
}

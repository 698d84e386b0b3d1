//! Part of a page about a durability run: promises, layers, and a row for each method tested.

use super::parts::{percentile, text, tiles, time};
use super::texts::Texts;
use crate::formats::durability::{HEADS, at_lowest, each, evidence};
use crate::widgets::figures::count;
use maud::{Markup, html};
use model::{CommitFigures, DurabilityFigures, Nanos, PromiseStanding, thousands};

const fn class(standing: &PromiseStanding) -> &'static str {
    match standing {
        PromiseStanding::Kept { .. } => "pass",
        PromiseStanding::Broken { .. } => "fail",
        PromiseStanding::Doubtful { .. } | PromiseStanding::Unseen | PromiseStanding::Refused => "open",
    }
}

pub(super) fn durability(figures: &DurabilityFigures, t: &Texts) -> Markup {
    let usual = figures.commits.iter().filter(|of| of.rule.method.promises() && of.rule.writes == 1 && !of.rule.apart);
    let rate = |of: &CommitFigures| (of.rule.to_string(), thousands(of.rate.per_second()), t.word("durable-head-rate"));
    let shown: Vec<_> = usual.take(4).map(rate).collect();
    let [method, rate, mean, max, flushes, forced, flush] = HEADS.map(|id| t.word(id));
    let heads = |ids: &[&'static str]| html! { @for id in ids { th scope="col" { (t.word(id)) } } };
    let words = |ids: &[&'static str]| html! { @for id in ids { th .words scope="col" { (t.word(id)) } } };
    html! {
        (tiles(&shown, t))
        div .part {
            h2 { (t.word("durable-title")) }
            div .wide tabindex="0" { table .figures {
                thead { tr { (words(&["durable-head-promise", "durable-head-standing", "durable-head-evidence"])) } }
                tbody { @for of in &figures.promises { tr {
                    th scope="row" { (of.method.name()) }
                    td .words .(class(&of.standing)) { (t.word(of.standing.message())) }
                    td .words { (text(&t.translate(evidence(of)))) }
                } } }
            } }
        }
        div .part {
            h2 { (t.word("durable-title-layers")) }
            div .wide tabindex="0" { table .figures {
                thead { tr {
                    (words(&["durable-head-layer", "durable-head-kind", "durable-head-cache", "durable-head-note"]))
                } }
                tbody { @for layer in &figures.layers { tr {
                    th scope="row" { (text(&layer.name)) }
                    td .words { (text(&layer.kind)) }
                    td .words { (text(&layer.write_cache)) }
                    td .words { (text(&t.translate(&layer.note))) }
                } } }
            } }
        }
        div .part {
            h2 { (t.word("durable-title-commits")) }
            div .wide tabindex="0" { table .figures {
                thead { tr {
                    th scope="col" { (method) } th scope="col" { (rate) } th scope="col" { (mean) }
                    th scope="col" { "p50" } th scope="col" { "p99" } th scope="col" { "p99.9" } th scope="col" { (max) }
                    th scope="col" { (flushes) } th scope="col" { (forced) } th scope="col" { (flush) }
                } }
                tbody { @for of in figures.commits.iter().filter(|of| !of.rule.apart) { (commit(figures, of, t)) } }
            } }
        }
        @if figures.commits.iter().any(|of| of.rule.apart) { div .part {
            h2 { (t.word("durable-title-sync")) }
            div .wide tabindex="0" { table .figures {
                thead { tr {
                    (heads(&["durable-head-dirty", "durable-head-syncs"]))
                    th scope="col" { (mean) } th scope="col" { "p50" } th scope="col" { "p99" } th scope="col" { "p99.9" }
                    th scope="col" { (max) }
                } }
                tbody { @for of in figures.commits.iter().filter(|of| of.rule.apart) { tr {
                    th scope="row" { (of.rule.bytes().to_string()) }
                    td data-v=(of.commits) { (count(of.commits)) }
                    (times(of, t))
                } } }
            } }
        } }
    }
}

fn plain(value: Option<Nanos>) -> Markup {
    html! { td { (value.map_or_else(|| "–".to_owned(), time)) } }
}

fn times(of: &CommitFigures, t: &Texts) -> Markup {
    html! {
        (plain(of.mean))
        @for p in [of.p50, of.p99, of.p999] { (percentile(p, t)) }
        (plain(of.max))
    }
}

fn commit(figures: &DurabilityFigures, of: &CommitFigures, t: &Texts) -> Markup {
    let at = at_lowest(figures, of);
    let rate = of.rate.per_second();
    let none = || "–".to_owned();
    html! { tr {
        th scope="row" { (of.rule.to_string()) }
        td data-v=(rate) { (thousands(rate)) }
        (times(of, t))
        td { (at.map_or_else(none, |at| each(at.flushes, of))) }
        td { (at.filter(|at| at.traced).map_or_else(none, |at| each(at.forced, of))) }
        (plain(at.and_then(|at| at.flush_p50)))
    } }
}

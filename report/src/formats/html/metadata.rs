//! Part of a page about a metadata run: a row for each phase.

use super::parts::{percentile, text, tiles, time};
use super::texts::Texts;
use crate::formats::metadata::{HEADS, short_label, summary};
use crate::widgets::figures::count;
use maud::{Markup, html};
use model::{MetadataFigures, MetadataPhaseFigures, thousands};

pub(super) fn metadata(figures: &MetadataFigures, t: &Texts) -> Markup {
    let per_second =
        |of: &MetadataPhaseFigures| (of.label(), thousands(of.all.rate.per_second()), t.word("metadata-head-rate"));
    let shown: Vec<_> = figures.phases.iter().filter(|of| of.phase.changes()).map(per_second).collect();
    let [phase, files, rate, durable, mean, max] = HEADS.map(|id| t.word(id));
    html! {
        (tiles(&shown, t))
        div .part {
            h2 { (t.word("metadata-title")) span .small { (text(&t.format(&summary(figures)))) } }
            div .wide tabindex="0" { table .figures {
                thead { tr {
                    th scope="col" { (phase) } th scope="col" { (files) } th scope="col" { (rate) } th scope="col" { (durable) }
                    th scope="col" { (mean) } th scope="col" { "p50" } th scope="col" { "p99" } th scope="col" { "p99.9" } th scope="col" { (max) }
                } }
                tbody { @for of in &figures.phases { (row(of, t)) } }
            } }
        }
        @if !figures.hosts.is_empty() { (hosts(figures, t)) }
    }
}

/// Returns a row for each host, with its rate in each phase.
fn hosts(figures: &MetadataFigures, t: &Texts) -> Markup {
    let rate = |of: &MetadataPhaseFigures, which: usize| match of.hosts.get(which).map(|host| host.rate.per_second()) {
        Some(rate) => html! { td data-v=(rate) { (thousands(rate)) } },
        None => html! { td { "–" } },
    };
    html! {
        div .part {
            h2 { (t.word("metadata-by-host")) span .small { (t.word("metadata-by-host-note")) } }
            div .wide tabindex="0" { table .figures {
                thead { tr {
                    th scope="col" { (t.word("metadata-head-host")) }
                    @for of in &figures.phases { th scope="col" { (short_label(of)) } }
                } }
                tbody { @for (which, name) in figures.hosts.iter().enumerate() {
                    tr { th scope="row" { (text(name)) } @for of in &figures.phases { (rate(of, which)) } }
                } }
            } }
        }
    }
}

fn row(of: &MetadataPhaseFigures, t: &Texts) -> Markup {
    let rate = |value: f64| html! { td data-v=(value) { (thousands(value)) } };
    let plain = |value: Option<model::Nanos>| html! { td { (value.map_or_else(|| "–".to_owned(), time)) } };
    html! { tr {
        th scope="row" { (of.label()) }
        td data-v=(of.all.files) { (count(of.all.files)) }
        (rate(of.all.rate.per_second()))
        @match of.durable_rate { Some(durable) => (rate(durable.per_second())), None => td { "–" } }
        (plain(of.all.mean))
        @for p in [of.all.p50, of.all.p99, of.all.p999] { (percentile(p, t)) }
        (plain(of.all.max))
    } }
}

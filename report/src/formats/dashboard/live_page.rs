//! The page of a run in progress. The server sends the figures second by second; this module builds the static parts.

use super::texts::Texts;
use super::{Page, bar, page};
use crate::harmless;
use crate::kinds::words::typed;
use crate::render::html::assets::{CHARTS, assets};
use maud::html;
use messages::Language;
use model::RunRecord;
use serde::Serialize;
use std::sync::LazyLock;

static SCRIPT: LazyLock<String> = LazyLock::new(|| assets(&["look.js", "dashboard.js", "live.js"]));

#[derive(Serialize)]
struct Data<'a> {
    texts: &'a Texts,
    id: &'a str,
    limits: Vec<(String, Option<f64>, Option<f64>)>,
}

/// Returns the page of a run in progress.
#[must_use]
pub fn live_page(record: &RunRecord, language: Language) -> Page {
    let t = Texts::for_language(language);
    let limit =
        |l: &model::Limit| (harmless(&l.name), l.iops.map(|i| i.per_second()), l.bandwidth.map(|b| b.per_second()));
    let limits = record.plan.limits.iter().chain(&record.preflight.limits).map(limit).collect();
    let place = harmless(&record.plan.shown_target());
    let tile = |id: &'static str, label: &'static str| {
        html! { div .tile { dt { (label) } dd #{ "now-" (id) } { "–" } } }
    };
    let body = html! {
        header .now {
            (bar(t, false))
            h1 { span .pulse aria-hidden="true" {} span #title { (t.live) } ": " (place) }
            p .meta {
                code { (harmless(&typed(record))) }
                span { (harmless(&record.preflight.host.hostname)) }
                time datetime=(harmless(&record.started)) { (harmless(&record.started)) }
            }
            p #where .where role="status" { (t.between) }
            div .progress { progress #progress max="1" aria-label=(t.elapsed) {} span #clock .small { } }
            p #notice .partial role="alert" hidden {}
            noscript { p .partial { (t.need_scripts) } }
            p .small { a #so-far href={ "/run/" (record.id) "/report" } { (t.report_so_far) } }
        }
        main {
            dl .tiles {
                (tile("iops", t.iops)) (tile("mbps", t.bandwidth)) (tile("mean", t.mean)) (tile("p50", "p50"))
                (tile("p99", t.p99)) (tile("max", t.maximum)) (tile("depth", t.in_flight)) (tile("errors", t.errors))
            }
            section #charts aria-label=(t.live) {}
            section #doubts hidden { h2 { (t.doubts) } ul .doubts {} }
            details .seconds { summary { (t.last_seconds) }
                div .wide tabindex="0" { table .figures #seconds {
                    thead { tr { @for head in [t.time, t.iops, t.bandwidth, t.mean, "p50", t.p99, "p99.9", t.maximum, t.errors] { th scope="col" { (head) } } } }
                    tbody {}
                } }
            }
        }
    };
    let title = format!("{}: {place}", t.live);
    let data = Data { texts: t, id: &record.id, limits };
    page(&title, language, &data, &[&CHARTS, &SCRIPT], &body)
}

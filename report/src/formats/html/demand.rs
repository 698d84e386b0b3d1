//! The page about the demand of a recording or of samples: doubts and tables that need no script, and the same charts
//! as on a run's page.

use super::body::{bar, charts, document, trust};
use super::data::{ComparisonData, RunData, kind_word};
use super::page::{as_json, policy};
use super::parts::{text, tiles, time};
use super::texts::Texts;
use crate::formats::demand::{summary, useful_cache};
use crate::widgets::digits::group_page;
use crate::widgets::figures::{count, duration, megabytes, percent};
use maud::{Markup, html};
use messages::{Language, message};
use model::{BytesPerSecond, Demand, KindDemand, Nanos, RateDemand, RoleDemand, SUSTAINED, thousands};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct Document<'a> {
    texts: &'a Texts,
    runs: [RunData; 1],
    comparison: Option<ComparisonData>,
}

/// Writes the page; `name` is the name of the recording.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_demand_page(name: &str, demand: &Demand, language: Language, out: &mut dyn Write) -> io::Result<()> {
    let t = Texts::for_language(language);
    let json = as_json(&Document { texts: t, runs: [RunData::asked(name, demand, t)], comparison: None })?;
    let body = html! {
        header .grey {
            (bar(None, t))
            h1 { (text(&t.format(&message!("demand-title", name)))) }
            p .said { (text(&t.format(&summary(demand)))) }
            p .meta { span { (duration(demand.length)) } }
        }
        main {
            (tiles(&shown(demand, t), t))
            section #lead aria-label=(t.charts) {}
            (trust(&demand.doubts, None, t))
            (charts(t))
            article {
                (requests(demand, t))
                (rates(demand, t))
                (bytes(demand, t))
            }
        }
        footer { p { (t.made_by) " secchi " (env!("CARGO_PKG_VERSION")) } }
    };
    let html = document(t, &text(name), &policy(), &json, &body).into_string();
    out.write_all(group_page(language, html).as_bytes())
}

fn shown<'a>(demand: &Demand, t: &'a Texts) -> Vec<(String, String, &'a str)> {
    let total = &demand.all;
    let busiest = |unit: &str| format!("{unit}: {}", t.busiest);
    let mut shown = vec![
        (busiest("IOPS"), thousands(total.iops.most()), "IOPS"),
        (format!("IOPS: {}", t.mean), thousands(total.iops.mean), "IOPS"),
    ];
    if let Some(bandwidth) = &total.bandwidth {
        shown.insert(1, (busiest("MB/s"), megabytes(BytesPerSecond(bandwidth.most())), "MB/s"));
    }
    shown.extend(total.read_share().map(|share| (t.read.to_owned(), percent(share), "")));
    shown.extend(total.in_flight.map(|(mean, _)| (t.in_flight.to_owned(), format!("{mean:.2}"), "")));
    shown.extend(total.working_set.as_ref().map(|s| (t.word("demand-touched").to_owned(), s.touched.to_string(), "")));
    shown
}

/// Returns a table with its headers; the first column is text.
fn table(heads: &[&str], rows: &Markup) -> Markup {
    html! {
        div .wide tabindex="0" { table .figures {
            thead { tr { @for head in heads { th scope="col" { (head) } } } }
            tbody { (rows) }
        } }
    }
}

/// Returns a cell with a figure, or a dash if the figure is unknown.
fn cell(figure: Option<String>) -> Markup {
    html! { td { (figure.as_deref().unwrap_or("–")) } }
}

fn requests(demand: &Demand, t: &Texts) -> Markup {
    let kinds = || demand.roles.iter().flat_map(|r| r.kinds.iter().map(move |(kind, asked)| (r, *kind, asked)));
    let mostly = |asked: &KindDemand| {
        let (size, n) = asked.sizes.commonest().into_iter().next()?;
        Some(format!("{size} {}", percent(n as f64 / asked.sizes.count() as f64)))
    };
    let rows = html! { @for (role, kind, asked) in kinds() {
        tr {
            th scope="row" { (text(&role.role)) ": " (kind_word(kind, t)) }
            td { (count(asked.requests)) }
            (cell(asked.mean_size().map(|size| size.to_string())))
            (cell(mostly(asked)))
            (cell(asked.sequential_share().filter(|_| asked.sizes.count() > 0).map(percent)))
            (cell(asked.mean_latency().map(time)))
            (cell(asked.latency.percentile(99.0).value().map(time)))
            (cell(asked.latency.percentile(99.9).value().map(time)))
        }
    } };
    let word = |id| t.word(id);
    let heads = [
        t.role,
        t.requests,
        word("traced-head-size"),
        word("traced-head-mostly"),
        word("traced-head-order"),
        word("traced-head-time"),
        "p99",
        "p99.9",
    ];
    html! { div .part { h2 { (word("demand-requests")) } (table(&heads, &rows)) } }
}

fn rates(demand: &Demand, t: &Texts) -> Markup {
    let total = RoleDemand { role: t.word("demand-all").to_owned(), ..demand.all.clone() };
    let several = (demand.roles.len() > 1).then_some(&total);
    let row = |name: String, rate: &RateDemand, figure: &dyn Fn(f64) -> String| {
        html! { tr {
            th scope="row" { (text(&name)) }
            td { b { (figure(rate.mean)) } }
            @for i in 0..3 { (cell(rate.percentiles.map(|p| figure(p[i])))) }
            (cell(rate.busiest_sample.map(|(_, rate, _)| figure(rate))))
            @for told in rate.sustained { (cell(told.map(|(rate, _)| figure(rate)))) }
        } }
    };
    let rows = html! { @for role in demand.roles.iter().chain(several).filter(|r| r.requests() > 0) {
        (row(format!("{}: IOPS", role.role), &role.iops, &|rate| thousands(rate)))
        @if let Some(bandwidth) = &role.bandwidth {
            (row(format!("{}: MB/s", role.role), bandwidth, &|rate| megabytes(BytesPerSecond(rate))))
        }
    } };
    let lengths = SUSTAINED.map(|length| {
        if length > Nanos::from_secs(60) { "10 min".to_owned() } else { format!("{:.0} s", length.secs()) }
    });
    let mut heads = vec![t.role, t.mean, "p50", "p95", "p99", t.maximum];
    heads.extend(lengths.iter().map(String::as_str));
    let aside = if demand.resolution.is_some() { "demand-rates-sampled" } else { "demand-rates-aside" };
    html! { div .part {
        h2 { (t.word("demand-rates")) span .small { (t.word(aside)) } }
        (table(&heads, &rows))
    } }
}

/// Returns working sets, hit shares of caches, operations in flight, and flushes.
fn bytes(demand: &Demand, t: &Texts) -> Markup {
    let known =
        || demand.roles.iter().filter(|r| r.requests() > 0 && (r.working_set.is_some() || r.in_flight.is_some()));
    let rows = html! { @for role in known() {
        @let set = role.working_set.as_ref();
        @let cache = |part| set.and_then(|set| useful_cache(set, part)).map(|(size, share)| format!("{size} {}", percent(share)));
        tr {
            th scope="row" { (text(&role.role)) }
            (cell(set.map(|s| s.touched.to_string())))
            (cell(set.map(|s| s.read.to_string())))
            (cell(set.map(|s| s.written.to_string())))
            (cell(cache(0.5)))
            (cell(cache(0.95)))
            (cell(role.in_flight.map(|(mean, most)| format!("{mean:.2} / {most:.1}"))))
        }
    } };
    let word = |id| t.word(id);
    let in_flight = format!("{} ({} / {})", t.in_flight, t.mean, t.maximum);
    let heads = [
        t.role,
        word("demand-touched"),
        t.read,
        t.write,
        word("demand-cache-half"),
        word("demand-cache-most"),
        &in_flight,
    ];
    html! { @if known().next().is_some() { div .part {
        h2 { (word("demand-bytes")) }
        (table(&heads, &rows))
        @if let Some(flushes) = &demand.all.flushes { p { (text(&t.format(&crate::formats::demand::flushes(flushes)))) } }
    } } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Bytes, Caveat, RatePoint, RequestKind, Severity, WorkingSet};

    fn demand(hostile: &str) -> Demand {
        let second = |i| RatePoint { at: Nanos::from_secs(i), length: Nanos::from_secs(1), mean: 5.0, most: 9.0 };
        let course: Vec<RatePoint> = (0..20).map(second).collect();
        let rate = RateDemand {
            mean: 5.0,
            busiest_sample: Some((Nanos::from_secs(1), 9.0, Nanos(0))),
            course,
            ..RateDemand::default()
        };
        let mut read = KindDemand { requests: 100, iops: rate.clone(), ..KindDemand::default() };
        read.sizes.add(Bytes(8192), 100);
        (0..100).for_each(|i| read.latency.record(Nanos::from_millis(i)));
        let set = WorkingSet {
            touched: Bytes(4096),
            cached: vec![(Bytes(4096), 0.0), (Bytes(8192), 0.5)],
            ..WorkingSet::default()
        };
        let role = RoleDemand {
            role: hostile.to_owned(),
            kinds: [(RequestKind::Read, read)].into(),
            iops: rate,
            working_set: Some(set),
            ..RoleDemand::default()
        };
        let doubt = Caveat::new("x", Severity::Doubt, hostile.to_owned(), hostile.to_owned());
        Demand {
            all: role.clone(),
            roles: vec![role],
            doubts: vec![doubt],
            length: Nanos::from_secs(20),
            ..Demand::default()
        }
    }

    fn page(name: &str, demand: &Demand, language: Language) -> String {
        let mut out = Vec::new();
        write_demand_page(name, demand, language, &mut out).expect("memory takes it");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn every_language_has_its_page_with_tables_and_data() {
        for language in Language::ALL {
            let text = page("db.sqio", &demand("data"), language);
            let (html, rest) = text.split_once("<script id=\"data\" type=\"application/json\">").expect("data");
            let (json, _) = rest.split_once("</script>").expect("its end");
            let data: serde_json::Value = serde_json::from_str(json).expect("JSON");
            let run = &data["runs"][0];
            assert_eq!((run["kind"].as_str(), run["asked"][0]["iops"][3][3].as_f64()), (Some("needs"), Some(9.0)));
            assert_eq!(run["asked"][0]["cached"][1][1].as_f64(), Some(0.5));
            assert_eq!(run["sizes"][0]["role"].as_str(), Some("data"));
            assert!(html.contains("8 KiB 100 %") && html.contains("default-src 'none'"), "{language:?}");
            for word in [" src=", "http://", "https://", " style="] {
                assert!(!html.contains(word), "{word}");
            }
        }
    }

    #[test]
    fn nothing_of_a_recording_becomes_markup() {
        for hostile in ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "</title><b>", "<!--"] {
            let text = page(hostile, &demand(hostile), Language::English);
            let marks = |text: &str| ["<script>", "<img", "<b>", "<!--"].map(|mark| text.matches(mark).count());
            assert_eq!(marks(&text), marks(&page("x", &demand("y"), Language::English)), "{hostile}");
        }
    }
}

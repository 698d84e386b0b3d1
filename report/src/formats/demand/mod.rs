//! The screen with the demand of a recording or of samples: rates with bursts, sizes and order of requests, recorded
//! latencies, and working sets.

use crate::Style;
use crate::formats::traced::{kind as kind_word, mostly};
use crate::widgets::figures::{count, duration, latency, megabytes, percent};
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Table};
use crate::widgets::text::{Line, Paint};
use messages::{Message, message};
use model::{
    Bytes, BytesPerSecond, Demand, FlushDemand, LatencyHistogram, Nanos, RateDemand, RoleDemand, SUSTAINED, WorkingSet,
    thousands,
};
use serde_json::json;
use std::io::{self, Write};

/// Minimum share of reads that the best cache must serve. If the share is lower, no cache size is reported.
const USEFUL: f64 = 0.05;

/// Writes the demand; `name` is the name of the recording.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_demand(name: &str, demand: &Demand, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let page = &mut Page::new(style, out);
    let ink = page.ink;
    let total = &demand.all;
    page.heading(&ink.format(&message!("demand-title", name)), &duration(demand.length))?;
    page.hanging(Line::plain(" "), 1, &ink.format(&summary(demand)), Paint::PLAIN)?;
    for doubt in &demand.doubts {
        let said = [&doubt.statement, &doubt.evidence].into_iter().filter(|text| !text.is_empty());
        let text = said.map(|text| ink.translate(text)).collect::<Vec<_>>().join(": ");
        page.hanging(Line::plain(" ! "), 3, &text, Paint::PLAIN)?;
    }
    page.blank()?;
    page.heading(ink.word("demand-requests"), "")?;
    request_table(page, demand)?;
    page.blank()?;
    let aside = if demand.resolution.is_some() { "demand-rates-sampled" } else { "demand-rates-aside" };
    page.heading(ink.word("demand-rates"), ink.word(aside))?;
    rates(page, demand)?;
    if demand.roles.iter().any(|r| r.working_set.is_some() || r.in_flight.is_some()) {
        page.blank()?;
        page.heading(ink.word("demand-bytes"), "")?;
        working_sets(page, demand)?;
    }
    if let Some(flush_demand) = &total.flushes {
        page.hanging(Line::plain(" "), 1, &ink.format(&flushes(flush_demand)), Paint::PLAIN)?;
    }
    Ok(())
}

/// Formats the number of flushes and the time between them.
pub(super) fn flushes(flushes: &FlushDemand) -> Message {
    let apart = flushes.apart.percentile(50.0).value().map_or_else(|| "-".to_owned(), |t| t.to_string());
    message!("demand-flushes", n = count(flushes.flushes), apart, written = flushes.written_between)
}

/// Returns the smallest cache whose hit share is at least `part` (0..=1) of the largest cache's, together with this hit
/// share; `None` if no cache achieves a useful share.
pub(super) fn useful_cache(set: &WorkingSet, part: f64) -> Option<(Bytes, f64)> {
    let best = set.cached.last().map_or(0.0, |(_, share)| *share);
    set.cached.iter().find(|(_, share)| best >= USEFUL && *share >= best * part && *share > 0.0).copied()
}

/// Returns a one-sentence summary: number of requests and peak rates.
pub(super) fn summary(demand: &Demand) -> Message {
    let total = &demand.all;
    let (requests, mean, iops) = (count(total.requests()), thousands(total.iops.mean), thousands(total.iops.most()));
    let bandwidth = total.bandwidth.as_ref();
    let bandwidth =
        bandwidth.map_or_else(|| "? MB/s".to_owned(), |b| format!("{} MB/s", megabytes(BytesPerSecond(b.most()))));
    match (total.iops.percentiles, demand.resolution) {
        (None, _) => message!("demand-summary-short", requests, mean),
        (_, None) => message!("demand-summary", requests, iops, mean, bandwidth),
        (_, Some(_)) => message!("demand-summary-sampled", requests, iops, mean, bandwidth),
    }
}

fn request_table(page: &mut Page, demand: &Demand) -> io::Result<()> {
    let ink = page.ink;
    let mut table = Table::new(
        vec![
            Column::left(ink.word("page-role")),
            Column::left(""),
            Column::right(ink.word("page-requests")),
            Column::right(ink.word("traced-head-size")).droppable(3),
            Column::right(ink.word("traced-head-mostly")),
            Column::right(ink.word("traced-head-order")).droppable(2),
            Column::right(ink.word("traced-head-time")),
            Column::right("p99"),
            Column::right("p99.9").droppable(4),
        ],
        1,
    );
    for role in &demand.roles {
        let mut name = role.role.as_str();
        for (kind, asked) in &role.kinds {
            let sized = asked.sizes.count() > 0;
            let time =
                |p: f64| asked.latency.percentile(p).value().map_or_else(Line::new, |t| latency(t, Paint::PLAIN));
            table.row(vec![
                Line::new().with(ink.clipped(name, 18), Paint::BOLD),
                Line::plain(kind_word(*kind, ink)),
                Line::plain(count(asked.requests)),
                asked.mean_size().map_or_else(Line::new, |mean| Line::plain(mean.to_string())),
                if sized { mostly(&asked.sizes, ink) } else { Line::new() },
                asked.sequential_share().filter(|_| sized).map_or_else(Line::new, |share| Line::plain(percent(share))),
                asked.mean_latency().map_or_else(Line::new, |t| latency(t, Paint::PLAIN)),
                time(99.0),
                time(99.9),
            ]);
            name = "";
        }
    }
    table.write(page)
}

/// Writes operations and megabytes per second, by role and in total.
fn rates(page: &mut Page, demand: &Demand) -> io::Result<()> {
    let ink = page.ink;
    let mut table = Table::new(
        vec![
            Column::left(ink.word("page-role")),
            Column::left(""),
            Column::right(ink.word("demand-mean")),
            Column::right("p50").droppable(3),
            Column::right("p95").droppable(2),
            Column::right("p99"),
            Column::right(if demand.resolution.is_some() { ink.word("page-busiest") } else { "1 s" }),
            Column::right("10 s"),
            Column::right("60 s").droppable(1),
            Column::right("10 min").droppable(4),
        ],
        1,
    );
    let of_all = RoleDemand { role: ink.word("demand-all").to_owned(), ..demand.all.clone() };
    let several = demand.roles.len() > 1;
    for role in demand.roles.iter().filter(|r| r.requests() > 0).chain(several.then_some(&of_all)) {
        let iops = |rate: f64| thousands(rate);
        let bandwidth = |rate: f64| megabytes(BytesPerSecond(rate));
        row(&mut table, ink.clipped(&role.role, 18), "IOPS", &role.iops, iops);
        if let Some(rate) = &role.bandwidth {
            row(&mut table, String::new(), "MB/s", rate, bandwidth);
        }
    }
    table.write(page)
}

fn row(table: &mut Table, name: String, unit: &str, rate: &RateDemand, figure: impl Fn(f64) -> String) {
    let mut cells = vec![Line::new().with(name, Paint::BOLD), Line::new().with(unit, Paint::DIM)];
    cells.push(Line::plain(figure(rate.mean)));
    let percentiles = rate.percentiles.map_or([None; 3], |told| told.map(Some));
    cells.extend(percentiles.map(|p| p.map_or_else(Line::new, |p| Line::plain(figure(p)))));
    // The busiest second, if every request was recorded.
    cells.push(rate.busiest_sample.map_or_else(Line::new, |(_, rate, _)| Line::plain(figure(rate))));
    cells.extend(
        rate.sustained.into_iter().skip(1).map(|s| s.map_or_else(Line::new, |(rate, _)| Line::plain(figure(rate)))),
    );
    debug_assert_eq!(cells.len(), 6 + SUSTAINED.len());
    table.row(cells);
}

/// Writes the working set of each role, its operations in flight, and the hit shares of caches.
fn working_sets(page: &mut Page, demand: &Demand) -> io::Result<()> {
    let ink = page.ink;
    let mut table = Table::new(
        vec![
            Column::left(ink.word("page-role")),
            Column::right(ink.word("demand-touched")),
            Column::right(ink.word("op-read")).droppable(1),
            Column::right(ink.word("op-write")).droppable(2),
            Column::right(ink.word("demand-cache-half")),
            Column::right(ink.word("demand-cache-most")),
            Column::right(ink.word("demand-in-flight")),
        ],
        1,
    );
    for role in demand.roles.iter().filter(|r| r.requests() > 0) {
        let set = role.working_set.as_ref();
        let bytes = |of: fn(&WorkingSet) -> Bytes| set.map_or_else(Line::new, |set| Line::plain(of(set).to_string()));
        let cache = |part: f64| {
            set.map_or_else(Line::new, |set| match useful_cache(set, part) {
                Some((size, share)) => {
                    Line::plain(size.to_string()).with(format!(" {:>5}", percent(share)), Paint::DIM)
                }
                None => Line::new().with("-", Paint::DIM),
            })
        };
        let in_flight = role.in_flight.map_or_else(Line::new, |(mean, most)| {
            Line::plain(format!("{mean:.2}")).with(format!(" {:>6}", format!("{most:.1}")), Paint::DIM)
        });
        table.row(vec![
            Line::new().with(ink.clipped(&role.role, 18), Paint::BOLD),
            bytes(|set| set.touched),
            bytes(|set| set.read),
            bytes(|set| set.written),
            cache(0.5),
            cache(0.95),
            in_flight,
        ]);
    }
    table.write(page)
}

/// Writes the demand as one JSON document: rates per second, times in nanoseconds, sizes in bytes, shares from 0 to 1;
/// unknown values are null.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_demand_json(name: &str, demand: &Demand, out: &mut dyn Write) -> io::Result<()> {
    let rate = |rate: &RateDemand| {
        let sustained = SUSTAINED.into_iter().zip(rate.sustained).filter_map(|(length, told)| {
            let (rate, at) = told?;
            Some(json!({"length": length.as_nanos(), "rate": rate, "at": at.as_nanos()}))
        });
        let [p50, p95, p99] = rate.percentiles.map_or([None; 3], |told| told.map(Some));
        let busiest = rate
            .busiest_sample
            .map(|(length, rate, at)| json!({"length": length.as_nanos(), "rate": rate, "at": at.as_nanos()}));
        json!({
            "mean": rate.mean, "p50": p50, "p95": p95, "p99": p99, "busiest_sample": busiest,
            "sustained": sustained.collect::<Vec<_>>(),
        })
    };
    let latency = |histogram: &LatencyHistogram| {
        let at = |p: f64| histogram.percentile(p).value().map(Nanos::as_nanos);
        json!({
            "count": histogram.count(), "mean": histogram.mean().map(Nanos::as_nanos), "min": histogram.min().map(Nanos::as_nanos),
            "max": histogram.max().map(Nanos::as_nanos), "p50": at(50.0), "p95": at(95.0), "p99": at(99.0), "p99.9": at(99.9),
        })
    };
    let role = |role: &RoleDemand| {
        let kinds = role.kinds.iter().map(|(kind, asked)| {
            let sizes = asked.sizes.commonest().into_iter().map(|(size, n)| json!({"bytes": size.as_u64(), "requests": n}));
            let figures = json!({
                "requests": asked.requests, "failed": asked.failed, "bytes": asked.moved.map(Bytes::as_u64),
                "sizes": sizes.collect::<Vec<_>>(), "sequential": asked.sequential_share(), "waited_for": asked.waited_for,
                "latency": latency(&asked.latency), "mean_latency": asked.mean_latency().map(Nanos::as_nanos),
                "iops": rate(&asked.iops), "bandwidth": asked.bandwidth.as_ref().map(rate),
            });
            (kind.name().to_owned(), figures)
        });
        let working_set = role.working_set.as_ref().map(|set| {
            let cached = set.cached.iter().map(|(size, share)| json!({"bytes": size.as_u64(), "held": share}));
            json!({
                "touched": set.touched.as_u64(), "read": set.read.as_u64(), "written": set.written.as_u64(),
                "sampled": set.sampled, "caches": cached.collect::<Vec<_>>(),
            })
        });
        json!({
            "role": role.role,
            "kinds": kinds.collect::<serde_json::Map<_, _>>(),
            "iops": rate(&role.iops),
            "bandwidth": role.bandwidth.as_ref().map(rate),
            "in_flight": role.in_flight.map(|(mean, most)| json!({"mean": mean, "busiest_second": most})),
            "working_set": working_set,
            "flushes": role.flushes.as_ref().map(|f| json!({
                "flushes": f.flushes, "apart": latency(&f.apart), "written_between": f.written_between.as_u64(),
            })),
        })
    };
    let document = json!({
        "recording": name,
        "layer": demand.layer,
        "length": demand.length.as_nanos(),
        "resolution": demand.resolution.map(Nanos::as_nanos),
        "all": role(&demand.all),
        "roles": demand.roles.iter().map(role).collect::<Vec<_>>(),
        "doubts": demand.doubts,
    });
    serde_json::to_writer_pretty(&mut *out, &document).map_err(io::Error::other)?;
    out.write_all(b"\n")
}

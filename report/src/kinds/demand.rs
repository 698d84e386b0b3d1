//! Demand of a recording or of samples: rates with bursts, sizes and order of requests, recorded latencies, working sets.

use super::charts::{self, kind_word};
use super::traced::most_frequent;
use crate::document::{Block, Cell, Column, Document, Notes, Repeat, Sign, Table, Text, Tile, Tone, Value, View, Word};
use crate::widgets::figures::{count, duration, megabytes};
use messages::{Sentence, sentence};
use model::judged::{Demand, FlushDemand, KindDemand, Outcome, RateDemand, RoleDemand, WorkingSet};
use model::{Bytes, BytesPerSecond, Iops, units::thousands};

/// Minimum share of reads that the best cache must serve. If the share is lower, no cache size is reported.
const USEFUL: f64 = 0.05;

/// Returns the document of a demand; `name` is the name of the recording.
pub(crate) fn document(name: &str, demand: &Demand, view: View) -> Document {
    let mut d = Document::new("needs", name);
    let title = sentence!("demand-title", name);
    let mut lead = vec![Block::text(summary(demand))];
    if view == View::Full {
        d.head.title = Some((title, duration(demand.length).into()));
        let doubts = demand.doubts.iter().map(|doubt| Text::new(doubt.line()).sign(Sign::DOUBT));
        lead.extend(doubts.map(Block::Text));
    } else {
        d.head.verdict = Some((title, Outcome::Pass));
        d.head.is_judged = true;
        d.head.place = duration(demand.length);
        d.notes = Notes::new(&demand.doubts, None);
    }
    d.tiles = tiles(demand);
    d.part("summary", "", lead);
    if view == View::Page {
        d.part("charts", "", charts::demand(demand).into_iter().map(Block::Chart)).views(&[]);
    }
    d.part("requests", "demand-requests", [Block::Table(requests(demand))]).views(View::DETAIL);
    let aside = if demand.resolution.is_some() { "demand-rates-sampled" } else { "demand-rates-aside" };
    d.part("rates", "demand-rates", [Block::Table(rates(demand))]).aside(aside).views(View::DETAIL);
    if demand.roles.iter().any(|r| r.working_set.is_some() || r.in_flight.is_some()) {
        d.part("bytes", "demand-bytes", [Block::Table(working_sets(demand))]).views(View::DETAIL);
    }
    let last = d.parts.last_mut().into_iter();
    last.for_each(|part| part.blocks.extend(demand.all.flushes.as_ref().map(|f| Block::text(flushes(f)))));
    d
}

/// Returns a one-sentence summary: number of requests and peak rates.
fn summary(demand: &Demand) -> Sentence {
    let total = &demand.all;
    let (requests, mean, iops) = (count(total.requests()), thousands(total.iops.mean), thousands(total.iops.most()));
    let bandwidth = total.bandwidth.as_ref();
    let bandwidth =
        bandwidth.map_or_else(|| "? MB/s".to_owned(), |b| format!("{} MB/s", megabytes(BytesPerSecond(b.most()))));
    match (total.iops.percentiles, demand.resolution) {
        (None, _) => sentence!("demand-summary-short", requests, mean),
        (_, None) => sentence!("demand-summary", requests, iops, mean, bandwidth),
        (_, Some(_)) => sentence!("demand-summary-sampled", requests, iops, mean, bandwidth),
    }
}

/// Returns the number of flushes and the time between them.
fn flushes(flushes: &FlushDemand) -> Sentence {
    let apart = flushes.apart.percentile(50.0).value().map_or_else(|| "-".to_owned(), |t| t.to_string());
    sentence!("demand-flushes", n = count(flushes.flushes), apart, written = flushes.written_between)
}

fn tiles(demand: &Demand) -> Vec<Tile> {
    let total = &demand.all;
    let label =
        |unit: &'static str, word: &'static str| Sentence::join([unit.into(), Word::from(word).sentence()], ": ");
    let mut tiles = vec![Tile::new(label("IOPS", "page-busiest"), Iops(total.iops.most()), Word::Term("IOPS"))];
    tiles.extend(
        total
            .bandwidth
            .as_ref()
            .map(|rate| Tile::new(label("MB/s", "page-busiest"), BytesPerSecond(rate.most()), Word::Term("MB/s"))),
    );
    tiles.push(Tile::new(label("IOPS", "page-mean"), Iops(total.iops.mean), Word::Term("IOPS")));
    tiles.extend(total.read_share().map(|share| Tile::new(sentence!("page-read"), Value::Share(share), "")));
    let in_flight = |(mean, _)| Tile::new(sentence!("page-in-flight"), Value::Fixed(mean, 2), "");
    tiles.extend(total.in_flight.map(in_flight));
    tiles.extend(total.working_set.as_ref().map(|set| Tile::new(sentence!("demand-touched"), set.touched, "")));
    tiles
}

/// Returns the column with the names of roles.
fn role_column() -> Column {
    Column::text("role", "page-role").most(18).repeat(Repeat::Blank)
}

fn role_cell(name: &str) -> Cell {
    Cell::from(if name.is_empty() { Value::word("demand-all") } else { Value::name(name) }).strong()
}

/// Returns size, order and latencies of the requests of each role, by kind.
pub(crate) fn requests(demand: &Demand) -> Table {
    let sizes = |asked: &KindDemand| (asked.sizes.count() > 0).then(|| most_frequent(&asked.sizes));
    let order = |asked: &KindDemand| asked.sequential_share().filter(|_| asked.sizes.count() > 0).map(Value::Share);
    let time = |asked: &KindDemand, p: f64| Cell::or_blank(asked.latency.percentile(p).value());
    let kinds = demand.roles.iter().flat_map(|r| r.kinds.iter().map(move |(kind, k)| (r, *kind, k)));
    Table::builder("requests", kinds)
        .column(role_column(), |(role, ..)| role_cell(&role.role))
        .column(Column::text("kind", "replay-kind").bare(), |(_, kind, _)| kind_word(kind))
        .column(Column::figure("requests", "page-requests"), |(.., asked)| Value::Count(asked.requests))
        .column(Column::figure("mean_bytes", "traced-head-size").rank(3), |(.., asked)| {
            Cell::or_blank(asked.mean_size())
        })
        .column(Column::figure("mostly", "traced-head-mostly"), |(.., asked)| Cell::or_blank(sizes(asked)))
        .column(Column::figure("sequential", "traced-head-order").rank(2), |(.., asked)| Cell::or_blank(order(asked)))
        .column(Column::figure("mean_ns", "traced-head-time"), |(.., asked)| Cell::or_blank(asked.mean_latency()))
        .column(Column::term("p99_ns", "p99"), |(.., asked)| time(asked, 99.0))
        .column(Column::term("p999_ns", "p99.9").rank(4), |(.., asked)| time(asked, 99.9))
        .build()
}

/// Returns operations and megabytes per second, by role and in total.
fn rates(demand: &Demand) -> Table {
    let busiest = match demand.resolution {
        Some(_) => Column::figure("busiest", "page-busiest"),
        None => Column::term("busiest", "1 s"),
    };
    let total = RoleDemand { role: String::new(), ..demand.all.clone() };
    let total = (demand.roles.len() > 1).then_some(&total);
    let roles = demand.roles.iter().filter(|r| r.requests() > 0).chain(total);
    let rates = roles.flat_map(|role| {
        let bandwidth = role.bandwidth.as_ref().map(|rate| (role, "MB/s", rate));
        std::iter::once((role, "IOPS", &role.iops)).chain(bandwidth)
    });
    let figure = |unit: &str, rate: Option<f64>| match unit {
        "IOPS" => Cell::or_blank(rate.map(Value::Number)),
        _ => Cell::or_blank(rate.map(BytesPerSecond)),
    };
    let percentile = |unit: &str, rate: &RateDemand, i: usize| figure(unit, rate.percentiles.map(|p| p[i]));
    // The busiest second, if every request was recorded.
    let sample = |rate: &RateDemand| rate.busiest_sample.map(|(_, rate, _)| rate);
    let sustained = |unit: &str, rate: &RateDemand, i: usize| figure(unit, rate.sustained[i].map(|(rate, _)| rate));
    Table::builder("rates", rates)
        .column(role_column(), |(role, ..)| role_cell(&role.role))
        .column(Column::text("unit", "replay-kind").bare(), |(_, unit, _)| {
            Cell::from(Value::name(unit)).tone(Tone::Dim)
        })
        .column(Column::figure("mean", "demand-mean"), |(_, unit, rate)| figure(unit, Some(rate.mean)))
        .column(Column::term("p50", "p50").rank(3), |(_, unit, rate)| percentile(unit, rate, 0))
        .column(Column::term("p95", "p95").rank(2), |(_, unit, rate)| percentile(unit, rate, 1))
        .column(Column::term("p99", "p99"), |(_, unit, rate)| percentile(unit, rate, 2))
        .column(busiest, |(_, unit, rate)| figure(unit, sample(rate)))
        .column(Column::term("busiest_10_s", "10 s"), |(_, unit, rate)| sustained(unit, rate, 1))
        .column(Column::term("busiest_60_s", "60 s").rank(1), |(_, unit, rate)| sustained(unit, rate, 2))
        .column(Column::term("busiest_10_min", "10 min").rank(4), |(_, unit, rate)| sustained(unit, rate, 3))
        .build()
}

/// Returns the working set of each role, its operations in flight, and the hit shares of caches.
fn working_sets(demand: &Demand) -> Table {
    let bytes = |role: &RoleDemand, of: fn(&WorkingSet) -> Bytes| Cell::or_blank(role.working_set.as_ref().map(of));
    let cache = |role: &RoleDemand, part: f64| {
        let useful = |set| Value::from(useful_cache(set, part).map(|(size, share)| Value::SizeShare(size, share)));
        Cell::or_blank(role.working_set.as_ref().map(useful))
    };
    let in_flight = |(mean, most)| Value::Name(format!("{mean:.2} {:>6}", format!("{most:.1}")));
    Table::builder("bytes", demand.roles.iter().filter(|r| r.requests() > 0))
        .column(role_column(), |role| role_cell(&role.role))
        .column(Column::figure("touched_bytes", "demand-touched"), |role| bytes(role, |set| set.touched))
        .column(Column::figure("read_bytes", "op-read").rank(1), |role| bytes(role, |set| set.read))
        .column(Column::figure("written_bytes", "op-write").rank(2), |role| bytes(role, |set| set.written))
        .column(Column::figure("half", "demand-cache-half"), |role| cache(role, 0.5))
        .column(Column::figure("most", "demand-cache-most"), |role| cache(role, 0.95))
        .column(Column::figure("in_flight", "demand-in-flight"), |role| Cell::or_blank(role.in_flight.map(in_flight)))
        .build()
}

/// Returns the smallest cache whose hit share is at least `part` (0..=1) of the largest cache's, together with this hit
/// share; `None` if no cache achieves a useful share.
fn useful_cache(set: &WorkingSet, part: f64) -> Option<(Bytes, f64)> {
    let best = set.cached.last().map_or(0.0, |(_, share)| *share);
    set.cached.iter().find(|(_, share)| best >= USEFUL && *share >= best * part && *share > 0.0).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Style, Subject};
    use messages::Language;
    use model::{Caveat, Nanos, Severity, judged::RatePoint, measured::RequestKind};

    fn demand(hostile: &str) -> Demand {
        let second = |i| RatePoint { at: Nanos::from_secs(i), length: Nanos::from_secs(1), mean: 5.0, most: 9.0 };
        let course: Vec<RatePoint> = (0..20).map(second).collect();
        let rate = RateDemand {
            mean: 5.0,
            busiest_sample: Some((Nanos::from_secs(1), 9.0, Nanos(0))),
            course,
            ..RateDemand::default()
        };
        let mut read =
            model::judged::KindDemand { requests: 100, iops: rate.clone(), ..model::judged::KindDemand::default() };
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

    fn written(format: &str, name: &str, demand: &Demand, style: &Style) -> String {
        let format = crate::format(format).expect("it is registered");
        crate::fixture::text(|out| format.write(Subject::Demand(name, demand), style, out))
    }

    #[cfg(feature = "html")]
    fn page(name: &str, demand: &Demand, language: Language) -> String {
        written("html", name, demand, &Style { language, ..Style::default() })
    }

    #[test]
    fn every_text_format_has_the_sizes_and_the_rates() {
        for language in Language::ALL {
            for width in [40, 80, 100, 140] {
                let style = Style { language, width, ..Style::default() };
                let screen = written("terminal", "db.sqio", &demand("data"), &style);
                assert!(screen.contains("db.sqio") && screen.contains(" ! data: data"), "{screen}");
                assert!(screen.lines().all(|l| crate::widgets::text::width(l) <= width), "{screen}");
            }
        }
        let markdown = written("markdown", "db.sqio", &demand("data"), &Style::default());
        assert!(markdown.contains("| data | IOPS | 5.00 |"), "{markdown}");
        let csv = written("csv", "db.sqio", &demand("data"), &Style::default());
        assert!(csv.contains("data,read,100,8192,"), "{csv}");
        assert!(written("json", "db.sqio", &demand("data"), &Style::default()).contains("\"touched\":4096"));
    }

    #[test]
    #[cfg(feature = "html")]
    fn every_language_has_its_page_with_tables_and_data() {
        for language in Language::ALL {
            let text = page("db.sqio", &demand("data"), language);
            let (html, rest) = text.split_once("<script id=\"data\" type=\"application/json\">").expect("data");
            let (json, _) = rest.split_once("</script>").expect("its end");
            let data: serde_json::Value = serde_json::from_str(json).expect("JSON");
            let chart = |id: &str| {
                let charts = data["charts"].as_array().expect("charts");
                charts.iter().find(|c| c["id"] == id).expect("a chart")["choices"][0]["plot"].clone()
            };
            assert_eq!(chart("asked")["series"][1]["y"][3].as_f64(), Some(9.0));
            assert_eq!(chart("caches")["series"][0]["y"][1].as_f64(), Some(0.5));
            let name = chart("requests")["series"][0]["name"].clone();
            assert!(name.as_str().is_some_and(|name| name.starts_with("data ")), "{name}");
            assert!(html.contains("8 KiB 100 %") && html.contains("default-src 'none'"), "{language:?}");
            for word in [" src=", "http://", "https://", " style="] {
                assert!(!html.contains(word), "{word}");
            }
        }
    }

    #[test]
    #[cfg(feature = "html")]
    fn nothing_of_a_recording_becomes_markup() {
        for hostile in ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "</title><b>", "<!--"] {
            let text = page(hostile, &demand(hostile), Language::English);
            let marks = |text: &str| ["<script>", "<img", "<b>", "<!--"].map(|mark| text.matches(mark).count());
            assert_eq!(marks(&text), marks(&page("x", &demand("y"), Language::English)), "{hostile}");
        }
    }
}

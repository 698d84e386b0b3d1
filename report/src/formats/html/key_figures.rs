//! The figures that a page shows first; they depend on the kind of run.

use super::durability::durability;
use super::metadata::metadata;
use super::parts::{percentile, text, tiles, time, waves};
use super::replayed::replayed;
use super::texts::Texts;
use super::watched::watched;
use crate::formats::mark::{Cell, Mark};
use crate::overview::{Entry, entries, is_doubted};
use crate::widgets::figures::{count, megabytes};
use maud::{Markup, html};
use model::{
    DbOperation, Judgement, KindFigures, KindName, LevelFigures, MarkDirection, Outcome, PatternJudgement, PingStats,
    Pinged, RunRecord, StagePlacement, thousands,
};
use serde::Serialize;

/// Kind of run, which decides the figures that the page shows first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::formats) enum PageKind {
    /// Workloads, each with the limit that binds it.
    #[default]
    Workloads,
    /// CrystalDiskMark's tests.
    Mark,
    /// A job file.
    Jobs,
    /// Sessions of a database.
    Database,
    /// Requests one at a time, as in ioping.
    Ping,
    /// Devices observed while other processes used them.
    Watch,
    /// Demand of a recording or of samples.
    Needs,
}

impl PageKind {
    pub(super) fn from_record(record: &RunRecord) -> PageKind {
        match record.plan.kind.name() {
            KindName::Ping if record.ping().is_some() => PageKind::Ping,
            KindName::Database if record.database().is_some() => PageKind::Database,
            KindName::Mark => PageKind::Mark,
            KindName::JobFile => PageKind::Jobs,
            KindName::Watch => PageKind::Watch,
            KindName::Blocks | KindName::Metadata | KindName::Durability | KindName::Replay => PageKind::Workloads,
            // A run that was killed at its start has no results of its kind.
            KindName::Ping | KindName::Database => PageKind::Workloads,
        }
    }
}

/// Returns the key figures as tiles, and the main table.
pub(super) fn key_figures(record: &RunRecord, judgement: &Judgement, t: &Texts) -> Markup {
    match (PageKind::from_record(record), record.ping(), judgement.database()) {
        (PageKind::Ping, Some(pinged), _) => ping(pinged, t),
        (PageKind::Database, _, Some(database)) => html! {
            (database_tiles(database, t))
            (waves(database, t))
        },
        (PageKind::Mark, ..) => mark(&Mark::from_record(record, &judgement.caveats), t),
        (PageKind::Jobs, ..) => jobs(record, judgement, t),
        (PageKind::Watch, ..) => judgement.watch().map_or_else(|| html! {}, |w| watched(w, t)),
        _ => html! {
            @if let Some(made) = record.replayed() { (replayed(made, t)) }
            @match &judgement.figures {
                Some(KindFigures::Metadata(figures)) => (metadata(figures, t)),
                Some(KindFigures::Durability(figures)) => (durability(figures, t)),
                Some(KindFigures::Database(_) | KindFigures::Watch(_)) | None => (workloads(record, judgement, t)),
            }
        },
    }
}

/// Returns how much of a purchased limit was used, in percent, if there is one, and the rates and times of the first
/// workload.
fn workloads(record: &RunRecord, judgement: &Judgement, t: &Texts) -> Markup {
    let entries = entries(judgement);
    let Some((first, level)) = entries.first() else { return html! {} };
    let sound = |l: &LevelFigures| l.struck.is_none();
    let widest = entries
        .iter()
        .filter(|(_, l)| sound(l))
        .max_by(|a, b| a.1.bandwidth.per_second().total_cmp(&b.1.bandwidth.per_second()));
    // Purchased limits only: the limits of our own control group do not count.
    let bought = |name: &str| record.plan.limits.iter().any(|l| !l.name.is_empty() && name.starts_with(&l.name));
    let used = entries
        .iter()
        .filter(|(_, l)| sound(l))
        .flat_map(|(p, _)| &p.binding.constraints)
        .filter(|c| bought(&c.name) && c.used.is_finite())
        .max_by(|a, b| a.used.total_cmp(&b.used));
    // A figure with a doubt is marked in every place.
    let named = |(pattern, level): &Entry| {
        let mark = if is_doubted(level, &judgement.caveats) { " ?" } else { "" };
        format!("{}{mark}", pattern.label)
    };
    let lead = named(&(first, level));
    let mut shown = Vec::new();
    if sound(level) {
        shown.push((lead.clone(), thousands(level.iops.value), "IOPS"));
        shown.extend(level.p99.value().map(|p99| (lead, time(p99), "p99")));
    }
    shown.extend(widest.map(|w| (named(w), megabytes(w.1.bandwidth), t.bandwidth)));
    shown.extend(used.map(|c| (c.name.clone(), format!("{:.0} %", c.used * 100.0), t.of_bought)));
    let met = judgement.needs.iter().filter(|n| n.outcome == Outcome::Pass).count();
    if !judgement.needs.is_empty() {
        shown.push((t.needs.to_owned(), format!("{met} / {}", judgement.needs.len()), t.met));
    }
    html! {
        (tiles(&shown, t))
        div .part {
            h2 { (t.workloads) }
            div .wide tabindex="0" { table .figures .glance {
                thead { tr { th scope="col" { (t.workload) } (rate_heads(t)) th scope="col" .words { (t.what_binds) } } }
                tbody { @for (pattern, level) in &entries { tr .struck[level.struck.is_some()] {
                    th scope="row" { (text(&pattern.label)) (doubt(level, judgement)) }
                    (rates(level, t))
                    td .words { (text(&binds(pattern, t))) }
                } } }
            } }
        }
    }
}

/// Returns a short description of the binding limit: names unchanged, words in the page's language.
fn binds(pattern: &PatternJudgement, t: &Texts) -> String {
    messages::format_part(t.language(), &pattern.binding.in_short())
}

fn rate_heads(t: &Texts) -> Markup {
    html! {
        th scope="col" { "IOPS" } th scope="col" { (t.bandwidth) } th scope="col" { (t.mean) } th scope="col" { "p99" }
    }
}

fn doubt(level: &LevelFigures, judgement: &Judgement) -> Markup {
    html! { @if is_doubted(level, &judgement.caveats) { " " abbr title=(level.caveats.join(", ")) { "?" } } }
}

/// Returns IOPS, MB/s, mean and p99, or the reason if the level is invalid.
fn rates(level: &LevelFigures, t: &Texts) -> Markup {
    html! {
        @if let Some(reason) = &level.struck {
            td .why colspan="4" { (text(&t.translate(reason))) }
        } @else {
            td data-v=(level.iops.value) { b { (thousands(level.iops.value)) } }
            td data-v=(level.bandwidth.0) { (megabytes(level.bandwidth)) }
            td data-v=[level.mean.map(|n| n.as_nanos())] { @match level.mean { Some(n) => (time(n)), None => "–" } }
            td data-v=[level.p99.value().map(|n| n.as_nanos())] { @match level.p99.value() { Some(n) => (time(n)), None => "–" } }
        }
    }
}

/// Returns the section of a job file for which a workload was measured.
fn section<'a>(record: &'a RunRecord, pattern: &PatternJudgement) -> Option<&'a str> {
    let stage = record.plan.stages.iter().find(|s| s.name == pattern.stage)?;
    let place: &StagePlacement = &stage.place;
    Some(record.plan.sections().get(place.section?)?.name.as_str())
}

/// Returns a row for each job, as fio reports them.
fn jobs(record: &RunRecord, judgement: &Judgement, t: &Texts) -> Markup {
    let rows: Vec<(&PatternJudgement, &LevelFigures)> =
        judgement.patterns.iter().filter_map(|p| Some((p, p.levels.first()?))).collect();
    let sound: Vec<&LevelFigures> = rows.iter().map(|(_, l)| *l).filter(|l| l.struck.is_none()).collect();
    let mut shown = Vec::new();
    if let [level] = sound.as_slice() {
        shown.push((rows[0].0.label.clone(), thousands(level.iops.value), "IOPS"));
        shown.push((rows[0].0.label.clone(), megabytes(level.bandwidth), t.bandwidth));
        shown.extend(level.p99.value().map(|p99| (rows[0].0.label.clone(), time(p99), "p99")));
    }
    html! {
        (tiles(&shown, t))
        @if !rows.is_empty() { div .part {
            h2 { (t.jobs) }
            div .wide tabindex="0" { table .figures {
                thead { tr {
                    th scope="col" { (t.job) } th scope="col" .words { (t.workload) } th scope="col" { (t.in_flight) } (rate_heads(t))
                    th scope="col" { (t.operations) }
                } }
                tbody { @for (pattern, level) in &rows { tr .struck[level.struck.is_some()] {
                    th scope="row" { (text(section(record, pattern).unwrap_or(&pattern.stage))) (doubt(level, judgement)) }
                    td .words { (text(&pattern.label)) }
                    td { (level.concurrency()) }
                    (rates(level, t))
                    td data-v=(level.ops) { (count(level.ops)) }
                } } }
            } }
        } }
    }
}

/// Returns CrystalDiskMark's table: a row for each test, a column for each direction.
fn mark(mark: &Mark, t: &Texts) -> Markup {
    let cell =
        |test, direction: MarkDirection| mark.in_direction(direction).find(|(of, _)| *of == test).map(|(_, cell)| cell);
    let word = |direction: MarkDirection| match direction {
        MarkDirection::Read => t.read.to_owned(),
        MarkDirection::Write => t.write.to_owned(),
        MarkDirection::Mix(reads) => format!("{} {reads} %", t.mix),
    };
    // The first and the last test, which people usually quote.
    let ends = match mark.rows.as_slice() {
        [] => Vec::new(),
        [one] => vec![one],
        [first, .., last] => vec![first, last],
    };
    let of_ends = ends.iter().flat_map(|row| row.cells.iter().map(move |c| (row.test, c)));
    let shown: Vec<(String, String, &str)> = of_ends
        .filter_map(|(test, c)| Some((format!("{test} {}", word(c.direction)), megabytes(c.best()?.rate), t.bandwidth)))
        .collect();
    html! {
        (tiles(&shown, t))
        div .part {
            h2 { (text(&mark.profile)) span .small { (mark.size) " × " (mark.loops) } }
            div .wide tabindex="0" { table .figures .mark {
                thead { tr { th scope="col" { (t.test) } @for direction in &mark.directions { th scope="col" { (word(*direction)) } } } }
                tbody { @for row in &mark.rows { tr {
                    th scope="row" { (row.test) }
                    @for direction in &mark.directions { (mark_cell(cell(row.test, *direction), t)) }
                } } }
            } }
        }
    }
}

fn mark_cell(cell: Option<&Cell>, t: &Texts) -> Markup {
    html! { @match cell.and_then(Cell::best) {
        Some(best) => {
            td data-v=(best.rate.0) {
                b { (megabytes(best.rate)) } " " span .unit { (t.bandwidth) }
                @if best.struck || best.changed || best.partial { " " abbr title=(t.doubt) { "?" } }
                span .below { (thousands(best.iops.per_second())) " IOPS" @if let Some(mean) = best.mean { " · " (time(mean)) } }
            }
        }
        None => { td { "–" } }
    } }
}

fn database_tiles(database: &model::DbJudgement, t: &Texts) -> Markup {
    let mut shown = Vec::new();
    // The fastest of several waves.
    let best = database.waves.iter().max_by(|a, b| a.rate.value.total_cmp(&b.rate.value));
    if let Some(wave) = best {
        let name = format!("{} × {}", wave.class, wave.processes);
        let word = |kind: DbOperation| t.word(crate::formats::database::kind(kind));
        for (kind, figures) in wave.kinds() {
            let kind = word(kind);
            shown.extend(figures.rate.map(|rate| (format!("{name}, {kind}"), thousands(rate.per_second()), t.rate)));
        }
        if let Some((kind, p99)) = wave.waited_kind().and_then(|(kind, f)| Some((kind, f.p99.value()?))) {
            shown.push((format!("{name}, {}", word(kind)), time(p99), "p99"));
        }
    }
    shown.truncate(4);
    tiles(&shown, t)
}

fn ping(pinged: &Pinged, t: &Texts) -> Markup {
    let (times, several) = (&pinged.total.times, !pinged.hosts.is_empty());
    let summary = [
        (t.mean, times.mean()),
        (t.median, times.percentile(50.0).value()),
        ("p99", times.percentile(99.0).value()),
        (t.maximum, times.max()),
    ];
    let requests = format!("{} {}", count(times.count()), t.requests);
    let shown: Vec<(String, String, &str)> =
        summary.iter().filter_map(|(name, value)| Some((requests.clone(), time((*value)?), *name))).collect();
    html! {
        (tiles(&shown, t))
        div .part {
            h2 { (t.requests) span .small { (pinged.block) } }
            div .wide tabindex="0" { table .figures {
                thead { tr {
                    @if several { th scope="col" { (t.word("metadata-head-host")) } }
                    th scope="col" { (t.requests) } th scope="col" { (t.minimum) } th scope="col" { (t.mean) } th scope="col" { (t.median) }
                    th scope="col" { "p99" } th scope="col" { "p99.9" } th scope="col" { (t.maximum) } th scope="col" { (t.left_out) }
                } }
                tbody {
                    @for host in &pinged.hosts { tr { th scope="row" { (text(&host.place.host)) } (ping_cells(&host.total, false, t)) } }
                    tr {
                        @if several { th scope="row" { (t.word("ranks-all-hosts")) } }
                        (ping_cells(&pinged.total, !several, t))
                    }
                }
            } }
        }
    }
}

/// Returns the statistics of requests; with `first`, the first cell is the row's header.
fn ping_cells(stats: &PingStats, first: bool, t: &Texts) -> Markup {
    let times = &stats.times;
    html! {
        @if first {
            th scope="row" data-v=(times.count()) { (count(times.count())) }
        } @else {
            td data-v=(times.count()) { (count(times.count())) }
        }
        td { @match times.min() { Some(n) => (time(n)), None => "–" } }
        td { @match times.mean() { Some(n) => (time(n)), None => "–" } }
        (percentile(times.percentile(50.0), t)) (percentile(times.percentile(99.0), t)) (percentile(times.percentile(99.9), t))
        td { @match times.max() { Some(n) => (time(n)), None => "–" } }
        td { (count(stats.count.saturating_sub(times.count()))) }
    }
}

//! Conversion of a summary to rows and back, in the same way for every database.

use crate::index::schema::RUN;
use crate::sql_value::SqlValue;
use crate::summary::{RunStatus, RunSummary};
use crate::time;
use model::record::{Labels, LatencyFrom, WorkloadFigures};
use model::{Bytes, BytesPerSecond, Iops, Nanos, Sentence, plan::KindName};
use std::collections::BTreeMap;

/// Cells of one row.
pub(crate) type Cells = Vec<SqlValue>;

/// Rows of a run in the tables `run`, `workload` and `tag`.
pub(crate) struct Rows {
    pub(crate) run: Cells,
    pub(crate) workloads: Vec<Cells>,
    pub(crate) tags: Vec<Cells>,
}

/// Row of the index, with the result of verifying its checksum.
#[derive(Debug, Clone)]
pub(crate) struct IndexRow {
    pub(crate) summary: RunSummary,
    /// Checksum as stored. It identifies the content of the row in a [`Change`](crate::index::index_file::Change).
    pub(crate) crc: i64,
    /// True if the checksum is correct.
    pub(crate) sound: bool,
}

fn text(text: &str) -> SqlValue {
    SqlValue::Text(text.to_owned())
}

/// Converts an unsigned number to a signed one, because integers in the databases are signed. The maximum (292 years in
/// nanoseconds, or 8 EiB) is large enough.
fn whole(n: u64) -> SqlValue {
    SqlValue::Integer(i64::try_from(n).unwrap_or(i64::MAX))
}

fn maybe<T>(value: Option<T>, cell: impl FnOnce(T) -> SqlValue) -> SqlValue {
    value.map_or(SqlValue::Null, cell)
}

impl Rows {
    pub(crate) fn from_summary(s: &RunSummary) -> Rows {
        let began = time::parse_instant(&s.started).and_then(|i| i64::try_from(i).ok());
        let mut run = vec![
            text(&s.id),
            text(&s.started),
            maybe(began, SqlValue::Integer),
            text(s.kind.map_or("", KindName::as_str)),
            text(&s.command),
            text(&s.target),
            text(&s.tool),
            text(s.state.name()),
            whole(s.duration.as_nanos()),
            text(&s.verdict),
            text(&message_of(&s.verdict)),
            maybe(s.exit, |e| SqlValue::Integer(i64::from(e))),
            text(&s.host),
            whole(s.size.as_u64()),
            text(&s.plan),
            text(&s.labels.note),
        ];
        let workloads: Vec<Cells> = (0..).zip(&s.workloads).map(|(n, w)| workload(&s.id, n, w)).collect();
        let tags: Vec<Cells> = s.labels.tags.iter().map(|t| vec![text(&s.id), text(t)]).collect();
        run.push(SqlValue::Integer(checksum(&run, &workloads, &tags)));
        Rows { run, workloads, tags }
    }
}

fn workload(id: &str, n: i64, w: &WorkloadFigures) -> Cells {
    vec![
        text(id),
        SqlValue::Integer(n),
        text(&w.name),
        text(&w.pattern),
        maybe(w.bs, |b| whole(b.as_u64())),
        text(&w.engine),
        whole(w.depth),
        maybe(w.jobs, whole),
        maybe(w.iops, |i| SqlValue::Real(i.per_second())),
        maybe(w.bandwidth, |b| SqlValue::Real(b.per_second())),
        maybe(w.mean, |n| whole(n.as_nanos())),
        maybe(w.p99, |n| whole(n.as_nanos())),
        text(&reasons_of(w)),
    ]
}

/// Returns the reasons of missing figures as a JSON array; empty if there are none.
fn reasons_of(w: &WorkloadFigures) -> String {
    let reasons = [&w.iops_reason, &w.bandwidth_reason, &w.mean_reason, &w.p99_reason];
    let any = reasons.iter().any(|reason| reason.is_some());
    any.then(|| serde_json::to_string(&reasons).ok()).flatten().unwrap_or_default()
}

/// Returns a checksum of every cell of a run, so that a flipped byte in any cell is detected.
fn checksum(run: &[SqlValue], workloads: &[Cells], tags: &[Cells]) -> i64 {
    let rows = std::iter::once(run).chain(workloads.iter().map(Vec::as_slice)).chain(tags.iter().map(Vec::as_slice));
    let sum = rows.flatten().fold(0, |sum, cell| match cell {
        SqlValue::Null => crc32c::crc32c_append(sum, &[0]),
        SqlValue::Integer(i) => crc32c::crc32c_append(crc32c::crc32c_append(sum, &[1]), &i.to_le_bytes()),
        SqlValue::Real(r) => crc32c::crc32c_append(crc32c::crc32c_append(sum, &[2]), &r.to_bits().to_le_bytes()),
        SqlValue::Text(t) => {
            let sum = crc32c::crc32c_append(crc32c::crc32c_append(sum, &[3]), &(t.len() as u64).to_le_bytes());
            crc32c::crc32c_append(sum, t.as_bytes())
        }
    });
    i64::from(sum)
}

/// Reader of cells, from left to right.
struct Reader<'a>(std::slice::Iter<'a, SqlValue>);

impl Reader<'_> {
    fn text(&mut self) -> String {
        match self.0.next() {
            Some(SqlValue::Text(t)) => t.clone(),
            _ => String::new(),
        }
    }

    fn integer(&mut self) -> Option<i64> {
        match self.0.next() {
            Some(SqlValue::Integer(i)) => Some(*i),
            _ => None,
        }
    }

    fn whole(&mut self) -> Option<u64> {
        self.integer().and_then(|i| u64::try_from(i).ok())
    }

    fn real(&mut self) -> Option<f64> {
        match self.0.next() {
            Some(SqlValue::Real(r)) => Some(*r),
            _ => None,
        }
    }
}

fn read_workload(cells: &Cells) -> WorkloadFigures {
    let mut r = Reader(cells.iter());
    let _ = (r.text(), r.integer());
    let name = r.text();
    let figures = WorkloadFigures {
        latency_from: LatencyFrom::of_name(&name),
        name,
        pattern: r.text(),
        bs: r.whole().map(Bytes),
        engine: r.text(),
        depth: r.whole().unwrap_or(0),
        jobs: r.whole(),
        iops: r.real().map(Iops),
        bandwidth: r.real().map(BytesPerSecond),
        mean: r.whole().map(Nanos),
        p99: r.whole().map(Nanos),
        ..WorkloadFigures::default()
    };
    let reasons: [Option<Sentence>; 4] = serde_json::from_str(&r.text()).unwrap_or_default();
    let [iops_reason, bandwidth_reason, mean_reason, p99_reason] = reasons;
    WorkloadFigures { iops_reason, bandwidth_reason, mean_reason, p99_reason, ..figures }
}

/// Returns the translatable message of a sentence as JSON; empty if the sentence has none.
fn message_of(sentence: &Sentence) -> String {
    sentence.message().and_then(|message| serde_json::to_string(message).ok()).unwrap_or_default()
}

/// Reads a run from its rows. The row is unsound if a cell, converted back, differs from its stored value.
fn read(run: &Cells, workloads: &[Cells], tags: &[Cells]) -> IndexRow {
    let mut r = Reader(run.iter());
    let (id, started) = (r.text(), r.text());
    let _ = r.integer();
    let kind = r.text().parse().ok();
    let (command, target, tool) = (r.text(), r.text(), r.text());
    let state = r.text().parse::<RunStatus>().ok();
    let summary = RunSummary {
        id,
        started,
        kind,
        command,
        target,
        tool,
        state: state.unwrap_or(RunStatus::Unreadable),
        duration: Nanos(r.whole().unwrap_or(0)),
        verdict: Sentence::from_parts(r.text(), serde_json::from_str(&r.text()).ok()),
        exit: r.whole().and_then(|e| u8::try_from(e).ok()),
        host: r.text(),
        size: Bytes(r.whole().unwrap_or(0)),
        plan: r.text(),
        workloads: workloads.iter().map(read_workload).collect(),
        labels: Labels { note: r.text(), tags: tags.iter().map(|cells| Reader(cells[1..].iter()).text()).collect() },
    };
    let crc = r.integer().unwrap_or(-1);
    // This also detects cells whose values changed in the conversion.
    let same = run.last() == Rows::from_summary(&summary).run.last();
    let sound = state.is_some() && same && checksum(&run[..RUN.columns.len() - 1], workloads, tags) == crc;
    IndexRow { summary, crc, sound }
}

/// Assembles the runs from all rows. `workloads` and `tags` must be sorted by key.
pub(crate) fn assemble(runs: Vec<Cells>, workloads: Vec<Cells>, tags: Vec<Cells>) -> Vec<IndexRow> {
    let by_run = |rows: Vec<Cells>| {
        let mut groups: BTreeMap<String, Vec<Cells>> = BTreeMap::new();
        for row in rows {
            groups.entry(Reader(row.iter()).text()).or_default().push(row);
        }
        groups
    };
    let (mut workloads, mut tags) = (by_run(workloads), by_run(tags));
    runs.iter()
        .map(|run| {
            let id = Reader(run.iter()).text();
            let (w, t) = (workloads.remove(&id).unwrap_or_default(), tags.remove(&id).unwrap_or_default());
            read(run, &w, &t)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::summary::Outline;
    use model::text::Message;
    use proptest::prelude::*;
    use strum::VariantArray;

    fn summary(note: String, tags: Vec<String>, rate: Option<f64>, state: RunStatus) -> RunSummary {
        let mut s = Outline::begin(&fixture::begin(3)).expect("begins").summary(false);
        s.state = state;
        let message = Message::new("told-of").put("what", note.as_str()).put("told", Message::new("need-errors"));
        s.verdict = if rate.is_some() { Sentence::new("a: operations failed", message) } else { note.as_str().into() };
        s.labels = Labels { note, tags: tags.into_iter().collect() };
        let figures = |name: &str| WorkloadFigures {
            name: name.into(),
            pattern: "randread".into(),
            bs: Some(Bytes(8192)),
            engine: "io_uring".into(),
            depth: 32,
            jobs: Some(8),
            iops: rate.map(Iops),
            iops_reason: rate.is_none().then(|| "did not settle".into()),
            bandwidth: rate.map(BytesPerSecond),
            p99: Some(Nanos(u64::MAX >> 1)),
            latency_from: LatencyFrom::of_name(name),
            ..WorkloadFigures::default()
        };
        s.workloads = vec![figures("a"), figures("b from due")];
        s
    }

    proptest! {
        #[test]
        fn a_summary_comes_back_from_its_rows_and_any_changed_cell_is_seen(
            note in any::<String>(), tags in prop::collection::vec("[a-z]{1,5}", 0..4),
            rate in prop::option::of(0.0..1e12f64), state in 0..RunStatus::VARIANTS.len(), spoiled in any::<prop::sample::Index>(),
        ) {
            let s = summary(note, tags, rate, RunStatus::VARIANTS[state]);
            let rows = Rows::from_summary(&s);
            let back = |r: Rows| assemble(vec![r.run], r.workloads, r.tags).remove(0);
            let whole = back(Rows::from_summary(&s));
            prop_assert!(whole.sound);
            prop_assert_eq!(&whole.summary, &s);
            prop_assert_eq!(whole.summary.verdict.message(), s.verdict.message());
            let mut bad = rows;
            let cells = bad.run.len();
            let width = bad.workloads[0].len();
            // The ids identify the row; the checksum covers everything else.
            let at = 1 + spoiled.index(cells + width - 3);
            let cell = if at < cells { &mut bad.run[at] } else { &mut bad.workloads[1][at - cells + 2] };
            *cell = match &*cell {
                SqlValue::Text(t) => SqlValue::Text(format!("{t}x")),
                SqlValue::Integer(i) => SqlValue::Integer(i ^ 1),
                _ => SqlValue::Integer(5),
            };
            prop_assert!(!back(bad).sound);
        }
    }
}

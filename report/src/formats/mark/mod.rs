//! A disk mark: rows, directions and loops derived from a run record, and the formats in which it is written.
//!
//! [`Mark::from_record`] is pure and treats live and stored records alike, so the table during a run and a picture made
//! a year later show the same figures. A rate is operations (or bytes) divided by the measured time of one loop; a mix
//! is the sum of both directions. Best and median are each a single loop with all its figures; nothing is averaged over
//! loops. With an even number of loops, the median is the lower of the two in the middle. With several hosts, a loop is
//! the sum over the seconds in which all hosts were measured ([`RunRecord::joint`]), together with the share of each
//! host.

mod csv;
mod doubts;
mod json;
mod markdown;
#[cfg(feature = "picture")]
mod picture;
mod table;
#[cfg(test)]
pub(crate) mod testkit;
mod text;

pub use doubts::{Doubt, doubts};
pub use table::{Running, live};

use crate::Style;
use crate::widgets::ink::{clauses, listed};
use messages::{Sentence, message, sentence};
use model::CompactSort;
use model::{
    Bytes, BytesPerSecond, Caveat, Filling, Interval, Iops, MARK_PROFILES, MarkDirection, MarkTest, Nanos, Percentile,
    Plan, RunKind, RunRecord, RunState, Severity, Stage, Step, StepStop, TargetKind, measured_together,
};
use serde::Serialize;
use std::io::{self, Write};

/// Share of one of several hosts in a loop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostShare {
    /// Name of the host.
    pub host: String,
    /// Bandwidth in bytes per second.
    pub rate: BytesPerSecond,
    /// Operations per second.
    pub iops: Iops,
}

/// Result of one loop of a test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Loop {
    /// Index of its step in the record; steps of several hosts that ran together count as one.
    pub step: usize,
    /// True if the loop was cut short by a signal, an error or a kill.
    pub partial: bool,
    /// True if a check found that the figure is invalid.
    pub struck: bool,
    /// True if the rate changed or drifted. An average over the loop then describes no single moment, so the loop is
    /// invalid.
    pub changed: bool,
    /// Bandwidth in bytes per second.
    pub rate: BytesPerSecond,
    /// Operations per second.
    pub iops: Iops,
    /// Mean latency.
    pub mean: Option<Nanos>,
    /// 99th percentile of latency.
    pub p99: Percentile,
    /// Number of operations completed in the measured time.
    pub ops: u64,
    /// Number of operations that failed.
    pub failed: u64,
    /// Measured time.
    pub time: Nanos,
    /// Share of each host; empty if there is only one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostShare>,
}

/// A test in one direction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// Direction of the test.
    pub direction: MarkDirection,
    /// Number of planned loops.
    pub planned: usize,
    /// Loops with figures, in order.
    pub loops: Vec<Loop>,
}

impl Cell {
    /// Returns the loops that count: complete ones with a constant rate, or else all complete ones, or else the partial
    /// loops, if the run was cut short in the first loop of the test.
    fn counting(&self) -> impl Iterator<Item = &Loop> {
        let whole = self.loops.iter().any(|l| !l.partial);
        let even = self.loops.iter().any(|l| !l.partial && !l.changed);
        self.loops.iter().filter(move |l| !(whole && l.partial || even && l.changed))
    }

    /// Returns the loop with the highest rate.
    #[must_use]
    pub fn best(&self) -> Option<&Loop> {
        self.counting().max_by(|a, b| a.rate.per_second().total_cmp(&b.rate.per_second()))
    }

    /// Returns the loop with the median rate.
    #[must_use]
    pub fn median(&self) -> Option<&Loop> {
        let mut loops: Vec<&Loop> = self.counting().collect();
        loops.compact_sort_by(|a, b| a.rate.per_second().total_cmp(&b.rate.per_second()));
        loops.get(loops.len().saturating_sub(1) / 2).copied()
    }
}

/// A test in all its directions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The test of this row.
    pub test: MarkTest,
    /// Cells, one for each planned direction, in order.
    pub cells: Vec<Cell>,
}

/// A disk mark.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mark {
    /// Profile of the tests, as CrystalDiskMark names it; `Custom` for others.
    pub profile: String,
    /// Rows, one for each test.
    pub rows: Vec<Row>,
    /// Directions in the order in which they ran.
    pub directions: Vec<MarkDirection>,
    /// Number of loops of each test.
    pub loops: usize,
    /// Measured time of a loop, as planned.
    pub time: Nanos,
    /// Pause before each test.
    pub interval: Nanos,
    /// Size under test, in bytes.
    pub size: Bytes,
    /// True if zeros were written.
    pub zero: bool,
    /// True if the page cache was bypassed.
    pub direct: bool,
    /// The directory, file or device as given.
    pub place: String,
    /// File system and device of the target: `ext4 on vda`.
    pub storage: String,
    /// Model of the device underneath, if known.
    pub device: Option<String>,
    /// Hosts over which the mark is summed; empty if there is only one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Used and total bytes of the file system, if there is one.
    pub used: Option<(Bytes, Bytes)>,
    /// Engine that ran the tests.
    pub engine: String,
    /// Operating system of the machine: `Linux 6.18.44`.
    pub kernel: String,
    /// Wall-clock start, RFC 3339.
    pub started: String,
    /// Version of secchi.
    pub tool: String,
    /// ID of the run.
    pub id: String,
    /// Final state of the run.
    pub state: RunState,
    /// Reason, if the run is not complete.
    pub reason: String,
    /// Doubts, the most severe first, each combined over all affected loops.
    pub doubts: Vec<Doubt>,
}

impl Mark {
    /// Creates the mark of a record. `caveats` come from the analysis; during a run there may be none yet.
    #[must_use]
    pub fn from_record(record: &RunRecord, caveats: &[Caveat]) -> Mark {
        let shares = shares(record);
        let targets = &record.plan.targets;
        let hosts = targets.iter().filter(|_| record.plan.side_by_side()).map(|t| t.name.clone()).collect();
        // Caveats also refer to the steps of all hosts combined.
        let record = &*record.joint();
        let plan = &record.plan;
        let first = plan.stages.first();
        let mut mark = Mark {
            profile: profile(plan),
            rows: Vec::new(),
            directions: Vec::new(),
            loops: 0,
            time: first.map_or(Nanos(0), |s| s.job.stop.time),
            interval: plan.stages.iter().map(|s| s.place.delay).max().unwrap_or_default(),
            size: plan.target.size,
            zero: first.is_some_and(|s| s.job.workload.detail.contents.kind == Filling::Zero),
            direct: plan.target.direct,
            place: model::named_place(&record.plan.target.path).display().to_string(),
            storage: storage(record),
            device: record.preflight.storage.devices.iter().find_map(|d| d.model.clone()),
            hosts,
            used: used(record),
            engine: record.steps.first().map_or_else(String::new, |s| s.job.engine.clone()),
            kernel: record.preflight.host.kernel.clone(),
            started: record.started.clone(),
            tool: record.tool.trim_start_matches("secchi").trim_start().to_owned(),
            id: record.id.clone(),
            state: record.state,
            reason: record.reason.to_string(),
            doubts: doubts(record, caveats),
        };
        for (i, stage) in plan.stages.iter().enumerate() {
            let Some(cell) = mark.cell_of(stage) else { continue };
            cell.planned += 1;
            let steps = record.steps.iter().enumerate().filter(|(_, s)| s.stage == i);
            let hosts = |n: usize| shares.get(n).cloned().unwrap_or_default();
            cell.loops
                .extend(steps.filter_map(|(n, _)| Some(Loop { hosts: hosts(n), ..one_loop(record, n, caveats)? })));
        }
        let cells = mark.rows.iter().flat_map(|r| &r.cells);
        mark.loops = cells.map(|c| c.planned).max().unwrap_or(0);
        mark
    }

    /// Returns the cell of a stage, creating it if necessary.
    fn cell_of(&mut self, stage: &Stage) -> Option<&mut Cell> {
        let test = MarkTest::from_job(&stage.job)?;
        let direction = MarkDirection::from_mix(stage.job.workload.mix);
        if !self.directions.contains(&direction) {
            self.directions.push(direction);
        }
        let row = match self.rows.iter().position(|r| r.test == test) {
            Some(row) => row,
            None => {
                self.rows.push(Row { test, cells: Vec::new() });
                self.rows.len() - 1
            }
        };
        let cells = &mut self.rows[row].cells;
        let cell = match cells.iter().position(|c| c.direction == direction) {
            Some(cell) => cell,
            None => {
                cells.push(Cell { direction, planned: 0, loops: Vec::new() });
                cells.len() - 1
            }
        };
        Some(&mut cells[cell])
    }

    /// Returns the rows that have this direction, with their cell for it.
    pub fn in_direction(&self, direction: MarkDirection) -> impl Iterator<Item = (MarkTest, &Cell)> {
        let cell = move |row: &'_ Row| row.cells.iter().position(|c| c.direction == direction);
        self.rows.iter().filter_map(move |r| cell(r).map(|i| (r.test, &r.cells[i])))
    }

    /// Returns one line for lists of runs: the best results of the first and the last test in each direction.
    #[must_use]
    pub fn verdict(&self) -> Sentence {
        let mut parts = Vec::new();
        let rows: Vec<&Row> = match self.rows.as_slice() {
            [] => Vec::new(),
            [one] => vec![one],
            [first, .., last] => vec![first, last],
        };
        for row in rows {
            let figure = |c: &Cell| {
                let rate = c.best()?.rate;
                Some(match c.direction {
                    MarkDirection::Read => sentence!("mark-read", rate),
                    MarkDirection::Write => sentence!("mark-write", rate),
                    MarkDirection::Mix(_) => sentence!("mark-mix", rate),
                })
            };
            let figures: Vec<Sentence> = row.cells.iter().filter_map(figure).collect();
            if !figures.is_empty() {
                parts.push(sentence!("told-of", what = row.test.to_string(), told = listed(figures)));
            }
        }
        let summary = if parts.is_empty() { sentence!("mark-nothing") } else { clauses(parts) };
        let (trouble, reason) = (self.doubts.iter().find(|d| d.severity == Severity::Invalid), &self.reason);
        match (self.state, trouble.map(|d| &d.statement)) {
            (RunState::Complete, None) => summary,
            (RunState::Complete, Some(trouble)) => sentence!("mark-not-valid", trouble, told = summary),
            (RunState::Stopped, _) => sentence!("mark-stopped", told = summary),
            (RunState::Interrupted, _) => sentence!("mark-no-end", told = summary),
            (RunState::Running, _) => sentence!("mark-running", told = summary),
            (RunState::Hung, _) => sentence!("mark-hung", reason, told = summary),
            (RunState::Failed, _) => sentence!("mark-failed", reason, told = summary),
            (RunState::Damaged, _) => sentence!("mark-damaged", reason, told = summary),
        }
    }

    /// Returns the hosts' shares of each test's best loop, by test and direction; empty with a single host.
    fn by_host(&self) -> Vec<(String, Sentence)> {
        let cells = self.directions.iter().flat_map(|d| self.in_direction(*d));
        let shares = cells.filter_map(|(test, cell)| {
            let hosts = &cell.best()?.hosts;
            (!hosts.is_empty()).then(|| (format!("{test} {}", cell.direction.name()), share_line(hosts)))
        });
        shares.collect()
    }

    /// Returns the hosts over which the mark is summed, if there are several.
    fn sum_of(&self) -> Option<Sentence> {
        let (shown, more) = self.hosts.split_at(self.hosts.len().min(NAMED));
        let named = listed(shown.iter().map(String::as_str));
        let hosts = match more.len() {
            0 => named,
            n => sentence!("list-and", first = named, last = message!("list-more", n)),
        };
        (!self.hosts.is_empty()).then(|| sentence!("mark-sum", n = self.hosts.len(), hosts))
    }

    /// Returns date and time of the start, such as `2026-11-21 09:41:07`; any other text is returned unchanged.
    fn moment(&self) -> (&str, &str) {
        match (self.started.get(..10), self.started.get(11..19)) {
            (Some(date), Some(time)) => (date, time),
            _ => (&self.started, ""),
        }
    }

    /// Returns `1 GiB x 5 loops of 5 s`, and unusual settings.
    fn asked(&self, times: &str) -> Sentence {
        let (size, loops, seconds) = (self.size, self.loops, seconds(self.time));
        let data = if self.zero { message!("mark-zeros") } else { message!("mark-random") };
        let asked = sentence!("mark-asked", size, times, loops, seconds, data);
        if self.direct { asked } else { sentence!("mark-asked-cached", asked) }
    }
}

/// Maximum number of hosts listed by name; with more, only the slowest and the fastest are listed.
const NAMED: usize = 4;

/// Returns the share of each host, or the slowest and the fastest of many.
fn share_line(hosts: &[HostShare]) -> Sentence {
    let rate_of = |share: &HostShare| sentence!("ranks-had", host = &share.host, rate = share.rate);
    if hosts.len() <= NAMED {
        return listed(hosts.iter().map(rate_of));
    }
    let by_rate = |a: &&HostShare, b: &&HostShare| a.rate.per_second().total_cmp(&b.rate.per_second());
    let (slowest, fastest) = (hosts.iter().min_by(by_rate), hosts.iter().max_by(by_rate));
    let rate_or_nothing = |share: Option<&HostShare>| share.map(rate_of).unwrap_or_default();
    sentence!("mark-from-to", slowest = rate_or_nothing(slowest), fastest = rate_or_nothing(fastest))
}

/// Returns the profile in CrystalDiskMark's words. Custom tests are called custom even if they match a profile.
fn profile(plan: &Plan) -> String {
    let name = match &plan.kind {
        RunKind::Mark { profile } => profile.as_deref(),
        _ => None,
    };
    let known = MARK_PROFILES.iter().find(|p| Some(p.name) == name);
    known.map_or(name.unwrap_or("Custom"), |p| p.title).to_owned()
}

/// Formats seconds without trailing zeros.
fn seconds(time: Nanos) -> String {
    let text = format!("{:.3}", time.secs());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Converts to microseconds without rounding, because CrystalDiskMark prints decimals.
fn micros(time: Option<Nanos>) -> Option<f64> {
    time.map(Nanos::micros)
}

/// IDs of the doubts according to which a loop's rate changed, so that its average covers several rates.
const MOVED: [&str; 2] = ["two-regimes", "not-settled"];

fn one_loop(record: &RunRecord, index: usize, caveats: &[Caveat]) -> Option<Loop> {
    let step = &record.steps[index];
    let total = step.total();
    if total.length.is_zero() {
        return None;
    }
    let whole = |stop: StepStop| matches!(stop, StepStop::Time | StepStop::Count | StepStop::Steady);
    let latency = step.latency();
    let has = |f: &dyn Fn(&Caveat) -> bool| caveats.iter().any(|c| c.step == Some(index) && f(c));
    let changed = has(&|c| MOVED.contains(&c.id.as_str()));
    Some(Loop {
        step: index,
        partial: !step.end.as_ref().is_some_and(|e| whole(e.stop)),
        struck: changed || has(&|c| c.severity == Severity::Invalid),
        changed,
        rate: total.bandwidth(),
        iops: total.iops(),
        mean: latency.mean(),
        p99: latency.percentile(99.0),
        ops: total.data_ops(),
        failed: total.failed(),
        time: total.length,
        hosts: Vec::new(),
    })
}

/// Returns the share of each host in the steps that ran together, over the seconds in which all hosts were measured.
/// Returns nothing for a single host.
fn shares(record: &RunRecord) -> Vec<Vec<HostShare>> {
    if !record.plan.side_by_side() {
        return Vec::new();
    }
    let share = |(step, sum): (&&Step, Interval)| {
        let host = record.target_of(step)?.name.clone();
        Some(HostShare { host, rate: sum.bandwidth(), iops: sum.iops() })
    };
    let of_group = |steps: &Vec<&Step>| steps.iter().zip(measured_together(steps)).filter_map(share).collect();
    record.steps_together().iter().map(of_group).collect()
}

/// Returns `ext4 on vda`, `ext4 on dm-0 over nvme0n1` or `device loop3`.
fn storage(record: &RunRecord) -> String {
    let facts = &record.preflight.storage;
    let mut devices: Vec<&str> = facts.devices.iter().map(|d| d.name.as_str()).collect();
    devices.truncate(3);
    let devices = devices.join(" over ");
    match (record.plan.target.kind, facts.filesystem.as_str(), devices.as_str()) {
        (TargetKind::Device, _, "") => "a device".to_owned(),
        (TargetKind::Device, ..) => format!("device {devices}"),
        (_, fs, "") => fs.to_owned(),
        (_, fs, devices) => format!("{fs} on {devices}"),
    }
}

fn used(record: &RunRecord) -> Option<(Bytes, Bytes)> {
    let facts = &record.preflight.storage;
    let file = record.plan.target.kind == TargetKind::File && !facts.fs_size.is_zero();
    file.then(|| (Bytes(facts.fs_size.as_u64().saturating_sub(facts.fs_free.as_u64())), facts.fs_size))
}

/// One format in which a mark can be written.
#[derive(Debug, Clone, Copy)]
pub struct MarkFormat {
    /// Word by which an option selects the format.
    pub name: &'static str,
    /// File name extensions that select the format.
    pub endings: &'static [&'static str],
    /// True if a terminal can show the format.
    pub is_text: bool,
    write: fn(&Mark, &Style, &mut dyn Write) -> io::Result<()>,
}

impl MarkFormat {
    /// Writes the complete mark.
    ///
    /// # Errors
    /// Returns an error if writing to `out` fails.
    pub fn write(&self, mark: &Mark, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        (self.write)(mark, style, out)
    }
}

/// All formats, the default first.
pub const MARK_FORMATS: &[MarkFormat] = &[
    MarkFormat { name: "table", endings: &[], is_text: true, write: table::write },
    MarkFormat { name: "text", endings: &["txt", "text", "log"], is_text: true, write: text::write },
    MarkFormat { name: "markdown", endings: &["md", "markdown"], is_text: true, write: markdown::write },
    MarkFormat { name: "csv", endings: &["csv"], is_text: true, write: csv::write },
    MarkFormat { name: "json", endings: &["json"], is_text: true, write: json::write },
    #[cfg(feature = "picture")]
    MarkFormat { name: "svg", endings: &["svg"], is_text: true, write: picture::write_svg },
    #[cfg(feature = "picture")]
    MarkFormat { name: "png", endings: &["png"], is_text: false, write: picture::write_png },
];

/// Returns the format with this name.
#[must_use]
pub fn mark_format(name: &str) -> Option<&'static MarkFormat> {
    MARK_FORMATS.iter().find(|f| f.name == name)
}

/// Returns the format selected by the extension of a file name.
#[must_use]
pub fn mark_format_for(path: &std::path::Path) -> Option<&'static MarkFormat> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    MARK_FORMATS.iter().find(|f| f.endings.contains(&ending.as_str()))
}

#[cfg(test)]
mod tests {
    use super::testkit::{marked, record, record_of_hosts, written};
    use super::*;

    #[test]
    fn best_and_median_are_loops_and_not_means() {
        let mark = marked();
        let read = &mark.rows[0].cells[0];
        let rates: Vec<u64> = read.loops.iter().map(|l| (l.rate.mb().round()) as u64).collect();
        assert_eq!(rates.len(), 5);
        let mut sorted = rates.clone();
        sorted.sort_unstable();
        assert_eq!(read.best().unwrap().rate.mb().round() as u64, sorted[4]);
        assert_eq!(read.median().unwrap().rate.mb().round() as u64, sorted[2]);
    }

    #[test]
    fn megabytes_are_decimal_and_a_mix_is_the_sum_of_both_directions() {
        let record = record();
        let mark = Mark::from_record(&record, &[]);
        let mix = mark.rows[2].cells[2].best().unwrap();
        let total = record.steps[mix.step].total();
        let bytes = total.op(model::Op::Read).tally.bytes + total.op(model::Op::Write).tally.bytes;
        assert!(total.op(model::Op::Write).tally.bytes > 0);
        assert!((mix.rate.mb() - bytes as f64 / 1e6 / total.length.secs()).abs() < 1e-9);
        // KDiskMark divides KiB/s by 1000, which is 2.4 % too low.
        assert!((mix.iops.per_second() * 4096.0 / 1e6 - mix.rate.mb()).abs() < 1e-6);
    }

    #[test]
    fn of_two_loops_the_median_is_the_lower() {
        let cell = |rates: &[f64]| Cell {
            direction: MarkDirection::Read,
            planned: rates.len(),
            loops: rates
                .iter()
                .map(|r| Loop { rate: BytesPerSecond(*r), ..marked().rows[0].cells[0].loops[0].clone() })
                .collect(),
        };
        assert_eq!(cell(&[2e6, 1e6]).median().unwrap().rate.per_second(), 1e6);
        assert_eq!(cell(&[4e6, 1e6, 3e6, 2e6]).median().unwrap().rate.per_second(), 2e6);
        assert_eq!(cell(&[4e6]).median().unwrap().rate.per_second(), 4e6);
        assert!(cell(&[]).median().is_none() && cell(&[]).best().is_none());
    }

    #[test]
    fn a_loop_that_changed_level_is_struck_and_counts_only_where_there_is_no_other() {
        let record = record();
        let fastest = Mark::from_record(&record, &[]).rows[0].cells[0].best().expect("loops").step;
        let moved = Caveat::new("two-regimes", Severity::Doubt, "s", "e").at_step(fastest);
        let mark = Mark::from_record(&record, &[moved]);
        let cell = &mark.rows[0].cells[0];
        assert!(cell.loops.iter().any(|l| l.step == fastest && l.struck && l.changed));
        assert!(cell.best().is_some_and(|l| l.step != fastest && !l.struck));
    }

    #[test]
    fn a_mark_of_several_hosts_is_their_sum_with_what_each_had() {
        let (alone, record) = (marked(), record_of_hosts(&["a", "b", "c"]));
        // Doubts from the analysis refer to the steps of all hosts combined.
        let moved = Caveat::new("two-regimes", Severity::Doubt, "s", "e").at_step(5);
        let mark = Mark::from_record(&record, &[moved]);
        assert_eq!((mark.loops, mark.rows.len(), mark.size), (alone.loops, alone.rows.len(), Bytes::from_gib(3)));
        assert_eq!(mark.hosts, ["a", "b", "c"]);
        assert_eq!(mark.doubts[0].places, ["SEQ1M Q1T1 read"]);
        for (row, own) in mark.rows.iter().zip(&alone.rows) {
            for (one, own) in row.cells.iter().flat_map(|c| &c.loops).zip(own.cells.iter().flat_map(|c| &c.loops)) {
                assert!((one.rate.per_second() / own.rate.per_second() - 3.0).abs() < 1e-9, "{}", row.test);
                assert_eq!((one.ops, one.time, one.mean, one.step), (3 * own.ops, own.time, own.mean, own.step));
                let shares: Vec<(&str, f64)> =
                    one.hosts.iter().map(|h| (h.host.as_str(), h.rate.per_second())).collect();
                let each = own.rate.per_second();
                assert_eq!(shares, [("a", each), ("b", each), ("c", each)]);
            }
        }
        let table = written("table", &mark);
        assert!(table.contains("sum of 3 hosts: a, b, c"), "{table}");
        assert!(table.contains("a 556.4 MB/s, b 556.4 MB/s, c 556.4 MB/s"), "{table}");
        let many = Mark::from_record(&record_of_hosts(&["a", "b", "c", "d", "e", "f"]), &[]);
        let table = written("table", &many);
        assert!(table.contains("sum of 6 hosts: a, b, c, d and 2 more"), "{table}");
        assert!(table.contains("from a 556.4 MB/s to f 556.4 MB/s"), "{table}");
        let csv = written("csv", &mark);
        assert!(csv.lines().next().is_some_and(|head| head.ends_with(",hosts_best_mb_per_s")), "{csv}");
        assert!(csv.lines().nth(1).is_some_and(|line| line.ends_with(",a=556.374 b=556.374 c=556.374")), "{csv}");
        let json: serde_json::Value = serde_json::from_str(&written("json", &mark)).unwrap();
        assert_eq!(json["results"][0]["best"]["hosts"].as_array().map(Vec::len), Some(3));
        assert!(written("markdown", &mark).contains("- SEQ1M Q8T1 read: a 556.4 MB/s"));
        assert!(written("text", &mark).contains("  Hosts: sum of 3 hosts: a, b, c"));
        // A single host is not mentioned.
        assert!(!written("json", &alone).contains("hosts") && !written("csv", &alone).contains("hosts"));
    }

    #[test]
    fn a_loop_that_was_cut_short_counts_only_where_there_is_no_other() {
        let mut record = record();
        record.state = RunState::Interrupted;
        record.steps.truncate(7);
        record.steps[6].end = None;
        let mark = Mark::from_record(&record, &[]);
        let second = &mark.rows[1].cells[0];
        assert_eq!((second.loops.len(), second.planned), (2, 5));
        assert!(second.loops[1].partial);
        assert_eq!(second.best().unwrap().step, 5);
        record.steps.remove(5);
        let alone = Mark::from_record(&record, &[]);
        assert_eq!(alone.rows[1].cells[0].best().unwrap().step, 5, "better than nothing");
        assert!(alone.verdict().starts_with("killed before it finished"), "{}", alone.verdict());
    }

    #[test]
    fn own_rows_are_headed_as_own_also_where_they_are_a_profiles() {
        assert_eq!(marked().profile, "Default");
        let mut record = record();
        record.plan.kind = RunKind::Mark { profile: Some("nvme".into()) };
        assert_eq!(Mark::from_record(&record, &[]).profile, "Default (NVMe SSD)");
        record.plan.kind = RunKind::Mark { profile: None };
        assert_eq!(Mark::from_record(&record, &[]).profile, "Custom");
    }

    #[test]
    fn the_ending_of_a_file_name_chooses_its_format() {
        let format_of = |name: &str| mark_format_for(name.as_ref()).map(|f| f.name);
        assert_eq!(format_of("a/mark.CSV"), Some("csv"));
        assert_eq!(format_of("mark.md"), Some("markdown"));
        assert_eq!(format_of("mark.txt"), Some("text"));
        assert_eq!((format_of("mark"), format_of("mark.jpg"), format_of("")), (None, None, None));
        for (i, f) in MARK_FORMATS.iter().enumerate() {
            assert_eq!(mark_format(f.name).map(|found| found.name), Some(f.name));
            for other in &MARK_FORMATS[..i] {
                assert!(f.endings.iter().all(|e| !other.endings.contains(e)));
            }
        }
    }

    #[test]
    fn every_format_writes_every_mark_without_harm() {
        let mut record = record();
        record.preflight.storage.devices[0].model = Some("evil\x1b[2J\u{202e}<script>&\"|".into());
        record.plan.target.path = "/mnt/a|b,\"c\"\n<d>&\u{1b}".into();
        record.steps[3].intervals.clear();
        record.steps[4].end = None;
        let mut empty = record.clone();
        empty.steps.clear();
        for record in [&record, &empty] {
            let mark = Mark::from_record(record, &[]);
            for format in MARK_FORMATS {
                for (width, unicode) in [(40, false), (100, true)] {
                    let mut out = Vec::new();
                    format
                        .write(
                            &mark,
                            &Style { color: false, unicode, width, language: messages::Language::English },
                            &mut out,
                        )
                        .unwrap();
                    assert!(!out.is_empty());
                    if format.is_text {
                        let text = String::from_utf8(out).expect("text");
                        let harmful = |c: char| c != '\n' && crate::widgets::sanitise::is_harmful(c);
                        assert!(!text.contains(harmful), "{}: {text:?}", format.name);
                    }
                }
            }
        }
    }
}

//! A disk mark: rows, directions and loops derived from a run record.
//!
//! [`Mark::from_record`] is pure and treats live and stored records alike, so the table during a run and a picture made
//! a year later show the same figures. A rate is operations (or bytes) divided by the measured time of one loop; a mix
//! is the sum of both directions. Best and median are each a single loop with all its figures; nothing is averaged over
//! loops. With an even number of loops, the median is the lower of the two in the middle. With several hosts, a loop is
//! the sum over the seconds in which all hosts were measured ([`RunRecord::joint`]), together with the share of each
//! host.

mod doubts;

pub use doubts::{Doubt, doubts};

use crate::widgets::figures::trimmed;
use crate::widgets::ink::{clauses, listed};
use messages::{Sentence, message, sentence};
use model::plan::{Filling, MARK_PROFILES, MarkDirection, MarkTest, TargetKind};
use model::record::{Step, StepStop, measured_together};
use model::{
    Bytes, BytesPerSecond, Caveat, CompactSort, Interval, Iops, Nanos, Plan, RunKind, RunRecord, RunState, Severity,
    Stage,
    measured::{Percentile, percentiles},
};
use serde::Serialize;

/// Share of one of several hosts in a loop.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    #[serde(flatten, with = "percentiles::p99")]
    #[cfg_attr(feature = "schema", schemars(with = "percentiles::p99::P99"))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// The test of this row.
    pub test: MarkTest,
    /// Cells, one for each planned direction, in order.
    pub cells: Vec<Cell>,
}

/// A disk mark.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
            place: model::plan::named_place(&record.plan.target.path).display().to_string(),
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
        let row = self.rows.iter().position(|r| r.test == test).unwrap_or_else(|| {
            self.rows.push(Row { test, cells: Vec::new() });
            self.rows.len() - 1
        });
        let cells = &mut self.rows[row].cells;
        let cell = cells.iter().position(|c| c.direction == direction).unwrap_or_else(|| {
            cells.push(Cell { direction, planned: 0, loops: Vec::new() });
            cells.len() - 1
        });
        Some(&mut cells[cell])
    }

    /// Returns the rows that have this direction, with their cell for it.
    pub fn in_direction(&self, direction: MarkDirection) -> impl Iterator<Item = (MarkTest, &Cell)> {
        self.rows.iter().filter_map(move |row| Some((row.test, row.cells.iter().find(|c| c.direction == direction)?)))
    }

    /// Returns the first and the last row, which people usually quote.
    pub(crate) fn ends(&self) -> Vec<&Row> {
        match self.rows.as_slice() {
            [first, .., last] => vec![first, last],
            rows => rows.iter().collect(),
        }
    }

    /// Returns one line for lists of runs: the best results of the first and the last test in each direction.
    #[must_use]
    pub fn verdict(&self) -> Sentence {
        let mut parts = Vec::new();
        for row in self.ends() {
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
    pub(crate) fn by_host(&self) -> Vec<(String, Sentence)> {
        let cells = self.directions.iter().flat_map(|d| self.in_direction(*d));
        let shares = cells.filter_map(|(test, cell)| {
            let hosts = &cell.best()?.hosts;
            (!hosts.is_empty()).then(|| (format!("{test} {}", cell.direction.name()), share_line(hosts)))
        });
        shares.collect()
    }

    /// Returns the hosts over which the mark is summed, if there are several.
    pub(crate) fn sum_of(&self) -> Option<Sentence> {
        let (shown, more) = self.hosts.split_at(self.hosts.len().min(NAMED));
        let named = listed(shown.iter().map(String::as_str));
        let hosts = match more.len() {
            0 => named,
            n => sentence!("list-and", first = named, last = message!("list-more", n)),
        };
        (!self.hosts.is_empty()).then(|| sentence!("mark-sum", n = self.hosts.len(), hosts))
    }

    /// Returns date and time of the start, such as `2026-11-21 09:41:07`; any other text is returned unchanged.
    pub(crate) fn moment(&self) -> (&str, &str) {
        match (self.started.get(..10), self.started.get(11..19)) {
            (Some(date), Some(time)) => (date, time),
            _ => (&self.started, ""),
        }
    }

    /// Returns `1 GiB x 5 loops of 5 s`, and unusual settings.
    pub(crate) fn asked(&self, times: &str) -> Sentence {
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
pub(crate) fn seconds(time: Nanos) -> String {
    trimmed(time.secs(), 3)
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

/// Current state of a running mark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Running {
    /// Index of the current stage in the plan.
    pub stage: usize,
    /// Rate over the last windows; `None` during a pause.
    pub rate: Option<BytesPerSecond>,
    /// Operations per second over the last windows.
    pub iops: Option<Iops>,
}

/// Returns the position of a rate between 1 MB/s and the power of ten above the highest rate. The rates of the tests
/// differ by large factors: with linear bars, only that of the first test would be visible.
pub(crate) fn log_share(mb: f64, highest: f64) -> f64 {
    let top = highest.max(10.0).log10().ceil();
    (mb.max(1.0).log10() / top).clamp(0.0, 1.0)
}

//! Figures of a record in the form in which fio reports them: one [`Account`] per job, or per group with
//! `group_reporting`, and the totals of each [`Group`].

use super::buckets::Spread;
use model::measured::{
    ErrorNumbers, OpStats, Phase, PriorityLatency, QueueStats, Sampled, Samples, TOO_LATE, WRONG_DATA,
};
use model::plan::{ErrorPolicy, ReportSettings, Section, SteadyRule, Unified};
use model::record::{SteadyResult, Step, StepStop, ThreadUsage};
use model::{CompactSort, Interval, Job, LatencyHistogram, Nanos, Op, RunRecord, Stage};

/// Directions, in fio's order.
pub(super) const WAYS: [Op; 3] = [Op::Read, Op::Write, Op::Trim];

/// Figures of one direction of an account.
#[derive(Debug, Clone, Default)]
pub(super) struct Way {
    pub bytes: u64,
    pub ops: u64,
    pub short: u64,
    /// Time in whole milliseconds, rounded up; for a group, the time of its longest job.
    pub millis: u64,
    pub slat: LatencyHistogram,
    pub clat: LatencyHistogram,
    pub lat: LatencyHistogram,
    /// Latencies by I/O priority: `lat` if percentiles are reported for it, otherwise `clat`. fio reports them if there
    /// are several priorities.
    pub by_priority: Vec<PriorityLatency>,
    /// Samples in KiB/s.
    pub bandwidth: Samples,
    pub iops: Samples,
}

impl Way {
    /// Returns the bandwidth in bytes per second.
    pub(super) fn rate(&self) -> u64 {
        per_milli(self.bytes, self.millis)
    }

    /// Returns latencies by priority; empty if there is only one priority.
    pub(super) fn priorities(&self) -> &[PriorityLatency] {
        if self.by_priority.len() < 2 { &[] } else { &self.by_priority }
    }

    /// Returns operations per second.
    pub(super) fn iops(&self) -> f64 {
        if self.millis == 0 { 0.0 } else { 1000.0 * self.ops as f64 / self.millis as f64 }
    }

    fn sum(&mut self, other: &Way) {
        self.bytes += other.bytes;
        self.ops += other.ops;
        self.short += other.short;
        self.millis = self.millis.max(other.millis);
        self.slat.merge(&other.slat);
        self.clat.merge(&other.clat);
        self.lat.merge(&other.lat);
        for PriorityLatency { priority, latency } in &other.by_priority {
            PriorityLatency::merge_into(&mut self.by_priority, *priority, latency);
        }
        self.bandwidth.sum(&other.bandwidth);
        self.iops.sum(&other.iops);
    }
}

/// Computes `1000 * count / millis` in integers, without overflow.
fn per_milli(count: u64, millis: u64) -> u64 {
    if millis == 0 { 0 } else { (u128::from(count) * 1000 / u128::from(millis)) as u64 }
}

/// Result of fio's steadystate for a job.
#[derive(Debug, Clone)]
pub(super) struct Steady {
    pub rule: SteadyRule,
    pub result: SteadyResult,
}

/// Figures of one job, or of the jobs of a group.
#[derive(Debug, Clone, Default)]
pub(super) struct Account {
    pub name: String,
    /// Host of the job, for a run on many hosts. fio's client calls a host what secchi calls a rank.
    pub host: Option<String>,
    pub description: String,
    pub group: u32,
    /// Number of jobs in the account.
    pub members: u32,
    /// First error as errno.
    pub error: i32,
    /// Number of zones of zoned devices that were reset.
    pub zone_resets: u64,
    /// Report settings; for a group, names and units come from the first job and percentiles from the last.
    pub report: ReportSettings,
    /// Options of the last job in the account.
    pub options: Vec<(String, String)>,
    pub ways: [Way; 3],
    pub flush: LatencyHistogram,
    /// Distribution of completion latencies over fio's classes. As in fio, it is never that of total latencies,
    /// although its lines are named `lat`.
    pub spread: Spread,
    pub usage: ThreadUsage,
    /// Total time of all jobs including ramps, in milliseconds.
    pub run_millis: u64,
    pub queue: QueueStats,
    /// Number of errors and the first error; `None` if an error ends the job.
    pub errors: Option<(u64, i32)>,
    /// Latency target: target and window in nanoseconds, percentile, depth.
    pub target: (u64, u64, f64, u32),
    pub steady: Option<Steady>,
}

impl Account {
    /// Returns the operations of all directions.
    pub(super) fn ops(&self) -> u64 {
        self.ways.iter().map(|w| w.ops).sum()
    }

    /// Returns user and system CPU time as percentages of one CPU, averaged over the jobs.
    pub(super) fn cpu(&self) -> (f64, f64) {
        let share = |t: Nanos| if self.run_millis == 0 { 0.0 } else { t.millis() * 100.0 / self.run_millis as f64 };
        (share(self.usage.user), share(self.usage.system))
    }

    /// Returns all directions combined into one.
    pub(super) fn mixed(&self) -> Way {
        let mut mixed = Way::default();
        self.ways.iter().filter(|w| w.ops > 0).for_each(|way| mixed.sum(way));
        mixed
    }

    fn sum(&mut self, other: Account) {
        let first = std::mem::replace(&mut self.report, other.report);
        self.report.kb_base = first.kb_base;
        self.report.bits = first.bits;
        self.report.unified = first.unified;
        self.report.significant_figures = first.significant_figures;
        self.options = other.options;
        self.members += other.members;
        if self.error == 0 {
            self.error = other.error;
        }
        self.ways.iter_mut().zip(&other.ways).for_each(|(a, b)| a.sum(b));
        self.flush.merge(&other.flush);
        self.spread.sum(&other.spread);
        self.usage.merge(&other.usage);
        self.run_millis += other.run_millis;
        self.queue.merge(&other.queue);
        self.errors = match (self.errors, other.errors) {
            (Some((a, first)), Some((b, second))) => Some((a + b, if first == 0 { second } else { first })),
            (a, b) => a.or(b),
        };
        self.target = other.target;
        self.steady = other.steady.or(self.steady.take());
    }
}

/// Totals of a reporting group.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub number: u32,
    pub report: ReportSettings,
    pub ways: [GroupWay; 3],
}

/// Totals of one direction of a group.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GroupWay {
    pub bytes: u64,
    /// Total bytes divided by the longest time, in bytes per second.
    pub rate: u64,
    /// Rates of the slowest and the fastest account.
    pub min_rate: u64,
    pub max_rate: u64,
    /// Times of the shortest and the longest account.
    pub min_millis: u64,
    pub max_millis: u64,
}

impl GroupWay {
    /// Adds the totals of another account or direction; `rate` becomes the sum of both.
    pub(super) fn add(&mut self, other: &GroupWay) {
        let is_first = self.max_millis == 0;
        self.bytes += other.bytes;
        self.rate += other.rate;
        self.min_rate = if is_first { other.min_rate } else { self.min_rate.min(other.min_rate) };
        self.max_rate = self.max_rate.max(other.max_rate);
        self.min_millis = if is_first { other.min_millis } else { self.min_millis.min(other.min_millis) };
        self.max_millis = self.max_millis.max(other.max_millis);
    }
}

/// All accounts and groups of a run.
#[derive(Debug)]
pub(super) struct Accounts {
    pub accounts: Vec<Account>,
    pub groups: Vec<Group>,
    /// Sum over all jobs of all hosts, and its totals, for a run on many hosts. Percentiles are those of all operations
    /// together.
    pub all: Option<(Box<Account>, Group)>,
}

impl Accounts {
    pub(super) fn new(record: &RunRecord) -> Accounts {
        let mut accounts: Vec<Account> = Vec::new();
        // Group and host of the last account; with `group_reporting`, their further jobs are added to it.
        let mut last_group = None;
        for (index, stage, host) in by_host(record) {
            let section = section_of(record, stage);
            if !section.report.reported {
                continue;
            }
            let account = Account { host: host.map(str::to_owned), ..of_stage(record, index, stage, &section) };
            match accounts.last_mut() {
                Some(last) if section.one_report && last_group == Some((section.group, host)) => last.sum(account),
                _ => accounts.push(account),
            }
            last_group = Some((section.group, host));
        }
        for account in accounts.iter_mut().filter(|a| a.report.unified == Unified::Mixed) {
            let mixed = account.mixed();
            account.ways = [mixed, Way::default(), Way::default()];
        }
        let groups = groups_of(&accounts);
        let merged = (record.preflight.ranks.len() > 1).then(|| all_of(&accounts)).flatten();
        Accounts { accounts, groups, all: merged }
    }

    /// Returns the group that an account belongs to.
    pub(super) fn group_of(&self, account: &Account) -> &Group {
        self.groups.iter().find(|g| g.number == account.group).expect("every account has a group")
    }
}

/// Returns the stages with their indices, sorted by host if there are several, each with the name of its host.
fn by_host(record: &RunRecord) -> Vec<(usize, &Stage, Option<&str>)> {
    let mut stages: Vec<_> = record.plan.stages.iter().enumerate().map(|(i, s)| (i, s, record.rank_of(s))).collect();
    // Without hosts all keys are equal, and the stable sort keeps the order.
    stages.compact_sort_by_key(|(_, _, rank)| rank.map(|(rank, _)| rank));
    stages.into_iter().map(|(i, stage, rank)| (i, stage, rank.map(|(_, facts)| facts.name.as_str()))).collect()
}

/// Returns the sum of all accounts, computed as fio's client does.
fn all_of(accounts: &[Account]) -> Option<(Box<Account>, Group)> {
    let mut sum = accounts.first()?.clone();
    accounts[1..].iter().for_each(|account| sum.sum(account.clone()));
    (sum.name, sum.host, sum.options) = ("All clients".to_owned(), None, Vec::new());
    let totals = group(sum.group, accounts.iter());
    Some((Box::new(sum), totals))
}

fn groups_of(accounts: &[Account]) -> Vec<Group> {
    let mut numbers: Vec<u32> = accounts.iter().map(|a| a.group).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.into_iter().map(|number| group(number, accounts.iter().filter(|a| a.group == number))).collect()
}

fn group<'a>(number: u32, accounts: impl Iterator<Item = &'a Account>) -> Group {
    let mut group = Group { number, report: ReportSettings::default(), ways: [GroupWay::default(); 3] };
    for account in accounts {
        // The first account that reports all directions as one, or both combined and separately, decides for the group.
        let unified = if group.report.unified == Unified::None { account.report.unified } else { group.report.unified };
        group.report = account.report.clone();
        group.report.unified = unified;
        for (sum, way) in group.ways.iter_mut().zip(&account.ways).filter(|(_, w)| w.millis > 0) {
            let (bytes, rate, millis) = (way.bytes, way.rate(), way.millis);
            let (min_rate, max_rate, min_millis, max_millis) = (rate, rate, millis, millis);
            sum.add(&GroupWay { bytes, rate, min_rate, max_rate, min_millis, max_millis });
        }
    }
    for way in &mut group.ways {
        way.rate = per_milli(way.bytes, way.max_millis);
    }
    group
}

/// Returns the section of a stage; a stage of a native command gets a default section with the stage's name.
pub(super) fn section_of(record: &RunRecord, stage: &Stage) -> Section {
    match record.plan.section_of(stage) {
        Some(section) => section.clone(),
        None => Section { name: stage.name.clone(), ..Section::default() },
    }
}

/// Returns the intervals of a step that count: the measured ones and, as in fio, the drain at the end.
pub(super) fn counted(step: &Step) -> impl Iterator<Item = &Interval> {
    step.intervals.iter().filter(|i| i.phase != Phase::Ramp)
}

fn of_stage(record: &RunRecord, index: usize, stage: &Stage, section: &Section) -> Account {
    let steps: Vec<&Step> = record.steps.iter().filter(|s| s.stage == index).collect();
    let job = steps.last().map_or(&stage.job, |s| &s.job);
    let clones =
        record.plan.stages.iter().filter(|s| s.place.section.is_some() && s.place.section == stage.place.section);
    let mut account = blank(section, job, clones.count().max(job.threads as usize));
    for step in steps {
        add_step(&mut account, step, record.preflight.host.error_numbers());
    }
    let without = account.report.without;
    if without[1] {
        account.spread = Spread::default();
    }
    for way in &mut account.ways {
        for (gone, histogram) in without.iter().zip([&mut way.slat, &mut way.clat, &mut way.lat]) {
            if *gone {
                *histogram = LatencyHistogram::default();
            }
        }
        if without[if account.report.lat_percentiles { 2 } else { 1 }] {
            way.by_priority.clear();
        }
    }
    account
}

fn blank(section: &Section, job: &Job, clones: usize) -> Account {
    let target = job.tuning.ends.latency_target.as_ref();
    Account {
        name: section.name.clone(),
        description: section.description.clone(),
        group: section.group,
        members: job.threads,
        report: section.report.clone(),
        options: options_of(section, job, clones),
        errors: (job.on_error != ErrorPolicy::Stop).then_some((0, 0)),
        target: (
            target.map_or(0, |t| t.target.as_nanos()),
            target.map_or(0, |t| t.window.as_nanos()),
            target.map_or(100.0, |t| t.percentile),
            job.queue_depth,
        ),
        ..Account::default()
    }
}

/// Returns the section's options as given. Tools read `rw`, `bs`, `iodepth` and `numjobs` from fio's JSON, so these are
/// always included with their effective values, even if the job does not set them.
fn options_of(section: &Section, job: &Job, clones: usize) -> Vec<(String, String)> {
    let mut options = section.options.clone();
    let typed = |names: &[&str]| {
        let named = |(name, _): &&(String, String)| names.contains(&name.as_str());
        let typed = section.options.iter().rfind(named).or_else(|| section.globals.iter().rfind(named));
        typed.map(|(_, value)| value.clone())
    };
    let needed = [
        ("rw", typed(&["rw", "readwrite"]), job.workload.rw().to_owned()),
        ("bs", typed(&["bs", "blocksize"]), block(job)),
        ("iodepth", typed(&["iodepth"]), job.queue_depth.to_string()),
        ("numjobs", typed(&["numjobs"]), clones.to_string()),
    ];
    for (name, typed, used) in needed {
        if !options.iter().any(|(known, _)| known == name) {
            options.push((name.to_owned(), typed.unwrap_or(used)));
        }
    }
    options
}

/// Returns block sizes as they would be typed; for a list or a range, the smallest.
fn block(job: &Job) -> String {
    let [read, write, trim] = WAYS.map(|op| job.workload.sizes_of(op).min().short());
    if read == write && write == trim { read } else { format!("{read},{write},{trim}") }
}

fn add_step(account: &mut Account, step: &Step, numbers: ErrorNumbers) {
    let mut total = Interval::default();
    counted(step).for_each(|interval| total.merge(interval));
    let (bandwidth, iops) = (account.report.bandwidth_sample, account.report.iops_sample);
    let sampled = match &step.sampled {
        Some(sampled) => (**sampled).clone(),
        None => Sampled::from_intervals(bandwidth, iops, &step.intervals),
    };
    let times = times(step, &total, &sampled);
    for ((way, op), time) in account.ways.iter_mut().zip(WAYS).zip(times) {
        let stats = total.op(op);
        if stats.tally.ops == 0 {
            continue;
        }
        let told_apart = stats.completion.count() > 0;
        let clat = if told_apart { &stats.completion } else { &stats.latency };
        account.spread.sum(&Spread::from_histogram(clat));
        way.sum(&Way {
            bytes: stats.tally.bytes,
            ops: stats.tally.ops,
            short: stats.tally.short,
            millis: time.div_ceil(1_000_000),
            slat: stats.submission.clone(),
            clat: clat.clone(),
            lat: stats.latency.clone(),
            by_priority: by_priority(stats, &step.job, op, account.report.lat_percentiles),
            bandwidth: sampled.bandwidth(op),
            iops: sampled.iops(op),
        });
    }
    account.flush.merge(&total.op(Op::Flush).latency);
    add_queue(account, &total, &step.job);
    add_usage(account, step);
    add_end(account, step, numbers);
    add_other_work(account, step);
}

/// Adds a job's work other than I/O as reads without bytes, rate or time, as fio does.
fn add_other_work(account: &mut Account, step: &Step) {
    let Some(did) = step.end.as_ref().and_then(|end| end.other_work.as_deref()) else { return };
    let turns = did.turns.count();
    let way = Way { ops: turns, clat: did.turns.clone(), lat: did.turns.clone(), ..Way::default() };
    account.ways[Op::Read.index()].sum(&way);
    account.spread.sum(&Spread::from_histogram(&did.turns));
    add_single(&mut account.queue, turns);
}

/// Adds operations that were submitted, in flight and completed one at a time.
fn add_single(queue: &mut QueueStats, operations: u64) {
    queue.depth[0] += operations;
    queue.submit[1] += operations;
    queue.complete[1] += operations;
}

/// Returns latencies by priority in fio's order: the job's own priority first, then the given order. If operations have
/// no priorities, all have the job's.
fn by_priority(stats: &OpStats, job: &Job, op: Op, whole: bool) -> Vec<PriorityLatency> {
    if stats.by_priority.is_empty() {
        let told_apart = stats.completion.count() > 0 && !whole;
        let latency = if told_apart { &stats.completion } else { &stats.latency };
        return vec![PriorityLatency { priority: job.tuning.thread.priority(), latency: latency.clone() }];
    }
    let order = job.tuning.by_priority.as_ref().and_then(|p| p.values.get(op.index()));
    let place = |p: &PriorityLatency| order.and_then(|values| values.iter().position(|v| *v == p.priority));
    let mut priorities = stats.by_priority.clone();
    priorities.compact_sort_by_key(|p| place(p).unwrap_or(usize::MAX));
    priorities
}

/// Adds queue depths and batches. With one operation in flight at a time, they are known without counting.
fn add_queue(account: &mut Account, total: &Interval, job: &Job) {
    let one_at_a_time = job.queue_depth <= 1 || matches!(job.engine.as_str(), "psync" | "sync" | "mmap" | "null");
    match &total.queue {
        Some(queue) => account.queue.merge(queue),
        None if one_at_a_time => add_single(&mut account.queue, total.data_ops()),
        None => {}
    }
}

fn add_usage(account: &mut Account, step: &Step) {
    let run = match &step.end {
        Some(end) => {
            account.usage.merge(&end.usage);
            end.at.since(step.start)
        }
        None => {
            account.usage.user += step.intervals.iter().map(|i| i.cpu_user).sum::<Nanos>();
            account.usage.system += step.intervals.iter().map(|i| i.cpu_system).sum::<Nanos>();
            let last = step.intervals.iter().map(|i| i.start.as_nanos() + i.length.as_nanos()).max();
            Nanos(last.unwrap_or_default()).since(step.start)
        }
    };
    account.run_millis += run.as_nanos() / 1_000_000 * u64::from(step.job.threads.max(1));
}

/// Pads the series to the length of the window: samples not taken yet are zero, as in fio.
fn filled_up(rule: SteadyRule, mut result: SteadyResult) -> SteadyResult {
    let looks = rule.duration.as_nanos().checked_div(rule.check.as_nanos()).unwrap_or(0) as usize;
    for series in [&mut result.iops, &mut result.bandwidth] {
        series.resize(looks.max(series.len()), 0.0);
    }
    result
}

/// Adds errors as errnos, as fio does on every system; operations that never returned count as timed out.
fn add_end(account: &mut Account, step: &Step, numbers: ErrorNumbers) {
    let failed: u64 = step.intervals.iter().map(Interval::failed).sum();
    let mut first = 0;
    if let Some(end) = &step.end {
        first = match (end.first_error, end.verified.wrong, end.stop) {
            (0, 1.., _) => WRONG_DATA,
            (0, _, StepStop::Hung) => TOO_LATE,
            (number, ..) => numbers.errno(number),
        };
        account.zone_resets += end.zone_resets;
        if let Some(depth) = end.settled_depth {
            account.target.3 = depth;
        }
        if let (Some(rule), Some(result)) = (step.job.tuning.ends.steady, end.steady.clone()) {
            account.steady = Some(Steady { rule, result: filled_up(rule, result) });
        }
    }
    if account.error == 0 {
        account.error = first;
    }
    if let Some((count, known)) = &mut account.errors {
        *count += failed;
        *known = if *known == 0 { first } else { *known };
    }
}

/// Returns the times of reads, writes and trims, in nanoseconds. All are equal to the total, except that, as in fio, a
/// job which writes and then verifies has separate times for the two phases.
fn times(step: &Step, total: &Interval, sampled: &Sampled) -> [u64; 3] {
    let length = total.length.as_nanos();
    let workload = &step.job.workload;
    if workload.detail.verify.is_none() || workload.mix.read_percent() > 0 {
        return [length; 3];
    }
    match (sampled.busy(Op::Write), sampled.busy(Op::Read)) {
        // The window in which writing ends and reading begins belongs to both phases. Earlier reads mean that the
        // phases alternate.
        (Some(wrote), Some(read)) if read.first >= wrote.last => {
            let writing = wrote.until.since(total.start).as_nanos();
            let reading = (total.start.as_nanos() + length).saturating_sub(read.first.as_nanos());
            [reading.min(length), writing.min(length), length]
        }
        _ => [length; 3],
    }
}

//! Judgement of runs that compare kinds of durable writes: how each layer handled each promise, and whether it was
//! observed to be kept. The rules are in docs/design/syncs.md, "What is seen".

use crate::validity::caveats;
use crate::validity::cpu::starved;
use crate::validity::sync::{TooSoon, is_virtual};
use crate::verdict::sentences::without_needs;
use messages::sentence;
use model::judged::{
    CommitAtDevice, CommitFigures, DurabilityFigures, DurabilityLayer, KindFigures, Outcome, PromiseFinding,
    PromiseStanding,
};
use model::measured::{Phase, RequestKind, TracedDevice, TracedOps};
use model::record::{DeviceFacts, StorageFacts};
use model::{
    Caveat, CompactSort, Interval, Iops, Judgement, LatencyHistogram, Nanos, Op, RunRecord, Sentence, Severity,
    grouped, plan::CommitMethod, units::thousands,
};

/// Minimum number of flushes and forced writes per commit that counts as one: operations in flight at the start or the
/// end of a step are counted on one side only.
const EACH: f64 = 0.95;
/// The same minimum if samples of a few seconds represent a whole step whose rate varies: such samples only distinguish
/// all from none.
const EACH_SAMPLED: f64 = 0.7;
/// Minimum number of commits that prove anything, because other processes flush the device, too.
const FEWEST: u64 = 20;
/// Ratio of the data of two syncs: if the larger sync takes no longer, its data was not written.
const LARGER: u64 = 8;
/// Minimum duration of commits that consist mainly of I/O; shorter ones are dominated by system calls.
const LONG: Nanos = Nanos::from_micros(500);
/// Bytes per second beyond any current storage in one stream; only memory is faster.
const MEMORY_SPEED: f64 = 10e9;

/// Judges a run of durable writes.
pub(crate) fn judge(record: &RunRecord) -> Judgement {
    let figures = figures(record);
    let mut doubts = record.caveats.clone();
    doubts.extend(caveats::ended_early(record));
    doubts.extend(caveats::busy_host(record));
    doubts.extend(too_soon(record, &figures));
    doubts.extend(no_growth(&figures));
    doubts.extend(starved::worst(record));
    doubts.extend(waits_here(&figures));
    doubts.extend(unseen_below(record));
    let (own, statement) = (outcome_of(&figures), found(&figures));
    without_needs(record, doubts, own, statement, KindFigures::Durability(Box::new(figures)))
}

/// Returns the outcome: a broken promise counts as an unmet need; a doubtful or unobserved one is undecided.
fn outcome_of(figures: &DurabilityFigures) -> (Outcome, u8) {
    let any = |of: fn(&PromiseStanding) -> bool| figures.promises.iter().any(|p| of(&p.standing));
    if any(|s| matches!(s, PromiseStanding::Broken { .. })) {
        (Outcome::Fail, 1)
    } else if figures.promises.is_empty() || any(|s| !matches!(s, PromiseStanding::Kept { .. })) {
        (Outcome::Undecided, 2)
    } else {
        (Outcome::Pass, 0)
    }
}

fn figures(record: &RunRecord) -> DurabilityFigures {
    let commits: Vec<CommitFigures> = (0..record.steps.len()).filter_map(|step| commit(record, step)).collect();
    // A promise is judged by the simplest operation: one write, one sync.
    let plain = |c: &&CommitFigures| c.rule.method.promises() && c.rule.writes == 1 && !c.rule.apart;
    let by_method = grouped(commits.iter().filter(plain).map(|of| (of.rule.method, of)));
    let promises = by_method.iter().map(|(_, of)| promise(record, of[0])).collect();
    DurabilityFigures { promises, layers: layers(record), commits }
}

fn commit(record: &RunRecord, number: usize) -> Option<CommitFigures> {
    let step = &record.steps[number];
    let rule = record.stage_of(step).job.tuning.work.commit()?;
    let op = if rule.apart { Op::Flush } else { Op::Write };
    let total = step.total();
    let mut latency: LatencyHistogram = total.op(op).latency.clone();
    // Includes commits in flight at the end.
    step.drained().for_each(|interval| latency.merge(&interval.op(op).latency));
    let commits = total.op(op).tally.ops;
    // The rate uses the measured time only.
    let time = total.length.secs();
    Some(CommitFigures {
        rule,
        commits,
        rate: if time > 0.0 { Iops(commits as f64 / time) } else { Iops(0.0) },
        mean: latency.mean(),
        p50: latency.percentile(50.0),
        p99: latency.percentile(99.0),
        p999: latency.percentile(99.9),
        max: latency.max(),
        errors: total.failed(),
        devices: at_devices(record, number, commits + drained(step.drained(), op)),
        step: number,
    })
}

fn drained<'a>(intervals: impl Iterator<Item = &'a Interval>, op: Op) -> u64 {
    intervals.map(|interval| interval.op(op).tally.ops).sum()
}

/// Returns the operations of a step that reached the devices: from its trace, else from the kernel's own flush
/// counters.
fn at_devices(record: &RunRecord, step: usize, commits: u64) -> Vec<CommitAtDevice> {
    match record.blocks.iter().find(|of| of.steps == [step]) {
        Some(traced) => traced.trace.devices.iter().map(traced_device).collect(),
        None => counted_devices(record, step, commits),
    }
}

fn traced_device(device: &TracedDevice) -> CommitAtDevice {
    let (write, flush) = (device.all(RequestKind::Write), device.all(RequestKind::Flush));
    // A device without requests receives a flush with a write, which may be empty.
    let with_writes = if device.without_requests { write.flushed_before } else { 0 };
    let carried = |ops: &TracedOps| ops.sizes.count();
    CommitAtDevice {
        name: device.name.clone(),
        writes: carried(&write),
        bytes: write.sizes.bytes(),
        forced: write.forced,
        flushes: flush.ops + with_writes,
        flush_p50: flush.service.percentile(50.0).value(),
        busy: Nanos(sum(&write.service) + sum(&flush.service)),
        traced: true,
    }
}

/// Returns the sum of all latencies, in nanoseconds.
fn sum(latency: &LatencyHistogram) -> u64 {
    latency.mean().map_or(0, |mean| mean.as_nanos().saturating_mul(latency.count()))
}

/// Estimates the device operations from the samples within a step, which represent its whole time.
fn counted_devices(record: &RunRecord, step: usize, commits: u64) -> Vec<CommitAtDevice> {
    let measured = record.steps[step].intervals.iter().filter(|i| i.phase == Phase::Measure);
    let (mut from, mut until) = (Nanos(u64::MAX), Nanos(0));
    for interval in measured {
        from = from.min(interval.start);
        until = until.max(interval.start.saturating_add(interval.length));
    }
    if until <= from || commits == 0 {
        return Vec::new();
    }
    let length = until.since(from).secs();
    let mean = |series: &str| -> Option<f64> {
        let points = &record.series(series)?.points;
        // A sample covers the second before it.
        let inside: Vec<f64> = points
            .iter()
            .filter(|(at, _)| *at <= until && *at >= from.saturating_add(Nanos::from_secs(1)))
            .map(|p| p.1)
            .collect();
        (!inside.is_empty()).then(|| inside.iter().sum::<f64>() / inside.len() as f64)
    };
    let time_of = |device: &DeviceFacts| {
        let series = |what: &str| mean(&format!("device.{}.{what}", device.name));
        let writes = series("write_ops")?;
        let flushes = series("flush_ops").unwrap_or(0.0);
        Some(CommitAtDevice {
            name: device.name.clone(),
            writes: (writes * length) as u64,
            bytes: model::Bytes((series("write").unwrap_or(0.0) * length) as u64),
            forced: 0,
            flushes: (flushes * length).round() as u64,
            flush_p50: None,
            busy: Nanos(0),
            traced: false,
        })
    };
    wholes(&record.preflight.storage).filter_map(time_of).collect()
}

/// Returns the devices that have their own queue, which excludes partitions.
fn wholes(storage: &StorageFacts) -> impl Iterator<Item = &DeviceFacts> {
    storage.devices.iter().filter(|device| device.kind != "partition")
}

/// Returns the mount option of a file system that makes syncs ineffective.
fn defeated(storage: &StorageFacts) -> Option<&str> {
    let harmful = ["nobarrier", "barrier=0", "volatile", "nobarriers", "sync=disabled"];
    storage.mount_options.split(',').map(str::trim).find(|option| harmful.contains(option))
}

fn promise(record: &RunRecord, of: &CommitFigures) -> PromiseFinding {
    let method = of.rule.method;
    let finding = |standing, evidence: Vec<Sentence>| PromiseFinding { method, standing, evidence };
    let storage = &record.preflight.storage;
    let filesystem = || storage.filesystem.clone();
    let mut evidence = Vec::new();
    if of.commits == 0 && of.errors > 0 {
        return finding(PromiseStanding::Refused, vec![sentence!("durable-seen-errors", n = of.errors)]);
    }
    if let Some(memory) = &storage.memory {
        return finding(PromiseStanding::Broken { layer: filesystem() }, vec![memory.clone()]);
    }
    if let Some(option) = defeated(storage) {
        let seen = sentence!("durable-seen-option", filesystem = filesystem(), option);
        return finding(PromiseStanding::Broken { layer: filesystem() }, vec![seen]);
    }
    if of.commits < FEWEST {
        return finding(PromiseStanding::Unseen, vec![sentence!("durable-seen-few", n = of.commits)]);
    }
    let mut lowest = None;
    for device in wholes(storage) {
        let at = of.devices.iter().find(|at| at.name == device.name);
        if device.write_cache != "write back" {
            evidence.push(sentence!("durable-seen-through", device = &device.name));
            lowest = Some(device);
            continue;
        }
        let Some(at) = at else {
            let seen = sentence!("durable-seen-uncounted", device = &device.name);
            return finding(PromiseStanding::Unseen, [evidence, vec![seen]].concat());
        };
        evidence.push(seen_at(at, of.commits));
        if at.syncs_each(of.commits) < if at.traced { EACH } else { EACH_SAMPLED } {
            // The kernel does not count forced writes, so without a trace their absence proves nothing. If a
            // sync was not passed on, the layer above withheld it.
            let above = lowest.map_or_else(filesystem, |above: &DeviceFacts| above.name.clone());
            let standing = match at.traced {
                true => PromiseStanding::Broken { layer: above },
                false => PromiseStanding::Unseen,
            };
            return finding(standing, evidence);
        }
        lowest = Some(device);
    }
    let Some(lowest) = lowest else {
        let seen = sentence!("durable-seen-no-device", filesystem = filesystem());
        return finding(PromiseStanding::Unseen, vec![seen]);
    };
    let layer = lowest.name.clone();
    match sync_of(of).and_then(|took| TooSoon::detect(&record.preflight, took)) {
        Some(soon) => {
            evidence.push(soon.statement());
            finding(PromiseStanding::Doubtful { layer }, evidence)
        }
        None => finding(PromiseStanding::Kept { down_to: layer }, evidence),
    }
}

/// Returns the time of one sync: at the device if known, else the whole commit.
fn sync_of(of: &CommitFigures) -> Option<Nanos> {
    of.devices.iter().rev().find_map(|at| at.flush_p50).or(of.p50.value())
}

/// Formats `vda: 1.00 flushes and 0 forced writes for each, a flush in 207 µs`.
fn seen_at(at: &CommitAtDevice, commits: u64) -> Sentence {
    let each = |n: u64| format!("{:.2}", n as f64 / commits.max(1) as f64);
    let (device, flushes, forced) = (&at.name, each(at.flushes), each(at.forced));
    match (at.traced, at.flush_p50) {
        (true, Some(time)) => sentence!("durable-seen-timed", device, flushes, forced, time),
        (true, None) => sentence!("durable-seen-traced", device, flushes, forced),
        (false, _) => sentence!("durable-seen-counted", device, flushes),
    }
}

fn layers(record: &RunRecord) -> Vec<DurabilityLayer> {
    let storage = &record.preflight.storage;
    let note = match (&storage.memory, defeated(storage)) {
        (Some(memory), _) => memory.clone(),
        (None, Some(option)) => sentence!("durable-layer-option", option),
        (None, None) => Sentence::from(storage.mount_options.clone()),
    };
    let filesystem = DurabilityLayer {
        name: storage.filesystem.clone(),
        kind: storage.mount_point.clone(),
        write_cache: String::new(),
        note,
    };
    let disk = storage.disk().map(|disk| &disk.name);
    let device = |device: &DeviceFacts| {
        let bottom = disk == Some(&device.name);
        let note = match device.write_cache.as_str() {
            _ if bottom && is_virtual(&record.preflight, device) => sentence!("durable-layer-virtual"),
            "write through" => sentence!("durable-layer-through"),
            "write back" if bottom => sentence!("durable-layer-cache"),
            "write back" => sentence!("durable-layer-passes"),
            _ => sentence!("durable-layer-silent"),
        };
        DurabilityLayer {
            name: device.name.clone(),
            kind: device.kind.clone(),
            write_cache: device.write_cache.clone(),
            note,
        }
    };
    [filesystem].into_iter().chain(wholes(storage).map(device)).collect()
}

/// Formats the result: `fdatasync, fsync and 5 more kept down to vda; 1,850 commits/s by fdatasync`.
fn found(figures: &DurabilityFigures) -> Sentence {
    if figures.promises.is_empty() {
        return sentence!("db-nothing-measured");
    }
    let mut groups = grouped(figures.promises.iter().map(|of| (&of.standing, of.method)));
    // Broken promises first.
    groups.compact_sort_by_key(|(standing, _)| match standing {
        PromiseStanding::Broken { .. } => 0,
        PromiseStanding::Doubtful { .. } => 1,
        PromiseStanding::Unseen => 2,
        PromiseStanding::Refused => 3,
        PromiseStanding::Kept { .. } => 4,
    });
    let total = figures.promises.len();
    let group = |(standing, methods): &(&PromiseStanding, Vec<CommitMethod>)| {
        let what = match methods.len() == total {
            true => sentence!("durable-all", n = total),
            false => Sentence::from(methods.iter().map(|m| m.name()).collect::<Vec<_>>().join(", ")),
        };
        match standing {
            PromiseStanding::Kept { down_to } => sentence!("durable-found-kept", what, layer = down_to),
            PromiseStanding::Doubtful { layer } => sentence!("durable-found-doubtful", what, layer),
            PromiseStanding::Broken { layer } => sentence!("durable-found-broken", what, layer),
            PromiseStanding::Unseen => sentence!("durable-found-unseen", what),
            PromiseStanding::Refused => sentence!("durable-found-refused", what),
        }
    };
    let usual = figures.commits.iter().find(|c| c.rule.method == CommitMethod::Fdatasync && !c.rule.apart);
    let rate = usual.and_then(|of| {
        let p50 = of.p50.value()?;
        Some(sentence!("durable-found-rate", rate = thousands(of.rate.per_second()), p50))
    });
    Sentence::join(groups.iter().map(group).chain(rate), "; ")
}

/// Reports commits that spend most of their time on this machine: their figures do not represent the storage.
fn waits_here(figures: &DurabilityFigures) -> Option<Caveat> {
    let figures_of_sync = figures.commits.iter().find(|c| c.rule.method == CommitMethod::Fdatasync && !c.rule.apart)?;
    // A device above another one waits for the lower one.
    let mean = figures_of_sync.mean.filter(|_| figures_of_sync.commits >= FEWEST)?;
    let longest = figures_of_sync.devices.iter().filter(|at| at.traced).max_by_key(|at| at.busy)?;
    let on_device = Nanos(longest.busy.as_nanos() / figures_of_sync.commits);
    (mean >= LONG && on_device.as_nanos() < mean.as_nanos() / 4).then(|| {
        let evidence = sentence!("durable-seen-waits", mean, device = &longest.name, there = on_device);
        Caveat::new("commits-wait-here", Severity::Doubt, sentence!("durable-doubt-waits"), evidence)
            .remedy(sentence!("durable-remedy-waits"))
    })
}

/// Reports implausibly fast syncs, once.
fn too_soon(record: &RunRecord, figures: &DurabilityFigures) -> Option<Caveat> {
    let figures_of_sync = figures.commits.iter().find(|c| c.rule.method == CommitMethod::Fdatasync && !c.rule.apart)?;
    let took = sync_of(figures_of_sync).filter(|_| figures_of_sync.commits >= FEWEST)?;
    Some(TooSoon::detect(&record.preflight, took)?.caveat(&record.preflight, took, figures_of_sync.commits))
}

/// Reports a sync of much more data that takes no longer than a small one.
fn no_growth(figures: &DurabilityFigures) -> Option<Caveat> {
    let apart = || figures.commits.iter().filter(|c| c.rule.apart && c.commits > 0);
    let (least, most) = (apart().min_by_key(|c| c.rule.bytes())?, apart().max_by_key(|c| c.rule.bytes())?);
    if most.rule.bytes().as_u64() < least.rule.bytes().as_u64().saturating_mul(LARGER) {
        return None;
    }
    let (small, large) = (least.mean?, most.mean?);
    let fast = most.sync_bandwidth()?.per_second() > MEMORY_SPEED;
    (fast && large.as_nanos() < small.as_nanos().saturating_mul(2)).then(|| {
        let evidence = sentence!(
            "durable-seen-flat",
            small = least.rule.bytes(),
            first = small,
            large = most.rule.bytes(),
            second = large
        );
        Caveat::new("sync-does-not-grow", Severity::Doubt, sentence!("durable-doubt-flat"), evidence)
            .remedy(sentence!("durable-remedy-prove"))
    })
}

/// Reports that another machine provides the lowest device.
fn unseen_below(record: &RunRecord) -> Option<Caveat> {
    let disk = record.preflight.storage.disk().filter(|disk| is_virtual(&record.preflight, disk))?;
    let evidence = sentence!("durable-seen-virtual", device = &disk.name, kind = &disk.kind);
    Some(
        Caveat::new("flush-unseen-below", Severity::Note, sentence!("durable-doubt-virtual"), evidence)
            .remedy(sentence!("durable-remedy-prove")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::measured::{BlockTrace, OpStats, StepTrace, TracedRole};
    use model::plan::{Access, CommitRule, ErrorPolicy, JobTuning, Mix, StopRule, Workload};
    use model::{Bytes, Job, Plan, Stage, Target, record::Step};
    use std::collections::BTreeMap;

    const COMMITS: u64 = 1000;

    fn device(name: &str, kind: &str, depth: u32, cache: &str) -> DeviceFacts {
        DeviceFacts {
            name: name.into(),
            kind: kind.into(),
            depth,
            size: Bytes::from_gib(1),
            write_cache: cache.into(),
            ..DeviceFacts::default()
        }
    }

    fn latency(each: Nanos, n: u64) -> LatencyHistogram {
        let mut latency = LatencyHistogram::default();
        (0..n).for_each(|_| latency.record(each));
        latency
    }

    /// Returns a thousand commits by fdatasync on these devices. Each device is given with its flushes, its forced
    /// writes and its time per flush.
    fn record(devices: &[(DeviceFacts, u64, u64, Nanos)], commit: Nanos) -> RunRecord {
        let rule = CommitRule { method: CommitMethod::Fdatasync, block: Bytes::from_kib(8), writes: 1, apart: false };
        let job = Job {
            name: rule.to_string(),
            workload: Workload::new(Mix::WRITE, rule.bytes(), Access::Sequential),
            target: Target::null("/t", Bytes::from_mib(64)),
            more: Vec::new(),
            engine: "commit".into(),
            queue_depth: 1,
            threads: 1,
            stop: StopRule { ramp: Nanos(0), time: Nanos::from_secs(1), steady_after: None, max_ops: None },
            on_error: ErrorPolicy::Stop,
            seed: 1,
            faults: None,
            tuning: JobTuning { work: model::plan::Work::Commit(rule), ..JobTuning::default() },
        };
        let mut interval = Interval { phase: Phase::Measure, length: Nanos::from_secs(1), ..Interval::default() };
        let mut write = OpStats { latency: latency(commit, COMMITS), ..OpStats::default() };
        write.tally.ops = COMMITS;
        interval.per_op[Op::Write.index()] = write;
        let plan = Plan::new(
            model::RunKind::Durability,
            job.target.clone(),
            vec![Stage::fixed(job.name.clone(), job.clone())],
            Nanos(0),
        );
        let mut record = RunRecord::new("secchi", "1", "2026-11-26", plan, model::record::Preflight::default());
        record.preflight.storage = StorageFacts {
            filesystem: "ext4".into(),
            devices: devices.iter().map(|(facts, ..)| facts.clone()).collect(),
            ..StorageFacts::default()
        };
        record.steps = vec![Step {
            stage: 0,
            pass: 0,
            hold: false,
            job,
            start: Nanos(0),
            intervals: vec![interval],
            sampled: None,
            end: None,
            accounting: None,
        }];
        let traced = devices.iter().map(|(facts, flushes, forced, time)| {
            let flush = TracedOps { ops: *flushes, service: latency(*time, *flushes), ..TracedOps::default() };
            let write = TracedOps { ops: COMMITS, forced: *forced, ..TracedOps::default() };
            let kinds = BTreeMap::from([(RequestKind::Flush, flush), (RequestKind::Write, write)]);
            TracedDevice {
                name: facts.name.clone(),
                roles: vec![TracedRole { role: "unmapped".into(), kinds }],
                ..TracedDevice::default()
            }
        });
        let trace = BlockTrace { devices: traced.collect(), ..BlockTrace::default() };
        record.blocks = vec![StepTrace { steps: vec![0], trace }];
        record.state = model::RunState::Complete;
        record
    }

    fn standing(record: &RunRecord) -> (PromiseStanding, u8) {
        let judged = judge(record);
        let figures = judged.durability().expect("it is about commits");
        assert_eq!(figures.promises.len(), 1);
        (figures.promises[0].standing.clone(), judged.exit_code)
    }

    #[test]
    fn a_flush_or_a_forced_write_for_each_commit_keeps_it_down_to_the_last_device() {
        let ms = Nanos::from_millis;
        let flushed = record(&[(device("sda", "scsi", 0, "write back"), COMMITS, 0, ms(5))], ms(8));
        assert_eq!(standing(&flushed), (PromiseStanding::Kept { down_to: "sda".into() }, 0));
        let forced = record(&[(device("sda", "scsi", 0, "write back"), 0, COMMITS, ms(0))], ms(8));
        assert_eq!(standing(&forced), (PromiseStanding::Kept { down_to: "sda".into() }, 0));
        let few = record(&[(device("sda", "scsi", 0, "write back"), COMMITS / 2, 0, ms(5))], ms(8));
        assert_eq!(standing(&few), (PromiseStanding::Broken { layer: "ext4".into() }, 1));
    }

    #[test]
    fn the_layer_that_kept_it_to_itself_is_named() {
        let ms = Nanos::from_millis;
        let top = device("dm-0", "dm", 0, "write back");
        let disk = device("sda", "scsi", 1, "write back");
        let lost = record(&[(top.clone(), COMMITS, 0, ms(5)), (disk.clone(), 0, 0, ms(0))], ms(8));
        assert_eq!(standing(&lost), (PromiseStanding::Broken { layer: "dm-0".into() }, 1));
        let through = device("dm-0", "dm", 0, "write through");
        let lying = record(&[(through, 0, 0, ms(0)), (disk, 0, 0, ms(0))], ms(8));
        assert_eq!(standing(&lying), (PromiseStanding::Broken { layer: "dm-0".into() }, 1));
        let none = record(&[(device("sda", "scsi", 0, "write through"), 0, 0, ms(0))], ms(8));
        assert_eq!(standing(&none), (PromiseStanding::Kept { down_to: "sda".into() }, 0), "it has no cache");
    }

    #[test]
    fn what_is_memory_or_has_no_barriers_keeps_nothing_and_what_is_far_away_is_not_seen() {
        let ms = Nanos::from_millis;
        let mut memory = record(&[], ms(1));
        memory.preflight.storage.memory = Some("tmpfs keeps its files in memory".into());
        assert_eq!(standing(&memory), (PromiseStanding::Broken { layer: "ext4".into() }, 1));
        let mut careless = record(&[(device("sda", "scsi", 0, "write back"), COMMITS, 0, ms(5))], ms(8));
        careless.preflight.storage.mount_options = "rw,relatime,nobarrier".into();
        assert_eq!(standing(&careless), (PromiseStanding::Broken { layer: "ext4".into() }, 1));
        assert_eq!(standing(&record(&[], ms(1))), (PromiseStanding::Unseen, 2), "of a server nothing is seen");
        let mut untraced = record(&[(device("sda", "scsi", 0, "write back"), 0, 0, ms(0))], ms(8));
        untraced.blocks.clear();
        assert_eq!(standing(&untraced), (PromiseStanding::Unseen, 2));
    }

    #[test]
    fn a_flush_of_flash_in_20_us_is_doubtful_and_its_doubt_says_what_to_do() {
        let flash = device("nvme0n1", "nvme", 0, "write back");
        let soon = record(&[(flash, COMMITS, 0, Nanos::from_micros(20))], Nanos::from_micros(60));
        assert_eq!(standing(&soon), (PromiseStanding::Doubtful { layer: "nvme0n1".into() }, 2));
        let judged = judge(&soon);
        let doubt = judged.caveats.iter().find(|c| c.id == "sync-too-soon").expect("a doubt");
        assert!(doubt.remedy.to_string().contains("--witness"), "{doubt:?}");
        assert!(judged.verdict.to_string().contains("doubtful"), "{}", judged.verdict);
    }

    #[test]
    fn a_commit_that_passes_on_this_machine_is_no_figure_of_the_storage() {
        let disk = device("sda", "scsi", 0, "write back");
        let slow = record(&[(disk, COMMITS, 0, Nanos::from_micros(30))], Nanos::from_millis(3));
        let judged = judge(&slow);
        assert!(judged.caveats.iter().any(|c| c.id == "commits-wait-here"), "{:?}", judged.caveats);
    }
}

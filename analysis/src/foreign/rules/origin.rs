//! Origin of figures: a queue depth that adds nothing (B60), memory instead of storage (B61), means over several kinds
//! of operations (B62), time without operations (B63).

use crate::foreign::case::{Case, DirectionResult, Test, grouped_results};
use crate::foreign::format;
use crate::foreign::rule::{Rule, RuleMatch, rule};
use messages::sentence;
use model::Severity;
use model::foreign::{ForeignFile, ForeignLatency, Quantity, Statistic, Way};
use std::collections::HashMap;

pub(super) const RULES: &[Rule] = &[
    rule("B60-depth-adds-nothing", Severity::Note, depth_adds_nothing),
    rule("B61-memory", Severity::Invalid, memory),
    rule("B62-mixed-mean", Severity::Note, |case| case.tests.iter().filter_map(mixed_mean).collect()),
    rule("B63-mostly-idle", Severity::Note, |case| case.tests.iter().filter_map(mostly_idle).collect()),
];

/// Ratio of depths from which a queue should have an effect.
const DEEPER: f64 = 8.0;
/// Gain in the rate below which the queue added nothing.
const GAIN: f64 = 1.15;
/// Maximum block size of requests that are limited by operations rather than bytes.
const SMALL: u64 = 64 << 10;

/// Minimum latency of a random read from a device through a block layer, in seconds.
const FASTEST: f64 = 7e-6;

/// Finds random reads whose rate with one operation in flight is as high as with many.
fn depth_adds_nothing(case: &Case) -> Vec<RuleMatch> {
    let key = |t: &Test| {
        let disks: Vec<&str> = t.file.disks.iter().map(|d| d.name.as_str()).collect();
        let asked = t.asked();
        let directory = t.file.source.rsplit_once(['/', '\\']).map_or("", |(directory, _)| directory).to_owned();
        let name = (directory, model::text::naming(&t.title()), t.file.tool.clone(), disks.join(" "));
        (name, t.rw().to_owned(), t.engine().to_owned(), t.one_block(), asked.jobs, asked.direct)
    };
    let is_read = |t: &&Test| t.rw() == "randread" && t.one_block().is_some_and(|b| b <= SMALL);
    let is_known = |t: &&Test| t.rate().is_some() && t.concurrency().is_some() && t.asked().direct != Some(false);
    let mut seen = Vec::new();
    for group in grouped_results(case.tests.iter().filter(is_read).filter(is_known), key) {
        let depth = |t: &&&Test| t.concurrency().unwrap_or_default();
        let low = group.iter().min_by(|a, b| depth(a).total_cmp(&depth(b)));
        let high = group.iter().max_by(|a, b| depth(a).total_cmp(&depth(b)));
        let (Some(low), Some(high)) = (low, high) else { continue };
        let (Some(slow), Some(fast)) = (low.rate(), high.rate()) else { continue };
        // A limit that both reach explains the equal rates, and so does a saturated client.
        let is_explained = [low, high].iter().any(|t| {
            super::values::is_client_bound(t) || crate::foreign::caps::caps(case, t).iter().any(|c| c.used > 0.9)
        });
        // Reads from memory have no queue.
        let is_memory = low.mean().is_some_and(|mean| mean < FASTEST * depth(&low));
        if is_memory || depth(&low) < 1.0 || depth(&high) < DEEPER * depth(&low) || fast >= GAIN * slow || is_explained
        {
            continue;
        }
        let what = sentence!(
            "saw-depth-adds-nothing",
            deep = format!("{:.0}", depth(&high)),
            fast = format::iops(fast),
            low = format!("{:.0}", depth(&low)),
            slow = format::iops(slow)
        );
        let lines = [low, high].map(|t| t.head(t.test.name.clone()));
        seen.push(RuleMatch::about_test(high, what).lines(lines).rows([low.index]));
    }
    seen
}

/// Bandwidth from which reads may come from memory, in bytes per second.
const FAST: f64 = 1e9;
/// Factor by which reads must be faster than writes of the same size and depth.
const TIMES_WRITES: f64 = 100.0;
/// Maximum size of files that may fit into memory, in bytes.
const FITS: f64 = 64.0 * 1_073_741_824.0;

/// Finds reads that the storage cannot have served.
fn memory(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for file in case.files {
        let tests = case.of_file(file);
        seen.extend(reads_beside_writes(file, tests));
        for test in tests.iter().filter(|t| t.asked().direct == Some(false)) {
            let Some(rate) = test.bandwidth().filter(|b| *b >= FAST) else { continue };
            let total = test.other("total file size").and_then(|size| size.parse::<model::Bytes>().ok());
            let size = test.working_set().or(total.map(|b| b.as_u64() as f64)).filter(|s| *s <= FITS);
            if let Some(size) = size {
                let (rate, size) = (format::rate(rate), model::Bytes(size as u64));
                let what = sentence!("saw-through-memory", rate, size);
                seen.push(RuleMatch::about_test(test, what).weighing(Severity::Doubt));
            }
        }
    }
    seen
}

/// Finds reads of more than 1 GB/s that are a hundred times as fast as writes of the same size, depth and jobs in the
/// same file.
fn reads_beside_writes(file: &ForeignFile, tests: &[Test]) -> Option<RuleMatch> {
    let is_direct = |t: &Test| t.asked().direct == Some(true);
    let key = |t: &Test| (t.one_block(), t.asked().depth, t.asked().jobs, t.rw().starts_with("rand"));
    let only = |t: &&Test, way: Way| t.sides().iter().all(|s| s.way == way) && !is_direct(t);
    // Writes that wait for their syncs are slower for that reason.
    let has_syncs = |t: &Test| {
        [Quantity::Operations, Quantity::Iops(Statistic::Overall)]
            .iter()
            .any(|q| t.test.value(Way::Sync, *q) > Some(0.0))
    };
    let mut writes = HashMap::new();
    for test in tests.iter().filter(|t| only(t, Way::Write) && !has_syncs(t)) {
        writes.entry(key(test)).or_insert(test);
    }
    let reads: Vec<&Test> = tests.iter().filter(|t| only(t, Way::Read) && t.bandwidth().is_some()).collect();
    let pair = reads.iter().find_map(|t| {
        let write = writes.get(&key(t))?;
        let (reads, writes) = (t.bandwidth()?, write.bandwidth()?);
        (reads >= FAST && reads >= TIMES_WRITES * writes).then_some((*t, *write, reads, writes))
    });
    let (read, write, reads_rate, writes_rate) = pair?;
    let what = sentence!(
        "saw-memory-reads",
        reads = format::rate(reads_rate),
        writes = format::rate(writes_rate),
        times = format!("{:.0}", reads_rate / writes_rate)
    );
    let mut one = RuleMatch::about_test(read, what);
    // This tool reads the same file in all tests.
    let is_one_file = file.format == "crystaldiskmark";
    if is_one_file {
        let single = reads.iter().filter(|t| t.concurrency() == Some(1.0) && t.rw() == "randread");
        if let Some(mean) = single.filter_map(|t| t.mean()).reduce(f64::min).filter(|m| *m < FASTEST) {
            one = one.with(sentence!("saw-memory-latency", mean = format::time(mean)));
        }
        one = one.rows(reads.iter().map(|t| t.index));
    }
    Some(one.lines([read, write].map(|t| t.head(t.test.name.clone()))))
}

/// Finds a mean that includes syncs in addition to reads and writes.
fn mixed_mean(test: &Test) -> Option<RuleMatch> {
    let (value, events) = (test.mixed_mean()?, test.mixed_rate()?);
    let mean = value.value.unwrap_or_default();
    let syncs = test.test.value(Way::Sync, Quantity::Iops(Statistic::Overall));
    let syncs = syncs.zip(test.seconds()).map_or(0.0, |(rate, s)| rate * s);
    let what = sentence!(
        "saw-mixed-mean",
        mean = format::time(mean),
        syncs = model::units::thousands(syncs),
        events = model::units::thousands(events),
        flight = format!("{:.1}", events * mean)
    );
    Some(RuleMatch::about_test(test, what).on(test, Some(value)))
}

/// Share of the possible operations in flight below which something other than the operations took the time.
const IDLE: f64 = 0.2;

/// Mean number of operations in flight below which there was none for most of the time.
const HALF: f64 = 0.5;

/// Finds results with rate times latency far below the depth.
fn mostly_idle(test: &Test) -> Option<RuleMatch> {
    let is_known = ["fio", "crystaldiskmark"].iter().any(|f| test.file.format.starts_with(f));
    let pauses = ["rate", "rate_iops", "thinktime", "fsync", "fdatasync", "sync_file_range", "startdelay", "flow"];
    let (are, may) = (test.in_flight()?, test.concurrency()?);
    let is_asked = pauses.iter().any(|name| test.other(name).is_some_and(|v| v != "0"));
    let has_syncs = test.test.value(Way::Sync, Quantity::Operations).is_some_and(|n| n > 0.0);
    let is_explained = is_asked || has_syncs || test.sides().iter().any(is_stalled);
    if !is_known || are >= IDLE * may || are >= HALF || is_explained {
        return None;
    }
    let what = sentence!(
        "saw-mostly-idle",
        are = if are < 0.01 { format!("{are:.4}") } else { format!("{are:.2}") },
        may = format!("{may:.0}")
    );
    let quantities = [Quantity::Latency(ForeignLatency::Total, Statistic::Mean)];
    let way = test.sides().first().map_or(Way::All, |s| s.way);
    Some(RuleMatch::about_test(test, what).lines(test.lines(way, &quantities)))
}

/// Returns `true` if the mean of samples is far above the rate, which indicates a stop; other rules describe it.
fn is_stalled(side: &DirectionResult) -> bool {
    side.sampled().zip(side.rate()).is_some_and(|(sampled, rate)| sampled > 1.1 * rate)
}

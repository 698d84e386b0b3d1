//! Layers side by side (docs/design/foreign-results.md, "Layers", B10, B24): explains why the operation counts of an
//! application, the block layer and the device differ. Requires a trace of the block layer, so that all counts cover
//! the same time.

use messages::sentence;
use model::judged::{LayerFigures, LayerSide, LayersSeen, StackLayer};
use model::measured::{Phase, RequestKind, StepTrace, TracedDevice, TracedOps};
use model::record::{Accounting, Step};
use model::{Bytes, Caveat, LatencyHistogram, Nanos, Op, RunRecord, Sentence, Severity, distinct};
use model::{plan::UNMAPPED, units::thousands};

/// Relative difference up to which counts are the same.
const SAME: f64 = 0.02;

/// A value for reads and one for writes.
type Pair<T> = [T; 2];
const KINDS: Pair<RequestKind> = [RequestKind::Read, RequestKind::Write];

/// Returns one entry for each group of steps with I/O on a device.
pub(crate) fn layers(record: &RunRecord) -> Vec<LayersSeen> {
    record.blocks.iter().filter_map(|traced| seen(record, traced)).collect()
}

fn seen(record: &RunRecord, traced: &StepTrace) -> Option<LayersSeen> {
    let trace = &traced.trace;
    let devices: Vec<&TracedDevice> = trace.devices.iter().filter(|d| d.ops() > 0).collect();
    let mut layers: Vec<LayerFigures> = Vec::new();
    let asked = application(record, &traced.steps);
    let mut add = |layer, device: &str, source: &str, [reads, writes]: Pair<LayerSide>| {
        if !(reads.is_empty() && writes.is_empty()) {
            layers.push(LayerFigures { layer, device: device.to_owned(), source: source.to_owned(), reads, writes });
        }
    };
    if let Some(asked) = asked {
        add(StackLayer::Application, "", "secchi", asked);
    }
    if let Some(process) = process(record, &traced.steps).filter(|_| asked.is_some()) {
        add(StackLayer::Process, "", "/proc/self/io", process);
    }
    let only = |bytes: Bytes| LayerSide { bytes: Some(bytes), ..LayerSide::default() };
    add(StackLayer::Dirtied, "", "vmstat nr_dirtied", [LayerSide::default(), only(trace.cache.dirtied)]);
    add(StackLayer::WrittenBack, "", "vmstat nr_written", [LayerSide::default(), only(trace.cache.written)]);
    for device in &devices {
        if !device.without_requests {
            add(StackLayer::Queued, &device.name, "block_bio_queue", queued(device));
        }
        let source = if device.without_requests { "block_bio_complete" } else { "block_rq_complete" };
        add(StackLayer::Requests, &device.name, source, requests(device));
        if let Some(counted) = counted(device) {
            add(StackLayer::Device, &device.name, "/sys/block stat", counted);
        }
    }
    if devices.is_empty() && asked.is_none() {
        return None;
    }
    let mut says = Vec::new();
    if devices.is_empty() {
        says.push(sentence!("layers-nothing-reached"));
    }
    for (i, device) in devices.iter().enumerate() {
        let above = asked.filter(|_| i == 0);
        says.extend(KINDS.into_iter().enumerate().flat_map(|(d, kind)| explain(device, kind, above.map(|a| a[d]))));
        says.extend(agreement(device, trace.lost));
        if !device.over.is_empty() {
            says.push(sentence!("layers-stands-on", device = &device.name, over = device.over.join(", ")));
        }
    }
    let (steps, length) = (traced.steps.clone(), trace.length);
    Some(LayersSeen { label: label(record, &steps), steps, length, layers, says })
}

/// Names the workloads that ran, each once.
fn label(record: &RunRecord, steps: &[usize]) -> Sentence {
    let label_of = |step: &Step| match step.job.tuning.work.session() {
        Some(_) => model::record::wave_of(&record.stage_of(step).name).to_owned(),
        None => step.job.workload.label(),
    };
    let labels = distinct(steps.iter().filter_map(|s| record.steps.get(*s)).map(label_of));
    match (labels.len(), steps) {
        (0, _) if record.steps.is_empty() => sentence!("layers-whole-time"),
        (0, _) => sentence!("layers-between-steps"),
        (1..=3, [step]) => {
            sentence!("layers-in-flight", label = &labels[0], n = record.steps[*step].job.concurrency())
        }
        (1..=3, _) => labels.join(" + ").into(),
        (n, _) => sentence!("layers-and-others", label = &labels[0], n = n - 1),
    }
}

/// Returns the I/O requested by the steps, unless they ran a database session, whose operations are records.
fn application(record: &RunRecord, steps: &[usize]) -> Option<Pair<LayerSide>> {
    let run: Vec<_> = steps.iter().filter_map(|s| record.steps.get(*s)).collect();
    if run.is_empty() || run.iter().any(|s| s.job.tuning.work.session().is_some()) {
        return None;
    }
    let counts = accounting(record, steps)?;
    let latency = |op: Op| {
        let mut latencies = LatencyHistogram::default();
        let measured = run.iter().flat_map(|s| &s.intervals).filter(|i| i.phase == Phase::Measure);
        measured.for_each(|i| latencies.merge(&i.op(op).latency));
        latencies.mean()
    };
    let side = |ops, bytes, op| LayerSide { ops: Some(ops), bytes: Some(Bytes(bytes)), latency: latency(op) };
    Some([
        side(counts.asked_read_ops, counts.asked_read, Op::Read),
        side(counts.asked_write_ops, counts.asked_write, Op::Write),
    ])
}

fn process(record: &RunRecord, steps: &[usize]) -> Option<Pair<LayerSide>> {
    let counts = accounting(record, steps)?;
    let side = |bytes: Option<u64>| LayerSide { bytes: bytes.map(Bytes), ..LayerSide::default() };
    Some([side(counts.process_read), side(counts.process_write)])
}

fn accounting<'a>(record: &'a RunRecord, steps: &[usize]) -> Option<&'a Accounting> {
    match steps {
        [step] => record.steps.get(*step)?.accounting.as_ref(),
        _ => record.together.iter().find(|(s, _)| s == steps).map(|(_, counts)| counts),
    }
}

fn queued(device: &TracedDevice) -> Pair<LayerSide> {
    KINDS.map(|kind| {
        let sizes = device.queued.sizes.get(&kind).cloned().unwrap_or_default();
        LayerSide { ops: Some(sizes.count()), bytes: Some(sizes.bytes()), latency: None }
    })
}

fn requests(device: &TracedDevice) -> Pair<LayerSide> {
    KINDS.map(|kind| {
        let total = device.all(kind);
        LayerSide { ops: Some(total.ops), bytes: Some(total.sizes.bytes()), latency: total.service.mean() }
    })
}

fn counted(device: &TracedDevice) -> Option<Pair<LayerSide>> {
    let counted = device.counted.as_ref()?;
    let side = |i: usize| LayerSide {
        ops: Some(counted.ops[i]),
        bytes: Some(Bytes(counted.sectors[i] * 512)),
        // Counted in whole milliseconds: a few fast requests may add up to zero.
        latency: counted.ticks[i].as_nanos().checked_div(counted.ops[i]).filter(|t| *t > 0).map(Nanos),
    };
    Some([side(0), side(1)])
}

/// Returns the requests of files with a known role, and the remaining ones.
fn known_and_not(device: &TracedDevice, kind: RequestKind) -> (TracedOps, TracedOps) {
    let (mut known, mut not) = (TracedOps::default(), TracedOps::default());
    for role in &device.roles {
        let sum = if role.role == UNMAPPED { &mut not } else { &mut known };
        role.kinds.get(&kind).into_iter().for_each(|ops| sum.merge(ops));
    }
    (known, not)
}

fn explain(device: &TracedDevice, kind: RequestKind, asked: Option<LayerSide>) -> Vec<Sentence> {
    let (known, not) = known_and_not(device, kind);
    let total = device.all(kind);
    let (name, what) = (&device.name, kind.name());
    let mut says = Vec::new();
    if total.ops > 0 {
        says.push(Sentence::concat([name.into(), ": ".into(), sizes(&total, what)]));
    }
    let mapped = known.ops > 0;
    // If roles are known, requests of others are not compared with the requested ones.
    let compared = if mapped { &known } else { &total };
    if let Some((asked_ops, asked_bytes)) = asked.and_then(|a| Some((a.ops?, a.bytes?))).filter(|(ops, _)| *ops > 0) {
        says.extend(against(name, what, asked_ops, asked_bytes, compared));
    }
    says.extend(merging(device, kind, total.ops));
    if mapped && not.ops > 0 && ratio(not.sizes.bytes().as_u64(), total.sizes.bytes().as_u64()) > 0.005 {
        let (share, n) = (percent(not.sizes.bytes().as_u64(), total.sizes.bytes().as_u64()), count(not.ops));
        let stray = sentence!("layers-unmapped", device = name, share, what, n);
        says.push(match not.metadata {
            0 => stray,
            n => sentence!("layers-unmapped-metadata", stray, share = percent(n, not.ops)),
        });
    }
    says
}

/// Formats sizes: `12,000 writes, 99.9 % of them of 8 KiB, 2 % sequential`.
fn sizes(all: &TracedOps, what: &str) -> Sentence {
    let common = all.sizes.commonest();
    let n = all.ops;
    let share_of = |size: Bytes, ops| sentence!("layers-of-size", share = percent(ops, n), size);
    let mut parts = vec![sentence!("layers-requests", n = count(n), what)];
    match common.as_slice() {
        [(size, _)] if all.sizes.count() == common[0].1 => parts.push(sentence!("layers-all-of-size", size = *size)),
        [(size, most), rest @ ..] => {
            parts.push(share_of(*size, *most));
            parts.extend(rest.first().filter(|_| ratio(*most, n) < 0.9).map(|(second, ops)| share_of(*second, *ops)));
            let mean = all.sizes.mean().unwrap_or_default();
            parts.push(sentence!("layers-mean-size", kib = format!("{:.1}", mean.as_u64() as f64 / 1024.0)));
        }
        [] => {}
    }
    let in_order = (n > 1).then(|| sentence!("layers-in-order", share = percent(all.sequential, n)));
    Sentence::join([Sentence::join(parts, ", ")].into_iter().chain(in_order), "; ")
}

/// Compares the requested I/O with the requests for its files.
fn against(device: &str, what: &str, asked: u64, asked_bytes: Bytes, own: &TracedOps) -> Option<Sentence> {
    let bytes = ratio(own.sizes.bytes().as_u64(), asked_bytes.as_u64());
    let per = ratio(asked, own.ops);
    let rounded = |figure: f64| format!("{figure:.2}");
    Some(if own.ops == 0 {
        sentence!("layers-none-reached", device, n = count(asked), what)
    } else if bytes < 1.0 - SAME {
        let share = percent(own.sizes.bytes().as_u64(), asked_bytes.as_u64());
        sentence!("layers-part-reached", device, share, what)
    } else if bytes > 1.0 + SAME {
        sentence!("layers-more-bytes", device, times = rounded(bytes))
    } else if per > 1.0 + SAME {
        sentence!("layers-merged", device, n = rounded(per), what)
    } else if per < 1.0 - SAME {
        sentence!("layers-split", device, n = rounded(1.0 / per), what)
    } else if asked != own.ops {
        sentence!("layers-became", device, asked = count(asked), what, n = count(own.ops))
    } else {
        sentence!("layers-one-each", device, what)
    })
}

/// Explains merges and splits in the block layer.
fn merging(device: &TracedDevice, kind: RequestKind, requests: u64) -> Option<Sentence> {
    let entered = device.queued.sizes.get(&kind)?.count();
    if device.without_requests || entered == 0 || requests == 0 {
        return None;
    }
    let (name, per) = (&device.name, ratio(entered, requests));
    let (entered, left) = (count(entered), count(requests));
    if per > 1.0 + SAME {
        return Some(sentence!("layers-queue-merged", device = name, entered, left, per = format!("{per:.2}")));
    }
    let splits = count(device.queued.splits);
    (per < 1.0 - SAME).then(|| sentence!("layers-queue-split", device = name, entered, left, splits))
}

/// Compares the trace with the kernel's own count.
fn agreement(device: &TracedDevice, lost: u64) -> Option<Sentence> {
    let counted = device.counted.as_ref()?;
    let traced: Pair<u64> = KINDS.map(|kind| device.all(kind).ops);
    let name = &device.name;
    if traced == counted.ops {
        let n = counted.ops[0] + counted.ops[1];
        return Some(sentence!("layers-count-same", device = name, n = count(n)));
    }
    let off = |i: usize| counted.ops[i] as i128 - traced[i] as i128;
    let sectors = |kind| device.all(kind).sizes.bytes().as_u64() / 512;
    let zeroed = device.all(RequestKind::Other).ops;
    let whole = [sectors(RequestKind::Read), sectors(RequestKind::Write) + sectors(RequestKind::Other)];
    // The kernel counts writes of zeros without data as writes, and also a flush without written data.
    if lost == 0 && off(0) == 0 && off(1) >= i128::from(zeroed) && whole == counted.sectors {
        return Some(sentence!("layers-count-flushes", device = name, n = count(counted.ops[1] - traced[1])));
    }
    let reason = if lost > 0 { sentence!("layers-events-lost") } else { sentence!("layers-count-edges") };
    let (reads, writes) = (format!("{:+}", off(0)), format!("{:+}", off(1)));
    Some(sentence!("layers-count-differs", device = name, reads, writes, why = reason))
}

/// Returns doubts about the trace.
pub(crate) fn doubts(record: &RunRecord) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    let lost: u64 = record.blocks.iter().map(|b| b.trace.lost).sum();
    let events: u64 = record.blocks.iter().map(|b| b.trace.events).sum();
    if lost > 0 {
        let evidence = sentence!("seen-trace-lost", lost = count(lost), read = count(events));
        caveats.push(
            Caveat::new("block-trace-lost", Severity::Doubt, sentence!("doubt-trace-lost"), evidence)
                .remedy(sentence!("remedy-trace-lost")),
        );
    }
    let Some(last) = record.blocks.iter().max_by_key(|b| b.trace.until) else { return caveats };
    for role in last.trace.roles.iter().filter(|r| !r.why_not.is_empty()) {
        let statement = sentence!("doubt-role-unmapped", role = &role.role);
        let evidence = Sentence::concat([(&role.path).into(), ": ".into(), (&role.why_not).into()]);
        caveats.push(Caveat::new("role-unmapped", Severity::Note, statement, evidence));
    }
    caveats
}

fn ratio(a: u64, b: u64) -> f64 {
    if b == 0 { 0.0 } else { a as f64 / b as f64 }
}

/// Formats whole percent, with decimals if rounding would wrongly give 0 % or 100 %.
fn percent(part: u64, of: u64) -> String {
    let p = 100.0 * ratio(part, of);
    if part == of {
        "100 %".to_owned()
    } else if (1.0..99.0).contains(&p) || part == 0 {
        format!("{p:.0} %")
    } else {
        format!("{:.2} %", p.clamp(0.01, 99.99))
    }
}

fn count(n: u64) -> String {
    if n < 100 { n.to_string() } else { thousands(n as f64) }
}

#[cfg(test)]
mod tests;

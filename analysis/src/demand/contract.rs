//! A demand as a contract: the needs that a candidate is compared with.

use model::judged::{Demand, KindDemand, RateDemand, RoleDemand};
use model::measured::{RequestKind, RequestSizes};
use model::{Bytes, Nanos, plan::UNMAPPED};
use std::fmt::Write;

/// Time over which the demanded rate is averaged: a queue absorbs shorter bursts, and a level must be measured at least
/// this long.
const STRETCH: Nanos = Nanos::from_secs(10);
/// Share of the requests from which one direction, or sequential order, counts as 100 %.
const NEARLY_ALL: f64 = 0.95;
/// Minimum number of requests for needs of a role; fewer give no percentile.
const ENOUGH: u64 = 1000;

/// Returns the contract of a demand, as a file for `--need`.
///
/// The contract has a need for each role's reads and writes, and one for its flushes, with rates `headroom` (0.3 = 30
/// %) above the busiest ten seconds and latencies as recorded. Comments state the source of each figure. Returns `None`
/// if no role has enough requests.
#[must_use]
pub fn demand_contract(demand: &Demand, name: &str, headroom: f64) -> Option<String> {
    let mut text = String::new();
    // A basic string of TOML is escaped like one of JSON.
    let quoted = |text: &str| serde_json::Value::from(text.replace('\u{7f}', "")).to_string();
    let percent = headroom * 100.0;
    let stretch = demand.resolution.map_or(STRETCH, |resolution| resolution.max(STRETCH));
    let _ = writeln!(
        text,
        "# Derived by `secchi needs`: rates of the busiest {stretch} and {percent:.0} % more; latencies as recorded."
    );
    if let Some(resolution) = demand.resolution {
        let _ = writeln!(
            text,
            "# One sample each {resolution}: bursts within it are not visible, and latency percentiles are unknown."
        );
    }
    let how = if demand.resolution.is_some() { "sampled" } else { "recorded" };
    let _ = writeln!(text, "title = {}", quoted(&format!("storage demand of {name}")));
    let _ = writeln!(text, "source = {}", quoted(&format!("{name}, {} {how}", demand.length)));
    let (mut needs, mut flushes) = (0, false);
    let named: Vec<&RoleDemand> = demand.roles.iter().filter(|role| role.role != UNMAPPED).collect();
    // Without roles, the total is the need.
    let roles = if named.is_empty() { vec![&demand.all] } else { named };
    for role in roles {
        needs += usize::from(data_need(role, headroom, &mut text).is_some());
        needs += usize::from(flush_need(role, headroom, &mut text).is_some());
        flushes |= role.flushes.is_some() || role.kinds.contains_key(&RequestKind::Flush);
    }
    // The block layer does not know which role a flush belongs to.
    if !flushes {
        needs += usize::from(flush_need(&demand.all, headroom, &mut text).is_some());
    }
    (needs > 0).then_some(text)
}

fn data_need(role: &RoleDemand, headroom: f64, text: &mut String) -> Option<()> {
    let reads = role.read_share().filter(|_| role.requests() >= ENOUGH)?;
    let kind = |kind| role.kinds.get(&kind).filter(|k: &&KindDemand| k.requests > 0);
    let (read, write) = (kind(RequestKind::Read), kind(RequestKind::Write));
    let moving = || [read, write].into_iter().flatten();
    let in_order: Option<u64> = moving().map(|k| k.sequential).sum();
    let sequential = in_order.is_some_and(|n| n * 2 > role.requests());
    let mode = match (reads, sequential) {
        (r, true) if r >= NEARLY_ALL => "read",
        (r, false) if r >= NEARLY_ALL => "randread",
        (r, true) if r <= 1.0 - NEARLY_ALL => "write",
        (r, false) if r <= 1.0 - NEARLY_ALL => "randwrite",
        (_, true) => "rw",
        (_, false) => "randrw",
    };
    let mut sizes = RequestSizes::default();
    moving().for_each(|k| sizes.merge(&k.sizes));
    let mean = sizes.mean().or_else(|| mean_of(moving()));
    let Some(mean) = mean else {
        let _ = writeln!(text);
        heading(role, &format!("{} requests of unknown size: no need", role.requests()), text);
        return None;
    };
    let block = Bytes(mean.as_u64().max(512).next_power_of_two());
    let (length, rate, at) = role.iops.busiest(STRETCH)?;
    let commonest = sizes.commonest();
    let _ = writeln!(text, "\n[[need]]");
    heading(role, &format!("{} requests with a mean size of {mean}", role.requests()), text);
    if let Some((size, n)) = commonest.first() {
        let share = *n as f64 / sizes.count() as f64 * 100.0;
        let _ = writeln!(
            text,
            "# {share:.0} % of them have {size}; the block is the power of two above the mean, so that it also covers \
             the bytes."
        );
    }
    if in_order.is_none() {
        let _ = writeln!(text, "# Their order is unknown; assumed to be random.");
    }
    let _ = writeln!(text, "block = \"{}\"\nmode = \"{mode}\"", size_word(block));
    if mode.ends_with("rw") {
        let percent = ((reads * 100.0).round() as u64).clamp(1, 99);
        let _ = writeln!(text, "mix = \"{percent}/{}\"", 100 - percent);
    }
    let _ = writeln!(text, "# {rate:.0} per second for {length} from {at} on, plus {:.0} %.", headroom * 100.0);
    let mut clauses = vec![format!("iops>={}", demanded(rate, headroom))];
    let of_which = if mode.ends_with("rw") { ", the larger of those of reads and writes" } else { "" };
    if let Some(p99) = moving().filter_map(|k| k.latency.percentile(99.0).value()).max() {
        let _ = writeln!(text, "# The 99th percentile of its latencies was {p99}{of_which}.");
        clauses.push(format!("p99<={}", rounded_up(p99)));
    } else if let Some(mean) = moving().filter_map(|k| k.latency_mean).max() {
        let _ = writeln!(text, "# The mean of its latencies was {mean}{of_which}.");
        clauses.push(format!("avg<={}", rounded_up(mean)));
    }
    let clauses: Vec<String> = clauses.iter().map(|c| format!("\"{c}\"")).collect();
    let _ = writeln!(text, "clauses = [{}]", clauses.join(", "));
    Some(())
}

fn flush_need(role: &RoleDemand, headroom: f64, text: &mut String) -> Option<()> {
    let flushes = role.kinds.get(&RequestKind::Flush).filter(|k| k.requests >= ENOUGH / 10)?;
    let writes = role.kinds.get(&RequestKind::Write);
    let block = writes
        .and_then(KindDemand::mean_size)
        .map_or(4096, |mean| mean.as_u64().clamp(512, 1 << 20).next_power_of_two());
    let rate: &RateDemand = &flushes.iops;
    let (length, most, at) = rate.busiest(STRETCH)?;
    let _ = writeln!(text, "\n[[need]]");
    heading(role, &format!("{} flushes", flushes.requests), text);
    let _ = writeln!(text, "block = \"{}\"\nmode = \"fdatasync\"", size_word(Bytes(block)));
    let _ = writeln!(text, "# {most:.1} per second for {length} from {at} on, plus {:.0} %.", headroom * 100.0);
    let mut clauses = vec![format!("iops>={}", demanded(most, headroom))];
    let p99 = |kind: Option<&KindDemand>| kind.and_then(|k| k.latency.percentile(99.0).value());
    if let Some(flush) = p99(Some(flushes)) {
        let write = p99(writes).unwrap_or_default();
        let _ =
            writeln!(text, "# Sum of the 99th percentiles of a flush ({flush}) and of the write before it ({write}).");
        clauses.push(format!("p99<={}", rounded_up(flush + write)));
    } else if let Some(flush) = flushes.latency_mean {
        let write = writes.and_then(|w| w.latency_mean).unwrap_or_default();
        let _ = writeln!(text, "# Sum of the means of a flush ({flush}) and of the write before it ({write}).");
        clauses.push(format!("avg<={}", rounded_up(flush + write)));
    }
    let clauses: Vec<String> = clauses.iter().map(|c| format!("\"{c}\"")).collect();
    let _ = writeln!(text, "clauses = [{}]", clauses.join(", "));
    Some(())
}

/// Returns the mean size of all kinds, if the bytes of each are known.
fn mean_of<'a>(kinds: impl Iterator<Item = &'a KindDemand> + Clone) -> Option<Bytes> {
    let moved: Option<u64> = kinds.clone().map(|k| k.moved.map(Bytes::as_u64)).sum();
    moved?.checked_div(kinds.map(|k| k.requests).sum()).filter(|mean| *mean > 0).map(Bytes)
}

fn heading(role: &RoleDemand, what: &str, text: &mut String) {
    let name: String = role.role.chars().filter(|c| !c.is_control()).collect();
    let _ = writeln!(text, "# {}: {what}.", if name.is_empty() { "All" } else { &name });
}

/// Returns the rate with headroom, as a whole number.
fn demanded(rate: f64, headroom: f64) -> u64 {
    ((rate * (1.0 + headroom)).ceil() as u64).max(1)
}

/// Formats a time rounded up to two digits, in a unit that keeps them: `850us`, `4.2ms`.
fn rounded_up(time: Nanos) -> String {
    let ns = time.as_nanos().max(1);
    let step = 10u64.pow(ns.ilog10().saturating_sub(1));
    let ns = ns.div_ceil(step) * step;
    match ns {
        0..1_000_000 => format!("{}us", ns.div_ceil(1000)),
        1_000_000..1_000_000_000 => format!("{}ms", ns as f64 / 1e6),
        _ => format!("{}s", ns as f64 / 1e9),
    }
}

/// Formats a size as `--bs` accepts it: `8k`, `512`.
fn size_word(size: Bytes) -> String {
    match size.as_u64() {
        bytes if bytes % (1 << 20) == 0 => format!("{}m", bytes >> 20),
        bytes if bytes % 1024 == 0 => format!("{}k", bytes >> 10),
        bytes => bytes.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::DemandBuilder;
    use super::*;
    use model::recording::{RecordedLayer, RecordedRequest, RecordedTarget, RequestFlags};

    #[test]
    fn a_database_becomes_needs_that_can_be_read() {
        let mut builder = DemandBuilder::default();
        let targets = ["data", "journal"].map(|role| RecordedTarget { role: role.into(), ..RecordedTarget::default() });
        for i in 0..6000u64 {
            let request = |kind, target, offset, bytes, latency| RecordedRequest {
                at: Nanos::from_millis(i * 10),
                latency: Some(Nanos(latency)),
                target,
                kind,
                flags: RequestFlags::SYNC,
                offset,
                bytes,
            };
            let place = i * 2_654_435_761 % 100_000 * 8192;
            let kind = if i % 4 == 0 { RequestKind::Write } else { RequestKind::Read };
            builder.add(&request(kind, 0, place, 8192, 400_000), &targets);
            builder.add(&request(RequestKind::Write, 1, i * 4096, 4096, 100_000), &targets);
            builder.add(&request(RequestKind::Flush, 1, 0, 0, 2_000_000), &targets);
        }
        let demand = builder.finish(RecordedLayer::Block, None, &[]);
        let text = demand_contract(&demand, "db.sqio", 0.3).expect("needs");
        let contract = crate::contract(&text, "db.sqio").unwrap_or_else(|e| panic!("{e}\n{text}"));
        // 100 per second and 30 % more; latencies at the upper bounds of their buckets, rounded up.
        assert_eq!(contract.needs.len(), 3, "{text}");
        assert!(text.contains("mix = \"75/25\"") && text.contains("iops>=130"), "{text}");
        assert_eq!(contract.needs[0].blocks().map(|of| of.mode), Some(model::bounds::NeedMode::RandRw(Some(75))));
        assert_eq!(contract.needs[1].blocks().map(|of| of.block), Some(Bytes(4096)));
        assert!(contract.needs[2].is_durable() && text.contains("p99<=2.1ms") | text.contains("p99<=2.2ms"), "{text}");
    }

    #[test]
    fn latencies_are_rounded_upwards_to_two_digits() {
        let rounded = |ns| rounded_up(Nanos(ns));
        assert_eq!(
            [rounded(401_234), rounded(4_010_000), rounded(1_000_000), rounded(12_300_000_000)],
            ["410us", "4.1ms", "1ms", "13s"]
        );
        assert_eq!(rounded(7), "1us");
    }

    #[test]
    fn little_is_no_need() {
        let demand = DemandBuilder::default().finish(RecordedLayer::Block, None, &[]);
        assert_eq!(demand_contract(&demand, "x", 0.3), None);
    }
}

//! First sentence about a database run: its rate, what its sessions wait for, and the resulting I/O of the devices.

use super::device;
use crate::verdict::sentences::{behind, trouble};
use messages::sentence;
use model::judged::{BacklogTrend, DbJudgement, DeviceFigures, GrowthFigures, OpFigures, Outcome, WaveFigures};
use model::measured::{CountedBy, Percentile};
use model::{Caveat, RunRecord, Sentence, bounds::Need, units::thousands};

/// Returns the result in one sentence, problems first.
pub(super) fn first_sentence(record: &RunRecord, database: &DbJudgement, caveats: &[Caveat]) -> Sentence {
    let kind = record.database().map_or((0, false), |used| (used.indexes, used.verb == "tpcb"));
    let said = match (&database.ramp, database.waves.as_slice()) {
        (_, []) => sentence!("db-nothing-measured"),
        (_, waves) if database.need_limit.is_some() => need_limit(record, database, waves),
        (Some(_), waves) => ramp(database, waves),
        (None, [one]) => single(database, one, kind),
        (None, [first, rest @ ..]) => {
            let last = rest.last().unwrap_or(first);
            sentence!("db-then-more", first = single(database, first, kind), n = rest.len(), rates = rates(last))
        }
    };
    let said = match &database.backlog {
        Some(b) if b.trend == BacklogTrend::Grows => {
            sentence!("db-not-sustainable", said, pages = thousands(b.slope))
        }
        _ => said,
    };
    behind(trouble(record, caveats), caveats, said)
}

fn reads(f: &OpFigures) -> Sentence {
    match f.rate {
        Some(rate) => sentence!("db-reads", rate = thousands(rate.per_second())),
        None => sentence!("db-reads-no-rate"),
    }
}

fn updates(f: &OpFigures, inserts: bool) -> Sentence {
    match (f.rate, inserts) {
        (Some(rate), true) => sentence!("db-inserts", rate = thousands(rate.per_second())),
        (Some(rate), false) => sentence!("db-updates", rate = thousands(rate.per_second())),
        (None, true) => sentence!("db-inserts-no-rate"),
        (None, false) => sentence!("db-updates-no-rate"),
    }
}

/// Describes how much inserts made the database grow, and how much the devices wrote for them.
fn grew(growth: &GrowthFigures) -> Option<Sentence> {
    let data = growth.data?;
    let (nodes, bytes) = (thousands(growth.nodes as f64), growth.bytes);
    let grew = match data.is_zero() {
        true => sentence!("db-grew-within", nodes, bytes),
        false => sentence!("db-grew", nodes, bytes, data),
    };
    Some(match growth.factor {
        Some(factor) => sentence!("db-grew-and-written", grew, factor = format!("{factor:.1}")),
        None => grew,
    })
}

/// Returns a text such as `23,986 reads/s` or `7,570 reads/s and 3,300 updates/s`.
fn rates(wave: &WaveFigures) -> Sentence {
    match (wave.reads.as_ref().map(reads), wave.updates.as_ref().map(|f| updates(f, false))) {
        (Some(first), Some(second)) => sentence!("both-of", first, second),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => sentence!("db-nothing"),
    }
}

fn latency(f: &OpFigures) -> Sentence {
    let mean = f.mean.map_or_else(|| "-".to_owned(), |m| m.to_string());
    match f.p99 {
        Percentile::Value(p99) => sentence!("db-mean-and-p99", mean, p99),
        Percentile::TooFew => sentence!("db-mean", mean),
    }
}

fn single(database: &DbJudgement, wave: &WaveFigures, (indexes, is_tpcb): (u32, bool)) -> Sentence {
    let workers = sentence!("db-workers", n = wave.processes);
    let workers = match &wave.moved {
        Some(moved) if [&wave.reads, &wave.updates].into_iter().flatten().any(|f| f.rate.is_some()) => {
            sentence!("db-workers-last-level", workers, moved)
        }
        Some(moved) => sentence!("db-workers-moved", workers, moved),
        None => workers,
    };
    let said = match (&wave.reads, &wave.updates) {
        (Some(read), Some(updated)) => {
            let first = sentence!("db-rate-with-latency", rate = reads(read), latency = latency(read));
            let second = batches(updates(updated, false), wave, updated);
            sentence!("db-rate-at", rate = sentence!("both-of", first, second), workers)
        }
        (Some(read), None) => {
            let rate = sentence!("db-rate-at", rate = reads(read), workers);
            sentence!("db-rate-and-latency", rate, latency = latency(read))
        }
        (None, Some(_)) if is_tpcb => {
            // TPC-B is compared by its transactions, each of four updates.
            let transactions = wave.transactions.as_ref().or(wave.commits.as_ref());
            let rate = transactions.and_then(|f| f.rate).map_or(0.0, |rate| rate.per_second());
            let rate = sentence!("db-rate-at", rate = sentence!("db-tps", rate = thousands(rate)), workers);
            match transactions {
                Some(f) => sentence!("db-rate-and-latency", rate, latency = latency(f)),
                None => rate,
            }
        }
        (None, Some(updated)) => {
            let rate = updates(updated, database.growth.is_some());
            batches(sentence!("db-rate-at", rate, workers), wave, updated)
        }
        (None, None) => sentence!("db-rate-at", rate = sentence!("db-nothing"), workers),
    };
    let said = sentence!("db-titled", title = &database.title, said);
    let reached = wave.updates.as_ref().and_then(|_| reached(&database.device, wave));
    // The cost of an update depends on the indexes.
    let said = match (indexes, &wave.updates) {
        (1.., Some(_)) => sentence!("db-with-indexes", said, n = indexes),
        _ => said,
    };
    let grew = database.growth.as_ref().and_then(grew);
    Sentence::join(std::iter::once(said).chain(grew).chain(reached), "; ")
}

/// Returns a text such as `12,000 updates/s in transactions of 50 (commit mean 490 us, p99 1.30 ms)`.
fn batches(rate: Sentence, wave: &WaveFigures, updates: &OpFigures) -> Sentence {
    match (wave.batch, &wave.commits) {
        (Some(batch), Some(commits)) => {
            sentence!("db-batches-and-commits", rate, batch, latency = latency(commits))
        }
        (Some(batch), None) => sentence!("db-batches", rate, batch),
        (None, _) => sentence!("db-updates-latency", rate, latency = latency(updates)),
    }
}

/// Describes the I/O that reached the devices, per second and per update, if it is the engine's.
fn reached(device: &DeviceFigures, wave: &WaveFigures) -> Option<Sentence> {
    let seconds = if !device.length.is_zero() { device.length.secs() } else { wave.time.secs() };
    let bytes = device::rate(device.write_bytes, seconds)?;
    let whole = device.by == CountedBy::Device;
    if whole && device.others.is_some_and(|share| share > device::SHARED) {
        return Some(sentence!("db-reached-not-told"));
    }
    // Counted over the whole measured time, like the counts of the devices.
    let done: u64 = wave.jobs.iter().map(|j| j.writes).sum();
    let each_second = |n: u64| thousands(n as f64 / seconds);
    let counted = device.writes.map(|n| (each_second(n), thousands(n as f64 / done.max(1) as f64)));
    let reached = match counted {
        Some((writes, each)) if whole => sentence!("db-reached-devices", writes, bytes, each),
        Some((writes, each)) => sentence!("db-reached-processes", writes, bytes, each),
        None if whole => sentence!("db-reached-devices-bytes", bytes),
        None => sentence!("db-reached-processes-bytes", bytes),
    };
    let reached = match device::rate(device.write_bytes_most, seconds) {
        Some(most) => sentence!("db-reached-sent", reached, most),
        None => reached,
    };
    // Counts over the whole run include flushes in the writes.
    let flushes = device.flushes.filter(|n| *n > 0 && !device.length.is_zero());
    Some(match flushes {
        Some(n) => sentence!("db-reached-and-flushes", reached, flushes = each_second(n)),
        None => reached,
    })
}

/// Describes the level up to which needs are met.
fn need_limit(record: &RunRecord, database: &DbJudgement, waves: &[WaveFigures]) -> Sentence {
    let Some(limit) = &database.need_limit else { return Sentence::default() };
    let level = |wave: &WaveFigures| {
        let workers = sentence!("db-workers", n = wave.processes);
        match wave.arrivals.as_ref().and_then(|a| a.asked.rate()).filter(|_| limit.by_rate) {
            Some(rate) => sentence!("db-limit-level", rate = thousands(rate.per_second()), workers),
            None => workers,
        }
    };
    // The latency of the first need.
    let operation = record.plan.needs.iter().find_map(Need::database);
    let rate_and_latency = |wave: &WaveFigures| match wave.kinds().find(|(kind, _)| Some(*kind) == operation) {
        Some((kind, of)) => sentence!("db-limit-told", rate = rates(wave), kind = kind.name(), latency = latency(of)),
        None => rates(wave),
    };
    let needs = limit.needs.join(", ");
    let said = match limit.met.and_then(|met| Some((met, waves.get(met)?))) {
        Some((met, wave)) => {
            let first = sentence!("db-limit-met", needs, level = level(wave), told = rate_and_latency(wave));
            match (waves.get(met + 1), limit.outcomes.get(met + 1)) {
                (Some(next), Some(Outcome::Fail)) => sentence!("db-limit-then-not", first, level = level(next)),
                (Some(next), _) => sentence!("db-limit-then-undecided", first, level = level(next)),
                (None, _) => sentence!("db-limit-not-reached", first),
            }
        }
        None => {
            let wave = &waves[0];
            let undecided = limit.outcomes.first() == Some(&Outcome::Undecided);
            let (level, rate_and_latency) = (level(wave), rate_and_latency(wave));
            match undecided {
                true => sentence!("db-limit-undecided", needs, level, told = rate_and_latency),
                false => sentence!("db-limit-missed", needs, level, told = rate_and_latency),
            }
        }
    };
    sentence!("db-titled", title = &database.title, said)
}

fn ramp(database: &DbJudgement, waves: &[WaveFigures]) -> Sentence {
    let Some(ramp) = &database.ramp else { return Sentence::default() };
    let at = |n: u32| waves.iter().find(|w| w.processes == n);
    let rate_and_latency = |n: u32| match at(n).map(|w| (rates(w), w.waited())) {
        Some((rate, Some(waited))) => sentence!("db-rate-and-latency", rate, latency = latency(waited)),
        Some((rate, None)) => rate,
        None => Sentence::default(),
    };
    let wanted = ramp.accept.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let said = match (ramp.accept.is_empty(), ramp.accepted) {
        (true, _) => sentence!("db-ramp-gains", n = ramp.gain_until, told = rate_and_latency(ramp.gain_until)),
        (false, Some(n)) => sentence!("db-ramp-accepted", n, wanted, told = rate_and_latency(n)),
        (false, None) => {
            let first = waves[0].processes;
            let workers = sentence!("db-workers", n = first);
            sentence!("db-ramp-refused", workers, wanted, told = rate_and_latency(first))
        }
    };
    let said = sentence!("db-titled", title = &database.title, said);
    let known = if ramp.accept.is_empty() { Some(ramp.gain_until) } else { ramp.accepted };
    match at(ramp.best).filter(|_| known != Some(ramp.best)) {
        Some(w) => {
            let workers = sentence!("db-workers", n = w.processes);
            sentence!("db-ramp-most", said, rates = rates(w), workers)
        }
        None => said,
    }
}

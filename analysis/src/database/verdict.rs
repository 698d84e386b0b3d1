//! The first sentence about a database run: its rate, what its sessions wait for, and what the devices did for it.

use super::device;
use crate::verdict::{behind, trouble};
use model::{
    BacklogTrend, Caveat, CountedBy, DbJudgement, DeviceFigures, OpFigures, Percentile, RunRecord, Sentence,
    WaveFigures, thousands,
};

/// What was found in one sentence, trouble first.
pub(super) fn sentence(record: &RunRecord, database: &DbJudgement, caveats: &[Caveat]) -> Sentence {
    let said = match (&database.ramp, database.waves.as_slice()) {
        (_, []) => "nothing was measured".to_owned(),
        (Some(_), waves) => ramp(database, waves),
        (None, [one]) => single(database, one),
        (None, [first, rest @ ..]) => {
            let last = rest.last().unwrap_or(first);
            format!("{}; then {} more, the last at {}", single(database, first), rest.len(), rates(last))
        }
    };
    let said = match &database.backlog {
        Some(b) if b.trend == BacklogTrend::Grows => {
            format!("{said}; not sustainable: what waits to be written back grows by {} pages/s", thousands(b.slope))
        }
        _ => said,
    };
    behind(trouble(record, caveats), caveats, said.into())
}

fn workers(n: u32) -> String {
    format!("{n} worker{}", if n == 1 { "" } else { "s" })
}

/// `23,986 reads/s`, `reads at no one rate`.
fn rate(f: &OpFigures, what: &str) -> String {
    f.rate.map_or_else(|| format!("{what} at no one rate"), |rate| format!("{} {what}/s", thousands(rate.0)))
}

/// `23,986 reads/s`, `7,570 reads/s and 3,300 updates/s`.
fn rates(wave: &WaveFigures) -> String {
    let figure = |f: &Option<OpFigures>, what: &str| f.as_ref().map(|f| rate(f, what));
    let parts: Vec<String> = figure(&wave.reads, "reads").into_iter().chain(figure(&wave.updates, "updates")).collect();
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(" and ") }
}

fn latency(f: &OpFigures) -> String {
    let mean = f.mean.map_or_else(|| "-".to_owned(), |m| m.to_string());
    match f.p99 {
        Percentile::Value(p99) => format!("mean {mean}, p99 {p99}"),
        Percentile::TooFew => format!("mean {mean}"),
    }
}

fn single(database: &DbJudgement, wave: &WaveFigures) -> String {
    let mut at = workers(wave.processes);
    if let Some(moved) = &wave.moved {
        let settled = [&wave.reads, &wave.updates].into_iter().flatten().any(|f| f.rate.is_some());
        at = format!("{at}{} ({moved})", if settled { " in its last level" } else { "" });
    }
    let mut text = match (&wave.reads, &wave.updates) {
        (Some(reads), Some(updates)) => {
            let read = format!("{} ({})", rate(reads, "reads"), latency(reads));
            let written = format!("{}{}", rate(updates, "updates"), updated(wave, updates));
            format!("{}: {read} and {written} at {at}", database.title)
        }
        (Some(reads), None) => format!("{}: {} at {at}, {}", database.title, rates(wave), latency(reads)),
        (None, Some(updates)) => format!("{}: {} at {at}{}", database.title, rates(wave), updated(wave, updates)),
        (None, None) => format!("{}: nothing at {at}", database.title),
    };
    if wave.updates.is_some() {
        text.push_str(&reached(&database.device, wave));
    }
    text
}

/// ` in transactions of 50 (commit mean 490 us, p99 1.30 ms)`.
fn updated(wave: &WaveFigures, updates: &OpFigures) -> String {
    match (wave.batch, &wave.commits) {
        (Some(batch), Some(commits)) => format!(" in transactions of {batch} (commit {})", latency(commits)),
        (Some(batch), None) => format!(" in transactions of {batch}"),
        (None, _) => format!(", updates {}", latency(updates)),
    }
}

/// What reached the devices, for each second and each update, where it is the engine's.
fn reached(device: &DeviceFigures, wave: &WaveFigures) -> String {
    let seconds = if device.length.0 > 0 { device.length.secs() } else { wave.time.secs() };
    let Some(bytes) = device::rate(device.write_bytes, seconds) else { return String::new() };
    if device.by == CountedBy::Device && device.others.is_some_and(|share| share > device::SHARED) {
        return "; what reached the devices is not told: others used them".to_owned();
    }
    let who = match device.by {
        CountedBy::Device => "the devices did",
        CountedBy::Group | CountedBy::Processes => "its processes did",
    };
    let each = |n: u64| n as f64 / seconds;
    // Of all the measured time, as the devices were counted.
    let updates: u64 = wave.jobs.iter().map(|j| j.writes).sum();
    let per_update = |n: u64| thousands(n as f64 / updates.max(1) as f64);
    let flushes = match device.flushes {
        // In runs of older versions they are among the writes.
        Some(n) if n > 0 && device.length.0 > 0 => format!(", {} flushes/s of the devices", thousands(each(n))),
        _ => String::new(),
    };
    match device.writes {
        Some(n) => {
            format!("; {who} {} writes/s, {bytes}: {} for each update{flushes}", thousands(each(n)), per_update(n))
        }
        None => format!("; {who} {bytes} of writes{flushes}"),
    }
}

fn ramp(database: &DbJudgement, waves: &[WaveFigures]) -> String {
    let Some(ramp) = &database.ramp else { return String::new() };
    let at = |n: u32| waves.iter().find(|w| w.processes == n);
    let told = |n: u32| {
        at(n).map_or_else(String::new, |w| {
            format!("{}{}", rates(w), w.waited().map_or_else(String::new, |f| format!(", {}", latency(f))))
        })
    };
    let wanted: Vec<String> = ramp.accept.iter().map(ToString::to_string).collect();
    let mut text = match (ramp.accept.is_empty(), ramp.accepted) {
        (true, _) => format!("{}: gains up to {}: {}", database.title, workers(ramp.gain_until), told(ramp.gain_until)),
        (false, Some(n)) => {
            format!("{}: accepted up to {} ({}): {}", database.title, workers(n), wanted.join(", "), told(n))
        }
        (false, None) => {
            let first = waves[0].processes;
            let title = &database.title;
            format!("{title}: not accepted at {} already ({}): {}", workers(first), wanted.join(", "), told(first))
        }
    };
    let known = if ramp.accept.is_empty() { Some(ramp.gain_until) } else { ramp.accepted };
    if let Some(w) = at(ramp.best).filter(|_| known != Some(ramp.best)) {
        text.push_str(&format!("; the most is {} at {}", rates(w), workers(w.processes)));
    }
    text
}

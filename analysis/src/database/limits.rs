//! I/O of the devices below a database compared with the declared limits; a logical rate has no limit.

use crate::verdict::answer::DatabaseBinding;
use crate::verdict::findings::BEYOND as CONTRADICTED;
use messages::sentence;
use model::bounds::{LimitAxis, LimitSource};
use model::judged::{DbJudgement, DeviceFigures, Finding};
use model::measured::{Below, DatabaseUse};
use model::{BytesPerSecond, Caveat, Iops, Limit, RunRecord, Sentence, Severity};

/// Share of a limit from which it binds: declared caps and actual ones differ by a few percent.
const BINDS: f64 = 0.95;
/// Share of a limit above which the count includes other processes, or the limit is not the actual one.
const BEYOND: f64 = 1.1;
/// Share of a limit above which neither a burst nor a neighbour explains the excess, because all users of a volume
/// share its limit.
const FAR_ABOVE: f64 = 2.0;

/// One axis of a limit compared with the I/O of the devices.
struct AxisUse {
    share: f64,
    /// Name, such as `cgroup read IOPS`.
    name: String,
    rate: String,
    cap: String,
    seconds: f64,
}

/// Returns a finding for each axis of each limit: the declared limits first, then the detected caps of control groups.
/// Returns none if the devices were not counted.
pub(super) fn findings(record: &RunRecord, database: &DbJudgement) -> Vec<Finding> {
    limits(record).flat_map(|limit| axes(record, database, limit)).map(|axis| axis.finding()).collect()
}

/// Returns the axis that is used most, if it is used up and not contradicted.
pub(super) fn used_up(record: &RunRecord, database: &DbJudgement) -> Option<DatabaseBinding> {
    let axes = limits(record).flat_map(|limit| axes(record, database, limit));
    let most = axes.filter(|axis| (BINDS..=BEYOND).contains(&axis.share)).max_by(|a, b| a.share.total_cmp(&b.share))?;
    let AxisUse { share, name, rate, cap, .. } = most;
    let statement = sentence!("db-binds", limit = &name, rate, cap, share = share_of(share));
    Some(DatabaseBinding::Limit { name: name.into(), statement })
}

fn limits(record: &RunRecord) -> impl Iterator<Item = &Limit> {
    record.plan.limits.iter().chain(&record.preflight.limits)
}

fn axes(record: &RunRecord, database: &DbJudgement, limit: &Limit) -> Vec<AxisUse> {
    let (device, seconds) = whole(record, database, limit);
    let counted = seconds > 0.0 && (device.reads.is_some() || device.writes.is_some());
    if counted { of_limit(limit, &device, seconds) } else { Vec::new() }
}

/// Returns a caveat for each limit that the devices contradict: such limits decide nothing, and neither does the run.
/// With several devices it is unknown which of them a limit applies to.
pub(super) fn contradicted(record: &RunRecord, database: &DbJudgement) -> Vec<Caveat> {
    let use_of = |limit| {
        let one = below(record, limit).is_some_and(|b| b.devices.len() == 1);
        if one { axes(record, database, limit) } else { Vec::new() }
    };
    let far = record.plan.limits.iter().flat_map(use_of);
    far.filter(|axis| axis.share > FAR_ABOVE)
        .map(|axis| {
            let statement = sentence!("db-beyond-limit", share = share_of(axis.share), limit = &axis.name);
            Caveat::new(CONTRADICTED, Severity::Doubt, statement, axis.seen())
                .remedy(sentence!("db-beyond-limit-remedy"))
        })
        .collect()
}

/// Returns the I/O of the devices for all processes, and the seconds that it covers: a limit applies to all I/O through
/// it, not to the engine's share. A cap of a control group applies to the I/O charged to the group.
fn whole(record: &RunRecord, database: &DbJudgement, limit: &Limit) -> (DeviceFigures, f64) {
    let charged = |b: &Below| b.group().filter(|_| matches!(limit.source, LimitSource::Cgroup { .. }));
    match below(record, limit).and_then(|b| Some((charged(&b).or_else(|| b.device())?, b.length))) {
        Some((counts, length)) => {
            let figures = DeviceFigures {
                reads: counts.reads,
                read_bytes: Some(counts.read_bytes),
                writes: counts.writes,
                write_bytes: Some(counts.write_bytes),
                ..DeviceFigures::default()
            };
            (figures, length.secs())
        }
        // Hosts without counts give no figure for a limit.
        None if record.database().is_some_and(|d| !d.hosts.is_empty()) => (DeviceFigures::default(), 0.0),
        None => (database.device.clone(), database.waves.iter().map(|w| w.time.secs()).sum()),
    }
}

/// Returns the counts below the databases that a limit applies to: all of them, or those of the hosts it names.
fn below(record: &RunRecord, limit: &Limit) -> Option<Below> {
    let used = record.database()?;
    if limit.on.is_empty() || used.hosts.is_empty() {
        return used.below.clone();
    }
    let on_hosts: Vec<DatabaseUse> = used.hosts.iter().filter(|d| limit.on.contains(&d.host)).cloned().collect();
    DatabaseUse::of_hosts(on_hosts).below
}

/// Returns the counts of reads and writes; `None` if a capped one was not counted.
fn counted(limit: &Limit, reads: Option<u64>, writes: Option<u64>) -> Option<f64> {
    match limit.op {
        Some(model::Op::Read) => reads.map(|n| n as f64),
        Some(model::Op::Write) => writes.map(|n| n as f64),
        Some(_) => None,
        None => Some(reads.unwrap_or(0) as f64 + writes.unwrap_or(0) as f64),
    }
}

/// Returns the use of each axis.
fn of_limit(limit: &Limit, device: &DeviceFigures, seconds: f64) -> Vec<AxisUse> {
    let ops = counted(limit, device.reads, device.writes).map(|n| n / seconds);
    let bytes = counted(limit, device.read_bytes, device.write_bytes).map(|n| n / seconds);
    let charged = match (limit.charging, ops, bytes) {
        (Some(rule), Some(ops), Some(bytes)) if ops > 0.0 => Some(ops * rule.ops(bytes / ops)),
        _ => ops,
    };
    let iops = limit.iops.zip(charged).map(|(cap, rate)| AxisUse {
        share: rate / cap.per_second().max(1e-9),
        name: limit.axis_name(LimitAxis::Iops),
        rate: format!("{} IOPS", Iops(rate)),
        cap: format!("{cap} IOPS"),
        seconds,
    });
    let bandwidth = limit.bandwidth.zip(bytes).map(|(cap, rate)| AxisUse {
        share: rate / cap.per_second().max(1e-9),
        name: limit.axis_name(LimitAxis::Bandwidth),
        rate: BytesPerSecond(rate).to_string(),
        cap: cap.to_string(),
        seconds,
    });
    iops.into_iter().chain(bandwidth).collect()
}

impl AxisUse {
    fn finding(&self) -> Finding {
        let (used, limit) = (share_of(self.share), &self.name);
        let (severity, statement) = if self.share > BEYOND {
            (Severity::Doubt, sentence!("db-limit-others", share = used, limit))
        } else if self.share >= BINDS {
            (Severity::Note, sentence!("db-limit-binds", share = used, limit))
        } else {
            (Severity::Note, sentence!("db-limit-does-not-bind", share = used, limit))
        };
        Finding {
            id: "database-limit".to_owned(),
            severity,
            statement,
            evidence: vec![self.seen()],
            remedy: Sentence::default(),
        }
    }

    fn seen(&self) -> Sentence {
        let (rate, cap) = (&self.rate, &self.cap);
        sentence!("db-limit-seen", rate, seconds = format!("{:.1}", self.seconds), cap)
    }
}

/// Formats a share such as `42 %`; a share above zero is never `0 %`.
fn share_of(share: f64) -> Sentence {
    let percent = share * 100.0;
    match percent {
        p if p > 0.0 && p < 0.01 => sentence!("db-share-tiny"),
        p if p > 0.0 && p < 1.0 => format!("{p:.2} %").into(),
        p => format!("{p:.0} %").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_of_a_limit_is_not_told_as_nothing_of_it() {
        let shares = [0.0, 0.000_001, 0.000_2, 0.004, 0.0123, 0.5, 7.6].map(share_of);
        assert_eq!(shares, ["0 %", "less than 0.01 %", "0.02 %", "0.40 %", "1 %", "50 %", "760 %"]);
    }
}

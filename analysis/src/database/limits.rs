//! What the devices did for a database, against the limits given: a logical rate has no limit of its own.

use crate::verdict::findings::BEYOND as CONTRADICTED;
use messages::sentence;
use model::{
    Below, BytesPerSecond, Caveat, DatabaseUse, DbJudgement, DeviceFigures, Finding, Iops, Limit, RunRecord, Sentence,
    Severity,
};

/// From this share on a limit binds: what is told of a cap and what it lets through differ by a few percent.
const BINDS: f64 = 0.95;
/// Above this the count is of others, too, or the limit is not the one there.
const BEYOND: f64 = 1.1;
/// And above this neither a burst nor a neighbour explains it: whoever uses a volume shares its limit.
const FAR_ABOVE: f64 = 2.0;

/// A finding for each axis of each limit, in their order. None where nobody counted the devices.
pub(super) fn findings(record: &RunRecord, database: &DbJudgement) -> Vec<Finding> {
    let of = |limit: &Limit| {
        let (device, seconds) = whole(record, database, limit);
        let counted = seconds > 0.0 && (device.reads.is_some() || device.writes.is_some());
        if counted { of_limit(limit, &device, seconds) } else { Vec::new() }
    };
    record.plan.limits.iter().flat_map(of).map(|(_, found)| found).collect()
}

/// Limits that are contradicted by what the device did: those decide nothing, and the run does not. On several devices nobody knows
/// which of them a limit is of.
pub(super) fn contradicted(record: &RunRecord, database: &DbJudgement) -> Vec<Caveat> {
    let of = |limit| {
        let one = below(record, limit).is_some_and(|b| b.devices.len() == 1);
        let (device, seconds) = whole(record, database, limit);
        if one && seconds > 0.0 { of_limit(limit, &device, seconds) } else { Vec::new() }
    };
    let far = record.plan.limits.iter().flat_map(|limit| of(limit).into_iter().map(move |f| (limit, f)));
    far.filter(|(_, (share, _))| *share > FAR_ABOVE)
        .map(|(limit, (share, found))| {
            let statement = sentence!("db-beyond-limit", share = share_of(share), limit = &limit.name);
            Caveat::new(CONTRADICTED, Severity::Doubt, statement, Sentence::join(found.evidence, "; "))
                .remedy(sentence!("db-beyond-limit-remedy"))
        })
        .collect()
}

/// What the devices did for everybody, and in how many seconds: a limit holds for all that goes through it, not for the
/// engine's share.
fn whole(record: &RunRecord, database: &DbJudgement, limit: &Limit) -> (DeviceFigures, f64) {
    match below(record, limit).and_then(|b| Some((b.device()?, b.length))) {
        Some((all, length)) => {
            let figures = DeviceFigures {
                reads: all.reads,
                read_bytes: Some(all.read_bytes),
                writes: all.writes,
                write_bytes: Some(all.write_bytes),
                ..DeviceFigures::default()
            };
            (figures, length.secs())
        }
        // What was not counted on one of several hosts is no figure of a limit.
        None if record.database.as_ref().is_some_and(|d| !d.hosts.is_empty()) => (DeviceFigures::default(), 0.0),
        None => (database.device.clone(), database.waves.iter().map(|w| w.time.secs()).sum()),
    }
}

/// What was counted below the databases a limit holds for: of all of them, or of the hosts it names.
fn below(record: &RunRecord, limit: &Limit) -> Option<Below> {
    let used = record.database.as_deref()?;
    if limit.on.is_empty() || used.hosts.is_empty() {
        return used.below.clone();
    }
    let own: Vec<DatabaseUse> = used.hosts.iter().filter(|d| limit.on.contains(&d.host)).cloned().collect();
    DatabaseUse::of_hosts(own).below
}

/// Counts of reads and writes; `None` where one that is capped was not counted.
fn counted(limit: &Limit, reads: Option<u64>, writes: Option<u64>) -> Option<f64> {
    match limit.op {
        Some(model::Op::Read) => reads.map(|n| n as f64),
        Some(model::Op::Write) => writes.map(|n| n as f64),
        Some(_) => None,
        None => Some(reads.unwrap_or(0) as f64 + writes.unwrap_or(0) as f64),
    }
}

/// The share of each axis that was used, and what is said of it.
fn of_limit(limit: &Limit, device: &DeviceFigures, seconds: f64) -> Vec<(f64, Finding)> {
    let ops = counted(limit, device.reads, device.writes).map(|n| n / seconds);
    let bytes = counted(limit, device.read_bytes, device.write_bytes).map(|n| n / seconds);
    let charged = match (limit.charging, ops, bytes) {
        (Some(rule), Some(ops), Some(bytes)) if ops > 0.0 => Some(ops * rule.ops(bytes / ops)),
        _ => ops,
    };
    let iops = limit.iops.zip(charged).map(|(cap, rate)| {
        (rate / cap.per_second().max(1e-9), format_rate(Iops(rate), "IOPS"), format_rate(cap, "IOPS"))
    });
    let bandwidth = limit
        .bandwidth
        .zip(bytes)
        .map(|(cap, rate)| (rate / cap.per_second().max(1e-9), BytesPerSecond(rate).to_string(), cap.to_string()));
    let one = |(share, rate, cap): (f64, String, String)| {
        let (used, limit) = (share_of(share), &limit.name);
        let (severity, statement) = if share > BEYOND {
            (Severity::Doubt, sentence!("db-limit-others", share = used, limit))
        } else if share >= BINDS {
            (Severity::Note, sentence!("db-limit-binds", share = used, limit))
        } else {
            (Severity::Note, sentence!("db-limit-does-not-bind", share = used, limit))
        };
        let found = Finding {
            id: "database-limit".to_owned(),
            severity,
            statement,
            evidence: vec![sentence!("db-limit-seen", rate, seconds = format!("{seconds:.1}"), cap)],
            remedy: Sentence::default(),
        };
        (share, found)
    };
    iops.into_iter().chain(bandwidth).map(one).collect()
}

/// `42 %`; of what is not nothing, never `0 %`.
fn share_of(share: f64) -> Sentence {
    let percent = share * 100.0;
    match percent {
        p if p > 0.0 && p < 0.01 => sentence!("db-share-tiny"),
        p if p > 0.0 && p < 1.0 => format!("{p:.2} %").into(),
        p => format!("{p:.0} %").into(),
    }
}

fn format_rate(rate: Iops, unit: &str) -> String {
    format!("{rate} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_of_a_limit_is_not_told_as_nothing_of_it() {
        let told = [0.0, 0.000_001, 0.000_2, 0.004, 0.0123, 0.5, 7.6].map(share_of);
        assert_eq!(told, ["0 %", "less than 0.01 %", "0.02 %", "0.40 %", "1 %", "50 %", "760 %"]);
    }
}

//! First sentence of a watch: limits that the storage itself counted, else the use of the caps, else the activity of
//! the busiest device; followed by how the command ended.

use super::caps::figure;
use super::counted::{self, Excess};
use messages::sentence;
use model::judged::{CapUse, WatchJudgement};
use model::plan::{WatchPlan, WatchedDevice};
use model::{Iops, RunRecord, Sentence};

pub(super) fn first_sentence(
    record: &RunRecord,
    plan: &WatchPlan,
    watch: &WatchJudgement,
    excesses: &[Excess],
) -> Sentence {
    if watch.looks == 0 {
        return match record.command() {
            Some(_) => command(record).unwrap_or_default(),
            None => sentence!("watch-no-figures"),
        };
    }
    let sentence = counted::longest(excesses).unwrap_or_else(|| match watch.caps.first() {
        Some(cap) => of_cap(cap, watch),
        None => busiest(plan, watch),
    });
    let said = Sentence::join(std::iter::once(sentence).chain(command(record)), "; ");
    match (record.alarms(), plan.alerts.is_empty()) {
        ([], true) => said,
        ([], false) => sentence!("watch-no-alarm", said),
        ([one], _) => sentence!("watch-alarm", alarm = one.to_message(), said),
        ([first, rest @ ..], _) => sentence!("watch-alarms", alarm = first.to_message(), n = rest.len(), said),
    }
}

/// Reports the cap that was reached for the longest time, or else the cap with the highest use.
fn of_cap(fullest: &CapUse, watch: &WatchJudgement) -> Sentence {
    let full = watch.caps.iter().filter(|c| !c.full.is_zero()).max_by_key(|c| c.full);
    let cap_use = full.unwrap_or(fullest);
    let (limit, cap, most) = (&cap_use.name, figure(cap_use.axis, cap_use.cap), figure(cap_use.axis, cap_use.most.0));
    let (full_for, time, share) = (cap_use.full, cap_use.of, format!("{:.0}", cap_use.most.0 / cap_use.cap * 100.0));
    match (full.is_some(), cap_use.over.as_slice()) {
        (true, [device]) => sentence!("watch-cap-full", limit, cap, full = full_for, time, device, most, share),
        (true, over) => {
            sentence!("watch-cap-full-summed", limit, cap, full = full_for, time, n = over.len(), most, share)
        }
        (false, [device]) => sentence!("watch-cap-not-full", limit, cap, share, most, device),
        (false, over) => sentence!("watch-cap-not-full-summed", limit, cap, share, most, n = over.len()),
    }
}

fn busiest(plan: &WatchPlan, watch: &WatchJudgement) -> Sentence {
    let Some(device) =
        watch.devices.iter().max_by(|a, b| a.all_ops().total_cmp(&b.all_ops())).filter(|d| d.all_ops() > 0.0)
    else {
        let watched = watched(plan);
        return if watched.is_empty() { sentence!("watch-nothing") } else { sentence!("watch-no-io", watched) };
    };
    let others = watch.devices.iter().filter(|d| d.name != device.name && d.all_ops() > 0.0).count();
    let (iops, bandwidth, time) = (device.iops.0, device.bandwidth.0, watch.covered);
    let (most_iops, most_bandwidth) = (Iops(device.iops.1.per_second()), device.bandwidth.1);
    let device = &device.shown;
    match others {
        0 => sentence!("watch-only-one", device, iops, bandwidth, time, most_iops, most_bandwidth),
        _ => sentence!("watch-busiest", device, n = others + 1, iops, bandwidth, time, most_iops, most_bandwidth),
    }
}

/// Lists the watched devices: `data (vdb) + journal (vdc)`.
fn watched(plan: &WatchPlan) -> Sentence {
    let mut parts: Vec<Sentence> = match plan.all_devices {
        true => vec![sentence!("watch-all-disks")],
        false => plan.devices.iter().map(WatchedDevice::label).map(Sentence::from).collect(),
    };
    parts.extend(plan.processes.iter().map(|p| sentence!("watch-process", pid = p.pid)));
    Sentence::join(parts, " + ")
}

/// Reports how the command ended.
fn command(record: &RunRecord) -> Option<Sentence> {
    let word = record.plan.watch()?.command.first()?;
    let command = word.rsplit('/').next().unwrap_or(word);
    Some(match record.command() {
        None => sentence!("command-not-started", command),
        Some(used) => sentence!("command-how", command, how = used.ending()),
    })
}

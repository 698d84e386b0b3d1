//! One sentence about a watch: how full the caps were, else what the busiest device did; and how the command ended.

use super::caps::figure;
use model::{BytesPerSecond, CapUse, Iops, RunRecord, WatchJudgement, WatchPlan};

pub(super) fn sentence(record: &RunRecord, plan: &WatchPlan, watch: &WatchJudgement) -> String {
    if watch.looks == 0 {
        return match &record.command {
            Some(_) => command(record).unwrap_or_default(),
            None => "ended before the first look: there are no figures".to_owned(),
        };
    }
    let mut sentence = match watch.caps.first() {
        Some(cap) => of_cap(cap, watch),
        None => busiest(plan, watch),
    };
    if let Some(how) = command(record) {
        sentence = format!("{sentence}; {how}");
    }
    match (record.alarms.as_slice(), plan.alerts.is_empty()) {
        ([], true) => sentence,
        ([], false) => format!("no alarm; {sentence}"),
        ([one], _) => format!("alarm: {}; {sentence}", one.told()),
        ([first, rest @ ..], _) => format!("alarm: {}, and {} more; {sentence}", first.told(), rest.len()),
    }
}

fn of_cap(cap: &CapUse, watch: &WatchJudgement) -> String {
    let full = watch.caps.iter().filter(|c| c.full.0 > 0).max_by_key(|c| c.full);
    let over = |cap: &CapUse| match cap.over.len() {
        1 => format!(" by {}", cap.over[0]),
        n => format!(", summed over {n} devices at the same time"),
    };
    match full {
        Some(cap) => format!(
            "the limit `{}` of {} was full for {} of {}{}; the most was {} ({:.0} %)",
            cap.name,
            figure(cap.axis, cap.cap),
            cap.full,
            cap.of,
            over(cap),
            figure(cap.axis, cap.most.0),
            cap.most.0 / cap.cap * 100.0
        ),
        None => format!(
            "no limit was full: the fullest, `{}` of {}, was used to {:.0} % at most ({}){}",
            cap.name,
            figure(cap.axis, cap.cap),
            cap.most.0 / cap.cap * 100.0,
            figure(cap.axis, cap.most.0),
            over(cap)
        ),
    }
}

fn busiest(plan: &WatchPlan, watch: &WatchJudgement) -> String {
    let Some(device) =
        watch.devices.iter().max_by(|a, b| a.all_ops().total_cmp(&b.all_ops())).filter(|d| d.all_ops() > 0.0)
    else {
        let what = plan.shown();
        return if what.is_empty() {
            "nothing was watched but the machine".to_owned()
        } else {
            format!("{what}: no I/O reached a device")
        };
    };
    let others = watch.devices.iter().filter(|d| d.name != device.name && d.all_ops() > 0.0).count();
    let most =
        if others > 0 { format!("{}, the busiest of {},", device.shown, others + 1) } else { device.shown.clone() };
    format!(
        "{most} did {} IOPS and {} on average over {}, at most {} IOPS and {}",
        Iops(device.iops.0.0),
        BytesPerSecond(device.bandwidth.0.0),
        watch.covered,
        Iops(device.iops.1.0),
        device.bandwidth.1
    )
}

/// How the command ended.
fn command(record: &RunRecord) -> Option<String> {
    let word = record.plan.watch.as_ref()?.command.first()?;
    let name = word.rsplit('/').next().unwrap_or(word);
    let Some(command) = &record.command else { return Some(format!("`{name}` was not started")) };
    Some(format!("`{name}` {}", command.ending()))
}

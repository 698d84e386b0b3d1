//! Charges of the control groups of watched processes, and stops by their CPU quota.

use super::Table;
use messages::sentence;
use model::judged::{GroupFigures, GroupIoFigures};
use model::{Bytes, Caveat, Iops, Nanos, RunRecord, Severity, measured::group_series};

/// Minimum share of its periods in which a quota must have stopped a group to raise a doubt.
const STOPPED: f64 = 0.01;

/// Returns every group with a series, in order of first appearance.
pub(super) fn figures(record: &RunRecord, table: &Table) -> Vec<GroupFigures> {
    let mut groups: Vec<GroupFigures> = Vec::new();
    for (name, device, _) in record.series.iter().filter_map(|s| group_series(&s.name)) {
        let at = groups.iter().position(|g| g.name == name).unwrap_or_else(|| {
            groups.push(whole(name, table));
            groups.len() - 1
        });
        if let Some(device) = device.filter(|d| !groups[at].io.iter().any(|io| io.device == *d)) {
            groups[at].io.push(on_device(name, device, table));
        }
    }
    groups
}

/// Returns the device-independent figures of a group.
fn whole(name: &str, table: &Table) -> GroupFigures {
    let column = |what: &str| table.column(&format!("group.{name}.{what}"));
    let total = |what: &str| Some(table.integral(&column(what))).filter(|(_, time)| *time > 0.0).map(|(sum, _)| sum);
    let memory = column("memory");
    let bytes = |value: f64| Bytes(value.max(0.0) as u64);
    GroupFigures {
        name: name.to_owned(),
        io: Vec::new(),
        cpus: table.mean(&column("cpu")).map(|percent| percent / 100.0),
        throttled: total("throttled").zip(total("periods")).filter(|(_, all)| *all > 0.5).map(|(of, all)| of / all),
        stopped: total("stopped").map(|percent_seconds| Nanos::from_secs_f64(percent_seconds / 100.0)),
        memory: table.mean(&memory).zip(table.most(&memory)).map(|(mean, (most, _))| (bytes(mean), bytes(most))),
    }
}

fn on_device(name: &str, device: &str, table: &Table) -> GroupIoFigures {
    let series = |what: &str| format!("group.{name}:{device}.{what}");
    let total = |what: &str| table.integral(&table.column(&series(what))).0;
    GroupIoFigures {
        device: device.to_owned(),
        ops: [total("read_ops"), total("write_ops")],
        bytes: [total("read"), total("write")],
        most: Iops(table.most_of_sum(&series("read_ops"), &series("write_ops"))),
    }
}

/// Reports processes that were stopped and so did less than they would have: their figures do not represent the
/// storage.
pub(super) fn doubts(groups: &[GroupFigures]) -> Vec<Caveat> {
    let stopped = groups.iter().filter(|g| g.throttled.is_some_and(|share| share > STOPPED));
    let doubt = |group: &GroupFigures| {
        let share = format!("{:.0}", group.throttled.unwrap_or(0.0) * 100.0);
        let evidence = match group.stopped {
            Some(time) => sentence!("watch-group-stopped-time-seen", share, time),
            None => sentence!("watch-group-stopped-seen", share),
        };
        let statement = sentence!("watch-group-stopped", group = &group.name);
        Caveat::new("group-throttled", Severity::Doubt, statement, evidence)
            .remedy(sentence!("watch-group-stopped-remedy"))
    };
    stopped.map(doubt).collect()
}

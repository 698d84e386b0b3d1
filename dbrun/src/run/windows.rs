//! Counters of the measured time of a database run, from the engine, from a control group or process accounting, and
//! from the devices.

use db::Counters;
use model::Nanos;
use model::measured::{Below, CountedBy, EnginePhase, FileRole, RoleSource, RoleUse};
use monitor::{BelowReading, BelowSources};

/// All counters at the start or the end of a measured time.
pub struct Edge {
    pub below: BelowReading,
    /// Counters of the engine; `None` if no engine runs or it did not answer.
    pub engine: Option<Counters>,
}

/// Sums over all measured times of a run.
#[derive(Default, Clone)]
pub struct Sums {
    pub below: Below,
    pub counts: Vec<(String, f64)>,
    pub mgstat: Vec<(String, f64)>,
    pub roles: Vec<RoleUse>,
}

impl Sums {
    /// Adds the differences between two edges.
    pub fn add(&mut self, sources: &BelowSources, from: &Edge, to: &Edge) {
        self.below.add(&sources.between(&from.below, &to.below));
        let (Some(then), Some(now)) = (&from.engine, &to.engine) else { return };
        grow(&mut self.counts, &then.counts, &now.counts);
        grow(&mut self.mgstat, &then.mgstat, &now.mgstat);
        for role in &now.roles {
            let before = then.roles.iter().find(|r| r.role == role.role);
            let grown = combined(role, before, |now, then| Some(now.saturating_sub(then.unwrap_or(0))));
            match self.roles.iter_mut().find(|r| r.role == role.role) {
                Some(known) => *known = combined(known, Some(&grown), |a, b| Some(a.saturating_add(b?))),
                None => self.roles.push(grown),
            }
        }
    }
}

fn grow<N: AsRef<str>>(sums: &mut Vec<(String, f64)>, then: &[(N, f64)], now: &[(N, f64)]) {
    for (name, value) in now {
        let name = name.as_ref();
        let before = then.iter().find(|(n, _)| n.as_ref() == name).map_or(0.0, |(_, v)| *v);
        let grown = (value - before).max(0.0);
        match sums.iter_mut().find(|(n, _)| n == name) {
            Some((_, sum)) => *sum += grown,
            None => sums.push((name.to_owned(), grown)),
        }
    }
}

/// Returns `role` with the counts that `f` computes from its counts and those of `other`.
fn combined(role: &RoleUse, other: Option<&RoleUse>, f: impl Fn(u64, Option<u64>) -> Option<u64>) -> RoleUse {
    let count = |get: fn(&RoleUse) -> Option<u64>| f(get(role)?, other.and_then(get));
    RoleUse {
        reads: count(|r| r.reads),
        read_bytes: count(|r| r.read_bytes),
        writes: count(|r| r.writes),
        write_bytes: count(|r| r.write_bytes),
        flushes: count(|r| r.flushes),
        ..role.clone()
    }
}

/// Returns the I/O by role. It comes from the devices for roles that do not share devices, and otherwise from the
/// engine.
pub fn roles(below: &Below, apart: &[(FileRole, Vec<String>)], by_engine: &[RoleUse]) -> Vec<RoleUse> {
    let mut uses: Vec<RoleUse> = apart.iter().filter_map(|(role, names)| by_device(below, *role, names)).collect();
    let known: Vec<FileRole> = uses.iter().map(|r| r.role).collect();
    uses.extend(by_engine.iter().filter(|r| !known.contains(&r.role)).cloned());
    uses
}

fn by_device(below: &Below, role: FileRole, names: &[String]) -> Option<RoleUse> {
    let devices = below.devices.iter().filter(|d| names.contains(&d.name)).cloned().collect();
    let part = Below { devices, ..Below::default() };
    let (counts, by) = match part.group() {
        Some(group) => (group, CountedBy::Group),
        None => (part.device()?, CountedBy::Device),
    };
    Some(RoleUse {
        role,
        source: RoleSource::Devices { by, devices: part.names() },
        reads: counts.reads,
        read_bytes: Some(counts.read_bytes),
        writes: counts.writes,
        write_bytes: Some(counts.write_bytes),
        // Counted for the whole device, because control groups do not count flushes.
        flushes: part.device().and_then(|d| d.flushes),
    })
}

/// Phases so far, each listed once. The engine reports an unfinished phase repeatedly, with increasing length.
#[derive(Default)]
pub struct Phases(Vec<EnginePhase>);

impl Phases {
    pub fn see(&mut self, phases: Vec<EnginePhase>) {
        for phase in phases {
            match self.0.iter_mut().find(|p| p.start == phase.start && p.name == phase.name) {
                Some(known) => *known = phase,
                None => self.0.push(phase),
            }
        }
    }

    /// Returns the phases that overlap a measured time.
    pub fn within(&self, stretches: &[(Nanos, Nanos)]) -> Vec<EnginePhase> {
        let touches = |p: &&EnginePhase| stretches.iter().any(|(from, until)| p.start < *until && p.end >= *from);
        self.0.iter().filter(touches).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(start: u64, end: u64) -> EnginePhase {
        EnginePhase { name: "checkpoint".into(), start: Nanos(start), end: Nanos(end), pages: None }
    }

    #[test]
    fn a_phase_is_told_once_and_only_if_it_touches_the_measured_time() {
        let mut phases = Phases::default();
        // The phases are read every second, so an unfinished phase is reported each time.
        phases.see(vec![phase(1, 3), phase(10, 12)]);
        phases.see(vec![phase(10, 14)]);
        phases.see(vec![EnginePhase { pages: Some(7), ..phase(10, 15) }]);
        phases.see(vec![phase(40, 45)]);
        let kept = phases.within(&[(Nanos(5), Nanos(30))]);
        assert_eq!(kept.len(), 1);
        assert_eq!((kept[0].end, kept[0].pages), (Nanos(15), Some(7)));
        assert!(phases.within(&[]).is_empty());
    }

    #[test]
    fn what_is_counted_between_edges_adds_up_over_stretches() {
        let mut sums: Vec<(String, f64)> = Vec::new();
        grow(&mut sums, &[("DWT", 10.0)], &[("DWT", 25.0), ("DRD", 3.0)]);
        grow(&mut sums, &[("DWT", 100.0)], &[("DWT", 101.0)]);
        assert_eq!(sums, [("DWT".to_owned(), 16.0), ("DRD".to_owned(), 3.0)]);
    }
}

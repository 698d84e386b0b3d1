//! Collection of the facts that are needed before a run, without writing a byte.

use crate::conduct::calibrate::{ceiling, engine_facts, timer_facts};
use messages::sentence;
use model::record::{DeviceFacts, Preflight, StorageFacts};
use model::{Limit, Nanos, plan::Thoroughness};
use monitor::{Roots, cgroup_limits, facts};
use std::path::Path;
use sys::clock::RunClock;

/// Devices under a path, by major and minor number.
type Devices = Vec<(u32, u32)>;

/// Returns the storage under several paths: the file system of the first path, and the devices of all paths. Also
/// returns the storage under each path; if it is unknown, its facts are empty.
fn storage_under(roots: &Roots, paths: &[&Path]) -> Result<(StorageFacts, Vec<StorageFacts>), facts::FactsError> {
    let (mut merged, mut each): (Option<StorageFacts>, Vec<StorageFacts>) = (None, Vec::new());
    let mut refused = None;
    for path in paths {
        let storage = match facts::storage(roots, path) {
            Ok(storage) => storage,
            Err(error) => {
                refused.get_or_insert(error);
                each.push(StorageFacts::default());
                continue;
            }
        };
        each.push(storage.clone());
        match &mut merged {
            None => merged = Some(storage),
            Some(merged) => {
                let new = |d: &DeviceFacts| merged.devices.iter().all(|k| k.dev != d.dev);
                let added: Vec<DeviceFacts> = storage.devices.into_iter().filter(new).collect();
                merged.devices.extend(added);
            }
        }
    }
    match (merged, refused) {
        (Some(merged), _) => Ok((merged, each)),
        (None, Some(error)) => Err(error),
        (None, None) => Ok((StorageFacts::default(), each)),
    }
}

/// Collects only the facts that take hardly any time, for commands whose users wait for the first I/O. `paths` are the
/// targets. The file system is that of the first target; the devices are those of all targets.
#[must_use]
pub fn brief(clock: RunClock, paths: &[&Path]) -> Preflight {
    let roots = Roots::host();
    let (storage, each) = storage_under(&roots, paths).unwrap_or_default();
    let devices: Devices = storage.devices.iter().map(|d| d.dev).collect();
    Preflight {
        host: facts::host(&roots),
        limits: cgroup_limits(&roots, &devices),
        storage,
        under_each: different(each),
        engines: engine_facts(),
        timer: timer_facts(clock, Nanos::from_millis(10)),
        ..Preflight::default()
    }
}

/// Removes duplicates, because a job may have thousands of files on one storage. Returns nothing if only one storage
/// remains.
fn different(each: Vec<StorageFacts>) -> Vec<StorageFacts> {
    let mut kept: Vec<StorageFacts> = Vec::new();
    for storage in each {
        let same = |k: &StorageFacts| (&k.mount_point, &k.devices) == (&storage.mount_point, &storage.devices);
        if storage != StorageFacts::default() && !kept.iter().any(same) {
            kept.push(storage);
        }
    }
    if kept.len() > 1 { kept } else { Vec::new() }
}

/// Collects the facts about host, storage of the targets, limits, engines, clock and the tool itself. `targets` are
/// names and paths; the name of a single target is not used.
///
/// # Errors
/// Returns an error if the storage of all targets is unknown.
pub fn preflight(
    clock: RunClock,
    targets: &[(&str, &Path)],
    time: Thoroughness,
) -> Result<Preflight, facts::FactsError> {
    let roots = Roots::host();
    let paths: Vec<&Path> = targets.iter().map(|(_, path)| *path).collect();
    let (storage, each) = storage_under(&roots, &paths)?;
    for device in &storage.devices {
        tracing::debug!(facts = ?device, "found device");
    }
    let spin = match time {
        Thoroughness::Quick => Nanos::from_millis(500),
        _ => Nanos::from_secs(2),
    };
    let names: Vec<&str> = targets.iter().map(|(name, _)| *name).collect();
    let devices: Vec<Devices> = each.iter().map(|s| s.devices.iter().map(|d| d.dev).collect()).collect();
    Ok(Preflight {
        host: facts::host(&roots),
        limits: limits_of(&names, &devices, |devices| cgroup_limits(&roots, devices)),
        storage,
        under_each: if each.len() > 1 { each } else { Vec::new() },
        engines: engine_facts(),
        timer: timer_facts(clock, spin),
        ceiling: ceiling(clock, Nanos::from_millis(200)),
        engine_choice: sentence!("engine-undecided"),
        ..Preflight::default()
    })
}

/// Returns the caps as limits. The cap of a device that all targets use applies to the sum over all targets; any other
/// cap applies only to the targets on its device.
fn limits_of(names: &[&str], each: &[Devices], read_caps: impl Fn(&[(u32, u32)]) -> Vec<Limit>) -> Vec<Limit> {
    let over = |dev: &(u32, u32)| -> Vec<usize> { (0..each.len()).filter(|i| each[*i].contains(dev)).collect() };
    // Groups of targets with the devices that they share; the group of all targets comes first.
    let mut groups: Vec<(Vec<usize>, Devices)> = vec![((0..each.len()).collect(), Devices::new())];
    for dev in each.iter().flatten() {
        let targets = over(dev);
        match groups.iter_mut().find(|(known, _)| *known == targets) {
            Some((_, devices)) if devices.contains(dev) => {}
            Some((_, devices)) => devices.push(*dev),
            None => groups.push((targets, vec![*dev])),
        }
    }
    let mut limits = Vec::new();
    for (targets, devices) in groups {
        let shared = targets.len() == each.len();
        let on: Vec<String> = targets.iter().filter(|_| !shared).map(|i| names[*i].to_owned()).collect();
        limits.extend(read_caps(&devices).into_iter().map(|l| Limit { on: on.clone(), ..l }));
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::bounds::LimitSource;

    #[test]
    fn a_cap_on_what_all_targets_stand_on_is_shared_and_another_is_its_own_targets() {
        // Two loop devices (7:0, 7:1) on one disk (254:0); each device has a cap named after its number.
        let capped = |devices: &[(u32, u32)]| -> Vec<Limit> {
            let row = |d: &(u32, u32)| Limit::new(format!("{}:{}", d.0, d.1), LimitSource::Declared(String::new()));
            devices.iter().map(row).collect()
        };
        let limits = limits_of(&["a", "b"], &[vec![(7, 0), (254, 0)], vec![(7, 1), (254, 0)]], capped);
        let summary = |limits: &[Limit]| -> Vec<(String, String)> {
            limits.iter().map(|l| (l.name.clone(), l.on.join("+"))).collect()
        };
        let row = |name: &str, on: &str| (name.to_owned(), on.to_owned());
        assert_eq!(summary(&limits), [row("254:0", ""), row("7:0", "a"), row("7:1", "b")]);
        // With a third target on a separate disk, a device that two of the three share limits only these two.
        let each = [vec![(7, 0), (254, 0)], vec![(7, 1), (254, 0)], vec![(254, 16)]];
        let limits = limits_of(&["a", "b", "c"], &each, capped);
        assert_eq!(summary(&limits), [row("7:0", "a"), row("254:0", "a+b"), row("7:1", "b"), row("254:16", "c")]);
        let alone = limits_of(&["a"], &[vec![(7, 0), (254, 0)]], capped);
        assert!(alone.len() == 2 && alone.iter().all(|l| l.on.is_empty()));
    }
}

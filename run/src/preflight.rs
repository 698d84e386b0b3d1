//! Everything to be known before a run, without writing a byte.

use crate::calibrate::{ceiling, engine_facts, timer_facts};
use model::{Nanos, Preflight, StorageFacts, Thoroughness};
use monitor::{Roots, cgroup_limits, facts};
use std::path::Path;
use sys::Clock;

/// The facts that cost no time to speak of: for commands whose users wait for the first I/O. `paths` are the targets,
/// the first one's file system is told; stacks under the others are added behind its own.
#[must_use]
pub fn brief<K: Clock>(clock: K, clock_name: &str, paths: &[&Path]) -> Preflight {
    let roots = Roots::host();
    let mut storage: Option<StorageFacts> = None;
    for path in paths {
        let Ok(found) = facts::storage(&roots, path) else { continue };
        match &mut storage {
            None => storage = Some(found),
            Some(all) => {
                let known = |d: &model::DeviceFacts| all.devices.iter().any(|k| k.dev == d.dev);
                if !found.devices.iter().all(known) {
                    all.devices.extend(found.devices);
                }
            }
        }
    }
    let storage = storage.unwrap_or_default();
    let devices: Vec<(u32, u32)> = storage.devices.iter().map(|d| d.dev).collect();
    Preflight {
        host: facts::host(&roots),
        limits: cgroup_limits(&roots, &devices),
        storage,
        engines: engine_facts(),
        timer: timer_facts(clock, clock_name, Nanos(10_000_000)),
        ceiling: None,
        engine_choice: String::new(),
    }
}

/// Gathers the facts about host, storage under `path`, limits, engines, clock, and the tool itself.
///
/// # Errors
/// When the storage under `path` cannot be told.
pub fn preflight<K: Clock>(
    clock: K,
    clock_name: &str,
    path: &Path,
    time: Thoroughness,
) -> Result<Preflight, facts::FactsError> {
    let roots = Roots::host();
    let storage: StorageFacts = facts::storage(&roots, path)?;
    let devices: Vec<(u32, u32)> = storage.devices.iter().map(|d| d.dev).collect();
    let spin = match time {
        Thoroughness::Quick => Nanos(500_000_000),
        _ => Nanos(2_000_000_000),
    };
    Ok(Preflight {
        host: facts::host(&roots),
        limits: cgroup_limits(&roots, &devices),
        storage,
        engines: engine_facts(),
        timer: timer_facts(clock, clock_name, spin),
        ceiling: ceiling(clock, Nanos(200_000_000)),
        engine_choice: "auto: decided by trying, once the target is filled".to_owned(),
    })
}

//! Syncs that complete faster than a medium can (docs/design/syncs.md, "Sooner than a medium can").

use crate::levels::figures::Level;
use messages::sentence;
use model::record::{DeviceFacts, Preflight};
use model::{Caveat, Interval, Nanos, Op, Sentence, Severity, plan::SyncMode};

/// Identifier of the caveat about implausibly fast syncs.
pub(crate) const TOO_SOON: &str = "sync-too-soon";
/// Minimum duration of a round trip through a kernel to any device.
const NO_DEVICE: Nanos = Nanos::from_micros(10);
/// Half a turn of a disk at 15,000 per minute: the position just written passes once per turn.
const HALF_A_TURN: Nanos = Nanos::from_millis(2);
/// Programming a page of flash takes about 200 to 1,000 µs.
const FLASH: Nanos = Nanos::from_micros(100);
/// Minimum number of syncs for a meaningful median.
pub(crate) const FEWEST: u64 = 20;

/// Reason why a sync was faster than the medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TooSoon {
    /// No device can have been involved.
    NoDevice,
    /// The disk had not turned.
    Turn,
    /// No page of flash was programmed.
    Flash,
}

impl TooSoon {
    /// Returns the reason to doubt a median time of `took` per sync on the lowest visible device.
    pub(crate) fn detect(preflight: &Preflight, took: Nanos) -> Option<TooSoon> {
        if preflight.storage.memory.is_some() {
            // Memory as the storage is reported already, so fast syncs are expected.
            return None;
        }
        let disk = preflight.storage.disk()?;
        let physical = Some(disk).filter(|disk| !is_virtual(preflight, disk));
        let cached = physical.is_some_and(|disk| disk.write_cache == "write back");
        match physical {
            _ if took < NO_DEVICE => Some(TooSoon::NoDevice),
            Some(disk) if disk.rotational && took < HALF_A_TURN => Some(TooSoon::Turn),
            Some(disk) if !disk.rotational && cached && took < FLASH => Some(TooSoon::Flash),
            _ => None,
        }
    }

    /// Returns the possible reason as a sentence.
    pub(crate) fn statement(self) -> Sentence {
        match self {
            TooSoon::NoDevice => sentence!("durable-doubt-no-device"),
            TooSoon::Turn => sentence!("durable-doubt-turn"),
            TooSoon::Flash => sentence!("durable-doubt-flash"),
        }
    }

    /// Returns the doubt with its evidence.
    pub(crate) fn caveat(self, preflight: &Preflight, took: Nanos, n: u64) -> Caveat {
        let device = preflight.storage.disk().map_or(preflight.storage.filesystem.as_str(), |disk| disk.name.as_str());
        let evidence = sentence!("durable-seen-sync", device, took, n);
        Caveat::new(TOO_SOON, Severity::Doubt, self.statement(), evidence).remedy(sentence!("durable-remedy-prove"))
    }
}

/// Returns `true` if another machine provides the device: its cache is not visible from here.
pub(crate) fn is_virtual(preflight: &Preflight, disk: &DeviceFacts) -> bool {
    preflight.host.virtualization.is_some() || matches!(disk.kind.as_str(), "virtio" | "xen" | "vmbus" | "nbd" | "rbd")
}

/// Returns the doubt about a level's syncs: its flushes, or its writes if each of them is synchronous.
pub(crate) fn doubt(preflight: &Preflight, level: &Level, sync: SyncMode, total: &Interval) -> Option<Caveat> {
    let op = match (total.op(Op::Flush).latency.count(), sync) {
        (0, SyncMode::None) => return None,
        (0, _) => Op::Write,
        _ => Op::Flush,
    };
    let latency = &total.op(op).latency;
    let took = latency.percentile(50.0).value().filter(|_| latency.count() >= FEWEST)?;
    let caveat = TooSoon::detect(preflight, took)?.caveat(preflight, took, latency.count());
    Some(caveat.at_step(*level.steps.first()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::record::{HostFacts, StorageFacts};

    fn preflight(kind: &str, rotational: bool, cache: &str, hypervisor: Option<&str>) -> Preflight {
        let disk = DeviceFacts {
            name: "sda".into(),
            kind: kind.into(),
            rotational,
            write_cache: cache.into(),
            size: model::Bytes::from_gib(1),
            ..DeviceFacts::default()
        };
        Preflight {
            host: HostFacts { virtualization: hypervisor.map(str::to_owned), ..HostFacts::default() },
            storage: StorageFacts { devices: vec![disk], ..StorageFacts::default() },
            ..Preflight::default()
        }
    }

    #[test]
    fn a_disk_cannot_turn_faster_and_flash_not_program_sooner_but_a_virtual_one_may_be_anything() {
        let micros = Nanos::from_micros;
        let disk = preflight("scsi", true, "write back", None);
        assert_eq!(TooSoon::detect(&disk, micros(200)), Some(TooSoon::Turn), "5,000 a second");
        assert_eq!(TooSoon::detect(&disk, micros(8_300)), None, "one a turn at 7,200");
        let flash = preflight("nvme", false, "write back", None);
        assert_eq!(TooSoon::detect(&flash, micros(20)), Some(TooSoon::Flash));
        assert_eq!(TooSoon::detect(&flash, micros(600)), None);
        let protected = preflight("nvme", false, "write through", None);
        assert_eq!(TooSoon::detect(&protected, micros(20)), None, "nothing is to be flushed");
        for (kind, hypervisor) in [("virtio", None), ("nvme", Some("amazon"))] {
            let other = preflight(kind, true, "write back", hypervisor);
            assert_eq!(TooSoon::detect(&other, micros(200)), None);
            assert_eq!(TooSoon::detect(&other, micros(3)), Some(TooSoon::NoDevice));
        }
    }
}

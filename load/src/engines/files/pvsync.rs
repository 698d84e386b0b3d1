//! Reads and writes by the calls for lists of pieces, with one piece (`pvsync`, `pvsync2`).

use super::psync::{open, plain};
use crate::engine::{EngineEntry, Probe, WriteConsent};
use crate::engines::options::{Options, POLL_COMPLETIONS};
use model::{EngineQueue, EngineSpec, EngineTarget};
use sys::{Call, Flags};

pub(in crate::engines) const PVSYNC: EngineEntry = EngineEntry {
    spec: EngineSpec::new("pvsync", "preadv and pwritev", EngineQueue::Single, EngineTarget::Contents),
    size: None,
    consent: WriteConsent::None,
    probe: Probe::Opening,
    open: |opening| plain("pvsync", opening, Call::Vector),
};

pub(in crate::engines) const PVSYNC2: EngineEntry = EngineEntry {
    spec: EngineSpec::new("pvsync2", "preadv2 and pwritev2", EngineQueue::Single, EngineTarget::Contents)
        .with_options(&[POLL_COMPLETIONS]),
    size: None,
    consent: WriteConsent::None,
    probe: Probe::Opening,
    open: |opening| {
        let mut options = Options::new("pvsync2", opening);
        let poll = options.flag("hipri")?.unwrap_or(false);
        let nowait = options.flag("nowait")?.unwrap_or(false);
        options.finish()?;
        open("pvsync2", opening, Call::Flagged(Flags { poll, nowait }))
    },
};

//! Who a process is. What it sent to disks Windows does not tell: its counts are of calls, whatever they moved and wherever to.

use super::{Sampler, SamplerEntry, Subjects};
use crate::Roots;
use messages::sentence;
use model::Sentence;

pub(super) const ENTRY: SamplerEntry =
    SamplerEntry { name: "process", about: "the processes named, with their children", open: open };

fn open(_roots: &Roots, subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    Err(if subjects.processes.is_empty() { sentence!("sampler-no-process") } else { sentence!("sampler-of-linux") })
}

/// Who a process is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessIdentity {
    /// Its name, as its program's file has it.
    pub name: String,
    /// When it started, in units of 100 ns since 1601.
    pub start: u64,
}

/// Who has this number now; `None` when nobody has, or one that may not be looked at.
#[must_use]
pub fn process_identity(_roots: &Roots, pid: u32) -> Option<ProcessIdentity> {
    let (name, start) = sys::process_name(pid)?;
    Some(ProcessIdentity { name, start })
}

/// What a process and the children it waited for have done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessTotals {
    /// Bytes sent to the block layer to be read.
    pub read: u64,
    /// Bytes to be written, counted when they became dirty or went directly.
    pub write: u64,
    /// System calls that read.
    pub read_calls: u64,
    /// System calls that wrote.
    pub write_calls: u64,
}

/// The totals of a process: not told here.
#[must_use]
pub fn process_totals(_roots: &Roots, _pid: u32) -> Option<ProcessTotals> {
    None
}

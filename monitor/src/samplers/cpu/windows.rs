//! Reads the CPU time of the system. Windows counts waiting for I/O as idle time and does not report steal.

use super::Cpu;
use crate::Roots;
use crate::counters::CpuTicks;
use crate::samplers::{Sampler, Subjects};
use messages::sentence;
use model::Sentence;

pub(super) fn open(_roots: &Roots, _subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    let (last, _) = ticks().ok_or_else(|| sentence!("sampler-unreadable", file = "GetSystemTimes"))?;
    Ok(Box::new(Cpu { source: ticks, last }))
}

fn ticks() -> Option<super::Reading> {
    let times = sys::process::system_times()?;
    let ticks = |ns: u64| ns / CpuTicks::LENGTH;
    let [idle, user, system] = [times.idle_ns, times.user_ns, times.system_ns].map(ticks);
    Some((CpuTicks { user, system, idle, ..CpuTicks::default() }, None))
}

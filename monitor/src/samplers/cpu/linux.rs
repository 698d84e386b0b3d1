//! Reads `/proc/stat`: the first line, and the task counts at its end.

use super::Cpu;
use crate::Roots;
use crate::counters::CpuTicks;
use crate::roots::{text, value};
use crate::samplers::{Sampler, Subjects};
use messages::sentence;
use model::Sentence;

pub(super) fn open(roots: &Roots, _subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    let path = roots.proc.join("stat");
    let source = move || text(&path).and_then(|t| Some((CpuTicks::parse(&t)?, tasks(&t))));
    let (last, _) = source()
        .ok_or_else(|| sentence!("sampler-unreadable", file = roots.proc.join("stat").display().to_string()))?;
    Ok(Box::new(Cpu { source, last }))
}

fn tasks(stat: &str) -> Option<(u64, u64)> {
    Some((value(stat, "procs_running ")?, value(stat, "procs_blocked ")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_read_where_the_kernel_tells_them() {
        assert_eq!(tasks("cpu  1 2 3 4\nprocs_running 3\nprocs_blocked 0\n"), Some((3, 0)));
        assert_eq!(tasks("cpu  1 2 3 4\n"), None);
    }
}

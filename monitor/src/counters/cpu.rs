//! CPU time of the machine, from `/proc/stat`.

/// CPU times of one CPU, or their sum across all CPUs, in clock ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CpuTicks {
    pub user: u64,
    pub system: u64,
    pub idle: u64,
    pub iowait: u64,
    pub steal: u64,
    /// Part of `system` used by interrupts.
    pub interrupts: u64,
}

impl CpuTicks {
    /// Length of a tick in nanoseconds: `USER_HZ` is 100 on all architectures that matter here (time(7)).
    pub(crate) const LENGTH: u64 = model::Nanos::from_millis(10).as_nanos();

    /// Parses the first line of `/proc/stat`; user time already includes guest time (proc(5)).
    pub(crate) fn parse(stat: &str) -> Option<CpuTicks> {
        CpuTicks::parse_times(stat.lines().next()?.strip_prefix("cpu ")?)
    }

    /// Returns the times of each CPU, by CPU number.
    pub(crate) fn parse_each(stat: &str) -> Vec<(u32, CpuTicks)> {
        let of_line = |line: &str| {
            let (number, times) = line.strip_prefix("cpu")?.split_once(' ')?;
            Some((number.parse().ok()?, CpuTicks::parse_times(times)?))
        };
        stat.lines().skip(1).map_while(of_line).collect()
    }

    fn parse_times(line: &str) -> Option<CpuTicks> {
        let ticks: Vec<u64> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        let at = |i: usize| ticks.get(i).copied().unwrap_or(0);
        (ticks.len() >= 4).then(|| CpuTicks {
            user: at(0).saturating_add(at(1)),
            system: at(2).saturating_add(at(5)).saturating_add(at(6)),
            idle: at(3),
            iowait: at(4),
            steal: at(7),
            interrupts: at(5).saturating_add(at(6)),
        })
    }

    pub(crate) fn since(self, earlier: CpuTicks) -> CpuTicks {
        // Idle and iowait may decrease on some kernels (proc(5)); a decrease counts as no time.
        CpuTicks {
            user: self.user.saturating_sub(earlier.user),
            system: self.system.saturating_sub(earlier.system),
            idle: self.idle.saturating_sub(earlier.idle),
            iowait: self.iowait.saturating_sub(earlier.iowait),
            steal: self.steal.saturating_sub(earlier.steal),
            interrupts: self.interrupts.saturating_sub(earlier.interrupts),
        }
    }

    pub(crate) fn total(self) -> u64 {
        [self.user, self.system, self.idle, self.iowait, self.steal].into_iter().fold(0, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cpu_ticks_are_read_from_short_and_long_lines() {
        let ticks = CpuTicks::parse("cpu  14271 10 3677 264338 413 5 44 16 99 98\ncpu0 1 1 1 1\n").unwrap();
        assert_eq!(
            ticks,
            CpuTicks { user: 14281, system: 3726, idle: 264_338, iowait: 413, steal: 16, interrupts: 49 }
        );
        let each = CpuTicks::parse_each("cpu  1 2 3 4\ncpu0 1 1 1 1\ncpu12 2 2 2 2 2 5 6 7\nintr 5\ncpu3 1 1 1 1\n");
        assert_eq!(each.iter().map(|(cpu, ticks)| (*cpu, ticks.interrupts)).collect::<Vec<_>>(), [(0, 0), (12, 11)]);
        assert_eq!(CpuTicks::parse("cpu  1 2 3 4\n").map(CpuTicks::total), Some(10));
        for bad in ["", "cpu0 1 2 3 4", "cpu 1 2", "cpu  1 2 x 4"] {
            assert_eq!(CpuTicks::parse(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn neither_text_nor_numbers_make_the_reader_panic(
            text in "(cpu  ?|[0-9 ]*|\\PC)*",
            n in proptest::collection::vec(any::<u64>(), 4..11),
        ) {
            let _ = (CpuTicks::parse(&text), CpuTicks::parse_each(&text));
            let line = n.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
            let _ = CpuTicks::parse(&format!("cpu  {line}")).map(CpuTicks::total);
        }
    }
}

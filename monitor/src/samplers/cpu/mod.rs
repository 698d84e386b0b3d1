//! `cpu.*`, in percent of the machine's CPU time: `user`, `system` (including interrupts), `iowait`, `steal`. Current
//! task counts: `running` (or ready to run), `blocked` (waiting for I/O).

use super::{Out, Sampler, SamplerEntry};
use crate::counters::CpuTicks;
use model::Nanos;
use model::measured::{Layer, Sample};

/// CPU times and, if the kernel reports them, the numbers of running and blocked tasks.
type Reading = (CpuTicks, Option<(u64, u64)>);

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod platform;

pub(super) const ENTRY: SamplerEntry = SamplerEntry { name: "cpu", open: platform::open };

struct Cpu<R> {
    source: R,
    last: CpuTicks,
}

impl<R: FnMut() -> Option<Reading> + Send> Sampler for Cpu<R> {
    fn sample(&mut self, elapsed: Nanos, out: &mut Vec<Sample>) {
        let Some((now, tasks)) = (self.source)() else {
            return;
        };
        let spent = now.since(self.last);
        self.last = now;
        let mut out = Out::new(Layer::Host, elapsed, out);
        let parts = [("user", spent.user), ("system", spent.system), ("iowait", spent.iowait), ("steal", spent.steal)];
        for (name, ticks) in parts {
            // Shares of the counted ticks, not of the elapsed time, because the ticks may cover a slightly different
            // period.
            out.mean(format!("cpu.{name}"), "percent", 100.0 * ticks as f64, spent.total());
        }
        if let Some((running, blocked)) = tasks {
            out.gauge("cpu.running".to_owned(), "count", running as f64);
            out.gauge("cpu.blocked".to_owned(), "count", blocked as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_all_time_and_nothing_is_said_about_no_time() {
        let now = CpuTicks { user: 30, system: 10, idle: 50, iowait: 5, steal: 5, interrupts: 0 };
        let mut cpu = Cpu { source: move || Some((now, None)), last: CpuTicks::default() };
        let mut samples = Vec::new();
        cpu.sample(Nanos::from_secs(1), &mut samples);
        let values: Vec<f64> = samples.iter().map(|s| s.value).collect();
        assert_eq!(values, [30.0, 10.0, 5.0, 5.0]);
        samples.clear();
        cpu.sample(Nanos(1), &mut samples);
        assert!(samples.is_empty());
    }
}

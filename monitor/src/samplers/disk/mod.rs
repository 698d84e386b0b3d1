//! `device.NAME.*` for every device of the stack: what the block layer did for everybody together.
//!
//! - `read_ops`, `write_ops` (ops/s), `read`, `write` (B/s): completed per second.
//! - `read_size`, `write_size` (bytes): mean size of a request, after merging and splitting.
//! - `read_await`, `write_await` (ms): mean time from queueing to completion, as iostat's `r_await`.
//! - `in_flight` (ops): at the moment of sampling; `queue` (ops): mean over the time, as iostat's `aqu-sz`.
//! - `busy` (percent): share of time with at least one request in flight. Not how full a device is: one that serves
//!   many requests at once shows 100 long before its limit.

use super::{Out, Sampler, SamplerEntry};
use model::{Layer, Nanos, Sample};

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod platform;

pub(super) const ENTRY: SamplerEntry =
    SamplerEntry { name: "disk", about: "every device under the target, everybody's I/O", open: platform::open };

/// Counters of one device since boot, and its requests in flight now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Reading {
    reads: u64,
    read_bytes: u64,
    read_ms: u64,
    writes: u64,
    write_bytes: u64,
    write_ms: u64,
    in_flight: u64,
    busy_ms: u64,
    queue_ms: u64,
}

/// A device and its last reading.
struct Device<R> {
    name: String,
    source: R,
    last: Reading,
}

/// The sampler, over any way to read a device.
struct Disk<R> {
    devices: Vec<Device<R>>,
}

impl<R: FnMut() -> Option<Reading> + Send> Sampler for Disk<R> {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn sample(&mut self, elapsed: Nanos, out: &mut Vec<Sample>) {
        let mut out = Out::new(Layer::Device, elapsed, out);
        for device in &mut self.devices {
            if let Some(now) = (device.source)() {
                write(&mut out, &device.name, device.last, now);
                device.last = now;
            }
        }
    }
}

fn write(out: &mut Out<'_>, name: &str, then: Reading, now: Reading) {
    let name = |what: &str| format!("device.{name}.{what}");
    let grown = |part: fn(Reading) -> u64| part(now).saturating_sub(part(then));
    let (reads, writes) = (grown(|r| r.reads), grown(|r| r.writes));
    let (read, write) = (grown(|r| r.read_bytes), grown(|r| r.write_bytes));
    out.rate(name("read_ops"), "ops/s", reads);
    out.rate(name("write_ops"), "ops/s", writes);
    out.rate(name("read"), "B/s", read);
    out.rate(name("write"), "B/s", write);
    out.mean(name("read_size"), "bytes", read as f64, reads);
    out.mean(name("write_size"), "bytes", write as f64, writes);
    out.mean(name("read_await"), "ms", grown(|r| r.read_ms) as f64, reads);
    out.mean(name("write_await"), "ms", grown(|r| r.write_ms) as f64, writes);
    out.gauge(name("in_flight"), "ops", now.in_flight as f64);
    let milliseconds = out.seconds * 1e3;
    out.gauge(name("queue"), "ops", grown(|r| r.queue_ms) as f64 / milliseconds);
    // The kernel's clock for this is coarse and may run past the time we measured.
    out.gauge(name("busy"), "percent", (100.0 * grown(|r| r.busy_ms) as f64 / milliseconds).min(100.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_means_are_of_the_elapsed_time_only() {
        let busy = Reading {
            reads: 1500,
            read_bytes: 1500 * 8192,
            read_ms: 3000,
            in_flight: 3,
            busy_ms: 500,
            queue_ms: 3000,
            ..Reading::default()
        };
        let mut readings = vec![busy];
        let device =
            Device { name: "vda".into(), source: move || readings.pop(), last: Reading { reads: 500, ..busy } };
        let mut disk = Disk { devices: vec![device] };
        let mut samples = Vec::new();
        disk.sample(Nanos(500_000_000), &mut samples);
        let value = |what: &str| samples.iter().find(|s| s.name == format!("device.vda.{what}")).map(|s| s.value);
        assert_eq!(value("read_ops"), Some(2000.0));
        assert_eq!(value("read_await"), Some(0.0), "no time passed in them between the readings");
        assert_eq!(value("write_size"), None);
        assert_eq!(value("in_flight"), Some(3.0));
        assert_eq!(value("busy"), Some(0.0));
        samples.clear();
        disk.sample(Nanos(1), &mut samples);
        assert!(samples.is_empty(), "a device that is gone has no figures");
    }
}

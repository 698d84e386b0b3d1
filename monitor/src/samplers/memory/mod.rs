//! `memory.*`, current values in bytes: `available` (to programs without swapping), `dirty` (written but not yet being
//! sent to a device), `writeback` (being sent).

use super::{Out, Sampler, SamplerEntry};
use model::measured::{Layer, Sample};
use model::{Bytes, Nanos};

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod platform;

pub(super) const ENTRY: SamplerEntry = SamplerEntry { name: "memory", open: platform::open };

/// Current values; `None` if the kernel does not report a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Reading {
    available: Option<Bytes>,
    dirty: Option<Bytes>,
    writeback: Option<Bytes>,
}

struct Memory<R> {
    source: R,
}

impl<R: FnMut() -> Option<Reading> + Send> Sampler for Memory<R> {
    fn sample(&mut self, elapsed: Nanos, out: &mut Vec<Sample>) {
        let now = (self.source)().unwrap_or_default();
        let mut out = Out::new(Layer::Host, elapsed, out);
        for (name, value) in [("available", now.available), ("dirty", now.dirty), ("writeback", now.writeback)] {
            if let Some(value) = value {
                out.gauge(format!("memory.{name}"), "bytes", value.as_u64() as f64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_gauges_the_kernel_has_are_given() {
        let reading = Reading { available: Some(Bytes(4096)), dirty: Some(Bytes(0)), writeback: None };
        let mut samples = Vec::new();
        Memory { source: move || Some(reading) }.sample(Nanos(1), &mut samples);
        let values: Vec<(&str, f64)> = samples.iter().map(|s| (s.name.as_str(), s.value)).collect();
        assert_eq!(values, [("memory.available", 4096.0), ("memory.dirty", 0.0)]);
    }
}

//! Block devices: sizes, uses, mappings, NVMe commands, zones. Network interfaces: driver counters.

mod block;
mod interface;
mod mapper;
mod nvme;
mod usage;
mod zones;

pub use block::*;
pub use interface::*;
pub use mapper::*;
pub use nvme::*;
pub use usage::*;
pub use zones::*;

/// Packs two adjacent 32-bit numbers into one word.
fn pack(first: u32, second: u32) -> u64 {
    let ([a, b, c, d], [e, f, g, h]) = (first.to_ne_bytes(), second.to_ne_bytes());
    u64::from_ne_bytes([a, b, c, d, e, f, g, h])
}

/// Returns the two numbers that [`pack`] packed.
fn unpack(word: u64) -> [u32; 2] {
    let [a, b, c, d, e, f, g, h] = word.to_ne_bytes();
    [u32::from_ne_bytes([a, b, c, d]), u32::from_ne_bytes([e, f, g, h])]
}

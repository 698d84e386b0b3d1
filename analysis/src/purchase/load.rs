//! A recorded demand second by second, as charged by each way of counting operations.

use crate::catalog::Catalog;
use model::bounds::{Charging, LimitAxis, LimitSource};
use model::recording::{RecordedRequest, RequestFlags};
use model::{Limit, Nanos, distinct, measured::RequestKind};
use std::collections::BTreeMap;

/// Number of request chains that are tracked at a time, as in a block trace.
const REMEMBERED: usize = 16;
/// Maximum time from one request to the next for the two to be merged, if the end of the first is unknown.
const SOON: Nanos = Nanos::from_millis(1);
/// Operations and bytes charged.
pub(crate) type Charged = [u64; 2];

/// Number of directions: reads and writes are charged separately.
pub(crate) const DIRECTIONS: usize = 2;

/// Demand in the seconds with requests.
#[derive(Debug, Clone, Default)]
pub(crate) struct Load {
    /// Numbers of these seconds, ascending.
    pub seconds: Vec<u32>,
    /// Charge for each second by each way of counting, first for reads, then for writes.
    pub charged: Vec<Charged>,
}

/// Ways to count operations; the first counts each operation as one.
#[derive(Debug, Clone)]
pub(crate) struct Countings(pub Vec<Option<Charging>>);

impl Countings {
    /// Collects the ways of counting that occur, each once.
    pub fn from_all(all: impl Iterator<Item = Option<Charging>>) -> Self {
        Countings(distinct(std::iter::once(None).chain(all)))
    }

    /// Collects the ways of counting of a catalogue and of these limits.
    pub fn from_catalog<'a>(catalog: &Catalog, limits: impl Iterator<Item = &'a Limit>) -> Self {
        let rows = catalog.volumes.iter().map(|v| v.charging);
        Self::from_all(rows.chain(catalog.instances.iter().map(|i| i.charging)).chain(limits.map(|l| l.charging)))
    }

    /// Returns the index of a way of counting; if it is unknown, the index of the way that counts single operations.
    pub fn place(&self, charging: Option<Charging>) -> usize {
        self.0.iter().position(|c| *c == charging).unwrap_or(0)
    }

    /// Returns the number of figures per second.
    pub fn stride(&self) -> usize {
        DIRECTIONS * self.0.len()
    }
}

/// Charges requests.
#[derive(Debug)]
pub(crate) struct LoadBuilder {
    pub countings: Countings,
    /// Loads by target.
    loads: BTreeMap<u16, Load>,
    chains: BTreeMap<(u16, bool), [Chain; REMEMBERED]>,
    next: usize,
}

/// Requests that follow each other without a gap, each issued before the previous one ended.
#[derive(Debug, Clone, Copy, Default)]
struct Chain {
    /// Offset at which the next request would begin.
    end: u64,
    /// Time until which the next request may be issued.
    until: Nanos,
    /// Bytes so far.
    bytes: u64,
}

impl LoadBuilder {
    pub fn new(countings: Countings) -> Self {
        LoadBuilder { countings, loads: BTreeMap::new(), chains: BTreeMap::new(), next: 0 }
    }

    /// Charges a request. Failed requests and those without data are free.
    pub fn add(&mut self, request: &RecordedRequest) {
        if !request.moves_data() || request.flags.has(RequestFlags::FAILED) {
            return;
        }
        let write = request.kind == RequestKind::Write;
        let before = self.chained(request, write);
        let second = u32::try_from(request.at.as_nanos() / 1_000_000_000).unwrap_or(u32::MAX);
        let stride = self.countings.stride();
        let cell = self.loads.entry(request.target).or_default().cell(second, stride);
        let offset = usize::from(write) * self.countings.0.len();
        for (charged, counting) in cell[offset..].iter_mut().zip(&self.countings.0) {
            let [ops, bytes] = charge(*counting, request.bytes, before);
            charged[0] += ops;
            charged[1] += bytes;
        }
    }

    /// Returns the bytes of the chain that a request continues; 0 if it begins one.
    fn chained(&mut self, request: &RecordedRequest, write: bool) -> u64 {
        let chains = self.chains.entry((request.target, write)).or_default();
        let until = request.end().unwrap_or(request.at + SOON);
        let end = request.offset.saturating_add(request.bytes);
        let goes_on = |chain: &&mut Chain| chain.bytes > 0 && chain.end == request.offset && request.at < chain.until;
        if let Some(chain) = chains.iter_mut().find(goes_on) {
            let before = chain.bytes;
            *chain = Chain { end, until: until.max(chain.until), bytes: before.saturating_add(request.bytes) };
            return before;
        }
        chains[self.next % REMEMBERED] = Chain { end, until, bytes: request.bytes };
        self.next = (self.next + 1) % REMEMBERED;
        0
    }

    pub fn finish(self) -> (Countings, BTreeMap<u16, Load>) {
        (self.countings, self.loads)
    }
}

/// Returns the charge for a request that is merged with `before` earlier bytes.
fn charge(counting: Option<Charging>, bytes: u64, before: u64) -> Charged {
    let Some(Charging { unit, merges, whole }) = counting else { return [1, bytes] };
    let unit = unit.as_u64().max(1);
    let before = if merges { before } else { 0 };
    let ops = before.saturating_add(bytes).div_ceil(unit) - before.div_ceil(unit);
    [ops, if whole { ops * unit } else { bytes }]
}

/// Returns the charge for `ops` operations of `mean` bytes; `merged` if they are sequential.
pub(crate) fn charge_mean(charging: Option<Charging>, ops: f64, mean: f64, merged: bool) -> Charged {
    let limit = Limit { charging, ..Limit::new(String::new(), LimitSource::Declared(String::new())) };
    [LimitAxis::Iops, LimitAxis::Bandwidth].map(|axis| (ops * limit.charged(axis, mean, merged)).ceil() as u64)
}

impl Load {
    /// Returns the charges of a second. Requests come in the order of their issue; a second is inserted between others
    /// only if a clock went back.
    fn cell(&mut self, second: u32, stride: usize) -> &mut [Charged] {
        let at = match self.seconds.last() {
            Some(last) if *last == second => self.seconds.len() - 1,
            Some(last) if *last > second => match self.seconds.binary_search(&second) {
                Ok(at) => at,
                Err(at) => {
                    self.seconds.insert(at, second);
                    self.charged.splice(at * stride..at * stride, std::iter::repeat_n([0, 0], stride));
                    at
                }
            },
            _ => {
                self.seconds.push(second);
                self.charged.resize(self.seconds.len() * stride, [0, 0]);
                self.seconds.len() - 1
            }
        };
        &mut self.charged[at * stride..(at + 1) * stride]
    }

    /// Returns the sum of several loads.
    pub fn sum<'a>(loads: impl Iterator<Item = &'a Load>, stride: usize) -> Load {
        let mut seconds: BTreeMap<u32, Vec<Charged>> = BTreeMap::new();
        for load in loads {
            for (second, charged) in load.seconds.iter().zip(load.charged.chunks(stride)) {
                let sum = seconds.entry(*second).or_insert_with(|| vec![[0, 0]; stride]);
                for (sum, [ops, bytes]) in sum.iter_mut().zip(charged) {
                    sum[0] += ops;
                    sum[1] += bytes;
                }
            }
        }
        let mut sum = Load::default();
        for (second, charged) in seconds {
            sum.seconds.push(second);
            sum.charged.extend(charged);
        }
        sum
    }

    /// Adds operations of `mean` bytes to a second, as far as they can be charged without their order.
    pub fn add_mean(&mut self, second: u32, write: bool, (ops, mean): (f64, f64), countings: &Countings) {
        let offset = usize::from(write) * countings.0.len();
        let cell = self.cell(second, countings.stride());
        for (charged, counting) in cell[offset..].iter_mut().zip(&countings.0) {
            let [ops, bytes] = charge_mean(*counting, ops, mean, false);
            charged[0] += ops;
            charged[1] += bytes;
        }
    }

    /// Returns the number of reads and writes.
    pub fn requests(&self, countings: &Countings) -> u64 {
        let single = self.charged.iter().step_by(countings.0.len());
        single.map(|[ops, _]| ops).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Bytes;

    const SSD: Charging = Charging { unit: Bytes::from_kib(256), merges: true, whole: false };
    const DISK: Charging = Charging { unit: Bytes::from_mib(1), merges: true, whole: true };

    fn request(at_us: u64, offset_kib: u64, kib: u64) -> RecordedRequest {
        RecordedRequest {
            at: Nanos(at_us * 1000),
            latency: Some(Nanos::from_millis(1)),
            target: 0,
            kind: RequestKind::Read,
            flags: RequestFlags::default(),
            offset: offset_kib << 10,
            bytes: kib << 10,
        }
    }

    fn charged(requests: &[RecordedRequest]) -> Vec<Charged> {
        let mut builder = LoadBuilder::new(Countings::from_all([Some(SSD), Some(DISK), None].into_iter()));
        requests.iter().for_each(|r| builder.add(r));
        let (countings, loads) = builder.finish();
        assert_eq!((countings.0.len(), loads.len()), (3, 1));
        loads[&0].charged[..3].to_vec()
    }

    #[test]
    fn neighbours_in_flight_are_put_together_and_large_ones_split() {
        // The vendor's example: eight requests of 32 KiB that follow each other are one of 256 KiB.
        let chain: Vec<_> = (0..8).map(|i| request(i * 100, i * 32, 32)).collect();
        assert_eq!(charged(&chain), [[8, 256 << 10], [1, 256 << 10], [1, 1 << 20]]);
        let random: Vec<_> = (0..8).map(|i| request(i * 100, i * 3200, 32)).collect();
        assert_eq!(charged(&random), [[8, 256 << 10], [8, 256 << 10], [8, 8 << 20]]);
        assert_eq!(charged(&[request(0, 0, 1024)]), [[1, 1 << 20], [4, 1 << 20], [1, 1 << 20]]);
        // A request that waited for the previous one cannot have been merged with it.
        let waited: Vec<_> = (0..8).map(|i| request(i * 1100, i * 32, 32)).collect();
        assert_eq!(charged(&waited)[1], [8, 256 << 10]);
    }

    #[test]
    fn without_ends_only_those_close_together_are() {
        let one = |at, offset| RecordedRequest { latency: None, ..request(at, offset, 32) };
        assert_eq!(charged(&[one(0, 0), one(900, 32), one(2000, 64)])[1][0], 2);
    }

    #[test]
    fn seconds_are_kept_in_order_though_a_clock_goes_back() {
        let mut builder = LoadBuilder::new(Countings::from_all([None].into_iter()));
        for at in [0, 5_000_000, 2_000_000, 5_100_000] {
            builder.add(&request(at, 0, 4));
        }
        let (countings, loads) = builder.finish();
        let load = &loads[&0];
        assert_eq!((load.seconds.as_slice(), load.requests(&countings)), ([0, 2, 5].as_slice(), 4));
        let sum = Load::sum([load, load].into_iter(), countings.stride());
        assert_eq!((sum.seconds.len(), sum.charged[4]), (3, [4, 16 << 10]));
    }
}

//! Interface to databases. A session drives a database engine batch by batch, and reports the latency of each operation
//! and commit.
//!
//! A block engine receives offsets; a session receives subscripts of globals. The session times each operation itself,
//! because only it knows where an operation ends inside a transaction. The worker chooses subscripts, generates values,
//! paces and records.

use crate::pattern::distribution::OffsetDistribution;
use crate::random::{Random, mix};
use model::Job;
use model::plan::{Distribution, GlobalSize, KeyOrder, NodeNames, SessionRule, Skew, ValueRule, scattered_subscript};
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Key of a record: a subscript of a global.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Number of the global, from 1.
    pub global: u32,
    /// Integer subscript, from 1. For named nodes ([`SessionRule::names`]), the number of the name.
    pub subscript: u64,
}

/// Kind of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchKind {
    /// Set each key to its value. Missing keys are created.
    Update,
    /// Read each key.
    Read,
    /// Read as many records as there are keys, in the engine's order, starting at the first key.
    Scan,
}

/// Batch of operations of one kind.
#[derive(Debug)]
pub struct Batch<'a> {
    /// Kind of the operations.
    pub kind: BatchKind,
    /// True if all updates form one transaction; otherwise each is made durable separately.
    pub transaction: bool,
    /// Keys of the records; never empty.
    pub keys: &'a [Key],
    /// Values of updates, one per key; empty for reads.
    pub values: Values<'a>,
}

impl Batch<'_> {
    /// Returns `true` if all records belong to one global and their subscripts are ascending and greater than `last`.
    #[must_use]
    pub fn rises_from(&self, last: u64) -> bool {
        self.keys.first().is_some_and(|k| k.subscript > last)
            && self.keys.windows(2).all(|w| w[0].global == w[1].global && w[0].subscript < w[1].subscript)
    }
}

/// Values stored consecutively in one buffer.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    bytes: &'a [u8],
    ends: &'a [u32],
}

impl<'a> Values<'a> {
    /// Empty values, for batches that only read.
    pub const NONE: Values<'static> = Values { bytes: &[], ends: &[] };

    /// Returns the value for the key at this index. The value consists of ASCII letters, digits and blanks.
    #[must_use]
    pub fn get(&self, which: usize) -> &'a [u8] {
        let from = if which == 0 { 0 } else { self.ends[which - 1] as usize };
        &self.bytes[from..self.ends[which] as usize]
    }
}

/// Returns the key under which a secondary index lists a node with this value. `index` counts from 1. The key has 31
/// bits and is evenly distributed. Because all values differ, an update moves the node in each index.
#[must_use]
pub fn index_key(value: &[u8], index: u32) -> u32 {
    // Fowler, Noll, Vo.
    let hash = value.iter().fold(0xcbf2_9ce4_8422_2325, |h: u64, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3));
    (mix(hash ^ (u64::from(index) << 56)) >> 33) as u32
}

/// Results of a batch. Latencies are in nanoseconds.
#[derive(Debug, Default)]
pub struct BatchResult {
    /// Latency of each operation, in order. Preallocated for a whole batch.
    pub each: Vec<u64>,
    /// Latency of each commit. A transaction has one commit. Separate updates have no entries, because their latency
    /// includes the commit.
    pub commits: Vec<u64>,
    /// Duration of the whole transaction, including begin and commit; 0 = the duration of the call. Set by sessions
    /// that use another process, because that process measures the duration more precisely.
    pub whole: u64,
    /// Total size of the values read or written, in bytes.
    pub bytes: u64,
    /// Number of operations that found no record. They count as failed.
    pub missing: u64,
}

impl BatchResult {
    /// Creates a result with room for batches of `batch` operations.
    #[must_use]
    pub fn with_room(batch: usize) -> Self {
        BatchResult { each: Vec::with_capacity(batch), commits: Vec::with_capacity(batch), ..BatchResult::default() }
    }

    /// Clears the result for the next batch.
    pub fn clear(&mut self) {
        self.each.clear();
        self.commits.clear();
        (self.whole, self.bytes, self.missing) = (0, 0, 0);
    }
}

/// Connection to a database, driven by one thread.
pub trait Session {
    /// Performs a batch and returns when it is done. `result` must be empty. Memory use must not grow with the length
    /// of the run.
    ///
    /// # Errors
    /// Returns an error if the engine fails. The transaction has then been rolled back, and the load ends.
    fn perform(&mut self, batch: &Batch<'_>, result: &mut BatchResult) -> io::Result<()>;
}

/// Factory for a load's sessions.
pub trait Sessions: Send + Sync {
    /// Opens a session on the thread that will drive it.
    ///
    /// # Errors
    /// Returns the reason as one sentence.
    fn open(&self, job: &Job, worker: u32) -> Result<Box<dyn Session>, String>;

    /// Returns a flag that is set while the engine writes back concurrently with the sessions (a checkpoint, an epoch).
    fn writing_back(&self) -> Arc<AtomicBool>;
}

/// Open session, and a flag that is set while the engine writes back.
pub type Opened = (Box<dyn Session>, Arc<AtomicBool>);

/// Generator of the subscripts and values of one worker's batches.
pub struct KeyGenerator {
    rule: SessionRule,
    rng: Random,
    /// Next subscript or node number, for sequential orders and inserts.
    next: u64,
    /// Index in `rule.read` of the global that sequential reads have reached.
    reading: usize,
    /// Cumulative record counts of the globals in `rule.read`.
    read_ends: Vec<u64>,
    /// Distributions of the records to update and of the records to read. Positions begin at 0.
    drawn: [PlaceLaw; 2],
    worker: u32,
    /// Number of the last value generated.
    made: u64,
    keys: Vec<Key>,
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

/// Distribution of positions.
enum PlaceLaw {
    Even(u64),
    Zipf(Box<OffsetDistribution>),
    /// The first `hot` of `all` positions are hot. `share` is the share of draws that select a hot position.
    Hotspot {
        all: u64,
        hot: u64,
        share: f64,
    },
}

impl PlaceLaw {
    /// Creates a distribution over the positions from 0 to `places` - 1 (at least one position). `common` determines
    /// the hot positions; `random` belongs to the worker.
    fn new(skew: Option<Skew>, places: u64, common: u64, random: Random) -> PlaceLaw {
        let positions = places.max(1);
        match skew {
            None => PlaceLaw::Even(positions),
            Some(Skew::Zipf(theta)) => {
                let law = OffsetDistribution::new(Distribution::Zipf(theta), None, positions, common, random);
                PlaceLaw::Zipf(Box::new(law))
            }
            Some(Skew::Hotspot { drawn, subscripts }) => {
                let hot = ((positions as f64 * subscripts / 100.0).round() as u64).clamp(1, positions);
                PlaceLaw::Hotspot { all: positions, hot, share: drawn / 100.0 }
            }
        }
    }

    fn next(&mut self, rng: &mut Random) -> u64 {
        match self {
            PlaceLaw::Even(all) => rng.below(*all),
            PlaceLaw::Zipf(law) => law.next(),
            PlaceLaw::Hotspot { all, hot, share } if *hot < *all && rng.unit() >= *share => {
                *hot + rng.below(*all - *hot)
            }
            PlaceLaw::Hotspot { hot, .. } => rng.below(*hot),
        }
    }
}

/// Letters that fill values. The starting letter shifts with the number of the value, so that no two values look alike.
const FILL: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ab";

impl KeyGenerator {
    /// Creates a generator for one worker of a job, with the job's seed. `epoch` distinguishes the values of different
    /// runs.
    #[must_use]
    pub fn new(rule: &SessionRule, seed: u64, worker: u32, epoch: u64) -> Self {
        let batch = rule.batch.max(1) as usize;
        let mut sum = 0;
        let ends: Vec<u64> = rule
            .read
            .iter()
            .map(|g| {
                sum += g.total();
                sum
            })
            .collect();
        // The upper half of the seed differs between workers; hot positions are the same for all workers.
        let common = seed & u64::from(u32::MAX);
        let law = |count: u64, which: u64| {
            let random = Random::new(seed ^ (u64::from(worker) << 40) ^ (which << 36));
            PlaceLaw::new(rule.extra.skew, count, common, random)
        };
        let drawn = [law(rule.own.total(), 1), law(sum, 2)];
        KeyGenerator {
            rng: Random::new(seed ^ (u64::from(worker) << 40)),
            next: match rule.order {
                KeyOrder::Sequential { from } => from.max(1),
                KeyOrder::Insert { scattered } => 1 + if scattered { rule.own.scattered } else { rule.own.count },
                KeyOrder::Random | KeyOrder::Scan | KeyOrder::New => 1,
            },
            reading: 0,
            read_ends: ends,
            drawn,
            worker,
            made: epoch,
            keys: Vec::with_capacity(batch),
            bytes: Vec::with_capacity(batch * (rule.value.longest() as usize + 32)),
            ends: Vec::with_capacity(batch),
            rule: rule.clone(),
        }
    }

    /// Returns an empty result with room for a batch.
    #[must_use]
    pub fn empty_result(&self) -> BatchResult {
        BatchResult::with_room(self.rule.batch.max(1) as usize)
    }

    /// Returns the pause after a batch, in nanoseconds.
    pub fn pause(&mut self) -> u64 {
        let hang = self.rule.hang.as_nanos();
        let spread = hang / 100 * u64::from(self.rule.hang_variation.min(100));
        if spread == 0 { hang } else { hang - spread + self.rng.below(2 * spread + 1) }
    }

    /// Returns the next batch, with at most `most` operations.
    pub fn draw(&mut self, most: u64) -> Batch<'_> {
        let reads = match self.rule.read_percent {
            0 => false,
            100.. => true,
            // RanIO draws a number in 1..100 and reads if it is at most the percentage.
            percent => self.rng.below(100) < u64::from(percent),
        };
        let n = u64::from(self.rule.batch.max(1)).min(most).max(1);
        self.keys.clear();
        self.bytes.clear();
        self.ends.clear();
        for _ in 0..n {
            let key = if reads { self.key_to_read() } else { self.key_to_set() };
            self.keys.push(key);
            if !reads {
                self.made += 1;
                self.value(key);
            }
        }
        let kind = match (reads, self.rule.order) {
            (false, _) => BatchKind::Update,
            (true, KeyOrder::Scan) => BatchKind::Scan,
            (true, _) => BatchKind::Read,
        };
        let values = Values { bytes: &self.bytes, ends: &self.ends };
        Batch { kind, transaction: self.rule.transaction, keys: &self.keys, values }
    }

    fn key_to_set(&mut self) -> Key {
        let GlobalSize { number, count, .. } = self.rule.own;
        let subscript = match self.rule.order {
            KeyOrder::Random => self.rule.own.subscript(self.drawn[0].next(&mut self.rng) + 1),
            KeyOrder::Insert { scattered } => {
                let node = self.next;
                self.next += 1;
                if scattered { scattered_subscript(node) } else { node }
            }
            KeyOrder::New => {
                let names = self.rule.names.as_ref().map_or(u64::MAX, NodeNames::count);
                count + 1 + self.rng.below(names.saturating_sub(count).max(1))
            }
            KeyOrder::Sequential { .. } | KeyOrder::Scan => self.step(count),
        };
        Key { global: number, subscript }
    }

    fn key_to_read(&mut self) -> Key {
        if self.rule.order == KeyOrder::Random {
            let at = self.drawn[1].next(&mut self.rng);
            let which = self.read_ends.partition_point(|end| *end <= at).min(self.rule.read.len().saturating_sub(1));
            let before = if which == 0 { 0 } else { self.read_ends[which - 1] };
            let global = self.rule.read[which];
            return Key { global: global.number, subscript: global.subscript(at - before + 1) };
        }
        let GlobalSize { number, count, .. } = self.rule.read[self.reading];
        let subscript = self.step(count);
        if self.next == 1 {
            self.reading = (self.reading + 1) % self.rule.read.len();
        }
        Key { global: number, subscript }
    }

    fn step(&mut self, count: u64) -> u64 {
        let now = self.next.clamp(1, count.max(1));
        self.next = if now >= count { 1 } else { now + 1 };
        now
    }

    /// Appends the value with number `self.made`.
    fn value(&mut self, key: Key) {
        let from = self.bytes.len();
        let made = self.made;
        match self.rule.value {
            ValueRule::Text => {
                self.bytes.extend_from_slice(b"Updated by job ");
                digits(&mut self.bytes, u64::from(self.worker) + 1);
                self.bytes.extend_from_slice(b" at ");
                digits(&mut self.bytes, key.subscript);
                self.bytes.extend_from_slice(b" number ");
                digits(&mut self.bytes, made);
                // PerfTools' text is about 45 bytes long.
                while self.bytes.len() < from + 45 {
                    self.bytes.push(b'.');
                }
            }
            ValueRule::Length { from: least, to } => {
                let length = u64::from(least) + self.rng.below(u64::from(to.saturating_sub(least)) + 1);
                digits(&mut self.bytes, made);
                self.bytes.push(b' ');
                let end = from + length as usize;
                self.bytes.truncate(end);
                let shift = (made % 64) as usize;
                while self.bytes.len() < end {
                    let take = (end - self.bytes.len()).min(64 - shift);
                    self.bytes.extend_from_slice(&FILL[shift..shift + take]);
                }
            }
        }
        self.ends.push(self.bytes.len() as u32);
    }
}

/// Appends decimal digits. Does not use the formatter, because this runs for every update.
fn digits(into: &mut Vec<u8>, mut number: u64) {
    let mut text = [0u8; 20];
    let mut at = text.len();
    loop {
        at -= 1;
        text[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    into.extend_from_slice(&text[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;

    fn rule(order: KeyOrder, read_percent: u8) -> SessionRule {
        SessionRule {
            blocks: false,
            batch: 5,
            transaction: true,
            hang: Nanos::from_millis(1),
            hang_variation: 20,
            read_percent,
            own: GlobalSize::new(2, 7),
            read: vec![GlobalSize::new(1, 3), GlobalSize::new(2, 7)],
            order,
            value: ValueRule::Length { from: 200, to: 255 },
            names: None,
            extra: Default::default(),
        }
    }

    #[test]
    fn updates_go_to_the_workers_own_global_and_no_value_comes_twice() {
        let mut drawer = KeyGenerator::new(&rule(KeyOrder::Random, 0), 1, 0, 0);
        let mut seen = std::collections::HashSet::new();
        for _ in 0..100 {
            let batch = drawer.draw(u64::MAX);
            assert_eq!((batch.kind, batch.keys.len()), (BatchKind::Update, 5));
            assert!(batch.keys.iter().all(|k| k.global == 2 && (1..=7).contains(&k.subscript)));
            for which in 0..5 {
                let value = batch.values.get(which);
                assert!((200..=255).contains(&value.len()) && value.is_ascii());
                assert!(seen.insert(value.to_vec()));
            }
        }
    }

    #[test]
    fn new_nodes_are_beyond_those_that_were_made() {
        let names = NodeNames { name: 0, depth: 1, length: 2 };
        let mut drawer = KeyGenerator::new(&SessionRule { names: Some(names), ..rule(KeyOrder::New, 0) }, 1, 0, 0);
        let mut seen = std::collections::HashSet::new();
        for _ in 0..2000 {
            seen.extend(drawer.draw(u64::MAX).keys.iter().map(|k| k.subscript));
        }
        let (least, most) = (seen.iter().min().unwrap(), seen.iter().max().unwrap());
        assert!(*least > 7 && *most <= names.count() && seen.len() > 2500, "{least} to {most}, {}", seen.len());
    }

    #[test]
    fn keys_of_indexes_are_spread_and_of_each_index_others() {
        let key = |n: u32, index: u32| index_key(format!("{n} abc").as_bytes(), index);
        let firsts: std::collections::BTreeSet<u32> = (0..10_000).map(|n| key(n, 1)).collect();
        assert!(firsts.len() > 9_990 && firsts.iter().all(|k| *k < 1 << 31));
        let low = firsts.range(..1 << 30).count();
        assert!((4_700..5_300).contains(&low), "{low}");
        assert_eq!((0..10_000).filter(|n| key(*n, 1) == key(*n, 2)).count(), 0);
        assert_eq!(key(7, 1), key(7, 1));
    }

    #[test]
    fn inserts_go_on_behind_what_is_there_and_reads_reach_what_they_made() {
        let global = GlobalSize { scattered: 2, ..GlobalSize::new(2, 7) };
        let keys = |rule: &SessionRule, batches: u32| {
            let mut drawer = KeyGenerator::new(rule, 1, 0, 0);
            (0..batches).flat_map(|_| drawer.draw(u64::MAX).keys.to_vec()).map(|k| k.subscript).collect::<Vec<_>>()
        };
        let ordered = SessionRule { own: global, ..rule(KeyOrder::Insert { scattered: false }, 0) };
        assert_eq!(keys(&ordered, 2), (8..18).collect::<Vec<_>>());
        let scattered = SessionRule { own: global, ..rule(KeyOrder::Insert { scattered: true }, 0) };
        assert_eq!(keys(&scattered, 1), (3..8).map(scattered_subscript).collect::<Vec<_>>());
        let existing: std::collections::BTreeSet<u64> = (1..=9).map(|node| global.subscript(node)).collect();
        for percent in [0, 100] {
            let drawn = SessionRule { own: global, read: vec![global], ..rule(KeyOrder::Random, percent) };
            assert_eq!(keys(&drawn, 100).into_iter().collect::<std::collections::BTreeSet<_>>(), existing);
        }
    }

    #[test]
    fn a_sequence_visits_every_subscript_once_and_the_last_batch_is_cut() {
        let mut drawer = KeyGenerator::new(&rule(KeyOrder::Sequential { from: 1 }, 0), 1, 0, 0);
        let mut keys: Vec<u64> = drawer.draw(u64::MAX).keys.iter().map(|k| k.subscript).collect();
        keys.extend(drawer.draw(2).keys.iter().map(|k| k.subscript));
        assert_eq!(keys, [1, 2, 3, 4, 5, 6, 7]);
        let mut reader = KeyGenerator::new(&rule(KeyOrder::Sequential { from: 1 }, 100), 1, 0, 0);
        let read: Vec<(u32, u64)> = (0..2)
            .flat_map(|_| reader.draw(5).keys.iter().map(|k| (k.global, k.subscript)).collect::<Vec<_>>())
            .collect();
        assert_eq!(read[..4], [(1, 1), (1, 2), (1, 3), (2, 1)]);
    }

    #[test]
    fn reads_are_drawn_evenly_by_subscript_over_all_globals() {
        let mut drawer = KeyGenerator::new(&rule(KeyOrder::Random, 100), 3, 0, 0);
        let mut count = std::collections::BTreeMap::new();
        for _ in 0..4000 {
            for key in drawer.draw(u64::MAX).keys {
                *count.entry((key.global, key.subscript)).or_insert(0u32) += 1;
            }
        }
        assert_eq!(count.len(), 10);
        assert!(count.values().all(|n| (1700..2300).contains(n)), "{count:?}");
    }

    fn share_of_first(skew: Skew, read_percent: u8, most: u64) -> f64 {
        let global = GlobalSize::new(2, 1000);
        let rule = SessionRule {
            own: global,
            read: vec![global],
            extra: model::plan::SessionExtra { skew: Some(skew), ..Default::default() },
            ..rule(KeyOrder::Random, read_percent)
        };
        let mut drawer = KeyGenerator::new(&rule, 7, 1, 0);
        let mut hits = vec![0u32; 1001];
        (0..20_000).for_each(|_| drawer.draw(u64::MAX).keys.iter().for_each(|k| hits[k.subscript as usize] += 1));
        assert_eq!(hits[0], 0);
        // Hot spots are at the beginning; the ranks of a Zipf distribution can be anywhere.
        if matches!(skew, Skew::Zipf(_)) {
            hits.sort_unstable_by(|a, b| b.cmp(a));
            return f64::from(hits.iter().take(most as usize).sum::<u32>()) / 100_000.0;
        }
        f64::from(hits[1..=most as usize].iter().sum::<u32>()) / 100_000.0
    }

    #[test]
    fn skew_draws_what_is_hot_as_often_as_its_law_says() {
        for read_percent in [0, 100] {
            let share = share_of_first(Skew::Hotspot { drawn: 80.0, subscripts: 20.0 }, read_percent, 200);
            assert!((share - 0.8).abs() < 0.01, "{share}");
            // Expected share of the first ten of 1000 ranks: (sum of 1/i^0.99 to 10) / (the same sum to 1000).
            let sum = |n: u64| (1..=n).map(|i| (i as f64).powf(-0.99)).sum::<f64>();
            let share = share_of_first(Skew::Zipf(0.99), read_percent, 10);
            assert!((share - sum(10) / sum(1000)).abs() < 0.01, "{share}");
        }
    }

    #[test]
    fn what_is_hot_is_the_same_for_every_worker() {
        let global = GlobalSize::new(2, 1000);
        let hottest = |worker: u32| {
            let extra = model::plan::SessionExtra { skew: Some(Skew::Zipf(1.2)), ..Default::default() };
            let rule = SessionRule { own: global, read: vec![global], extra, ..rule(KeyOrder::Random, 100) };
            let seed = 99u64.wrapping_add(u64::from(worker) << 32);
            let mut drawer = KeyGenerator::new(&rule, seed, worker, 0);
            let mut hits = vec![0u32; 1001];
            (0..5000).for_each(|_| drawer.draw(u64::MAX).keys.iter().for_each(|k| hits[k.subscript as usize] += 1));
            (0..hits.len()).max_by_key(|i| hits[*i]).unwrap()
        };
        assert!(hottest(0) == hottest(1) && hottest(1) == hottest(7));
    }

    #[test]
    fn whole_batches_are_mixed_by_percent_and_pauses_vary_as_asked() {
        let mut drawer = KeyGenerator::new(&rule(KeyOrder::Random, 70), 9, 0, 0);
        let reads = (0..2000).filter(|_| drawer.draw(u64::MAX).kind == BatchKind::Read).count();
        assert!((1300..1500).contains(&reads), "{reads}");
        let pauses: Vec<u64> = (0..1000).map(|_| drawer.pause()).collect();
        assert!(pauses.iter().all(|p| (800_000..=1_200_000).contains(p)));
        assert!(pauses.iter().any(|p| *p < 850_000) && pauses.iter().any(|p| *p > 1_150_000));
    }
}

//! The log page with the counters of an EBS volume: its operations, its latencies, and the time in which its limits and
//! its instance's limits were exceeded.
//!
//! All numbers are little-endian. The layout follows `struct amzn_latency_log_page_base` in nvme-cli
//! (`plugins/amzn/amzn-nvme.c`), which is the same as `nvme_get_amzn_stats_logpage` in Amazon's amazon-ec2-utils
//! (`ebsnvme`). The latter documents the units. The EBS user guide describes the counters ("Amazon EBS detailed
//! performance statistics").
//!
//! | bytes | content |
//! |---|---|
//! | 0 | magic |
//! | 4 | version |
//! | 8, 16 | operations completed: reads, writes |
//! | 24, 32 | bytes: reads, writes |
//! | 40, 48 | total microseconds of all operations: reads, writes |
//! | 56, 64 | microseconds in which the demand exceeded a limit of the volume: IOPS, throughput |
//! | 72, 80 | the same for the instance: IOPS, throughput |
//! | 88 | operations waiting now |
//! | 512, 2056 | latencies of reads, of writes: number of bins, and 64 bins of 24 bytes |
//!
//! A bin consists of its lower and upper edge in microseconds (8 bytes each), the number of operations in the bin (4
//! bytes) and 4 bytes of padding.

/// Size of the page in bytes.
pub(super) const PAGE: usize = 4096;
/// Magic number at the start of an EBS volume's page. An instance's local disks have another magic number and no volume
/// limits.
const MAGIC: u32 = 0x3C23_B510;
/// Maximum number of bins in a histogram.
const BINS: usize = 64;
const BIN_BYTES: usize = 24;
/// Minimum number of operations beyond a percentile for the percentile to be meaningful (docs/design/statistics.md,
/// "Percentiles").
const BEYOND: u64 = 10;

/// One reading, counted since the volume was attached.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Page {
    /// Counts for reads, followed by counts for writes.
    pub ways: [Way; 2],
    /// Microseconds in which the demand exceeded a limit, in the order of [`LIMITS`].
    pub exceeded: [u64; 4],
    /// Number of reads and writes waiting to be completed.
    pub queue: u64,
}

/// Limits, in the page's order. For each limit, the page counts how long it was exceeded. Each name is part of a series
/// name.
pub(super) const LIMITS: [&str; 4] = ["volume_iops", "volume_throughput", "instance_iops", "instance_throughput"];

/// Counts for one direction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Way {
    pub ops: u64,
    pub bytes: u64,
    /// Total time of all operations, in microseconds.
    pub time: u64,
    /// Histogram bins: lower and upper edge in microseconds, and the number of operations between them.
    pub bins: Vec<(u64, u64, u32)>,
}

impl Page {
    /// Parses a page; `None` if it is too short or not from an EBS volume.
    pub fn read(bytes: &[u8]) -> Option<Page> {
        let magic = bytes.get(..4)?;
        if magic != MAGIC.to_le_bytes() {
            return None;
        }
        let way = |i: usize| {
            Some(Way {
                ops: number(bytes, 8 + 8 * i)?,
                bytes: number(bytes, 24 + 8 * i)?,
                time: number(bytes, 40 + 8 * i)?,
                bins: bins(bytes, [512, 2056][i])?,
            })
        };
        let mut exceeded = [0; 4];
        for (i, microseconds) in exceeded.iter_mut().enumerate() {
            *microseconds = number(bytes, 56 + 8 * i)?;
        }
        Some(Page { ways: [way(0)?, way(1)?], exceeded, queue: number(bytes, 88)? })
    }

    /// Returns the growth of the counts since an earlier reading, and the current queue length. Returns `None` if a
    /// count decreased, which means that the volume was attached again.
    pub fn since(&self, then: &Page) -> Option<Page> {
        let mut exceeded = [0; 4];
        for (i, microseconds) in exceeded.iter_mut().enumerate() {
            *microseconds = self.exceeded[i].checked_sub(then.exceeded[i])?;
        }
        let ways = [self.ways[0].since(&then.ways[0])?, self.ways[1].since(&then.ways[1])?];
        Some(Page { ways, exceeded, queue: self.queue })
    }
}

impl Way {
    fn since(&self, then: &Way) -> Option<Way> {
        let same = self.bins.len() == then.bins.len()
            && self.bins.iter().zip(&then.bins).all(|(a, b)| (a.0, a.1) == (b.0, b.1));
        let bins = match same {
            // Counts have 32 bits; a fast volume exceeds that within a day.
            true => self.bins.iter().zip(&then.bins).map(|(a, b)| (a.0, a.1, a.2.wrapping_sub(b.2))).collect(),
            false => Vec::new(),
        };
        Some(Way {
            ops: self.ops.checked_sub(then.ops)?,
            bytes: self.bytes.checked_sub(then.bytes)?,
            time: self.time.checked_sub(then.time)?,
            bins,
        })
    }

    /// Returns an upper bound of the 99th percentile in microseconds: the upper edge of the bin that contains it.
    /// Returns `None` if fewer than ten operations are beyond the percentile, or if that bin has no upper edge.
    pub fn p99_at_most(&self) -> Option<u64> {
        let total: u64 = self.bins.iter().map(|b| u64::from(b.2)).sum();
        let rank = total - total / 100;
        if total / 100 < BEYOND {
            return None;
        }
        let mut below = 0;
        let at = self.bins.iter().find(|bin| {
            below += u64::from(bin.2);
            below >= rank
        })?;
        (at.1 > at.0 && at.1 < u64::from(u32::MAX)).then_some(at.1)
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|eight| u64::from_le_bytes(*eight))
}

fn bins(bytes: &[u8], at: usize) -> Option<Vec<(u64, u64, u32)>> {
    let bin_count = usize::try_from(number(bytes, at)?).unwrap_or(BINS).min(BINS);
    let bin = |i: usize| {
        let at = at + 8 + i * BIN_BYTES;
        let count = bytes.get(at + 16..)?.first_chunk()?;
        Some((number(bytes, at)?, number(bytes, at + 8)?, u32::from_le_bytes(*count)))
    };
    (0..bin_count).map(bin).collect()
}

/// Pages built according to the layout.
#[cfg(test)]
pub(super) mod testkit {
    use super::*;

    /// Returns the bytes of a page.
    pub(crate) fn bytes(page: &Page) -> Vec<u8> {
        let mut out = vec![0u8; PAGE];
        let mut put = |at: usize, number: &[u8]| out[at..at + number.len()].copy_from_slice(number);
        put(0, &MAGIC.to_le_bytes());
        for (i, way) in page.ways.iter().enumerate() {
            put(8 + 8 * i, &way.ops.to_le_bytes());
            put(24 + 8 * i, &way.bytes.to_le_bytes());
            put(40 + 8 * i, &way.time.to_le_bytes());
            let at = [512, 2056][i];
            put(at, &(way.bins.len() as u64).to_le_bytes());
            for (n, (lower, upper, count)) in way.bins.iter().enumerate() {
                let at = at + 8 + n * BIN_BYTES;
                put(at, &lower.to_le_bytes());
                put(at + 8, &upper.to_le_bytes());
                put(at + 16, &count.to_le_bytes());
            }
        }
        for (i, microseconds) in page.exceeded.iter().enumerate() {
            put(56 + 8 * i, &microseconds.to_le_bytes());
        }
        put(88, &page.queue.to_le_bytes());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn page() -> Page {
        let way = |n: u64| Way {
            ops: n,
            bytes: n * 8192,
            time: n * 600,
            bins: vec![(0, 1 << 9, 3), (1 << 9, 1 << 10, n as u32), (1 << 10, u64::MAX, 0)],
        };
        Page { ways: [way(70_000), way(9)], exceeded: [1, 22, 333, 4444], queue: 17 }
    }

    #[test]
    fn fields_lie_where_the_documents_say() {
        let bytes = testkit::bytes(&page());
        assert_eq!(bytes[..4], [0x10, 0xB5, 0x23, 0x3C], "the magic, as it lies in memory");
        assert_eq!(Page::read(&bytes), Some(page()));
        // The second histogram directly follows the first, and 496 bytes remain to the end of the page.
        assert_eq!((512 + 8 + BINS * BIN_BYTES, 2056 + 8 + BINS * BIN_BYTES), (2056, PAGE - 496));
    }

    #[test]
    fn a_page_of_another_kind_or_cut_short_is_none() {
        let bytes = testkit::bytes(&page());
        let mut local = bytes.clone();
        // The magic of an instance's local disk.
        local[..4].copy_from_slice(&0xEC2C_0D7E_u32.to_le_bytes());
        assert_eq!(Page::read(&local), None);
        assert_eq!(Page::read(&[0; PAGE]), None);
        assert_eq!(Page::read(&bytes[..95]), None);
        assert_eq!(Page::read(&[]), None);
    }

    #[test]
    fn a_number_of_bins_beyond_the_room_for_them_is_cut() {
        let mut bytes = testkit::bytes(&page());
        bytes[512..520].copy_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(Page::read(&bytes).expect("a page").ways[0].bins.len(), BINS);
    }

    #[test]
    fn growth_is_counted_and_a_volume_attached_anew_has_none() {
        let then = page();
        let mut now = page();
        now.ways[0].ops += 10;
        now.ways[0].bins[1].2 = 5;
        now.exceeded[2] += 250_000;
        now.queue = 3;
        let grown = now.since(&then).expect("it grew");
        assert_eq!((grown.ways[0].ops, grown.exceeded, grown.queue), (10, [0, 0, 250_000, 0], 3));
        assert_eq!(grown.ways[0].bins[1].2, 5u32.wrapping_sub(70_000), "around in 32 bits");
        assert_eq!(then.since(&now), None);
    }

    #[test]
    fn the_percentile_is_the_upper_edge_of_its_bin() {
        let p99 = |bins: &[(u64, u64, u32)]| Way { bins: bins.to_vec(), ..Way::default() }.p99_at_most();
        assert_eq!(p99(&[(0, 512, 985), (512, 1024, 15)]), Some(1024));
        assert_eq!(p99(&[(0, 512, 990), (512, 1024, 10)]), Some(512));
        assert_eq!(p99(&[(0, 512, 900)]), None, "nine beyond it");
        assert_eq!(p99(&[(0, u64::MAX, 5000)]), None, "no upper edge");
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..PAGE + 8), magic: bool) {
            let mut bytes = bytes;
            if magic && bytes.len() >= 4 {
                bytes[..4].copy_from_slice(&MAGIC.to_le_bytes());
            }
            if let Some(page) = Page::read(&bytes) {
                let grown = page.since(&page).expect("nothing went back");
                prop_assert_eq!(grown.exceeded, [0; 4]);
                let _ = page.ways[0].p99_at_most();
            }
        }

        #[test]
        fn a_page_is_read_as_it_was_written(
            numbers: [u64; 11], bins in prop::collection::vec(any::<(u64, u64, u32)>(), 0..=BINS)
        ) {
            let way = |i: usize| Way {
                ops: numbers[i], bytes: numbers[2 + i], time: numbers[4 + i], bins: bins.clone(),
            };
            let page = Page {
                ways: [way(0), way(1)],
                exceeded: [numbers[6], numbers[7], numbers[8], numbers[9]],
                queue: numbers[10],
            };
            prop_assert_eq!(Page::read(&testkit::bytes(&page)), Some(page));
        }
    }
}

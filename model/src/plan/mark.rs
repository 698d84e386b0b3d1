//! Disk mark: its tests, its profiles, and the directions of each test.
//!
//! Sources: CrystalDiskMark 8 and KDiskMark 3 (`appsettings.cpp`, `defaultBenchmarkParams`) for the profiles; the
//! tests of `cdm6` are those of CrystalDiskMark 6 (`DiskBench.cpp`, whose deep sequential test has blocks of 128 KiB).

use crate::plan::{Access, BlockSizes, Mix};
use crate::{Bytes, Job};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One row of a mark: sequential or random blocks of one size, `threads` threads with `queues` operations in flight
/// each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MarkTest {
    /// True for random offsets, false for sequential ones.
    pub random: bool,
    /// Size of an operation, in bytes.
    pub block: Bytes,
    /// Operations in flight per thread: the Q in the name.
    pub queues: u32,
    /// Number of threads, each with its own queue: the T in the name.
    pub threads: u32,
}

const fn seq(kib: u64, queues: u32, threads: u32) -> MarkTest {
    MarkTest { random: false, block: Bytes::from_kib(kib), queues, threads }
}

const fn rnd(kib: u64, queues: u32, threads: u32) -> MarkTest {
    MarkTest { random: true, block: Bytes::from_kib(kib), queues, threads }
}

/// A named list of tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkProfile {
    /// Name as a value of the option.
    pub name: &'static str,
    /// Title in CrystalDiskMark's text output.
    pub title: &'static str,
    /// Tests (rows), in order.
    pub tests: &'static [MarkTest],
}

/// All profiles, the default first.
pub const MARK_PROFILES: &[MarkProfile] = &[
    MarkProfile {
        name: "default",
        title: "Default",
        tests: &[seq(1024, 8, 1), seq(1024, 1, 1), rnd(4, 32, 1), rnd(4, 1, 1)],
    },
    MarkProfile {
        name: "nvme",
        title: "Default (NVMe SSD)",
        tests: &[seq(1024, 8, 1), seq(128, 32, 1), rnd(4, 32, 16), rnd(4, 1, 1)],
    },
    MarkProfile {
        name: "cdm6",
        title: "CrystalDiskMark 6",
        tests: &[seq(128, 32, 1), rnd(4, 8, 8), rnd(4, 32, 1), rnd(4, 1, 1)],
    },
    MarkProfile { name: "peak", title: "Peak", tests: &[seq(1024, 8, 1), rnd(4, 32, 1)] },
    MarkProfile { name: "real", title: "Real", tests: &[seq(1024, 1, 1), rnd(4, 1, 1)] },
    MarkProfile { name: "demo", title: "Demo", tests: &[seq(1024, 8, 1)] },
];

/// Maximum number of operations in flight per thread and maximum number of threads.
const MOST_QUEUES: u32 = 512;
const MOST_THREADS: u32 = 64;
/// Range of operation sizes: the minimum of direct I/O and a limit on buffer memory.
const LEAST_BLOCK: u64 = 512;
const MOST_BLOCK: u64 = 64 << 20;

/// Error for text that is not a test.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a test: {why}; examples: SEQ1M-Q8T1, RND4K-Q32T16", crate::clip(.text))]
pub struct MarkTestError {
    /// Text as typed.
    pub text: String,
    /// Description of the mistake.
    pub why: String,
}

impl FromStr for MarkTest {
    type Err = MarkTestError;

    /// Parses `SEQ1M-Q8T1`, `RND4K Q32T16` or `rnd16k-q4`: SEQ or RND, block size, operations in flight per thread,
    /// threads. Q and T default to 1.
    fn from_str(text: &str) -> Result<Self, MarkTestError> {
        let wrong = |why: String| MarkTestError { text: text.trim().to_owned(), why };
        let letters: String = text.chars().filter(|c| !matches!(c, ' ' | '-' | '_' | ',')).collect();
        let letters = letters.to_ascii_uppercase();
        let (random, rest) = match (letters.strip_prefix("SEQ"), letters.strip_prefix("RND")) {
            (Some(rest), _) => (false, rest),
            (_, Some(rest)) => (true, rest),
            _ => return Err(wrong("it does not begin with SEQ or RND".into())),
        };
        let (size, counts) = rest.split_once('Q').map_or((rest, None), |(size, counts)| (size, Some(counts)));
        let block: Bytes = match size {
            "" => return Err(wrong("the block size is missing".into())),
            size => size.parse().map_err(|e| wrong(format!("{e}")))?,
        };
        if !(LEAST_BLOCK..=MOST_BLOCK).contains(&block.as_u64()) || !block.as_u64().is_multiple_of(LEAST_BLOCK) {
            let most = Bytes(MOST_BLOCK);
            return Err(wrong(format!(
                "the block size must be a multiple of {LEAST_BLOCK} bytes up to {most}, not {block}"
            )));
        }
        let (queues, threads) = counts.map_or((Some("1"), Some("1")), |c| match c.split_once('T') {
            Some((q, t)) => (Some(q), Some(t)),
            None => (Some(c), Some("1")),
        });
        let count = |text: Option<&str>, letter: &str, most: u32| {
            let n = text.and_then(|t| t.parse().ok()).filter(|n| (1..=most).contains(n));
            n.ok_or_else(|| wrong(format!("{letter} must be a number from 1 to {most}")))
        };
        let queues = count(queues, "Q", MOST_QUEUES)?;
        let threads = count(threads, "T", MOST_THREADS)?;
        Ok(MarkTest { random, block, queues, threads })
    }
}

impl fmt::Display for MarkTest {
    /// Formats the test as `SEQ1M Q8T1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} Q{}T{}", self.pattern(), self.queues, self.threads))
    }
}

impl MarkTest {
    /// Returns the access order and block size: `SEQ1M`, `RND4K`.
    #[must_use]
    pub fn pattern(&self) -> String {
        format!("{}{}", self.kind(), self.block.short().to_ascii_uppercase())
    }

    /// Returns `SEQ` or `RND`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        if self.random { "RND" } else { "SEQ" }
    }

    /// Returns the access order of this test: sequential, or random with every block accessed once per pass.
    #[must_use]
    pub const fn access(&self) -> Access {
        if self.random { Access::RANDOM } else { Access::Sequential }
    }

    /// Returns the test that a planned job corresponds to, or `None` if its blocks have several sizes.
    #[must_use]
    pub fn from_job(job: &Job) -> Option<MarkTest> {
        let BlockSizes::Fixed(block) = job.workload.block else { return None };
        let random = job.workload.access.is_random();
        Some(MarkTest { random, block, queues: job.queue_depth, threads: job.threads })
    }
}

/// Direction of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MarkDirection {
    /// Read operations.
    Read,
    /// Write operations.
    Write,
    /// Reads and writes at once, with the share of reads in percent.
    Mix(u8),
}

impl MarkDirection {
    /// Returns the direction of a mix of operations.
    #[must_use]
    pub const fn from_mix(mix: Mix) -> MarkDirection {
        match mix.read_percent() {
            100 => MarkDirection::Read,
            0 => MarkDirection::Write,
            reads => MarkDirection::Mix(reads),
        }
    }

    /// Returns the mix of operations.
    #[must_use]
    pub const fn mix(self) -> Mix {
        match self {
            MarkDirection::Read => Mix::READ,
            MarkDirection::Write => Mix::WRITE,
            MarkDirection::Mix(reads) => Mix { write_percent: 100 - reads, trim_percent: 0 },
        }
    }

    /// Returns `read`, `write` or `mix`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            MarkDirection::Read => "read",
            MarkDirection::Write => "write",
            MarkDirection::Mix(_) => "mix",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_test_is_read_as_people_write_it() {
        for text in ["SEQ1M-Q8T1", "SEQ1M Q8T1", "seq1m_q8t1", "SEQ1MiB Q8", "SEQ1024K-Q8T1"] {
            assert_eq!(text.parse(), Ok(seq(1024, 8, 1)), "{text}");
        }
        assert_eq!("RND4K-Q32T16".parse(), Ok(rnd(4, 32, 16)));
        assert_eq!("RND512".parse(), Ok(MarkTest { block: Bytes(512), ..rnd(4, 1, 1) }));
    }

    #[test]
    fn what_is_no_test_is_told_with_an_example() {
        let error_of = |text: &str| text.parse::<MarkTest>().unwrap_err().to_string();
        assert!(error_of("4K-Q8T1").contains("not begin with SEQ or RND"));
        assert!(error_of("SEQ-Q8T1").contains("block size is missing"));
        assert!(error_of("SEQ1000-Q8T1").contains("multiple of 512"));
        assert!(error_of("SEQ1G-Q1T1").contains("64 MiB"));
        assert!(error_of("RND4K-Q0T1").contains("Q must be a number from 1 to 512"));
        assert!(error_of("RND4K-Q1T65").contains("T must be a number from 1 to 64"));
        assert!(error_of("RND4X-Q1").contains("unknown unit"));
        assert!(error_of("").contains("SEQ1M-Q8T1"));
    }

    #[test]
    fn profiles_have_names_and_rows_of_their_own() {
        for (i, p) in MARK_PROFILES.iter().enumerate() {
            assert!(!p.tests.is_empty());
            for (n, test) in p.tests.iter().enumerate() {
                assert!(!p.tests[..n].contains(test), "{} has {test} twice", p.name);
            }
            for other in &MARK_PROFILES[..i] {
                assert!(other.name != p.name && other.tests != p.tests);
            }
        }
        assert_eq!(
            MARK_PROFILES[0].tests.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T1", "RND4K Q1T1"]
        );
    }

    #[test]
    fn a_direction_is_its_mix() {
        for d in [MarkDirection::Read, MarkDirection::Write, MarkDirection::Mix(70), MarkDirection::Mix(1)] {
            assert_eq!(MarkDirection::from_mix(d.mix()), d);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(random: bool, shift in 0u32..17, queues in 1u32..=512, threads in 1u32..=64) {
            let test = MarkTest { random, block: Bytes(512 << shift), queues, threads };
            prop_assert_eq!(test.to_string().parse(), Ok(test));
        }

        #[test]
        fn no_text_breaks_it(text in "\\PC{0,40}") {
            let _ = text.parse::<MarkTest>();
        }
    }
}

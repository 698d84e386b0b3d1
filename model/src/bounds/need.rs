//! Needs: requirements of the user's database on the storage, as clauses that a run passes, fails or leaves undecided.

use crate::bounds::{Clause, Metric};
use crate::metadata::{METADATA_PHASES, MetadataPhase, MetadataShape};
use crate::units::{UnitError, suggestion};
use crate::{Bytes, Nanos, clip};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use strum::{Display, EnumString, IntoStaticStr, VariantNames};

/// A need: what is done, and the clauses it must meet **at one and the same load level**.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "NeedForm", into = "NeedForm")]
pub struct Need {
    /// Text as typed by the user.
    pub text: String,
    /// Work that the clauses are about.
    pub subject: NeedSubject,
    /// Minimum measured time of the level.
    pub lasting: Option<Nanos>,
    /// Name of the contract that the need belongs to; empty if there is none.
    pub contract: String,
    /// The demands.
    pub clauses: Vec<Clause>,
}

/// Work that a need is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeedSubject {
    /// Requests for blocks: `8k randread`.
    Blocks(BlockNeed),
    /// Operations of a database: `commits`.
    Database(DbOperation),
    /// Operations on files: `mdtest-easy create`.
    Metadata(MetadataShape, MetadataPhase),
}

/// Block workload of a need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockNeed {
    /// Block size; above 0.
    pub block: Bytes,
    /// Smallest block size that is equally acceptable, for writes whose size is not essential, for example etcd's
    /// entries of 2,300 bytes.
    pub block_from: Option<Bytes>,
    /// Direction and order of the requests.
    pub mode: NeedMode,
    /// Levels of concurrency at which the need may be met.
    pub phase: NeedPhase,
}

/// Direction and order of the requests of a need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeedMode {
    /// Sequential reads.
    Read,
    /// Sequential writes.
    Write,
    /// Sequential reads and writes, with the percentage of reads if the need names it.
    Rw(Option<u8>),
    /// Random reads.
    RandRead,
    /// Random writes.
    RandWrite,
    /// Random reads and writes, with the percentage of reads if the need names it.
    RandRw(Option<u8>),
    /// Writes that are each followed by a sync: the durable-write probe.
    Fdatasync,
}

impl NeedMode {
    /// All modes, without a percentage.
    pub const ALL: [NeedMode; 7] = [
        NeedMode::Read,
        NeedMode::Write,
        NeedMode::Rw(None),
        NeedMode::RandRead,
        NeedMode::RandWrite,
        NeedMode::RandRw(None),
        NeedMode::Fdatasync,
    ];

    /// Returns fio's name of the mode; `fdatasync` for the durable-write probe.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            NeedMode::Read => "read",
            NeedMode::Write => "write",
            NeedMode::Rw(_) => "rw",
            NeedMode::RandRead => "randread",
            NeedMode::RandWrite => "randwrite",
            NeedMode::RandRw(_) => "randrw",
            NeedMode::Fdatasync => "fdatasync",
        }
    }

    /// Parses a mode and its mix: the percentage of reads.
    fn parse(name: &str, mix: Option<u8>) -> Result<Self, UnitError> {
        let mode = NeedMode::ALL.into_iter().find(|mode| mode.name() == name).ok_or_else(|| {
            let names = NeedMode::ALL.map(NeedMode::name);
            let hint = suggestion(name, names);
            UnitError(format!("unknown mode `{}`: {}{hint}", clip(name), names.join(" ")))
        })?;
        match (mode, mix) {
            (NeedMode::Rw(_), mix) => Ok(NeedMode::Rw(mix)),
            (NeedMode::RandRw(_), mix) => Ok(NeedMode::RandRw(mix)),
            (mode, None) => Ok(mode),
            (mode, Some(_)) => Err(UnitError(format!("a mix needs mode rw or randrw, not {}", mode.name()))),
        }
    }

    /// Returns the percentage of reads of a mix, if the need names it.
    #[must_use]
    pub const fn read_percent(self) -> Option<u8> {
        match self {
            NeedMode::Rw(percent) | NeedMode::RandRw(percent) => percent,
            _ => None,
        }
    }

    /// Returns the percentage of writes; half if the need names no mix.
    #[must_use]
    pub fn write_percent(self) -> u8 {
        match self {
            NeedMode::Read | NeedMode::RandRead => 0,
            NeedMode::Rw(reads) | NeedMode::RandRw(reads) => 100 - reads.unwrap_or(50).min(100),
            NeedMode::Write | NeedMode::RandWrite | NeedMode::Fdatasync => 100,
        }
    }

    /// Returns `true` for sequential requests whose order matters.
    #[must_use]
    pub const fn is_sequential(self) -> bool {
        matches!(self, NeedMode::Read | NeedMode::Write | NeedMode::Rw(_))
    }
}

/// Operation of a database, as shown on the screens of database runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Display, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum DbOperation {
    /// Reads of a record.
    Reads,
    /// Updates of a record.
    Updates,
    /// Commits.
    Commits,
    /// Transactions.
    Transactions,
}

impl DbOperation {
    /// All operations.
    pub const ALL: [DbOperation; 4] =
        [DbOperation::Reads, DbOperation::Updates, DbOperation::Commits, DbOperation::Transactions];

    /// Returns the name in the plural.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the operation named by a word in the singular or plural.
    fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|of| of.name() == word || of.name().strip_suffix('s') == Some(word))
    }
}

/// A need as it is serialized: `block` is 0 for operations of a database and on files, and `rw` then names them.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Need"))]
struct NeedForm {
    /// Text as typed by the user.
    text: String,
    /// Block size; 0 for operations of a database and on files.
    block: Bytes,
    /// Smallest block size that is equally acceptable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    block_from: Option<Bytes>,
    /// Direction and order of the requests in fio's words, or the operation of a database or on files.
    rw: String,
    /// Percentage of reads of a mix, if the need names it.
    read_percent: Option<u8>,
    /// Levels of concurrency at which the need may be met; `None` means any.
    #[serde(default, skip_serializing_if = "crate::units::is_default")]
    phase: NeedPhase,
    /// Minimum measured time of the level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lasting: Option<Nanos>,
    /// Name of the contract that the need belongs to; `None` if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    contract: String,
    /// The demands.
    clauses: Vec<Clause>,
}

impl From<Need> for NeedForm {
    fn from(need: Need) -> Self {
        let blocks = need.blocks();
        NeedForm {
            block: blocks.map_or(Bytes(0), |b| b.block),
            block_from: blocks.and_then(|b| b.block_from),
            rw: blocks.map_or_else(|| need.workload(), |b| b.mode.name().to_owned()),
            read_percent: blocks.and_then(|b| b.mode.read_percent()),
            phase: need.phase(),
            text: need.text,
            lasting: need.lasting,
            contract: need.contract,
            clauses: need.clauses,
        }
    }
}

impl TryFrom<NeedForm> for Need {
    type Error = UnitError;

    fn try_from(form: NeedForm) -> Result<Self, UnitError> {
        let words: Vec<&str> = form.rw.split(' ').collect();
        let subject = if !form.block.is_zero() {
            let mode = NeedMode::parse(&form.rw, form.read_percent)?;
            NeedSubject::Blocks(BlockNeed::new(form.block, form.block_from, mode, form.phase)?)
        } else if let Some(operation) = DbOperation::parse(&form.rw) {
            NeedSubject::Database(operation)
        } else if let Some((shape, phase, _)) = phase_of(&words).transpose()? {
            NeedSubject::Metadata(shape, phase)
        } else {
            return Err(UnitError(format!("`{}` names no operation of a database or on files", clip(&form.rw))));
        };
        let need = Need::new(subject, form.lasting, form.clauses)?;
        Ok(Need { text: form.text, contract: form.contract, ..need })
    }
}

/// Levels of concurrency at which a need may be met.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, EnumString, IntoStaticStr, VariantNames,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum NeedPhase {
    /// Any level.
    #[default]
    Any,
    /// The sustained level: the one held after the ramp, or the only level.
    Held,
    /// The level with one operation in flight.
    Alone,
    /// Levels at which throughput still grows in proportion to concurrency, as in the stop rule of RanRead.
    Linear,
}

impl NeedPhase {
    /// Names of all phases.
    pub const NAMES: &[&str] = NeedPhase::VARIANTS;

    /// Returns the name of the phase.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Parses a phase of mdtest and returns it with the number of words used: `mdtest-easy create`, or IO500's name
/// `mdtest-easy-write`. Returns `None` if the words do not name mdtest, and an error if mdtest has no such phase.
fn phase_of(words: &[&str]) -> Option<Result<(MetadataShape, MetadataPhase, usize), UnitError>> {
    let [first, rest @ ..] = words else { return None };
    let shapes = [MetadataShape::Easy, MetadataShape::Hard];
    let (shape, behind) = shapes.into_iter().find_map(|shape| Some((shape, first.strip_prefix(shape.name())?)))?;
    let (word, used) = match (behind.strip_prefix('-'), rest) {
        (Some(word), _) => (word, 1),
        (None, [word, ..]) if behind.is_empty() => (*word, 2),
        _ => ("", 1),
    };
    let phase = MetadataPhase::ALL.into_iter().find(|phase| phase.name() == word || phase.io500_name() == word);
    let names = || METADATA_PHASES.into_iter().filter(|(of, _)| *of == shape).map(|(_, phase)| phase.name());
    Some(match phase.filter(|phase| METADATA_PHASES.contains(&(shape, *phase))) {
        Some(phase) => Ok((shape, phase, used)),
        None => {
            let phases = names().collect::<Vec<_>>().join(" ");
            let hint = suggestion(word, names());
            Err(UnitError(format!("`{}` is not a phase of {}; its phases: {phases}{hint}", clip(word), shape.name())))
        }
    })
}

impl FromStr for Need {
    type Err = UnitError;

    /// Parses a need, which has one of these forms:
    ///
    /// - blocks: `8k randread: iops>=6000, avg<=2ms, p99<=5ms`, or with a mix `16k randrw 50/50: ...`; `for 30s` and a
    ///   phase (`held`, `alone`, `linear`) may follow the mode
    /// - database run: `commit: p99<=10ms`, `updates for 60s: iops>=5000`
    /// - files: `mdtest-easy create: iops>=50k, p99<=1ms`
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let fail = |why: String| UnitError(format!("need `{}`: {why}", clip(text)));
        let (head, tail) = text.split_once(':').ok_or_else(|| {
            let example = "`BLOCK MODE: CLAUSES`, as in `8k randread: iops>=6000, p99<=5ms`";
            fail(match text.contains(['<', '>']) {
                true => format!("the colon between workload and clauses is missing: {example}"),
                false => format!("expected {example}"),
            })
        })?;
        let words: Vec<&str> = head.split_whitespace().collect();
        let error = |e: UnitError| fail(e.0);
        let files = phase_of(&words).transpose().map_err(error)?;
        let (first, rest) = match files {
            Some((shape, phase, used)) => (First::Known(NeedSubject::Metadata(shape, phase)), &words[used..]),
            None => first(&words).map_err(error)?,
        };
        let (mut phase, mut percent, mut lasting) = (NeedPhase::Any, None, None);
        let mut rest = rest.iter();
        while let Some(word) = rest.next() {
            if *word == "for" {
                let time = rest.next().ok_or_else(|| fail("a time must follow `for`, as in `for 30s`".into()))?;
                lasting = Some(time.parse().map_err(error)?);
            } else if let Ok(named) = word.parse() {
                phase = named;
            } else if word.contains('/') {
                percent = Some(mix(word).map_err(error)?);
            } else {
                let reason = format!(
                    "`{}` before the colon is not a mix (70/30), `for TIME`, any, held, alone or linear",
                    clip(word)
                );
                return Err(fail(reason));
            }
        }
        let clauses = tail.split(',').map(|c| c.trim().parse()).collect::<Result<Vec<Clause>, _>>().map_err(error)?;
        let subject = match first {
            First::Known(subject) if phase == NeedPhase::Any && percent.is_none() => subject,
            First::Known(subject) => {
                let suffix = if matches!(subject, NeedSubject::Database(_)) { " of a database" } else { "" };
                return Err(fail(format!("{subject}{suffix} can have only `for TIME`, no mix or level")));
            }
            First::Block(block, mode) => {
                let mode = NeedMode::parse(mode, percent).map_err(error)?;
                NeedSubject::Blocks(BlockNeed::new(block, None, mode, phase).map_err(error)?)
            }
        };
        let need = Need::new(subject, lasting, clauses).map_err(error)?;
        Ok(Need { text: text.trim().to_owned(), ..need })
    }
}

/// First words of a need: a complete subject, or a block size and the name of a mode.
enum First<'a> {
    Known(NeedSubject),
    Block(Bytes, &'a str),
}

/// Parses the first words of a need that is not about files. Returns them and the remaining words.
fn first<'a, 'w>(words: &'w [&'a str]) -> Result<(First<'a>, &'w [&'a str]), UnitError> {
    let operation = words.first().and_then(|word| DbOperation::parse(word));
    match (operation, words) {
        (Some(operation), [_, rest @ ..]) => Ok((First::Known(NeedSubject::Database(operation)), rest)),
        (_, [mode, ..]) if NeedMode::ALL.iter().any(|known| known.name() == *mode) => {
            Err(UnitError(format!("the block size is missing before `{mode}`, as in `8k {mode}`")))
        }
        (_, [block, mode, rest @ ..]) => Ok((First::Block(block.parse()?, mode), rest)),
        (_, [word]) if word.parse::<Bytes>().is_err() => {
            let names = DbOperation::ALL.map(|of| of.name().trim_end_matches('s'));
            let hint = suggestion(word, names);
            Err(UnitError(format!("`{}` is not one of {}{hint}", clip(word), names.join(" "))))
        }
        _ => Err(UnitError(
            "before the colon, expected a block size and a mode, as in `8k randread`; or read, update, commit or \
             transaction for a database; or a phase of mdtest, as in `mdtest-easy create`"
                .into(),
        )),
    }
}

/// Parses `70/30` and returns the percentage of reads.
fn mix(word: &str) -> Result<u8, UnitError> {
    word.split_once('/')
        .and_then(|(r, w)| Some((r.parse::<u8>().ok()?, w.parse::<u8>().ok()?)))
        .filter(|(r, w)| u16::from(*r) + u16::from(*w) == 100)
        .map(|(r, _)| r)
        .ok_or_else(|| {
            UnitError(format!("`{}` is not a mix; expected READ/WRITE in percent, with a sum of 100", clip(word)))
        })
}

impl BlockNeed {
    /// Creates the workload of a need.
    ///
    /// # Errors
    /// If the block size is 0, or `block_from` is 0 or above it.
    pub fn new(block: Bytes, block_from: Option<Bytes>, mode: NeedMode, phase: NeedPhase) -> Result<Self, UnitError> {
        if let Some(from) = block_from.filter(|from| *from > block || from.is_zero()) {
            let reason =
                format!("blocks from {from} to {block} are not a range; block_from must be above 0 and at most block");
            return Err(UnitError(reason));
        }
        if block.is_zero() {
            return Err(UnitError("the block size must be above 0".into()));
        }
        Ok(BlockNeed { block, block_from, mode, phase })
    }

    /// Parses the workload of a need from the name of a mode and a mix such as `70/30`.
    ///
    /// # Errors
    /// As [`BlockNeed::new`]; also if the mode is unknown, the text is not a mix, or the mode has none.
    pub fn parse(
        block: Bytes,
        block_from: Option<Bytes>,
        (mode, percentages): (&str, Option<&str>),
        phase: NeedPhase,
    ) -> Result<Self, UnitError> {
        BlockNeed::new(block, block_from, NeedMode::parse(mode, percentages.map(mix).transpose()?)?, phase)
    }

    /// Returns `true` if a workload of this block size matches the need.
    #[must_use]
    pub fn takes_block(&self, block: Bytes) -> bool {
        (self.block_from.unwrap_or(self.block)..=self.block).contains(&block)
    }
}

impl fmt::Display for NeedSubject {
    /// Writes the workload: `8k randrw 70/30`, `commits`, `mdtest-easy create`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NeedSubject::Blocks(of) => {
                write!(f, "{} {}", of.block.short(), of.mode.name())?;
                of.mode.read_percent().map_or(Ok(()), |r| write!(f, " {r}/{}", 100 - r.min(100)))
            }
            NeedSubject::Database(operation) => operation.fmt(f),
            NeedSubject::Metadata(shape, phase) => write!(f, "{} {}", shape.name(), phase.name()),
        }
    }
}

impl Need {
    /// Creates a need, with its line as its text.
    ///
    /// # Errors
    /// If there are no clauses, the time is 0, or a clause on files bounds bytes.
    pub fn new(subject: NeedSubject, lasting: Option<Nanos>, clauses: Vec<Clause>) -> Result<Self, UnitError> {
        let bounds_bytes = clauses.iter().any(|clause| clause.metric == Metric::Bandwidth);
        if matches!(subject, NeedSubject::Metadata(..)) && bounds_bytes {
            return Err(UnitError(format!("{subject} counts files, not bytes: use iops, avg, max or pNN")));
        }
        if lasting == Some(Nanos(0)) {
            return Err(UnitError("the time after `for` must be above 0".into()));
        }
        if clauses.is_empty() {
            return Err(UnitError("it has no clauses, such as p99<=5ms".into()));
        }
        let mut need = Need { text: String::new(), subject, lasting, contract: String::new(), clauses };
        need.text = need.line();
        Ok(need)
    }

    /// Returns the block workload, unless the need is about a database or files.
    #[must_use]
    pub fn blocks(&self) -> Option<BlockNeed> {
        if let NeedSubject::Blocks(of) = self.subject { Some(of) } else { None }
    }

    /// Returns the database operation that the need is about.
    #[must_use]
    pub fn database(&self) -> Option<DbOperation> {
        if let NeedSubject::Database(operation) = self.subject { Some(operation) } else { None }
    }

    /// Returns `true` if the need is about writes that are each followed by a sync.
    #[must_use]
    pub fn is_durable(&self) -> bool {
        self.blocks().is_some_and(|blocks| blocks.mode == NeedMode::Fdatasync)
    }

    /// Returns the levels of concurrency at which the need may be met.
    #[must_use]
    pub fn phase(&self) -> NeedPhase {
        self.blocks().map_or(NeedPhase::Any, |of| of.phase)
    }

    /// Returns the workload: `8k randrw 70/30`, `commits`, `mdtest-easy create`.
    #[must_use]
    pub fn workload(&self) -> String {
        self.subject.to_string()
    }

    /// Returns the need in one line that can be parsed again.
    #[must_use]
    pub fn line(&self) -> String {
        let mut line = self.workload();
        if let Some(time) = self.lasting {
            line.push_str(&format!(" for {}", time.to_string().replace(' ', "")));
        }
        if self.phase() != NeedPhase::Any {
            line.push_str(&format!(" {}", self.phase().name()));
        }
        // Numbers without the spaces and thousands separators of their printed form.
        let clauses: Vec<String> = self.clauses.iter().map(|c| c.to_string().replace([' ', ','], "")).collect();
        format!("{line}: {}", clauses.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Bound;

    #[test]
    fn the_need_of_the_issue_parses() {
        let n: Need = "8k randread: iops>=6000, avg<=2ms, p99<=5ms".parse().unwrap();
        let blocks = n.blocks().unwrap();
        assert_eq!((blocks.block, blocks.mode), (Bytes(8192), NeedMode::RandRead));
        assert_eq!(n.clauses.len(), 3);
        assert_eq!(
            n.clauses[2],
            Clause { metric: Metric::Percentile(99.0), bound: Bound::Latency(Nanos::from_millis(5)) }
        );
    }

    #[test]
    fn mistakes_are_named() {
        let message = |t: &str| t.parse::<Need>().unwrap_err().0;
        assert!(message("8k randread iops>=6000").contains("BLOCK MODE: CLAUSES"));
        assert!(message("8k randraed: iops>=1").contains("did you mean `randread`?"));
        assert!(message("8k randread: iops<=1").contains("iops takes `>=`"));
        assert!(message("8k randread: p99<=5").contains("no unit of time"));
        assert!(message("8k randread: p101<=5ms").contains("not between 0 and 100"));
        assert!(message("8k randrw 70/40: iops>=1").contains("a sum of 100"));
        assert!(message("8k randread: ").contains("invalid clause"));
        assert!(
            message("randread: iops>=6000")
                .contains("the block size is missing before `randread`, as in `8k randread`")
        );
        assert!(message("fdatasync: p99<=5ms").contains("as in `8k fdatasync`"));
        assert!(message("8k randread: iops>6000").contains("did you mean `iops>=6000`?"));
        assert!(message("8k randread: p99<5ms").contains("did you mean `p99<=5ms`?"));
        assert!(message("8k randread: p99 = 5ms").contains("did you mean `p99<=5ms`?"));
        assert!(message("8k randread p99<=5ms").contains("colon between workload and clauses is missing"));
        assert!(message("8k randread 70/30: iops>=1").contains("needs mode rw or randrw"));
        assert!(message("8k randread sometimes: iops>=1").contains("not a mix"));
        assert!(message("8k randread for: iops>=1").contains("a time must follow"));
    }

    #[test]
    fn what_a_database_does_is_demanded_by_the_names_of_its_screens() {
        let need = |t: &str| t.parse::<Need>().unwrap_or_else(|e| panic!("{e}"));
        let n = need("commit: p99<=10ms");
        assert_eq!((n.database(), n.workload().as_str()), (Some(DbOperation::Commits), "commits"));
        assert_eq!(need("updates: iops>=1000").database(), Some(DbOperation::Updates));
        assert_eq!(need("8k read: iops>=1").database(), None);
        let message = |t: &str| t.parse::<Need>().unwrap_err().0;
        assert!(message("comit: p99<=1ms").contains("did you mean `commit`?"));
        assert!(message("commit held: p99<=1ms").contains("only `for TIME`"));
    }

    #[test]
    fn what_is_done_with_files_is_demanded_by_names_of_mdtest_and_of_io500() {
        let need = |t: &str| t.parse::<Need>().unwrap_or_else(|e| panic!("{e}"));
        let metadata_of = |t: &str| match need(t).subject {
            NeedSubject::Metadata(shape, phase) => Some((shape, phase)),
            _ => None,
        };
        use {MetadataPhase::*, MetadataShape::*};
        assert_eq!(metadata_of("mdtest-easy create: iops>=50k"), Some((Easy, Create)));
        assert_eq!(metadata_of("mdtest-hard-write for 300s: iops>=1000, p99<=1ms"), Some((Hard, Create)));
        assert_eq!(metadata_of("mdtest-easy-delete: iops>=1"), Some((Easy, Remove)));
        assert_eq!(metadata_of("mdtest-hard read: max<=1s"), Some((Hard, Read)));
        assert_eq!((metadata_of("8k read: iops>=1"), metadata_of("commits: p99<=1ms")), (None, None));
        let n = need("mdtest-hard-stat for 300s: avg<=1ms");
        assert_eq!(Need { text: n.text.clone(), ..need(&n.line()) }, n, "{}", n.line());
        let message = |t: &str| t.parse::<Need>().expect_err("refused").0;
        assert!(
            message("mdtest-easy read: iops>=1")
                .contains("`read` is not a phase of mdtest-easy; its phases: create stat remove")
        );
        assert!(message("mdtest-hard crate: iops>=1").contains("did you mean `create`?"));
        assert!(message("mdtest-easy create held: iops>=1").contains("only `for TIME`"));
        assert!(message("mdtest-easy create: mbps>=1MB").contains("not bytes"));
        assert!(message("mdtest-easy: iops>=1").contains("not a phase"));
    }

    #[test]
    fn a_time_and_a_phase_may_be_demanded() {
        let n: Need =
            "16k randrw 70/30 for 30s held: iops>=6000, p99.9<=12.5ms".parse().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(
            (n.lasting, n.phase(), n.blocks().unwrap().mode),
            (Some(Nanos::from_secs(30)), NeedPhase::Held, NeedMode::RandRw(Some(70)))
        );
    }

    #[test]
    fn its_one_line_reads_back() {
        for text in [
            "8k randread: iops>=6000, avg<=2ms",
            "16k randrw 70/30 for 30s held: mbps>=93.75MB, max<=1s",
            "8k fdatasync alone: p99.9<=10ms",
            "commits for 60s: p99<=10ms, avg<=2ms",
            "mdtest-easy create for 60s: iops>=5000",
        ] {
            let need: Need = text.parse().unwrap();
            let again: Need = need.line().parse().unwrap_or_else(|e| panic!("{}: {e}", need.line()));
            let written = serde_json::to_string(&need).unwrap();
            assert_eq!(serde_json::from_str::<Need>(&written).unwrap_or_else(|e| panic!("{written}: {e}")), need);
            assert_eq!(Need { text: String::new(), ..again }, Need { text: String::new(), ..need });
        }
    }
}

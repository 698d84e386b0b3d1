//! Needs: requirements of the user's database on the storage, as clauses that a run passes, fails or leaves undecided.

use crate::{
    Bytes, BytesPerSecond, Iops, METADATA_PHASES, MetadataPhase, MetadataShape, Nanos, UnitError, clip, nearest,
};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Figure that a clause bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Operations per second, higher is better.
    Iops,
    /// Bytes per second, higher is better.
    Bandwidth,
    /// Mean latency, lower is better.
    Mean,
    /// Maximum latency, lower is better.
    Max,
    /// A latency percentile: 99.9 means p99.9.
    Percentile(f64),
    /// Device writes per update of a database, lower is better. This metric can be compared, but no clause can require
    /// it.
    DeviceWrites,
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Metric::Iops => f.write_str("iops"),
            Metric::Bandwidth => f.write_str("mbps"),
            Metric::Mean => f.write_str("avg"),
            Metric::Max => f.write_str("max"),
            Metric::Percentile(p) => write!(f, "p{p}"),
            Metric::DeviceWrites => f.write_str("device writes"),
        }
    }
}

impl FromStr for Metric {
    type Err = UnitError;

    /// Parses `iops`, `mbps`, `avg`, `max` or `p99.9`.
    fn from_str(name: &str) -> Result<Self, UnitError> {
        Ok(match name {
            "iops" => Metric::Iops,
            "mbps" | "bw" => Metric::Bandwidth,
            "avg" | "mean" => Metric::Mean,
            "max" => Metric::Max,
            _ => match name.strip_prefix('p').and_then(|p| p.parse::<f64>().ok()) {
                Some(p) if p > 0.0 && p < 100.0 => Metric::Percentile(p),
                Some(p) => return Err(UnitError(format!("percentile {p} is not between 0 and 100"))),
                None => {
                    let hint = nearest(name, ["iops", "mbps", "avg", "max", "p99"])
                        .map(|n| format!("; did you mean `{n}`?"))
                        .unwrap_or_default();
                    return Err(UnitError(format!("unknown figure `{}`: iops mbps avg max pNN{hint}", clip(name))));
                }
            },
        })
    }
}

/// Bound of a clause, in the unit of its metric.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// At least this many operations per second.
    Iops(Iops),
    /// At least this many bytes per second.
    Bandwidth(BytesPerSecond),
    /// At most this latency.
    Latency(Nanos),
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Iops(v) => v.fmt(f),
            Bound::Bandwidth(v) => v.fmt(f),
            Bound::Latency(v) => v.fmt(f),
        }
    }
}

/// One demand: `iops>=6000`, `p99<=5ms`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Clause {
    /// Bounded metric.
    pub metric: Metric,
    /// Bound: a minimum for rates, a maximum for latencies.
    pub bound: Bound,
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if matches!(self.bound, Bound::Latency(_)) { "<=" } else { ">=" };
        write!(f, "{} {sign} {}", self.metric, self.bound)
    }
}

/// A need: a workload and the clauses it must meet **at one and the same load level**.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Need {
    /// Text as typed by the user.
    pub text: String,
    /// Block size of the workload; 0 for database operations and for files.
    pub block: Bytes,
    /// Smallest block size that is equally acceptable, for writes whose size is not essential, for example etcd's
    /// entries of 2,300 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_from: Option<Bytes>,
    /// Mode under fio's name: `randread`, `write`, ...; `fdatasync` for the durable-write probe; a database operation
    /// from [`NEED_KINDS`]; or an operation on files as [`crate::MetadataRule`] is displayed: `mdtest-easy create`.
    pub rw: String,
    /// Percentage of reads, for mixes.
    pub read_percent: Option<u8>,
    /// Levels of concurrency at which the need may be met.
    #[serde(default, skip_serializing_if = "NeedPhase::is_default")]
    pub phase: NeedPhase,
    /// Minimum measured time of the level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lasting: Option<Nanos>,
    /// Name of the contract that the need belongs to; empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub contract: String,
    /// The demands.
    pub clauses: Vec<Clause>,
}

/// Levels of concurrency at which a need may be met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    /// All phases.
    pub const ALL: [NeedPhase; 4] = [NeedPhase::Any, NeedPhase::Held, NeedPhase::Alone, NeedPhase::Linear];

    /// Returns the name of the phase.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            NeedPhase::Any => "any",
            NeedPhase::Held => "held",
            NeedPhase::Alone => "alone",
            NeedPhase::Linear => "linear",
        }
    }

    /// Returns `true` for any level.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == NeedPhase::Any
    }
}

/// Modes that a need may name.
pub const NEED_MODES: [&str; 7] = ["read", "write", "rw", "randread", "randwrite", "randrw", "fdatasync"];

/// Database operations that a need may name, as shown on the screens of database runs.
pub const NEED_KINDS: [&str; 4] = ["reads", "updates", "commits", "transactions"];

/// Returns the kind named by a word in the singular or plural: `commit` and `commits` give `commits`.
fn kind_of(word: &str) -> Option<&'static str> {
    NEED_KINDS.into_iter().find(|kind| *kind == word || kind.strip_suffix('s') == Some(word))
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
            let hint = nearest(word, names()).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
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
        let of_files = phase_of(&words).transpose().map_err(|e| fail(e.0))?;
        let files = of_files.map(|(shape, phase, _)| format!("{} {}", shape.name(), phase.name())).unwrap_or_default();
        let (block, rw, rest) = match words.as_slice() {
            _ if of_files.is_some() => {
                let used = of_files.map_or(0, |(_, _, used)| used);
                (Bytes(0), files.as_str(), &words[used..])
            }
            [word, rest @ ..] if kind_of(word).is_some() => (Bytes(0), kind_of(word).unwrap_or_default(), rest),
            [mode, ..] if NEED_MODES.contains(mode) => {
                return Err(fail(format!("the block size is missing before `{mode}`, as in `8k {mode}`")));
            }
            [block, rw, rest @ ..] => (block.parse().map_err(|e: UnitError| fail(e.0))?, *rw, rest),
            [word] if word.parse::<Bytes>().is_err() => {
                let kinds = NEED_KINDS.map(|kind| kind.trim_end_matches('s'));
                let hint = nearest(word, kinds).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
                return Err(fail(format!("`{}` is not one of {}{hint}", clip(word), kinds.join(" "))));
            }
            _ => {
                let reason = "before the colon, expected a block size and a mode, as in `8k randread`; or read, \
                              update, commit or transaction for a database; or a phase of mdtest, as in `mdtest-easy \
                              create`";
                return Err(fail(reason.into()));
            }
        };
        let mut need = Need {
            text: text.trim().to_owned(),
            block,
            block_from: None,
            rw: rw.to_owned(),
            read_percent: None,
            phase: NeedPhase::Any,
            lasting: None,
            contract: String::new(),
            clauses: Vec::new(),
        };
        let mut rest = rest.iter();
        while let Some(word) = rest.next() {
            if *word == "for" {
                let time = rest.next().ok_or_else(|| fail("a time must follow `for`, as in `for 30s`".into()))?;
                need.lasting = Some(time.parse().map_err(|e: UnitError| fail(e.0))?);
            } else if let Some(phase) = NeedPhase::ALL.into_iter().find(|p| p.name() == *word) {
                need.phase = phase;
            } else if word.contains('/') {
                need.read_percent = Some(mix(word).map_err(|e| fail(e.0))?);
            } else {
                let reason = format!(
                    "`{}` before the colon is not a mix (70/30), `for TIME`, any, held, alone or linear",
                    clip(word)
                );
                return Err(fail(reason));
            }
        }
        need.clauses =
            tail.split(',').map(|c| c.trim().parse()).collect::<Result<Vec<Clause>, _>>().map_err(|e| fail(e.0))?;
        need.check().map_err(|e| fail(e.0))?;
        Ok(need)
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

impl Need {
    /// Sets the mix from `70/30`.
    ///
    /// # Errors
    /// If the text is not a mix.
    pub fn set_mix(&mut self, text: &str) -> Result<(), UnitError> {
        self.read_percent = Some(mix(text)?);
        Ok(())
    }

    /// Checks that the parts are consistent.
    ///
    /// # Errors
    /// If the mode is unknown, the block size is 0, a mix is given without a mixed mode, or a time is 0.
    pub fn check(&self) -> Result<(), UnitError> {
        if self.is_database() {
            if !self.phase.is_default() || self.read_percent.is_some() {
                let reason = format!("{} of a database can have only `for TIME`, no mix or level", self.rw);
                return Err(UnitError(reason));
            }
        } else if self.is_metadata() {
            if !self.phase.is_default() || self.read_percent.is_some() {
                let reason = format!("{} can have only `for TIME`, no mix or level", self.rw);
                return Err(UnitError(reason));
            }
            if self.clauses.iter().any(|clause| clause.metric == Metric::Bandwidth) {
                return Err(UnitError(format!("{} counts files, not bytes: use iops, avg, max or pNN", self.rw)));
            }
        } else if !NEED_MODES.contains(&self.rw.as_str()) {
            let hint = nearest(&self.rw, NEED_MODES).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
            return Err(UnitError(format!("unknown mode `{}`: {}{hint}", clip(&self.rw), NEED_MODES.join(" "))));
        }
        if let Some(from) = self.block_from.filter(|from| *from > self.block || from.is_zero()) {
            let reason = format!(
                "blocks from {from} to {} are not a range; block_from must be above 0 and at most block",
                self.block
            );
            return Err(UnitError(reason));
        }
        if self.block.is_zero() && !self.is_database() && !self.is_metadata() {
            return Err(UnitError("the block size must be above 0".into()));
        }
        if self.read_percent.is_some() && !matches!(self.rw.as_str(), "rw" | "randrw") {
            return Err(UnitError(format!("a mix needs mode rw or randrw, not {}", self.rw)));
        }
        if self.lasting == Some(Nanos(0)) {
            return Err(UnitError("the time after `for` must be above 0".into()));
        }
        if self.clauses.is_empty() {
            return Err(UnitError("it has no clauses, such as p99<=5ms".into()));
        }
        Ok(())
    }

    /// Returns `true` if a workload of this block size matches the need.
    #[must_use]
    pub fn takes_block(&self, block: Bytes) -> bool {
        (self.block_from.unwrap_or(self.block)..=self.block).contains(&block)
    }

    /// Returns `true` if the need is about database operations, not blocks.
    #[must_use]
    pub fn is_database(&self) -> bool {
        self.block.is_zero() && NEED_KINDS.contains(&self.rw.as_str())
    }

    /// Returns `true` if the need is about operations on files, not blocks.
    #[must_use]
    pub fn is_metadata(&self) -> bool {
        self.metadata().is_some()
    }

    /// Returns the phase of mdtest that the need is about.
    #[must_use]
    pub fn metadata(&self) -> Option<(MetadataShape, MetadataPhase)> {
        let named = |of: &(MetadataShape, MetadataPhase)| self.rw.split_once(' ') == Some((of.0.name(), of.1.name()));
        METADATA_PHASES.into_iter().find(named).filter(|_| self.block.is_zero())
    }

    /// Returns the workload: `8k randrw 70/30`, `commits`, `mdtest-easy create`.
    #[must_use]
    pub fn workload(&self) -> String {
        if self.is_database() || self.is_metadata() {
            return self.rw.clone();
        }
        let mix = self.read_percent.map(|r| format!(" {r}/{}", 100 - r.min(100))).unwrap_or_default();
        format!("{} {}{mix}", self.block.short(), self.rw)
    }

    /// Returns the need in one line that can be parsed again.
    #[must_use]
    pub fn line(&self) -> String {
        let mut line = self.workload();
        if let Some(time) = self.lasting {
            line.push_str(&format!(" for {}", time.to_string().replace(' ', "")));
        }
        if !self.phase.is_default() {
            line.push_str(&format!(" {}", self.phase.name()));
        }
        // Numbers without the spaces and thousands separators of their printed form.
        let clauses: Vec<String> = self.clauses.iter().map(|c| c.to_string().replace([' ', ','], "")).collect();
        format!("{line}: {}", clauses.join(", "))
    }
}

impl FromStr for Clause {
    type Err = UnitError;

    /// Parses `iops>=6000` or `p99<=5ms`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        clause(text)
    }
}

fn clause(text: &str) -> Result<Clause, UnitError> {
    let (at, sign) = text
        .find(">=")
        .map(|i| (i, ">="))
        .or_else(|| text.find("<=").map(|i| (i, "<=")))
        .ok_or_else(|| UnitError(not_a_clause(text)))?;
    let (name, value) = (text[..at].trim(), text[at + 2..].trim());
    let metric: Metric = name.parse()?;
    let rate = matches!(metric, Metric::Iops | Metric::Bandwidth);
    if rate != (sign == ">=") {
        let right = if rate { ">=" } else { "<=" };
        return Err(UnitError(format!("`{}`: {metric} takes `{right}`", clip(text))));
    }
    let bound = match metric {
        Metric::Iops => Bound::Iops(value.parse()?),
        Metric::Bandwidth => Bound::Bandwidth(value.parse()?),
        Metric::DeviceWrites => return Err(UnitError(format!("`{}`: device writes cannot be demanded", clip(text)))),
        _ => Bound::Latency(value.parse()?),
    };
    Ok(Clause { metric, bound })
}

/// Returns the error for a clause without `>=` or `<=`, with the corrected clause if another comparison was typed.
fn not_a_clause(text: &str) -> String {
    let corrected = text.split_once(['<', '>', '=']).and_then(|(name, value)| {
        let metric = name.trim().parse::<Metric>().ok()?;
        let sign = if matches!(metric, Metric::Iops | Metric::Bandwidth) { ">=" } else { "<=" };
        Some(format!("; did you mean `{}{sign}{}`?", name.trim(), value.trim_start_matches('=').trim()))
    });
    let hint = corrected.unwrap_or_default();
    format!("invalid clause `{}`: expected METRIC>=VALUE for a rate or METRIC<=VALUE for a latency{hint}", clip(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_need_of_the_issue_parses() {
        let n: Need = "8k randread: iops>=6000, avg<=2ms, p99<=5ms".parse().unwrap();
        assert_eq!((n.block, n.rw.as_str()), (Bytes(8192), "randread"));
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
        assert_eq!((n.is_database(), n.rw.as_str(), n.workload().as_str()), (true, "commits", "commits"));
        assert_eq!(need("updates: iops>=1000").rw, "updates");
        assert!(!need("8k read: iops>=1").is_database());
        let message = |t: &str| t.parse::<Need>().unwrap_err().0;
        assert!(message("comit: p99<=1ms").contains("did you mean `commit`?"));
        assert!(message("commit held: p99<=1ms").contains("only `for TIME`"));
    }

    #[test]
    fn what_is_done_with_files_is_demanded_by_names_of_mdtest_and_of_io500() {
        let need = |t: &str| t.parse::<Need>().unwrap_or_else(|e| panic!("{e}"));
        let metadata_of = |t: &str| need(t).metadata();
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
        assert_eq!((n.lasting, n.phase, n.read_percent), (Some(Nanos::from_secs(30)), NeedPhase::Held, Some(70)));
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
            assert_eq!(Need { text: String::new(), ..again }, Need { text: String::new(), ..need });
        }
    }
}

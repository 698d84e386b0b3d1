//! Needs: what the user's database asks of the storage, as clauses that a run passes, fails or leaves undecided.

use crate::{Bytes, BytesPerSecond, Iops, Nanos, UnitError, clip, nearest};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A figure a clause speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Operations per second, higher is better.
    Iops,
    /// Bytes per second, higher is better.
    Bandwidth,
    /// Mean latency, lower is better.
    Mean,
    /// Largest latency seen.
    Max,
    /// A latency percentile, in percent.
    Percentile(f64),
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Metric::Iops => f.write_str("iops"),
            Metric::Bandwidth => f.write_str("mbps"),
            Metric::Mean => f.write_str("avg"),
            Metric::Max => f.write_str("max"),
            Metric::Percentile(p) => write!(f, "p{p}"),
        }
    }
}

/// The bound of a clause, in the unit of its metric.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// At least this many operations per second.
    Iops(Iops),
    /// At least this many bytes per second.
    Bandwidth(BytesPerSecond),
    /// At most this long.
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
    /// What is bounded.
    pub metric: Metric,
    /// By how much: a floor for rates, a ceiling for latencies.
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
    /// As the user typed it.
    pub text: String,
    /// Block size of the workload.
    pub block: Bytes,
    /// fio's name of the mode: `randread`, `write`, ...; or `fdatasync` for the durable-write probe.
    pub rw: String,
    /// Percent of reads, for mixes.
    pub read_percent: Option<u8>,
    /// The demands.
    pub clauses: Vec<Clause>,
}

/// Modes a need may name.
pub const NEED_MODES: [&str; 7] = ["read", "write", "rw", "randread", "randwrite", "randrw", "fdatasync"];

impl FromStr for Need {
    type Err = UnitError;

    /// `8k randread: iops>=6000, avg<=2ms, p99<=5ms`; a mix as `16k randrw 50/50: ...`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let fail = |why: String| UnitError(format!("need `{}`: {why}", clip(text)));
        let (head, tail) = text
            .split_once(':')
            .ok_or_else(|| fail("expected `BLOCK MODE: CLAUSES`, as in `8k randread: iops>=6000, p99<=5ms`".into()))?;
        let words: Vec<&str> = head.split_whitespace().collect();
        let (&block, &rw, mix) = match words.as_slice() {
            [block, rw] => (block, rw, None),
            [block, rw, mix] => (block, rw, Some(*mix)),
            _ => {
                return Err(fail("before the colon, a block size and a mode are expected, as in `8k randread`".into()));
            }
        };
        if !NEED_MODES.contains(&rw) {
            let hint = nearest(rw, NEED_MODES).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
            return Err(fail(format!("unknown mode `{}`: {}{hint}", clip(rw), NEED_MODES.join(" "))));
        }
        let read_percent = match mix {
            None => None,
            Some(mix) => Some(
                mix.split_once('/')
                    .and_then(|(r, w)| Some((r.parse::<u8>().ok()?, w.parse::<u8>().ok()?)))
                    .filter(|(r, w)| u16::from(*r) + u16::from(*w) == 100)
                    .map(|(r, _)| r)
                    .ok_or_else(|| fail(format!("`{}` is no mix; READ/WRITE in percent, summing to 100", clip(mix))))?,
            ),
        };
        let block: Bytes = block.parse().map_err(|e: UnitError| fail(e.0))?;
        if block.0 == 0 {
            return Err(fail("a block of 0 bytes asks nothing".into()));
        }
        let clauses =
            tail.split(',').map(|c| clause(c.trim()).map_err(|e| fail(e.0))).collect::<Result<Vec<_>, _>>()?;
        Ok(Need { text: text.trim().to_owned(), block, rw: rw.to_owned(), read_percent, clauses })
    }
}

fn clause(text: &str) -> Result<Clause, UnitError> {
    let (at, sign) = text
        .find(">=")
        .map(|i| (i, ">="))
        .or_else(|| text.find("<=").map(|i| (i, "<=")))
        .ok_or_else(|| UnitError(format!("`{}` is no clause; METRIC>=VALUE or METRIC<=VALUE", clip(text))))?;
    let (name, value) = (text[..at].trim(), text[at + 2..].trim());
    let metric = match name {
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
    };
    let rate = matches!(metric, Metric::Iops | Metric::Bandwidth);
    if rate != (sign == ">=") {
        let right = if rate { ">=" } else { "<=" };
        return Err(UnitError(format!("`{}`: {metric} takes `{right}`", clip(text))));
    }
    let bound = match metric {
        Metric::Iops => Bound::Iops(value.parse()?),
        Metric::Bandwidth => Bound::Bandwidth(value.parse()?),
        _ => Bound::Latency(value.parse()?),
    };
    Ok(Clause { metric, bound })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_need_of_the_issue_parses() {
        let n: Need = "8k randread: iops>=6000, avg<=2ms, p99<=5ms".parse().unwrap();
        assert_eq!((n.block, n.rw.as_str()), (Bytes(8192), "randread"));
        assert_eq!(n.clauses.len(), 3);
        assert_eq!(n.clauses[2], Clause { metric: Metric::Percentile(99.0), bound: Bound::Latency(Nanos(5_000_000)) });
    }

    #[test]
    fn mistakes_are_named() {
        let message = |t: &str| t.parse::<Need>().unwrap_err().0;
        assert!(message("8k randread iops>=6000").contains("BLOCK MODE: CLAUSES"));
        assert!(message("8k randraed: iops>=1").contains("did you mean `randread`?"));
        assert!(message("8k randread: iops<=1").contains("iops takes `>=`"));
        assert!(message("8k randread: p99<=5").contains("no unit of time"));
        assert!(message("8k randread: p101<=5ms").contains("not between 0 and 100"));
        assert!(message("8k randrw 70/40: iops>=1").contains("summing to 100"));
        assert!(message("8k randread: ").contains("is no clause"));
    }
}

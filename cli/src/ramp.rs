//! Steps and stop conditions of `secchi db ramp`.

use model::{Iops, bounds::Clause, units::UnitError};

/// Increase of the number of processes per level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Multiply by this factor.
    Times(u32),
    /// Add this number.
    Plus(u32),
}

impl Step {
    /// Parses `x2` or `+5`.
    pub fn parse(text: &str) -> Result<Step, UnitError> {
        let text = text.trim();
        let number = |t: &str| t.trim().parse::<u32>().ok();
        let step = match text.split_at_checked(1) {
            Some(("x" | "*", n)) => number(n).filter(|n| *n >= 2).map(Step::Times),
            Some(("+", n)) => number(n).filter(|n| *n >= 1).map(Step::Plus),
            _ => None,
        };
        step.ok_or_else(|| UnitError(format!("`{}` is not a step: x2 doubles, +5 adds five", model::clip(text))))
    }

    /// Returns the number of processes at the level that follows a level with `n`.
    pub fn after(self, n: u32) -> u32 {
        match self {
            Step::Times(by) => n.saturating_mul(by),
            Step::Plus(by) => n.saturating_add(by),
        }
    }

    /// Returns the rate at the level that follows a level with `rate`.
    pub fn after_rate(self, rate: Iops) -> Iops {
        Iops(match self {
            Step::Times(by) => rate.per_second() * f64::from(by),
            Step::Plus(by) => rate.per_second() + f64::from(by),
        })
    }
}

/// Conditions, any of which ends a ramp.
#[derive(Debug, Clone, PartialEq)]
pub struct Ends(pub Vec<End>);

/// Condition that ends a ramp.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum End {
    /// A metric exceeds its bound.
    Beyond(Clause),
    /// The rate grew by less than this share over the previous level.
    Gain(f64),
}

impl Ends {
    /// Parses conditions such as `avg>10ms | gain<10%`.
    pub fn parse(text: &str) -> Result<Ends, UnitError> {
        let parse_one = |part: &str| -> Result<End, UnitError> {
            let part = part.trim();
            if let Some(gain) = part.strip_prefix("gain") {
                let percent = gain.trim().strip_prefix('<').map(|p| p.trim().trim_end_matches('%').trim());
                let percent = percent.and_then(|p| p.parse::<f64>().ok()).filter(|p| (0.0..=100.0).contains(p));
                let wrong = || UnitError(format!("`{}`: write a gain as `gain<10%`", model::clip(part)));
                return Ok(End::Gain(percent.ok_or_else(wrong)? / 100.0));
            }
            // A stop condition is the negation of a need.
            let clause = match part.split_once(['>', '<']) {
                Some((metric, bound)) if part.contains('>') => format!("{metric}<={}", bound.trim_start_matches('=')),
                Some((metric, bound)) => format!("{metric}>={}", bound.trim_start_matches('=')),
                None => part.to_owned(),
            };
            clause.parse().map(End::Beyond).map_err(|e: UnitError| {
                UnitError(format!("`{}`: {}; such as `avg>10ms` or `gain<10%`", model::clip(part), e.0))
            })
        };
        text.split('|').map(parse_one).collect::<Result<_, _>>().map(Ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;
    use model::bounds::{Bound, Metric};

    #[test]
    fn rules_of_a_ramp_are_read_and_mistakes_are_named() {
        assert_eq!((Step::parse("x2").unwrap(), Step::parse("+5").unwrap()), (Step::Times(2), Step::Plus(5)));
        assert!(Step::parse("x1").is_err() && Step::parse("2").unwrap_err().0.contains("x2 doubles"));
        let ends = Ends::parse("avg>10ms | gain<10%").unwrap();
        assert_eq!(ends.0[1], End::Gain(0.1));
        assert!(matches!(
            ends.0[0],
            End::Beyond(Clause { metric: Metric::Mean, bound: Bound::Latency(Nanos(10_000_000)) })
        ));
        assert!(Ends::parse("avg>10").unwrap_err().0.contains("no unit of time"));
        assert!(Ends::parse("gain>3").unwrap_err().0.contains("gain<10%"));
    }
}

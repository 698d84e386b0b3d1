//! The expression language of published figures: `clamp(3*size, 100, 16000)`, `min(1000, 0.25*iops)`,
//! `step(size, 170: 128, 250)`.
//!
//! ```text
//! sum     = product { "+" product }
//! product = value { ("*" | "/") value }
//! value   = number | name | function "(" arguments ")" | "(" sum ")"
//! ```
//! Functions: `min` and `max` of any number of values, `clamp(x, least, most)`, and `step(x, edge: value, ..., rest)`:
//! the value of the first edge that `x` does not exceed, otherwise the rest. Numbers may have `_` between their digits.

use super::error::suggestion;
use model::clip;
use std::fmt;

/// A parsed formula.
#[derive(Debug, Clone, PartialEq)]
pub enum Formula {
    /// A number.
    Number(f64),
    /// A named figure: `size`, `iops`, or a parameter of the row.
    Name(String),
    /// Sum of the parts.
    Sum(Vec<Formula>),
    /// First part multiplied or divided by the others (`true` = divided).
    Product(Box<Formula>, Vec<(bool, Formula)>),
    /// Minimum of the parts.
    Min(Vec<Formula>),
    /// Maximum of the parts.
    Max(Vec<Formula>),
    /// The first part, limited to the range from the second to the third.
    Clamp(Box<[Formula; 3]>),
    /// Step function of the first part: edges, values up to them, and the value beyond.
    Step(Box<Formula>, Vec<(f64, Formula)>, Box<Formula>),
}

/// Error of parsing a formula.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FormulaError {
    /// An unexpected character.
    #[error("unexpected `{found}` in `{}`", clip(text))]
    Unexpected {
        /// The character.
        found: char,
        /// The whole text.
        text: String,
    },
    /// An expected character is missing.
    #[error("expected `{wanted}`, but found {} in `{}`", sign_or_end(*found), clip(text))]
    Missing {
        /// The expected character.
        wanted: char,
        /// The character found instead; `None` at the end.
        found: Option<char>,
        /// The whole text.
        text: String,
    },
    /// The text ends where a value is expected.
    #[error("`{}` ends where a value is expected", clip(.0))]
    NoValue(String),
    /// Parentheses are nested too deeply.
    #[error("`{}` is nested too deeply", clip(.0))]
    TooDeep(String),
    /// Digits and points that do not form a number.
    #[error("`{digits}` is not a number in `{}`", clip(text))]
    NoNumber {
        /// The digits, without `_`.
        digits: String,
        /// The whole text.
        text: String,
    },
    /// An unknown name or function.
    #[error(
        "`{word}` is not known in `{}` (known: {}){}",
        clip(text),
        known.join(", "),
        suggestion(nearest.as_deref())
    )]
    Unknown {
        /// The word.
        word: String,
        /// The whole text.
        text: String,
        /// Words that are allowed here.
        known: Vec<String>,
        /// Most similar word, if any.
        nearest: Option<String>,
    },
    /// `clamp` has fewer or more than three values.
    #[error("clamp takes three values: clamp(x, least, most)")]
    Clamp,
    /// The edge of a step, before the colon, is not a plain number.
    #[error("`{0}` before the colon is not a number")]
    Edge(String),
    /// An edge of a step is not above the previous one.
    #[error("the edges of `{}` do not increase at {edge}", clip(text))]
    EdgesFall {
        /// The edge.
        edge: f64,
        /// The whole text.
        text: String,
    },
    /// `step` has no value beyond its last edge.
    #[error("step must end with the value beyond the last edge")]
    NoRest,
}

/// Returns a character as displayed; `None` is the end of the text.
fn sign_or_end(found: Option<char>) -> String {
    found.map_or_else(|| "the end".to_owned(), |c| format!("`{c}`"))
}

impl Formula {
    /// Parses a formula in which only `names` are known.
    ///
    /// # Errors
    /// Returns the first mistake and its position.
    pub fn parse(text: &str, names: &[&str]) -> Result<Formula, FormulaError> {
        let mut reader = Reader { text, at: 0, names, depth: 0 };
        let formula = reader.sum()?;
        match reader.peek() {
            None => Ok(formula),
            Some(found) => Err(FormulaError::Unexpected { found, text: text.to_owned() }),
        }
    }

    /// Returns the value of the formula. `of` returns the value of a name; it is called only with names that were
    /// passed to [`Formula::parse`].
    pub fn value(&self, of: &dyn Fn(&str) -> f64) -> f64 {
        let values = |parts: &[Formula]| parts.iter().map(|p| p.value(of)).collect::<Vec<f64>>();
        match self {
            Formula::Number(n) => *n,
            Formula::Name(name) => of(name),
            Formula::Sum(parts) => values(parts).into_iter().sum(),
            Formula::Product(first, others) => others.iter().fold(first.value(of), |product, (divided, part)| {
                let part = part.value(of);
                if *divided { product / part } else { product * part }
            }),
            Formula::Min(parts) => values(parts).into_iter().fold(f64::INFINITY, f64::min),
            Formula::Max(parts) => values(parts).into_iter().fold(f64::NEG_INFINITY, f64::max),
            Formula::Clamp(parts) => {
                let [x, least, most] = [parts[0].value(of), parts[1].value(of), parts[2].value(of)];
                x.max(least).min(most)
            }
            Formula::Step(x, steps, rest) => {
                let x = x.value(of);
                steps.iter().find(|(edge, _)| x <= *edge).map_or_else(|| rest.value(of), |(_, v)| v.value(of))
            }
        }
    }

    /// Returns `true` if the formula uses this name.
    #[must_use]
    pub fn names(&self, name: &str) -> bool {
        match self {
            Formula::Number(_) => false,
            Formula::Name(n) => n == name,
            Formula::Sum(parts) | Formula::Min(parts) | Formula::Max(parts) => parts.iter().any(|p| p.names(name)),
            Formula::Product(first, others) => first.names(name) || others.iter().any(|(_, p)| p.names(name)),
            Formula::Clamp(parts) => parts.iter().any(|p| p.names(name)),
            Formula::Step(x, steps, rest) => {
                x.names(name) || rest.names(name) || steps.iter().any(|(_, v)| v.names(name))
            }
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |parts: &[Formula]| parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        match self {
            Formula::Number(n) => write!(f, "{n}"),
            Formula::Name(name) => f.write_str(name),
            Formula::Sum(parts) => {
                write!(f, "({})", parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" + "))
            }
            Formula::Product(first, others) => {
                write!(f, "{first}")?;
                others.iter().try_for_each(|(divided, part)| match part {
                    // `a*(b*c)` and `a*b*c` differ for a division.
                    Formula::Product(..) => write!(f, "{}({part})", if *divided { "/" } else { "*" }),
                    _ => write!(f, "{}{part}", if *divided { "/" } else { "*" }),
                })
            }
            Formula::Min(parts) => write!(f, "min({})", list(parts)),
            Formula::Max(parts) => write!(f, "max({})", list(parts)),
            Formula::Clamp(parts) => write!(f, "clamp({})", list(parts.as_slice())),
            Formula::Step(x, steps, rest) => {
                write!(f, "step({x}, ")?;
                steps.iter().try_for_each(|(edge, v)| write!(f, "{edge}: {v}, "))?;
                write!(f, "{rest})")
            }
        }
    }
}

/// Maximum nesting depth; no price list needs more.
const DEEPEST: usize = 20;

struct Reader<'a> {
    text: &'a str,
    at: usize,
    names: &'a [&'a str],
    depth: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_next = self.peek() == Some(wanted);
        if is_next {
            self.at += wanted.len_utf8();
        }
        is_next
    }

    fn expect(&mut self, wanted: char) -> Result<(), FormulaError> {
        if self.take(wanted) {
            return Ok(());
        }
        let next = self.peek();
        Err(FormulaError::Missing { wanted, found: next, text: self.text.to_owned() })
    }

    fn while_some(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let rest = &self.text[self.at..];
        let end = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += end;
        rest[..end].to_owned()
    }

    fn sum(&mut self) -> Result<Formula, FormulaError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(FormulaError::TooDeep(self.text.to_owned()));
        }
        let first = self.product()?;
        let mut parts = vec![first];
        while self.take('+') {
            parts.push(self.product()?);
        }
        self.depth -= 1;
        Ok(if parts.len() == 1 { parts.remove(0) } else { Formula::Sum(parts) })
    }

    fn product(&mut self) -> Result<Formula, FormulaError> {
        let first = self.value()?;
        let mut others = Vec::new();
        loop {
            if self.take('*') {
                others.push((false, self.value()?));
            } else if self.take('/') {
                others.push((true, self.value()?));
            } else {
                break;
            }
        }
        Ok(if others.is_empty() { first } else { Formula::Product(Box::new(first), others) })
    }

    fn value(&mut self) -> Result<Formula, FormulaError> {
        match self.peek() {
            Some(c) if c.is_ascii_digit() || c == '.' => self.number().map(Formula::Number),
            Some(c) if c.is_ascii_alphabetic() => self.word(),
            Some('(') => {
                self.expect('(')?;
                let inner = self.sum()?;
                self.expect(')')?;
                Ok(inner)
            }
            Some(found) => Err(FormulaError::Unexpected { found, text: self.text.to_owned() }),
            None => Err(FormulaError::NoValue(self.text.to_owned())),
        }
    }

    fn number(&mut self) -> Result<f64, FormulaError> {
        self.peek();
        let digits = self.while_some(|c| c.is_ascii_digit() || c == '.' || c == '_').replace('_', "");
        digits.parse().map_err(|_| FormulaError::NoNumber { digits, text: self.text.to_owned() })
    }

    fn word(&mut self) -> Result<Formula, FormulaError> {
        let word = self.while_some(|c| c.is_ascii_alphanumeric() || c == '_');
        if !self.take('(') {
            if self.names.contains(&word.as_str()) {
                return Ok(Formula::Name(word));
            }
            return Err(self.unknown(&word, self.names));
        }
        let formula = match word.as_str() {
            "min" => Formula::Min(self.list()?),
            "max" => Formula::Max(self.list()?),
            "clamp" => {
                let parts: Result<Box<[Formula; 3]>, _> = self.list()?.into_boxed_slice().try_into();
                Formula::Clamp(parts.map_err(|_| FormulaError::Clamp)?)
            }
            "step" => self.step()?,
            _ => return Err(self.unknown(&word, &["min", "max", "clamp", "step"])),
        };
        self.expect(')')?;
        Ok(formula)
    }

    fn unknown(&self, word: &str, known: &[&str]) -> FormulaError {
        FormulaError::Unknown {
            word: word.to_owned(),
            text: self.text.to_owned(),
            known: known.iter().map(|k| (*k).to_owned()).collect(),
            nearest: model::units::nearest(word, known.iter().copied()).map(str::to_owned),
        }
    }

    fn list(&mut self) -> Result<Vec<Formula>, FormulaError> {
        let mut parts = vec![self.sum()?];
        while self.take(',') {
            parts.push(self.sum()?);
        }
        Ok(parts)
    }

    fn step(&mut self) -> Result<Formula, FormulaError> {
        let x = self.sum()?;
        self.expect(',')?;
        let mut steps: Vec<(f64, Formula)> = Vec::new();
        loop {
            let start = self.at;
            let value = self.sum()?;
            if !self.take(':') {
                return Ok(Formula::Step(Box::new(x), steps, Box::new(value)));
            }
            let Formula::Number(edge) = value else {
                return Err(FormulaError::Edge(self.text[start..self.at].to_owned()));
            };
            if steps.last().is_some_and(|(last, _)| *last >= edge) {
                return Err(FormulaError::EdgesFall { edge, text: self.text.to_owned() });
            }
            let value = self.sum()?;
            steps.push((edge, value));
            self.expect(',').map_err(|_| FormulaError::NoRest)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(text: &str, size: f64) -> f64 {
        Formula::parse(text, &["size"]).unwrap().value(&|_| size)
    }

    #[test]
    fn published_rules_are_written_as_they_are_printed() {
        assert_eq!(at("clamp(3*size, 100, 16000)", 1.0), 100.0);
        assert_eq!(at("clamp(3*size, 100, 16000)", 100.0), 300.0);
        assert_eq!(at("clamp(3*size, 100, 16_000)", 6000.0), 16_000.0);
        assert_eq!(at("step(size, 170: 128, 250)", 170.0), 128.0);
        assert_eq!(at("step(size, 170: 128, 250)", 170.5), 250.0);
        assert_eq!(at("min(500, 40*size/1024)", 1024.0), 40.0);
        assert_eq!(at("1 + 2*(size + 3)", 1.0), 9.0);
        assert_eq!(at("size/2/2", 8.0), 2.0);
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = |text: &str| Formula::parse(text, &["size", "iops"]).unwrap_err().to_string();
        assert!(wrong("3*sise").contains("did you mean `size`?"), "{}", wrong("3*sise"));
        assert!(wrong("clmap(size, 1, 2)").contains("did you mean `clamp`?"));
        assert!(wrong("clamp(size, 1)").contains("three values"));
        assert!(wrong("3*size)").contains("unexpected `)`"));
        assert!(wrong("min(3*size").contains("expected `)`, but found the end"));
        assert!(wrong("step(size, 5: 1, 4: 2, 3)").contains("do not increase at 4"));
        assert!(wrong("step(size, 5: 1)").contains("beyond the last edge"));
        assert!(wrong("1.2.3").contains("not a number"));
        assert!(wrong("").contains("ends where a value is expected"));
        assert!(wrong(&"(".repeat(10_000)).contains("too deep"));
    }

    fn formula() -> impl Strategy<Value = Formula> {
        let leaf = prop_oneof![
            (0u32..100_000).prop_map(|n| Formula::Number(f64::from(n) / 4.0)),
            Just(Formula::Name("size".into()))
        ];
        leaf.prop_recursive(3, 20, 3, |inner| {
            let list = proptest::collection::vec(inner.clone(), 1..4);
            prop_oneof![
                list.clone().prop_map(Formula::Min),
                list.clone().prop_map(Formula::Max),
                list.prop_filter("a sum of one is that one", |l| l.len() > 1).prop_map(Formula::Sum),
                (inner.clone(), proptest::bool::ANY, inner.clone())
                    .prop_filter("flat", |(a, _, _)| !matches!(a, Formula::Product(..)))
                    .prop_map(|(a, divided, b)| Formula::Product(Box::new(a), vec![(divided, b)])),
                [inner.clone(), inner.clone(), inner.clone()].prop_map(|p| Formula::Clamp(Box::new(p))),
                (inner.clone(), inner.clone(), inner).prop_map(|(x, v, rest)| Formula::Step(
                    Box::new(x),
                    vec![(170.0, v)],
                    Box::new(rest)
                )),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(formula in formula(), size in 1.0f64..1e5) {
            let text = formula.to_string();
            let back = Formula::parse(&text, &["size"]).unwrap();
            let (a, b) = (formula.value(&|_| size), back.value(&|_| size));
            prop_assert!(a == b || a.is_nan() && b.is_nan(), "{text}: {a} {b}");
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,40}") {
            let _ = Formula::parse(&text, &["size"]);
        }
    }
}

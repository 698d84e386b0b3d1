//! Values of cells and tiles: figures with their units, names, signs; and the words around them.

use crate::widgets::figures::{
    change, clock, count, duration, half_width, limit, mean_size, megabytes, money, percent,
};
use crate::widgets::ink::Ink;
use crate::widgets::text::Paint;
use messages::Sentence;
use model::{
    Bytes, BytesPerSecond, Iops, Nanos, Severity, bounds::LimitAxis, judged::Estimate, measured::Percentile,
    units::thousands,
};

pub(crate) use crate::widgets::text::Hue as Tone;

/// A word of a report: a table's heading, a title, a label.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Word {
    /// No word.
    #[default]
    None,
    /// Identifier of a message without placeholders.
    Id(&'static str),
    /// Term that is the same in every language: `IOPS`, `p99`.
    Term(&'static str),
    /// Sentence or name.
    Said(Sentence),
}

impl Word {
    /// Returns the word in a language. Names are not cleaned: renderers escape all text.
    pub fn text(&self, language: messages::Language) -> String {
        match self {
            Word::None => String::new(),
            Word::Id(id) => messages::fixed(language, id).to_owned(),
            Word::Term(term) => (*term).to_owned(),
            Word::Said(sentence) => messages::translate(language, sentence).into_owned(),
        }
    }

    /// Returns the word as a sentence.
    pub fn sentence(&self) -> Sentence {
        match self {
            Word::None => Sentence::default(),
            Word::Id(id) => messages::sentence(messages::Message::new(id)),
            Word::Term(term) => Sentence::from(*term),
            Word::Said(sentence) => sentence.clone(),
        }
    }

    /// Returns the word as a heading in a document: our own words begin with a capital letter, names stay as they are.
    pub fn heading(&self, language: messages::Language) -> String {
        let text = self.text(language);
        let mut rest = text.chars();
        match (self, rest.next()) {
            (Word::Id(_), Some(first)) => first.to_uppercase().chain(rest).collect(),
            _ => text,
        }
    }
}

/// A message identifier. Terms need [`Word::Term`].
impl From<&'static str> for Word {
    fn from(id: &'static str) -> Word {
        if id.is_empty() { Word::None } else { Word::Id(id) }
    }
}

impl From<Sentence> for Word {
    fn from(sentence: Sentence) -> Word {
        if sentence.is_empty() { Word::None } else { Word::Said(sentence) }
    }
}

impl From<messages::Message> for Word {
    fn from(message: messages::Message) -> Word {
        Word::Said(messages::sentence(message))
    }
}

impl From<String> for Word {
    fn from(name: String) -> Word {
        Sentence::from(name).into()
    }
}

impl Tone {
    /// Returns the colour on the screen.
    pub const fn paint(self) -> Paint {
        Paint::new(self)
    }

    /// Returns the class on a page; empty for plain text.
    pub const fn class(self) -> &'static str {
        match self {
            Tone::Plain | Tone::Measured => "",
            Tone::Dim => "small",
            Tone::Limit => "limit",
            Tone::Pass => "pass",
            Tone::Doubt => "open",
            Tone::Fail => "fail",
        }
    }
}

impl From<model::judged::Outcome> for Tone {
    fn from(outcome: model::judged::Outcome) -> Tone {
        match outcome {
            model::judged::Outcome::Pass => Tone::Pass,
            model::judged::Outcome::Fail => Tone::Fail,
            model::judged::Outcome::Undecided => Tone::Doubt,
        }
    }
}

impl From<Severity> for Tone {
    fn from(severity: Severity) -> Tone {
        match severity {
            Severity::Invalid => Tone::Fail,
            Severity::Doubt => Tone::Doubt,
            Severity::Note => Tone::Plain,
        }
    }
}

/// A sign in Unicode and in ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sign(&'static str, &'static str);

impl Sign {
    /// Met, better.
    pub const YES: Sign = Sign("✓", "+");
    /// Not met, worse.
    pub const NO: Sign = Sign("✗", "x");
    /// Undecided.
    pub const MAYBE: Sign = Sign("?", "?");
    /// Doubtful.
    pub const DOUBT: Sign = Sign("!", "!");
    /// Note.
    pub const DOT: Sign = Sign("·", "*");
    /// Highest rate of a ramp.
    pub const BEST: Sign = Sign("▶", ">");
    /// Level at which more concurrency stops raising the rate.
    pub const KNEE: Sign = Sign("◆", "*");
    /// The held level: the best level, measured again for longer.
    pub const HELD: Sign = Sign("■", "#");
    /// Series of a rate: steady.
    pub const STEADY: Sign = Sign("=", "=");
    /// Series of a rate: steady only later.
    pub const SETTLED: Sign = Sign("›", ">");
    /// Series of a rate: changed level.
    pub const CHANGED: Sign = Sign("≠", "!");
    /// Series of a rate: never steady.
    pub const UNSETTLED: Sign = Sign("~", "~");
    /// Series of a rate: too short to judge.
    pub const TOO_SHORT: Sign = Sign("?", "?");
    /// Missing value.
    pub const DASH: Sign = Sign("-", "-");
    /// Total of the values above.
    pub const TOTAL: Sign = Sign("=", "=");
    /// The limit that binds.
    pub const BINDS: Sign = Sign("◀", "<");

    /// Returns the form of the sign in Unicode, for files.
    pub const fn unicode(self) -> &'static str {
        self.0
    }

    /// Returns the form of the sign in the alphabet of `ink`.
    pub const fn glyph(self, ink: Ink) -> &'static str {
        if ink.unicode { self.0 } else { self.1 }
    }
}

impl From<model::judged::Outcome> for Sign {
    fn from(outcome: model::judged::Outcome) -> Sign {
        match outcome {
            model::judged::Outcome::Pass => Sign::YES,
            model::judged::Outcome::Fail => Sign::NO,
            model::judged::Outcome::Undecided => Sign::MAYBE,
        }
    }
}

impl From<Severity> for Sign {
    fn from(severity: Severity) -> Sign {
        match severity {
            Severity::Invalid => Sign::NO,
            Severity::Doubt => Sign::DOUBT,
            Severity::Note => Sign::DOT,
        }
    }
}

/// Kind of a tile's figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Qualifier {
    /// A figure that needs no explanation: the rate of a phase, a percentile that the unit names.
    Plain,
    /// Mean over the run.
    Mean,
    /// Maximum of one interval.
    Maximum,
}

/// Unit of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unit {
    Count,
    PerSecond,
    BytesPerSecond,
    Nanos,
    Seconds,
    Bytes,
    Share,
    /// Percentile, on a scale of nines.
    Percentile,
}

/// Content of a cell or a tile.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Value {
    /// Not applicable: blank.
    #[default]
    Blank,
    /// Unknown or not measured: a dash.
    Unknown,
    /// Percentile of too few operations: a dash with an explanation.
    TooFew,
    /// Text in the reader's language.
    Text(Sentence),
    /// Name from the run; untrusted.
    Name(String),
    /// Whole number: `61,240`, `1.23 M`.
    Count(u64),
    /// Whole number that is a setting: `64`; not abbreviated.
    Setting(u64),
    /// Rate or other number with up to four significant digits: `5,998`, `2.41`.
    Number(f64),
    /// Number with a fixed number of decimals.
    Fixed(f64, u8),
    /// Bandwidth in decimal megabytes per second; the header names the unit.
    Megabytes(BytesPerSecond),
    /// Rate in the unit of a limit: `6,000 IOPS`, `75.00 MB/s`.
    Limit(LimitAxis, f64),
    /// Latency: `441 us`.
    Time(Nanos),
    /// Length of a period: `4 min 51 s`.
    Length(Nanos),
    /// Moment of a run: `4:51`.
    Clock(Nanos),
    /// Length of a period in whole seconds, from a model that is not more precise: `15 s`, `33 min 20 s`.
    Seconds(Nanos),
    /// Amount of money: `1,234.50`.
    Money(f64),
    /// Size: `8 KiB`, `1.50 GiB`.
    Bytes(Bytes),
    /// Mean size: `11.3 KiB`.
    MeanSize(Bytes),
    /// Size and a share; the shares of a column are aligned: `8 KiB  80 %`.
    SizeShare(Bytes, f64),
    /// Change of a size: `+12 MiB`.
    Growth(i64),
    /// Share from 0 to 1: `52 %`.
    Share(f64),
    /// Share with a sign: `+2.1 %`.
    Change(f64),
    /// Ratio of two sides as a change: `-2.97 %`, `x3.00`.
    Ratio(f64),
    /// Probability: `0.0238`, `<.0001`.
    Probability(f64),
    /// Half width of the 95 % interval relative to the figure: `±0.4%`.
    Interval(Estimate),
    /// Bar on the screen and on pages, filled to a share from 0 to 1; other formats omit it.
    Bar(f64),
    /// Small columns relative to the highest value, for loops or earlier runs; files list the values.
    Spark(Vec<f64>),
    /// Signs, each with its meaning; a missing one is a blank.
    Signs(Vec<Option<(Sign, Tone)>>),
    /// Several values in one cell.
    Several(Vec<Value>),
}

impl Value {
    /// Returns a name as a value.
    pub fn name(name: impl ToString) -> Value {
        Value::Name(name.to_string())
    }

    /// Returns the text of a message without placeholders.
    pub fn word(id: &'static str) -> Value {
        Value::Text(messages::sentence(messages::Message::new(id)))
    }

    /// Returns the value, or a blank if there is none.
    pub fn or_blank<T: Into<Value>>(value: Option<T>) -> Value {
        value.map_or(Value::Blank, Into::into)
    }

    /// Returns the text in the reader's language. Names are not cleaned or escaped; a dash and a bar are empty, because
    /// each format has its own.
    pub fn shown(&self, ink: Ink) -> String {
        match self {
            Value::Blank | Value::Unknown | Value::TooFew | Value::Bar(_) => String::new(),
            Value::Text(text) => ink.translate(text),
            Value::Name(name) => name.clone(),
            Value::Count(n) => count(*n),
            Value::Setting(n) => n.to_string(),
            Value::Number(value) => thousands(*value),
            Value::Fixed(value, digits) => format!("{value:.*}", usize::from(*digits)),
            Value::Megabytes(rate) => megabytes(*rate),
            Value::Time(time) => time.to_string(),
            Value::Limit(axis, rate) => limit(*axis, *rate),
            Value::Length(time) => duration(*time),
            Value::Clock(time) => clock(*time),
            Value::Seconds(time) if *time < Nanos::from_secs(600) => format!("{:.0} s", time.secs()),
            Value::Seconds(time) => duration(*time),
            Value::Money(amount) => money(*amount),
            Value::Bytes(bytes) => bytes.to_string(),
            Value::MeanSize(bytes) => mean_size(*bytes),
            Value::SizeShare(bytes, share) => format!("{bytes} {:>5}", percent(*share)),
            Value::Growth(n) => format!("{}{}", if *n < 0 { "-" } else { "+" }, Bytes(n.unsigned_abs())),
            Value::Share(share) => percent(*share),
            Value::Change(share) => format!("{}{}", if *share >= 0.0 { "+" } else { "" }, percent(*share)),
            Value::Ratio(ratio) => change(*ratio),
            Value::Probability(p) if *p < 0.0001 => "<.0001".to_owned(),
            Value::Probability(p) => format!("{p:.4}"),
            Value::Interval(estimate) => half_width(estimate, ink).unwrap_or_default(),
            Value::Spark(values) => spark(values, ink),
            Value::Signs(signs) => signs.iter().map(|s| s.map_or(" ", |(sign, _)| sign.glyph(ink))).collect::<String>(),
            Value::Several(values) => {
                let shown = values.iter().map(|value| value.shown(ink)).filter(|text| !text.is_empty());
                shown.collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// Returns the value in its base unit (operations or bytes per second, nanoseconds, bytes), for CSV, JSON and for
    /// sorting; `None` for words and missing values.
    pub fn raw(&self) -> Option<f64> {
        match self {
            Value::Count(n) | Value::Setting(n) => Some(*n as f64),
            Value::Number(v)
            | Value::Money(v)
            | Value::Fixed(v, _)
            | Value::Share(v)
            | Value::Change(v)
            | Value::Bar(v) => Some(*v),
            Value::Ratio(v) | Value::Probability(v) => Some(*v),
            Value::Megabytes(rate) => Some(rate.per_second()),
            Value::Limit(_, rate) => Some(*rate),
            Value::Time(time) | Value::Length(time) | Value::Clock(time) | Value::Seconds(time) => {
                Some(time.as_nanos() as f64)
            }
            Value::Bytes(bytes) | Value::MeanSize(bytes) | Value::SizeShare(bytes, _) => Some(bytes.as_u64() as f64),
            Value::Growth(n) => Some(*n as f64),
            _ => None,
        }
        .filter(|value| value.is_finite())
    }

    /// Returns `true` if formats write nothing.
    pub fn is_blank(&self) -> bool {
        match self {
            Value::Blank => true,
            Value::Text(text) => text.is_empty(),
            Value::Name(name) => name.is_empty(),
            _ => false,
        }
    }

    /// Returns `true` if the value is unknown: formats write a dash.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Value::Unknown | Value::TooFew)
    }
}

/// Returns a column for each value, with its height relative to the highest; empty without Unicode.
fn spark(values: &[f64], ink: Ink) -> String {
    const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = values.iter().copied().fold(1e-9, f64::max);
    let height = |v: &f64| HEIGHTS[((v / most * 8.0).round().clamp(1.0, 8.0) as usize) - 1];
    if ink.unicode { values.iter().map(height).collect() } else { String::new() }
}

macro_rules! values {
    ($($type:ty: $value:ident => $convert:expr;)*) => {
        $(impl From<$type> for Value {
            fn from($value: $type) -> Value {
                $convert
            }
        })*
    };
}
values! {
    Sentence: text => Value::Text(text);
    Nanos: time => Value::Time(time);
    Bytes: bytes => Value::Bytes(bytes);
    Iops: rate => Value::Number(rate.per_second());
    BytesPerSecond: rate => Value::Megabytes(rate);
    Percentile: at => at.value().map_or(Value::TooFew, Value::Time);
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Unknown, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::text::width;

    #[test]
    fn every_sign_is_one_column_wide() {
        let signs = [
            [Sign::YES, Sign::NO, Sign::MAYBE, Sign::DOUBT, Sign::DOT, Sign::BEST, Sign::KNEE, Sign::HELD],
            [
                Sign::STEADY,
                Sign::SETTLED,
                Sign::CHANGED,
                Sign::UNSETTLED,
                Sign::DASH,
                Sign::BINDS,
                Sign::TOTAL,
                Sign::TOO_SHORT,
            ],
        ];
        assert!(signs.iter().flatten().all(|sign| width(sign.0) == 1 && width(sign.1) == 1 && sign.1.is_ascii()));
    }
}

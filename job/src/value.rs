//! Parsing of the text after `=` into a checked [`Value`] according to the option's [`Kind`], and conversion of values
//! into typed fields.

use crate::text;
use crate::units::{self, Extent, Units};
use crate::value_error::ValueError;
use model::{Bytes, Nanos, clip, units::nearest};
use std::path::PathBuf;

pub use model::plan::OptionWord as Word;

/// Word that fio accepts but secchi refuses, and the reason.
pub type RefusedWord = (&'static str, &'static str);

/// Kind of value that an option takes. The kind determines how the value is parsed, checked and described.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// `0`, `1`, or no value, which is equivalent to `1`.
    Flag,
    /// `0` or `1`. The value is required.
    Bool,
    /// Whole number in a range. The suffixes `k m g` and the prefix `0x` are allowed.
    Int {
        /// Smallest allowed value.
        min: i64,
        /// Largest allowed value.
        max: i64,
    },
    /// Size in a range.
    Size {
        /// Smallest allowed size, in bytes.
        min: u64,
        /// Largest allowed size, in bytes.
        max: u64,
    },
    /// Size in bytes, percentage of the file or device, or number of zones.
    Extent,
    /// Time. A number without a unit is multiplied by `bare`.
    Time {
        /// Unit that applies to a number without a unit.
        bare: Nanos,
    },
    /// Number with a fraction, in a range.
    Float {
        /// Smallest allowed value.
        min: f64,
        /// Largest allowed value.
        max: f64,
    },
    /// Numbers separated by `:`.
    Floats {
        /// Smallest allowed value of each number.
        min: f64,
        /// Largest allowed value of each number.
        max: f64,
        /// Maximum number of values in the list.
        most: usize,
    },
    /// Up to three values of this kind, for reads, writes and trims.
    PerDirection(&'static Kind),
    /// One of several words.
    Words {
        /// Accepted words.
        words: &'static [Word],
        /// Words that fio accepts but secchi refuses.
        refused: &'static [RefusedWord],
        /// True if `:argument` may follow the word.
        argument: bool,
    },
    /// One of the engines ([`crate::Engines`]).
    Engine,
    /// Non-empty text.
    Text,
    /// Optional text.
    OptionalText,
    /// Optional path.
    OptionalPath,
    /// Path. Only paths may contain bytes that are not valid UTF-8.
    Path,
    /// Special form that the option itself parses. The text describes this form.
    Form(&'static str),
}

impl Kind {
    /// Returns the kind for whole numbers from `min` to the largest 32-bit value.
    pub const fn from(min: i64) -> Kind {
        Kind::Int { min, max: u32::MAX as i64 }
    }
    /// Time, in seconds unless a unit is given.
    pub const SECONDS: Kind = Kind::Time { bare: Nanos::from_secs(1) };
    /// Time, in milliseconds unless a unit is given.
    pub const MILLIS: Kind = Kind::Time { bare: Nanos::from_millis(1) };
    /// Time, in microseconds unless a unit is given.
    pub const MICROS: Kind = Kind::Time { bare: Nanos::from_micros(1) };
    /// Whole percentage, 0 to 100.
    pub const PERCENT: Kind = Kind::Int { min: 0, max: 100 };

    /// Returns the kind for these words, without refused words or arguments.
    pub const fn words(words: &'static [Word]) -> Kind {
        Kind::Words { words, refused: &[], argument: false }
    }

    /// Returns the kind for these words, each optionally with `:argument`.
    pub const fn words_with_argument(words: &'static [Word]) -> Kind {
        Kind::Words { words, refused: &[], argument: true }
    }

    /// Returns `true` if the option may appear without a value.
    #[must_use]
    pub const fn may_be_bare(&self) -> bool {
        matches!(self, Kind::Flag | Kind::OptionalText | Kind::OptionalPath)
    }

    /// Returns the description that the help prints, such as `size up to 1 GiB` or `0 or 1`.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Kind::Flag => "0 or 1; 1 if no value is given".into(),
            Kind::Bool => "0 or 1".into(),
            Kind::Int { min, max } if *max >= i64::from(u32::MAX) => format!("whole number, {min} or more"),
            Kind::Int { min, max } => format!("whole number from {min} to {max}"),
            Kind::Size { max, .. } if *max < u64::MAX => format!("size up to {}", Bytes(*max).short()),
            Kind::Size { .. } => "size".into(),
            Kind::Extent => "size, percentage of the file, or number of zones (4z)".into(),
            Kind::Time { bare: Nanos(1_000_000_000) } => "time, in seconds if no unit is given".into(),
            Kind::Time { bare: Nanos(1_000_000) } => "time, in milliseconds if no unit is given".into(),
            Kind::Time { .. } => "time, in microseconds if no unit is given".into(),
            Kind::Float { min, max } => format!("number from {min} to {max}"),
            Kind::Floats { min, max, most } => format!("up to {most} numbers from {min} to {max}, separated by `:`"),
            Kind::PerDirection(inner) => format!("{}; up to three values: read,write,trim", inner.describe()),
            Kind::Words { argument: true, .. } => "word, optionally with `:argument`".into(),
            Kind::Words { .. } | Kind::Engine => "word".into(),
            Kind::Text => "text".into(),
            Kind::OptionalText => "text (optional)".into(),
            Kind::OptionalPath => "path; the job's name if no value is given".into(),
            Kind::Path => "path".into(),
            Kind::Form(form) => (*form).into(),
        }
    }

    /// Returns the accepted words, or an empty list for kinds that are not words.
    #[must_use]
    pub const fn accepted_words(&self) -> &'static [Word] {
        match self {
            Kind::Words { words, .. } => words,
            _ => &[],
        }
    }
}

/// Checked value that is not yet stored in a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Value of a switch.
    Bool(bool),
    /// Whole number.
    Int(i64),
    /// Size in bytes.
    Size(Bytes),
    /// Size in bytes, in percent or in zones.
    Extent(Extent),
    /// Time.
    Time(Nanos),
    /// Number with a fraction.
    Float(f64),
    /// List of numbers.
    Floats(Vec<f64>),
    /// Values for reads, writes and trims. `None` keeps the default.
    Dirs([Option<u64>; 3]),
    /// Index of a word in the list of words, and the text after the colon.
    Word(usize, Option<String>),
    /// Text.
    Text(String),
}

/// Parses a value of this kind. `text` is `None` if the option was given without a value.
///
/// # Errors
/// Returns an error if the text is not a value of this kind. The error lists what is allowed. The caller prepends the
/// option's name.
pub fn read(kind: &Kind, text: Option<&str>, units: Units) -> Result<Value, ValueError> {
    let Some(text) = text else {
        return if kind.may_be_bare() {
            Ok(Value::Bool(true))
        } else {
            Err(ValueError::Missing { allowed: kind.describe() })
        };
    };
    let text = text.trim();
    if text.is_empty() {
        return Err(ValueError::Empty { allowed: kind.describe() });
    }
    match kind {
        Kind::Flag | Kind::Bool => match (text, kind, units::signed(text)) {
            ("0", ..) => Ok(Value::Bool(false)),
            ("1", ..) => Ok(Value::Bool(true)),
            // fio accepts any number for options that do not need a value: `thread=2` turns `thread` on.
            (_, Kind::Flag, Ok(number)) => Ok(Value::Bool(number != 0)),
            _ => Err(ValueError::form(text, "neither 0 nor 1")),
        },
        Kind::Int { min, max } => int(text, *min, *max).map(Value::Int),
        Kind::Size { min, max } => size(text, *min, *max, units).map(|b| Value::Size(Bytes(b))),
        Kind::Extent => units::extent(text, units).map(Value::Extent),
        Kind::Time { bare } => units::time(text, *bare).map(Value::Time),
        Kind::Float { min, max } => float(text, *min, *max).map(Value::Float),
        Kind::Floats { min, max, most } => {
            let mut list = Vec::new();
            for part in text.split(':') {
                if list.len() == *most {
                    return Err(format!("more than {most} numbers").into());
                }
                list.push(float(part, *min, *max)?);
            }
            Ok(Value::Floats(list))
        }
        Kind::PerDirection(inner) => per_direction(text, |part| match inner {
            Kind::Size { min, max } => size(part, *min, *max, units),
            Kind::Int { min, max } => int(part, *min, *max).map(|v| v.max(0) as u64),
            Kind::Time { bare } => units::time(part, *bare).map(|t| t.as_nanos()),
            _ => Err(ValueError::Mismatch("this option does not take a value per direction")),
        })
        .map(Value::Dirs),
        Kind::Words { words, refused, argument } => word(text, words, refused, *argument),
        Kind::Engine | Kind::Text | Kind::Path | Kind::OptionalText | Kind::OptionalPath | Kind::Form(_) => {
            Ok(Value::Text(text.to_owned()))
        }
    }
}

fn int(text: &str, min: i64, max: i64) -> Result<i64, ValueError> {
    let value = units::signed(text)?;
    if value < min || value > max {
        let allowed = if max >= i64::from(u32::MAX) {
            format!("{min} or more{}", if value > max { ", and below 2^32" } else { "" })
        } else {
            format!("{min}..{max}")
        };
        return Err(ValueError::out_of_range(text, allowed));
    }
    Ok(value)
}

fn size(text: &str, min: u64, max: u64, units: Units) -> Result<u64, ValueError> {
    let too_large = || ValueError::TooLarge { given: clip(text), most: Some(long(max)) };
    let bytes = match units::size(text, units) {
        Ok(bytes) => bytes.as_u64(),
        Err(ValueError::TooLarge { .. }) => return Err(too_large()),
        Err(why) => return Err(why),
    };
    if bytes > max {
        return Err(too_large());
    }
    if bytes < min {
        return Err(ValueError::out_of_range(text, format!("at least {}", long(min))));
    }
    Ok(bytes)
}

/// Formats a limit, such as `64 MiB`. The only limit above 2^60 is 2^62, which is written as "2^62 bytes".
fn long(bytes: u64) -> String {
    if bytes > 1 << 60 { "2^62 bytes".into() } else { Bytes(bytes).to_string() }
}

/// Parses a number from `min` to `max`.
pub(crate) fn float(text: &str, min: f64, max: f64) -> Result<f64, ValueError> {
    let value = units::float(text)?;
    if value < min || value > max {
        return Err(ValueError::out_of_range(text, format!("{min}..{max}")));
    }
    Ok(value)
}

/// Parses up to three values in the form `read,write,trim`. An empty part keeps the default. The last part also applies
/// to the missing parts, unless a comma follows it.
fn per_direction(text: &str, one: impl Fn(&str) -> Result<u64, ValueError>) -> Result<[Option<u64>; 3], ValueError> {
    let mut values = [None; 3];
    for (value, part) in values.iter_mut().zip(split_directions(text)?) {
        *value = part.map(&one).transpose()?;
    }
    Ok(values)
}

/// Splits values of the form `read,write,trim` by fio's rule (HOWTO, `blocksize`).
///
/// # Errors
/// Returns an error if there are more than three parts.
pub(crate) fn split_directions(text: &str) -> Result<[Option<&str>; 3], ValueError> {
    let parts: Vec<&str> = text.splitn(5, ',').map(str::trim).collect();
    let trailing = parts.len() > 1 && parts.last() == Some(&"");
    let given = if trailing { parts.len() - 1 } else { parts.len() };
    if given > 3 {
        return Err(format!("`{}` has more than three parts: read,write,trim", clip(text)).into());
    }
    let mut values = [None; 3];
    for (i, slot) in values.iter_mut().enumerate() {
        let part = match parts.get(i) {
            Some(part) if i < given => *part,
            _ if trailing => "",
            _ => parts[given - 1],
        };
        *slot = (!part.is_empty()).then_some(part);
    }
    Ok(values)
}

/// Prefix that fio uses for engines that are loaded from a file.
const EXTERNAL: &str = "external";

/// Returns the name of an engine in a shared object, which has the form `external:/usr/lib/spdk_nvme`,
/// `/usr/lib/spdk_nvme` or `./mine.so`.
fn plugin<'a>(head: &'a str, rest: Option<&'a str>) -> Option<&'a str> {
    let path = match (head, rest) {
        (EXTERNAL, Some(path)) => path,
        _ if head.contains('/') || head.ends_with(".so") => head,
        _ => return None,
    };
    let name = path.rsplit('/').next().unwrap_or(path);
    Some(name.strip_suffix(".so").unwrap_or(name)).filter(|name| !name.is_empty())
}

pub(crate) fn word(text: &str, words: &[Word], refused: &[RefusedWord], argument: bool) -> Result<Value, ValueError> {
    let (head, rest) = match text.split_once(':') {
        Some((head, rest)) => (head.trim(), Some(rest.trim().to_owned())),
        None => (text, None),
    };
    if let Some(index) = words.iter().position(|w| w.name == head || w.aliases.contains(&head)) {
        if let Some(rest) = &rest
            && !argument
        {
            return Err(ValueError::Argument { word: head.to_owned(), argument: clip(rest) });
        }
        return Ok(Value::Word(index, rest));
    }
    let known = |name: &str| refused.iter().find(|(word, _)| *word == name);
    if let (Some(plugin), Some((_, reason))) = (plugin(head, rest.as_deref()), known(EXTERNAL)) {
        let reason = known(plugin).map_or(*reason, |(_, own)| *own);
        return Err(ValueError::NotDone { word: clip(plugin), external: true, why: reason });
    }
    if let Some((_, reason)) = known(head) {
        return Err(ValueError::NotDone { word: head.to_owned(), external: false, why: reason });
    }
    let list = words.iter().map(|w| w.name).collect::<Vec<_>>().join(" ");
    let near = nearest(head, words.iter().flat_map(|w| std::iter::once(w.name).chain(w.aliases.iter().copied())));
    Err(ValueError::UnknownWord { given: clip(head), words: list, nearest: near.map(str::to_owned) })
}

/// Type of a field that can be converted from a value of the option's kind.
pub trait Take: Sized {
    /// Converts a value to this type.
    ///
    /// # Errors
    /// Returns an error if the value does not fit this type.
    fn take(value: Value) -> Result<Self, ValueError>;
}

fn mismatch<T>() -> Result<T, ValueError> {
    Err(ValueError::Mismatch("the option table pairs this option with a field of another kind"))
}

impl Take for bool {
    fn take(value: Value) -> Result<Self, ValueError> {
        if let Value::Bool(b) = value { Ok(b) } else { mismatch() }
    }
}

macro_rules! take_int {
    ($($t:ty),*) => {$(
        impl Take for $t {
            fn take(value: Value) -> Result<Self, ValueError> {
                let Value::Int(v) = value else { return mismatch() };
                <$t>::try_from(v).map_err(|_| format!("`{v}` is out of range").into())
            }
        }
    )*};
}
take_int!(u8, u32, u64, i32, i64);

macro_rules! take_plain {
    ($($t:ty = $variant:ident),* $(,)?) => {$(
        impl Take for $t {
            fn take(value: Value) -> Result<Self, ValueError> {
                if let Value::$variant(v) = value { Ok(v) } else { mismatch() }
            }
        }
    )*};
}
take_plain!(Bytes = Size, Extent = Extent, Nanos = Time, f64 = Float, Vec<f64> = Floats);

impl Take for String {
    fn take(value: Value) -> Result<Self, ValueError> {
        match value {
            Value::Text(text) => Ok(text),
            // An optional text was left out.
            Value::Bool(true) => Ok(String::new()),
            _ => mismatch(),
        }
    }
}

impl Take for PathBuf {
    fn take(value: Value) -> Result<Self, ValueError> {
        String::take(value).map(|text| text::to_path(&text))
    }
}

impl<T: Take> Take for Option<T> {
    fn take(value: Value) -> Result<Self, ValueError> {
        T::take(value).map(Some)
    }
}

/// Defines an enum whose variants are words of the job language.
macro_rules! words {
    (
        $(#[$meta:meta])*
        $name:ident, default $default:ident {
            $($variant:ident = $word:literal $(| $alias:literal)* : $help:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $(
                #[doc = $help]
                $variant,
            )*
        }

        impl Default for $name {
            fn default() -> Self {
                $name::$default
            }
        }

        impl $name {
            /// Words in the order of the variants.
            pub const WORDS: &'static [$crate::Word] = &[
                $($crate::Word { name: $word, aliases: &[$($alias),*], help: $help },)*
            ];

            /// Variants in the order of the words.
            pub const ALL_WORDS: &'static [$name] = &[$($name::$variant,)*];

            /// Returns the variant's word.
            #[must_use]
            pub fn word(self) -> &'static str {
                Self::WORDS[self as usize].name
            }
        }

        impl $crate::value::Take for $name {
            fn take(value: $crate::Value) -> Result<Self, $crate::ValueError> {
                match value {
                    $crate::Value::Word(index, _) => {
                        Self::ALL_WORDS.get(index).copied().ok_or($crate::ValueError::Mismatch("unknown word"))
                    }
                    _ => Err($crate::ValueError::Mismatch("the option table pairs a word with another kind")),
                }
            }
        }
    };
}
pub(crate) use words;

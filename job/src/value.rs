//! From the text after `=` to a checked [`Value`], by the option's [`Kind`]; and from values to typed fields.

use crate::units::{self, Extent, Units};
use crate::value_error::ValueError;
use model::{Bytes, Nanos, clip, nearest};

pub use model::OptionWord as Word;

/// A word fio has and we do not do, with the reason.
pub type RefusedWord = (&'static str, &'static str);

/// What kind of value an option takes: decides how it is read, checked and described.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Bare means 1; or `0`, `1`.
    Flag,
    /// `0` or `1`, the value is required.
    Bool,
    /// A whole number in a range; `k m g` and `0x` allowed.
    Int {
        /// The smallest value allowed.
        min: i64,
        /// The largest value allowed.
        max: i64,
    },
    /// A size in a range.
    Size {
        /// Smallest, in bytes.
        min: u64,
        /// Largest, in bytes.
        max: u64,
    },
    /// A size, or percent of the file or device.
    Extent,
    /// A time; a bare number counts `bare`.
    Time {
        /// What a bare number counts.
        bare: Nanos,
    },
    /// A number with a fraction, in a range.
    Float {
        /// The smallest value allowed.
        min: f64,
        /// The largest value allowed.
        max: f64,
    },
    /// Numbers separated by `:`.
    Floats {
        /// Smallest of each.
        min: f64,
        /// Largest of each.
        max: f64,
        /// Most of them.
        most: usize,
    },
    /// Up to three of `Int` or `Size`, for reads, writes and trims.
    PerDirection(&'static Kind),
    /// One of these words; with `argument`, `:something` may follow.
    Words {
        /// The words.
        words: &'static [Word],
        /// Words of fio's that are refused.
        refused: &'static [RefusedWord],
        /// Whether `:argument` may follow the word.
        argument: bool,
    },
    /// One of the engines ([`crate::Engines`]).
    Engine,
    /// Any text, not empty.
    Text,
    /// Any text, or bare.
    OptionalText,
    /// A path, or bare.
    OptionalPath,
    /// A path; the only kind that may hold bytes that are no text.
    Path,
    /// A form of its own, read by the option; the text describes it.
    Form(&'static str),
}

impl Kind {
    /// Any whole number from `min` up to what 32 bits hold.
    pub const fn from(min: i64) -> Kind {
        Kind::Int { min, max: u32::MAX as i64 }
    }
    /// Seconds unless a unit is given.
    pub const SECONDS: Kind = Kind::Time { bare: Nanos::from_secs(1) };
    /// Milliseconds unless a unit is given.
    pub const MILLIS: Kind = Kind::Time { bare: Nanos::from_millis(1) };
    /// Microseconds unless a unit is given.
    pub const MICROS: Kind = Kind::Time { bare: Nanos::from_micros(1) };
    /// Whole percent.
    pub const PERCENT: Kind = Kind::Int { min: 0, max: 100 };

    /// A prefix of logs; bare takes the job's name.
    pub const LOG: Kind = Kind::OptionalPath;
    /// Text that may be left out.
    pub const OPTIONAL: Kind = Kind::OptionalText;

    /// Words without refused ones or arguments.
    pub const fn words(words: &'static [Word]) -> Kind {
        Kind::Words { words, refused: &[], argument: false }
    }

    /// Whether the option may stand bare.
    #[must_use]
    pub const fn may_be_bare(&self) -> bool {
        matches!(self, Kind::Flag | Kind::OptionalText | Kind::OptionalPath)
    }

    /// What the value is, for help: `size`, `0|1`, `read|write|...`.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Kind::Flag => "bare, 0 or 1".into(),
            Kind::Bool => "0 or 1".into(),
            Kind::Int { min, max } if *max >= i64::from(u32::MAX) => format!("whole number from {min}"),
            Kind::Int { min, max } => format!("whole number {min} to {max}"),
            Kind::Size { max, .. } if *max < u64::MAX => format!("size up to {}", Bytes(*max).short()),
            Kind::Size { .. } => "size".into(),
            Kind::Extent => "size, percent of the file, or zones (4z)".into(),
            Kind::Time { bare: Nanos(1_000_000_000) } => "time, seconds if bare".into(),
            Kind::Time { bare: Nanos(1_000_000) } => "time, milliseconds if bare".into(),
            Kind::Time { .. } => "time, microseconds if bare".into(),
            Kind::Float { min, max } => format!("number {min} to {max}"),
            Kind::Floats { min, max, most } => format!("up to {most} numbers {min} to {max}, separated by `:`"),
            Kind::PerDirection(inner) => format!("{}; up to three: read,write,trim", inner.describe()),
            Kind::Words { argument: true, .. } => "word, `:argument` may follow".into(),
            Kind::Words { .. } | Kind::Engine => "word".into(),
            Kind::Text => "text".into(),
            Kind::OptionalText => "text, or bare".into(),
            Kind::OptionalPath => "path, or bare for the job's name".into(),
            Kind::Path => "path".into(),
            Kind::Form(form) => (*form).into(),
        }
    }

    /// The words it accepts.
    #[must_use]
    pub const fn accepted_words(&self) -> &'static [Word] {
        match self {
            Kind::Words { words, .. } => words,
            _ => &[],
        }
    }
}

/// A checked value, before it finds its field.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// On or off.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A size in bytes.
    Size(Bytes),
    /// Bytes or percent.
    Extent(Extent),
    /// A time.
    Time(Nanos),
    /// A number.
    Float(f64),
    /// A list of numbers.
    Floats(Vec<f64>),
    /// For reads, writes and trims; `None` leaves the default.
    Dirs([Option<u64>; 3]),
    /// Place in the list of words, and what followed the colon.
    Word(usize, Option<String>),
    /// Any text.
    Text(String),
}

/// Reads a value of a kind. `None` = the option stood bare.
///
/// # Errors
/// When it is none, with what is allowed; the option's name is put before it by the caller.
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
            // fio reads any number where none is needed: `thread=2` sets it.
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
            _ => Err(ValueError::Mismatch("this option has no per-direction form")),
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

/// `64 MiB`; for limits only, so anything above 2^60 is "2^62 bytes".
fn long(bytes: u64) -> String {
    if bytes > 1 << 60 { "2^62 bytes".into() } else { Bytes(bytes).to_string() }
}

fn float(text: &str, min: f64, max: f64) -> Result<f64, ValueError> {
    let value = units::float(text)?;
    if value < min || value > max {
        return Err(ValueError::out_of_range(text, format!("{min}..{max}")));
    }
    Ok(value)
}

/// `read,write,trim`: an empty part leaves the default, and a last part without a comma also covers what follows.
fn per_direction(text: &str, one: impl Fn(&str) -> Result<u64, ValueError>) -> Result<[Option<u64>; 3], ValueError> {
    split_directions(text)?.map(|part| part.map(&one).transpose()).into_iter().enumerate().try_fold(
        [None; 3],
        |mut all, (i, part)| {
            all[i] = part?;
            Ok(all)
        },
    )
}

/// Splits `read,write,trim` by fio's rule (HOWTO, `blocksize`).
///
/// # Errors
/// When there are more than three parts.
pub(crate) fn split_directions(text: &str) -> Result<[Option<&str>; 3], ValueError> {
    let parts: Vec<&str> = text.splitn(5, ',').map(str::trim).collect();
    let trailing = parts.len() > 1 && parts.last() == Some(&"");
    let given = if trailing { parts.len() - 1 } else { parts.len() };
    if given > 3 {
        return Err(format!("`{}` has more than three parts: read,write,trim", clip(text)).into());
    }
    let mut all = [None; 3];
    for (i, slot) in all.iter_mut().enumerate() {
        let part = match parts.get(i) {
            Some(part) if i < given => *part,
            _ if trailing => "",
            _ => parts[given - 1],
        };
        *slot = (!part.is_empty()).then_some(part);
    }
    Ok(all)
}

/// The word of fio's for engines that are loaded from a file.
const EXTERNAL: &str = "external";

/// The name of an engine in a file of its own: `external:/usr/lib/spdk_nvme`, `/usr/lib/spdk_nvme`, `./mine.so`.
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
    if let (Some(plugin), Some((_, why))) = (plugin(head, rest.as_deref()), known(EXTERNAL)) {
        let why = known(plugin).map_or(*why, |(_, own)| *own);
        return Err(ValueError::NotDone { word: clip(plugin), external: true, why });
    }
    if let Some((_, why)) = known(head) {
        return Err(ValueError::NotDone { word: head.to_owned(), external: false, why });
    }
    let mut list = String::new();
    for w in words {
        if !list.is_empty() {
            list.push(' ');
        }
        list.push_str(w.name);
    }
    let near = nearest(head, words.iter().flat_map(|w| std::iter::once(w.name).chain(w.aliases.iter().copied())));
    Err(ValueError::UnknownWord { given: clip(head), words: list, nearest: near.map(str::to_owned) })
}

/// A field's type, taken from a value of the option's kind.
pub trait Take: Sized {
    /// Takes it.
    ///
    /// # Errors
    /// When the value does not fit the field.
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
take_plain!(Bytes = Size, Extent = Extent, Nanos = Time, f64 = Float, Vec<f64> = Floats, String = Text);

impl<T: Take> Take for Option<T> {
    fn take(value: Value) -> Result<Self, ValueError> {
        T::take(value).map(Some)
    }
}

/// Defines an enum whose variants are words of the language.
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
            /// The words, in the order of the variants.
            pub const WORDS: &'static [$crate::Word] = &[
                $($crate::Word { name: $word, aliases: &[$($alias),*], help: $help },)*
            ];

            /// The variants, in the order of the words.
            pub const ALL_WORDS: &'static [$name] = &[$($name::$variant,)*];

            /// The word.
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

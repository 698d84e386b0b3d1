//! Conversion of a typed value into the value that its column is compared with.

use super::{Field, FieldKind, FilterError};
use crate::time;
use model::{Bytes, BytesPerSecond, Iops, Nanos};

/// Current time and time zone. Durations are subtracted from this time. The zone applies to dates without an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Nanoseconds since the Unix epoch.
    pub instant: i64,
    /// Offset of local time from UTC, in seconds; positive east of Greenwich.
    pub offset: i32,
}

/// A value, in the unit of its column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    Real(f64),
    /// Span of time in nanoseconds: start (inclusive) and end (exclusive).
    Span(i64, i64),
}

impl Value {
    /// Parses the value that was typed for a field.
    pub(super) fn read(field: &Field, typed: &str, now: Now) -> Result<Value, FilterError> {
        let wrong = |why: &dyn std::fmt::Display| FilterError(format!("{}: {why}", field.name));
        let whole = |n: u64| Value::Integer(i64::try_from(n).unwrap_or(i64::MAX));
        match field.kind {
            FieldKind::Text => Ok(Value::Text(typed.to_owned())),
            FieldKind::Id => {
                let good = |c: char| c.is_ascii_hexdigit() || c == '-';
                match typed.chars().all(good) && typed.len() <= 36 {
                    true => Ok(Value::Text(typed.to_ascii_lowercase())),
                    false => {
                        Err(wrong(&format!("`{}` is not the beginning of an id such as 3f2a", model::clip(typed))))
                    }
                }
            }
            FieldKind::Number => typed
                .parse::<i64>()
                .map(Value::Integer)
                .map_err(|_| wrong(&format!("`{}` is not a whole number", model::clip(typed)))),
            FieldKind::Size => typed.parse::<Bytes>().map(|b| whole(b.as_u64())).map_err(|e| wrong(&e)),
            FieldKind::Time => typed.parse::<Nanos>().map(|n| whole(n.as_nanos())).map_err(|e| wrong(&e)),
            FieldKind::Rate => typed.parse::<Iops>().map(|i| Value::Real(i.per_second())).map_err(|e| wrong(&e)),
            FieldKind::Bandwidth => {
                let bare = typed.trim().chars().all(|c| c.is_ascii_digit() || c == '.');
                let text = if bare { format!("{typed}MB") } else { typed.to_owned() };
                text.parse::<BytesPerSecond>().map(|b| Value::Real(b.per_second())).map_err(|e| wrong(&e))
            }
            FieldKind::Moment => Value::moment(typed, now, false),
        }
    }

    /// Parses a day, a minute, a second or an exact time. If `ago` is set, a duration before now is also accepted.
    pub(super) fn moment(typed: &str, now: Now, ago: bool) -> Result<Value, FilterError> {
        if let Some((from, length)) = time::parse_span(typed, now.offset) {
            return Ok(Value::Span(from, from.saturating_add(length)));
        }
        let duration = typed.parse::<Nanos>().ok();
        match (duration, ago) {
            (Some(duration), true) => {
                let from = now.instant.saturating_sub(i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX));
                Ok(Value::Span(from, from.saturating_add(1)))
            }
            (Some(_), false) => {
                let text = model::clip(typed);
                Err(FilterError(format!("started: `{text}` is a duration: write `since {text}` or `before {text}`")))
            }
            (None, _) => Err(FilterError(format!(
                "started: `{}` is not a time; examples: 2026-11-01, 2026-11-01T10:00, 2026-11-01T10:00:00Z{}",
                model::clip(typed),
                if ago { ", 3d (3 days ago)" } else { "" }
            ))),
        }
    }
}

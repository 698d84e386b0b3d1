//! Data of a run that is available without reading the whole run, used for lists, filters and trends.

use crate::{Bytes, BytesPerSecond, Iops, Nanos, Sentence};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Key figures of a workload of a run: of the held (sustained) level or, if there is none, of the fastest level.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkloadFigures {
    /// Name, identical in all runs of the same workload: `8k randread`, or the name of a job.
    pub name: String,
    /// Mode under fio's name: `randread`, `write`, `randrw`, ...
    pub pattern: String,
    /// Size of an operation; `None` for mixed sizes.
    pub bs: Option<Bytes>,
    /// Name of the engine.
    pub engine: String,
    /// Operations in flight over all jobs.
    pub depth: u64,
    /// Number of simultaneous jobs; `None` if the number of threads was left to secchi.
    pub jobs: Option<u64>,
    /// Operations per second; `None` if the analysis rejects the figure or there is none, for the reason in the next
    /// field. The same applies to the other figures.
    pub iops: Option<Iops>,
    /// Reason why `iops` is `null`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iops_reason: Option<Sentence>,
    /// Bytes per second.
    pub bandwidth: Option<BytesPerSecond>,
    /// Reason why `bandwidth` is `null`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth_reason: Option<Sentence>,
    /// Mean latency.
    pub mean: Option<Nanos>,
    /// Reason why `mean` is `null`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_reason: Option<Sentence>,
    /// 99th percentile of latency.
    pub p99: Option<Nanos>,
    /// Reason why `p99` is `null`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_reason: Option<Sentence>,
    /// Point from which both latencies are measured.
    pub latency_from: LatencyFrom,
}

/// Point from which a latency is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, strum::IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum LatencyFrom {
    /// Submission of the operation, as for fio's `lat`, even at a fixed rate.
    #[default]
    Submission,
    /// Due time of the operation, so that operations delayed by a stall include the wait.
    Due,
}

impl LatencyFrom {
    /// Suffix of the name of a workload whose latencies count from the due time.
    pub const FROM_DUE: &'static str = " from due";

    /// Returns the point of measurement that the name of a workload implies.
    #[must_use]
    pub fn of_name(name: &str) -> LatencyFrom {
        if name.ends_with(Self::FROM_DUE) { LatencyFrom::Due } else { LatencyFrom::Submission }
    }

    /// Returns the name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Reason why labels cannot be stored with a run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LabelError {
    /// The word is not a valid tag.
    #[error(
        "`{}` is not a valid tag: use 1 to {} letters, digits and . _ - : / @, with a letter or digit first",
        crate::clip(.0),
        Labels::TAG_MAX
    )]
    NoTag(String),
    /// The number of tags exceeds the maximum.
    #[error("{0} tags are too many: a run can have {most}", most = Labels::TAGS_MAX)]
    TooManyTags(usize),
    /// The number of characters in the note exceeds the maximum.
    #[error("a note of {0} characters is too long: the maximum is {most}", most = Labels::NOTE_MAX)]
    NoteTooLong(usize),
    /// The note contains control characters other than line ends and tabs.
    #[error("a note must not contain control characters")]
    ControlInNote,
}

/// Labels that users give to a run. They are not part of the measurement, so they are stored next to the journal and do
/// not change it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Labels {
    /// Names by which the run can be found.
    #[serde(default)]
    pub tags: BTreeSet<String>,
    /// Free text; may be empty.
    #[serde(default)]
    pub note: String,
}

impl Labels {
    /// Maximum length of a tag, in characters.
    pub const TAG_MAX: usize = 64;
    /// Maximum number of tags of a run.
    pub const TAGS_MAX: usize = 64;
    /// Maximum length of a note, in characters.
    pub const NOTE_MAX: usize = 4000;

    /// Returns `true` if there are no labels.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.note.is_empty()
    }

    /// Checks that `tag` is valid: it begins with a letter or digit, so that `+tag` and `-tag` are unambiguous, and has
    /// no blanks.
    ///
    /// # Errors
    /// Returns [`LabelError::NoTag`] if the tag is not valid.
    pub fn check_tag(tag: &str) -> Result<(), LabelError> {
        let good = |c: char| c.is_alphanumeric() || "._:/@-".contains(c);
        if tag.chars().next().is_some_and(char::is_alphanumeric)
            && tag.chars().all(good)
            && tag.chars().count() <= Labels::TAG_MAX
        {
            return Ok(());
        }
        Err(LabelError::NoTag(tag.to_owned()))
    }

    /// Checks that the labels can be stored.
    ///
    /// # Errors
    /// Returns an error for the first limit that is exceeded.
    pub fn check(&self) -> Result<(), LabelError> {
        self.tags.iter().try_for_each(|t| Labels::check_tag(t))?;
        if self.tags.len() > Labels::TAGS_MAX {
            return Err(LabelError::TooManyTags(self.tags.len()));
        }
        let length = self.note.chars().count();
        if length > Labels::NOTE_MAX {
            return Err(LabelError::NoteTooLong(length));
        }
        if self.note.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
            return Err(LabelError::ControlInNote);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_one_word_that_is_no_sign() {
        for good in ["nightly", "v1.2", "日本", "host:a/b", "2026-11-22"] {
            assert_eq!(Labels::check_tag(good), Ok(()), "{good}");
        }
        for bad in ["", "-old", "+new", "two words", "a'b", "a\nb", &"x".repeat(65)] {
            assert!(Labels::check_tag(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn labels_beyond_bounds_are_refused() {
        let with = |note: &str| Labels { note: note.to_owned(), ..Labels::default() }.check();
        assert!(with("two\nlines").is_ok());
        assert_eq!(with("\u{1b}[31m"), Err(LabelError::ControlInNote));
        assert!(with(&"x".repeat(4001)).unwrap_err().to_string().contains("4001"));
        let tags = (0..65).map(|i| format!("t{i}")).collect();
        assert!(Labels { tags, note: String::new() }.check().unwrap_err().to_string().contains("65 tags"));
    }
}

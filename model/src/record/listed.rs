//! What is known of a run without reading it whole: for lists, filters and trends.

use crate::{Bytes, BytesPerSecond, Iops, Nanos, Sentence};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// One workload of a run by its key figures: of the level that was held, else of the fastest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkloadFigures {
    /// The same in all runs that ran the same: `8k randread`, or the name of a job.
    pub name: String,
    /// fio's name of the mode: `randread`, `write`, `randrw`, ...
    pub pattern: String,
    /// Size of an operation; `None` where sizes are mixed.
    pub bs: Option<Bytes>,
    /// Engine that ran it.
    pub engine: String,
    /// Operations in flight, of all jobs together.
    pub depth: u64,
    /// Jobs that ran it at the same time; `None` if the number of threads was left to secchi.
    #[serde(default)]
    pub jobs: Option<u64>,
    /// Operations per second; `None` where the judge strikes the figure or there is none. So the others.
    pub iops: Option<Iops>,
    /// Bytes per second.
    pub bandwidth: Option<BytesPerSecond>,
    /// Mean latency.
    pub mean: Option<Nanos>,
    /// 99th percentile of latency.
    pub p99: Option<Nanos>,
    /// From when both count.
    #[serde(default)]
    pub latency_from: LatencyFrom,
}

/// From when a latency counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LatencyFrom {
    /// From the submission of an operation, as fio's `lat` does, also at a rate.
    #[default]
    Submission,
    /// From when it was due: what a stall kept from being sent waits, too.
    Due,
}

impl LatencyFrom {
    /// What the name of a workload ends with whose latencies count from the due time.
    pub const FROM_DUE: &'static str = " from due";

    /// By the name of a workload.
    #[must_use]
    pub fn of_name(name: &str) -> LatencyFrom {
        if name.ends_with(Self::FROM_DUE) { LatencyFrom::Due } else { LatencyFrom::Submission }
    }

    /// Its word, as in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            LatencyFrom::Submission => "submission",
            LatencyFrom::Due => "due",
        }
    }
}

/// What is derived from a record for lists: it stands in no journal, so that better rules derive it anew.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Digest {
    /// The verdict's sentence.
    pub verdict: Sentence,
    /// The judge's exit code; `None` where there is no judgement.
    pub exit: Option<u8>,
    /// Key figures.
    pub workloads: Vec<WorkloadFigures>,
}

impl From<&str> for Digest {
    fn from(verdict: &str) -> Digest {
        Digest { verdict: verdict.into(), ..Digest::default() }
    }
}

impl From<String> for Digest {
    fn from(verdict: String) -> Digest {
        Digest { verdict: verdict.into(), ..Digest::default() }
    }
}

impl From<Sentence> for Digest {
    fn from(verdict: Sentence) -> Digest {
        Digest { verdict, ..Digest::default() }
    }
}

/// Why labels cannot be kept with a run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LabelError {
    /// This word cannot be a tag.
    #[error(
        "`{}` is no tag: 1 to {} letters, digits and . _ - : / @, a letter or digit first",
        crate::clip(.0),
        Labels::TAG_MAX
    )]
    NoTag(String),
    /// So many tags are more than a run takes.
    #[error("{0} tags are too many: a run takes {most}", most = Labels::TAGS_MAX)]
    TooManyTags(usize),
    /// The note has so many characters, more than are kept.
    #[error("a note of {0} characters is too long: {most} at most", most = Labels::NOTE_MAX)]
    NoteTooLong(usize),
    /// The note has control characters other than line ends and tabs.
    #[error("a note takes no control characters")]
    ControlInNote,
}

/// What people say of a run: no measurement, so it stands beside the journal and changes nothing in it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Labels {
    /// Names for finding it again.
    #[serde(default)]
    pub tags: BTreeSet<String>,
    /// Free text; may be empty.
    #[serde(default)]
    pub note: String,
}

impl Labels {
    /// Longest tag, in characters.
    pub const TAG_MAX: usize = 64;
    /// Most tags of a run.
    pub const TAGS_MAX: usize = 64;
    /// Longest note, in characters.
    pub const NOTE_MAX: usize = 4000;

    /// Whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.note.is_empty()
    }

    /// Why `tag` cannot be one: it begins with a letter or digit, so that `+tag` and `-tag` can be told, and has no blanks.
    ///
    /// # Errors
    /// [`LabelError::NoTag`].
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

    /// Why these cannot be kept.
    ///
    /// # Errors
    /// The first bound that is not kept.
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

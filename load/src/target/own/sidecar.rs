//! Sidecar of a test file: `secchi-UUID.json` next to `secchi-UUID.dat`, with the owner and the filled ranges.
//!
//! A sidecar is untrusted input: its size is limited, it is validated, and it proves nothing by itself (`proof.rs`
//! checks the data).

use crate::content::GRANULE;
use crate::target::ranges::RangeSet;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use uuid::Uuid;

/// Maximum size of a sidecar that is read, in bytes.
pub(in crate::target) const MAX_BYTES: u64 = 1 << 20;
/// Maximum number of ranges written: with at most 44 characters each, they stay below 1 MiB.
const MAX_RANGES: usize = 16_384;
/// Maximum number of characters of a text field.
const MAX_TEXT: usize = 256;
const FORMAT: &str = "secchi test file";
const VERSION: u32 = 1;

/// Recipe of the data; other recipes will get other names.
pub const RECIPE: &str = "incompressible, unique 4 KiB blocks (SECCHIB1)";

/// Origin of a test file. Passed as a parameter: this crate does not read the wall clock.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    /// Host name.
    pub host: String,
    /// Time of creation, RFC 3339.
    pub created: String,
    /// Tool and version.
    pub tool: String,
}

/// Contents of a sidecar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sidecar {
    /// UUID of the test file, also in its name and in every block.
    pub uuid: u128,
    /// Size of the file, in bytes.
    pub size: u64,
    /// Recipe of the data.
    pub recipe: String,
    /// Ranges that hold secchi's data.
    pub filled: RangeSet,
    /// Origin of the file.
    pub made: Provenance,
    /// True if the user asked to keep it.
    pub keep: bool,
}

/// Sidecar as stored in the file.
#[derive(Serialize, Deserialize)]
struct Stored {
    format: String,
    version: u32,
    uuid: String,
    size: u64,
    recipe: String,
    filled: Vec<(u64, u64)>,
    host: String,
    created: String,
    tool: String,
    keep: bool,
}

/// Fault of a sidecar, as a predicate: `has version 7, this secchi reads version 1`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SidecarError {
    /// It is larger than any that secchi writes.
    #[error("is larger than 1 MiB")]
    TooLarge,
    /// It is not JSON, or a field is missing; with the parser's message.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// It is JSON of another format.
    #[error("has another format")]
    OtherFormat,
    /// It was written by a version of secchi with another format; with its version.
    #[error("has version {0}, but this secchi reads version {VERSION}")]
    OtherVersion(u32),
    /// It has no valid UUID.
    #[error("has no valid UUID")]
    NoUuid,
    /// Its size is zero, not a multiple of the granule, or larger than a file can be, in bytes.
    #[error("has an invalid size, {0} bytes")]
    ImpossibleSize(u64),
    /// A host, date, tool or recipe is longer than secchi would have written.
    #[error("contains a text that is too long")]
    LongText,
    /// Its filled ranges are invalid.
    #[error("has filled ranges that are out of order or beyond the end")]
    ImpossibleRanges,
}

impl Sidecar {
    /// Reads and checks a sidecar.
    ///
    /// # Errors
    /// Returns the fault of the sidecar.
    pub fn parse(bytes: &[u8]) -> Result<Sidecar, SidecarError> {
        if bytes.len() as u64 > MAX_BYTES {
            return Err(SidecarError::TooLarge);
        }
        let s: Stored = serde_json::from_slice(bytes).map_err(|e| SidecarError::Unreadable(e.to_string()))?;
        if s.format != FORMAT {
            return Err(SidecarError::OtherFormat);
        }
        if s.version != VERSION {
            return Err(SidecarError::OtherVersion(s.version));
        }
        let uuid = Uuid::try_parse(&s.uuid).map_err(|_| SidecarError::NoUuid)?;
        if s.size == 0 || !s.size.is_multiple_of(GRANULE as u64) || i64::try_from(s.size).is_err() {
            return Err(SidecarError::ImpossibleSize(s.size));
        }
        if [&s.recipe, &s.host, &s.created, &s.tool].iter().any(|t| t.len() > MAX_TEXT * 4) {
            return Err(SidecarError::LongText);
        }
        let in_order = s.filled.windows(2).all(|w| w[0].1 < w[1].0);
        if !in_order || s.filled.iter().any(|(from, to)| from >= to || *to > s.size) {
            return Err(SidecarError::ImpossibleRanges);
        }
        Ok(Sidecar {
            uuid: uuid.as_u128(),
            size: s.size,
            // Data of another recipe is not what secchi's reads expect.
            filled: if s.recipe == RECIPE { s.filled.iter().map(|(a, b)| *a..*b).collect() } else { RangeSet::new() },
            recipe: s.recipe,
            made: Provenance { host: s.host, created: s.created, tool: s.tool },
            keep: s.keep,
        })
    }

    /// Returns the bytes to store, below 1 MiB. If there are too many ranges only the largest are stored; the others
    /// will be filled again.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let filled = self.filled.largest(MAX_RANGES);
        let clip = |text: &str| text.chars().take(MAX_TEXT).collect::<String>();
        let stored = Stored {
            format: FORMAT.to_owned(),
            version: VERSION,
            uuid: Uuid::from_u128(self.uuid).to_string(),
            size: self.size,
            recipe: clip(&self.recipe),
            filled: filled.as_slice().iter().map(|r| (r.start, r.end)).collect(),
            host: clip(&self.made.host),
            created: clip(&self.made.created),
            tool: clip(&self.made.tool),
            keep: self.keep,
        };
        let mut bytes = serde_json::to_vec(&stored).expect("numbers and texts always serialise");
        bytes.push(b'\n');
        bytes
    }
}

/// Kinds of names that secchi creates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::target) enum Part {
    Data,
    Sidecar,
    /// Sidecar being written.
    Draft,
    /// Lock file for file systems that are visible to other hosts.
    Lock,
    /// Directory of metadata files in the style of mdtest.
    Directory,
    /// Mark in such a directory, which identifies its owner.
    Mark,
}

impl Part {
    const fn suffix(self) -> &'static str {
        match self {
            Part::Data => "dat",
            Part::Sidecar => "json",
            Part::Draft => "json.tmp",
            Part::Lock => "lock",
            Part::Directory => "files",
            Part::Mark => "mark",
        }
    }

    /// Returns a name such as `secchi-UUID.dat`. It contains nothing that a user typed, so no `..` and no slash.
    pub(in crate::target) fn name(self, uuid: u128) -> OsString {
        format!("secchi-{}.{}", Uuid::from_u128(uuid), self.suffix()).into()
    }

    /// Returns the UUID in such a name, if it is exactly one that secchi would create.
    pub(in crate::target) fn uuid_in(self, name: &OsStr) -> Option<u128> {
        let text = name.to_str()?.strip_prefix("secchi-")?;
        let uuid = Uuid::try_parse(text.get(..36)?).ok()?.as_u128();
        (self.name(uuid) == name).then_some(uuid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sidecar() -> Sidecar {
        Sidecar {
            uuid: 0xABCD,
            size: 1 << 20,
            recipe: RECIPE.to_owned(),
            filled: [0..4096, 8192..65536].into_iter().collect(),
            made: Provenance { host: "h".into(), created: "2026-11-21T10:00:00Z".into(), tool: "secchi 0.1.0".into() },
            keep: true,
        }
    }

    proptest! {
        #[test]
        fn what_is_stored_is_read_back(size in 1u64..1000, cuts in proptest::collection::vec(0u64..1000, 0..20), keep: bool) {
            let size = size * 4096;
            let filled: RangeSet = cuts.chunks_exact(2).map(|c| c[0] * 4096..c[1] * 4096).collect();
            let s = Sidecar { size, filled: filled.below(size), keep, ..sidecar() };
            prop_assert_eq!(Sidecar::parse(&s.encode()), Ok(s));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), cut in 0usize..300) {
            let _ = Sidecar::parse(&bytes);
            let good = sidecar().encode();
            prop_assert!(Sidecar::parse(&good[..cut.min(good.len() - 2)]).is_err());
        }
    }

    #[test]
    fn what_does_not_hold_together_is_refused() {
        let text = String::from_utf8(sidecar().encode()).unwrap();
        for (from, to, expected) in [
            ("\"version\":1", "\"version\":9", "has version 9"),
            ("secchi test file", "fio test file", "another format"),
            ("[0,4096]", "[0,9999999]", "beyond the end"),
            ("[0,4096]", "[0,8193]", "out of order"),
            ("[0,4096]", "[5,5]", "out of order"),
            ("[0,4096]", "[-1,4096]", "cannot be read"),
            ("\"size\":1048576", "\"size\":1048577", "invalid size"),
            ("\"size\":1048576", "\"size\":18446744073709547520", "invalid size"),
            ("\"keep\":true", "\"kept\":true", "cannot be read"),
        ] {
            let error = Sidecar::parse(text.replace(from, to).as_bytes()).unwrap_err().to_string();
            assert!(error.contains(expected), "{to}: {error}");
        }
        assert_eq!(Sidecar::parse(&vec![b' '; (1 << 20) + 1]), Err(SidecarError::TooLarge));
        assert!(Sidecar::parse(&[b'['; 100_000]).is_err());
    }

    #[test]
    fn another_recipe_is_not_filled_for_us() {
        let other = Sidecar { recipe: "zeros".into(), ..sidecar() };
        assert!(Sidecar::parse(&other.encode()).unwrap().filled.is_empty());
    }

    #[test]
    fn the_most_scattered_file_still_has_a_readable_sidecar() {
        let filled: RangeSet =
            (0..100_000u64).map(|i| u64::MAX / 4 + i * 8192..u64::MAX / 4 + i * 8192 + 4096).collect();
        let s = Sidecar { size: i64::MAX as u64 / 4096 * 4096, filled, ..sidecar() };
        let bytes = s.encode();
        assert!((bytes.len() as u64) < MAX_BYTES, "{}", bytes.len());
        assert_eq!(Sidecar::parse(&bytes).unwrap().filled.as_slice().len(), MAX_RANGES);
    }

    #[test]
    fn only_our_own_names_are_ours() {
        let name = Part::Data.name(0xABCD);
        assert_eq!(name, "secchi-00000000-0000-0000-0000-00000000abcd.dat");
        assert_eq!(Part::Data.uuid_in(&name), Some(0xABCD));
        for wrong in [
            "secchi-00000000-0000-0000-0000-00000000ABCD.dat",
            "secchi-0000000000000000000000000000abcd.dat",
            "secchi-00000000-0000-0000-0000-00000000abcd.json",
            "secchi-00000000-0000-0000-0000-00000000abcd.dat.bak",
            "secchi-.dat",
            "secchi-\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}.dat",
            "x",
        ] {
            assert_eq!(Part::Data.uuid_in(OsStr::new(wrong)), None, "{wrong}");
        }
    }
}

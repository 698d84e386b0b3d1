//! Description of an experiment: sync method, stage, and the marker file in which they are recorded.

use crate::geometry::Geometry;
use crate::schedule::Schedule;
use crate::sector::Owner;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

/// Method by which writers make writes durable. The names are similar to PostgreSQL's `wal_sync_method` and fio's
/// `sync=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum SyncMethod {
    /// Calls fdatasync(2) after the writes.
    #[default]
    Fdatasync,
    /// Calls fsync(2) after the writes.
    Fsync,
    /// Opens files with `O_DSYNC`, so that every write is durable.
    Dsync,
    /// Opens files with `O_SYNC`, so that every write is durable.
    Sync,
    /// Opens files with `O_DIRECT|O_DSYNC`, so that every write is durable and bypasses the page cache. Writers of
    /// names and of growing files use `dsync` instead.
    DirectDsync,
}

impl SyncMethod {
    /// All sync methods.
    pub const ALL: [SyncMethod; 5] =
        [SyncMethod::Fdatasync, SyncMethod::Fsync, SyncMethod::Dsync, SyncMethod::Sync, SyncMethod::DirectDsync];

    /// Returns the method's name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            SyncMethod::Fdatasync => "fdatasync",
            SyncMethod::Fsync => "fsync",
            SyncMethod::Dsync => "dsync",
            SyncMethod::Sync => "sync",
            SyncMethod::DirectDsync => "direct-dsync",
        }
    }

    /// Returns the method's name in the system's manual.
    #[must_use]
    pub const fn call(self) -> &'static str {
        match self {
            SyncMethod::Fdatasync => "fdatasync",
            SyncMethod::Fsync => "fsync",
            SyncMethod::Dsync => "O_DSYNC",
            SyncMethod::Sync => "O_SYNC",
            SyncMethod::DirectDsync => "O_DIRECT|O_DSYNC",
        }
    }
}

impl fmt::Display for SyncMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SyncMethod {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = SyncMethod::ALL.into_iter().find(|method| method.name() == text);
        known.ok_or_else(|| format!("allowed: {}", SyncMethod::ALL.map(SyncMethod::name).join(", ")))
    }
}

/// Stage of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Files are being created. Nothing has been promised yet.
    Preparing,
    /// Writers may be running.
    Writing,
    /// All writers ended normally.
    Ended,
}

/// Marker file in the directory of an experiment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marker {
    /// Version of the file format.
    pub version: u32,
    /// Identifier of the experiment.
    pub run: Uuid,
    /// Generation: the number of times that the experiment has been begun, from 1. Files of earlier generations are
    /// ignored.
    pub generation: u32,
    /// Current stage of the experiment.
    pub stage: Stage,
    /// Seed of all random choices.
    pub seed: u64,
    /// Sync method of the writers.
    pub sync: SyncMethod,
    /// Number of writers of each kind, and sizes of their files.
    pub geometry: Geometry,
    /// Boot identifier of the kernel under which the experiment was begun.
    pub boot: String,
    /// Name of the machine.
    pub host: String,
    /// Start time by this machine's clock, as a Unix time in nanoseconds.
    pub begun_ns: u64,
    /// Number of each writer's last synced write. Recorded once all writers have ended normally.
    #[serde(default)]
    pub reached: Vec<u64>,
}

/// Version of the file format that this program writes and reads.
pub const VERSION: u32 = 1;

impl Marker {
    /// Returns the owner to which sectors of this generation belong. Sectors of other owners are ignored.
    #[must_use]
    pub fn owner(&self) -> Owner {
        Owner { run: self.run, generation: self.generation }
    }

    /// Returns the schedule of a writer.
    #[must_use]
    pub fn schedule(&self, writer: u16) -> Schedule {
        Schedule::new(self.seed, writer, self.geometry)
    }

    /// Returns the contents of the marker file: one line of JSON, and a second line with its checksum.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let line = serde_json::to_string(self).unwrap_or_default();
        format!("{line}\n{:08x}\n", crc32c::crc32c(line.as_bytes())).into_bytes()
    }

    /// Parses the output of [`Marker::to_bytes`].
    ///
    /// # Errors
    /// Returns a clause that describes the error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Marker, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
        let (line, checksum) = text.split_once('\n').ok_or("it is truncated")?;
        if checksum.trim_end() != format!("{:08x}", crc32c::crc32c(line.as_bytes())) {
            return Err("its checksum does not match its text".to_owned());
        }
        let marker: Marker = serde_json::from_str(line).map_err(|e| e.to_string())?;
        marker.check()?;
        Ok(marker)
    }

    /// Checks that the values in the marker are valid. This is necessary because a marker may come from a witness.
    ///
    /// # Errors
    /// Returns a clause that describes the error.
    pub fn check(&self) -> Result<(), String> {
        if self.version != VERSION {
            return Err(format!("it has version {}, but this secchi reads version {VERSION}", self.version));
        }
        let short = self.host.len() <= 256 && self.boot.len() <= 64 && self.reached.len() <= usize::from(u16::MAX);
        if !self.geometry.is_sound() || self.generation == 0 || !short {
            return Err("its values are not those of an experiment".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn example() -> Marker {
        Marker {
            version: VERSION,
            run: Uuid::from_u128(0x1234),
            generation: 2,
            stage: Stage::Writing,
            seed: 9,
            sync: SyncMethod::Fdatasync,
            geometry: Geometry { blocks: 32, records: 16, slots: 6, ..Geometry::default() },
            boot: "b".into(),
            host: "h".into(),
            begun_ns: 5,
            reached: Vec::new(),
        }
    }

    #[test]
    fn a_marker_is_read_as_it_was_written_and_no_other_text_is_one() {
        let marker = example();
        let bytes = marker.to_bytes();
        assert_eq!(Marker::from_bytes(&bytes), Ok(marker.clone()));
        for at in 0..bytes.len() - 1 {
            let mut changed = bytes.clone();
            changed[at] ^= 4;
            assert!(Marker::from_bytes(&changed).is_err(), "byte {at}");
            assert!(Marker::from_bytes(&bytes[..at]).is_err(), "cut at {at}");
        }
        let odd = Marker { geometry: Geometry { slots: 1, ..marker.geometry }, ..marker.clone() };
        assert!(Marker::from_bytes(&odd.to_bytes()).unwrap_err().contains("not those of an experiment"));
        let newer = Marker { version: 2, ..marker };
        assert!(Marker::from_bytes(&newer.to_bytes()).unwrap_err().contains("version 2"));
    }

    #[test]
    fn every_way_to_sync_is_known_by_its_name() {
        for method in SyncMethod::ALL {
            assert_eq!(method.name().parse(), Ok(method));
        }
        assert!("fsnc".parse::<SyncMethod>().unwrap_err().contains("direct-dsync"));
    }
}

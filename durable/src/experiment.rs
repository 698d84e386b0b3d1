//! What an experiment is: how it syncs, how far it is, and the marker that says so in its directory.

use crate::geometry::Geometry;
use crate::schedule::Schedule;
use crate::sector::Owner;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

/// How writers make what they wrote durable; names as of PostgreSQL's `wal_sync_method` and fio's `sync=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SyncMethod {
    /// Writes, then fdatasync(2).
    #[default]
    Fdatasync,
    /// Writes, then fsync(2).
    Fsync,
    /// Every write by itself: `O_DSYNC`.
    Dsync,
    /// Every write by itself: `O_SYNC`.
    Sync,
    /// Every write by itself and past the page cache: `O_DIRECT|O_DSYNC`. Files that grow, and names, are written as with `dsync`.
    DirectDsync,
}

impl SyncMethod {
    /// All of them.
    pub const ALL: [SyncMethod; 5] =
        [SyncMethod::Fdatasync, SyncMethod::Fsync, SyncMethod::Dsync, SyncMethod::Sync, SyncMethod::DirectDsync];

    /// As it is typed.
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

    /// As the manual of the system calls it.
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
        known.ok_or_else(|| format!("there are {}", SyncMethod::ALL.map(SyncMethod::name).join(", ")))
    }
}

/// How far an experiment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Its files are being made; nothing was promised yet.
    Preparing,
    /// Writers may be at work.
    Writing,
    /// They ended in order.
    Ended,
}

/// What the directory of an experiment says of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marker {
    /// Of the form of all files.
    pub version: u32,
    /// The experiment.
    pub run: Uuid,
    /// How many times it was begun, from 1: what stands in files of an earlier one counts for nothing.
    pub generation: u32,
    /// How far it is.
    pub stage: Stage,
    /// Of everything random.
    pub seed: u64,
    /// How writers sync.
    pub sync: SyncMethod,
    /// Its shape.
    pub geometry: Geometry,
    /// The boot of the kernel that it was begun under.
    pub boot: String,
    /// The machine.
    pub host: String,
    /// When it was begun: nanoseconds of Unix time, by this machine's clock.
    pub begun_ns: u64,
    /// Of an experiment that ended in order: the last write of each writer that was synced.
    #[serde(default)]
    pub reached: Vec<u64>,
}

/// The form of files that this program writes and reads.
pub const VERSION: u32 = 1;

impl Marker {
    /// Whose sectors are counted.
    #[must_use]
    pub fn owner(&self) -> Owner {
        Owner { run: self.run, generation: self.generation }
    }

    /// What a writer does.
    #[must_use]
    pub fn schedule(&self, writer: u16) -> Schedule {
        Schedule::new(self.seed, writer, self.geometry)
    }

    /// As bytes of a file: one line, and its checksum in another.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let line = serde_json::to_string(self).unwrap_or_default();
        format!("{line}\n{:08x}\n", crc32c::crc32c(line.as_bytes())).into_bytes()
    }

    /// Reads what [`Marker::to_bytes`] made.
    ///
    /// # Errors
    /// One clause that says what is wrong with it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Marker, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "it is no text".to_owned())?;
        let (line, checksum) = text.split_once('\n').ok_or("it breaks off")?;
        if checksum.trim_end() != format!("{:08x}", crc32c::crc32c(line.as_bytes())) {
            return Err("its checksum is not that of its text".to_owned());
        }
        let marker: Marker = serde_json::from_str(line).map_err(|e| e.to_string())?;
        marker.check()?;
        Ok(marker)
    }

    /// Whether it can be worked by: markers also come from a witness.
    ///
    /// # Errors
    /// One clause that says what is wrong with it.
    pub fn check(&self) -> Result<(), String> {
        if self.version != VERSION {
            return Err(format!("its form is version {}, and this program knows {VERSION}", self.version));
        }
        let short = self.host.len() <= 256 && self.boot.len() <= 64 && self.reached.len() <= usize::from(u16::MAX);
        if !self.geometry.is_sound() || self.generation == 0 || !short {
            return Err("no experiment has such figures".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
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

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(Marker::from_bytes(&odd.to_bytes()).unwrap_err().contains("no experiment"));
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

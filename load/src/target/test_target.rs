//! Open target, held and locked. Tracks the filled ranges, checks that the target still exists, and cleans up.

use super::error::{TargetError, cannot, failed, lost, printable, refused};
use super::proof::begins_ours;
use super::ranges::RangeSet;
use super::resolve::FileSystem;
use super::sidecar::{Part, Sidecar};
use super::space;
use super::{Inspection, load_how};
use model::{Bytes, plan::TargetKind};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use sys::files::FileId;
use sys::locks::LockFile;

/// Object that a target refers to.
#[derive(Debug)]
pub(super) enum Kind {
    Own(Box<Own>),
    /// A user's file, or a test file that another rank fills and removes, and that both ranks hold.
    Named {
        dir: File,
        name: OsString,
        id: FileId,
    },
    Device {
        dev: (u32, u32),
        size: u64,
        filled: RangeSet,
    },
}

/// Test file created by secchi.
#[derive(Debug)]
pub(super) struct Own {
    pub dir: File,
    pub id: FileId,
    pub sidecar: Sidecar,
    pub fs: FileSystem,
    /// Lock file, held until the target is dropped.
    #[expect(dead_code, reason = "held for its drop")]
    pub lock: Option<LockFile>,
}

/// Target that is ready for load. While this value exists, the file is locked or the device is claimed. Dropping it
/// keeps the test file for the next run; call [`TestTarget::remove`] to remove the file.
#[derive(Debug)]
pub struct TestTarget {
    inspection: Inspection,
    /// Descriptor that holds the lock or the claim.
    held: File,
    kind: Kind,
}

impl TestTarget {
    pub(super) fn new(inspection: Inspection, held: File, kind: Kind) -> Self {
        TestTarget { inspection, held, kind }
    }

    pub(super) fn held(&self) -> &File {
        &self.held
    }

    /// Returns the inspection with the original request.
    #[must_use]
    pub fn inspection(&self) -> &Inspection {
        &self.inspection
    }

    /// Returns the kind: file or device.
    #[must_use]
    pub fn kind(&self) -> TargetKind {
        self.inspection.kind
    }

    /// Returns the path that is opened for the load: absolute, without links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inspection.path
    }

    /// Returns the bytes under test, from offset 0.
    #[must_use]
    pub fn size(&self) -> Bytes {
        self.inspection.size
    }

    /// Reopens the target for an engine and compares it with the checked one, so that a replaced name is detected.
    ///
    /// # Errors
    /// Returns a [`TargetError`] if `write` is true but the target was inspected only for reading. Also returns one if
    /// the file system does not support direct I/O, or if the name now refers to another object.
    pub fn file(&self, direct: bool, write: bool) -> Result<Arc<File>, TargetError> {
        let path = self.path();
        let how = load_how(direct, write);
        let what = || format!("open {} ({how})", printable(path));
        if write && !self.may_write() {
            return Err(refused(what(), "it was inspected only for reading", "start again with a load that writes"));
        }
        let opened = match &self.kind {
            Kind::Own(owned) => {
                sys::files::open_no_links(Some(&owned.dir), Path::new(&Part::Data.name(owned.sidecar.uuid)), how)
            }
            Kind::Named { dir, name, .. } => sys::files::open_no_links(Some(dir), Path::new(name), how),
            Kind::Device { .. } => sys::files::open_no_links(None, path, how),
        };
        let file = opened.map_err(|e| match e.kind() {
            io::ErrorKind::InvalidInput if direct => cannot(
                what(),
                format!("{} does not support direct I/O", self.inspection.filesystem),
                "use buffered I/O, or another file system",
            ),
            _ => failed(what(), &e),
        })?;
        let same = match &self.kind {
            Kind::Own(owned) => FileId::from_file(&file).map(|f| f == owned.id),
            Kind::Named { id, .. } => FileId::from_file(&file).map(|f| f == *id),
            Kind::Device { dev, .. } => sys::devices::block_number(&file).map(|d| d == Some(*dev)),
        };
        match same {
            Ok(true) => Ok(Arc::new(file)),
            Ok(false) => Err(refused(what(), "another file has this name now", "start again")),
            Err(e) => Err(failed(what(), &e)),
        }
    }

    fn may_write(&self) -> bool {
        // A user's file is never inspected for writing.
        matches!(self.kind, Kind::Own(_)) || self.inspection.request.will_write
    }

    /// Returns the ranges that must be filled before the load, in order. Empty for targets that are not filled: a
    /// user's file, a device that is only read, or a file that another rank fills.
    #[must_use]
    pub fn unfilled(&self) -> Vec<Range<u64>> {
        let within = 0..self.size().as_u64();
        let missing = match &self.kind {
            Kind::Own(owned) => owned.sidecar.filled.missing(within),
            Kind::Device { filled, .. } if self.may_write() => filled.missing(within),
            Kind::Named { .. } | Kind::Device { .. } => RangeSet::new(),
        };
        missing.as_slice().to_vec()
    }

    /// Records that a range was written with secchi's data. The record becomes durable only with
    /// [`TestTarget::save_sidecar`].
    pub fn mark_filled(&mut self, range: Range<u64>) {
        match &mut self.kind {
            Kind::Own(owned) => {
                let end = range.end.min(owned.sidecar.size);
                owned.sidecar.filled.insert(range.start..end);
            }
            Kind::Device { filled, .. } => filled.insert(range),
            Kind::Named { .. } => {}
        }
    }

    /// Syncs the data, then replaces the sidecar, so that ranges listed as filled are already on the medium. Does
    /// nothing for a device or a user's file.
    ///
    /// # Errors
    /// Returns [`TargetError::Cannot`]. A failed sync is final and must not be retried (docs/design/safety.md, "Failed
    /// flushes").
    pub fn save_sidecar(&mut self) -> Result<(), TargetError> {
        let Kind::Own(owned) = &self.kind else { return Ok(()) };
        sys::files::sync_data(&self.held).map_err(|e| failed(format!("sync {}", printable(self.path())), &e))?;
        owned.save().map_err(|e| failed(format!("save the sidecar of {}", printable(self.path())), &e))
    }

    /// Admits other ranks of the same run ([`super::inspect_joined`]); other runs are still excluded.
    ///
    /// # Errors
    /// Returns [`TargetError::Refused`] if another run took the lock first.
    pub fn admit(&self) -> Result<(), TargetError> {
        // If the file system does not support locks, the inspection has noted it.
        match sys::locks::try_lock(&self.held, false) {
            Ok(false) => Err(refused(printable(self.path()), "another run uses it", "start again")),
            Ok(true) | Err(_) => Ok(()),
        }
    }

    /// Returns `true` if the user requested to keep the test file, now or when it was created.
    #[must_use]
    pub fn keeps(&self) -> bool {
        matches!(&self.kind, Kind::Own(owned) if owned.sidecar.keep)
    }

    /// Sets whether to keep the test file. The setting is saved with the next sidecar.
    pub fn set_keep(&mut self, keep: bool) {
        if let Kind::Own(owned) = &mut self.kind {
            owned.sidecar.keep = keep;
        }
    }

    /// Checks that enough space stays free. Called before a fill, and every second during the fill. Always succeeds for
    /// a device or a user's file.
    ///
    /// # Errors
    /// Returns [`TargetError::Refused`] with the figures.
    pub fn free_space_ok(&self) -> Result<(), TargetError> {
        let Kind::Own(owned) = &self.kind else { return Ok(()) };
        space::check(&owned.dir, self.path(), &owned.fs, Bytes(0)).map(drop)
    }

    /// Checks that the device or file still exists with its original size. Called every second. Never waits for I/O,
    /// except on a network file system.
    ///
    /// # Errors
    /// Returns [`TargetError::Lost`].
    pub fn still_there(&self) -> Result<(), TargetError> {
        let path = printable(self.path());
        match &self.kind {
            Kind::Device { size, .. } => match sys::devices::block_size(&self.held) {
                Ok(now) if now == *size => Ok(()),
                Ok(0) => Err(lost(path, "the device was removed")),
                Ok(now) => Err(lost(path, format!("the device had {}, now {}", Bytes(*size), Bytes(now)))),
                Err(e) => Err(lost(path, e.to_string())),
            },
            Kind::Own(_) | Kind::Named { .. } => match sys::files::file_metadata(&self.held) {
                Ok(m) if m.len() >= self.size().as_u64() => Ok(()),
                Ok(m) => Err(lost(path, format!("the file was truncated to {}", Bytes(m.len())))),
                Err(e) => Err(lost(path, e.to_string())),
            },
        }
    }

    /// Removes the test file and its sidecar if they are still secchi's. Does nothing for a device, a user's file, or a
    /// file that another rank removes.
    ///
    /// # Errors
    /// Returns [`TargetError::Refused`] if another file is in the test file's place; that file is left unchanged.
    pub fn remove(self) -> Result<(), TargetError> {
        let Kind::Own(owned) = &self.kind else { return Ok(()) };
        let what = || format!("remove the test file {}", printable(self.path()));
        let uuid = owned.sidecar.uuid;
        let data = Part::Data.name(uuid);
        let gone = || matches!(sys::files::file_metadata(&self.held), Ok(m) if sys::files::MetadataExt::nlink(&m) == 0);
        if !sys::files::names_file(&owned.dir, &data, owned.id) {
            if !gone() {
                return Err(refused(what(), "another file has its name now", "check it, and remove it yourself"));
            }
        } else if begins_ours(&self.held, uuid).map_err(|e| failed(what(), &e))? {
            sys::files::remove_at(&owned.dir, &data).map_err(|e| failed(what(), &e))?;
        } else {
            return Err(refused(what(), "it no longer contains secchi's data", "check it, and remove it yourself"));
        }
        // Remove the data first: a sidecar without data is recognized as a leftover.
        for part in [Part::Sidecar, Part::Draft] {
            match sys::files::remove_at(&owned.dir, &part.name(uuid)) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(failed(what(), &e)),
                _ => {}
            }
        }
        sys::files::sync_file(&owned.dir).map_err(|e| failed(what(), &e))
    }
}

impl Own {
    /// Writes the new sidecar next to the old one, then replaces it.
    fn save(&self) -> io::Result<()> {
        let uuid = self.sidecar.uuid;
        let (draft, name) = (Part::Draft.name(uuid), Part::Sidecar.name(uuid));
        let mut file = match sys::files::create_new(&self.dir, &draft) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                // The draft is a leftover of a killed run, because this run holds the lock for this UUID.
                sys::files::remove_at(&self.dir, &draft)?;
                sys::files::create_new(&self.dir, &draft)?
            }
            other => other?,
        };
        file.write_all(&self.sidecar.encode())?;
        file.sync_all()?;
        sys::files::rename_at(&self.dir, &draft, &name)?;
        sys::files::sync_file(&self.dir)
    }
}

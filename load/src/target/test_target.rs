//! An open target: held, locked, and able to say what is filled, whether it is still there, and to clean up.

use super::error::{TargetError, cannot, failed, lost, printable, refused};
use super::own::proof::begins_ours;
use super::own::sidecar::{Part, Sidecar};
use super::ranges::RangeSet;
use super::resolve::FileSystem;
use super::space;
use super::{Inspection, load_how};
use model::{Bytes, TargetKind};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use sys::{FileId, LockFile};

/// What is behind a target.
#[derive(Debug)]
pub(super) enum Kind {
    Own(Box<Own>),
    Foreign {
        dir: File,
        name: OsString,
        id: FileId,
    },
    /// A test file of ours that another rank holds, too, and takes care of.
    Joined {
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

/// A test file of ours.
#[derive(Debug)]
pub(super) struct Own {
    pub dir: File,
    pub id: FileId,
    pub sidecar: Sidecar,
    pub fs: FileSystem,
    /// Held until the target is dropped.
    #[expect(dead_code, reason = "held for its drop")]
    pub lock: Option<LockFile>,
}

/// A target that may be loaded. As long as it lives, the file is locked or the device claimed; dropping it leaves a
/// test file where it is, for the next run, unless [`TestTarget::remove`] is called.
#[derive(Debug)]
pub struct TestTarget {
    inspection: Inspection,
    /// Carries the lock or the claim.
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

    /// What was found before, and asked for.
    #[must_use]
    pub fn inspection(&self) -> &Inspection {
        &self.inspection
    }

    /// File or device.
    #[must_use]
    pub fn kind(&self) -> TargetKind {
        self.inspection.kind
    }

    /// The path that is opened for load: absolute, without links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inspection.path
    }

    /// Bytes under test, from offset 0.
    #[must_use]
    pub fn size(&self) -> Bytes {
        self.inspection.size
    }

    /// Identity of the data; `None` when it is not ours.
    #[must_use]
    pub fn uuid(&self) -> Option<u128> {
        self.inspection.uuid
    }

    /// As a plan and a job name it.
    #[must_use]
    pub fn target(&self) -> model::Target {
        let request = &self.inspection.request;
        model::Target {
            offset: Bytes(0),
            kind: self.kind(),
            path: self.path().to_owned(),
            size: self.size(),
            direct: request.direct,
            align: if request.direct { request.align.max(Bytes(1)) } else { Bytes(1) },
            uuid: self.uuid(),
        }
    }

    /// The target opened anew for an engine; compared with the one that was checked, so that no name can be exchanged
    /// on the way.
    ///
    /// # Errors
    /// [`TargetError`]: writing to what may only be read, direct I/O that the file system does not have, or a name
    /// that stands for something else by now.
    pub fn file(&self, direct: bool, write: bool) -> Result<Arc<File>, TargetError> {
        let path = self.path();
        let how = load_how(direct, write);
        let what = || format!("open {} ({how})", printable(path));
        if write && !self.may_write() {
            return Err(refused(what(), "it was inspected for reading only", "start again with a load that writes"));
        }
        let opened = match &self.kind {
            Kind::Own(own) => sys::open_no_links(Some(&own.dir), Path::new(&Part::Data.name(own.sidecar.uuid)), how),
            Kind::Foreign { dir, name, .. } | Kind::Joined { dir, name, .. } => {
                sys::open_no_links(Some(dir), Path::new(name), how)
            }
            Kind::Device { .. } => sys::open_no_links(None, path, how),
        };
        let file = opened.map_err(|e| match e.kind() {
            io::ErrorKind::InvalidInput if direct => cannot(
                what(),
                format!("{} has no direct I/O", self.inspection.filesystem),
                "use buffered I/O, or another file system",
            ),
            _ => failed(what(), &e),
        })?;
        let same = match &self.kind {
            Kind::Own(own) => FileId::from_file(&file).map(|f| f == own.id),
            Kind::Foreign { id, .. } | Kind::Joined { id, .. } => FileId::from_file(&file).map(|f| f == *id),
            Kind::Device { dev, .. } => sys::block_number(&file).map(|d| d == Some(*dev)),
        };
        match same {
            Ok(true) => Ok(Arc::new(file)),
            Ok(false) => Err(refused(what(), "another file stands under this name now", "start again")),
            Err(e) => Err(failed(what(), &e)),
        }
    }

    fn may_write(&self) -> bool {
        match &self.kind {
            Kind::Own(_) => true,
            Kind::Foreign { .. } => false,
            Kind::Device { .. } | Kind::Joined { .. } => self.inspection.request.will_write,
        }
    }

    /// What must be filled before the load may begin, in order. Empty where nothing is filled: a user's file, a device
    /// that is only read, a file that another rank fills.
    #[must_use]
    pub fn unfilled(&self) -> Vec<Range<u64>> {
        let within = 0..self.size().as_u64();
        let missing = match &self.kind {
            Kind::Own(own) => own.sidecar.filled.missing(within),
            Kind::Device { filled, .. } if self.may_write() => filled.missing(within),
            Kind::Foreign { .. } | Kind::Joined { .. } | Kind::Device { .. } => RangeSet::new(),
        };
        missing.as_slice().to_vec()
    }

    /// Notes that a range was written with our data. Only [`TestTarget::save_sidecar`] makes it last.
    pub fn mark_filled(&mut self, range: Range<u64>) {
        match &mut self.kind {
            Kind::Own(own) => {
                let end = range.end.min(own.sidecar.size);
                own.sidecar.filled.insert(range.start..end);
            }
            Kind::Device { filled, .. } => filled.insert(range),
            Kind::Foreign { .. } | Kind::Joined { .. } => {}
        }
    }

    /// Syncs the data, then replaces the sidecar: what it calls filled is on the medium. Does nothing on a device or a
    /// user's file.
    ///
    /// # Errors
    /// [`TargetError::Cannot`]. A failed sync is final: never try again (docs/design/safety.md, "Failed flushes").
    pub fn save_sidecar(&mut self) -> Result<(), TargetError> {
        let Kind::Own(own) = &self.kind else { return Ok(()) };
        sys::sync_data(&self.held).map_err(|e| failed(format!("sync {}", printable(self.path())), &e))?;
        own.save().map_err(|e| failed(format!("save the sidecar of {}", printable(self.path())), &e))
    }

    /// Lets other ranks of the same run work on it, too ([`super::inspect_joined`]): other runs are still kept away.
    ///
    /// # Errors
    /// [`TargetError::Refused`]: another run was faster.
    pub fn admit(&self) -> Result<(), TargetError> {
        // Where there are no locks, the inspection said so.
        match sys::try_lock(&self.held, false) {
            Ok(false) => Err(refused(printable(self.path()), "another run uses it", "start again")),
            Ok(true) | Err(_) => Ok(()),
        }
    }

    /// Whether the user asked, now or when it was made, to keep the test file.
    #[must_use]
    pub fn keeps(&self) -> bool {
        matches!(&self.kind, Kind::Own(own) if own.sidecar.keep)
    }

    /// Whether the user asked to keep the test file; noted with the next sidecar.
    pub fn set_keep(&mut self, keep: bool) {
        if let Kind::Own(own) = &mut self.kind {
            own.sidecar.keep = keep;
        }
    }

    /// Whether [`TestTarget::remove`] would remove something: the target is a test file of ours.
    #[must_use]
    pub fn removable(&self) -> bool {
        matches!(self.kind, Kind::Own(_))
    }

    /// Whether enough space stays free: asked before filling, and each second meanwhile. Always so on a device or a
    /// user's file.
    ///
    /// # Errors
    /// [`TargetError::Refused`] with the figures.
    pub fn free_space_ok(&self) -> Result<(), TargetError> {
        let Kind::Own(own) = &self.kind else { return Ok(()) };
        space::check(&own.dir, self.path(), &own.fs, Bytes(0)).map(drop)
    }

    /// Whether the device or file still is there with the size it had: asked each second. Never waits for I/O, except
    /// on a network file system.
    ///
    /// # Errors
    /// [`TargetError::Lost`].
    pub fn still_there(&self) -> Result<(), TargetError> {
        let path = printable(self.path());
        match &self.kind {
            Kind::Device { size, .. } => match sys::block_size(&self.held) {
                Ok(now) if now == *size => Ok(()),
                Ok(0) => Err(lost(path, "the device was removed")),
                Ok(now) => Err(lost(path, format!("the device had {}, now {}", Bytes(*size), Bytes(now)))),
                Err(e) => Err(lost(path, e.to_string())),
            },
            Kind::Own(_) | Kind::Foreign { .. } | Kind::Joined { .. } => match sys::file_metadata(&self.held) {
                Ok(m) if m.len() >= self.size().as_u64() => Ok(()),
                Ok(m) => Err(lost(path, format!("the file was cut to {}", Bytes(m.len())))),
                Err(e) => Err(lost(path, e.to_string())),
            },
        }
    }

    /// Removes the test file and its sidecar, if they still are ours. Does nothing on a device, a user's file, or one that another rank
    /// takes care of.
    ///
    /// # Errors
    /// [`TargetError::Refused`] if something else stands there; it is left alone.
    pub fn remove(self) -> Result<(), TargetError> {
        let Kind::Own(own) = &self.kind else { return Ok(()) };
        let what = || format!("remove the test file {}", printable(self.path()));
        let uuid = own.sidecar.uuid;
        let data = Part::Data.name(uuid);
        let gone = || matches!(sys::file_metadata(&self.held), Ok(m) if sys::MetadataExt::nlink(&m) == 0);
        if !sys::names_file(&own.dir, &data, own.id) {
            if !gone() {
                return Err(refused(
                    what(),
                    "another file stands under its name",
                    "look at it, and remove it yourself",
                ));
            }
        } else if begins_ours(&self.held, uuid).map_err(|e| failed(what(), &e))? {
            sys::remove_at(&own.dir, &data).map_err(|e| failed(what(), &e))?;
        } else {
            return Err(refused(what(), "it does not hold our data any more", "look at it, and remove it yourself"));
        }
        // Data first: a sidecar alone is known to belong to nobody.
        for part in [Part::Sidecar, Part::Draft] {
            match sys::remove_at(&own.dir, &part.name(uuid)) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(failed(what(), &e)),
                _ => {}
            }
        }
        sys::sync_file(&own.dir).map_err(|e| failed(what(), &e))
    }
}

impl Own {
    /// Writes the new sidecar beside the old one and puts it in its place.
    fn save(&self) -> io::Result<()> {
        let uuid = self.sidecar.uuid;
        let (draft, name) = (Part::Draft.name(uuid), Part::Sidecar.name(uuid));
        let mut file = match sys::create_new(&self.dir, &draft) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                // Left by a killed run; we hold the lock of this UUID.
                sys::remove_at(&self.dir, &draft)?;
                sys::create_new(&self.dir, &draft)?
            }
            other => other?,
        };
        file.write_all(&self.sidecar.encode())?;
        file.sync_all()?;
        sys::rename_at(&self.dir, &draft, &name)?;
        sys::sync_file(&self.dir)
    }
}

//! Targets of a load, and the guard that protects them (docs/design/safety.md, "Targets").
//!
//! [`inspect`] determines what would be done and changes nothing; [`open`] repeats the checks and performs the action.
//! There are three rules:
//!
//! 1. secchi writes only to test files and block devices. It must have provably created the test file (by name,
//!    sidecar, header and data). For a block device, the user must have typed the serial number, and the device must
//!    not be in use; secchi holds it exclusively for the whole run. A user's file is at most read, and only on request.
//! 2. Only the object that was checked is used. Symbolic links are not followed, and every file passed to an engine is
//!    compared with the checked file by device and inode.
//! 3. Files are created only in the named directory. The only directory created is secchi's own subdirectory. The
//!    smaller of 1 GiB and 5 % of the file system stays free.
//!
//! If several ranks use one test file (`own/joined.rs`), one rank creates, fills and removes it. The others verify that
//! secchi created it.
//!
//! Runs that work on names create a separate directory, `secchi-UUID.files` (`own/directory.rs`), which is removed with
//! the run.
//!
//! Files of a target: `secchi-UUID.dat`, its sidecar `secchi-UUID.json`, the temporary file `secchi-UUID.json.tmp`, and
//! `secchi-UUID.lock` on file systems that are visible to other hosts. All are created in `create.rs` and removed in
//! [`TestTarget::remove`].

mod device;
mod error;
mod jobs;
mod nameless;
mod names;
mod own;
mod proof;
mod ranges;
mod resolve;
mod served;
mod sidecar;
mod signatures;
mod space;
mod test_target;
mod written;

pub use device::lasting_uses as device_uses;
pub use error::{Class, Reason, TargetError};
pub use jobs::{
    FileAction, FileRequest, JobFile, JobFiles, JobsInspection, JobsRequest, device_behind, is_endless, is_ours,
    present_size, zone_size,
};
pub use nameless::Nameless;
pub use names::{NameRequest, Names};
pub use own::create::remove_leftover;
pub use own::directory::{DirectoryInspection, DirectoryRequest, OwnDirectory};
pub use own::joined::inspect_joined;
pub use ranges::RangeSet;
pub use resolve::nearest_path;
pub use served::{ServedConsent, inspect_served};
pub use sidecar::{Provenance, RECIPE, Sidecar};
pub use signatures::{Signatures, signatures};
pub use space::{SpaceVerdict, floor};
pub use test_target::TestTarget;
pub use written::{Evidence, Written, mapped_ranges, unwritten_ranges, written_ranges};

use crate::content::GRANULE;
use error::{bad_input, cannot, printable, refused};
use model::{Bytes, plan::TargetKind};
use resolve::{FileSystem, ResolvedPath};
use std::path::{Path, PathBuf};
use sys::files::{FileId, FileTypeExt};

/// Request for a target.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TargetRequest {
    /// Path of a directory, a secchi test file, a user's file (with `adopt`), or a block device.
    pub path: PathBuf,
    /// Bytes to test, from offset 0, rounded down to whole blocks; `None` = all of an existing file or device.
    pub size: Option<Bytes>,
    /// True if the load writes, trims or flushes. In a directory, the test file is always filled.
    pub will_write: bool,
    /// True if the load bypasses the page cache.
    pub direct: bool,
    /// Required alignment of the offsets and lengths of direct I/O; 0 or 1 with buffered I/O, or if not known yet.
    pub align: Bytes,
    /// Text typed to allow the destruction of a device; see [`DeviceReport::consent_word`].
    pub consent: Option<String>,
    /// True if a file that secchi did not create may be read.
    pub adopt: bool,
    /// True if the contents are what is measured: reads before the load would change the result, so that they are not
    /// sampled, and `adopt` accepts devices too.
    pub untouched: bool,
    /// True if other runs may use the same file, and if a device in use may be read.
    pub share: bool,
    /// True if the user confirmed a large fill; see [`Inspection::large`].
    pub yes: bool,
    /// True if the test file is kept for later runs; recorded in its sidecar.
    pub keep: bool,
    /// Provenance, recorded in the sidecar.
    pub made: Provenance,
}

impl TargetRequest {
    /// Creates the safest request for a path: buffered, read-only, without consent.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>, made: Provenance) -> Self {
        TargetRequest { path: path.into(), align: Bytes(1), made, ..TargetRequest::default() }
    }

    /// Returns the unit to which sizes are rounded down: a multiple of the granule and of the alignment.
    fn grain(&self) -> u64 {
        self.align.as_u64().max(GRANULE as u64)
    }

    fn check(&self) -> Result<(), TargetError> {
        if self.align.as_u64() > 1 && !self.align.as_u64().is_power_of_two() {
            return Err(bad_input("alignment", format!("{} B is not a power of two", self.align.as_u64()), ""));
        }
        if self.adopt && self.will_write {
            return Err(bad_input(
                printable(&self.path),
                "--adopt is for reading another user's file, but the load would write",
                "use a load that only reads, or a directory",
            ));
        }
        match self.size {
            Some(size) if size.as_u64() < self.grain() => Err(bad_input(
                "size",
                format!("{size} is smaller than one block of {}", Bytes(self.grain())),
                "use a larger size",
            )),
            Some(size) if i64::try_from(size.as_u64()).is_err() => {
                Err(bad_input("size", format!("{size} exceeds the maximum size of a file"), "use a smaller size"))
            }
            _ => Ok(()),
        }
    }
}

/// Action that [`open`] will perform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Create a test file and fill it.
    Create,
    /// Use an existing secchi test file and fill missing data.
    Reuse,
    /// Read a user's file.
    Adopt,
    /// Overwrite a device.
    DestroyDevice,
    /// Read a device.
    ReadDevice,
    /// Use a test file that another rank of the same run creates, fills and removes.
    Join,
}

/// Planned open of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedOpen {
    /// Path of the file.
    pub path: PathBuf,
    /// Flags as in open(2).
    pub flags: String,
    /// Purpose for which the file is opened.
    pub purpose: &'static str,
}

/// Description of a device, for a person to check before the device is overwritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceReport {
    /// `/dev/` and the kernel's name, independent of the typed path.
    pub name: PathBuf,
    /// Major and minor number.
    pub dev: (u32, u32),
    /// Model, if reported.
    pub model: Option<String>,
    /// Serial number, if reported.
    pub serial: Option<String>,
    /// Size of the whole device.
    pub size: Bytes,
    /// Size of the smallest request that the device accepts, in bytes.
    pub logical_block: Bytes,
    /// Size of the smallest write for which the device does not have to read first, in bytes.
    pub physical_block: Bytes,
    /// True for a USB stick or memory card.
    pub removable: bool,
    /// Signatures found in the device's contents.
    pub signatures: Signatures,
    /// Users of the device; empty unless a busy device is read with `share`.
    pub users: Vec<String>,
}

impl DeviceReport {
    /// Returns the text that the user must type to allow the device's destruction: the serial number, or
    /// `/dev/NAME:BYTES` for devices without one (partitions, loop devices).
    #[must_use]
    pub fn consent_word(&self) -> String {
        self.serial.clone().unwrap_or_else(|| format!("{}:{}", self.name.display(), self.size.as_u64()))
    }

    /// Returns a description such as `/dev/sdb (Samsung SSD 870, serial S1, 1 TiB; holds ext2/3/4)`.
    #[must_use]
    pub fn describe(&self) -> String {
        let model = self.model.as_deref().unwrap_or("no model");
        let serial = self.serial.as_ref().map_or("no serial number".to_owned(), |s| format!("serial {s}"));
        let removable = if self.removable { ", removable" } else { "" };
        let (size, holds) = (self.size, &self.signatures);
        format!("{} ({model}, {serial}, {size}{removable}; contains {holds})", self.name.display())
    }
}

/// Result of the inspection: the state that was found and the planned action. Created only by [`inspect`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    /// Original request.
    pub request: TargetRequest,
    /// Planned action.
    pub action: Action,
    /// File or device.
    pub kind: TargetKind,
    /// Path that will be opened for the load.
    pub path: PathBuf,
    /// Number of bytes under test.
    pub size: Bytes,
    /// UUID of the data; `None` if secchi did not write it.
    pub uuid: Option<u128>,
    /// Number of bytes that must be filled before the load begins.
    pub to_fill: Bytes,
    /// Type of the file system; `none` on a device.
    pub filesystem: String,
    /// Space on the file system; `None` if nothing will be written to a file system.
    pub space: Option<SpaceVerdict>,
    /// Description of the device, if the target is a device.
    pub device: Option<DeviceReport>,
    /// Reason why the fill requires [`TargetRequest::yes`]: it exceeds 10 % of the device or file system, or 100 GiB.
    pub large: Option<String>,
    /// All planned opens.
    pub opens: Vec<PlannedOpen>,
    /// Notes for the user, one line each.
    pub notes: Vec<String>,
    /// Identity of the object, to be compared when it is opened.
    seen: FoundTarget,
}

impl Inspection {
    /// Returns the UUID of secchi's test file; the inspection has assigned it.
    fn own_uuid(&self) -> u128 {
        self.uuid.expect("a test file of ours has its UUID")
    }
}

/// Identity of the object when it was inspected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FoundTarget {
    /// A file that will be created in this directory.
    New { dir: FileId },
    /// A file created by secchi, in this directory.
    Own { dir: FileId, file: FileId },
    /// A user's file.
    Foreign { file: FileId },
    /// A file created by secchi in this directory. It may appear after the inspection, but exists when it is opened.
    Joined { dir: FileId },
    /// A device.
    Device { dev: (u32, u32), size: u64 },
}

/// Inspects a target and determines what would be done with it. Opens nothing for writing and changes nothing.
///
/// # Errors
/// Returns a [`TargetError`] before anything was changed.
pub fn inspect(request: &TargetRequest) -> Result<Inspection, TargetError> {
    request.check()?;
    let place = resolve::locate(&request.path, request.will_write)?;
    let kind = place.meta.file_type();
    let mut inspection = if kind.is_block_device() {
        let mut inspection = device::inspect(request, &place)?;
        let filled = device::filled_note(&inspection);
        inspection.notes.extend(filled);
        inspection
    } else if let Some(consent) = &request.consent {
        return Err(bad_input(
            printable(&place.path),
            format!("--destroy '{}' was given, but this is not a device", model::clip(consent)),
            "leave it out",
        ));
    } else if kind.is_dir() {
        own::inspect::in_directory(request, &place)?
    } else if kind.is_file() {
        own::inspect::named(request, &place)?
    } else {
        return Err(bad_input(
            printable(&place.path),
            "it is neither a directory, nor a regular file, nor a block device",
            "use one of these",
        ));
    };
    let opens: Vec<&str> = inspection.opens.iter().map(|open| open.flags.as_str()).collect();
    tracing::debug!(path = %printable(&place.path), writes = request.will_write, ?opens, "inspected target");
    if let Some(link) = &place.through_link {
        inspection.notes.push(format!("{} is a symbolic link to {}", printable(link), printable(&place.path)));
    }
    Ok(inspection)
}

/// Repeats the checks, then performs the action that [`inspect`] announced: takes the lock or the exclusive claim, and
/// creates the test file if there is none. Does not fill anything yet ([`TestTarget::unfilled`] returns the missing
/// ranges).
///
/// # Errors
/// Returns a [`TargetError`], for example if the target has changed since the inspection. New files are removed again.
pub fn open(inspection: Inspection) -> Result<TestTarget, TargetError> {
    if let Some(large) = &inspection.large
        && !inspection.request.yes
    {
        return Err(refused(
            format!("writing {} to {}", inspection.to_fill, printable(&inspection.path)),
            large.clone(),
            "confirm with --yes, or use a smaller size",
        ));
    }
    match inspection.seen {
        FoundTarget::New { dir } => own::create::new_file(inspection, dir),
        FoundTarget::Own { dir, file } => own::create::existing(inspection, dir, file),
        FoundTarget::Foreign { file } => own::inspect::adopt(inspection, file),
        FoundTarget::Joined { dir } => own::joined::join(inspection, dir),
        FoundTarget::Device { dev, size } => device::open(inspection, dev, size),
    }
}

/// Returns the error for a target that has changed since the inspection.
fn changed(path: &Path) -> TargetError {
    refused(printable(path), "it has changed since it was inspected", "start again")
}

/// Returns the size to test: the requested size in whole blocks, but at most the existing size.
fn size_within(request: &TargetRequest, available: u64, what: &Path) -> Result<(Bytes, Option<String>), TargetError> {
    let grain = request.grain();
    let asked = request.size.map_or(available, |s| s.as_u64());
    if asked > available {
        return Err(bad_input(
            printable(what),
            format!("{} were requested, but it has {}", Bytes(asked), Bytes(available)),
            "secchi never extends it: use a smaller size",
        ));
    }
    let size = asked / grain * grain;
    if size == 0 {
        return Err(bad_input(printable(what), format!("it is smaller than one block of {}", Bytes(grain)), ""));
    }
    let note = (size != asked).then(|| format!("{size} of {asked} bytes are tested, in whole blocks of {grain}"));
    Ok((Bytes(size), note))
}

/// Largest fill without `--yes`.
const MOST_WITHOUT_CONSENT: Bytes = Bytes::from_gib(100);

/// Returns the reason why a fill of this size must be confirmed.
fn large(to_fill: Bytes, whole: Bytes) -> Option<String> {
    if to_fill > MOST_WITHOUT_CONSENT {
        return Some(format!("{to_fill} are more than {MOST_WITHOUT_CONSENT}"));
    }
    let share = !whole.is_zero() && to_fill.as_u64() > whole.as_u64() / 10;
    share.then(|| format!("{to_fill} are {:.0} % of {whole}", to_fill.as_u64() as f64 * 100.0 / whole.as_u64() as f64))
}

/// Checks that direct I/O is possible on this file with this alignment.
fn check_direct(request: &TargetRequest, file: &std::fs::File, path: &Path, fs: &str) -> Result<(), TargetError> {
    // If the kernel does not report the alignment, an unsuitable alignment is detected at the first request.
    let Some(needed) = sys::storage::direct_align(file).ok().flatten().filter(|_| request.direct) else {
        return Ok(());
    };
    if needed.offset == 0 {
        return Err(cannot(
            format!("read {} with direct I/O", printable(path)),
            format!("{fs} does not support direct I/O on this file"),
            "use buffered I/O, or another file system",
        ));
    }
    if request.align.as_u64() > 1 && !request.align.as_u64().is_multiple_of(u64::from(needed.offset)) {
        return Err(bad_input(
            printable(path),
            format!(
                "direct I/O on this file system must be aligned to {} bytes, not {}",
                needed.offset,
                request.align.as_u64()
            ),
            "",
        ));
    }
    Ok(())
}

/// Returns notes about the type of the file system.
fn file_system_notes(fs: &FileSystem) -> Vec<String> {
    let mut notes = Vec::new();
    if fs.is_memory() {
        notes.push(format!("{} keeps its files in memory: no device is measured", fs.name));
    }
    if fs.is_remote() {
        notes.push(format!(
            "on {} it is unknown how the server handles direct I/O and which other clients use the storage",
            fs.name
        ));
    }
    notes
}

/// Returns the planned open of the file for the load.
fn load_open(request: &TargetRequest, place: &ResolvedPath, write: bool) -> PlannedOpen {
    planned(place.path.clone(), load_how(request.direct, write), "the load")
}

fn load_how(direct: bool, write: bool) -> sys::files::OpenHow {
    let access = if write { sys::files::Access::ReadWrite } else { sys::files::Access::Read };
    sys::files::OpenHow { access, direct, exclusive: false }
}

fn planned(path: PathBuf, how: sys::files::OpenHow, purpose: &'static str) -> PlannedOpen {
    PlannedOpen { path, flags: format!("{how} (no symbolic links)"), purpose }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_is_a_tenth_or_a_hundred_gibibytes() {
        assert_eq!(large(Bytes::from_gib(1), Bytes::from_gib(11)), None);
        assert_eq!(large(Bytes::from_gib(2), Bytes::from_gib(10)).unwrap(), "2 GiB are 20 % of 10 GiB");
        assert!(large(Bytes::from_gib(101), Bytes(1 << 50)).unwrap().contains("100 GiB"));
        assert_eq!(large(Bytes::from_gib(1), Bytes(0)), None);
    }

    #[test]
    fn requests_that_contradict_themselves_are_bad_input() {
        let request = || TargetRequest::new(std::env::temp_dir(), Provenance::default());
        let wrong = [
            TargetRequest { adopt: true, will_write: true, ..request() },
            TargetRequest { align: Bytes(1000), ..request() },
            TargetRequest { size: Some(Bytes(0)), ..request() },
            TargetRequest { size: Some(Bytes(8192)), align: Bytes(65536), ..request() },
            TargetRequest { size: Some(Bytes(u64::MAX)), ..request() },
            TargetRequest { consent: Some("S1".into()), ..request() },
            TargetRequest { path: sys::streams::NULL_DEVICE.into(), ..request() },
        ];
        for request in wrong {
            let error = inspect(&request).unwrap_err();
            assert_eq!(error.class(), Class::BadInput, "{error}");
        }
    }
}

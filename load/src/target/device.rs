//! Block devices: their users, their contents, and the consent required to write to one.
//!
//! A device is identified by its major and minor number, regardless of the node or link used. The kernel decides
//! whether the device is in use. An exclusive open fails while a mount, swap, dm, md or another claim exists on the
//! device, its partitions or its whole disk. secchi holds its own claim for the whole run (docs/design/safety.md,
//! "Devices").

use super::error::{TargetError, cannot, failed, printable, refused};
use super::proof::owner_of;
use super::ranges::RangeSet;
use super::resolve::{ResolvedPath, locate, open as open_place};
use super::signatures::signatures;
use super::test_target::{Kind, TestTarget};
use super::{
    Action, DeviceReport, FoundTarget, Inspection, TargetRequest, bad_input, changed, large, load_open, planned,
    size_within,
};
use model::{Bytes, plan::TargetKind};
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;
use sys::devices::BlockGeometry;
use sys::files::{Access, MetadataExt, OpenHow};
use uuid::Uuid;

/// Number of blocks read to determine whether the whole range holds secchi's data.
const SAMPLES: u64 = 256;
/// Maximum number of attempts while a device seems to be in use. `BETWEEN` is the time between two attempts.
const TRIES: u32 = 4;
const BETWEEN: Duration = Duration::from_millis(25);
/// Maximum number of users named in one message.
const USERS_SHOWN: usize = 4;

/// Determines what would be done with a device that the request names.
pub(super) fn inspect(request: &TargetRequest, place: &ResolvedPath) -> Result<Inspection, TargetError> {
    if request.adopt && !request.untouched {
        return Err(bad_input(printable(&place.path), "--adopt accepts files, but this is a device", "leave it out"));
    }
    // Checked first, before the device is opened even for reading.
    let users = in_use(request, &place.path, sys::devices::device_number(place.meta.rdev()))?;
    let device = open_plain(place)?;
    let report = survey(request, place, &device, users)?;
    let (size, rounded) = size_within(request, report.size.as_u64(), &place.path)?;
    let mut notes: Vec<String> = rounded.into_iter().collect();
    let owner = owner_of(&device, size.as_u64(), SAMPLES)
        .map_err(|e| failed(format!("read {}", printable(&place.path)), &e))?;
    let (uuid, to_fill) = match (owner, request.will_write) {
        (Some(_), _) => (owner, Bytes(0)),
        (None, true) => (Some(Uuid::new_v4().as_u128()), size),
        (None, false) => {
            notes.push(
                "contents unknown: reads of blocks that were never written, or trimmed, may be answered without \
                 accessing the medium"
                    .to_owned(),
            );
            // A device in use cannot be overwritten.
            if report.users.is_empty() && !request.untouched {
                notes.push(format!("to overwrite it instead, add --destroy '{}'", report.consent_word()));
            }
            (None, Bytes(0))
        }
    };
    if request.align.as_u64() > 1
        && request.direct
        && !request.align.as_u64().is_multiple_of(report.logical_block.as_u64())
    {
        return Err(bad_input(
            printable(&place.path),
            format!("direct I/O on this device must be aligned to {}, not {}", report.logical_block, request.align),
            "",
        ));
    }
    let claimed = report.users.is_empty();
    if !claimed {
        notes.push(format!("in use: {}; both loads disturb each other", list(&report.users)));
    }
    let access = if request.will_write { Access::ReadWrite } else { Access::Read };
    let hold = OpenHow { access, direct: false, exclusive: claimed };
    Ok(Inspection {
        request: request.clone(),
        action: if request.will_write { Action::DestroyDevice } else { Action::ReadDevice },
        kind: TargetKind::Device,
        path: place.path.clone(),
        size,
        uuid,
        to_fill,
        filesystem: "none".to_owned(),
        space: None,
        large: large(to_fill, report.size),
        seen: FoundTarget::Device { dev: report.dev, size: report.size.as_u64() },
        device: Some(report),
        opens: vec![
            planned(place.path.clone(), hold, "the device, claimed for the whole run"),
            load_open(request, place, request.will_write),
        ],
        notes,
    })
}

/// Returns the note about a device that already contains secchi's data. Jobs have no use for it: they fill nothing.
pub(super) fn filled_note(inspection: &Inspection) -> Option<String> {
    let is_filled = inspection.uuid.is_some() && inspection.to_fill.is_zero();
    is_filled.then(|| format!("all {SAMPLES} sampled blocks contain secchi's data: it is not filled again"))
}

fn open_plain(place: &ResolvedPath) -> Result<File, TargetError> {
    open_place(place, OpenHow::plain(Access::Read)).map_err(|e| no_device(&place.path, &e))
}

fn no_device(path: &Path, error: &io::Error) -> TargetError {
    if sys::files::is_lost_error(error) {
        return cannot(
            format!("open {}", printable(path)),
            error.to_string(),
            "there is no device or medium for this node",
        );
    }
    failed(format!("open {}", printable(path)), error)
}

/// Checks all requirements for using a device, without holding a claim.
fn survey(
    request: &TargetRequest,
    place: &ResolvedPath,
    device: &File,
    users: Vec<String>,
) -> Result<DeviceReport, TargetError> {
    let path = &place.path;
    let what = || format!("look at the device {}", printable(path));
    let dev = sys::devices::block_number(device).map_err(|e| failed(what(), &e))?.ok_or_else(|| changed(path))?;
    let geometry = sys::devices::block_geometry(device).map_err(|e| no_device(path, &e))?;
    if geometry.size == 0 {
        return Err(cannot(what(), "it has no size: there is no medium, or nothing is attached", ""));
    }
    if users.is_empty() {
        // Only the result matters; the claim is released immediately.
        claim(place, Access::Read)?;
    }
    let report = report(device, dev, geometry, users).map_err(|e| failed(what(), &e))?;
    if request.will_write {
        may_destroy(request, &report, geometry.read_only)?;
    } else if request.consent.is_some() {
        return Err(bad_input(printable(path), "--destroy was given, but the load only reads", "leave it out"));
    }
    Ok(report)
}

/// Rejects a device that is in use. With `share`, the device may be read alongside its other users, even if the system
/// runs from it, because reading does no harm. A device in use may never be written.
fn in_use(request: &TargetRequest, path: &Path, dev: (u32, u32)) -> Result<Vec<String>, TargetError> {
    let uses = lasting_uses(dev);
    let users: Vec<String> = uses.iter().map(ToString::to_string).collect();
    if users.is_empty() {
        return Ok(users);
    }
    let vital = uses.iter().any(sys::devices::DeviceUse::vital);
    let advice = match (request.will_write, request.share) {
        (true, _) if vital => {
            "this machine runs from it, so it is never written as a device; use a directory on it instead"
        }
        (true, _) => "unmount it or stop the processes that use it; or use a directory on it",
        (false, true) => return Ok(users),
        (false, false) => "use a directory on it, or read it anyway with --share",
    };
    Err(refused(printable(path), format!("in use: {}", list(&users)), advice))
}

/// Returns the users that hold a device for longer than a probe. Programs that briefly open devices to identify them,
/// such as udev, blkid and losetup, do not count.
#[must_use]
pub fn lasting_uses(dev: (u32, u32)) -> Vec<sys::devices::DeviceUse> {
    let mut uses = sys::devices::device_uses(dev);
    for _ in 1..TRIES {
        if uses.is_empty() || !uses.iter().all(|u| matches!(u.what, sys::devices::Use::Written { .. })) {
            break;
        }
        std::thread::sleep(BETWEEN);
        uses = sys::devices::device_uses(dev);
    }
    uses
}

fn list(users: &[String]) -> String {
    let named = users.iter().take(USERS_SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match users.len().saturating_sub(USERS_SHOWN) {
        0 => named,
        more => format!("{named}, and {more} more"),
    }
}

/// Claims the device exclusively.
fn claim(place: &ResolvedPath, access: Access) -> Result<File, TargetError> {
    let path = &place.path;
    let mut claimed = open_place(place, OpenHow { access, direct: false, exclusive: true });
    for _ in 1..TRIES {
        if !matches!(&claimed, Err(e) if e.kind() == io::ErrorKind::ResourceBusy) {
            break;
        }
        std::thread::sleep(BETWEEN);
        claimed = open_place(place, OpenHow { access, direct: false, exclusive: true });
    }
    claimed.map_err(|e| {
        if e.kind() == io::ErrorKind::ResourceBusy {
            let reason =
                "the kernel reports that it is in use: mounted (perhaps in a container), swap, RAID, LVM, or another \
                 run";
            return refused(printable(path), reason, "check lsblk and /proc/swaps, and stop its users first");
        }
        no_device(path, &e)
    })
}

fn report(device: &File, dev: (u32, u32), geometry: BlockGeometry, users: Vec<String>) -> io::Result<DeviceReport> {
    let identity = sys::devices::device_identity(dev);
    Ok(DeviceReport {
        name: Path::new("/dev").join(&identity.name),
        dev,
        model: identity.model,
        serial: identity.serial,
        size: Bytes(geometry.size),
        logical_block: Bytes(geometry.logical.into()),
        physical_block: Bytes(geometry.physical.into()),
        removable: identity.removable,
        signatures: signatures(device, geometry.size)?,
        users,
    })
}

/// Checks that the user allowed the destruction of the device by typing its identity.
fn may_destroy(request: &TargetRequest, report: &DeviceReport, read_only: bool) -> Result<(), TargetError> {
    let what = || format!("overwriting {}", report.describe());
    if read_only {
        return Err(cannot(format!("write to {}", report.name.display()), "the device is read-only", ""));
    }
    let word = report.consent_word();
    match request.consent.as_deref() {
        Some(typed) if typed == word => Ok(()),
        Some(typed) => Err(refused(
            what(),
            format!("--destroy names `{}`, but this device is `{word}`", model::clip(typed)),
            "check that this is the right device",
        )),
        None => Err(refused(
            what(),
            "all data on it would be lost",
            format!("to do this anyway, add its identity: --destroy '{word}'"),
        )),
    }
}

/// Claims the device, then repeats all checks.
pub(super) fn open(mut inspection: Inspection, dev: (u32, u32), size: u64) -> Result<TestTarget, TargetError> {
    let request = inspection.request.clone();
    let path = inspection.path.clone();
    // The path is already resolved; from here on, links are not followed, not even for reading.
    let place = locate(&path, true)?;
    let access = if request.will_write { Access::ReadWrite } else { Access::Read };
    let shared = inspection.device.as_ref().is_some_and(|d| !d.users.is_empty());
    let users = in_use(&request, &path, dev)?;
    let held = if shared && !users.is_empty() { open_plain(&place)? } else { claim(&place, access)? };
    let what = || format!("look at the device {}", printable(&path));
    let now = sys::devices::block_number(&held).map_err(|e| failed(what(), &e))?;
    let geometry = sys::devices::block_geometry(&held).map_err(|e| no_device(&path, &e))?;
    let report = report(&held, dev, geometry, users).map_err(|e| failed(what(), &e))?;
    let before = inspection.device.as_ref().map(|d| (&d.serial, &d.signatures));
    if now != Some(dev) || geometry.size != size || before != Some((&report.serial, &report.signatures)) {
        return Err(changed(&path));
    }
    if request.will_write {
        may_destroy(&request, &report, geometry.read_only)?;
    }
    let filled: RangeSet = if inspection.to_fill.is_zero() && inspection.uuid.is_some() {
        (0..inspection.size.as_u64()).into()
    } else {
        RangeSet::new()
    };
    inspection.device = Some(report);
    Ok(TestTarget::new(inspection, held, Kind::Device { dev, size, filled }))
}

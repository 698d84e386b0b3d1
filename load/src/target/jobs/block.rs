//! Devices that jobs name: to be read they are named a second time, to be written their identity is typed.

use super::super::error::{TargetError, bad_input, refused, shown};
use super::super::place::{Place, locate};
use super::super::{TargetRequest, device, size_within};
use super::gather::Wanted;
use super::look::Told;
use super::{FileAction, JobFile, JobsRequest, Seen, Work};
use model::{Bytes, TargetKind};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::PathBuf;

/// A device, behind the guard that all commands share.
pub(super) fn inspect(
    request: &JobsRequest,
    wanted: &Wanted,
    place: &Place,
    told: &mut Told,
) -> Result<JobFile, TargetError> {
    let path = &place.path;
    if !wanted.writes && !names_device(request, place)? {
        return Err(refused(
            shown(path),
            "it is a block device",
            format!("name it again with --device {} to read it", shown(path)),
        ));
    }
    let guard = TargetRequest {
        will_write: wanted.writes,
        direct: wanted.direct,
        align: Bytes(if wanted.align.is_power_of_two() { wanted.align } else { 1 }),
        consent: request.destroy.clone().filter(|_| wanted.writes),
        share: request.share,
        ..TargetRequest::new(path, request.made.clone())
    };
    let inspection = device::inspect(&guard, place)?;
    let report = inspection.device.clone();
    let whole = report.as_ref().map_or(inspection.size, |d| d.size);
    let sector = report.as_ref().map_or(512, |d| d.logical_block.0);
    let size = wanted.size.map_or(whole, Bytes);
    if size > whole {
        // For the message only: it says what is asked and what is there.
        size_within(&TargetRequest { size: Some(size), ..guard }, whole.0, path)?;
    }
    if wanted.direct && wanted.align > 0 && !wanted.align.is_multiple_of(sector) {
        return Err(bad_input(
            shown(path),
            format!("direct I/O here must be aligned to {sector} bytes, not {}", wanted.align),
            "",
        ));
    }
    told.notes.extend(inspection.notes.iter().filter(|n| !n.contains("is not filled again")).cloned());
    let action = if wanted.writes { FileAction::DestroyDevice } else { FileAction::ReadDevice };
    Ok(JobFile {
        path: path.clone(),
        typed: wanted.typed.clone(),
        kind: TargetKind::Device,
        action,
        size,
        now: Some(whole),
        align: Bytes(sector),
        uuid: inspection.uuid,
        filesystem: inspection.filesystem.clone(),
        mount_point: PathBuf::new(),
        device: report,
        work: Work { direct: wanted.direct, ..Work::default() },
        seen: Seen::Device(Box::new(inspection)),
        writes: wanted.writes,
        stages: wanted.stages.clone(),
    })
}

/// Whether --device names this device, under whatever name.
fn names_device(request: &JobsRequest, place: &Place) -> Result<bool, TargetError> {
    for allowed in &request.devices {
        let named = locate(allowed, false)?;
        if named.meta.file_type().is_block_device() && named.meta.rdev() == place.meta.rdev() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A consent that nothing needs was meant for something else.
pub(super) fn consents_used(request: &JobsRequest, files: &[JobFile]) -> Result<(), TargetError> {
    let destroys = files.iter().any(|f| f.action == FileAction::DestroyDevice);
    if let Some(word) = request.destroy.as_deref().filter(|_| !destroys) {
        let what = format!("--destroy {}", model::clip(word));
        return Err(bad_input(what, "no job writes to a device", "leave it out, or check the file name of the job"));
    }
    for allowed in &request.devices {
        let named = locate(allowed, false)?;
        let rdev = named.meta.rdev();
        let used = files.iter().any(|f| match &f.seen {
            Seen::Device(i) => i.device.as_ref().is_some_and(|d| d.dev == sys::device_number(rdev)),
            _ => false,
        });
        if !used || !named.meta.file_type().is_block_device() {
            let what = format!("--device {}", shown(allowed));
            return Err(bad_input(what, "no job uses this device", "leave it out, or check the file name of the job"));
        }
    }
    Ok(())
}

//! Devices named by jobs. The name is enough to read a device; to write to one, the user must type its identity.

use super::super::error::{TargetError, bad_input, printable};
use super::super::resolve::{ResolvedPath, locate};
use super::super::{TargetRequest, device, size_within};
use super::gather::Wanted;
use super::remarks::Remarks;
use super::{FileAction, FoundFile, JobFile, JobsRequest, Work};
use model::{Bytes, plan::TargetKind};
use sys::files::{FileTypeExt, MetadataExt};

/// Inspects a device with the guard that all commands share.
pub(super) fn inspect(
    request: &JobsRequest,
    wanted: &Wanted,
    place: &ResolvedPath,
    remarks: &mut Remarks,
) -> Result<JobFile, TargetError> {
    let path = &place.path;
    let guard = TargetRequest {
        will_write: wanted.writes,
        direct: wanted.direct,
        align: Bytes(if wanted.align.is_power_of_two() { wanted.align } else { 1 }),
        consent: request.destroy.clone().filter(|_| wanted.writes),
        share: request.share,
        ..TargetRequest::new(path, request.made.clone())
    };
    let with = |identity: &String| TargetRequest { consent: Some(identity.clone()), ..guard.clone() };
    let inspection = device::inspect(&guard, place).or_else(|refusal| {
        let mut standing = request.may_destroy.iter().filter(|_| wanted.writes && request.destroy.is_none());
        // Return the error for a request without consent, because that error names the required consent.
        standing.find_map(|identity| device::inspect(&with(identity), place).ok()).ok_or(refusal)
    })?;
    let report = inspection.device.as_ref();
    let whole = report.map_or(inspection.size, |d| d.size);
    let sector = report.map_or(512, |d| d.logical_block.as_u64());
    let size = wanted.size.map_or(whole, Bytes);
    if size > whole {
        // Called only for its message, which contains the requested and the available size.
        size_within(&TargetRequest { size: Some(size), ..guard }, whole.as_u64(), path)?;
    }
    if wanted.direct && wanted.align > 0 && !wanted.align.is_multiple_of(sector) {
        return Err(bad_input(
            printable(path),
            format!("direct I/O on this device must be aligned to {sector} bytes, not {}", wanted.align),
            "",
        ));
    }
    remarks.notes.extend(inspection.notes.iter().cloned());
    if let Some(device) = report.filter(|_| !wanted.writes) {
        let model = device.model.as_deref().map(|model| format!(", {}", model::clip(model))).unwrap_or_default();
        remarks.notes.push(format!(
            "{} is a block device of {}{model}, which is only read",
            printable(&device.name),
            device.size
        ));
    }
    if let Some(node) = &wanted.node {
        remarks.notes.push(format!(
            "{} sends commands to {}, which is locked during the run; its requests bypass the block layer and the \
             kernel's counters",
            printable(&node.path),
            printable(path)
        ));
    }
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
        device: inspection.device.clone(),
        node: wanted.node.clone(),
        work: Work { direct: wanted.direct, ..Work::default() },
        seen: FoundFile::Device(Box::new(inspection)),
        writes: wanted.writes,
        stages: wanted.stages.clone(),
    })
}

/// Rejects a consent that no job needs, because the user probably meant a different device.
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
            FoundFile::Device(i) => i.device.as_ref().is_some_and(|d| d.dev == sys::devices::device_number(rdev)),
            _ => false,
        });
        if !used || !named.meta.file_type().is_block_device() {
            let what = format!("--device {}", printable(allowed));
            return Err(bad_input(what, "no job uses this device", "leave it out, or check the file name of the job"));
        }
    }
    Ok(())
}

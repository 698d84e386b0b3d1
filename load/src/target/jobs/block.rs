//! Devices named by jobs. The name is enough to read a device; to write to one, the user must type its identity.

use super::super::error::{TargetError, bad_input, printable};
use super::super::resolve::{ResolvedPath, locate};
use super::super::{TargetRequest, device, size_within};
use super::gather::Wanted;
use super::remarks::Remarks;
use super::{FileAction, FoundFile, JobFile, JobsRequest};
use model::Bytes;
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
        will_write: wanted.file.writes,
        direct: wanted.file.direct,
        align: Some(wanted.file.align).filter(|align| align.as_u64().is_power_of_two()).unwrap_or(Bytes(1)),
        consent: request.destroy.clone().filter(|_| wanted.file.writes),
        share: request.share,
        ..TargetRequest::new(path, request.made.clone())
    };
    let with = |identity: &String| TargetRequest { consent: Some(identity.clone()), ..guard.clone() };
    let inspection = device::inspect(&guard, place).or_else(|refusal| {
        let mut standing = request.may_destroy.iter().filter(|_| wanted.file.writes && request.destroy.is_none());
        // Return the error for a request without consent, because that error names the required consent.
        standing.find_map(|identity| device::inspect(&with(identity), place).ok()).ok_or(refusal)
    })?;
    let report = inspection.device.as_ref();
    let whole = report.map_or(inspection.size, |d| d.size);
    let sector = report.map_or(512, |d| d.logical_block.as_u64());
    let size = wanted.file.size.unwrap_or(whole);
    if size > whole {
        // Called only for its message, which contains the requested and the available size.
        size_within(&TargetRequest { size: Some(size), ..guard }, whole.as_u64(), path)?;
    }
    let align = wanted.file.align.as_u64();
    if wanted.file.direct && align > 0 && !align.is_multiple_of(sector) {
        return Err(bad_input(
            printable(path),
            format!("direct I/O on this device must be aligned to {sector} bytes, not {align}"),
            "",
        ));
    }
    remarks.notes.extend(inspection.notes.iter().cloned());
    if let Some(device) = report.filter(|_| !wanted.file.writes) {
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
    let action = if wanted.file.writes { FileAction::DestroyDevice } else { FileAction::ReadDevice };
    let seen = FoundFile::Device(Box::new(inspection.clone()));
    Ok(JobFile {
        now: Some(whole),
        align: Bytes(sector),
        uuid: inspection.uuid,
        device: inspection.device,
        ..JobFile::new(wanted, path.clone(), action, size, seen)
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

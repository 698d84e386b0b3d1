//! Test file that all ranks of a run use. One rank creates, fills and removes it, and the others join.

use super::inspect::unproven;
use crate::target::error::{TargetError, bad_input, cannot, failed, printable, refused};
use crate::target::proof::{Purpose, Unproven, prove};
use crate::target::resolve::{FileSystem, locate, open_directory, open_inspected_directory, parent};
use crate::target::sidecar::Part;
use crate::target::test_target::{Kind, TestTarget};
use crate::target::{Action, FoundTarget, Inspection, TargetRequest, changed, file_system_notes, load_how, planned};
use model::{Bytes, plan::TargetKind};
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};
use sys::files::{Access, FileId, OpenHow};

/// Maximum time until a file created by another host becomes visible, because hosts cache names.
const SEEN: Duration = Duration::from_secs(2);

/// Inspects the location of a test file that another rank creates, or has found, under `name`. Changes nothing. The
/// request contains the directory or the file, and the full size of the file.
///
/// # Errors
/// Returns a [`TargetError`] if this rank cannot use the location.
pub fn inspect_joined(request: &TargetRequest, name: &OsStr) -> Result<Inspection, TargetError> {
    request.check()?;
    let place = locate(&request.path, true)?;
    let (folder, dir) = if place.meta.is_dir() {
        (place.path.clone(), open_directory(&place)?)
    } else {
        let (dir, file_name) = parent(&place)?;
        if file_name != *name {
            let what = format!("the first rank uses {} in that directory", name.to_string_lossy());
            return Err(bad_input(printable(&place.path), what, "use the same path on every host"));
        }
        (place.path.parent().unwrap_or(Path::new("/")).to_owned(), dir)
    };
    let (Some(uuid), Some(size)) = (Part::Data.uuid_in(name), request.size) else {
        return Err(bad_input(name.to_string_lossy(), "it does not have the name of a secchi test file", ""));
    };
    let path = folder.join(name);
    if request.will_write && !sys::files::may_write(&dir, None) {
        return Err(cannot(
            format!("use a test file in {}", printable(&folder)),
            "no permission to write to it",
            "check owner and mode, or use another directory",
        ));
    }
    let fs = FileSystem::holding(&dir);
    let id = FileId::from_file(&dir).map_err(|e| failed(format!("look at {}", printable(&folder)), &e))?;
    Ok(Inspection {
        request: request.clone(),
        action: Action::Join,
        kind: TargetKind::File,
        path: path.clone(),
        size,
        uuid: Some(uuid),
        to_fill: Bytes(0),
        notes: file_system_notes(&fs),
        filesystem: fs.name,
        space: None,
        device: None,
        large: None,
        opens: vec![
            planned(folder, OpenHow::plain(Access::Directory), "the directory, open for the whole run"),
            planned(
                path.clone(),
                OpenHow::plain(Access::ReadWrite),
                "the test file, locked together with the other ranks",
            ),
            planned(path, load_how(request.direct, request.will_write), "the load"),
        ],
        seen: FoundTarget::Joined { dir: id },
    })
}

/// Joins a test file, which must exist by now.
pub(in crate::target) fn join(inspection: Inspection, dir_id: FileId) -> Result<TestTarget, TargetError> {
    let path = inspection.path.clone();
    let dir = open_inspected_directory(&path, dir_id)?;
    let since = Instant::now();
    let proof = loop {
        match prove(&dir, inspection.own_uuid(), Purpose { take: true, share: true }) {
            Ok(proof) => break proof,
            Err(Unproven::Failed(e)) if e.kind() == io::ErrorKind::NotFound => {
                if since.elapsed() > SEEN {
                    return Err(refused(
                        printable(&path),
                        "another rank created it, but this host does not see it",
                        "a file shared by all ranks needs a directory that all hosts share",
                    ));
                }
                std::thread::sleep(Duration::from_millis(100));
            }
            Err(cause) => return Err(unproven(&path, cause)),
        }
    };
    if proof.sidecar.as_ref().is_none_or(|sidecar| sidecar.size < inspection.size.as_u64()) {
        return Err(changed(&path));
    }
    let name = Part::Data.name(inspection.own_uuid());
    Ok(TestTarget::new(inspection, proof.file, Kind::Named { dir, name, id: proof.id }))
}

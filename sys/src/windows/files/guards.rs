//! Protection of a device that is written: its volumes are locked and dismounted before the first byte.

use crate::windows::files::{Volume, volumes};
use crate::windows::nt;
use crate::windows::number::disk_number;
use std::fs::File;
use std::io;
use std::sync::{Mutex, PoisonError};
use windows_sys::Win32::Foundation as w;
use windows_sys::Win32::System::Ioctl::{FSCTL_DISMOUNT_VOLUME, FSCTL_LOCK_VOLUME};

/// Volumes that are locked until this process ends, by disk number: a physical drive and its volumes are separate
/// objects.
static HELD: Mutex<Vec<(u32, Vec<File>)>> = Mutex::new(Vec::new());

/// Locks all volumes that have extents on an open physical drive until this process ends, so that no other process has
/// a file on them open or can open one. Nothing is written or dismounted.
///
/// # Errors
/// `ERROR_ACCESS_DENIED` if a process uses one of them or the user is not an administrator;
/// [`io::ErrorKind::ResourceBusy`] if Windows runs from one of them; `Unsupported` for a volume, because its lock
/// belongs to one handle, and every worker has a separate handle.
pub fn hold_volumes(device: &File) -> io::Result<()> {
    let Some(disk) = disk_number(device)? else {
        let reason = r"a volume cannot be opened as a device: use its disk (\\.\PhysicalDrive1), or a file on it";
        return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
    };
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    if held.iter().any(|(number, _)| *number == disk) {
        return Ok(());
    }
    let on_it: Vec<Volume> = volumes()?.into_iter().filter(|volume| volume.is_on(disk)).collect();
    // Check all volumes before any of them is locked.
    on_it.iter().try_for_each(refuse_system)?;
    let mut locked = Vec::new();
    for volume in &on_it {
        let device = volume.open(true)?;
        nt::control(&device, FSCTL_LOCK_VOLUME)?;
        locked.push(device);
    }
    held.push((disk, locked));
    Ok(())
}

/// Dismounts the volumes of a device that [`hold_volumes`] locked, so that no file system overwrites what is written to
/// the device.
///
/// # Errors
/// Errors of `FSCTL_DISMOUNT_VOLUME`; `ERROR_NOT_LOCKED` if the device is not locked.
pub fn dismount_volume(device: &File) -> io::Result<()> {
    let disk = disk_number(device)?;
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let Some((_, volumes)) = held.iter().find(|(number, _)| Some(*number) == disk) else {
        return Err(io::Error::from_raw_os_error(w::ERROR_NOT_LOCKED as i32));
    };
    volumes.iter().try_for_each(|volume| nt::control(volume, FSCTL_DISMOUNT_VOLUME))
}

/// Rejects the volume that Windows runs from. Locking it would fail as well, but with a different error.
fn refuse_system(volume: &Volume) -> io::Result<()> {
    if volume.is_system() {
        let reason = format!("it contains the volume that Windows runs from ({})", volume.name.to_string_lossy());
        return Err(io::Error::new(io::ErrorKind::ResourceBusy, reason));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{Access, OpenHow, open_no_links};

    #[test]
    fn the_volume_windows_runs_from_is_refused_by_name() {
        let system = volumes().unwrap().into_iter().find(Volume::is_system).expect("Windows runs from one");
        let error = refuse_system(&system).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ResourceBusy);
        assert!(error.to_string().contains("Windows runs from"), "{error}");
        let other = Volume { name: "other".into(), points: vec![r"Q:\".into()] };
        refuse_system(&other).unwrap();
        refuse_system(&Volume { points: Vec::new(), ..other }).unwrap();
    }

    #[test]
    fn what_is_no_disk_is_never_held_and_what_was_not_held_not_dismounted() {
        let file = tempfile::tempfile().unwrap();
        assert!(hold_volumes(&file).is_err() && dismount_volume(&file).is_err());
        let how = OpenHow { exclusive: true, ..OpenHow::plain(Access::Read) };
        match open_no_links(None, std::path::Path::new(r"\\.\C:"), how) {
            Ok(_) => panic!("the volume Windows runs from was held"),
            Err(e) => assert!(!e.to_string().is_empty()),
        }
    }

    #[test]
    fn a_disk_is_not_dismounted_that_was_not_held() {
        let disk = open_no_links(None, std::path::Path::new(r"\\.\PhysicalDrive0"), OpenHow::plain(Access::Locate));
        let Ok(disk) = disk else { testkit::skip!("no PhysicalDrive0 can be opened here (wine)") };
        assert!(dismount_volume(&disk).is_err());
    }
}

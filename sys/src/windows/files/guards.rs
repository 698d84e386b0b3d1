//! What keeps others off a device that is written: its volumes are locked, and dismounted, before the first byte.

use crate::windows::devices::{disk_number, on_disk};
use crate::windows::files::{Volume, volumes};
use crate::windows::nt;
use std::fs::File;
use std::io;
use std::sync::{Mutex, PoisonError};
use windows_sys::Win32::Foundation as w;
use windows_sys::Win32::System::Ioctl::{FSCTL_DISMOUNT_VOLUME, FSCTL_LOCK_VOLUME};

/// Volumes that are locked as long as this process lives: on a physical drive these are other objects than the drive.
static HELD: Mutex<Vec<(u32, Vec<File>)>> = Mutex::new(Vec::new());

/// Locks every volume with a piece on an open physical drive, so that nobody else has a file of it open or opens one, as long as this
/// process lives. Nothing is written, and nothing dismounted.
///
/// # Errors
/// `ERROR_ACCESS_DENIED` while anybody uses one of them, and for whoever is no administrator; [`io::ErrorKind::ResourceBusy`] where Windows
/// runs from one of them; `Unsupported` for a volume: its lock belongs to one handle, and every worker has its own.
pub fn hold_volumes(device: &File) -> io::Result<()> {
    let Some(disk) = disk_number(device)? else {
        let why = r"a volume is not held as a device: name its disk (\\.\PhysicalDrive1), or a file on it";
        return Err(io::Error::new(io::ErrorKind::Unsupported, why));
    };
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    if held.iter().any(|(number, _)| *number == disk) {
        return Ok(());
    }
    let mut locked = Vec::new();
    for volume in volumes()?.iter().filter(|volume| on_disk(volume, disk)) {
        refuse_system(volume)?;
        let device = volume.open(true)?;
        nt::control(&device, FSCTL_LOCK_VOLUME)?;
        locked.push(device);
    }
    held.push((disk, locked));
    Ok(())
}

/// Dismounts the volumes of a device that was locked by [`hold_volumes`], so that no file system writes over what is written past it.
///
/// # Errors
/// As `FSCTL_DISMOUNT_VOLUME`; `ERROR_NOT_LOCKED` for what was not locked.
pub fn dismount_volume(device: &File) -> io::Result<()> {
    let disk = disk_number(device)?;
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let Some((_, volumes)) = held.iter().find(|(number, _)| Some(*number) == disk) else {
        return Err(io::Error::from_raw_os_error(w::ERROR_NOT_LOCKED as i32));
    };
    volumes.iter().try_for_each(|volume| nt::control(volume, FSCTL_DISMOUNT_VOLUME))
}

/// Windows would not let it be locked either, but for others' reasons.
fn refuse_system(volume: &Volume) -> io::Result<()> {
    if volume.is_system() {
        let why = format!("the volume Windows runs from is on it ({})", volume.name.to_string_lossy());
        return Err(io::Error::new(io::ErrorKind::ResourceBusy, why));
    }
    Ok(())
}

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

/// Locks every volume on an open device, so that nobody else has a file of it open or opens one: the volume itself where the device is one,
/// or all volumes with a piece on a physical drive, as long as this process lives. Nothing is written, and nothing dismounted.
///
/// # Errors
/// `ERROR_ACCESS_DENIED` while anybody uses one of them, and for whoever is no administrator; [`io::ErrorKind::ResourceBusy`] for the volume
/// Windows runs from, or with its paging file.
pub fn hold_volumes(device: &File) -> io::Result<()> {
    let Some(disk) = disk_number(device)? else { return lock(device) };
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    if held.iter().any(|(number, _)| *number == disk) {
        return Ok(());
    }
    let mut locked = Vec::new();
    for volume in volumes()?.iter().filter(|volume| on_disk(volume, disk)) {
        refuse_system(volume)?;
        let device = volume.open(true)?;
        lock(&device)?;
        locked.push(device);
    }
    held.push((disk, locked));
    Ok(())
}

/// Dismounts the volumes of a device that was locked by [`hold_volumes`], so that no file system writes over what is written past it.
///
/// # Errors
/// As `FSCTL_DISMOUNT_VOLUME`; `ERROR_NOT_LOCKED` for a physical drive that was not locked.
pub fn dismount_volume(device: &File) -> io::Result<()> {
    let Some(disk) = disk_number(device)? else { return nt::control(device, FSCTL_DISMOUNT_VOLUME) };
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let Some((_, volumes)) = held.iter().find(|(number, _)| *number == disk) else {
        return Err(io::Error::from_raw_os_error(w::ERROR_NOT_LOCKED as i32));
    };
    volumes.iter().try_for_each(|volume| nt::control(volume, FSCTL_DISMOUNT_VOLUME))
}

fn lock(volume: &File) -> io::Result<()> {
    nt::control(volume, FSCTL_LOCK_VOLUME)
}

/// Windows would not let it be locked either, but for others' reasons.
fn refuse_system(volume: &Volume) -> io::Result<()> {
    if volume.is_system() {
        let why = format!("the volume Windows runs from is on it ({})", volume.name.to_string_lossy());
        return Err(io::Error::new(io::ErrorKind::ResourceBusy, why));
    }
    Ok(())
}

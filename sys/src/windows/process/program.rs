//! The program's own pages, held in memory: a page of it that is first needed when its disk hangs would hang whoever
//! needs it.

use super::pinned::locked;
use crate::common::Held;
use crate::windows::nt;
use std::io;
use windows_sys::Win32::Foundation::HMODULE;
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEMORY_BASIC_INFORMATION, PAGE_GUARD, PAGE_NOACCESS, VirtualQuery,
};
use windows_sys::Win32::System::ProcessStatus::{K32EnumProcessModules, K32GetModuleInformation, MODULEINFO};
use windows_sys::Win32::System::Threading::GetCurrentProcess;

/// Modules of a process that are looked at.
const MOST: usize = 512;

/// Brings what this process runs from, libraries too, into memory and locks it there until the process ends, as firmly as the system allows.
///
/// # Errors
/// As `EnumProcessModules`.
pub fn hold_program() -> io::Result<Held> {
    let mut modules: [HMODULE; MOST] = [std::ptr::null_mut(); MOST];
    let mut bytes = 0;
    // SAFETY: the call writes at most as many bytes as it is told; the handle stands for this process.
    nt::check(unsafe {
        K32EnumProcessModules(GetCurrentProcess(), modules.as_mut_ptr(), size_of_val(&modules) as u32, &raw mut bytes)
    })?;
    let mut held = Held { bytes: 0, locked: true };
    for module in modules.iter().take(bytes as usize / size_of::<HMODULE>()) {
        let mut told =
            MODULEINFO { lpBaseOfDll: std::ptr::null_mut(), SizeOfImage: 0, EntryPoint: std::ptr::null_mut() };
        // SAFETY: `told` is a valid place of the size given; a module that went away meanwhile is an error.
        let known = unsafe {
            K32GetModuleInformation(GetCurrentProcess(), *module, &raw mut told, size_of::<MODULEINFO>() as u32)
        };
        if known != 0 {
            held.locked &= hold(told.lpBaseOfDll.cast(), told.SizeOfImage as usize);
            held.bytes += told.SizeOfImage as usize;
        }
    }
    Ok(held)
}

/// Locks the parts of an image that are there; whether all of them are.
fn hold(base: *mut u8, bytes: usize) -> bool {
    let (mut all, mut at) = (true, 0);
    while at < bytes {
        // SAFETY: an address, for which zero is a value, and numbers.
        let mut part: MEMORY_BASIC_INFORMATION = unsafe { std::mem::zeroed() };
        // SAFETY: the image stays loaded while it is looked at: the address lies in it. `part` is a valid place of the size given.
        let (here, told) = unsafe {
            let here = base.add(at);
            (here, VirtualQuery(here.cast(), &raw mut part, size_of::<MEMORY_BASIC_INFORMATION>()))
        };
        if told == 0 || part.RegionSize == 0 {
            return false;
        }
        let length = part.RegionSize.min(bytes - at);
        let readable = part.State == MEM_COMMIT && part.Protect & (PAGE_NOACCESS | PAGE_GUARD) == 0;
        if readable {
            all &= locked(here, length).is_ok();
        }
        at += length;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_larger_than_nothing() {
        assert!(hold_program().unwrap().bytes > 100_000);
    }
}

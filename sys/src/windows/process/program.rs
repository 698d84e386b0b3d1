//! Locks the pages of the program in memory: if a page had to be read from a disk that hangs, the thread that needs it
//! would hang as well.

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

/// Maximum number of modules that are locked.
const MOST: usize = 512;

/// Loads the program and its libraries into memory and locks them there until the process ends, as far as the system
/// allows.
///
/// # Errors
/// Errors of `EnumProcessModules`.
pub fn hold_program() -> io::Result<Held> {
    let mut modules: [HMODULE; MOST] = [std::ptr::null_mut(); MOST];
    let mut bytes = 0;
    // SAFETY: the call writes at most the number of bytes passed; the pseudo handle is this process.
    nt::check(unsafe {
        K32EnumProcessModules(GetCurrentProcess(), modules.as_mut_ptr(), size_of_val(&modules) as u32, &raw mut bytes)
    })?;
    let mut held = Held { bytes: 0, locked: true };
    for module in modules.iter().take(bytes as usize / size_of::<HMODULE>()) {
        let mut info =
            MODULEINFO { lpBaseOfDll: std::ptr::null_mut(), SizeOfImage: 0, EntryPoint: std::ptr::null_mut() };
        // SAFETY: the structure is a valid place of the given size; a module that was unloaded meanwhile gives an
        // error.
        let known = unsafe {
            K32GetModuleInformation(GetCurrentProcess(), *module, &raw mut info, size_of::<MODULEINFO>() as u32)
        };
        if known != 0 {
            held.locked &= hold(info.lpBaseOfDll.cast(), info.SizeOfImage as usize);
            held.bytes += info.SizeOfImage as usize;
        }
    }
    Ok(held)
}

/// Locks the committed, readable parts of a module. Returns `true` if all of them could be locked.
fn hold(base: *mut u8, bytes: usize) -> bool {
    let (mut all_locked, mut at) = (true, 0);
    while at < bytes {
        // SAFETY: the structure consists of an address and numbers, for which zero is valid.
        let mut part: MEMORY_BASIC_INFORMATION = unsafe { std::mem::zeroed() };
        // SAFETY: the module stays loaded meanwhile, so the address is inside it. `part` is a valid place of the given
        // size.
        let (here, written) = unsafe {
            let here = base.add(at);
            (here, VirtualQuery(here.cast(), &raw mut part, size_of::<MEMORY_BASIC_INFORMATION>()))
        };
        if written == 0 || part.RegionSize == 0 {
            return false;
        }
        let length = part.RegionSize.min(bytes - at);
        let readable = part.State == MEM_COMMIT && part.Protect & (PAGE_NOACCESS | PAGE_GUARD) == 0;
        if readable {
            all_locked &= locked(here, length).is_ok();
        }
        at += length;
    }
    all_locked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_larger_than_nothing() {
        assert!(hold_program().unwrap().bytes > 100_000);
    }
}

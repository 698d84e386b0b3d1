//! The one admin command of NVMe that is asked: the SMART log, which is only read.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// Bytes of the SMART log.
pub const SMART_LOG: usize = 512;
/// `_IOWR('N', 0x41, struct nvme_passthru_cmd)`.
const NVME_IOCTL_ADMIN_CMD: libc::c_ulong = 0xC048_4E41;
/// Get Log Page.
const GET_LOG_PAGE: u8 = 0x02;
/// Log page 02h in dwords to read, counted from 0 (NVM Express base specification, figure "Get Log Page").
const SMART_DWORDS: u32 = 0x02 | ((SMART_LOG as u32 / 4 - 1) << 16);

/// `struct nvme_passthru_cmd` of linux/nvme_ioctl.h.
#[repr(C)]
#[derive(Default)]
struct Command {
    opcode: u8,
    flags: u8,
    reserved: u16,
    namespace: u32,
    cdw2: u32,
    cdw3: u32,
    metadata: u64,
    address: u64,
    metadata_length: u32,
    data_length: u32,
    cdw10: u32,
    cdw11: u32,
    cdw12: u32,
    cdw13: u32,
    cdw14: u32,
    cdw15: u32,
    timeout_ms: u32,
    result: u32,
}

/// The SMART log of the controller behind an open NVMe device; it is not changed by that.
///
/// # Errors
/// `ENOTTY` or `EINVAL` if it is no NVMe device, `EACCES` without the right to ask, `EIO` with a status of the controller's.
pub fn nvme_smart_log(device: &File) -> io::Result<[u8; SMART_LOG]> {
    let mut log = [0u8; SMART_LOG];
    let mut command = Command {
        opcode: GET_LOG_PAGE,
        // Of the whole controller.
        namespace: u32::MAX,
        address: log.as_mut_ptr() as u64,
        data_length: SMART_LOG as u32,
        cdw10: SMART_DWORDS,
        // The kernel's own limit in time: a shorter one would reset the controller when it is missed.
        timeout_ms: 0,
        ..Command::default()
    };
    // SAFETY: the kernel reads the command and writes at most `data_length` bytes into `log`; both live until the call returns.
    match unsafe { libc::ioctl(device.as_raw_fd(), NVME_IOCTL_ADMIN_CMD, &raw mut command) } {
        0 => Ok(log),
        n if n > 0 => Err(io::Error::from_raw_os_error(libc::EIO)),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_has_the_kernels_size_and_what_is_no_nvme_device_is_an_error() {
        assert_eq!(size_of::<Command>(), 72);
        assert_eq!((NVME_IOCTL_ADMIN_CMD >> 16) & 0x3FFF, 72);
        assert_eq!(SMART_DWORDS, 0x007F_0002);
        assert!(nvme_smart_log(&File::open("/dev/null").unwrap()).is_err());
    }
}

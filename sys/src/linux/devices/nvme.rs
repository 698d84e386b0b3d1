//! NVMe commands: reading log pages and namespace properties, and moving data.

use crate::common::{IoKind, NvmeNamespace, Submission};
use crate::unix::check;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// `_IOWR('N', 0x41, struct nvme_passthru_cmd)`.
const NVME_IOCTL_ADMIN_CMD: libc::Ioctl = 0xC048_4E41_u32 as libc::Ioctl;
/// Get Log Page.
const GET_LOG_PAGE: u8 = 0x02;
/// Opcode of the Identify command (NVMe base specification).
const IDENTIFY: u8 = 0x06;
/// Size of the data it returns, in bytes.
const IDENTIFY_BYTES: usize = 4096;
/// `_IO('N', 0x40)`.
const NVME_IOCTL_ID: libc::Ioctl = 0x4E40;
/// Size in bytes of a range of a Dataset Management command: attributes (unused), number of blocks, first block.
pub(crate) const DSM_RANGE: usize = 16;
const FLUSH: u8 = 0x00;
const WRITE: u8 = 0x01;
const READ: u8 = 0x02;
const DATASET_MANAGEMENT: u8 = 0x09;
const DEALLOCATE: u32 = 1 << 2;
/// Forced unit access, in dword 12.
const FUA: u32 = 1 << 30;

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

/// Returns the first `N` bytes of a log page of the controller of an open NVMe device, for one of its namespaces. Pages
/// from C0h on are vendor-specific: the caller must know from the model which vendor made the device. `N` must be a
/// multiple of 4 and at most 256 KiB.
///
/// # Errors
/// `ENOTTY` or `EINVAL` if it is not an NVMe device, `EACCES` without permission (`CAP_SYS_ADMIN` for vendor pages),
/// `EIO` if the command fails because the controller has no such page.
pub fn nvme_log_page<const N: usize>(device: &File, page: u8, namespace: u32) -> io::Result<[u8; N]> {
    let mut log = [0u8; N];
    let command = Command {
        opcode: GET_LOG_PAGE,
        namespace,
        cdw10: const { log_page_dwords(N) } | u32::from(page),
        ..Command::default()
    };
    execute(device, command, &mut log)?;
    Ok(log)
}

/// Sends an admin command to a device and waits until it has written its answer.
fn execute(device: &File, command: Command, answer: &mut [u8]) -> io::Result<()> {
    // Without a timeout, the kernel uses its own: a shorter one would reset the controller if it expired.
    let mut command = Command { address: answer.as_mut_ptr() as u64, data_length: answer.len() as u32, ..command };
    // SAFETY: the kernel reads the command and writes at most `data_length` bytes into `answer`; both outlive the call.
    match unsafe { libc::ioctl(device.as_raw_fd(), NVME_IOCTL_ADMIN_CMD, &raw mut command) } {
        n if n > 0 => Err(io::Error::from_raw_os_error(libc::EIO)),
        other => check(other),
    }
}

/// Encodes the length of a log page: zero-based number of dwords, in the upper half of dword 10 (NVM Express base
/// specification, figure "Get Log Page - Command Dword 10").
const fn log_page_dwords(bytes: usize) -> u32 {
    assert!(bytes > 0 && bytes.is_multiple_of(4) && bytes / 4 <= 1 << 16);
    (bytes as u32 / 4 - 1) << 16
}

/// Returns the namespace of an open NVMe node, `/dev/ng0n1` or `/dev/nvme0n1`. Reading it does not change it.
///
/// # Errors
/// `ENOTTY` or `EINVAL` if it is not an NVMe namespace, `EACCES` without permission, `EIO` if the command fails.
pub fn nvme_namespace(device: &File) -> io::Result<NvmeNamespace> {
    // SAFETY: the call takes no argument and returns the number.
    let id = unsafe { libc::ioctl(device.as_raw_fd(), NVME_IOCTL_ID) };
    let id = u32::try_from(id).map_err(|_| io::Error::last_os_error())?;
    let mut answer = [0u8; IDENTIFY_BYTES];
    execute(device, Command { opcode: IDENTIFY, namespace: id, ..Command::default() }, &mut answer)?;
    read_namespace(id, &answer)
}

/// Parses the fields of Identify Namespace (NVM command set specification).
fn read_namespace(id: u32, answer: &[u8; IDENTIFY_BYTES]) -> io::Result<NvmeNamespace> {
    let formats = usize::from(answer[25]) + 1;
    // Bits 6:5 are the upper bits of the format index, on drives with more than 16 formats.
    let upper = if formats > 16 { usize::from(answer[26] >> 5 & 0b11) << 4 } else { 0 };
    let format = 128 + 4 * (upper | usize::from(answer[26] & 0xF));
    let shift = answer[format + 2];
    if !(9..=31).contains(&shift) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the namespace has no usable format"));
    }
    Ok(NvmeNamespace {
        id,
        block: 1 << shift,
        blocks: u64::from_le_bytes(std::array::from_fn(|i| answer[i])),
        metadata: u16::from_le_bytes([answer[format], answer[format + 1]]),
    })
}

/// Encodes an operation as `struct nvme_uring_cmd` of linux/nvme_ioctl.h, in the 80 bytes of a ring entry. `range`
/// points to the range of a Dataset Management command. Offset and length must be whole blocks.
pub(crate) fn uring_command(
    namespace: &NvmeNamespace,
    s: &Submission,
    buffer: *mut u8,
    range: *mut u8,
    fua: bool,
) -> [u8; 80] {
    let mut command = Command { namespace: namespace.id, ..Command::default() };
    let block = u64::from(namespace.block);
    match s.kind {
        IoKind::Read | IoKind::Write => {
            let first = s.at / block;
            command.opcode = if s.kind == IoKind::Read { READ } else { WRITE };
            command.address = buffer as u64;
            command.data_length = s.len;
            (command.cdw10, command.cdw11) = (first as u32, (first >> 32) as u32);
            // Zero-based.
            command.cdw12 = (s.len / namespace.block).saturating_sub(1) | if fua { FUA } else { 0 };
        }
        IoKind::DataSync | IoKind::Sync => command.opcode = FLUSH,
        IoKind::Discard => {
            command.opcode = DATASET_MANAGEMENT;
            command.address = range as u64;
            command.data_length = DSM_RANGE as u32;
            command.cdw11 = DEALLOCATE;
        }
    }
    // SAFETY: the structure has 72 bytes without padding, all of them initialised.
    let bytes: [u8; 72] = unsafe { std::mem::transmute(command) };
    let mut padded = [0; 80];
    padded[..72].copy_from_slice(&bytes);
    padded
}

/// Encodes the range of a Dataset Management command.
pub(crate) fn dsm_range(namespace: &NvmeNamespace, at: u64, len: u32) -> [u8; DSM_RANGE] {
    let mut range = [0; DSM_RANGE];
    range[4..8].copy_from_slice(&(len / namespace.block).to_le_bytes());
    range[8..].copy_from_slice(&(at / u64::from(namespace.block)).to_le_bytes());
    range
}

/// Converts a controller status to an errno as the kernel's driver does for file systems (`nvme_error_status` and
/// `blk_errors` of Linux).
pub(crate) fn status_errno(status: i32) -> i32 {
    // The upper bits are DNR (do not retry) and M (more).
    match status & 0x7FF {
        0x81 => libc::ENOSPC,
        // Invalid opcode or field, also if reported for a queue.
        0x01 | 0x02 => libc::EOPNOTSUPP,
        0x80 | 0x0B => libc::EREMOTEIO,
        // Write fault, unrecovered read error, and deallocated blocks.
        0x280 | 0x281 | 0x287 | 0x286 => libc::ENODATA,
        // Guard, application and reference tag check errors, invalid protection information.
        0x282..=0x284 | 0x181 => libc::EILSEQ,
        0x83 => libc::EBADE,
        // Too many active or open zones.
        0x1BD => libc::EOVERFLOW,
        0x1BE => libc::ETOOMANYREFS,
        _ => libc::EIO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::{SMART_LOG, nvme_smart_log};

    #[test]
    fn the_command_has_the_kernels_size_and_what_is_no_nvme_device_is_an_error() {
        assert_eq!(size_of::<Command>(), 72);
        assert_eq!((NVME_IOCTL_ADMIN_CMD >> 16) & 0x3FFF, 72);
        assert_eq!((log_page_dwords(SMART_LOG), log_page_dwords(4096)), (0x007F_0000, 0x03FF_0000));
        let none = File::open("/dev/null").unwrap();
        assert!(nvme_smart_log(&none).is_err() && nvme_log_page::<4096>(&none, 0xD0, 1).is_err());
    }

    #[test]
    fn a_namespace_is_read_by_its_places() {
        let mut answer = [0u8; IDENTIFY_BYTES];
        answer[..8].copy_from_slice(&(1u64 << 21).to_le_bytes());
        // Format 1 of 2 has blocks of 4 KiB with 8 bytes of metadata.
        (answer[25], answer[26]) = (1, 1);
        answer[132..136].copy_from_slice(&[8, 0, 12, 0]);
        let namespace = read_namespace(3, &answer).unwrap();
        assert_eq!(namespace, NvmeNamespace { id: 3, block: 4096, blocks: 1 << 21, metadata: 8 });
        answer[134] = 0;
        assert!(read_namespace(3, &answer).is_err());
        assert!(nvme_namespace(&File::open("/dev/null").unwrap()).is_err());
    }

    #[test]
    fn operations_are_the_commands_of_the_specification() {
        let namespace = NvmeNamespace { id: 1, block: 512, blocks: 1 << 40, metadata: 0 };
        let ask = |kind, at, len, fua| {
            let s = Submission { slot: 0, kind, file: 0, at, len, skip: 0 };
            let command = uring_command(&namespace, &s, 0x1000 as *mut u8, 0x2000 as *mut u8, fua);
            let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| command[at + i]));
            (command[0], word(4), (word(24), word(36)), [word(40), word(44), word(48)])
        };
        let far = (1u64 << 33) * 512 + 4096;
        assert_eq!(ask(IoKind::Read, far, 4096, false), (2, 1, (0x1000, 4096), [8, 2, 7]));
        assert_eq!(ask(IoKind::Write, 512, 512, true), (1, 1, (0x1000, 512), [1, 0, 1 << 30]));
        assert_eq!(ask(IoKind::Sync, 0, 0, false), (0, 1, (0, 0), [0, 0, 0]));
        assert_eq!(ask(IoKind::Discard, 8192, 4096, false), (9, 1, (0x2000, 16), [0, 4, 0]));
        assert_eq!(dsm_range(&namespace, 8192, 4096), [0, 0, 0, 0, 8, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_status_is_told_as_the_kernel_tells_it() {
        // A read error with the "do not retry" bit, and a vendor-specific status.
        assert_eq!(status_errno(0x4281), libc::ENODATA);
        assert_eq!(status_errno(0x7C0), libc::EIO);
    }
}

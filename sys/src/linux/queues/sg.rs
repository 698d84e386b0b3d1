//! SCSI commands through `SG_IO`: reads, writes, flushes and discards that bypass the block layer, one at a time, to
//! `/dev/sg0` or to a block device that passes them on.

use super::buffers::BufferPool;
use super::file_set::FileSet;
use crate::common::{IoKind, Reaped, ScsiDisk, ScsiOptions, Submission};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};

/// `SG_IO` of scsi/sg.h.
const SG_IO: libc::Ioctl = 0x2285;
/// Timeout of a command in milliseconds, the kernel's value for disks.
const TIMEOUT_MS: u32 = 30_000;
const NO_DATA: i32 = -1;
const TO_DEVICE: i32 = -2;
const FROM_DEVICE: i32 = -3;
const SENSE: usize = 32;

/// `struct sg_io_hdr` of scsi/sg.h, version 3.
#[repr(C)]
struct Header {
    interface: i32,
    direction: i32,
    command_length: u8,
    most_sense: u8,
    segments: u16,
    data_length: u32,
    data: *mut u8,
    command: *const u8,
    sense: *mut u8,
    timeout_ms: u32,
    flags: u32,
    pack: i32,
    user: *mut u8,
    status: u8,
    masked_status: u8,
    message_status: u8,
    sense_written: u8,
    host_status: u16,
    driver_status: u16,
    residue: i32,
    duration: u32,
    info: u32,
}

/// A command and its length.
type Cdb = ([u8; 16], u8);

/// Returns the disk of an open node, from READ CAPACITY. Reading it does not change it.
///
/// # Errors
/// `ENOTTY` or `EINVAL` if it accepts no SCSI commands, `EPERM` without permission; otherwise the error of the command.
pub fn scsi_disk(device: &File) -> io::Result<ScsiDisk> {
    let mut command = [0u8; 16];
    // Service action in, read capacity (16), 32 bytes.
    (command[0], command[1], command[13]) = (0x9E, 0x10, 32);
    let mut answer = [0u8; 32];
    // SAFETY: the buffer has the given length and lives until the call returns.
    let moved = unsafe { execute(device.as_raw_fd(), (command, 16), FROM_DEVICE, answer.as_mut_ptr(), 32) };
    if moved < 12 {
        return Err(io::Error::from_raw_os_error(if moved < 0 { -moved } else { libc::EIO }));
    }
    let block = u32::from_be_bytes(std::array::from_fn(|i| answer[8 + i]));
    let last = u64::from_be_bytes(std::array::from_fn(|i| answer[i]));
    match block.is_power_of_two() && block >= 512 {
        true => Ok(ScsiDisk { block, blocks: last.saturating_add(1) }),
        false => Err(io::Error::new(io::ErrorKind::InvalidData, format!("it reports a block size of {block} bytes"))),
    }
}

/// Sends one command. Returns the bytes moved, or a negative errno.
///
/// # Safety
/// `data` must be valid for `length` bytes, in the direction of the command.
unsafe fn execute(fd: RawFd, (command, command_length): Cdb, direction: i32, data: *mut u8, length: u32) -> i32 {
    let mut sense = [0u8; SENSE];
    // SAFETY: the header consists of numbers and addresses, for which zero is a value.
    let empty: Header = unsafe { std::mem::zeroed() };
    let mut header = Header {
        interface: i32::from(b'S'),
        direction: if length == 0 { NO_DATA } else { direction },
        command_length,
        most_sense: SENSE as u8,
        data_length: length,
        data,
        command: command.as_ptr(),
        sense: sense.as_mut_ptr(),
        timeout_ms: TIMEOUT_MS,
        ..empty
    };
    // SAFETY: everything that the header points to lives until the call returns; the caller guarantees the data.
    if unsafe { libc::ioctl(fd, SG_IO, &raw mut header) } < 0 {
        return -io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO);
    }
    // The upper bits of the driver status only indicate that there is sense data.
    if header.status != 0 || header.host_status != 0 || header.driver_status & 0x7 != 0 {
        return -sense_errno(&sense[..usize::from(header.sense_written).min(SENSE)]);
    }
    i32::try_from(length).unwrap_or(i32::MAX) - header.residue.max(0)
}

/// Converts the sense data of a failed command to an errno, as the kernel's disk driver does: an illegal request was
/// rejected by the device, a medium error lost data.
fn sense_errno(sense: &[u8]) -> i32 {
    let key = match sense.first().map(|code| code & 0x7F) {
        Some(0x70 | 0x71) => sense.get(2),
        Some(0x72 | 0x73) => sense.get(1),
        _ => None,
    };
    match key.map(|key| key & 0xF) {
        Some(0x3) => libc::ENODATA,
        Some(0x5) => libc::EREMOTEIO,
        Some(0x7) => libc::EACCES,
        _ => libc::EIO,
    }
}

/// Encodes an operation as a command of 10 bytes, or of 16 if the block address or the length does not fit.
fn command(disk: ScsiDisk, s: &Submission, options: ScsiOptions) -> Cdb {
    let (at, count) = (s.at / u64::from(disk.block), s.len / disk.block);
    let long = at > u64::from(u32::MAX) || count > u32::from(u16::MAX);
    let mut cdb = [0u8; 16];
    let (short_code, long_code, fua) = match s.kind {
        IoKind::Read => (0x28, 0x88, options.read_fua),
        IoKind::Write if options.verify => (0x2E, 0x8E, false),
        IoKind::Write => (0x2A, 0x8A, options.write_fua),
        // SYNCHRONIZE CACHE of the whole disk.
        IoKind::DataSync | IoKind::Sync => {
            cdb[0] = 0x35;
            return (cdb, 10);
        }
        // UNMAP of one range.
        IoKind::Discard => {
            (cdb[0], cdb[8]) = (0x42, UNMAP as u8);
            return (cdb, 10);
        }
    };
    cdb[1] = if fua { 1 << 3 } else { 0 };
    if long {
        cdb[0] = long_code;
        cdb[2..10].copy_from_slice(&at.to_be_bytes());
        cdb[10..14].copy_from_slice(&count.to_be_bytes());
        return (cdb, 16);
    }
    cdb[0] = short_code;
    cdb[2..6].copy_from_slice(&(at as u32).to_be_bytes());
    cdb[7..9].copy_from_slice(&(count as u16).to_be_bytes());
    (cdb, 10)
}

/// Size of the parameters of UNMAP with one range, in bytes.
const UNMAP: usize = 24;

fn unmap(disk: ScsiDisk, at: u64, len: u32) -> [u8; UNMAP] {
    let mut parameters = [0u8; UNMAP];
    // Number of bytes that follow, number of bytes of ranges.
    (parameters[1], parameters[3]) = (UNMAP as u8 - 2, 16);
    parameters[8..16].copy_from_slice(&(at / u64::from(disk.block)).to_be_bytes());
    parameters[16..20].copy_from_slice(&(len / disk.block).to_be_bytes());
    parameters
}

/// A queue of SCSI commands to disks, one at a time.
pub struct ScsiQueue {
    files: FileSet,
    disks: Box<[ScsiDisk]>,
    pool: BufferPool,
    options: ScsiOptions,
}

impl ScsiQueue {
    /// Creates a queue of these files, with a buffer of `buffer_size` bytes.
    ///
    /// # Errors
    /// As [`scsi_disk`]; if memory is insufficient.
    pub fn new(files: FileSet, buffer_size: usize, options: ScsiOptions) -> io::Result<Self> {
        let disks = files.files().iter().map(scsi_disk).collect::<io::Result<_>>()?;
        Ok(ScsiQueue { files, disks, pool: BufferPool::new(1, buffer_size)?, options })
    }

    /// Returns the buffer.
    pub fn buffer(&mut self) -> &mut [u8] {
        self.pool.slot_mut(0)
    }

    /// Performs one operation. An operation that is not a whole number of blocks completes with `EINVAL`: as a command
    /// it would move other bytes than requested. Panics on a length beyond the buffer.
    #[inline]
    pub fn perform(&mut self, s: &Submission) -> Reaped {
        let (disk, fd) = (self.disks[usize::from(s.file)], self.files.fd(s.file));
        let block = u64::from(disk.block);
        let whole =
            s.at.is_multiple_of(block) && u64::from(s.len).is_multiple_of(block) && (s.len > 0 || s.kind.is_flush());
        if !whole {
            return Reaped { slot: s.slot, result: -libc::EINVAL };
        }
        let cdb = command(disk, s, self.options);
        let result = match s.kind {
            // SAFETY: the part is in the pool, which nothing else uses while `self` is borrowed, and the kernel is done
            // with it when the call returns.
            IoKind::Read => unsafe { execute(fd, cdb, FROM_DEVICE, self.pool.part(0, s.skip, s.len), s.len) },
            // SAFETY: as above.
            IoKind::Write => unsafe { execute(fd, cdb, TO_DEVICE, self.pool.part(0, s.skip, s.len), s.len) },
            // SAFETY: no data is moved.
            IoKind::DataSync | IoKind::Sync => unsafe { execute(fd, cdb, NO_DATA, std::ptr::null_mut(), 0) },
            IoKind::Discard => {
                let mut parameters = unmap(disk, s.at, s.len);
                // SAFETY: the parameters live until the call returns.
                match unsafe { execute(fd, cdb, TO_DEVICE, parameters.as_mut_ptr(), UNMAP as u32) } {
                    errno if errno < 0 => errno,
                    _ => s.len as i32,
                }
            }
        };
        Reaped { slot: s.slot, result }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DISK: ScsiDisk = ScsiDisk { block: 512, blocks: 1 << 40 };

    fn ask(kind: IoKind, at: u64, len: u32) -> Submission {
        Submission { slot: 0, kind, file: 0, at, len, skip: 0 }
    }

    #[test]
    fn operations_are_the_commands_of_the_standard() {
        let (plain, fua) = (ScsiOptions::default(), ScsiOptions { read_fua: true, ..ScsiOptions::default() });
        let (cdb, length) = command(DISK, &ask(IoKind::Read, 4096, 8192), fua);
        assert_eq!((&cdb[..10], length), (&[0x28, 8, 0, 0, 0, 8, 0, 0, 16, 0][..], 10));
        let far = 512u64 << 32;
        let (cdb, length) = command(DISK, &ask(IoKind::Write, far, 512), plain);
        assert_eq!((cdb, length), ([0x8A, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0], 16));
        let (cdb, _) = command(DISK, &ask(IoKind::Write, 512, 512), ScsiOptions { verify: true, ..plain });
        assert_eq!(cdb[..10], [0x2E, 0, 0, 0, 0, 1, 0, 0, 1, 0]);
        assert_eq!(command(DISK, &ask(IoKind::Sync, 0, 0), plain).0[0], 0x35);
        let (cdb, _) = command(DISK, &ask(IoKind::Discard, 512, 1024), plain);
        assert_eq!((cdb[0], cdb[8]), (0x42, 24));
        let parameters = unmap(DISK, 512, 1024);
        assert_eq!((parameters[1], parameters[3], parameters[15], parameters[19]), (22, 16, 1, 2));
    }

    #[test]
    fn the_header_has_the_kernels_size_and_errors_are_told() {
        assert_eq!(size_of::<Header>(), 88);
        let fixed = |key: u8| [0x70, 0, key];
        assert_eq!((sense_errno(&fixed(3)), sense_errno(&fixed(5))), (libc::ENODATA, libc::EREMOTEIO));
        assert_eq!((sense_errno(&[0x72, 7]), sense_errno(&[])), (libc::EACCES, libc::EIO));
        assert!(scsi_disk(&File::open("/dev/null").unwrap()).is_err());
    }
}

//! NVMe's log pages, through the system's own way to ask for them (`IOCTL_STORAGE_QUERY_PROPERTY`); they are only read.

use crate::common::SMART_LOG;
use crate::windows::nt;
use std::fs::File;
use std::io;
use windows_sys::Win32::System::Ioctl::{
    IOCTL_STORAGE_QUERY_PROPERTY, NVMeDataTypeLogPage, PropertyStandardQuery, ProtocolTypeNvme,
    StorageDeviceProtocolSpecificProperty,
};

/// SMART / Health Information (NVM Express base specification, "Get Log Page").
const SMART_PAGE: u8 = 0x02;
/// The controller as a whole, in place of the number of a namespace.
const CONTROLLER: u32 = u32::MAX;
/// Bytes of STORAGE_PROTOCOL_SPECIFIC_DATA, and of what stands before it both ways.
const SPECIFIC: usize = 40;
const HEAD: usize = 8;

/// The SMART log of the controller behind an open NVMe disk; it is not changed by that.
///
/// # Errors
/// `ERROR_INVALID_FUNCTION` or `ERROR_NOT_SUPPORTED` if it is no NVMe device or its driver does not hand it on.
pub fn nvme_smart_log(device: &File) -> io::Result<[u8; SMART_LOG]> {
    nvme_log_page(device, SMART_PAGE, CONTROLLER)
}

/// The first `N` bytes of a log page of the controller behind an open NVMe disk. The namespace that goes with it is set by the system's
/// driver: it is that of the disk, whatever is asked. `N` must be a multiple of 4.
///
/// # Errors
/// As [`nvme_smart_log`]; `InvalidData` for an answer that is too short.
pub fn nvme_log_page<const N: usize>(device: &File, page: u8, _namespace: u32) -> io::Result<[u8; N]> {
    let words = (HEAD + SPECIFIC + N).div_ceil(4);
    let mut asked = vec![0u32; words];
    // STORAGE_PROPERTY_QUERY, then STORAGE_PROTOCOL_SPECIFIC_DATA.
    asked[0] = StorageDeviceProtocolSpecificProperty as u32;
    asked[1] = PropertyStandardQuery as u32;
    asked[2] = ProtocolTypeNvme as u32;
    asked[3] = NVMeDataTypeLogPage as u32;
    asked[4] = u32::from(page);
    // Where in the page it begins.
    asked[5] = 0;
    asked[6] = SPECIFIC as u32;
    asked[7] = N as u32;
    let mut answer = vec![0u32; words];
    nt::control_bytes(device, IOCTL_STORAGE_QUERY_PROPERTY, &asked, &mut answer)?;
    let bytes: Vec<u8> = answer.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let begin = HEAD + answer[6] as usize;
    let page = bytes.get(begin..begin.saturating_add(N)).filter(|_| answer[7] as usize >= N);
    let page = page.and_then(|page| page.try_into().ok());
    page.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the log page came short"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_nvme_device_has_no_log() {
        assert!(nvme_smart_log(&tempfile::tempfile().unwrap()).is_err());
    }
}

//! NVMe log pages, read through the system's query (`IOCTL_STORAGE_QUERY_PROPERTY`).

use crate::windows::nt;
use std::fs::File;
use std::io;
use windows_sys::Win32::System::Ioctl::{
    IOCTL_STORAGE_QUERY_PROPERTY, NVMeDataTypeLogPage, PropertyStandardQuery, ProtocolTypeNvme,
    StorageDeviceProtocolSpecificProperty,
};

/// Bytes of STORAGE_PROTOCOL_SPECIFIC_DATA, and of the fields before it in query and answer.
const SPECIFIC: usize = 40;
const HEAD: usize = 8;

/// Returns the first `N` bytes of a log page of the controller of an open NVMe disk. The driver always uses the
/// namespace of the disk; the given one is ignored. `N` must be a multiple of 4.
///
/// # Errors
/// `ERROR_INVALID_FUNCTION` or `ERROR_NOT_SUPPORTED` if it is not an NVMe device or its driver does not forward the
/// query; `InvalidData` for an answer that is too short.
pub fn nvme_log_page<const N: usize>(device: &File, page: u8, _namespace: u32) -> io::Result<[u8; N]> {
    let words = (HEAD + SPECIFIC + N).div_ceil(4);
    let mut asked = vec![0u32; words];
    // STORAGE_PROPERTY_QUERY, then STORAGE_PROTOCOL_SPECIFIC_DATA.
    asked[0] = StorageDeviceProtocolSpecificProperty as u32;
    asked[1] = PropertyStandardQuery as u32;
    asked[2] = ProtocolTypeNvme as u32;
    asked[3] = NVMeDataTypeLogPage as u32;
    asked[4] = u32::from(page);
    // Offset in the page.
    asked[5] = 0;
    asked[6] = SPECIFIC as u32;
    asked[7] = N as u32;
    let mut answer = vec![0u32; words];
    nt::control_bytes(device, IOCTL_STORAGE_QUERY_PROPERTY, &asked, &mut answer)?;
    let bytes: Vec<u8> = answer.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let begin = HEAD + answer[6] as usize;
    let page = bytes.get(begin..begin.saturating_add(N)).filter(|_| answer[7] as usize >= N);
    let page = page.and_then(|page| page.try_into().ok());
    page.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the log page is truncated"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_nvme_device_has_no_log() {
        assert!(crate::devices::nvme_smart_log(&tempfile::tempfile().unwrap()).is_err());
    }
}

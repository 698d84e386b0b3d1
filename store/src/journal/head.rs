//! The head of a journal: encoding and checks.

use crate::journal::error::Unreadable;
use crate::journal::frame::{FORMAT_VERSION, HEAD, u32_at};

pub(crate) const MAGIC: [u8; 8] = *b"SECCHIJ1";

/// Returns the head of a file of this format and version.
pub(crate) fn head(magic: [u8; 8], version: u32) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(&magic);
    head[8..12].copy_from_slice(&version.to_le_bytes());
    let sum = crc32c::crc32c(&head[..12]);
    head[12..].copy_from_slice(&sum.to_le_bytes());
    head
}

/// Checks the magic number, the checksum and the format version of a head.
pub(crate) fn check_head(head: &[u8; HEAD]) -> Result<(), Unreadable> {
    if head[..8] != MAGIC {
        return Err(Unreadable::NotAJournal);
    }
    if u32_at(head, 12) != crc32c::crc32c(&head[..12]) {
        return Err(Unreadable::HeadDamaged);
    }
    match u32_at(head, 8) {
        FORMAT_VERSION => Ok(()),
        other => Err(Unreadable::Format(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_others_are_told_apart() {
        let ok = head(MAGIC, FORMAT_VERSION);
        assert!(check_head(&ok).is_ok());
        let mut other = ok;
        other[8] = 9;
        assert!(matches!(check_head(&other), Err(Unreadable::HeadDamaged)));
        let sum = crc32c::crc32c(&other[..12]);
        other[12..].copy_from_slice(&sum.to_le_bytes());
        assert!(matches!(check_head(&other), Err(Unreadable::Format(9))));
        assert!(matches!(check_head(b"not a journal!!!"), Err(Unreadable::NotAJournal)));
    }
}

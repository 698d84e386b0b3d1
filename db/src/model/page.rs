//! The format of a page in a data file: a header with a checksum, a bitmap of existing nodes, and space for the value
//! of each node.

use super::buffer::fill_incompressible;
use std::fmt;

const MAGIC: &[u8; 8] = b"secchiPG";
/// Offset of the bitmap of nodes.
const HEADER: usize = 64;
/// Offset of the checksum.
const SUM_AT: usize = HEADER - 4;
/// Offset of the number of bytes that were written and that the checksum covers. The number is 0 for a whole page.
const WRITTEN_AT: usize = 32;
/// Size of the length field before a value, in bytes.
const LENGTH: usize = 2;

/// Identifier of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct PageId {
    /// Number of the global.
    pub global: u32,
    /// Number of the page, from 0.
    pub page: u64,
}

/// Error for a page that differs from the page that was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("page {} of global {} is damaged: {why}; create the global again", id.page, id.global)]
pub(super) struct PageDamaged {
    pub id: PageId,
    pub why: &'static str,
}

/// Arrangement of a global's nodes in its pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// Number of nodes in a page.
    pub nodes: u32,
    /// Size of the space for each node, in bytes.
    pub place: u32,
}

/// Returns the number of bytes available for each node if a page holds `nodes` nodes.
fn room_of(page: usize, nodes: usize) -> usize {
    page.saturating_sub(HEADER + nodes.div_ceil(8)) / nodes
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes a page", self.nodes)
    }
}

impl Layout {
    /// Returns the layout for values of this length. Pages are filled to `fill` percent, and each node takes `overhead`
    /// bytes in addition to its value.
    pub fn of_values(page: usize, length: usize, overhead: usize, fill: u64) -> Layout {
        let room = page as u64 * fill.min(100) / 100;
        let mut nodes = (room / (length + overhead).max(1) as u64).clamp(1, page as u64) as usize;
        while nodes > 1 && room_of(page, nodes) < length + LENGTH {
            nodes -= 1;
        }
        Layout::of_page(page, nodes as u32)
    }

    /// Returns the page that contains a subscript, and the subscript's position in that page.
    pub fn place_of(&self, subscript: u64) -> (u64, usize) {
        let n = subscript.saturating_sub(1);
        (n / u64::from(self.nodes), (n % u64::from(self.nodes)) as usize)
    }

    /// Returns the maximum length of a value, in bytes.
    pub const fn longest(&self) -> usize {
        self.place as usize - LENGTH
    }

    /// Returns the layout of pages with this number of nodes.
    fn of_page(page: usize, nodes: u32) -> Layout {
        let nodes = nodes.max(1);
        Layout { nodes, place: room_of(page, nodes as usize).min(u16::MAX as usize + LENGTH) as u32 }
    }

    fn at(&self, which: usize) -> usize {
        HEADER + (self.nodes as usize).div_ceil(8) + which * self.place as usize
    }
}

/// Returns the number in the four bytes at this offset.
pub(super) fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// Returns the number in the eight bytes at this offset.
pub(super) fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// Initializes an empty page.
pub(super) fn make(bytes: &mut [u8], id: PageId, layout: Layout) {
    fill_incompressible(bytes, (u64::from(id.global) << 40) ^ id.page);
    bytes[..layout.at(0)].fill(0);
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..12].copy_from_slice(&id.global.to_le_bytes());
    bytes[12..16].copy_from_slice(&layout.nodes.to_le_bytes());
    bytes[16..24].copy_from_slice(&id.page.to_le_bytes());
}

/// Sets the value of a node, truncated to its space. Returns `true` if the node is new.
pub(super) fn set(bytes: &mut [u8], layout: Layout, which: usize, value: &[u8]) -> bool {
    let at = layout.at(which);
    let length = value.len().min(layout.longest());
    bytes[at..at + LENGTH].copy_from_slice(&(length as u16).to_le_bytes());
    bytes[at + LENGTH..at + LENGTH + length].copy_from_slice(&value[..length]);
    let (byte, bit) = (HEADER + which / 8, 1 << (which % 8));
    let new = bytes[byte] & bit == 0;
    bytes[byte] |= bit;
    new
}

/// Returns the length of a node's value, or `None` if the node does not exist.
pub(super) fn get(bytes: &[u8], layout: Layout, which: usize) -> Option<usize> {
    let exists = bytes[HEADER + which / 8] & (1 << (which % 8)) != 0;
    let at = layout.at(which);
    exists.then(|| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]])))
}

/// Returns the value of a node, or `None` if the node does not exist.
pub(super) fn value(bytes: &[u8], layout: Layout, which: usize) -> Option<&[u8]> {
    let length = get(bytes, layout, which)?;
    let from = layout.at(which) + LENGTH;
    bytes.get(from..from + length)
}

/// Returns the number of existing nodes.
pub(super) fn count(bytes: &[u8], layout: Layout) -> u64 {
    let map = &bytes[HEADER..HEADER + (layout.nodes as usize).div_ceil(8)];
    map.iter().map(|byte| u64::from(byte.count_ones())).sum()
}

/// Removes all nodes.
pub(super) fn clear(bytes: &mut [u8], layout: Layout) {
    bytes[HEADER..HEADER + (layout.nodes as usize).div_ceil(8)].fill(0);
}

/// Changes a page that contains no nodes, such as an index page or the map of used pages.
pub(super) fn mark(bytes: &mut [u8]) {
    let at = bytes.len() - 8;
    let n = long(bytes, at).wrapping_add(1);
    bytes[at..].copy_from_slice(&n.to_le_bytes());
}

/// Returns the version with which the page was last written.
pub(super) fn version(bytes: &[u8]) -> u64 {
    long(bytes, 24)
}

/// Returns the number of bytes up to the end of the last node, or the size of the page if it has no nodes.
pub(super) fn used(bytes: &[u8]) -> usize {
    let layout = Layout::of_page(bytes.len(), word(bytes, 12));
    let exists = |which: &usize| bytes[HEADER + which / 8] & (1 << (which % 8)) != 0;
    (0..layout.nodes as usize).rev().find(exists).map_or(bytes.len(), |last| layout.at(last + 1))
}

/// Returns the number of bytes of a sealed page that must be written.
pub(super) fn sealed(bytes: &[u8]) -> usize {
    match word(bytes, WRITTEN_AT) as usize {
        0 => bytes.len(),
        written => written.clamp(HEADER, bytes.len()),
    }
}

/// Stores the version of this write, and the checksum of the first `written` bytes, in the page.
pub(super) fn seal(bytes: &mut [u8], version: u64, written: usize) {
    bytes[24..32].copy_from_slice(&version.to_le_bytes());
    let recorded = if written < bytes.len() { written as u32 } else { 0 };
    bytes[WRITTEN_AT..WRITTEN_AT + 4].copy_from_slice(&recorded.to_le_bytes());
    bytes[SUM_AT..HEADER].fill(0);
    let sum = crc32c::crc32c(&bytes[..sealed(bytes)]);
    bytes[SUM_AT..HEADER].copy_from_slice(&sum.to_le_bytes());
}

/// Verifies that the page is complete and is the requested page. Returns `false` for a page of zeros, which was never
/// written.
pub(super) fn verify(bytes: &mut [u8], id: PageId) -> Result<bool, PageDamaged> {
    let damaged = |reason| PageDamaged { id, why: reason };
    if bytes[..8] != MAGIC[..] {
        return if bytes.iter().all(|b| *b == 0) { Ok(false) } else { Err(damaged("its header is invalid")) };
    }
    let sum = word(bytes, SUM_AT);
    bytes[SUM_AT..HEADER].fill(0);
    let whole = crc32c::crc32c(&bytes[..sealed(bytes)]) == sum;
    bytes[SUM_AT..HEADER].copy_from_slice(&sum.to_le_bytes());
    if !whole {
        return Err(damaged("its checksum is wrong"));
    }
    if (word(bytes, 8), long(bytes, 16)) != (id.global, id.page) {
        return Err(damaged("its header belongs to another page"));
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_keeps_what_was_set_and_tells_what_is_damaged() {
        let layout = Layout::of_values(8192, 45, 12, 100);
        assert_eq!(layout.nodes, 143);
        let id = PageId { global: 3, page: 7 };
        let mut bytes = vec![0; 8192];
        assert_eq!(verify(&mut bytes, id), Ok(false), "never written");
        make(&mut bytes, id, layout);
        assert!(set(&mut bytes, layout, 142, &[b'x'; 45]) && !set(&mut bytes, layout, 142, &[b'y'; 45]));
        assert!(set(&mut bytes, layout, 0, &[b'z'; 9000]));
        assert_eq!((get(&bytes, layout, 142), get(&bytes, layout, 1)), (Some(45), None));
        assert_eq!((get(&bytes, layout, 0), count(&bytes, layout)), (Some(layout.place as usize - 2), 2));
        seal(&mut bytes, 1, 8192);
        assert_eq!(verify(&mut bytes, id), Ok(true));
        assert_eq!(
            verify(&mut bytes, PageId { global: 3, page: 8 }).unwrap_err().why,
            "its header belongs to another page"
        );
        bytes[8191] ^= 1;
        assert_eq!(verify(&mut bytes, id).unwrap_err().why, "its checksum is wrong");
    }

    #[test]
    fn a_page_of_which_a_part_was_written_is_whole_whatever_lies_behind_it() {
        for length in [20, 45, 300, 3000] {
            let layout = Layout::of_values(8192, length, 12, 100);
            assert_eq!(Layout::of_page(8192, layout.nodes), layout);
            let id = PageId { global: 1, page: 2 };
            let mut bytes = vec![0; 8192];
            make(&mut bytes, id, layout);
            assert_eq!(used(&bytes), 8192, "without nodes it may be one of an index");
            set(&mut bytes, layout, 0, b"first");
            set(&mut bytes, layout, 1, b"second");
            let written = used(&bytes).next_multiple_of(512);
            assert!(used(&bytes) == layout.at(2) && written <= 8192);
            seal(&mut bytes, 3, written);
            assert_eq!(sealed(&bytes), written);
            let mut on_disk = vec![7; 8192];
            on_disk[..written].copy_from_slice(&bytes[..written]);
            assert_eq!(verify(&mut on_disk, id), Ok(true));
            assert_eq!(value(&on_disk, layout, 1), Some(&b"second"[..]));
            on_disk[written - 1] ^= 1;
            assert!(verify(&mut on_disk, id).is_err());
        }
    }

    #[test]
    fn every_length_of_a_value_has_a_layout_whose_places_lie_in_the_page() {
        for page in [512, 1024, 4096, 8192, 16384, 65536] {
            for length in (0..4000).step_by(37) {
                for fill in [1, 50, 100] {
                    let layout = Layout::of_values(page, length, 12, fill);
                    let end = layout.at(layout.nodes as usize);
                    assert!(layout.nodes >= 1 && layout.place > 2 && end <= page, "{page} {length} {fill} {layout:?}");
                }
            }
        }
    }
}

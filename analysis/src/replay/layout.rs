//! Placement of a recording's requests in a file that is only as large as the touched data: pieces keep their order,
//! and adjacent ones stay adjacent.

use model::{Bytes, measured::RequestKind, recording::RecordedRequest};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Size of the pieces within which positions are preserved, in bytes.
const PIECE: u64 = 1 << 20;
/// Block size for tracking whether data was written before it is read, in bytes.
const BLOCK: u64 = 4096;

/// Positions of one role, on all its targets.
#[derive(Debug, Clone, Default)]
pub(super) struct Layout {
    /// Position of each touched piece in the file, by target and number.
    pieces: BTreeMap<(u16, u64), u64>,
    /// Number of pieces in the file.
    count: u64,
    /// Touched bytes beyond the size of the file, which share the positions of other data.
    pub folded: Bytes,
}

/// Returns the numbers of the pieces that a request touches; the request must have bytes.
fn touched(request: &RecordedRequest) -> std::ops::RangeInclusive<u64> {
    request.offset / PIECE..=(request.offset.saturating_add(request.bytes) - 1) / PIECE
}

impl Layout {
    /// Creates a layout for these requests, in a file of at most `fold` bytes if given.
    pub fn new<'a>(requests: impl Iterator<Item = &'a RecordedRequest>, fold: Option<Bytes>) -> Self {
        let mut pieces = BTreeMap::new();
        for request in requests.filter(|r| r.bytes > 0) {
            pieces.extend(touched(request).map(|number| ((request.target, number), 0)));
        }
        let total = pieces.len() as u64;
        let count = fold.map_or(total, |fold| (fold.as_u64() / PIECE).clamp(1, total.max(1)));
        pieces.values_mut().enumerate().for_each(|(i, place)| *place = i as u64 % count.max(1));
        Layout { pieces, count, folded: Bytes((total - count) * PIECE) }
    }

    /// Returns the ranges of the file that these requests write before they read them, in order. These are the pieces
    /// from which no data is read before it was written.
    pub fn written_first<'a>(&self, requests: impl Iterator<Item = &'a RecordedRequest>) -> Vec<Range<u64>> {
        let mut written: BTreeMap<(u16, u64), [u64; (PIECE / BLOCK / 64) as usize]> = BTreeMap::new();
        let mut needed: BTreeSet<u64> = BTreeSet::new();
        // Trimmed ranges are allocated again when they are written.
        for request in requests.filter(|r| r.bytes > 0 && r.kind != RequestKind::Discard) {
            for number in touched(request) {
                let (piece, begin) = ((request.target, number), number * PIECE);
                let end = request.offset.saturating_add(request.bytes).min(begin + PIECE) - begin;
                let start = request.offset.max(begin) - begin;
                let blocks = written.entry(piece).or_default();
                if request.kind == RequestKind::Write {
                    let whole = start.div_ceil(BLOCK)..end / BLOCK;
                    whole.for_each(|block| blocks[block as usize / 64] |= 1 << (block % 64));
                    continue;
                }
                let is_missing = |block: u64| blocks[block as usize / 64] >> (block % 64) & 1 == 0;
                if (start / BLOCK..end.div_ceil(BLOCK)).any(is_missing) {
                    needed.extend(self.pieces.get(&piece));
                }
            }
        }
        let mut gaps: Vec<Range<u64>> = Vec::new();
        for place in (0..self.count).filter(|place| !needed.contains(place)) {
            match gaps.last_mut().filter(|last| last.end == place * PIECE) {
                Some(last) => last.end += PIECE,
                None => gaps.push(place * PIECE..(place + 1) * PIECE),
            }
        }
        gaps
    }

    /// Returns the size of the file.
    pub fn size(&self) -> Bytes {
        Bytes(self.count * PIECE)
    }

    /// Returns the position and length of a request in the file, aligned to `align` bytes.
    pub fn place(&self, request: &RecordedRequest, align: u64) -> (u64, u64) {
        let piece = self.pieces.get(&(request.target, request.offset / PIECE)).copied().unwrap_or(0);
        let offset = piece * PIECE + request.offset % PIECE;
        let at = offset / align * align;
        let end = (offset + request.bytes).next_multiple_of(align);
        let (size, len) = (self.size().as_u64(), end - at);
        // A request that would cross the end of a folded file is moved before the end.
        (at.min(size.saturating_sub(len)), len.min(size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Nanos, recording::RequestFlags};
    use proptest::prelude::*;

    fn request(target: u16, offset: u64, bytes: u64) -> RecordedRequest {
        RecordedRequest {
            at: Nanos(0),
            latency: None,
            target,
            kind: RequestKind::Read,
            flags: RequestFlags::default(),
            offset,
            bytes,
        }
    }

    proptest! {
        #[test]
        fn different_places_stay_different_and_neighbours_stay_neighbours(
            all in prop::collection::vec((0u16..3, 0u64..1 << 40, 1u64..3 << 20), 1..60),
        ) {
            let requests: Vec<_> = all.into_iter().map(|(t, at, n)| request(t, at / 512 * 512, n.next_multiple_of(512))).collect();
            let layout = Layout::new(requests.iter(), None);
            prop_assert_eq!(layout.folded, Bytes(0));
            for a in &requests {
                let (at, len) = layout.place(a, 512);
                prop_assert!(len == a.bytes && at + len <= layout.size().as_u64());
                for b in &requests {
                    let (other, _) = layout.place(b, 512);
                    let apart = (a.target, a.offset) == (b.target, b.offset);
                    prop_assert_eq!(apart, at == other);
                    if a.target == b.target && a.offset + a.bytes == b.offset {
                        prop_assert_eq!(at + len, other);
                    }
                }
            }
        }

        #[test]
        fn what_is_written_first_is_read_only_where_it_was_written(
            all in prop::collection::vec((0u8..8, 0u64..600, 1u64..40), 1..200), fold in prop::option::of(1u64..5 << 20),
        ) {
            let one = |(kind, at, n): (u8, u64, u64)| {
                let kind = match kind {
                    0 => RequestKind::Discard,
                    1..4 => RequestKind::Read,
                    _ => RequestKind::Write,
                };
                RecordedRequest { kind, ..request(0, at * BLOCK, n * BLOCK) }
            };
            let requests: Vec<_> = all.into_iter().map(one).collect();
            let layout = Layout::new(requests.iter(), fold.map(Bytes));
            let first = layout.written_first(requests.iter());
            let is_first = |at: u64| first.iter().any(|range| range.contains(&at));
            let mut written = BTreeSet::new();
            for r in &requests {
                for block in r.offset / BLOCK..(r.offset + r.bytes) / BLOCK {
                    let (at, _) = layout.place(&request(0, block * BLOCK, BLOCK), BLOCK);
                    match r.kind {
                        RequestKind::Write => { written.insert(block); }
                        // Trimmed ranges are allocated again.
                        RequestKind::Discard => {}
                        _ => prop_assert!(!is_first(at) || written.contains(&block)),
                    }
                }
            }
        }

        #[test]
        fn a_fold_holds_everything(
            all in prop::collection::vec((0u64..1 << 40, 1u64..3 << 20), 1..60), fold in 1u64..100 << 20, align in prop::sample::select(vec![512u64, 4096]),
        ) {
            let requests: Vec<_> = all.into_iter().map(|(at, n)| request(0, at, n)).collect();
            let layout = Layout::new(requests.iter(), Some(Bytes(fold)));
            prop_assert!(layout.size().as_u64() <= fold.max(1 << 20));
            for r in &requests {
                let (at, len) = layout.place(r, align);
                prop_assert!(at + len <= layout.size().as_u64() && at.is_multiple_of(align) && len.is_multiple_of(align));
            }
        }
    }
}

//! Pages of the kernel's ring buffer, as read from `trace_pipe_raw` (include/linux/ring_buffer.h,
//! `events/header_event`): a header with the time of the first event and the number of committed bytes, followed by
//! events. Each event starts with a word: 5 bits for the type or length, and 27 bits for the time since the previous
//! event.

use super::format::PageFormat;

/// Event type for padding, or for the unused rest of a page.
const PADDING: u32 = 29;
/// Event type for time differences that exceed 27 bits.
const TIME_EXTEND: u32 = 30;
/// Event type for an absolute time.
const TIME_STAMP: u32 = 31;
const TIME_BITS: u32 = 27;
/// Mask of the number of committed bytes; higher bits hold flags.
const COMMIT: u64 = (1 << 27) - 1;
/// Flag: events were lost before this page.
const MISSED: u64 = 1 << 31;

/// Problems found in a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Walked {
    /// True if events before this page were lost because the kernel's buffer was full.
    pub missed: bool,
    /// True if the page ended within an event or was invalid. Events before that point were processed.
    pub broken: bool,
}

/// Calls `give` for each event of a page, in order, with its time.
pub(crate) fn walk(format: &PageFormat, page: &[u8], mut give: impl FnMut(u64, &[u8])) -> Walked {
    let mut walked = Walked::default();
    let (Some(mut time), Some(commit)) = (format.timestamp.number(page), format.commit.number(page)) else {
        return Walked { broken: true, ..walked };
    };
    walked.missed = commit & MISSED != 0;
    let committed = usize::try_from(commit & COMMIT).unwrap_or(usize::MAX);
    let end = format.data.saturating_add(committed);
    walked.broken = end > page.len();
    let mut rest = page.get(format.data..end.min(page.len())).unwrap_or_default();
    while !rest.is_empty() {
        let Some(entry) = Entry::read(rest) else {
            walked.broken = true;
            break;
        };
        match entry.kind {
            PADDING if entry.delta == 0 => break,
            TIME_STAMP => {
                // The timestamp has 59 bits; the highest five come from the page's time.
                time = (time & (0x1f << 59)) | entry.stretched();
            }
            TIME_EXTEND => time = time.wrapping_add(entry.stretched()),
            PADDING => time = time.wrapping_add(entry.delta),
            _ => {
                time = time.wrapping_add(entry.delta);
                give(time, entry.data);
            }
        }
        rest = &rest[entry.length..];
    }
    walked
}

struct Entry<'a> {
    kind: u32,
    delta: u64,
    /// Word after the header, if present.
    word: u32,
    data: &'a [u8],
    /// Length of header and data in bytes; never 0.
    length: usize,
}

impl<'a> Entry<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let head = word(bytes, 0)?;
        let (kind, delta) = (head & 0x1f, u64::from(head >> 5));
        let word = word(bytes, 4).unwrap_or(0);
        // The type contains the length in words. For longer events, the next word contains the length in bytes,
        // including that word.
        let (begin, length) = match kind {
            0 => (8, 4usize.checked_add(usize::try_from(word).ok()?)?),
            PADDING if delta == 0 => (4, 4),
            PADDING => (8, 4usize.checked_add(usize::try_from(word).ok()?)?),
            TIME_EXTEND | TIME_STAMP => (8, 8),
            words => (4, 4 + 4 * words as usize),
        };
        let length = length.checked_next_multiple_of(4)?;
        let data = bytes.get(begin..length)?;
        Some(Entry { kind, delta, word, data, length })
    }

    fn stretched(&self) -> u64 {
        (u64::from(self.word) << TIME_BITS) + self.delta
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::format::{page_format, tests::PAGE};
    use super::*;
    use proptest::prelude::*;

    /// Returns a page as the kernel writes it, from events of whole words with the time since the previous event.
    pub(crate) fn made(time: u64, events: &[(u64, Vec<u8>)]) -> Vec<u8> {
        let mut data: Vec<u8> = Vec::new();
        let put = |data: &mut Vec<u8>, word: u32| data.extend(word.to_le_bytes());
        for (delta, event) in events {
            let mut delta = *delta;
            if delta >> TIME_BITS != 0 {
                put(&mut data, TIME_EXTEND | ((delta & 0x7ff_ffff) as u32) << 5);
                put(&mut data, (delta >> TIME_BITS) as u32);
                delta = 0;
            }
            let words = event.len() / 4;
            if (1..=28).contains(&words) {
                put(&mut data, words as u32 | (delta as u32) << 5);
            } else {
                put(&mut data, (delta as u32) << 5);
                put(&mut data, event.len() as u32 + 4);
            }
            data.extend(event);
        }
        let mut page = [time.to_le_bytes(), (data.len() as u64).to_le_bytes()].concat();
        page.extend(data);
        page
    }

    fn events_of(page: &[u8]) -> (Vec<(u64, Vec<u8>)>, Walked) {
        let mut seen = Vec::new();
        let format = page_format(PAGE).expect("a format");
        let walked = walk(&format, page, |at, event| seen.push((at, event.to_vec())));
        (seen, walked)
    }

    #[test]
    fn padding_ends_a_page_and_a_flag_tells_of_lost_events() {
        let mut page = made(7, &[(1, vec![1; 8])]);
        page.extend([PADDING as u8, 0, 0, 0, 9, 9, 9, 9]);
        let commit = (page.len() - 16) as u64 | MISSED;
        page[8..16].copy_from_slice(&commit.to_le_bytes());
        let (seen, walked) = events_of(&page);
        assert_eq!((seen.len(), walked), (1, Walked { missed: true, broken: false }));
        assert_eq!(seen[0].0, 8);
    }

    proptest! {
        #[test]
        fn what_the_kernel_wrote_is_read_back(
            time in 0u64..1 << 50,
            events in prop::collection::vec((0u64..1 << 40, (1usize..60, any::<u8>()).prop_map(|(n, b)| vec![b; n * 4])), 0..40),
        ) {
            let (seen, walked) = events_of(&made(time, &events));
            prop_assert_eq!(walked, Walked::default());
            let mut at = time;
            let expected: Vec<(u64, Vec<u8>)> = events.into_iter().map(|(d, e)| { at += d; (at, e) }).collect();
            prop_assert_eq!(seen, expected);
        }

        #[test]
        fn a_page_cut_short_gives_what_came_before(
            events in prop::collection::vec((0u64..1000, (1usize..40).prop_map(|n| vec![n as u8; n * 4])), 1..20),
            cut in 0.0f64..1.0,
        ) {
            let page = made(5, &events);
            let (whole, _) = events_of(&page);
            let (seen, walked) = events_of(&page[..(page.len() as f64 * cut) as usize]);
            prop_assert!(walked.broken);
            prop_assert_eq!(&seen[..], &whole[..seen.len()]);
        }

        #[test]
        fn no_bytes_make_the_walk_panic_or_run_for_ever(page in prop::collection::vec(any::<u8>(), 0..600)) {
            let (seen, _) = events_of(&page);
            prop_assert!(seen.len() <= page.len());
        }
    }
}

//! Events of the block layer, decoded according to the kernel's format files.

use super::TraceError;
use super::format::{EventFormat, Field, event_format};
use super::tracefs::put;
use crate::roots::text;
use model::{measured::RequestKind, recording::RequestFlags};
use std::path::Path;

/// Type of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// A request was queued in a scheduler.
    Insert,
    /// A request was sent to the device.
    Issue,
    /// A request, or a part of it, completed.
    Complete,
    /// The device could not accept the request; it will be sent again.
    Requeue,
    /// A queued request was merged into another one.
    Merge,
    /// An operation entered the block layer.
    BioQueue,
    /// An operation completed; reported by devices without a request queue.
    BioComplete,
    /// An operation was split in two.
    Split,
}

/// All events, each with the kernel's name for it and `true` if a trace requires it.
pub(crate) const EVENTS: [(What, &str, bool); 8] = [
    (What::Insert, "block_rq_insert", false),
    (What::Issue, "block_rq_issue", true),
    (What::Complete, "block_rq_complete", true),
    (What::Requeue, "block_rq_requeue", false),
    (What::Merge, "block_rq_merge", false),
    (What::BioQueue, "block_bio_queue", false),
    (What::BioComplete, "block_bio_complete", false),
    (What::Split, "block_split", false),
];

/// Thread in whose context an event occurred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Thread {
    /// Thread ID in the initial PID namespace; 0 if it was not read.
    pub id: u32,
    /// Name, padded with NUL.
    pub name: [u8; 16],
}

/// An event of the block layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Event {
    /// Time on CLOCK_MONOTONIC, in nanoseconds.
    pub at: u64,
    pub what: What,
    /// Major and minor number of the device.
    pub dev: (u32, u32),
    /// First sector, in units of 512 bytes.
    pub sector: u64,
    /// Size in bytes; for a completion, the size of the completed part.
    pub bytes: u64,
    pub kind: RequestKind,
    /// Further attributes reported by the kernel.
    pub flags: RequestFlags,
    pub failed: bool,
    /// Thread that submitted the operation; read only for [`What::BioQueue`], because other events may occur in the
    /// context of any thread.
    pub thread: Thread,
}

/// Decoder for the events of one kernel.
#[derive(Debug)]
pub(crate) struct Decoder {
    layouts: Vec<Layout>,
}

#[derive(Debug)]
struct Layout {
    id: u64,
    what: What,
    dev: Field,
    sector: Field,
    sectors: Option<Field>,
    bytes: Option<Field>,
    error: Option<Field>,
    rwbs: Field,
    /// ID and name of the thread.
    thread: Option<(Field, Field)>,
}

/// Reason why an event cannot be decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// The event's `format` file is invalid; holds the name of the event.
    #[error("the format file of {0} is invalid")]
    Unreadable(String),
    /// A field is missing; holds the name of the event.
    #[error("{0} lacks one of dev, sector, rwbs")]
    Incomplete(String),
}

impl Decoder {
    /// Creates a decoder from the `format` file of each available event.
    ///
    /// # Errors
    /// Returns [`FormatError`] for the first file that is invalid or lacks a required field.
    pub fn new(formats: &[(What, &str, String)]) -> Result<Decoder, FormatError> {
        let layout = |(what, name, text): &(What, &str, String)| {
            let format = event_format(text).ok_or_else(|| FormatError::Unreadable((*name).to_owned()))?;
            layout(*what, &format).ok_or_else(|| FormatError::Incomplete((*name).to_owned()))
        };
        Ok(Decoder { layouts: formats.iter().map(layout).collect::<Result<_, _>>()? })
    }

    /// Decodes an event; `None` if it was not enabled or is truncated.
    pub fn read(&self, at: u64, event: &[u8]) -> Option<Event> {
        let id = u64::from(u16::from_le_bytes([*event.first()?, *event.get(1)?]));
        let l = self.layouts.iter().find(|l| l.id == id)?;
        let dev = l.dev.number(event)?;
        let (kind, flags) = kind_of(l.rwbs.text(event)?);
        let sectors = l.sectors.map_or(Some(0), |f| f.number(event))?;
        let bytes = match sectors {
            // Passthrough commands have bytes but no sectors.
            0 => l.bytes.map_or(Some(0), |f| f.number(event))?,
            sectors => sectors.saturating_mul(512),
        };
        Some(Event {
            at,
            what: l.what,
            // `dev_t` inside the kernel: 12 bits of major number, 20 bits of minor number.
            dev: ((dev >> 20) as u32, (dev & 0xf_ffff) as u32),
            sector: l.sector.number(event)?,
            bytes,
            kind,
            flags,
            failed: l.error.map_or(Some(0), |f| f.number(event))? != 0,
            thread: l.thread.map_or(Some(Thread::default()), |(id, name)| thread(id, name, event))?,
        })
    }
}

fn thread(id: Field, name: Field, event: &[u8]) -> Option<Thread> {
    let mut thread = Thread { id: u32::try_from(id.number(event)?).ok()?, ..Thread::default() };
    thread.name.iter_mut().zip(name.text(event)?).for_each(|(to, letter)| *to = *letter);
    Some(thread)
}

/// Enables the block layer's events for these devices in the instance at `dir`. `without_requests` means that one of
/// the devices has no request queue. `requests_only` means that events before the queue are not needed.
pub(super) fn enable(
    dir: &Path,
    devices: &[(u32, u32)],
    without_requests: bool,
    requests_only: bool,
) -> Result<Decoder, TraceError> {
    let filter: Vec<String> = devices.iter().map(|d| format!("dev == {}", (d.0 << 20) | d.1)).collect();
    let filter = filter.join(" || ");
    let mut formats: Vec<(What, &str, String)> = Vec::new();
    for (what, name, needed) in EVENTS {
        let of_bios = matches!(what, What::BioQueue | What::BioComplete) && without_requests;
        if what == What::BioComplete && !of_bios {
            continue;
        }
        // Each event costs time in the process that causes it, so a recording enables only those needed for requests.
        if requests_only && !needed && !of_bios && what != What::Requeue {
            continue;
        }
        let event = dir.join("events/block").join(name);
        match text(&event.join("format")) {
            Some(format) => formats.push((what, name, format)),
            None if needed => return Err(TraceError::NoEvent(name)),
            None => continue,
        }
        put(&event, "filter", &filter)?;
        put(&event, "enable", "1")?;
    }
    Decoder::new(&formats).map_err(|e| TraceError::Format(e.to_string()))
}

fn layout(what: What, format: &EventFormat) -> Option<Layout> {
    let field = |name: &str| format.fields.get(name).copied();
    Some(Layout {
        id: u64::from(format.id),
        what,
        dev: field("dev")?,
        sector: field("sector")?,
        sectors: field("nr_sector"),
        bytes: field("bytes"),
        // 4.x kernels named the field `errors`.
        error: field("error").or_else(|| field("errors")),
        rwbs: field("rwbs")?,
        thread: field("common_pid").zip(field("comm")).filter(|_| what == What::BioQueue),
    })
}

/// Parses the letters written by blk_fill_rwbs(). An `F` before the operation's letter means a preflush. An `F` after a
/// write's letter means force unit access. `FF` is a flush.
pub(crate) fn kind_of(rwbs: &[u8]) -> (RequestKind, RequestFlags) {
    let (letter, rest, mut flags) = match rwbs {
        // Some kernels write a flush as `FF`. Further attributes follow.
        [b'F', b'F', rest @ ..] => (b'F', rest, RequestFlags::default()),
        [b'F', letter @ (b'R' | b'W' | b'D' | b'N'), rest @ ..] => (*letter, rest, RequestFlags::PREFLUSH),
        [letter, rest @ ..] => (*letter, rest, RequestFlags::default()),
        [] => (b'N', rwbs, RequestFlags::default()),
    };
    let kind = match letter {
        b'R' => RequestKind::Read,
        b'W' => RequestKind::Write,
        b'D' => RequestKind::Discard,
        b'F' => RequestKind::Flush,
        _ => RequestKind::Other,
    };
    for letter in rest {
        flags = flags.with(match letter {
            b'F' => RequestFlags::FUA,
            b'S' => RequestFlags::SYNC,
            b'M' => RequestFlags::METADATA,
            b'A' => RequestFlags::READAHEAD,
            _ => RequestFlags::default(),
        });
    }
    (kind, flags)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the format files of Linux 6.18 on x86-64.
    pub(crate) fn formats() -> Vec<(What, &'static str, String)> {
        let text = |name: &str| match name {
            "block_rq_insert" => include_str!("fixtures/block_rq_insert.format"),
            "block_rq_issue" => include_str!("fixtures/block_rq_issue.format"),
            "block_rq_complete" => include_str!("fixtures/block_rq_complete.format"),
            "block_rq_requeue" => include_str!("fixtures/block_rq_requeue.format"),
            "block_rq_merge" => include_str!("fixtures/block_rq_merge.format"),
            "block_bio_queue" => include_str!("fixtures/block_bio_queue.format"),
            "block_bio_complete" => include_str!("fixtures/block_bio_complete.format"),
            _ => include_str!("fixtures/block_split.format"),
        };
        EVENTS.iter().map(|(what, name, _)| (*what, *name, text(name).to_owned())).collect()
    }

    fn issue(sector: u64, sectors: u32, rwbs: &[u8]) -> Vec<u8> {
        let mut event = vec![0; 64];
        event[..2].copy_from_slice(&2104u16.to_le_bytes());
        event[8..12].copy_from_slice(&((254u32 << 20) | 3).to_le_bytes());
        event[16..24].copy_from_slice(&sector.to_le_bytes());
        event[24..28].copy_from_slice(&sectors.to_le_bytes());
        event[34..34 + rwbs.len()].copy_from_slice(rwbs);
        event
    }

    #[test]
    fn an_issue_is_read_by_the_kernels_description() {
        let decoder = Decoder::new(&formats()).expect("formats");
        let event = decoder.read(5, &issue(1 << 40, 16, b"WSM")).expect("an event");
        let expected = Event {
            at: 5,
            what: What::Issue,
            dev: (254, 3),
            sector: 1 << 40,
            bytes: 8192,
            kind: RequestKind::Write,
            flags: RequestFlags::SYNC.with(RequestFlags::METADATA),
            failed: false,
            thread: Thread::default(),
        };
        assert_eq!(event, expected);
        assert_eq!(decoder.read(5, &issue(0, 16, b"R")[..40]), None, "cut short");
        assert_eq!(decoder.read(5, &[1, 0, 0, 0]), None, "another event");
    }

    #[test]
    fn a_queued_operation_names_its_thread() {
        let decoder = Decoder::new(&formats()).expect("formats");
        let mut event = vec![0; 54];
        event[..2].copy_from_slice(&2097u16.to_le_bytes());
        event[4..8].copy_from_slice(&4711u32.to_le_bytes());
        event[24..28].copy_from_slice(&16u32.to_le_bytes());
        event[28..30].copy_from_slice(b"WS");
        event[38..54].copy_from_slice(b"postgres\0garbage");
        let queued = decoder.read(5, &event).expect("an event");
        assert_eq!((queued.what, queued.bytes, queued.thread.id), (What::BioQueue, 8192, 4711));
        assert_eq!(&queued.thread.name, b"postgres\0\0\0\0\0\0\0\0");
        assert_eq!(decoder.read(5, &event[..53]), None, "cut short");
    }

    #[test]
    fn the_kernels_letters_are_read() {
        let kind = |letters: &str| {
            let (kind, flags) = kind_of(letters.as_bytes());
            let words = RequestFlags::ALL.into_iter().filter(|(flag, _)| flags.has(*flag)).map(|(_, word)| word);
            format!("{} {}", kind.name(), words.collect::<Vec<_>>().join("+"))
        };
        assert_eq!(kind("RA"), "read readahead");
        assert_eq!(kind("RAM"), "read metadata+readahead");
        assert_eq!(kind("FWFSM"), "write sync+fua+preflush+metadata");
        assert_eq!(kind("WFS"), "write sync+fua");
        assert_eq!(kind("DS"), "discard sync");
        assert_eq!([kind("FF"), kind("F")], ["flush ", "flush "]);
        assert_eq!([kind("FN"), kind("N"), kind("")], ["other preflush", "other ", "other "]);
    }

    #[test]
    fn a_format_without_what_is_needed_is_refused_by_name() {
        let text = formats()[1].2.replace("sector_t sector;", "sector_t other;");
        let message = Decoder::new(&[(What::Issue, "block_rq_issue", text)]).expect_err("no sector").to_string();
        assert!(message.contains("block_rq_issue"), "{message}");
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(event in prop::collection::vec(any::<u8>(), 0..90), id in 2090u16..2112) {
            let decoder = Decoder::new(&formats()).expect("formats");
            let mut event = event;
            if event.len() > 1 {
                event[..2].copy_from_slice(&id.to_le_bytes());
            }
            let _ = decoder.read(0, &event);
        }
    }
}

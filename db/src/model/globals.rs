//! Data files: one of each global, with a header and its pages behind it.

use super::buffer::AlignedBuffer;
use super::counts::Counts;
use super::journal_files::begins_with;
use super::page::{Layout, PageId};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use sys::FileExt;
use sys::{Access, Durability, LoadOpen, OpenHow};

/// What a data file begins with.
pub(super) const MAGIC: &[u8; 16] = b"secchi pages\0\0\0\x01";

/// Room is reserved in steps of so many bytes.
const ROOM: u64 = 16 << 20;

/// How data files are opened.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenRule {
    pub page: usize,
    pub direct: bool,
    pub durable_writes: bool,
}

/// Name of the file of a global.
pub(super) fn file_name(number: u32) -> String {
    format!("g{number}.pages")
}

/// Number of the global whose file has this name.
pub(super) fn number_of(name: &str) -> Option<u32> {
    let number = name.strip_prefix('g')?.strip_suffix(".pages")?.parse().ok()?;
    (name == file_name(number)).then_some(number)
}

/// Whether a file says that it is one of ours.
pub(super) fn is_own(path: &Path) -> bool {
    begins_with(path, MAGIC)
}

/// What is written in the header.
#[derive(Debug, Clone, Copy, Default)]
struct Header {
    layout: Option<Layout>,
    size: Option<u64>,
}

/// A global and its file.
pub(super) struct Global {
    pub number: u32,
    file: File,
    rule: OpenRule,
    header: Mutex<Header>,
    /// Pages that the file has, and that it will have when all is written back.
    pages: AtomicU64,
    /// Something was written since it was made durable.
    unsynced: std::sync::atomic::AtomicBool,
}

impl Global {
    /// Makes an empty file.
    pub fn make(directory: &Path, number: u32, rule: OpenRule) -> io::Result<Global> {
        let dir = sys::open_no_links(None, directory, OpenHow::plain(Access::Directory))?;
        let path = directory.join(file_name(number));
        let made = sys::create_new(&dir, file_name(number).as_ref())?;
        let mut head = vec![0; rule.page];
        head[..MAGIC.len()].copy_from_slice(MAGIC);
        made.write_all_at(&head, 0)?;
        made.sync_all()?;
        Global::open(&path, number, rule)
    }

    /// Opens a file that was made.
    pub fn open(path: &Path, number: u32, rule: OpenRule) -> io::Result<Global> {
        let plain = sys::open_no_links(None, path, OpenHow::plain(Access::Read))?;
        let length = plain.metadata()?.len();
        let mut head = [0; 64];
        if length >= rule.page as u64 {
            plain.read_exact_at(&mut head, 0)?;
        }
        let word = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("four bytes"));
        let size = u64::from_le_bytes(head[24..32].try_into().expect("eight bytes"));
        let layout = (word(16) > 0).then(|| Layout { nodes: word(16), place: word(20) });
        let header = Header { layout, size: size.checked_sub(1) };
        if crc32c::crc32c(&head[..32]) != word(32) && layout.is_some() {
            return Err(io::Error::other(format!("the header of {} is damaged; make the global anew", path.display())));
        }
        let durability = if rule.durable_writes { Durability::Data } else { Durability::None };
        let how = LoadOpen { write: true, direct: rule.direct, durability, no_atime: false };
        let file = sys::open_for_load(None, path, how)?;
        let pages = (length / rule.page as u64).saturating_sub(1);
        Ok(Global { number, file, rule, header: Mutex::new(header), pages: pages.into(), unsynced: true.into() })
    }

    fn header(&self) -> Header {
        *self.header.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How its nodes lie; `None` before the first was set.
    pub fn layout(&self) -> Option<Layout> {
        self.header().layout
    }

    /// Its recorded size.
    pub fn size(&self) -> Option<u64> {
        self.header().size
    }

    /// Pages it has, those that are only in memory included.
    pub fn pages(&self) -> u64 {
        self.pages.load(Relaxed)
    }

    /// It has so many pages at least. Where writes go past the page cache, room for them is reserved side by side: nobody else
    /// puts them in order.
    pub fn grow(&self, pages: u64) {
        let before = self.pages.fetch_max(pages, Relaxed);
        let steps = |pages: u64| (pages + 1) * self.rule.page as u64 / ROOM;
        if self.rule.direct && pages > before && (before == 0 || steps(pages) > steps(before)) {
            // Without it, the file is only more scattered.
            let _ = sys::allocate_beyond(&self.file, (steps(pages) + 1) * ROOM);
        }
    }

    /// Writes the header; nodes of this form, or a recorded size.
    pub fn set_header(&self, layout: Option<Layout>, size: Option<u64>) -> io::Result<()> {
        let mut header = self.header.lock().unwrap_or_else(PoisonError::into_inner);
        header.layout = header.layout.or(layout);
        header.size = size.or(header.size);
        let mut head = AlignedBuffer::new(self.rule.page);
        head[..MAGIC.len()].copy_from_slice(MAGIC);
        if let Some(layout) = header.layout {
            head[16..20].copy_from_slice(&layout.nodes.to_le_bytes());
            head[20..24].copy_from_slice(&layout.place.to_le_bytes());
        }
        head[24..32].copy_from_slice(&header.size.map_or(0, |n| n + 1).to_le_bytes());
        let sum = crc32c::crc32c(&head[..32]);
        head[32..36].copy_from_slice(&sum.to_le_bytes());
        self.file.write_all_at(&head, 0)?;
        self.file.sync_data()?;
        Ok(())
    }

    /// Where a page lies in its file.
    pub fn offset(&self, page: u64) -> u64 {
        (page + 1) * self.rule.page as u64
    }

    /// Reads a page; `false` where the file does not reach so far.
    pub fn read(&self, page: u64, into: &mut [u8], counts: &Counts) -> io::Result<bool> {
        match self.file.read_exact_at(into, self.offset(page)) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(e) => Err(e),
            Ok(()) => {
                counts.data.read(into.len());
                Ok(true)
            }
        }
    }

    /// Writes pages that lie side by side.
    pub fn write(&self, page: u64, bytes: &[u8], counts: &Counts) -> io::Result<()> {
        self.file.write_all_at(bytes, self.offset(page))?;
        counts.data.wrote(bytes.len());
        self.unsynced.store(true, Relaxed);
        Ok(())
    }

    /// Its file once more, for writes in flight side by side.
    pub fn own_file(&self) -> io::Result<File> {
        sys::for_another_thread(&self.file)
    }

    /// A write in flight has ended well.
    pub fn wrote(&self, bytes: usize, counts: &Counts) {
        counts.data.wrote(bytes);
        self.unsynced.store(true, Relaxed);
    }

    /// Has the page cache begin to write so many pages from one on; where a system has no call for that, databases do without, too.
    pub fn write_out(&self, page: u64, pages: u64) -> io::Result<()> {
        match sys::begin_write_back_range(&self.file, self.offset(page), pages * self.rule.page as u64) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
            other => other,
        }
    }

    /// Makes durable what was written, if anything was.
    pub fn sync(&self, counts: &Counts) -> io::Result<()> {
        if self.unsynced.swap(false, Relaxed) {
            self.file.sync_data()?;
            counts.data.synced();
        }
        Ok(())
    }

    /// Drops what the page cache has of it.
    pub fn forget(&self) -> io::Result<()> {
        sys::drop_cache(&self.file, 0..self.file.metadata()?.len())
    }

    /// A page of it.
    pub fn id(&self, page: u64) -> PageId {
        PageId { global: self.number, page }
    }
}

//! Data files: one for each global, with a header followed by its pages.

use super::buffer::AlignedBuffer;
use super::counts::Counts;
use super::journal_files::begins_with;
use super::page::{Layout, PageId, long, word};
use super::places::{Kind, Runs};
use super::profile::Pages;
use crate::locked;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use sys::files::{Access, FileExt, OpenHow};
use sys::storage::{Durability, LoadOpen};

/// First bytes of a data file.
pub(super) const MAGIC: &[u8; 16] = b"secchi pages\0\0\0\x01";

/// Amount of space that is reserved at a time, in bytes.
const ROOM: u64 = 16 << 20;

/// Returns the name of a global's file.
pub(super) fn file_name(number: u32) -> String {
    format!("g{number}.pages")
}

/// Returns the number of the global whose file has this name.
pub(super) fn number_of(name: &str) -> Option<u32> {
    let number = name.strip_prefix('g')?.strip_suffix(".pages")?.parse().ok()?;
    (name == file_name(number)).then_some(number)
}

/// Returns `true` if a file has secchi's signature.
pub(super) fn is_own(path: &Path) -> bool {
    begins_with(path, MAGIC)
}

/// Returns the runs of pages in a header, or `None` if the header is damaged. The header of a new file has no runs.
fn read_runs(head: &[u8]) -> Option<Runs> {
    let (sum, count) = (word(head, 40), word(head, 44) as usize);
    if (sum, count) == (0, 0) {
        return Some(Runs::default());
    }
    let bytes = head.get(RUNS_AT..RUNS_AT + 8 * count)?;
    if crc32c::crc32c(&head[44..RUNS_AT + 8 * count]) != sum {
        return None;
    }
    let words = bytes.chunks_exact(8).map(|bytes| long(bytes, 0));
    Some(Runs::of_words(words))
}

/// Contents of a data file's header.
#[derive(Debug, Clone, Copy, Default)]
struct Header {
    layout: Option<Layout>,
    size: Option<u64>,
}

/// Offset of the runs of pages in the header. The number of runs is stored before the runs.
const RUNS_AT: usize = 48;

/// A global and its file.
pub(super) struct Global {
    pub number: u32,
    file: File,
    /// Size of a page, in bytes.
    page: usize,
    /// True if the file is open with direct I/O.
    direct: bool,
    header: Mutex<Header>,
    runs: Mutex<Runs>,
    /// Number of pages that the file will have once all pages are written back.
    pages: AtomicU64,
    /// True if there were writes since the last sync.
    unsynced: std::sync::atomic::AtomicBool,
}

impl Global {
    /// Creates an empty file.
    pub fn make(directory: &Path, number: u32, page: usize, rule: &Pages) -> io::Result<Global> {
        let dir = sys::files::open_no_links(None, directory, OpenHow::plain(Access::Directory))?;
        let path = directory.join(file_name(number));
        let made = sys::files::create_new(&dir, file_name(number).as_ref())?;
        let mut head = vec![0; page];
        head[..MAGIC.len()].copy_from_slice(MAGIC);
        made.write_all_at(&head, 0)?;
        made.sync_all()?;
        Global::open(&path, number, page, rule)
    }

    /// Opens an existing file.
    pub fn open(path: &Path, number: u32, page: usize, rule: &Pages) -> io::Result<Global> {
        let plain = sys::files::open_no_links(None, path, OpenHow::plain(Access::Read))?;
        let length = plain.metadata()?.len();
        let mut head = vec![0; page];
        if length >= page as u64 {
            plain.read_exact_at(&mut head, 0)?;
        }
        let damaged =
            || io::Error::other(format!("the header of {} is damaged; create the global again", path.display()));
        let word = |at| word(&head, at);
        let size = long(&head, 24);
        let layout = (word(16) > 0).then(|| Layout { nodes: word(16), place: word(20) });
        let header = Header { layout, size: size.checked_sub(1) };
        if crc32c::crc32c(&head[..32]) != word(32) && layout.is_some() {
            return Err(damaged());
        }
        let runs = read_runs(&head).ok_or_else(damaged)?;
        let durability = if rule.durable_writes.value { Durability::Data } else { Durability::None };
        let how = LoadOpen { write: true, direct: rule.direct.value, durability, no_atime: false };
        let file = sys::storage::open_for_load(None, path, how)?;
        let pages = (length / page as u64).saturating_sub(1).into();
        let (header, runs, direct) = (Mutex::new(header), Mutex::new(runs), rule.direct.value);
        Ok(Global { number, file, page, direct, header, runs, pages, unsynced: true.into() })
    }

    fn header(&self) -> Header {
        *locked(&self.header)
    }

    /// Returns the layout of the global's nodes, or `None` before the first node is set.
    pub fn layout(&self) -> Option<Layout> {
        self.header().layout
    }

    /// Returns the recorded size.
    pub fn size(&self) -> Option<u64> {
        self.header().size
    }

    /// Returns the number of pages, including those that exist only in memory.
    pub fn pages(&self) -> u64 {
        self.pages.load(Relaxed)
    }

    /// Grows the file to at least `pages` pages. With direct I/O, contiguous space is reserved for these pages, because
    /// no page cache orders the writes.
    pub fn grow(&self, pages: u64) {
        let before = self.pages.fetch_max(pages, Relaxed);
        let steps = |pages: u64| (pages + 1) * self.page as u64 / ROOM;
        if self.direct && pages > before && (before == 0 || steps(pages) > steps(before)) {
            // If this fails, the file is only more fragmented.
            let _ = sys::storage::allocate_beyond(&self.file, (steps(pages) + 1) * ROOM);
        }
    }

    /// Writes the header, with this layout and this recorded size if they are given.
    pub fn set_header(&self, layout: Option<Layout>, size: Option<u64>) -> io::Result<()> {
        let mut header = locked(&self.header);
        header.layout = header.layout.or(layout);
        header.size = size.or(header.size);
        self.write_header(&header, &locked(&self.runs))
    }

    /// Returns the number of a page within the file, or `None` if the page does not exist yet. `at` is the page's
    /// position in the sequence of pages of this kind.
    pub fn find(&self, kind: Kind, at: u64) -> Option<u64> {
        locked(&self.runs).find(kind, at)
    }

    /// Does the same as [`Global::find`] for a page that is about to be created. If the last pages are of another kind,
    /// a new run of this kind begins at `behind`, after all pages.
    pub fn find_or_begin(&self, kind: Kind, at: u64, behind: u64) -> io::Result<u64> {
        let header = locked(&self.header);
        let mut runs = locked(&self.runs);
        if let Some(place) = runs.find(kind, at) {
            return Ok(place);
        }
        if runs.len() >= (self.page - RUNS_AT) / 8 {
            let reason = "inserts in order and in random order alternated too often for its header";
            return Err(io::Error::other(format!("global {}: {reason}; create the globals again", self.number)));
        }
        runs.begin(kind, behind);
        self.write_header(&header, &runs)?;
        runs.find(kind, at)
            .ok_or_else(|| io::Error::other(format!("global {}: a page has no position in the file", self.number)))
    }

    fn write_header(&self, header: &Header, runs: &Runs) -> io::Result<()> {
        let mut head = AlignedBuffer::new(self.page);
        head[..MAGIC.len()].copy_from_slice(MAGIC);
        if let Some(layout) = header.layout {
            head[16..20].copy_from_slice(&layout.nodes.to_le_bytes());
            head[20..24].copy_from_slice(&layout.place.to_le_bytes());
        }
        head[24..32].copy_from_slice(&header.size.map_or(0, |n| n + 1).to_le_bytes());
        let sum = crc32c::crc32c(&head[..32]);
        head[32..36].copy_from_slice(&sum.to_le_bytes());
        let words = runs.to_words();
        head[44..RUNS_AT].copy_from_slice(&(words.len() as u32).to_le_bytes());
        for (i, word) in words.iter().enumerate() {
            head[RUNS_AT + 8 * i..RUNS_AT + 8 * (i + 1)].copy_from_slice(&word.to_le_bytes());
        }
        let sum = crc32c::crc32c(&head[44..RUNS_AT + 8 * words.len()]);
        head[40..44].copy_from_slice(&sum.to_le_bytes());
        self.file.write_all_at(&head, 0)?;
        self.file.sync_data()?;
        Ok(())
    }

    /// Returns the offset of a page in the file.
    pub fn offset(&self, page: u64) -> u64 {
        (page + 1) * self.page as u64
    }

    /// Reads a page. Returns `false` if the page is past the end of the file.
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

    /// Writes contiguous pages.
    pub fn write(&self, page: u64, bytes: &[u8], counts: &Counts) -> io::Result<()> {
        self.file.write_all_at(bytes, self.offset(page))?;
        counts.data.wrote(bytes.len());
        self.unsynced.store(true, Relaxed);
        Ok(())
    }

    /// Returns another handle to the file, for asynchronous writes.
    pub fn own_file(&self) -> io::Result<File> {
        sys::files::for_another_thread(&self.file)
    }

    /// Records the successful end of an asynchronous write.
    pub fn wrote(&self, bytes: usize, counts: &Counts) {
        counts.data.wrote(bytes);
        self.unsynced.store(true, Relaxed);
    }

    /// Starts to write `pages` pages from the page cache to the device, beginning at `page`. Does nothing on systems
    /// that cannot do this, because databases on those systems do not do it either.
    pub fn write_out(&self, page: u64, pages: u64) -> io::Result<()> {
        match sys::storage::begin_write_back_range(&self.file, self.offset(page), pages * self.page as u64) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
            other => other,
        }
    }

    /// Syncs the file if there were writes since the last sync.
    pub fn sync(&self, counts: &Counts) -> io::Result<()> {
        if self.unsynced.swap(false, Relaxed) {
            self.file.sync_data()?;
            counts.data.synced();
        }
        Ok(())
    }

    /// Drops the file's pages from the page cache.
    pub fn forget(&self) -> io::Result<()> {
        sys::storage::drop_cache(&self.file, 0..self.file.metadata()?.len())
    }

    /// Returns the identifier of a page of this global.
    pub fn id(&self, page: u64) -> PageId {
        PageId { global: self.number, page }
    }
}

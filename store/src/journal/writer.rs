//! Writer of a journal: one frame per event. The journal is made durable on request, and its space is reserved in
//! advance.
//!
//! The file is created under a temporary name and renamed after its plan is durable, so a journal always contains its
//! plan. The file is locked (flock) as long as the writer is alive, so that readers can distinguish a running run from
//! a killed one.

use crate::journal::error::JournalError;
use crate::journal::frame::{self, FORMAT_VERSION, FrameError, HEAD, MAX_JOURNAL};
use crate::journal::head;
use crate::journal::recover::{Harm, recover};
use crate::os;
use messages::sentence;
use model::{Bytes, RunEvent, RunRecord};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Size of each reservation after the first one, in bytes.
const RESERVE_STEP: u64 = 1 << 20;
/// Maximum number of bytes reserved before the start. Longer runs reserve more space while they run.
const RESERVE_MAX: u64 = 16 << 20;
/// Size at which a journal is rewritten with longer intervals, in bytes. This limits the time to read the journal to
/// about a second, however long the run is.
const LONG: u64 = 32 << 20;
/// File name extension of a journal that does not contain its plan yet.
pub(crate) const TEMPORARY: &str = "new";

/// File operations of the writer; tests inject faults here.
pub(crate) trait Medium: Send {
    /// Writes all of `bytes` at `offset`.
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;
    /// Reserves space without changing the length of the file. Returns `false` if the file system does not support
    /// reservations.
    fn reserve(&mut self, from: u64, bytes: u64) -> io::Result<bool>;
    /// Makes all written data durable.
    fn sync(&mut self) -> io::Result<()>;
    /// Releases the space reserved past `length`.
    fn trim(&mut self, length: u64) -> io::Result<()>;
    /// Releases the lock.
    fn unlock(&mut self) {}
}

impl Medium for File {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        sys::files::FileExt::write_all_at(self, bytes, offset)
    }

    fn reserve(&mut self, from: u64, bytes: u64) -> io::Result<bool> {
        sys::storage::reserve_beyond(self, from, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        sys::files::sync_data(self)
    }

    fn trim(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn unlock(&mut self) {
        // Closing the file is not enough: a program that another thread is starting may hold a duplicate of the
        // descriptor until its exec.
        let _ = os::unlock(self);
    }
}

/// Writer of the journal of one run. Dropping it ends the journal; a run without an `End` event counts as interrupted.
pub struct JournalWriter {
    path: PathBuf,
    medium: Box<dyn Medium>,
    /// Offset of the end of the last whole frame.
    end: u64,
    /// Offset of the end of the durable data.
    synced: u64,
    frames: u64,
    /// Offset of the end of the reserved space; `None` if reserving is not supported.
    reserved: Option<u64>,
    /// Error from a failed fdatasync. Once it is set, all calls fail.
    lost: Option<String>,
    buffer: Vec<u8>,
    /// Size at which the journal is next rewritten, in bytes.
    pub(crate) long: u64,
}

impl std::fmt::Debug for JournalWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JournalWriter")
            .field("path", &self.path)
            .field("frames", &self.frames)
            .field("end", &self.end)
            .field("synced", &self.synced)
            .finish_non_exhaustive()
    }
}

impl Drop for JournalWriter {
    fn drop(&mut self) {
        self.medium.unlock();
    }
}

impl JournalWriter {
    /// Creates the journal `path`, which must not exist, with `begin` as its first event. Reserves `expected` bytes,
    /// but at least 1 MiB and at most 16 MiB, if the file system supports it. Makes the journal durable.
    ///
    /// # Errors
    /// Returns an error if the file cannot be created or locked, or if its space cannot be reserved. No file remains in
    /// that case.
    pub fn create(path: &Path, begin: &RunEvent, expected: u64) -> Result<JournalWriter, JournalError> {
        let unborn = path.with_extension(TEMPORARY);
        if path.symlink_metadata().is_ok() {
            return Err(JournalError::Exists { path: path.to_owned() });
        }
        let file = os::create_new(&unborn).map_err(|e| create_error(path, e))?;
        let made = lock(&file, path)
            .and_then(|()| JournalWriter::start(Box::new(file), path, begin, expected))
            .and_then(|writer| os::rename_new(&unborn, path).map_err(|e| create_error(path, e)).map(|()| writer));
        if made.is_err() {
            // Report the first error. If the file cannot be removed, a later listing deletes it.
            let _ = std::fs::remove_file(&unborn);
        }
        let writer = made?;
        os::sync_parent(path).map_err(|e| create_error(path, e))?;
        tracing::info!(path = %path.display(), reserved = expected, "created journal");
        Ok(writer)
    }

    /// Writes the head and the first event, and makes them durable.
    pub(crate) fn start(
        medium: Box<dyn Medium>,
        path: &Path,
        begin: &RunEvent,
        expected: u64,
    ) -> Result<JournalWriter, JournalError> {
        let mut writer = JournalWriter {
            path: path.to_owned(),
            medium,
            end: 0,
            synced: 0,
            frames: 0,
            reserved: Some(0),
            lost: None,
            buffer: head::head(head::MAGIC, FORMAT_VERSION).to_vec(),
            long: LONG,
        };
        let bytes = expected.clamp(RESERVE_STEP, RESERVE_MAX);
        match writer.medium.reserve(0, bytes) {
            Ok(done) => writer.reserved = done.then_some(bytes),
            Err(source) => return Err(JournalError::Reserve { path: path.to_owned(), bytes, source }),
        }
        // The head and the plan are written together: `append_behind` appends the frame to the current contents of the
        // buffer.
        writer.append_behind(begin)?;
        writer.sync()?;
        Ok(writer)
    }

    /// Writes one event as one frame. From then on, the frame survives the end of this process. It survives a power cut
    /// after the next [`JournalWriter::sync`].
    ///
    /// # Errors
    /// Returns an error if the event cannot be encoded or the write fails. The earlier frames are intact and the
    /// journal remains usable. For example, if the disk was full, the same event may be appended again.
    pub fn append(&mut self, event: &RunEvent) -> Result<(), JournalError> {
        self.buffer.clear();
        self.append_behind(event)
    }

    fn append_behind(&mut self, event: &RunEvent) -> Result<(), JournalError> {
        self.trusted()?;
        frame::encode(event, &mut self.buffer).map_err(|e| match e {
            FrameError::Event(why) => JournalError::Event { path: self.path.clone(), why },
            FrameError::TooLarge(bytes) => JournalError::TooLarge { path: self.path.clone(), bytes },
        })?;
        let bytes = self.buffer.len() as u64;
        if self.end + bytes > MAX_JOURNAL {
            return Err(JournalError::Full { path: self.path.clone(), frames: self.frames, bytes: self.end });
        }
        self.reserve_ahead(bytes);
        // Always write at `end`, so that this write overwrites the remains of a failed one.
        self.medium.write_at(self.end, &self.buffer).map_err(|source| JournalError::Write {
            path: self.path.clone(),
            bytes,
            kept_frames: self.frames,
            kept_bytes: self.end,
            source,
        })?;
        self.end += bytes;
        self.frames += 1;
        Ok(())
    }

    /// Extends the reserved space. Errors are ignored here, because the write itself fails if there is no space.
    fn reserve_ahead(&mut self, bytes: u64) {
        let Some(reserved) = self.reserved else { return };
        if self.end + bytes > reserved {
            let step = RESERVE_STEP.max(bytes);
            match self.medium.reserve(reserved, step) {
                Ok(true) => self.reserved = Some(reserved + step),
                Ok(false) => self.reserved = None,
                Err(_) => {}
            }
        }
    }

    /// Makes every appended event durable (fdatasync).
    ///
    /// # Errors
    /// Returns an error if fdatasync fails. This is final: it is not retried, and every later call returns the same
    /// error.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.trusted()?;
        if self.synced == self.end {
            return Ok(());
        }
        if let Err(e) = self.medium.sync() {
            self.lost = Some(e.to_string());
            return self.trusted();
        }
        self.synced = self.end;
        Ok(())
    }

    /// Makes everything durable and releases the space reserved past the end.
    ///
    /// # Errors
    /// Returns the same errors as [`JournalWriter::sync`].
    pub fn finish(&mut self) -> Result<(), JournalError> {
        self.sync()?;
        if self.reserved.is_some() {
            // An error does no harm: at worst, some blocks of the file remain reserved.
            let _ = self.medium.trim(self.end);
            self.reserved = None;
        }
        Ok(())
    }

    /// Rewrites a journal that has become long, with longer intervals for its older part
    /// ([`model::RunRecord::coarse`]). The new file gets a temporary name, is made durable, and then replaces the old
    /// one. If that fails, the journal continues unchanged.
    pub(crate) fn shorten(&mut self) {
        if self.end < self.long || self.lost.is_some() {
            return;
        }
        // The size is doubled, so that a rewrite that fails or does not help is not repeated after every frame.
        self.long = self.end.saturating_mul(2);
        if let Ok(short) = self.try_shorten() {
            *self = short;
        }
    }

    fn try_shorten(&mut self) -> Result<JournalWriter, JournalError> {
        self.sync()?;
        let failed = |source| create_error(&self.path, source);
        let run = recover(&self.path).map_err(|e| failed(io::Error::other(e)))?;
        if run.harm != Harm::None || run.bytes != self.end {
            return Err(failed(io::ErrorKind::InvalidData.into()));
        }
        let unborn = self.path.with_extension(TEMPORARY);
        let made = self.rewrite(&unborn, run.record);
        if made.is_err() {
            let _ = std::fs::remove_file(&unborn);
        }
        made
    }

    fn rewrite(&self, unborn: &Path, record: RunRecord) -> Result<JournalWriter, JournalError> {
        let failed = |source| create_error(&self.path, source);
        let mut file = Some(os::create_new(unborn).map_err(failed)?);
        let (was, at, steps) = (self.end, record.ended, record.coarse.clone());
        let mut writer: Option<JournalWriter> = None;
        record.retell(|event| match (&mut writer, file.take()) {
            (Some(writer), _) => writer.append(&event),
            (None, Some(file)) => {
                lock(&file, &self.path)?;
                JournalWriter::start(Box::new(file), &self.path, &event, 0).map(|begun| writer = Some(begun))
            }
            (None, None) => Ok(()),
        })?;
        let mut writer = writer.ok_or_else(|| failed(io::ErrorKind::InvalidData.into()))?;
        if self.long <= LONG * 2 {
            let text = sentence!("note-journal-long", was = Bytes(was));
            writer.append(&RunEvent::Note { at, text })?;
        }
        // Followers of the journal continue after this event.
        writer.append(&RunEvent::Coarse { steps, sampled: Vec::new(), was })?;
        writer.sync()?;
        std::fs::rename(unborn, &self.path).map_err(failed)?;
        os::sync_parent(&self.path).map_err(failed)?;
        writer.long = LONG.min(self.long / 2).max(writer.end.saturating_mul(3));
        Ok(writer)
    }

    fn trusted(&self) -> Result<(), JournalError> {
        match &self.lost {
            None => Ok(()),
            Some(why) => {
                Err(JournalError::Sync { path: self.path.clone(), why: why.clone(), synced_bytes: self.synced })
            }
        }
    }

    /// Returns the path of the journal.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of whole frames written.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Returns the size of the journal so far, in bytes, including the head.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.end
    }

    /// Returns the number of bytes known to be durable.
    #[cfg(any(test, feature = "test-support"))]
    #[must_use]
    pub fn synced_bytes(&self) -> u64 {
        self.synced
    }
}

fn create_error(path: &Path, source: io::Error) -> JournalError {
    match source.kind() {
        io::ErrorKind::AlreadyExists => JournalError::Exists { path: path.to_owned() },
        _ => JournalError::Create { path: path.to_owned(), source },
    }
}

fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    let reason = match os::lock_exclusive(file) {
        Ok(true) => return Ok(()),
        Ok(false) => "another process holds the lock".to_owned(),
        Err(e) => e.to_string(),
    };
    Err(JournalError::Lock { path: path.to_owned(), why: reason })
}

const _: () = assert!(HEAD as u64 <= RESERVE_STEP);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::journal::recover::recover_from;
    use std::sync::{Arc, Mutex};

    /// File in memory with injected faults.
    #[derive(Default)]
    struct Disk {
        bytes: Vec<u8>,
        synced: Vec<u8>,
        syncs: u32,
        /// Capacity in bytes, if limited.
        room: Option<usize>,
        sync_fails_at: Option<u32>,
        reserve: Option<io::ErrorKind>,
    }

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Disk>>);

    impl Shared {
        fn with<T>(&self, f: impl FnOnce(&mut Disk) -> T) -> T {
            f(&mut self.0.lock().expect("no test panics inside"))
        }
    }

    impl Medium for Shared {
        fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
            self.with(|d| {
                let offset = usize::try_from(offset).expect("small");
                let fits = d.room.map_or(bytes.len(), |room| bytes.len().min(room.saturating_sub(offset)));
                let end = d.bytes.len().max(offset + fits);
                d.bytes.resize(end, 0);
                d.bytes[offset..offset + fits].copy_from_slice(&bytes[..fits]);
                if fits < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
            })
        }

        fn reserve(&mut self, _from: u64, _bytes: u64) -> io::Result<bool> {
            self.with(|d| d.reserve.map_or(Ok(false), |kind| Err(kind.into())))
        }

        fn sync(&mut self) -> io::Result<()> {
            self.with(|d| {
                d.syncs += 1;
                if d.sync_fails_at == Some(d.syncs) {
                    return Err(io::Error::from_raw_os_error(sys::errno::EIO));
                }
                d.synced = d.bytes.clone();
                Ok(())
            })
        }

        fn trim(&mut self, _length: u64) -> io::Result<()> {
            Ok(())
        }
    }

    fn start(disk: &Shared, events: &[RunEvent]) -> Result<JournalWriter, JournalError> {
        JournalWriter::start(Box::new(disk.clone()), Path::new("mem.journal"), &events[0], 0)
    }

    fn fold(events: &[RunEvent]) -> RunRecord {
        RunRecord::from_events(events.to_vec()).expect("the fixture is one run")
    }

    #[test]
    fn a_failed_fdatasync_is_final_and_never_tried_again() {
        let events = fixture::run(1, 4);
        let disk = Shared::default();
        let mut writer = start(&disk, &events).expect("starts");
        let synced = writer.synced_bytes();
        disk.with(|d| d.sync_fails_at = Some(2));
        writer.append(&events[1]).expect("appends");
        let text = writer.sync().expect_err("the disk fails").to_string();
        let failure = io::Error::from_raw_os_error(sys::errno::EIO).to_string();
        assert!(text.contains(&failure) && text.contains(&format!("first {synced} bytes")), "{text}");
        // A second fdatasync would succeed, as on Linux; the writer must not call it.
        assert!(matches!(writer.sync(), Err(JournalError::Sync { .. })));
        assert!(matches!(writer.append(&events[2]), Err(JournalError::Sync { .. })));
        assert!(matches!(writer.finish(), Err(JournalError::Sync { .. })));
        assert_eq!(disk.with(|d| d.syncs), 2);
    }

    #[test]
    fn a_full_disk_keeps_every_earlier_frame_and_goes_on_once_there_is_room() {
        let events = fixture::run(2, 5);
        let disk = Shared::default();
        let mut writer = start(&disk, &events).expect("starts");
        for event in &events[1..5] {
            writer.append(event).expect("appends");
        }
        let kept = usize::try_from(writer.bytes()).expect("small");
        disk.with(|d| d.room = Some(kept + 20));
        let error = writer.append(&events[5]).expect_err("the disk is full");
        let is_full = |source: &io::Error| source.kind() == io::ErrorKind::StorageFull;
        assert!(matches!(&error, JournalError::Write { source, .. } if is_full(source)), "{error}");
        assert!(error.to_string().contains("the 5 frames before"), "{error}");
        let bytes = disk.with(|d| d.bytes.clone());
        let torn = recover_from(&bytes[..], bytes.len() as u64).expect("reads");
        assert_eq!((torn.frames, torn.truncated_bytes, &torn.record), (5, 20, &fold(&events[..5])));
        disk.with(|d| d.room = None);
        for event in &events[5..] {
            writer.append(event).expect("appends again");
        }
        let bytes = disk.with(|d| d.bytes.clone());
        assert_eq!(recover_from(&bytes[..], bytes.len() as u64).expect("reads").record, fold(&events));
    }

    #[test]
    fn a_shorter_frame_over_a_torn_one_leaves_no_false_tail() {
        let events = fixture::run(3, 2);
        let disk = Shared::default();
        let mut writer = start(&disk, &events).expect("starts");
        let kept = usize::try_from(writer.bytes()).expect("small");
        let long = RunEvent::Note { at: model::Nanos(1), text: "x".repeat(10_000).into() };
        disk.with(|d| d.room = Some(kept + 9_000));
        writer.append(&long).expect_err("full");
        writer.append(&RunEvent::Note { at: model::Nanos(2), text: "short".into() }).expect("fits");
        let bytes = disk.with(|d| d.bytes.clone());
        let back = recover_from(&bytes[..], bytes.len() as u64).expect("reads");
        assert_eq!((back.frames, back.bytes), (2, writer.bytes()));
        assert_eq!(back.record.notes, [(model::Nanos(2), "short".into())]);
    }

    #[test]
    fn no_room_before_the_start_is_said_before_the_start() {
        let disk = Shared::default();
        disk.with(|d| d.reserve = Some(io::ErrorKind::StorageFull));
        let error = start(&disk, &fixture::run(4, 1)).expect_err("no room");
        assert!(matches!(error, JournalError::Reserve { bytes: RESERVE_STEP, .. }));
        assert!(error.to_string().contains("another store with --store"), "{error}");
    }

    #[test]
    fn the_plan_is_durable_before_the_journal_takes_its_name() {
        let disk = Shared::default();
        let events = fixture::run(5, 1);
        let writer = start(&disk, &events).expect("starts");
        assert_eq!(writer.synced_bytes(), writer.bytes());
        let synced = disk.with(|d| d.synced.clone());
        assert_eq!(recover_from(&synced[..], synced.len() as u64).expect("reads").frames, 1);
    }

    #[test]
    fn a_journal_is_never_made_twice_and_never_through_a_symlink() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let begin = &fixture::run(6, 0)[0];
        let path = dir.path().join("a.journal");
        let first = JournalWriter::create(&path, begin, 0).expect("made");
        assert!(matches!(JournalWriter::create(&path, begin, 0), Err(JournalError::Exists { .. })));
        drop(first);
        let (target, link) = (dir.path().join("precious"), dir.path().join("b.journal"));
        let Ok(()) = testkit::symlink(&target, &link) else { testkit::skip!("no symbolic link can be made here") };
        testkit::symlink(&target, link.with_extension(TEMPORARY)).expect("a symlink");
        assert!(matches!(JournalWriter::create(&link, begin, 0), Err(JournalError::Exists { .. })));
        std::fs::remove_file(&link).expect("removes");
        assert!(JournalWriter::create(&link, begin, 0).is_err());
        assert!(!target.exists(), "nothing was written through the link");
    }

    #[test]
    fn reserved_space_is_given_back_at_the_end() {
        use sys::files::MetadataExt;
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("a.journal");
        let mut writer = JournalWriter::create(&path, &fixture::run(7, 0)[0], 8 << 20).expect("made");
        let before = sys::files::metadata(&path).expect("exists");
        assert_eq!(before.len(), writer.bytes(), "the length is that of the frames");
        writer.finish().expect("finishes");
        let after = sys::files::metadata(&path).expect("exists");
        assert_eq!(after.len(), writer.bytes());
        assert!(after.blocks() * 512 <= 64 << 10, "{} blocks stay of {}", after.blocks(), before.blocks());
    }
}

//! Append writer. It appends records to a file, and syncs the file with a method that must also make its new size
//! durable. When a file is full, the writer begins the next file and removes the file before the full one. The
//! experiment therefore stays small, however long it runs.

use super::blocks::durability;
use super::{Writer, timed};
use crate::directory::{Home, append_name};
use crate::experiment::{Marker, SyncMethod};
use crate::schedule::{Record, Schedule};
use crate::sector::{Owner, put_sectors};
use model::Nanos;
use std::fs::File;
use std::io;
use std::path::Path;
use sys::files::FileExt;
use sys::storage::LoadOpen;

pub(super) struct AppendWriter {
    directory: File,
    file: File,
    schedule: Schedule,
    /// Records in the current file, with their sequence numbers.
    records: Vec<(u64, Record)>,
    owner: Owner,
    writer: u16,
    sync: SyncMethod,
    buffer: Vec<u8>,
}

impl AppendWriter {
    pub(super) fn open(home: &Home, marker: &Marker, writer: u16) -> io::Result<AppendWriter> {
        let schedule = marker.schedule(writer);
        let directory = home.directory().try_clone()?;
        Ok(AppendWriter {
            file: open(&directory, writer, 0, marker.sync)?,
            directory,
            records: schedule.records(0).collect(),
            schedule,
            owner: marker.owner(),
            writer,
            sync: marker.sync,
            buffer: Vec::new(),
        })
    }

    /// Begins file number `file`: creates it durably, and removes the file before the previous one. Called before the
    /// first record of the new file is written.
    fn next_file(&mut self, file: u64) -> io::Result<()> {
        sys::files::create_new(&self.directory, &append_name(self.writer, file))?;
        if let Some(old) = file.checked_sub(2) {
            sys::files::remove_at(&self.directory, &append_name(self.writer, old))?;
        }
        sys::files::sync_file(&self.directory)?;
        self.file = open(&self.directory, self.writer, file, self.sync)?;
        self.records = self.schedule.records(file).collect();
        Ok(())
    }
}

fn open(directory: &File, writer: u16, file: u64, sync: SyncMethod) -> io::Result<File> {
    let how = LoadOpen { write: true, direct: false, durability: durability(sync), no_atime: false };
    sys::storage::open_for_load(Some(directory), Path::new(&append_name(writer, file)), how)
}

impl Writer for AppendWriter {
    fn write(&mut self, sequence: u64) -> io::Result<Nanos> {
        let file = self.schedule.file_of(sequence);
        if self.records.first().is_none_or(|(first, _)| self.schedule.file_of(*first) != file) {
            self.next_file(file)?;
        }
        let first = self.records[0].0;
        let record = self.records[(sequence - first) as usize].1;
        self.buffer.resize(record.len as usize, 0);
        put_sectors(self.owner, self.writer, sequence, record.number, &mut self.buffer);
        let written = timed(|| self.file.write_all_at(&self.buffer, record.at))?;
        match self.sync {
            SyncMethod::Fdatasync => timed(|| self.file.sync_data()),
            SyncMethod::Fsync => timed(|| self.file.sync_all()),
            SyncMethod::Dsync | SyncMethod::Sync | SyncMethod::DirectDsync => Ok(written),
        }
    }
}

//! Name writer. It writes, syncs and renames files, with or without replacing existing files, or removes files. Then it
//! syncs their directory. Databases and package managers replace files in this way.

use super::{Writer, timed};
use crate::directory::{Home, NEW, remove_if_present, slot_name};
use crate::experiment::Marker;
use crate::schedule::{NameStep, Schedule};
use crate::sector::{Owner, SECTOR, put_sectors};
use model::Nanos;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};

pub(super) struct NamesWriter {
    directory: File,
    schedule: Schedule,
    owner: Owner,
    writer: u16,
    buffer: Vec<u8>,
}

impl NamesWriter {
    pub(super) fn open(home: &Home, marker: &Marker, writer: u16) -> io::Result<NamesWriter> {
        Ok(NamesWriter {
            directory: home.open_names(writer)?,
            schedule: marker.schedule(writer),
            owner: marker.owner(),
            writer,
            buffer: Vec::new(),
        })
    }
}

impl Writer for NamesWriter {
    fn write(&mut self, sequence: u64) -> io::Result<Nanos> {
        match self.schedule.name_step(sequence) {
            NameStep::Replace { slot, sectors } => {
                self.buffer.resize(sectors as usize * SECTOR, 0);
                put_sectors(self.owner, self.writer, sequence, slot, &mut self.buffer);
                let mut file = sys::files::create_new(&self.directory, OsStr::new(NEW))?;
                file.write_all(&self.buffer)?;
                file.sync_all()?;
                sys::files::rename_at(&self.directory, OsStr::new(NEW), &slot_name(slot))?;
            }
            NameStep::Remove { slot } => remove_if_present(&self.directory, &slot_name(slot))?,
        }
        timed(|| sys::files::sync_file(&self.directory))
    }
}

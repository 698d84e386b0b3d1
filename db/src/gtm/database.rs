//! A GT.M database: start, stop, recovery and queries.

use super::control::Control;
use super::header::Header;
use super::install::{ENGINE, Install, run};
use super::layout::{self, MAPPED, Region};
use super::link::Link;
use super::memory::{self, Users};
use super::serve::{ROUTINE, ROUTINE_TEXT};
use super::session::GtmSessions;
use super::watch::Watch;
use crate::{Clock, Counters, Creation, DataFile, Database, DbError, EngineFacts, EngineSettings, Environment, Marker};
use load::session::Sessions;
use model::measured::{EnginePhase, FileRole};
use model::{Bytes, plan::NodeNames};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use sys::memory::SharedMemory;

/// Value of `$VIEW("JNLACTIVE",region)` for a region whose updates are journaled.
const JOURNALING: &str = "2";
/// Length of `RanWriteGlobal1000`, the name of the last global, in characters.
const LONGEST_NAME: usize = 18;
/// Maximum number of subscripts of a global.
const MOST_SUBSCRIPTS: usize = 31;

/// A GT.M database.
pub struct Gtm {
    marker: Marker,
    surroundings: Environment,
    install: Install,
    regions: Vec<Region>,
    control: Arc<Control>,
    /// Settings with which the engine was started; `None` if it is not started.
    how: Option<EngineSettings>,
    watch: Option<Watch>,
    writing_back: Arc<AtomicBool>,
    notes: Vec<String>,
}

/// Creates a new database.
///
/// # Errors
/// Returns an error if the engine is missing or fails.
pub fn create(creation: &Creation) -> Result<Box<dyn Database>, DbError> {
    let database = Gtm::new(creation)?;
    layout::make(&database.install, &database.marker)?;
    database.write_routine()?;
    Ok(Box::new(database))
}

/// Opens an existing database.
///
/// # Errors
/// Returns an error if the engine or a file of the database is missing.
pub fn open(creation: &Creation) -> Result<Box<dyn Database>, DbError> {
    let database = Gtm::new(creation)?;
    for region in &database.regions {
        fs::metadata(&region.file).map_err(DbError::io("find", &region.file))?;
    }
    if let Some(from) = creation.marker.moved_from(&creation.directory) {
        layout::relocate(&database.install, &creation.marker, from)?;
    }
    for (region, header) in database.regions.iter().zip(database.headers()?) {
        if let Some(other) = header.journal.filter(|name| Path::new(name) != region.journal) {
            return Err(DbError::refused(
                region.file.display().to_string(),
                format!("its header names the journal {}, which does not belong to this database", model::clip(&other)),
                "nothing was opened; put the original file back",
            ));
        }
    }
    database.write_routine()?;
    Ok(Box::new(database))
}

impl Gtm {
    fn new(creation: &Creation) -> Result<Gtm, DbError> {
        let install = Install::find(&creation.environment)?;
        let regions = layout::regions(&creation.marker);
        let control = Control::new(regions.clone());
        Ok(Gtm {
            marker: creation.marker.clone(),
            surroundings: creation.environment.clone(),
            install,
            regions,
            control: Arc::new(control),
            how: None,
            watch: None,
            writing_back: Arc::default(),
            notes: Vec::new(),
        })
    }

    /// Writes the sessions' routine to the work directory and compiles it, unless the existing routine has this text.
    fn write_routine(&self) -> Result<(), DbError> {
        let source = self.marker.directories.work.join(format!("{ROUTINE}.m"));
        let object = source.with_extension("o");
        let text = embed::text(ROUTINE_TEXT);
        if object.is_file() && fs::read_to_string(&source).is_ok_and(|existing| existing == text) {
            return Ok(());
        }
        fs::write(&source, text).map_err(DbError::io("write", &source))?;
        let mut mumps = self.install.command("mumps", &self.marker);
        run(mumps.arg(format!("-object={}", object.display())).arg(&source), "compile its routine", None)?;
        Ok(())
    }

    fn headers(&self) -> Result<Vec<Header>, DbError> {
        self.regions.iter().map(|region| Header::read(&self.install, &self.marker, &region.file)).collect()
    }

    fn mupip(&self, args: &[&str], what: &str) -> Result<String, DbError> {
        run(self.install.command("mupip", &self.marker).args(args), what, None)
    }

    /// Recovers after a kill: restores the journaled updates, and removes shared memory and semaphores. `segments` are
    /// the remaining shared memory segments.
    fn recover(&self, headers: &[Header], segments: &[SharedMemory]) -> Result<String, DbError> {
        let journaled = self.regions.iter().zip(headers).filter(|(_, header)| header.journaled);
        let journals: Vec<String> = journaled.map(|(region, _)| region.journal.display().to_string()).collect();
        if journals.is_empty() {
            // The last updates exist only in the shared memory.
            self.mupip(&["rundown", "-region", "*"], "clean up after a killed process")?;
            return Ok("a killed process had left it open: cleaned up with mupip rundown; nothing was journaled".into());
        }
        // As after a power loss, only the contents of the disk count. If the shared memory remained, mupip would wait a
        // minute for writes that the killed process had in flight.
        for segment in segments {
            sys::memory::remove_shared_memory(*segment)
                .map_err(DbError::io("remove the shared memory of", &self.marker.directories.work))?;
        }
        self.mupip(&["journal", "-recover", "-backward", &journals.join(",")], "recover after a killed process")?;
        self.drop_old_journals(0)?;
        Ok("a killed process had left it open: recovered with mupip journal -recover -backward".into())
    }

    /// Removes old generations of switched journals, except the newest `keep` of each region.
    fn drop_old_journals(&self, keep: usize) -> Result<(), DbError> {
        let dir = &self.marker.directories.journal;
        let names: Vec<String> = fs::read_dir(dir)
            .map_err(DbError::io("look into", dir))?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        for region in &self.regions {
            // `data1.mjl_2026325193350`: year, day of the year, time.
            let prefix =
                region.journal.file_name().and_then(|n| n.to_str()).map(|n| format!("{n}_")).unwrap_or_default();
            let mut old: Vec<&String> = names.iter().filter(|name| name.starts_with(&prefix)).collect();
            old.sort();
            for name in old.iter().rev().skip(keep) {
                let path = dir.join(name);
                fs::remove_file(&path).map_err(DbError::io("remove", &path))?;
            }
        }
        Ok(())
    }

    /// Applies the settings of a run. No process has the database open.
    fn set(&mut self, how: &EngineSettings, headers: &[Header]) -> Result<(), DbError> {
        let names: Vec<&str> = self.regions.iter().map(|r| r.name.as_str()).collect();
        let names = names.join(",");
        let wanted = self.wanted(how);
        if headers.iter().any(|h| h.buffers != wanted.buffers) {
            let buffers = format!("-global_buffers={}", wanted.buffers);
            self.mupip(&["set", &buffers, "-region", &names], "set its cache")?;
        }
        if headers.iter().any(|h| !h.direct) {
            // Fails if the file system does not support O_DIRECT, or requires larger blocks.
            if let Err(reason) = self.mupip(&["set", "-asyncio", "-region", &names], "open its files with direct I/O") {
                self.notes.push(reason.to_string());
            }
        }
        if how.journal {
            if headers.iter().any(|h| !h.journaled || h.epoch != wanted.epoch) {
                for region in &self.regions {
                    // The file name is explicit, because a moved data file would get its journal in the same directory.
                    let (epoch, name) = (wanted.epoch, region.journal.display());
                    let journal = format!("-journal=enable,on,before,epoch_interval={epoch},nosync_io,filename={name}");
                    self.mupip(&["set", &journal, "-region", &region.name], "journal")?;
                }
                self.drop_old_journals(0)?;
            }
        } else if headers.iter().any(|h| h.journaled) {
            self.mupip(&["set", "-journal=off", "-region", &names], "stop journaling")?;
        }
        Ok(())
    }

    fn wanted(&self, how: &EngineSettings) -> Wanted {
        let each = how.cache.as_u64() / self.regions.len() as u64 / self.marker.page.as_u64().max(512);
        // The bounds are GT.M's limits.
        Wanted {
            buffers: each.clamp(64, 2_097_151),
            epoch: how.write_back_every.as_nanos().div_ceil(1_000_000_000).clamp(1, 32_767),
        }
    }

    /// Returns the first difference between the current and the requested settings, or `None` if they are the same.
    fn differs(&self, how: &EngineSettings, headers: &[Header]) -> Option<String> {
        let wanted = self.wanted(how);
        let header = headers.first()?;
        let onoff = |on: bool| if on { "on" } else { "off" };
        if header.journaled != how.journal {
            return Some(format!("its journal is {}", onoff(header.journaled)));
        }
        if header.buffers != wanted.buffers {
            return Some(format!("its cache is {} blocks, not {}", header.buffers, wanted.buffers));
        }
        (how.journal && header.epoch != wanted.epoch).then(|| format!("its epochs are every {} s", header.epoch))
    }

    /// Closes the control session, if there is one, and opens the next one. Records the number of dirty blocks as that
    /// of a clean database.
    fn reopen_control(&self) -> Result<(), DbError> {
        let durable = self.how.is_none_or(|how| how.durable);
        self.control.reopen(|| Link::open(&self.surroundings, &self.install, &self.marker, (durable, 0), false))?;
        // The query opens the files.
        let counts = self.control.counts()?;
        memory::note_segments(&self.marker, &self.headers()?)?;
        self.control.set_clean(counts.dirty());
        Ok(())
    }

    /// Checks that every node has an entry in each index, and that there are no other entries. Globals that were not
    /// completed are skipped.
    fn check_indexes(&self) -> Result<Option<String>, DbError> {
        let (indexes, mut entries) = (self.marker.indexes, 0);
        if indexes == 0 {
            return Ok(None);
        }
        for number in 1..=self.marker.globals {
            if self.size(number)?.is_none() {
                continue;
            }
            let args = [i64::from(number), i64::from(indexes)];
            let stored = self.control.number("count an index", "indexed", args)?.max(0).cast_unsigned();
            let nodes = self.count(number, None)?;
            if stored != nodes * u64::from(indexes) {
                let reason = format!("global {number} has {nodes} nodes and {stored} entries in {indexes} indexes");
                return Err(DbError::engine(ENGINE, "verify its indexes", reason));
            }
            entries += stored;
        }
        Ok(Some(format!("secondary indexes: {entries} entries, one per node in each index")))
    }

    fn checked(number: u32, regions: usize) -> Result<i64, DbError> {
        if regions > 1 && number > MAPPED {
            return Err(DbError::refused(
                format!("global {number}"),
                "GT.M maps globals to several data directories by name, and the number of mapped names is limited",
                format!("use at most {MAPPED} globals, or one data directory"),
            ));
        }
        Ok(i64::from(number))
    }
}

/// Settings of a run, in the engine's units.
struct Wanted {
    buffers: u64,
    epoch: u64,
}

impl Database for Gtm {
    fn facts(&self) -> Result<EngineFacts, DbError> {
        let version =
            self.control.with("report its version", |link| Ok(link.ask("version", [0; 2], "")?.to_owned()))?;
        let headers = self.headers()?;
        let direct = headers.iter().all(|h| h.direct);
        let how = self.how.as_ref();
        let commit = match (how.is_some_and(|h| h.journal), how.is_some_and(|h| h.durable)) {
            (true, true) => "TRANSACTIONID=ACID: the commit waits for the journal",
            (true, false) => "TRANSACTIONID=BATCH: the journal is written later",
            (false, _) => "no journal: a commit is in memory",
        };
        let mut notes = self.notes.clone();
        if direct {
            notes.push(
                "data files are opened with O_DIRECT and O_DSYNC: if the disk has no FUA, each block written is a \
                 write and a flush"
                    .into(),
            );
        }
        if headers.iter().any(|h| !h.whole) {
            notes.push("only the used part of each block is written: the rest is read without the device".into());
        }
        Ok(EngineFacts {
            version,
            page: self.marker.page,
            cache: Bytes(headers.iter().map(|h| h.buffers * h.block.as_u64()).sum()),
            commit: commit.into(),
            direct,
            notes,
        })
    }

    fn wait_for_killed_run(&self) -> Result<(), DbError> {
        Link::wait_for_others(&self.marker)
    }

    fn start(&mut self, how: &EngineSettings, clock: Clock) -> Result<(), DbError> {
        self.notes.clear();
        // Recover from the state in which a killed run left the database.
        self.stop()?;
        let headers = self.headers()?;
        match (memory::users(&self.marker, &headers)?, self.differs(how, &headers)) {
            (Users::Live(n), Some(difference)) => {
                return Err(DbError::refused(
                    format!("start the database {} for this run", self.marker.name),
                    format!("{n} processes have it open and {difference}"),
                    "wait until they end, or use the same settings for both runs",
                ));
            }
            (Users::Live(_), None) => {}
            _ => self.set(how, &headers)?,
        }
        self.how = Some(*how);
        self.reopen_control()?;
        let watch = Watch::start(Arc::clone(&self.control), clock, Arc::clone(&self.writing_back));
        self.watch = Some(watch.map_err(DbError::io("watch", &self.marker.directories.work))?);
        Ok(())
    }

    fn stop(&mut self) -> Result<(), DbError> {
        self.watch = None;
        self.how = None;
        let was_open = self.control.is_open();
        // The state in which the process left the database is more important than the process's exit status.
        let ended = self.control.close();
        let headers = self.headers()?;
        match memory::users(&self.marker, &headers)? {
            Users::Dead(segments) => {
                let text = self.recover(&headers, &segments)?;
                self.notes.push(text);
            }
            Users::Nobody if was_open => self.drop_old_journals(0)?,
            Users::Nobody | Users::Live(_) => return Ok(()),
        }
        match memory::users(&self.marker, &self.headers()?)? {
            Users::Dead(_) => {
                let reason = ended.err().map_or_else(|| "nothing removed it".to_owned(), |e| e.to_string());
                Err(DbError::engine(ENGINE, "remove its shared memory", reason))
            }
            Users::Nobody | Users::Live(_) => Ok(()),
        }
    }

    /// Always allows parallel runs: each process opens the database for itself, and the last one closes it.
    fn allows_parallel_runs(&self) -> Result<(), &'static str> {
        Ok(())
    }

    fn check_names(&self, names: &NodeNames) -> Result<(), DbError> {
        // Each string, including the name of the global, has one byte before it and one after it. The key ends with
        // two more bytes.
        let longest = names.characters() + 2 * names.levels().count() + LONGEST_NAME + 2;
        let (reason, most) = if names.levels().count() > MOST_SUBSCRIPTS {
            let reason = format!("a node would have {} subscripts, including its name", names.levels().count());
            (reason, format!("GT.M allows at most {MOST_SUBSCRIPTS}"))
        } else if longest > layout::KEY_SIZE {
            let reason = format!("the key of a node would have {longest} bytes, including the name of its global");
            (reason, format!("the maximum is {} bytes", layout::KEY_SIZE))
        } else {
            return Ok(());
        };
        Err(DbError::refused(names.to_string(), reason, most))
    }

    fn create_global(&self, number: u32, _names: Option<&NodeNames>, _indexes: u32) -> Result<(), DbError> {
        let number = Gtm::checked(number, self.regions.len())?;
        self.control.number("create a global", "empty", [number, 0]).map(|_| ())
    }

    fn count(&self, number: u32, names: Option<&NodeNames>) -> Result<u64, DbError> {
        let args = [i64::from(number), i64::from(names.is_some())];
        let count = self.control.number("count a global", "count", args)?;
        Ok(count.max(0).cast_unsigned())
    }

    fn size(&self, number: u32) -> Result<Option<u64>, DbError> {
        let size = self.control.number("read the size of a global", "size", [i64::from(number), 0])?;
        Ok(u64::try_from(size).ok())
    }

    fn set_size(&self, number: u32, count: u64) -> Result<(), DbError> {
        let args = [Gtm::checked(number, self.regions.len())?, count.cast_signed()];
        self.control.number("record the size of a global", "resize", args).map(|_| ())
    }

    fn sessions(&self) -> Arc<dyn Sessions> {
        Arc::new(GtmSessions {
            surroundings: self.surroundings.clone(),
            install: self.install.clone(),
            marker: self.marker.clone(),
            durable: self.how.is_none_or(|how| how.durable),
            writing_back: Arc::clone(&self.writing_back),
        })
    }

    fn quiesce(&self) -> Result<(), DbError> {
        for region in &self.regions {
            self.control.with("write back", |link| link.ask("epoch", [0; 2], &region.name).map(|_| ()))?;
        }
        // The cache disappears only with its shared memory, which the last process removes.
        self.reopen_control()
    }

    fn files(&self) -> Result<Vec<DataFile>, DbError> {
        let mut files = Vec::new();
        for (region, header) in self.regions.iter().zip(self.headers()?) {
            // While the database is open, the header on disk is out of date.
            let used = if self.control.is_open() {
                self.control
                    .with("report its blocks", |link| used_blocks(link.ask("blocks", [0; 2], &region.name)?))?
            } else {
                header.total.saturating_sub(header.free)
            };
            let written = written(&region.file, header.start.as_u64(), header.block.as_u64(), used)?;
            let mut file = |role, path: &Path, offset, written| {
                files.push(DataFile { role, path: path.to_owned(), offset, written });
            };
            file(FileRole::Data, &region.file, header.start, Bytes(written));
            if region.journal.is_file() {
                file(FileRole::Journal, &region.journal, Bytes(0), Bytes(0));
            }
        }
        Ok(files)
    }

    fn counters(&self) -> Result<Counters, DbError> {
        let counts = self.control.counts()?;
        // A long run's journal generations would fill the disk. Recovery needs the current generation and the one
        // before it.
        self.drop_old_journals(1)?;
        let journaled = self.how.as_ref().is_some_and(|how| how.journal);
        Ok(counts.into_counters(self.marker.page.as_u64(), self.control.clean(), journaled))
    }

    fn journal_failure(&self) -> Result<Option<String>, DbError> {
        if !self.how.as_ref().is_some_and(|how| how.journal) {
            return Ok(None);
        }
        for region in &self.regions {
            let state = self.control.with("report the state of its journal", |link| {
                Ok(link.ask("journal", [0; 2], &region.name)?.to_owned())
            })?;
            if state != JOURNALING {
                let free =
                    fs::File::open(&self.marker.directories.journal).and_then(|dir| sys::file_systems::space(&dir));
                let free = free.map(|space| format!(", {} free there", Bytes(space.available))).unwrap_or_default();
                let (file, name) = (region.journal.display(), &region.name);
                return Ok(Some(format!("GT.M closed the journal {file} of region {name} (JNLACTIVE {state}){free}")));
            }
        }
        Ok(None)
    }

    fn phases(&self) -> Vec<EnginePhase> {
        self.watch.as_ref().map(Watch::phases).unwrap_or_default()
    }

    fn check(&self) -> Result<Vec<String>, DbError> {
        let output = self.mupip(&["integ", "-region", "*"], "verify its files")?;
        let sound = output.matches("No errors detected by integ").count();
        if sound == self.regions.len() {
            let mut said = vec![format!("mupip integ: no errors in {sound} of {sound} files")];
            said.extend(self.check_indexes()?);
            return Ok(said);
        }
        Err(DbError::engine(ENGINE, "verify its files", output.trim()))
    }

    fn in_use(&self) -> Result<Option<String>, DbError> {
        Ok(match memory::users(&self.marker, &self.headers()?)? {
            Users::Live(n) => Some(format!("{n} processes have the database open")),
            Users::Nobody | Users::Dead(_) => None,
        })
    }
}

impl Drop for Gtm {
    fn drop(&mut self) {
        // Callers that need the result call `stop`; the next start cleans up.
        self.watch = None;
        let _ = self.control.close();
    }
}

/// Returns the number of blocks in use, from a text of the form `TOTAL FREE`.
fn used_blocks(text: &str) -> io::Result<u64> {
    let numbers = text.split_once(' ').and_then(|(total, free)| Some((total.parse().ok()?, free.parse().ok()?)));
    let (total, free): (u64, u64) = numbers.ok_or_else(|| io::Error::other(format!("unexpected answer: {text}")))?;
    Ok(total.saturating_sub(free))
}

/// Returns the length of the written part from `start` to the first gap, in bytes, rounded up to whole blocks. The file
/// system reports the gaps. If it cannot, the result is derived from the number of `used` blocks, because blocks are
/// allocated from the beginning of the file. In a file that grew, only half of each bitmap (one block in 512) is
/// written.
fn written(file: &Path, start: u64, block: u64, used: u64) -> Result<u64, DbError> {
    let opened = fs::File::open(file).map_err(DbError::io("open", file))?;
    let length = opened.metadata().map_err(DbError::io("look at", file))?.len();
    let Some(extents) = sys::storage::extents(&opened, start..length).map_err(DbError::io("map", file))? else {
        return Ok(used * block);
    };
    let mut end = 0;
    for extent in extents.iter().filter(|e| !e.unwritten()) {
        let (from, to) = (extent.range.start.saturating_sub(start), extent.range.end.saturating_sub(start));
        if from / block * block > end {
            break;
        }
        end = end.max(to.next_multiple_of(block));
    }
    Ok(end.min(length.saturating_sub(start) / block * block))
}

//! Model of a database's write path without the database itself. secchi issues the reads, writes and flushes of an
//! engine's transactions, following a profile of that engine. Thus, commits, write-backs and their interference can be
//! measured on machines on which the engine itself cannot be installed.
//!
//! This is not a storage engine. Pages hold values so that reads can be verified and nodes can be counted, but nothing
//! is recovered: after a kill, pages are as they were last written, and the journal starts empty.

mod buffer;
mod copy;
mod counts;
mod further;
mod globals;
mod journal;
mod journal_files;
mod page;
mod places;
mod pool;
mod profile;
mod scattered;
mod server;
mod session;
mod shared;
mod tree;
mod writer;

pub use copy::{copy_globals, size_of_globals};
pub use profile::{ChosenProfile, ProfileError, choose_profile, profile_has_image};

use crate::engine::{Clock, Counters, Creation, DataFile, Database, EngineEntry, EngineFacts, EngineSettings};
use crate::{DbError, DirectoryEntry, EntryKind, Marker, locked};
use buffer::AlignedBuffer;
use counts::Counts;
use further::FurtherFiles;
use globals::{Global, number_of};
use journal::Journal;
use journal_files::{IMAGE_MAGIC, IMAGE_NAME, JournalFiles};
use load::session::Sessions;
use model::measured::{EnginePhase, FileRole};
use model::plan::{GlobalSize, NodeNames};
use model::{Bytes, Nanos};
use pool::{Newest, OpenGlobal, Pool, Wake};
use profile::{PageImages, Profile};
use session::ModelSessions;
use shared::Shared;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use sys::files::{Access, OpenHow};
use sys::storage::{Durability, LoadOpen};
use writer::{Daemon, WriteBack};

/// Name of the engine.
const NAME: &str = "model";

/// The model's entry in the table of engines.
pub const ENTRY: EngineEntry = EngineEntry {
    name: NAME,
    summary: "the I/O of another engine, simulated from a profile (--profile): pages, journal, image journal, write \
              daemons",
    pages: &[8192, 512, 1024, 2048, 4096, 16384, 32768, 65536],
    separate_directories: true,
    takes_profile: true,
    probe: |_| Ok(format!("model {}", env!("CARGO_PKG_VERSION"))),
    create: |creation| {
        let model = Model::new(creation)?;
        model.check_direct()?;
        Ok(Box::new(model))
    },
    open: |creation| Ok(Box::new(Model::new(creation)?)),
    owns,
    variables: &[],
    takes_url: false,
    serve: None,
};

/// Returns `true` if a directory entry belongs to the model, according to its name, directory and signature.
fn owns(marker: &Marker, item: &DirectoryEntry<'_>) -> bool {
    let parts = item.parts();
    let ([name], EntryKind::File) = (parts.as_slice(), item.kind) else { return false };
    let dirs = &marker.directories;
    if let Some(number) = number_of(name) {
        return number <= marker.begun
            && dirs.data_of_global(number) == item.directory
            && globals::is_own(&item.full_path());
    }
    if *name == IMAGE_NAME {
        return dirs.image.as_ref().unwrap_or(&dirs.journal) == item.directory
            && journal_files::begins_with(&item.full_path(), IMAGE_MAGIC);
    }
    if further::is_name(name) {
        return further_directory(marker) == item.directory && further::is_own(&item.full_path());
    }
    journal_files::parse_name(name).is_some()
        && dirs.journal == item.directory
        && journal_files::is_own(&item.full_path())
}

/// Returns the directory of the additional files, which is the directory of the first global.
fn further_directory(marker: &Marker) -> &Path {
    marker.directories.data_of_global(0)
}

fn failed(what: impl Into<String>) -> impl FnOnce(io::Error) -> DbError {
    let what = what.into();
    move |error| DbError::engine(NAME, what, error.to_string())
}

struct Running {
    shared: Arc<Shared>,
    daemon: Daemon,
}

struct Model {
    marker: Marker,
    profile: Arc<Profile>,
    running: Option<Running>,
    /// Highest number among the globals whose creation was started.
    begun: AtomicU32,
    /// Number of secondary indexes that each of the database's globals has.
    indexes: AtomicU32,
}

impl Model {
    fn new(creation: &Creation) -> Result<Self, DbError> {
        let marker = creation.marker.clone();
        let text = marker.profile.as_deref().unwrap_or_default();
        let profile = Profile::parse(text).map_err(|e| {
            DbError::refused(
                creation.directory.display().to_string(),
                format!("the profile in its marker cannot be used: {e}"),
                "purge the database and set it up again",
            )
        })?;
        let begun = AtomicU32::new(marker.begun.max(marker.globals));
        let indexes = AtomicU32::new(marker.indexes);
        Ok(Model { marker, profile: Arc::new(profile), running: None, begun, indexes })
    }

    /// If the profile requires direct I/O, checks that files can be opened with direct I/O.
    fn check_direct(&self) -> Result<(), DbError> {
        let dirs = &self.marker.directories;
        let data = dirs.data.iter().filter(|_| self.profile.pages.direct.value);
        let image = dirs.image.iter().filter(|_| self.profile.pages.direct.value);
        let journal = Some(&dirs.journal).into_iter().filter(|_| self.profile.journal.direct.value);
        for directory in data.chain(image).chain(journal) {
            let opened = || -> io::Result<()> {
                let at = sys::files::open_no_links(None, directory, OpenHow::plain(Access::Directory))?;
                let file = sys::files::create_nameless(&at)?;
                let how = LoadOpen { write: true, direct: true, durability: Durability::None, no_atime: false };
                sys::storage::reopen_for_load(&file, how).map(|_| ())
            };
            match opened() {
                Err(e) if e.kind() == io::ErrorKind::InvalidInput => {
                    return Err(DbError::refused(
                        directory.display().to_string(),
                        format!(
                            "the profile {} needs direct I/O, and this file system has no direct I/O support",
                            self.profile.profile
                        ),
                        "use a directory on another file system, or a profile whose `direct` is false",
                    ));
                }
                // If direct I/O cannot be tried here, opening the first file will report the error.
                _ => {}
            }
        }
        Ok(())
    }

    fn running(&self) -> Result<&Running, DbError> {
        self.running.as_ref().ok_or_else(|| failed("answer")(io::Error::other("it is not running")))
    }

    fn page(&self) -> usize {
        self.marker.page.as_u64() as usize
    }

    fn file_of(&self, number: u32) -> PathBuf {
        self.marker.directories.data_of_global(number).join(globals::file_name(number))
    }

    fn image_directory(&self) -> Option<PathBuf> {
        let dirs = &self.marker.directories;
        self.profile.has_image().then(|| dirs.image.clone().unwrap_or_else(|| dirs.journal.clone()))
    }

    /// Returns the files of existing globals.
    fn existing_files(&self) -> Result<Vec<(u32, PathBuf)>, DbError> {
        crate::global_files::existing(self.begun.load(Relaxed), |number| self.file_of(number), globals::is_own)
    }

    fn journal(&self, stem: String, counts: &Arc<Counts>) -> io::Result<Journal> {
        let files = JournalFiles::open(&self.marker.directories.journal, stem, &self.profile, self.page())?;
        Ok(Journal::new(Arc::clone(&self.profile), self.page(), files, Arc::clone(counts)))
    }

    /// Combines a global with the journal of its updates.
    fn with_journal(&self, global: Global, scattered: u64, shared: &Shared) -> io::Result<OpenGlobal> {
        let tree = Mutex::default();
        if !shared.how.journal {
            return Ok(OpenGlobal { global, journal: None, newest: None, scattered, tree });
        }
        if !self.profile.journal.per_global.value {
            return Ok(OpenGlobal { global, journal: shared.journal.clone(), newest: None, scattered, tree });
        }
        let journal = self.journal(format!("g{}", global.number), &shared.counts)?;
        let (reader, begin) = journal.with_files(|files, _| Ok((files.reader()?, files.begin())))?;
        let newest = (self.profile.journal.page_images.value == PageImages::EveryCommit).then(|| Newest {
            places: Mutex::default(),
            reader,
            begin: AtomicU64::new(begin),
            writer: Mutex::new(()),
        });
        Ok(OpenGlobal { global, journal: Some(Arc::new(journal)), newest, scattered, tree })
    }

    /// Registers a global with this number of randomly inserted nodes.
    fn insert(&self, shared: &Shared, global: Global, scattered: u64) -> io::Result<()> {
        let number = global.number;
        let opened = Arc::new(self.with_journal(global, scattered, shared)?);
        shared.pool.globals.write().unwrap_or_else(PoisonError::into_inner).insert(number, opened);
        Ok(())
    }

    fn open_global(&self, number: u32) -> Result<Arc<OpenGlobal>, DbError> {
        self.running()?.shared.pool.global(number).ok_or_else(|| {
            let what = format!("open global {number}");
            DbError::refused(what, "there is no global with this number", "list them with `secchi db get-sizes`")
        })
    }

    /// Visits every page of a global. Returns the numbers of nodes and of pages.
    fn visit(&self, opened: &OpenGlobal) -> io::Result<(u64, u64)> {
        let Some(Running { shared, .. }) = &self.running else { return Ok((0, 0)) };
        let Some(layout) = opened.global.layout() else { return Ok((0, 0)) };
        let mut scratch = AlignedBuffer::new(shared.page);
        let (mut nodes, mut pages) = (0, 0);
        let indexes = if opened.global.number == 0 { 0 } else { self.indexes.load(Relaxed) };
        let entries = session::entries_layout(self.page(), &self.profile);
        let groups = scattered::Groups::new(indexes, layout.nodes, entries.nodes);
        for number in 0..opened.global.pages() {
            let of_nodes = groups.has_nodes(number);
            let layout = if of_nodes { layout } else { entries };
            let count_nodes = |bytes: &mut [u8], _: &mut pool::Frame, _| Ok(page::count(bytes, layout));
            if let Some(count) = shared.pool.with_page(opened, number, None, &mut scratch, count_nodes)? {
                nodes += if of_nodes { count } else { 0 };
                pages += 1;
            }
        }
        Ok((nodes, pages))
    }

    fn begin(&mut self, how: &EngineSettings, clock: Clock) -> io::Result<Running> {
        let counts = Arc::<Counts>::default();
        let wake = Arc::<Wake>::default();
        let pages = &self.profile.pages;
        let back = &self.profile.write_back;
        let share = self.profile.pages.buffers_percent.value;
        let has_common_journal = how.journal && !self.profile.journal.per_global.value;
        let journal =
            has_common_journal.then(|| self.journal("journal".to_owned(), &counts)).transpose()?.map(Arc::new);
        let bytes = how.cache.as_u64() * share / 100;
        let profile = Arc::clone(&self.profile);
        let pool = Pool::new(bytes, self.page(), profile, journal.clone(), Arc::clone(&wake), Arc::clone(&counts));
        let shared = Arc::new(Shared {
            profile: Arc::clone(&self.profile),
            how: *how,
            page: self.page(),
            pool,
            journal,
            counts,
            // Each page stores the number of the write-back in which its last image was taken. Numbers must differ
            // from the numbers used in earlier starts.
            epoch: AtomicU64::new(sys::clock::realtime_ns()),
            writing_back: Arc::<AtomicBool>::default(),
            sessions: AtomicU32::new(0),
            phases: Mutex::default(),
        });
        let existing = self.existing_files().map_err(io::Error::other)?;
        for (number, path) in existing {
            let scattered = self.marker.scattered.get(&number).copied().unwrap_or(0);
            self.insert(&shared, Global::open(&path, number, self.page(), pages)?, scattered)?;
        }
        let image = self.image_directory();
        let (directory, count) = (further_directory(&self.marker), back.further_files.value);
        let further = FurtherFiles::open(directory, count, self.page(), pages.direct.value)?;
        let work = WriteBack {
            shared: Arc::clone(&shared),
            clock,
            image,
            wake,
            one: Mutex::default(),
            further,
            trickled: Mutex::default(),
        };
        Ok(Running { shared, daemon: Daemon::start(work)? })
    }
}

impl Database for Model {
    fn facts(&self) -> Result<EngineFacts, DbError> {
        let running = self.running()?;
        let (how, profile) = (&running.shared.how, &self.profile);
        let commit = match (how.journal, how.durable, profile.commits.lazy_writes.value) {
            (false, ..) => "no journal: a commit does not wait",
            (true, true, _) => "durable: a commit waits until its records are on the device",
            (true, false, true) => "lazy: a commit writes its records and does not wait for the device",
            (true, false, false) => "lazy: a commit leaves its records in the journal's buffer",
        };
        let against = match profile.measured_against.as_str() {
            "" => "nothing; its figures come from documentation and estimates".to_owned(),
            engine => format!("{engine}: bench/journal/2026-11-26-the-model.md, 2026-11-27-the-model-a-third-time.md"),
        };
        Ok(EngineFacts {
            version: profile.to_string(),
            page: self.marker.page,
            cache: Bytes(running.shared.pool.frames() * self.marker.page.as_u64()),
            commit: commit.to_owned(),
            direct: profile.pages.direct.value,
            notes: vec![
                format!(
                    "these are the figures of a {profile}, not of the engine itself; it was compared with {against}"
                ),
                "nothing is recovered after a kill: pages keep what was last written".to_owned(),
            ],
        })
    }

    fn start(&mut self, how: &EngineSettings, clock: Clock) -> Result<(), DbError> {
        self.stop()?;
        let least = pool::LEAST as u64 * self.marker.page.as_u64();
        if how.cache.as_u64() < least {
            return Err(DbError::refused(
                format!("--cache {}", how.cache),
                format!("a buffer pool needs at least {} pages of {}", pool::LEAST, self.marker.page),
                format!("use at least {}", Bytes(least)),
            ));
        }
        self.running = Some(self.begin(how, clock).map_err(failed("start"))?);
        Ok(())
    }

    fn stop(&mut self) -> Result<(), DbError> {
        match self.running.take() {
            Some(running) => running.daemon.stop().map_err(failed("write back what was updated")),
            None => Ok(()),
        }
    }

    fn allows_parallel_runs(&self) -> Result<(), &'static str> {
        Err("the buffer pool and the write daemon belong to that run; use more processes in one run instead (-p)")
    }

    fn create_global(&self, number: u32, names: Option<&NodeNames>, indexes: u32) -> Result<(), DbError> {
        if let Some(names) = names {
            self.check_names(names)?;
        }
        let shared = &self.running()?.shared;
        let path = self.file_of(number);
        let old = shared.pool.globals.write().unwrap_or_else(PoisonError::into_inner).remove(&number);
        if old.is_some() {
            shared.pool.forget(Some(number));
        }
        drop(old);
        if path.symlink_metadata().is_ok() {
            if !globals::is_own(&path) {
                return Err(DbError::refused(
                    path.display().to_string(),
                    "it is not the file that was created for this global",
                    "move it away and create the global again",
                ));
            }
            std::fs::remove_file(&path).map_err(DbError::io("remove", &path))?;
        }
        self.begun.fetch_max(number, Relaxed);
        self.indexes.store(indexes, Relaxed);
        let directory = self.marker.directories.data_of_global(number);
        let made = Global::make(directory, number, self.page(), &self.profile.pages);
        made.and_then(|global| self.insert(shared, global, 0)).map_err(failed(format!("create global {number}")))
    }

    fn check_names(&self, names: &NodeNames) -> Result<(), DbError> {
        Err(DbError::refused(
            names.to_string(),
            "the model supports integer subscripts only",
            "leave out --node-depth, --subnode-length and --name-length",
        ))
    }

    fn check_insert(&self, global: &GlobalSize, scattered: bool) -> Result<(), DbError> {
        if scattered || global.scattered == 0 || self.profile.pages.splits() {
            return Ok(());
        }
        Err(DbError::refused(
            format!("--order sequential into global {}", global.number),
            "its profile, from an earlier version, puts the pages of random inserts directly after those in order, \
             which therefore cannot grow",
            "insert with --order random, or purge the database and set it up again",
        ))
    }

    fn count(&self, number: u32, _names: Option<&NodeNames>) -> Result<u64, DbError> {
        let opened = self.open_global(number)?;
        Ok(self.visit(&opened).map_err(failed(format!("count global {number}")))?.0)
    }

    fn size(&self, number: u32) -> Result<Option<u64>, DbError> {
        Ok(self.running()?.shared.pool.global(number).and_then(|opened| opened.global.size()))
    }

    fn set_size(&self, number: u32, count: u64) -> Result<(), DbError> {
        let opened = self.open_global(number)?;
        let running = self.running()?;
        // Records that are reported as created must exist after a kill.
        let done = running.daemon.write_back_now().and_then(|()| opened.global.set_header(None, Some(count)));
        done.map_err(failed(format!("record the size of global {number}")))
    }

    fn sessions(&self) -> Arc<dyn Sessions> {
        match &self.running {
            Some(running) => Arc::new(ModelSessions(Arc::clone(&running.shared))),
            None => Arc::new(NotStarted),
        }
    }

    fn quiesce(&self) -> Result<(), DbError> {
        let running = self.running()?;
        running.daemon.write_back_now().map_err(failed("write back what was updated"))?;
        running.shared.pool.forget(None);
        for opened in running.shared.pool.all_globals() {
            opened.global.forget().map_err(failed("drop the cached pages of a global"))?;
        }
        Ok(())
    }

    fn files(&self) -> Result<Vec<DataFile>, DbError> {
        let page = self.marker.page.as_u64();
        let length = |path: &Path| std::fs::metadata(path).map_or(0, |m| m.len());
        let mut files = Vec::new();
        for (_, path) in self.existing_files()? {
            let written = Bytes((length(&path) / page * page).saturating_sub(page));
            files.push(DataFile { role: FileRole::Data, path, offset: Bytes(page), written });
        }
        let journal = &self.marker.directories.journal;
        let mut other = |role, path: PathBuf| {
            let written = Bytes(length(&path) / page * page);
            files.push(DataFile { role, path, offset: Bytes(0), written });
        };
        for path in JournalFiles::paths(journal).map_err(DbError::io("look into", journal))? {
            other(FileRole::Journal, path);
        }
        further::paths(further_directory(&self.marker)).into_iter().for_each(|path| other(FileRole::Data, path));
        if let Some(path) = self.image_directory().map(|dir| dir.join(IMAGE_NAME)).filter(|path| path.exists()) {
            other(FileRole::Image, path);
        }
        Ok(files)
    }

    fn counters(&self) -> Result<Counters, DbError> {
        let shared = &self.running()?.shared;
        let backlog = shared.backlog() as f64;
        Ok(shared.counts.to_counters(shared.how.journal, self.profile.has_image(), backlog))
    }

    fn usual_write_back(&self) -> Option<Nanos> {
        Some(Nanos::from_secs(self.profile.write_back.every_s.value))
    }

    fn phases(&self) -> Vec<EnginePhase> {
        self.running.as_ref().map(|r| std::mem::take(&mut *locked(&r.shared.phases))).unwrap_or_default()
    }

    fn check(&self) -> Result<Vec<String>, DbError> {
        let (mut nodes, mut pages) = (0, 0);
        let globals = self.running()?.shared.pool.all_globals();
        for opened in &globals {
            let (n, p) = self.visit(opened).map_err(failed(format!("verify global {}", opened.global.number)))?;
            (nodes, pages) = (nodes + n, pages + p);
        }
        Ok(vec![format!("checksums: all {pages} pages, with {nodes} nodes, in {} files are correct", globals.len())])
    }
}

/// Sessions of a model that has not been started.
struct NotStarted;

impl Sessions for NotStarted {
    fn open(&self, _job: &model::Job, _worker: u32) -> Result<Box<dyn load::session::Session>, String> {
        Err("the model is not running".to_owned())
    }

    fn writing_back(&self) -> Arc<AtomicBool> {
        Arc::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use load::session::{BatchKind, BatchResult, KeyGenerator};
    use model::plan::{
        Access, ErrorPolicy, JobTuning, KeyOrder, Mix, SessionRule, StopRule, TargetKind, ValueRule, Workload,
    };
    use model::{Job, Target};

    fn rule(order: KeyOrder, reads: bool, count: u64) -> SessionRule {
        let global = GlobalSize::new(1, count);
        SessionRule {
            batch: 50,
            transaction: true,
            hang: Nanos(0),
            hang_variation: 0,
            read_percent: if reads { 100 } else { 0 },
            own: global,
            read: if reads { vec![global] } else { Vec::new() },
            blocks: false,
            order,
            value: ValueRule::Text,
            names: None,
            extra: Default::default(),
        }
    }

    fn creation(at: &Path, profile: &str) -> Creation {
        let directory = at.join("ran");
        std::fs::create_dir_all(at).unwrap();
        let data = Bytes(8192);
        let mut marker = Marker::create(&directory, NAME, "RAN", "now".into(), data, &[], None, None, true).unwrap();
        marker.begun = 3;
        let text = if profile.contains('=') { profile.to_owned() } else { choose_profile(profile).unwrap().text };
        // Some memory file systems do not support direct I/O.
        marker.profile = Some(text.replace("direct = { value = true", "direct = { value = false"));
        Creation { marker, directory, environment: crate::Environment::default() }
    }

    fn how(durable: bool) -> EngineSettings {
        let (cache, write_back_every) = (Bytes::from_mib(1), Nanos::from_secs(3600));
        EngineSettings { journal: true, durable, cache, write_back_every }
    }

    fn start(creation: &Creation, how: &EngineSettings) -> Model {
        let mut model = Model::new(creation).unwrap();
        model.start(how, Arc::new(sys::clock::monotonic_ns)).unwrap();
        model
    }

    /// Performs `operations` with one session and returns the number of missing records.
    fn drive(model: &Model, rule: &SessionRule, operations: u64) -> u64 {
        let target = Target {
            kind: TargetKind::Null,
            path: "/".into(),
            size: Bytes(0),
            offset: Bytes(0),
            direct: false,
            align: Bytes(1),
            uuid: None,
        };
        let job = Job {
            name: "w1".into(),
            workload: Workload::new(Mix::READ, Bytes(8192), Access::RANDOM),
            target,
            more: Vec::new(),
            engine: "session".into(),
            queue_depth: 1,
            threads: 1,
            stop: StopRule { ramp: Nanos(0), time: Nanos(1), steady_after: None, max_ops: None },
            on_error: ErrorPolicy::Stop,
            seed: 1,
            faults: None,
            tuning: JobTuning { work: model::plan::Work::Session(Box::new(rule.clone())), ..JobTuning::default() },
        };
        let mut session = model.sessions().open(&job, 0).unwrap();
        let mut generator = KeyGenerator::new(rule, 7, 0, 0);
        let mut result: BatchResult = generator.empty_result();
        let (mut left, mut missing) = (operations, 0);
        while left > 0 {
            result.clear();
            let batch = generator.draw(left);
            let (n, kind) = (batch.keys.len() as u64, batch.kind);
            session.perform(&batch, &mut result).unwrap();
            assert_eq!(result.each.len() as u64 + result.missing, n);
            assert_eq!(result.commits.len(), usize::from(kind == BatchKind::Update));
            missing += result.missing;
            left -= n;
        }
        missing
    }

    fn counted(model: &Model, name: &str) -> f64 {
        let counters = model.counters().unwrap();
        counters.counts.iter().find(|(n, _)| n == name).map(|(_, value)| *value).unwrap()
    }

    #[test]
    fn a_checkpoint_syncs_what_is_beside_tables_and_values_that_are_cut_are_counted() {
        let dir = tempfile::tempdir().unwrap();
        let from = creation(dir.path(), "postgres");
        let mut model = start(&from, &how(true));
        model.create_global(1, None, 0).unwrap();
        drive(&model, &rule(KeyOrder::Sequential { from: 1 }, false, 1000), 1000);
        assert_eq!(counted(&model, "values_cut"), 0.0);
        let long =
            SessionRule { value: ValueRule::Length { from: 2000, to: 2000 }, ..rule(KeyOrder::Random, false, 1000) };
        drive(&model, &long, 100);
        assert_eq!(counted(&model, "values_cut"), 100.0);
        let flushes = |model: &Model| model.counters().unwrap().roles[0].flushes.unwrap();
        let before = flushes(&model);
        model.quiesce().unwrap();
        // One flush of the global and nineteen of the additional files.
        assert_eq!(flushes(&model) - before, 20);
        let further = |model: &Model| {
            let files = model.files().unwrap().into_iter().map(|file| file.path);
            files.filter(|path| path.file_name().unwrap().to_str().is_some_and(further::is_name)).count()
        };
        assert_eq!(further(&model), 19);
        model.stop().unwrap();
        // The additional files are found again, and a foreign file is not mistaken for one.
        assert_eq!(further(&start(&from, &how(true))), 19);
        let other = from.marker.directories.data_of_global(0).join("further.0000.page");
        std::fs::write(other, b"somebody's").unwrap();
        assert!(Model::new(&from).unwrap().start(&how(true), Arc::new(sys::clock::monotonic_ns)).is_err());
    }

    #[test]
    fn a_copy_has_the_same_pages_and_is_a_database_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let mut from = creation(dir.path(), "iris");
        let mut model = start(&from, &how(true));
        for number in 1..=2 {
            model.create_global(number, None, 0).unwrap();
            let mut fill_rule = rule(KeyOrder::Sequential { from: 1 }, false, 3000);
            fill_rule.own.number = number;
            drive(&model, &fill_rule, 3000);
            model.set_size(number, 3000).unwrap();
        }
        model.stop().unwrap();
        from.marker.globals = 2;
        let mut to = creation(&dir.path().join("other"), "iris");
        copy_globals(&from.marker, &mut to.marker, &to.directory, &|| true).unwrap();
        assert_eq!(size_of_globals(&to.marker).unwrap(), size_of_globals(&from.marker).unwrap());
        let pages = |creation: &Creation, number| {
            let at = creation.marker.directories.data_of_global(number).join(globals::file_name(number));
            std::fs::read(at).unwrap()
        };
        assert!((1..=2).all(|number| pages(&from, number) == pages(&to, number)));
        let copied = start(&to, &how(true));
        assert_eq!((copied.count(2, None).unwrap(), to.marker.globals), (3000, 2));
        // Existing files are not overwritten.
        assert!(copy_globals(&from.marker, &mut to.marker, &to.directory, &|| true).is_err());
        let mut third = creation(&dir.path().join("third"), "iris");
        let stopped = copy_globals(&from.marker, &mut third.marker, &third.directory, &|| false);
        assert!(stopped.unwrap_err().to_string().contains("stop"));
    }

    #[test]
    fn a_pool_too_small_is_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let mut creation = creation(dir.path(), "innodb");
        creation.marker.page = Bytes(65_536);
        let mut model = Model::new(&creation).unwrap();
        let error = model.start(&how(true), Arc::new(sys::clock::monotonic_ns)).unwrap_err().to_string();
        assert!(error.contains("--cache 1 MiB") && error.contains("at least 4 MiB"), "{error}");
    }

    const PROFILES: [&str; 5] = ["sqlite-wal", "postgres", "gtm", "iris", "innodb"];

    #[test]
    fn what_is_set_is_counted_and_read_also_after_a_kill() {
        for profile in PROFILES {
            let dir = tempfile::tempdir().unwrap();
            let creation = creation(dir.path(), profile);
            let nodes = 20_000;
            let model = start(&creation, &how(true));
            model.create_global(1, None, 0).unwrap();
            drive(&model, &rule(KeyOrder::Sequential { from: 1 }, false, nodes), nodes);
            assert_eq!(model.count(1, None).unwrap(), nodes, "{profile}");
            model.set_size(1, nodes).unwrap();
            drive(&model, &rule(KeyOrder::Random, false, nodes), 5_000);
            assert!(counted(&model, "pool_misses") > 0.0, "{profile}: the pool is smaller than the data");
            // Nothing is written back, as after a kill.
            std::mem::forget(model);
            let mut model = start(&creation, &how(false));
            assert_eq!((model.size(1).unwrap(), model.count(1, None).unwrap()), (Some(nodes), nodes), "{profile}");
            assert_eq!(drive(&model, &rule(KeyOrder::Random, true, nodes), 1000), 0);
            // Only half of these subscripts exist, because there are twice as many subscripts as nodes.
            assert_eq!(drive(&model, &rule(KeyOrder::Sequential { from: 1 }, true, 2 * nodes), 2 * nodes), nodes);
            assert!(model.check().unwrap()[0].contains(&format!("with {nodes} nodes")), "{profile}");
            drive(&model, &rule(KeyOrder::Random, false, nodes), 500);
            model.stop().unwrap();
        }
    }

    #[test]
    fn random_inserts_split_pages_and_are_counted_and_read_after_a_stop() {
        for profile in ["sqlite-wal", "postgres", "gtm", "iris", "innodb"] {
            let dir = tempfile::tempdir().unwrap();
            let mut creation = creation(dir.path(), profile);
            let mut model = start(&creation, &how(true));
            model.create_global(1, None, 0).unwrap();
            drive(&model, &rule(KeyOrder::Sequential { from: 1 }, false, 2000), 2000);
            let insert = |model: &Model, global: GlobalSize, scattered, n| {
                let mut rule = rule(KeyOrder::Insert { scattered }, false, global.count);
                rule.own = global;
                assert!(model.check_insert(&global, scattered).is_ok());
                drive(model, &rule, n);
            };
            let mut global = GlobalSize::new(1, 2000);
            // The kinds alternate, within a run and across a stop.
            for (scattered, n) in [(true, 5_000), (true, 1_000), (false, 3_000), (true, 700), (false, 450), (true, 1)] {
                insert(&model, global, scattered, n);
                *(if scattered { &mut global.scattered } else { &mut global.count }) += n;
                assert_eq!(model.count(1, None).unwrap(), global.total(), "{profile}");
                if n == 3_000 {
                    model.stop().unwrap();
                    creation.marker.scattered.insert(1, global.scattered);
                    model = start(&creation, &how(true));
                }
            }
            model.stop().unwrap();
            creation.marker.scattered.insert(1, global.scattered);
            let model = start(&creation, &how(true));
            assert_eq!(model.count(1, None).unwrap(), global.total(), "{profile}");
            let reads = SessionRule { own: global, read: vec![global], ..rule(KeyOrder::Random, true, global.count) };
            assert_eq!(drive(&model, &reads, 5000), 0, "{profile}");
            let updates = SessionRule { own: global, ..rule(KeyOrder::Random, false, global.count) };
            drive(&model, &updates, 2000);
            assert_eq!(model.count(1, None).unwrap(), global.total(), "{profile}: updates make no nodes");
            model.check().unwrap();
        }
    }

    /// Tests a database from before splits were modelled. The profile stored with it does not mention splits.
    #[test]
    fn a_profile_of_before_has_pages_that_double_and_takes_none_in_order_behind_them() {
        let dir = tempfile::tempdir().unwrap();
        let names =
            ["most_used = ", "order = ", "split = ", "fanout = ", "index_entry = ", "map = ", "split_percent = "];
        let text = choose_profile("sqlite-wal").unwrap().text;
        let before: Vec<&str> = text.lines().filter(|l| !names.iter().any(|name| l.starts_with(name))).collect();
        let creation = creation(dir.path(), &before.join("\n"));
        let mut model = start(&creation, &how(true));
        model.create_global(1, None, 0).unwrap();
        drive(&model, &rule(KeyOrder::Sequential { from: 1 }, false, 2000), 2000);
        drive(&model, &rule(KeyOrder::Insert { scattered: true }, false, 2000), 5_000);
        model.stop().unwrap();
        let model = start(&creation, &how(true));
        assert_eq!(model.count(1, None).unwrap(), 7_000);
        let global = GlobalSize { scattered: 5_000, ..GlobalSize::new(1, 2000) };
        let reads = SessionRule { own: global, read: vec![global], ..rule(KeyOrder::Random, true, 2000) };
        assert_eq!(drive(&model, &reads, 5000), 0);
        assert!(model.check_insert(&global, false).is_err() && model.check_insert(&global, true).is_ok());
    }

    #[test]
    fn indexes_are_pages_beside_the_nodes_that_every_update_writes_too() {
        for profile in ["sqlite-wal", "postgres"] {
            let written = |indexes: u32| {
                let dir = tempfile::tempdir().unwrap();
                let creation = creation(dir.path(), profile);
                let mut model = start(&creation, &how(true));
                model.create_global(1, None, indexes).unwrap();
                let with = |order, reads, count| {
                    let mut rule = rule(order, reads, count);
                    rule.extra.indexes = indexes;
                    rule
                };
                drive(&model, &with(KeyOrder::Sequential { from: 1 }, false, 20_000), 20_000);
                model.set_size(1, 20_000).unwrap();
                assert_eq!(model.count(1, None).unwrap(), 20_000, "{profile}");
                let before = counted(&model, "pool_hits") + counted(&model, "pool_misses");
                drive(&model, &with(KeyOrder::Random, false, 20_000), 1_000);
                let touched = counted(&model, "pool_hits") + counted(&model, "pool_misses") - before;
                drive(&model, &with(KeyOrder::Insert { scattered: false }, false, 20_000), 2_000);
                assert_eq!(model.count(1, None).unwrap(), 22_000, "{profile}");
                assert_eq!(drive(&model, &with(KeyOrder::Random, true, 22_000), 2000), 0, "{profile}");
                model.check().unwrap();
                model.stop().unwrap();
                touched
            };
            let (plain, two) = (written(0), written(2));
            assert!(two >= plain + 4_000.0, "{profile}: an entry is left and one made in each index: {plain}, {two}");
        }
    }

    /// Checks that buffers are freed for transactions that update more pages than there are free buffers, even if
    /// commits do not write the journal.
    #[test]
    fn commits_make_room_and_the_oldest_pages_are_written_meanwhile() {
        for durable in [true, false] {
            let dir = tempfile::tempdir().unwrap();
            let creation = creation(dir.path(), "gtm");
            let mut model = start(&creation, &how(durable));
            model.create_global(1, None, 0).unwrap();
            drive(&model, &rule(KeyOrder::Sequential { from: 1 }, false, 60_000), 60_000);
            let before = counted(&model, "pages_written_by_daemon");
            drive(&model, &rule(KeyOrder::Random, false, 60_000), 5_000);
            let written = counted(&model, "pages_written_by_daemon") - before;
            assert!(written > 500.0, "{durable}: {written} with none of 128 buffers free for long");
            assert_eq!(drive(&model, &rule(KeyOrder::Random, true, 60_000), 2_000), 0);
            model.check().unwrap();
            model.stop().unwrap();
        }
    }

    #[test]
    fn everything_the_model_makes_is_known_as_its_own() {
        for profile in PROFILES {
            let dir = tempfile::tempdir().unwrap();
            let creation = creation(dir.path(), profile);
            let mut model = start(&creation, &how(true));
            model.create_global(1, None, 0).unwrap();
            drive(&model, &rule(KeyOrder::Sequential { from: 1 }, false, 5000), 5000);
            model.quiesce().unwrap();
            model.stop().unwrap();
            let data = &creation.marker.directories.data[0];
            let names: Vec<_> = std::fs::read_dir(data).unwrap().map(|e| e.unwrap().file_name()).collect();
            assert!(names.len() > 2, "{names:?}");
            for name in names.iter().filter(|name| name.to_str() != Some(crate::STAMP)) {
                let item = DirectoryEntry { directory: data, path: Path::new(name), kind: EntryKind::File };
                assert!(owns(&creation.marker, &item), "{profile}: {name:?}");
                std::fs::write(data.join(name), "somebody's own, of the same name").unwrap();
                assert!(!owns(&creation.marker, &item), "{profile}: {name:?} is not ours any more");
            }
        }
    }

    #[test]
    fn commits_of_many_sessions_share_their_syncs_and_each_has_one() {
        let dir = tempfile::tempdir().unwrap();
        let creation = creation(dir.path(), "postgres");
        let model = start(&creation, &how(true));
        model.create_global(1, None, 0).unwrap();
        drive(&model, &rule(KeyOrder::Sequential { from: 1 }, false, 5000), 5000);
        let before = (counted(&model, "commits"), counted(&model, "commits_by_a_shared_sync"));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| drive(&model, &rule(KeyOrder::Random, false, 5000), 2500));
            }
        });
        assert_eq!(counted(&model, "commits") - before.0, 200.0);
        // The write-back waits for the journal but does not count as a commit.
        model.quiesce().unwrap();
        let shared = counted(&model, "commits_by_a_shared_sync");
        assert!(shared <= counted(&model, "commits"), "{shared} of {} commits", counted(&model, "commits"));
        let roles = model.counters().unwrap().roles;
        let journal = roles.iter().find(|r| r.role == FileRole::Journal).unwrap();
        assert!(journal.flushes.unwrap() as f64 <= counted(&model, "commits") + 10.0, "{journal:?}");
    }

    #[test]
    fn phases_are_image_then_data_and_a_lazy_commit_waits_for_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let creation = creation(dir.path(), "iris");
        let model = start(&creation, &how(false));
        model.create_global(1, None, 0).unwrap();
        drive(&model, &rule(KeyOrder::Sequential { from: 1 }, false, 3000), 3000);
        let role = |role| model.counters().unwrap().roles.into_iter().find(|r| r.role == role).unwrap();
        assert_eq!(role(FileRole::Image).writes, Some(0));
        let backlog = model.counters().unwrap().backlog.unwrap();
        model.quiesce().unwrap();
        let (image, data) = (role(FileRole::Image), role(FileRole::Data));
        assert_eq!(image.write_bytes, data.write_bytes, "each page twice");
        assert_eq!(data.write_bytes, Some(backlog as u64 * 8192));
        assert_eq!(image.writes, Some((backlog * 8192.0 / 253_952.0).ceil() as u64), "31 pages at once");
        assert_eq!(data.writes, Some(4), "a write of each writer: pages side by side go together");
        let phases = model.phases();
        let names: Vec<&str> = phases.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["WDphase 5", "WDphase 8", "write daemon cycle"]);
        assert!(phases.iter().all(|p| p.pages == Some(backlog as u64)), "{phases:?}");
        assert!(phases[0].end <= phases[1].start && phases[2].start <= phases[0].start, "{phases:?}");
        let mgstat = model.counters().unwrap().mgstat;
        let count = |name| mgstat.iter().find(|(n, _)| *n == name).map(|(_, n)| *n);
        assert_eq!((count("WDpass"), count("WIJwri")), (Some(1.0), image.writes.map(|n| n as f64)));
        assert_eq!(model.counters().unwrap().backlog, Some(0.0));
    }
}

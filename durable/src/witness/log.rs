//! Storage of a witness: one file per run. Each line consists of a checksum and an entry, and counts once it is synced.
//! If the end of a file is incomplete after a kill or a power cut, that end is cut off when the witness starts. The
//! number of runs, the bytes per run, and the entries per batch are limited (docs/design/durability.md, "The witness").

use super::{Acknowledgement, Batch, Denial, Knowledge, denial};
use crate::directory::{Failure, FailureKind, cannot, failure, replace_file};
use crate::experiment::Marker;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use sys::files::{Access, FileExt, OpenHow};
use uuid::Uuid;

/// Maximum number of runs that a witness stores.
pub const MOST_RUNS: usize = 256;
/// Size of a run's file, in bytes, above which pairs of batches are merged.
pub const MOST_BYTES: u64 = 8 << 20;
/// Size of a run's file, in bytes, above which the file is not read.
const LONGEST: u64 = 4 * MOST_BYTES;
const ENDING: &str = ".witness";
const NEW: &str = "compacted.new";
/// Name of the file that exists in the directory of a running witness, on systems that cannot lock directories.
const HELD: &str = ".secchi-witness";

/// Entry in a run's file. Each entry is one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Entry {
    Begin { at_ns: u64, marker: Box<Marker> },
    Done { at_ns: u64, reached: Vec<(u16, u64)> },
}

impl Entry {
    /// Formats the entry as a line. `salt` is the file's salt ([`salt_of`]), or 0 for the first line.
    fn line(&self, salt: u32) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        format!("{:08x} {text}\n", crc32c::crc32c_append(salt, text.as_bytes()))
    }

    fn read(line: &[u8], salt: u32) -> Option<Entry> {
        let (checksum, text) = std::str::from_utf8(line).ok()?.split_once(' ')?;
        let same = checksum == format!("{:08x}", crc32c::crc32c_append(salt, text.as_bytes()));
        same.then(|| serde_json::from_str(text).ok())?
    }

    /// Returns the first entry of a run's file, which records the marker.
    fn begin(at_ns: u64, marker: &Marker) -> Entry {
        Entry::Begin { at_ns, marker: Box::new(marker.clone()) }
    }
}

/// Returns the initial value for the checksums of all lines after the first. Because of this value, lines from another
/// run or generation have wrong checksums in this file.
fn salt_of(marker: &Marker) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(marker.run.as_bytes()), &marker.generation.to_le_bytes())
}

/// Parsed file of a run.
struct Log {
    knowledge: Knowledge,
    /// Number of valid bytes.
    whole: usize,
    salt: u32,
}

fn read_whole(bytes: &[u8]) -> Option<Log> {
    let mut log: Option<Log> = None;
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        let salt = log.as_ref().map_or(0, |log| log.salt);
        let Some(entry) = line.strip_suffix(b"\n").and_then(|line| Entry::read(line, salt)) else { break };
        match (entry, &mut log) {
            (Entry::Begin { marker, .. }, None) if marker.check().is_ok() => {
                let salt = salt_of(&marker);
                let knowledge = Knowledge { marker: *marker, batches: Vec::new() };
                log = Some(Log { knowledge, whole: line.len(), salt });
            }
            (Entry::Done { at_ns, reached }, Some(log)) => {
                let writers = log.knowledge.marker.geometry.writers();
                if reached.iter().any(|(writer, _)| *writer >= writers) {
                    break;
                }
                log.knowledge.batches.push(Batch { at_ns, reached });
                log.whole += line.len();
            }
            _ => break,
        }
    }
    log
}

/// Parses the file of a run. Returns the witness's records and the number of valid bytes, or `None` if the first line
/// is invalid. Parsing stops at the first line that is incomplete, damaged or from another run.
#[must_use]
pub fn read_log(bytes: &[u8]) -> Option<(Knowledge, usize)> {
    read_whole(bytes).map(|log| (log.knowledge, log.whole))
}

#[derive(Debug)]
struct RunLog {
    file: File,
    len: u64,
    begun_ns: u64,
    salt: u32,
    knowledge: Knowledge,
    /// True if a sync failed. Later data may not be durable, so no more acknowledgements are accepted.
    failed: bool,
}

/// Witness with the runs that it has recorded.
#[derive(Debug)]
pub struct Witness {
    directory: File,
    /// File that locks the directory. `None` if locks are not supported.
    _held: Option<File>,
    path: PathBuf,
    runs: Mutex<BTreeMap<Uuid, RunLog>>,
    most_bytes: u64,
    /// Clock that returns Unix time in nanoseconds.
    clock: fn() -> u64,
}

/// Run as it appears in the witness's list of runs.
#[derive(Debug, Serialize)]
struct Listed<'a> {
    run: Uuid,
    generation: u32,
    host: &'a str,
    begun_ns: u64,
    last_ns: Option<u64>,
    batches: usize,
    reached: Vec<u64>,
}

/// HTTP response: status, media type and body.
pub type Answered = (u16, &'static str, Vec<u8>);

fn name_of(run: Uuid) -> OsString {
    format!("{run}{ENDING}").into()
}

fn run_of(name: &str) -> Option<Uuid> {
    let run = Uuid::parse_str(name.strip_suffix(ENDING)?).ok()?;
    (name_of(run).to_str() == Some(name)).then_some(run)
}

impl Witness {
    /// Opens the directory of a witness and reads its files. Creates the directory if necessary, and truncates files
    /// that have an incomplete end.
    ///
    /// # Errors
    /// Returns a [`Failure`] if the directory cannot be created or read, if another witness uses it, or if a file in it
    /// is damaged before its end.
    pub fn open(named: &Path) -> Result<Witness, Failure> {
        let shown = named.display();
        match std::fs::create_dir(named) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(cannot(&format!("make {shown}"), &e)),
            _ => {}
        }
        let path = sys::files::canonical(named).map_err(|e| cannot(&format!("open {shown}"), &e))?;
        if !path.is_dir() || sys::files::is_kernel_path(&path.join(NEW)) {
            return Err(failure(
                FailureKind::BadInput,
                format!("{shown} is not a directory in which files can be stored"),
            ));
        }
        let directory = sys::files::open_no_links(None, &path, OpenHow::plain(Access::Directory));
        let directory = directory.map_err(|e| cannot(&format!("open {shown}"), &e))?;
        let held = match sys::locks::hold_directory(&directory, std::ffi::OsStr::new(HELD)) {
            Ok(None) => return Err(failure(FailureKind::Refused, format!("another witness uses {shown}"))),
            held => held.ok().flatten(),
        };
        if let Some(parent) = path.parent() {
            // The directory's entry in its parent must be durable, too.
            let _ = File::open(parent).and_then(|parent| sys::files::sync_file(&parent));
        }
        let runs = Mutex::new(BTreeMap::new());
        let witness =
            Witness { directory, _held: held, path, runs, most_bytes: MOST_BYTES, clock: sys::clock::realtime_ns };
        witness.load()?;
        Ok(witness)
    }

    fn load(&self) -> Result<(), Failure> {
        let listed = sys::files::names_in(&self.directory).and_then(Iterator::collect::<io::Result<Vec<OsString>>>);
        let names = listed.map_err(|e| cannot(&format!("list {}", self.path.display()), &e))?;
        let runs = names.iter().filter_map(|name| Some((name, run_of(name.to_str()?)?)));
        for (name, run) in runs {
            let shown = self.path.join(name);
            let log = self.load_run(name).map_err(|e| cannot(&format!("read {}", shown.display()), &e))?;
            if let Some(log) = log {
                self.locked().insert(run, log);
            }
        }
        Ok(())
    }

    fn load_run(&self, name: &OsString) -> io::Result<Option<RunLog>> {
        let file =
            sys::files::open_no_links(Some(&self.directory), Path::new(name), OpenHow::plain(Access::ReadWrite))?;
        let mut bytes = Vec::new();
        (&file).take(LONGEST).read_to_end(&mut bytes)?;
        // If the first line is incomplete, the beginning of the run was never acknowledged.
        let Some(Log { knowledge, whole, salt }) = read_whole(&bytes) else { return Ok(None) };
        if whole < bytes.len() {
            let rest = &bytes[whole..];
            if rest
                .split_inclusive(|b| *b == b'\n')
                .skip(1)
                .any(|l| l.strip_suffix(b"\n").and_then(|l| Entry::read(l, salt)).is_some())
            {
                let reason = format!(
                    "it is damaged at byte {whole} but intact after that: this is not a torn end, and its contents \
                     cannot be trusted"
                );
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
            file.set_len(whole as u64)?;
            sys::files::sync_file(&file)?;
        }
        let begun_ns = knowledge.marker.begun_ns;
        Ok(Some(RunLog { file, len: whole as u64, begun_ns, salt, knowledge, failed: false }))
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, BTreeMap<Uuid, RunLog>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Handles a POST request, which changes the records. The caller must already have checked the authorization.
    #[must_use]
    pub fn post(&self, path: &str, body: &[u8]) -> Answered {
        fn read<T: serde::de::DeserializeOwned>(body: &[u8]) -> Result<T, Denial> {
            serde_json::from_slice(body).map_err(|e| denial(400, format!("the request cannot be parsed: {e}")))
        }
        let outcome = match path {
            "/begin" => read::<Marker>(body).and_then(|marker| self.begin(marker)),
            "/acknowledge" => read::<Acknowledgement>(body).and_then(|told| self.acknowledge(&told)),
            "/forget" => read::<Uuid>(body).and_then(|run| self.forget(run)),
            _ => Err(denial(404, "unknown request; use /begin, /acknowledge or /forget")),
        };
        match outcome {
            Ok(()) => (200, "text/plain; charset=utf-8", b"kept\n".to_vec()),
            Err(Denial { status, why }) => (status, "text/plain; charset=utf-8", format!("{why}\n").into_bytes()),
        }
    }

    /// Handles a GET request, which requires no authorization.
    #[must_use]
    pub fn get(&self, path: &str) -> Answered {
        if path == "/" || path == "/runs" {
            return (200, "application/json", self.list());
        }
        let run = path.strip_prefix("/runs/").and_then(|run| Uuid::parse_str(run).ok());
        match run.and_then(|run| self.log_of(run)) {
            Some(Ok(bytes)) => (200, "application/octet-stream", bytes),
            Some(Err(e)) => {
                (500, "text/plain; charset=utf-8", format!("the file of the run cannot be read: {e}\n").into_bytes())
            }
            None => (404, "text/plain; charset=utf-8", b"this witness does not know this run\n".to_vec()),
        }
    }

    fn list(&self) -> Vec<u8> {
        let runs = self.locked();
        let listed: Vec<Listed<'_>> = runs
            .iter()
            .map(|(run, log)| Listed {
                run: *run,
                generation: log.knowledge.marker.generation,
                host: &log.knowledge.marker.host,
                begun_ns: log.begun_ns,
                last_ns: log.knowledge.batches.last().map(|b| b.at_ns),
                batches: log.knowledge.batches.len(),
                reached: (0..log.knowledge.marker.geometry.writers()).map(|w| log.knowledge.reached(w)).collect(),
            })
            .collect();
        serde_json::to_vec(&serde_json::json!({ "runs": listed })).unwrap_or_default()
    }

    /// Returns the synced part of a run's file, or `None` if the run is unknown.
    fn log_of(&self, run: Uuid) -> Option<io::Result<Vec<u8>>> {
        let runs = self.locked();
        let log = runs.get(&run)?;
        let mut bytes = vec![0; log.len as usize];
        Some(log.file.read_exact_at(&mut bytes, 0).map(|()| bytes))
    }

    /// Begins a run or its next generation. The records of the previous generation are dropped.
    ///
    /// # Errors
    /// Returns a [`Denial`] if there are too many runs, if a later generation is known, or if the marker cannot be
    /// stored.
    pub fn begin(&self, marker: Marker) -> Result<(), Denial> {
        marker.check().map_err(|why| denial(400, why))?;
        let mut runs = self.locked();
        if let Some(known) = runs.get(&marker.run) {
            let before = &known.knowledge.marker;
            if *before == marker && !known.failed {
                return Ok(());
            }
            if before.generation >= marker.generation {
                return Err(denial(409, format!("generation {} of this run has already begun", before.generation)));
            }
        } else if runs.len() >= MOST_RUNS {
            return Err(denial(
                507,
                format!(
                    "this witness stores at most {MOST_RUNS} runs; remove one with `secchi durable verify PATH \
                     --remove`, or remove a file from its directory while it is stopped"
                ),
            ));
        }
        let line = Entry::begin((self.clock)(), &marker).line(0);
        let file =
            self.replace(marker.run, line.as_bytes()).map_err(|e| denial(507, format!("it cannot be stored: {e}")))?;
        let (len, begun_ns, salt) = (line.len() as u64, marker.begun_ns, salt_of(&marker));
        let knowledge = Knowledge { marker: marker.clone(), batches: Vec::new() };
        runs.insert(marker.run, RunLog { file, len, begun_ns, salt, knowledge, failed: false });
        Ok(())
    }

    /// Replaces a run's file durably and atomically.
    fn replace(&self, run: Uuid, bytes: &[u8]) -> io::Result<File> {
        replace_file(&self.directory, std::ffi::OsStr::new(NEW), &name_of(run), bytes)
    }

    /// Records acknowledged writes. They are durable when this function returns.
    ///
    /// # Errors
    /// Returns a [`Denial`] if the run or generation is unknown, if a writer does not exist, or if the entry could not
    /// be synced.
    pub fn acknowledge(&self, told: &Acknowledgement) -> Result<(), Denial> {
        let mut runs = self.locked();
        let Some(log) = runs.get_mut(&told.run) else { return Err(denial(404, "this witness does not know this run")) };
        let marker = &log.knowledge.marker;
        if marker.generation != told.generation {
            return Err(denial(409, format!("this witness knows generation {} of this run", marker.generation)));
        }
        let writers = marker.geometry.writers();
        if told.reached.is_empty()
            || told.reached.len() > usize::from(writers)
            || told.reached.iter().any(|(w, _)| *w >= writers)
        {
            return Err(denial(400, format!("this run has {writers} writers")));
        }
        if log.failed {
            return Err(denial(
                507,
                "a sync of this run's file failed; its contents are kept, and later acknowledgements are refused",
            ));
        }
        // Writes may be reported again if a response was lost, so only new writes are recorded.
        let news = told.reached.iter().copied().filter(|(w, s)| *s > log.knowledge.reached(*w));
        let reached: Vec<(u16, u64)> = news.collect();
        if reached.is_empty() {
            return Ok(());
        }
        let at_ns = (self.clock)();
        let line = Entry::Done { at_ns, reached: reached.clone() }.line(log.salt);
        let written = log.file.write_all_at(line.as_bytes(), log.len).and_then(|()| sys::files::sync_data(&log.file));
        if let Err(e) = written {
            log.failed = true;
            return Err(denial(507, format!("it cannot be stored: {e}")));
        }
        log.len += line.len() as u64;
        log.knowledge.batches.push(Batch { at_ns, reached });
        if log.len > self.most_bytes {
            self.compact(told.run, log).map_err(|e| denial(507, format!("it cannot be shortened: {e}")))?;
        }
        Ok(())
    }

    /// Merges pairs of batches. Times become coarser, but the last write of each writer is kept.
    fn compact(&self, run: Uuid, log: &mut RunLog) -> io::Result<()> {
        let batches = std::mem::take(&mut log.knowledge.batches);
        // Writes that occur only in the first batch of a pair move to the second.
        let mut merged: Vec<Batch> = Vec::with_capacity(batches.len() / 2 + 1);
        for pair in batches.chunks(2) {
            let last = &pair[pair.len() - 1];
            let mut reached: BTreeMap<u16, u64> = BTreeMap::new();
            pair.iter().flat_map(|b| &b.reached).for_each(|(w, s)| {
                let known = reached.entry(*w).or_default();
                *known = (*known).max(*s);
            });
            merged.push(Batch { at_ns: last.at_ns, reached: reached.into_iter().collect() });
        }
        log.knowledge.batches = merged;
        let begin = Entry::begin(log.begun_ns, &log.knowledge.marker).line(0);
        let done = log.knowledge.batches.iter().map(|b| Entry::Done { at_ns: b.at_ns, reached: b.reached.clone() });
        let text: String = std::iter::once(begin).chain(done.map(|entry| entry.line(log.salt))).collect();
        log.failed = true;
        log.file = self.replace(run, text.as_bytes())?;
        log.len = text.len() as u64;
        log.failed = false;
        Ok(())
    }

    /// Removes the records of a run whose directory was removed.
    fn forget(&self, run: Uuid) -> Result<(), Denial> {
        let mut runs = self.locked();
        if runs.remove(&run).is_none() {
            return Err(denial(404, "this witness does not know this run"));
        }
        let removed =
            sys::files::remove_at(&self.directory, &name_of(run)).and_then(|()| sys::files::sync_file(&self.directory));
        removed.map_err(|e| denial(500, format!("its file cannot be removed: {e}")))
    }

    /// Returns the number of known runs.
    #[must_use]
    pub fn count(&self) -> usize {
        self.locked().len()
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        // Closing the file is not sufficient to release the lock: a new child process also holds the descriptor until
        // it executes its program.
        let _ = sys::locks::unlock(&self.directory);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::tests::example;
    use proptest::prelude::*;
    use testkit::symlink;

    fn acknowledgement(reached: &[(u16, u64)]) -> Acknowledgement {
        let marker = example();
        Acknowledgement { run: marker.run, generation: marker.generation, reached: reached.to_vec() }
    }

    fn known(witness: &Witness) -> Knowledge {
        let (status, _, bytes) = witness.get(&format!("/runs/{}", example().run));
        assert_eq!(status, 200);
        let (knowledge, whole) = read_log(&bytes).expect("it is one");
        assert_eq!(whole, bytes.len());
        knowledge
    }

    fn file_of(dir: &Path) -> PathBuf {
        dir.join(name_of(example().run))
    }

    /// Opens a witness in a directory in which another witness has just ended. Retries, because a child process of
    /// another test may hold the lock until it executes its program.
    fn started(dir: &Path) -> Witness {
        let mut witness = None;
        let opened = || {
            witness = Witness::open(dir).ok();
            witness.is_some()
        };
        assert!(testkit::eventually(testkit::PATIENCE, opened), "{:?}", Witness::open(dir).err());
        witness.expect("it was opened")
    }

    #[test]
    fn what_was_answered_is_there_after_a_start_and_a_torn_end_is_cut_off() {
        let temp = tempfile::tempdir().expect("a directory");
        let dir = temp.path().join("state");
        let witness = Witness::open(&dir).expect("it is made");
        witness.begin(example()).expect("it begins");
        witness.acknowledge(&acknowledgement(&[(0, 5), (2, 1)])).expect("kept");
        witness.acknowledge(&acknowledgement(&[(0, 9)])).expect("kept");
        let (before, whole) = (known(&witness), std::fs::read(file_of(&dir)).expect("a file"));
        assert_eq!((before.reached(0), before.reached(1), before.reached(2)), (9, 0, 1));
        drop(witness);
        // Try all lengths of an incomplete write after a complete entry.
        let next = Entry::Done { at_ns: 7, reached: vec![(0, 11)] }.line(salt_of(&example()));
        for cut in 0..=next.len() {
            std::fs::write(file_of(&dir), [&whole, &next.as_bytes()[..cut]].concat()).expect("written");
            let witness = started(&dir);
            let expected = if cut == next.len() { 11 } else { 9 };
            assert_eq!(known(&witness).reached(0), expected, "{cut}");
            witness.acknowledge(&acknowledgement(&[(0, 12)])).expect("it goes on behind what is whole");
            assert_eq!(known(&witness).reached(0), 12);
        }
        // An incomplete write cannot damage a file before its end.
        let mut damaged = [&whole[..], next.as_bytes()].concat();
        damaged[whole.len() - 5] ^= 1;
        std::fs::write(file_of(&dir), damaged).expect("written");
        let refused = || Witness::open(&dir).is_err_and(|e| e.message.contains("not a torn end"));
        assert!(testkit::eventually(testkit::PATIENCE, refused), "{:?}", Witness::open(&dir).err());
    }

    #[test]
    fn what_does_not_fit_is_denied_by_a_status_and_changes_nothing() {
        let temp = tempfile::tempdir().expect("a directory");
        let witness = Witness::open(temp.path()).expect("it opens");
        assert_eq!(witness.acknowledge(&acknowledgement(&[(0, 1)])).expect_err("unknown").status, 404);
        witness.begin(example()).expect("it begins");
        witness.begin(example()).expect("told again");
        let older = Marker { generation: 1, ..example() };
        assert_eq!(witness.begin(older.clone()).expect_err("older").status, 409);
        assert_eq!(witness.begin(Marker { generation: 0, ..example() }).expect_err("none").status, 400);
        for wrong in [&[][..], &[(3, 1)], &[(0, 1), (0, 2), (0, 3), (0, 4)]] {
            assert_eq!(witness.acknowledge(&acknowledgement(wrong)).expect_err("wrong").status, 400);
        }
        let other = Acknowledgement { generation: 1, ..acknowledgement(&[(0, 1)]) };
        assert_eq!(witness.acknowledge(&other).expect_err("older").status, 409);
        for (path, body) in [("/acknowledge", &b"{"[..]), ("/begin", b"[]"), ("/forget", b"7"), ("/begin", b"\xff")] {
            assert_eq!(witness.post(path, body).0, 400, "{path}");
        }
        assert_eq!((witness.post("/else", b"").0, witness.get("/else").0, witness.get("/runs/x").0), (404, 404, 404));
        assert_eq!(known(&witness).batches, Vec::new());
        // An acknowledgement of a later write is never revoked.
        witness.acknowledge(&acknowledgement(&[(0, 9)])).expect("kept");
        witness.acknowledge(&acknowledgement(&[(0, 4)])).expect("an answer was lost");
        assert_eq!(known(&witness).reached(0), 9);
        if !replaces_open_files() {
            return;
        }
        witness.begin(Marker { generation: 3, ..example() }).expect("the next");
        assert_eq!(known(&witness).reached(0), 0);
    }

    /// Returns `true` if a rename can replace an open file. Otherwise reports that the test is skipped.
    fn replaces_open_files() -> bool {
        let temp = tempfile::tempdir().expect("a directory");
        let parent = sys::files::canonical(temp.path()).expect("it is there");
        let parent = sys::files::open_no_links(None, &parent, OpenHow::plain(Access::Directory)).expect("it opens");
        let [old, new] = ["old", "new"].map(std::ffi::OsStr::new);
        let _held = sys::files::create_new(&parent, old).expect("made");
        drop(sys::files::create_new(&parent, new).expect("made"));
        let can = sys::files::rename_at(&parent, new, old).is_ok();
        if !can {
            testkit::skipped("no file can be put in place of one that is open here (wine)");
        }
        can
    }

    #[test]
    fn it_stays_bounded_and_forgets_when_told() {
        if !replaces_open_files() {
            return;
        }
        let temp = tempfile::tempdir().expect("a directory");
        let mut witness = Witness::open(temp.path()).expect("it opens");
        witness.most_bytes = 4000;
        witness.begin(example()).expect("it begins");
        for n in 1..400 {
            witness.acknowledge(&acknowledgement(&[(0, n), (n as u16 % 3, n)])).expect("kept");
            assert!(std::fs::metadata(file_of(temp.path())).expect("a file").len() <= 4200);
        }
        let knowledge = known(&witness);
        assert_eq!((knowledge.reached(0), knowledge.reached(1), knowledge.reached(2)), (399, 397, 398));
        assert!(knowledge.instant(0, 17) <= knowledge.instant(0, 300) && knowledge.instant(0, 399).is_some());
        assert_eq!(knowledge.instant(0, 400), None);
        for n in 1..MOST_RUNS {
            witness.begin(Marker { run: Uuid::from_u128(n as u128), ..example() }).expect("it begins");
        }
        let more = Marker { run: Uuid::from_u128(u128::MAX), ..example() };
        assert_eq!(witness.begin(more.clone()).expect_err("too many").status, 507);
        let body = serde_json::to_vec(&example().run).expect("a name");
        assert_eq!((witness.post("/forget", &body).0, witness.post("/forget", &body).0), (200, 404));
        witness.begin(more).expect("there is room");
        assert_eq!(witness.count(), MOST_RUNS);
    }

    #[test]
    fn what_there_is_no_room_for_is_denied_and_what_was_answered_stays() {
        let temp = tempfile::tempdir().expect("a directory");
        let _small = match testkit::Tmpfs::mount(temp.path(), "64k") {
            Ok(mounted) => mounted,
            Err(why) => testkit::skip!("no small file system: {why}"),
        };
        let dir = temp.path().join("state");
        let witness = Witness::open(&dir).expect("it opens");
        witness.begin(example()).expect("it begins");
        let refused =
            (1..4000).find(|n| witness.acknowledge(&acknowledgement(&[(0, *n)])).is_err()).expect("it fills up");
        let again =
            witness.acknowledge(&acknowledgement(&[(0, refused)])).expect_err("what failed once is not tried again");
        assert_eq!(again.status, 507);
        assert_eq!(known(&witness).reached(0), refused - 1);
        drop(witness);
        let witness = started(&dir);
        assert_eq!(known(&witness).reached(0), refused - 1);
    }

    #[test]
    fn one_directory_has_one_witness_and_other_files_are_left_alone() {
        let temp = tempfile::tempdir().expect("a directory");
        std::fs::write(temp.path().join("notes.witness"), "x").expect("written");
        let link = temp.path().join(format!("{}{ENDING}", Uuid::from_u128(5)));
        if symlink("/etc/hostname", &link).is_ok() {
            assert!(Witness::open(temp.path()).is_err(), "a link is not followed");
            std::fs::remove_file(&link).expect("gone");
        } else {
            testkit::skipped("no symbolic link can be made here");
        }
        let witness = Witness::open(temp.path()).expect("it opens");
        assert_eq!(witness.count(), 0);
        assert!(Witness::open(temp.path()).expect_err("taken").message.contains("another witness"));
    }

    /// Returns the lines that a witness writes for these batches.
    fn file_text(marker: &Marker, batches: &[Vec<(u16, u64)>]) -> Vec<String> {
        let done = |(i, reached): (usize, &Vec<(u16, u64)>)| {
            Entry::Done { at_ns: i as u64, reached: reached.clone() }.line(salt_of(marker))
        };
        let begin = Entry::begin(1, marker).line(0);
        std::iter::once(begin).chain(batches.iter().enumerate().map(done)).collect()
    }

    fn batches() -> impl Strategy<Value = Vec<Vec<(u16, u64)>>> {
        prop::collection::vec(prop::collection::vec((0_u16..3, 1_u64..1 << 40), 1..4), 0..20)
    }

    /// Checks that the recorded batches are a prefix of the reported batches.
    fn no_more_than(read: &Knowledge, told: &[Vec<(u16, u64)>]) {
        let whole: Vec<&Vec<(u16, u64)>> = read.batches.iter().map(|b| &b.reached).collect();
        assert!(whole.len() <= told.len() && whole.iter().zip(told).all(|(a, b)| *a == b), "{whole:?} of {told:?}");
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
            let _ = read_log(&bytes);
            let begin = Entry::begin(1, &example()).line(0);
            let file = [begin.as_bytes(), &bytes].concat();
            prop_assert!(read_log(&file).is_some_and(|(_, whole)| whole >= begin.len()));
        }

        /// Even if the file is truncated, or has flipped bits or inserted bytes at any position, the result must be a
        /// prefix of the reported batches.
        #[test]
        fn a_file_that_was_harmed_tells_nothing_that_was_not_told(
            told in batches(), cut: prop::sample::Index, flips in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..8), 0..4),
            put in prop::option::of((any::<prop::sample::Index>(), any::<Vec<u8>>())),
        ) {
            let whole = file_text(&example(), &told).concat().into_bytes();
            let mut harmed = whole.clone();
            for (at, bit) in &flips {
                harmed[at.index(whole.len())] ^= 1 << bit;
            }
            if let Some((at, bytes)) = put {
                let at = at.index(harmed.len() + 1);
                harmed.splice(at..at, bytes);
            }
            harmed.truncate(cut.index(harmed.len() + 1));
            if let Some((read, length)) = read_log(&harmed) {
                no_more_than(&read, &told);
                prop_assert_eq!(&read.marker, &example());
                prop_assert!(length <= harmed.len());
            }
        }

        /// If intact lines from the file of another run or generation are inserted, none of them may be accepted.
        #[test]
        fn lines_of_another_file_are_not_taken_for_this_ones(
            told in batches(), others in batches(), at: prop::sample::Index, generation: bool,
        ) {
            let other = match generation {
                true => Marker { generation: example().generation + 1, ..example() },
                false => Marker { run: Uuid::from_u128(77), ..example() },
            };
            let mut lines = file_text(&example(), &told);
            let at = 1 + at.index(lines.len());
            let foreign = file_text(&other, &others);
            lines.splice(at..at, foreign);
            let (read, whole) = read_log(lines.concat().as_bytes()).expect("it begins");
            no_more_than(&read, &told);
            prop_assert_eq!((read.batches.len(), whole), (at - 1, lines[..at].concat().len()));
        }
    }
}

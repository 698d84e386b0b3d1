//! Tests with the real GT.M: databases are set up, filled in parallel, driven, killed, recovered and removed.
//!
//! The test program also serves the sessions, because an M engine takes over the process that loads it.

#![expect(clippy::print_stdout, reason = "a test tells how it went")]

use db::{Counters, Creation, Database, EngineEntry, EngineSettings, Environment, Marker, SERVE_COMMAND};
use load::session::{Batch, BatchResult, KeyGenerator, Session};
use model::plan::{
    Access, ErrorPolicy, GlobalSize, JobTuning, KeyOrder, Mix, SessionRule, StopRule, TargetKind, ValueRule, Work,
    Workload,
};
use model::{Bytes, Job, Nanos, Target, measured::FileRole};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;
use sys::files::MetadataExt;

fn main() {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if words.first().is_some_and(|word| word == SERVE_COMMAND) {
        let outcome = db::serve_session(&words[1..], &mut std::io::stdin(), &mut std::io::stdout());
        std::process::exit(i32::from(outcome.is_err()));
    }
    let tests: [(&str, fn()); 6] = [
        ("globals_filled_at_the_same_time_count_exactly", globals_filled_at_the_same_time_count_exactly),
        ("a_transaction_is_told_by_its_parts", a_transaction_is_told_by_its_parts),
        ("what_was_acknowledged_survives_a_kill", what_was_acknowledged_survives_a_kill),
        ("without_a_journal_nothing_is_journaled", without_a_journal_nothing_is_journaled),
        ("globals_are_spread_over_rooms_and_nothing_stays", globals_are_spread_over_rooms_and_nothing_stays),
        ("the_scripts_we_give_away_run", the_scripts_we_give_away_run),
    ];
    let wanted: Vec<String> = words.iter().filter_map(|w| Some(w.to_str()?.to_owned())).collect();
    let wanted: Vec<&String> = wanted.iter().filter(|w| !w.starts_with('-')).collect();
    if let Err(reason) = (entry().probe)(&surroundings()) {
        testkit::skipped(&reason.to_string());
        return;
    }
    for (name, test) in tests {
        if wanted.is_empty() || wanted.iter().any(|w| name.contains(w.as_str())) {
            let begun = Instant::now();
            test();
            println!("test gtm::{name} ... ok ({} ms)", begun.elapsed().as_millis());
        }
    }
}

fn entry() -> &'static EngineEntry {
    db::find_engine("gtm").expect("the feature is on")
}

fn surroundings() -> Environment {
    Environment { program: std::env::current_exe().expect("this test"), ..Environment::default() }
}

/// A database in its own directory.
struct Set {
    dir: tempfile::TempDir,
    marker: Marker,
    database: Box<dyn Database>,
}

impl Set {
    fn new(rooms: usize) -> Set {
        // On the disk that contains the build, because /tmp may be in memory.
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let data: Vec<PathBuf> = (1..rooms.max(1)).map(|i| dir.path().join(format!("d{i}"))).collect();
        data.iter().for_each(|d| std::fs::create_dir(d).unwrap());
        let at = dir.path().join("ran");
        let marker = Marker::create(&at, "gtm", "RAN", "now".into(), Bytes(8192), &data, None, None, true).unwrap();
        let creation = Creation { marker: marker.clone(), directory: at, environment: surroundings() };
        let database = (entry().create)(&creation).unwrap_or_else(|e| panic!("{e}"));
        Set { dir, marker, database }
    }

    fn start(&mut self, how: &EngineSettings) {
        let begun = Instant::now();
        let clock = Arc::new(move || begun.elapsed().as_nanos() as u64);
        self.database.start(how, clock).unwrap_or_else(|e| panic!("{e}"));
    }

    fn open(&self, rule: &SessionRule) -> Box<dyn Session> {
        self.database.sessions().open(&job(rule), 0).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Fills globals, each with its own thread and process.
    fn fill(&self, globals: &[u32], count: u64) {
        std::thread::scope(|scope| {
            for number in globals {
                scope.spawn(move || {
                    self.database.create_global(*number, None, 0).unwrap();
                    let rule = rule(*number, count, 500, KeyOrder::Sequential { from: 1 }, 0);
                    drive(&mut *self.open(&rule), &rule, count, |_, _| {});
                    self.database.set_size(*number, count).unwrap();
                });
            }
        });
    }

    fn purge(mut self) {
        let kernel = Kernel::now(&self.marker);
        assert!(!kernel.memory.is_empty(), "it was started");
        self.database.stop().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(self.database.in_use().unwrap(), None);
        self.database.remove().unwrap();
        assert_eq!(kernel.left(), Vec::<String>::new(), "shared memory or semaphores stay");
        let home = self.dir.path().join("ran");
        assert_eq!(self.marker.purge(&home).unwrap(), Vec::<String>::new());
        assert!(!home.exists());
    }
}

/// Kernel objects of a database: IDs of shared memory that our processes created, and keys of the semaphores for the
/// database's files (from ftok(3), with GT.M's number 43).
struct Kernel {
    memory: Vec<String>,
    semaphores: Vec<String>,
}

impl Kernel {
    fn now(marker: &Marker) -> Kernel {
        let ours = |pid: &str| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)) == Some(&std::process::id().to_string())
        };
        let memory = table("shm").into_iter().filter(|row| ours(&row[4])).map(|row| row[1].clone()).collect();
        let files = marker.directories.data.iter().enumerate().map(|(i, room)| room.join(format!("data{}.dat", i + 1)));
        let semaphores = files.map(|file| {
            let metadata = sys::files::metadata(file).unwrap();
            ((43u64 << 24) | ((metadata.dev() & 0xff) << 16) | (metadata.ino() & 0xffff)).to_string()
        });
        Kernel { memory, semaphores: semaphores.collect() }
    }

    fn left(&self) -> Vec<String> {
        let memory = table("shm").into_iter().filter(|row| self.memory.contains(&row[1])).map(|row| row[1].clone());
        let semaphores = table("sem").into_iter().filter(|r| self.semaphores.contains(&r[0])).map(|r| r[0].clone());
        memory.chain(semaphores).collect()
    }
}

/// Returns the rows of a table of System V objects: key, id, ... In the table of shared memory, the fifth column is the
/// process that created it.
fn table(name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(format!("/proc/sysvipc/{name}")).unwrap();
    text.lines().skip(1).map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
}

const HOW: EngineSettings =
    EngineSettings { journal: true, durable: true, cache: Bytes::from_mib(4), write_back_every: Nanos::from_secs(1) };

fn rule(number: u32, count: u64, batch: u32, order: KeyOrder, read_percent: u8) -> SessionRule {
    let global = GlobalSize::new(number, count);
    SessionRule {
        blocks: false,
        batch,
        transaction: true,
        hang: Nanos(0),
        hang_variation: 0,
        read_percent,
        own: global,
        read: vec![global],
        order,
        value: ValueRule::Length { from: 40, to: 60 },
        names: None,
        extra: Default::default(),
    }
}

/// Returns a job with this rule, the only part of a job that a session reads.
fn job(rule: &SessionRule) -> Job {
    Job {
        name: "test".into(),
        workload: Workload::new(Mix::WRITE, Bytes(8192), Access::Sequential),
        target: Target {
            kind: TargetKind::Null,
            path: PathBuf::new(),
            size: Bytes(0),
            offset: Bytes(0),
            direct: false,
            align: Bytes(1),
            uuid: None,
        },
        more: Vec::new(),
        engine: "session".into(),
        queue_depth: 1,
        threads: 1,
        stop: StopRule { ramp: Nanos(0), time: Nanos(0), steady_after: None, max_ops: None },
        on_error: ErrorPolicy::Stop,
        seed: 1,
        faults: None,
        tuning: JobTuning { work: Work::Session(Box::new(rule.clone())), ..JobTuning::default() },
    }
}

/// Performs `operations` with a session and passes each batch with its result to `seen`.
fn drive(
    session: &mut dyn Session,
    rule: &SessionRule,
    operations: u64,
    mut seen: impl FnMut(&Batch<'_>, &BatchResult),
) {
    let mut generator = KeyGenerator::new(rule, 1, 0, 0);
    let mut result = generator.empty_result();
    let mut left = operations;
    while left > 0 {
        let batch = generator.draw(left);
        result.clear();
        session.perform(&batch, &mut result).unwrap_or_else(|e| panic!("{e}"));
        left -= batch.keys.len() as u64;
        seen(&batch, &result);
    }
}

fn count_of(counters: &Counters, name: &str) -> f64 {
    counters.counts.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("no {name}")).1
}

fn globals_filled_at_the_same_time_count_exactly() {
    let mut set = Set::new(1);
    set.start(&HOW);
    set.fill(&[1, 2], 20_000);
    for number in [1, 2] {
        assert_eq!(
            (set.database.count(number, None).unwrap(), set.database.size(number).unwrap()),
            (20_000, Some(20_000))
        );
    }
    assert_eq!((set.database.count(3, None).unwrap(), set.database.size(3).unwrap()), (0, None));
    // Once the global has been created again, it is empty. The other global is not.
    set.database.create_global(1, None, 0).unwrap();
    assert_eq!((set.database.count(1, None).unwrap(), set.database.count(2, None).unwrap()), (0, 20_000));
    set.database.quiesce().unwrap();
    let files = set.database.files().unwrap();
    let data: Vec<_> = files.iter().filter(|f| f.role == FileRole::Data).collect();
    assert_eq!(data.len(), 1);
    // 2 x 20,000 records of 50 bytes take more than 250 blocks. The reported part was written, so none of its blocks is
    // a hole.
    assert!(data[0].written.as_u64() >= 250 * 8192 && data[0].written.as_u64().is_multiple_of(8192), "{data:?}");
    let file = std::fs::File::open(&data[0].path).unwrap();
    let range = data[0].offset.as_u64()..data[0].offset.as_u64() + data[0].written.as_u64();
    if let Some(extents) = sys::storage::extents(&file, range).unwrap() {
        assert_eq!(extents.iter().find(|e| e.unwritten()), None, "not even a part of a block");
    }
    let facts = set.database.facts().unwrap();
    assert!(facts.version.contains("V") && facts.commit.contains("ACID"), "{facts:?}");
    assert_eq!(facts.cache, Bytes::from_mib(4));
    assert!(set.database.check().unwrap()[0].contains("no errors"));
    set.purge();
}

fn a_transaction_is_told_by_its_parts() {
    let mut set = Set::new(1);
    set.start(&HOW);
    set.fill(&[1, 2], 2_000);
    let before = set.database.counters().unwrap();
    std::thread::scope(|scope| {
        for number in [1, 2] {
            let set = &set;
            scope.spawn(move || {
                let rule = rule(number, 2_000, 50, KeyOrder::Random, 0);
                drive(&mut *set.open(&rule), &rule, 1_000, |batch, result| {
                    assert_eq!((result.each.len(), result.commits.len(), result.missing), (batch.keys.len(), 1, 0));
                    let parts: u64 = result.each.iter().sum::<u64>() + result.commits[0];
                    assert!(result.whole > 0 && parts <= result.whole + 2_000_000, "{result:?}");
                });
            });
        }
    });
    let after = set.database.counters().unwrap();
    let more = |name| count_of(&after, name) - count_of(&before, name);
    // Each SET is in the journal, with a few records that GT.M writes itself. GT.M adds to these counters outside its
    // critical section, so some counts of two processes are lost: JRL was 1,999 once.
    assert!((1_900.0..2_100.0).contains(&more("JRL")) && (1_900.0..=2_000.0).contains(&more("SET")), "{after:?}");
    assert!(after.roles.iter().any(|r| r.role == FileRole::Journal && r.flushes > Some(0)), "{:?}", after.roles);
    let mut alone = rule(1, 2_000, 10, KeyOrder::Random, 0);
    alone.transaction = false;
    drive(&mut *set.open(&alone), &alone, 10, |_, result| {
        assert_eq!((result.each.len(), result.commits.len()), (10, 0))
    });
    let read = rule(1, 2_000, 100, KeyOrder::Random, 100);
    drive(&mut *set.open(&read), &read, 500, |_, result| {
        assert!(result.missing == 0 && (4_000..=6_000).contains(&result.bytes), "{result:?}");
    });
    // Both orders visit all nodes and report the missing ones.
    for order in [KeyOrder::Scan, KeyOrder::Sequential { from: 1 }] {
        let beyond = rule(2, 2_500, 500, order, 100);
        let mut missing = Vec::new();
        drive(&mut *set.open(&beyond), &beyond, 3_000, |_, result| missing.push(result.missing));
        assert_eq!(missing, [0, 0, 0, 0, 500, 0], "{order:?}");
    }
    set.purge();
}

fn what_was_acknowledged_survives_a_kill() {
    let mut set = Set::new(1);
    set.start(&HOW);
    set.fill(&[1], 1_000);
    let rule = rule(1, 100_000, 20, KeyOrder::Sequential { from: 1_001 }, 0);
    let mut session = set.open(&rule);
    let victims = children();
    let acknowledged = Arc::new(AtomicU64::new(0));
    let mut generator = KeyGenerator::new(&rule, 1, 0, 0);
    let mut result = generator.empty_result();
    // The whole engine is killed, as in a crash of the machine: our session, and the process that keeps the shared
    // memory.
    let written = Arc::clone(&acknowledged);
    let killer = std::thread::spawn(move || {
        let reached = testkit::eventually(testkit::PATIENCE, || written.load(Relaxed) > 3_000);
        victims.into_iter().for_each(|pid| sys::process::send_signal(pid, 9).unwrap());
        reached
    });
    loop {
        let batch = generator.draw(u64::MAX);
        result.clear();
        match session.perform(&batch, &mut result) {
            Ok(()) => acknowledged.store(batch.keys[batch.keys.len() - 1].subscript, Relaxed),
            Err(gone) => {
                assert!(gone.to_string().contains("signal: 9"), "{gone}");
                break;
            }
        }
    }
    assert!(killer.join().unwrap(), "records were written before the kill");
    let acknowledged = acknowledged.load(Relaxed);
    drop(session);
    set.start(&HOW);
    let notes = set.database.facts().unwrap().notes;
    assert!(notes.iter().any(|n| n.contains("recover")), "{notes:?}");
    let count = set.database.count(1, None).unwrap();
    assert!(count >= acknowledged.max(1_000) && (count - 1_000).is_multiple_of(20), "{count} of {acknowledged}");
    assert!(set.database.check().unwrap()[0].contains("no errors"));
    set.purge();
}

/// Returns the child processes of this process.
fn children() -> Vec<u32> {
    let path = format!("/proc/self/task/{}/children", std::process::id());
    let text = std::fs::read_to_string(path).unwrap();
    text.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

fn without_a_journal_nothing_is_journaled() {
    let mut set = Set::new(1);
    set.start(&EngineSettings { journal: false, durable: false, ..HOW });
    set.fill(&[1], 2_000);
    let counters = set.database.counters().unwrap();
    assert_eq!((count_of(&counters, "JFW"), count_of(&counters, "JRL")), (0.0, 0.0));
    assert!(set.database.facts().unwrap().commit.contains("no journal"));
    // After a kill without a journal, the database is cleaned up and works again.
    children().into_iter().for_each(|pid| sys::process::send_signal(pid, 9).unwrap());
    set.start(&HOW);
    set.fill(&[2], 500);
    assert_eq!(set.database.count(2, None).unwrap(), 500);
    assert!(count_of(&set.database.counters().unwrap(), "JRL") >= 500.0);
    // A start with other settings is rejected while another process uses the database.
    let creation =
        Creation { marker: set.marker.clone(), directory: set.dir.path().join("ran"), environment: surroundings() };
    let mut other = (entry().open)(&creation).unwrap();
    let refused = other.start(&EngineSettings { journal: false, ..HOW }, Arc::new(|| 0)).unwrap_err().to_string();
    assert!(refused.contains("its journal is on"), "{refused}");
    other.start(&HOW, Arc::new(|| 0)).unwrap();
    assert_eq!(other.count(2, None).unwrap(), 500);
    other.stop().unwrap();
    assert!(other.in_use().unwrap().is_some());
    // The next command waits for the sessions of a killed run: each holds a lock until its process has ended.
    let log = std::fs::File::open(set.marker.directories.work.join("sessions.log")).unwrap();
    assert!(!sys::locks::try_lock(&log, true).unwrap());
    children().into_iter().for_each(|pid| sys::process::send_signal(pid, 9).unwrap());
    other.wait_for_killed_run().unwrap();
    assert!(sys::locks::try_lock(&log, true).unwrap());
    drop(log);
    set.start(&HOW);
    set.purge();
}

fn globals_are_spread_over_rooms_and_nothing_stays() {
    let mut set = Set::new(3);
    set.start(&HOW);
    set.fill(&[1, 2], 5_000);
    assert_eq!((set.database.count(1, None).unwrap(), set.database.count(2, None).unwrap()), (5_000, 5_000));
    set.database.quiesce().unwrap();
    let files = set.database.files().unwrap();
    let data: Vec<u64> = files.iter().filter(|f| f.role == FileRole::Data).map(|f| f.written.as_u64()).collect();
    assert!(data.len() == 2 && data.iter().all(|n| *n >= 30 * 8192), "{data:?}");
    // After the directory of the database was moved, the journal is written to the same files as before.
    let (at, moved) = (set.dir.path().join("ran"), set.dir.path().join("moved"));
    set.database.stop().unwrap();
    let files = |marker: &Marker| -> Vec<String> {
        let rooms = marker.directories.data.iter().chain([&marker.directories.journal]);
        let mut names: Vec<String> = rooms
            .flat_map(|room| std::fs::read_dir(room).unwrap())
            .map(|e| e.unwrap().path().display().to_string())
            .collect();
        names.sort();
        names.dedup();
        names
    };
    let before = files(&set.marker);
    std::fs::rename(&at, &moved).unwrap();
    let mut marker = Marker::open(&moved).unwrap();
    let creation = Creation { marker: marker.clone(), directory: moved.clone(), environment: surroundings() };
    set.database = (entry().open)(&creation).unwrap_or_else(|e| panic!("{e}"));
    marker.update_location(&moved).unwrap();
    set.marker = marker;
    set.start(&HOW);
    assert_eq!(files(&set.marker), before);
    set.database.stop().unwrap();
    std::fs::rename(&moved, &at).unwrap();
    let marker = Marker::open(&at).unwrap();
    let creation = Creation { marker: marker.clone(), directory: at, environment: surroundings() };
    set.database = (entry().open)(&creation).unwrap_or_else(|e| panic!("{e}"));
    set.marker = marker;
    set.start(&HOW);
    assert!(
        set.marker.directories.data.iter().all(|room| room.is_dir() && Path::new(room) != set.marker.directories.work)
    );
    set.purge();
}

/// Runs the output of `secchi db script --engine gtm` as its README describes.
fn the_scripts_we_give_away_run() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for (name, text) in db::scripts::scripts("gtm").unwrap() {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let dist = db::gtm::installed(&surroundings()).unwrap();
    let shell = |script: &str| {
        let mut command = std::process::Command::new("sh");
        let output = command.arg("-ec").arg(script).current_dir(dir.path()).env("gtm_dist", &dist).output().unwrap();
        let output_text =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}: {output_text}");
        output_text
    };
    let m = |call: &str| shell(&format!(". ran/env; cd ran; $gtm_dist/mumps -run %XCMD 'do {call}'"));
    shell("sh setup-gtm.sh ran");
    let mut output_text = m("create^SECCHI(2,3000)") + &m("add^SECCHI(3)");
    let counts = m("count^SECCHI");
    assert!(counts.contains("global=3 subscripts=3000") && counts.contains("global=all subscripts=9000"), "{counts}");
    assert_eq!(m("sizes^SECCHI").matches("subscripts=3000").count(), 3);
    output_text += &m("ranwrite^SECCHI(2,.3,50,2)");
    output_text += &m("ranio^SECCHI(3,.3,20,1,50)");
    output_text += &m("ranread^SECCHI(1,.2)");
    output_text += &m("seqread^SECCHI(1)");
    output_text += &m("update^SECCHI(1,100,200,55)");
    assert!(m("count^SECCHI").contains("global=all subscripts=9000"));
    assert!(m("ranwrite^SECCHI(4,1)").contains("only 3 globals"));
    assert!(m("ranwrite^SECCHI(1,1,50,2,45,0,1)").contains("cannot switch the journal off"));
    // Each printed run has at least two lines. `import` reads their format and has tests with such a text.
    for verb in ["create", "ranwrite", "ranio", "ranread", "seqread", "update"] {
        let line = output_text
            .lines()
            .find(|line| line.contains(&format!("verb={verb} ")))
            .unwrap_or_else(|| panic!("{output_text}"));
        assert!(line.contains(" failed=0 "), "{line}");
    }
    for what in ["of=update ", "of=commit ", "of=transaction ", "of=read "] {
        assert!(output_text.contains(what), "{what}: {output_text}");
    }
    let runs = import::read_runs(output_text.as_bytes()).unwrap();
    assert_eq!(runs.len(), 7);
    let write = &runs[2];
    let writes: u64 = write.workers.iter().map(|w| w.writes).sum();
    assert_eq!((write.workers.len(), write.latencies["update"].count()), (2, writes));
    assert_eq!(write.latencies["commit"].count() * 50, writes);
    let scanned: u64 = runs[5].workers.iter().map(|w| w.reads).sum();
    assert_eq!(scanned, 3000);
    shell(". ran/env; cd ran; $gtm_dist/mupip rundown -region '*'");
}

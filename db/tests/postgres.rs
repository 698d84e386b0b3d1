//! Tests with the real PostgreSQL: databases are set up, filled in parallel, driven, killed, recovered and removed.
//!
//! They run with the installed server and with every server in `SECCHI_PG_BIN` (directories, separated by colons).

#![cfg(feature = "postgres")]

use db::{Creation, Database, EngineEntry, EngineSettings, Environment, Marker};
use load::session::{BatchKind, BatchResult, KeyGenerator, Session};
use model::plan::{
    Access, ErrorPolicy, GlobalSize, JobTuning, KeyOrder, Mix, SessionRule, StopRule, TargetKind, ValueRule, Work,
    Workload,
};
use model::{Bytes, Job, Nanos, Target, measured::FileRole};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use sys::files::FileExt;

const HOW: EngineSettings =
    EngineSettings { journal: true, durable: true, cache: Bytes::from_mib(4), write_back_every: Nanos::from_secs(300) };

fn entry() -> &'static EngineEntry {
    db::find_engine("postgres").expect("the feature is on")
}

/// Returns the servers to test with; empty if none is installed.
fn servers() -> Vec<Environment> {
    let named = std::env::var_os("SECCHI_PG_BIN").unwrap_or_default();
    let named = std::env::split_paths(&named).filter(|p| !p.as_os_str().is_empty()).map(Some);
    let path: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let candidates = [None].into_iter().chain(named).map(|bin| {
        let installed = bin.map(|bin| ("postgres", bin)).into_iter().collect();
        Environment { installed, path: path.clone(), ..Default::default() }
    });
    candidates
        .filter(|s| match (entry().probe)(s) {
            Ok(_) => true,
            Err(reason) => {
                testkit::skipped(&reason.to_string());
                false
            }
        })
        .collect()
}

/// A database in its own directory, which the user of the server can enter.
struct Set {
    dir: tempfile::TempDir,
    creation: Creation,
    database: Box<dyn Database>,
}

/// Creates a temporary directory. A server started by root runs as another user, who cannot enter root's directories.
fn place() -> tempfile::TempDir {
    let parent = ["/var/tmp", "/tmp"].into_iter().find(|p| Path::new(p).is_dir()).expect("a place for files");
    let dir = tempfile::tempdir_in(parent).unwrap();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    dir
}

impl Set {
    fn new(server: &Environment) -> Set {
        Set::with(server, "ran", 0, false, None)
    }

    /// Creates a database in a directory of this name, with `more` data directories, optionally one for the journal, or
    /// on an external server.
    fn with(server: &Environment, name: &str, more: usize, journal: bool, url: Option<String>) -> Set {
        let dir = place();
        let make = |name: String| {
            let path = dir.path().join(name);
            std::fs::create_dir(&path).unwrap();
            path
        };
        let data: Vec<PathBuf> = (1..=more).map(|i| make(format!("d{i}"))).collect();
        let journal = journal.then(|| make("j".into()));
        let at = dir.path().join(name);
        let page = Bytes(8192);
        let mut marker =
            Marker::create(&at, "postgres", "RAN", "now".into(), page, &data, journal.as_deref(), None, true).unwrap();
        marker.url = url;
        let creation = Creation { marker, directory: at, environment: server.clone() };
        let database = (entry().create)(&creation).unwrap_or_else(|e| panic!("{e}"));
        Set { dir, creation, database }
    }

    fn start(&mut self, how: &EngineSettings) {
        let begun = Instant::now();
        let clock = Arc::new(move || begun.elapsed().as_nanos() as u64);
        self.database.start(how, clock).unwrap_or_else(|e| panic!("{e}"));
    }

    fn session(&self, rule: &SessionRule) -> Box<dyn Session> {
        self.database.sessions().open(&job(rule), 0).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Fills globals, each with its own thread and session.
    fn fill(&self, globals: &[u32], count: u64) {
        std::thread::scope(|scope| {
            for number in globals {
                scope.spawn(move || {
                    self.database.create_global(*number, None, 0).unwrap();
                    let rule = rule(*number, count, KeyOrder::Sequential { from: 1 }, 0);
                    drive(&mut *self.session(&rule), &rule, count);
                    self.database.set_size(*number, count).unwrap();
                });
            }
        });
    }

    fn cluster(&self) -> PathBuf {
        self.creation.marker.directories.data[0].join("cluster")
    }

    /// Returns the ID of the server's process, from the lock file.
    fn server(&self) -> Option<u32> {
        std::fs::read_to_string(self.cluster().join("postmaster.pid")).ok()?.lines().next()?.parse().ok()
    }

    fn remove(mut self) {
        self.database.remove().unwrap();
        let left = self.creation.marker.purge(&self.creation.directory).unwrap();
        assert_eq!(left, Vec::<String>::new());
        assert!(!self.creation.directory.exists());
    }
}

fn rule(global: u32, count: u64, order: KeyOrder, read_percent: u8) -> SessionRule {
    let size = GlobalSize::new(global, count);
    SessionRule {
        blocks: false,
        batch: 50,
        transaction: true,
        hang: Nanos(0),
        hang_variation: 0,
        read_percent,
        own: size,
        read: vec![size],
        order,
        value: ValueRule::Length { from: 200, to: 255 },
        names: None,
        extra: Default::default(),
    }
}

fn job(rule: &SessionRule) -> Job {
    let target = Target {
        kind: TargetKind::Null,
        path: "/".into(),
        size: Bytes(0),
        offset: Bytes(0),
        direct: false,
        align: Bytes(1),
        uuid: None,
    };
    Job {
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
        tuning: JobTuning { work: Work::Session(Box::new(rule.clone())), ..JobTuning::default() },
    }
}

/// Performs `count` operations and returns the result of the last batch.
fn drive(session: &mut dyn Session, rule: &SessionRule, count: u64) -> BatchResult {
    let mut generator = KeyGenerator::new(rule, 7, 0, 0);
    let mut result = generator.empty_result();
    let mut left = count;
    while left > 0 {
        result.clear();
        let batch = generator.draw(left);
        left -= batch.keys.len() as u64;
        session.perform(&batch, &mut result).unwrap();
        if batch.kind == BatchKind::Update {
            assert_eq!((result.each.len(), result.commits.len()), (batch.keys.len(), usize::from(batch.transaction)));
        }
        assert_eq!(result.each.len() as u64 + result.missing, batch.keys.len() as u64);
    }
    result
}

fn alive(pid: u32) -> bool {
    // A process that was not waited for is a zombie and counts as ended.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

fn wait_until(what: &str, done: impl FnMut() -> bool) {
    assert!(testkit::eventually(testkit::PATIENCE, done), "{what}");
}

#[test]
fn globals_filled_at_the_same_time_count_exactly_and_are_driven() {
    for server in servers() {
        let mut set = Set::new(&server);
        set.start(&HOW);
        set.fill(&[1, 2], 3000);
        let (db, random) = (&set.database, rule(2, 3000, KeyOrder::Random, 0));
        assert_eq!([1, 2].map(|n| db.count(n, None).unwrap()), [3000, 3000]);
        assert_eq!([1, 2, 3].map(|n| db.size(n).unwrap()), [Some(3000), Some(3000), None]);
        db.quiesce().unwrap();

        let before = db.counters().unwrap();
        let mut session = set.session(&random);
        drive(&mut *session, &random, 1000);
        let reading = rule(2, 3001, KeyOrder::Scan, 100);
        let result = drive(&mut *set.session(&reading), &reading, 3001);
        assert_eq!((result.missing, result.each.len()), (1, 0), "record 3001 was never set");
        let alone = SessionRule { transaction: false, ..random.clone() };
        drive(&mut *session, &alone, 50);
        drop(session);
        let after = db.counters().unwrap();
        let more = |name: &str| {
            let value = |c: &db::Counters| c.mgstat.iter().find(|(n, _)| *n == name).unwrap().1;
            value(&after) - value(&before)
        };
        assert_eq!(more("Gloupds"), 1050.0);
        // The server also reads its own catalog.
        assert!((4050.0..5050.0).contains(&more("Glorefs")) && more("Jrnwrts") >= 70.0, "{after:?}");
        assert!(after.backlog.unwrap() > 0.0, "{after:?}");
        assert_eq!(db.count(2, None).unwrap(), 3000);

        db.quiesce().unwrap();
        assert_eq!(db.counters().unwrap().backlog, Some(0.0));
        let files = db.files().unwrap();
        let data: u64 = files.iter().filter(|f| f.role == FileRole::Data).map(|f| f.written.as_u64()).sum();
        assert!(data >= 2 * 2 * 3000 * 200 && data.is_multiple_of(8192), "{files:?}");
        assert!(files.iter().any(|f| f.role == FileRole::Journal));
        // The header of a page contains its size, which shows that the page was written.
        let table = &files[0];
        let mut page = [0; 8192];
        std::fs::File::open(&table.path).unwrap().read_exact_at(&mut page, table.written.as_u64() - 8192).unwrap();
        assert_eq!(u16::from_le_bytes([page[18], page[19]]) & 0xff00, 8192);
        assert!(db.phases().iter().any(|p| p.name.starts_with("checkpoint") && p.end >= p.start));
        let facts = db.facts().unwrap();
        assert_eq!((facts.page, facts.cache), (Bytes(8192), HOW.cache));
        assert!(facts.commit.contains("synchronous_commit=on"), "{facts:?}");
        assert!(set.database.check().unwrap().iter().any(|s| s.contains("ok")));

        // Another run at the same time may read the files but not drive the server.
        let mut second = (entry().open)(&set.creation).unwrap();
        assert_eq!(second.files().unwrap(), files);
        assert!(second.in_use().unwrap().unwrap().contains(&format!("process {} is using it", std::process::id())));

        let pid = set.server().unwrap();
        set.database.stop().unwrap();
        assert!(!alive(pid));
        assert_eq!(second.in_use().unwrap(), None);
        second.stop().unwrap();
        assert!(set.database.check().unwrap().iter().any(|s| s.contains("all checksums correct")));
        set.remove();
    }
}

#[test]
fn what_was_acknowledged_survives_a_kill_of_the_server() {
    for server in servers() {
        let mut set = Set::new(&server);
        set.start(&HOW);
        set.database.create_global(1, None, 0).unwrap();
        let rule = rule(1, 100_000, KeyOrder::Sequential { from: 1 }, 0);
        let mut session = set.session(&rule);
        let mut generator = KeyGenerator::new(&rule, 7, 0, 0);
        let mut result = generator.empty_result();
        let (mut acknowledged, pid) = (0, set.server().unwrap());
        let error = loop {
            result.clear();
            let batch = generator.draw(u64::MAX);
            match session.perform(&batch, &mut result) {
                Ok(()) => acknowledged += batch.keys.len() as u64,
                Err(e) => break e,
            }
            if acknowledged == 1000 {
                sys::process::send_signal(pid, 9).unwrap();
            }
        };
        assert!(error.to_string().contains("postgres cannot"), "{error}");
        drop(session);
        set.start(&HOW);
        let count = set.database.count(1, None).unwrap();
        assert!(count >= acknowledged && count <= acknowledged + 50, "{acknowledged} acknowledged, {count} there");
        // Random updates create missing records.
        let sparse = self::rule(1, 1 << 40, KeyOrder::Random, 0);
        drive(&mut *set.session(&sparse), &sparse, 100);
        assert_eq!(set.database.count(1, None).unwrap(), count + 100);
        let facts = set.database.facts().unwrap();
        assert!(facts.notes.iter().any(|n| n.contains("recovered")), "{facts:?}");
        set.remove();
    }
}

#[test]
fn without_a_journal_nothing_is_journaled_and_a_kill_empties_a_global_aloud() {
    for server in servers().into_iter().take(1) {
        let mut set = Set::new(&server);
        set.start(&HOW);
        set.fill(&[1], 2000);
        let none = EngineSettings { journal: false, durable: false, ..HOW };
        set.start(&none);
        assert_eq!(set.database.count(1, None).unwrap(), 2000, "a change of journal keeps records");
        let wal = |set: &Set| {
            let counts = set.database.counters().unwrap().counts;
            counts.iter().find(|(n, _)| n == "pg_stat_wal.wal_bytes").unwrap().1
        };
        let (rule, before) = (rule(1, 2000, KeyOrder::Random, 0), wal(&set));
        drive(&mut *set.session(&rule), &rule, 1000);
        let journaled = wal(&set) - before;
        assert!(journaled < 1000.0 * 100.0, "{journaled} bytes of journal for 1000 values of 200 and more");
        let facts = set.database.facts().unwrap();
        assert!(facts.commit.contains("=off") && facts.commit.contains("unlogged"), "{facts:?}");

        sys::process::send_signal(set.server().unwrap(), 9).unwrap();
        wait_until("the server is gone", || set.database.counters().is_err());
        set.start(&none);
        assert_eq!((set.database.count(1, None).unwrap(), set.database.size(1).unwrap()), (0, None));
        let notes = set.database.facts().unwrap().notes;
        assert!(notes.iter().any(|n| n.contains("globals 1 were not journaled")), "{notes:?}");
        set.remove();
    }
}

#[test]
fn a_global_is_loaded_in_one_message_for_many_records_and_set_again_one_by_one() {
    for server in servers().into_iter().take(1) {
        let mut set = Set::with(&server, "a,b", 0, false, None);
        set.start(&HOW);
        set.database.create_global(1, None, 0).unwrap();
        let rule = rule(1, 1000, KeyOrder::Sequential { from: 1 }, 0);
        let statements = |set: &Set| {
            let counts = set.database.counters().unwrap().counts;
            counts.iter().find(|(n, _)| n == "pg_stat_database.tup_inserted").unwrap().1
        };
        let before = statements(&set);
        // The last batches begin at the first record again, which then exists.
        drive(&mut *set.session(&rule), &rule, 1100);
        assert_eq!(set.database.count(1, None).unwrap(), 1000);
        assert!(statements(&set) - before >= 1000.0);
        set.remove();
    }
}

#[test]
fn globals_are_spread_over_rooms_and_a_long_name_needs_no_long_socket() {
    for server in servers().into_iter().take(1) {
        let mut set = Set::with(&server, &"n".repeat(100), 2, true, None);
        set.start(&HOW);
        set.fill(&[1, 2], 100);
        assert_eq!([1, 2].map(|n| set.database.count(n, None).unwrap()), [100, 100]);
        set.database.quiesce().unwrap();
        let rooms = &set.creation.marker.directories;
        let files = set.database.files().unwrap();
        let real: Vec<PathBuf> = files.iter().map(|f| f.path.canonicalize().unwrap()).collect();
        for room in &rooms.data {
            assert!(real.iter().any(|p| p.starts_with(room)), "{} of {real:?}", room.display());
        }
        assert!(files.iter().filter(|f| f.role == FileRole::Journal).all(|f| f.path.starts_with(&rooms.journal)));
        let socket = PathBuf::from(format!("/tmp/secchi-{}", &set.creation.marker.uuid.simple().to_string()[..12]));
        assert!(socket.is_dir());
        let how = EngineSettings { write_back_every: Nanos::from_millis(100), ..HOW };
        set.start(&how);
        wait_until("a checkpoint is asked for ten times a second", || !set.database.phases().is_empty());
        set.database.stop().unwrap();
        assert!(!socket.exists());
        let dirs = set.dir.path().to_owned();
        let dir = std::mem::replace(&mut set.dir, place());
        set.remove();
        let left = std::fs::read_dir(dirs.join("d1")).unwrap().count();
        assert_eq!(left, 0, "the room is gone, the directory it was in is not");
        drop(dir);
    }
}

#[test]
fn on_somebody_elses_server_only_a_schema_of_ours_is_made_and_dropped() {
    for server in servers().into_iter().take(1) {
        let mut external = Set::new(&server);
        external.start(&HOW);
        external.fill(&[1], 70);
        let socket = external.creation.marker.directories.work.join("socket");
        let url = format!("host={} user=secchi dbname=postgres", socket.display());
        // Create a schema that only looks like ours.
        let mut admin = postgres::Client::connect(&url, postgres::NoTls).unwrap();
        admin
            .batch_execute("CREATE SCHEMA secchi_decoy; CREATE TABLE secchi_decoy.ran_write_global_1 (id bigint)")
            .unwrap();
        let mut set = Set::with(&server, "ran", 0, false, Some(url));
        set.start(&HOW);
        set.fill(&[1, 2], 300);
        assert_eq!([1, 2].map(|n| set.database.count(n, None).unwrap()), [300, 300]);
        set.database.quiesce().unwrap();
        // The I/O of the server's devices and processes is counted, not the I/O of the marker's directory.
        match set.database.io_location().unwrap() {
            db::IoLocation::ExternalServer { pid, data, journal } => {
                assert_eq!(Some(pid), external.server());
                let cluster = external.cluster().canonicalize().unwrap();
                assert!(data.contains(&cluster) && journal.starts_with(&cluster), "{data:?}, {journal:?}");
            }
            other => panic!("{other:?}"),
        }
        assert!(set.database.files().unwrap().is_empty());
        let notes = set.database.facts().unwrap().notes;
        assert!(
            notes.iter().any(|n| n.contains("may have other users"))
                && !notes.iter().any(|n| n.contains("every 300 s"))
        );
        let tables = |admin: &mut postgres::Client| -> i64 {
            let sql = "SELECT count(*) FROM pg_tables WHERE tablename = 'ran_write_global_1'";
            admin.query_one(sql, &[]).unwrap().get(0)
        };
        assert_eq!(tables(&mut admin), 3);
        set.remove();
        assert_eq!(tables(&mut admin), 2);
        assert_eq!(external.database.count(1, None).unwrap(), 70);

        // A schema with our name but another comment is not ours.
        let url = format!("host={} user=secchi dbname=postgres", socket.display());
        let mut set = Set::with(&server, "ran", 0, false, Some(url));
        let schema = format!("secchi_{}", set.creation.marker.uuid.simple());
        admin.batch_execute(&format!("COMMENT ON SCHEMA {schema} IS 'mine now'")).unwrap();
        let refused = set.database.remove().unwrap_err().to_string();
        assert!(refused.contains("not dropped"), "{refused}");
        drop(admin);
        external.remove();
    }
}

/// The program that the next test kills. It has a running server.
#[test]
#[ignore = "a part of the next test"]
fn a_program_at_work() {
    let Some(file) = std::env::var_os("SECCHI_TEST_TELL") else { return };
    let mut set = Set::new(&servers()[0]);
    set.start(&HOW);
    let text = format!("{}\n{}", set.server().unwrap(), set.dir.path().display());
    std::fs::write(Path::new(&file).with_extension("new"), text).unwrap();
    std::fs::rename(Path::new(&file).with_extension("new"), file).unwrap();
    loop {
        std::thread::park();
    }
}

#[test]
fn a_server_does_not_outlive_a_program_that_is_killed() {
    if servers().is_empty() {
        return;
    }
    let dir = place();
    let file = dir.path().join("told");
    let mut program = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_program_at_work", "--ignored"])
        .env("SECCHI_TEST_TELL", &file)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    wait_until("the program has started a server", || file.exists());
    let text = std::fs::read_to_string(&file).unwrap();
    let (server, left) = text.split_once('\n').unwrap();
    let server = server.parse().unwrap();
    assert!(alive(server));
    program.kill().unwrap();
    program.wait().unwrap();
    wait_until("the server is gone", || !alive(server));
    std::fs::remove_dir_all(left).unwrap();
}

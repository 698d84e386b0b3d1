//! `secchi db` on real engines: the walk-through of PerfTools, exact counts in every case, decoys, and a throttle that
//! is reported.

use crate::support::{
    Ended, OwnDisk, PATIENCE, Run, Running, Sandbox, Secchi, beside, eventually, names_in, paced, print_of,
    processes_about, skip, undisturbed,
};
use model::{Op, RunState, measured::FileRole};
use rustix::process::Signal;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Sandbox with a database in it.
pub struct Base {
    pub sandbox: Sandbox,
    pub at: PathBuf,
}

impl Base {
    /// Creates the sandbox and the database; returns the reason if the engine is not available.
    pub fn set_up(engine: &str, words: &str) -> Result<Base, String> {
        let base = Base::within("data");
        base.make(engine, words)?;
        Ok(base)
    }

    /// Creates a sandbox in which the database is to be created in a directory.
    pub fn within(directory: &str) -> Base {
        let sandbox = Sandbox::new();
        // PostgreSQL runs as another user, who needs access to this directory.
        std::fs::set_permissions(sandbox.root(), std::fs::Permissions::from_mode(0o755)).expect("our own directory");
        Base { at: sandbox.path(directory).join("ran"), sandbox }
    }

    /// Creates the database; see [`Base::set_up`].
    pub fn make(&self, engine: &str, words: &str) -> Result<(), String> {
        let ended = self.db("setup", &format!("--engine {engine} {words}"));
        if ended.code == 4 {
            return Err(ended.stderr.trim().to_owned());
        }
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        Ok(())
    }

    pub fn command(&self, verb: &str, words: &str) -> Secchi {
        let mut secchi = Secchi::new(&self.sandbox.path("home"));
        secchi.arg("db").arg(verb).arg(&self.at).words(words);
        if !["count-subscripts", "get-sizes", "check", "stop", "purge", "adopt"].contains(&verb) {
            secchi.arg("--store").arg(self.sandbox.store());
        }
        secchi
    }

    pub fn db(&self, verb: &str, words: &str) -> Ended {
        self.command(verb, words).run()
    }

    /// Runs a command, asserts that it succeeded, and returns its output.
    pub fn run_ok(&self, verb: &str, words: &str) -> String {
        let ended = self.db(verb, words);
        assert!(ended.code == 0 || ended.starved(), "{verb} {words}: {}{}", ended.stdout, ended.stderr);
        ended.stdout
    }

    pub fn measured(&self, verb: &str, words: &str) -> Run {
        let ended = self.db(verb, &format!("{words} --json"));
        assert!(ended.code == 0 || ended.starved(), "{verb} {words}: {}{}", ended.stdout, ended.stderr);
        let run = ended.json();
        assert_eq!(run.record.state, RunState::Complete, "{}", run.record.reason);
        run
    }

    pub fn counts_are(&self, globals: u32, each: u64) {
        let counted = self.run_ok("count-subscripts", "");
        let lines: Vec<&str> = counted.lines().collect();
        assert_eq!(lines.len(), globals as usize + 1, "{counted}");
        assert!(lines[..globals as usize].iter().all(|l| l.ends_with(&format!("  {each}"))), "{counted}");
        let sizes = vec![each.to_string(); globals as usize].join(",");
        assert_eq!(self.run_ok("get-sizes", "").trim(), format!("{globals},{sizes}"));
    }
}

pub fn ops(run: &Run, op: Op) -> u64 {
    run.record.steps.iter().map(|s| s.total().op(op).tally.ops).sum()
}

/// The walk-through of PerfTools with smaller sizes.
fn walk_through(engine: &str) {
    let base = match Base::set_up(engine, "--name RAN") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    let early = base.db("ranwrite", "-t 1");
    assert!(early.code == 3 && early.stderr.contains("create-globals"), "{}", early.stderr);
    base.run_ok("create-globals", "-g 10 -s 2000");
    base.counts_are(10, 2000);
    base.run_ok("add-globals", "-g 12");
    base.counts_are(12, 2000);
    assert!(base.db("add-globals", "-g 12").stderr.contains("the database already has 12"));

    let read = base.measured("ranread", "-p 5 -t 1");
    assert_eq!(read.record.steps.len(), 5);
    assert!(ops(&read, Op::Read) > 0);
    let counted = read.record.together.first().map(|(_, counts)| counts).expect("the kernel's counts");
    // The reads reached the block layer for this process. Some blocks within GT.M's files are allocated but not yet
    // written.
    assert!(counted.process_read.is_none_or(|bytes| bytes >= counted.asked_read / 100 * 98), "{counted:?}");

    let written = base.measured("ranwrite", "-p 10 -t 1 --txn 50 --pause 2ms --write-back 1s");
    let (updates, commits) = (ops(&written, Op::Write), ops(&written, Op::Flush));
    assert!(updates > 0 && updates == commits * 50, "{updates} updates, {commits} commits");
    let transacted = written.record.steps.iter().map(|s| s.total().transacted.expect("transactions").all().count());
    assert_eq!(transacted.sum::<u64>(), commits);
    let database = written.record.database().expect("the engine's counts");
    assert!(database.roles.iter().any(|r| r.role == FileRole::Data), "{database:?}");
    for name in ["db.Gloupds", "db.PhyWrs"] {
        assert!(written.record.series.iter().any(|s| s.name == name), "{name} is no series");
    }

    // RanIO reads blocks of the files, as in PerfTools, unless records are requested.
    let bytes = |run: &Run| -> u64 { run.record.steps.iter().map(|s| s.total().op(Op::Read).tally.bytes).sum() };
    let mixed = base.measured("ranio", "-p 4 -t 1 --read-pct 50");
    assert!(ops(&mixed, Op::Read) > 0 && ops(&mixed, Op::Write) > 0);
    assert_eq!(bytes(&mixed), ops(&mixed, Op::Read) * 8192);
    let cached = base.measured("ranio", "-p 4 -t 0.5 --read-pct 50 --through engine");
    assert!(ops(&cached, Op::Read) > 0 && bytes(&cached) < ops(&cached, Op::Read) * 1000);
    // An engine without its own block read cannot use one in a mix either.
    let refused = if engine == "postgres" { 64 } else { 3 };
    assert_eq!(base.db("ranio", "-n 1 --through engine-blocks").code, refused);
    let through = base.measured("ranread", "-p 2 -n 500 --through engine");
    assert_eq!(ops(&through, Op::Read), 1000);
    if engine == "postgres" {
        let blocks = base.measured("ranread", "-p 2 -n 500 --through engine-blocks");
        assert_eq!(ops(&blocks, Op::Read), 1000);
        let bytes: u64 = blocks.record.steps.iter().map(|s| s.total().op(Op::Read).tally.bytes).sum();
        assert_eq!(bytes, 1000 * 8192);
    } else {
        let refused = base.db("ranread", "-n 1 --through engine-blocks");
        assert!(refused.code == 3 && refused.stderr.contains("no usable block read"), "{}", refused.stderr);
    }
    assert_eq!(base.db("ranwrite", "-n 1 --through engine").code, 64);
    let sequential = base.measured("seqread", "-p 2 --order");
    assert_eq!(ops(&sequential, Op::Read), 4000);
    base.run_ok("seqwrite", "-p 2 --value 256");
    base.counts_are(12, 2000);
    base.run_ok("check", "");

    let exported = base.run_ok("export", "--format csv");
    assert!(["RanRead", "RanWrite", "RanIO"].iter().all(|test| exported.contains(test)), "{exported}");
    assert!(base.run_ok("history", "").contains("RanIO"));
    base.run_ok("reset", "");
    assert!(base.run_ok("history", "").contains("no runs on this database yet"));
    base.counts_are(12, 2000);

    let decoy = base.sandbox.data().join("RAN");
    std::fs::write(&decoy, "not ours").expect("a decoy");
    let before = print_of(&decoy);
    let purged = base.db("purge", "");
    assert_eq!(purged.code, 0, "{}", purged.stderr);
    assert_eq!(names_in(&base.sandbox.data()), ["RAN"]);
    assert_eq!(print_of(&decoy), before);
    assert_eq!(processes_about(&base.at), Vec::<u32>::new());
}

#[test]
fn the_walk_through_of_perftools_on_sqlite() {
    let _beside = beside();
    walk_through("sqlite");
}

#[test]
fn the_walk_through_of_perftools_on_gtm() {
    let _beside = beside();
    walk_through("gtm");
}

#[test]
fn the_walk_through_of_perftools_on_postgres() {
    let _beside = beside();
    walk_through("postgres");
}

/// Globals whose nodes have names, as RanWrite of PerfTools V1 creates them: counts stay exact after every operation.
fn named_nodes(engine: &str) {
    let base = match Base::set_up(engine, "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    base.run_ok("create-globals", "-g 2 -s 1200 --node-depth 2 --subnode-length 5 --name-length 3");
    base.counts_are(2, 1200);
    // Every node that is updated or read exists.
    let written = base.measured("ranwrite", "-p 2 -n 2000 --pause 0");
    assert_eq!((ops(&written, Op::Write), ops(&written, Op::Flush)), (4000, 80));
    let names = written.record.database().and_then(|d| d.names).expect("told");
    assert_eq!((names.name, names.depth, names.length), (3, 2, 5));
    let read = base.measured("ranread", "-p 2 -n 1000 --through engine");
    assert_eq!(ops(&read, Op::Read), 2000);
    assert!(read.judgement.caveats.iter().all(|c| c.id != "records-missing"), "{:?}", read.judgement.caveats);
    base.counts_are(2, 1200);
    base.run_ok("ranread", "-p 2 -n 200");
    let mixed = base.measured("ranio", "-p 2 -n 400 --pause 0");
    assert_eq!(ops(&mixed, Op::Read) + ops(&mixed, Op::Write), 800);
    // As in V1: each write creates a node with a new name in its own transaction, and the pause varies.
    base.run_ok("ranwrite", "-p 2 -n 150 --txn 1 --pause 0.1ms --pause-var 20 --new-nodes");
    let counted = base.run_ok("count-subscripts", "");
    assert!(counted.ends_with("2 globals, 2700 subscripts\n"), "{counted}");
    assert_eq!(base.run_ok("get-sizes", "").trim(), "2,1200,1200");
    base.run_ok("check", "");
    // Added globals are named as well; tests that need an order are refused by name.
    base.run_ok("add-globals", "-g 3");
    assert!(base.run_ok("count-subscripts", "").contains("^RanWriteGlobal3  1200"));
    assert!(
        base.run_ok("ranwrite", "-p 3 -n 50 --pause 0 --full").contains("a name of 3 and 2 subscripts of 5 characters")
    );
    for verb in ["seqread", "seqwrite"] {
        base.db(verb, "").refuses(3, "have no order");
    }
    base.db("create-globals", "-g 2 -s 10").refuses(3, "create all of them again with -g 3");
    base.db("create-globals", "-g 3 -s 100 --node-depth 1 --subnode-length 1").refuses(64, "there are 52 such names");
    // A name of one level and four characters could be `Size`, the key of the stored size.
    base.run_ok("create-globals", "-g 3 -s 500 --node-depth 1 --subnode-length 4");
    base.counts_are(3, 500);
    let long = base.db("create-globals", "-g 3 -s 500 --node-depth 31 --subnode-length 200");
    if engine == "sqlite" {
        assert_eq!(long.code, 0, "{}", long.stderr);
    } else {
        long.refuses(3, "the maximum is");
    }
    base.counts_are(3, 500);
    base.run_ok("check", "");
    base.run_ok("create-globals", "-g 3 -s 300");
    base.counts_are(3, 300);
    base.run_ok("seqread", "-p 3 --order");
    base.db("ranwrite", "-n 50 --new-nodes").refuses(3, "--node-depth");
    base.db("ranio", "-n 50 --new-nodes").refuses(64, "applies only to ranwrite");

    // Kill the run; the database recovers.
    base.run_ok("create-globals", "-g 3 -s 800 --node-depth 3 --subnode-length 2");
    let running = base.command("ranwrite", "-p 2 -t 600").start();
    wait_for_load(&base.sandbox, &base.at, &running);
    running.signal(Signal::KILL);
    drop(running);
    assert!(eventually(PATIENCE, || processes_about(&base.at).is_empty()), "{:?}", processes_about(&base.at));
    base.counts_are(3, 800);
    base.run_ok("check", "");
    assert_eq!(base.db("purge", "").code, 0);
}

#[test]
fn nodes_with_names_are_counted_to_the_last_on_sqlite() {
    let _beside = beside();
    named_nodes("sqlite");
}

#[test]
fn nodes_with_names_are_counted_to_the_last_on_gtm() {
    let _beside = beside();
    named_nodes("gtm");
}

#[test]
fn nodes_with_names_are_counted_to_the_last_on_postgres() {
    let _beside = beside();
    named_nodes("postgres");
}

#[test]
fn of_two_runs_that_are_started_in_the_same_instant_one_is_refused() {
    let _beside = beside();
    let base = match Base::set_up("sqlite", "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    base.run_ok("create-globals", "-g 1 -s 500");
    for _ in 0..8 {
        // Each runs until it is stopped, so that both would be running if both were admitted.
        let both = [base.command("ranwrite", "-t 600").start(), base.command("ranwrite", "-t 600").start()];
        let refused = |running: &Running| running.stderr().contains("refused: another run");
        assert!(eventually(PATIENCE, || both.iter().any(refused)), "both are at work");
        let left = both.iter().find(|r| !refused(r)).expect("one is let in");
        wait_for_load(&base.sandbox, &base.at, left);
        assert_eq!(base.db("stop", "").code, 0);
        let ended = both.map(|running| running.wait(PATIENCE));
        assert_eq!(ended.iter().filter(|e| e.code == 3).count(), 1);
        assert_eq!(ended.iter().filter(|e| e.code == 0 || e.starved()).count(), 1, "{:?}", ended.map(|e| e.code));
    }
    base.counts_are(1, 500);
}

/// Waits until a run on the database has reached its load.
pub fn wait_for_load(sandbox: &Sandbox, at: &Path, running: &Running) {
    // A run announces itself before it starts the engine, and is in the store when the load begins.
    let (work, runs) = (at.join("work"), sandbox.store().join("runs"));
    let kept = |id: &str| runs.is_dir() && names_in(&runs).iter().any(|name| name.starts_with(id));
    let is_loading =
        eventually(PATIENCE, || names_in(&work).iter().filter_map(|n| n.strip_prefix("running-")).any(kept));
    assert!(is_loading, "the run never came to its load: {}", running.stderr());
}

/// A killed or stopped run leaves every record, a consistent database and no process.
fn nothing_is_lost(engine: &str) {
    let base = match Base::set_up(engine, "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    base.run_ok("create-globals", "-g 3 -s 1500");
    let running = base.command("ranwrite", "-p 3 -t 600").start();
    wait_for_load(&base.sandbox, &base.at, &running);
    if engine == "gtm" {
        // Several programs may have the database open: both write, and each run is counted separately.
        let second = base.measured("ranwrite", "-p 2 -t 0.5");
        assert!(ops(&second, Op::Write) > 0);
        assert!(base.db("ranwrite", "-t 1 --cache 32m").code == 3, "one engine has one cache");
    } else {
        let refused = base.db("ranwrite", "-t 1");
        assert!(refused.code == 3 && refused.stderr.contains("another run"), "{}", refused.stderr);
    }
    // Blocks of the files may be read at the same time.
    base.run_ok("ranread", "-p 2 -t 0.5 --group both");
    let beside = base.run_ok("history", "--group both");
    assert!(beside.contains("RanRead/s") && beside.contains("all/s"), "{beside}");
    assert!(base.db("purge", "").code == 3, "a database at work is not purged");
    assert_eq!(base.db("stop", "").code, 0);
    let ended = running.wait(PATIENCE);
    // An end requested by `db stop` counts as success; any other signal is reported as a signal.
    assert!(
        (ended.code == 0 || ended.starved()) && ended.stderr.contains("stopped by `secchi db stop`"),
        "{}: {}{}",
        ended.code,
        ended.stdout,
        ended.stderr
    );
    assert!(!names_in(&base.at.join("work")).iter().any(|n| n.starts_with("running-")), "a file of the run stays");
    let kept = base.sandbox.secchi("runs").run().stdout;
    assert!(kept.contains("stopped before it finished"), "{kept}");
    base.counts_are(3, 1500);
    let running = base.command("ranwrite", "-p 1 -t 600").start();
    wait_for_load(&base.sandbox, &base.at, &running);
    running.signal(Signal::TERM);
    assert_eq!(running.wait(PATIENCE).code, 143);

    let running = base.command("ranwrite", "-p 3 -t 600").start();
    wait_for_load(&base.sandbox, &base.at, &running);
    running.signal(Signal::KILL);
    drop(running);
    let gone = eventually(PATIENCE, || processes_about(&base.at).is_empty());
    assert!(gone, "orphans: {:?}", processes_about(&base.at));
    base.counts_are(3, 1500);
    base.run_ok("check", "");
    assert_eq!(base.db("purge", "").code, 0);
}

#[test]
fn a_stopped_and_a_killed_run_lose_no_record_of_the_model() {
    let _beside = beside();
    nothing_is_lost("model --profile postgres");
    nothing_is_lost("model --profile sqlite-wal");
}

#[test]
fn the_walk_through_goes_with_the_model() {
    let _beside = beside();
    walk_through("model --profile iris");
}

#[test]
fn a_stopped_and_a_killed_run_lose_no_record_on_sqlite() {
    let _beside = beside();
    nothing_is_lost("sqlite");
}

#[test]
fn a_stopped_and_a_killed_run_lose_no_record_on_gtm() {
    let _beside = beside();
    nothing_is_lost("gtm");
}

#[test]
fn a_stopped_and_a_killed_run_lose_no_record_on_postgres() {
    let _beside = beside();
    nothing_is_lost("postgres");
}

#[test]
fn a_throttled_disk_gives_the_throttles_figure_in_ranread() {
    let _paced = paced();
    let base = Base::within("disk");
    let disk = match OwnDisk::at(&base.sandbox.path("disk")) {
        Ok(disk) => disk,
        Err(why) => skip!("{why}"),
    };
    if let Err(why) = base.make("sqlite", "--size 64m") {
        skip!("{why}");
    }
    disk.group.cap_reads(1000, 0);
    undisturbed(|| {
        // An idle throttle grants one or two tenths of a second at once: 100 to 190 reads here.
        let ended = base.command("ranread", "-p 8 --warm-up 1 -t 4 --json").inside(disk.group.path()).run();
        ended.measured();
        let run = ended.json();
        let length = run.record.steps.iter().map(|s| s.total().length.secs()).fold(0.0, f64::max);
        let rate = ops(&run, Op::Read) as f64 / length;
        if (rate / 1000.0 - 1.0).abs() > 0.02 {
            vec![format!("{rate:.1} reads/s under a cap of 1000")]
        } else {
            Vec::new()
        }
    });
}

#[test]
fn a_ramp_ends_by_its_rule_and_says_what_is_accepted() {
    let _beside = beside();
    let base = match Base::set_up("sqlite", "--size 16m") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    let words = "--verb ranread -t 0.5 --to 8 --stop gain<100% --accept avg<=10s";
    let ended = base.db("ramp", words);
    ended.measured();
    assert!(ended.starved() || ended.stdout.contains("accepted"), "{}", ended.stdout);
    let never = base.db("ramp", "--verb ranread -t 0.3 --to 2 --accept avg<=1ns");
    never.measured_as(1);
    base.db("ramp", "--verb ranwrite").refuses(3, "create-globals");
}

#[test]
fn what_is_wrong_is_said_before_anything_is_made() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let refused = |words: &str, code: i32, needle: &str| {
        let mut secchi = Secchi::new(&sandbox.path("home"));
        secchi.arg("db").words(words).run().refuses(code, needle);
    };
    let data = sandbox.data();
    let at = data.join("ran");
    let at = at.display();
    refused(&format!("setup {at} --engine sqlit"), 64, "did you mean `sqlite`?");
    refused(&format!("setup {at} --block 3k"), 64, "pages of");
    refused(&format!("setup {at} --journal {}", data.display()), 64, "gtm and postgres");
    refused(&format!("setup {at} --size 900t"), 3, "are free");
    refused(&format!("setup {at} --name a/b"), 64, "letters");
    assert_eq!(names_in(&data), Vec::<String>::new());
    std::fs::write(data.join("file"), "x").expect("a file");
    refused(&format!("setup {}", data.display()), 3, "not empty");
    refused(&format!("purge {}", data.display()), 3, "not a secchi database");
    assert_eq!(names_in(&data), ["file"]);
    let missing: &Path = Path::new("/nowhere/at/all");
    refused(&format!("ranread {}", missing.display()), 3, "not a secchi database");
}

/// Output of the script that `secchi db script --engine gtm` generates.
const PRINTED: &str = "\
USER>do ranwrite^SECCHI(2,1,50,2)
secchi-m 1 run engine=gtm version=GT.M_V7.0-005_Linux_x86_64 batch=3 verb=ranwrite processes=2 seconds=1 txn=50 hang_ms=2 read_pct=0 lazy=0 value=45 spread=0 days=67895 second=72866 us=1061242 failed=0 reads_are=records
secchi-m 1 worker global=1 reads=0 writes=50 us=1009907 hung_us=420116
secchi-m 1 worker global=2 reads=0 writes=100 us=1009907 hung_us=420116
secchi-m 1 time of=update us=40 width=1 n=150
secchi-m 1 time of=commit us=1230 width=10 n=3
secchi-m 1 time of=transaction us=9200 width=10 n=3
secchi-m 1 end batch=3
";

#[test]
fn what_the_scripts_printed_elsewhere_comes_into_the_history_once() {
    let _beside = beside();
    let base = match Base::set_up("sqlite", "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    let file = base.sandbox.path("printed.txt");
    std::fs::write(&file, PRINTED).expect("a file of ours");
    let words = format!("--import {}", file.display());
    let first = base.db("history", &words);
    assert!(first.code == 0 && first.stderr.contains("1 run from"), "{}", first.stderr);
    let again = base.db("history", &words);
    assert!(
        again.stderr.contains("0 runs") && again.stderr.contains("runs already in the history: 1"),
        "{}",
        again.stderr
    );
    assert_eq!(again.stdout.matches("RanWrite").count(), 1, "{}", again.stdout);
    let question = "select Job, Writes from RanWrite order by Job";
    let asked = base.command("sql", "--format csv").arg(question).run();
    assert_eq!(asked.stdout.lines().skip(1).collect::<Vec<_>>(), ["1,50", "2,100"], "{}{}", asked.stdout, asked.stderr);
    let shown = base.sandbox.newest().expect("the run is kept");
    assert_eq!((shown.record.state, ops(&shown, Op::Write), ops(&shown, Op::Flush)), (RunState::Complete, 150, 3));
}

/// Header of mgstat, recorded during the run of [`PRINTED`]: an IRIS instance writes one row a second.
const MGSTAT: &str = "Date,       Time    ,  Glorefs, GRratio,  PhyRds, Gloupds, Rourefs,  PhyWrs,   WDQsz, WDphase, Jrnwrts,  WDpass,  IJUcnt, IJULock\n";

#[test]
fn a_run_of_the_scripts_on_iris_is_judged_with_the_mgstat_beside_it() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let log = sandbox.path("run.log");
    let printed = PRINTED.replace("engine=gtm version=GT.M_V7.0-005_Linux_x86_64", "engine=iris version=IRIS_2022.1");
    // Day 66206 of $HOROLOG is 2022-04-07; it ends at 18:35:25 after 20 s.
    let printed = printed
        .replace("seconds=1", "seconds=20")
        .replace("days=67895 second=72866 us=1061242", "days=66206 second=66925 us=20061242")
        .replace("us=1009907", "us=20009907");
    let named = "secchi-m 1 mgstat directory=/usr/irissys/mgr/\n";
    std::fs::write(&log, printed.replacen("secchi-m 1 run", &format!("{named}secchi-m 1 run"), 1)).expect("ours");
    let sampled = sandbox.path("vm_20220407_1835_1s.mgst");
    let row = |second: u32| {
        // Updates starve while the write daemon is in its second phase.
        let (references, writes, queue, phase) =
            if second < 8 { (6_700, 0, 148_000, 5) } else { (1_200, 8_256, 166_000 + 1_000 * second, 8) };
        format!(
            "04/07/2022, 18:35:{second:02}, {references}, 0, 300, {references}, 0, {writes}, {queue}, {phase}, 0, 73, 0, 0\n"
        )
    };
    std::fs::write(&sampled, MGSTAT.to_owned() + &(3..35).map(row).collect::<String>()).expect("ours");
    let judged = sandbox.secchi("judge").arg(&log).arg(&sampled).run();
    let stdout = &judged.stdout;
    for needle in [
        "ranwrite, 2 processes",
        "vm_20220407_1835_1s.mgst",
        " PhyWrs ",
        "B25-starvation",
        "secchi-m on iris IRIS_2022.1",
    ] {
        assert!(stdout.contains(needle), "{needle}: {stdout}{}", judged.stderr);
    }
    // The two files are aligned in time; each can also be judged alone.
    for alone in [&log, &sampled] {
        let judged = sandbox.secchi("judge").arg(alone).run();
        assert!(judged.code != 4 && judged.code != 64, "{}: {}", judged.code, judged.stderr);
    }
}

#[test]
fn a_history_of_what_ran_elsewhere_needs_no_database_here() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let file = sandbox.path("printed.txt");
    std::fs::write(&file, PRINTED).expect("a file of ours");
    let first = sandbox.secchi(&format!("db history iris-prod --import {}", file.display())).run();
    assert!(first.code == 0 && first.stdout.contains("RanWrite"), "{}{}", first.stdout, first.stderr);
    let later = sandbox.secchi("db history iris-prod").run();
    assert!(later.code == 0 && later.stdout == first.stdout, "{}{}", later.stdout, later.stderr);
    let other = sandbox.secchi("db history iris-test").run();
    assert!(
        other.code != 0 && other.stderr.contains("iris-test"),
        "another name is another database: {}",
        other.stderr
    );
}

#[test]
fn a_run_of_a_database_meets_its_needs_or_does_not_when_it_runs_and_when_it_is_judged() {
    let _beside = beside();
    let base = match Base::set_up("sqlite", "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    assert_eq!(base.db("create-globals", "-g 2 -s 2000").code, 0);
    let met = base.command("ranwrite", "-p 2 -t 1").arg("--need").arg("commit: max<=1000s").run();
    met.measured();
    assert!(met.stdout.contains("NEED"), "{}: {}{}", met.code, met.stdout, met.stderr);
    let limited = base.sandbox.newest().expect("it is kept").record.id;
    let limited = base.sandbox.secchi(&format!("judge {limited}")).arg("--limit").arg("volume iops=1000000").run();
    limited.measured();
    assert!(limited.starved() || limited.stdout.contains("does not bind"), "{}{}", limited.stdout, limited.stderr);
    let missed = base.command("ranwrite", "-p 2 -t 1").arg("--need").arg("update: iops>=1000000000").run();
    missed.measured_as(1);
    assert!(
        missed.starved() || missed.stdout.starts_with("NEEDS    not met `update: "),
        "{}{}",
        missed.stdout,
        missed.stderr
    );
    let wrong = base.command("ranwrite", "-p 2 -t 1").arg("--need").arg("comit: p99<=1ms").run();
    assert!(wrong.code == 64 && wrong.stderr.contains("did you mean `commit`?"), "{}", wrong.stderr);
    let kept = base.sandbox.newest().expect("it is kept").record.id;
    let judged = |need: &str| base.sandbox.secchi(&format!("judge {kept}")).arg("--need").arg(need).run();
    let (fits, fails) = (judged("transactions: max<=1000s"), judged("commits: max<=1ns"));
    fits.measured();
    fails.measured_as(1);
}

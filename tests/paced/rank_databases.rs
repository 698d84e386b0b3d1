//! Databases of several hosts driven as one run: the real mpirun, three ranks on this machine, each with its own
//! engine.

use crate::ranks::{launcher, load_of_rank, program};
use crate::support::{Ended, Run, Sandbox, Secchi, beside, eventually, names_in, processes_about, skip};
use model::{Op, RunState};
use rustix::process::{Signal, kill_process};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

/// Three ranks with their databases under one directory.
struct Three {
    sandbox: Sandbox,
    program: PathBuf,
    at: PathBuf,
}

impl Three {
    fn new() -> Result<Three, String> {
        let sandbox = Sandbox::new();
        let program = program(&sandbox)?;
        // PostgreSQL runs as another user, who needs access to this directory.
        std::fs::set_permissions(sandbox.root(), std::fs::Permissions::from_mode(0o755)).expect("our own directory");
        Ok(Three { at: sandbox.path("data").join("ran"), sandbox, program })
    }

    fn command(&self, verb: &str, words: &str) -> Secchi {
        let mut mpirun = launcher(&self.sandbox);
        mpirun.words("-n 3").arg(&self.program).arg("db").arg(verb).arg(&self.at).words(words);
        if !["count-subscripts", "get-sizes", "check", "stop", "purge", "adopt"].contains(&verb) {
            mpirun.arg("--store").arg(self.sandbox.store());
        }
        mpirun
    }

    fn db(&self, verb: &str, words: &str) -> Ended {
        self.command(verb, words).start().wait(Duration::from_secs(120))
    }

    fn run_ok(&self, verb: &str, words: &str) -> Ended {
        let ended = self.db(verb, words);
        assert!(ended.code == 0 || ended.starved(), "{verb} {words}: {}: {}{}", ended.code, ended.stdout, ended.stderr);
        ended
    }

    fn measured(&self, verb: &str, words: &str) -> Run {
        let run = self.run_ok(verb, &format!("{words} --json")).json();
        assert_eq!((run.record.state, run.record.preflight.ranks.len()), (RunState::Complete, 3));
        run
    }

    /// Returns the subscripts of each rank's database, as its engine counts them.
    fn counted(&self) -> Vec<u64> {
        let output = self.run_ok("count-subscripts", "").stdout;
        let total = |line: &str| line.strip_suffix(" subscripts")?.rsplit(' ').next()?.parse().ok();
        let counts: Vec<u64> = output.lines().filter_map(total).collect();
        assert_eq!(counts.len(), 3, "{output}");
        counts
    }
}

fn ops(run: &Run, op: Op) -> u64 {
    run.record.steps.iter().map(|s| s.total().op(op).tally.ops).sum()
}

fn walk(engine: &str) {
    let _beside = beside();
    let three = match Three::new() {
        Ok(three) => three,
        Err(why) => skip!("{why}"),
    };
    let made = three.db("setup", &format!("--engine {engine}"));
    if made.code == 4 {
        skip!("{}", made.stderr.trim());
    }
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert_eq!(names_in(&three.at), ["rank-0", "rank-1", "rank-2"]);
    assert_eq!(made.stderr.matches("database RAN").count(), 3, "{}", made.stderr);
    let created = three.run_ok("create-globals", "-g 2 -s 500 --node-depth 2 --subnode-length 9");
    assert_eq!(created.stdout.matches("CreateGlobals: ").count(), 1, "told once: {}", created.stdout);
    assert_eq!(three.counted(), [1000, 1000, 1000], "what each engine has of it");

    // The requested operations per worker, times workers, times ranks.
    let read = three.measured("ranread", "-p 2 -n 300 --through engine");
    assert_eq!((ops(&read, Op::Read), read.record.steps.len()), (1800, 6));
    let used = read.record.database().expect("a database");
    assert_eq!((used.hosts.len(), used.directory.as_str()), (3, three.at.to_str().expect("UTF-8")));
    let uuids: std::collections::BTreeSet<&str> = used.hosts.iter().map(|d| d.uuid.as_str()).collect();
    assert_eq!(uuids.len(), 3, "each its own");
    let wave = &read.judgement.database().expect("judged").waves[0];
    let each: Vec<u64> = wave.hosts.iter().map(|h| h.reads.as_ref().expect("reads").count).collect();
    assert_eq!((each, wave.processes), (vec![600; 3], 6));
    let jobs: Vec<u32> = wave.jobs.iter().map(|j| j.job).collect();
    assert_eq!(jobs, [1, 2, 3, 4, 5, 6], "workers are numbered through");

    // The engines themselves count the new nodes.
    let written = three.measured("ranwrite", "-p 2 -n 200 --txn 20 --pause 0 --new-nodes");
    assert_eq!(ops(&written, Op::Write), 1200);
    assert_eq!(three.counted(), [1400, 1400, 1400]);
    let used = written.record.database().expect("a database");
    assert!(used.hosts.iter().all(|d| d.after.is_some()), "what each engine wrote behind the end is told");
    if let Some(updates) = used.mgstat.iter().find(|(name, _)| name == "Gloupds").map(|(_, n)| *n) {
        let parts: f64 =
            used.hosts.iter().flat_map(|d| &d.mgstat).filter(|(n, _)| n == "Gloupds").map(|(_, n)| n).sum();
        assert_eq!(updates, parts, "the sum is of what each counted");
    }

    // One run, one table, with a row for each worker.
    assert_eq!(three.sandbox.secchi("runs --ids").run().stdout.lines().count(), 3);
    let mut history = Secchi::new(&three.sandbox.path("home"));
    history.words("db history").arg(&three.at).arg("--json").arg("--store").arg(three.sandbox.store());
    let history = history.run();
    let batches: serde_json::Value = serde_json::from_str(&history.stdout).expect("a document");
    let workers = |i: usize| batches["history"][i]["workers"].as_array().map(Vec::len);
    assert_eq!((workers(0), workers(1), workers(2)), (Some(6), Some(6), None), "{}", history.stdout);
    let shown = three.run_ok("ranread", "-p 1 -n 100 --through engine --full");
    assert!(shown.stdout.contains("RanRead"), "{}", shown.stdout);
    assert_eq!(shown.stdout.matches("ProcTime").count(), 1, "one table: {}", shown.stdout);

    three.run_ok("purge", "");
    assert!(!three.at.exists(), "{:?}", names_in(&three.at));
}

#[test]
fn three_sqlite_databases_are_one_run_that_each_engine_counts_alike() {
    walk("sqlite");
}

#[test]
fn three_postgres_databases_are_one_run_that_each_engine_counts_alike() {
    walk("postgres");
}

#[test]
fn blocks_of_three_databases_are_read_as_one_run_and_a_ramp_is_of_all() {
    let _beside = beside();
    let three = match Three::new() {
        Ok(three) => three,
        Err(why) => skip!("{why}"),
    };
    three.run_ok("setup", "");
    three.run_ok("create-globals", "-g 2 -s 2000");
    let read = three.measured("ranread", "-p 1 -n 200");
    assert_eq!(ops(&read, Op::Read), 600);
    let ramp = three.measured("ramp", "--verb ranread --from 1 --to 2 --step +1 -t 1");
    let waves = &ramp.judgement.database().expect("judged").waves;
    assert_eq!(waves.iter().map(|w| w.processes).collect::<Vec<_>>(), [3, 6]);
    assert!(waves.iter().all(|w| w.hosts.len() == 3));
}

#[test]
fn what_ranks_cannot_have_is_said_once_and_nothing_is_driven() {
    let _beside = beside();
    let three = match Three::new() {
        Ok(three) => three,
        Err(why) => skip!("{why}"),
    };
    let none = three.db("ranread", "-t 1");
    assert_eq!(none.code, 3, "{}", none.stderr);
    assert!(none.stderr.contains("db setup"), "{}", none.stderr);
    let refused = |ended: &Ended| ended.stderr.matches("refused").count();
    assert_eq!(refused(&none), 1, "{}", none.stderr);
    // One database for all ranks of a host.
    let mut alone = Secchi::new(&three.sandbox.path("home"));
    assert_eq!(alone.words("db setup").arg(&three.at).run().code, 0);
    let mut alone = Secchi::new(&three.sandbox.path("home"));
    let made = alone.words("db create-globals").arg(&three.at).words("-g 1 -s 100 --store").arg(three.sandbox.store());
    assert_eq!(made.run().code, 0);
    let shared = three.db("ranread", "-t 1 --through engine");
    assert_eq!(shared.code, 3, "{}", shared.stderr);
    let said: Vec<&str> = shared.stderr.lines().filter(|l| l.starts_with("secchi: ")).collect();
    assert_eq!(said.len(), 1, "{}", shared.stderr);
    let again = three.db("setup", "");
    assert!(again.code == 3 && again.stderr.contains("refused"), "{}", again.stderr);
    for verb in ["stop", "adopt"] {
        let ended = three.db(verb, "");
        assert!(
            ended.code == 4 && ended.stderr.contains(&format!("`secchi db {verb}` runs on one host")),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn a_rank_that_is_killed_ends_the_run_with_what_was_measured_and_its_database_is_whole() {
    let _beside = beside();
    let three = match Three::new() {
        Ok(three) => three,
        Err(why) => skip!("{why}"),
    };
    three.run_ok("setup", "");
    three.run_ok("create-globals", "-g 1 -s 500");
    let running = three.command("ranwrite", "-p 1 -t 600 --pause 20ms").start();
    // The store also contains the run before it.
    let updates = || three.sandbox.newest().filter(|run| run.record.plan.args.iter().any(|a| a == "ranwrite"));
    assert!(eventually(Duration::from_secs(60), || updates().is_some_and(|run| ops(&run, Op::Write) > 0)));
    let load = load_of_rank(&three.at, 1).expect("the load process of rank 1");
    kill_process(load, Signal::KILL).expect("our own child can be killed");
    let ended = running.wait(Duration::from_secs(60));
    assert_eq!(ended.code, 5, "{}", ended.stderr);
    assert!(
        ended.stderr.contains(":1 is gone") || ended.stdout.contains(":1 is gone"),
        "{}{}",
        ended.stdout,
        ended.stderr
    );
    let run = three.sandbox.newest().expect("it is kept");
    assert!(run.record.state == RunState::Hung && run.record.reason.contains(":1 is gone"), "{}", run.record.reason);
    assert!(ops(&run, Op::Write) > 0);
    assert!(eventually(Duration::from_secs(40), || processes_about(&three.at).is_empty()), "nobody goes on");
    three.run_ok("check", "");
    assert_eq!(three.counted(), [500, 500, 500]);
}

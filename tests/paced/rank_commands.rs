//! Several hosts as one run: a build with MPI, started by the real mpirun, three ranks on this machine.

use crate::ranks::{launcher, program};
use crate::support::{Ended, Sandbox, beside, names_in, skip};
use model::{RunState, plan::MarkDirection, record::Pinged};
use std::path::Path;

/// Runs a command with three ranks; DATA and STORE in it are replaced by directories of the sandbox.
fn three(program: &Path, sandbox: &Sandbox, command: &str) -> Ended {
    let mut launch = launcher(sandbox);
    launch.words("-n 3").arg(program);
    let (data, store) = (sandbox.data().display().to_string(), sandbox.store().display().to_string());
    launch.words(&command.replace("DATA", &data).replace("STORE", &store)).run()
}

#[test]
fn a_mark_is_the_sum_of_all_hosts_with_what_each_had_of_it() {
    let _beside = beside();
    let program = match program(&Sandbox::new()) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let sandbox = Sandbox::new();
    let csv = sandbox.path("mark.csv");
    let command = format!(
        "mark DATA --store STORE --yes --size 8m --test SEQ1M-Q2T1 --test RND4K-Q1T1 --loops 2 --time 1s --interval 300ms \
         -o {}",
        csv.display()
    );
    let ended = three(&program, &sandbox, &command);
    assert!([0, 2].contains(&ended.code), "{}: {}{}", ended.code, ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("sum of 3 hosts"), "{}", ended.stdout);
    assert_eq!(ended.stdout.matches("secchi mark").count(), 1, "one table: {}", ended.stdout);
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new(), "folders of ranks go with their files");
    let run = sandbox.newest().expect("it is kept");
    let record = &run.record;
    assert_eq!((record.state, record.preflight.ranks.len()), (RunState::Complete, 3));
    // Two tests, two directions, two loops, three hosts.
    assert_eq!(record.steps.len(), 24);
    assert_eq!(sandbox.secchi("runs --ids").run().stdout.lines().count(), 1, "one run");
    let mark = report::formats::mark::Mark::from_record(record, &run.judgement.caveats);
    assert_eq!((mark.rows.len(), mark.loops, mark.hosts.len()), (2, 2, 3));
    for row in &mark.rows {
        for cell in &row.cells {
            assert!([MarkDirection::Read, MarkDirection::Write].contains(&cell.direction));
            for one in &cell.loops {
                let parts: f64 = one.hosts.iter().map(|h| h.iops.per_second()).sum();
                let sum = one.iops.per_second();
                assert_eq!(one.hosts.len(), 3);
                assert!((parts - sum).abs() < 0.05 * sum, "{} {}: {parts} of {sum}", row.test, cell.direction.name());
            }
        }
    }
    let csv = std::fs::read_to_string(csv).expect("it was written");
    let names: Vec<&str> = record.plan.targets.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(csv.lines().count(), 5, "{csv}");
    for line in csv.lines().skip(1) {
        let last = line.rsplit(',').next().unwrap_or_default();
        assert!(names.iter().all(|name| last.contains(&format!("{name}="))), "{line}");
    }
}

#[test]
fn every_host_pings_its_own_and_its_lines_bear_its_name() {
    let _beside = beside();
    let program = match program(&Sandbox::new()) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let sandbox = Sandbox::new();
    let ended = three(&program, &sandbox, "ping -c 6 -i 30ms --store STORE DATA");
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new());
    let run = sandbox.newest().expect("it is kept");
    let pinged = run.record.ping().expect("requests were made");
    assert_eq!((pinged.total.count, pinged.hosts.len()), (18, 3));
    assert_eq!(&Pinged::of_hosts(&pinged.hosts), pinged, "the sum is of what each did");
    for host in &pinged.hosts {
        let name = &host.place.host;
        assert_eq!((host.total.count, host.total.times.count()), (6, 5), "the first is warmup");
        let lines: Vec<&str> = ended.stdout.lines().filter(|l| l.starts_with(&format!("{name}: "))).collect();
        assert_eq!(lines.len(), 6, "{}", ended.stdout);
        assert!(lines[5].contains("request=6 "), "in their order: {}", lines[5]);
        assert!(ended.stdout.contains(&format!("--- {name}: {}/rank-", sandbox.data().display())), "{}", ended.stdout);
    }
    assert_eq!(ended.stdout.matches("ioping statistics ---").count(), 4, "{}", ended.stdout);
    assert!(ended.stdout.contains("--- 3 hosts ("), "{}", ended.stdout);
    // The steps contain every request of every host as well.
    let ops: u64 = run.record.steps.iter().map(|s| s.total().ops()).sum();
    assert_eq!(ops, 18);
    let json = three(&program, &sandbox, "ping -c 3 -i 10ms --json --store STORE DATA");
    let entries: Vec<serde_json::Value> = serde_json::from_str(&json.stdout).expect("one JSON document");
    let hosts = entries.iter().filter(|one| one["target"]["host"].is_string()).count();
    assert_eq!((entries.len(), hosts), (13, 12), "nine requests, three statistics, and that of all");
}

#[test]
fn what_one_of_them_cannot_is_said_once_and_nobody_pings() {
    let _beside = beside();
    let program = match program(&Sandbox::new()) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let sandbox = Sandbox::new();
    let ended = three(&program, &sandbox, "ping -c 3 --store STORE DATA/none");
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert_eq!(ended.stderr.matches("No such file").count(), 1, "{}", ended.stderr);
    assert_eq!(ended.stdout, "");
}

#[test]
fn each_host_has_the_targets_that_are_named_by_it() {
    let _beside = beside();
    let program = match program(&Sandbox::new()) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let sandbox = Sandbox::new();
    for place in ["a", "b", "c", "every"] {
        std::fs::create_dir(sandbox.data().join(place)).expect("a directory");
    }
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let target = |rank: usize, place: &str| format!("--target {host}:{rank}:data=DATA/{place}");
    let command = format!(
        "qualify --store STORE --patterns randread --bs 4k --size 8m --max-depth 1 {} {} {} --target all=DATA/every",
        target(0, "a"),
        target(1, "b"),
        target(2, "c"),
    );
    let ended = three(&program, &sandbox, &command);
    assert!([0, 2].contains(&ended.code), "{}: {}{}", ended.code, ended.stdout, ended.stderr);
    let record = sandbox.newest().expect("it is kept").record;
    let targets: Vec<(String, bool)> = record
        .plan
        .targets
        .iter()
        .zip(["a", "every", "b", "every", "c", "every"])
        .map(|(t, place)| (t.name.clone(), t.target.path.starts_with(sandbox.data().join(place))))
        .collect();
    let wanted: Vec<(String, bool)> = (0..3)
        .flat_map(|rank| [format!("{host}:{rank}:data"), format!("{host}:{rank}:all")].map(|name| (name, true)))
        .collect();
    assert_eq!(targets, wanted);
    assert!(record.steps.iter().all(|s| s.total().ops() > 0), "all of them were loaded");

    let command = format!("qualify --store STORE {} --target nobody:data=DATA/b", target(0, "a"));
    let ended = three(&program, &sandbox, &command);
    assert_eq!(ended.code, 64, "{}", ended.stderr);
    let sentence = format!("a target is on host `nobody`, but the hosts of this run are {host}:0, {host}:1, {host}:2");
    assert_eq!(ended.stderr.matches(&sentence).count(), 1, "{}", ended.stderr);
    let ended = three(&program, &sandbox, &format!("qualify --store STORE {} {}", target(0, "a"), target(1, "b")));
    assert_eq!(ended.code, 64, "{}", ended.stderr);
    assert_eq!(ended.stderr.matches("there is no target for this host").count(), 1, "{}", ended.stderr);
    let alone = sandbox.secchi("qualify --target a:x=/tmp --target y=/").run();
    assert_eq!(alone.code, 64, "{}", alone.stderr);
    assert!(alone.stderr.contains("start secchi on all hosts with mpirun"), "{}", alone.stderr);
}

#[test]
fn what_is_of_one_host_is_refused_by_name_in_one_sentence() {
    let _beside = beside();
    let program = match program(&Sandbox::new()) {
        Ok(program) => program,
        Err(why) => skip!("{why}"),
    };
    let sandbox = Sandbox::new();
    let commands = [
        ("db stop", "db stop DATA"),
        ("db adopt", "db adopt DATA"),
        ("record", "record -o DATA/r.sqio --for 1s"),
        ("replay", "replay DATA/recording DATA"),
        ("ab", "ab --a fio --b fio"),
    ];
    for (name, command) in commands {
        let ended = three(&program, &sandbox, command);
        assert_eq!(ended.code, 4, "{command}: {}", ended.stderr);
        let sentence = format!("Open MPI's mpirun started 3 processes, and `secchi {name}` runs on one host");
        assert_eq!(ended.stderr.matches(&sentence).count(), 1, "{command}: {}", ended.stderr);
        assert_eq!(names_in(&sandbox.data()), Vec::<String>::new(), "{command}");
    }
    assert!(!sandbox.path("home").exists() && !sandbox.store().exists(), "no store is made");
}

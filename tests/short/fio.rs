//! `secchi fio`: refusals, foreign files, kills, status output, outputs and the store.

use crate::support::{Ended, PATIENCE, Sandbox, Secchi, beside, eventually, names_in, print_of, processes_about};
use model::{RunState, plan::TargetKind};
use rustix::process::{Pid, Signal, kill_process};

/// Returns the command `secchi fio --store STORE WORDS`, with the sandbox's data directory for its files.
fn fio(sandbox: &Sandbox, words: &str) -> Secchi {
    let mut secchi = Secchi::new(&sandbox.path("home"));
    secchi
        .words("fio --store")
        .arg(sandbox.store())
        .arg(format!("--directory={}", sandbox.data().display()))
        .words(words);
    secchi
}

/// Asserts one line on standard error that contains `needle`, and the exit code; no file and no store is created.
fn refuses(sandbox: &Sandbox, secchi: &Secchi, code: i32, needle: &str) {
    let ended = secchi.run();
    ended.refuses(code, needle);
    assert_eq!(ended.stdout, "", "the document has no place for it");
    assert!(ended.took < PATIENCE, "{:?} for a refusal", ended.took);
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new(), "{needle}");
    assert!(!sandbox.store().exists(), "a refusal makes no store: {needle}");
}

#[test]
fn bad_command_lines_are_refused_in_one_line_and_nothing_is_made() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    // docs/design/bad-input.md, "The forty rows".
    let cases = [
        ("--blocksizee=4k", "blocksize"),
        ("--rw=raed", "read"),
        ("--bs=0", "0"),
        ("--bs=-4k", "negative"),
        ("--bs=1e30", "1e30"),
        ("--bs=4q", "unit"),
        ("--size=0", "0"),
        ("--size=-1", "negative"),
        ("--bs=2m", "larger than the size"),
        ("--iodepth=0", "iodepth"),
        ("--iodepth=-1", "iodepth"),
        ("--numjobs=0", "numjobs"),
        ("--numjobs=1000000", "numjobs"),
        ("--runtime=-5 --time_based", "negative"),
        ("--runtime=ten", "ten"),
        ("--rw=randrw --rwmixread=70 --rwmixwrite=70", "rwmix"),
        ("--rw=randrw --rwmixread=200", "200"),
        ("--direct=1 --bs=1000", "multiples of 512"),
        ("--ioengine=uring", "io_uring"),
        ("--ioengine=rados", "rados"),
        ("--runtime=1,5", "1,5"),
        ("--percentile_list=101", "101"),
        ("--bssplit=4k/60:8k/60", "120"),
        ("--ioengine=cpuio", "cpuload"),
        ("--name=../../x", "x"),
        ("--io_size=0", "io_size"),
        ("--output-format=xml", "xml"),
    ];
    for (words, needle) in cases {
        eprintln!("{words}");
        refuses(&sandbox, &fio(&sandbox, &format!("--name=j --size=1m {words}")), 64, needle);
    }
    refuses(&sandbox, &fio(&sandbox, ""), 64, "no jobs");
    let mut missing = Secchi::new(&sandbox.path("home"));
    missing.words("fio --name=j --size=1m --store").arg(sandbox.store());
    missing.arg(format!("--directory={}", sandbox.path("none").display()));
    refuses(&sandbox, &missing, 64, "does not exist");
    missing.arg("--name=k").arg(format!("--filename={}", sandbox.path("none").display()));
    assert_ne!(missing.run().code, 0);
    assert!(!sandbox.path("none").exists(), "no directory is made");
}

#[test]
fn bad_job_files_are_refused_in_one_line_and_nothing_is_made() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let long = format!("[j]\nrw={}\n", "x".repeat(1 << 20));
    let cases: [(&[u8], &str); 8] = [
        (b"", "no jobs"),
        (b"\x00\x9f\x01\x02\xff", "text"),
        (b"bs=4k\n[j]\nsize=1m\n", "1"),
        (b"include job.fio\n[j]\nsize=1m\n", "job.fio"),
        (long.as_bytes(), "rw"),
        (b"[j]\nsize=1m\nfilename=/dev/${NOPE_NOT_SET}\n", "NOPE_NOT_SET"),
        (b"[j]\nioengine=exec\narguments=-c\n", "program"),
        (b"[j]\nsize=1m\nbs=4k\nrw=randrw\nrwmixread=101\n", "101"),
    ];
    let file = sandbox.path("job.fio");
    for (text, needle) in cases {
        std::fs::write(&file, text).expect("a job file");
        let mut secchi = fio(&sandbox, "");
        secchi.arg(&file);
        eprintln!("{needle}");
        refuses(&sandbox, &secchi, 64, needle);
        assert!(secchi.run().stderr.len() < 1000, "a long line is not echoed");
    }
}

#[test]
fn what_a_page_of_the_web_makes_of_a_command_line_is_understood() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let mut secchi = fio(&sandbox, "");
    secchi.words("\u{2013}name=j \u{2014}size=1m \u{2013}rw=read --minimal");
    let ended = secchi.run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(ended.stderr, "", "whoever calls this as fio takes any word here for a failure");
    let notes = sandbox.newest().expect("it is kept").record.notes;
    assert!(notes.iter().any(|(_, note)| note.contains("dash")), "{notes:?}");
    assert_eq!(ended.stdout.lines().count(), 1, "terse, and nothing beside it: {}", ended.stdout);
    // A byte order mark and Windows line endings.
    let file = sandbox.path("job.fio");
    std::fs::write(&file, "\u{feff}[k]\r\nsize=1m\r\nrw=read\r\n").expect("a job file");
    let ended = fio(&sandbox, "--minimal").arg(&file).run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
}

#[test]
fn a_foreign_file_is_neither_written_nor_made_longer() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let file = sandbox.data().join("precious");
    std::fs::write(&file, vec![7u8; 1 << 20]).expect("a file of somebody");
    let before = print_of(&file);
    for words in ["--rw=write --size=1m", "--rw=randrw --size=512k", "--rw=write --size=2m --overwrite=1"] {
        let ended = fio(&sandbox, &format!("--name=j --filename=precious {words}")).run();
        ended.refuses(3, "secchi did not create it");
        assert!(print_of(&file) == before, "{words}");
    }
    let ended = fio(&sandbox, "--name=j --filename=precious --rw=read --size=2m").run();
    assert!(matches!(ended.code, 3 | 64), "{}: {}", ended.code, ended.stderr);
    assert!(print_of(&file) == before, "reading makes nothing longer");
    let ended = fio(&sandbox, "--name=j --filename=precious --rw=read --output-format=json").run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(document(&ended.stdout)["jobs"][0]["read"]["total_ios"], 256);
    let same = print_of(&file);
    assert!(same == before, "reading changes nothing");
    // With consent the file is overwritten, and its length stays the same.
    let ended = fio(&sandbox, "--name=j --filename=precious --rw=write --size=1m --overwrite=1").run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(file.metadata().expect("it stands").len(), 1 << 20);
}

fn document(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("no JSON document: {e}\n{text}"))
}

#[test]
fn a_link_named_fio_speaks_fio() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let link = sandbox.path("fio");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_secchi"), &link).expect("a link");
    let mut secchi = Secchi::new(&sandbox.path("home"));
    secchi.program(&link).words("--name=j --rw=read --size=1m --output-format=json --store").arg(sandbox.store());
    secchi.arg(format!("--directory={}", sandbox.data().display()));
    let ended = secchi.run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let report = document(&ended.stdout);
    assert!(report["fio version"].as_str().is_some_and(|v| v.starts_with("fio-3")), "{report}");
    assert_eq!(report["jobs"][0]["job options"]["rw"], "read");
}

const LASTING: &str = "--name=j --rw=randread --bs=8k --size=16m --time_based --runtime=600";

/// Waits until a run of this sandbox is measuring.
fn measuring(sandbox: &Sandbox) {
    let begun = eventually(PATIENCE, || {
        // A journal that has just begun cannot be shown yet.
        let ids = sandbox.secchi("runs --ids").run().stdout;
        !ids.trim().is_empty()
            && sandbox.newest().is_some_and(|run| run.record.steps.first().is_some_and(|s| s.intervals.len() > 1))
    });
    assert!(begun, "the run never came to measuring");
}

#[test]
fn a_job_that_ends_within_its_ramp_time_measured_nothing() {
    let sandbox = Sandbox::new();
    let ended = fio(&sandbox, "--name=j --rw=randread --bs=8k --size=1m --ramp_time=10 --number_ios=5").run();
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    let output = format!("{}{}", ended.stdout, ended.stderr);
    assert!(output.contains("nothing was measured: the job ended within its ramp_time"), "{output}");
}

#[test]
fn a_killed_run_keeps_its_journal() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let running = fio(&sandbox, LASTING).start();
    measuring(&sandbox);
    assert_eq!(sandbox.newest().expect("it runs").record.state, RunState::Running);
    let shown = sandbox.secchi("show last").run();
    assert!(shown.stdout.contains("still running"), "{}", shown.stdout);
    let pid = Pid::from_raw(running.pid() as i32).expect("a pid is not zero");
    kill_process(pid, Signal::KILL).expect("our own child can be killed");
    let store = sandbox.store();
    assert!(eventually(PATIENCE, || processes_about(&store).is_empty()), "nobody goes on");
    let run = sandbox.newest().expect("it is kept");
    assert_eq!((run.record.state, run.record.plan.command.as_str()), (RunState::Interrupted, "fio"));
    assert!(run.record.steps[0].total().data_ops() > 0);
    let shown = sandbox.secchi("show last").run();
    assert!(shown.stdout.contains("killed"), "{}", shown.stdout);
    let runs = sandbox.secchi("runs").run();
    assert_eq!((runs.code, runs.stderr.as_str()), (0, ""));
    // The next run uses its files again.
    let ended = fio(&sandbox, "--name=j --rw=randread --bs=8k --size=16m").run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
}

/// Parses consecutive JSON documents.
fn documents(text: &str) -> Vec<serde_json::Value> {
    let values = serde_json::Deserializer::from_str(text).into_iter();
    values.map(|one| one.unwrap_or_else(|e| panic!("no sequence of documents: {e}\n{text}"))).collect()
}

#[test]
fn looks_at_a_run_are_documents_in_sequence() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let words = format!("{LASTING} --output-format=json");
    let out = sandbox.path("out.json");
    let running = fio(&sandbox, &format!("{words} --status-interval=1 --output={}", out.display())).start();
    let written = || std::fs::read_to_string(&out).unwrap_or_default();
    let wait =
        |n: usize| assert!(eventually(PATIENCE, || written().matches("\"fio version\"").count() >= n), "{}", written());
    wait(3);
    running.signal(Signal::INT);
    let ended = running.wait(PATIENCE);
    assert_eq!((ended.code, ended.stdout.as_str()), (130, ""), "{}", ended.stderr);
    rising(&documents(&written()));

    std::fs::remove_file(&out).expect("ours");
    let running = fio(&sandbox, &format!("{words} --output={}", out.display())).start();
    let load = || processes_about(&out).into_iter().find(|pid| *pid != running.pid());
    assert!(eventually(PATIENCE, || out.exists() && load().is_some()), "the load process begins");
    let usr1 = || {
        let pid = Pid::from_raw(load().expect("it runs") as i32).expect("a pid is not zero");
        kill_process(pid, Signal::USR1).expect("our own child can be signalled");
    };
    for n in 1..=2 {
        usr1();
        wait(n);
    }
    running.signal(Signal::INT);
    assert_eq!(running.wait(PATIENCE).code, 130);
    let reports = documents(&written());
    assert_eq!(reports.len(), 3, "two that were asked for, and the last");
    rising(&reports);
}

fn rising(documents: &[serde_json::Value]) {
    let done: Vec<u64> = documents.iter().filter_map(|d| d["jobs"][0]["read"]["total_ios"].as_u64()).collect();
    assert_eq!(done.len(), documents.len());
    assert!(done.is_sorted() && done.last() > Some(&0), "{done:?}");
}

#[test]
fn several_outputs_at_once_and_the_store_tell_the_same() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let Ended { code, stdout, stderr, .. } =
        fio(&sandbox, "--name=j --rw=randread --bs=8k --size=2m --output-format=normal,terse,json+").run();
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.is_empty(), "messages only: {stderr}");
    assert!(stdout.lines().any(|l| l.starts_with("3;fio-3")), "{stdout}");
    assert!(stdout.contains("IOPS=") && stdout.contains("\nTRUST\n"), "{stdout}");
    let (from, to) = (stdout.find("\n{\n").expect("a document begins"), stdout.find("\n}\n").expect("and ends"));
    let report = document(&stdout[from..to + 3]);
    assert_eq!(report["jobs"][0]["read"]["total_ios"], 256);
    assert!(report["jobs"][0]["read"]["clat_ns"]["bins"].is_object());
    // Results in the store.
    let run = sandbox.newest().expect("it is kept");
    assert_eq!(run.record.state, RunState::Complete);
    assert_eq!(run.record.plan.target.kind, TargetKind::File);
    assert_eq!(run.record.steps[0].total().data_ops(), 256);
    let table = sandbox.secchi("runs").run();
    assert!(table.code == 0 && table.stdout.contains("fio"), "{}", table.stdout);
    let shown = sandbox.secchi(&format!("show {}", run.record.id)).run();
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""));
    let line = |text: &str| text.lines().find(|l| l.contains("IOPS=")).map(str::to_owned);
    assert_eq!(line(&shown.stdout), line(&stdout), "as it was printed then");
    assert!(shown.stdout.contains("TRUST"));
}

#[test]
fn figures_can_be_left_out() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let ended = fio(
        &sandbox,
        "--disk_util=0 --output-format=json --rw=read --size=1m --percentile_list=50 --name=quiet --stats=0 --name=told",
    )
    .run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let report = document(&ended.stdout);
    let names: Vec<&str> =
        report["jobs"].as_array().expect("a list").iter().filter_map(|j| j["jobname"].as_str()).collect();
    assert_eq!(names, ["told"]);
    assert!(report.get("disk_util").is_none(), "{report}");
}

/// In a job whose operations have priorities, every output and the store count each operation once.
#[test]
fn latencies_by_priority_add_up_to_those_of_all() {
    let _beside = beside();
    for (kind, more) in [("clat", ""), ("lat", "--lat_percentiles=1")] {
        let sandbox = Sandbox::new();
        // A class that needs no privileges.
        let words = "--name=j --rw=randrw --bs=4k --size=4m --ioengine=libaio --iodepth=4 --cmdprio_percentage=40 \
                     --cmdprio_class=2 --cmdprio=6 --output-format=normal,json+";
        let Ended { code, stdout, stderr, .. } = fio(&sandbox, &format!("{words} {more}")).run();
        assert_eq!(code, 0, "{stderr}");
        let (from, to) = (stdout.find("\n{\n").expect("a document begins"), stdout.find("\n}\n").expect("and ends"));
        let report = document(&stdout[from..to + 3]);
        for way in ["read", "write"] {
            let way = &report["jobs"][0][way];
            let name = format!("{kind}_ns");
            let prios = way["prios"].as_array().expect("a list");
            let named: Vec<(u64, u64)> =
                prios.iter().filter_map(|p| Some((p["prioclass"].as_u64()?, p["prio"].as_u64()?))).collect();
            assert_eq!(named, [(0, 0), (2, 6)], "{way}");
            let count = |latency: &serde_json::Value| latency["N"].as_u64().expect("a count");
            let shares: Vec<u64> = prios.iter().map(|p| count(&p[&name])).collect();
            assert_eq!(shares.iter().sum::<u64>(), count(&way[&name]));
            assert!(shares[1] * 100 > 25 * count(&way[&name]) && shares[1] < shares[0], "{shares:?}");
            let bins = |latency: &serde_json::Value| latency["bins"].as_object().cloned().expect("buckets");
            for (bucket, n) in bins(&way[&name]) {
                let parts = prios.iter().filter_map(|p| bins(&p[&name]).get(&bucket)?.as_u64());
                assert_eq!(parts.sum::<u64>(), n.as_u64().expect("a count"), "{bucket}");
            }
        }
        let lines =
            |text: &str| -> Vec<String> { text.lines().filter(|l| l.contains(" prio ")).map(str::to_owned).collect() };
        assert!(lines(&stdout).iter().any(|l| l.contains(&format!("{kind} prio 2/6 ("))), "{stdout}");
        assert_eq!(lines(&stdout).len(), 8, "a mean and percentiles of two priorities, both ways");
        let run = sandbox.newest().expect("it is kept");
        let shown = sandbox.secchi(&format!("show {}", run.record.id)).run();
        assert_eq!(lines(&shown.stdout), lines(&stdout));
    }
}

#[test]
fn compressed_logs_are_printed_again_whole_and_written_over_by_the_next_run() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let log = sandbox.path("l");
    for (more, columns) in [("", 6), ("--log_prio=1", 6), ("--log_issue_time=1", 7)] {
        let words = format!(
            "--name=j --rw=write --bs=4k --size=1m --log_offset=1 --log_store_compressed=1 --write_lat_log={} {more}",
            log.display()
        );
        let ended = fio(&sandbox, &words).run();
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let inflated =
            Secchi::new(&sandbox.path("home")).words("fio --inflate-log").arg(sandbox.path("l_clat.1.log.fz")).run();
        assert_eq!((inflated.code, inflated.stderr.as_str()), (0, ""));
        let offsets: Vec<u64> = inflated
            .stdout
            .lines()
            .map(|line| {
                let fields: Vec<&str> = line.split(", ").collect();
                assert_eq!(fields.len(), columns, "{line}");
                fields[4].parse().expect("an offset")
            })
            .collect();
        assert_eq!(offsets, (0..256).map(|i| i * 4096).collect::<Vec<u64>>());
    }
    let text = sandbox.path("text");
    std::fs::write(&text, "1, 2, 0, 4096, 0\n").expect("a file of ours");
    let refused = Secchi::new(&sandbox.path("home")).words("fio --inflate-log").arg(&text).run();
    assert!(refused.code != 0 && refused.stderr.contains("cannot print the log"), "{}", refused.stderr);
}

#[test]
fn what_was_read_is_told_as_by_fios_debug() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let ended = fio(&sandbox, "--parse-only --debug=parse --ss_dur=10s --ss=iops:.1% --name=j --rw=read").run();
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    for line in
        ["handle_option=steadystate, ptr=iops:.1%", "set steady state threshold to 0.100000%", "handle_option=rw"]
    {
        assert!(ended.stdout.lines().any(|l| l.starts_with("parse") && l.contains(line)), "{line}: {}", ended.stdout);
    }
    let other = fio(&sandbox, "--parse-only --debug=io --name=j --rw=read").run();
    assert!(other.code == 0 && other.stdout.is_empty() && other.stderr.contains("debug"), "{}", other.stderr);
}

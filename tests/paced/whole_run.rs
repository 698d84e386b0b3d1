//! A run from beginning to end: its output, its sums, its record, and its leftovers.

use crate::support::{Run, SHORT, Sandbox, beside, names_in};
use model::{Bytes, Op, RunState, judged::AnswerSubject, measured::Phase, record::StepStop};

/// Asserts the identities of a record of a run without errors (docs/design/statistics.md, "Identities";
/// docs/design/goals.md, "Reliability", G1 and G3).
pub fn adds_up(run: &Run) {
    for step in &run.record.steps {
        let end = step.end.as_ref().expect("every step ended");
        let label = format!("{} at {}: {end:?}", step.job.name, step.job.concurrency());
        assert_eq!(end.submitted, end.completed + end.failed + end.pending, "{label}");
        let ops: u64 = step.intervals.iter().map(|i| i.ops()).sum();
        assert_eq!(ops, end.completed, "operations of the intervals, drain included: {label}");
        let failed: u64 = step.intervals.iter().map(|i| i.failed()).sum();
        assert_eq!(failed, end.failed, "{label}");
        let bytes: u64 = step.intervals.iter().map(|i| i.bytes().as_u64()).sum();
        assert_eq!(bytes, end.bytes, "{label}");
        let block = step.job.workload.block.max().as_u64();
        if step.job.workload.block.min().as_u64() == block && step.job.workload.flush_every.is_none() {
            assert_eq!(end.bytes, end.completed * block, "every operation moved a whole block: {label}");
        }
        for interval in step.intervals.iter().filter(|i| i.phase != Phase::Drain) {
            let in_windows: u64 = interval.windows.iter().map(model::measured::Window::total_ops).sum();
            assert_eq!(in_windows, interval.ops(), "operations of the windows: {label}");
            for op in Op::ALL {
                let stats = interval.op(op);
                assert_eq!(stats.latency.count(), stats.tally.ops, "{op} latencies: {label}");
            }
        }
        let depth = f64::from(step.job.concurrency());
        let total = step.total();
        assert!(total.mean_in_flight() <= depth * 1.001, "{} in flight: {label}", total.mean_in_flight());
        if let Some(kernel) = &step.accounting {
            let flushes: u64 = step.intervals.iter().map(|i| i.op(Op::Flush).tally.ops).sum();
            assert_eq!(kernel.asked_read_ops + kernel.asked_write_ops + flushes, end.completed, "{label}");
        }
    }
    let drains = run.record.steps.iter().flat_map(|s| &s.intervals).filter(|i| i.phase == Phase::Drain);
    let drained = drains.flat_map(|i| &i.per_op).filter_map(|op| op.latency.max()).max();
    for pattern in &run.judgement.patterns {
        for level in &pattern.levels {
            // The largest latency of a level is that of its data operations.
            let steps = level.kept.iter().filter_map(|(step, _)| run.record.steps.get(*step));
            let flushes = steps.flat_map(|s| &s.intervals).filter_map(|i| i.op(Op::Flush).latency.max()).max();
            // Little's law is an identity except at the two edges, where operations are only partly inside: the error
            // is at most the ages of all operations in flight, none older than the largest latency, including
            // operations completed after the end.
            let cut = f64::from(level.queue_depth * level.threads)
                * level.max.max(drained).max(flushes).map_or(0.0, model::Nanos::secs);
            let edge = 0.01 + cut / (level.in_flight * level.time.secs());
            assert!((level.little - 1.0).abs() <= edge, "{}: Little {}", pattern.label, level.little);
        }
    }
}

/// Asserts that the default screen fits 80 x 24: the answer, the workloads, and a hint to the full report.
fn fits_one_screen(text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() <= 23, "{} lines: {text}", lines.len());
    assert!(lines.iter().all(|l| l.chars().count() <= 80), "{text}");
    assert!(text.contains("BINDS") && text.contains("8k randread") && text.contains("--full"), "{text}");
}

#[test]
fn a_result_is_written_in_every_format_a_name_says() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let endings = ["html", "md", "csv", "xml", "json", "txt"];
    let outputs: String =
        endings.iter().map(|e| format!(" -o {}", sandbox.path(&format!("r.{e}")).display())).collect();
    let small = "--patterns randread --bs 8k --max-depth 2 --size 64m";
    let ended = sandbox.qualify(sandbox.data(), small).words(&outputs).columns(80).run();
    ended.measured();
    fits_one_screen(&ended.stdout);
    let written = |ending: &str| std::fs::read_to_string(sandbox.path(&format!("r.{ending}"))).expect(ending);
    let run: Run = serde_json::from_str(&written("json")).expect("one document");
    let said = run.judgement.answer.line(AnswerSubject::Binds).expect("something binds").text.clone();
    assert!(written("txt").contains("VERDICT") && written("txt").contains(&run.record.id));
    assert!(written("csv").starts_with("run,started,workload,"));
    for (ending, of) in [("html", &said), ("md", &said), ("xml", &said)] {
        // Undo the escaping of each format.
        let text = written(ending).replace("&apos;", "'").replace("&#39;", "'").replace("\\", "").replace("&amp;", "&");
        assert!(text.contains(of.as_str()), "{ending}: {of}: {text}");
    }
    let wrong = sandbox.qualify(sandbox.data(), small).words("-o r.doc").run();
    wrong.refuses(64, "unknown file extension");
}

/// The fill counts as written data; reads are measured in spite of the bound.
#[test]
fn a_run_writes_no_more_than_it_may() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let small = "--patterns randread,randwrite --bs 8k --max-depth 4 --size 64m";
    let run = |words: &str| sandbox.qualify(sandbox.data(), &format!("{small} {words} --json")).run();
    let ended = run("--max-written 100m");
    let run_of = ended.json();
    let (written, told) = (run_of.record.written(), &run_of.judgement.caveats);
    assert!(written.as_u64() <= 100 << 20 && written.as_u64() > 64 << 20, "{written}");
    assert!(told.iter().any(|c| c.id == "max-written"), "{told:?}");
    let patterns = &run_of.judgement.patterns;
    // Whether a level is valid depends on the machine; a busy one leaves none.
    let read = patterns.iter().any(|p| p.label == "8k randread" && p.levels.iter().any(|l| l.iops.value > 0.0));
    assert!(read, "what reads is measured: {patterns:?} {told:?}");
    // Rejected before anything is created.
    sandbox
        .qualify(sandbox.data(), &format!("{small} --max-written 32m"))
        .run()
        .refuses(64, "filling the target alone writes 64 MiB");
    assert!(names_in(&sandbox.data()).is_empty());
}

#[test]
fn a_quiet_run_is_one_line_for_a_monitoring_system() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let check = |need: &[&str]| {
        let small = "--quiet --patterns randread --bs 8k --max-depth 1 --size 64m";
        let mut secchi = sandbox.qualify(sandbox.data(), small);
        for word in need {
            secchi.arg(word);
        }
        let ended = secchi.run();
        assert_eq!((ended.stdout.lines().count(), ended.stderr.as_str()), (1, ""), "{}", ended.stdout);
        (ended.code, ended.stdout)
    };
    let (code, line) = check(&[]);
    // Other processes may have used the machine.
    assert!(code == 0 && line.starts_with("SECCHI OK - BINDS") || code == 3, "{line}");
    let (code, line) = check(&["--need", "8k randread: iops>=100000000"]);
    assert!(
        code == 3 && line.starts_with("SECCHI UNKNOWN") || line.starts_with("SECCHI CRITICAL - NEEDS not met"),
        "{code} {line}"
    );
    let ended = sandbox.qualify(sandbox.path("nowhere").join("deeper"), "-q").run();
    assert!(ended.code == 3 && ended.stdout.starts_with("SECCHI UNKNOWN - "), "{}", ended.stdout);
}

#[test]
fn a_run_adds_up_is_kept_and_leaves_nothing_behind() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let ended = sandbox.qualify(sandbox.data(), SHORT).words("--json").run();
    ended.measured();
    assert_eq!(ended.stdout.lines().count(), 1, "one document on one line");
    assert!(ended.stderr.lines().all(|l| l.starts_with("secchi: ")), "{}", ended.stderr);
    let run = ended.json();
    assert_eq!(run.record.state, RunState::Complete);
    assert_eq!(run.record.fill.expect("a new file is filled").bytes, Bytes::from_mib(64));
    assert!(run.record.steps.iter().all(|s| s.end.as_ref().is_some_and(|e| e.completed > 0 && e.failed == 0)));
    assert!(run.record.steps.iter().any(|s| s.hold), "a ramp holds its best level");
    adds_up(&run);
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new(), "the test file is removed");

    let id = run.record.id.clone();
    let table = sandbox.secchi("runs").run();
    assert_eq!(table.code, 0, "{}", table.stderr);
    assert!(table.stdout.contains(&id[..8]) && table.stdout.contains("complete"), "{}", table.stdout);
    assert_eq!(sandbox.secchi("runs --ids").run().stdout, format!("{id}\n"));

    let shown = sandbox.secchi(&format!("show --json {}", &id[..8])).run();
    assert_eq!(shown.json(), run, "what is kept is what was printed, and is judged alike");
    // The same run by four names.
    sandbox.secchi(&format!("runs tag {id} first")).run();
    for name in [id.as_str(), "last", "last-0", "first"] {
        let screen = sandbox.secchi(&format!("show {name}")).columns(80).run();
        assert_eq!(screen.code, 0, "{}", screen.stderr);
        fits_one_screen(&screen.stdout);
        assert!(screen.stdout.contains(&format!("show {} ", &id[..8])), "{}", screen.stdout);
    }
    let full = sandbox.secchi(&format!("show {id} --full")).run();
    assert_eq!(full.code, 0, "{}", full.stderr);
    assert!(full.stdout.contains("VERDICT") && full.stdout.contains("TRUST"), "{}", full.stdout);
    assert_eq!(full.stdout.lines().filter(|l| l.starts_with("BINDS")).count(), 1, "{}", full.stdout);
    sandbox.secchi("show last-1").run().refuses(64, "there is one run");

    let removed = sandbox.secchi(&format!("rm {}", &id[..8])).run();
    assert_eq!((removed.code, removed.stdout.as_str()), (0, ""), "{}", removed.stderr);
    sandbox.secchi(&format!("rm {id}")).run().refuses(64, &id[..8]);
    sandbox.secchi(&format!("show {id}")).run().refuses(64, &id[..8]);
    assert_eq!(sandbox.secchi("runs --ids").run().stdout, "");
}

#[test]
fn a_kept_file_is_used_again_and_stays() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let small = "--patterns randread --bs 8k --max-depth 1 --size 64m --json";
    let first = sandbox.qualify(sandbox.data(), small).words("--keep").run();
    first.measured();
    let kept = names_in(&sandbox.data());
    assert!(kept.len() == 2 && kept[0].ends_with(".dat") && kept[1].ends_with(".json"), "{kept:?}");
    assert!(first.stderr.contains("is kept for the next run"), "{}", first.stderr);

    let second = sandbox.qualify(sandbox.data(), small).run();
    second.measured();
    let run = second.json();
    assert_eq!((run.record.fill, run.record.plan.fill), (None, Bytes(0)), "nothing is filled a second time");
    assert_eq!(run.record.plan.target.path, first.json().record.plan.target.path);
    assert_eq!(names_in(&sandbox.data()), kept, "who asked once to keep it finds it again");
    let ids = sandbox.secchi("runs --ids").run().stdout;
    let newest: Vec<&str> = ids.lines().collect();
    assert_eq!(newest, [run.record.id.as_str(), first.json().record.id.as_str()], "newest first");
}

#[test]
fn writes_flushes_and_mixes_add_up_too() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let ended = sandbox
        .qualify(sandbox.data(), "--patterns randwrite,randrw,read --bs 16k --max-depth 2 --size 64m --json")
        .arg("--need")
        .arg("16k randwrite: iops>=1")
        .run();
    ended.measured();
    let run = ended.json();
    adds_up(&run);
    let mixed = run.record.steps.iter().find(|s| s.job.workload.rw() == "randrw").expect("a mix was run");
    let total = mixed.total();
    assert!(total.op(Op::Read).tally.ops > 0 && total.op(Op::Write).tally.ops > 0);
    let flushed = run.record.steps.iter().find(|s| s.job.workload.flush_every.is_some()).expect("fdatasync was probed");
    assert!(flushed.total().op(Op::Flush).tally.ops > 0);
    assert!(run.record.steps.iter().all(|s| s.end.as_ref().is_some_and(|e| e.stop != StepStop::Errors)));
    assert_eq!(run.judgement.needs.len(), 1);
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new());
}

#[test]
fn a_need_decides_the_exit_code() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let small = "--patterns randread --bs 8k --max-depth 1 --size 64m --json";
    let ended = sandbox.qualify(sandbox.data(), small).arg("--need").arg("8k randread: iops>=900m").run();
    ended.measured_as(1);
    let run = ended.json();
    let outcome = if ended.starved() { model::judged::Outcome::Undecided } else { model::judged::Outcome::Fail };
    assert_eq!((run.judgement.outcome, i32::from(run.judgement.exit_code)), (outcome, ended.code));
}

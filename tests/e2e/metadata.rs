//! Files and names: every file counted a second way, no leftovers, and refusals.

use crate::support::{Ended, PATIENCE, Sandbox, Tmpfs, beside, eventually, names_in, skip, tool};
use model::{METADATA_PHASES, MetadataPhase, MetadataShape, Outcome};
use rustix::process::Signal;
use std::path::Path;
use std::process::Command;

fn metadata(sandbox: &Sandbox, words: &str) -> Ended {
    sandbox.qualify(sandbox.data(), &format!("--metadata {words}")).run()
}

fn nothing_left(place: &Path) {
    let left: Vec<_> = names_in(place).into_iter().filter(|name| name != "lost+found").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn every_phase_does_every_file_once_and_leaves_none() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let ended = metadata(&sandbox, "--metadata-files 300 --metadata-threads 3 --json");
    let run = ended.json();
    let figures = run.judgement.metadata().expect("it is about names");
    assert_eq!((figures.threads, figures.files_each), (3, 300));
    let phases: Vec<_> = figures.phases.iter().map(|p| (p.shape, p.phase)).collect();
    assert_eq!(phases, METADATA_PHASES);
    for of in &figures.phases {
        assert_eq!((of.all.files, of.all.errors, of.steps.len()), (900, 0, 3), "{}", of.label());
        assert!(of.all.rate.per_second() > 0.0 && of.all.p99.value().is_none_or(|p99| of.all.p50.value() <= Some(p99)));
        let rate = of.all.files as f64 / of.all.time.secs();
        assert!((of.all.rate.per_second() / rate - 1.0).abs() < 1e-9);
        assert_eq!(of.durable_rate.is_some(), of.phase.changes(), "{}", of.label());
        assert!(of.durable_rate.is_none_or(|durable| durable.per_second() <= of.all.rate.per_second()));
    }
    assert!(run.judgement.caveats.iter().any(|c| c.id == "names-cached"), "{:?}", run.judgement.caveats);
    assert_eq!(i32::from(run.judgement.exit_code), ended.code, "{}", ended.stderr);
    nothing_left(&sandbox.data());
    let shown = sandbox.secchi("show last").run();
    for (shape, phase) in METADATA_PHASES {
        let row = format!("{} {}", shape.name(), phase.name());
        assert!(shown.stdout.contains(&row), "{row} is not in {}", shown.stdout);
    }
    assert!(shown.stdout.contains("900 files of each shape, by 3 threads"), "{}", shown.stdout);
    let page = sandbox.path("page.html");
    let report = sandbox.secchi("report last").arg("-o").arg(&page).run();
    assert_eq!(report.code, 0, "{}", report.stderr);
    let page = std::fs::read_to_string(page).expect("written");
    assert!(page.contains("mdtest-hard remove") && page.contains("Files and names"));
}

#[test]
fn needs_on_phases_decide_two_runs_are_compared_and_a_plan_makes_nothing() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let run = |need: &str, more: &str| {
        let words = format!("--metadata --metadata-files 3000 --metadata-threads 2 {more}");
        sandbox.qualify(sandbox.data(), &words).arg("--need").arg(need).run()
    };
    let (junit, low) = (sandbox.path("needs.xml"), "mdtest-easy-write: iops>=1, max<=1h");
    let met = run(low, &format!("--junit {}", junit.display()));
    let high = run("mdtest-hard stat: iops>=1000000k", "");
    for (ended, code, outcome) in [(&met, 0, Outcome::Pass), (&high, 1, Outcome::Fail)] {
        // Figures disturbed by other load decide nothing.
        assert!([code, 2].contains(&ended.code), "{}: {}{}", ended.code, ended.stdout, ended.stderr);
        let which = if code == 0 { "show last-1 --json" } else { "show last --json" };
        let judged = sandbox.secchi(which).run().json().judgement.needs[0].outcome;
        assert_eq!(judged == outcome, ended.code == code, "{judged:?}");
    }
    let cases = std::fs::read_to_string(junit).expect("written");
    assert!(cases.contains("mdtest-easy-write"), "{cases}");
    let compared = sandbox.secchi("compare last-1 last").run();
    assert!([0, 1, 2].contains(&compared.code), "{}", compared.stderr);
    for name in ["mdtest-easy create", "mdtest-hard remove"] {
        assert!(compared.stdout.contains(name), "{name}: {}", compared.stdout);
    }
    let plan = run(low, "--plan");
    assert_eq!(plan.code, 0, "{}", plan.stderr);
    // Line breaks depend on the length of the directory's name.
    let text = plan.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in ["6,000 files of each shape by 2", "mdtest-hard read", "mdtest-easy-write: iops>=1"] {
        assert!(text.contains(word), "{word}: {}", plan.stdout);
    }
    nothing_left(&sandbox.data());
    assert_eq!(sandbox.secchi("runs --ids").run().stdout.lines().count(), 2, "a plan is no run");
    let blocks = run("8k randread: iops>=1", "");
    assert_eq!((blocks.code, blocks.stdout.as_str()), (64, ""), "{}", blocks.stderr);
    assert!(blocks.stderr.contains("is not for file operations"), "{}", blocks.stderr);
}

#[test]
fn strace_counts_the_same_calls() {
    let _beside = beside();
    if let Err(why) = tool("strace", &["-V".as_ref()]) {
        skip!("{why}");
    }
    let sandbox = Sandbox::new();
    let counted = |files: u64| -> Option<[u64; 3]> {
        let trace = sandbox.path(&format!("calls-{files}"));
        let words = format!("--metadata --metadata-threads 2 --metadata-files {files} --json --store");
        // Print the paths of descriptors, because the number of reads of the kernel's counters depends on the duration
        // of the run.
        let ended = Command::new("strace")
            .args(["-f", "-y", "-qq", "-e", "trace=openat,unlinkat,newfstatat,statx", "-o"])
            .arg(&trace)
            .arg(env!("CARGO_BIN_EXE_secchi"))
            .arg("qualify")
            .arg(sandbox.data())
            .args(words.split(' '))
            .arg(sandbox.store())
            .output()
            .expect("it starts");
        let text = std::fs::read_to_string(&trace).ok().filter(|t| t.contains("openat"))?;
        assert_eq!(ended.status.code(), Some(0), "{ended:?}");
        let place = sandbox.data().display().to_string();
        let count = |names: &[&str]| {
            let begins = |line: &str| names.iter().any(|name| line.contains(&format!(" {name}(")));
            text.lines().filter(|line| begins(line) && line.contains(&place)).count() as u64
        };
        Some([count(&["openat"]), count(&["unlinkat"]), count(&["newfstatat", "statx"])])
    };
    // The constant part of a run is the same for few and for many files; the difference comes from the files.
    let (Some(few), Some(many)) = (counted(100), counted(1100)) else { skip!("strace may not trace here") };
    let more = 2 * 1000;
    let differ: Vec<u64> = few.iter().zip(many).map(|(few, many)| many.saturating_sub(*few)).collect();
    // Files are created in both shapes and read in one, removed in both, and stat'ed in both.
    for (calls, files, what) in [(differ[0], 3, "openat"), (differ[1], 2, "unlinkat"), (differ[2], 2, "stat")] {
        let wanted = files * more;
        assert!((wanted - 50..wanted + 400).contains(&calls), "{what}: {calls}, wanted {wanted} ({few:?}, {many:?})");
    }
}

#[test]
fn an_interrupt_leaves_nothing_and_keeps_what_was_measured() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let running = sandbox.qualify(sandbox.data(), "--metadata --metadata-files 2m --metadata-threads 2").start();
    let directory = || names_in(&sandbox.data()).into_iter().find(|name| name.ends_with(".files"));
    let busy = || directory().is_some_and(|name| names_in(&sandbox.data().join(name).join("easy.1")).len() > 2000);
    assert!(eventually(PATIENCE, busy), "{}", running.stderr());
    running.signal(Signal::INT);
    let ended = running.wait(PATIENCE);
    assert_eq!(ended.code, 130, "{}", ended.stderr);
    nothing_left(&sandbox.data());
    let run = sandbox.newest().expect("it is kept");
    let figures = run.judgement.metadata().expect("it is about names");
    let first = figures.phases.first().expect("the first phase began");
    assert_eq!((first.shape, first.phase), (MetadataShape::Easy, MetadataPhase::Create));
    assert!(first.all.files > 1000 && first.all.files < 4_000_000, "{}", first.all.files);
}

#[test]
fn what_a_killed_run_leaves_goes_with_the_next() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let running = sandbox.qualify(sandbox.data(), "--metadata --metadata-files 2m --metadata-threads 1").start();
    let directory = || names_in(&sandbox.data()).into_iter().find(|name| name.ends_with(".files"));
    let busy = || directory().is_some_and(|name| names_in(&sandbox.data().join(name).join("easy.0")).len() > 100);
    assert!(eventually(PATIENCE, busy), "{}", running.stderr());
    // The load process ends with its supervisor.
    running.signal(Signal::KILL);
    running.wait(PATIENCE);
    std::fs::write(sandbox.data().join("precious"), "kept").expect("written");
    let gone = || {
        let next = metadata(&sandbox, "--metadata-files 10 --metadata-threads 1");
        [0, 2].contains(&next.code) && directory().is_none()
    };
    assert!(eventually(PATIENCE, gone), "{:?}", names_in(&sandbox.data()));
    assert_eq!(names_in(&sandbox.data()), ["precious"]);
}

#[test]
fn what_is_no_directory_or_has_no_room_is_refused_before_anything_is_made() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let file = sandbox.path("file");
    std::fs::write(&file, "precious").expect("written");
    sandbox.qualify(&file, "--metadata").run().refuses(64, "this is not a directory");
    sandbox.qualify("/dev/null", "--metadata").run().refuses(64, "this is not a directory");
    sandbox.qualify("/dev", "--metadata").run().refuses(3, "kernel");
    sandbox.qualify(sandbox.data(), "--metadata --metadata-files 0").run().refuses(64, "metadata-files");
    sandbox.qualify(sandbox.data(), "--metadata --bs 8k").run().refuses(64, "--bs");
    sandbox.qualify(sandbox.data(), "--metadata-files 10").run().refuses(64, "--metadata");
    assert_eq!(std::fs::read_to_string(&file).expect("it stays"), "precious");
    nothing_left(&sandbox.data());
}

#[test]
fn a_file_system_without_inodes_says_so_and_memory_is_no_storage() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let place = sandbox.path("small");
    std::fs::create_dir(&place).expect("made");
    let mounted = match Tmpfs::mount(&place, "64m,nr_inodes=500") {
        Ok(mounted) => mounted,
        Err(why) => skip!("{why}"),
    };
    let few = sandbox.qualify(&place, "--metadata --metadata-files 50 --metadata-threads 2 --json").run();
    let many = sandbox.qualify(&place, "--metadata --metadata-files 1000 --metadata-threads 2").run();
    let left = names_in(&place);
    drop(mounted);
    let run = few.json();
    assert!(run.judgement.verdict.contains("memory was measured"), "{}", run.judgement.verdict);
    assert_eq!(few.code, 2, "{}", few.stderr);
    many.refuses(3, "inodes are free on tmpfs");
    assert!(left.is_empty(), "{left:?}");
}

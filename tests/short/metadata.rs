//! Files and names: every file counted, no leftovers, and refusals.

use crate::support::commands::{metadata, nothing_left};
use crate::support::{PATIENCE, Sandbox, beside, eventually, names_in};
use model::metadata::{METADATA_PHASES, MetadataPhase, MetadataShape};
use rustix::process::Signal;

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
fn an_interrupt_leaves_nothing_and_keeps_what_was_measured() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let running = sandbox.qualify(sandbox.data(), "--metadata --metadata-files 400k --metadata-threads 2").start();
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
    assert!(first.all.files > 1000 && first.all.files < 800_000, "{}", first.all.files);
}

#[test]
fn what_a_killed_run_leaves_goes_with_the_next() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let running = sandbox.qualify(sandbox.data(), "--metadata --metadata-files 400k --metadata-threads 1").start();
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

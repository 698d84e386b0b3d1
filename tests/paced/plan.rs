//! `--plan` shows everything and changes nothing.

use crate::support::{Ended, Loop, Sandbox, beside, names_in, print_of, skip};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Asserts that a plan announces the bound on writes, like its run, and prints no other line on standard error.
fn assert_bound(ended: &Ended) {
    assert_eq!((ended.code, ended.stderr.lines().count()), (0, 1), "{}", ended.stderr);
    assert!(ended.stderr.starts_with("secchi: writes at most ") && ended.stderr.contains("--yes"), "{}", ended.stderr);
}

fn times_of(path: &Path) -> (i64, i64, i64, i64) {
    let m = path.metadata().expect("it stands");
    (m.mtime(), m.mtime_nsec(), m.ctime(), m.ctime_nsec())
}

#[test]
fn a_plan_shows_the_machine_the_stages_and_the_opens_and_changes_nothing() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let before = times_of(&sandbox.data());
    let mut secchi = sandbox.qualify(sandbox.data(), "--plan --size 64m --patterns randread,write --max-depth 16");
    secchi.arg("--limit").arg("volume iops=6000 mbps=125MiB");
    secchi.arg("--need").arg("8k randread: iops>=6000, p99<=5ms");
    let ended = secchi.run();
    assert_bound(&ended);
    for needle in
        ["PLAN", "io_uring", "libaio", "psync", "volume", "O_EXCL", "64 MiB", "nothing has been written", "128k write"]
    {
        assert!(ended.stdout.contains(needle), "`{needle}` is not in: {}", ended.stdout);
    }
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new());
    assert_eq!(times_of(&sandbox.data()), before);
    assert!(!sandbox.store().exists(), "a plan is no run");
    assert!(!sandbox.path("home").exists(), "nor is a home made");
}

#[test]
fn a_plan_for_a_file_of_ours_says_that_it_is_used_again() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let kept = sandbox.qualify(sandbox.data(), "--patterns randread --bs 8k --max-depth 1 --size 64m --keep").run();
    kept.measured();
    let names = names_in(&sandbox.data());
    let file = sandbox.data().join(&names[0]);
    let before = (print_of(&file), times_of(&sandbox.data()), sandbox.secchi("runs --ids").run().stdout);
    for target in [sandbox.data(), file.clone()] {
        let ended = sandbox.qualify(&target, "--plan --size 64m").run();
        assert_bound(&ended);
        assert!(ended.stdout.contains(&names[0]), "{}", ended.stdout);
    }
    let after = (print_of(&file), times_of(&sandbox.data()), sandbox.secchi("runs --ids").run().stdout);
    assert_eq!(after, before);
    assert_eq!(names_in(&sandbox.data()), names);
}

#[test]
fn a_plan_for_a_device_shows_the_word_that_would_destroy_it() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let image = sandbox.path("image");
    let device = match Loop::new(&image, 64 << 20) {
        Ok(device) => device,
        Err(why) => skip!("{why}"),
    };
    let word = format!("{}:{}", device.path.display(), 64 << 20);
    let before = print_of(&image);
    let mut secchi = sandbox.secchi("qualify --plan");
    let ended = secchi.arg("--device").arg(&device.path).run();
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    // Long lines are broken between words, never within one.
    assert!(ended.stdout.contains(&word), "{}", ended.stdout);
    assert!(!ended.stdout.contains("randwrite"), "without consent nothing writes: {}", ended.stdout);
    let ended = secchi.arg("--destroy").arg(&word).run();
    assert_bound(&ended);
    assert!(ended.stdout.contains("randwrite") && ended.stdout.contains("--yes"), "{}", ended.stdout);
    assert_eq!(print_of(&image), before);
}

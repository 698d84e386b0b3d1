//! Invalid input: one line on standard error, the right exit code, and nothing opened, created or changed
//! (docs/design/bad-input.md, "Rules").

use crate::support::{PATIENCE, Sandbox, Secchi, beside, names_in};
use std::os::unix::ffi::OsStrExt;

/// Runs the command and asserts the one-line error; the directory under test stays empty and no store is created.
fn refuses(sandbox: &Sandbox, secchi: &Secchi, code: i32, needle: &str) {
    let ended = secchi.run();
    ended.refuses(code, needle);
    assert!(ended.took < PATIENCE, "{:?} for a refusal", ended.took);
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new(), "{needle}");
    assert!(!sandbox.store().exists(), "a refusal makes no store: {needle}");
}

#[test]
fn bad_words_are_named_and_nothing_is_made() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let cases: &[(&str, &[&str], &str)] = &[
        // Sizes.
        ("--bs -4k", &[], "negative size"),
        ("", &["--bs=-4k"], "negative"),
        ("--bs 4q", &[], "unknown unit `q`"),
        ("--bs 1e30", &[], "1e30"),
        ("--bs 0", &[], "0"),
        ("--bs 4k,,8k", &[], "--bs"),
        ("--bs 1000", &[], "1000"),
        ("--bs 128m", &[], "at most 64 MiB"),
        ("--size 64m --bs 65m", &[], "65"),
        ("--size 0", &[], "size"),
        ("--size=-1", &[], "negative"),
        ("--size 1,5g", &[], "1,5g"),
        ("--size 32m --bs 64m", &[], "64 MiB"),
        // Patterns and engines.
        ("--patterns randraed", &[], "did you mean `randread`?"),
        ("--patterns", &[], "--patterns"),
        ("--engine uring", &[], "io_uring"),
        ("--engine null", &[], "nothing to measure"),
        ("--engine faulty", &[], "faulty"),
        // Depths and times.
        ("--max-depth 0", &[], "1..=4096"),
        ("--max-depth 100000", &[], "1..=4096"),
        ("--max-depth=-1", &[], "-1"),
        ("--max-depth -1", &[], "-1"),
        ("--max-depth many", &[], "many"),
        ("--hang 0s", &[], "at least 1 s"),
        ("--hang -5s", &[], "negative time"),
        ("--hang 10", &[], "unit"),
        ("--effort long", &[], "quick"),
        ("--time 30", &[], "--effort quick"),
        ("--runtime=30", &[], "secchi fio --runtime=30"),
        ("--iodepth=4", &[], "--max-depth N"),
        ("--seed minus", &[], "minus"),
        // Limits and needs.
        ("", &["--limit", "volume"], "volume"),
        ("", &["--limit", "6000 iops"], "as in `volume iops=6000"),
        ("", &["--limit", "volume 6000 iops"], "unknown word `6000`"),
        ("", &["--limit", "volume iops 6000"], "`iops=VALUE`"),
        ("", &["--limit", "volume iops=many"], "many"),
        ("", &["--limit", "volume iosp=6000"], "iops"),
        ("", &["--limit", "volume iops=0"], "0"),
        ("", &["--limit", "volume iops=-1"], "-1"),
        ("", &["--limit", ""], "limit"),
        ("", &["--need", "8k randread"], "need"),
        ("", &["--need", "commit: p99<=10ms"], "measure it with `secchi db ranwrite`"),
        ("", &["--need", "8k randraed: iops>=1"], "randread"),
        ("", &["--need", "8k randread: iosp>=1"], "iops"),
        ("", &["--need", "8k randread: p101<=1ms"], "101"),
        ("", &["--need", "8k randread: avg<=1"], "unit"),
        ("", &["--need", "randread: iops>=1"], "randread"),
        // Options that exclude or require each other.
        ("--destroy SERIAL", &[], "name it with --device"),
        ("--adopt", &[], "--adopt"),
        ("--adopt --patterns write", &[], "--adopt"),
        ("--blocksize 4k", &[], "--blocksize"),
        ("--pattern read", &[], "--patterns"),
        ("--json --json", &[], "--json"),
        ("–json", &[], "did you mean `--json`?"),
        ("--dir /tmp", &[], "--dir"),
        ("--device /dev/null", &[], "--device"),
        ("another", &[], "another"),
    ];
    for (words, args, needle) in cases {
        let mut secchi = sandbox.qualify(sandbox.data(), words);
        for arg in *args {
            secchi.arg(arg);
        }
        eprintln!("{words} {args:?}");
        refuses(&sandbox, &secchi, 64, needle);
    }
}

#[test]
fn a_plan_that_qualify_refuses_is_refused_by_lint() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    for words in ["--patterns randraed", "--max-depth 0", "--engine uring"] {
        let mut secchi = Secchi::new(&sandbox.path("home"));
        let plan = format!("secchi qualify /mnt/data {words}");
        let ended = secchi.arg("lint").arg(plan).run();
        assert_eq!((ended.code, ended.stdout.as_str()), (64, ""), "{words}: {}", ended.stderr);
    }
}

#[test]
fn bad_targets_are_named_and_nothing_is_made() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let outside = sandbox.path("outside");
    std::fs::write(&outside, "a file").expect("a file beside");
    let at = |name: &str| sandbox.data().join(name);
    let cases = [
        (at("none"), "", "does not exist"),
        (at("none/below"), "", "does not create directories"),
        (outside.join("below"), "", "is a file, not a directory"),
        ("/dev/null".into(), "", "neither a directory"),
        ("/dev/null".into(), "--adopt", "neither a directory"),
        (at(&"x".repeat(300)), "", "too long"),
        ("".into(), "", "[PATH]"),
    ];
    for (path, words, needle) in cases {
        refuses(&sandbox, &sandbox.qualify(path, words), 64, needle);
    }
    let named = |option: &str, path: &std::path::Path| {
        let mut secchi = sandbox.secchi("qualify");
        secchi.arg(option).arg(path);
        secchi
    };
    refuses(&sandbox, &named("--dir", &outside), 64, "not a directory");
    refuses(&sandbox, &named("--device", &outside), 64, "not a block device");
    refuses(&sandbox, &named("--device", &sandbox.data()), 64, "not a block device");
    refuses(&sandbox, &named("--device", "/dev/secchi-none".as_ref()), 64, "does not exist");
    refuses(&sandbox, &sandbox.secchi("qualify"), 64, "PATH");
    refuses(&sandbox, &sandbox.qualify("/proc", "--size 64m"), 3, "in a file system of the kernel");
    assert_eq!(std::fs::read_to_string(&outside).expect("it stands"), "a file");
}

#[test]
fn names_of_any_bytes_are_taken_and_never_play_with_the_terminal() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    for name in [&b"\xFF\xFE"[..], b"\x1b[2Jred\n", b"two words", "–dash".as_bytes(), b"a:b", b"${NOPE}"] {
        let dir = sandbox.data().join(std::ffi::OsStr::from_bytes(name));
        std::fs::create_dir(&dir).expect("such a directory");
        let ended = sandbox.qualify(&dir, "--plan --size 64m").run();
        assert_eq!((ended.code, ended.stderr.lines().count()), (0, 1), "{name:?}: {}", ended.stderr);
        assert!(!ended.stdout.contains('\x1b') && !ended.stderr.contains('\x1b'), "{}", ended.stdout);
        let ended = sandbox.qualify(dir.join("none"), "").run();
        ended.refuses(64, "does not exist");
        assert!(!ended.stderr.contains('\x1b'), "{}", ended.stderr);
    }
}

#[test]
fn the_store_is_asked_in_words_it_understands() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let cases = [
        ("runs", "no run store"),
        ("runs extra", "extra"),
        ("runs --id", "--ids"),
        ("show", "no run store"),
        ("show 3f2a", "no run store"),
        ("show 3f2a --jsno", "--json"),
        ("rm", "RUN"),
        ("rm 3f2a", "no run store"),
        ("shwo 3f2a", "show"),
        (".", "`secchi qualify .`"),
        ("/dev/nothing", "`secchi qualify /dev/nothing`"),
    ];
    for (words, needle) in cases {
        refuses(&sandbox, &sandbox.secchi(words), 64, needle);
    }
    // An empty store: the run is unknown, and ids are neither patterns nor paths.
    std::fs::create_dir(sandbox.store()).expect("an empty directory");
    for id in ["3f2a", "..", "*", "%", "/", "''"] {
        for command in ["show", "rm"] {
            let ended = sandbox.secchi(command).arg(id).run();
            assert_eq!((ended.code, ended.stdout.as_str()), (64, ""), "{command} {id}: {}", ended.stderr);
            assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
        }
    }
}

#[test]
fn help_tells_the_exit_codes_and_the_version_is_one_line() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    for words in ["--help", "qualify --help"] {
        let ended = plain(&sandbox, words).run();
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
        for needle in ["Exit codes", "64", "130", "the device hung"] {
            assert!(ended.stdout.contains(needle), "{words}: {needle}: {}", ended.stdout);
        }
    }
    let version = plain(&sandbox, "--version").run();
    assert_eq!(version.stdout, format!("secchi {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!((version.code, version.stderr.as_str()), (0, ""));
    let nothing = plain(&sandbox, "").run();
    assert_eq!((nothing.code, nothing.stdout.as_str()), (64, ""));
}

fn plain(sandbox: &Sandbox, words: &str) -> Secchi {
    let mut secchi = Secchi::new(&sandbox.path("home"));
    secchi.words(words);
    secchi
}

#[test]
fn diagnostics_are_on_standard_error_only() {
    let sandbox = Sandbox::new();
    let list = |words: &str, filter: &str| sandbox.secchi(&format!("runs {words}")).env("SECCHI_LOG", filter).run();
    sandbox.secchi("ping -c 1").arg(sandbox.data()).run();
    let quiet = list("", "");
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
    for (words, filter) in [("-v", ""), ("-vv", ""), ("--verbose", ""), ("", "store=info")] {
        let verbose = list(words, filter);
        assert_eq!((verbose.code, &verbose.stdout), (0, &quiet.stdout), "{words} {filter}");
        assert!(
            verbose.stderr.contains("INFO store::runs::store: opened store"),
            "{words} {filter}: {}",
            verbose.stderr
        );
    }
    assert_eq!(list("-vv", "load=debug").stderr, "", "the variable takes precedence");
    for filter in ["nonsense=", "loud", "store=info,"] {
        let refused = list("", filter);
        refused.refuses(64, "SECCHI_LOG");
        assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
    }
}

#[test]
fn the_load_process_prints_its_diagnostics_once() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let words = "-v --metadata --metadata-files 20 --metadata-threads 1";
    let ended = sandbox.qualify(sandbox.data(), words).run();
    for event in ["started the load process", "the run begins", "created journal", "the run ended"] {
        assert_eq!(ended.stderr.matches(event).count(), 1, "{event}: {}", ended.stderr);
    }
}

#[test]
fn diagnostics_contain_no_secrets() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let job = "fio --name=a --ioengine=null --size=1m --number_ios=4 --http_s3_key=hidden --http_pass=hidden";
    let ended = sandbox.secchi(job).env("SECCHI_LOG", "trace").run();
    assert!(ended.stderr.contains("the run begins"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("hidden"), "{}", ended.stderr);
    // Nothing listens on this port.
    let mut list = Secchi::new(&sandbox.path("home"));
    list.words("runs --store postgres://ann:hidden@127.0.0.1:1/none").env("SECCHI_LOG", "trace");
    let ended = list.run();
    assert!(ended.code == 4 && ended.stderr.contains("connect to the team's store"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("hidden"), "{}", ended.stderr);
}

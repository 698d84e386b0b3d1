//! Files and names: every file counted a second way, needs, comparisons, and file systems without inodes.

use crate::support::commands::nothing_left;
use crate::support::{Sandbox, Tmpfs, beside, names_in, skip, tool};
use model::judged::Outcome;
use std::process::Command;

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

//! Test scripts, and the commands that are found in them.

use crate::environment::Work;
use crate::follow::{MOST_WORK, follow, follow_counted};
use crate::plan::{Cause, Followed, Planned, Program};
use crate::{batch, read, shell};
use proptest::prelude::*;
use std::path::Path;

fn followed(text: &str) -> Followed {
    follow(&shell::parse(text, 1, false).unwrap_or_else(|b| panic!("{text}: line {}: {}", b.line, b.what)))
}

/// Returns the words of the plans of a script, one line per plan, with `?` in front of unknown words.
fn plans(text: &str) -> Vec<String> {
    let words = |p: Planned| {
        let unknown = p.unknown.iter().map(|u| format!("?{}", u.word));
        p.words.iter().cloned().chain(unknown).collect::<Vec<_>>().join(" ")
    };
    followed(text).plans.into_iter().map(words).collect()
}

/// Every one of these scripts runs `fio --name=a --filename=/dev/vda`.
const HIDING: &[&str] = &[
    "fio --name=a --filename=/dev/vda",
    "/usr/local/bin/fio --name=a --filename=/dev/vda",
    "timeout 60 fio --name=a --filename=/dev/vda",
    "timeout -k 5 --signal=INT 60s fio --name=a --filename=/dev/vda",
    "OUT=$(fio --name=a --filename=/dev/vda)",
    "OUT=\"$(fio --name=a --filename=/dev/vda | tee log)\"",
    "OUT=`fio --name=a --filename=/dev/vda`",
    "echo \"result: `fio --name=a --filename=/dev/vda`\"",
    "if ! fio --name=a --filename=/dev/vda; then exit 1; fi",
    "if true; then fio --name=a --filename=/dev/vda; fi",
    "if false; then :; elif x; then :; else fio --name=a --filename=/dev/vda; fi",
    "while ! fio --name=a --filename=/dev/vda; do sleep 1; done",
    "until fio --name=a --filename=/dev/vda\ndo\n:\ndone",
    "for i in 1 2; do fio --name=a --filename=/dev/vda; done",
    "for ((i=0; i<3; i++)); do fio --name=a --filename=/dev/vda; done",
    "case $1 in w) fio --name=a --filename=/dev/vda ;; *) : ;; esac",
    "( cd /tmp && fio --name=a --filename=/dev/vda )",
    "{ ( fio --name=a --filename=/dev/vda )}",
    "{ fio --name=a --filename=/dev/vda; } > log 2>&1",
    "run() { fio --name=a --filename=/dev/vda; }; run",
    "function run { fio --name=\"$1\" --filename=$2; }\nrun a /dev/vda",
    "run() { fio \"$@\"; }; run --name=a --filename=/dev/vda",
    "run() { local dev=$1; shift; fio \"$@\" --filename=$dev; }; run /dev/vda --name=a",
    "unused() { fio --name=a --filename=/dev/vda; }",
    "numactl --cpunodebind=0 --membind=0 fio --name=a --filename=/dev/vda",
    "numactl -N 0 -m 0 fio --name=a --filename=/dev/vda",
    "taskset -c 0-3 fio --name=a --filename=/dev/vda",
    "taskset 0x3 fio --name=a --filename=/dev/vda",
    "nice fio --name=a --filename=/dev/vda",
    "nice -n -5 fio --name=a --filename=/dev/vda",
    "ionice -c 2 -n 0 fio --name=a --filename=/dev/vda",
    "ionice -c2 -n0 nice -n5 fio --name=a --filename=/dev/vda",
    "sudo fio --name=a --filename=/dev/vda",
    "sudo -u root -E X=y fio --name=a --filename=/dev/vda",
    "doas fio --name=a --filename=/dev/vda",
    "env X=y fio --name=a --filename=/dev/vda",
    "X=y fio --name=a --filename=/dev/vda",
    "env -i PATH=/bin fio --name=a --filename=/dev/vda",
    "eval fio --name=a --filename=/dev/vda",
    "C='fio --name=a --filename=/dev/vda'; eval \"$C\"",
    "C='fio --name=a --filename=/dev/vda'; $C",
    "C=(fio --name=a --filename=/dev/vda); \"${C[@]}\"",
    "bash -c 'fio --name=a --filename=/dev/vda'",
    "sh -ec \"fio --name=a --filename=/dev/vda\"",
    "bash -c 'fio --name=$0 --filename=$1' a /dev/vda | cat; fio --name=a --filename=/dev/vda",
    "su - root -c 'fio --name=a --filename=/dev/vda'",
    "time fio --name=a --filename=/dev/vda",
    "time -p fio --name=a --filename=/dev/vda",
    "/usr/bin/time -f %e fio --name=a --filename=/dev/vda",
    "nohup fio --name=a --filename=/dev/vda > log &",
    "setsid -w fio --name=a --filename=/dev/vda",
    "stdbuf -oL fio --name=a --filename=/dev/vda",
    "flock /tmp/lock fio --name=a --filename=/dev/vda",
    "flock /tmp/lock taskset -c 0 fio --name=a --filename=/dev/vda",
    "flock -w 5 /tmp/lock -c 'fio --name=a --filename=/dev/vda'",
    "chroot /mnt fio --name=a --filename=/dev/vda",
    "chrt -f 99 fio --name=a --filename=/dev/vda",
    "exec fio --name=a --filename=/dev/vda",
    "systemd-run --scope -p MemoryMax=1G fio --name=a --filename=/dev/vda",
    "strace -f -o t fio --name=a --filename=/dev/vda",
    "perf stat -e cycles fio --name=a --filename=/dev/vda",
    "ssh host fio --name=a --filename=/dev/vda",
    "ssh -p 22 -o X=y root@host 'cd /tmp; fio --name=a --filename=/dev/vda'",
    "ssh host <<'EOF'\nfio --name=a --filename=/dev/vda\nEOF",
    "ssh host bash -s <<EOF\nfio --name=a --filename=/dev/vda\nEOF",
    "bash <<EOF\nfio --name=a --filename=/dev/vda\nEOF",
    "cat <<-EOF | bash\n\tfio --name=a --filename=/dev/vda\n\tEOF",
    "echo 'fio --name=a --filename=/dev/vda' | sh",
    "docker run --rm -v /dev:/dev --privileged image fio --name=a --filename=/dev/vda",
    "docker run --rm -it ljishen/fio --name=a --filename=/dev/vda",
    "docker exec -it box fio --name=a --filename=/dev/vda",
    "podman exec box sh -c 'fio --name=a --filename=/dev/vda'",
    "kubectl exec -it pod -c box -- fio --name=a --filename=/dev/vda",
    "kubectl -n bench exec pod -- fio --name=a --filename=/dev/vda",
    "kubectl run x --image=y -- fio --name=a --filename=/dev/vda",
    "echo /dev/vda | xargs -I{} fio --name=a --filename={}",
    "echo --filename=/dev/vda | xargs fio --name=a",
    "mkdir x && fio --name=a --filename=/dev/vda || exit 1",
    "true; fio --name=a --filename=/dev/vda | tee log",
    "cat < <(fio --name=a --filename=/dev/vda)",
    "[[ -b /dev/vda ]] && fio --name=a --filename=/dev/vda",
    "D=/dev/vda; fio --name=a --filename=$D",
    "D=/dev/vda\nfio --name=a \\\n  --filename=\"${D}\"",
    "fio --name=a --filename=${D:-/dev/vda}",
    "D=$(echo /dev/vda); fio --name=a --filename=$D",
    "trap 'fio --name=a --filename=/dev/vda' EXIT",
    "someone-elses-wrapper --x fio --name=a --filename=/dev/vda",
    "cat > run.sh <<'EOF'\nfio --name=a --filename=/dev/vda\nEOF\nbash run.sh",
    "n=0; fio --name=a --filename=/dev/vda # and a comment",
];

#[test]
fn fio_is_found_wherever_it_hides() {
    for text in HIDING {
        assert_eq!(plans(text).last().map(String::as_str), Some("--name=a --filename=/dev/vda"), "{text}");
    }
    assert!(HIDING.len() >= 60);
}

#[test]
fn text_about_fio_is_no_plan() {
    let harmless = [
        "# fio --name=a --filename=/dev/vda",
        "echo fio --name=a --filename=/dev/vda",
        "echo \"fio --name=a\" # fio --name=b",
        "printf '%s\\n' 'fio --name=a'",
        "man fio",
        "apt install fio",
        "sudo apt-get install -y fio sysstat",
        "which fio",
        "command -v fio >/dev/null || exit 1",
        "grep fio --include=x --name=y",
        "ps aux | grep fio",
        "pkill fio",
        "fio --version",
        "D='fio --name=a'",
        "if [ -x /usr/bin/fio ]; then :; fi",
        "cat <<EOF\nfio --name=a\nEOF",
        ": <<'EOF'\nfio --name=a --filename=/dev/vda\nEOF",
        "[[ $x == fio ]]",
    ];
    for text in harmless {
        assert_eq!(plans(text), [""; 0], "{text}");
    }
}

#[test]
fn what_cannot_be_followed_is_a_doubt_with_its_line() {
    let cases = [
        ("\n$RUN x", "which command this is"),
        ("\n\"$@\"", "which command this is"),
        ("\neval \"$COMMAND\"", "which command this is"),
        ("\n. ./settings.sh", "sources "),
        ("\nsource \"$HOME/x\"", "sources "),
        ("\nbash other.sh", "runs the script other.sh"),
        ("\ncurl -s http://x | bash", "the output of another program"),
        ("\nbash -c 'echo \"x'", "a quote is not closed"),
    ];
    for (text, id) in cases {
        let doubts = followed(text).doubts;
        assert!(
            doubts.len() == 1 && doubts[0].what.to_string().contains(id) && doubts[0].line == 2,
            "{text}: {doubts:?}"
        );
    }
    assert_eq!(plans("fio --name=a --filename=$1"), ["--name=a ?--filename=$1"]);
    assert_eq!(plans("for d in /dev/nvme*; do fio --filename=$d; done"), ["?--filename=$d"]);
    assert_eq!(plans("lsblk | xargs -I% fio --filename=%"), ["?--filename=$(xargs)"]);
    assert_eq!(plans("$FIO --name=a"), ["--name=a"]);
    assert_eq!(plans("curl x | fio -"), ["?-"]);
    // There are too many values to follow.
    assert_eq!(plans("fio --name=x{1..1000}"), ["?--name=x{1..1000}"]);
    let lines: String = (0..100).map(|n| format!("{n}\n")).collect();
    let read = plans(&format!("while read d; do fio --name=$d; done <<EOF\n{lines}EOF"));
    assert_eq!((read.len(), read[63].as_str(), read[64].as_str()), (65, "--name=63", "?--name=$d"));
    // A variable with an unknown value is not reported as unset.
    let causes = |text: &str| followed(text).plans.remove(0).unknown.into_iter().map(|u| u.cause).collect::<Vec<_>>();
    assert_eq!(causes("D=$(lsblk); fio --name=$D"), [Cause::Run]);
    assert_eq!(causes("fio --name=$D"), [Cause::Unset("$D".to_owned())]);
}

#[test]
fn loops_branches_and_arithmetic_are_followed() {
    assert_eq!(
        plans("for b in 4k 8k; do for q in {1..2}; do fio --bs=$b --iodepth=$q; done; done"),
        ["--bs=4k --iodepth=1", "--bs=4k --iodepth=2", "--bs=8k --iodepth=1", "--bs=8k --iodepth=2"]
    );
    assert_eq!(plans("fio --x=/dev/vd{a..c}"), ["--x=/dev/vda --x=/dev/vdb --x=/dev/vdc"]);
    assert_eq!(plans("fio --x={08..10}"), ["--x=08 --x=09 --x=10"]);
    assert_eq!(
        plans("if x; then D=/dev/vda; else D=/dev/vdb; fi; fio --filename=$D --name=$D"),
        ["--filename=/dev/vda --name=/dev/vda", "--filename=/dev/vdb --name=/dev/vdb"]
    );
    assert_eq!(plans("D=a; if x; then D=b; fi; fio --name=$D"), ["--name=a", "--name=b"]);
    assert_eq!(plans("A=(x 'y z'); A+=(w); for a in \"${A[@]}\"; do fio --name=\"$a\"; done").len(), 3);
    assert_eq!(plans("i=2; fio --size=$((i * (3 + 1)))g"), ["--size=8g"]);
    assert_eq!(plans("i=1; while [ $i -lt 9 ]; do fio --name=$i; i=$((i + 1)); done"), ["--name=1", "--name=2"]);
    assert_eq!(plans("while read d; do fio --name=$d; done <<EOF\na\nb\nEOF"), ["--name=a", "--name=b"]);
    assert_eq!(plans("(D=a); fio --name=${D:-b}"), ["--name=b"]);
    assert_eq!(
        plans("fio --name='$D' --x=\\$D --filename_format='$jobname'"),
        ["--name=$D --x=$D --filename_format=$jobname"]
    );
}

#[test]
fn job_files_that_the_script_writes_are_read() {
    let job = "[a]\nfilename=/dev/vda\n";
    for text in [
        "cat > job.fio <<EOF\n[a]\nfilename=/dev/vda\nEOF\nfio job.fio",
        "D=/dev/vda\ntee job.fio >/dev/null <<EOF\n[a]\nfilename=$D\nEOF\nfio job.fio",
        "echo '[a]' > job.fio; echo filename=/dev/vda >> job.fio; fio job.fio",
        "printf '[a]\\nfilename=%s\\n' /dev/vda > job.fio && fio job.fio",
        "{ echo '[a]'; echo filename=/dev/vda; } > job.fio; sudo fio job.fio",
        "J=$(mktemp)\ncat >$J <<EOF\n[a]\nfilename=/dev/vda\nEOF\nfio $J",
        "fio - <<EOF\n[a]\nfilename=/dev/vda\nEOF",
        "cat <<EOF | fio -\n[a]\nfilename=/dev/vda\nEOF",
    ] {
        let followed = followed(text);
        let [plan] = followed.plans.as_slice() else { panic!("{text}: {:?}", followed.plans) };
        assert_eq!(plan.files.values().map(|text| &**text).collect::<Vec<_>>(), [job], "{text}");
    }
}

#[test]
fn secchi_and_diskspd_are_plans() {
    let programs =
        |text: &str| followed(text).plans.into_iter().map(|p| (p.program, p.words.join(" "))).collect::<Vec<_>>();
    assert_eq!(programs("sudo secchi fio --name=a"), [(Program::Fio, "--name=a".to_owned())]);
    assert_eq!(
        programs("secchi qualify --device /dev/vda"),
        [(Program::Secchi, "qualify --device /dev/vda".to_owned())]
    );
    assert_eq!(programs("timeout 9 diskspd.exe -w100 '#1'"), [(Program::Diskspd, "-w100 #1".to_owned())]);
}

#[test]
fn commands_that_secchi_runs_are_followed() {
    let nested = "fio --name=a --filename=/dev/vda";
    for text in [
        format!("secchi watch --for 5s -- {nested}"),
        format!("secchi record -o x.sqio -- sudo {nested}"),
        format!("secchi watch --alert 'iops>1' --on-alert '{nested}'"),
        format!("secchi ab --a '{nested}' --b='secchi {nested}'"),
        format!("{}{nested}", "secchi watch -- ".repeat(1000)),
    ] {
        let commands = plans(&text);
        assert!(commands.iter().any(|words| words == "--name=a --filename=/dev/vda"), "{text}: {commands:?}");
    }
    // `secchi lint` only checks its commands and does not run them.
    assert!(!plans(&format!("secchi lint -- {nested}")).contains(&"--name=a --filename=/dev/vda".to_owned()));
}

#[test]
fn a_batch_file_is_followed() {
    let text = "@echo off\r\nrem fio --name=no\r\nset D=data\\f.dat\r\nset \"T=60\"\r\nfio --name=write --numjobs=1 > write-2.txt\r\n\
        C:\\fio\\fio.exe --name=x ^\r\n  --filename=D\\:\\f.dat >read.txt\r\n\
        for %%b in (4k,8k) do fio --filename=%D% --bs=%%b --runtime=%t%\r\nfor /L %%i in (1,2,3) do (\r\n  start /b fio --name=n%%i\r\n)\r\n\
        if exist x (fio --name=y) else fio --name=z\r\ncall fio --name=%1\r\n";
    let followed = follow(&batch::parse(text).unwrap());
    let shown: Vec<String> = followed.plans.iter().map(|p| format!("{} {}", p.line, p.words.join(" "))).collect();
    assert_eq!(
        shown,
        [
            "5 --name=write --numjobs=1",
            "6 --name=x --filename=D\\:\\f.dat",
            "8 --filename=data\\f.dat --bs=4k --runtime=60",
            "8 --filename=data\\f.dat --bs=8k --runtime=60",
            "10 --name=n1",
            "10 --name=n3",
            "12 --name=y",
            "12 --name=z",
            "13 "
        ]
    );
    assert_eq!(followed.plans[0].output.as_deref(), Some("write-2.txt"));
    assert!(followed.plans[4].background && !followed.plans[0].background);
    assert_eq!(followed.plans[8].unknown[0].cause, Cause::Unset("%1".to_owned()));
}

#[test]
fn a_first_line_decides_what_a_file_is() {
    let kind = |name: &str, text: &str| read::read(Path::new(name), text).map(|f| f.map(|f| f.plans.len()));
    assert_eq!(kind("job", "[global]\nname=fio\nrw=read\n[fio]\nbs=4k\n"), Ok(None));
    assert_eq!(kind("job", "; fio --name=a\n[a]\nrw=read ; fio reads\n"), Ok(None));
    assert_eq!(kind("job", "#!/usr/bin/env fio\n[a]\n"), Ok(None));
    assert_eq!(kind("bench.fio", "#!/bin/bash\nfio --name=a\n"), Ok(Some(1)));
    assert_eq!(kind("notes.md", "It's quick:\n$ fio --name=a \\\n  --rw=read\n"), Ok(Some(1)));
    let refused = kind("b", "#!/usr/bin/python3\nfio\n").unwrap_err();
    assert!(refused.line == 1 && refused.what.contains("python3"), "{refused:?}");
    let broken = kind("b.sh", "true\nif x; then\nfio --name=a\n").unwrap_err();
    assert_eq!((broken.line, broken.what.as_str()), (2, "`if` without its `fi`"));
}

#[test]
fn hostile_scripts_end() {
    let deep = "( ".repeat(5000) + "fio --name=a" + &" )".repeat(5000);
    assert!(shell::parse(&deep, 1, false).is_err());
    for text in [
        "f() { f; f; }; f".to_owned(),
        "a=xxxxxxxx\n".to_owned() + &"a=$a$a$a$a\n".repeat(40) + "fio --name=$a",
        "for i in {1..200}; do for j in {1..200}; do for k in {1..200}; do fio --name=$i$j$k; done; done; done"
            .to_owned(),
        "sudo ".repeat(4000) + "fio --name=a",
        "while x; do ".repeat(30) + "fio --name=a;" + &" done".repeat(30).replace(" done", " done;"),
    ] {
        followed(&text);
    }
    // Wrappers without a command.
    for text in PREFIXES.into_iter().chain(["perf record", "docker run", "kubectl exec", "xargs -I"]) {
        assert_eq!(plans(text), [""; 0], "{text}");
    }
}

#[test]
fn the_work_on_a_long_script_is_bounded() {
    let counted = |text: &str| {
        let work = Work::default();
        let followed = follow_counted(&shell::parse(text, 1, false).unwrap(), &work);
        let too_long = followed.doubts.iter().filter(|d| d.what.contains("too many commands")).count();
        (followed, work.total(), too_long)
    };
    // Similar to a `configure` script of autoconf: thousands of variables, and branches that change a few of them.
    let assignments: String = (0..10_000).map(|n| format!("v{n}=x{n}\n")).collect();
    let branches: String =
        (0..10_000).map(|n| format!("if test $v{n}; then v{}=1; else v{}=2; fi\n", n / 2, n / 3)).collect();
    let (followed, work, too_long) = counted(&format!("{assignments}{branches}fio --name=a"));
    assert_eq!((followed.plans.len(), too_long), (1, 0));
    assert!(work < MOST_WORK, "{work}");
    for text in [
        "a=(".to_owned() + &"x ".repeat(4000) + "); " + &"b=(\"${a[@]}\" y)\n".repeat(1000),
        "a=$a-$b; ".repeat(4000) + &"b=x$a; if x; then b=$a; fi\n".repeat(20_000),
        "while x; do ".repeat(4) + &"echo \"$a$b\" >> f; b=$(cat f);".repeat(500) + &" done;".repeat(4),
        "f=xxxxxxxxxxxxxxxx; ".to_owned() + &"f=$f$f; ".repeat(10) + &"eval \": $f\"; ".repeat(1000),
        "f=xxxxxxxxxxxxxxxx; ".to_owned() + &"f=$f$f; ".repeat(12) + &"echo $f | xargs -I% tee %{1..250};".repeat(20),
    ] {
        let (followed, work, too_long) = counted(&text);
        let start: String = text.chars().take(60).collect();
        assert!(work < 2 * MOST_WORK && too_long <= 1, "{start}: {work}, {too_long} doubts");
        assert_eq!(work >= MOST_WORK, too_long == 1, "{start}: {work}, {:?}", followed.doubts);
    }
}

/// Prefixes that run the words after them.
const PREFIXES: [&str; 14] = [
    "sudo",
    "timeout 60",
    "nice -n 5",
    "ionice -c2",
    "taskset -c 0",
    "numactl -N 0",
    "env X=y",
    "time",
    "nohup",
    "setsid",
    "stdbuf -oL",
    "flock /tmp/l",
    "chroot /mnt",
    "ssh host",
];

proptest! {
    #[test]
    fn prefixes_never_change_what_is_found(
        prefixes in proptest::collection::vec(0..PREFIXES.len(), 0..5),
        inner in 0..4_usize,
        nest in 0..4_usize,
    ) {
        let inner = [
            "fio --name=a --rw=randwrite --filename=/dev/vda",
            "fio job.fio",
            "secchi fio --name=b --size=1g",
            "diskspd -w100 -b8K file.dat",
        ][inner];
        let prefix: String = prefixes.iter().map(|i| format!("{} ", PREFIXES[*i])).collect();
        let wrapped = format!("{prefix}{inner}");
        let wrapped = match nest {
            0 => wrapped,
            1 => format!("bash -c '{wrapped}'"),
            2 => format!("X=$({wrapped})"),
            _ => format!("if {wrapped}; then :; fi"),
        };
        let extract = |text: &str| {
            followed(text).plans.into_iter().map(|p| (p.program, p.words, p.unknown)).collect::<Vec<_>>()
        };
        prop_assert_eq!(extract(&wrapped), extract(inner));
        prop_assert!(followed(&wrapped).doubts.is_empty());
    }

    #[test]
    fn any_text_is_parsed_or_refused(text in "[a-z0-9 $(){}\\[\\]<>|&;\"'`\\\\=#%!\\n*]{0,80}") {
        if let Ok(nodes) = shell::parse(&text, 1, false) {
            follow(&nodes);
        }
        if let Ok(nodes) = batch::parse(&text) {
            follow(&nodes);
        }
    }
}

//! Tests of the forty bad inputs (docs/design/bad-input.md, "The forty rows"), as far as the parser detects them, and
//! of properties that hold for any input.

mod support;

use proptest::prelude::*;
use std::path::Path;

struct World;

impl job::Lookup for World {
    fn read(&self, path: &Path, _: Option<&str>) -> Result<Vec<u8>, job::LookupError> {
        match path.to_str() {
            Some("loop.fio") => Ok(b"include loop2.fio\n".to_vec()),
            Some("loop2.fio") => Ok(b"include loop.fio\n".to_vec()),
            // A tree of includes: each file includes twenty different ones.
            Some(deep) if deep.starts_with("deep") => {
                Ok((0..20).map(|i| format!("include {deep}{i}\n")).collect::<String>().into_bytes())
            }
            Some(wide) if wide.starts_with("wide") => Ok(b"bs=4k\n".to_vec()),
            _ => Err("no such file".into()),
        }
    }

    fn variable(&self, _: &str) -> Option<String> {
        None
    }

    fn engines(&self) -> &job::Engines {
        support::engines()
    }

    fn machine(&self) -> job::Machine {
        job::Machine { cpus: 2, page_size: 4096, memory_mb: 1024 }
    }
}

fn text(text: &str) -> Result<job::JobFile, String> {
    job::parse_text("job.fio", text.as_bytes(), &World).map_err(|e| e.to_string())
}

fn arguments(args: &[&str]) -> Result<job::JobFile, String> {
    job::parse_arguments(args, &[], &World).map_err(|e| e.to_string())
}

/// Number of the row, options that are added to a job of 1 MiB, and parts of the error message.
const IN_A_JOB: &[(u32, &str, &[&str])] = &[
    (1, "blocksizee=4k", &["unknown option `blocksizee`", "`blocksize`"]),
    (2, "rw=raed", &["`raed` is not one of", "randwrite", "did you mean `read`"]),
    (3, "bs=0", &["bs", "at least 1 B"]),
    (4, "bs=-4k", &["negative size `-4k`"]),
    (5, "bs=1e30", &["too large (max 1 GiB)"]),
    (6, "bs=4q", &["unknown unit `q`", "k m g", "ki mi gi"]),
    (8, "size=-1", &["negative"]),
    (9, "bs=2m", &["2 MiB", "larger than the size", "1 MiB"]),
    (10, "iodepth=0", &["iodepth", "1..65536"]),
    (11, "iodepth=-1", &["iodepth", "1..65536"]),
    (13, "numjobs=0", &["1..4096"]),
    (14, "numjobs=1000000", &["1..4096"]),
    (15, "runtime=-5\ntime_based", &["negative time"]),
    (16, "runtime=ten", &["`ten` is not a time"]),
    (17, "rw=randrw\nrwmixread=70\nrwmixwrite=70", &["rwmixread=70", "rwmixwrite=70", "140"]),
    (18, "rwmixread=200", &["0..100"]),
    (20, "ioengine=libiao", &["`libiao` is not one of", "io_uring", "did you mean `libaio`"]),
    (32, "runtime=1,5", &["unknown unit `,5`", "d h m s ms us ns"]),
    (33, "percentile_list=99:101", &["`101` must be 0..100"]),
    (34, "bssplit=4k/60:8k/60", &["sum to 120"]),
    (36, "filename=/dev/${NOPE}", &["unset variable `NOPE`"]),
    (0, "ioengine=cpuio", &["ioengine=cpuio needs cpuload"]),
    (0, "ioengine=cpuio\ncpuload=50\ncpuchunks=0", &["cpuchunks", "at least 1 us"]),
    (0, "ioengine=exec\narguments=x", &["ioengine=exec needs a program"]),
    (0, "cgroup=x", &["`cgroup` is known, but not supported"]),
];

/// Rows that both fio and secchi run: number of the row, options, and secchi's note.
const RUN_WITH_A_NOTE: &[(u32, &str, &str)] = &[
    (7, "size=0", "a size of 0 means the whole file"),
    (
        12,
        "ioengine=psync\niodepth=64",
        "iodepth=64 with ioengine=psync, which waits for each operation: the depth is 1",
    ),
    (37, "exec_prerun=touch /tmp/x", "/bin/sh runs `touch /tmp/x` before `j` begins"),
    (37, "exec_postrun=touch /tmp/x", "/bin/sh runs `touch /tmp/x` after `j` has ended"),
    (0, "ioengine=cpuio\ncpuload=200", "`j` deliberately burns 100 % of a CPU"),
    (0, "ioengine=exec\nprogram=/bin/true\nruntime=1", "`j` runs the program `/bin/true`"),
    (0, "ioengine=exec\nprogram=/bin/true", "without a runtime `j` lasts as long as its program"),
    (0, "cpuload=50", "`cpuload` has no effect: it is supported only by cpuio"),
    (39, "runtime=0\ntime_based", "time_based needs a runtime; the job ends when it has processed its size"),
    (0, "bs=4k-512k", "`4k-512k` is read as 4k, as in fio; use bsrange for a range"),
    (0, "zonesize=4k", "zonesize without zonemode implies zonemode=strided"),
    (0, "description=of ${NOPE}, ${NEITHER}", "not set and are replaced with an empty string: `NOPE`, `NEITHER`"),
    (0, "atomic=1", "`atomic` only sets `direct`"),
    (0, "iodepth=8]", "`8]` is read as 8"),
    (0, "runtime=5\nramp_time=0/1", "`0/1` is read as 0"),
    (0, "thread=2", "clones are always threads"),
    (0, "allow_mounted_write=1", "secchi never writes to a device that is in use"),
];

#[test]
fn what_fio_runs_is_run_with_a_note() {
    for (row, options, said) in RUN_WITH_A_NOTE {
        let file = text(&format!("[j]\nsize=1m\n{options}\n")).expect(options);
        assert!(file.notes.iter().any(|n| n.text.contains(said)), "row {row}: {:?}", file.notes);
    }
    for quiet in ["size=100%%\nfilename=f", "ioengine=aio", "ioengine=linuxaio", "bs=128m\nsize=256m", "numjobs=2000"] {
        assert!(text(&format!("[j]\nsize=1m\n{quiet}\n")).is_ok(), "{quiet}");
    }
    // Two sections with the same name, which contains a directory.
    let file = text("[a/b]\nsize=1m\n[a/b]\nsize=2m\n").expect("fio runs it");
    assert_eq!(file.sections.len(), 2);
    assert!(file.notes.iter().any(|n| n.text.contains("already exists")), "{:?}", file.notes);
    for out in ["/a/../b", "a/../b", "a//b", ".."] {
        assert!(text(&format!("[{out}]\nsize=1m\n")).is_err(), "{out}");
    }
}

#[test]
fn variables_that_are_not_set_are_all_named() {
    let error = text("[j]\nsize=${A}\n# ${COMMENT}\nfilename=${B}/${A}\n").expect_err("two are not set");
    assert_eq!(error, "job.fio:2:1: unset variables `A`, `B`");
}

/// Rows that depend on the target and are checked when it is opened. They are listed here so that none is forgotten.
const JUDGED_WHEN_RUNNING: &[(u32, &str)] = &[
    (19, "direct=1 with bs no multiple of the device's block"),
    (20, "an engine that exists and does not work on this machine"),
    (21, "a file in a missing directory: directory does not exist"),
    (22, "a filename that is a directory: is a directory"),
    (40, "io_size=0 or nothing to do: no I/O was done, exit 2"),
];

fn one_line(message: &str) {
    assert!(!message.contains('\n'), "{message}");
    assert!(message.chars().count() < 500, "{} characters: {message}", message.chars().count());
}

#[test]
fn bad_settings_of_a_job_are_named_with_their_line() {
    for (row, options, parts) in IN_A_JOB {
        let source = format!("[j]\nsize=1m\n{options}\n");
        let message = text(&source).expect_err(options);
        one_line(&message);
        assert!(message.starts_with("job.fio:"), "row {row}: {message}");
        for part in *parts {
            assert!(message.contains(part), "row {row}: `{part}` is not in: {message}");
        }
        // The same options on a command line.
        let mut args = vec!["--name=j".to_owned(), "--size=1m".to_owned()];
        args.extend(options.lines().map(|o| format!("--{o}")));
        let message = job::parse_arguments(&args, &[], &World).expect_err(options).to_string();
        one_line(&message);
        assert!(message.starts_with("argument "), "row {row}: {message}");
    }
}

#[test]
fn bad_files_and_command_lines_are_named() {
    let wrong = |outcome: Result<job::JobFile, String>, row: u32, parts: &[&str]| {
        let message = outcome.expect_err(&format!("row {row}"));
        one_line(&message);
        for part in parts {
            assert!(message.contains(part), "row {row}: `{part}` is not in: {message}");
        }
    };
    wrong(text(""), 23, &["no jobs"]);
    wrong(arguments(&[]), 23, &["no jobs"]);
    let bytes: Vec<u8> = (0..=255).map(|b: u8| b.wrapping_mul(113).wrapping_add(0x80)).collect();
    let random = job::parse_text("r", &bytes, &World).map_err(|e| e.to_string());
    wrong(random, 24, &["not text (byte 0x"]);
    wrong(text("\nbs=4k\n[j]\n"), 25, &["job.fio:2:1", "before the first [section]"]);
    wrong(text("[j]\ninclude loop.fio\n"), 27, &["circular includes", "loop.fio -> loop2.fio -> loop.fio"]);
    wrong(text(&format!("[j]\n{}=1\n", "x".repeat(1 << 20))), 28, &["unknown option", "..."]);
    wrong(text(&format!("[j]\nbs={}\n", "9".repeat(1 << 20))), 28, &["too large", "..."]);
    wrong(text("[../../x]\nsize=1m\n"), 38, &["part of file names"]);
    wrong(arguments(&["--name=../../x", "--size=1m"]), 38, &["argument 1", "part of file names"]);
}

#[test]
fn what_fio_stumbles_over_is_understood() {
    // Row 29: a byte order mark. Row 30: carriage returns before newlines.
    assert!(text("\u{feff}[j]\r\nsize=1m\r\nbs=4k\r\n").is_ok());
    // Row 31: typographic dashes get a note, not an error.
    let file = arguments(&["–name=j", "—size=1m", "−rw=randread"]).expect("typographic dashes are understood");
    assert_eq!(file.sections[0].options.pattern.rw, job::Rw::RandRead);
    let note = file.notes.iter().find(|n| n.text.contains("typographic dash")).expect("it is said");
    assert!(note.text.contains("and 2 more arguments have"), "{note}");
    // Row 35: in the job language `a:b` is a list, and a note reports this.
    let file = arguments(&["--name=j", "--size=1m", "--filename=a:b"]).expect("a list");
    assert_eq!(file.sections[0].options.files.filenames.len(), 2);
    assert!(file.notes.iter().any(|n| n.text.contains("list of 2 files")));
    let file = arguments(&["--name=j", "--size=1m", r"--filename=a\:b"]).expect("one name");
    assert_eq!(file.sections[0].options.files.filenames.len(), 1);
}

#[test]
fn every_row_of_the_forty_is_in_one_of_the_lists() {
    // Row 26, a section with the name of an earlier one, runs as in fio.
    let here = [23, 24, 25, 26, 27, 28, 29, 30, 31, 35, 38];
    for row in 1..=40 {
        let known = IN_A_JOB.iter().any(|(r, ..)| *r == row)
            || RUN_WITH_A_NOTE.iter().any(|(r, ..)| *r == row)
            || JUDGED_WHEN_RUNNING.iter().any(|(r, _)| *r == row)
            || here.contains(&row);
        assert!(known, "row {row} is nowhere");
    }
}

#[test]
fn values_beyond_the_forty_are_named_too() {
    for (options, part) in [
        ("size=nan", "not a size"),
        ("size=inf", "not a size"),
        ("size=9223372036854775808", "too large"),
        ("rate=-1", "negative"),
        ("filename=", "empty"),
        ("random_distribution=zipf:nan", "not a number"),
        ("random_distribution=zipff", "did you mean `zipf`"),
        ("bs=4k,8k,16k,32k", "more than three"),
        ("nice=20", "-20..19"),
        ("steadystate=iops", "a limit is needed"),
        ("verify=pattern", "needs a verify_pattern"),
        ("rate=1m\nrate_iops=5", "exclude each other"),
        ("cpus_allowed=3-1", "descends"),
        ("wait_for=k", "no job `k`"),
        ("output=x", "belongs on the command line"),
        ("size=(1m*", "a number is expected"),
        ("filename=a\tb:", "empty name"),
    ] {
        let message = text(&format!("[j]\nsize=1m\n{options}\n")).expect_err(options);
        one_line(&message);
        assert!(message.contains(part), "{options}: {message}");
    }
}

#[test]
fn a_path_of_any_bytes_is_a_path() {
    let file = job::parse_text("j", b"[j]\nsize=1m\nfilename=/mnt/\xff\xfe\n", &World);
    match model::path_of_bytes(b"/mnt/\xff\xfe".to_vec()) {
        Some(path) => assert_eq!(file.expect("bytes are a path").sections[0].options.files.filenames[0], path),
        None => assert!(file.expect_err("no path here").to_string().contains("not text (byte 0xff at 27)")),
    }
    assert!(job::parse_text("j", b"[j]\nsize=1\xffm\n", &World).is_err());
}

#[test]
fn a_million_lines_end_in_an_error_not_in_full_memory() {
    let many = format!("[j]\nsize=1m\n{}", "bs=4k\n".repeat(1_000_000));
    assert!(text(&many).expect_err("too many").contains("more than 200000 option lines"));
    assert!(text("[j]\ninclude deep\n").expect_err("too many").contains("nested more than 8 levels deep"));
    let wide: String = (0..1000).map(|i| format!("include wide{i}\n")).collect();
    assert!(text(&format!("[j]\n{wide}")).expect_err("too many").contains("more than 256 includes"));
    let sections: String = (0..10_000).map(|i| format!("[j{i}]\nsize=1m\n")).collect();
    assert!(text(&sections).expect_err("too many").contains("more than 4096"));
}

/// Returns words of the job language, so that random text gets past the lexer.
fn vocabulary() -> Vec<&'static str> {
    let mut words: Vec<&str> = job::all(support::engines(), &[]).map(|o| o.name).collect();
    words.extend([
        "=", ":", ",", "/", "%", "\n", "[j]", "[global]", "4k", "1g", "1", "0", "-1", "rand", "zoned", "(", ")", "*",
    ]);
    words.extend([
        "${X}", "$ncpus", "\"", "'", "#", ";", "include ", "0x", "99.9", "read", "–", "“", "\u{3000}", "\\:", " ",
    ]);
    words
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_not_make_the_parser_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        if let Err(error) = job::parse_text("b", &bytes, &World) {
            one_line(&error.to_string());
        }
    }

    #[test]
    fn shuffled_words_of_the_language_do_not_make_it_panic(
        picks in proptest::collection::vec(any::<proptest::sample::Index>(), 0..60),
    ) {
        let words = vocabulary();
        let mut source = String::from("[j]\nsize=1m\n");
        for pick in &picks {
            source.push_str(words[pick.index(words.len())]);
        }
        match text(&source) {
            Ok(file) => prop_assert!(job::command_line(&file).ends_with("\n")),
            Err(message) => one_line(&message),
        }
    }

    #[test]
    fn any_value_of_any_option_is_taken_or_named(
        option in any::<proptest::sample::Index>(),
        value in "[0-9a-z:,/%.()\"'$x-]{0,24}",
    ) {
        let options: Vec<_> = job::all(support::engines(), &[]).collect();
        let name = options[option.index(options.len())].name;
        let source = format!("[j]\nsize=1m\n{name}={value}\n");
        if let Err(message) = text(&source) {
            one_line(&message);
        }
        let args = ["--name=j".to_owned(), format!("--{name}"), value];
        if let Err(error) = job::parse_arguments(&args, &[], &World) {
            one_line(&error.to_string());
        }
    }
}

//! Contents of files: files written by both programs hold the same bytes, and each program verifies the files of the
//! other.

use super::programs::{fio_is_installed, ours_speaks_fio, secchi_fio};
use super::support::{Ended, beside, place, run, skip};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LONGEST: Duration = Duration::from_secs(60);

/// Runs fio, and once more if it did not end in time: fio 3.33 with `log_compression` hangs about once in a thousand
/// runs (its queue of compressors waits forever). Runs of secchi are not repeated.
fn fio(dir: &Path, words: &str) -> Ended {
    let once = || run(Command::new("fio").args(words.split_whitespace()), dir, LONGEST);
    once()
        .or_else(|why| {
            eprintln!("fio {words}: {why}; run once more");
            once()
        })
        .expect("fio runs")
}

fn ours(dir: &Path, words: &str) -> Ended {
    let mut command = secchi_fio(&dir.join("store"));
    run(command.args(words.split_whitespace()), dir, LONGEST).expect("secchi runs")
}

/// Returns the reason if a program is missing.
fn lacking() -> Option<&'static str> {
    match (fio_is_installed(), ours_speaks_fio()) {
        (false, _) => Some("fio is not installed"),
        (_, false) => Some("this build of secchi has no command `fio`"),
        _ => None,
    }
}

#[test]
fn the_same_bytes_stand_at_the_same_places_as_after_fio() {
    let _beside = beside();
    if let Some(why) = lacking() {
        skip!("{why}");
    }
    let place = place();
    // Nothing is preallocated, so that unwritten ranges are holes.
    let always = "--name=j --bs=4k --size=128k --fallocate=none --buffer_pattern=0xc3";
    let lines = [
        "--rw=write --zonemode=strided --zonesize=16k --zonerange=32k",
        "--rw=write --zonemode=strided --zonesize=16k --zonerange=32k --zoneskip=8k",
        "--rw=write --zonemode=strided --zonesize=16k --zoneskip=8k",
        "--rw=write --zonemode=strided --zonesize=16k --zonerange=30k",
        "--rw=write --zonemode=strided --zonesize=12k --zonerange=20k --bs=8k",
        "--rw=write --zonemode=strided --zonesize=32k --zonerange=16k",
        "--rw=write --zonemode=strided --zonesize=16k --zonerange=32k --offset=64k",
        // Whole zones, so that the order of random offsets does not matter.
        "--rw=randwrite --zonemode=strided --zonesize=16k --zoneskip=16k",
        "--rw=write:4k --io_size=64k",
        "--rw=write --offset=32k --io_size=64k",
        "--rw=randwrite --verify=pattern --verify_pattern=%o",
        "--rw=randwrite --verify=pattern --verify_pattern=0xdead%o\"x\"%o --verify_interval=512",
        "--rw=write --bs=16k --verify=pattern --verify_pattern=\"abc\" --verify_interval=1k",
        "--rw=write --verify=pattern --verify_pattern=200-300",
    ];
    for (i, line) in lines.iter().enumerate() {
        let (theirs, own) = (format!("{i}.fio"), format!("{i}.ours"));
        let ended = fio(place.path(), &format!("{always} --filename={theirs} {line}"));
        assert!(ended.good, "fio {line}: {}", ended.output());
        let ended = ours(place.path(), &format!("{always} --filename={own} {line}"));
        assert!(ended.good, "{line}: {}", ended.output());
        let read = |name: &str| std::fs::read(place.path().join(name)).expect("it was written");
        let (theirs, own) = (read(&theirs), read(&own));
        assert_eq!(theirs.len(), own.len(), "{line}");
        assert_eq!(theirs.iter().zip(&own).position(|(a, b)| a != b), None, "{line}: the first byte that differs");
    }
}

#[test]
fn patterns_verify_whoever_wrote_them_and_one_wrong_byte_is_found() {
    let _beside = beside();
    if let Some(why) = lacking() {
        skip!("{why}");
    }
    let place = place();
    let dir = place.path();
    for (i, pattern) in ["%o", "0xdead%o", "\"at:\"%o-12"].iter().enumerate() {
        let words = format!("--name=j --bs=4k --size=256k --verify=pattern --verify_pattern={pattern}");
        let (theirs, own) = (format!("{i}.fio"), format!("{i}.ours"));
        assert!(fio(dir, &format!("{words} --rw=randwrite --do_verify=0 --filename={theirs}")).good);
        let ended = ours(dir, &format!("{words} --rw=randwrite --filename={own}"));
        assert!(ended.good, "{}", ended.output());
        let ended = ours(dir, &format!("{words} --rw=read --filename={theirs}"));
        assert!(ended.good && ended.stdout.contains("64 blocks were read back"), "{pattern}: {}", ended.output());
        let ended = fio(dir, &format!("{words} --rw=read --filename={own}"));
        assert!(ended.good, "fio of ours, {pattern}: {}", ended.output());
        let path = dir.join(&theirs);
        let mut bytes = std::fs::read(&path).expect("fio wrote it");
        bytes[100_003] ^= 1;
        std::fs::write(&path, bytes).expect("a file of ours");
        let ended = ours(dir, &format!("{words} --rw=read --filename={theirs}"));
        assert!(!ended.good && ended.stdout.contains("1 of 64 blocks"), "{pattern}: {}", ended.stdout);
        assert!(!fio(dir, &format!("{words} --rw=read --filename={theirs}")).good, "fio finds it, too");
    }
}

/// A compressed log of one program can be printed by the other.
#[test]
fn compressed_logs_are_inflated_by_either_program() {
    let _beside = beside();
    if let Some(why) = lacking() {
        skip!("{why}");
    }
    let place = place();
    let dir = place.path();
    let words = "--name=j --rw=randwrite --bs=4k --size=1m --log_compression=64k --log_store_compressed=1";
    for (option, log) in [("write_lat_log", "lat"), ("write_bw_log", "bw")] {
        for more in ["", "--log_offset=1", "--log_prio=1"] {
            for (name, run) in [("theirs", fio as fn(&Path, &str) -> Ended), ("ours", ours)] {
                let ended = run(dir, &format!("{words} --filename=of-{name} --{option}={name} {more}"));
                assert!(ended.good, "{name} {more}: {}", ended.output());
                let inflate = format!("--inflate-log={name}_{log}.1.log.fz");
                let (theirs, own) = (fio(dir, &inflate), ours(dir, &inflate));
                assert!(theirs.good && own.good, "{name} {more}: {}", own.output());
                assert_eq!(own.stdout.lines().count(), 256, "{name} {more}");
                assert_eq!(theirs.stdout, own.stdout, "{name} {more}");
            }
        }
    }
}

#[test]
fn a_copy_of_a_verified_file_verifies_and_a_lost_block_in_it_is_named() {
    let _beside = beside();
    if !ours_speaks_fio() {
        skip!("this build of secchi has no command `fio`");
    }
    let place = place();
    let dir = place.path();
    let words = "--name=j --bs=4k --size=1m --verify=sha256";
    let ended = ours(dir, &format!("{words} --rw=randwrite --filename=first"));
    assert!(ended.good, "{}", ended.output());
    std::fs::copy(dir.join("first"), dir.join("copy")).expect("a copy");
    for how in ["--rw=read", "--rw=randwrite --verify_only"] {
        let ended = ours(dir, &format!("{words} --filename=copy {how}"));
        assert!(ended.good && ended.stdout.contains("no mismatch"), "{how}: {}\n{}", ended.output(), ended.stdout);
    }
    let mut bytes = std::fs::read(dir.join("copy")).expect("it was copied");
    bytes[40_960..45_056].fill(0);
    std::fs::write(dir.join("copy"), bytes).expect("a file of ours");
    let ended = ours(dir, &format!("{words} --filename=copy --rw=read"));
    // The output is wrapped.
    let stdout = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(stdout.contains("1 of 256 blocks") && stdout.contains("at byte 40960"), "{}", ended.stdout);
    assert!(!ended.good);
}

/// Returns the reads and writes of each job with their bytes, for jobs that succeeded.
fn counted(ended: &Ended) -> Vec<[u64; 4]> {
    let document: serde_json::Value = ended
        .stdout
        .find('{')
        .and_then(|at| serde_json::from_str(&ended.stdout[at..]).ok())
        .unwrap_or_else(|| panic!("no document: {}", ended.output()));
    let number = |job: &serde_json::Value, way: &str, what: &str| job[way][what].as_u64().expect("a count");
    let jobs = document["jobs"].as_array().expect("jobs").iter();
    jobs.map(|job| {
        let counts = |way| [number(job, way, "total_ios"), number(job, way, "io_bytes")];
        let ([reads, read], [writes, written]) = (counts("read"), counts("write"));
        [reads, read, writes, written]
    })
    .collect()
}

/// Compares the amounts read and written with fio's for every way to specify sizes. Previously `size=25%` of a
/// `filesize` meant the whole file, `fill_device` with a size never ended, `loops` did not repeat `number_ios`, shares
/// of several files were truncated to blocks, and `do_verify=0` ended after the first pass.
#[test]
fn as_much_is_done_as_by_fio_however_the_size_is_told() {
    let _beside = beside();
    if let Some(why) = lacking() {
        skip!("{why}");
    }
    let lines = [
        "--filesize=1m --size=25%",
        "--filesize=1m --size=33%",
        "--filesize=1m --offset=256k --size=25%",
        "--filesize=1m --offset=33% --size=50%",
        "--filesize=1m --size=512k --io_size=3m",
        "--nrfiles=3 --size=1m",
        "--nrfiles=3 --size=1100k",
        "--nrfiles=4 --filesize=256k --size=50%",
        "--size=1m --number_ios=5 --loops=3",
        "--size=1m --io_size=2m --loops=2",
        "--size=1m --io_size=2500k --loops=2",
        "--size=1m --io_size=512k --loops=3",
        "--size=1m --io_size=1500k",
        "--size=2m --fill_device=1",
        "--size=2m --io_size=1m --fill_device=1",
        "--filesize=2m --fill_device=1",
    ];
    let written = [
        "--size=1m --io_size=2m --verify=crc32c",
        "--size=1m --io_size=3m --verify=crc32c",
        "--size=1m --io_size=2500k --verify=crc32c",
        "--size=1m --loops=2 --verify=crc32c",
        "--size=1m --loops=2 --verify=crc32c --do_verify=0",
    ];
    // Sequential writes continue up to io_size before anything is read back; fio does this only since 2026.
    let again = [
        ("--size=1m --io_size=2m --verify=crc32c", [16, 1 << 20, 32, 2 << 20]),
        ("--size=1m --io_size=2500k --verify=crc32c", [16, 1 << 20, 40, 40 << 16]),
        ("--size=1m --io_size=2m --verify=crc32c --do_verify=0", [0, 0, 32, 2 << 20]),
        ("--size=1m --io_size=512k --verify=crc32c", [8, 512 << 10, 8, 512 << 10]),
    ];
    for (line, expected) in again {
        let place = place();
        let words = format!("--name=j --filename=v --rw=write --bs=64k {line} --output-format=json");
        let ended = ours(place.path(), &words);
        assert!(ended.good, "{line}: {}", ended.output());
        assert_eq!(counted(&ended), [expected], "{line}");
    }
    // Without norandommap and with do_verify=0, fio ends after one pass (`clear_io_state`); secchi completes io_size.
    let drawn = ["--size=1m --io_size=2m --norandommap --verify=crc32c --do_verify=0"];
    let changed = [
        // The length of the file is the offset of the last write, so that each program leaves the same file.
        "--size=1m --ioengine=ftruncate --fallocate=none",
        "--size=1m --ioengine=ftruncate --io_size=3m",
        "--size=1m --lockfile=exclusive --numjobs=2",
        "--size=1m --lockfile=readwrite --numjobs=2 --ioengine=libaio --iodepth=4",
    ];
    let ways = [("read", &lines[..]), ("randread", &lines[..]), ("write", &lines[..]), ("randwrite", &lines[..])];
    let ways =
        ways.into_iter().chain([("write", &written[3..]), ("randwrite", &written[..]), ("randwrite", &drawn[..])]);
    let ways = ways.chain([("write", &changed[..]), ("randread", &changed[2..])]);
    let mut wrong = Vec::new();
    for (rw, list) in ways {
        for line in list {
            let place = place();
            let file = if line.contains("nrfiles") { String::new() } else { "--filename=v ".to_owned() };
            let words = format!("--name=j {file}--rw={rw} --bs=64k {line} --output-format=json");
            let (theirs, own) = (place.path().join("fio"), place.path().join("ours"));
            [&theirs, &own].into_iter().for_each(|dir| std::fs::create_dir(dir).expect("a directory"));
            let (theirs, own) = (fio(&theirs, &words), ours(&own, &words));
            let length = |of: &str| place.path().join(of).join("v").metadata().map_or(0, |m| m.len());
            assert!(theirs.good, "fio {words}: {}", theirs.output());
            if !own.good {
                wrong.push(format!("--rw={rw} {line}: {}", own.output()));
            } else if line.contains("ftruncate") && length("fio") != length("ours") {
                wrong.push(format!("--rw={rw} {line}: {} bytes, by fio {}", length("ours"), length("fio")));
            } else if counted(&theirs) != counted(&own) {
                wrong.push(format!("--rw={rw} {line}: fio {:?}, here {:?}", counted(&theirs), counted(&own)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Blocks that fio accepts must verify here too, no matter which job or run wrote them and in which order, and a
/// changed block must be found. Previously the write numbers of another job were compared: 254 of 256 blocks were
/// reported as wrong.
#[test]
fn what_another_job_or_run_wrote_verifies_as_by_fio_and_a_changed_block_does_not() {
    let _beside = beside();
    if let Some(why) = lacking() {
        skip!("{why}");
    }
    let always = "--filename=v --bs=4k --verify=crc32c";
    let whole = format!("--name=a {always} --size=1m");
    // The writing command, and the verifying one: a sequential read if the second is empty.
    let cases = [
        (
            format!("{whole} --rw=randwrite --name=b --stonewall {always} --size=1m --rw=randwrite --verify_only"),
            String::new(),
        ),
        (format!("{whole} --rw=randwrite"), format!("{whole} --rw=randwrite --randseed=8 --verify_only")),
        (format!("{whole} --rw=randwrite --loops=2"), format!("{whole} --rw=randwrite --verify_only")),
        (format!("{whole} --rw=write --io_size=2m"), format!("{whole} --rw=write --verify_only")),
        (format!("{whole} --rw=write"), format!("{whole} --rw=write --loops=2 --verify_only")),
        // A loop that covers less than the file continues where the last one ended.
        (format!("{whole} --rw=randwrite --io_size=512k --loops=2"), format!("{whole} --rw=read")),
        (format!("{whole} --rw=write --io_size=512k --loops=2"), format!("{whole} --rw=read")),
        // Every loop of a mix is the same.
        (format!("{whole} --rw=randrw"), format!("{whole} --rw=randrw --loops=2 --verify_only")),
        (format!("{whole} --rw=randrw --loops=2"), format!("{whole} --rw=randrw --loops=3 --verify_only")),
        (
            format!("{whole} --rw=randwrite --norandommap"),
            format!("{whole} --rw=randwrite --norandommap --verify_only"),
        ),
        (
            format!("{whole} --rw=randwrite --bssplit=4k/50:8k/50"),
            format!("{whole} --rw=randwrite --bssplit=4k/50:8k/50 --randseed=8 --verify_only"),
        ),
        (format!("{whole} --rw=randwrite --bsrange=4k-16k"), format!("{whole} --rw=read --verify_interval=4k")),
        (
            format!(
                "--name=a {always} --size=512k --rw=randwrite --name=b {always} --size=512k --offset=512k --rw=randwrite"
            ),
            format!("{whole} --rw=randwrite --verify_only"),
        ),
        // The file is the first of one job and the second of the other.
        (
            format!(
                "--name=a {always} --size=512k --rw=write --name=b --filename=u:v --bs=4k --verify=crc32c --offset=512k \
                 --size=1m --rw=write"
            ),
            format!("{whole} --rw=read"),
        ),
    ];
    for (write, verify) in cases {
        let place = place();
        let dir = place.path();
        for (who, run) in [("fio", fio as fn(&Path, &str) -> Ended), ("here", ours)] {
            let dir = dir.join(who);
            std::fs::create_dir(&dir).expect("a directory");
            let ended = run(&dir, &write);
            assert!(ended.good, "{who} {write}: {}", ended.output());
            let verify = if verify.is_empty() { format!("{whole} --rw=read") } else { verify.clone() };
            let ended = run(&dir, &verify);
            assert!(ended.good, "{who} {write} / {verify}: {}", ended.output());
            // If every block was written, a changed one is found; random offsets may leave it out.
            if ["norandommap", "randrw"].iter().any(|word| write.contains(word)) {
                continue;
            }
            let path = dir.join("v");
            let mut bytes = std::fs::read(&path).expect("it was written");
            bytes[100_003] ^= 1;
            std::fs::write(&path, bytes).expect("a file of ours");
            assert!(!run(&dir, &verify).good, "{who} {write} / {verify}: the changed block is not found");
        }
    }
}

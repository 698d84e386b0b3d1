//! What ends up where: files written by both programs hold the same bytes, and each verifies what the other wrote.

use crate::programs::{fio_is_installed, ours_speaks_fio, secchi_fio};
use crate::support::{Ended, beside, place, run, skip};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LONGEST: Duration = Duration::from_secs(120);

fn fio(dir: &Path, words: &str) -> Ended {
    run(Command::new("fio").args(words.split_whitespace()), dir, LONGEST).expect("fio runs")
}

fn ours(dir: &Path, words: &str) -> Ended {
    let mut command = secchi_fio(&dir.join("store"));
    run(command.args(words.split_whitespace()), dir, LONGEST).expect("secchi runs")
}

/// Why there is nothing to compare.
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
    // Nothing is reserved, so that what was not written is a hole.
    let always = "--name=j --bs=4k --size=128k --fallocate=none --buffer_pattern=0xc3";
    let lines = [
        "--rw=write --zonemode=strided --zonesize=16k --zonerange=32k",
        "--rw=write --zonemode=strided --zonesize=16k --zonerange=32k --zoneskip=8k",
        "--rw=write --zonemode=strided --zonesize=16k --zoneskip=8k",
        "--rw=write --zonemode=strided --zonesize=16k --zonerange=30k",
        "--rw=write --zonemode=strided --zonesize=12k --zonerange=20k --bs=8k",
        "--rw=write --zonemode=strided --zonesize=32k --zonerange=16k",
        "--rw=write --zonemode=strided --zonesize=16k --zonerange=32k --offset=64k",
        // Whole zones, so that the order of random places does not matter.
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
        assert!(ended.good, "fio {line}: {}", ended.said());
        let ended = ours(place.path(), &format!("{always} --filename={own} {line}"));
        assert!(ended.good, "{line}: {}", ended.said());
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
        assert!(ended.good, "{}", ended.said());
        let ended = ours(dir, &format!("{words} --rw=read --filename={theirs}"));
        assert!(ended.good && ended.stdout.contains("64 blocks were read back"), "{pattern}: {}", ended.said());
        let ended = fio(dir, &format!("{words} --rw=read --filename={own}"));
        assert!(ended.good, "fio of ours, {pattern}: {}", ended.said());
        let path = dir.join(&theirs);
        let mut bytes = std::fs::read(&path).expect("fio wrote it");
        bytes[100_003] ^= 1;
        std::fs::write(&path, bytes).expect("a file of ours");
        let ended = ours(dir, &format!("{words} --rw=read --filename={theirs}"));
        assert!(!ended.good && ended.stdout.contains("1 of 64 blocks"), "{pattern}: {}", ended.stdout);
        assert!(!fio(dir, &format!("{words} --rw=read --filename={theirs}")).good, "fio finds it, too");
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
    assert!(ended.good, "{}", ended.said());
    std::fs::copy(dir.join("first"), dir.join("copy")).expect("a copy");
    for how in ["--rw=read", "--rw=randwrite --verify_only"] {
        let ended = ours(dir, &format!("{words} --filename=copy {how}"));
        assert!(ended.good && ended.stdout.contains("none is wrong"), "{how}: {}\n{}", ended.said(), ended.stdout);
    }
    let mut bytes = std::fs::read(dir.join("copy")).expect("it was copied");
    bytes[40_960..45_056].fill(0);
    std::fs::write(dir.join("copy"), bytes).expect("a file of ours");
    let ended = ours(dir, &format!("{words} --filename=copy --rw=read"));
    // The screen is wrapped.
    let told = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("1 of 256 blocks") && told.contains("at byte 40960"), "{}", ended.stdout);
    assert!(!ended.good);
}

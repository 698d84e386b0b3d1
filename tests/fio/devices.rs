//! Trims and verification on a loop device, compared with fio on the same device.

use super::fio_json::FioJson;
use super::programs::{fio_is_installed, ours_speaks_fio, secchi_fio};
use super::support::{Ended, Loop, beside, place, run, skip, tool};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LONGEST: Duration = Duration::from_secs(120);
const SIZE: u64 = 64 << 20;

fn ours(dir: &Path, words: &str) -> Ended {
    let mut command = secchi_fio(&dir.join("store"));
    run(command.arg("--eta=never").args(words.split_whitespace()), dir, LONGEST).expect("secchi runs")
}

/// Creates a loop device for secchi, if it has the command `fio`. The caller must drop the device before the directory
/// that contains its file.
fn device_of_ours() -> Result<(tempfile::TempDir, Loop), String> {
    if !ours_speaks_fio() {
        return Err("this build of secchi has no command `fio`".to_owned());
    }
    let place = place();
    let device = Loop::new(&place.path().join("image"), SIZE)?;
    Ok((place, device))
}

/// Returns the operations and bytes of every direction.
fn bytes(text: &str) -> [(f64, f64); 3] {
    let parsed = FioJson::read(text).unwrap_or_else(|e| panic!("{e}: {text}"));
    let job = &parsed.jobs[0];
    [&job.reads, &job.writes, &job.trims].map(|d| (d.ios, d.bytes))
}

#[test]
fn trims_of_a_device_discard_as_much_as_fios() {
    let _beside = beside();
    if !fio_is_installed() || !ours_speaks_fio() {
        skip!("there are not two programs to compare");
    }
    let place = place();
    let image = place.path().join("image");
    let device = match Loop::new(&image, SIZE) {
        Ok(device) => device,
        Err(why) => skip!("{why}"),
    };
    let path = device.path.display().to_string();
    let held = || {
        tool("sync", &["-f".as_ref(), image.as_os_str()]).expect("sync is there");
        std::fs::metadata(&image).expect("the image").blocks() * 512
    };
    let consent = format!("--destroy={path}:{SIZE}");
    for rw in ["trim", "randtrim", "trimwrite"] {
        let words = format!("--name=t --filename={path} --rw={rw} --bs=64k --size=16m --direct=1 --output-format=json");
        let full = format!("--name=f --filename={path} --rw=write --bs=1m --size=32m --direct=1");
        let mut counts = Vec::new();
        for fio in [true, false] {
            let filled = ours(place.path(), &format!("{consent} {full}"));
            assert!(filled.good, "{}", filled.output());
            let before = held();
            assert!(before >= 32 << 20, "the image holds {before} bytes");
            let ended = if fio {
                run(Command::new("fio").args(words.split_whitespace()), place.path(), LONGEST).expect("fio runs")
            } else {
                ours(place.path(), &format!("{consent} {words}"))
            };
            assert!(ended.good, "{rw}: {}", ended.output());
            let freed = before.saturating_sub(held());
            let expected = if rw == "trimwrite" { 0 } else { 16 << 20 };
            assert!(freed.abs_diff(expected) < 1 << 20, "{rw}, fio {fio}: {freed} bytes were discarded");
            counts.push(bytes(&ended.stdout));
        }
        assert_eq!(counts[0], counts[1], "{rw}: operations and bytes of reads, writes and trims");
    }
}

#[test]
fn a_device_is_written_verified_later_and_not_trimmed_without_consent() {
    let _beside = beside();
    let (place, device) = match device_of_ours() {
        Ok(both) => both,
        Err(why) => skip!("{why}"),
    };
    let path = device.path.display().to_string();
    let words = format!("--name=v --filename={path} --bs=16k --size=16m --direct=1 --verify=crc32c");
    let consent = format!("--destroy={path}:{SIZE}");
    for rw in ["trim", "randwrite"] {
        let refused = ours(place.path(), &format!("--name=t --filename={path} --rw={rw} --bs=64k --size=1m"));
        assert!(!refused.good && refused.stderr.contains("--destroy"), "{rw}: {}", refused.stderr);
        assert!(std::fs::read(&path).expect("a device of ours").iter().all(|b| *b == 0), "nothing was written");
    }
    let written = ours(place.path(), &format!("{consent} {words} --rw=randwrite"));
    assert!(written.good && written.stdout.contains("no mismatch"), "{}", written.output());
    // A second run knows only the contents of the blocks.
    for how in ["--rw=read", "--rw=randwrite --verify_only"] {
        let later = ours(place.path(), &format!("--device={path} {words} {how}"));
        assert!(later.good && later.stdout.contains("1024 blocks"), "{how}: {}\n{}", later.output(), later.stdout);
    }
    let trimmed = ours(place.path(), &format!("{consent} --name=t --filename={path} --rw=trim --bs=64k --size=1m"));
    assert!(trimmed.good, "{}", trimmed.output());
    let later = ours(place.path(), &format!("--device={path} {words} --rw=read"));
    let stdout = later.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!later.good && stdout.contains("64 of 1024 blocks") && stdout.contains("only zeros"), "{}", later.stdout);
}

#[test]
fn a_device_in_use_is_neither_trimmed_nor_written() {
    let _beside = beside();
    let (place, device) = match device_of_ours() {
        Ok(both) => both,
        Err(why) => skip!("{why}"),
    };
    let path = device.path.display().to_string();
    // Claim the device as a file system does.
    let claim = rustix::fs::open(
        &device.path,
        rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::EXCL,
        rustix::fs::Mode::empty(),
    );
    let _claim = claim.expect("nobody else uses our device");
    for rw in ["trim", "write"] {
        let words = format!("--destroy={path}:{SIZE} --name=t --filename={path} --rw={rw} --bs=64k --size=1m");
        let refused = ours(place.path(), &words);
        assert!(!refused.good, "{rw}");
        assert!(refused.stderr.contains(&path), "{rw}: {}", refused.stderr);
    }
    assert!(std::fs::read(&path).expect("a device of ours").iter().all(|b| *b == 0), "nothing was written");
}

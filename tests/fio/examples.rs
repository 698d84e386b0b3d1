//! fio's own example job files: each is accepted or refused by name, and those for supported engines are run.
//!
//! They are part of Debian's package `fio-examples`; if it is not installed, the test downloads and unpacks it in its
//! temporary directory. `SECCHI_FIO_EXAMPLES` names another directory.

use super::programs::{ours_speaks_fio, secchi_fio};
use super::support::{Ended, beside, place, run, skip};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Values of the environment variables that the examples use.
const VARIABLES: &[(&str, &str)] =
    &[("MNT", "."), ("DISK", "disk"), ("SIZE", "1m"), ("NUMJOBS", "1"), ("IODEPTH", "2")];

/// Returns the directory of the examples.
fn directory(place: &Path) -> Result<PathBuf, String> {
    let given = std::env::var_os("SECCHI_FIO_EXAMPLES").map(PathBuf::from);
    let usual = ["/usr/share/doc/fio/examples", "/usr/share/doc/fio-examples/examples"].map(PathBuf::from);
    if let Some(there) = given.into_iter().chain(usual).find(|d| d.is_dir()) {
        return Ok(there);
    }
    let patience = Duration::from_secs(120);
    let fetched = run(Command::new("apt-get").args(["download", "fio-examples"]), place, patience)?;
    if !fetched.good {
        return Err(format!("no fio examples here, and apt-get cannot fetch them: {}", fetched.output()));
    }
    let mut package = std::fs::read_dir(place).map_err(|e| e.to_string())?.flatten().map(|e| e.path());
    let package = package.find(|p| p.extension().is_some_and(|e| e == "deb")).ok_or("no package was fetched")?;
    let unpacked = run(Command::new("dpkg-deb").arg("-x").arg(&package).arg("fio-examples"), place, patience)?;
    let dir = place.join("fio-examples/usr/share/doc/fio/examples");
    if unpacked.good && dir.is_dir() { Ok(dir) } else { Err(format!("dpkg-deb: {}", unpacked.output())) }
}

fn jobs(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).expect("the examples").flatten().map(|e| e.path());
    let mut jobs: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "fio")).collect();
    jobs.sort();
    jobs
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Sets the variables in `${}`, which the examples leave to the user.
fn with_variables(command: &mut Command, text: &str) {
    for part in text.split("${").skip(1) {
        let variable = part.split('}').next().unwrap_or_default();
        let given = VARIABLES.iter().find(|(name, _)| *name == variable).map(|(_, value)| *value);
        let usual = if variable.ends_with("RW") {
            "read"
        } else if variable.ends_with("BS") {
            "4k"
        } else {
            "1"
        };
        command.env(variable, given.unwrap_or(usual));
    }
}

#[test]
fn every_example_is_understood_or_refused_by_name() {
    let _beside = beside();
    if !ours_speaks_fio() {
        skip!("this build of secchi has no command `fio`");
    }
    let place = place();
    let dir = match directory(place.path()) {
        Ok(dir) => dir,
        Err(why) => skip!("{why}"),
    };
    let (mut understood, mut refused, mut wrong) = (0, Vec::new(), Vec::new());
    for path in jobs(&dir) {
        let mut command = secchi_fio(&place.path().join("store"));
        with_variables(&mut command, &std::fs::read_to_string(&path).unwrap_or_default());
        command.arg("--parse-only").arg(&path);
        let ended = run(&mut command, &dir, Duration::from_secs(30)).expect("it ends");
        match ended.code {
            Some(0) => understood += 1,
            // One line with a name in it.
            Some(64) if ended.stderr.contains("known, but not supported") && ended.stderr.lines().count() == 1 => {
                refused.push(name(&path));
            }
            _ => wrong.push(format!("{}: {:?} {}", name(&path), ended.code, ended.output())),
        }
    }
    eprintln!("{understood} examples understood, {} refused by name: {}", refused.len(), refused.join(" "));
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(understood >= 30, "only {understood} examples are understood");
}

/// Returns a smaller version of an example: sizes, times and clones are reduced, devices and scratch directories
/// replaced by a file and a directory of the test. Options on the command line would not be enough, because those in
/// sections override them.
fn small(text: &str, dir: &Path) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let bare = line.split(['#', ';']).next().unwrap_or_default().trim();
        let (key, value) = bare.split_once('=').map_or((bare, ""), |(k, v)| (k.trim(), v.trim()));
        let changed = match key {
            "size" if value.ends_with(['g', 'G', 'm', 'M']) => "size=1m".to_owned(),
            "io_size" => "io_size=1m".to_owned(),
            "filesize" => "filesize=1m".to_owned(),
            "offset" if value.contains("120") => "offset=0".to_owned(),
            "offset_increment" => "offset_increment=2m".to_owned(),
            // Clones that verify their writes must not overlap, but skipped blocks take each to the end of the file.
            // fio 3.33 also finds foreign blocks, in 4 of 60 runs.
            "numjobs" if text.contains("offset_increment") => "numjobs=1".to_owned(),
            "runtime" | "timeout" => format!("{key}=1"),
            "ramp_time" => "ramp_time=0".to_owned(),
            "loops" => "loops=2".to_owned(),
            "startdelay" => "startdelay=0".to_owned(),
            // The example is older than rates in bytes: this one is in KiB.
            "rate" if value == "1250" => "rate=1250k".to_owned(),
            "ratemin" => "ratemin=64k".to_owned(),
            "numjobs" if value.parse::<u32>().is_ok_and(|n| n > 4) => "numjobs=2".to_owned(),
            // 31,250 for each of 16 jobs.
            "nrfiles" if value.parse::<u32>().is_ok_and(|n| n > 1000) => "nrfiles=500".to_owned(),
            "steadystate_duration" | "ss_dur" => format!("{key}=2"),
            "ss_ramp" => "ss_ramp=1".to_owned(),
            "latency_window" => "latency_window=300000".to_owned(),
            "directory" => format!("directory={}", dir.display()),
            "filename" if value.starts_with('/') => "filename=example\nfilesize=4m".to_owned(),
            // The machine may have only one or two processors.
            "cpus_allowed" => String::new(),
            _ => line.to_owned(),
        };
        out.push_str(&changed);
        out.push('\n');
    }
    out
}

/// Accepted examples that are not run, because they cannot end here, or not soon.
const NOT_RUN: &[(&str, &str)] = &[
    ("numa.fio", "it wants a second NUMA node"),
    ("enospc-pressure.fio", "fills the disk"),
    ("surface-scan.fio", "fills the disk"),
    ("xnvme-compare.fio", "wants a device, and says that nothing may be made in its place"),
    (
        "e4defrag.fio",
        "its jobs write over each other's blocks and verify them, and blocks in use are busy: fio 3.33 fails as well",
    ),
    ("e4defrag2.fio", "its jobs write over each other's blocks and verify them, as in fio 3.33"),
    ("exec.fio", "wants turbostat"),
    ("http-s3-crypto.fio", "wants a server"),
    ("http-s3-storage-class.fio", "wants a server"),
    ("http-s3.fio", "wants a server"),
    ("http-swift.fio", "wants a server"),
    ("http-webdav.fio", "wants a server"),
    ("nfs.fio", "wants a server"),
    ("rbd.fio", "wants a cluster"),
    ("uring-cmd-ng.fio", "wants an NVMe drive"),
    ("uring-cmd-zoned.fio", "wants a zoned drive"),
    ("xnvme-zoned.fio", "wants a zoned drive"),
    ("libzbc-rand-write.fio", "wants a zoned drive"),
    ("libzbc-seq-read.fio", "wants a zoned drive"),
    ("zbd-rand-write.fio", "wants a zoned drive"),
    ("zbd-seq-read.fio", "wants a zoned drive"),
];

#[test]
fn examples_for_engines_we_have_run_to_their_end() {
    let _beside = beside();
    if !ours_speaks_fio() {
        skip!("this build of secchi has no command `fio`");
    }
    let place = place();
    let dir = match directory(place.path()) {
        Ok(dir) => dir,
        Err(why) => skip!("{why}"),
    };
    let (mut ran, mut refused, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for path in jobs(&dir) {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut parse = secchi_fio(&place.path().join("store"));
        with_variables(&mut parse, &text);
        let parsed = run(parse.arg("--parse-only").arg(&path), &dir, Duration::from_secs(30)).expect("it ends");
        let name = name(&path);
        if !parsed.good || NOT_RUN.iter().any(|(n, _)| *n == name) {
            continue;
        }
        let work = place.path().join(name.trim_end_matches(".fio"));
        std::fs::create_dir(&work).expect("a directory of ours");
        let job = place.path().join(format!("small-{name}"));
        std::fs::write(&job, small(&text, &work)).expect("a file of ours");
        match run_example(&place.path().join("store"), &job, &text, &work) {
            // Errors that need the whole job are found only when it is assembled; they name the option too.
            Ok(ended) if ended.code == Some(64) && ended.stderr.contains("is not supported") => refused.push(name),
            Ok(ended) if ended.good => ran.push(format!("{name} {:.1?}", ended.took)),
            Ok(ended) => wrong.push(format!("{name}: {:?} {}", ended.code, ended.output())),
            Err(why) => wrong.push(format!("{name}: {why}")),
        }
        let _ = std::fs::remove_dir_all(&work);
    }
    eprintln!("{} examples ran: {}; refused: {}", ran.len(), ran.join(", "), refused.join(" "));
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(ran.len() >= 20, "only {} examples ran", ran.len());
}

fn run_example(store: &Path, job: &Path, text: &str, work: &Path) -> Result<Ended, String> {
    let mut command = secchi_fio(store);
    with_variables(&mut command, text);
    // Sizes and times that the example does not set.
    command.args(["--size=1m", "--runtime=2", "--allow-cap", "--eta=never"]).arg(job);
    run(&mut command, work, Duration::from_secs(60))
}

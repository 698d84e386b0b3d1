//! A matrix of jobs run by both programs: amounts read and written, exit codes, and results of verification.
//!
//! Every mode is combined with every extent, every way to draw random offsets and every kind of verification; every
//! second row of these is run (`SECCHI_FIO_MATRIX=all`: every row). One run covers many rows: a job for each, with its
//! own file. If a row has two phases, a second run verifies the files of the first. The programs draw different offsets
//! and a different share of reads; if that affects the figures, the row is printed with this explanation.

use super::fio_json::{FioJson, Job};
use super::programs::{after_notes, fio_is_installed, ours_speaks_fio, secchi_fio};
use super::support::{Ended, beside, place, run, skip};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const MODES: [&str; 4] = ["write", "randwrite", "rw", "randrw"];

/// Extent and file of a job. Blocks are 4 KiB by default.
const EXTENTS: [&str; 13] = [
    "size=256k",
    "size=256k io_size=512k",
    "size=256k io_size=128k",
    "filesize=512k size=25%",
    "size=256k loops=2",
    "size=256k io_size=128k loops=2",
    "size=250k",
    "size=256k offset=128k",
    "size=256k number_ios=20",
    "size=256k bs=128k io_size=512k",
    "size=256k bssplit=4k/50:16k/50",
    "size=1m io_size=50%",
    "size=256k nrfiles=4",
];

/// Ways to draw random offsets.
const PLACES: [&str; 4] = ["", "norandommap=1", "random_generator=lfsr", "random_generator=tausworthe64"];

/// Kinds of verification: in the same job, or by another job later.
const WAYS: [(&str, Later); 12] = [
    ("", Later::Not),
    ("verify=crc32c", Later::Not),
    ("verify=md5", Later::Not),
    ("verify=sha256 verify_interval=2k", Later::Not),
    ("verify=xxhash", Later::Not),
    ("verify=meta verify_interval=512", Later::Not),
    ("verify=pattern verify_pattern=0xdeadbeef", Later::Not),
    ("verify=crc32c verify_backlog=16", Later::Not),
    ("verify=crc32c do_verify=0", Later::Only),
    ("verify=sha256 do_verify=0", Later::Only),
    ("verify=md5 do_verify=0", Later::Whole),
    ("verify=xxhash do_verify=0", Later::Half),
];

/// Number of jobs in one run.
const BATCH: usize = 48;
const LONGEST: Duration = Duration::from_secs(90);

/// Verification by a later job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Later {
    /// No later verification.
    Not,
    /// The same options with `verify_only`.
    Only,
    /// A read of the same extent, from its beginning.
    Whole,
    /// A read of the first 128 KiB of the file.
    Half,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    mode: &'static str,
    extent: &'static str,
    places: &'static str,
    way: &'static str,
    later: Later,
}

/// Result of comparing two jobs.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Same,
    /// They differ for this reason.
    Explained(&'static str),
    Wrong(&'static str),
}

use Verdict::{Explained, Same, Wrong};

impl Row {
    fn mixed(&self) -> bool {
        self.mode == "rw" || self.mode == "randrw"
    }

    fn random(&self) -> bool {
        self.mode.starts_with("rand")
    }

    fn split(&self) -> bool {
        self.extent.contains("bssplit")
    }

    /// Returns `true` if offsets may repeat and others never occur. fio's LFSR does not support several sizes: it then
    /// draws freely.
    fn free(&self) -> bool {
        self.places == "norandommap=1" || self.places.ends_with("lfsr") && self.split()
    }

    /// Returns `true` if it is random which blocks are written.
    fn drawn(&self) -> bool {
        let partial = ["io_size=128k", "number_ios", "io_size=50%", "filesize"];
        self.mixed() || self.free() || self.random() && partial.iter().any(|word| self.extent.contains(word))
    }

    fn checked(&self) -> bool {
        self.way.contains("verify=") && !self.way.contains("do_verify=0")
    }

    /// Returns the section of the job for a phase.
    fn job(&self, number: usize, phase: usize) -> String {
        let mut words: Vec<String> = Vec::new();
        let several = self.extent.contains("nrfiles");
        if !several {
            words.push(format!("filename=f{number}"));
        }
        if !self.extent.contains("bs=") && !self.split() {
            words.push("bs=4k".to_owned());
        }
        let extent = self.extent.split(' ');
        if phase == 1 {
            words.push(format!("rw={}", self.mode));
            words.extend(extent.chain([self.places]).chain(self.way.split(' ')).map(str::to_owned));
        } else {
            let way = self.way.split(' ').filter(|word| *word != "do_verify=0").map(str::to_owned);
            match self.later {
                Later::Only => {
                    words.push(format!("rw={}", self.mode));
                    words.extend(extent.chain([self.places, "verify_only=1"]).map(str::to_owned));
                }
                Later::Whole => {
                    words.push(format!("rw={}", if self.random() { "randread" } else { "read" }));
                    let once = |word: &&str| !["loops", "io_size", "number_ios"].iter().any(|w| word.starts_with(w));
                    words.extend(extent.filter(once).map(str::to_owned));
                }
                Later::Half => words.extend(["rw=read", "size=128k"].map(str::to_owned)),
                Later::Not => {}
            }
            words.extend(way);
        }
        words.retain(|word| !word.is_empty());
        format!("[j{number}]\n{}\n", words.join("\n"))
    }

    fn display(&self) -> String {
        let words = [self.mode, self.extent, self.places, self.way];
        words.iter().filter(|w| !w.is_empty()).copied().collect::<Vec<_>>().join(" ")
    }
}

fn judge(row: &Row, phase: usize, fio: &Job, ours: &Job) -> Verdict {
    let failed = |job: &Job| job.error != 0;
    match (failed(fio), failed(ours)) {
        (_, true) if phase == 1 => return Wrong("what was just written is called wrong"),
        (_, true) if row.later == Later::Only => return Wrong("what the same line wrote is called wrong"),
        (false, true) if !row.drawn() => return Wrong("called wrong, and fio finds it right"),
        (false, true) => return Explained("which blocks are written is drawn"),
        (true, false) if row.mixed() || row.free() => {
            return Explained("fio takes blocks that its own line never wrote, or wrote again, for wrong ones");
        }
        (true, false) if row.drawn() => return Explained("which blocks are written is drawn"),
        (true, false) => return Wrong("fio finds wrong blocks, and this is called right"),
        // fio ends a job at the first wrong block, whose position is random.
        (true, true) => return Same,
        (false, false) => {}
    }
    let both = |what: fn(&Job) -> (f64, f64)| (what(fio), what(ours));
    let (fio_reads, reads) = both(|j| (j.reads.ios, j.reads.bytes));
    let (fio_writes, writes) = both(|j| (j.writes.ios, j.writes.bytes));
    if row.places.ends_with("lfsr") && row.extent.contains("bs=128k") && fio_reads.1 + fio_writes.1 < reads.1 + writes.1
    {
        return Explained("fio's register comes to nothing with two places");
    }
    if phase == 1 && row.extent.contains("number_ios") && row.way.contains("backlog") && fio_writes.0 <= writes.0 {
        return Explained("fio counts what it reads back against number_ios");
    }
    if phase == 2 && row.later == Later::Only {
        // fio also counts the writes that it skips, in each loop.
        let pretended = row.mixed() || row.free() || row.split() || row.extent.contains("loops");
        return match fio_reads == reads {
            true => Same,
            false if pretended => Explained("fio counts what it goes through without doing it"),
            false => Wrong("other blocks are verified"),
        };
    }
    if phase == 2 {
        // Sizes are drawn again.
        let same = if row.split() { fio_reads.1 == reads.1 } else { fio_reads == reads };
        return if same { Same } else { Wrong("other amounts are read") };
    }
    // The last operation reaches the end; if sizes are random, so is the amount by which it exceeds it.
    let beyond = row.split() && (row.free() || row.mode == "rw");
    let near = |a: f64, b: f64| (a - b).abs() < if beyond { 16384.0 } else { 1.0 };
    if row.mixed() {
        let (fio_all, all) = match row.checked() {
            // Every write is read back, so the reads equal both together.
            true => (fio_reads.1, reads.1),
            false => (fio_reads.1 + fio_writes.1, reads.1 + writes.1),
        };
        let more = row.extent.contains("io_size=512k");
        return match near(fio_all, all) {
            true => Same,
            false if row.checked() && row.free() => Explained("how many blocks come twice is drawn"),
            false if more && row.checked() => {
                Explained("what is read back counts: the share of writes decides the passes")
            }
            false if more && row.mode == "rw" && row.way.contains("do_verify=0") => {
                Explained("fio ends where one of both directions has come to the end of the file")
            }
            false => Wrong("other amounts in all"),
        };
    }
    let again = row.mode == "write" && row.extent.contains("io_size=512k") && row.way.contains("verify");
    if again && fio_writes.1 < writes.1 {
        return Explained("writes in sequence go on to io_size before they are verified, in fio since 2026");
    }
    let writes_same = near(fio_writes.1, writes.1) && (row.split() || fio_writes.0 == writes.0);
    match () {
        () if !writes_same && row.split() && row.places.ends_with("lfsr") => {
            Explained("fio's register knows no sizes, and draws freely")
        }
        () if !writes_same => Wrong("other amounts are written"),
        () if row.split() && fio_reads.1 == reads.1 || fio_reads == reads => Same,
        () if row.free() && reads.1 <= writes.1 => Explained("how many blocks come twice is drawn"),
        () => Wrong("other amounts are read back"),
    }
}

fn rows() -> Vec<Row> {
    let whole = std::env::var("SECCHI_FIO_MATRIX").is_ok_and(|v| v == "all");
    let mut rows = Vec::new();
    for (m, mode) in MODES.into_iter().enumerate() {
        for (e, extent) in EXTENTS.into_iter().enumerate() {
            for (p, places) in PLACES.into_iter().enumerate() {
                let random = mode.starts_with("rand");
                for (w, (way, later)) in WAYS.into_iter().enumerate() {
                    if (random || places.is_empty()) && (whole || (m + e + p + w) % 2 == 0) {
                        rows.push(Row { mode, extent, places, way, later });
                    }
                }
            }
        }
    }
    rows
}

/// Runs one phase of some rows with one program.
fn phase(fio: bool, batch: &[(usize, Row)], phase: usize, dir: &Path) -> BTreeMap<String, Job> {
    let jobs: String = batch.iter().map(|(number, row)| row.job(*number, phase)).collect();
    let file = dir.join(format!("p{phase}.fio"));
    std::fs::write(&file, format!("[global]\nrandrepeat=1\n{jobs}")).expect("a directory of ours");
    let output = dir.join(format!("p{phase}.json"));
    let mut command = if fio { Command::new("fio") } else { secchi_fio(&dir.join("store")) };
    command.arg("--output-format=json").arg("--output").arg(&output).arg(&file);
    let ended: Ended = run(&mut command, dir, LONGEST).expect("it ends");
    let text = after_notes(&std::fs::read_to_string(&output).unwrap_or_default());
    let parsed = FioJson::read(&text).unwrap_or_else(|e| panic!("{}: {e}: {}", file.display(), ended.output()));
    let wrong = parsed.jobs.iter().any(|j| j.error != 0);
    assert_eq!(wrong, !ended.good, "the exit code of {}: {:?}", if fio { "fio" } else { "secchi fio" }, ended.code);
    parsed.jobs.into_iter().map(|job| (job.name.clone(), job)).collect()
}

fn figures(job: &Job) -> String {
    let (r, w) = (&job.reads, &job.writes);
    format!("error {} reads {} ({}) writes {} ({})", job.error, r.ios, r.bytes, w.ios, w.bytes)
}

#[test]
fn every_second_row_of_the_matrix_does_and_finds_what_fio_does() {
    let _beside = beside();
    if !fio_is_installed() || !ours_speaks_fio() {
        skip!("there are not two programs to compare");
    }
    let since = Instant::now();
    let (twice, once): (Vec<Row>, Vec<Row>) = rows().into_iter().partition(|r| r.later != Later::Not);
    let (mut compared, mut wrong, mut explained) = (0, Vec::new(), BTreeMap::new());
    for (rows, phases) in [(once, 1), (twice, 2)] {
        let numbered: Vec<(usize, Row)> = rows.into_iter().enumerate().collect();
        for batch in numbered.chunks(BATCH) {
            let place = place();
            let dirs = ["fio", "ours"].map(|name| place.path().join(name));
            dirs.iter().for_each(|dir| std::fs::create_dir(dir).expect("a directory of ours"));
            for number in 1..=phases {
                let [fio, ours] = [true, false].map(|fio| phase(fio, batch, number, &dirs[usize::from(!fio)]));
                for (job, row) in batch {
                    let name = format!("j{job}");
                    let (fio, ours) = (&fio[&name], &ours[&name]);
                    compared += 1;
                    let line =
                        || format!("phase {number}, {}: fio {}, ours {}", row.display(), figures(fio), figures(ours));
                    match judge(row, number, fio, ours) {
                        Same => {}
                        Explained(why) => explained.entry(why).or_insert_with(Vec::new).push(line()),
                        Wrong(why) => wrong.push(format!("{why}: {}", line())),
                    }
                }
            }
        }
    }
    for (why, lines) in &explained {
        eprintln!("{why} ({}):\n  {}", lines.len(), lines.join("\n  "));
    }
    let known: usize = explained.values().map(Vec::len).sum();
    eprintln!(
        "{compared} comparisons, {known} differ and are explained, {} are not, {:.0?}",
        wrong.len(),
        since.elapsed()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared >= 500, "only {compared} comparisons");
}

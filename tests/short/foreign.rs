//! `secchi judge FILE...` and `secchi lint`: from the command line to screens, documents and exit codes.

use crate::support::{Ended, Sandbox, beside, skip};
use model::judged::ForeignJudgement;
use serde::Deserialize;
use std::path::Path;

/// Output of a fio run that extends its file: submission takes all the time.
const EXTENDING: &str = "write: (g=0): rw=write, bs=(R) 8192B-8192B, (W) 8192B-8192B, (T) 8192B-8192B, ioengine=windowsaio, iodepth=1\n\
    fio-3.30\nStarting 1 thread\nwrite: Laying out IO file (1 file / 1024MiB)\n\n\
    write: (groupid=0, jobs=1): err= 0: pid=6304: Fri Apr 8 13:20:37 2022\n\
    \x20 write: IOPS=1383, BW=10.8MiB/s (11.3MB/s)(1024MiB/94770msec); 0 zone resets\n\
    \x20   slat (usec): min=473, max=50753, avg=705.83, stdev=215.92\n\
    \x20   clat (nsec): min=600, max=992800, avg=15568.51, stdev=12751.35\n\
    \x20    lat (usec): min=488, max=50769, avg=721.40, stdev=216.47\n\
    \x20    issued rwts: total=0,131072,0,0 short=0,0,0,0 dropped=0,0,0,0\n";

fn judge(sandbox: &Sandbox, words: &str) -> Ended {
    sandbox.secchi(&format!("judge {words}")).run()
}

fn document(ended: &Ended) -> ForeignJudgement {
    #[derive(Deserialize)]
    struct Document {
        foreign: ForeignJudgement,
    }
    let document: Document = serde_json::from_str(&ended.stdout)
        .unwrap_or_else(|e| panic!("no judgement: {e}\n{}\n{}", ended.stdout, ended.stderr));
    document.foreign
}

#[test]
fn a_file_of_fio_is_judged_on_the_screen_in_json_and_in_csv() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let file = sandbox.path("write-2.txt");
    std::fs::write(&file, EXTENDING).unwrap();
    let shown = judge(&sandbox, &file.display().to_string());
    assert_eq!(shown.code, 2, "{}", shown.stderr);
    assert!(shown.stdout.starts_with("VERDICT"), "{}", shown.stdout);
    assert!(shown.stdout.contains("B04-extension") && shown.stdout.contains("B03-label"), "{}", shown.stdout);
    let judged = document(&judge(&sandbox, &format!("{} --json", file.display())));
    assert_eq!((judged.rows[0].jobs, judged.exit_code), (Some(1), 2));
    assert!(judged.findings.iter().all(|f| !f.lines.is_empty()));
    let csv = judge(&sandbox, &format!("{} --csv", file.display())).stdout;
    assert_eq!(csv.lines().count(), 2, "{csv}");
}

/// iostat in UTC (as `TZ=UTC iostat`) and fio in Tokyo, 13:19 there, which is 04:19: the same 95 seconds.
#[test]
fn a_zone_lays_files_of_different_clocks_side_by_side() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let (fio, iostat) = (sandbox.path("fio.txt"), sandbox.path("iostat.txt"));
    std::fs::write(&fio, EXTENDING).unwrap();
    let mut samples = "Linux 5.10.0 (h) \t2022-04-08 \t_x86_64_\t(2 CPU)\n\n".to_owned();
    for second in 0..110 {
        let (minute, second) = (19 + second / 60, second % 60);
        samples += &format!(
            "2022-04-08T04:{minute:02}:{second:02}+0000\nDevice r/s rkB/s w/s wkB/s\nsdb 0.00 0.00 1383.00 11064.00\n\n"
        );
    }
    std::fs::write(&iostat, samples).unwrap();
    let files = format!("{} {} --json", fio.display(), iostat.display());
    let ids = |words: &str| {
        let findings = document(&judge(&sandbox, &format!("{files} {words}"))).findings;
        findings.into_iter().filter(|f| f.finding.id.starts_with("B29")).map(|f| f.finding.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(""), ["B29-zone"]);
    assert_eq!(ids("--time-zone +09:00"), ["B29-layers"]);
    let shown = judge(&sandbox, &format!("{} {}", fio.display(), iostat.display())).stdout;
    assert!(shown.contains("--time-zone +09:00"), "{shown}");
    let refused = judge(&sandbox, &format!("{} --time-zone Atlantis", fio.display()));
    assert!(refused.code == 64 && refused.stderr.contains("Asia/Tokyo"), "{}", refused.stderr);
}

#[test]
fn what_cannot_be_judged_is_refused_in_a_sentence() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("notes.txt"), "buy milk\n").unwrap();
    let refused = |words: String, why: &str| {
        let ended = judge(&sandbox, &words);
        assert_eq!(ended.code, 64, "{words}: {}", ended.stderr);
        assert!(ended.stderr.contains(why), "{words}: {}", ended.stderr);
    };
    refused(sandbox.data().display().to_string(), "--recursive");
    refused(sandbox.path("notes.txt").display().to_string(), "its format is not supported");
    refused("--explain B99".to_owned(), "no rule");
    refused("absent".to_owned(), "there is no run store");
}

#[test]
fn rules_are_listed_and_explained() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let listed = judge(&sandbox, "--rules");
    assert!(listed.code == 0 && listed.stdout.contains("B01-first-touch"), "{}", listed.stderr);
    let explained = judge(&sandbox, "--explain b19");
    assert!(
        explained.code == 0 && explained.stdout.contains("corrected rate"),
        "{} {}",
        explained.stdout,
        explained.stderr
    );
    assert!(sandbox.secchi("lint --explain L09").run().stdout.contains("never written"));
}

#[test]
fn a_matrix_with_a_forgotten_option_is_caught_before_it_runs() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let line = |jobs: u32, out: &str| {
        format!("fio --name=write --rw=write --bs=8k --direct=1 --size=1g --iodepth=8 --numjobs={jobs} > {out}\r\n")
    };
    let text = format!("{}{}{}", line(1, "write-1.txt"), line(1, "write-2.txt"), line(4, "write-4.txt"));
    let file = sandbox.path("run-fio.bat");
    std::fs::write(&file, text).unwrap();
    let ended = sandbox.secchi(&format!("lint {}", file.display())).run();
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(
        ended.stdout.contains("write-2.txt says 2, but numjobs is 1") && ended.stdout.contains("run-fio.bat:2"),
        "{}",
        ended.stdout
    );
    // On Windows, a job without an engine uses one that keeps its queue depth.
    assert!(!ended.stdout.contains("L04-depth"), "{}", ended.stdout);
}

/// Tests the device mounted on `/`, named by variables of a script: secchi checks a script like the commands it expands
/// to.
#[test]
fn a_script_that_overwrites_the_system_disk_is_caught_through_its_variables() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    let device =
        mounts.lines().map(|l| l.split(' ').next().unwrap()).find(|d| Path::new(d).exists() && d.starts_with("/dev/"));
    let Some(device) = device else {
        skip!("no mounted device is seen here");
    };
    let script = sandbox.path("bench.sh");
    let lint = |text: String| {
        std::fs::write(&script, text).unwrap();
        sandbox.secchi(&format!("lint {}", script.display())).run()
    };
    let loops = "for b in 4k 8k; do\n  fio --name=r$b --filename=$D --bs=$b --rw=randwrite --size=1g $MORE\ndone\n";
    let known = lint(format!("#!/bin/sh\nD={device}\nMORE='--direct=1 --ioengine=libaio'\n{loops}"));
    assert_eq!(known.code, 2, "{}", known.stderr);
    assert!(known.stdout.contains("DANGER: 2 plans") && known.stdout.contains(device), "{}", known.stdout);
    let half = lint(format!("D={device}\n{loops}"));
    assert!(half.code == 2 && half.stdout.contains("DANGER: 2 plans"), "{}", half.stdout);
    assert!(half.stdout.contains("$MORE is not set in the script"), "{}", half.stdout);
    let nothing = lint(loops.to_owned());
    assert!(nothing.code == 2 && nothing.stdout.contains("cannot be fully checked"), "{}", nothing.stdout);
}

/// Judges our own recordings of fio, ioping and iostat on one loop device with one command.
#[test]
fn what_was_recorded_side_by_side_is_judged_by_one_command() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("analysis/src/foreign/tests/recorded/beside");
    let judged = document(&judge(&sandbox, &format!("{} --recursive --json", recorded.display())));
    let said = |id: &str| {
        let findings = judged.findings.iter().filter(|f| f.finding.id == id);
        findings
            .map(|f| format!("{} {}", f.finding.statement, model::Sentence::join(f.finding.evidence.clone(), " ")))
            .collect::<String>()
    };
    assert!(said("B24-transfers").contains("8.00 transfers per operation"), "{}", said("B24-transfers"));
    for id in ["B29-layers", "B29-differ", "B46-not-from-device", "B54-utilisation", "B54-await", "I08-rate"] {
        assert!(!said(id).is_empty(), "{id} is missing");
    }
    assert_eq!((judged.rows.len(), judged.exit_code), (5, 0), "four runs of fio, one of ioping");
}

/// Both files were written for this question (docs/design/foreign-results.md, "Layers"), so that the test needs no
/// published files.
#[test]
fn why_mgstat_and_perfmon_differ_is_answered() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("analysis/src/foreign/tests/made");
    let shown = judge(&sandbox, &format!("{0}/mgstat.txt {0}/perfmon.csv", made.display()));
    assert!(shown.stdout.contains("they count different things"), "{}", shown.stdout);
}

#[test]
fn wrong_files_are_refused_before_they_are_read() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let large = sandbox.path("large");
    std::fs::File::create(&large).and_then(|f| f.set_len(import::LARGEST + 1)).unwrap();
    std::fs::write(sandbox.path("empty"), "").unwrap();
    std::fs::write(sandbox.path("half.json"), "{\"fio version\": \"fio-3.33\", \"jobs\": [{\"jobname\"").unwrap();
    std::fs::write(sandbox.path("picture.png"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10").unwrap();
    let refused = |name: &str, why: &str| {
        let ended = judge(&sandbox, name);
        assert_eq!(ended.code, 64, "{name}: {}", ended.stderr);
        assert!(ended.stderr.contains(why) && ended.stderr.lines().count() == 1, "{name}: {}", ended.stderr);
    };
    let path = |name: &str| sandbox.path(name).display().to_string();
    refused(&path("large"), "larger than 256 MiB");
    refused(&path("empty"), "it is empty");
    refused(&path("half.json"), "cut short");
    refused(&path("picture.png"), "its format is not supported");
    refused("/dev/zero", "not a regular file");
}

#[test]
fn dashes_of_a_web_page_are_said_to_keep_fio_from_running() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let ended = sandbox
        .secchi("lint")
        .arg("fio \u{2013}\u{2013}name=r \u{2013}\u{2013}rw=randread \u{2013}\u{2013}size=1g")
        .run();
    assert_eq!(ended.code, 1, "{}", ended.stdout);
    assert!(ended.stdout.contains("L05-dashes"), "{}", ended.stdout);
    // The position is the argument as it was typed, counted from 1.
    assert!(ended.stdout.contains("argument 1: \u{2013}\u{2013}name=r"), "{}", ended.stdout);
}

/// Reproduces docs/design/foreign-results.md, "Their figures", with one command.
#[test]
fn what_others_published_is_judged_by_one_command() {
    let _beside = beside();
    let Some(data) = std::env::var_os("SECCHI_PUBLISHED") else {
        skip!("SECCHI_PUBLISHED names no directory with the published files");
    };
    let sandbox = Sandbox::new();
    let judged = document(&sandbox.secchi("judge --recursive --json").arg(data).run());
    let ids: Vec<&str> = judged.findings.iter().map(|f| f.finding.id.as_str()).collect();
    for id in [
        "B01-first-touch",
        "B03-label",
        "B04-extension",
        "B05-ended-apart",
        "B19-start-wait",
        "B24-batch",
        "B24-blocks",
        "B25-starvation",
        "B31-iops-cap",
        "B31-throttle",
        "B32-not-monotonic",
        "B33-not-one-experiment",
        "B50-no-latency",
        "I05-marks",
        "V01-open-bucket",
    ] {
        assert!(ids.contains(&id), "{id} is not among {ids:?}");
    }
    assert_eq!(judged.rows.len(), 47, "every result has its row");
}

//! The rules reproduce the manual findings in published measurements (docs/design/foreign-results.md, "Their figures").

use super::*;

/// Returns the files of the directory that `SECCHI_PUBLISHED` names (docs/design/foreign-results.md, "The
/// publications").
///
/// If it is not set, reports the test as skipped and returns `None`. The tests that do not need these files are in
/// `every_rule.rs`.
fn published(dir: &str, keep: fn(&str) -> bool) -> Option<Vec<ForeignFile>> {
    let Some(root) = std::env::var_os("SECCHI_PUBLISHED") else {
        testkit::skipped("SECCHI_PUBLISHED names no directory with the published files");
        return None;
    };
    let root = Path::new(&root).join(dir);
    let entries = std::fs::read_dir(&root).unwrap_or_else(|e| panic!("SECCHI_PUBLISHED: {}: {e}", root.display()));
    let mut paths: Vec<_> = entries.flatten().map(|e| e.path()).filter(|p| p.is_file()).collect();
    paths.retain(|p| keep(p.file_name().and_then(|n| n.to_str()).unwrap_or("")));
    paths.sort();
    let read = |p: &std::path::PathBuf| import::read(&p.display().to_string(), &std::fs::read(p).unwrap()).unwrap();
    Some(paths.iter().flat_map(read).collect())
}

fn row<'a>(judgement: &'a ForeignJudgement, name: &str) -> &'a ForeignRow {
    judgement.rows.iter().find(|r| r.source.ends_with(name)).unwrap()
}

fn near(a: Option<f64>, b: f64, share: f64) {
    let a = a.unwrap();
    assert!((a / b - 1.0).abs() <= share, "{a} is not {b}");
}

#[test]
fn the_table_of_ibm_is_made_of_its_six_files() {
    let Some(files) = published("", |n| n.starts_with("ibm")) else { return };
    let j = judged(&files, &["volume iops=40000"]);
    let wanted = [
        ("4K", 40_978.0, 55.0, 0.73, 168.0, 3.8),
        ("16K", 40_990.0, 55.8, 0.77, 672.0, 15.0),
        ("32K", 40_597.0, 60.0, 0.61, 1330.0, 30.0),
        ("64K", 17_349.0, 63.5, 0.40, 1137.0, 25.0),
        ("128K", 11_693.0, 63.5, 0.46, 1533.0, 34.0),
        ("256K", 5_525.0, 61.9, 0.41, 1448.0, 32.0),
    ];
    let order: Vec<&str> = j.rows.iter().map(|r| r.source.rsplit(['-', '.']).nth(1).unwrap()).collect();
    assert_eq!(order, ["4K", "16K", "32K", "64K", "128K", "256K"], "sorted by what was run, not by name");
    for (size, iops, flight, cpu, mb, passes) in wanted {
        let r = row(&j, &format!("-{size}.txt"));
        near(r.iops, iops, 0.0001);
        near(r.in_flight, flight, 0.002);
        near(r.submit_cpu, cpu, 0.01);
        near(r.bandwidth, mb * 1e6, 0.002);
        near(r.passes, passes, 0.03);
        let binds = if iops > 40_000.0 { "IOPS limit (volume)" } else { "undecided" };
        assert_eq!(r.binds, binds, "{size}");
    }
    let findings = ids(&j);
    for id in [
        "B30-small-set",
        "B31-iops-cap",
        "B31-throttle",
        "B32-not-monotonic",
        "B33-not-one-experiment",
        "B34-impossible",
        "B35-stall",
        "B36-options",
        "B37-asymmetry",
    ] {
        assert!(findings.contains(&id), "{id} is missing of {findings:?}");
    }
    let basis = finding_text(&j, "B18-basis");
    assert!(basis.contains("reached at 4k, 16k and 32k, but only 43 % of it at 64k"), "{basis}");
    assert_eq!(finding(&j, "B16-half-told").rows.len(), 3, "those above 32 KiB may be held by a bandwidth nobody told");
    assert!(
        finding_text(&j, "B32-not-monotonic").contains("1,137 MB/s after 1,330 MB/s"),
        "{}",
        finding_text(&j, "B32-not-monotonic")
    );
    assert!(finding_text(&j, "B35-stall").contains("1.15 s"), "{}", finding_text(&j, "B35-stall"));
}

#[test]
fn the_stalls_labels_and_ends_of_the_windows_runs_are_found() {
    let Some(files) = published("fio-windows", |_| true) else { return };
    let j = judged(&files, &["instance iops=6000 mbps=93.75MB", "volume iops=6000"]);
    for volume in ["gp2", "gp3"] {
        assert_eq!(row(&j, &format!("{volume}-rndwrite-8.txt")).struck.as_deref(), Some("B01-first-touch"));
        assert_eq!(row(&j, &format!("{volume}-write-1.txt")).struck.as_deref(), Some("B04-extension"));
        let labelled = row(&j, &format!("{volume}-write-2.txt"));
        assert!(labelled.findings.iter().any(|id| id == "B03-label"), "{:?}", labelled.findings);
        assert_ne!(labelled.struck.as_deref(), Some("B03-label"), "a file's name strikes nothing");
        assert_eq!(row(&j, &format!("{volume}-rndread-8.txt")).struck, None);
    }
    let stall = finding_text(&j, "B01-first-touch");
    assert!(stall.contains("85 to 90 s of 261 s") && stall.contains("about 6,132 IOPS"), "{stall}");
    assert!(finding_text(&j, "B04-extension").contains("synchronous extension"));
    assert!(
        finding_text(&j, "B03-label").contains("gp2-write-2.txt: numjobs 1, but the file name says 2"),
        "{}",
        finding_text(&j, "B03-label")
    );
    let apart = finding_text(&j, "B05-ended-apart");
    assert!(apart.contains("gp2-read-2.txt: the two jobs ended 29 s apart"), "{apart}");
    // Both limits were set to 6,000, so they cannot be distinguished.
    assert!(finding_text(&j, "B12-tie").contains("gp3-rndread-8.txt"), "{}", finding_text(&j, "B12-tie"));
    assert_eq!(j.exit_code, 2);
}

#[test]
fn a_label_that_lies_is_found_in_its_file_alone() {
    let Some(files) = published("fio-windows", |n| n == "gp2-write-2.txt") else { return };
    assert!(finding_text(&judged(&files, &[]), "B03-label").contains("says 2"));
}

#[test]
fn mgstat_tells_of_starvation_and_of_blocks() {
    let Some(files) = published("", |n| n == "mgstat-terminal.txt") else { return };
    let j = judged(&files, &[]);
    let starved = finding_text(&j, "B25-starvation");
    for word in ["(-82 %)", "for 34 s", "2.34 GB", "8,273 blocks/s", "from 148531", "to 214972", "not sustainable"] {
        assert!(starved.contains(word), "{word}: {starved}");
    }
    assert!(finding_text(&j, "B24-batch").contains("33 of 34 samples of PhyWrs are multiples of 64"));
    assert!(j.verdict.contains("global references fall"), "{}", j.verdict);
}

#[test]
fn why_mgstat_and_perfmon_differ_is_answered_by_bytes() {
    let Some(files) = published("", |n| n == "mgstat.csv" || n == "typeperf.csv") else { return };
    let answer = finding_text(&judged(&files, &[]), "B24-blocks");
    assert!(answer.contains("they count different things") && answer.contains("+1.9 %"), "{answer}");
}

#[test]
fn ranread_is_corrected_for_its_wait() {
    let Some(files) = published("", |n| n == "ranread-sql.txt") else { return };
    let j = judged(&files, &[]);
    let corrected: Vec<f64> =
        j.rows.iter().filter(|r| r.name.starts_with('N')).filter_map(|r| r.iops).map(f64::round).collect();
    assert_eq!(corrected, [7317.0, 26_548.0, 48_254.0, 78_156.0]);
}

#[test]
fn fio_of_2015_without_latency_gets_one_by_little() {
    let Some(files) = published("", |n| n.starts_with("fio-2.2.8")) else { return };
    let j = judged(&files, &[]);
    for (name, mean) in [("randrw", 1.495e-3), ("randread", 1.148e-3), ("randwrite", 2.233e-3)] {
        let r = row(&j, &format!("{name}.txt"));
        near(r.mean, mean, 0.001);
        assert!(r.mean_by_little);
    }
    near(row(&j, "randrw.txt").reads, 0.749_92, 0.000_1);
    let text = finding_text(&j, "B50-no-latency");
    for figure in ["1.494 ms", "1.148 ms", "2.233 ms", "1.030 ms in dm-0", "2.096 ms in dm-0", "1.038 ms in sda"] {
        assert!(text.contains(figure), "{figure}: {text}");
    }
    assert!(ids(&j).contains(&"B52-one-depth"));
    assert!(ids(&j).contains(&"B54-utilisation"));
}

#[test]
fn marks_of_ioping_and_the_open_bucket_of_irisstat_are_explained() {
    let Some(files) = published("", |n| n == "ioping-1.0.txt" || n == "irisstat.txt") else { return };
    let j = judged(&files, &[]);
    assert!(finding_text(&j, "I05-marks").contains("8 and 10"), "{}", finding_text(&j, "I05-marks"));
    assert!(finding_text(&j, "V01-open-bucket").contains("99.94 %"));
}

//! Files that fio 3.33 and ioping 1.3 wrote on a virtual disk of Linux: clean files raise no alarm, and the faults of
//! the others are found.

use super::*;

#[test]
fn a_clean_run_of_fio_raises_no_alarm() {
    let j = judged(&[read("fio-randread-8k.txt", include_str!("recorded/fio-randread-8k.txt"))], &[]);
    assert_eq!(ids(&j), [""; 0], "{:#?}", j.findings);
    assert_eq!(j.rows[0].iops.map(f64::round), Some(2000.0));
    assert_eq!(j.exit_code, 0);
}

#[test]
fn a_run_without_latency_is_doubted_and_gets_a_mean_by_little() {
    let j = judged(&[read("fio-gtod-reduce.txt", include_str!("recorded/fio-gtod-reduce.txt"))], &[]);
    assert!(ids(&j).contains(&"B50-no-latency"), "{:?}", ids(&j));
    assert!(j.rows[0].mean_by_little && j.rows[0].mean.is_some());
}

#[test]
fn ioping_since_1_3_marks_by_the_mean_and_is_not_said_to_be_older() {
    let j = judged(&[read("ioping.txt", include_str!("recorded/ioping.txt"))], &[]);
    assert!(!ids(&j).contains(&"I05-marks"), "{:?}", ids(&j));
    assert!(ids(&j).contains(&"I08-rate"), "{:?}", ids(&j));
}

/// Returns iostat output that covers four runs of fio and one of ioping on a loop device that splits at 128 KiB.
fn beside(counters: &str) -> Vec<ForeignFile> {
    let text = match counters {
        "iostat.txt" => include_str!("recorded/beside/iostat.txt"),
        _ => include_str!("recorded/beside/iostat.json"),
    };
    vec![
        read("fio-one.txt", include_str!("recorded/beside/fio-one.txt")),
        read("fio-deep.txt", include_str!("recorded/beside/fio-deep.txt")),
        read("fio-large.txt", include_str!("recorded/beside/fio-large.txt")),
        read("fio-fresh.txt", include_str!("recorded/beside/fio-fresh.txt")),
        read("ioping.txt", include_str!("recorded/beside/ioping.txt")),
        read(counters, text),
    ]
}

#[test]
fn iostat_beside_fio_tells_of_layers_transfers_utilisation_and_await() {
    for counters in ["iostat.txt", "iostat.json"] {
        let j = judged(&beside(counters), &[]);
        let split = finding_text(&j, "B24-transfers");
        assert!(
            split.contains("8.00 transfers") && split.contains("128 KiB at loop0") && split.contains("1 MiB in fio"),
            "{split}"
        );
        let same = finding_text(&j, "B29-layers");
        assert_eq!(same.matches("according to loop0 (an operation took").count(), 3, "{same}");
        let fresh = finding_text(&j, "B29-differ");
        assert!(fresh.contains("fio-fresh.txt and iostat") && fresh.contains("ranges never written"), "{fresh}");
        let unwritten = finding_text(&j, "B46-not-from-device");
        assert!(unwritten.contains("fio-fresh.txt: none of the 977"), "{unwritten}");
        let wait = finding_text(&j, "B54-await");
        assert!(wait.contains("in flight at"), "{wait}");
        assert!(
            finding_text(&j, "B54-utilisation").contains("loop0 in iostat"),
            "{}",
            finding_text(&j, "B54-utilisation")
        );
        assert!(finding_text(&j, "I08-rate").contains("ioping"), "{}", finding_text(&j, "I08-rate"));
        assert_eq!(j.rows.len(), 5);
    }
}

/// Written for this test: the cycle of a daemon as mgstat and as perfmon report it.
#[test]
fn why_mgstat_and_perfmon_differ_is_answered_without_anybodys_files() {
    let files =
        [read("mgstat.txt", include_str!("made/mgstat.txt")), read("perfmon.csv", include_str!("made/perfmon.csv"))];
    let j = judged(&files, &[]);
    let answer = finding_text(&j, "B24-blocks");
    for word in ["they count different things", "blocks of 8 KiB", "1 D: moved", "blocks (10."] {
        assert!(answer.contains(word), "{word}: {answer}");
    }
    assert!(finding_text(&j, "B24-batch").contains("multiples of 64"));
    assert!(ids(&j).contains(&"B25-starvation"));
}

/// Returns one of the published outputs that the importers are tested with.
fn published(name: &str) -> Vec<ForeignFile> {
    let path = format!("{}/../import/tests/data/public/{name}", env!("CARGO_MANIFEST_DIR"));
    import::read(name, &std::fs::read(&path).unwrap()).unwrap()
}

#[test]
fn whole_outputs_of_other_generators_are_judged_without_a_strike() {
    for (name, first, rate) in [
        ("diskspd-2.0.txt", "4k randrw", Some(1189.03)),
        ("elbencho-console.txt", "1m write", Some(33_352.0)),
        ("ior-3.3.txt", "1m read", Some(2316.13)),
        ("kdiskmark-1.6.txt", "4k randread", Some(10_813.1)),
        ("vdbench-stdout.txt", "1k rd1", Some(113.0)),
        ("sysbench-1.0.txt", "prepare", None),
        ("pgbench-18.txt", "pgbench", None),
        ("mdtest-3.3.txt", "Directory creation", None),
        ("dd.txt", "1m write", None),
        ("hdparm.txt", "/dev/nvme0n1 cached reads", None),
    ] {
        let j = judged(&published(name), &["volume iops=100"]);
        assert_eq!((j.rows[0].label().as_str(), j.rows[0].iops), (first, rate), "{name}");
        assert!(j.rows.iter().all(|row| row.struck.is_none()), "{name}: {:?}", ids(&j));
        // Work that is not device operations is not compared with limits.
        assert!(j.rows.iter().all(|row| row.limit.is_none() || row.iops.is_some()), "{name}");
    }
}

#[test]
fn what_a_tool_calls_invalid_strikes_that_and_an_end_that_is_missing_all() {
    let j = judged(&published("io500-invalid.txt"), &[]);
    assert_eq!((ids(&j)[0], j.exit_code), ("E01-not-whole", 2));
    let struck: Vec<&str> = j.rows.iter().filter(|r| r.struck.is_some()).map(|r| r.name.as_str()).collect();
    assert_eq!(struck, ["find", "SCORE"]);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../import/tests/data/public/mdtest-3.3.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let j = judged(&[read("cut.txt", text.split("-- finished").next().unwrap())], &[]);
    assert!(j.rows.len() == 9 && j.rows.iter().all(|row| row.struck.is_some()), "{:?}", j.rows);
    assert!(finding_text(&j, "E01-not-whole").contains("cut short"), "{}", finding_text(&j, "E01-not-whole"));
}

/// Needs may name phases of IO500, as for secchi's own runs; the time of the phase is checked as well.
#[test]
fn phases_of_io500_are_held_against_needs_on_files() {
    let files = published("io500-isc22.txt");
    let needs: Vec<model::bounds::Need> = [
        "mdtest-easy-write: iops>=1000",
        "mdtest-easy create: iops>=1100",
        "mdtest-easy create for 300s: iops>=1",
        "mdtest-easy create: p99<=1s",
        "8k randread: iops>=1",
    ]
    .map(|n| n.parse().unwrap())
    .to_vec();
    let j = judge_foreign(&files, &ForeignRequest { needs: &needs, ..ForeignRequest::default() });
    let outcomes: Vec<_> = j.needs.iter().map(|n| n.outcome).collect();
    use model::judged::Outcome::{Fail, Pass, Undecided};
    // It created 1,031 files per second, for 31 s.
    assert_eq!(outcomes, [Pass, Fail, Undecided, Undecided, Undecided], "{:?}", j.needs);
}

/// Two sizes far apart with the same rate show a cap; a disk, on which larger reads take longer, does not.
#[test]
fn two_sizes_of_kubestr_at_one_rate_are_a_cap() {
    let output = |large: &str| {
        let job = |name: &str, kib: f64, rate: &str| {
            let bandwidth = kib * rate.parse::<f64>().unwrap();
            format!(
                "JobName: {name}\n  blocksize={kib}K filesize=2G iodepth=64 rw=randread\nread:\n  \
                 IOPS={rate} BW(KiB/s)={bandwidth:.0}\n"
            )
        };
        format!(
            "FIO version - fio-3.20\nGlobal options - ioengine=libaio verify=0 direct=1 gtod_reduce=1\n{}{}",
            job("read_iops", 4.0, "1086.6"),
            job("read_bw", 128.0, large)
        )
    };
    let caps = |large: &str| ids(&judged(&[read("a.txt", &output(large))], &[])).contains(&"B31-iops-cap");
    assert!(caps("1085.9"));
    assert!(!caps("1054.0"), "3 % less");
    assert!(!caps("910.5"), "as a disk");
}

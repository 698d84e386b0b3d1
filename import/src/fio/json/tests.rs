use super::*;
use proptest::prelude::*;

const MIX: &str = include_str!("../../../tests/data/fio-3.33-mix.json");
const BINS: &[u8] = include_bytes!("../../../tests/fio/clones-bins.json");

fn read_file(text: &str) -> ForeignFile {
    let mut files = crate::read::read("x", text.as_bytes()).unwrap();
    assert_eq!(files.len(), 1);
    files.remove(0)
}

#[test]
fn a_job_is_read_with_its_figures_exact_and_on_their_lines() {
    let file = read_file(MIX);
    assert_eq!((file.format.as_str(), file.tool.as_str(), file.began), ("fio-json", "fio-3.33", Some(1_795_302_138)));
    let test = &file.tests[0];
    let iops = test.get(Way::Read, Quantity::Iops(Statistic::Overall)).unwrap();
    assert_eq!((iops.value, iops.words.as_str()), (Some(29_466.711052), "read.iops 29466.711052"));
    assert!(MIX.lines().nth(iops.line as usize - 1).unwrap().contains("\"iops\" : 29466.711052"));
    assert_eq!(test.value(Way::Read, Quantity::Moved), Some(362_569_728.0));
    let latency = |kind, statistic| test.value(Way::Read, Quantity::Latency(kind, statistic)).unwrap();
    assert_eq!(latency(ForeignLatency::Submission, Statistic::Min), 4386e-9);
    assert_eq!(latency(ForeignLatency::Completion, Statistic::Percentile(99.99)), 7_962_624e-9);
    assert_eq!(test.asked.block, [Some((Bytes(4096), Bytes(4096))), Some((Bytes(8192), Bytes(8192)))]);
    assert_eq!((test.asked.jobs, test.asked.depth, test.asked.direct), (Some(2), Some(8), Some(true)));
    assert_eq!(file.disks[0].value(Way::Read, Quantity::Operations), Some(82_875.0));
    assert!(
        test.value(Way::All, Quantity::LatencyShare(100e-6, 250e-6)).is_some_and(|v| (v - 0.25207828).abs() < 1e-12)
    );
}

#[test]
fn bins_become_histograms_of_as_many_operations() {
    let file = crate::read::read("x", BINS).unwrap().remove(0);
    assert!(file.tests.len() > 1);
    for test in &file.tests {
        let (way, kind, histogram) = &test.histograms[0];
        assert_eq!(*kind, ForeignLatency::Completion);
        assert_eq!(Some(histogram.count() as f64), test.value(*way, Quantity::Operations));
        assert_eq!(test.asked.jobs, Some(1));
    }
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let doubled = read_file(&MIX.replacen("\"iops\" : 29466", "\"iops\" : 1.0, \"iops\" : 29466", 1));
    assert!(doubled.remarks.iter().any(|r| r.text.contains("`iops` appears twice")), "{:?}", doubled.remarks);
    let absent = read_file(&MIX.replacen("\"mean\" : 6931.739770", "\"mean\" : -nan", 1));
    let mean = Quantity::Latency(ForeignLatency::Submission, Statistic::Mean);
    let value = absent.tests[0].values.iter().find(|v| v.way == Way::Read && v.of == mean).unwrap();
    assert_eq!((value.value, value.words.as_str()), (None, "read.slat.mean -nan"));
    let cut = crate::read::read("x", &MIX.as_bytes()[..MIX.len() / 2]).unwrap_err().to_string();
    assert!(cut.contains("malformed: it was cut short at line"), "{cut}");
    let spoken = read_file(&format!("fio: pid=1, err=28\nhello\n{MIX}\nbye\n"));
    assert_eq!(spoken.remarks.iter().filter(|r| r.text.starts_with("skipped")).count(), 2);
    assert_eq!((spoken.faults[0].line, spoken.faults.len()), (1, 1));
    assert_eq!(spoken.faults[0].text, "fio reports an error: fio: pid=1, err=28");
}

#[test]
fn reports_on_the_way_give_way_to_the_last_and_other_runs_stand() {
    let later = MIX.replace("\"timestamp\" : 1795302138,", "\"timestamp\" : 1795302148,");
    assert_eq!(crate::read::read("x", format!("{MIX}{later}").as_bytes()).unwrap().len(), 2, "another run, as long");
    let grown = later.replace("\"elapsed\" : 4,", "\"elapsed\" : 14,");
    let file = read_file(&format!("{MIX}{grown}"));
    assert_eq!(file.began, Some(1_795_302_148));
    assert!(file.remarks.iter().any(|r| r.text.contains("earlier report")), "{:?}", file.remarks);
}

#[test]
fn version_2_counts_in_kibibytes_and_microseconds() {
    let text = r#"{"fio version":"fio-2.2.10","jobs":[{"jobname":"a","error":0,"read":{"io_bytes":1024,"bw":512,"iops":128.5,
        "runtime":2000,"total_ios":256,"lat":{"min":10,"max":90,"mean":40.5,"stddev":1.0}}}]}"#;
    let file = read_file(text);
    let test = &file.tests[0];
    assert_eq!(test.value(Way::Read, Quantity::Moved), Some(1_048_576.0));
    assert_eq!(test.value(Way::Read, Quantity::Bandwidth(Statistic::Overall)), Some(524_288.0));
    assert_eq!(test.value(Way::Read, Quantity::Latency(ForeignLatency::Total, Statistic::Max)), Some(90e-6));
    assert_eq!(test.asked.depth, None, "it has no options, so nothing is known of them");
}

/// fio 2.6 with one server prints only the sum of all clients, with both directions combined.
#[test]
fn the_sum_of_all_clients_stands_for_the_job_where_nothing_else_is_told() {
    let file = read_file(include_str!("../../../tests/data/public/fio-2.6-client.json"));
    assert_eq!((file.tool.as_str(), file.tests.len(), file.groups.len()), ("fio-2.6", 1, 0));
    let test = &file.tests[0];
    assert_eq!(test.name, "All clients");
    assert_eq!(test.value(Way::All, Quantity::Iops(Statistic::Overall)), Some(2252.49));
    assert_eq!(test.value(Way::All, Quantity::Bandwidth(Statistic::Overall)), Some(16_653.0 * 1024.0));
    let mean = test.get(Way::All, Quantity::Latency(ForeignLatency::Total, Statistic::Mean)).unwrap();
    assert_eq!((mean.words.as_str(), mean.line), ("mixed.lat.mean 1782.92", 28));
    assert!((mean.value.unwrap() - 1782.92e-6).abs() < 1e-12);
    let entry = |name: &str, host: &str| {
        format!(
            r#"{{"jobname":"{name}","hostname":"{host}","error":0,"read":{{"io_bytes":4096,"io_kbytes":4,"total_ios":1,"iops":1.0,"runtime":1000}}}}"#
        )
    };
    let several = format!(
        r#"{{"fio version":"fio-3.43","client_stats":[{},{},{}]}}"#,
        entry("a", "one"),
        entry("a", "two"),
        entry("All clients", "two")
    );
    let file = read_file(&several);
    let names = |list: &[ForeignTest]| list.iter().map(|t| t.name.clone()).collect::<Vec<_>>();
    assert_eq!(
        (names(&file.tests), names(&file.groups)),
        (vec!["a on one".into(), "a on two".into()], vec!["All clients".into()])
    );
}

proptest! {
    #[test]
    fn no_change_of_it_makes_it_panic(at in 0..MIX.len(), gone in 0usize..40, put in "[0-9a-z\",{}:\\[\\] \\n.-]{0,8}") {
        let text = format!("{}{put}{}", &MIX[..at], &MIX[(at + gone).min(MIX.len())..]);
        let _ = crate::read::read("x", text.as_bytes());
    }
}

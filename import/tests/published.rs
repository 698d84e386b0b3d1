//! Tests with files that other people published. They are in the directory that `SECCHI_PUBLISHED` names. Without it,
//! these tests are reported as skipped (docs/design/foreign-results.md, "The publications"). `formats.rs` and the tests
//! in each reader cover everything that can be tested without these files.

use model::Bytes;
use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, Quantity, Statistic, Way};
use std::path::{Path, PathBuf};

const IOPS: Quantity = Quantity::Iops(Statistic::Overall);
const BANDWIDTH: Quantity = Quantity::Bandwidth(Statistic::Overall);
const MEAN: Quantity = Quantity::Latency(ForeignLatency::Total, Statistic::Mean);

fn data() -> Option<PathBuf> {
    let given = std::env::var_os("SECCHI_PUBLISHED").map(PathBuf::from);
    if given.is_none() {
        testkit::skipped("SECCHI_PUBLISHED names no directory with the published files");
    }
    given
}

fn files(dir: &Path, name: &str) -> Vec<ForeignFile> {
    let path = dir.join(name);
    import::read(name, &std::fs::read(&path).unwrap()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn read_file(dir: &Path, name: &str) -> ForeignFile {
    let mut read = files(dir, name);
    assert_eq!(read.len(), 1, "{name}");
    read.remove(0)
}

fn value(test: &ForeignTest, way: Way, quantity: Quantity) -> f64 {
    test.value(way, quantity).unwrap_or_else(|| panic!("{}: no {quantity:?} of {way:?}", test.name))
}

fn near(a: f64, b: f64, by: f64) -> bool {
    (a - b).abs() <= b.abs() * by
}

#[test]
fn fio_on_windows_is_read_from_every_file() {
    let Some(dir) = data() else { return };
    let (mut read, mut unmeasured) = (0, 0);
    for entry in std::fs::read_dir(dir.join("fio-windows")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let file = read_file(&dir, &format!("fio-windows/{name}"));
        assert_eq!((file.format.as_str(), file.tests.len(), file.groups.len()), ("fio-text", 1, 1), "{name}");
        assert!(file.remarks.is_empty(), "{name}: {:?}", file.remarks);
        let test = &file.tests[0];
        let way = if name.contains("write") { Way::Write } else { Way::Read };
        let (iops, count) = (value(test, way, IOPS), value(test, way, Quantity::Operations));
        let runtime = value(test, way, Quantity::Runtime);
        let rate = test.get(way, IOPS).unwrap();
        assert!(rate.between.0 <= count / runtime + 0.1 && count / runtime - 0.1 <= rate.between.1, "{name}: {iops}");
        let moved = test.get(way, Quantity::Moved).unwrap().between;
        assert!(moved.0 <= count * 8192.0 && count * 8192.0 <= moved.1, "{name}: {moved:?}");
        assert_eq!(test.asked.block[0], Some((Bytes(8192), Bytes(8192))), "{name}");
        let absent = |quantity| test.values.iter().find(|v| v.of == quantity).unwrap().value.is_none();
        assert!(absent(Quantity::ContextSwitches), "{name}: zeros of Windows are no measurement");
        unmeasured += usize::from(absent(Quantity::CpuUser) && absent(Quantity::CpuSystem));
        read += 1;
    }
    // In four files, a fraction of a percent of the CPU time was spent in the kernel.
    assert_eq!((read, unmeasured), (24, 20));
}

#[test]
fn the_file_that_says_two_jobs_has_one() {
    let Some(dir) = data() else { return };
    for name in ["fio-windows/gp2-write-2.txt", "fio-windows/gp3-write-2.txt"] {
        let file = read_file(&dir, name);
        let asked = &file.tests[0].asked;
        assert_eq!(asked.jobs, Some(1));
        assert!(asked.others.contains(&("started".to_owned(), "1 thread".to_owned())), "{name}: {:?}", asked.others);
    }
}

#[test]
fn the_first_touch_stall_is_in_the_figures() {
    let Some(dir) = data() else { return };
    let file = read_file(&dir, "fio-windows/gp2-rndwrite-8.txt");
    let test = &file.tests[0];
    assert_eq!((value(test, Way::Write, IOPS), value(test, Way::Write, Quantity::Operations)), (4025.0, 1_048_576.0));
    let latency = |kind, statistic| value(test, Way::Write, Quantity::Latency(kind, statistic));
    assert_eq!(latency(ForeignLatency::Submission, Statistic::Max), 4.2944);
    assert_eq!(latency(ForeignLatency::Total, Statistic::Max), 76.731);
    assert_eq!(latency(ForeignLatency::Completion, Statistic::Min), 1600e-9);
    assert_eq!(value(test, Way::Write, Quantity::Iops(Statistic::Samples)), 1402.0);
    assert_eq!(value(test, Way::Write, Quantity::Runtime), 260.503);
    let laid = test.asked.others.iter().find(|(k, _)| k == "laid out").unwrap();
    assert_eq!(laid.1, "8 times 1 file / 1024MiB");
    assert_eq!(test.asked.size, Some(Bytes::from_gib(1)));
}

#[test]
fn the_six_sizes_of_the_second_seed_are_its_table() {
    let Some(dir) = data() else { return };
    // From docs/design/foreign-results.md, "Their figures": total IOPS, operations in flight out of 64, and the
    // submitting thread's share.
    for (size, total, in_flight, submit) in [
        ("4K", 40_978.0, 55.0, 0.73),
        ("16K", 40_990.0, 55.8, 0.77),
        ("32K", 40_597.0, 60.0, 0.61),
        ("64K", 17_349.0, 63.5, 0.40),
        ("128K", 11_693.0, 63.5, 0.46),
        ("256K", 5_525.0, 61.9, 0.41),
    ] {
        let file = read_file(&dir, &format!("ibm-randrw-{size}.txt"));
        let test = &file.tests[0];
        let rate = |way| value(test, way, Quantity::Operations) / value(test, way, Quantity::Runtime);
        let sum = |quantity: Quantity| {
            [Way::Read, Way::Write].map(|way| rate(way) * value(test, way, quantity)).iter().sum::<f64>()
        };
        assert!(
            near(rate(Way::Read) + rate(Way::Write), total, 2e-4),
            "{size}: {}",
            rate(Way::Read) + rate(Way::Write)
        );
        assert!(near(sum(MEAN), in_flight, 0.01), "{size}: {}", sum(MEAN));
        let slat = Quantity::Latency(ForeignLatency::Submission, Statistic::Mean);
        assert!((sum(slat) - submit).abs() < 0.006, "{size}: {}", sum(slat));
        assert_eq!((test.asked.depth, test.asked.direct), (Some(64), Some(true)), "{size}");
        assert_eq!((test.asked.size, test.asked.seconds), (Some(Bytes::from_gib(5)), Some(120.0)), "{size}");
        assert!(test.asked.others.contains(&("rwmixread".to_owned(), "50".to_owned())));
        assert!(test.values.iter().any(|v| v.of == Quantity::CpuUser && v.value.is_some()));
        assert!(test.values.iter().any(|v| v.of == Quantity::ContextSwitches && v.value.is_none()));
    }
}

#[test]
fn the_old_fio_has_its_latency_in_the_devices_counts() {
    let Some(dir) = data() else { return };
    let file = read_file(&dir, "fio-2.2.8-randrw.txt");
    assert_eq!((file.tool.as_str(), file.remarks.len()), ("fio-2.2.8", 0), "{:?}", file.remarks);
    let test = &file.tests[0];
    let (reads, writes) = (value(test, Way::Read, Quantity::Operations), value(test, Way::Write, Quantity::Operations));
    assert_eq!((reads, writes), (786_347.0, 262_229.0));
    assert!(near(reads / (reads + writes), 0.749_92, 1e-5));
    let bandwidth = test.get(Way::Read, BANDWIDTH).unwrap();
    let exact = 786_347.0 * 4096.0 / 24.485;
    assert!(bandwidth.between.0 <= exact && exact <= bandwidth.between.1, "{bandwidth:?} of {exact}");
    let device = |name: &str, way| {
        let file = read_file(&dir, name);
        let disk = file.disks.iter().find(|d| d.name == "dm-0").unwrap().clone();
        value(&disk, way, Quantity::DeviceTime) / value(&disk, way, Quantity::Operations)
    };
    assert!(near(device("fio-2.2.8-randread.txt", Way::Read), 1.030e-3, 1e-3));
    assert!(near(device("fio-2.2.8-randwrite.txt", Way::Write), 2.096e-3, 1e-3));
}

#[test]
fn ioping_of_the_seed_is_its_ten_times() {
    let Some(dir) = data() else { return };
    let file = read_file(&dir, "ioping-1.0.txt");
    assert!(file.remarks.is_empty(), "{:?}", file.remarks);
    let times: Vec<f64> = file.series("request").unwrap().points.iter().map(|p| p.value).collect();
    assert_eq!(times.len(), 10);
    let mean = times[1..].iter().sum::<f64>() / 9.0;
    let printed = file.tests[0].get(Way::Read, MEAN).unwrap();
    assert!(printed.between.0 <= mean + 1e-10 && mean - 1e-10 <= printed.between.1, "{mean}: {printed:?}");
    let fast: Vec<f64> = file.series("fast").unwrap().points.iter().map(|p| p.at).collect();
    assert_eq!(fast, [8.0, 10.0]);
    assert_eq!(file.tests[0].value(Way::Read, Quantity::Operations), Some(9.0));
}

#[test]
fn mgstat_tells_of_the_daemon_and_of_those_who_wait() {
    let Some(dir) = data() else { return };
    let file = read_file(&dir, "mgstat-terminal.txt");
    let points = |name: &str| file.series(name).unwrap().points.clone();
    let phase = points("WDphase");
    let writes: Vec<f64> =
        points("PhyWrs").iter().zip(&phase).filter(|(_, p)| p.value == 8.0).map(|(w, _)| w.value).collect();
    let blocks: f64 = writes.iter().sum();
    // From docs/design/foreign-results.md, "Their figures": 2.34 GB in 34 s, and 33 of 34 samples that are multiples
    // of 64 blocks.
    assert_eq!(writes.len(), 34);
    assert!(near(blocks * 8192.0, 2.34e9, 0.01), "{}", blocks * 8192.0);
    assert_eq!(writes.iter().filter(|w| *w % 64.0 == 0.0).count(), 33);
    let queue = points("WDQsz");
    assert_eq!((queue[0].value, queue[0].line), (148_531.0, 3));
    assert!(file.remarks.iter().any(|r| r.text.contains("month/day")), "04/07/2022 is a guess");

    let file = read_file(&dir, "mgstat.csv");
    assert_eq!(file.began, read_file(&dir, "typeperf.csv").began.map(|b| b - 16));
    assert!(file.remarks.is_empty(), "{:?}", file.remarks);
    assert!(file.series.iter().all(|s| s.period == Some(1.0)));
}

#[test]
fn the_daemons_writes_lie_in_the_open_bucket() {
    let Some(dir) = data() else { return };
    let file = read_file(&dir, "irisstat.txt");
    let test = &file.tests[0];
    let total: f64 = test.values.iter().filter_map(|v| v.value).sum();
    let open = value(test, Way::Write, Quantity::OfBlocks(16, true));
    assert_eq!((total, open, test.values.len()), (156_000.0, 155_908.0, 16));
    assert!(near(open / total, 0.9994, 1e-4));
}

#[test]
fn counters_of_windows_lie_on_their_own_times() {
    let Some(dir) = data() else { return };
    let file = read_file(&dir, "typeperf.csv");
    let writes = &file.series[1];
    assert_eq!((writes.instance.as_deref(), writes.points.len()), (Some("4 H:"), file.series[0].points.len()));
    assert_eq!(writes.of, Some((Way::Write, Quantity::Bandwidth(Statistic::Mean))));
    assert_eq!((writes.points[0].value, writes.points[0].line), (216_069_186.046_176_43, 3));
    assert!(near(writes.points[0].at, 1.185, 1e-6), "the first row is blank: {}", writes.points[0].at);
}

#[test]
fn the_listings_of_ran_read_are_three() {
    let Some(dir) = data() else { return };
    let read = files(&dir, "ranread-sql.txt");
    let rows: Vec<usize> = read.iter().map(|f| f.tests.len()).collect();
    assert_eq!(rows[..2], [4, 4]);
    assert_eq!(read.len(), 3);
    assert!(read.iter().all(|f| f.remarks.is_empty()));
    let first = &read[0].tests[0];
    assert_eq!((first.asked.jobs, first.asked.count), (Some(4), Some(30_000)));
    assert_eq!(value(first, Way::Read, IOPS), 6011.0);
    let response = first.get(Way::Read, MEAN).unwrap();
    assert!(near(response.between.0, 0.665e-3, 1e-9) && near(response.between.1, 0.675e-3, 1e-9), "{response:?}");
    // Day 66203 of $HOROLOG is 2022-04-04.
    assert_eq!(read[0].began, Some((66_203 - 47_117) * 86_400 + 45_046));
    let last = &read[2].tests[0];
    assert_eq!((value(last, Way::Read, IOPS), value(last, Way::Read, MEAN)), (5882.0, 0.17e-3));
}

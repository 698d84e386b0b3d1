use super::*;
use model::foreign::{ForeignLatency, Quantity, Statistic};
use proptest::prelude::*;

const IOPS: Quantity = Quantity::Iops(Statistic::Overall);

const MODERN: &str = "fio: this is a message of fio's\r\n\
a: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 8192B-8192B, (T) 4096B-4096B, ioengine=libaio, iodepth=4\r\n...\r\nfio-3.36\r\n\
Starting 2 processes\r\na: Laying out IO file (1 file / 64MiB)\r\na: Laying out IO file (1 file / 64MiB)\r\n\
Jobs: 1 (f=1): [m(1)][100.0%][eta 00m:01s]\rJobs: 1 (f=1): [m(1)][100.0%][eta 00m:00s]\r\n\
a: (groupid=0, jobs=2): err= 5 (file:io_u.c:1889, func=io_u error, error=Input/output error): pid=7: Fri Apr  8 13:13:06 2022\r\n\
  read: IOPS=20.5k, BW=80.1MiB/s (84.0MB/s)(9608MiB/120002msec)\r\n\
    slat (nsec): min=1600, max=354877k, avg=14.37, stdev=11.85\r\n\
    clat percentiles (usec):\r\n     |  1.00th=[  562], 99.99th=[11994]\r\n\
   bw (  KiB/s): min=68673, max=95090, per=100.00%, avg=82075.05, stdev=1655.15, samples=238\r\n\
   iops        : min=17168, max=23772, avg=20518.49, stdev=413.79, samples=238\r\n\
  write: IOPS=3188, BW=24.9MiB/s (26.1MB/s)(2048MiB/82215msec); 0 zone resets\r\n\
  lat (usec)   : 50=0.01%, 250=4.47%, 1000=22.29%\r\n  lat (msec)   : 2=67.61%, >=2000=0.02%\r\n\
  cpu          : usr=7.50%, sys=62.50%, ctx=0, majf=0, minf=0\r\n\
  IO depths    : 1=0.1%, 32=81.4%, >=64=12.6%\r\n     submit    : 0=0.0%, 4=100.0%\r\n\
     issued rwts: total=2459575,2457919,0,0 short=0,3,0,0 dropped=0,0,0,0\r\n\
     errors    : total=12, first_error=5/<Input/output error>\r\n\
     latency   : target=0, window=0, percentile=100.00%, depth=4\r\n\
\r\nRun status group 0 (all jobs):\r\n\
   READ: bw=80.1MiB/s (84.0MB/s), 37.0MiB/s-43.1MiB/s (38.8MB/s-45.2MB/s), io=9608MiB (10.1GB), run=100002-120002msec\r\n\
\r\nDisk stats (read/write):\r\n  vda: ios=786347/262229, sectors=8/16, merge=1/2, ticks=1163953/287616, in_queue=1451392, util=99.59%\r\n";

const OLD: &str = "test: (g=0): rw=read, bs=4K-4K/4K-4K, ioengine=sync, iodepth=1\nfio 1.59\nStarting 1 process\n\
test: (groupid=0, jobs=1): err= 0: pid=2\n\
  read : io=1,024MB, bw=22,305KB/s, iops=5,576 , runt= 47010msec\n\
    clat (usec): min=91 , max=8120 , avg=177.22, stdev=103.99\n\
    bw (KB/s) : min=13112, max=25384, per=100.10%, avg=22327.23, stdev=1900.84\n\
  lat (usec): 100=0.21%, 250=95.02%\n\
  cpu          : usr=1.79%, sys=6.40%, ctx=262271, majf=0, minf=28\n\
     issued r/w: total=262144/0, short=0/0\n\
\nRun status group 0 (all jobs):\n\
   READ: io=1,024MB, aggrb=22,305KB/s, minb=22,840KB/s, maxb=22,840KB/s, mint=47010msec, maxt=47010msec\n";

fn read_file(text: &str) -> ForeignFile {
    let mut files = crate::read::read("x", text.as_bytes()).unwrap();
    assert_eq!(files.len(), 1);
    files.remove(0)
}

fn value(test: &ForeignTest, way: Way, quantity: Quantity) -> f64 {
    test.value(way, quantity).unwrap_or_else(|| panic!("no {quantity:?} of {way:?}"))
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= b.abs() * 1e-9
}

#[test]
fn wrapped_lines_and_the_dots_of_equal_jobs_are_read() {
    let text = "job: (g=0): rw=write, bs=(R) 128KiB-128KiB, (W) 128KiB-128KiB, (T) 128KiB-128KiB, ioengine=libaio, iodepth=64 ...\n\
        fio-3.19\njob: (groupid=0, jobs=48): err= 0: pid=6164: Wed Mar  6 17:58:33 2024\n\
        \x20   write: IOPS=1884, BW=236MiB/s (247MB/s)(138GiB/600319msec); 0 zone resets\n\
        \x20    iops        : min=  322, max= 3996, avg=1843.17, stdev=10.39,\nsamples=57259\n\
        \x20   lat (msec)   : 500=0.06%, 750=0.14%, 2000=90.41%,\n  >=2000=8.42%\n\
        \x20    issued rwts: total=0,1131018,0,1127994 short=0,0,0,0 dropped=0,0,0,0\n";
    let file = crate::read::read("x", text.as_bytes()).unwrap().remove(0);
    let test = &file.tests[0];
    assert_eq!((test.asked.depth, test.asked.jobs), (Some(64), Some(48)));
    assert_eq!(test.value(Way::Write, Quantity::Iops(Statistic::Samples)), Some(57_259.0));
    let slow = |v: &&model::foreign::ForeignValue| matches!(v.of, Quantity::LatencyShare(lower, _) if lower >= 2.0);
    assert!(test.values.iter().any(|v| slow(&v)), "{:?}", test.values);
    assert_eq!(file.remarks.len(), 0, "{:?}", file.remarks);
}

#[test]
fn rounded_rates_keep_what_they_may_have_been() {
    let file = read_file(MODERN);
    let test = &file.tests[0];
    let read = test.get(Way::Read, IOPS).unwrap();
    assert!(near(read.between.0, 20_450.0) && near(read.between.1, 20_550.0), "{read:?}");
    assert_eq!((read.words.as_str(), read.line), ("IOPS=20.5k", 10));
    assert_eq!(test.get(Way::Write, IOPS).unwrap().between, (3188.0, 3189.0));
    // Both units narrow the interval. 24.9 MiB/s is 26,057,114 to 26,161,971 B/s. 26.1 MB/s ends at 26,150,000 B/s or
    // below 26,200,000 B/s.
    let bandwidth = test.get(Way::Write, Quantity::Bandwidth(Statistic::Overall)).unwrap();
    assert!(bandwidth.between.0 > 26.05e6 && bandwidth.between.1 <= 26.2e6, "{bandwidth:?}");
    assert!(near(value(test, Way::Read, Quantity::Moved), 9608.0 * 1_048_576.0));
    assert!(near(value(test, Way::Write, Quantity::Runtime), 82.215));
}

#[test]
fn every_line_of_a_job_is_read_in_base_units() {
    let file = read_file(MODERN);
    let test = &file.tests[0];
    let latency = |kind, statistic| value(test, Way::Read, Quantity::Latency(kind, statistic));
    assert!(near(latency(ForeignLatency::Submission, Statistic::Max), 0.354877));
    assert!(near(latency(ForeignLatency::Completion, Statistic::Percentile(99.99)), 11_994e-6));
    assert!(near(value(test, Way::Read, Quantity::Bandwidth(Statistic::Min)), 68_673.0 * 1024.0));
    assert_eq!(value(test, Way::Read, Quantity::Iops(Statistic::Samples)), 238.0);
    assert!(near(value(test, Way::All, Quantity::LatencyShare(1e-3, 2e-3)), 0.6761));
    let least = test.values.iter().find(|v| v.words == "50=0.01%").unwrap();
    assert_eq!((least.of, least.between.0), (Quantity::LatencyShare(20e-6, 50e-6), 0.0));
    assert!(test.values.iter().any(|v| v.of == Quantity::LatencyShare(2.0, f64::INFINITY)));
    assert!(near(value(test, Way::All, Quantity::DepthShare(64)), 0.126));
    assert_eq!(value(test, Way::Write, Quantity::Operations), 2_457_919.0);
    assert_eq!(value(test, Way::All, Quantity::Errors), 5.0);
    let remarks: Vec<&str> = file.remarks.iter().map(|r| r.text.as_str()).collect();
    let fault = &file.faults[0];
    assert_eq!(fault.line, test.line);
    assert_eq!(fault.text, "job a ended with error 5 (file:io_u.c:1889, func=io_u error, error=Input/output error)");
    assert!(remarks.contains(&"3 operations transferred fewer bytes than requested"), "{remarks:?}");
    assert!(remarks.contains(&"skipped: fio: this is a message of fio's"), "{remarks:?}");
}

#[test]
fn what_was_asked_stands_before_the_job() {
    let asked = &read_file(MODERN).tests[0].asked;
    assert_eq!((asked.rw.as_deref(), asked.depth, asked.jobs), (Some("randrw"), Some(4), Some(2)));
    assert_eq!(asked.block, [Some((Bytes(4096), Bytes(4096))), Some((Bytes(8192), Bytes(8192)))]);
    assert_eq!(asked.size, Some(Bytes::from_mib(64)));
    let others: Vec<(&str, &str)> = asked.others.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert!(others.contains(&("laid out", "2 times 1 file / 64MiB")), "{others:?}");
    assert!(others.contains(&("started", "2 processes")), "{others:?}");
}

#[test]
fn what_was_not_measured_is_no_zero() {
    let file = read_file(MODERN);
    let value_of = |file: &ForeignFile, quantity| file.tests[0].values.iter().find(|v| v.of == quantity).unwrap().value;
    assert_eq!(value_of(&file, Quantity::ContextSwitches), None);
    assert!(value_of(&file, Quantity::CpuUser).is_some());
    let windows = read_file(&MODERN.replace("usr=7.50%, sys=62.50%", "usr=0.00%, sys=0.00%"));
    assert_eq!((value_of(&windows, Quantity::CpuUser), value_of(&windows, Quantity::CpuSystem)), (None, None));
}

#[test]
fn groups_and_devices_stand_apart() {
    let file = read_file(MODERN);
    let group = &file.groups[0];
    assert_eq!(value(group, Way::Read, Quantity::ShortestRuntime), 100.002);
    assert_eq!(value(group, Way::Read, Quantity::Runtime), 120.002);
    assert!(near(value(group, Way::Read, Quantity::Bandwidth(Statistic::Min)), 37.0 * 1_048_576.0));
    let disk = &file.disks[0];
    assert_eq!((disk.name.as_str(), disk.line), ("vda", 30));
    assert!(near(value(disk, Way::Write, Quantity::DeviceTime), 287.616));
    assert!(near(value(disk, Way::All, Quantity::Utilisation), 0.9959));
    assert_eq!(value(disk, Way::Write, Quantity::Moved), 16.0 * 512.0);
}

#[test]
fn version_1_writes_kib_as_kb_and_thousands_with_commas() {
    let file = read_file(OLD);
    assert_eq!(file.tool, "fio-1.59");
    let test = &file.tests[0];
    assert_eq!(value(test, Way::Read, IOPS), 5576.0);
    assert_eq!(value(test, Way::Read, Quantity::Bandwidth(Statistic::Overall)), 22_305.0 * 1024.0);
    assert_eq!(value(test, Way::Read, Quantity::Operations), 262_144.0);
    assert!(near(value(test, Way::Read, Quantity::Latency(ForeignLatency::Completion, Statistic::Mean)), 177.22e-6));
    assert!(near(value(test, Way::All, Quantity::LatencyShare(50e-6, 100e-6)), 0.0021));
    assert_eq!(value(&file.groups[0], Way::Read, Quantity::Runtime), 47.01);
    let unknown = read_file(&OLD.replace("fio 1.59\n", ""));
    let doubt = unknown.tests[0].get(Way::Read, Quantity::Bandwidth(Statistic::Overall)).unwrap().doubt.clone();
    assert!(doubt.unwrap().contains("unit guessed"));
}

#[test]
fn between_2_16_and_2_17_the_units_changed_and_rates_have_suffixes() {
    let text = "j: (g=0): rw=randrw, bs=512-64K/512-64K/512-64K, ioengine=libaio, iodepth=64\n...\nfio-2.16-5-g915ca\nStarting 4 processes\n\
        j: (groupid=0, jobs=4): err= 0: pid=7: Fri Jul  7 17:27:45 2017\n  Description  : [like a server]\n\
        read : io=136315MB, bw=13630MB/s, iops=1581.3K, runt= 10001msec\n";
    let file = read_file(text);
    let test = &file.tests[0];
    assert_eq!(test.asked.block[1], Some((Bytes(512), Bytes(65_536))));
    assert!(test.asked.others.contains(&("description".to_owned(), "like a server".to_owned())));
    assert_eq!(value(test, Way::Read, IOPS), 1_581_300.0);
    assert_eq!(value(test, Way::Read, Quantity::Bandwidth(Statistic::Overall)), 13_630.0 * 1_048_576.0);
    assert_eq!(file.remarks, []);
    let newer = read_file(&text.replace("fio-2.16-5-g915ca", "fio-2.17-45-g06cb"));
    assert_eq!(value(&newer.tests[0], Way::Read, Quantity::Bandwidth(Statistic::Overall)), 13_630e6);
}

#[test]
fn runs_behind_each_other_are_documents_and_repeated_reports_are_one() {
    assert_eq!(crate::read::read("x", format!("{MODERN}{OLD}").as_bytes()).unwrap().len(), 2);
    let report = &MODERN[MODERN.find("a: (groupid").unwrap()..];
    let file = read_file(&format!("{MODERN}{report}"));
    assert_eq!((file.tests.len(), file.groups.len(), file.disks.len()), (1, 1, 1));
    assert!(file.remarks.iter().any(|r| r.text.contains("the last report is used")));
}

#[test]
fn a_command_above_the_output_tells_what_fio_does_not() {
    let file = read_file(&format!("D:\\>fio.exe \u{2013}direct=1 --size=5GB --runtime 120 --thread\n{OLD}"));
    let asked = &file.tests[0].asked;
    assert_eq!((asked.direct, asked.size, asked.seconds), (Some(true), Some(Bytes::from_gib(5)), Some(120.0)));
    assert!(file.remarks.iter().any(|r| r.text.contains("typographic")), "{:?}", file.remarks);
}

/// Output of fio's client mode from a laboratory with GlusterFS: one server, two jobs.
const CLIENT: &str = include_str!("../../../tests/data/public/fio-client.txt");
/// Output of fio's client mode that contains only the sum of six servers.
const ALL: &str = include_str!("../../../tests/data/public/fio-all-clients.txt");

#[test]
fn jobs_of_a_server_have_the_options_that_its_lines_tell() {
    let file = read_file(CLIENT);
    assert_eq!((file.tool.as_str(), file.tests.len(), file.groups.len()), ("fio-3.25", 2, 1));
    let asked = |i: usize| (file.tests[i].name.as_str(), file.tests[i].asked.rw.as_deref(), file.tests[i].asked.depth);
    assert_eq!(asked(0), ("job1", Some("write"), Some(16)));
    assert_eq!(asked(1), ("job2", Some("read"), Some(16)));
    assert!(file.tests[0].asked.others.contains(&("started".to_owned(), "2 processes".to_owned())));
    assert_eq!(value(&file.tests[1], Way::Read, IOPS), 1387.0);
    assert_eq!(file.remarks, []);
}

#[test]
fn the_sum_of_all_clients_is_a_group_beside_them_and_a_job_without_them() {
    let file = read_file(ALL);
    assert_eq!((file.tests.len(), file.groups.len(), file.tests[0].name.as_str()), (1, 0, "All clients"));
    let sum = &file.tests[0];
    assert_eq!((sum.asked.jobs, value(sum, Way::Read, IOPS)), (Some(6), 433_000.0));
    let rate = sum.get(Way::Read, Quantity::Bandwidth(Statistic::Overall)).unwrap();
    assert!(near(rate.value.unwrap(), 1692.0 * 1_048_576.0) && rate.doubt.is_none(), "{rate:?}");
    assert!(near(value(sum, Way::Read, Quantity::Runtime), 120.095));
    assert_eq!(value(sum, Way::Read, Quantity::Operations), 52_005_355.0);
    let both = read_file(&format!("{CLIENT}{ALL}"));
    let names: Vec<&str> = both.tests.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["job1", "job2"]);
    assert!(both.groups.iter().any(|g| g.name == "All clients"));
}

#[test]
fn jobs_that_are_reported_together_are_not_what_the_first_of_them_was_told() {
    let reader =
        "b: (g=0): rw=randread, bs=(R) 8192B-8192B, (W) 8192B-8192B, (T) 8192B-8192B, ioengine=libaio, iodepth=4\r\n";
    let file = read_file(&MODERN.replace("...\r\nfio-3.36", &format!("{reader}fio-3.36")));
    let asked = &file.tests[0].asked;
    assert_eq!((asked.rw.as_deref(), asked.block, asked.depth), (None, [None; 2], Some(4)));
    assert_eq!(asked.engine.as_deref(), Some("libaio"));
}

#[test]
fn the_depth_is_in_the_last_line_of_a_job_if_its_header_is_missing() {
    let whole = &MODERN.replace("depth=4\r\n\r\n", "depth=16\r\n\r\n");
    let report = &whole[whole.find("a: (groupid").unwrap()..];
    assert_eq!(read_file(report).tests[0].asked.depth, Some(16));
    assert_eq!(read_file(whole).tests[0].asked.depth, Some(4), "the header counts before it");
    // A depth that resulted from a latency target was not requested.
    let target = report.replace("target=0,", "target=5.00ms,");
    assert_eq!(read_file(&target).tests[0].asked.depth, None);
}

#[test]
fn a_target_of_no_latency_is_no_remark() {
    for target in ["target=0", "target=0.00ns", "target=0nsec"] {
        let file = read_file(&MODERN.replace("latency   : target=0", &format!("latency   : {target}")));
        assert!(!file.remarks.iter().any(|r| r.text.starts_with("latency")), "{target}: {:?}", file.remarks);
    }
    let file = read_file(&MODERN.replace("latency   : target=0", "latency   : target=5.00ms"));
    assert!(file.remarks.iter().any(|r| r.text.starts_with("latency: target=5.00ms")), "{:?}", file.remarks);
}

#[test]
fn errors_are_told_by_their_own_lines_and_a_run_without_results_by_them() {
    let line = "fio: io_u error on file /dev/nvme0n1: Input/output error: read offset=4096, buflen=4096";
    let file = read_file(&format!("{line}\n{MODERN}"));
    let remarks: Vec<&str> = file.remarks.iter().filter(|r| r.line == 1).map(|r| r.text.as_str()).collect();
    assert_eq!(remarks, [format!("fio reports an error: {line}")]);
    let head = "a: (g=0): rw=read, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=1\nfio-3.33\n";
    let error = |text: &str| crate::read::read("x", text.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        error(&format!(
            "{head}Starting 1 process\nfio: pid=7, err=2/file:filesetup.c:805, func=open, error=No such file\n"
        )),
        "it is fio's output, but ends before the first result: fio: pid=7, err=2/file:filesetup.c:805, func=open, \
         error=No such file"
    );
    assert_eq!(error(head), "it is fio's output, but ends before the first result");
}

proptest! {
    #[test]
    fn no_change_of_it_makes_it_panic(at in 0..MODERN.len(), gone in 0usize..40, put in "[0-9a-z=%(),/:| \\n.-]{0,12}") {
        let text = format!("{}{put}{}", &MODERN[..at], &MODERN[(at + gone).min(MODERN.len())..]);
        let _ = crate::read::read("x", text.as_bytes());
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = crate::read::read("x", &bytes);
    }
}

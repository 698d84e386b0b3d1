//! For each rule, a case in which it fires, derived from a clean case by a single change; and the clean cases, in which
//! no rule fires.

use super::*;
use std::fmt::Write as _;

/// Output of fio, by default of a clean run.
#[derive(Debug, Clone)]
pub(in crate::foreign) struct Fio {
    pub name: &'static str,
    pub command: &'static str,
    pub rw: &'static str,
    pub bs: u64,
    pub engine: &'static str,
    pub depth: u64,
    pub jobs: u64,
    pub laid_out: u64,
    pub when: &'static str,
    /// Minimum, maximum and mean in microseconds.
    pub slat: (f64, f64, f64),
    pub clat: (f64, f64, f64),
    pub lat: (f64, f64, f64),
    /// Percentiles 95, 99, 99.9 and 99.99, in microseconds.
    pub tail: [u64; 4],
    pub latencies: bool,
    pub sampled: f64,
    pub lowest: f64,
    pub samples: u64,
    pub ops: u64,
    pub ms: u64,
    pub cpu: &'static str,
    pub more: String,
}

impl Default for Fio {
    fn default() -> Self {
        Fio {
            name: "job.txt",
            command: "",
            rw: "randread",
            bs: 8192,
            engine: "libaio",
            depth: 4,
            jobs: 1,
            laid_out: 0,
            when: "Fri Apr  8 13:31:26 2022",
            slat: (3.0, 200.0, 8.0),
            clat: (150.0, 9000.0, 790.0),
            lat: (160.0, 9010.0, 798.0),
            tail: [1200, 1800, 3000, 7000],
            latencies: true,
            sampled: 5002.0,
            lowest: 4600.0,
            samples: 240,
            ops: 600_000,
            ms: 120_000,
            cpu: "usr=4.10%, sys=11.20%, ctx=600321, majf=0, minf=12",
            more: String::new(),
        }
    }
}

impl Fio {
    /// Returns a run that touches its file for the first time: one operation takes a third of the time.
    pub(in crate::foreign) fn stalled() -> Fio {
        Fio {
            rw: "randwrite",
            depth: 1,
            jobs: 4,
            ms: 180_000,
            sampled: 4900.0,
            samples: 960,
            slat: (5.0, 4_200_000.0, 40.0),
            lat: (160.0, 59_000_000.0, 1190.0),
            ..Fio::default()
        }
    }

    pub(in crate::foreign) fn file(&self) -> ForeignFile {
        read(self.name, &self.text())
    }

    pub(in crate::foreign) fn text(&self) -> String {
        let (rw, bs, way) = (self.rw, self.bs, if self.rw.ends_with("write") { "write" } else { "read" });
        let mut t = String::new();
        if !self.command.is_empty() {
            writeln!(t, "$ fio {}", self.command).unwrap();
        }
        let head = format!("rw={rw}, bs=(R) {bs}B-{bs}B, (W) {bs}B-{bs}B, (T) {bs}B-{bs}B");
        writeln!(t, "job: (g=0): {head}, ioengine={}, iodepth={}", self.engine, self.depth).unwrap();
        writeln!(t, "fio-3.33\nStarting {} processes", self.jobs).unwrap();
        for _ in 0..self.laid_out {
            writeln!(t, "job: Laying out IO file (1 file / 4096MiB)").unwrap();
        }
        writeln!(t, "\njob: (groupid=0, jobs={}): err= 0: pid=77: {}", self.jobs, self.when).unwrap();
        let rate = self.ops as f64 * 1000.0 / self.ms as f64;
        let bytes = self.ops * self.bs;
        let mib = |b: f64| b / 1_048_576.0;
        writeln!(
            t,
            "  {way}: IOPS={rate:.0}, BW={:.1}MiB/s ({:.1}MB/s)({:.0}MiB/{}msec)",
            mib(rate * self.bs as f64),
            rate * self.bs as f64 / 1e6,
            mib(bytes as f64),
            self.ms
        )
        .unwrap();
        if self.latencies {
            for (word, (min, max, avg)) in [("slat", self.slat), ("clat", self.clat), (" lat", self.lat)] {
                writeln!(t, "    {word} (usec): min={min}, max={max}, avg={avg:.2}, stdev= 1.00").unwrap();
            }
            let [a, b, c, d] = self.tail;
            writeln!(
                t,
                "    clat percentiles (usec):\n     | 95.00th=[{a}], 99.00th=[{b}], 99.90th=[{c}], 99.99th=[{d}]"
            )
            .unwrap();
        }
        let (low, mean, n) = (self.lowest, self.sampled, self.samples);
        writeln!(t, "   iops        : min={low:5}, max= 9000, avg={mean:.2}, stdev=10.00, samples={n}").unwrap();
        writeln!(t, "  cpu          : {}", self.cpu).unwrap();
        let issued = if way == "read" { format!("{},0,0,0", self.ops) } else { format!("0,{},0,0", self.ops) };
        writeln!(t, "     issued rwts: total={issued} short=0,0,0,0 dropped=0,0,0,0").unwrap();
        t.push_str(&self.more);
        t
    }

    pub(in crate::foreign) fn disk(util: &str) -> String {
        format!(
            "\nDisk stats (read/write):\n  vda: ios=600000/0, merge=0/0, ticks=400000/0, in_queue=400000, util={util}%\n"
        )
    }
}

/// Returns results with blocks of 4k to 64k at these rates, two minutes each.
fn sizes(rates: &[f64]) -> Vec<ForeignFile> {
    const NAMES: [&str; 5] = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"];
    let one = |(i, rate): (usize, &f64)| {
        let mean = 4.0 / rate * 1e6;
        let fio = Fio {
            name: NAMES[i],
            bs: 4096 << i,
            ops: (rate * 120.0) as u64,
            sampled: *rate,
            lowest: rate * 0.9,
            lat: (160.0, 10.0 * mean + 10.0, mean),
            clat: (150.0, 10.0 * mean, mean - 8.0),
            tail: [1.5, 2.2, 4.0, 8.0].map(|times| (times * mean) as u64),
            ..Fio::default()
        };
        fio.file()
    };
    rates.iter().enumerate().map(one).collect()
}

/// Returns a random mix in which writes take `ratio` times as long as reads.
fn mix(name: &'static str, bs: u64, ratio: f64) -> ForeignFile {
    let mut file = Fio { name, bs, rw: "randrw", ..Fio::default() }.file();
    let test = &mut file.tests[0];
    let writes: Vec<ForeignValue> = test
        .values
        .iter()
        .filter(|v| v.way == Way::Read)
        .map(|v| {
            let mut write_value = ForeignValue { way: Way::Write, ..v.clone() };
            if matches!(v.of, Quantity::Latency(..)) {
                write_value.value = v.value.map(|x| x * ratio);
                write_value.between = (v.between.0 * ratio, v.between.1 * ratio);
            }
            write_value
        })
        .collect();
    test.asked.depth = Some(16);
    test.values.extend(writes);
    file
}

fn series(name: &str, instance: Option<&str>, of: Option<(Way, Quantity)>, values: &[f64]) -> ForeignSeries {
    ForeignSeries {
        name: name.into(),
        instance: instance.map(Into::into),
        of,
        unit: "1/s".into(),
        period: Some(1.0),
        points: values
            .iter()
            .enumerate()
            .map(|(i, v)| ForeignPoint { at: (i + 1) as f64, value: *v, line: i as u32 + 2 })
            .collect(),
    }
}

fn file(format: &str, series: Vec<ForeignSeries>) -> ForeignFile {
    ForeignFile {
        source: format!("{format}.csv"),
        format: format.into(),
        began: Some(1_000_000),
        series,
        ..ForeignFile::default()
    }
}

/// Returns the counters of two devices that write these bytes per second at the same time.
fn devices(a: &[f64], b: &[f64]) -> ForeignFile {
    let quantity = Some((Way::Write, Quantity::Bandwidth(Statistic::Overall)));
    file("perfmon", vec![series("a", Some("4 H:"), quantity, a), series("b", Some("5 I:"), quantity, b)])
}

fn mgstat(glorefs: &[f64], writes: &[f64], queue: &[f64]) -> ForeignFile {
    file(
        "mgstat",
        vec![
            series("Glorefs", None, None, glorefs),
            series("PhyWrs", None, None, writes),
            series("WDQsz", None, None, queue),
        ],
    )
}

fn perftools(rows: &str) -> ForeignFile {
    read("history.txt", rows)
}

/// Returns mgstat counters with the write daemon active for a while during a load.
fn starved() -> ForeignFile {
    let mut glorefs = vec![6000.0; 4];
    glorefs.extend([1000.0; 10]);
    glorefs.extend([6000.0; 4]);
    let mut writes = vec![0.0; 4];
    writes.extend([8192.0, 8128.0, 8256.0, 8192.0, 8064.0, 8192.0, 8320.0, 8192.0, 8128.0, 3001.0]);
    writes.extend([0.0; 4]);
    let queue: Vec<f64> = (0..18).map(|i| f64::from(i) * 1000.0).collect();
    mgstat(&glorefs, &writes, &queue)
}

const EXPORT: &str = "RunDate,RunTime,Database,Iterations,Processes,ResponseTime,IOPS,\r\n";

/// A copy that ran out of space.
const FULL: &str = "dd if=/dev/zero of=/x bs=1M\ndd: error writing '/x': No space left on device\n3+0 records in\n2+0 records out\n\
    2097152 bytes (2.1 MB, 2.0 MiB) copied, 0.1 s, 21 MB/s\n";

/// Syncs that only reach the cache of the drive, next to one that reaches the medium.
pub(in crate::foreign) const MACOS: &str = "5 seconds per test\nDirect I/O is not supported on this platform.\n\n\
    Compare file sync methods using one 8kB write:\n(in wal_sync_method preference order)\n\
    \tfdatasync   15000.000 ops/sec   67 usecs/op\n\tfsync_writethrough   90.000 ops/sec   11111 usecs/op\n\
    Non-sync'ed 8kB writes:\n\twrite   14000.000 ops/sec   71 usecs/op\n";

/// Returns a job whose verification read its writes from the page cache.
pub(in crate::foreign) fn verified() -> ForeignFile {
    let reads = "\n  read: IOPS=2000k, BW=15.3GiB/s (16.4GB/s)(4687MiB/300msec)\n     lat (nsec): min=400, max=9000, avg=480.00, stdev=9.00\n  write:";
    let text = Fio { rw: "randwrite", ..Fio::default() }.text().replace("\n  write:", reads);
    read("verify.txt", &text.replace("total=0,600000,0,0", "total=600000,600000,0,0"))
}

type Example = (&'static str, Vec<ForeignFile>, &'static [&'static str]);

/// Returns, for every rule, files in which it fires and the limits it needs.
#[allow(clippy::too_many_lines)] // One case after the other.
fn fires() -> Vec<Example> {
    let fio = Fio::default;
    let one = |f: Fio| vec![f.file()];
    let laid = |name, jobs, laid_out| Fio { name, jobs, laid_out, depth: 1, ..fio() };
    vec![
        ("E01-not-whole", vec![read("dd.txt", FULL)], &[]),
        (
            "E02-errors",
            one(Fio { more: "     errors    : total=12, first_error=5/<Input/output error>\n".into(), ..fio() }),
            &[],
        ),
        ("B28-no-interval", vec![read("iostat.txt", "Linux 5.10 (h)\ntps kB_read/s kB_wrtn/s Device\n8.59 222.1k 57.1k sda\n")], &[]),
        ("B01-first-touch", one(Fio::stalled()), &[]),
        (
            "B04-extension",
            one(Fio {
                rw: "write",
                slat: (400.0, 900.0, 700.0),
                clat: (1.0, 90.0, 15.0),
                lat: (420.0, 990.0, 715.0),
                ..fio()
            }),
            &[],
        ),
        ("B35-stall", one(Fio { clat: (150.0, 1_500_000.0, 790.0), lat: (160.0, 1_500_010.0, 798.0), ..fio() }), &[]),
        ("B03-label", one(Fio { name: "randread-16k-qd32.txt", ..fio() }), &[]),
        (
            "B27-spread",
            vec![
                Fio { name: "run-1.txt", ..fio() }.file(),
                Fio { name: "run-2.txt", ops: 500_000, sampled: 4170.0, ..fio() }.file(),
            ],
            &[],
        ),
        ("B05-ended-apart", one(Fio { jobs: 2, samples: 380, sampled: 5600.0, ..fio() }), &[]),
        ("B06-unweighted", one(Fio { samples: 200, sampled: 5600.0, ..fio() }), &[]),
        ("B55-counted-exceeded", vec![checked(&[0.0, 1.0, 1.0, 0.4, 0.0])], &[]),
        ("B55-not-counted", vec![checked(&[0.0; 5])], &["volume mbps=62MB"]),
        ("B08-sum-of-volumes", vec![devices(&[60e6; 9], &[32e6; 9])], &["instance mbps=93.75MB"]),
        (
            "B09-above-in-samples",
            vec![devices(&[50e6, 50e6, 80e6, 50e6, 50e6, 40e6, 40e6], &[40e6, 41e6, 40e6, 40e6, 40e6, 40e6, 41e6])],
            &["instance mbps=93.75MB"],
        ),
        ("B11-above-limit", one(fio()), &["volume iops=3000"]),
        ("B34-contradiction", one(Fio { tail: [1200, 1800, 3000, 20_000], ..fio() }), &[]),
        (
            "B34-too-little",
            one(Fio { ops: 1000, ms: 207, command: "--runtime=1000 --size=8m", samples: 0, ..fio() }),
            &[],
        ),
        ("E03-verification", vec![verified()], &[]),
        ("E04-not-durable", vec![read("sync.txt", MACOS)], &[]),
        ("B12-tie", one(fio()), &["volume iops=5000", "instance iops=5050"]),
        ("B17-units", one(fio()), &["volume mbps=39.06MB"]),
        ("B17-crossover", sizes(&[5000.0, 5000.0, 5000.0, 2800.0]), &["volume iops=6000 mbps=93.75MB"]),
        ("B13-latency-bound", one(Fio { depth: 1, lat: (160.0, 9010.0, 199.0), ..fio() }), &["volume iops=16000"]),
        (
            "B13-read-ahead",
            vec![
                fio().file(),
                Fio { name: "seq.txt", rw: "read", ops: 1_800_000, lat: (50.0, 9000.0, 266.0), ..fio() }.file(),
            ],
            &[],
        ),
        ("B31-iops-cap", sizes(&[5000.0, 5010.0, 4990.0, 2000.0]), &[]),
        ("B31-throttle", one(Fio { tail: [1800, 9400, 11_200, 11_700], clat: (150.0, 12_000.0, 790.0), ..fio() }), &[]),
        ("B32-not-monotonic", sizes(&[8000.0, 6000.0, 2000.0, 1500.0]), &[]),
        (
            "B33-not-one-experiment",
            vec![fio().file(), Fio { name: "b.txt", bs: 16384, when: "Sat Apr  9 09:31:26 2022", ..fio() }.file()],
            &[],
        ),
        ("B37-asymmetry", vec![mix("a.txt", 8192, 1.0), mix("b.txt", 131_072, 1.9)], &[]),
        ("B14-not-measured", one(Fio { cpu: "usr=0.00%, sys=0.00%, ctx=0, majf=0, minf=0", ..fio() }), &[]),
        ("B23-client-bound", one(Fio { cpu: "usr=31.00%, sys=68.00%, ctx=60032, majf=0, minf=12", ..fio() }), &[]),
        ("B34-impossible", one(Fio { clat: (1.0, 9000.0, 790.0), ..fio() }), &[]),
        ("B34-absurd", one(Fio { ms: 756_553_000, ..fio() }), &[]),
        (
            "B54-utilisation",
            vec![
                Fio { more: Fio::disk("99.65"), ..fio() }.file(),
                Fio {
                    name: "b.txt",
                    rw: "read",
                    ops: 300_000,
                    sampled: 2502.0,
                    lat: (160.0, 9010.0, 1590.0),
                    clat: (150.0, 9000.0, 1582.0),
                    lowest: 2400.0,
                    more: Fio::disk("99.10"),
                    ..fio()
                }
                .file(),
            ],
            &[],
        ),
        ("B15-mixed-files", one(laid("job.txt", 4, 2)), &[]),
        ("B30-small-set", one(Fio { command: "--filename=f --size=1g --direct=1", ..fio() }), &[]),
        ("B36-options", one(Fio { command: "--rwmixread=50 --rwmixwrite=50 --sync=1 --direct=1", ..fio() }), &[]),
        (
            "B40-no-percentile",
            vec![perftools(&format!("{EXPORT}2022-10-18,14:05:09,/x/,3000000,10,.67,14925,\r\n"))],
            &[],
        ),
        ("B49-dashes", one(Fio { command: "\u{2013}\u{2013}rw=randread \u{2013}\u{2013}direct=1", ..fio() }), &[]),
        ("B50-no-latency", one(Fio { latencies: false, ..fio() }), &[]),
        ("B51-short", one(Fio { ops: 131_072, ms: 26_214, samples: 52, ..fio() }), &[]),
        (
            "B53-machines",
            vec![fio().file(), Fio { name: "w.txt", engine: "windowsaio", rw: "read", ..fio() }.file()],
            &[],
        ),
        ("B19-start-wait", vec![perftools(&format!("{EXPORT}2022-04-06,14:01:27,N:\\,30000,1,.17,5882,\r\n"))], &[]),
        ("B20-reciprocals", vec![perftools(&format!("{EXPORT}2022-04-06,14:01:27,N:\\,30000,8,1.30,7882,\r\n"))], &[]),
        ("B38-hang-in-average", vec![hang()], &[]),
        (
            "B42-columns",
            vec![perftools(
                "RunDate,RunTime,Database,Reads,Writes,ReadsPS,WritesPS,StdDevR,StdDevW,Processes,ReadPct,\r\n2026-03-03,14:05:09,/x/,100000,50000,1666,833,.012,7.25,10,67,\r\n",
            )],
            &[],
        ),
        ("B45-midnight", vec![perftools(&format!("{EXPORT}2022-04-06,23:59:27,N:\\,30000,1,-2.1,-47,\r\n"))], &[]),
        ("B24-blocks", vec![starved()], &[]),
        ("B24-batch", vec![starved()], &[]),
        ("B25-starvation", vec![starved()], &[]),
        ("V01-open-bucket", vec![read("i.txt", "WD Phase: 8: x\n WD # #blk/wrt=1 #blk/wrt>=16\n 0 19 155908\n")], &[]),
        (
            "B07-one-job",
            one(Fio { more: "job: (groupid=0, jobs=1): err= 0: pid=78: Fri Apr  8 13:31:26 2022\n  read: IOPS=4100, BW=32.0MiB/s (33.6MB/s)(3843MiB/120000msec)\n".into(), ..fio() }),
            &[],
        ),
        ("B16-half-told", one(fio()), &["volume iops=16000"]),
        ("B18-basis", sizes(&[6000.0, 6000.0, 6000.0, 2800.0]), &["volume iops=6000"]),
        ("B21-stopped", vec![perftools(&format!("{EXPORT}2022-04-06,14:01:27,N:\\,30000,1,.01,100000,\r\n"))], &[]),
        ("B43-signature", vec![old_signature()], &[]),
        ("B47-session", vec![perftools(&format!("{EXPORT}2022-04-06,14:01:27,N:\\,30000,1,.17,5882,\r\n"))], &[]),
        ("B52-one-depth", one(Fio { latencies: false, ..fio() }), &[]),
        ("B24-transfers", beside(2.0, 1.0), &[]),
        ("B29-layers", beside(1.0, 1.0), &[]),
        ("B29-differ", beside(1.0, 1.5), &[]),
        ("B29-minute", vec![cloud()], &[]),
        ("B29-zone", hours_apart(9), &[]),
        (
            "B28-window",
            vec![devices(&[1e6, 1e6, 90e6, 80e6, 85e6, 90e6, 80e6, 90e6, 1e6, 1e6, 1e6], &[0.0; 11])],
            &[],
        ),
        (
            "B46-not-from-device",
            one(Fio { more: Fio::disk("12.00").replace("ios=600000/0", "ios=31/0"), ..fio() }),
            &[],
        ),
        ("B54-await", vec![queues()], &[]),
        ("B60-depth-adds-nothing", vec![disk_mark(&[("R", 1, 5078.6, 196.72), ("R", 32, 5283.2, 6020.22)])], &[]),
        ("B61-memory", vec![disk_mark(&[("R", 1, 500_000.0, 2.0), ("W", 1, 200.0, 5000.0)])], &[]),
        ("B62-mixed-mean", vec![sysbench()], &[]),
        ("B63-mostly-idle", vec![disk_mark(&[("W", 1, 10.2, 238.27)])], &[]),
        ("B65-over-busy", vec![read("iostat.txt", "Device r/s w/s %util\nnvme0n1 13.00 4.00 146.70\n")], &[]),
        ("I05-marks", vec![ioping(true)], &[]),
        ("I08-rate", vec![ioping(false)], &[]),
    ]
}

/// Returns CrystalDiskMark's text for random tests of 4 KiB, given as direction, depth, rate and mean in microseconds.
pub(in crate::foreign) fn disk_mark(tests: &[(&str, u32, f64, f64)]) -> ForeignFile {
    let line = |(way, depth, iops, mean): &(&str, u32, f64, f64)| {
        let way = if *way == "R" { "Read" } else { "Write" };
        let rate = iops * 4096.0 / 1e6;
        format!("[{way}]\n  RND    4KiB (Q={depth:3}, T= 1): {rate:9.3} MB/s [ {iops:8.1} IOPS] < {mean:8.2} us>\n")
    };
    let tests: String = tests.iter().map(line).collect();
    read(
        "disk.txt",
        &format!("CrystalDiskMark 8.0.4 x64 (C) 2007-2021 hiyohiyo\n{tests}   Test: 1 GiB (x1) [F: 0% (0/119GiB)]\n"),
    )
}

/// Returns an output of sysbench 1.0 with fsyncs.
pub(in crate::foreign) fn sysbench() -> ForeignFile {
    read(
        "sysbench.txt",
        "Extra file open flags: (none)\n128 files, 16MiB each\n2GiB total file size\nBlock size 16KiB\nUsing synchronous I/O mode\n\
         Doing random r/w test\nFile operations:\n  reads/s: 16457.38\n  writes/s: 10971.75\n  fsyncs/s: 35358.31\nThroughput:\n\
         read, MiB/s: 257.15\n  written, MiB/s: 171.43\nGeneral statistics:\n  total time: 10.0060s\n  total number of events: 625792\n\
         Latency (ms):\n  min: 0.00\n  avg: 0.32\n  max: 26.31\n  95th percentile: 2.71\nThreads fairness:\n  events (avg/stddev): 31289.6000/431.72\n",
    )
}

/// Returns an output of pg_test_fsync with one write.
pub(in crate::foreign) fn syncs(methods: &[(&str, f64)]) -> ForeignFile {
    let line = |(method, rate): &(&str, f64)| format!("  {method}  {rate:.3} ops/sec  {:.0} usecs/op\n", 1e6 / rate);
    let lines: String = methods.iter().map(line).collect();
    read("syncs.txt", &format!("5 seconds per test\nCompare file sync methods using one 8kB write:\n{lines}"))
}

/// Returns a clean fio run and the iostat counters of its device, whose transfers and bytes are `transfers` and `bytes`
/// times those of the load.
fn beside(transfers: f64, bytes: f64) -> Vec<ForeignFile> {
    let fio = Fio::default().file();
    let (rate, moved) = (5000.0 * transfers, 5000.0 * 8192.0 * bytes);
    let reads_of = |quantity| Some((Way::Read, quantity));
    let list = vec![
        series("sdb r/s", Some("sdb"), reads_of(Quantity::Iops(Statistic::Mean)), &[rate; 60]),
        series("sdb rkB/s", Some("sdb"), reads_of(Quantity::Bandwidth(Statistic::Mean)), &[moved; 60]),
    ];
    // fio reports the time at which it ended.
    let began = fio.began.map(|end| end - 100);
    vec![fio, ForeignFile { began, ..file("iostat", list) }]
}

/// Returns a volume as CloudWatch reports it.
fn cloud() -> ForeignFile {
    let quantity = Some((Way::Write, Quantity::Iops(Statistic::Mean)));
    let mut writes = series("VolumeWriteOps", Some("vol-1"), quantity, &[3000.0; 5]);
    writes.period = Some(60.0);
    writes.points.iter_mut().for_each(|p| p.at *= 60.0);
    file("cloudwatch", vec![writes])
}

/// Returns a volume that moved 60 MB/s, with CloudWatch's check of its IOPS.
fn checked(values: &[f64; 5]) -> ForeignFile {
    let quantity_of = |way, quantity| Some((way, quantity));
    let moved = quantity_of(Way::Write, Quantity::Bandwidth(Statistic::Mean));
    let check = quantity_of(Way::All, Quantity::Exceeded(LimitScope::Volume, LimitAxis::Iops));
    let mut both = vec![
        series("VolumeWriteBytes", Some("vol-1"), moved, &[60e6; 5]),
        series("VolumeIOPSExceededCheck", Some("vol-1"), check, values),
    ];
    for one in &mut both {
        one.period = Some(60.0);
        one.points.iter_mut().for_each(|p| p.at *= 60.0);
    }
    file("cloudwatch", both)
}

/// Returns the counters of a device with one operation in flight, then with sixteen.
fn queues() -> ForeignFile {
    let quantity_of = |way, quantity| Some((way, quantity));
    let two = |a: f64, b: f64| [[a; 6], [b; 6]].concat();
    let device = Quantity::Latency(ForeignLatency::Device, Statistic::Mean);
    let list = vec![
        series("sdb r/s", Some("sdb"), quantity_of(Way::Read, Quantity::Iops(Statistic::Mean)), &two(4000.0, 20_000.0)),
        series("sdb r_await", Some("sdb"), quantity_of(Way::Read, device), &two(0.25e-3, 0.8e-3)),
        series("sdb aqu-sz", Some("sdb"), quantity_of(Way::All, Quantity::InFlight), &two(1.0, 16.0)),
        series("sdb %util", Some("sdb"), quantity_of(Way::All, Quantity::Utilisation), &two(0.99, 1.0)),
    ];
    file("iostat", list)
}

/// Returns an output of V3 that was called with the arguments of V1.
fn old_signature() -> ForeignFile {
    perftools(
        "do ##class(PerfTools.RanWrite).Run(\"/ISC/\",1,60,.001)\nRanWrite job 7's 1 processes total writes/s = .25\n",
    )
}

/// Returns a RanWrite that pauses 2 ms after 50 sets: .040 of .0545 ms are the pause.
fn hang() -> ForeignFile {
    let mut file = perftools(
        "RanWrite job 7's 10 processes (60.1 seconds) average response time = .0545ms\nCalculated IOPS for RanWrite job 7 = 183414\n",
    );
    file.tests[0].asked.others.extend([("TransactionLength".into(), "50".into()), ("HangMs".into(), "2".into())]);
    file
}

fn ioping(even: bool) -> ForeignFile {
    let times = if even { [106.1, 128.9, 163.7, 136.6, 152.3, 141.6, 139.1, 129.6] } else { [100.0; 8] };
    let mut text = String::new();
    for (i, t) in times.iter().enumerate() {
        let mark = ["", " (warmup)", " (fast)"][if i == 0 {
            1
        } else if even && i == 7 {
            2
        } else {
            0
        }];
        writeln!(text, "4 KiB <<< . (xfs /dev/dm-0): request={} time={t:.1} us{mark}", i + 1).unwrap();
    }
    text.push_str("\n--- . (xfs /dev/dm-0) ioping statistics ---\n7 requests completed in 700 us, 28 KiB read, 10.0 k iops, 39.1 MiB/s\n\
        generated 8 requests in 7.00 s, 32 KiB, 1 iops, 4.57 KiB/s\nmin/avg/max/mdev = 100.0 us / 100.0 us / 100.0 us / 0 ns\n");
    read("ping.txt", &text)
}

#[test]
fn every_rule_fires_on_its_case() {
    let cases = fires();
    for (id, files, limits) in &cases {
        let judgement = judged(files, limits);
        let finding = finding(&judgement, id);
        assert!(!finding.lines.is_empty() || !finding.finding.evidence.is_empty(), "{id} without evidence");
        assert!(!judgement.verdict.is_empty());
    }
    // These rules need more than files and textual limits.
    let elsewhere = ["B10-merged", "B11-burst", "B22-memory"];
    for rule in foreign_rules() {
        assert!(cases.iter().any(|c| c.0 == rule.id) || elsewhere.contains(&rule.id), "{} has no case", rule.id);
    }
}

#[test]
fn every_mistake_of_the_collection_has_an_entry() {
    let known: Vec<&str> = foreign_rules().chain(unjudged()).map(|r| &r.id[..3]).collect();
    for number in 1..=54 {
        let id = format!("B{number:02}");
        assert!(known.contains(&id.as_str()), "{id} has neither a rule nor a reason");
    }
    for text in unjudged() {
        assert!(foreign_rules().all(|r| r.id[..3] != *text.id), "{} has a rule by now", text.id);
        let [explanation, remedy] = [text.explanation(), text.remedy()].map(messages::sentence);
        assert!(explanation.ends_with('.') && !remedy.ends_with('.'), "{}", text.id);
    }
}

#[test]
fn layers_that_differ_are_doubted_and_those_that_agree_are_said_to() {
    let same = judged(&beside(1.0, 1.0), &[]);
    assert_eq!(ids(&same), ["B29-layers"]);
    let less = finding_text(&judged(&beside(0.1, 0.1), &[]), "B29-differ");
    assert!(less.contains("never written") && less.contains("(10 %)"), "{less}");
    let more = finding_text(&judged(&beside(3.0, 1.5), &[]), "B29-differ");
    assert!(more.contains("another process") && more.contains("1.50 times"), "{more}");
    // Counters of another hour are not compared.
    let mut apart = beside(0.1, 0.1);
    apart[1].began = apart[1].began.map(|b| b + 3600);
    assert_eq!(ids(&judged(&apart, &[])), [""; 0]);
}

/// Returns the same files, with the counters' clock in UTC and the load's in the local time of a place `hours` ahead.
fn hours_apart(hours: i32) -> Vec<ForeignFile> {
    let mut files = beside(1.0, 1.0);
    files[1].began = files[1].began.map(|b| b - i64::from(hours) * 3600);
    files[1].zone = Some(0);
    files
}

#[test]
fn files_of_different_zones_are_laid_on_one_clock_where_both_tell_theirs() {
    let mut files = hours_apart(9);
    let text = finding_text(&judged(&files, &[]), "B29-zone");
    assert!(text.contains("--time-zone +09:00"), "{text}");
    files[0].zone = Some(9 * 3600);
    assert_eq!(ids(&judged(&files, &[])), ["B29-layers"]);
    // The reverse: the load's zone is known, as in fio's JSON.
    let mut files = beside(1.0, 1.0);
    files[0].zone = Some(-3600);
    assert_eq!(ids(&judged(&files, &[])), ["B29-layers"], "by the wall of one machine");
    files[1].began = files[1].began.map(|b| b + 3600);
    let text = finding_text(&judged(&files, &[]), "B29-zone");
    assert!(text.contains("--time-zone +00:00"), "{text}");
    files[1].zone = Some(0);
    assert_eq!(ids(&judged(&files, &[])), ["B29-layers"]);
}

#[test]
fn utilisation_in_samples_is_no_saturation_either() {
    let said = finding_text(&judged(&[queues()], &[]), "B54-utilisation");
    assert!(said.contains("4,000/s") && said.contains("20,000/s"), "{said}");
}

#[test]
fn a_clone_is_no_load_and_a_group_is_no_clone() {
    let clone = |pid: u32| {
        format!(
            "job: (groupid=0, jobs=1): err= 0: pid={pid}: Fri Apr  8 13:31:26 2022\n  read: IOPS=4100, BW=32.0MiB/s (33.6MB/s)(3843MiB/120000msec)\n"
        )
    };
    let j = judged(&[Fio { more: clone(78), ..Fio::default() }.file()], &[]);
    assert!(finding_text(&j, "B07-one-job").contains("2 clones of"), "{}", finding_text(&j, "B07-one-job"));
    let other = clone(78).replace("job: (", "other: (");
    assert!(!ids(&judged(&[Fio { more: other, ..Fio::default() }.file()], &[])).contains(&"B07-one-job"));
}

#[test]
fn one_file_that_was_made_may_be_shared_by_all_jobs() {
    let findings_of = |laid_out| {
        let file = Fio { name: "job.txt", jobs: 8, laid_out, depth: 1, ..Fio::default() }.file();
        ids(&judged(&[file], &[])).contains(&"B15-mixed-files")
    };
    assert!(!findings_of(1) && findings_of(2) && findings_of(7) && !findings_of(8));
}

#[test]
fn a_row_far_above_its_repeats_is_doubted_as_stopped() {
    let row = |ms: &str, iops: u32| format!("2022-04-06,14:01:27,N:\\,30000,8,{ms},{iops},\r\n");
    let text = |last: String| format!("{EXPORT}{}{}{last}", row("1.30", 6154), row("1.28", 6250));
    let j = judged(&[perftools(&text(row(".40", 20_000)))], &[]);
    assert_eq!(finding(&j, "B21-stopped").finding.severity, model::Severity::Doubt);
    assert!(!ids(&judged(&[perftools(&text(row("1.31", 6107)))], &[])).contains(&"B21-stopped"));
}

#[test]
fn neighbours_that_a_volume_puts_together_are_no_contradiction() {
    let mut limit: Limit = "volume iops=3000".parse().unwrap();
    limit.charging = Some(model::bounds::Charging { unit: Bytes::from_kib(256), merges: true, whole: false });
    let judge = |rw| {
        let file = Fio { rw, ..Fio::default() }.file();
        judge_foreign(&[file], &ForeignRequest { limits: std::slice::from_ref(&limit), ..ForeignRequest::default() })
    };
    assert_eq!(ids(&judge("read")), ["B10-merged"]);
    assert_eq!(ids(&judge("randread")), ["B11-above-limit"]);
}

#[test]
fn data_below_twice_the_memory_are_doubted_where_the_memory_is_known() {
    let file = Fio { command: "--filename=f --size=8g --direct=1", ..Fio::default() }.file();
    let judge =
        |memory| judge_foreign(std::slice::from_ref(&file), &ForeignRequest { memory, ..ForeignRequest::default() });
    assert!(ids(&judge(Some(Bytes::from_gib(6)))).contains(&"B22-memory"));
    assert!(!ids(&judge(Some(Bytes::from_gib(4)))).contains(&"B22-memory"));
    assert!(!ids(&judge(None)).contains(&"B22-memory"));
}

#[test]
fn clean_files_raise_no_alarm() {
    let fio = Fio::default;
    let clean: [(&str, Vec<ForeignFile>, &[&str]); 9] = [
        ("one run", vec![fio().file()], &[]),
        ("at its limit", vec![fio().file()], &["volume iops=5000 mbps=125MiB"]),
        ("a name that is right", vec![Fio { name: "gp2-randread-8k-qd4.txt", ..fio() }.file()], &[]),
        (
            "numbered repeats",
            vec![
                Fio { name: "randread-1.txt", ..fio() }.file(),
                Fio { name: "randread-2.txt", ..fio() }.file(),
                Fio { name: "randread-3.txt", ..fio() }.file(),
            ],
            &[],
        ),
        ("sizes that a device's end bends", sizes(&[8000.0, 7000.0, 5000.0, 3000.0]), &[]),
        ("busy disk", vec![Fio { more: Fio::disk("99.65"), ..fio() }.file()], &[]),
        ("fresh files for all jobs", vec![Fio { jobs: 4, laid_out: 4, samples: 960, depth: 1, ..fio() }.file()], &[]),
        ("devices below their cap", vec![devices(&[30e6; 9], &[32e6; 9])], &["instance mbps=93.75MB"]),
        ("a quiet mix", vec![mix("a.txt", 8192, 1.0), mix("b.txt", 16384, 1.1)], &[]),
    ];
    for (what, files, limits) in clean {
        let judgement = judged(&files, limits);
        assert_eq!(ids(&judgement), [""; 0], "{what}: {:#?}", judgement.findings);
        assert_eq!(judgement.exit_code, 0, "{what}");
    }
}

#[test]
fn ranread_of_32_and_64_processes_is_corrected_by_the_same_second() {
    let text = format!(
        "{EXPORT}2022-04-06,14:05:00,N:\\,30000,32,.32,99608,\r\n2022-04-06,14:06:00,N:\\,30000,64,.66,96304,\r\n"
    );
    let j = judged(&[perftools(&text)], &[]);
    let rates: Vec<f64> = j.rows.iter().filter_map(|r| r.iops).map(f64::round).collect();
    assert_eq!(rates, [111_140.0, 101_390.0]);
}

#[test]
fn the_four_cases_of_the_first_seed_are_one_saturated_pipe() {
    // Mean MB/s of WIJ and data volumes over a case, as read off perfmon by its author; their sums are 97 to 100 % of
    // 93.75.
    for (wij, data, share) in [(46.0, 45.1, "97 %"), (46.0, 47.5, "100 %"), (44.6, 45.3, "96 %"), (52.2, 41.6, "100 %")]
    {
        let file = devices(&[wij * 1e6; 8], &[data * 1e6; 8]);
        let said = finding_text(&judged(&[file], &["instance mbps=93.75MB"]), "B08-sum-of-volumes");
        assert!(said.contains(share), "{said}");
    }
}

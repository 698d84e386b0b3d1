//! Compares the layout with the installed fio: runs each command, makes a record from the figures in fio's JSON, and
//! compares the complete text of both with the numbers removed.

use super::fixture::{empty, job, stage};
use super::{ALL, Outputs, head, result};
use model::measured::*;
use model::plan::*;
use model::record::*;
use model::*;
use serde_json::Value;
use std::process::Command;

const SECOND: u64 = Nanos::from_secs(1).as_nanos();

/// Runs fio in a temporary directory and returns its output; `None` if it is not installed.
fn fio(args: &str) -> Option<String> {
    let version = Command::new("fio").arg("--version").output().ok()?;
    if !String::from_utf8_lossy(&version.stdout).starts_with("fio-3.33") {
        return None;
    }
    let place = tempfile(args);
    std::fs::create_dir_all(&place).expect("a directory can be made");
    let output = Command::new("fio")
        .args(["--thread", "--filename=f", "--size=2m", "--allow_file_create=1", "--eta=never"])
        .args(args.split_whitespace())
        .current_dir(&place)
        .output()
        .expect("fio was just there");
    let _ = std::fs::remove_dir_all(&place);
    assert!(output.status.success(), "fio {args}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).expect("fio writes ASCII"))
}

fn tempfile(args: &str) -> std::path::PathBuf {
    let sum = args.bytes().fold(7u64, |h, b| h.wrapping_mul(31).wrapping_add(u64::from(b)));
    std::env::temp_dir().join(format!("secchi-fio-layout-{}-{sum:x}", std::process::id()))
}

fn skipped(what: &str) {
    testkit::skipped(&format!("{what}: fio 3.33 is not installed here"));
}

/// Returns a histogram with the moments and bins of a latency object in fio's JSON. Without bins, all samples are in
/// the bucket of the mean.
fn histogram(lat: &Value) -> LatencyHistogram {
    let n = lat["N"].as_u64().unwrap_or(0);
    if n == 0 {
        return LatencyHistogram::default();
    }
    let number = |key: &str| lat[key].as_f64().unwrap_or(0.0);
    let (min, max, mean) = (number("min") as u64, number("max") as u64, number("mean"));
    let moment = number("stddev").powi(2) * (n - 1) as f64;
    let mut bins = vec![0; BUCKETS];
    match lat["bins"].as_object() {
        Some(told) => told
            .iter()
            .for_each(|(ns, n)| bins[bucket_of(ns.parse().expect("a key is a time"))] += n.as_u64().expect("a count")),
        None => bins[bucket_of(mean as u64)] = n,
    }
    let sum = (mean * n as f64) as u128;
    let sum_sq = (moment + mean * mean * n as f64) as u128;
    LatencyHistogram::from_parts(0, bins, Summary { count: n, sum, sum_sq, min, max }, 0)
}

fn way(told: &Value) -> OpStats {
    let parts = told["slat_ns"]["N"].as_u64() > Some(0);
    let tally = Tally {
        ops: told["total_ios"].as_u64().unwrap_or(0),
        bytes: told["io_bytes"].as_u64().unwrap_or(0),
        short: told["short_ios"].as_u64().unwrap_or(0),
        ..Tally::default()
    };
    let clat = histogram(&told["clat_ns"]);
    let mut stats = OpStats { tally, latency: histogram(&told["lat_ns"]), ..OpStats::default() };
    if parts || clat.count() > 0 {
        stats.submission = histogram(&told["slat_ns"]);
        stats.completion = clat;
    }
    stats
}

/// Returns fio's samples as equal windows, plus one at the end: fio takes no sample at the end of the job.
fn windows(told: [&Value; 3], start: u64) -> Vec<Window> {
    let figure_of = |way: &Value, key: &str| way[key].as_f64().unwrap_or(0.0);
    let samples = told.iter().map(|w| figure_of(w, "bw_samples") as u64).max().unwrap_or(0);
    let window = |i| Window {
        start: Nanos(start + i * SECOND / 2),
        length: Nanos(SECOND / 2),
        ops: [0, 1, 2, 3].map(|w| told.get(w).map_or(0, |t| (figure_of(t, "iops_mean") / 2.0) as u64)),
        bytes: [0, 1, 2, 3].map(|w| told.get(w).map_or(0, |t| (figure_of(t, "bw_mean") * 512.0) as u64)),
        ..Window::default()
    };
    (0..samples + samples.min(1)).map(window).collect()
}

fn depths(job: &Value, key: &str) -> [u64; 7] {
    let names = if key == "iodepth_level" {
        ["1", "2", "4", "8", "16", "32", ">=64"]
    } else {
        ["0", "4", "8", "16", "32", "64", ">=64"]
    };
    names.map(|name| (job[key][name].as_f64().unwrap_or(0.0) * 1000.0) as u64)
}

/// Settings for the record that correspond to the options of fio's command, in the order of fio's JSON.
struct Shape {
    report: ReportSettings,
    one_report: bool,
    description: &'static str,
    kinds: Vec<(&'static str, &'static str)>,
    /// Number of clones of each job as typed.
    clones: Vec<u32>,
    tweak: fn(&mut Job),
    /// Beginning of the lines that intentionally differ from fio's and are not compared.
    without: &'static str,
}

impl Default for Shape {
    fn default() -> Self {
        Shape {
            report: ReportSettings::default(),
            one_report: false,
            description: "",
            kinds: vec![("read", "psync")],
            clones: vec![1],
            tweak: |_| {},
            without: "...nothing",
        }
    }
}

fn workload(rw: &str) -> Workload {
    let access = if rw.starts_with("rand") { Access::RANDOM } else { Access::Sequential };
    let write_percent = if rw.ends_with("write") {
        100
    } else if rw.ends_with("rw") {
        50
    } else {
        0
    };
    Workload::new(Mix { write_percent, trim_percent: 0 }, Bytes(4096), access)
}

fn interval_of(told: &Value, start: u64) -> Interval {
    let mixed = &told["mixed"];
    let ways = [if told["read"].is_null() { mixed } else { &told["read"] }, &told["write"], &told["trim"]];
    let runtime = ways.iter().filter_map(|w| w["runtime"].as_u64()).max().unwrap_or(0).max(1);
    let mut interval = Interval { start: Nanos(start), length: Nanos::from_millis(runtime), ..Interval::default() };
    for (stats, told) in interval.per_op.iter_mut().zip(ways) {
        *stats = way(told);
    }
    interval.per_op[3].latency = histogram(&told["sync"]["lat_ns"]);
    interval.per_op[3].tally.ops = interval.per_op[3].latency.count();
    interval.windows = windows(ways, start);
    let queue = QueueStats {
        depth: depths(told, "iodepth_level"),
        submit: depths(told, "iodepth_submit"),
        complete: depths(told, "iodepth_complete"),
    };
    interval.queue = Some(Box::new(queue));
    interval
}

fn steady_of(told: &Value) -> Option<(SteadyRule, SteadyResult)> {
    let ss = told.get("steadystate")?;
    let series = |key: &str| -> Vec<f64> {
        ss["data"][key].as_array().expect("a list").iter().filter_map(Value::as_f64).collect()
    };
    let rule = SteadyRule {
        of: SteadyOf::Iops,
        slope: false,
        limit: 50.0,
        percent: true,
        duration: Nanos::from_secs(2),
        ramp: Nanos(0),
        check: Nanos(SECOND),
    };
    let result = SteadyResult {
        attained: true,
        criterion: ss["criterion"].as_str().and_then(|c| c.trim_end_matches('%').parse().ok()).expect("a share"),
        iops: series("iops"),
        bandwidth: series("bw"),
        ..SteadyResult::default()
    };
    Some((rule, result))
}

fn record_of(json: &Value, shape: &Shape) -> RunRecord {
    let jobs = json["jobs"].as_array().expect("jobs");
    let mut stages = Vec::new();
    let mut sections = Vec::new();
    for (i, told) in jobs.iter().enumerate() {
        // Further jobs are clones of the last named one.
        let kind = i.min(shape.kinds.len() - 1);
        let (rw, engine) = shape.kinds[kind];
        let depth = told["latency_depth"].as_u64().unwrap_or(1) as u32;
        let mut job = job(told["jobname"].as_str().unwrap_or("?"), workload(rw), engine, depth);
        job.threads = shape.clones[kind];
        (shape.tweak)(&mut job);
        if let Some((rule, _)) = steady_of(told) {
            job.tuning.ends.steady = Some(rule);
        }
        if kind == sections.len() {
            sections.push(Section {
                name: job.name.clone(),
                group: told["groupid"].as_u64().unwrap_or(0) as u32,
                one_report: shape.one_report,
                description: shape.description.into(),
                report: shape.report.clone(),
                ..Section::default()
            });
        }
        stages.push(stage(job, kind, (i - kind) as u32, i > kind));
    }
    let mut record = empty(stages, sections);
    record.tool = "x".into();
    for (i, told) in jobs.iter().enumerate() {
        let interval = interval_of(told, 0);
        let end = StepEnd { at: interval.length, steady: steady_of(told).map(|s| s.1), ..StepEnd::default() };
        let job = record.plan.stages[i].job.clone();
        record.steps.push(Step {
            stage: i,
            pass: 0,
            hold: false,
            job,
            start: Nanos(0),
            sampled: None,
            intervals: vec![interval],
            end: Some(end),
            accounting: None,
        });
    }
    if json.get("disk_util").is_some() {
        record.disks = json["disk_util"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|d| DiskUse { name: d["name"].as_str().unwrap_or("?").into(), ..DiskUse::default() })
            .collect();
    }
    record.plan.layout = vec![Layout {
        path: "f".into(),
        size: Bytes::from_mib(2),
        reserve: Reserve::None,
        write: true,
        unwritten: Vec::new(),
        durable: false,
        exists: true,
        stages: vec![0],
    }];
    record
}

/// Returns `text` without its figures: every number becomes `N`, including its padding and a bare `k` or `M` after it;
/// text that depends on the machine or the time is removed. `rates` is true if units of rates are compared.
fn shape_of(text: &str, without: &str, rates: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let mut skip = false;
    for line in text.lines() {
        let inner = line.trim_start();
        // Options as typed and the set of non-empty buckets are not part of the layout.
        skip |= ["\"job options\"", "\"global options\"", "\"bins\""].iter().any(|name| inner.starts_with(name));
        if skip {
            skip = !inner.starts_with('}');
            continue;
        }
        // Latency classes are compared by value elsewhere. With bits, fio omits the unit of this line.
        if inner.contains("Laying out IO file")
            || inner.starts_with("lat (") && inner.contains("sec)   :")
            || inner.starts_with(without)
        {
            continue;
        }
        let line = without_numbers(line);
        lines.push(if rates { line } else { without_rate_units(line) });
    }
    lines
}

fn without_numbers(line: &str) -> String {
    let line = line.replace("-secchi-x", "");
    let line = match (line.find("pid="), line.find("\"time\" : ")) {
        (Some(at), _) => &line[..at],
        (_, Some(at)) => &line[..at + 8],
        _ => &line,
    };
    // Names of percentiles and classes stay: `99.00th`, `"99.000000"`, `250=`.
    let chars: Vec<char> = line.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    while at < chars.len() {
        if !chars[at].is_ascii_digit() {
            out.push(chars[at]);
            at += 1;
            continue;
        }
        let start = at;
        while at < chars.len()
            && (chars[at].is_ascii_digit() || (chars[at] == '.' && chars.get(at + 1).is_some_and(char::is_ascii_digit)))
        {
            at += 1;
        }
        let number: String = chars[start..at].iter().collect();
        let rest: String = chars[at..].iter().take(2).collect();
        let word = start > 0 && (chars[start - 1].is_alphanumeric() || matches!(chars[start - 1], '"' | '_'));
        if word || rest.starts_with("th") || (rest.starts_with('=') && line.contains("lat (")) || rest == "%=" {
            out.push_str(&number);
            continue;
        }
        while out.ends_with(' ') && !out.trim_end().is_empty() && out.trim_end().ends_with(['=', '[']) {
            out.pop();
        }
        out.push_str(if number.contains('.') { "F" } else { "N" });
        if rest.starts_with(['k', 'M']) && !rest.ends_with(['B', 'i']) {
            at += 1;
        }
    }
    // Whether a number is printed as an integer or a fraction depends on how many digits fit.
    if line.contains("IOPS=") || line.contains("bw=") || line.contains("min=") || line.contains("Ki") {
        out = out.replace('F', "N");
    }
    out
}

fn without_rate_units(line: String) -> String {
    let units = ["Ki", "Mi", "Gi", "k", "M", "G"];
    units.iter().fold(line, |line, unit| line.replace(&format!("N{unit}B/s"), "NB/s"))
}

const WAYS: [&str; 4] = ["read", "write", "trim", "mixed"];

/// Returns `true` if all directions of a job took the same time. fio times each direction of a verification separately;
/// fio's JSON, from which the record is made, has one time for both directions, so rates would differ.
fn timed_as_one(job: &Value) -> bool {
    let mut times = WAYS.iter().filter_map(|w| job[w]["runtime"].as_u64().filter(|t| *t > 0));
    let first = times.next();
    times.all(|t| Some(t) == first)
}

/// Returns the JSON document in fio's output.
fn document_of(output: &str) -> Value {
    let from = output.find("\n{\n").expect("a document") + 1;
    let to = from + output[from..].find("\n}\n").expect("its end") + 2;
    serde_json::from_str(&output[from..to]).expect("fio's JSON is JSON")
}

fn compare(args: &str, shape: &Shape) {
    let Some(expected) = fio(&format!("--output-format=normal,json+,terse {args}")) else { return skipped(args) };
    let json = document_of(&expected);
    let record = record_of(&json, shape);
    let ours = format!("{}{}", head(&record), result(&record, ALL));
    let ours = ours.split("\nTRUST").next().expect("something stands before it");
    let rates = json["jobs"].as_array().expect("jobs").iter().all(timed_as_one);
    let (ours_shape, theirs_shape) = (shape_of(ours, shape.without, rates), shape_of(&expected, shape.without, rates));
    let differ = ours_shape.iter().zip(&theirs_shape).position(|(a, b)| a != b);
    if let Some(line) = differ {
        panic!(
            "fio {args}\nline {line}\nours:   {}\ntheirs: {}\n\nours:\n{ours}\ntheirs:\n{expected}",
            ours_shape[line], theirs_shape[line]
        );
    }
    assert_eq!(ours_shape.len(), theirs_shape.len(), "fio {args}\nours:\n{ours}\ntheirs:\n{expected}");
    let document: Value = serde_json::from_str(&result(&record, super::only("json+"))).expect("ours is JSON");
    for (mine, told) in document["jobs"].as_array().expect("jobs").iter().zip(json["jobs"].as_array().expect("jobs")) {
        same_figures(args, mine, told);
    }
}

/// Checks that the record's figures are reproduced: counts and bins exactly, rates and moments within 0.1 %,
/// percentiles within a bucket, latency classes except for values at their bounds.
fn same_figures(args: &str, ours: &Value, theirs: &Value) {
    let near = |path: &str, a: &Value, b: &Value, share: f64, least: f64| {
        let (a, b) = (a.as_f64().unwrap_or(0.0), b.as_f64().unwrap_or(0.0));
        assert!((a - b).abs() <= (b.abs() * share).max(least), "fio {args}: {path}: {a} for {b}");
    };
    for way in WAYS.iter().filter(|w| theirs[w].is_object()) {
        let (a, b) = (&ours[way], &theirs[way]);
        for count in ["io_bytes", "io_kbytes", "total_ios", "short_ios", "drop_ios"] {
            assert_eq!(a[count], b[count], "fio {args}: {way} {count}");
        }
        if timed_as_one(theirs) {
            ["runtime", "bw_bytes", "bw", "iops"].iter().for_each(|rate| near(rate, &a[rate], &b[rate], 0.001, 1.0));
        }
        for part in ["slat_ns", "clat_ns", "lat_ns"] {
            let (a, b) = (&a[part], &b[part]);
            assert_eq!(a["bins"], b["bins"], "fio {args}: {way} {part}");
            for moment in ["min", "max", "mean", "stddev", "N"] {
                near(&format!("{way} {part} {moment}"), &a[moment], &b[moment], 0.001, 1.0);
            }
            for (name, value) in b["percentile"].as_object().into_iter().flatten() {
                near(&format!("{way} {part} {name}"), &a["percentile"][name], value, 0.016, 1.0);
            }
        }
    }
    for unit in ["latency_ns", "latency_us", "latency_ms"] {
        for (class, share) in theirs[unit].as_object().expect("classes") {
            near(&format!("{unit} {class}"), &ours[unit][class], share, 0.0, 15.0);
        }
    }
}

#[test]
fn a_plain_job_is_laid_out_like_fios() {
    compare("--name=a --rw=read --bs=4k --ioengine=psync --time_based --runtime=1", &Shape::default());
}

#[test]
fn a_group_of_clones_with_flushes_is_laid_out_like_fios() {
    let shape = Shape {
        one_report: true,
        description: "hello",
        kinds: vec![("randrw", "libaio")],
        clones: vec![2],
        ..Shape::default()
    };
    compare(
        "--name=a --rw=randrw --bs=4k --ioengine=libaio --iodepth=4 --direct=1 --numjobs=2 --fdatasync=16 --group_reporting \
         --description=hello --time_based --runtime=1",
        &shape,
    );
}

#[test]
fn every_latency_with_chosen_percentiles_is_laid_out_like_fios() {
    let report = ReportSettings {
        slat_percentiles: true,
        clat_percentiles: true,
        percentiles: vec![10.0, 50.0, 99.999],
        percentile_precision: 3,
        significant_figures: 6,
        ..ReportSettings::default()
    };
    let shape = Shape { report, kinds: vec![("randread", "libaio")], ..Shape::default() };
    compare(
        "--name=a --rw=randread --bs=4k --ioengine=libaio --iodepth=8 --direct=1 --slat_percentiles=1 --clat_percentiles=1 \
         --percentile_list=10:50:99.999 --significant_figures=6 --time_based --runtime=1",
        &shape,
    );
}

#[test]
fn decimal_bits_are_laid_out_like_fios() {
    let report = ReportSettings { kb_base: 1000, bits: true, ..ReportSettings::default() };
    let shape = Shape { report, kinds: vec![("randread", "libaio")], without: "bw (", ..Shape::default() };
    compare(
        "--name=a --rw=randread --bs=4000 --blockalign=512 --ioengine=libaio --kb_base=1000 --unit_base=1 --time_based --runtime=1",
        &Shape { tweak: |job| job.workload.block = BlockSizes::Fixed(Bytes(4000)), ..shape },
    );
}

#[test]
fn two_jobs_behind_a_stonewall_are_laid_out_like_fios() {
    let shape = Shape {
        one_report: true,
        kinds: vec![("write", "psync"), ("read", "sync")],
        clones: vec![1, 3],
        ..Shape::default()
    };
    compare(
        "--group_reporting --name=a --rw=write --bs=64k --ioengine=psync --time_based --runtime=1 \
         --name=b --stonewall --rw=read --bs=1m --ioengine=sync --numjobs=3 --time_based --runtime=1",
        &Shape {
            tweak: |job| job.workload.block = BlockSizes::Fixed(Bytes(if job.name == "a" { 65_536 } else { 1 << 20 })),
            ..shape
        },
    );
}

#[test]
fn directions_told_as_one_are_laid_out_like_fios() {
    let report = ReportSettings { unified: Unified::Mixed, ..ReportSettings::default() };
    let shape = Shape { report, kinds: vec![("rw", "psync")], ..Shape::default() };
    compare("--name=a --rw=rw --bs=4k --ioengine=psync --unified_rw_reporting=1 --time_based --runtime=1", &shape);
}

#[test]
fn counted_errors_and_verification_are_laid_out_like_fios() {
    let shape = Shape {
        kinds: vec![("write", "psync")],
        tweak: |job| job.on_error = ErrorPolicy::Continue,
        ..Shape::default()
    };
    compare(
        "--name=a --rw=write --bs=4k --ioengine=psync --loops=3 --verify=crc32c --verify_state_save=0 --continue_on_error=all",
        &shape,
    );
}

#[test]
fn left_out_latencies_and_two_rules_of_sizes_are_laid_out_like_fios() {
    let report = ReportSettings { without: [true, true, false], clat_percentiles: false, ..ReportSettings::default() };
    let shape = Shape {
        report,
        kinds: vec![("randwrite", "libaio")],
        tweak: |job| {
            job.workload.block = BlockSizes::Range(Bytes(1024), Bytes(4096));
            job.workload.detail.write_block = Some(BlockSizes::Fixed(Bytes(8192)));
            job.workload.detail.block_by_order = true;
        },
        ..Shape::default()
    };
    compare(
        "--name=a --rw=randwrite --bsrange=1k-4k,8k-8k --bs_is_seq_rand=1 --ioengine=libaio --iodepth=2 --disable_slat=1 --disable_clat=1 --clat_percentiles=0 --time_based --runtime=1",
        &shape,
    );
}

#[test]
fn a_steady_state_is_laid_out_like_fios() {
    let shape = Shape { kinds: vec![("read", "psync")], ..Shape::default() };
    compare(
        "--name=a --rw=read --bs=4k --ioengine=psync --steadystate=iops:50% --steadystate_duration=2 --time_based --runtime=4",
        &shape,
    );
}

#[test]
fn the_null_engine_is_laid_out_like_fios() {
    let shape = Shape { kinds: vec![("randread", "null")], ..Shape::default() };
    compare("--name=a --rw=randread --bs=4k --ioengine=null --iodepth=1 --time_based --runtime=1", &shape);
}

#[test]
fn every_version_of_the_terse_line_has_as_many_fields_as_fios() {
    let args = "--name=a --rw=randrw --bs=4k --ioengine=libaio --iodepth=4 --time_based --runtime=1";
    let shape = Shape { kinds: vec![("randrw", "libaio")], ..Shape::default() };
    let check = |version: u8| {
        let formats = format!("--output-format=normal,json+,terse --terse-version={version}");
        let Some(output) = fio(&format!("{formats} {args}")) else { return skipped(args) };
        let start = format!("{version};");
        let expected = output.lines().find(|line| line.starts_with(&start)).expect("a terse line");
        let record = record_of(&document_of(&output), &shape);
        let outputs = Outputs { normal: false, terse: true, terse_version: version, ..Outputs::NORMAL };
        let ours = result(&record, outputs);
        let kinds = |line: &str| line.trim_end().split(';').map(kind).collect::<Vec<_>>();
        assert_eq!(kinds(&ours), kinds(expected), "version {version}\n{ours}\n{expected}");
    };
    // Each run lasts a second.
    std::thread::scope(|scope| {
        (2..=5).for_each(|version| drop(scope.spawn(move || check(version))));
    });
}

/// Returns the type of a field: a whole number, a fraction, either of these with a percent sign, a percentile, or text.
fn kind(field: &str) -> &'static str {
    let (number, percent) = match field.strip_suffix('%') {
        Some(number) => (number, true),
        None => (field, false),
    };
    match (number.parse::<u64>().is_ok(), number.parse::<f64>().is_ok(), percent) {
        (true, ..) => "whole",
        (_, true, true) => "percent",
        (_, true, false) => "fraction",
        _ if field.contains("%=") => "percentile",
        _ => "text",
    }
}

#[test]
fn clones_told_one_by_one_and_a_latency_target_are_laid_out_like_fios() {
    let shape = Shape {
        kinds: vec![("randread", "libaio")],
        tweak: |job| {
            let target = LatencyTarget {
                target: Nanos::from_millis(5),
                window: Nanos::from_millis(100),
                percentile: 90.0,
                run: true,
            };
            job.tuning.ends.latency_target = Some(target);
        },
        ..Shape::default()
    };
    compare(
        "--name=a --rw=randread --bs=4k --ioengine=libaio --iodepth=4 --numjobs=3 --latency_target=5ms --latency_window=100ms \
         --latency_percentile=90 --latency_run=1 --time_based --runtime=1",
        &shape,
    );
}

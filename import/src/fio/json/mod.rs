//! JSON output of fio 2 and 3 (`--output-format=json` and `json+`): jobs with all of their figures, as precise as in
//! the file.
//!
//! fio prints messages before, between and after documents (#1685). These messages are skipped. Version 2 uses
//! microseconds for times and KiB for `io_bytes`. [`figures`] extracts the figures by which two runs are compared.

pub(crate) mod figures;

use crate::fio::options;
use crate::format::Format;
use crate::text::dates;
use crate::text::figure::{Cut, Figure, unmeasured};
use crate::text::json::{self, Value};
use crate::text::source::{ImportError, Source, add_remark, clip, fault, pass_over, remark};
use messages::sentence;
use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, ForeignValue, Quantity, Statistic, Way};
use model::{Bytes, LatencyHistogram, Nanos};

pub(crate) const FORMAT: Format = Format { name: "fio-json", shares_a_log: false, recognise, read };

/// fio's directions, with their names in the JSON.
const WAYS: [(&str, Way); 5] =
    [("read", Way::Read), ("write", Way::Write), ("trim", Way::Trim), ("mixed", Way::All), ("sync", Way::Sync)];

fn recognise(source: &Source<'_>) -> bool {
    let text = source.text();
    text.contains("\"fio version\"") && text.lines().any(|l| l.trim_start().starts_with('{'))
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let parsed = json::documents(source.text(), &|| source.in_time())?;
    let mut files = files(&parsed)?;
    let (words, terse): (Vec<_>, Vec<_>) = parsed.between.iter().partition(|(_, line)| line.matches(';').count() < 100);
    let mut errors = Vec::new();
    if let Some(first) = files.first_mut() {
        for (line, text) in words.iter().take(20) {
            match options::says_error(text) {
                true => errors.push((*line, clip(text))),
                false => pass_over(&mut first.remarks, *line, text),
            }
        }
        let rest = words.len().saturating_sub(20) + terse.len();
        if rest > 0 {
            first.remarks.push(remark(0, sentence!("import-fio-other-lines", n = rest)));
        }
        if let Some((line, reason)) = &parsed.broken {
            first.remarks.push(remark(*line, sentence!("import-document-not-whole", why = reason)));
        }
    }
    let mut files = without_interim(files);
    if let Some(first) = files.first_mut() {
        options::record_errors(first, errors);
    }
    Ok(files)
}

/// Converts every complete fio document.
fn files(parsed: &json::Documents<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let fios = parsed.list.iter().filter(|d| d.get("fio version").is_some());
    let files: Vec<ForeignFile> = fios.map(file).collect();
    match (&parsed.broken, files.is_empty()) {
        (Some((line, reason)), true) => Err(ImportError(format!("its JSON is malformed: {reason} at line {line}"))),
        (None, true) if parsed.list.is_empty() => Err(ImportError("it contains no JSON".to_owned())),
        (None, true) => Err(ImportError("not fio's JSON: `fio version` is missing".to_owned())),
        _ => Ok(files),
    }
}

/// Drops interim reports (`--status-interval`). Two documents are reports of one run if they have the same jobs, and
/// if start and elapsed times differ by the same amount.
fn without_interim(files: Vec<ForeignFile>) -> Vec<ForeignFile> {
    let elapsed = |f: &ForeignFile| {
        let other =
            |t: &ForeignTest| t.asked.others.iter().find(|(k, _)| k == "elapsed").and_then(|(_, v)| v.parse().ok());
        f.tests.iter().filter_map(other).fold(f64::NAN, f64::max)
    };
    let names = |f: &ForeignFile| f.tests.iter().map(|t| t.name.clone()).collect::<Vec<_>>();
    let mut list: Vec<ForeignFile> = Vec::new();
    for mut file in files {
        if let Some(before) = list.last_mut()
            && names(before) == names(&file)
            && let (Some(a), Some(b)) = (before.began, file.began)
            && ((b - a) as f64 - (elapsed(&file) - elapsed(before))).abs() <= 2.0
            && b > a
        {
            file.remarks.splice(0..0, before.remarks.drain(..));
            let text = sentence!("import-fio-earlier-report");
            if !file.remarks.iter().any(|r| r.text == text) {
                file.remarks.push(remark(0, text));
            }
            *before = file;
        } else {
            list.push(file);
        }
    }
    list
}

fn file(document: &Value<'_>) -> ForeignFile {
    let mut file = ForeignFile {
        tool: document.text_of("fio version").unwrap_or("fio").to_owned(),
        when: document.text_of("time").map(|t| t.trim().to_owned()).unwrap_or_default(),
        ..ForeignFile::default()
    };
    (file.began, file.zone) = clock(document.number_of("timestamp").map(|t| t as i64), dates::ctime(&file.when));
    let globals = document.get("global options").map(Value::members).unwrap_or_default();
    let members = |name: &str| document.elements_of(name);
    for entry in members("jobs").iter().chain(members("client_stats")) {
        let test = test(entry, globals, &mut file);
        file.tests.push(test);
    }
    options::part_clients(&mut file);
    share_jobs(&mut file);
    file.disks = members("disk_util").iter().map(disk).collect();
    twice(document, &mut file);
    file
}

/// Returns the start in local time and the difference between local time and UTC. fio prints the start in local time
/// and in UTC.
fn clock(utc: Option<i64>, wall: Option<i64>) -> (Option<i64>, Option<i32>) {
    let Some(utc) = utc else { return (wall, None) };
    // Every time zone differs from UTC by a multiple of 15 minutes, and by at most 15 hours.
    let ahead = wall.map(|wall| wall - utc).filter(|ahead| ahead.abs() <= 54_000 && ahead % 900 == 0).unwrap_or(0);
    (Some(utc + ahead), i32::try_from(ahead).ok())
}

/// Sets the number of jobs to 1 if each clone has its own entry. If there is only one entry, it covers all clones.
fn share_jobs(file: &mut ForeignFile) {
    let key = |t: &ForeignTest| (t.name.clone(), t.asked.others.iter().find(|(k, _)| k == "groupid").cloned());
    let keys: Vec<_> = file.tests.iter().map(key).collect();
    for test in &mut file.tests {
        let test_key = key(test);
        let entries = keys.iter().filter(|k| **k == test_key).count();
        if entries > 1 {
            test.asked.jobs = Some(1);
        }
    }
}

/// Adds remarks on duplicate keys in an object. The last value of a duplicate key is used.
fn twice(value: &Value<'_>, file: &mut ForeignFile) {
    let members = value.members();
    // Objects with bins have thousands of keys, which are distinct numbers.
    if members.len() < 200 {
        for (i, (key, _)) in members.iter().enumerate() {
            if let Some((_, again)) = members[i + 1..].iter().find(|(k, _)| k == key) {
                add_remark(&mut file.remarks, again.line, || sentence!("import-fio-key-twice", key = &**key));
            }
        }
    }
    members.iter().for_each(|(_, v)| twice(v, file));
    value.elements().iter().for_each(|v| twice(v, file));
}

/// Converts an entry to a test.
fn test(entry: &Value<'_>, globals: &[(std::borrow::Cow<'_, str>, Value<'_>)], file: &mut ForeignFile) -> ForeignTest {
    let name = entry.text_of("jobname").unwrap_or("job");
    // The sum of all clients has the host name of the last client.
    let host = entry.text_of("hostname").filter(|_| name != options::ALL_CLIENTS);
    let mut test = ForeignTest {
        name: host.map_or_else(|| name.to_owned(), |host| format!("{name} on {host}")),
        line: entry.line,
        ..ForeignTest::default()
    };
    if let Some(job_options) = entry.get("job options") {
        // A job's options override the global options. An option that is given in neither has fio's default.
        for (key, value) in job_options.members().iter().chain(globals) {
            let hidden = job_options.get(key).is_some_and(|v| !std::ptr::eq(v, value));
            if let Some(text) = value.text().filter(|_| !hidden) {
                options::option(&mut test.asked, key, text);
            }
        }
        let asked = &mut test.asked;
        asked.rw.get_or_insert_with(|| "read".to_owned());
        asked.depth.get_or_insert(1);
        asked.jobs.get_or_insert(1);
        asked.direct.get_or_insert(false);
        if asked.block == [None; 2] {
            asked.block = [Some((Bytes(4096), Bytes(4096))); 2];
        }
    }
    for key in ["groupid", "elapsed", "desc"] {
        if let Some(value) = entry.get(key) {
            test.asked.others.push((key.to_owned(), value.written().to_owned()));
        }
    }
    if let Some(error) = entry.get("error").filter(|e| e.number().is_some_and(|n| n != 0.0)) {
        fault(file, entry.line, || sentence!("import-fio-job-error", name, error = error.written()));
        push(&mut test, Way::All, Quantity::Errors, error.figure(), Cut::Exact, error, "error");
    }
    if let Some(total) = entry.get("total_err").filter(|e| e.number().is_some_and(|n| n != 0.0)) {
        push(&mut test, Way::All, Quantity::Errors, total.figure(), Cut::Exact, total, "total_err");
    }
    for (key, way) in WAYS {
        // For syncs after writes (fsync, fdatasync), `total_ios` is 0. Only the latencies show the number of these
        // syncs.
        let timed = |d: &Value<'_>| d.get("lat_ns").and_then(|l| l.number_of("N")).is_some_and(|n| n > 0.0);
        let done = |d: &&Value<'_>| {
            ["total_ios", "io_bytes"].iter().any(|k| d.number_of(k).is_some_and(|n| n > 0.0))
                || way == Way::Sync && timed(d)
        };
        if let Some(direction) = entry.get(key).filter(done) {
            self::direction(&mut test, direction, key, way);
        }
    }
    rest(&mut test, entry, file);
    test
}

/// Adds a figure, or an unmeasured value if `figure` is `None`.
fn push(
    test: &mut ForeignTest,
    way: Way,
    quantity: Quantity,
    figure: Option<Figure>,
    cut: Cut,
    at: &Value<'_>,
    key: &str,
) {
    let words = format!("{key} {}", at.written());
    test.values.push(match figure {
        Some(figure) => figure.to_value(way, quantity, cut, at.line, words),
        None => unmeasured(way, quantity, at.line, words, "fio could not compute it"),
    });
}

fn direction(test: &mut ForeignTest, d: &Value<'_>, name: &str, way: Way) {
    // Version 2 has `io_bytes` in KiB, and has neither `io_kbytes` nor `bw_bytes`.
    let old = d.get("io_kbytes").is_none() && d.get("bw_bytes").is_none();
    let rate = if d.get("bw_bytes").is_some() { ("bw_bytes", 1.0) } else { ("bw", 1024.0) };
    let iops: fn(Statistic) -> Quantity = Quantity::Iops;
    let bandwidth: fn(Statistic) -> Quantity = Quantity::Bandwidth;
    for (key, quantity, scale, cut) in [
        ("total_ios", Quantity::Operations, 1.0, Cut::Exact),
        ("io_bytes", Quantity::Moved, if old { 1024.0 } else { 1.0 }, if old { Cut::Down } else { Cut::Exact }),
        ("runtime", Quantity::Runtime, 1e-3, Cut::Nearest),
        ("iops", iops(Statistic::Overall), 1.0, Cut::Either),
        (rate.0, bandwidth(Statistic::Overall), rate.1, Cut::Down),
        ("bw_min", bandwidth(Statistic::Min), 1024.0, Cut::Either),
        ("bw_max", bandwidth(Statistic::Max), 1024.0, Cut::Either),
        ("bw_mean", bandwidth(Statistic::Mean), 1024.0, Cut::Nearest),
        ("bw_dev", bandwidth(Statistic::Deviation), 1024.0, Cut::Nearest),
        ("bw_samples", bandwidth(Statistic::Samples), 1.0, Cut::Exact),
        ("iops_min", iops(Statistic::Min), 1.0, Cut::Either),
        ("iops_max", iops(Statistic::Max), 1.0, Cut::Either),
        ("iops_mean", iops(Statistic::Mean), 1.0, Cut::Nearest),
        ("iops_stddev", iops(Statistic::Deviation), 1.0, Cut::Nearest),
        ("iops_samples", iops(Statistic::Samples), 1.0, Cut::Exact),
    ] {
        let Some(value) = d.get(key) else { continue };
        // Without samples, these figures are zeros that were not measured.
        let samples =
            key.split_once('_').filter(|(k, _)| matches!(*k, "bw" | "iops")).map(|(k, _)| format!("{k}_samples"));
        if key != "bw_bytes" && samples.is_some_and(|s| d.number_of(&s) == Some(0.0)) {
            continue;
        }
        push(test, way, quantity, value.figure().map(|f| f.times(scale)), cut, value, &format!("{name}.{key}"));
    }
    for (key, kind) in
        [("slat", ForeignLatency::Submission), ("clat", ForeignLatency::Completion), ("lat", ForeignLatency::Total)]
    {
        let fine = d.get(&format!("{key}_ns")).map(|v| (v, 1e-9));
        if let Some((part, unit)) = fine.or_else(|| d.get(key).map(|v| (v, 1e-6))) {
            latency(test, part, unit, &format!("{name}.{key}"), way, kind);
        }
    }
}

fn latency(test: &mut ForeignTest, part: &Value<'_>, unit: f64, name: &str, way: Way, kind: ForeignLatency) {
    let count = part.number_of("N").unwrap_or(1.0);
    let all_zero = ["min", "max", "mean"].iter().all(|k| part.number_of(k).unwrap_or(0.0) == 0.0);
    if count > 0.0 && !all_zero {
        for (key, statistic, cut) in [
            ("min", Statistic::Min, Cut::Down),
            ("max", Statistic::Max, Cut::Down),
            ("mean", Statistic::Mean, Cut::Nearest),
            ("stddev", Statistic::Deviation, Cut::Nearest),
            ("N", Statistic::Samples, Cut::Exact),
        ] {
            let Some(value) = part.get(key) else { continue };
            let scale = if statistic == Statistic::Samples { 1.0 } else { unit };
            let figure = value.figure().map(|f| f.times(scale));
            push(test, way, Quantity::Latency(kind, statistic), figure, cut, value, &format!("{name}.{key}"));
        }
    }
    for (key, value) in part.get("percentile").map(Value::members).unwrap_or_default() {
        // fio pads the list of percentiles with zeros at 0 %.
        let (Ok(percent), Some(figure)) = (key.parse::<f64>(), value.figure()) else { continue };
        if percent > 0.0 && figure.value > 0.0 {
            let quantity = Quantity::Latency(kind, Statistic::Percentile(percent));
            push(test, way, quantity, Some(figure.times(unit)), Cut::Exact, value, &format!("{name}.p{key}"));
        }
    }
    let mut histogram = LatencyHistogram::default();
    for (key, value) in part.get("bins").map(Value::members).unwrap_or_default() {
        let (Ok(at), Some(count)) = (key.parse::<f64>(), value.number()) else { continue };
        if at >= 0.0 && count >= 1.0 && count <= options::MOST_OF_BIN as f64 {
            options::record(&mut histogram, Nanos((at * unit * 1e9).round() as u64), count as u64);
        }
    }
    if histogram.count() > 0 {
        test.histograms.push((way, kind, histogram));
    }
}

/// Reads the CPU usage, depths, latency distribution and steady state.
fn rest(test: &mut ForeignTest, entry: &Value<'_>, file: &mut ForeignFile) {
    let zero = |key: &str| entry.number_of(key) == Some(0.0);
    let idle = zero("usr_cpu") && zero("sys_cpu") && zero("ctx");
    for (key, quantity, scale, cut) in [
        ("usr_cpu", Quantity::CpuUser, 0.01, Cut::Nearest),
        ("sys_cpu", Quantity::CpuSystem, 0.01, Cut::Nearest),
        ("ctx", Quantity::ContextSwitches, 1.0, Cut::Exact),
    ] {
        let Some(value) = entry.get(key) else { continue };
        if idle || key == "ctx" && zero(key) {
            let words = format!("{key} {}", value.written());
            let doubt = "not measured on that system: fio writes 0 (as on Windows)";
            test.values.push(unmeasured(Way::All, quantity, value.line, words, doubt));
        } else {
            push(test, Way::All, quantity, value.figure().map(|f| f.times(scale)), cut, value, key);
        }
    }
    for (key, value) in entry.get("iodepth_level").map(Value::members).unwrap_or_default() {
        if let Ok(depth) = key.trim_start_matches(">=").parse() {
            let figure = value.figure().map(|f| f.times(0.01));
            // The key for depths of 64 and more depends on the version.
            if key.starts_with(">=")
                || !(depth == 64 && entry.get("iodepth_level").is_some_and(|l| l.get(">=64").is_some()))
            {
                push(
                    test,
                    Way::All,
                    Quantity::DepthShare(depth),
                    figure,
                    Cut::Nearest,
                    value,
                    &format!("iodepth_level.{key}"),
                );
            }
        }
    }
    for (list, unit) in [("latency_ns", 1e-9), ("latency_us", 1e-6), ("latency_ms", 1e-3)] {
        for (key, value) in entry.get(list).map(Value::members).unwrap_or_default() {
            let end = if key.starts_with(">=") { Some(f64::INFINITY) } else { key.parse().ok() };
            let Some((low, high)) = end.and_then(|end| options::share(end, unit)) else { continue };
            if let Some(figure) = value.figure().filter(|f| f.value > 0.0) {
                push(
                    test,
                    Way::All,
                    Quantity::LatencyShare(low, high),
                    Some(figure.times(0.01)),
                    Cut::Nearest,
                    value,
                    &format!("{list}.{key}"),
                );
            }
        }
    }
    if let Some(steady) = entry.get("steadystate") {
        let text_of = |key: &str| steady.get(key).map(|v| v.written().to_owned()).unwrap_or_default();
        let (attained, criterion) = (text_of("attained"), text_of("criterion"));
        let text = sentence!("import-fio-steady-state", asked = text_of("ss"), attained, criterion);
        file.remarks.push(remark(steady.line, text));
    }
}

fn disk(entry: &Value<'_>) -> ForeignTest {
    let name = entry.text_of("name").unwrap_or("?").to_owned();
    let mut test = ForeignTest { name, line: entry.line, ..ForeignTest::default() };
    for (key, way, quantity, scale) in [
        ("read_ios", Way::Read, Quantity::Operations, 1.0),
        ("write_ios", Way::Write, Quantity::Operations, 1.0),
        ("read_sectors", Way::Read, Quantity::Moved, 512.0),
        ("write_sectors", Way::Write, Quantity::Moved, 512.0),
        ("read_merges", Way::Read, Quantity::Merges, 1.0),
        ("write_merges", Way::Write, Quantity::Merges, 1.0),
        ("read_ticks", Way::Read, Quantity::DeviceTime, 1e-3),
        ("write_ticks", Way::Write, Quantity::DeviceTime, 1e-3),
        ("in_queue", Way::All, Quantity::DeviceTime, 1e-3),
        ("util", Way::All, Quantity::Utilisation, 0.01),
    ] {
        if let Some(value) = entry.get(key) {
            push(&mut test, way, quantity, value.figure().map(|f| f.times(scale)), Cut::Nearest, value, key);
        }
    }
    for (key, value) in entry.members().iter().filter(|(k, _)| k.starts_with("aggr")) {
        test.asked.others.push((key.to_string(), value.written().to_owned()));
    }
    test
}

/// Returns a latency figure of a job. The kind of latency is the first kind in `order` that the file contains.
pub(crate) fn latency_of(
    test: &ForeignTest,
    way: Way,
    statistic: Statistic,
    order: [ForeignLatency; 2],
) -> Option<&ForeignValue> {
    order.into_iter().find_map(|kind| test.get(way, Quantity::Latency(kind, statistic)))
}

#[cfg(test)]
mod tests;

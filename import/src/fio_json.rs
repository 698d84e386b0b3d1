//! fio's JSON (`--output-format=json` and `json+`, versions 2 and 3) -> the figures of a run.
//!
//! Messages before the document are passed over, as fio prints them there (#1685); of several documents
//! (`--status-interval`) the last one counts. Jobs of one name are put together the way their figures allow: rates add,
//! means weigh by their counts, percentiles merge only where `json+` has the bins, else they are missing.

use crate::{ImportError, civil};
use model::{Bytes, DEPTH, Metric, RunFigures, SubjectFigures};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

type Object = Map<String, Value>;

/// fio's directions.
const WAYS: [&str; 4] = ["read", "write", "trim", "mixed"];
/// Fewer operations beyond a percentile leave it to chance (`measurement.md` 2.2).
const BEYOND: f64 = 10.0;

/// Whether a document is fio's.
#[must_use]
pub fn is_fio(document: &Value) -> bool {
    document.get("fio version").is_some()
}

/// Reads a file of fio's. `source` names it; `metrics` are the figures wanted.
///
/// # Errors
/// When it holds no whole document of fio's, or one without jobs.
pub fn read(text: &[u8], source: &str, metrics: &[Metric]) -> Result<RunFigures, ImportError> {
    let (document, several) = last_document(text)?;
    let fail = |why: &str| ImportError(why.to_owned());
    let root = document
        .as_object()
        .filter(|_| is_fio(&document))
        .ok_or_else(|| fail("no JSON of fio's: `fio version` is missing"))?;
    let entries = root.get("jobs").and_then(Value::as_array);
    let jobs: Vec<&Object> = entries.into_iter().flatten().filter_map(Value::as_object).collect();
    if jobs.is_empty() {
        let clients = root.contains_key("client_stats");
        return Err(fail(if clients {
            "it is of fio's client mode, which is not read here"
        } else {
            "it has no jobs"
        }));
    }
    let empty = Object::new();
    let globals = root.get("global options").and_then(Value::as_object).unwrap_or(&empty);
    let mut names: Vec<&str> = Vec::new();
    for job in &jobs {
        let name = name_of(job);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut remarks = Vec::new();
    if several {
        remarks.push("the file holds several reports: the last one is taken".to_owned());
    }
    let mut subjects = Vec::new();
    for name in names {
        let members: Vec<&Object> = jobs.iter().copied().filter(|j| name_of(j) == name).collect();
        subjects.extend(job(name, &members, globals, metrics, &mut remarks));
    }
    let seconds = root.get("timestamp").and_then(Value::as_u64);
    Ok(RunFigures {
        source: source.to_owned(),
        tool: root.get("fio version").and_then(Value::as_str).unwrap_or("fio").to_owned(),
        started: seconds.map(civil::rfc3339).unwrap_or_default(),
        subjects,
        remarks,
    })
}

fn name_of(job: &Object) -> &str {
    job.get("jobname").and_then(Value::as_str).unwrap_or("job")
}

/// The last whole document, and whether there were several.
fn last_document(text: &[u8]) -> Result<(Value, bool), ImportError> {
    let start = text.split_inclusive(|b| *b == b'\n').scan(0, |at, line| {
        let from = *at;
        *at += line.len();
        Some((from, line))
    });
    let first = start.into_iter().find(|(_, line)| line.trim_ascii_start().first() == Some(&b'{'));
    let Some((from, _)) = first else { return Err(ImportError("it holds no JSON".to_owned())) };
    let mut last = None;
    let mut count = 0;
    let mut stream = serde_json::Deserializer::from_slice(&text[from..]).into_iter::<Value>();
    loop {
        match stream.next() {
            Some(Ok(value)) => {
                last = Some(value);
                count += 1;
            }
            // Behind a whole document fio may have said more.
            Some(Err(_)) if last.is_some() => break,
            Some(Err(e)) => return Err(ImportError(format!("its JSON is not whole: {e}"))),
            None => break,
        }
    }
    let last = last.ok_or_else(|| ImportError("it holds no JSON".to_owned()))?;
    Ok((last, count > 1))
}

/// The directions of jobs of one name in which anything was done or asked.
fn job(
    name: &str,
    members: &[&Object],
    globals: &Object,
    metrics: &[Metric],
    remarks: &mut Vec<String>,
) -> Vec<SubjectFigures> {
    let options = Options { globals, own: members[0].get("job options").and_then(Value::as_object) };
    let error = members.iter().find_map(|j| j.get("error").and_then(Value::as_i64).filter(|e| *e != 0));
    let ways: Vec<(&str, Vec<Way>)> = WAYS
        .iter()
        .map(|way| (*way, members.iter().filter_map(|j| Way::of(j.get(*way)?)).collect::<Vec<_>>()))
        .filter(|(_, ways)| ways.iter().any(|w| w.count > 0.0))
        .collect();
    let apart = ways.len() > 1;
    let parameters = options.parameters(members.len());
    let subject = |(way, parts): &(&str, Vec<Way>)| SubjectFigures {
        name: if apart { format!("{name}: {way}") } else { name.to_owned() },
        level: false,
        held: false,
        parameters: parameters.clone(),
        values: metrics
            .iter()
            .map(|m| match error {
                Some(errno) => Err(format!("job {name} ended with error {errno}")),
                None => value(parts, *m),
            })
            .collect(),
    };
    for (way, parts) in &ways {
        if let Some(off) = parts.iter().map(Way::disagreement).find(|off| off.abs() > 0.01) {
            remarks.push(format!(
                "job {name}: {way} bandwidth and IOPS disagree by {:.1} % (fio counts the bytes of the ramp)",
                off * 100.0
            ));
        }
    }
    if ways.is_empty() {
        let values = metrics.iter().map(|_| Err(format!("job {name} did nothing"))).collect();
        return vec![SubjectFigures { name: name.to_owned(), parameters, values, ..SubjectFigures::default() }];
    }
    ways.iter().map(subject).collect()
}

/// One direction of one entry.
struct Way {
    count: f64,
    bytes: f64,
    iops: f64,
    bandwidth: f64,
    /// Nanoseconds.
    mean: Option<f64>,
    max: Option<f64>,
    /// By percent, nanoseconds.
    percentiles: BTreeMap<String, f64>,
    /// Counts by nanoseconds.
    bins: BTreeMap<u64, u64>,
}

impl Way {
    fn of(value: &Value) -> Option<Way> {
        let way = value.as_object()?;
        let number = |name: &str| way.get(name).and_then(Value::as_f64);
        let count = number("total_ios")?;
        // Version 2 has microseconds and kilobytes.
        let latency = |name: &str| -> Option<(&Object, f64)> {
            let fine = way.get(&format!("{name}_ns")).and_then(Value::as_object).map(|o| (o, 1.0));
            fine.or_else(|| way.get(name).and_then(Value::as_object).map(|o| (o, 1000.0)))
        };
        let of = |part: Option<(&Object, f64)>, field: &str| {
            part.and_then(|(o, scale)| Some(o.get(field)?.as_f64()? * scale)).filter(|v| *v > 0.0)
        };
        let (total, completion) = (latency("lat"), latency("clat"));
        let mut percentiles = BTreeMap::new();
        let mut bins = BTreeMap::new();
        // Completion latencies carry the percentiles, unless fio was told otherwise.
        for (part, scale) in [total, completion].into_iter().flatten() {
            for (p, v) in part.get("percentile").and_then(Value::as_object).into_iter().flatten() {
                if let Some(v) = v.as_f64() {
                    percentiles.insert(p.clone(), v * scale);
                }
            }
            for (at, n) in part.get("bins").and_then(Value::as_object).into_iter().flatten() {
                if let (Ok(at), Some(n)) = (at.parse::<f64>(), n.as_u64()) {
                    bins.insert((at * scale) as u64, n);
                }
            }
        }
        Some(Way {
            count,
            bytes: number("io_bytes").or(number("io_kbytes").map(|k| k * 1024.0)).unwrap_or(0.0),
            iops: number("iops").unwrap_or(0.0),
            bandwidth: number("bw_bytes").or(number("bw").map(|k| k * 1024.0)).unwrap_or(0.0),
            mean: of(total, "mean").or_else(|| of(completion, "mean")),
            max: of(completion, "max").or_else(|| of(total, "max")),
            percentiles,
            bins,
        })
    }

    /// By how much the bandwidth is off the rate times the mean size (`measurement.md` 0.9 and 2.11).
    fn disagreement(&self) -> f64 {
        let size = self.bytes / self.count.max(1.0);
        // Below a few hundred operations rounding to milliseconds shows.
        if self.iops <= 0.0 || size <= 0.0 || self.count < 500.0 {
            0.0
        } else {
            self.bandwidth / (self.iops * size) - 1.0
        }
    }
}

fn value(parts: &[Way], metric: Metric) -> Result<f64, String> {
    let active: Vec<&Way> = parts.iter().filter(|w| w.count > 0.0).collect();
    let count: f64 = active.iter().map(|w| w.count).sum();
    let none = || "fio's file does not tell it".to_owned();
    match metric {
        Metric::Iops => Ok(active.iter().map(|w| w.iops).sum()),
        Metric::Bandwidth => Ok(active.iter().map(|w| w.bandwidth).sum()),
        Metric::Mean => {
            let sum: Option<f64> = active.iter().map(|w| Some(w.mean? * w.count)).sum();
            Ok(sum.ok_or_else(none)? / count)
        }
        Metric::Max => {
            let all: Option<Vec<f64>> = active.iter().map(|w| w.max).collect();
            Ok(all.ok_or_else(none)?.into_iter().fold(0.0, f64::max))
        }
        Metric::Percentile(p) => {
            if count * (1.0 - p / 100.0) < BEYOND - 1e-9 {
                return Err(format!("too few operations ({count}) for p{p}"));
            }
            percentile(&active, p)
        }
    }
}

fn percentile(parts: &[&Way], p: f64) -> Result<f64, String> {
    if let [one] = parts
        && let Some(value) = one.percentiles.get(&format!("{p:.6}"))
    {
        return Ok(*value);
    }
    if parts.iter().all(|w| !w.bins.is_empty()) {
        let mut all: BTreeMap<u64, u64> = BTreeMap::new();
        for (at, n) in parts.iter().flat_map(|w| &w.bins) {
            *all.entry(*at).or_default() += n;
        }
        let total: u64 = all.values().sum();
        let rank = (p / 100.0 * total as f64).ceil() as u64;
        let mut seen = 0;
        for (at, n) in all {
            seen += n;
            if seen >= rank {
                return Ok(at as f64);
            }
        }
    }
    Err(match parts {
        [_] => format!("fio's file has no p{p} (ask fio for it: --percentile_list={p})"),
        many => format!(
            "p{p} of {} jobs together is not in fio's file: percentiles cannot be averaged (use group_reporting or json+)",
            many.len()
        ),
    })
}

/// Options of a job: its own, else the globals'.
struct Options<'a> {
    globals: &'a Object,
    own: Option<&'a Object>,
}

impl Options<'_> {
    fn get(&self, names: &[&str]) -> Option<&str> {
        names
            .iter()
            .find_map(|n| self.own.and_then(|o| o.get(*n)).and_then(Value::as_str))
            .or_else(|| names.iter().find_map(|n| self.globals.get(*n).and_then(Value::as_str)))
    }

    /// In the names under which runs of ours tell theirs.
    fn parameters(&self, entries: usize) -> Vec<(String, String)> {
        let size = |text: &str| text.parse::<Bytes>().map_or_else(|_| text.to_owned(), Bytes::short);
        let mut list = vec![
            ("rw", self.get(&["rw", "readwrite"]).unwrap_or("read").replace("readwrite", "rw")),
            ("bs", size(self.get(&["bs", "blocksize"]).unwrap_or("4k"))),
            (DEPTH, self.get(&["iodepth"]).unwrap_or("1").to_owned()),
            ("numjobs", self.get(&["numjobs"]).map_or_else(|| entries.to_string(), str::to_owned)),
            ("engine", self.get(&["ioengine"]).unwrap_or("psync").to_owned()),
            ("direct", self.get(&["direct"]).unwrap_or("0").to_owned()),
            ("fsync", self.get(&["fsync", "fdatasync"]).unwrap_or("0").to_owned()),
        ];
        if list[0].1.ends_with("rw") {
            list.push(("rwmixread", self.get(&["rwmixread"]).unwrap_or("50").to_owned()));
        }
        list.extend(self.get(&["size"]).map(|s| ("size", size(s))));
        if self.get(&["rate", "rate_iops", "rate_min", "rate_iops_min"]).is_none() {
            list.push(("rate", "none".to_owned()));
        }
        list.into_iter().map(|(n, v)| (n.to_owned(), v)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const METRICS: [Metric; 4] = [Metric::Iops, Metric::Mean, Metric::Percentile(99.0), Metric::Max];

    const SINGLE: &[u8] = include_bytes!("../tests/fio/single.json");
    const MIXED: &[u8] = include_bytes!("../tests/fio/mixed-clones.json");
    const BINS: &[u8] = include_bytes!("../tests/fio/clones-bins.json");

    #[test]
    fn a_job_of_fio_is_read_with_its_figures_and_parameters() {
        let run = read(SINGLE, "single.json", &METRICS).unwrap();
        assert_eq!((run.tool.as_str(), run.subjects.len()), ("fio-3.33", 1));
        assert!(run.started.starts_with("2026-"), "{}", run.started);
        let s = &run.subjects[0];
        assert_eq!(s.name, "r");
        let raw: Value = serde_json::from_slice(SINGLE).unwrap();
        let read = &raw["jobs"][0]["read"];
        let wanted = [
            &read["iops"],
            &read["lat_ns"]["mean"],
            &read["clat_ns"]["percentile"]["99.000000"],
            &read["clat_ns"]["max"],
        ];
        for (got, want) in s.values.iter().zip(wanted) {
            assert_eq!(got.as_ref().ok().copied(), want.as_f64());
        }
        for (name, value) in
            [("rw", "randread"), ("bs", "4k"), ("depth", "4"), ("engine", "libaio"), ("direct", "1"), ("rate", "none")]
        {
            assert_eq!(s.parameter(name), Some(value), "{name}");
        }
    }

    #[test]
    fn clones_that_fio_left_apart_have_a_rate_and_no_percentile() {
        let run = read(MIXED, "mixed", &METRICS).unwrap();
        let names: Vec<&str> = run.subjects.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["m: read", "m: write"]);
        let raw: Value = serde_json::from_slice(MIXED).unwrap();
        let sum: f64 = raw["jobs"].as_array().unwrap().iter().map(|j| j["read"]["iops"].as_f64().unwrap()).sum();
        assert!((run.subjects[0].values[0].as_ref().unwrap() - sum).abs() < 1e-6);
        let why = run.subjects[0].values[2].as_ref().unwrap_err();
        assert!(why.contains("cannot be averaged"), "{why}");
        assert_eq!(run.subjects[0].parameter("numjobs"), Some("2"));
    }

    #[test]
    fn bins_of_clones_are_merged() {
        let run = read(BINS, "bins", &METRICS).unwrap();
        let p99 = *run.subjects[0].values[2].as_ref().unwrap();
        let raw: Value = serde_json::from_slice(BINS).unwrap();
        let of = |i: usize| raw["jobs"][i]["read"]["clat_ns"]["percentile"]["99.000000"].as_f64().unwrap();
        let (low, high) = (of(0).min(of(1)), of(0).max(of(1)));
        assert!((low * 0.98..=high * 1.02).contains(&p99), "{p99} of {low} and {high}");
    }

    #[test]
    fn messages_before_and_several_reports_are_passed_over() {
        let mut text = b"fio: terminating on signal 2\n\n".to_vec();
        text.extend_from_slice(MIXED);
        text.extend_from_slice(SINGLE);
        text.extend_from_slice(b"\nfio: one more thing\n");
        let run = read(&text, "x", &METRICS).unwrap();
        assert_eq!(run.subjects[0].name, "r");
        assert!(run.remarks[0].contains("several reports"));
    }

    #[test]
    fn what_is_no_document_of_fios_is_named() {
        let why = |text: &[u8]| read(text, "x", &METRICS).unwrap_err().0;
        assert!(why(b"hello\n").contains("no JSON"));
        assert!(why(b"{}").contains("fio version"));
        assert!(why(&SINGLE[..SINGLE.len() / 2]).contains("not whole"));
        assert!(why(br#"{"fio version":"fio-3.33","jobs":[]}"#).contains("no jobs"));
        assert!(why(br#"{"fio version":"fio-3.33","client_stats":[{}]}"#).contains("client mode"));
    }

    #[test]
    fn a_job_that_failed_or_did_nothing_has_no_figures() {
        let text = br#"{"fio version":"fio-3.33","jobs":[{"jobname":"a","error":5,"read":{"total_ios":10,"iops":5.0}},
            {"jobname":"b","error":0,"read":{"total_ios":0,"iops":0.0}}]}"#;
        let run = read(text, "x", &[Metric::Iops]).unwrap();
        assert!(run.subjects[0].values[0].as_ref().unwrap_err().contains("error 5"));
        assert!(run.subjects[1].values[0].as_ref().unwrap_err().contains("did nothing"));
    }

    #[test]
    fn bandwidth_that_contradicts_the_rate_is_told() {
        // measurement.md 0.9: fio 3.33 with ramp_time: 1090 operations, bytes of 1121.
        let text = br#"{"fio version":"fio-3.33","jobs":[{"jobname":"a","error":0,"read":
            {"total_ios":1090,"io_bytes":285736960,"iops":352.2,"bw_bytes":94952000}}]}"#;
        let run = read(text, "x", &[Metric::Iops]).unwrap();
        assert!(run.remarks[0].contains("disagree by 2.8 %"), "{:?}", run.remarks);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read(&text, "x", &METRICS);
        }

        #[test]
        fn no_cut_document_makes_it_panic(at in 0..SINGLE.len()) {
            let _ = read(&SINGLE[..at], "x", &METRICS);
        }
    }
}

//! Extracts the figures by which runs are compared from a fio JSON file.
//!
//! If the file contains several documents (`--status-interval`), the last one is used. Jobs with the same name are
//! combined as far as their figures allow: rates are added, and means are weighted by their counts. Percentiles can be
//! merged only with the bins of `json+`. Otherwise the percentiles are missing.

use super::{files, latency_of};
use crate::text::source::{ImportError, Source};
use crate::text::{dates, json};
use messages::{Sentence, sentence};
use model::foreign::{ForeignLatency, ForeignTest, Quantity, Statistic, Way};
use model::judged::{DEPTH, JOBS, RunFigures, SubjectFigures};
use model::{Bytes, LatencyHistogram, bounds::Metric};

/// fio's directions with their names in the JSON, in the order of the JSON.
const WAYS: [(&str, Way); 4] = [("read", Way::Read), ("write", Way::Write), ("trim", Way::Trim), ("mixed", Way::All)];
/// Minimum number of operations above a percentile. With fewer operations, the percentile is determined by chance
/// (docs/design/statistics.md, "Percentiles").
const BEYOND: f64 = 10.0;

/// Reads a fio JSON file. `source` is the name of the file, and `metrics` are the requested figures.
///
/// # Errors
/// Returns an error if the file has no complete fio document, has no jobs, or is from fio's client mode.
pub fn read_figures(text: &[u8], source: &str, metrics: &[Metric]) -> Result<RunFigures, ImportError> {
    let decoded = Source::new(source, text, &|| false)?;
    let parsed = json::documents(decoded.text(), &|| Ok(()))?;
    let mut documents = files(&parsed)?;
    let several = documents.len() > 1;
    let file = documents.pop().expect("an empty list is an error of `files`");
    if file.tests.is_empty() {
        return Err(ImportError("it contains no jobs".to_owned()));
    }
    if parsed.list.iter().any(|d| d.get("client_stats").is_some()) {
        return Err(ImportError("it is output of fio's client mode, which is not supported".to_owned()));
    }
    // Jobs with the same name in different groups ran at different times.
    let load = |t: &ForeignTest| (t.name.clone(), t.asked.others.iter().find(|(k, _)| k == "groupid").cloned());
    let mut loads: Vec<(String, Option<(String, String)>)> = Vec::new();
    for key in file.tests.iter().map(load) {
        if !loads.contains(&key) {
            loads.push(key);
        }
    }
    let mut remarks = Vec::new();
    if several {
        remarks.push(sentence!("import-fio-several-reports"));
    }
    let mut subjects = Vec::new();
    for key in &loads {
        let members: Vec<&ForeignTest> = file.tests.iter().filter(|t| load(t) == *key).collect();
        subjects.extend(job(&key.0, &members, metrics, &mut remarks));
    }
    Ok(RunFigures {
        source: source.to_owned(),
        started: file.began_utc().and_then(|s| u64::try_from(s).ok()).map(dates::rfc3339).unwrap_or_default(),
        tool: file.tool,
        subjects,
        remarks,
    })
}

/// Returns the combined figures of jobs with the same name, separately for each direction that did I/O.
fn job(name: &str, members: &[&ForeignTest], metrics: &[Metric], remarks: &mut Vec<Sentence>) -> Vec<SubjectFigures> {
    let error = members.iter().find_map(|t| t.value(Way::All, Quantity::Errors));
    let ways: Vec<(&str, Vec<Part<'_>>)> = WAYS
        .iter()
        .map(|(word, way)| (*word, members.iter().filter_map(|t| Part::from_test(t, *way)).collect::<Vec<_>>()))
        .filter(|(_, parts)| !parts.is_empty())
        .collect();
    let apart = ways.len() > 1;
    let parameters = parameters(members);
    let subject = |(way, parts): &(&str, Vec<Part<'_>>)| SubjectFigures {
        name: if apart { format!("{name}: {way}") } else { name.to_owned() },
        level: false,
        held: false,
        parameters: parameters.clone(),
        values: metrics
            .iter()
            .map(|m| match error {
                Some(errno) => Err(sentence!("import-fio-job-error", name, error = errno.to_string())),
                None => value(parts, *m),
            })
            .collect(),
        own: Vec::new(),
    };
    for (way, parts) in &ways {
        if let Some(off) = parts.iter().map(Part::disagreement).find(|off| off.abs() > 0.01) {
            let percent = format!("{:.1}", off * 100.0);
            remarks.push(sentence!("import-fio-disagree", name, way = *way, percent));
        }
    }
    if ways.is_empty() {
        let values = metrics.iter().map(|_| Err(sentence!("import-fio-did-nothing", name))).collect();
        return vec![SubjectFigures { name: name.to_owned(), parameters, values, ..SubjectFigures::default() }];
    }
    ways.iter().map(subject).collect()
}

/// Figures of a job entry for one direction.
struct Part<'a> {
    test: &'a ForeignTest,
    way: Way,
    count: f64,
}

impl<'a> Part<'a> {
    fn from_test(test: &'a ForeignTest, way: Way) -> Option<Part<'a>> {
        let count = test.value(way, Quantity::Operations).filter(|n| *n > 0.0)?;
        Some(Part { test, way, count })
    }

    fn get(&self, quantity: Quantity) -> f64 {
        self.test.value(self.way, quantity).unwrap_or(0.0)
    }

    /// Returns a latency in nanoseconds. The kind of latency is the first kind in `order` that the file contains.
    fn latency(&self, statistic: Statistic, order: [ForeignLatency; 2]) -> Option<f64> {
        latency_of(self.test, self.way, statistic, order).and_then(|v| v.value).map(|s| s * 1e9)
    }

    /// Returns the histogram of completion latencies, or the histogram of total latencies if the file contains only
    /// that one.
    fn histogram(&self) -> Option<&'a LatencyHistogram> {
        let find = |wanted| {
            self.test.histograms.iter().find(|(way, kind, _)| *way == self.way && *kind == wanted).map(|(_, _, h)| h)
        };
        find(ForeignLatency::Completion).or_else(|| find(ForeignLatency::Total))
    }

    /// Returns the relative deviation of the bandwidth from the product of IOPS and mean size
    /// (docs/design/statistics.md, "Identities").
    fn disagreement(&self) -> f64 {
        let size = self.get(Quantity::Moved) / self.count;
        let (iops, bandwidth) =
            (self.get(Quantity::Iops(Statistic::Overall)), self.get(Quantity::Bandwidth(Statistic::Overall)));
        // With fewer than a few hundred operations, rounding times to milliseconds causes a deviation.
        if iops <= 0.0 || size <= 0.0 || self.count < 500.0 { 0.0 } else { bandwidth / (iops * size) - 1.0 }
    }
}

fn value(parts: &[Part<'_>], metric: Metric) -> Result<f64, Sentence> {
    const TOTAL_FIRST: [ForeignLatency; 2] = [ForeignLatency::Total, ForeignLatency::Completion];
    const COMPLETION_FIRST: [ForeignLatency; 2] = [ForeignLatency::Completion, ForeignLatency::Total];
    let count: f64 = parts.iter().map(|p| p.count).sum();
    let none = || sentence!("import-fio-not-told");
    match metric {
        Metric::DeviceWrites => Err(none()),
        Metric::Iops => Ok(parts.iter().map(|p| p.get(Quantity::Iops(Statistic::Overall))).sum()),
        Metric::Bandwidth => Ok(parts.iter().map(|p| p.get(Quantity::Bandwidth(Statistic::Overall))).sum()),
        Metric::Mean => {
            let sum: Option<f64> = parts.iter().map(|p| Some(p.latency(Statistic::Mean, TOTAL_FIRST)? * p.count)).sum();
            Ok(sum.ok_or_else(none)? / count)
        }
        Metric::Max => {
            let maxima: Option<Vec<f64>> = parts.iter().map(|p| p.latency(Statistic::Max, COMPLETION_FIRST)).collect();
            Ok(maxima.ok_or_else(none)?.into_iter().fold(0.0, f64::max))
        }
        Metric::Percentile(p) => {
            if count * (1.0 - p / 100.0) < BEYOND - 1e-9 {
                return Err(sentence!("import-fio-few", count = count.to_string(), p = p.to_string()));
            }
            if let [one] = parts
                && let Some(value) = one.latency(Statistic::Percentile(p), COMPLETION_FIRST)
            {
                return Ok(value);
            }
            percentile(parts, p)
        }
    }
}

fn percentile(parts: &[Part<'_>], p: f64) -> Result<f64, Sentence> {
    if let Some(histograms) = parts.iter().map(Part::histogram).collect::<Option<Vec<_>>>() {
        let mut merged = LatencyHistogram::default();
        histograms.into_iter().for_each(|h| merged.merge(h));
        if let Some(value) = merged.quantile(p / 100.0) {
            return Ok(value.as_nanos() as f64);
        }
    }
    let p = p.to_string();
    Err(match parts {
        [_] => sentence!("import-fio-no-percentile", p),
        many => sentence!("import-fio-percentile-of-jobs", p, jobs = many.len()),
    })
}

/// Returns the parameters under the names that secchi's runs use. An option that is missing from fio's file has its
/// default.
fn parameters(members: &[&ForeignTest]) -> Vec<(String, String)> {
    let asked = &members[0].asked;
    let other =
        |names: &[&str]| asked.others.iter().find(|(k, _)| names.contains(&k.as_str())).map(|(_, v)| v.as_str());
    let [read, write] =
        asked.block.map(|b| b.map_or_else(|| "4k".to_owned(), |(least, _): (Bytes, Bytes)| least.short()));
    let jobs: u32 = members.iter().map(|t| t.asked.jobs.unwrap_or(1)).sum();
    let mut list = vec![
        ("rw", asked.rw.clone().unwrap_or_else(|| "read".to_owned())),
        ("bs", if read == write { read } else { format!("{read},{write}") }),
        (DEPTH, asked.depth.unwrap_or(1).to_string()),
        (JOBS, jobs.to_string()),
        ("engine", asked.engine.clone().unwrap_or_else(|| "psync".to_owned())),
        ("direct", u8::from(asked.direct.unwrap_or(false)).to_string()),
        ("fsync", other(&["fsync", "fdatasync"]).unwrap_or("0").to_owned()),
    ];
    if list[0].1.ends_with("rw") {
        list.push(("rwmixread", other(&["rwmixread"]).unwrap_or("50").to_owned()));
    }
    list.extend(asked.size.map(|s| ("size", s.short())));
    if other(&["rate", "rate_iops", "rate_min", "rate_iops_min"]).is_none() {
        list.push(("rate", "none".to_owned()));
    }
    list.into_iter().map(|(n, v)| (n.to_owned(), v)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    const METRICS: [Metric; 4] = [Metric::Iops, Metric::Mean, Metric::Percentile(99.0), Metric::Max];

    const SINGLE: &[u8] = include_bytes!("../../../tests/fio/single.json");
    const MIXED: &[u8] = include_bytes!("../../../tests/fio/mixed-clones.json");
    const BINS: &[u8] = include_bytes!("../../../tests/fio/clones-bins.json");

    #[test]
    fn a_job_of_fio_is_read_with_its_figures_and_parameters() {
        let run = read_figures(SINGLE, "single.json", &METRICS).unwrap();
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
            let (got, want) = (*got.as_ref().unwrap(), want.as_f64().unwrap());
            assert!((got - want).abs() <= want * 1e-12, "{got} {want}");
        }
        for (name, value) in
            [("rw", "randread"), ("bs", "4k"), ("depth", "4"), ("engine", "libaio"), ("direct", "1"), ("rate", "none")]
        {
            assert_eq!(s.parameter(name), Some(value), "{name}");
        }
    }

    #[test]
    fn clones_that_fio_left_apart_have_a_rate_and_no_percentile() {
        let run = read_figures(MIXED, "mixed", &METRICS).unwrap();
        let names: Vec<&str> = run.subjects.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["m: read", "m: write"]);
        let raw: Value = serde_json::from_slice(MIXED).unwrap();
        let sum: f64 = raw["jobs"].as_array().unwrap().iter().map(|j| j["read"]["iops"].as_f64().unwrap()).sum();
        assert!((run.subjects[0].values[0].as_ref().unwrap() - sum).abs() < 1e-6);
        let error = run.subjects[0].values[2].as_ref().unwrap_err();
        assert!(error.contains("cannot be averaged"), "{error}");
        assert_eq!(run.subjects[0].parameter("numjobs"), Some("2"));
    }

    #[test]
    fn bins_of_clones_are_merged() {
        let run = read_figures(BINS, "bins", &METRICS).unwrap();
        let p99 = *run.subjects[0].values[2].as_ref().unwrap();
        let raw: Value = serde_json::from_slice(BINS).unwrap();
        let p99_of = |i: usize| raw["jobs"][i]["read"]["clat_ns"]["percentile"]["99.000000"].as_f64().unwrap();
        let (low, high) = (p99_of(0).min(p99_of(1)), p99_of(0).max(p99_of(1)));
        assert!((low * 0.98..=high * 1.02).contains(&p99), "{p99} of {low} and {high}");
    }

    #[test]
    fn messages_before_and_several_reports_are_passed_over() {
        let mut text = b"fio: terminating on signal 2\n\n".to_vec();
        text.extend_from_slice(MIXED);
        text.extend_from_slice(SINGLE);
        text.extend_from_slice(b"\nfio: one more thing\n");
        let run = read_figures(&text, "x", &METRICS).unwrap();
        assert_eq!(run.subjects[0].name, "r");
        assert!(run.remarks[0].contains("several reports"));
    }

    #[test]
    fn what_is_no_document_of_fios_is_named() {
        let error = |text: &[u8]| read_figures(text, "x", &METRICS).unwrap_err().0;
        assert!(error(b"hello\n").contains("no JSON"));
        assert!(error(b"{}").contains("fio version"));
        assert!(error(&SINGLE[..SINGLE.len() / 2]).contains("malformed"));
        assert!(error(br#"{"fio version":"fio-3.33","jobs":[]}"#).contains("no jobs"));
        assert!(error(br#"{"fio version":"fio-3.33","client_stats":[{}]}"#).contains("client mode"));
    }

    #[test]
    fn a_job_that_failed_or_did_nothing_has_no_figures() {
        let text = br#"{"fio version":"fio-3.33","jobs":[{"jobname":"a","error":5,"read":{"total_ios":10,"iops":5.0}},
            {"jobname":"b","error":0,"read":{"total_ios":0,"iops":0.0}}]}"#;
        let run = read_figures(text, "x", &[Metric::Iops]).unwrap();
        assert!(run.subjects[0].values[0].as_ref().unwrap_err().contains("error 5"));
        assert!(run.subjects[1].values[0].as_ref().unwrap_err().contains("did no I/O"));
    }

    #[test]
    fn bandwidth_that_contradicts_the_rate_is_told() {
        // fio 3.33 with ramp_time counted 1090 operations, but the bytes of 1121 (docs/design/statistics.md,
        // "Identities").
        let text = br#"{"fio version":"fio-3.33","jobs":[{"jobname":"a","error":0,"read":
            {"total_ios":1090,"io_bytes":285736960,"iops":352.2,"bw_bytes":94952000}}]}"#;
        let run = read_figures(text, "x", &[Metric::Iops]).unwrap();
        assert!(run.remarks[0].contains("disagree by 2.8 %"), "{:?}", run.remarks);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read_figures(&text, "x", &METRICS);
        }

        #[test]
        fn no_cut_document_makes_it_panic(at in 0..SINGLE.len()) {
            let _ = read_figures(&SINGLE[..at], "x", &METRICS);
        }
    }
}

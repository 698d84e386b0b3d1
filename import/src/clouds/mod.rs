//! Metrics that clouds report for volumes and instances: values for periods of a fixed length, in JSON.

pub(crate) mod azure_monitor;
pub(crate) mod cloudwatch;

use crate::text::dates;
use crate::text::json::{self, Value};
use crate::text::series::{point, series};
use crate::text::source::{ImportError, Source, remark};
use messages::sentence;
use model::CompactSort;
use model::foreign::{ForeignFile, ForeignRemark, ForeignSeries, Quantity, Way};

/// Metric with its samples.
struct Metric {
    /// Name of the series; with the statistic, if the output names it.
    name: String,
    /// Name of the metric.
    label: String,
    /// Statistic, such as `Sum` or `Average`, if the output names it.
    statistic: Option<&'static str>,
    /// Volume or instance.
    instance: Option<String>,
    samples: Vec<Sample>,
    line: u32,
}

/// Beginning of a period in seconds since 1970, value and line number.
type Sample = (f64, f64, u32);

/// Meaning of the values of a metric: the quantity, its unit, and the conversion of a value for a period in seconds.
type Meaning = (Option<(Way, Quantity)>, &'static str, fn(f64, f64) -> f64);

/// A cloud's metrics: the name of the tool, the metrics of a document, and their meaning. The period is `None` if it is
/// unknown.
struct Cloud {
    tool: &'static str,
    metrics: fn(&Value<'_>, &mut Vec<ForeignRemark>) -> Vec<Metric>,
    meaning: fn(&Metric, Option<f64>, &mut Vec<ForeignRemark>) -> Meaning,
}

impl Cloud {
    /// Reads a file. The period of a metric is the shortest distance between two of its timestamps. The time of a sample
    /// is the end of its period.
    fn read(&self, source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
        let parsed = json::documents(source.text(), &|| source.in_time())?;
        let mut file = ForeignFile { tool: self.tool.to_owned(), ..ForeignFile::default() };
        let mut metrics = Vec::new();
        for document in &parsed.list {
            metrics.extend((self.metrics)(document, &mut file.remarks));
        }
        metrics.retain(|m| !m.samples.is_empty());
        if metrics.is_empty() {
            let reason = parsed.broken.map_or("it has no values".to_owned(), |(line, reason)| {
                format!("its JSON is malformed: {reason} at line {line}")
            });
            return Err(ImportError(reason));
        }
        if let Some((line, reason)) = parsed.broken {
            file.remarks.push(remark(line, sentence!("import-json-not-whole", why = reason)));
        }
        for metric in &mut metrics {
            metric.samples.compact_sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        let first = metrics.iter().map(|m| m.samples[0].0).fold(f64::INFINITY, f64::min).floor();
        (file.began, file.zone) = (Some(first as i64), Some(0));
        file.when = dates::rfc3339(first.max(0.0) as u64);
        let usual = metrics.iter().filter_map(|m| period(&m.samples)).fold(f64::INFINITY, f64::min);
        for metric in metrics {
            let period = period(&metric.samples).or(Some(usual).filter(|p| p.is_finite()));
            let (quantity, unit, convert) = (self.meaning)(&metric, period, &mut file.remarks);
            let instance = metric.instance;
            let mut converted = ForeignSeries { period, instance, ..series(&metric.name, unit, quantity) };
            let length = period.unwrap_or(0.0);
            for (time, value, line) in &metric.samples {
                point(&mut converted, time - first + length, convert(*value, length), *line);
            }
            file.series.push(converted);
        }
        Ok(vec![file])
    }
}

/// Returns the samples in a list of objects that have a value and a time under these keys.
fn samples(points: &[Value<'_>], value: &str, at: &str) -> Vec<Sample> {
    let sample = |point: &Value<'_>| {
        let value = point.get(value)?;
        Some((time(point.get(at)?)?, value.number()?, value.line))
    };
    points.iter().filter_map(sample).collect()
}

fn period(samples: &[Sample]) -> Option<f64> {
    samples.windows(2).map(|w| w[1].0 - w[0].0).filter(|d| *d > 0.0).min_by(f64::total_cmp)
}

fn time(value: &Value<'_>) -> Option<f64> {
    value.number().or_else(|| value.text().and_then(dates::iso).map(|s| s as f64)).filter(|t| t.abs() < 1e11)
}

/// Returns the kind of requests that a metric's name contains.
fn way(label: &str) -> Way {
    if label.contains("Read") {
        Way::Read
    } else if label.contains("Write") {
        Way::Write
    } else {
        Way::All
    }
}

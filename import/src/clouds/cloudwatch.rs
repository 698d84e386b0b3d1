//! AWS CloudWatch: output of the CLI commands `get-metric-data` and `get-metric-statistics`.
//!
//! Sums over a period become rates per second. Neither command prints the period, so the period is taken to be the
//! shortest distance between two timestamps. A timestamp is the beginning of its period. `get-metric-data` does not
//! print the statistic: metrics that are usually summed are assumed to be sums, with a remark.
//!
//! `VolumeIOPSExceededCheck`, `VolumeThroughputExceededCheck` and their instance equivalents are 1 for each minute in
//! which demand consistently exceeded the limit of the volume or instance, otherwise 0 (Amazon EBS User Guide, "Amazon
//! CloudWatch metrics for Amazon EBS"). The mean of such a metric over a longer period is the share of minutes in which
//! the limit was exceeded. The sum is the number of these minutes. A value above 1 is therefore not a share.

use super::{Cloud, Meaning, Metric, samples, time, way};
use crate::format::Format;
use crate::text::json::Value;
use crate::text::source::{Source, remark};
use messages::sentence;
use model::bounds::{LimitAxis, LimitScope};
use model::foreign::{ForeignRemark, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format =
    Format { name: "cloudwatch", shares_a_log: false, recognise, read: |source| CLOUDWATCH.read(source) };

const CLOUDWATCH: Cloud = Cloud { tool: "CloudWatch", metrics, meaning };

fn recognise(source: &Source<'_>) -> bool {
    let head = source.head();
    head.contains("\"MetricDataResults\"") || head.contains("\"Datapoints\"") && head.contains("\"Timestamp\"")
}

fn metrics(document: &Value<'_>, remarks: &mut Vec<ForeignRemark>) -> Vec<Metric> {
    let results = document.elements_of("MetricDataResults").iter();
    results.map(|result| data(result, remarks)).chain(statistics(document)).collect()
}

fn metric(label: &str, statistic: Option<&'static str>, line: u32) -> Metric {
    let volume = label.split([' ', ',']).find(|w| w.starts_with("vol-") || w.starts_with("i-"));
    let name = statistic.map_or_else(|| label.to_owned(), |s| format!("{label} {s}"));
    let (label, instance) = (label.to_owned(), volume.map(str::to_owned));
    Metric { name, label, statistic, instance, samples: Vec::new(), line }
}

fn data(result: &Value<'_>, remarks: &mut Vec<ForeignRemark>) -> Metric {
    let label = result.text_of("Label").or(result.text_of("Id")).unwrap_or("?");
    if let Some(status) = result.text_of("StatusCode").filter(|s| *s != "Complete") {
        remarks.push(remark(result.line, sentence!("import-metrics-partial", label, status)));
    }
    let (times, values) = (result.elements_of("Timestamps"), result.elements_of("Values"));
    if times.len() != values.len() {
        let (times, values) = (times.len(), values.len());
        let text = sentence!("import-cloudwatch-unpaired", label, times, values);
        remarks.push(remark(result.line, text));
    }
    let samples = times.iter().zip(values).filter_map(|(t, v)| Some((time(t)?, v.number()?, v.line))).collect();
    Metric { samples, ..metric(label, None, result.line) }
}

/// Parses `{"Label": ..., "Datapoints": [{"Timestamp": ..., "Sum": ..., "Unit": ...}]}` into one metric per statistic.
fn statistics(document: &Value<'_>) -> impl Iterator<Item = Metric> {
    let label = document.text_of("Label").unwrap_or("?");
    let points = document.elements_of("Datapoints");
    let metric_of = move |statistic: &'static str| Metric {
        samples: samples(points, statistic, "Timestamp"),
        ..metric(label, Some(statistic), document.line)
    };
    ["Sum", "Average", "Maximum", "Minimum", "SampleCount"].into_iter().map(metric_of)
}

/// Conversion of a metric's values to a quantity.
enum Kind {
    /// Sum over the period. It is divided by the period.
    Summed(Way, Quantity, &'static str),
    /// Number of seconds in which the volume was idle.
    Idle,
    /// Indicator for an exceeded limit.
    Exceeded(LimitScope, LimitAxis),
    /// State at one point in time. The value is used unchanged.
    State(Option<(Way, Quantity)>, &'static str),
}

fn kind(label: &str) -> Kind {
    let iops = Quantity::Iops(Statistic::Mean);
    let bandwidth = Quantity::Bandwidth(Statistic::Mean);
    let has = |word: &str| label.contains(word);
    let way = way(label);
    if has("ExceededCheck") {
        let scope = if has("Instance") { LimitScope::Instance } else { LimitScope::Volume };
        Kind::Exceeded(scope, if has("IOPS") { LimitAxis::Iops } else { LimitAxis::Bandwidth })
    } else if has("ReadOps") || has("WriteOps") {
        Kind::Summed(way, iops, "1/s")
    } else if has("ReadBytes") || has("WriteBytes") {
        Kind::Summed(way, bandwidth, "B/s")
    } else if has("TotalReadTime") || has("TotalWriteTime") {
        // The total time of all operations divided by the elapsed time is the number of operations in flight.
        Kind::Summed(way, Quantity::InFlight, "1")
    } else if has("IdleTime") {
        Kind::Idle
    } else if has("QueueLength") {
        Kind::State(Some((Way::All, Quantity::InFlight)), "1")
    } else if has("Balance") || has("Percentage") || has("Utilization") {
        Kind::State(None, "%")
    } else {
        Kind::State(None, "")
    }
}

fn meaning(metric: &Metric, period: Option<f64>, remarks: &mut Vec<ForeignRemark>) -> Meaning {
    let name = &metric.name;
    let is_sum = metric.statistic.is_none_or(|s| s == "Sum");
    if metric.statistic.is_none() && matches!(kind(&metric.label), Kind::Summed(..) | Kind::Idle) {
        remarks.extend(
            period.map(|p| remark(metric.line, sentence!("import-cloudwatch-sums", name, seconds = p.to_string()))),
        );
    }
    match (kind(&metric.label), period) {
        (Kind::Summed(way, quantity, unit), Some(_)) if is_sum => (Some((way, quantity)), unit, |v, p| v / p),
        (Kind::Idle, Some(_)) if is_sum => {
            (Some((Way::All, Quantity::Utilisation)), "1", |v, p| (1.0 - v / p).clamp(0.0, 1.0))
        }
        (Kind::Summed(..) | Kind::Idle, None) if is_sum => {
            remarks.push(remark(metric.line, sentence!("import-cloudwatch-one-value", name)));
            (None, "per period", |v, _| v)
        }
        (Kind::Exceeded(scope, axis), _) if metric.statistic != Some("SampleCount") => {
            (Some((Way::All, Quantity::Exceeded(scope, axis))), "1", |v, _| v.clamp(0.0, 1.0))
        }
        (Kind::State(quantity, unit), _) if metric.statistic.is_none_or(|s| s == "Average") => {
            (quantity, unit, |v, _| v)
        }
        _ => (None, "", |v, _| v),
    }
}

#[cfg(test)]
mod tests {
    use crate::text::dates;
    use model::bounds::{LimitAxis, LimitScope};
    use model::foreign::{ForeignFile, Quantity, Way};
    use proptest::prelude::*;

    const DATA: &str = r#"{
    "MetricDataResults": [
        {
            "Id": "m1",
            "Label": "vol-0abc VolumeWriteOps",
            "Timestamps": ["2022-04-15T10:43:00+00:00", "2022-04-15T10:42:00+00:00", "2022-04-15T10:40:00+00:00"],
            "Values": [360000.0, 180000.0, 60.0],
            "StatusCode": "PartialData"
        },
        { "Id": "m2", "Label": "VolumeIdleTime", "Timestamps": ["2022-04-15T10:42:00Z"], "Values": [15.0], "StatusCode": "Complete" },
        { "Id": "m3", "Label": "VolumeQueueLength", "Timestamps": [1650019320], "Values": [4.5], "StatusCode": "Complete" }
    ],
    "Messages": []
}"#;

    fn read_file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn sums_become_rates_of_a_second_at_the_end_of_their_period() {
        let file = read_file(DATA);
        assert_eq!(file.began, dates::iso("2022-04-15T10:40:00Z"));
        let writes = &file.series[0];
        assert_eq!((writes.instance.as_deref(), writes.period), (Some("vol-0abc"), Some(60.0)));
        let points: Vec<(f64, f64)> = writes.points.iter().map(|p| (p.at, p.value)).collect();
        assert_eq!(points, [(60.0, 1.0), (180.0, 3000.0), (240.0, 6000.0)]);
        assert_eq!(writes.points[2].line, 7);
        assert_eq!(
            (file.series[1].of, file.series[1].points[0].value),
            (Some((Way::All, Quantity::Utilisation)), 0.75)
        );
        assert_eq!(file.series[2].points[0].value, 4.5);
        let remarks: Vec<&str> = file.remarks.iter().map(|r| r.text.as_str()).collect();
        assert!(remarks[0].contains("PartialData") && remarks[1].contains("sums over 60 s"), "{remarks:?}");
    }

    #[test]
    fn one_value_alone_is_no_rate() {
        let file = read_file(
            r#"{"MetricDataResults":[{"Label":"VolumeReadOps","Timestamps":["2022-04-15T10:42:00Z"],"Values":[9.0]}]}"#,
        );
        assert_eq!((file.series[0].of, file.series[0].unit.as_str()), (None, "per period"));
    }

    #[test]
    fn statistics_tell_what_they_are() {
        let text = r#"{"Label":"VolumeReadBytes","Datapoints":[
            {"Timestamp":"2022-04-15T10:42:00+00:00","Sum":6000.0,"Average":8192.0,"Unit":"Bytes"},
            {"Timestamp":"2022-04-15T10:41:00+00:00","Sum":120.0,"Average":8192.0,"Unit":"Bytes"}]}"#;
        let file = read_file(text);
        let names: Vec<&str> = file.series.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["VolumeReadBytes Sum", "VolumeReadBytes Average"]);
        assert_eq!(file.series[0].points.iter().map(|p| p.value).collect::<Vec<_>>(), [2.0, 100.0]);
        assert_eq!(file.series[1].of, None, "the mean size of an operation");
    }

    #[test]
    fn checks_of_limits_are_shares_of_their_periods() {
        let file = read_file(
            r#"{"MetricDataResults":[
            {"Label":"vol-1 VolumeIOPSExceededCheck","Timestamps":["2026-04-15T10:42:00Z","2026-04-15T10:43:00Z"],"Values":[0.0,1.0]},
            {"Label":"vol-1 VolumeThroughputExceededCheck","Timestamps":["2026-04-15T10:40:00Z"],"Values":[0.4]},
            {"Label":"i-2 InstanceEBSIOPSExceededCheck","Timestamps":["2026-04-15T10:40:00Z"],"Values":[3.0]},
            {"Label":"i-2 InstanceEBSThroughputExceededCheck","Timestamps":["2026-04-15T10:40:00Z"],"Values":[0.0]}]}"#,
        );
        let series_at =
            |i: usize| (file.series[i].of, file.series[i].points.iter().map(|p| p.value).collect::<Vec<_>>());
        let exceeded = |scope, axis| Some((Way::All, Quantity::Exceeded(scope, axis)));
        assert_eq!(series_at(0), (exceeded(LimitScope::Volume, LimitAxis::Iops), vec![0.0, 1.0]));
        assert_eq!(series_at(1), (exceeded(LimitScope::Volume, LimitAxis::Bandwidth), vec![0.4]));
        assert_eq!(series_at(2), (exceeded(LimitScope::Instance, LimitAxis::Iops), vec![1.0]));
        assert_eq!(series_at(3), (exceeded(LimitScope::Instance, LimitAxis::Bandwidth), vec![0.0]));
        assert_eq!(file.series[2].instance.as_deref(), Some("i-2"));
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..DATA.len(), put in "[0-9a-z\",{}:\\[\\] \\n.-]{0,8}") {
            let text = format!("{}{put}{}", &DATA[..at], &DATA[at..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}

//! Metrics in the two text formats that Prometheus and compatible programs read: its own format 0.0.4
//! (prometheus.io/docs/instrumenting/exposition_formats) and OpenMetrics 1.0 (openmetrics.io).

use crate::grouping::grouped;
use std::fmt::Write;

/// Text format of metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricsFormat {
    /// Text format 0.0.4 of Prometheus, which node_exporter's textfile collector and promtool read.
    Text,
    /// OpenMetrics 1.0.
    OpenMetrics,
}

impl MetricsFormat {
    /// Returns the format that a client prefers according to its `Accept` header. Clients that do not accept OpenMetrics
    /// get the text format.
    #[must_use]
    pub fn accepted(accept: &str) -> MetricsFormat {
        let (mut text, mut openmetrics) = (0.0_f64, 0.0_f64);
        for range in accept.split(',') {
            let mut parts = range.split(';').map(str::trim);
            let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
            let parameters: Vec<(&str, &str)> = parts.filter_map(|part| part.split_once('=')).collect();
            let parameter = |name: &str| parameters.iter().find(|(n, _)| n.trim().eq_ignore_ascii_case(name));
            let quality = parameter("q").map_or(Some(1.0), |(_, q)| q.trim().parse().ok()).unwrap_or(0.0);
            match kind.as_str() {
                "application/openmetrics-text" if parameter("version").is_none_or(|(_, v)| v.trim() == "1.0.0") => {
                    openmetrics = openmetrics.max(quality);
                }
                "text/plain" | "text/*" | "*/*" => text = text.max(quality),
                _ => {}
            }
        }
        if openmetrics > 0.0 && openmetrics >= text { MetricsFormat::OpenMetrics } else { MetricsFormat::Text }
    }

    /// Returns the media type.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            MetricsFormat::Text => "text/plain; version=0.0.4; charset=utf-8",
            MetricsFormat::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

/// Name, type and help of a family. The name has no suffix that depends on the type.
#[derive(Debug, PartialEq)]
pub(crate) struct Named(pub &'static str, pub &'static str, pub &'static str);

impl Named {
    /// Returns the unit, with which the name ends; empty if the family has none.
    fn unit(&self) -> &'static str {
        let last = self.0.rsplit('_').next().unwrap_or_default();
        if ["seconds", "bytes", "ratio"].contains(&last) { last } else { "" }
    }

    /// Returns the suffix of a sample that is the only one of its labels.
    fn suffix(&self) -> &'static str {
        match self.1 {
            "counter" => "_total",
            "info" => "_info",
            _ => "",
        }
    }

    /// Returns the names of the samples.
    pub fn names(&self) -> Vec<String> {
        let suffixes: &[&str] = if self.1 == "histogram" { &["_bucket", "_count", "_sum"] } else { &[self.suffix()] };
        suffixes.iter().map(|suffix| format!("{}{suffix}", self.0)).collect()
    }
}

/// Declares the families of an exporter, and a function `metric_names` that returns the names of their samples.
macro_rules! declare {
    ($($id:ident = $kind:ident $name:literal: $help:literal;)*) => {
        $(const $id: Named = Named($name, stringify!($kind), $help);)*

        /// Returns the names of all samples that this exporter may write.
        #[must_use]
        pub fn metric_names() -> Vec<String> {
            [$(&$id),*].into_iter().flat_map(Named::names).collect()
        }
    };
}
pub(crate) use declare;

/// Samples of metric families: for each sample, the suffix of its name, its labels and its value.
#[derive(Debug, Default)]
pub struct Metrics(Vec<(&'static Named, (&'static str, String, String))>);

impl Metrics {
    /// Adds a sample, unless its value is unknown.
    pub(crate) fn row(&mut self, family: &'static Named, labels: &[(&str, &str)], value: impl Into<Option<f64>>) {
        if let Some(value) = value.into() {
            self.part(family, family.suffix(), labels, value);
        }
    }

    /// Adds a histogram: cumulative counts for each bound, the total count, and the sum.
    pub(crate) fn histogram(
        &mut self,
        family: &'static Named,
        labels: &[(&str, &str)],
        at_most: &[(f64, u64)],
        count: u64,
        sum: f64,
    ) {
        let bounds = at_most.iter().map(|(bound, n)| (number(*bound), *n)).chain([("+Inf".to_owned(), count)]);
        for (bound, n) in bounds {
            let labels: Vec<(&str, &str)> = labels.iter().copied().chain([("le", bound.as_str())]).collect();
            self.part(family, "_bucket", &labels, n as f64);
        }
        self.part(family, "_sum", labels, sum);
        self.part(family, "_count", labels, count as f64);
    }

    fn part(&mut self, family: &'static Named, suffix: &'static str, labels: &[(&str, &str)], value: f64) {
        if !value.is_finite() {
            return;
        }
        let labels: Vec<String> = labels.iter().map(|(key, value)| format!("{key}=\"{}\"", escaped(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        self.0.push((family, (suffix, labels, number(value))));
    }

    /// Returns the text: the samples of each family together, in the order of the first sample of each family.
    #[must_use]
    pub fn format(&self, format: MetricsFormat) -> Vec<u8> {
        let mut text = String::new();
        for (family, rows) in grouped(self.0.iter().map(|(family, row)| (*family, row))) {
            let Named(name, kind, help) = family;
            let _ = match format {
                MetricsFormat::Text => {
                    let suffix = family.suffix();
                    let kind = if *kind == "info" { "gauge" } else { *kind };
                    writeln!(text, "# HELP {name}{suffix} {help}\n# TYPE {name}{suffix} {kind}")
                }
                MetricsFormat::OpenMetrics if family.unit().is_empty() => {
                    writeln!(text, "# TYPE {name} {kind}\n# HELP {name} {help}")
                }
                MetricsFormat::OpenMetrics => {
                    writeln!(text, "# TYPE {name} {kind}\n# UNIT {name} {}\n# HELP {name} {help}", family.unit())
                }
            };
            for (suffix, labels, value) in rows {
                let _ = writeln!(text, "{name}{suffix}{labels} {value}");
            }
        }
        if format == MetricsFormat::OpenMetrics {
            text.push_str("# EOF\n");
        }
        text.into_bytes()
    }
}

fn escaped(text: &str) -> String {
    crate::harmless(text).replace('\\', r"\\").replace('"', r#"\""#)
}

/// Formats a number for any parser: whole numbers without a point.
fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 9e15 { format!("{value:.0}") } else { format!("{value}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use MetricsFormat::{OpenMetrics, Text};

    #[test]
    fn a_label_cannot_end_its_quotes() {
        assert_eq!(escaped("a\"b\\c\nd"), r#"a\"b\\c d"#);
    }

    #[test]
    fn clients_get_the_format_that_they_prefer() {
        let prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;\
                          q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
        let protobuf = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;\
                        q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
        let cases = [
            ("", Text),
            ("*/*", Text),
            ("text/plain", Text),
            ("application/openmetrics-text", OpenMetrics),
            ("Application/OpenMetrics-Text; Version=1.0.0", OpenMetrics),
            ("application/openmetrics-text; version=2.0.0", Text),
            ("application/openmetrics-text;q=0", Text),
            ("application/openmetrics-text;q=0.2, text/plain;q=0.9", Text),
            (prometheus, OpenMetrics),
            (protobuf, Text),
        ];
        for (accept, format) in cases {
            assert_eq!(MetricsFormat::accepted(accept), format, "{accept}");
        }
    }
}

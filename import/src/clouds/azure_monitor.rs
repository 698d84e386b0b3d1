//! Azure Monitor: output of `az monitor metrics list` for virtual machines and managed disks.
//!
//! A value belongs to one period, which begins at its timestamp; `null` means that nothing was reported. The metrics of
//! a virtual machine count its operating system disk and its temporary disk separately, and its data disks together
//! unless the output is split by `LUN`. Metrics without such a prefix count all disks of the machine (Azure documentation,
//! "Disk performance metrics"). Rates are means over the period (`average`); bytes without "/sec" are sums (`total`).

use super::{Cloud, Meaning, Metric, samples, way};
use crate::format::Format;
use crate::text::json::Value;
use crate::text::source::{Source, remark};
use messages::sentence;
use model::foreign::{ForeignLatency, ForeignRemark, Quantity, Statistic};

pub(crate) const FORMAT: Format =
    Format { name: "azure-monitor", shares_a_log: false, recognise, read: |source| AZURE_MONITOR.read(source) };

const AZURE_MONITOR: Cloud = Cloud { tool: "Azure Monitor", metrics, meaning };

fn recognise(source: &Source<'_>) -> bool {
    let head = source.head();
    head.contains("\"timeseries\"") && head.contains("\"timeStamp\"")
}

fn metrics(document: &Value<'_>, remarks: &mut Vec<ForeignRemark>) -> Vec<Metric> {
    let mut metrics = Vec::new();
    for value in document.elements_of("value") {
        let label = value.get("name").and_then(|name| name.text_of("value")).unwrap_or("?").to_owned();
        if let Some(status) = value.text_of("errorCode").filter(|code| *code != "Success") {
            remarks.push(remark(value.line, sentence!("import-metrics-partial", label = &label, status)));
        }
        for part in value.elements_of("timeseries") {
            let split = part.elements_of("metadatavalues");
            let instance = instance(&label, value.text_of("id").unwrap_or_default(), split);
            let points = part.elements_of("data");
            for (key, statistic) in
                [("average", "Average"), ("total", "Total"), ("maximum", "Maximum"), ("minimum", "Minimum")]
            {
                metrics.push(Metric {
                    name: format!("{instance} {label} {statistic}"),
                    label: label.clone(),
                    statistic: Some(statistic),
                    instance: Some(instance.clone()),
                    samples: samples(points, key, "timeStamp"),
                    line: value.line,
                });
            }
        }
    }
    metrics
}

/// Returns the disk or disks that a metric counts. `id` is the resource of the metric, and `split` the dimensions by
/// which it was split.
fn instance(label: &str, id: &str, split: &[Value<'_>]) -> String {
    let dimension = |value: &Value<'_>| {
        let name = value.get("name")?.text_of("value")?;
        name.eq_ignore_ascii_case("lun").then(|| value.text_of("value")).flatten().map(|lun| format!("LUN {lun}"))
    };
    let disk = |id: &str| id.split_once("/disks/")?.1.split('/').next().map(str::to_owned);
    let prefixed = || {
        let disks = [("OS ", "OS disk"), ("Data ", "data disks"), ("Temp ", "temporary disk")];
        disks.iter().find(|(prefix, _)| label.starts_with(prefix)).map_or("_Total", |(_, name)| name).to_owned()
    };
    split.iter().find_map(dimension).or_else(|| disk(id)).unwrap_or_else(prefixed)
}

fn meaning(metric: &Metric, period: Option<f64>, _: &mut Vec<ForeignRemark>) -> Meaning {
    let label = metric.label.to_ascii_lowercase();
    let has = |word: &str| label.contains(word);
    let rate = |quantity| Some((way(&metric.label), quantity));
    let device = Quantity::Latency(ForeignLatency::Device, Statistic::Mean);
    match (metric.statistic, period) {
        _ if has("percentage") => (None, "%", |v, _| v),
        (Some("Average"), _) if has("operations/sec") => (rate(Quantity::Iops(Statistic::Mean)), "1/s", |v, _| v),
        (Some("Average"), _) if has("bytes/sec") => (rate(Quantity::Bandwidth(Statistic::Mean)), "B/s", |v, _| v),
        (Some("Average"), _) if has("queue depth") => (rate(Quantity::InFlight), "1", |v, _| v),
        (Some("Average"), _) if has("disk latency") => (rate(device), "s", |v, _| v / 1e3),
        (Some("Total"), Some(_)) if has("disk read bytes") || has("disk write bytes") => {
            (rate(Quantity::Bandwidth(Statistic::Mean)), "B/s", |v, p| v / p)
        }
        _ => (None, "", |v, _| v),
    }
}

#[cfg(test)]
mod tests {
    use model::foreign::{ForeignFile, ForeignLatency, Quantity, Statistic, Way};
    use proptest::prelude::*;

    /// A virtual machine with two data disks, as `az monitor metrics list --filter "LUN eq '*'"` prints them.
    const DATA: &str = include_str!("../../tests/data/made/azure-monitor-lun.json");

    fn read_file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn rates_belong_to_their_disk_and_end_with_their_period() {
        let file = read_file(DATA);
        assert_eq!((file.tool.as_str(), file.when.as_str()), ("Azure Monitor", "2026-11-27T08:00:00+00:00"));
        let rates: Vec<_> = file.series.iter().filter(|s| s.of.is_some()).collect();
        let iops = |way| Some((way, Quantity::Iops(Statistic::Mean)));
        assert_eq!(
            rates.iter().map(|s| (s.instance.as_deref().unwrap(), s.of)).collect::<Vec<_>>(),
            [
                ("LUN 0", iops(Way::Read)),
                ("LUN 1", iops(Way::Read)),
                ("OS disk", Some((Way::Write, Quantity::Bandwidth(Statistic::Mean)))),
                ("_Total", Some((Way::Read, Quantity::Bandwidth(Statistic::Mean)))),
                ("LUN 0", Some((Way::All, Quantity::Latency(ForeignLatency::Device, Statistic::Mean)))),
            ]
        );
        // The second period of LUN 0 is `null`.
        let points: Vec<(f64, f64)> = rates[0].points.iter().map(|p| (p.at, p.value)).collect();
        assert_eq!((points, rates[0].period), (vec![(60.0, 2310.5), (180.0, 2298.0), (240.0, 120.0)], Some(60.0)));
        assert_eq!(rates[3].points[0].value, 1_000_000.0, "a sum over a minute");
        assert_eq!(rates[4].points[0].value, 0.0025);
        let rest: Vec<&str> = file.series.iter().filter(|s| s.of.is_none()).map(|s| s.name.as_str()).collect();
        assert_eq!(rest, ["LUN 0 Data Disk IOPS Consumed Percentage Average", "LUN 0 Data Disk Latency Maximum"]);
        assert!(file.remarks.is_empty(), "{:?}", file.remarks);
    }

    #[test]
    fn a_managed_disk_has_the_name_of_its_resource() {
        let text = r#"{"interval":"PT5M","value":[{"errorCode":"Throttled",
            "id":"/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/pgdata/providers/Microsoft.Insights/metrics/Composite Disk Write Operations/sec",
            "name":{"value":"Composite Disk Write Operations/sec"},"unit":"CountPerSecond","timeseries":[{"metadatavalues":[],
            "data":[{"timeStamp":"2026-11-27T08:00:00Z","average":4.5},{"timeStamp":"2026-11-27T08:05:00Z","average":null}]}]}]}"#;
        let file = read_file(text);
        let [writes] = file.series.as_slice() else { panic!("{:?}", file.series) };
        assert_eq!((writes.instance.as_deref(), writes.points.len()), (Some("pgdata"), 1));
        assert!(file.remarks[0].text.contains("Throttled"), "{:?}", file.remarks);
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..DATA.len(), put in "[0-9a-z\",{}:\\[\\] \\n.-]{0,8}") {
            let text = format!("{}{put}{}", &DATA[..at], &DATA[at..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}

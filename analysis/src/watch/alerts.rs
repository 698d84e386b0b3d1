//! Alerts of a watch, sample by sample: detects figures that have been beyond their bounds for long enough.

use model::bounds::{Alarm, Alert, AlertFigure};
use model::measured::{Sample, sampled, series_of};
use model::{Nanos, distinct, judged::CapNow, plan::WatchPlan};
use std::collections::BTreeMap;

/// Tracks the alerts of a watch.
#[derive(Debug, Clone)]
pub struct AlertWatch {
    plan: WatchPlan,
    /// Open alerts by the number of the alert and its subject.
    open: BTreeMap<(usize, String), Open>,
}

/// A figure that is beyond its bound.
#[derive(Debug, Clone)]
struct Open {
    since: Nanos,
    worst: f64,
    /// The alarm, if it was raised.
    alarm: Option<Alarm>,
}

impl AlertWatch {
    /// Creates a tracker for a plan's alerts.
    #[must_use]
    pub fn new(plan: &WatchPlan) -> Self {
        AlertWatch { plan: plan.clone(), open: BTreeMap::new() }
    }

    /// Returns the alarms that this sample raises, and those that end with it (which have their end set). `p99` is by
    /// device, from the block trace since the previous sample. A sample without the figure ends an alarm, because it is
    /// unknown whether the cause continues.
    pub fn update(&mut self, at: Nanos, samples: &[Sample], caps: &[CapNow], p99: &[(String, Nanos)]) -> Vec<Alarm> {
        let before =
            Nanos(at.as_nanos().saturating_sub((sampled(samples, "sampler.stretch").unwrap_or(0.0) * 1e9) as u64));
        let mut changes = Vec::new();
        for number in 0..self.plan.alerts.len() {
            let alert = self.plan.alerts[number].clone();
            let values = self.values(&alert, samples, caps, p99);
            let gone = |of: &String| !values.iter().any(|(name, value)| name == of && alert.is_beyond(*value));
            let over: Vec<String> =
                self.open.keys().filter(|(n, of)| *n == number && gone(of)).map(|(_, of)| of.clone()).collect();
            for of in over {
                let open = self.open.remove(&(number, of)).and_then(|open| Some((open.worst, open.alarm?)));
                changes.extend(open.map(|(worst, alarm)| Alarm { until: Some(before), worst, ..alarm }));
            }
            for (of, value) in values.into_iter().filter(|(_, value)| alert.is_beyond(*value)) {
                let open = self.open.entry((number, of.clone()));
                let open = open.or_insert(Open { since: before, worst: value, alarm: None });
                open.worst = if alert.above { open.worst.max(value) } else { open.worst.min(value) };
                if open.alarm.is_none() && at.since(open.since) >= alert.lasting {
                    let (text, figure, since, worst) = (alert.text.clone(), alert.figure, open.since, open.worst);
                    let alarm = Alarm { alert: text, figure, of, at, since, until: None, worst };
                    open.alarm = Some(alarm.clone());
                    changes.push(alarm);
                }
            }
        }
        changes
    }

    /// Returns the figure of every subject of an alert, as far as this sample contains it.
    fn values(
        &self,
        alert: &Alert,
        samples: &[Sample],
        caps: &[CapNow],
        p99: &[(String, Nanos)],
    ) -> Vec<(String, f64)> {
        let on = |names: &[&str]| alert.on.is_empty() || alert.on.iter().any(|on| names.contains(&on.as_str()));
        let about = |device: &str| {
            let device = self.plan.device(device);
            let named = alert.on.is_empty() || alert.on.iter().any(|on| device.is_named(on));
            named.then(|| device.label())
        };
        match alert.figure {
            AlertFigure::Cap => caps
                .iter()
                .filter(|cap| on(&[&cap.name]) && cap.cap > 0.0)
                .map(|cap| (format!("{} {}", cap.name, cap.axis.name()), cap.used / cap.cap * 100.0))
                .collect(),
            AlertFigure::P99 => {
                p99.iter().filter_map(|(device, time)| Some((about(device)?, time.as_nanos() as f64))).collect()
            }
            figure => {
                let devices = distinct(samples.iter().filter_map(|s| Some(series_of(&s.name, "device")?.0)));
                let value = |name: &&str| {
                    let sample_of = |what: &str| sampled(samples, &format!("device.{name}.{what}"));
                    Some((about(name)?, figure_of(figure, sample_of)?))
                };
                devices.iter().filter_map(value).collect()
            }
        }
    }
}

/// Returns a device's figure in one sample, in the unit of the bound.
fn figure_of(figure: AlertFigure, of: impl Fn(&str) -> Option<f64>) -> Option<f64> {
    use AlertFigure as F;
    let sum = |read: &str, write: &str| of(read).zip(of(write)).map(|(read, write)| read + write);
    // Samples are in milliseconds.
    let wait = |what: &str| of(what).map(|ms| ms * 1e6);
    match figure {
        F::Iops => sum("read_ops", "write_ops"),
        F::ReadIops => of("read_ops"),
        F::WriteIops => of("write_ops"),
        F::Bandwidth => sum("read", "write"),
        F::ReadBandwidth => of("read"),
        F::WriteBandwidth => of("write"),
        F::Await => {
            let part = |ops: &str, time: &str| Some((of(ops).filter(|n| *n > 0.0)?, wait(time)?));
            let parts = [part("read_ops", "read_await"), part("write_ops", "write_await")];
            let (n, time) =
                parts.into_iter().flatten().fold((0.0, 0.0), |(n, t), (ops, each)| (n + ops, t + ops * each));
            (n > 0.0).then(|| time / n)
        }
        F::ReadAwait => wait("read_await"),
        F::WriteAwait => wait("write_await"),
        F::Queue => of("queue"),
        F::Busy => of("busy"),
        F::P99 | F::Cap => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{measured::Layer, plan::WatchedDevice};

    fn watch(alerts: &[&str]) -> AlertWatch {
        let device = WatchedDevice { name: "vda".into(), roles: vec!["data".into()], below: Vec::new() };
        AlertWatch::new(&WatchPlan {
            interval: Nanos::from_secs(1),
            length: None,
            devices: vec![device],
            all_devices: false,
            processes: Vec::new(),
            top: 0,
            groups: Vec::new(),
            command: Vec::new(),
            alerts: alerts.iter().map(|a| a.parse().expect("an alert")).collect(),
            hosts: Vec::new(),
        })
    }

    fn update_with(of: &mut AlertWatch, second: u64, figures: &[(&str, f64)]) -> Vec<Alarm> {
        let sample = |name: String, value| Sample { name, unit: String::new(), layer: Layer::Device, value };
        let mut samples = vec![sample("sampler.stretch".into(), 1.0)];
        samples.extend(figures.iter().map(|(name, value)| sample(format!("device.vda.{name}"), *value)));
        of.update(Nanos::from_secs(second), &samples, &[], &[])
    }

    #[test]
    fn it_goes_off_once_it_lasted_and_ends_when_it_is_within() {
        let mut alerts = watch(&["r_await>20ms for 3s on=data"]);
        let mut changes = Vec::new();
        for (second, ms) in [(1, 25.0), (2, 19.0), (3, 30.0), (4, 31.0), (5, 22.0), (6, 25.0), (7, 3.0), (8, 25.0)] {
            changes.extend(update_with(&mut alerts, second, &[("read_ops", 10.0), ("read_await", ms)]));
        }
        let [begin, end] = changes.as_slice() else { panic!("{changes:?}") };
        let secs = |n: u64| Nanos::from_secs(n);
        assert_eq!((begin.at, begin.since, begin.until, begin.worst), (secs(5), secs(2), None, 31e6));
        assert_eq!((end.at, end.until), (secs(5), Some(secs(6))));
        assert_eq!(messages::sentence(begin.to_message()), "data (vda): r_await 31.0 ms (r_await>20ms for 3s on=data)");
    }

    #[test]
    fn a_look_without_the_figure_is_a_break() {
        let mut alerts = watch(&["await>1ms for 2s", "iops<5 for 2s"]);
        let busy = [("read_ops", 10.0), ("write_ops", 30.0), ("read_await", 1.0), ("write_await", 5.0)];
        assert!(update_with(&mut alerts, 1, &busy).is_empty());
        assert!(update_with(&mut alerts, 2, &[]).is_empty());
        assert!(update_with(&mut alerts, 3, &busy).is_empty());
        // Weighted by their counts: 10 of 1 ms and 30 of 5 ms.
        assert_eq!(update_with(&mut alerts, 4, &busy).iter().map(|a| a.worst).collect::<Vec<_>>(), [4e6]);
    }

    #[test]
    fn it_is_about_what_it_names() {
        let mut alerts = watch(&["iops>1 on=journal"]);
        assert!(update_with(&mut alerts, 1, &[("read_ops", 10.0), ("write_ops", 0.0)]).is_empty());
        let cap =
            CapNow { name: "volume".into(), axis: model::bounds::LimitAxis::Iops, cap: 100.0, used: 97.0, burst: None };
        let mut alerts = watch(&["cap>95%"]);
        let alarms = alerts.update(Nanos(1), &[], &[cap], &[]);
        assert_eq!(
            alarms.iter().map(|a| messages::sentence(a.to_message())).collect::<Vec<_>>(),
            ["volume IOPS: cap 97 % (cap>95%)"]
        );
        let mut alerts = watch(&["p99>1ms"]);
        let alarms = alerts.update(Nanos(1), &[], &[], &[("vda".to_owned(), Nanos::from_millis(2))]);
        assert_eq!(alarms.len(), 1);
    }
}

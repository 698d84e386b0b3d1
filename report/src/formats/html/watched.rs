//! The figures that a watch's page shows first: peak use of the cap that was closest to its limit, and a row for each
//! device and each cap.

use super::parts::{text, tiles, time};
use super::texts::Texts;
use crate::widgets::figures::megabytes;
use maud::{Markup, html};
use model::{BytesPerSecond, CapUse, DiskFigures, LimitAxis, WatchJudgement, thousands};

pub(super) fn watched(judged: &WatchJudgement, t: &Texts) -> Markup {
    let used = |c: &CapUse| c.most.0 / c.cap.max(f64::MIN_POSITIVE);
    let fullest = judged.caps.iter().max_by(|a, b| used(a).total_cmp(&used(b)));
    let mut shown = Vec::new();
    shown.extend(fullest.map(|c| (c.name.clone(), format!("{:.0} %", used(c) * 100.0), t.of_limit)));
    if let Some(busiest) = judged.devices.first() {
        shown.push((busiest.shown.clone(), thousands(busiest.iops.1.per_second()), "IOPS"));
        let slowest = busiest.slowest.iter().flatten().max_by_key(|s| s.0);
        shown.extend(slowest.map(|(longest, _)| (busiest.shown.clone(), time(*longest), t.slowest)));
    }
    let widest = judged.devices.iter().max_by(|a, b| a.bandwidth.1.per_second().total_cmp(&b.bandwidth.1.per_second()));
    shown.extend(widest.map(|w| (w.shown.clone(), megabytes(w.bandwidth.1), t.bandwidth)));
    html! {
        (tiles(&shown, t))
        (devices(&judged.devices, t))
        @if !judged.caps.is_empty() { (caps(&judged.caps, t)) }
    }
}

/// Returns a row for each device: means over the whole time, and the maximum of a single sample.
fn devices(devices: &[DiskFigures], t: &Texts) -> Markup {
    html! {
        div .part {
            h2 { (t.devices) }
            div .wide tabindex="0" { table .figures {
                thead { tr {
                    th scope="col" { (t.device) }
                    th scope="col" { "IOPS" } th scope="col" { "IOPS " (t.maximum) }
                    th scope="col" { (t.bandwidth) } th scope="col" { (t.bandwidth) " " (t.maximum) }
                    th scope="col" { (t.read) " " (t.mean) } th scope="col" { (t.write) " " (t.mean) }
                    th scope="col" { (t.in_flight) } th scope="col" { (t.busy) }
                } }
                tbody { @for d in devices { tr {
                    th scope="row" { (text(&d.shown)) }
                    td data-v=(d.iops.0.0) { b { (thousands(d.iops.0.per_second())) } } td data-v=(d.iops.1.0) { (thousands(d.iops.1.per_second())) }
                    td data-v=(d.bandwidth.0.0) { (megabytes(d.bandwidth.0)) } td data-v=(d.bandwidth.1.0) { (megabytes(d.bandwidth.1)) }
                    @for latency in d.latency { td data-v=[latency.map(|n| n.as_nanos())] { @match latency { Some(n) => (time(n)), None => "–" } } }
                    td { (format!("{:.1}", d.queue)) }
                    td { (format!("{:.0} %", d.busy * 100.0)) }
                } } }
            } }
        }
    }
}

fn caps(caps: &[CapUse], t: &Texts) -> Markup {
    let rate = |c: &CapUse, value: f64| match c.axis {
        LimitAxis::Iops => format!("{} IOPS", thousands(value)),
        LimitAxis::Bandwidth => format!("{} {}", megabytes(BytesPerSecond(value)), t.bandwidth),
    };
    html! {
        div .part {
            h2 { (t.limits) }
            div .wide tabindex="0" { table .figures {
                thead { tr {
                    th scope="col" { (t.limit) } th scope="col" .words { (t.devices) } th scope="col" { (t.of_limit) " " (t.mean) }
                    th scope="col" { (t.of_limit) " " (t.maximum) } th scope="col" { (t.at_limit) }
                } }
                tbody { @for c in caps { tr {
                    th scope="row" { (text(&c.name)) " " (rate(c, c.cap)) }
                    td .words { (text(&c.over.join(", "))) }
                    td { (format!("{:.0} %", c.mean / c.cap * 100.0)) " (" (rate(c, c.mean)) ")" }
                    td { (format!("{:.0} %", c.most.0 / c.cap * 100.0)) " (" (rate(c, c.most.0)) ")" }
                    td { (time(c.full)) " / " (time(c.of)) }
                } } }
            } }
        }
    }
}

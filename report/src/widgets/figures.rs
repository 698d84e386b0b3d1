//! Figures as shown on the screen: the number in plain style, followed by its unit.

use crate::widgets::ink::Ink;
use crate::widgets::text::{Line, Paint};
use model::{Bytes, BytesPerSecond, Iops, Nanos, bounds::LimitAxis, judged::Estimate, units::thousands};

/// Formats a time. The unit is dimmed and always two columns wide, so that digits are aligned.
pub(crate) fn latency(value: Nanos, paint: Paint) -> Line {
    let text = value.to_string();
    let (number, unit) = text.split_once(' ').unwrap_or((&text, ""));
    let unit_paint = if paint == Paint::PLAIN || paint == Paint::BOLD { Paint::DIM } else { paint };
    Line::new().with(number, paint).with(format!(" {unit:<2}"), unit_paint)
}

/// Formats decimal megabytes per second without the unit, which the column's header names.
pub(crate) fn megabytes(value: BytesPerSecond) -> String {
    let mb = value.mb();
    match mb {
        _ if !mb.is_finite() => "-".to_owned(),
        _ if mb >= 999.95 => thousands(mb),
        _ if mb >= 99.95 => format!("{mb:.1}"),
        _ => format!("{mb:.2}"),
    }
}

/// Formats a rate in the unit of a limit: `6,000 IOPS`, `75.00 MB/s`.
pub(crate) fn limit(axis: LimitAxis, rate: f64) -> String {
    match axis {
        LimitAxis::Iops => format!("{} IOPS", Iops(rate)),
        LimitAxis::Bandwidth => BytesPerSecond(rate).to_string(),
    }
}

/// Formats a mean size such as `11.3 KiB`; means are rarely round.
pub(crate) fn mean_size(bytes: Bytes) -> String {
    match bytes.as_u64() {
        0..1024 => bytes.to_string(),
        1024..1_048_576 => format!("{:.1} KiB", bytes.as_u64() as f64 / 1024.0),
        _ => format!("{:.2} MiB", bytes.as_u64() as f64 / 1_048_576.0),
    }
}

/// Returns half the width of the 95 % interval, relative to the figure: `±0.4%`. `None` without an interval.
pub(crate) fn half_width(estimate: &Estimate, ink: Ink) -> Option<String> {
    let (low, high) = estimate.ci?;
    let share = (high - low) / 2.0 / estimate.value.abs();
    share.is_finite().then(|| format!("{}{}", ink.glyphs().plus_minus, percent_tight(share)))
}

/// Formats a share as `0.4%`, `12%`.
fn percent_tight(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 9.95 { format!("{percent:.1}%") } else { format!("{percent:.0}%") }
}

/// Formats a number with at most `decimals` decimals, without trailing zeros.
pub(crate) fn trimmed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Formats a share as `100 %`, `52 %`, `0.4 %`.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        p if !p.is_finite() => "-".to_owned(),
        p if p.abs() >= 9.95 => format!("{p:.0} %"),
        p => format!("{p:.1} %"),
    }
}

/// Formats a ratio of two sides as a change such as `-2.97 %`, with more digits for smaller changes.
pub(crate) fn change(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    match percent.abs() {
        p if p < 9.995 => format!("{percent:+.2} %"),
        p if p < 99.95 => format!("{percent:+.1} %"),
        _ => format!("x{ratio:.2}"),
    }
}

/// Returns the median; `None` without values.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len();
    (n > 0).then(|| (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0)
}

/// Formats user and system CPU time per operation in one unit: `3.1+9.2 us`.
pub(crate) fn cpu(user: Option<Nanos>, system: Option<Nanos>) -> Option<String> {
    let (user, system) = (user?.as_nanos(), system?.as_nanos());
    let (scale, unit) = match user.saturating_add(system) {
        0..1_000 => (1.0, "ns"),
        1_000..1_000_000 => (1e3, "us"),
        _ => (1e6, "ms"),
    };
    let one = |v: u64| {
        let v = v as f64 / scale;
        if unit == "ns" || v >= 99.95 { format!("{v:.0}") } else { format!("{v:.1}") }
    };
    Some(format!("{}+{} {unit}", one(user), one(system)))
}

/// Formats an amount of money: `1,234.50`.
#[must_use]
pub fn money(amount: f64) -> String {
    let cents = (amount * 100.0).round() as u64;
    let whole = cents / 100;
    let whole = if whole < 1000 { whole.to_string() } else { thousands(whole as f64) };
    format!("{whole}.{:02}", cents % 100)
}

/// Formats a count for reading: `812`, `61,240`, `1.23 M`, `4.56 G`.
#[must_use]
pub fn count(n: u64) -> String {
    match n {
        0..1_000 => n.to_string(),
        1_000..1_000_000 => thousands(n as f64),
        1_000_000..1_000_000_000 => format!("{:.2} M", n as f64 / 1e6),
        _ => format!("{:.2} G", n as f64 / 1e9),
    }
}

/// Formats a duration for reading: `8.2 s`, `4 min 51 s`, `1 h 03 min`.
pub fn duration(value: Nanos) -> String {
    let seconds = value.secs();
    if seconds < 1.0 {
        return value.to_string();
    }
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    if whole < 3600 {
        return format!("{} min {:02} s", whole / 60, whole % 60);
    }
    format!("{} h {:02} min", whole / 3600, whole % 3600 / 60)
}

/// Formats a duration as on a clock: `4:51`, `1:03:20`.
pub(crate) fn clock(value: Nanos) -> String {
    let s = value.secs().round() as u64;
    if s < 3600 {
        format!("{}:{:02}", s / 60, s % 60)
    } else {
        format!("{}:{:02}:{:02}", s / 3600, s % 3600 / 60, s % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Style;

    fn plain_text(line: Line) -> String {
        line.spans.into_iter().map(|s| s.text).collect()
    }

    #[test]
    fn units_of_time_are_two_columns_wide() {
        assert_eq!(plain_text(latency(Nanos(85_340), Paint::PLAIN)), "85.3 us");
        assert_eq!(plain_text(latency(Nanos::from_secs(12), Paint::PLAIN)), "12.0 s ");
    }

    #[test]
    fn cpu_time_is_told_apart_in_one_unit() {
        assert_eq!(cpu(Some(Nanos(3_120)), Some(Nanos(9_180))).as_deref(), Some("3.1+9.2 us"));
        assert_eq!(cpu(None, Some(Nanos(1))), None);
    }

    #[test]
    fn an_interval_is_told_relative_to_its_figure() {
        let ink = Ink::new(&Style::default());
        let e = Estimate { value: 6000.0, ci: Some((5976.0, 6024.0)), ci_missing: String::new().into(), n: 300 };
        assert_eq!(half_width(&e, ink).as_deref(), Some("±0.4%"));
        assert_eq!(half_width(&Estimate { value: 0.0, ..e }, ink), None);
    }

    #[test]
    fn times_are_told_as_people_tell_them() {
        assert_eq!(duration(Nanos::from_millis(8_240)), "8.2 s");
        assert_eq!(duration(Nanos::from_secs(291)), "4 min 51 s");
        assert_eq!(duration(Nanos::from_secs(3_800)), "1 h 03 min");
        assert_eq!(clock(Nanos::from_secs(3_800)), "1:03:20");
    }

    #[test]
    fn rates_that_are_no_numbers_are_dashes() {
        assert_eq!(megabytes(BytesPerSecond(f64::NAN)), "-");
        assert_eq!(percent(f64::INFINITY), "-");
    }
}

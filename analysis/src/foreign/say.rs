//! Figures in words, for statements and evidence.

use messages::sentence;
use model::{BytesPerSecond, Iops, Nanos, Sentence};

/// `6,132 IOPS`.
pub(super) fn iops(rate: f64) -> String {
    format!("{} IOPS", Iops(rate))
}

/// `93.75 MB/s`.
pub(super) fn rate(bytes: f64) -> String {
    BytesPerSecond(bytes).to_string()
}

/// `1.30 ms`.
pub(super) fn time(seconds: f64) -> String {
    Nanos::from_secs_f64(seconds).to_string()
}

/// `84.6 s`; whole seconds from 100 up.
pub(super) fn seconds(s: f64) -> String {
    if s >= 100.0 { format!("{s:.0} s") } else { format!("{s:.1} s") }
}

/// `-56.6 %`, `+2.4 %`.
pub(super) fn change(ratio: f64) -> String {
    format!("{:+.1} %", (ratio - 1.0) * 100.0)
}

/// `97 %`; one decimal below 10.
pub(super) fn percent(share: f64) -> String {
    let p = share * 100.0;
    if p.abs() < 10.0 { format!("{p:.1} %") } else { format!("{p:.0} %") }
}

/// `2.34 GB`, decimal as rates are.
pub(super) fn bytes(b: f64) -> String {
    match b {
        _ if b >= 1e12 => format!("{:.2} TB", b / 1e12),
        _ if b >= 1e9 => format!("{:.2} GB", b / 1e9),
        _ if b >= 1e6 => format!("{:.1} MB", b / 1e6),
        _ if b >= 1e3 => format!("{:.1} kB", b / 1e3),
        _ => format!("{b:.0} B"),
    }
}

/// `a, b and c`.
pub(super) fn list<T: Clone + Into<Sentence>>(words: &[T]) -> Sentence {
    let mut words = words.iter().cloned().map(Into::into);
    let last = words.next_back();
    let all = words.reduce(|all, next| sentence!("saw-list", all, next));
    match (all, last) {
        (Some(all), Some(last)) => sentence!("saw-list-last", all, last),
        (_, one) => one.unwrap_or_default(),
    }
}

/// Several statements as one: `no processor time, no context switches`.
pub(super) fn enumerated(parts: impl IntoIterator<Item = Sentence>) -> Sentence {
    parts.into_iter().reduce(|all, next| sentence!("saw-list", all, next)).unwrap_or_default()
}

//! Medians, ratios and goals, and the stored raw figures.

use crate::Case;
use crate::peers::{Figure, Memory, Peer};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

/// A case and the figures of all peers.
pub struct Row {
    pub case: Case,
    pub figures: Vec<(Peer, Vec<Figure>)>,
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[n / 2],
        n => f64::midpoint(values[n / 2 - 1], values[n / 2]),
    }
}

impl Row {
    fn median(&self, peer: Peer, what: fn(&Figure) -> f64) -> f64 {
        let list = self.figures.iter().find(|(p, _)| *p == peer);
        median(list.map(|(_, l)| l.iter().map(what).collect()).unwrap_or_default())
    }
}

/// Goal for the ratio of two peers' figures.
pub struct Goal {
    id: &'static str,
    case: &'static str,
    ours: Peer,
    other: Peer,
    what: fn(&Figure) -> f64,
    unit: &'static str,
    bound: f64,
    at_least: bool,
}

impl Goal {
    /// Creates a goal for the user CPU time per I/O: at most `bound` times the other peer's.
    pub fn user(id: &'static str, case: &'static str, ours: Peer, other: Peer, bound: f64) -> Self {
        Goal { id, case, ours, other, what: |f| f.user_ns, unit: "user ns", bound, at_least: false }
    }

    /// Creates a goal for the rate: at least `bound` times the other peer's.
    pub fn iops(id: &'static str, case: &'static str, ours: Peer, other: Peer, bound: f64) -> Self {
        Goal { id, case, ours, other, what: |f| f.iops, unit: "IOPS", bound, at_least: true }
    }

    /// Creates a goal for the mean latency: at most `bound` times the other peer's.
    pub fn mean(id: &'static str, case: &'static str, ours: Peer, other: Peer, bound: f64) -> Self {
        Goal { id, case, ours, other, what: |f| f.mean_ns, unit: "mean latency", bound, at_least: false }
    }
}

/// Formats the medians of all peers.
pub fn render(rows: &[Row]) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "\n{:<22} {:<10} {:>12} {:>9} {:>9} {:>11}",
        "4 KiB random read", "", "IOPS", "user ns", "sys ns", "mean"
    );
    for row in rows {
        for (i, (peer, _)) in row.figures.iter().enumerate() {
            let median = |what| row.median(*peer, what);
            let _ = writeln!(
                out,
                "{:<22} {:<10} {:>12} {:>9.1} {:>9.0} {:>11}",
                if i == 0 { row.case.name } else { "" },
                peer.name(),
                model::units::thousands(median(|f| f.iops)),
                median(|f| f.user_ns),
                median(|f| f.system_ns),
                model::Nanos(median(|f| f.mean_ns) as u64).to_string(),
            );
        }
    }
    out
}

/// Formats every goal with its ratio.
pub fn goals(rows: &[Row], memory: &Memory, goals: &[Goal]) -> String {
    let mut out = String::new();
    for goal in goals {
        let Some(row) = rows.iter().find(|r| r.case.name == goal.case) else { continue };
        let ratio = row.median(goal.ours, goal.what) / row.median(goal.other, goal.what);
        let met = if goal.at_least { ratio >= goal.bound } else { ratio <= goal.bound };
        let _ = writeln!(
            out,
            "{} {:<6} {:<22} {} {} {} of {}'s: {:.3}",
            goal.id,
            if ratio.is_nan() {
                "?"
            } else if met {
                "met"
            } else {
                "MISSED"
            },
            goal.case,
            goal.unit,
            if goal.at_least { ">=" } else { "<=" },
            format_args!("{:.3}", goal.bound),
            goal.other.name(),
            ratio
        );
    }
    let mib = memory.resident / f64::from(1 << 20);
    let verdict = |met: bool| if met { "met" } else { "MISSED" };
    // The 0.5 MiB are 128 buffers of 4 KiB.
    let _ = writeln!(
        out,
        "P7 {:<6} resident with 128 workers, buffers included: {mib:.1} MiB (goal 12 + 0.5)",
        verdict(mib <= 12.5)
    );
    let _ = writeln!(
        out,
        "P7 {:<6} start to first I/O: {:.1} ms (goal 50)",
        verdict(memory.first_io_ms <= 50.0),
        memory.first_io_ms
    );
    out
}

/// Appends one line of JSON per case and peer to today's file.
pub fn append(rows: &[Row], memory: &Memory) -> std::io::Result<PathBuf> {
    let seconds = sys::clock::realtime_ns() / 1_000_000_000;
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("results");
    std::fs::create_dir_all(&dir)?;
    let path = dir.join(format!("{}.jsonl", jiff::Zoned::now().date()));
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&path)?;
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    for row in rows {
        for (peer, figures) in &row.figures {
            let raw: Vec<_> = figures
                .iter()
                .map(|f| json!({"iops": f.iops, "user_ns": f.user_ns, "system_ns": f.system_ns, "mean_ns": f.mean_ns}))
                .collect();
            let line = json!({
                "time": seconds, "kernel": kernel.trim(), "case": row.case.name, "peer": peer.name(), "runs": raw,
            });
            writeln!(file, "{line}")?;
        }
    }
    writeln!(
        file,
        "{}",
        json!({"time": seconds, "case": "128 workers", "resident": memory.resident, "first_io_ms": memory.first_io_ms})
    )?;
    Ok(path)
}

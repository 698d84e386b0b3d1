//! fio's progress line of a running job: `Jobs: 2 (f=2): [r(1),w(1)][45.0%][r=24.6MiB/s][r=6303 IOPS][eta 00m:33s]`.

use model::{BytesPerSecond, Iops, Nanos};
use std::fmt::Write;

/// Contents of the progress line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EtaView<'a> {
    /// Number of jobs that have not ended.
    pub running: u32,
    /// Number of files that these jobs have open.
    pub files: u32,
    /// fio's state letter for each job.
    pub states: &'a [char],
    /// Rates of reads, writes and trims.
    pub rates: [(Iops, BytesPerSecond); 3],
    /// Time since the start.
    pub elapsed: Nanos,
    /// Expected remaining time; `None` if unknown.
    pub left: Option<Nanos>,
}

/// Returns the line without a line end.
#[must_use]
pub fn eta_line(view: &EtaView<'_>) -> String {
    let mut line = format!("Jobs: {} (f={}): [{}]", view.running, view.files, condensed(view.states));
    match view.left {
        Some(left) => {
            let total = (view.elapsed.as_nanos() + left.as_nanos()).max(1);
            let _ = write!(line, "[{:.1}%]", 100.0 * view.elapsed.as_nanos() as f64 / total as f64);
        }
        None => line.push_str("[-.-%]"),
    }
    let moving: Vec<usize> = (0..3).filter(|i| view.rates[*i].0.per_second() > 0.0).collect();
    let each = |of: &dyn Fn(usize) -> String| {
        moving.iter().map(|i| format!("{}={}", ['r', 'w', 't'][*i], of(*i))).collect::<Vec<_>>().join(",")
    };
    if !moving.is_empty() {
        let units = ["B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s"];
        let bytes = each(&|i| rate(view.rates[i].1.per_second(), 1024.0, &units));
        let iops = each(&|i| rate(view.rates[i].0.per_second(), 1000.0, &["", "k", "M", "G"]));
        let _ = write!(line, "[{bytes}][{iops} IOPS]");
    }
    let _ = match view.left {
        Some(left) => write!(line, "[eta {}]", clock(left)),
        None => write!(line, "[eta --]"),
    };
    line
}

/// Abbreviates `rrww_` as `r(2),w(2),_(1)`.
fn condensed(states: &[char]) -> String {
    states.chunk_by(|a, b| a == b).map(|run| format!("{}({})", run[0], run.len())).collect::<Vec<_>>().join(",")
}

fn rate(mut value: f64, step: f64, units: &[&str]) -> String {
    let mut unit = 0;
    while value >= step && unit + 1 < units.len() {
        value /= step;
        unit += 1;
    }
    let digits = usize::from(value < 100.0 && unit > 0);
    format!("{value:.digits$}{}", units[unit])
}

/// Formats a time as `01m:30s`, as fio does.
fn clock(time: Nanos) -> String {
    let seconds = time.as_nanos().div_ceil(1_000_000_000);
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    let mut text = String::new();
    if days > 0 {
        let _ = write!(text, "{days:02}d:");
    }
    if days > 0 || hours > 0 {
        let _ = write!(text, "{hours:02}h:");
    }
    let _ = write!(text, "{minutes:02}m:{:02}s", seconds % 60);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_fios() {
        let mut view = EtaView {
            running: 4,
            files: 4,
            states: &['R', 'R', 'R', 'R'],
            elapsed: Nanos::from_secs(60),
            left: Some(Nanos(0)),
            ..EtaView::default()
        };
        view.rates[0] = (Iops(6303.0), BytesPerSecond(49.2 * 1_048_576.0));
        assert_eq!(eta_line(&view), "Jobs: 4 (f=4): [R(4)][100.0%][r=49.2MiB/s][r=6.3k IOPS][eta 00m:00s]");
    }

    #[test]
    fn an_end_that_nobody_knows_is_not_made_up() {
        let states = ['_', 'f'];
        let view = EtaView { running: 1, files: 1, states: &states, ..EtaView::default() };
        assert_eq!(eta_line(&view), "Jobs: 1 (f=1): [_(1),f(1)][-.-%][eta --]");
    }
}

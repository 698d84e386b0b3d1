//! Judgement of a watch: activity of each device, each process and the machine, use of each cap, and a first sentence.
//!
//! All figures are weighted by the actual length of their intervals. Intervals without data (the machine slept, a
//! device was absent) are not part of any mean or share.

mod alerts;
mod caps;
mod counted;
mod devices;
mod groups;
mod layers;
mod verdict;

#[cfg(test)]
mod tests;

pub use alerts::AlertWatch;
pub use caps::fullness;

use crate::validity::sampling::{DEAR, sampling};
use messages::sentence;
use model::judged::{HostFigure, KindFigures, Outcome, ProcessFigures, TopFigures, WatchJudgement};
use model::record::{CommandExit, CommandUse};
use model::{BytesPerSecond, Caveat, CompactSort, Judgement, Nanos, RunRecord, RunState, Severity};
use model::{distinct, measured::series_of, plan::WatchPlan};

/// Share of a cap from which it counts as reached: the sold rate is delivered within 3 %.
pub(crate) const FULL: f64 = 1.0 - crate::limits::caps::TOLERANCE;

/// Judges a watch.
pub(crate) fn judge(record: &RunRecord, plan: &WatchPlan) -> Judgement {
    let table = Table::new(record);
    let devices = devices::figures(record, plan, &table);
    let watch = WatchJudgement {
        covered: table.stretches.iter().map(|s| s.length).sum::<Nanos>(),
        looks: table.stretches.len() as u64,
        caps: caps::uses(record, plan, &table, &devices),
        devices,
        processes: processes(record, plan, &table),
        top: top(record, &table),
        groups: groups::figures(record, &table),
        host: host(record, plan, &table),
    };
    let counted = counted::excesses(record, plan, &table);
    let mut caveats = doubts(record, &watch);
    caveats.extend(counted::doubt(counted.as_deref(), &watch.caps));
    let (outcome, exit_code) = outcome(record, &watch);
    Judgement {
        verdict: verdict::first_sentence(record, plan, &watch, counted.as_deref().unwrap_or_default()),
        outcome,
        caveats,
        figures: Some(KindFigures::Watch(Box::new(watch))),
        sampling: sampling(record),
        layers: layers::layers(record, plan, &table),
        exit_code,
        ..Judgement::default()
    }
}

/// One sample: its time, and the length of the interval before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stretch {
    pub at: Nanos,
    pub length: Nanos,
}

/// Table of the series with a row for each interval.
pub(crate) struct Table<'a> {
    record: &'a RunRecord,
    pub stretches: Vec<Stretch>,
}

impl<'a> Table<'a> {
    fn new(record: &'a RunRecord) -> Table<'a> {
        let stretches = record.stretches().into_iter().map(|(at, length)| Stretch { at, length }).collect();
        Table { record, stretches }
    }

    /// Returns a series' value for each interval; `None` if there is none.
    pub fn column(&self, name: &str) -> Vec<Option<f64>> {
        let points = self.record.series(name).map_or(&[][..], |s| &s.points);
        let mut next = points.iter().peekable();
        let value = |stretch: &Stretch| {
            while next.next_if(|p| p.0 < stretch.at).is_some() {}
            next.next_if(|p| p.0 == stretch.at).map(|p| p.1)
        };
        self.stretches.iter().map(value).collect()
    }

    /// Returns the sum of value times seconds, and the seconds with values.
    pub fn integral(&self, column: &[Option<f64>]) -> (f64, f64) {
        let known = column.iter().zip(&self.stretches).filter_map(|(v, s)| Some((v.as_ref()?, s.length.secs())));
        known.fold((0.0, 0.0), |(sum, time), (v, secs)| (sum + v * secs, time + secs))
    }

    /// Returns the mean over the time with values.
    pub fn mean(&self, column: &[Option<f64>]) -> Option<f64> {
        let (sum, time) = self.integral(column);
        (time > 0.0).then(|| sum / time)
    }

    /// Returns the maximum, and the end of its interval.
    pub fn most(&self, column: &[Option<f64>]) -> Option<(f64, Nanos)> {
        let known = column.iter().zip(&self.stretches).filter_map(|(v, s)| Some(((*v)?, s.at)));
        known.max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Returns the maximum of the sum of two series in one interval; 0 if there is no interval with both.
    pub fn most_of_sum(&self, a: &str, b: &str) -> f64 {
        let both = self.column(a).into_iter().zip(self.column(b)).map(|(a, b)| Some(a? + b?));
        self.most(&both.collect::<Vec<_>>()).map_or(0.0, |(most, _)| most)
    }
}

fn processes(record: &RunRecord, plan: &WatchPlan, table: &Table) -> Vec<ProcessFigures> {
    let sampled = record.series.iter().filter_map(|s| Some(series_of(&s.name, "process")?.0));
    let names = distinct(plan.processes.iter().map(|p| p.name.as_str()).chain(sampled));
    let process_of = |name: &str| {
        let column = |what: &str| table.column(&format!("process.{name}.{what}"));
        let total =
            |what: &str| Some(table.integral(&column(what))).filter(|(_, time)| *time > 0.0).map(|(sum, _)| sum);
        let share = |what: &str| table.mean(&column(what)).unwrap_or(0.0);
        ProcessFigures {
            name: name.to_owned(),
            bytes: total("read").zip(total("write")).map(|(read, write)| [read, write]),
            cpu: [share("cpu_user") / 100.0, share("cpu_system") / 100.0],
            switches: share("switches"),
        }
    };
    names.into_iter().map(process_of).collect()
}

/// Returns the processes with the most I/O, those with the most bytes first. Intervals without I/O of a process have no
/// values.
fn top(record: &RunRecord, table: &Table) -> Vec<TopFigures> {
    let names = distinct(record.series.iter().filter_map(|s| Some(series_of(&s.name, "top")?.0)));
    let figures_of = |name: &str| {
        let series = |what: &str| format!("top.{name}.{what}");
        let total = |what: &str| table.integral(&table.column(&series(what))).0;
        let (wait, waited) = table.integral(&table.column(&series("wait")));
        TopFigures {
            name: name.to_owned(),
            bytes: [total("read"), total("write")],
            calls: [total("read_calls"), total("write_calls")],
            wait: (waited > 0.0).then(|| Nanos::from_secs_f64(wait / 100.0)),
            most: BytesPerSecond(table.most_of_sum(&series("read"), &series("write"))),
        }
    };
    let mut figures: Vec<TopFigures> = names.into_iter().map(figures_of).collect();
    let bytes = |figures: &TopFigures| figures.bytes[0] + figures.bytes[1];
    figures.compact_sort_by(|a, b| bytes(b).total_cmp(&bytes(a)));
    figures
}

/// Series of the machine with a line in the summary.
const HOST: [&str; 11] = [
    "cpu.user",
    "cpu.system",
    "cpu.iowait",
    "cpu.steal",
    "memory.available",
    "memory.dirty",
    "memory.writeback",
    "pressure.io.some",
    "pressure.io.full",
    "pressure.memory.some",
    "pressure.cpu.some",
];

fn host(record: &RunRecord, plan: &WatchPlan, table: &Table) -> Vec<HostFigure> {
    let figure = |name: &str| {
        let series = record.series(name)?;
        let column = table.column(name);
        let (mean, (most, _)) = table.mean(&column).zip(table.most(&column))?;
        Some(HostFigure { name: name.to_owned(), unit: series.unit.clone(), mean, most })
    };
    let of_hosts =
        plan.hosts.iter().flat_map(|host| HOST.iter().map(move |name| model::measured::name_on_host(name, host, true)));
    match plan.hosts.is_empty() {
        true => HOST.iter().filter_map(|name| figure(name)).collect(),
        false => of_hosts.filter_map(|name| figure(&name)).collect(),
    }
}

fn doubts(record: &RunRecord, watch: &WatchJudgement) -> Vec<Caveat> {
    let mut caveats = record.caveats.clone();
    caveats.extend(crate::validity::layers::doubts(record));
    caveats.extend(groups::doubts(&watch.groups));
    caveats.extend(crate::validity::ranks::doubts(record));
    if record.lost_a_host() {
        let reason = record.reason.clone();
        caveats.push(Caveat::new("host-gone", Severity::Doubt, sentence!("doubt-host-gone"), reason));
    }
    if let Some(command) = record.command().filter(|c| c.left_running()) {
        let evidence = sentence!("watch-command-left-seen", pid = command.pid);
        let doubt = Caveat::new("command-left-running", Severity::Doubt, sentence!("watch-command-left"), evidence);
        caveats.push(doubt.remedy(sentence!("watch-command-left-remedy", pid = command.pid)));
    }
    let long: Vec<Nanos> = late(record);
    if let Some(longest) = long.iter().max() {
        let (late, looks) = (long.len(), watch.looks);
        let evidence = sentence!("watch-late-looks-seen", late, looks, longest = *longest);
        caveats.push(Caveat::new("late-looks", Severity::Note, sentence!("watch-late-looks"), evidence));
    }
    if let Some(cost) = sampling(record).filter(|c| c.share > DEAR) {
        let share = format!("{:.1}", cost.share * 100.0);
        let evidence = sentence!("watch-dear-looks-seen", share, cost = cost.per_look);
        let doubt = Caveat::new("dear-sampling", Severity::Note, sentence!("watch-dear-looks"), evidence);
        caveats.push(doubt.remedy(sentence!("watch-dear-looks-remedy")));
    }
    caveats
}

/// Returns intervals longer than the requested one by more than half.
fn late(record: &RunRecord) -> Vec<Nanos> {
    let Some(plan) = record.plan.watch() else { return Vec::new() };
    let stretches = record.stretches();
    // The last interval has the remaining length.
    let lengths = stretches.iter().map(|(_, length)| *length);
    lengths.filter(|length| length.as_nanos() > plan.interval.as_nanos() + plan.interval.as_nanos() / 2).collect()
}

/// Returns the outcome. Its exit code is that of the command, unless the watch ended the command: then the watch itself
/// ended as planned.
fn outcome(record: &RunRecord, watch: &WatchJudgement) -> (Outcome, u8) {
    if record.state == RunState::Damaged {
        return (Outcome::Undecided, 2);
    }
    let command = record.command();
    let code = command.filter(|c| c.told_to_end.is_none()).and_then(|c| c.exit).map(CommandExit::code);
    match (record.state, code) {
        (RunState::Hung, _) => (Outcome::Undecided, 5),
        (RunState::Complete, None | Some(0)) if !record.alarms().is_empty() => (Outcome::Fail, 1),
        (_, Some(code)) => {
            let outcome = if code == 0 { Outcome::Pass } else { Outcome::Fail };
            (outcome, u8::try_from(code.clamp(0, 255)).unwrap_or(u8::MAX))
        }
        (RunState::Failed, None) => (Outcome::Undecided, 4),
        (RunState::Stopped, None) => (Outcome::Undecided, record.stopped_code()),
        _ if watch.looks == 0 || command.is_some_and(CommandUse::left_running) => (Outcome::Undecided, 2),
        _ => (Outcome::Pass, 0),
    }
}

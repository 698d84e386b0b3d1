//! Commands that run on many hosts as one run: one process on each, started together by an MPI launcher. The first
//! process, rank 0, stores, judges and reports the run. Everything about other processes is in this folder. In a run of
//! one process, all of this does nothing.

mod databases;
mod shared_directory;
mod shared_file;

use crate::ended::Reporter;
use crate::environment::{self, MpiLaunch};
use crate::exit::{self, Code, coded};
use crate::supervisor::Lifeline;
use crate::targets::HostedPath;
use crate::{Session, measure};
use crate::{launch, reject};
use anyhow::Result;
use messages::sentence;
use model::{Plan, Sentence, record::Preflight};
use monitor::samplers::Subjects;
use run::ranks::{Done, Refusal, Team};
use run::{Ending, Interrupt, RunInputs, Sink, StopRequest, Targets, WatchControl, conduct, conduct_watch};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use store::Store;
use sys::clock::RunClock;

pub use run::ranks::join_parts;
pub use shared_directory::HeldDirectory;
pub(super) use shared_file::SharedFile;

/// Name of the store for parts of runs, which is inside the run store. Parts do not appear in lists of runs.
pub const PARTS: &str = "parts";

/// Longest time for which other processes may continue to work after contact with one of them was lost.
const GONE_ON: Duration = Duration::from_secs(run::ranks::SILENCE.as_secs() + 4);

/// Returns `true` if a launcher started several processes. Their hosts are not known before they have joined.
pub fn are_expected() -> bool {
    launch::is_one_of_many()
}

/// Returns the name of the folder of a rank.
pub fn folder_name(rank: usize) -> String {
    format!("rank-{rank}")
}

/// This process as one of several in a run.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    /// Number of the process, from 0.
    pub rank: usize,
    /// Number of processes.
    pub ranks: usize,
    /// Name under which the targets of this process are listed.
    pub name: &'a str,
}

/// The processes of a run.
pub(super) enum Members {
    /// Only this process. `launched` is true if an MPI launcher started it.
    Alone { launched: bool },
    /// This process and others.
    Many(Box<Team>),
}

impl Members {
    /// Joins the other processes if an MPI launcher started several. Returns the clock of the run as well, which is the
    /// same in all processes.
    ///
    /// # Errors
    /// If the processes cannot run together; rank 0 prints the reason.
    pub(super) fn join(lifeline: &Lifeline) -> Result<(Members, RunClock)> {
        let clock = RunClock::start();
        let Some(launch) = environment::mpi_launch().filter(|_| cfg!(feature = "mpi")) else {
            return Ok((Members::Alone { launched: environment::is_sole_rank() }, clock));
        };
        Ok(match while_alive(lifeline, || meet(launch, clock))? {
            None => (Members::Alone { launched: true }, clock),
            Some(team) => {
                let clock = team.clock();
                (Members::Many(Box::new(team)), clock)
            }
        })
    }

    /// Returns the ID of the run; on rank 0 it is the one that all ranks know.
    pub(super) fn run_id(&self) -> String {
        match self {
            Members::Many(team) if team.leads() => team.run().to_owned(),
            _ => measure::run_id(),
        }
    }

    /// Returns which process reports the run, once the run has ended.
    pub(super) fn reporter(&self) -> Reporter {
        match self {
            Members::Many(team) if !team.leads() => Reporter::Other { has_whole: team.is_dismissed() },
            _ => Reporter::Own,
        }
    }

    pub(super) fn agree(&mut self, lifeline: &Lifeline, plan: &Plan, facts: &Preflight) -> Result<()> {
        match self {
            Members::Alone { .. } => Ok(()),
            Members::Many(team) => while_alive(lifeline, || team.agree(plan, facts).map_err(refused)),
        }
    }

    pub(super) fn conduct(
        &mut self,
        clock: RunClock,
        inputs: &RunInputs<'_>,
        targets: Targets<'_, '_>,
        sink: &mut dyn Sink,
        interrupt: &Interrupt,
    ) -> Ending {
        match self {
            Members::Alone { .. } => conduct(clock, inputs, targets, sink, interrupt),
            Members::Many(team) => team.conduct(inputs, targets, sink, interrupt),
        }
    }

    pub(super) fn watch(
        &mut self,
        clock: RunClock,
        inputs: &RunInputs<'_>,
        subjects: Subjects,
        control: WatchControl<'_>,
        sink: &mut (impl Sink + StopRequest),
    ) -> Ending {
        let RunInputs { plan, preflight, identity, caveats } = *inputs;
        match self {
            Members::Alone { .. } => conduct_watch(&clock, plan, preflight, identity, caveats, subjects, control, sink),
            Members::Many(team) => team.conduct_watch(inputs, subjects, control.interrupt, sink),
        }
    }

    /// Ends this process's part in the work. If it fails before the run begins, all processes end, and rank 0 prints
    /// the reason. Rank 0 also reports the results of the other ranks.
    ///
    /// # Errors
    /// The error of the work, and the refusal of another rank.
    pub(super) fn end(self, outcome: Result<Code>) -> Result<Code> {
        let Members::Many(mut team) = self else { return outcome };
        let outcome = match outcome {
            Err(error) if !team.is_over() => {
                let refusal = team.refuse(exit::code_of(&error).0, &format!("{error:#}"));
                if team.leads() { Err(error) } else { Err(refused(refusal)) }
            }
            other => other,
        };
        team.leave();
        if team.leads() { outcome } else { Ok(exit::OK) }
    }
}

impl Session {
    fn team(&self) -> Option<&Team> {
        match &self.members {
            Members::Alone { .. } => None,
            Members::Many(team) => Some(team),
        }
    }

    fn team_mut(&mut self) -> Option<&mut Team> {
        match &mut self.members {
            Members::Alone { .. } => None,
            Members::Many(team) => Some(team),
        }
    }

    /// Returns `true` if this process stores, judges and reports the run. It always does in a run of one process.
    pub fn reports(&self) -> bool {
        self.team().is_none_or(Team::leads)
    }

    /// Returns the files that this process writes for the user: all of them, or none if another process reports.
    pub fn outputs<'a>(&self, files: &'a [PathBuf]) -> &'a [PathBuf] {
        if self.reports() { files } else { &[] }
    }

    /// Returns this process as one of several; `None` in a run of one process.
    pub fn member(&self) -> Option<Member<'_>> {
        self.team().map(|team| Member { rank: team.rank(), ranks: team.size(), name: team.name() })
    }

    /// Returns the number of processes of the run.
    pub fn size(&self) -> usize {
        self.team().map_or(1, Team::size)
    }

    /// Returns `true` if an MPI launcher started only this process. Options that divide work among ranks then assign
    /// all of it to this process.
    pub fn is_launched_alone(&self) -> bool {
        matches!(self.members, Members::Alone { launched: true })
    }

    /// Returns the number of processes that write separate test files. This is known only in the process that reports;
    /// the others return 1.
    pub fn writers(&self) -> u64 {
        let size = if self.reports() && self.shared.is_none() { self.size() } else { 1 };
        size as u64
    }

    /// Returns the path on which this process works. In a directory that all hosts received, this is a folder named
    /// after the rank, which is created if it is missing. Otherwise it is the path itself, as in a run of one process
    /// and if all hosts share one file.
    ///
    /// # Errors
    /// If the folder cannot be created.
    pub fn place(&mut self, path: &Path) -> Result<PathBuf> {
        if self.team().is_none() || self.shared.is_some() || !path.is_dir() {
            return Ok(path.to_owned());
        }
        let folder = self.folder(path);
        self.folders.make(Some(&folder)).map_err(|e| coded(exit::CANNOT, e))?;
        Ok(folder)
    }

    /// Returns the existing path that is closest to [`Session::place`]. Creates nothing: if the folder is missing, its
    /// parent directory gives the same information about the storage.
    pub fn planned_place(&self, path: &Path) -> PathBuf {
        let folder = Some(self.folder(path)).filter(|folder| self.shared.is_none() && folder.is_dir());
        folder.unwrap_or_else(|| path.to_owned())
    }

    /// Returns the folder of this process in a directory that all hosts received, or the path itself in a run of one
    /// process. Creates nothing.
    fn folder(&self, path: &Path) -> PathBuf {
        self.member().map_or_else(|| path.to_owned(), |own| path.join(folder_name(own.rank)))
    }

    /// Returns the targets of this process.
    ///
    /// # Errors
    /// If a target names an unknown host, this host has no target, or two of its targets have the same name.
    pub fn targets_here<'a>(&self, targets: &'a [HostedPath]) -> Result<Vec<&'a HostedPath>> {
        if let Some(names) = self.team().filter(|team| team.leads()).map(Team::names)
            && let Some(target) = targets.iter().find(|target| !names.iter().any(|name| target.is_on(name)))
        {
            let (host, names) = (target.host.as_deref().unwrap_or_default(), names.join(", "));
            reject!("a target is on host `{host}`, but the hosts of this run are {names}");
        }
        let this_host = self.member().map_or("", |own| own.name);
        let here: Vec<&HostedPath> = targets.iter().filter(|target| target.is_on(this_host)).collect();
        if here.is_empty() {
            reject!("there is no target for this host: add one with --target {this_host}:NAME=PATH");
        }
        let twice = (1..here.len()).find(|i| here[..*i].iter().any(|earlier| earlier.name == here[*i].name));
        if let Some(twice) = twice {
            reject!("two targets of {this_host} are named `{}`", here[twice].name);
        }
        Ok(here)
    }

    /// Returns the smallest of the numbers with which all processes call this; `own` in a run of one process.
    ///
    /// # Errors
    /// If one of them refuses; rank 0 prints the reason.
    pub fn least(&mut self, own: u32) -> Result<u32> {
        let numbers = self.exchange(&own.to_string())?;
        Ok(numbers.iter().filter_map(|number| number.parse().ok()).min().unwrap_or(own))
    }

    /// Returns the common plan of all processes after they have agreed on it. It is known only in the process that
    /// reports the run, until the run begins; otherwise returns `own`.
    pub fn common_plan<'a>(&'a self, own: &'a Plan) -> &'a Plan {
        self.team().and_then(Team::agreed).unwrap_or(own)
    }

    /// Opens a store for this process's part of the run on its own host, inside the requested store, in case the process
    /// that reports the run is lost.
    pub(super) fn open_store_of_parts(&mut self, place: Option<&PathBuf>) {
        let opened = match environment::store_dir(place.filter(|place| !store::is_team(place))) {
            Some(dir) => Store::open(&dir.join(PARTS)).map_err(|e| e.to_string()),
            None => Err("neither XDG_DATA_HOME nor HOME is set".to_owned()),
        };
        self.unstored = opened.as_ref().err().map(|reason| format!("it cannot keep its part of the run: {reason}"));
        self.store = opened.ok();
    }

    /// Returns a note if a launcher restricted the only process to some of the CPUs.
    pub(super) fn bound_note(&self) -> Option<Sentence> {
        if !self.is_launched_alone() {
            return None;
        }
        let host = monitor::facts::host(&monitor::Roots::host());
        let (cpus, processors) = (host.cpus, host.processors);
        let note = || {
            sentence!("ranks-one-bound", cpus, all = processors, mpirun = "--bind-to none", srun = "--cpu-bind=none")
        };
        (processors > cpus).then(note)
    }

    /// Sends one word to all processes and returns the words of all, in the order of the ranks. Waits until all have
    /// answered. In a run of one process, returns only its own word.
    ///
    /// # Errors
    /// If one of them refuses; rank 0 prints the reason.
    fn exchange(&mut self, word: &str) -> Result<Vec<String>> {
        let lifeline = self.lifeline.clone();
        let Some(team) = self.team_mut() else { return Ok(vec![word.to_owned()]) };
        while_alive(&lifeline, || team.exchange(word).map_err(refused))
    }

    /// Waits until every process reports that it can do the next step, before any process does it.
    ///
    /// # Errors
    /// If one of them cannot; rank 0 prints the reason.
    fn all_can(&mut self) -> Result<()> {
        self.exchange("").map(drop)
    }

    /// Returns `true` if contact with a process was lost during the run and that process may still be working. Rank 0
    /// checks every other rank; the others check only rank 0.
    fn misses_any(&self) -> bool {
        self.team().is_some_and(Team::misses_any)
    }

    /// Keeps the processes connected after the run as well.
    pub fn stay(&mut self) {
        if let Some(team) = self.team_mut() {
            team.stay();
        }
    }

    /// Disconnects from the other processes. Used after [`Session::stay`] if there are no results to gather.
    pub fn leave(&mut self) {
        if let Some(team) = self.team_mut() {
            team.leave();
        }
    }

    /// Gathers the lines and exit codes of all processes for work that is not a run, and disconnects from them. The
    /// code is the first that is not 0; if a process failed, its error is among its lines. In a run of one process,
    /// returns its own lines without a name; on ranks other than 0, returns no lines.
    ///
    /// # Errors
    /// Errors of `own` in a run of one process, and an error if a process is gone.
    fn gather(&mut self, own: Result<(Vec<String>, Code)>) -> Result<(Vec<Done>, Code)> {
        let lifeline = self.lifeline.clone();
        let Some(team) = self.team_mut() else {
            let (lines, code) = own?;
            return Ok((vec![Done { host: String::new(), code: code.0, lines }], code));
        };
        let (lines, code) = own.unwrap_or_else(|error| (vec![format!("{error:#}")], exit::code_of(&error)));
        let gathered = while_alive(&lifeline, || team.gather(code.0, lines).map_err(refused));
        team.leave();
        let gathered = gathered?;
        let code = gathered.iter().map(|done| done.code).find(|code| *code != 0);
        Ok((gathered, code.map_or(exit::OK, Code)))
    }
}

/// Joins the other processes, if there are any.
#[cfg(feature = "mpi")]
fn meet(launch: MpiLaunch, clock: RunClock) -> Result<Option<Team>> {
    use run::ranks::Link;
    let cannot = |e| coded(exit::CANNOT, format!("started by {}: {e}", launch.launcher));
    let link = run::ranks::mpi::MpiLink::start().map_err(cannot)?;
    if link.size() < 2 {
        return Ok(None);
    }
    let host = sys::process::host_name();
    let team = Team::join(std::sync::Arc::new(link), &host, env!("CARGO_PKG_VERSION"), measure::run_id(), clock);
    team.map(Some).map_err(refused)
}

#[cfg(not(feature = "mpi"))]
fn meet(_launch: MpiLaunch, _clock: RunClock) -> Result<Option<Team>> {
    Ok(None)
}

/// Regularly reports to the supervisor that this process is alive while it waits for other processes: with hundreds of
/// them, it takes minutes until all have arrived.
fn while_alive<T>(lifeline: &Lifeline, work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        if lifeline.is_attached() {
            let done = &done;
            scope.spawn(move || {
                while !done.load(Relaxed) {
                    lifeline.report_alive();
                    std::thread::sleep(Duration::from_millis(100));
                }
            });
        }
        let outcome = work();
        done.store(true, Relaxed);
        outcome
    })
}

fn refused(refusal: Refusal) -> anyhow::Error {
    coded(Code(refusal.code), refusal.text.map(|text| text.to_string()).unwrap_or_default())
}

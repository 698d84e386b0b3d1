//! A command as one rank of a run on many hosts: it joins the other ranks, agrees on a plan with them, runs its part,
//! and leaves. In a run of one process, all of this does nothing.

use crate::environment::{self, MpiLaunch};
use crate::exit::{self, Code, coded};
use crate::session::directories::MadeDirectories;
use crate::session::hosts::launch;
use crate::session::journal_sink::JournalSink;
use crate::session::run_store::{digest_of, open_store};
use crate::session::supervisor::Lifeline;
use crate::session::{self, measure};
use crate::terminal::Live;
use anyhow::Result;
use messages::sentence;
use model::{Plan, Preflight, Sentence};
use monitor::samplers::Subjects;
use run::ranks::{Done, Refusal, Team};
use run::{Ending, Identity, Interrupt, RunInputs, Sink, StopRequest, Targets, WatchControl, conduct, conduct_watch};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use store::Store;
use sys::RunClock;

/// Name of the store for parts of runs, which is inside the run store. Parts do not appear in lists of runs.
use super::PARTS;

/// This command as one of several ranks, or alone.
pub struct Ranks {
    team: Option<Team>,
    clock: RunClock,
    lifeline: Option<Lifeline>,
    /// Reason why a rank other than 0 cannot store its part of the run; `None` if it can.
    unkept: Option<String>,
    /// True if a launcher started only one process.
    one: bool,
}

/// This rank of a run with several ranks.
#[derive(Debug, Clone, Copy)]
pub struct OwnRank<'a> {
    /// Number of the rank, from 0.
    pub rank: usize,
    /// Number of ranks.
    pub ranks: usize,
    /// Name under which the targets of this rank are listed.
    pub name: &'a str,
}

impl Ranks {
    /// Returns the ranks of a run with only this process.
    pub fn alone() -> Ranks {
        Ranks { team: None, clock: RunClock::start(), lifeline: None, unkept: None, one: environment::is_sole_rank() }
    }

    /// Returns `true` if a launcher started several processes. Their hosts are not known at this time.
    pub fn expected() -> bool {
        launch::is_one_of_many()
    }

    /// Executes `work` as one rank of several, or alone. If it fails before the run begins, all ranks end and rank 0
    /// prints the reason. Rank 0 also reports the results of the other ranks.
    ///
    /// # Errors
    /// Errors of `work`, and if the ranks cannot run together.
    pub fn run(lifeline: Option<&Lifeline>, work: impl FnOnce(&mut Ranks) -> Result<Code>) -> Result<Code> {
        let mut ranks = Ranks::join(lifeline)?;
        let outcome = work(&mut ranks);
        ranks.end(outcome)
    }

    /// Joins the other ranks if an MPI launcher started several processes.
    ///
    /// # Errors
    /// If the ranks cannot run together; rank 0 prints the reason.
    fn join(lifeline: Option<&Lifeline>) -> Result<Ranks> {
        let mut ranks = Ranks { lifeline: lifeline.cloned(), ..Ranks::alone() };
        if let Some(launch) = launched() {
            ranks.team = alive(lifeline, || meet(launch, ranks.clock))?;
            ranks.one = ranks.team.is_none();
        }
        if let Some(team) = &ranks.team {
            ranks.clock = team.clock();
        }
        Ok(ranks)
    }

    /// Returns the clock of the run, the same on all ranks.
    pub fn clock(&self) -> RunClock {
        self.clock
    }

    /// Returns `true` if an MPI launcher started only one process. This is then a run of one process, and options that
    /// divide work among ranks assign all of it to this process.
    pub fn are_one(&self) -> bool {
        self.one
    }

    /// Returns `true` if rank 0 is another process, which stores, judges and reports the run.
    pub fn follows(&self) -> bool {
        self.team.as_ref().is_some_and(|team| !team.leads())
    }

    /// Returns this rank, or `None` in a run of one process.
    pub fn own(&self) -> Option<OwnRank<'_>> {
        self.team.as_ref().map(|team| OwnRank { rank: team.rank(), ranks: team.size(), name: team.name() })
    }

    /// Returns the name of each rank's targets, beginning with rank 0. The names are known only on rank 0.
    pub fn names(&self) -> Option<&[String]> {
        self.team.as_ref().filter(|team| team.leads()).map(Team::names)
    }

    /// Returns the path on which this rank works. In a directory that all ranks received, this is a folder named after
    /// the rank, which is created if it is missing. Otherwise, and in a run of one process, it is the path itself.
    ///
    /// # Errors
    /// If the folder cannot be created.
    pub fn own_place(&self, path: &Path, made: &mut MadeDirectories) -> Result<PathBuf> {
        if self.own().is_none() || !path.is_dir() {
            return Ok(path.to_owned());
        }
        let folder = self.own_folder(path);
        made.make(Some(&folder)).map_err(|e| coded(exit::CANNOT, e))?;
        Ok(folder)
    }

    /// Sends one word to all ranks and returns the words of all ranks, in the order of the ranks. In a run of one
    /// process, it returns only the process's own word. Waits until all ranks have answered.
    ///
    /// # Errors
    /// If one of them refuses; rank 0 prints the reason.
    pub fn exchange(&mut self, word: &str) -> Result<Vec<String>> {
        let Some(team) = &mut self.team else { return Ok(vec![word.to_owned()]) };
        alive(self.lifeline.as_ref(), || team.exchange(word).map_err(refused))
    }

    /// Returns `true` if contact with a rank was lost during the run and that rank may still be working. Rank 0 checks
    /// every other rank; the others check only rank 0.
    pub fn miss_any(&self) -> bool {
        self.team.as_ref().is_some_and(Team::misses_any)
    }

    /// Returns the folder of this rank in a directory that all ranks received; its name contains the rank. In a run of
    /// one process, returns the path itself. Creates nothing.
    pub fn own_folder(&self, path: &Path) -> PathBuf {
        self.own().map_or_else(|| path.to_owned(), |own| path.join(super::folder_name(own.rank)))
    }

    /// Limits the time for which this rank waits for the others before anything runs.
    pub fn wait_at_most(&mut self, patience: Duration) {
        if let Some(team) = &mut self.team {
            team.wait_at_most(patience);
        }
    }

    /// Keeps the ranks connected after the run as well: see [`Ranks::gather`].
    pub fn stay(&mut self) {
        if let Some(team) = &mut self.team {
            team.stay();
        }
    }

    /// Waits until every rank reports that it can do the next step, before any rank does it.
    ///
    /// # Errors
    /// If one of them cannot; rank 0 prints the reason.
    pub fn all_can(&mut self) -> Result<()> {
        self.exchange("").map(drop)
    }

    /// Disconnects from the other ranks. Used after [`Ranks::stay`] if there are no results to gather.
    pub fn leave(&mut self) {
        if let Some(team) = &mut self.team {
            team.leave();
        }
    }

    /// Gathers the lines and exit codes of all ranks for work that is not a run, and disconnects from them. The code is
    /// the first that is not 0; if a rank failed, its error is among its lines. In a run of one process, returns its
    /// own lines without a name; on ranks other than 0, returns no lines.
    ///
    /// # Errors
    /// Errors of `own` in a run of one process, and an error if a rank is gone.
    pub fn gather(&mut self, own: Result<(Vec<String>, Code)>) -> Result<(Vec<Done>, Code)> {
        let Some(team) = &mut self.team else {
            let (lines, code) = own?;
            return Ok((vec![Done { host: String::new(), code: code.0, lines }], code));
        };
        let (lines, code) = own.unwrap_or_else(|error| (vec![format!("{error:#}")], exit::code_of(&error)));
        let gathered = alive(self.lifeline.as_ref(), || team.gather(code.0, lines).map_err(refused));
        team.leave();
        let gathered = gathered?;
        let code = gathered.iter().map(|done| done.code).find(|code| *code != 0);
        Ok((gathered, code.map_or(exit::OK, Code)))
    }

    /// Returns the store for the run. Rank 0 stores the whole run in the requested place. In case rank 0 is lost, every
    /// other rank stores its part on its own host, in a store of parts inside the requested one.
    ///
    /// # Errors
    /// Same as for [`open_store`], on rank 0.
    pub fn store(&mut self, asked: Option<&PathBuf>, live: &mut Live) -> Result<Option<Store>> {
        if !self.follows() {
            return open_store(asked, live);
        }
        let opened = match environment::store_dir(asked.filter(|place| !store::is_team(place))) {
            Some(dir) => Store::open(&dir.join(PARTS)).map_err(|e| e.to_string()),
            None => Err("neither XDG_DATA_HOME nor HOME is set".to_owned()),
        };
        self.unkept = opened.as_ref().err().map(|reason| format!("it cannot keep its part of the run: {reason}"));
        Ok(opened.ok())
    }

    /// Returns an ID for the run. On rank 0 it is the ID that all ranks know.
    pub fn run_id(&self) -> String {
        self.team.as_ref().filter(|team| team.leads()).map_or_else(measure::run_id, |team| team.run().to_owned())
    }

    /// Returns the identity of the run. If a launcher restricted the only process to some of the CPUs, a note reports
    /// this.
    pub fn identity(&self, notes: impl IntoIterator<Item: Into<Sentence>>) -> Identity {
        let bound = self.one.then(bound_alone).flatten();
        let notes = notes.into_iter().map(Into::into).chain(self.unkept.clone().map(Sentence::from)).chain(bound);
        Identity { id: self.run_id(), ..measure::identity(&self.clock, notes) }
    }

    /// Ends a rank other than 0. Rank 0 reports its results.
    ///
    /// # Errors
    /// None.
    pub fn end_part(&self, journal: &mut JournalSink, ending: &Ending) -> Result<Code> {
        self.close_part(journal);
        session::exit(journal, ending, Ok(()), exit::OK)
    }

    /// Closes the part of the run that a rank other than 0 stores. The part is discarded if rank 0 has completed the
    /// run.
    pub fn close_part(&self, journal: &mut JournalSink) {
        if self.team.as_ref().is_some_and(Team::is_dismissed) {
            // If the part cannot be removed, it is listed in the store of parts and does no harm.
            let _ = journal.discard();
        } else if let Some(digest) = journal.record().map(digest_of) {
            // An error cannot be printed here, because only rank 0 prints.
            let _ = journal.finish(digest);
        }
    }

    /// Combines the plans of all ranks. This must happen before anything is opened.
    ///
    /// # Errors
    /// If one of them refuses; rank 0 prints the reason.
    pub fn agree(&mut self, plan: &Plan, facts: &Preflight) -> Result<()> {
        let Some(team) = &mut self.team else { return Ok(()) };
        alive(self.lifeline.as_ref(), || team.agree(plan, facts).map_err(refused))
    }

    /// Returns the combined plan of all ranks; on rank 0 of several.
    pub fn agreed(&self) -> Option<&Plan> {
        self.team.as_ref().and_then(Team::agreed)
    }

    /// Executes the plan, alone or as this rank's part of it, until it ends.
    pub fn conduct(
        &mut self,
        inputs: &RunInputs<'_>,
        targets: Targets<'_, '_>,
        sink: &mut dyn Sink,
        interrupt: &Interrupt,
    ) -> Ending {
        match &mut self.team {
            None => conduct(self.clock, inputs, targets, sink, interrupt),
            Some(team) => team.conduct(inputs, targets, sink, interrupt),
        }
    }

    /// Executes the watch, alone or on behalf of rank 0, until it ends.
    pub fn conduct_watch(
        &mut self,
        inputs: &RunInputs<'_>,
        subjects: Subjects,
        around: WatchControl<'_>,
        sink: &mut (impl Sink + StopRequest),
    ) -> Ending {
        let RunInputs { plan, preflight, identity, caveats } = *inputs;
        match &mut self.team {
            None => conduct_watch(&self.clock, plan, preflight, identity, caveats, subjects, around, sink),
            Some(team) => team.conduct_watch(inputs, subjects, around.interrupt, sink),
        }
    }

    fn end(mut self, outcome: Result<Code>) -> Result<Code> {
        let Some(team) = &mut self.team else { return outcome };
        let outcome = match outcome {
            Err(error) if !team.is_over() => {
                let refusal = team.refuse(exit::code_of(&error).0, &format!("{error:#}"));
                if team.leads() { Err(error) } else { Err(refused(refusal)) }
            }
            other => other,
        };
        team.leave();
        // Rank 0 reports the results of this rank.
        if team.leads() { outcome } else { Ok(exit::OK) }
    }
}

/// Returns how several processes were started together, if this build combines them into one run.
fn launched() -> Option<MpiLaunch> {
    environment::mpi_launch().filter(|_| cfg!(feature = "mpi"))
}

/// Joins the other ranks, if there are any.
#[cfg(feature = "mpi")]
fn meet(launch: MpiLaunch, clock: RunClock) -> Result<Option<Team>> {
    use run::ranks::Link;
    let cannot = |e| coded(exit::CANNOT, format!("started by {}: {e}", launch.launcher));
    let link = run::ranks::mpi::MpiLink::start().map_err(cannot)?;
    if link.size() < 2 {
        return Ok(None);
    }
    let host = environment::host_name();
    let team = Team::join(std::sync::Arc::new(link), &host, env!("CARGO_PKG_VERSION"), measure::run_id(), clock);
    team.map(Some).map_err(refused)
}

#[cfg(not(feature = "mpi"))]
fn meet(_launch: MpiLaunch, _clock: RunClock) -> Result<Option<Team>> {
    Ok(None)
}

/// Returns a sentence if a launcher restricted this process to some of the CPUs.
fn bound_alone() -> Option<Sentence> {
    let host = monitor::facts::host(&monitor::Roots::host());
    let (cpus, processors) = (host.cpus, host.processors);
    let note =
        || sentence!("ranks-one-bound", cpus, all = processors, mpirun = "--bind-to none", srun = "--cpu-bind=none");
    (processors > cpus).then(note)
}

/// Regularly reports to the supervisor that this process is alive while it waits for other ranks: with hundreds of
/// ranks, it takes minutes until all have arrived.
fn alive<T>(lifeline: Option<&Lifeline>, work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        if let Some(mut line) = lifeline.cloned() {
            let done = &done;
            scope.spawn(move || {
                while !done.load(Relaxed) {
                    line.report_alive();
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

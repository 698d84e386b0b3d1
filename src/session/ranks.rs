//! A command as one rank of a run on many hosts: joins the others, agrees with them, runs its part, and leaves; in a run alone nothing
//! of it is noticed.

use crate::environment::{self, MpiLaunch};
use crate::exit::{self, Code, coded};
use crate::session::directories::MadeDirectories;
use crate::session::journal_sink::JournalSink;
use crate::session::run_store::{digest_of, open_store};
use crate::session::supervisor::Lifeline;
use crate::session::{self, launch, measure};
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

/// What a store of parts of runs is called, within the store of runs: parts are in no list of runs.
pub const PARTS: &str = "parts";

/// This command's place among the ranks, if there are several.
pub struct Ranks {
    team: Option<Team>,
    clock: RunClock,
    lifeline: Option<Lifeline>,
    /// Why a rank that follows keeps no part of the run, if it does not.
    unkept: Option<String>,
    /// A launcher started one process.
    one: bool,
}

/// One of several ranks.
#[derive(Debug, Clone, Copy)]
pub struct OwnRank<'a> {
    /// Its number, from 0.
    pub rank: usize,
    /// How many there are.
    pub ranks: usize,
    /// What its targets are called by.
    pub name: &'a str,
}

impl Ranks {
    /// A run of this process alone.
    pub fn alone() -> Ranks {
        Ranks { team: None, clock: RunClock::start(), lifeline: None, unkept: None, one: environment::is_sole_rank() }
    }

    /// Whether a launcher started several of this program: their hosts are known later.
    pub fn expected() -> bool {
        launch::is_one_of_many()
    }

    /// Does `work` as one rank of several, or alone. Where it fails before the run all ranks end, and rank 0 says why; what another rank
    /// came to is rank 0's to say.
    ///
    /// # Errors
    /// Those of `work`, and where the ranks cannot run together.
    pub fn run(lifeline: Option<&Lifeline>, work: impl FnOnce(&mut Ranks) -> Result<Code>) -> Result<Code> {
        let mut ranks = Ranks::join(lifeline)?;
        let outcome = work(&mut ranks);
        ranks.end(outcome)
    }

    /// Meets the others, where a launcher of MPI programs started several of this program.
    ///
    /// # Errors
    /// When they cannot run together, said by rank 0.
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

    /// The clock of the run, the same on all ranks.
    pub fn clock(&self) -> RunClock {
        self.clock
    }

    /// Whether a launcher of MPI programs started one process, which is a run alone: what divides something among ranks gives it all.
    pub fn are_one(&self) -> bool {
        self.one
    }

    /// Whether rank 0 is another process: it keeps, judges and tells.
    pub fn follows(&self) -> bool {
        self.team.as_ref().is_some_and(|team| !team.leads())
    }

    /// Which rank this is; `None` in a run alone.
    pub fn own(&self) -> Option<OwnRank<'_>> {
        self.team.as_ref().map(|team| OwnRank { rank: team.rank(), ranks: team.size(), name: team.name() })
    }

    /// What the targets of each rank are called by, rank 0's first; known on rank 0 alone.
    pub fn names(&self) -> Option<&[String]> {
        self.team.as_ref().filter(|team| team.leads()).map(Team::names)
    }

    /// What this rank works on of a path that all were given: in a directory a folder by its number, which is made where it is
    /// missing; else, and in a run alone, the path itself.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn own_place(&self, path: &Path, made: &mut MadeDirectories) -> Result<PathBuf> {
        if self.own().is_none() || !path.is_dir() {
            return Ok(path.to_owned());
        }
        let folder = self.own_folder(path);
        made.make(Some(&folder)).map_err(|e| coded(exit::CANNOT, e))?;
        Ok(folder)
    }

    /// Tells all ranks a word of each, by rank; in a run alone there is this one's. All go on together.
    ///
    /// # Errors
    /// When one of them refuses, said by rank 0.
    pub fn exchange(&mut self, word: &str) -> Result<Vec<String>> {
        let Some(team) = &mut self.team else { return Ok(vec![word.to_owned()]) };
        alive(self.lifeline.as_ref(), || team.exchange(word).map_err(refused))
    }

    /// Whether one of the others was not heard of any more during the run, and may still be at work: to rank 0 any of them, to the others
    /// rank 0.
    pub fn miss_any(&self) -> bool {
        self.team.as_ref().is_some_and(Team::misses_any)
    }

    /// Which folder of a path that all were given is this rank's: by its number; of a run alone the path itself. Nothing is made.
    pub fn own_folder(&self, path: &Path) -> PathBuf {
        self.own().map_or_else(|| path.to_owned(), |own| path.join(folder_name(own.rank)))
    }

    /// The others are waited for so long before anything runs.
    pub fn wait_at_most(&mut self, patience: Duration) {
        if let Some(team) = &mut self.team {
            team.wait_at_most(patience);
        }
    }

    /// What follows the run is done together, too: see [`Ranks::gather`].
    pub fn stay(&mut self) {
        if let Some(team) = &mut self.team {
            team.stay();
        }
    }

    /// Waits until all can do what is asked of each, before one of them does.
    ///
    /// # Errors
    /// When one of them cannot, said by rank 0.
    pub fn all_can(&mut self) -> Result<()> {
        self.exchange("").map(drop)
    }

    /// Takes leave of the others, where what follows the run is done together and there is none.
    pub fn leave(&mut self) {
        if let Some(team) = &mut self.team {
            team.leave();
        }
    }

    /// What all did that is no run, and takes leave: of a run alone its own, without a name; on ranks that follow nothing. The code is the first that is
    /// not 0; what one could not do is among the lines.
    ///
    /// # Errors
    /// Those of `own` in a run alone; and when a rank is gone.
    pub fn gather(&mut self, own: Result<(Vec<String>, Code)>) -> Result<(Vec<Done>, Code)> {
        let Some(team) = &mut self.team else {
            let (lines, code) = own?;
            return Ok((vec![Done { host: String::new(), code: code.0, lines }], code));
        };
        let (lines, code) = own.unwrap_or_else(|error| (vec![format!("{error:#}")], exit::code_of(&error)));
        let all = alive(self.lifeline.as_ref(), || team.gather(code.0, lines).map_err(refused));
        team.leave();
        let all = all?;
        let code = all.iter().map(|done| done.code).find(|code| *code != 0);
        Ok((all, code.map_or(exit::OK, Code)))
    }

    /// Where the run is kept. Rank 0 keeps all of it where asked; another rank keeps its own part on its host, in a store of such parts
    /// within the one that was asked for, in case rank 0 is lost.
    ///
    /// # Errors
    /// As [`open_store`], on rank 0.
    pub fn store(&mut self, asked: Option<&PathBuf>, live: &mut Live) -> Result<Option<Store>> {
        if !self.follows() {
            return open_store(asked, live);
        }
        let opened = match environment::store_dir(asked.filter(|place| !store::is_team(place))) {
            Some(dir) => Store::open(&dir.join(PARTS)).map_err(|e| e.to_string()),
            None => Err("neither XDG_DATA_HOME nor HOME is set".to_owned()),
        };
        self.unkept = opened.as_ref().err().map(|why| format!("it keeps no part of the run by itself: {why}"));
        Ok(opened.ok())
    }

    /// An id for the run; on rank 0 the one that all ranks know.
    pub fn run_id(&self) -> String {
        self.team.as_ref().filter(|team| team.leads()).map_or_else(measure::run_id, |team| team.run().to_owned())
    }

    /// Who the run is. What a launcher left of the machine to its only process is noted.
    pub fn identity(&self, notes: impl IntoIterator<Item: Into<Sentence>>) -> Identity {
        let bound = self.one.then(bound_alone).flatten();
        let notes = notes.into_iter().map(Into::into).chain(self.unkept.clone().map(Sentence::from)).chain(bound);
        Identity { id: self.run_id(), ..measure::identity(&self.clock, notes) }
    }

    /// Ends a rank that follows. What it came to is rank 0's to say.
    ///
    /// # Errors
    /// None.
    pub fn end_part(&self, journal: &mut JournalSink, ending: &Ending) -> Result<Code> {
        self.close_part(journal);
        session::exit(journal, ending, Ok(()), exit::OK)
    }

    /// Ends what a rank that follows keeps by itself: where rank 0 has ended the run nobody needs it any more.
    pub fn close_part(&self, journal: &mut JournalSink) {
        if self.team.as_ref().is_some_and(Team::is_dismissed) {
            // One that stays behind is found in lists, and harms nobody.
            let _ = journal.discard();
        } else if let Some(digest) = journal.record().map(digest_of) {
            // Where it could not be kept nobody is there to be told: rank 0 speaks for all.
            let _ = journal.finish(digest);
        }
    }

    /// Puts the plans of all together. Nothing may have been opened before.
    ///
    /// # Errors
    /// When one of them refuses, said by rank 0.
    pub fn agree(&mut self, plan: &Plan, facts: &Preflight) -> Result<()> {
        let Some(team) = &mut self.team else { return Ok(()) };
        alive(self.lifeline.as_ref(), || team.agree(plan, facts).map_err(refused))
    }

    /// The plan of all that was agreed on; on rank 0 of several.
    pub fn agreed(&self) -> Option<&Plan> {
        self.team.as_ref().and_then(Team::agreed)
    }

    /// Runs the plan to its end: alone, or this rank's part of it.
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

    /// Watches to the end: alone, or what this rank sees for rank 0.
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
        // What this rank came to is rank 0's to say.
        if team.leads() { outcome } else { Ok(exit::OK) }
    }
}

/// How several of this program were started together, in a build that makes one run of them.
fn launched() -> Option<MpiLaunch> {
    environment::mpi_launch().filter(|_| cfg!(feature = "mpi"))
}

/// The others, where there are any.
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

/// That a launcher left this process less than all CPUs.
fn bound_alone() -> Option<Sentence> {
    let host = monitor::facts::host(&monitor::Roots::host());
    let (cpus, all) = (host.cpus, host.processors);
    let told = || sentence!("ranks-one-bound", cpus, all, mpirun = "--bind-to none", srun = "--cpu-bind=none");
    (all > cpus).then(told)
}

/// Tells the supervisor that this process lives while it waits for others: hundreds of ranks take minutes to come.
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

/// Name of a rank's folder.
pub fn folder_name(rank: usize) -> String {
    format!("rank-{rank}")
}

fn refused(refusal: Refusal) -> anyhow::Error {
    coded(Code(refusal.code), refusal.text.map(|text| text.to_string()).unwrap_or_default())
}

//! A verb at work: the engine started, the load conducted, the engine's counts told beside it, the engine stopped.

use super::place::Place;
use super::plan::{self, Level, Verb};
use super::running::{self, Running};
use super::said;
use crate::args::{DbRun, DbRunArgs, EngineArgs, Through};
use crate::exit::{self, Code, coded};
use crate::keeper::Keeper;
use crate::locked::locked;
use crate::measure::{GRACE, Measuring, catch_signals, identity, journal_note, open_store, with_clock};
use crate::places;
use crate::supervisor::{Lifeline, supervise};
use crate::terminal::{self, Live, remark};
use anyhow::{Context, Result};
use db::{BlockFiles, Counters, DataFile, RunHow};
use load::session::Sessions;
use model::{
    Bytes, DatabaseUse, FileRole, GlobalSize, Job, Judgement, Layer, Nanos, Outcome, Plan, RolePath, RoleUse, RunEvent,
    RunRecord, RunState, Sample, Stage, TargetKind,
};
use monitor::{DiskCounters, Roots};
use run::{Ending, Files, Interrupt, Sink, conduct_jobs, preflight};
use std::collections::BTreeSet;
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use sys::{Access, Clock, OpenHow};

/// Between the counts of pages and their names in mgstat.
const PREFIX: &str = "db";
/// Rates are told of stretches at least so long, in nanoseconds.
const SHORTEST: u64 = 500_000_000;

pub fn run(verb: Verb, options: &DbRun) -> Result<Code> {
    let directory = &options.dir.dir;
    let args = &options.run;
    check(args)?;
    supervised(args.hang_limit, |lifeline| {
        let levels = |place: &Place, globals: &[GlobalSize], files: &[DataFile], seed| {
            Level { verb, processes: options.processes, args, globals, files, seed }.stages(place)
        };
        with_clock(Measure { directory, verb, args, levels: &levels, ramp: None, lifeline })
    })
}

/// What can be wrong without looking at anything.
pub fn check(args: &DbRunArgs) -> Result<()> {
    let bad = |why: String| Err(coded(exit::BAD_INPUT, why));
    if args.time.is_some_and(|t| t.0 < 100_000_000) {
        return bad("--time: at least 100 ms".to_owned());
    }
    if args.hang_limit.0 < 1_000_000_000 {
        return bad(format!("--hang-limit {}: must be at least 1 s", args.hang_limit));
    }
    crate::commands::judge::limits(&args.bought)?;
    Ok(())
}

/// Runs it in a process of its own, which a parent looks after.
pub fn supervised(hang: Nanos, what: impl FnOnce(Lifeline) -> Result<Code>) -> Result<Code> {
    match places::supervisor_fd() {
        Some((parent, fd)) => what(Lifeline::attach(parent, fd)?),
        None => supervise(Duration::from_nanos(hang.0) + GRACE),
    }
}

type Stages<'a> = &'a dyn Fn(&Place, &[GlobalSize], &[DataFile], u64) -> Result<Vec<Stage>>;

/// Decides before each level whether it is run; says why not.
type Gate<'a> = &'a mut dyn FnMut(&RunRecord, usize) -> Result<(), String>;

/// What makes a ramp of levels.
pub struct Ramp<'a> {
    pub gate: Gate<'a>,
    /// Whether there are clauses that a level must keep.
    pub accept: bool,
}

pub struct Measure<'a> {
    pub directory: &'a Path,
    pub verb: Verb,
    pub args: &'a DbRunArgs,
    pub levels: Stages<'a>,
    pub ramp: Option<Ramp<'a>>,
    pub lifeline: Lifeline,
}

impl Measuring for Measure<'_> {
    fn run<K: Clock>(self, clock: K, name: &'static str) -> Result<Code> {
        let Measure { directory, verb, args, levels, ramp, mut lifeline } = self;
        let limits = crate::commands::judge::limits(&args.bought)?;
        let interrupt = catch_signals()?;
        let mut place = Place::open(directory)?;
        let how = place.how(&args.engine)?;
        let raw = verb.is_raw(args.through);
        let beside = running::others(&place.marker.rooms.work)?.into_iter().any(|o| o.engine);
        if let (true, Err(why)) = (beside && !raw, place.database.joins()) {
            let why = format!("refused: another run drives this database; wait for it, or `secchi db stop`: {why}");
            return Err(coded(exit::REFUSED, why));
        }
        // Blocks are read from the files, beside whatever runs: the engine is only asked where they are.
        let mut engine = Engine::begin(&mut place, &how, clock, !beside || !raw)?;
        lifeline.beat();
        let mut globals = if raw { Vec::new() } else { engine.place.globals()? };
        if !beside {
            engine.place.database.quiesce().map_err(said)?;
        }
        if args.through == Through::EngineBlocks {
            globals = engine.place.in_blocks(&globals)?;
        }
        let files = engine.place.database.files().map_err(said)?;
        let seed = args.seed.unwrap_or_else(|| std::collections::hash_map::RandomState::new().build_hasher().finish());
        if verb.reads_blocks_beside(args.through) {
            engine.place.blocks = Some(BlockFiles::of(&files, args.block.unwrap_or(engine.place.marker.page)));
        }
        let stages = levels(engine.place, &globals, &files, seed)?;
        let mut before = before(&engine, verb, args, &how, &files)?;
        if beside && !raw {
            before
                .notes
                .push("another run drives this database at the same time: what the engine counts is of both".into());
        }
        if raw {
            // What is read is in the files; nothing of the engine may run beside the reads.
            engine.stop()?;
        }
        let mut plan = plan::plan(engine.place, words(), args.hang_limit, stages);
        plan.trace = args.trace.rule(|| roles_of(engine.place, &files));
        plan.needs = args.needs.iter().flat_map(|n| n.0.clone()).collect();
        plan.limits = limits;
        let (gate, accept) = ramp.map_or((None, false), |r| (Some(r.gate), r.accept));
        let conducted = conduct(clock, name, &mut engine, &plan, before, args, gate, &interrupt, lifeline)?;
        conducted.tell(args.json, accept, engine.stop())
    }
}

/// Files of the database by their roles; what is made in its rooms later has the room's.
fn roles_of(place: &Place, files: &[DataFile]) -> Vec<RolePath> {
    let rooms = &place.marker.rooms;
    let of = |role: FileRole, path: &Path| RolePath { role: role.name().to_owned(), path: path.to_owned() };
    let mut roles: Vec<RolePath> = files.iter().map(|f| of(f.role, &f.path)).collect();
    roles.extend(rooms.data.iter().map(|room| of(FileRole::Data, room)));
    roles.push(of(FileRole::Journal, &rooms.journal));
    roles.dedup();
    roles
}

/// Makes globals: a worker each, beside each other.
pub struct Making<'a> {
    pub place: &'a mut Place,
    pub how: RunHow,
    pub globals: &'a [GlobalSize],
    pub value: model::ValueRule,
    pub store: Option<&'a PathBuf>,
    pub lifeline: Lifeline,
}

impl Measuring for Making<'_> {
    fn run<K: Clock>(self, clock: K, name: &'static str) -> Result<Code> {
        let Making { place, how, globals, value, store, lifeline } = self;
        let interrupt = catch_signals()?;
        let mut engine = Engine::begin(place, &how, clock, true)?;
        engine.place.begin_making(globals)?;
        for global in globals {
            engine.place.database.make_global(global.number).map_err(said)?;
        }
        let of = globals.len() as u32;
        let stage = |(i, g): (usize, &GlobalSize)| plan::making_stage(engine.place, i as u32, of, *g, value);
        let stages = globals.iter().enumerate().map(stage).collect();
        let plan = plan::plan(engine.place, words(), Nanos(600_000_000_000), stages);
        let args = DbRunArgs::for_making(store);
        let files = engine.place.database.files().map_err(said)?;
        let before = before(&engine, Verb::Create, &args, &how, &files)?;
        let conducted = conduct(clock, name, &mut engine, &plan, before, &args, None, &interrupt, lifeline)?;
        let made = conducted.record.state == RunState::Complete;
        if made {
            for global in globals {
                engine.place.database.set_size(global.number, global.count).map_err(said)?;
            }
        }
        let stopped = engine.stop();
        if made && stopped.is_ok() {
            let (filler, most) = (globals.iter().find(|g| g.number == 0), globals.iter().map(|g| g.number).max());
            let marker = &mut engine.place.marker;
            marker.globals = marker.globals.max(most.unwrap_or(0));
            marker.filler = filler.map_or(marker.filler, |g| g.count);
            marker.save(&engine.place.directory).map_err(said)?;
        }
        conducted.tell(false, false, stopped)
    }
}

/// The command as typed, without the program's own name.
fn words() -> Vec<String> {
    std::env::args_os().skip(2).map(|w| w.to_string_lossy().into_owned()).collect()
}

/// An engine that is stopped whatever happens.
struct Engine<'a> {
    place: &'a mut Place,
    started: bool,
}

impl<'a> Engine<'a> {
    fn begin<K: Clock>(place: &'a mut Place, how: &RunHow, clock: K, start: bool) -> Result<Self> {
        if start {
            // Asked a few times a second at most, by whoever writes back.
            let clock = Mutex::new(clock);
            let now = move || locked(&clock).now();
            place.database.start(how, Arc::new(now)).map_err(said)?;
            let journal_now = (how.journal != place.marker.journal).then_some(how.journal);
            if place.marker.journal_now != journal_now {
                place.marker.journal_now = journal_now;
                place.marker.save(&place.directory).map_err(said)?;
            }
        }
        Ok(Engine { place, started: start })
    }

    fn stop(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.started, false) {
            self.place.database.stop().map_err(said)?;
        }
        Ok(())
    }
}

impl Drop for Engine<'_> {
    fn drop(&mut self) {
        if self.started
            && let Err(error) = self.place.database.stop()
        {
            remark(&error.to_string());
        }
    }
}

/// What is known of a database before the load, and what its engine says of itself.
struct Before {
    usage: DatabaseUse,
    notes: Vec<String>,
}

fn before(engine: &Engine<'_>, verb: Verb, args: &DbRunArgs, how: &RunHow, files: &[DataFile]) -> Result<Before> {
    let marker = &engine.place.marker;
    let raw = verb.is_raw(args.through);
    let facts = if engine.started { Some(engine.place.database.facts().map_err(said)?) } else { None };
    let data = files.iter().filter(|f| f.role == FileRole::Data).map(|f| f.written.0).sum();
    let notes = facts.as_ref().filter(|_| !raw).map(|f| f.notes.clone()).unwrap_or_default();
    let usage = DatabaseUse {
        engine: marker.engine.clone(),
        version: facts.as_ref().map(|f| f.version.clone()).unwrap_or_default(),
        directory: engine.place.directory.display().to_string(),
        name: marker.name.clone(),
        uuid: marker.uuid.to_string(),
        page: marker.page,
        cache: if raw { Bytes(0) } else { how.cache },
        data: Bytes(data),
        journal: how.journal,
        commit: facts.as_ref().filter(|_| !raw).map(|f| f.commit.clone()).unwrap_or_default(),
        direct: raw || facts.as_ref().is_some_and(|f| f.direct),
        verb: verb.name().to_owned(),
        group: args.group.clone(),
        ..DatabaseUse::default()
    };
    Ok(Before { usage, notes })
}

/// A run that ended, and what is to be said of it.
struct Conducted {
    record: RunRecord,
    keeper: Keeper,
    ending: Ending,
    /// It was stopped by `secchi db stop`: that is an end like any other.
    asked: bool,
}

#[expect(clippy::too_many_arguments, reason = "everything a run is made of, from two callers")]
fn conduct<K: Clock>(
    clock: K,
    name: &'static str,
    engine: &mut Engine<'_>,
    plan: &Plan,
    before: Before,
    args: &DbRunArgs,
    ramp: Option<Gate<'_>>,
    interrupt: &Interrupt,
    lifeline: Lifeline,
) -> Result<Conducted> {
    let rooms = engine.place.marker.rooms.clone();
    let paths: Vec<&Path> = rooms.data.iter().chain([&rooms.journal]).map(PathBuf::as_path).collect();
    let facts = preflight::brief(clock, name, &paths);
    let mut live = Live::new(args.json);
    let store = open_store(args.store.store.as_ref(), &mut live)?;
    let notes: Vec<String> = before.notes.into_iter().chain(journal_note(store.as_ref(), &rooms.data[0])).collect();
    let identity = identity(notes);
    let running = Running::announce(&rooms.work, &identity.id, engine.started)?;
    let shared = std::cell::RefCell::new(Keeper::new(store, live, Some(lifeline)));
    let mut files = Driven::new(engine, before.usage, &shared, ramp, Nanos(clock.now()));
    let mut sink = Told(&shared);
    let ending = conduct_jobs(clock, plan, &facts, &identity, &[], &mut files, &mut sink, interrupt);
    drop(files);
    let keeper = shared.into_inner();
    let record = keeper.record().cloned().context("the run did not begin")?;
    keeper.live().clear();
    let asked = running.was_asked();
    Ok(Conducted { record, keeper, ending, asked })
}

impl Conducted {
    /// `stopped`: how the engine was stopped afterwards.
    fn tell(mut self, json: bool, accept: bool, stopped: Result<()>) -> Result<Code> {
        let judgement = analysis::judge(&self.record);
        let verdict = judgement.verdict.clone();
        let kept = self.keeper.finish(&verdict);
        let printed = terminal::print_run(&self.record, &judgement, json);
        if let Some(lost) = &kept.lost {
            remark(&format!("this run is not kept whole: {lost}"));
        }
        kept.remark.iter().for_each(|text| remark(text));
        let mut code = code_of(&self.record, &judgement);
        if self.asked && self.record.state == RunState::Stopped {
            remark("stopped by `secchi db stop`");
            code = exit::OK;
        }
        if let Err(error) = &stopped {
            // What was measured is told all the same.
            remark(&format!("{error:#}"));
            if code == exit::OK {
                code = exit::CANNOT;
            }
        }
        // The judge read the clauses among the words of the command.
        let accepted = judgement.database.as_ref().and_then(|d| match &d.ramp {
            Some(ramp) => ramp.accepted,
            None => d.waves.first().filter(|w| w.accepted == Some(Outcome::Pass)).map(|w| w.processes),
        });
        if accept && accepted.is_none() && self.record.state == RunState::Complete {
            code = Code(1);
        }
        let code = exit::of_run(&self.ending, exit::ended(&printed, kept.code(code)));
        if let Some(line) = self.keeper.lifeline() {
            line.exit(code);
        }
        if self.ending.stuck {
            // Threads in the kernel cannot be waited for.
            sys::exit_now(code.0);
        }
        printed.map(|()| code)
    }
}

/// Without needs a load of a database meets none and misses none.
fn code_of(record: &RunRecord, judgement: &Judgement) -> Code {
    match record.state {
        RunState::Complete if !record.plan.needs.is_empty() => Code(i32::from(judgement.exit_code)),
        RunState::Complete => exit::OK,
        RunState::Stopped => Code(i32::from(record.stopped_code())),
        RunState::Hung => exit::HUNG,
        RunState::Failed | RunState::Interrupted | RunState::Damaged => exit::INVALID,
    }
}

/// The keeper, shared with who decides about the next level.
struct Told<'a>(&'a std::cell::RefCell<Keeper>);

impl Sink for Told<'_> {
    fn event(&mut self, event: RunEvent) {
        self.0.borrow_mut().event(event);
    }
    fn progress(&mut self, progress: &run::Progress) {
        self.0.borrow_mut().progress(progress);
    }
}

/// What the conductor asks of a database: files of block reads, sessions, counts.
struct Driven<'a, 'b, 'g> {
    engine: &'a mut Engine<'b>,
    usage: DatabaseUse,
    keeper: &'a std::cell::RefCell<Keeper>,
    ramp: Option<Gate<'g>>,
    roles: Vec<Role>,
    first: Option<Counters>,
    last: Option<(Nanos, Counters)>,
}

impl<'a, 'b, 'g> Driven<'a, 'b, 'g> {
    fn new(
        engine: &'a mut Engine<'b>,
        usage: DatabaseUse,
        keeper: &'a std::cell::RefCell<Keeper>,
        ramp: Option<Gate<'g>>,
        now: Nanos,
    ) -> Self {
        let rooms = &engine.place.marker.rooms;
        let roles = Role::of(&[
            (FileRole::Data, rooms.data.as_slice()),
            (FileRole::Journal, std::slice::from_ref(&rooms.journal)),
        ]);
        let first = engine.started.then(|| engine.place.database.counters().ok()).flatten();
        let last = first.clone().map(|c| (now, c));
        Driven { engine, usage, keeper, ramp, roles, first, last }
    }

    /// The engine's counts since the last look, as rates.
    fn samples(&mut self, now: Nanos, counters: &Counters) -> Vec<Sample> {
        let mut samples = Vec::new();
        let sample = |name: &str, unit: &str, value| Sample {
            name: format!("{PREFIX}.{name}"),
            unit: unit.to_owned(),
            layer: Layer::Application,
            value,
        };
        if let Some((then, before)) = self.last.as_ref().filter(|(then, _)| now.0 >= then.0 + SHORTEST) {
            let seconds = Nanos(now.0.saturating_sub(then.0)).secs().max(1e-3);
            for (name, value) in &counters.mgstat {
                let old = before.mgstat.iter().find(|(n, _)| n == name).map_or(0.0, |(_, v)| *v);
                samples.push(sample(name, "/s", (value - old).max(0.0) / seconds));
            }
        }
        if let Some(backlog) = counters.backlog {
            samples.push(sample("WDQsz", "pages", backlog));
        }
        samples
    }
}

impl Files for Driven<'_, '_, '_> {
    fn lay_out(&mut self, _tell: &mut dyn FnMut(u64, u64) -> bool) -> Result<u64, String> {
        Ok(0)
    }

    fn open(&self, job: &Job) -> io::Result<Vec<Arc<File>>> {
        let targets = job.targets().filter(|t| t.kind == TargetKind::File);
        targets
            .map(|target| {
                let how = OpenHow { access: Access::Read, direct: true, exclusive: false };
                let file = sys::open_no_links(None, &target.path, how)
                    .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", target.path.display())))?;
                Ok(Arc::new(file))
            })
            .collect()
    }

    fn present(&self) -> Result<(), String> {
        Ok(())
    }

    fn close(&mut self, _job: &Job, _files: &[Arc<File>]) -> io::Result<()> {
        Ok(())
    }

    fn sessions(&self) -> Option<Arc<dyn Sessions>> {
        self.engine.started.then(|| self.engine.place.sessions())
    }

    fn told(&mut self, now: Nanos) -> Vec<RunEvent> {
        let mut events = Vec::new();
        let counters = if self.engine.started { self.engine.place.database.counters().ok() } else { None };
        if let Some(counters) = counters {
            let samples = self.samples(now, &counters);
            if !samples.is_empty() {
                events.push(RunEvent::Samples { at: now, samples });
            }
            self.usage.counters = since(self.first.as_ref().map(|f| &f.counts[..]), &counters.counts);
            self.usage.mgstat = since(self.first.as_ref().map(|f| &f.mgstat[..]), &counters.mgstat);
            self.usage.backlog.extend(counters.backlog.map(|b| (now, b)));
            self.usage.phases.extend(self.engine.place.database.phases());
            self.usage.roles = self.roles.iter().filter_map(Role::so_far).collect();
            let by_device: BTreeSet<FileRole> = self.usage.roles.iter().map(|r| r.role).collect();
            let by_engine = roles_since(self.first.as_ref(), &counters);
            self.usage.roles.extend(by_engine.into_iter().filter(|r| !by_device.contains(&r.role)));
            // What a short stretch at the end counts may have happened long before: engines hand in counts when they like.
            if self.last.as_ref().is_none_or(|(then, _)| now.0 >= then.0 + SHORTEST) {
                self.last = Some((now, counters));
            }
        } else {
            self.usage.roles = self.roles.iter().filter_map(Role::so_far).collect();
        }
        events.push(RunEvent::Database(Box::new(self.usage.clone())));
        events
    }

    fn goes_on(&mut self, stage: usize) -> Result<(), String> {
        let keeper = self.keeper.borrow();
        match (&mut self.ramp, keeper.record()) {
            (Some(gate), Some(record)) => gate(record, stage),
            _ => Ok(()),
        }
    }
}

/// Counts over the run.
fn since<N: AsRef<str>>(first: Option<&[(N, f64)]>, now: &[(N, f64)]) -> Vec<(String, f64)> {
    let then = |name: &str| first?.iter().find(|(n, _)| n.as_ref() == name).map(|(_, value)| *value);
    now.iter()
        .map(|(name, value)| (name.as_ref().to_owned(), (value - then(name.as_ref()).unwrap_or(0.0)).max(0.0)))
        .collect()
}

fn roles_since(first: Option<&Counters>, now: &Counters) -> Vec<RoleUse> {
    let less = |now: Option<u64>, then: Option<u64>| now.map(|n| n.saturating_sub(then.unwrap_or(0)));
    now.roles
        .iter()
        .map(|role| {
            let before = first.and_then(|f| f.roles.iter().find(|r| r.role == role.role));
            let then = |of: fn(&RoleUse) -> Option<u64>| before.and_then(of);
            RoleUse {
                reads: less(role.reads, then(|r| r.reads)),
                read_bytes: less(role.read_bytes, then(|r| r.read_bytes)),
                writes: less(role.writes, then(|r| r.writes)),
                write_bytes: less(role.write_bytes, then(|r| r.write_bytes)),
                flushes: less(role.flushes, then(|r| r.flushes)),
                ..role.clone()
            }
        })
        .collect()
}

/// The devices of a role, where no other role lies on them.
struct Role {
    role: FileRole,
    disks: DiskCounters,
}

impl Role {
    /// Roles that have devices of their own; with one role alone, as data without a journal apart, nothing can be told
    /// apart, and the engine's own counts are told.
    fn of(rooms: &[(FileRole, &[PathBuf])]) -> Vec<Role> {
        let roots = Roots::host();
        let stacks: Vec<Vec<model::DeviceFacts>> = rooms
            .iter()
            .map(|(_, rooms)| rooms.iter().flat_map(|room| monitor::facts::stack_of_path(&roots, room)).collect())
            .collect();
        let tops = |stack: &[model::DeviceFacts]| -> BTreeSet<(u32, u32)> {
            stack.iter().filter(|d| d.depth == 0).map(|d| d.dev).collect()
        };
        let apart = |i: usize| {
            let own = tops(&stacks[i]);
            !own.is_empty() && stacks.iter().enumerate().all(|(j, other)| j == i || tops(other).is_disjoint(&own))
        };
        (0..rooms.len())
            .filter(|i| apart(*i))
            .map(|i| Role { role: rooms[i].0, disks: DiskCounters::begin(&roots, &stacks[i]) })
            .collect()
    }

    fn so_far(&self) -> Option<RoleUse> {
        let disks = self.disks.so_far();
        let names: Vec<&str> = disks.iter().map(|d| d.name.as_str()).collect();
        let sum = |of: &dyn Fn(&model::DiskUse) -> u64| Some(disks.iter().map(of).sum());
        let flushes = disks.iter().map(|d| d.flushes).sum();
        (!disks.is_empty()).then(|| RoleUse {
            role: self.role,
            source: format!("device {}", names.join(", ")),
            reads: sum(&|d| d.ops[0]),
            read_bytes: sum(&|d| d.sectors[0] * 512),
            writes: sum(&|d| d.ops[1]),
            write_bytes: sum(&|d| d.sectors[1] * 512),
            flushes,
        })
    }
}

impl DbRunArgs {
    /// What making globals needs of them.
    fn for_making(store: Option<&PathBuf>) -> Self {
        DbRunArgs {
            time: None,
            warm_up: Nanos(0),
            count: None,
            block: None,
            through: Through::Blocks,
            txn: plan::BULK,
            hang: None,
            hang_var: 0,
            read_pct: 0,
            order: false,
            values: crate::args::ValueArg { value: None },
            engine: EngineArgs {
                journal: None,
                commit: crate::args::CommitWord::Durable,
                cache: Bytes(16 << 20),
                write_back: Nanos(30_000_000_000),
            },
            group: String::new(),
            seed: None,
            hang_limit: Nanos(600_000_000_000),
            needs: Vec::new(),
            bought: crate::args::BoughtArgs::none(),
            trace: crate::args::TraceArgs::default(),
            json: false,
            store: crate::args::StoreArg { store: store.cloned() },
        }
    }
}

//! A verb at work: the engine started, the load conducted, the engine's counts told beside it, the engine stopped.

pub mod engine_watch;
pub mod inserting;
pub mod running;
pub mod session_gate;
pub mod windows;

use super::cli_error;
use super::open::OpenDatabase;
use super::places::{self, STARTING};
use super::plan::{self, Level, Verb};
use crate::args::{DbRun, DbRunArgs, Through};
use crate::environment;
use crate::exit::{self, Code, coded};
use crate::result_files::ResultFiles;
use crate::session::journal_sink::JournalSink;
use crate::session::launch::Reach;
use crate::session::measure::{GRACE, catch_signals};
use crate::session::ranks::Ranks;
use crate::session::run_store::journal_note;
use crate::session::supervisor::{Lifeline, supervise};
use crate::session::{self, RunSession};
use crate::terminal::{self, Live, Shown, print_aside, remark};
use anyhow::Result;
use db::{BlockFiles, Counters, DataFile, EngineSettings, IoLocation};
use engine_watch::{EngineWatch, Watching};
use inserting::{Bounds, InsertRun, mend};
use load::session::Sessions;
use load::target::{Reason, TargetError};
use messages::sentence;
use model::{
    Below, Bytes, Caveat, DatabaseUse, DeviceFacts, FileRole, GlobalSize, Interval, Job, Judgement, Layer, Nanos, Op,
    Outcome, Plan, RolePath, RunEvent, RunRecord, RunState, Sample, Sentence, Severity, Stage, TargetKind, thousands,
};
use monitor::{BelowReading, BelowSources, Roots, RunGroup, Whose};
use run::{Ending, Files, Interrupt, RunInputs, Sink, Targets, preflight};
use running::{Other, Running, Use};
use session_gate::{Gate, Gated};
use std::collections::BTreeSet;
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use sys::{Access, Clock, OpenHow, RunClock};
use windows::{Edge, Phases, Sums};

/// Making may wait long for a device that is being filled.
pub const MAKING_HANG: Nanos = Nanos::from_secs(600);
/// Between the counts of pages and their names in mgstat.
const PREFIX: &str = "db";
/// Rates are told of stretches at least so long, in nanoseconds.
const SHORTEST: u64 = Nanos::from_millis(500).as_nanos();
/// How long an engine may take to stop where operations hang.
const STOPPING: Duration = Duration::from_secs(3);

pub fn run(verb: Verb, options: &DbRun) -> Result<Code> {
    let directory = &options.dir.dir;
    let args = &options.run;
    check(args)?;
    supervised(args.common.hang, |lifeline| {
        let levels = |place: &OpenDatabase, globals: &[GlobalSize], files: &[DataFile], seed| {
            Level { verb, processes: options.processes, args, globals, files, seed }.stages(place)
        };
        Measure { directory, verb, args, levels: &levels, ramp: None, lifeline }.run()
    })
}

/// What can be wrong without looking at anything.
pub fn check(args: &DbRunArgs) -> Result<()> {
    let bad = |why: String| Err(coded(exit::BAD_INPUT, why));
    if args.time.is_some_and(|t| t < Nanos::from_millis(100)) {
        return bad("--time: at least 100 ms".to_owned());
    }
    if args.common.hang < Nanos::from_secs(1) {
        return bad(format!("--hang {}: must be at least 1 s; the pause after a batch is --pause", args.common.hang));
    }
    crate::commands::judge::limits(&args.common.bought)?;
    Ok(())
}

/// Runs it in a process of its own, which a parent looks after.
pub fn supervised(hang: Nanos, what: impl FnOnce(Lifeline) -> Result<Code>) -> Result<Code> {
    match environment::supervisor_fd() {
        Some((parent, fd)) => what(Lifeline::attach(parent, fd)?),
        None => supervise(Reach::ManyHosts, Duration::from_nanos(hang.as_nanos()) + GRACE),
    }
}

type Stages<'a> = &'a dyn Fn(&OpenDatabase, &[GlobalSize], &[DataFile], u64) -> Result<Vec<Stage>>;

/// Decides before each level whether it is run; says why not.
type Decide<'a> = &'a mut dyn FnMut(&RunRecord, usize) -> ControlFlow<String>;

/// What makes a ramp of levels.
pub struct Ramp<'a> {
    pub gate: Decide<'a>,
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

impl Measure<'_> {
    pub fn run(self) -> Result<Code> {
        let lifeline = self.lifeline.clone();
        Ranks::run(Some(&lifeline), |ranks| self.run_as(ranks))
    }

    /// Runs as one rank of several, or alone.
    fn run_as(self, ranks: &mut Ranks) -> Result<Code> {
        let clock = ranks.clock();
        let Measure { directory, verb, args, levels, ramp, lifeline } = self;
        ranks.wait_at_most(STARTING);
        let directory = &places::of_rank(directory, ranks)?;
        let results = if ranks.follows() {
            ResultFiles::none()
        } else {
            ResultFiles::claim_alone(&args.common.results, directory)?
        };
        let limits = crate::commands::judge::limits(&args.common.bought)?;
        let interrupt = catch_signals()?;
        let mut place = OpenDatabase::open(directory)?;
        places::check_own_server(&place, ranks)?;
        let how = place.how(&args.common.engine)?;
        let raw = verb.is_raw(args.through);
        let mut beside = false;
        let inserts = args.insert.is_some();
        let what = match (raw, inserts) {
            (true, _) => Use::Files,
            (false, true) => Use::Inserts,
            (false, false) => Use::Engine,
        };
        let bounds = Bounds::check(&place, args)?;
        let mut running = Running::claim(&place.marker.directories.work, &ranks.run_id(), what, |others| {
            beside = others.iter().any(Other::drives);
            // What is no run may be about to remove it.
            running::alone(others, |o| o.what != Use::Maintenance)?;
            // How many nodes there are is known to nobody while some are made.
            running::alone(others, |o| if inserts { !o.drives() } else { raw || o.what != Use::Inserts })?;
            match place.database.allows_parallel_runs() {
                Err(why) if beside && !raw => {
                    let why = "refused: another run drives this database; wait for it, or `secchi db stop`: "
                        .to_owned()
                        + &why.to_string();
                    Err(coded(exit::REFUSED, why))
                }
                _ => Ok(()),
            }
        })?;
        let live = Live::new(args.common.json);
        live.status(&format!("starting {}", place.marker.engine));
        if !raw && place.database.allows_parallel_runs().is_err() {
            running.begun();
        }
        // It is left when the engine is gone.
        let group = own_group(&place).map(Arc::new);
        let watch = engine_watch(&place, &group, &lifeline, args.common.hang);
        let watching = watch.begin();
        // Blocks are read from the files, beside whatever runs: the engine is only asked where they are.
        place.refresh()?;
        let mut engine = Engine::begin(&mut place, &how, clock, !beside || !raw, watch)?;
        if engine.started && !beside {
            mend(engine.place)?;
        }
        // Of an engine that several runs drive one is started after the other; for block reads it is stopped again first.
        if !raw || beside {
            running.begun();
        }
        let sources = Sources::find(&engine, group.clone())?;
        let tpcb = matches!(verb, Verb::TpcB { .. });
        let mut globals = if raw || tpcb { Vec::new() } else { engine.place.globals()? };
        if let Verb::TpcB { scale } = verb {
            if beside {
                let why = "refused: another run drives this database, and tpcb empties its history; wait for it, or `secchi db stop`";
                return Err(coded(exit::REFUSED, why));
            }
            live.status(&format!("tables of TPC-B, scale {scale}"));
            engine.place.database.prepare_tpcb(scale).map_err(cli_error)?;
        }
        if !beside {
            live.status("writing back what earlier runs left");
            engine.place.database.quiesce().map_err(cli_error)?;
        }
        if args.through == Through::EngineBlocks {
            globals = engine.place.in_blocks(&globals)?;
        }
        let files = engine.place.database.files().map_err(cli_error)?;
        let seed =
            args.common.seed.unwrap_or_else(|| std::collections::hash_map::RandomState::new().build_hasher().finish());
        if verb.reads_blocks_beside(args.through) {
            engine.place.blocks = Some(BlockFiles::new(&files, args.block.unwrap_or(engine.place.marker.page)));
        }
        let stages = levels(engine.place, &globals, &files, seed)?;
        let mut before = before(
            &engine,
            &LoadKind { verb, raw, warm_up: args.common.warm_up, group: &args.common.group },
            &how,
            &files,
        )?;
        if beside && !raw {
            before
                .notes
                .push("another run drives this database at the same time: what the engine counts is of both".into());
        }
        let scattered = engine.place.marker.scattered.values().sum::<u64>();
        if matches!(verb, Verb::SeqRead | Verb::SeqWrite) && scattered > 0 {
            let (nodes, verb) = (thousands(scattered as f64), verb.name());
            before.notes.push(format!(
                "{verb} goes through the nodes in order: {nodes} inserted with --order random are left out"
            ));
        }
        if raw {
            // What is read is in the files; nothing of the engine may run beside the reads.
            engine.stop()?;
            running.begun();
        }
        let mut plan = plan::plan(engine.place, words(), args.common.hang, stages);
        plan.trace = args.common.trace.rule(|| roles_of(engine.place, &files));
        plan.needs = args.common.needs.iter().flat_map(|n| n.0.clone()).collect();
        plan.limits = limits;
        // Of several ranks the first decides when a ramp ends.
        let (gate, accept) = ramp.filter(|_| !ranks.follows()).map_or((None, false), |r| (Some(r.gate), r.accept));
        let inserts = match bounds {
            Some(bounds) => Some(InsertRun::begin(engine.place, &globals, args, bounds)?),
            None => None,
        };
        let rest = RunSupport { sources, stop: true, running, live, watching, inserts };
        let store = args.common.store.store.as_ref();
        let mut conducted = conduct(ranks, &mut engine, &plan, before, rest, store, gate, &interrupt, lifeline)?;
        if let Some(inserts) = conducted.inserts.as_mut().filter(|_| !conducted.ending.stuck && engine.runs())
            // Of a run that did not go to its end nobody has asked yet.
            && let Err(error) = inserts.settle(engine.place)
        {
            remark(&format!("{error:#}; the next command puts the sizes right"));
        }
        conducted.finish(Shown::choose(args.common.full, args.common.json), accept, results, || engine.stop())
    }
}

/// Files of the database by their roles; what is made in its directories later has that directory's.
fn roles_of(place: &OpenDatabase, files: &[DataFile]) -> Vec<RolePath> {
    let rooms = &place.marker.directories;
    let of = |role: FileRole, path: &Path| RolePath { role: role.name().to_owned(), path: path.to_owned() };
    let mut roles: Vec<RolePath> = files.iter().map(|f| of(f.role, &f.path)).collect();
    roles.extend(rooms.data.iter().map(|room| of(FileRole::Data, room)));
    roles.push(of(FileRole::Journal, &rooms.journal));
    roles.extend(rooms.image.iter().map(|room| of(FileRole::Image, room)));
    roles.dedup();
    roles
}

/// Makes globals: a worker each, beside each other.
pub struct Making<'a> {
    pub place: &'a mut OpenDatabase,
    pub how: EngineSettings,
    pub globals: &'a [GlobalSize],
    pub names: Option<model::NodeNames>,
    pub indexes: u32,
    pub value: model::ValueRule,
    pub store: Option<&'a PathBuf>,
    pub lifeline: Lifeline,
}

impl Making<'_> {
    /// Runs as one rank of several, or alone.
    pub fn run(self, ranks: &mut Ranks) -> Result<Code> {
        let clock = ranks.clock();
        ranks.wait_at_most(STARTING);
        let Making { place, how, globals, names, indexes, value, store, lifeline } = self;
        places::check_own_server(place, ranks)?;
        let interrupt = catch_signals()?;
        let id = ranks.run_id();
        let nobody = |others: &[Other]| running::alone(others, |_| false);
        let mut running = Running::claim(&place.marker.directories.work, &id, Use::Engine, nobody)?;
        running.begun();
        let live = Live::new(false);
        live.status(&format!("starting {}", place.marker.engine));
        let group = own_group(place).map(Arc::new);
        let watch = engine_watch(place, &group, &lifeline, MAKING_HANG);
        let watching = watch.begin();
        place.refresh()?;
        place.forget_inserts(globals);
        let mut engine = Engine::begin(place, &how, clock, true, watch)?;
        mend(engine.place)?;
        engine.place.begin_making(globals, names, indexes)?;
        engine.place.database.set_indexes(indexes);
        let sources = Sources::find(&engine, group.clone())?;
        live.status(&format!("emptying {} globals", globals.len()));
        for global in globals {
            engine.place.database.create_global(global.number, names.as_ref()).map_err(cli_error)?;
        }
        let of = globals.len() as u32;
        let stage =
            |(i, g): (usize, &GlobalSize)| plan::making_stage(engine.place, i as u32, of, *g, value, (names, indexes));
        let stages = globals.iter().enumerate().map(stage).collect();
        let plan = plan::plan(engine.place, words(), MAKING_HANG, stages);
        let files = engine.place.database.files().map_err(cli_error)?;
        let making =
            LoadKind { verb: Verb::Create, raw: Verb::Create.is_raw(Through::Blocks), warm_up: Nanos(0), group: "" };
        let before = before(&engine, &making, &how, &files)?;
        // Sizes are still to be recorded: the engine is stopped afterwards.
        let rest = RunSupport { sources, stop: false, running, live, watching, inserts: None };
        ranks.stay();
        let conducted = conduct(ranks, &mut engine, &plan, before, rest, store, None, &interrupt, lifeline)?;
        let made = conducted.session.record.state == RunState::Complete;
        if conducted.ending.stuck {
            ranks.leave();
            return conducted.finish(Shown::Answer, false, ResultFiles::none(), || engine.stop());
        }
        let watching = engine.watch.begin();
        let set_size = |g: &GlobalSize| {
            // As others do: the table is filled first, and its indexes are made of it.
            let indexed = engine.place.database.build_indexes(g.number, indexes);
            indexed.and_then(|()| engine.place.database.set_size(g.number, g.count)).map_err(cli_error)
        };
        let sizes = if made { globals.iter().try_for_each(set_size) } else { Ok(()) };
        let stopped = engine.stop().and(sizes);
        drop(watching);
        if made && stopped.is_ok() {
            let (filler, most) = (globals.iter().find(|g| g.number == 0), globals.iter().map(|g| g.number).max());
            let marker = &mut engine.place.marker;
            marker.globals = marker.globals.max(most.unwrap_or(0));
            marker.filler = filler.map_or(marker.filler, |g| g.count);
            marker.save(&engine.place.directory).map_err(cli_error)?;
        }
        let stopped = if conducted.follows || made { of_all(ranks, stopped) } else { stopped };
        ranks.leave();
        conducted.finish(Shown::Answer, false, ResultFiles::none(), || stopped)
    }
}

/// What became of what ranks did behind a run, each with its own engine. In a run alone its own.
fn of_all(ranks: &mut Ranks, own: Result<()>) -> Result<()> {
    if ranks.own().is_none() {
        return own;
    }
    let (all, code) = ranks.gather(own.map(|()| (Vec::new(), exit::OK)))?;
    let failed: Vec<String> =
        all.into_iter().filter(|d| d.code != 0).map(|d| format!("{}: {}", d.host, d.lines.join("; "))).collect();
    if failed.is_empty() { Ok(()) } else { Err(coded(code, failed.join("; "))) }
}

/// The command as typed, without the program's own name.
fn words() -> Vec<String> {
    std::env::args_os().skip(2).map(|w| w.to_string_lossy().into_owned()).collect()
}

/// An engine that is stopped whatever happens.
struct Engine<'a> {
    place: &'a mut OpenDatabase,
    started: bool,
    /// How it went when it was stopped before the end was told.
    stopped: Option<Result<(), db::DbError>>,
    watch: EngineWatch,
}

impl<'a> Engine<'a> {
    fn begin(
        place: &'a mut OpenDatabase,
        how: &EngineSettings,
        clock: RunClock,
        start: bool,
        watch: EngineWatch,
    ) -> Result<Self> {
        if start {
            place.database.start(how, Arc::new(move || clock.now())).map_err(cli_error)?;
            let journal_now = (how.journal != place.marker.journal).then_some(how.journal);
            if place.marker.journal_now != journal_now {
                place.marker.journal_now = journal_now;
                place.marker.save(&place.directory).map_err(cli_error)?;
            }
        }
        Ok(Engine { place, started: start, stopped: None, watch })
    }

    fn stop(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.started, false) {
            self.stop_early();
            self.stopped.take().unwrap_or(Ok(())).map_err(cli_error)?;
        }
        Ok(())
    }

    /// Stops it; whoever stops it again is told how that went.
    fn stop_early(&mut self) {
        if self.stopped.is_none() {
            let _watching = self.watch.begin();
            self.stopped = Some(self.place.database.stop());
        }
    }

    /// Whether it can be asked something.
    fn runs(&self) -> bool {
        self.started && self.stopped.is_none()
    }

    /// What it counted so far, if it runs.
    fn counters(&self) -> Option<Counters> {
        self.runs().then(|| self.place.database.counters().ok()).flatten()
    }
}

impl Drop for Engine<'_> {
    fn drop(&mut self) {
        let told = self.stopped.is_some();
        if let Err(error) = self.stop()
            && !told
        {
            remark(&format!("{error:#}"));
        }
    }
}

/// The stacks under the directories of a database, role by role.
type Stacks = Vec<(FileRole, Vec<DeviceFacts>)>;

fn stacks(data: &[PathBuf], journal: &Path, image: Option<&Path>) -> Stacks {
    let roots = Roots::host();
    let of = |path: &Path| monitor::facts::stack_of_path(&roots, path);
    let image = image.map(|image| (FileRole::Image, of(image)));
    let data = data.iter().flat_map(|d| of(d)).collect();
    [(FileRole::Data, data), (FileRole::Journal, of(journal))].into_iter().chain(image).collect()
}

fn rooms(place: &OpenDatabase) -> Stacks {
    let dirs = &place.marker.directories;
    stacks(&dirs.data, &dirs.journal, dirs.image.as_deref())
}

fn all_of(stacks: &Stacks) -> Vec<DeviceFacts> {
    stacks.iter().flat_map(|(_, stack)| stack.clone()).collect()
}

/// A control group for this process, before it starts an engine: what it starts is in it then. A server that somebody else
/// started is not.
fn own_group(place: &OpenDatabase) -> Result<RunGroup, String> {
    match place.marker.url {
        None => RunGroup::enter(&Roots::host(), &all_of(&rooms(place))).map_err(|e| e.to_string()),
        Some(_) => Err("the server is not ours".to_owned()),
    }
}

/// Who sees that the engine gets on. Of a server that is not ours nothing is seen.
fn engine_watch(
    place: &OpenDatabase,
    group: &Result<Arc<RunGroup>, String>,
    line: &Lifeline,
    hang: Nanos,
) -> EngineWatch {
    let (whose, stack) = match place.marker.url {
        None => (Whose::Ours(group.clone()), all_of(&rooms(place))),
        Some(_) => (Whose::Unknown("the server is not ours".to_owned()), Vec::new()),
    };
    let sources = BelowSources::open(&Roots::host(), &stack, whose);
    EngineWatch { engine: place.marker.engine.clone(), line: line.clone(), sources, hang }
}

/// Where reads and writes below the engine are counted.
struct Sources {
    below: BelowSources,
    /// Roles that have devices of their own, and these.
    apart: Vec<(FileRole, Vec<String>)>,
}

impl Sources {
    fn find(engine: &Engine<'_>, group: Result<Arc<RunGroup>, String>) -> Result<Sources> {
        let place = &*engine.place;
        let whereabouts = match place.marker.url {
            Some(_) if !engine.started => IoLocation::Unknown("the server is another run's to ask".to_owned()),
            _ if engine.started => place.database.io_location().map_err(cli_error)?,
            _ => IoLocation::Ours,
        };
        let (whose, stacks) = match whereabouts {
            IoLocation::Ours => (Whose::Ours(group), rooms(place)),
            IoLocation::ExternalServer { pid, data, journal } => (Whose::Server(pid), stacks(&data, &journal, None)),
            IoLocation::Unknown(why) => (Whose::Unknown(why), Vec::new()),
        };
        let tops = |stack: &[DeviceFacts]| -> BTreeSet<(u32, u32)> {
            stack.iter().filter(|d| d.depth == 0).map(|d| d.dev).collect()
        };
        // With one role alone, as data without a journal apart, nothing can be told apart, and the engine's own counts are.
        let apart = |i: &usize| {
            let own = tops(&stacks[*i].1);
            !own.is_empty() && stacks.iter().enumerate().all(|(j, (_, o))| j == *i || tops(o).is_disjoint(&own))
        };
        let names = |stack: &[DeviceFacts]| {
            // As they are counted: a partition by its disk.
            BelowSources::open(&Roots::host(), stack, Whose::Unknown(String::new())).names()
        };
        let apart = (0..stacks.len()).filter(apart).map(|i| (stacks[i].0, names(&stacks[i].1))).collect();
        Ok(Sources { below: BelowSources::open(&Roots::host(), &all_of(&stacks), whose), apart })
    }
}

/// What is counted, and whether the engine is stopped when the run ends, so that what it writes then is told.
struct RunSupport {
    sources: Sources,
    stop: bool,
    /// It was said before the engine was started that this run is at work.
    running: Running,
    live: Live,
    /// Until the load begins.
    watching: Watching,
    /// Of a run that inserts.
    inserts: Option<InsertRun>,
}

/// What is known of a database before the load, and what its engine says of itself.
struct KnownBefore {
    usage: DatabaseUse,
    notes: Vec<String>,
}

/// What a load is, as far as what is known of the database depends on it.
struct LoadKind<'a> {
    verb: Verb,
    /// It reads data files past the engine.
    raw: bool,
    warm_up: Nanos,
    group: &'a str,
}

fn before(engine: &Engine<'_>, load: &LoadKind<'_>, how: &EngineSettings, files: &[DataFile]) -> Result<KnownBefore> {
    let marker = &engine.place.marker;
    let raw = load.raw;
    let facts = if engine.started { Some(engine.place.database.facts().map_err(cli_error)?) } else { None };
    let data = files.iter().filter(|f| f.role == FileRole::Data).map(|f| f.written.as_u64()).sum();
    let mut notes = facts.as_ref().filter(|_| !raw).map(|f| f.notes.clone()).unwrap_or_default();
    if let Some(behind) = engine.place.database.counters_delay().filter(|_| !raw && !load.warm_up.is_zero()) {
        notes.push(format!(
            "{behind}: up to a second of the warm-up may be among what it counted in the measured time (the \
             operations, the processes and the devices are counted to the edge)"
        ));
    }
    let usage = DatabaseUse {
        engine: marker.engine.clone(),
        version: facts.as_ref().map(|f| f.version.clone()).unwrap_or_default(),
        directory: engine.place.directory.display().to_string(),
        name: marker.name.clone(),
        uuid: marker.uuid.to_string(),
        page: marker.page,
        cache: if raw { Bytes(0) } else { how.cache },
        data: Bytes(data),
        names: marker.names,
        indexes: if raw { 0 } else { marker.indexes },
        journal: how.journal,
        commit: facts.as_ref().filter(|_| !raw).map(|f| f.commit.clone()).unwrap_or_default(),
        parameters: if raw || !engine.started {
            Vec::new()
        } else {
            engine.place.database.parameters().map_err(cli_error)?
        },
        direct: raw || facts.as_ref().is_some_and(|f| f.direct),
        verb: load.verb.name().to_owned(),
        group: load.group.to_owned(),
        ..DatabaseUse::default()
    };
    Ok(KnownBefore { usage, notes })
}

/// A run that ended, and what is to be said of it.
struct EndedRun {
    session: RunSession,
    journal: JournalSink,
    ending: Ending,
    /// It was stopped by `secchi db stop`: that is an end like any other.
    asked: bool,
    /// Another rank tells of it.
    follows: bool,
    /// Of a run that inserts.
    inserts: Option<InsertRun>,
}

#[expect(clippy::too_many_arguments, reason = "everything a run is made of, from two callers")]
fn conduct(
    ranks: &mut Ranks,
    engine: &mut Engine<'_>,
    plan: &Plan,
    before: KnownBefore,
    rest: RunSupport,
    store: Option<&PathBuf>,
    ramp: Option<Decide<'_>>,
    interrupt: &Interrupt,
    lifeline: Lifeline,
) -> Result<EndedRun> {
    let clock = ranks.clock();
    let rooms = engine.place.marker.directories.clone();
    let paths: Vec<&Path> =
        rooms.data.iter().chain([&rooms.journal]).chain(&rooms.image).map(PathBuf::as_path).collect();
    let facts = preflight::brief(clock, &paths);
    ranks.agree(plan, &facts)?;
    let follows = ranks.follows();
    let RunSupport { sources, stop, running, mut live, watching, inserts } = rest;
    let store = ranks.store(store, &mut live)?;
    let notes: Vec<String> = before.notes.into_iter().chain(journal_note(store.as_ref(), &rooms.data[0])).collect();
    let identity = run::Identity { id: running.id().to_owned(), ..ranks.identity(notes) };
    let shared = std::cell::RefCell::new(JournalSink::new(store, live, Some(lifeline)));
    let now = move || Nanos(clock.now());
    let mut files = DatabaseFiles::new(engine, before.usage, &shared, ramp, (sources, stop, follows), Box::new(now));
    files.inserts = inserts;
    let mut sink = DatabaseSink {
        journal: &shared,
        making: MakingProgress::of_plan(plan, ranks.own().map_or(1, |own| own.ranks)),
    };
    drop(watching);
    let inputs = RunInputs { plan, preflight: &facts, identity: &identity, caveats: &[] };
    let ending = ranks.conduct(&inputs, Targets::JobFiles(&mut files), &mut sink, interrupt);
    let inserts = files.inserts.take();
    drop(files);
    let mut journal = shared.into_inner();
    if follows {
        ranks.close_part(&mut journal);
    }
    let session = RunSession::ended(&mut journal)?;
    let asked = running.was_asked();
    if ending.stuck {
        // Its file lies in the database's directories, and removing it would wait with what hangs there. It tells of a process that is
        // gone, as after a kill.
        std::mem::forget(running);
    }
    Ok(EndedRun { session, journal, ending, asked, follows, inserts })
}

impl EndedRun {
    /// `stop` stops the engine. Where operations hang that may never end: all is told before it then, and it has
    /// [`STOPPING`].
    fn finish(
        mut self,
        shown: Shown,
        accept: bool,
        mut results: ResultFiles,
        stop: impl FnOnce() -> Result<()>,
    ) -> Result<Code> {
        let (stopped, stop) = if self.ending.stuck { (Ok(()), Some(stop)) } else { (stop(), None) };
        if self.follows && stop.is_none() {
            // How its engine stopped was told already.
            return session::exit(&mut self.journal, &self.ending, Ok(()), exit::OK);
        }
        self.session.close(&mut self.journal, &self.session.judgement.verdict.clone());
        let RunSession { record, judgement, .. } = &self.session;
        let printed = match self.follows {
            true => Ok(()),
            false => terminal::print_run(record, judgement, shown),
        };
        let printed = printed.and(results.write(record, judgement));
        self.session.print_kept();
        let mut code = code_of(record, judgement);
        if self.asked && record.state == RunState::Stopped {
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
        if accept && accepted.is_none() && record.state == RunState::Complete {
            code = Code(1);
        }
        let code = self.session.code(&self.ending, &printed, code);
        if let Some(stop) = stop {
            // Threads in the kernel cannot be waited for, and an engine's last flush may wait with them.
            let mut line = self.journal.take_lifeline();
            let give_up = move || {
                std::thread::sleep(STOPPING);
                if let Some(line) = &mut line {
                    line.exit(code);
                }
                sys::exit_now(code.0);
            };
            if std::thread::Builder::new().name("stopping".into()).spawn(give_up).is_ok()
                && let Err(error) = stop()
            {
                remark(&format!("{error:#}"));
            }
            sys::exit_now(code.0);
        }
        session::exit(&mut self.journal, &self.ending, printed, code)
    }
}

/// Without needs a load of a database meets none and misses none; one that is not valid decides nothing.
fn code_of(record: &RunRecord, judgement: &Judgement) -> Code {
    match record.state {
        RunState::Complete => Code(i32::from(judgement.exit_code)),
        RunState::Stopped => Code(i32::from(record.stopped_code())),
        RunState::Hung => exit::HUNG,
        RunState::Failed | RunState::Interrupted | RunState::Running | RunState::Damaged => exit::INVALID,
    }
}

/// The journal, shared with who decides about the next level.
struct DatabaseSink<'a> {
    journal: &'a std::cell::RefCell<JournalSink>,
    /// Where globals are made.
    making: Option<MakingProgress>,
}

/// How far the making of globals has come.
struct MakingProgress {
    globals: usize,
    records: u64,
    /// When it was last told where there is no terminal.
    said: Nanos,
}

/// How often it is told there.
const EVERY: Nanos = Nanos::from_secs(10);

impl MakingProgress {
    /// Of as many ranks as make the same; `None` of a load that makes none.
    fn of_plan(plan: &Plan, ranks: usize) -> Option<MakingProgress> {
        let making = plan.stages.iter().all(|s| s.name.starts_with(Verb::Create.name()));
        let records = || plan.stages.iter().filter_map(|s| s.job.stop.max_ops).sum::<u64>() * ranks as u64;
        making.then(|| MakingProgress { globals: plan.stages.len() * ranks, records: records(), said: Nanos(0) })
    }

    /// The same with what was made so far, and with the time the rest will take at that rate.
    fn with_records(&mut self, progress: &run::Progress, record: Option<&RunRecord>, watched: bool) -> run::Progress {
        let totals: Vec<Interval> = record.iter().flat_map(|r| &r.steps).map(model::Step::total).collect();
        let done: u64 = totals.iter().map(|t| t.op(Op::Write).tally.ops).sum();
        let took = totals.iter().map(|t| t.length.secs()).fold(0.0, f64::max);
        let left = self.records.saturating_sub(done);
        let rest = if done > 0 { Nanos::from_secs_f64(took * left as f64 / done as f64) } else { Nanos(0) };
        let percent = done.saturating_mul(100) / self.records.max(1);
        let (done, all) = (thousands(done as f64), thousands(self.records as f64));
        let s = if self.globals == 1 { "" } else { "s" };
        // Short, as a terminal's line has no room for more.
        let label = format!("{percent} % of {all}");
        if !watched && progress.elapsed >= self.said + EVERY {
            self.said = progress.elapsed;
            let secs = progress.elapsed.secs();
            let made = format!("{} global{s}: {done} of {all} records, {percent} %", self.globals);
            print_aside(&format!("secchi: [{secs:>5.1} s] {made}, about {:.0} s left\n", rest.secs()));
        }
        run::Progress { label, left: rest, jobs: None, ..progress.clone() }
    }
}

impl Sink for DatabaseSink<'_> {
    fn event(&mut self, event: RunEvent) {
        self.journal.borrow_mut().event(event);
    }
    fn progress(&mut self, progress: &run::Progress) {
        let mut journal = self.journal.borrow_mut();
        let watched = journal.live().is_watched();
        match &mut self.making {
            Some(making) => {
                let told = making.with_records(progress, journal.record(), watched);
                // Elsewhere than on a terminal its own lines tell it.
                if watched { journal.progress(&told) } else { journal.report_alive() }
            }
            None => journal.progress(progress),
        }
    }
}

/// What the conductor asks of a database: files of block reads, sessions, counts.
struct DatabaseFiles<'a, 'b, 'g> {
    engine: &'a mut Engine<'b>,
    usage: DatabaseUse,
    journal: &'a std::cell::RefCell<JournalSink>,
    ramp: Option<Decide<'g>>,
    clock: Box<dyn Fn() -> Nanos>,
    sources: Sources,
    /// The engine is stopped when the run ends.
    stop: bool,
    /// Another rank tells of the run.
    follows: bool,
    gate: Arc<Gate>,
    /// The wave's measured time began here, and has not ended.
    open: Option<Edge>,
    /// Its end was counted below; the engine's counts may wait until its sessions are closed.
    closing: Option<BelowReading>,
    /// Measured stretches that have ended.
    stretches: Vec<(Nanos, Nanos)>,
    sums: Sums,
    phases: Phases,
    /// Bytes per second on the devices before the load.
    foreign: Option<f64>,
    last: Option<(Nanos, Counters)>,
    /// The last measured time ended here.
    ended: Option<BelowReading>,
    /// A full file system was reported.
    is_full: bool,
    /// Of a run that inserts.
    inserts: Option<InsertRun>,
}

/// Where only devices can be counted, they are looked at for so long before the load.
const BASELINE: Duration = Duration::from_millis(500);

impl<'a, 'b, 'g> DatabaseFiles<'a, 'b, 'g> {
    fn new(
        engine: &'a mut Engine<'b>,
        usage: DatabaseUse,
        journal: &'a std::cell::RefCell<JournalSink>,
        ramp: Option<Decide<'g>>,
        (sources, stop, follows): (Sources, bool, bool),
        clock: Box<dyn Fn() -> Nanos>,
    ) -> Self {
        let last = engine.counters().map(|c| (clock(), c));
        let foreign = baseline(&sources.below, &*clock);
        DatabaseFiles {
            engine,
            usage,
            journal,
            ramp,
            clock,
            sources,
            stop,
            follows,
            gate: Arc::default(),
            open: None,
            closing: None,
            stretches: Vec::new(),
            sums: Sums::default(),
            phases: Phases::default(),
            foreign,
            last,
            ended: None,
            is_full: false,
            inserts: None,
        }
    }

    fn below(&self) -> BelowReading {
        self.sources.below.read((self.clock)())
    }

    fn begin_measuring(&mut self) {
        let below = self.below();
        let engine = self.engine.counters();
        self.open = Some(Edge { below, engine });
        self.gate.arm();
    }

    /// The measured time of a wave ends. Sessions are closed only behind this, where closing them writes.
    fn end_measuring(&mut self) {
        if self.closing.is_some() || self.open.is_none() {
            return;
        }
        let below = self.below();
        if self.engine.place.database.counts_when_closed() {
            self.closing = Some(below);
        } else {
            let engine = self.engine.counters();
            self.close(below, engine);
        }
        self.gate.open();
    }

    fn close(&mut self, below: BelowReading, engine: Option<Counters>) {
        let Some(from) = self.open.take() else { return };
        self.stretches.push((from.below.at(), below.at()));
        let to = Edge { below, engine };
        self.sums.add(&self.sources.below, &from, &to);
        self.ended = Some(to.below);
    }

    /// What is told of the measured time so far.
    fn record_usage(&mut self, now: Nanos, engine: Option<&Counters>) {
        let mut sums = self.sums.clone();
        let mut stretches = self.stretches.clone();
        if let Some(from) = &self.open {
            let to = Edge { below: self.below(), engine: engine.cloned() };
            sums.add(&self.sources.below, from, &to);
            stretches.push((from.below.at(), now));
        }
        sums.below.before = self.foreign;
        self.usage.roles = windows::roles(&sums.below, &self.sources.apart, &sums.roles);
        self.usage.counters = sums.counts;
        self.usage.mgstat = sums.mgstat;
        self.usage.phases = self.phases.within(&stretches);
        self.usage.below = Some(sums.below);
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
        if let Some((then, before)) =
            self.last.as_ref().filter(|(then, _)| now.as_nanos() >= then.as_nanos() + SHORTEST)
        {
            let seconds = now.since(*then).secs().max(1e-3);
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

impl DatabaseFiles<'_, '_, '_> {
    fn open_files(&self, job: &Job) -> io::Result<Vec<Arc<File>>> {
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
}

impl Files for DatabaseFiles<'_, '_, '_> {
    fn open(&self, job: &Job) -> Result<Vec<Arc<File>>, Sentence> {
        self.open_files(job).map_err(|e| format!("{}: {e}", job.name).into())
    }

    fn present(&self) -> Result<(), TargetError> {
        Ok(())
    }

    fn room(&self) -> Result<(), TargetError> {
        match self.inserts.as_ref().and_then(InsertRun::reached) {
            None => Ok(()),
            Some(why) => {
                let what = self.engine.place.directory.display().to_string();
                let reason = Reason { what, why: why.to_owned(), advice: "that is where it was to end".to_owned() };
                Err(TargetError::Refused(reason))
            }
        }
    }

    fn sessions(&self) -> Option<Arc<dyn Sessions>> {
        self.engine.started.then(|| -> Arc<dyn Sessions> {
            Arc::new(Gated { inner: self.engine.place.sessions(), gate: Arc::clone(&self.gate) })
        })
    }

    fn wave_begins(&mut self) {
        // Of a run of some milliseconds a look behind its beginning would count little.
        self.begin_measuring();
    }

    fn tick(&mut self, now: Nanos, from: Nanos, until: Nanos) {
        // Of this wave where it lasted longer than until its beginning.
        let ended = self.stretches.last().is_some_and(|(_, ended)| *ended >= from);
        if self.open.is_none() && !ended && now >= from {
            self.begin_measuring();
        }
        if self.open.is_some() && (now >= until || self.gate.all_wait()) {
            self.end_measuring();
        }
    }

    fn wave_ended(&mut self, _now: Nanos) {
        self.end_measuring();
        if let Some(below) = self.closing.take() {
            let engine = self.engine.counters();
            self.close(below, engine);
        }
        // Whoever never began to measure lets its sessions go.
        self.gate.open();
        self.gate = Arc::default();
    }

    fn events(&mut self, now: Nanos) -> Vec<RunEvent> {
        let mut events = Vec::new();
        if let Some(why) = self.inserts.as_mut().and_then(InsertRun::take_note) {
            events.push(RunEvent::Note { at: now, text: sentence!("note-inserts-ended", why) });
        }
        // A run that fails is not followed by `ended`.
        if !self.is_full && self.engine.started {
            let full = self.engine.place.database.full_storage();
            let full = full.map(|logged| analysis::file_system_full(Severity::Invalid, logged));
            self.is_full = full.is_some();
            events.extend(full.map(RunEvent::Caveat));
        }
        let counters = self.engine.counters();
        if self.engine.started {
            self.phases.see(self.engine.place.database.phases());
        }
        if let Some(counters) = &counters {
            let samples = self.samples(now, counters);
            if !samples.is_empty() {
                events.push(RunEvent::Samples { at: now, samples });
            }
            if self.open.is_some() {
                self.usage.backlog.extend(counters.backlog.map(|b| (now, b)));
            }
        }
        self.record_usage(now, counters.as_ref());
        // What a short stretch at the end counts may have happened long before: engines hand in counts when they like.
        if let Some(counters) = counters
            && self.last.as_ref().is_none_or(|(then, _)| now.as_nanos() >= then.as_nanos() + SHORTEST)
        {
            self.last = Some((now, counters));
        }
        events.push(RunEvent::Database(Box::new(self.usage.clone())));
        events
    }

    fn ended(&mut self) -> Vec<RunEvent> {
        let Some(from) = self.ended.take().filter(|_| self.stop && self.engine.started) else { return Vec::new() };
        let mut doubts = Vec::new();
        let counted = self.below();
        if self.usage.verb == (Verb::TpcB { scale: 1 }).name() {
            match self.engine.place.database.check_tpcb() {
                Ok(sentence) => self.usage.checks.push(sentence),
                Err(error) => {
                    let statement = sentence!("db-tpcb-inconsistent");
                    let doubt = Caveat::new("tpcb-inconsistent", Severity::Invalid, statement, error.to_string());
                    doubts.push(RunEvent::Caveat(doubt));
                }
            }
        }
        let engine = &self.engine.place.marker.engine;
        let journal = match self.engine.place.database.journal_failure() {
            Ok(None) => None,
            Ok(Some(why)) => {
                let caveat = Caveat::new(
                    "journal-switched-off",
                    Severity::Invalid,
                    sentence!("db-journal-switched-off", engine),
                    why,
                );
                Some(caveat.remedy(sentence!("db-journal-switched-off-remedy")))
            }
            Err(error) => {
                let statement = sentence!("db-journal-unknown", engine);
                Some(Caveat::new("journal-unknown", Severity::Invalid, statement, error.to_string()))
            }
        };
        doubts.extend(journal.map(RunEvent::Caveat));
        // What the check read is no part of it.
        let checked = self.below();
        let mut grown = Vec::new();
        if let Some(inserts) = &mut self.inserts {
            match inserts.settle(self.engine.place) {
                Ok(files) => grown = files,
                Err(error) => {
                    let statement = sentence!("db-inserts-not-settled");
                    let doubt = Caveat::new("inserts-not-settled", Severity::Doubt, statement, error.to_string());
                    doubts.push(RunEvent::Caveat(doubt));
                }
            }
        }
        self.engine.stop_early();
        let stopped = self.engine.stopped.as_ref().and_then(|stopped| stopped.as_ref().err());
        let doubt = stopped.filter(|_| self.follows).map(|error| {
            // Whoever runs alone says so itself, and ends with another code.
            let statement = sentence!("db-not-stopped", engine = &self.engine.place.marker.engine);
            RunEvent::Caveat(Caveat::new("engine-not-stopped", Severity::Doubt, statement, error.to_string()))
        });
        let mut after = self.sources.below.between(&from, &counted);
        after.add(&self.sources.below.between(&checked, &self.below()));
        if let Some(inserts) = self.inserts.as_ref().filter(|_| self.engine.place.marker.inserting.is_none()) {
            self.usage.growth = Some(inserts.grown(&grown));
        }
        self.usage.after = Some(Below { before: self.foreign, ..after });
        doubts.extend(doubt);
        doubts.into_iter().chain([RunEvent::Database(Box::new(self.usage.clone()))]).collect()
    }

    fn goes_on(&mut self, stage: usize) -> ControlFlow<String> {
        let journal = self.journal.borrow();
        match (&mut self.ramp, journal.record()) {
            (Some(gate), Some(record)) => gate(record, stage),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Bytes per second on the devices while nothing of ours runs; asked only where nobody tells whose they are.
fn baseline(sources: &BelowSources, clock: &dyn Fn() -> Nanos) -> Option<f64> {
    if sources.separates_engine() || sources.names().is_empty() {
        return None;
    }
    let from = sources.read(clock());
    std::thread::sleep(BASELINE);
    let idle = sources.between(&from, &sources.read(clock()));
    idle.device().map(|d| d.bytes() as f64 / idle.length.secs().max(1e-3))
}

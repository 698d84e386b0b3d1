//! Execution of a verb: start the engine, conduct the load, read the engine's counters during the load, and stop the
//! engine.

pub mod engine_watch;
pub mod inserting;
pub mod running;
pub mod session_gate;
pub mod windows;

use super::open::OpenDatabase;
use super::plan::{self, Level, Verb};
use super::{cli_error, refused};
use anyhow::Result;
use cli::{DbRun, DbRunArgs, Through};
use db::{BlockFiles, Counters, DataFile, EngineSettings, IoLocation};
use engine_watch::{EngineWatch, Watching};
use inserting::{Bounds, InsertRun, mend};
use load::session::Sessions;
use load::target::{Reason, TargetError};
use messages::sentence;
use model::measured::{Below, DatabaseUse, FileRole, Layer, Sample};
use model::plan::{GlobalSize, RolePath, TargetKind};
use model::record::{DeviceFacts, Results};
use model::{
    Bytes, Caveat, Interval, Job, Judgement, Nanos, Op, Plan, RunEvent, RunRecord, RunState, Sentence, Severity, Stage,
    Target, judged::Outcome, units::thousands,
};
use monitor::{BelowReading, BelowSources, Roots, RunGroup, Whose};
use run::{Files, RunInputs, Sink, Targets, preflight};
use running::{Other, Running, Use};
use session::console::{self, Live, Shown, print_aside, remark, remark_of};
use session::exit::{self, Code};
use session::journal_sink::JournalSink;
use session::launch::Reach;
use session::reject;
use session::result_files::ResultFiles;
use session::supervisor::Lifeline;
use session::{JudgedRun, Observer, Session, SharedJournal};
use session_gate::{Gate, Gated};
use std::collections::BTreeSet;
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use sys::clock::{Clock, RunClock};
use sys::files::{Access, OpenHow};
use windows::{Edge, Phases, Sums};

/// Hang limit for the creation of globals, which may have to wait long for a device that is being filled.
pub const MAKING_HANG: Nanos = Nanos::from_secs(600);
/// Prefix of the mgstat names in samples.
const PREFIX: &str = "db";
/// Minimum interval for rates, in nanoseconds.
const SHORTEST: u64 = Nanos::from_millis(500).as_nanos();
/// Time limit for stopping an engine if operations hang.
const STOPPING: Duration = Duration::from_secs(3);

pub fn run(verb: Verb, options: &DbRun) -> Result<Code> {
    let directory = &options.dir.dir;
    let args = &options.run;
    check(args)?;
    Session::supervised(Reach::ManyHosts, args.common.hang, |session| {
        let levels = |place: &OpenDatabase, globals: &[GlobalSize], files: &[DataFile], seed| {
            Level { verb, processes: options.processes, args, globals, files, seed }.stages(place)
        };
        Measure { directory, verb, args, levels: &levels, ramp: None }.run(session)
    })
}

/// Rejects options that are invalid regardless of the database.
pub fn check(args: &DbRunArgs) -> Result<()> {
    if args.time.is_some_and(|t| t < Nanos::from_millis(100)) {
        reject!("--time: must be at least 100 ms");
    }
    if args.common.hang < Nanos::from_secs(1) {
        reject!("--hang {}: must be at least 1 s; the pause after a batch is --pause", args.common.hang);
    }
    args.common.bought.resolve(&[])?;
    Ok(())
}

type Stages<'a> = &'a dyn Fn(&OpenDatabase, &[GlobalSize], &[DataFile], u64) -> Result<Vec<Stage>>;

/// Decision before each level: continue, or end with a reason.
type Decide<'a> = &'a mut dyn FnMut(&RunRecord, usize) -> ControlFlow<String>;

/// Settings of a ramp.
pub struct Ramp<'a> {
    pub gate: Decide<'a>,
    /// True if there are clauses that a level must meet to be accepted.
    pub accept: bool,
}

pub struct Measure<'a> {
    pub directory: &'a Path,
    pub verb: Verb,
    pub args: &'a DbRunArgs,
    pub levels: Stages<'a>,
    pub ramp: Option<Ramp<'a>>,
}

impl Measure<'_> {
    pub fn run(self, session: &mut Session) -> Result<Code> {
        let Measure { directory, verb, args, levels, ramp } = self;
        session.wait_for_engines();
        let directory = &session.database(directory)?;
        let results = session.outputs(&args.common.results.outputs);
        let results = ResultFiles::claim_alone(results, args.common.results.force, directory)?;
        let limits = args.common.bought.resolve(&[])?;
        session.catch_signals()?;
        let mut place = OpenDatabase::open(directory)?;
        session.check_server(place.marker.url.as_deref())?;
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
        let mut running = Running::claim(&place.marker.directories.work, &session.run_id, what, |others| {
            beside = others.iter().any(Other::drives);
            // A maintenance command may be about to remove the database.
            running::alone(others, |o| o.what != Use::Maintenance)?;
            // The number of nodes is unknown while another run inserts nodes.
            running::alone(others, |o| if inserts { !o.drives() } else { raw || o.what != Use::Inserts })?;
            match place.database.allows_parallel_runs() {
                Err(reason) if beside && !raw => refused(format!(
                    "another run is using this database; wait for it, or end it with `secchi db stop`: {reason}"
                )),
                _ => Ok(()),
            }
        })?;
        session.live = Live::new(args.common.json);
        session.live.status(&format!("starting {}", place.marker.engine));
        if !raw && place.database.allows_parallel_runs().is_err() {
            running.begun();
        }
        // The control group is dropped after the engine.
        let group = own_group(&place).map(Arc::new);
        let watch = engine_watch(&place, &group, &session.lifeline, args.common.hang);
        let watching = watch.begin();
        // Block reads go directly to the files, even while another run drives the database. The engine only reports
        // where the blocks are.
        place.refresh()?;
        if !beside {
            place.database.wait_for_killed_run().map_err(cli_error)?;
        }
        let mut engine = Engine::begin(&mut place, &how, session.clock, !beside || !raw, watch)?;
        if engine.started && !beside {
            mend(engine.place)?;
        }
        // Runs that share an engine start it one at a time. For block reads, the engine must be stopped before
        // the next run may start.
        if !raw || beside {
            running.begun();
        }
        let sources = Sources::find(&engine, group.clone())?;
        let tpcb = matches!(verb, Verb::TpcB { .. });
        let mut globals = if raw || tpcb { Vec::new() } else { engine.place.globals()? };
        if let Verb::TpcB { scale } = verb {
            if beside {
                return refused(
                    "another run is using this database, and tpcb empties its history; wait for \
                     it, or end it with `secchi db stop`",
                );
            }
            session.live.status(&format!("tables of TPC-B, scale {scale}"));
            engine.place.database.prepare_tpcb(scale).map_err(cli_error)?;
        }
        if !beside {
            session.live.status("writing back the changes of earlier runs");
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
            before.notes.push(
                "another run is using this database at the same time: the engine's counters include both runs".into(),
            );
        }
        let scattered = engine.place.marker.scattered.values().sum::<u64>();
        if matches!(verb, Verb::SeqRead | Verb::SeqWrite) && scattered > 0 {
            let (nodes, verb) = (thousands(scattered as f64), verb.name());
            before.notes.push(format!(
                "{verb} visits the nodes in order: {nodes} nodes inserted with --order random are left out"
            ));
        }
        if raw {
            // The blocks are read from the files, and the engine must not do any I/O during these reads.
            engine.stop()?;
            running.begun();
        }
        let mut plan = plan::plan(engine.place, session::environment::arguments(), args.common.hang, stages);
        plan.trace = args.common.trace.rule(|| roles_of(engine.place, &files));
        plan.needs = args.common.needs.iter().flat_map(|n| n.0.clone()).collect();
        plan.limits = limits;
        // Rank 0 decides when a ramp ends.
        let (gate, accept) = ramp.filter(|_| session.reports()).map_or((None, false), |r| (Some(r.gate), r.accept));
        let inserts = match bounds {
            Some(bounds) => Some(InsertRun::begin(engine.place, &globals, args, bounds)?),
            None => None,
        };
        let rest = RunSupport { sources, stop: true, running, watching, inserts };
        let store = args.common.store.store.as_ref();
        let mut conducted = conduct(session, &mut engine, &plan, before, rest, store, gate)?;
        if let Some(inserts) = conducted.inserts.as_mut().filter(|_| !conducted.run.ending.stuck && engine.runs())
            // `ended` settles the inserts only if the run completed.
            && let Err(error) = inserts.settle(engine.place)
        {
            remark_of(&sentence!("remark-sizes-later", why = format!("{error:#}")));
        }
        conducted.finish(Shown::choose(args.common.full, args.common.json), accept, results, || engine.stop())
    }
}

/// Returns the files of the database with their roles. Its directories are included, so that files created later also
/// have a role.
fn roles_of(place: &OpenDatabase, files: &[DataFile]) -> Vec<RolePath> {
    let rooms = &place.marker.directories;
    let role_path = |role: FileRole, path: &Path| RolePath { role: role.name().to_owned(), path: path.to_owned() };
    let mut roles: Vec<RolePath> = files.iter().map(|f| role_path(f.role, &f.path)).collect();
    roles.extend(rooms.data.iter().map(|room| role_path(FileRole::Data, room)));
    roles.push(role_path(FileRole::Journal, &rooms.journal));
    roles.extend(rooms.image.iter().map(|room| role_path(FileRole::Image, room)));
    roles.dedup();
    roles
}

/// Creation of globals in parallel, with one worker for each global.
pub struct Making<'a> {
    pub place: &'a mut OpenDatabase,
    pub how: EngineSettings,
    pub globals: &'a [GlobalSize],
    pub names: Option<model::plan::NodeNames>,
    pub indexes: u32,
    pub value: model::plan::ValueRule,
    pub store: Option<&'a PathBuf>,
}

impl Making<'_> {
    pub fn run(self, session: &mut Session) -> Result<Code> {
        session.wait_for_engines();
        let Making { place, how, globals, names, indexes, value, store } = self;
        session.check_server(place.marker.url.as_deref())?;
        session.catch_signals()?;
        let nobody = |others: &[Other]| running::alone(others, |_| false);
        let mut running = Running::claim(&place.marker.directories.work, &session.run_id, Use::Engine, nobody)?;
        running.begun();
        session.live = Live::new(false);
        session.live.status(&format!("starting {}", place.marker.engine));
        let group = own_group(place).map(Arc::new);
        let watch = engine_watch(place, &group, &session.lifeline, MAKING_HANG);
        let watching = watch.begin();
        place.refresh()?;
        place.forget_inserts(globals);
        place.database.wait_for_killed_run().map_err(cli_error)?;
        let mut engine = Engine::begin(place, &how, session.clock, true, watch)?;
        mend(engine.place)?;
        engine.place.begin_making(globals, names, indexes)?;
        let sources = Sources::find(&engine, group.clone())?;
        session.live.status(&format!("emptying {} globals", globals.len()));
        for global in globals {
            engine.place.database.create_global(global.number, names.as_ref(), indexes).map_err(cli_error)?;
        }
        let count = globals.len() as u32;
        let stage = |(i, g): (usize, &GlobalSize)| {
            plan::making_stage(engine.place, i as u32, count, *g, value, (names, indexes))
        };
        let stages = globals.iter().enumerate().map(stage).collect();
        let plan = plan::plan(engine.place, session::environment::arguments(), MAKING_HANG, stages);
        let files = engine.place.database.files().map_err(cli_error)?;
        let making = LoadKind { verb: Verb::Create, raw: false, warm_up: Nanos(0), group: "" };
        let before = before(&engine, &making, &how, &files)?;
        // The engine is stopped later, because the sizes must be recorded first.
        let rest = RunSupport { sources, stop: false, running, watching, inserts: None };
        session.stay();
        let conducted = conduct(session, &mut engine, &plan, before, rest, store, None)?;
        let made = conducted.run.record.state == RunState::Complete;
        if conducted.run.ending.stuck {
            session.leave();
            return conducted.finish(Shown::Answer, false, ResultFiles::default(), || engine.stop());
        }
        let watching = engine.watch.begin();
        let set_size = |g: &GlobalSize| {
            // Fill the table before building its indexes, as other tools do.
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
        let stopped = if !conducted.run.reports || made { session.combine(stopped) } else { stopped };
        session.leave();
        conducted.finish(Shown::Answer, false, ResultFiles::default(), || stopped)
    }
}

/// A started engine. It is stopped when dropped.
struct Engine<'a> {
    place: &'a mut OpenDatabase,
    started: bool,
    /// Result of stopping the engine, if it was stopped before the end of the run was reported.
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

    /// Stops the engine. A later call of [`Engine::stop`] returns the result.
    fn stop_early(&mut self) {
        if self.stopped.is_none() {
            let _watching = self.watch.begin();
            self.stopped = Some(self.place.database.stop());
        }
    }

    /// Returns `true` if the engine can be queried.
    fn runs(&self) -> bool {
        self.started && self.stopped.is_none()
    }

    /// Returns the counters of the engine, if it runs.
    fn counters(&self) -> Option<Counters> {
        self.runs().then(|| self.place.database.counters().ok()).flatten()
    }
}

impl Drop for Engine<'_> {
    fn drop(&mut self) {
        let is_stopped = self.stopped.is_some();
        if let Err(error) = self.stop()
            && !is_stopped
        {
            remark(&format!("{error:#}"));
        }
    }
}

/// Device stacks below the directories of a database, by role.
type Stacks = Vec<(FileRole, Vec<DeviceFacts>)>;

fn stacks(data: &[PathBuf], journal: &Path, image: Option<&Path>) -> Stacks {
    let roots = Roots::host();
    let stack = |path: &Path| monitor::facts::stack_of_path(&roots, path);
    let image = image.map(|image| (FileRole::Image, stack(image)));
    let data = data.iter().flat_map(|d| stack(d)).collect();
    [(FileRole::Data, data), (FileRole::Journal, stack(journal))].into_iter().chain(image).collect()
}

fn rooms(place: &OpenDatabase) -> Stacks {
    let dirs = &place.marker.directories;
    stacks(&dirs.data, &dirs.journal, dirs.image.as_deref())
}

fn all_of(stacks: &Stacks) -> Vec<DeviceFacts> {
    stacks.iter().flat_map(|(_, stack)| stack.clone()).collect()
}

/// Moves this process into a control group before it starts an engine, so that the engine is in the group as well. An
/// external server is not.
fn own_group(place: &OpenDatabase) -> Result<RunGroup, Sentence> {
    match place.marker.url {
        None => RunGroup::enter(&Roots::host(), &all_of(&rooms(place))).map_err(|e| e.sentence()),
        Some(_) => Err(sentence!("counts-server-other")),
    }
}

/// Returns the watch for an engine. It cannot observe an external server.
fn engine_watch(
    place: &OpenDatabase,
    group: &Result<Arc<RunGroup>, Sentence>,
    line: &Lifeline,
    hang: Nanos,
) -> EngineWatch {
    let (whose, stack) = match place.marker.url {
        None => (Whose::Ours(group.clone()), all_of(&rooms(place))),
        Some(_) => (Whose::Unknown(sentence!("counts-server-other")), Vec::new()),
    };
    let sources = BelowSources::open(&Roots::host(), &stack, whose);
    EngineWatch { engine: place.marker.engine.clone(), line: line.clone(), sources, hang }
}

/// Sources of I/O counters below the engine.
struct Sources {
    below: BelowSources,
    /// Roles that do not share devices with other roles, with the names of their devices.
    apart: Vec<(FileRole, Vec<String>)>,
}

impl Sources {
    fn find(engine: &Engine<'_>, group: Result<Arc<RunGroup>, Sentence>) -> Result<Sources> {
        let place = &*engine.place;
        let location = match place.marker.url {
            Some(_) if !engine.started => None,
            _ if engine.started => Some(place.database.io_location().map_err(cli_error)?),
            _ => Some(IoLocation::Ours),
        };
        let unknown = |why| (Whose::Unknown(why), Vec::new());
        let (whose, stacks) = match location {
            None => unknown(sentence!("counts-server-busy")),
            Some(IoLocation::Ours) => (Whose::Ours(group), rooms(place)),
            Some(IoLocation::ExternalServer { pid, data, journal }) => {
                (Whose::Server(pid), stacks(&data, &journal, None))
            }
            Some(IoLocation::Unknown(why)) => unknown(sentence!("counts-server-devices", why)),
        };
        let tops = |stack: &[DeviceFacts]| -> BTreeSet<(u32, u32)> {
            stack.iter().filter(|d| d.depth == 0).map(|d| d.dev).collect()
        };
        // Roles on the same device, such as data and journal in one directory, can only be distinguished by the
        // engine's counters.
        let apart = |i: &usize| {
            let devices = tops(&stacks[*i].1);
            !devices.is_empty() && stacks.iter().enumerate().all(|(j, (_, o))| j == *i || tops(o).is_disjoint(&devices))
        };
        let names = |stack: &[DeviceFacts]| {
            // Use the names under which I/O is counted: a partition is counted under its disk.
            BelowSources::open(&Roots::host(), stack, Whose::Unknown(Sentence::default())).names()
        };
        let apart = (0..stacks.len()).filter(apart).map(|i| (stacks[i].0, names(&stacks[i].1))).collect();
        Ok(Sources { below: BelowSources::open(&Roots::host(), &all_of(&stacks), whose), apart })
    }
}

/// Sources of counters and handles for a run. If `stop` is set, the engine is stopped when the run ends, so that the
/// writes caused by the stop are reported.
struct RunSupport {
    sources: Sources,
    stop: bool,
    /// Claim on the database, made before the engine was started.
    running: Running,
    /// Watch of the engine until the load begins.
    watching: Watching,
    /// State of the inserts, for a run that inserts.
    inserts: Option<InsertRun>,
}

/// Facts about a database before the load, and notes from its engine.
struct KnownBefore {
    usage: DatabaseUse,
    notes: Vec<String>,
}

/// Properties of a load that determine the facts about the database.
struct LoadKind<'a> {
    verb: Verb,
    /// True if the load reads data files without the engine.
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
            "{behind}: its counts for the measured time may include up to a second of the warm-up (operations, \
             processes and devices are counted exactly)"
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

/// A run that has ended, with its results.
struct EndedRun {
    run: JudgedRun,
    /// True if `secchi db stop` stopped the run, which is a regular end.
    asked: bool,
    /// State of the inserts, for a run that inserts.
    inserts: Option<InsertRun>,
}

fn conduct(
    session: &mut Session,
    engine: &mut Engine<'_>,
    plan: &Plan,
    before: KnownBefore,
    rest: RunSupport,
    store: Option<&PathBuf>,
    ramp: Option<Decide<'_>>,
) -> Result<EndedRun> {
    let rooms = engine.place.marker.directories.clone();
    let paths: Vec<&Path> =
        rooms.data.iter().chain([&rooms.journal]).chain(&rooms.image).map(PathBuf::as_path).collect();
    let facts = preflight::brief(session.clock, &paths);
    session.agree(plan, &facts)?;
    session.open_store(store)?;
    let RunSupport { sources, stop, running, watching, inserts } = rest;
    let notes: Vec<String> = before.notes.into_iter().chain(session.journal_note(&rooms.data[0])).collect();
    let identity = session.identity(notes);
    let mut files = DatabaseFiles::new(engine, before.usage, session, ramp, sources, stop);
    files.inserts = inserts;
    let mut display = DatabaseDisplay { making: MakingProgress::of_plan(plan, session.size()) };
    drop(watching);
    let inputs = RunInputs { plan, preflight: &facts, identity: &identity, caveats: &[] };
    let ended = session.conduct(&inputs, Targets::JobFiles(&mut files), &mut display);
    let inserts = files.inserts.take();
    drop(files);
    let run = ended.judge()?;
    let asked = running.was_asked();
    if run.ending.stuck {
        // The run's file is in a directory of the database, and removing it would block on the storage that hangs. The
        // file then names a process that has ended, as after a kill.
        std::mem::forget(running);
    }
    Ok(EndedRun { run, asked, inserts })
}

impl EndedRun {
    /// Reports the run and returns its exit code. `stop` stops the engine. If operations hang, stopping may block
    /// forever, so everything is reported first, and `stop` must return within [`STOPPING`].
    fn finish(
        self,
        shown: Shown,
        accept: bool,
        mut results: ResultFiles,
        stop: impl FnOnce() -> Result<()>,
    ) -> Result<Code> {
        let EndedRun { mut run, asked, .. } = self;
        let (stopped, stop) = if run.ending.stuck { (Ok(()), Some(stop)) } else { (stop(), None) };
        if !run.reports && stop.is_none() {
            // An error while stopping its engine is already part of the record.
            return run.exit(Ok(()), exit::OK);
        }
        run.close(&run.judgement.verdict.clone());
        let JudgedRun { record, judgement, .. } = &run;
        let printed = match run.reports {
            true => console::print_run(record, judgement, shown),
            false => Ok(()),
        };
        let printed = printed.and(results.write(record, judgement));
        run.print_kept();
        let mut code = code_of(record, judgement);
        if asked && record.state == RunState::Stopped {
            remark_of(&sentence!("remark-stopped-by-command"));
            code = exit::OK;
        }
        if let Err(error) = &stopped {
            // The measurements are reported even if the engine could not be stopped.
            remark(&format!("{error:#}"));
            if code == exit::OK {
                code = exit::CANNOT;
            }
        }
        // The analysis reads the clauses from the recorded command line.
        let accepted = judgement.database().and_then(|d| match &d.ramp {
            Some(ramp) => ramp.accepted,
            None => d.waves.first().filter(|w| w.accepted == Some(Outcome::Pass)).map(|w| w.processes),
        });
        if accept && accepted.is_none() && record.state == RunState::Complete {
            code = Code(1);
        }
        let code = run.code(&printed, code);
        if let Some(stop) = stop {
            // Threads that are stuck in the kernel cannot be joined, and the last flush of an engine may wait for them.
            let line = run.lifeline().clone();
            let give_up = move || {
                std::thread::sleep(STOPPING);
                line.exit(code);
                session::console::exit_now(code.0);
            };
            if std::thread::Builder::new().name("stopping".into()).spawn(give_up).is_ok()
                && let Err(error) = stop()
            {
                remark(&format!("{error:#}"));
            }
            session::console::exit_now(code.0);
        }
        run.exit(printed, code)
    }
}

/// Returns the exit code of a run, as determined by the judgement or by how the run ended.
fn code_of(record: &RunRecord, judgement: &Judgement) -> Code {
    match record.state {
        RunState::Complete => Code(i32::from(judgement.exit_code)),
        RunState::Stopped => Code(i32::from(record.stopped_code())),
        RunState::Hung => exit::HUNG,
        RunState::Failed | RunState::Interrupted | RunState::Running | RunState::Damaged => exit::INVALID,
    }
}

/// Display of a run.
struct DatabaseDisplay {
    /// Progress of a run that creates globals.
    making: Option<MakingProgress>,
}

/// Progress of the creation of globals.
struct MakingProgress {
    globals: usize,
    records: u64,
    /// Time of the last progress line, if there is no terminal.
    said: Nanos,
}

/// Interval between progress lines, if there is no terminal.
const EVERY: Nanos = Nanos::from_secs(10);

impl MakingProgress {
    /// Returns the progress of `ranks` ranks with the same plan, or `None` if the plan does not create globals.
    fn of_plan(plan: &Plan, ranks: usize) -> Option<MakingProgress> {
        let making = plan.stages.iter().all(|s| s.name.starts_with(Verb::Create.name()));
        let records = || plan.stages.iter().filter_map(|s| s.job.stop.max_ops).sum::<u64>() * ranks as u64;
        making.then(|| MakingProgress { globals: plan.stages.len() * ranks, records: records(), said: Nanos(0) })
    }

    /// Returns the progress with the number of records so far and the estimated remaining time.
    fn with_records(&mut self, progress: &run::Progress, record: Option<&RunRecord>, watched: bool) -> run::Progress {
        let totals: Vec<Interval> = record.iter().flat_map(|r| &r.steps).map(model::record::Step::total).collect();
        let done: u64 = totals.iter().map(|t| t.op(Op::Write).tally.ops).sum();
        let took = totals.iter().map(|t| t.length.secs()).fold(0.0, f64::max);
        let left = self.records.saturating_sub(done);
        let rest = if done > 0 { Nanos::from_secs_f64(took * left as f64 / done as f64) } else { Nanos(0) };
        let percent = done.saturating_mul(100) / self.records.max(1);
        let (done, total) = (thousands(done as f64), thousands(self.records as f64));
        let s = if self.globals == 1 { "" } else { "s" };
        // Short, to fit in the status line of a terminal.
        let label = format!("{percent} % of {total}");
        if !watched && progress.elapsed >= self.said + EVERY {
            self.said = progress.elapsed;
            let secs = progress.elapsed.secs();
            let made = format!("{} global{s}: {done} of {total} records, {percent} %", self.globals);
            print_aside(&format!("secchi: [{secs:>5.1} s] {made}, about {:.0} s left\n", rest.secs()));
        }
        run::Progress { label, left: rest, jobs: None, ..progress.clone() }
    }
}

impl Observer for DatabaseDisplay {
    fn progress(&mut self, progress: &run::Progress, journal: &mut JournalSink) {
        let watched = journal.live.is_watched();
        match &mut self.making {
            Some(making) => {
                let extended = making.with_records(progress, journal.record(), watched);
                // Without a terminal, `with_records` prints the progress.
                if watched { journal.progress(&extended) } else { journal.report_alive() }
            }
            None => journal.progress(progress),
        }
    }
}

/// Database in the form that the conductor uses: files for block reads, sessions and counters.
struct DatabaseFiles<'a, 'b, 'g> {
    engine: &'a mut Engine<'b>,
    usage: DatabaseUse,
    journal: SharedJournal,
    ramp: Option<Decide<'g>>,
    clock: RunClock,
    sources: Sources,
    /// True if the engine is stopped when the run ends.
    stop: bool,
    /// True if this process reports the run.
    reports: bool,
    gate: Arc<Gate>,
    /// Counters at the start of the measured time of the current wave; `None` after the measured time has ended.
    open: Option<Edge>,
    /// Counters below the engine at the end of the measured time. They are kept until the engine's sessions have closed
    /// and its own counters can be read.
    closing: Option<BelowReading>,
    /// Start and end of each completed measured time.
    stretches: Vec<(Nanos, Nanos)>,
    sums: Sums,
    phases: Phases,
    /// Bytes per second on the devices before the load.
    foreign: Option<f64>,
    last: Option<(Nanos, Counters)>,
    /// Counters below the engine at the end of the last measured time.
    ended: Option<BelowReading>,
    /// True once a full file system has been reported.
    is_full: bool,
    /// State of the inserts, for a run that inserts.
    inserts: Option<InsertRun>,
}

/// Duration of the observation before the load, used if I/O can be counted only for whole devices.
const BASELINE: Duration = Duration::from_millis(500);

impl<'a, 'b, 'g> DatabaseFiles<'a, 'b, 'g> {
    fn new(
        engine: &'a mut Engine<'b>,
        usage: DatabaseUse,
        session: &Session,
        ramp: Option<Decide<'g>>,
        sources: Sources,
        stop: bool,
    ) -> Self {
        let clock = session.clock;
        let last = engine.counters().map(|c| (Nanos(clock.now()), c));
        let foreign = baseline(&sources.below, clock);
        DatabaseFiles {
            engine,
            usage,
            journal: session.journal.clone(),
            ramp,
            clock,
            sources,
            stop,
            reports: session.reports(),
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
        self.sources.below.read(Nanos(self.clock.now()))
    }

    fn begin_measuring(&mut self) {
        let below = self.below();
        let engine = self.engine.counters();
        self.open = Some(Edge { below, engine });
        self.gate.arm();
    }

    /// Ends the measured time of a wave. If closing a session writes, the counters are read before the sessions are
    /// closed.
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

    /// Updates the record of the database with the measured time so far.
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

    /// Returns the engine's counters since the previous reading, as rates.
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

impl Files for DatabaseFiles<'_, '_, '_> {
    fn open(&self, job: &Job) -> Result<Vec<Arc<File>>, Sentence> {
        let how = OpenHow { access: Access::Read, direct: true, exclusive: false };
        let open = |target: &Target| match sys::files::open_no_links(None, &target.path, how) {
            Ok(file) => Ok(Arc::new(file)),
            Err(e) => Err(format!("{}: {}: {e}", job.name, target.path.display()).into()),
        };
        job.targets().filter(|t| t.kind == TargetKind::File).map(open).collect()
    }

    fn present(&self) -> Result<(), TargetError> {
        Ok(())
    }

    fn room(&self) -> Result<(), TargetError> {
        match self.inserts.as_ref().and_then(InsertRun::reached) {
            None => Ok(()),
            Some(bound) => {
                let what = self.engine.place.directory.display().to_string();
                let reason = Reason { what, why: bound.to_owned(), advice: "the run ends here".to_owned() };
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
        // Begin now: in a run of a few milliseconds, counters read later would miss most of it.
        self.begin_measuring();
    }

    fn tick(&mut self, now: Nanos, from: Nanos, until: Nanos) {
        // True if the measured time of this wave, and not of an earlier one, has ended.
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
        // Also releases the sessions of a wave that never began to measure.
        self.gate.open();
        self.gate = Arc::default();
    }

    fn events(&mut self, now: Nanos) -> Vec<RunEvent> {
        let mut events = Vec::new();
        if let Some(reason) = self.inserts.as_mut().and_then(InsertRun::take_note) {
            events.push(RunEvent::Note { at: now, text: sentence!("note-inserts-ended", why = reason) });
        }
        // Checked here, because `ended` is not called for a run that fails.
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
        // Engines publish counters at irregular times, so a short interval at the end may contain much older work. Such
        // an interval is not used.
        if let Some(counters) = counters
            && self.last.as_ref().is_none_or(|(then, _)| now.as_nanos() >= then.as_nanos() + SHORTEST)
        {
            self.last = Some((now, counters));
        }
        events.push(RunEvent::Results(Results::Database(Box::new(self.usage.clone()))));
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
            Ok(Some(reason)) => {
                let caveat = Caveat::new(
                    "journal-switched-off",
                    Severity::Invalid,
                    sentence!("db-journal-switched-off", engine),
                    reason,
                );
                Some(caveat.remedy(sentence!("db-journal-switched-off-remedy")))
            }
            Err(error) => {
                let statement = sentence!("db-journal-unknown", engine);
                Some(Caveat::new("journal-unknown", Severity::Invalid, statement, error.to_string()))
            }
        };
        doubts.extend(journal.map(RunEvent::Caveat));
        // Exclude the reads of the check.
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
        let doubt = stopped.filter(|_| !self.reports).map(|error| {
            // A run without ranks reports the error itself, with a different exit code.
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
        doubts.into_iter().chain([RunEvent::Results(Results::Database(Box::new(self.usage.clone())))]).collect()
    }

    fn goes_on(&mut self, stage: usize) -> ControlFlow<String> {
        self.journal.with_record(|record| match (&mut self.ramp, record) {
            (Some(gate), Some(record)) => gate(record, stage),
            _ => ControlFlow::Continue(()),
        })
    }
}

/// Returns the bytes per second on the devices before the load, or `None` if the engine's I/O can be counted
/// separately.
fn baseline(sources: &BelowSources, clock: RunClock) -> Option<f64> {
    if sources.separates_engine() || sources.names().is_empty() {
        return None;
    }
    let from = sources.read(Nanos(clock.now()));
    std::thread::sleep(BASELINE);
    let idle = sources.between(&from, &sources.read(Nanos(clock.now())));
    idle.device().map(|d| d.bytes() as f64 / idle.length.secs().max(1e-3))
}

//! `secchi replay`: replays a recording on other storage and compares the result with the original.

use super::qualify::check_kind;
use analysis::{MadeOperation, ReplayAsked, ReplayLoad, ReplayPlan, ReplayTally, RoleReplay, plan_replay};
use anyhow::Result;
use cli::{Replay as Options, Timing, TraceArgs};
use fio::facts::{Machine, TargetFacts};
use fio::{first_of_each, traced};
use job::Facts;
use load::recorder::Entry;
use load::target::{JobFiles, JobsRequest};
use model::plan::{
    Closing, ErrorPolicy, JobTuning, Layout, Replay, ReplayPace, Reserve, RolePath, StagePlacement, StopRule,
    TargetKind, Work,
};
use model::{
    Bytes, Job, Judgement, Nanos, Plan, RunEvent, RunKind, RunRecord, Stage, Target, record::Results, units::suggestion,
};
use run::{RunInputs, Sink, Targets, preflight};
use session::console::{self, Live};
use session::exit::{self, Code, coded};
use session::inputs::recordings;
use session::job_files::HeldJobFiles;
use session::journal_sink::JournalSink;
use session::launch::Reach;
use session::measure::{align_of, check_hang, check_system, provenance};
use session::outputs::Outputs;
use session::result_files::ResultFiles;
use session::{Observer, Session};
use session::{environment, reject};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use sys::files::MetadataExt;

/// Time limit of a job, which is never reached: a replay ends with its last operation.
const NO_LIMIT: Nanos = Nanos::from_days(365);
/// Minimum queue depth of a role. It allows more operations in flight than in the recording, because the storage may be
/// slower.
const DEPTH: u32 = 64;
/// Maximum queue depth of a role.
const DEEPEST: u32 = 1024;
/// Maximum sum of the queue depths of all roles of one worker.
const DEEPEST_OF_ALL: u32 = 4096;

pub fn run(options: &Options) -> Result<Code> {
    check_system("replay")?;
    check(options)?;
    Session::supervised(Reach::OneHost("replay"), options.hang, |session| measure(options, session))
}

/// Checks the options that can be checked without access to files.
fn check(options: &Options) -> Result<()> {
    if options.engine != "auto" {
        let entry = load::engines::find(&options.engine).map_err(|e| coded(exit::BAD_INPUT, e))?;
        let able = load::engines::CANDIDATES;
        if !able.contains(&entry.spec.name) {
            reject!("engine `{}` cannot replay: use one of {}", options.engine, able.join(", "));
        }
    }
    check_hang(options.hang)?;
    if options.fold.is_some_and(|fold| fold < Bytes::from_mib(1)) {
        reject!("--fold: must be at least 1 MiB");
    }
    if options.device.is_some() && options.roles().iter().any(|(_, path)| path.is_some()) {
        reject!(
            "--role NAME=PATH replays a role in a directory, but --device replays all roles on the device: \
             leave one of them out"
        );
    }
    if options.device.is_some() && options.buffered {
        reject!("--buffered applies only to files; a device is accessed without the page cache");
    }
    Ok(())
}

/// Returns the plan of the replay. An empty plan is an error.
fn planned(options: &Options, recording: &model::recording::Recording, places: &Places) -> Result<ReplayPlan> {
    let shown = options.recording.display();
    let roles: Vec<String> = options.roles().into_iter().map(|(role, _)| role).collect();
    let mut known: Vec<&str> = recording.targets.iter().map(|t| t.role.as_str()).collect();
    known.sort_unstable();
    known.dedup();
    if let Some(unknown) = roles.iter().find(|role| !known.contains(&role.as_str())) {
        let near = suggestion(unknown, known.iter().copied());
        reject!("--role {}: {shown} has no such role; its roles are {}{near}", model::clip(unknown), known.join(", "));
    }
    let asked = ReplayAsked {
        roles,
        speed: speed(options),
        fold: options.fold,
        grow: options.grow,
        align: places.align,
        trims: options.device.is_some() || options.grow,
        loads: places.loads(&known),
    };
    let plan = plan_replay(recording, &asked);
    if plan.loads.is_empty() {
        let left: Vec<String> = plan.doubts.iter().map(|d| console::translate(&d.statement).into_owned()).collect();
        reject!("{shown} has no requests to replay; {}", left.join("; "));
    }
    Ok(plan)
}

fn speed(options: &Options) -> Option<f64> {
    match options.timing {
        Timing::Scaled(speed) => Some(speed),
        Timing::AsFastAsPossible => None,
    }
}

fn measure(options: &Options, session: &mut Session) -> Result<Code> {
    session.catch_signals()?;
    let recording = recordings::whole(&options.recording)?;
    session.lifeline.report_alive();
    let places = Places::find(options)?;
    let ReplayPlan { loads, doubts } = planned(options, &recording, &places)?;
    drop(recording);
    session.lifeline.report_alive();
    let name = options.recording.file_name().unwrap_or_default().to_string_lossy();
    let tally = ReplayTally::new(&name, speed(options).unwrap_or(0.0), &loads);
    let roles: Vec<Vec<RoleReplay>> = loads.iter().map(|load| load.roles.clone()).collect();
    let (mut stages, layout) = places.stages(options, loads)?;
    let request = JobsRequest {
        devices: options.device.iter().cloned().collect(),
        destroy: options.destroy.clone(),
        may_destroy: environment::may_destroy(),
        share: options.share,
        ..JobsRequest::from_stages(&stages, &layout, &[], provenance())
    };
    let inspection = JobFiles::inspect(&request)?;
    inspection.settle(&mut stages);
    session.lifeline.report_alive();
    let paths: Vec<&Path> = places.roots().collect();
    let facts = preflight::brief(session.clock, &paths);
    let target = stages.first().map(|s| s.job.target.clone()).unwrap_or_else(|| Target::null("", Bytes(0)));
    let mut run_plan = Plan {
        args: environment::arguments(),
        fill: inspection.to_write,
        keep: true,
        layout: inspection.layout.clone(),
        ..Plan::new(RunKind::Replay, target, stages, options.hang)
    };
    let trace = TraceArgs { trace_blocks: options.trace_blocks, roles: Vec::new() };
    run_plan.trace = trace.rule(|| role_paths(&run_plan.stages, &roles));
    let mut outputs = Outputs::new(options.results.force);
    outputs.spare(&options.recording);
    inspection.files.iter().for_each(|file| outputs.spare(&file.path));
    let mut reports = ResultFiles::claim(&options.results.outputs, &mut outputs)?;
    session.live = Live::new(options.json);
    session.open_store(options.store.store.as_ref())?;
    let mut notes: Vec<String> = inspection.notes.clone();
    notes.iter().for_each(|note| session.live.line(note));
    notes.extend(paths.first().and_then(|path| session.journal_note(path)));
    let caveats: Vec<model::Caveat> = inspection.caveats.iter().chain(&doubts).cloned().collect();
    let mut held = HeldJobFiles::new(JobFiles::take(inspection)?, run_plan.hang);
    let mut comparison = ReplayComparison::new(tally, &roles);
    let identity = session.identity(notes);
    let inputs = RunInputs { plan: &run_plan, preflight: &facts, identity: &identity, caveats: &caveats };
    let ended = session.conduct(&inputs, Targets::JobFiles(&mut held), &mut comparison);
    ended.report(|mut run| {
        run.close(&run.judgement.verdict.clone());
        let (record, judgement) = (&run.record, &run.judgement);
        let outcome = match record.replayed() {
            _ if options.json => console::print_run(record, judgement, console::Shown::Json),
            Some(_) => print(record, judgement),
            None => Ok(()),
        };
        let outcome = reports.write(record, judgement).and(outcome);
        let code = run.code(&outcome, code(record, judgement));
        run.print_kept();
        run.exit(outcome, code)
    })
}

/// Returns the exit code of the process.
fn code(record: &RunRecord, judgement: &Judgement) -> Code {
    let failed = record.steps.iter().filter_map(|s| s.end.as_ref()).any(|e| e.failed > 0);
    if failed || record.replayed().is_none() { exit::INVALID } else { Code(judgement.exit_code.into()) }
}

/// Prints the results of a replay next to the results of its recording.
pub fn print(record: &RunRecord, judgement: &Judgement) -> Result<()> {
    console::print(|style, out| {
        report::write_answer(record, judgement, style, out)?;
        traced(record, judgement, out)
    })
}

/// Locations of the roles.
struct Places {
    /// Directories of the roles for which a separate directory was given.
    own: Vec<(String, PathBuf)>,
    /// Directory of the other roles, or the device of all roles. Not examined if every replayed role has a separate
    /// directory.
    path: PathBuf,
    is_used: bool,
    device: bool,
    direct: bool,
    align: Bytes,
    engine: String,
}

impl Places {
    fn find(options: &Options) -> Result<Places> {
        let path = options.device.as_ref().unwrap_or(&options.path).clone();
        let roles = options.roles();
        let is_used = roles.is_empty() || roles.iter().any(|(_, path)| path.is_none());
        let by_role = roles.into_iter().filter_map(|(role, path)| Some((role, path?))).collect();
        let mut places = Places {
            own: by_role,
            path,
            is_used,
            device: options.device.is_some(),
            direct: !options.buffered,
            align: Bytes(1),
            engine: match options.engine.as_str() {
                "auto" => TargetFacts::new(&Machine::inspect()).native_engine().to_owned(),
                named => named.to_owned(),
            },
        };
        let mut align = Bytes(512);
        for root in places.roots() {
            check_kind(root, places.device, false)?;
            if !places.device && !root.is_dir() {
                reject!("{} is not a directory", root.display());
            }
            let storage = monitor::facts::storage(&monitor::Roots::host(), root).ok();
            if let Some(reason) = storage.as_ref().and_then(|s| s.direct_refused.as_ref()).filter(|_| !options.buffered)
            {
                let shown = root.display();
                reject!("{shown} does not support direct I/O ({}): use --buffered", console::translate(reason));
            }
            align = align.max(align_of(storage.as_ref()));
        }
        // Buffered I/O needs no alignment, so requests are replayed as recorded.
        places.align = if places.direct { align } else { Bytes(1) };
        Ok(places)
    }

    fn roots(&self) -> impl Iterator<Item = &Path> {
        let path = self.is_used.then_some(self.path.as_path());
        path.into_iter().chain(self.own.iter().map(|(_, path)| path.as_path()))
    }

    /// Returns `true` if the engine can have only one operation in flight.
    fn is_blocking(&self) -> bool {
        self.engine == "psync"
    }

    /// Assigns the roles to workers. All roles whose files are on one device share a worker, so that the binding limit
    /// is judged per device. A blocking engine needs a separate worker for each role.
    fn loads(&self, roles: &[&str]) -> Vec<(String, u64)> {
        let load = |place: usize, role: &str| match () {
            () if self.is_blocking() => place as u64,
            () if self.device => 0,
            () => {
                let directory = self.own.iter().find(|(own, _)| own == role).map_or(&self.path, |(_, path)| path);
                sys::files::metadata(directory).map_or(0, |meta| meta.dev())
            }
        };
        roles.iter().enumerate().map(|(place, role)| ((*role).to_owned(), load(place, role))).collect()
    }

    fn stages(&self, options: &Options, loads: Vec<ReplayLoad>) -> Result<(Vec<Stage>, Vec<Layout>)> {
        let roles = || loads.iter().flat_map(|load| &load.roles);
        if self.device {
            let needed = Bytes(roles().map(|r| r.size.as_u64()).sum());
            let size = load::target::present_size(&self.path).ok().flatten().unwrap_or(Bytes(0));
            if size < needed {
                let shown = self.path.display();
                reject!("{shown} has {size}, but the recording needs {needed}: --fold reduces this");
            }
        }
        let mut names: Vec<String> = Vec::new();
        for role in roles() {
            let name = job_name(&role.role);
            // The names of different roles may have become equal when characters were replaced.
            let name = if names.contains(&name) { format!("{name}-{}", names.len()) } else { name };
            names.push(name);
        }
        let mut names = names.into_iter();
        let (mut stages, mut layout): (Vec<Stage>, Vec<Layout>) = Default::default();
        // On a device, the roles are placed one after another.
        let mut base = Bytes(0);
        for (index, load) in loads.into_iter().enumerate() {
            let named = load.roles.iter().zip(names.by_ref()).map(|(role, name)| {
                let target = self.target(role, &name, base);
                base = if self.device { base.saturating_add(role.size) } else { base };
                (name, target)
            });
            let (names, targets): (Vec<String>, Vec<Target>) = named.unzip();
            layout.extend(targets.iter().zip(&load.roles).filter(|_| !self.device).map(|(target, role)| Layout {
                path: target.path.clone(),
                size: target.size,
                reserve: Reserve::Allocate,
                write: true,
                unwritten: role.written_first.clone(),
                durable: true,
                exists: false,
                stages: vec![index],
            }));
            let name = if let [only] = names.as_slice() { only.clone() } else { "replay".to_owned() };
            stages.push(self.stage(options, load, targets, (index, name)));
        }
        Ok((stages, layout))
    }

    /// Returns the target of a role.
    fn target(&self, role: &RoleReplay, name: &str, base: Bytes) -> Target {
        let path = match self.own.iter().find(|(own, _)| *own == role.role) {
            Some((_, directory)) => directory.join(file_name(name)),
            None if self.device => self.path.clone(),
            None => self.path.join(file_name(name)),
        };
        Target {
            kind: if self.device { TargetKind::Device } else { TargetKind::File },
            path,
            size: role.size,
            offset: base,
            direct: self.direct,
            align: self.align,
            uuid: None,
        }
    }

    fn stage(
        &self,
        options: &Options,
        load: ReplayLoad,
        targets: Vec<Target>,
        (index, name): (usize, String),
    ) -> Stage {
        let ReplayLoad { roles, mut list, links, .. } = load;
        list.iter_mut().for_each(|request| request.at += targets[usize::from(request.file)].offset.as_u64());
        let pace = match options.timing {
            Timing::Scaled(_) => ReplayPace::Recorded,
            Timing::AsFastAsPossible => ReplayPace::Unpaced,
        };
        let mut replay = Replay { links, ..Replay::new(options.recording.display().to_string(), pace, list) };
        let most = (DEEPEST_OF_ALL / roles.len().max(1) as u32).clamp(1, DEEPEST);
        let usual = |role: &RoleReplay| role.depth.saturating_mul(2).clamp(DEPTH.min(most), most);
        let depths: Vec<u32> = roles.iter().map(|role| options.depth.unwrap_or_else(|| usual(role))).collect();
        let queue_depth = if self.is_blocking() { 1 } else { depths.iter().sum() };
        if roles.len() > 1 {
            replay.in_flight = depths;
        }
        let mut targets = targets.into_iter();
        let job = Job {
            name,
            workload: replay.workload(),
            target: targets.next().unwrap_or_else(|| Target::null("", Bytes(0))),
            more: targets.collect(),
            engine: self.engine.clone(),
            queue_depth,
            threads: 1,
            stop: StopRule { ramp: Nanos(0), time: NO_LIMIT, steady_after: None, max_ops: Some(replay.operations) },
            on_error: ErrorPolicy::Continue,
            seed: 1,
            faults: None,
            tuning: JobTuning {
                every_op: true,
                closing: Closing { unlink: !options.keep && !self.device, ..Closing::default() },
                work: Work::Replay(Box::new(replay)),
                ..JobTuning::default()
            },
        };
        let place = StagePlacement { with_previous: index > 0, ..StagePlacement::default() };
        Stage { place, ..Stage::fixed(job.name.clone(), job) }
    }
}

/// Returns the file of each role, for a trace of the block layer.
fn role_paths(stages: &[Stage], roles: &[Vec<RoleReplay>]) -> Vec<RolePath> {
    first_of_each(stages.iter().zip(roles).flat_map(|(stage, roles)| {
        stage.job.targets().zip(roles).map(|(target, role)| (role.role.as_str(), target.path.as_path()))
    }))
}

/// Replaces all characters except ASCII letters, digits, `.`, `_` and `-`.
fn job_name(role: &str) -> String {
    role.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect()
}

/// Returns the name of the file that secchi creates for a job.
fn file_name(job: &str) -> String {
    format!("secchi-replay-{job}.dat")
}

/// Compares the operations of a run with the recorded ones.
struct ReplayComparison {
    tally: ReplayTally,
    /// Index of the first role of each stage.
    first: Vec<usize>,
    begun: Instant,
    /// Time at which the tally was last sent to the journal.
    told: Instant,
}

impl ReplayComparison {
    fn new(tally: ReplayTally, roles: &[Vec<RoleReplay>]) -> Self {
        let first = roles.iter().scan(0, |next, roles| Some(std::mem::replace(next, *next + roles.len())));
        ReplayComparison { tally, first: first.collect(), begun: Instant::now(), told: Instant::now() }
    }

    /// Returns `true` if the tally is due. Each event contains the whole tally, so it is sent at most once per second,
    /// and later at intervals of 1/50 of the time run so far.
    fn is_due(&self) -> bool {
        self.told.elapsed() >= Duration::from_secs(1).max(self.begun.elapsed() / 50)
    }
}

impl Observer for ReplayComparison {
    fn event(&mut self, event: RunEvent, journal: &mut JournalSink) {
        let ends = matches!(event, RunEvent::End { .. });
        if ends || (matches!(event, RunEvent::Interval { .. }) && self.is_due()) {
            self.told = Instant::now();
            journal.event(RunEvent::Results(Results::Replay(Box::new(self.tally.counts().clone()))));
        }
        journal.event(event);
    }

    fn operations(&mut self, step: usize, entries: &[Entry], journal: &mut JournalSink) {
        let Some(step_record) = journal.record().and_then(|record| record.steps.get(step)) else { return };
        let (first, start) = (self.first.get(step_record.stage).copied().unwrap_or(0), step_record.start);
        for entry in entries {
            let since = |time: u64| Nanos(time).since(start);
            let made = MadeOperation {
                op: entry.op,
                bytes: Bytes(u64::from(entry.len)),
                due: since(entry.due),
                sent: since(entry.time - entry.latency),
                end: since(entry.time),
            };
            self.tally.add(first + usize::from(entry.file), &made);
        }
    }
}

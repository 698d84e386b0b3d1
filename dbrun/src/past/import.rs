//! `secchi db history DIR --import FILE`: imports the output of the M scripts into the history of a database.
//!
//! An imported run becomes a regular record. It has a step for each process that finished, with the exact counts of the
//! process. The scripts collect the latencies of all processes together, so the first step stores all of them. Merging
//! the steps of a wave therefore gives the printed latencies.

use super::{Known, Past};
use crate::plan::{DRAWN, Verb, making, session_job, worker_stage};
use anyhow::{Context, Result};
use import::MRun;
use messages::sentence;
use model::measured::{DatabaseUse, Phase, Transacted};
use model::plan::{Access, GlobalSize, KeyOrder, Mix, SessionRule, StopRule, ValueRule, Workload};
use model::record::{RECORD_VERSION, Results, StepEnd, StepStop};
use model::{
    Bytes, Caveat, Interval, Job, LatencyHistogram, Nanos, Op, Plan, RunEvent, RunKind, RunState, Severity, Stage,
    Target,
};
use run::Sink;
use session::console::{Live, remark_of};
use session::exit::{self, coded};
use session::inputs;
use session::journal_sink::JournalSink;
use session::reject;
use session::run_store::{digest_of, open_store};
use session::supervisor::Lifeline;
use std::path::{Path, PathBuf};
use store::Store;

/// Imports the runs of a file and skips those that are already in the store.
pub fn import_file(directory: &Path, file: &Path, store: Option<&PathBuf>) -> Result<()> {
    let text = inputs::bytes(file, import::LARGEST)
        .map_err(|reason| coded(exit::BAD_INPUT, inputs::cannot_read(file, &reason)))?;
    let runs = import::read_runs(&text).map_err(|e| coded(exit::BAD_INPUT, format!("{}: {e}", file.display())))?;
    // Creates the store if it does not exist, because the first run may be an imported one.
    let open = || -> Result<Store> {
        let opened = open_store(store, &mut Live::new(true))?;
        opened.ok_or_else(|| coded(exit::CANNOT, "there is no run store: name one with --store"))
    };
    let past = Past { of: Known::from_directory(directory)?, store: Some(open()?) };
    if past.of.of_ranks {
        reject!("{} contains the databases of several ranks: import into one of them", directory.display());
    }
    let known = past.runs()?;
    let (mut kept, mut existing) = (0, 0);
    for run in &runs {
        let args = marks(run);
        if known.iter().any(|(record, _)| record.plan.args == args) {
            existing += 1;
            continue;
        }
        let verb = verb(&run.verb).ok_or_else(|| {
            coded(exit::BAD_INPUT, format!("{}: unknown test: {}", file.display(), model::clip(&run.verb)))
        })?;
        let mut journal = JournalSink::new(Some(open()?), Live::new(true), Lifeline::default());
        events(run, verb, &past, directory, args).into_iter().for_each(|event| journal.event(event));
        let digest = digest_of(journal.record().context("the run did not start")?);
        if let Some(lost) = &journal.finish(digest).lost {
            return Err(coded(exit::CANNOT, format!("a run of {} could not be kept: {lost}", file.display())));
        }
        kept += 1;
    }
    let file = file.display().to_string();
    remark_of(&sentence!("imported-now", kept, file, there = existing));
    Ok(())
}

fn verb(name: &str) -> Option<Verb> {
    // The M scripts have separate names for plain random updates and for the transactions of PerfTools.
    match name {
        "update" => Some(Verb::RanWrite),
        "create" | "fill" => Some(Verb::Create),
        _ => [Verb::RanRead, Verb::RanWrite, Verb::RanIo, Verb::SeqWrite, Verb::SeqRead, Verb::Create]
            .into_iter()
            .find(|verb| verb.name() == name),
    }
}

/// Returns the arguments that identify an imported run.
fn marks(run: &MRun) -> Vec<String> {
    vec![
        "imported".into(),
        run.engine.clone(),
        run.verb.clone(),
        format!("batch={}", run.batch),
        format!("ended={}", run.ended),
    ]
}

/// Returns the start as local time on the machine that ran the scripts. The time zone is this machine's, because the
/// scripts do not record a time zone.
fn started(run: &MRun) -> String {
    let took = run.workers.iter().map(|w| w.took.as_nanos()).max().unwrap_or(0) / 1_000_000_000;
    let wall = jiff::Timestamp::from_second(run.ended - took as i64).unwrap_or_default();
    let wall = wall.to_zoned(jiff::tz::TimeZone::UTC).datetime();
    let zoned = wall.to_zoned(jiff::tz::TimeZone::system());
    zoned.map(|z| z.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()).unwrap_or_default()
}

fn events(run: &MRun, verb: Verb, past: &Past, directory: &Path, args: Vec<String>) -> Vec<RunEvent> {
    let stages: Vec<Stage> = (0..run.workers.len()).map(|worker| stage(run, verb, past, directory, worker)).collect();
    let longest = run.workers.iter().map(|w| w.took).max().unwrap_or_default();
    let mut events = vec![RunEvent::Begin {
        version: RECORD_VERSION,
        tool: format!("secchi {}, M scripts", env!("CARGO_PKG_VERSION")),
        id: uuid::Uuid::new_v4().to_string(),
        started: started(run),
        plan: plan(directory, args, stages.clone()),
        preflight: Box::default(),
    }];
    let evidence = sentence!("imported-seen", engine = &run.engine, version = &run.version, batch = run.batch);
    let imported = Caveat::new("imported", Severity::Note, sentence!("imported"), evidence);
    events.push(RunEvent::Caveat(imported.remedy(sentence!("imported-remedy"))));
    if run.failed > 0 {
        let evidence = sentence!("processes-missing-seen", failed = run.failed, all = run.processes);
        let missing = Caveat::new("processes-missing", Severity::Doubt, sentence!("processes-missing"), evidence);
        events.push(RunEvent::Caveat(missing));
    }
    for (stage, s) in stages.iter().enumerate() {
        events.push(RunEvent::StepBegin {
            stage,
            pass: 0,
            hold: false,
            job: Box::new(s.job.clone()),
            at: Nanos(0),
            number: stage,
        });
    }
    for (step, worker) in run.workers.iter().enumerate() {
        let interval = interval(run, step);
        let completed = interval.ops();
        events.push(RunEvent::Interval { step, interval });
        let end =
            StepEnd { at: worker.took, stop: StepStop::Time, submitted: completed, completed, ..StepEnd::default() };
        events.push(RunEvent::StepEnd { step, end });
    }
    events.push(RunEvent::Results(Results::Database(Box::new(database(run, verb, past, directory)))));
    events.push(RunEvent::End { state: RunState::Complete, at: longest, reason: "".into(), signal: None });
    events
}

fn plan(directory: &Path, args: Vec<String>, stages: Vec<Stage>) -> Plan {
    Plan {
        args,
        keep: true,
        ..Plan::new(RunKind::Database, Target::null(directory, Bytes::from_mib(1)), stages, Nanos(0))
    }
}

fn stage(run: &MRun, verb: Verb, past: &Past, directory: &Path, worker: usize) -> Stage {
    let name = format!("{}.p{}.w{worker}", verb.name(), run.processes);
    let global = GlobalSize::new(run.workers[worker].global.max(1), 1);
    let random = matches!(verb, Verb::RanRead | Verb::RanWrite | Verb::RanIo);
    let rule = SessionRule {
        transaction: run.batch_size > 0,
        hang: Nanos((run.hang_ms * 1e6).max(0.0) as u64),
        read_percent: run.read_percent.min(100),
        read: vec![global],
        order: if random { KeyOrder::Random } else { KeyOrder::Sequential { from: 1 } },
        ..making(global, ValueRule::Text, (None, 0), run.batch_size.try_into().unwrap_or(u32::MAX).max(1))
    };
    let reads = if verb.writes() { run.read_percent.min(100) } else { 100 };
    let mix = Mix { write_percent: 100 - reads, trim_percent: 0 };
    let job = Job {
        workload: Workload::new(mix, past.of.page, if random { DRAWN } else { Access::Sequential }),
        stop: StopRule { ramp: Nanos(0), time: Nanos((run.seconds * 1e9) as u64), steady_after: None, max_ops: None },
        seed: 0,
        ..session_job(directory, past.of.page, name, rule)
    };
    worker_stage(worker as u32, job)
}

/// Returns the work of a process as one interval. The interval of the first process has the latencies of all processes.
fn interval(run: &MRun, worker: usize) -> Interval {
    let did = run.workers[worker];
    let mut interval = Interval { phase: Phase::Measure, length: did.took, ..Interval::default() };
    interval.per_op[Op::Read.index()].tally.ops = did.reads;
    interval.per_op[Op::Write.index()].tally.ops = did.writes;
    if worker == 0 {
        let latency = |name: &str| run.latencies.get(name).cloned().unwrap_or_default();
        interval.per_op[Op::Read.index()].latency = latency("read");
        interval.per_op[Op::Write.index()].latency = latency("update");
        let commits = latency("commit");
        interval.per_op[Op::Flush.index()].tally.ops = commits.count();
        interval.per_op[Op::Flush.index()].latency = commits;
        let whole = latency("transaction");
        if whole.count() > 0 {
            let inside = LatencyHistogram::default();
            interval.transacted = Some(Box::new(Transacted { outside: whole, inside, ..Transacted::default() }));
        }
    }
    interval
}

fn database(run: &MRun, verb: Verb, past: &Past, directory: &Path) -> DatabaseUse {
    DatabaseUse {
        engine: run.engine.clone(),
        version: run.version.replace('_', " "),
        directory: directory.display().to_string(),
        name: past.of.name.clone(),
        uuid: past.of.uuid.to_string(),
        page: past.of.page,
        journal: past.of.journal && !run.nojrn,
        commit: if run.lazy { "lazy, as configured in the scripts" } else { "durable, as configured in the scripts" }
            .to_owned(),
        verb: verb.name().to_owned(),
        ..DatabaseUse::default()
    }
}

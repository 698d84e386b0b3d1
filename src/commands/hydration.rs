//! `secchi hydration`: reads random blocks of a volume twice to estimate how much of it is not loaded from its snapshot
//! yet, or reads all of it.

use super::qualify::check_engine;
use anyhow::Result;
use cli::Hydration;
use load::target::TargetRequest;
use messages::sentence;
use model::judged::KindFigures;
use model::plan::{HydrationReads, KindName, named_place};
use model::{Bytes, Nanos, Plan, RunEvent, RunRecord};
use run::hydration::{Request, Task};
use run::{OpenTarget, Progress, RunInputs, Sink, Targets, hydration, preflight};
use session::console::{self, Live, Shown};
use session::exit::{self, Code, coded};
use session::journal_sink::JournalSink;
use session::launch::Reach;
use session::measure::{align_of, check_hang, check_system, provenance};
use session::outputs::Outputs;
use session::result_files::ResultFiles;
use session::test_files::target_of;
use session::{Observer, Session, bail, environment, reject};
use std::path::Path;
use store::Store;

/// Maximum number of earlier runs that are searched for an interrupted one.
const LOOKED_AT: usize = 20;

pub fn run(options: &Hydration) -> Result<Code> {
    check_system("hydration")?;
    check_hang(options.hang)?;
    Session::supervised(Reach::OneHost("hydration"), options.hang, |session| measure(options, session))
}

fn measure(options: &Hydration, session: &mut Session) -> Result<Code> {
    session.catch_signals()?;
    let path = &options.path;
    if path.is_dir() {
        reject!("{} is a directory: name the block device of its volume, or a file on it", path.display());
    }
    let facts = preflight::brief(session.clock, &[path]);
    if let Some(reason) = &facts.storage.direct_refused {
        bail!(exit::CANNOT, "{}: reads would come from the page cache of this machine: {reason}", path.display());
    }
    let request = TargetRequest {
        direct: true,
        align: align_of(Some(&facts.storage)),
        adopt: true,
        untouched: true,
        share: options.share,
        ..TargetRequest::new(path, provenance())
    };
    let inspection = session.inspect(request)?;
    session.lifeline.report_alive();
    check_engine("psync", &facts)?;
    session.live = Live::new(options.json);
    session.open_store(options.store.store.as_ref())?;
    let target = target_of(&inspection);
    let from = match options.warm && !options.restart {
        true => session.store.as_ref().and_then(|store| interrupted(store, &target.path, target.size)),
        false => None,
    };
    let task = match options.warm {
        true => Task::Warm { from: from.unwrap_or_default(), rate: options.rate },
        false => Task::Sample {
            blocks: options.samples,
            seed: options.seed.unwrap_or_else(|| uuid::Uuid::new_v4().as_u64_pair().0),
        },
    };
    let asked = Request { args: environment::arguments(), task, depth: options.depth, hang: options.hang };
    let plan = hydration::plan(&asked, &target).map_err(|e| coded(exit::BAD_INPUT, e))?;
    let mut outputs = Outputs::new(options.results.force);
    outputs.spare(path);
    let mut reports = ResultFiles::claim(&options.results.outputs, &mut outputs)?;
    let notes: Vec<String> = inspection.notes.iter().cloned().chain(session.journal_note(path)).collect();
    let mut targets = session.open(vec![inspection])?;
    notes.iter().for_each(|note| session.live.line(note));
    if let Some(from) = from {
        session.live.line(&console::translate(&sentence!("hydration-continues", from, size = target.size)));
    }
    let mut open: Vec<&mut dyn OpenTarget> = targets.iter_mut().map(|t| t as &mut dyn OpenTarget).collect();
    let identity = session.identity(notes);
    let inputs = RunInputs { plan: &plan, preflight: &facts, identity: &identity, caveats: &[] };
    let mut progress = ReadProgress::new(&plan);
    let ended = session.conduct(&inputs, Targets::TestAreas(&mut open), &mut progress);
    let remains = session.remove(targets, &ended.ending);
    ended.report(|run| {
        let verdict = run.judgement.headline();
        run.finish(&verdict, &remains, |run| {
            let outcome = reports.write(&run.record, &run.judgement);
            outcome.and(console::print_run(&run.record, &run.judgement, Shown::choose(true, options.json)))
        })
    })
}

/// Returns the position at which the last run that was to read the whole volume was interrupted.
fn interrupted(store: &Store, path: &Path, size: Bytes) -> Option<Bytes> {
    let shown = named_place(path).display().to_string();
    // A store that cannot be listed is reported elsewhere.
    let runs = store.list().ok()?.runs;
    let host = sys::process::host_name();
    let here = runs.iter().filter(|run| {
        run.kind == Some(KindName::Hydration) && run.target == shown && run.host == host && run.size == size
    });
    let record: RunRecord = here.take(LOOKED_AT).find_map(|run| store.read(&run.id).ok().filter(warms))?;
    let Some(KindFigures::Hydration(figures)) = analysis::judge(&record).figures else { return None };
    figures.warmed.map(|warmed| warmed.until).filter(|until| *until < size)
}

fn warms(record: &RunRecord) -> bool {
    matches!(&record.plan.kind, model::RunKind::Hydration { reads } if reads.contains(&HydrationReads::Warm))
}

/// Progress of reads that end after a number: the remaining time follows from what has been read.
struct ReadProgress {
    /// Bytes of all stages, and those that have been read.
    total: u64,
    read: u64,
    /// Time at which the first read began.
    began: Option<Nanos>,
}

impl ReadProgress {
    fn new(plan: &Plan) -> ReadProgress {
        // The rate is measured for a few seconds.
        let bytes = |stage: &model::Stage| match stage.job.stop.max_ops {
            Some(ops) if stage.job.threads == 1 => ops * stage.job.workload.max_block().as_u64(),
            _ => 0,
        };
        ReadProgress { total: plan.stages.iter().map(bytes).sum(), read: 0, began: None }
    }
}

impl Observer for ReadProgress {
    fn event(&mut self, event: RunEvent, journal: &mut JournalSink) {
        if let RunEvent::Interval { interval, .. } = &event {
            self.read += interval.bytes().as_u64();
        }
        journal.event(event);
    }

    fn progress(&mut self, progress: &Progress, journal: &mut JournalSink) {
        let mut p = progress.clone();
        let began = *self.began.get_or_insert(p.elapsed);
        let share = self.read as f64 / self.total.max(1) as f64;
        p.label = format!("{} {:.0} %", p.label, share * 100.0);
        let left = p.elapsed.since(began).secs() * (1.0 - share) / share.max(1e-9);
        p.left = if share > 0.0 { Nanos((left * 1e9) as u64) } else { Nanos(0) };
        journal.progress(&p);
    }
}

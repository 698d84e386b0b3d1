//! `secchi qualify --metadata`: creates, stats, reads and removes files, in the same layouts as mdtest.
//!
//! This is a separate run without a test file or ramps. Its figures are about file names, and they would distort the
//! totals of a run that measures blocks.
//!
//! On many hosts, rank 0 creates a directory for all ranks after every rank has checked its path. The other ranks check
//! whether they see this directory. If all of them do, they all work in it. If one does not, the hosts do not share a
//! file system, and every rank creates its own directory. The rank that created a directory removes it; if that rank is
//! gone, the others remove it.

use crate::args::Qualify;
use crate::commands::judge::write_junit;
use crate::environment;
use crate::exit::{self, Code, coded};
use crate::outputs::{Outputs, Replaces};
use crate::result_files::ResultFiles;
use crate::session::hosts::Ranks;
use crate::session::hosts::launch::Reach;
use crate::session::journal_sink::JournalSink;
use crate::session::measure::{GRACE, catch_signals, check_hang, provenance};
use crate::session::run_store::journal_note;
use crate::session::supervisor::{Lifeline, supervise};
use crate::session::{self, RunSession};
use crate::terminal::{self, Live, Shown, remark};
use anyhow::Result;
use load::target::{DirectoryInspection, DirectoryRequest, OwnDirectory, TargetError};
use messages::sentence;
use model::{Bytes, Caveat, Job, Layer, METADATA_SYNC, Nanos, NeedSubject, Plan, RunEvent, Sample, Sentence, Severity};
use run::metadata::Sharing;
use run::{Ending, Files, Interrupt, Progress, RunInputs, Sink, Targets, metadata, preflight};
use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use sys::{Clock, RunClock};

/// Longest time until a directory created by another host becomes visible. Name caches delay this.
const SEEN: Duration = Duration::from_secs(2);
/// Longest time that another rank may continue to create files after contact with it or with rank 0 was lost.
const GONE_ON: Duration = Duration::from_secs(run::ranks::SILENCE.as_secs() + 4);

pub fn run(options: &Qualify) -> Result<Code> {
    match environment::supervisor_fd() {
        Some((parent, fd)) => {
            let lifeline = Lifeline::attach(parent, fd)?;
            Ranks::run(Some(&lifeline.clone()), |ranks| measure(options, lifeline, ranks))
        }
        None if options.plan => {
            check(options)?;
            Ranks::run(None, |ranks| show_plan(options, ranks))
        }
        None => {
            check(options)?;
            supervise(Reach::ManyHosts, Duration::from_nanos(options.hang.as_nanos()) + GRACE)
        }
    }
}

/// Checks the options that can be checked without access to files.
fn check(options: &Qualify) -> Result<()> {
    check_hang(options.hang)?;
    if let Some(need) =
        options.needs.iter().flat_map(|n| &n.0).find(|n| !matches!(n.subject, NeedSubject::Metadata(..)))
    {
        let message = format!(
            "need `{}` is not for file operations: --metadata judges only needs on phases of mdtest",
            model::clip(&need.text)
        );
        return Err(coded(exit::BAD_INPUT, message));
    }
    metadata::counts(&asked(options, 1)).map(drop).map_err(|e| coded(exit::BAD_INPUT, e))
}

fn asked(options: &Qualify, cpus: u32) -> metadata::Request {
    metadata::Request {
        args: std::env::args_os().skip(2).map(|a| a.to_string_lossy().into_owned()).collect(),
        files: options.metadata_files,
        threads: options.metadata_threads,
        cpus,
        hang: options.hang,
        needs: options.needs.iter().flat_map(|n| n.0.clone()).collect(),
    }
}

/// Prints the plan and its directory; creates nothing.
fn show_plan(options: &Qualify, ranks: &mut Ranks) -> Result<Code> {
    let path = options.path.as_ref().or(options.dir.as_ref()).expect("the parser requires one of them");
    let facts = preflight::brief(ranks.clock(), &[path]);
    let request = fewest_threads(asked(options, facts.host.cpus), ranks)?;
    let (threads, files) = metadata::counts(&request).map_err(|e| coded(exit::BAD_INPUT, e))?;
    let inspection = DirectoryInspection::inspect(DirectoryRequest {
        path: path.clone(),
        tasks: threads,
        files,
        room: Bytes(0),
        made: provenance(),
    })?;
    // Whether all ranks see the directory is known only after it has been created, so the plan is for separate
    // directories.
    let plan = metadata::plan(&request, &inspection.path, Sharing::NONE).map_err(|e| coded(exit::BAD_INPUT, e))?;
    ranks.agree(&plan, &facts)?;
    if ranks.follows() {
        return Ok(exit::OK);
    }
    let plan = ranks.agreed().unwrap_or(&plan);
    let opens = [format!("{}  a new directory that contains all files", inspection.own_path().display())];
    terminal::print(|style, out| report::write_plan(plan, &facts, &[], &opens, style, out))?;
    Ok(exit::OK)
}

fn measure(options: &Qualify, mut lifeline: Lifeline, ranks: &mut Ranks) -> Result<Code> {
    let clock = ranks.clock();
    let interrupt = catch_signals()?;
    let path = options.path.as_ref().or(options.dir.as_ref()).expect("the parser requires one of them");
    let facts = preflight::brief(clock, &[path]);
    let request = fewest_threads(asked(options, facts.host.cpus), ranks)?;
    let (threads, files) = metadata::counts(&request).map_err(|e| coded(exit::BAD_INPUT, e))?;
    let directory = DirectoryRequest { path: path.clone(), tasks: threads, files, room: Bytes(0), made: provenance() };
    let inspection = DirectoryInspection::inspect(directory)?;
    let mut outputs = Outputs::new(options.results.force);
    outputs.spare(path);
    let tells: &[std::path::PathBuf] = if ranks.follows() { &[] } else { &options.results.outputs };
    let mut reports = ResultFiles::claim(tells, &mut outputs)?;
    let junit_path = options.junit.as_deref().filter(|_| !ranks.follows());
    let mut junit = junit_path.map(|path| outputs.claim(path, Replaces::Ours)).transpose()?;
    lifeline.report_alive();
    let place = Place::agree(&inspection, &mut lifeline, ranks)?;
    let plan = metadata::plan(&request, &inspection.path, place.sharing).map_err(|e| coded(exit::BAD_INPUT, e))?;
    let mut held = place.held;
    // The other ranks open these files after `agree`, so rank 0 creates them now.
    if let Some(made) = held.as_mut().filter(|made| made.removes) {
        made.fill(&inspection, &plan, place.sharing)?;
    }
    ranks.agree(&plan, &facts)?;
    let mut held = match held {
        Some(held) => held,
        None => Held::begin(&inspection, &mut lifeline)?,
    };
    match (held.filled, held.removes) {
        (true, _) => {}
        (false, true) => held.fill(&inspection, &plan, place.sharing)?,
        (false, false) => held.directory.open(owners(&plan))?,
    }
    let mut live = Live::new(options.json);
    let store = ranks.store(options.store.store.as_ref(), &mut live)?;
    let mut notes: Vec<String> = place.note.into_iter().collect();
    notes.extend(journal_note(store.as_ref(), path));
    let mut metadata_files = MetadataFiles { held, clock, interrupt: interrupt.clone(), synced: None };
    let mut sink = MetadataSink(JournalSink::new(store, live, lifeline));
    let identity = ranks.identity(notes);
    let caveats: Vec<Caveat> = place.doubt.into_iter().collect();
    let inputs = RunInputs { plan: &plan, preflight: &facts, identity: &identity, caveats: &caveats };
    let ending = ranks.conduct(&inputs, Targets::JobFiles(&mut metadata_files), &mut sink, &interrupt);
    let mut journal = sink.0;
    let left = remove(metadata_files.held, &ending, ranks.miss_any(), &mut journal);
    if ranks.follows() {
        return ranks.end_part(&mut journal, &ending);
    }
    let mut session = RunSession::ended(&mut journal)?;
    let verdict = session.judgement.headline();
    session.close(&mut journal, &verdict);
    let outcome = junit.as_mut().map_or(Ok(()), |file| write_junit(file, &session.record, &session.judgement));
    let outcome = outcome.and(reports.write(&session.record, &session.judgement));
    let shown = Shown::choose(options.full, options.json);
    let outcome = outcome.and(terminal::print_run(&session.record, &session.judgement, shown));
    session.print_kept();
    left.iter().for_each(|text| remark(text));
    let code = session.code(&ending, &outcome, session.judged());
    session::exit(&mut journal, &ending, outcome, code)
}

/// Returns the request that all ranks use. Hosts may differ in their number of CPUs, but every rank must have the same
/// number of threads.
fn fewest_threads(request: metadata::Request, ranks: &mut Ranks) -> Result<metadata::Request> {
    let (threads_here, _) = metadata::counts(&request).map_err(|e| coded(exit::BAD_INPUT, e))?;
    let counts = ranks.exchange(&threads_here.to_string())?;
    let fewest = counts.iter().filter_map(|threads| threads.parse().ok()).min().unwrap_or(threads_here);
    Ok(metadata::Request { threads: Some(fewest), ..request })
}

/// Returns the ranks whose files a plan works on.
fn owners(plan: &Plan) -> BTreeSet<u32> {
    plan.stages.iter().filter_map(|stage| stage.job.tuning.work.metadata()).map(|rule| rule.owner).collect()
}

/// Directory in which a rank works, and the other ranks that work in it.
struct Place {
    /// Directory, if it is open already: on rank 0, and on other ranks that work in the directory of rank 0.
    held: Option<Held>,
    sharing: Sharing,
    /// Doubt raised if there is no common directory.
    doubt: Option<Caveat>,
    note: Option<String>,
}

impl Place {
    /// Lets rank 0 create its directory after every rank has checked its path. The other ranks then report whether they
    /// see the directory.
    ///
    /// # Errors
    /// If a rank cannot do its part.
    fn agree(inspection: &DirectoryInspection, lifeline: &mut Lifeline, ranks: &mut Ranks) -> Result<Place> {
        let alone = Place { held: None, sharing: Sharing::NONE, doubt: None, note: None };
        let Some((rank, rank_count)) = ranks.own().map(|own| (own.rank, own.ranks)) else { return Ok(alone) };
        let name = ranks.exchange(&inspection.own_name())?.swap_remove(0);
        let mut held = if rank == 0 { Some(Held::begin(inspection, lifeline)?) } else { None };
        // Returns after rank 0 has created it.
        ranks.all_can()?;
        if rank > 0 {
            held = find(inspection, &name)?.map(|directory| Held { directory, removes: false, filled: false });
        }
        let own_name = ranks.own().map(|rank| rank.name.to_owned()).unwrap_or_default();
        let said = ranks.exchange(&if held.is_some() { String::new() } else { own_name })?;
        let blind: Vec<String> = said.into_iter().filter(|name| !name.is_empty()).collect();
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        if blind.is_empty() {
            let note = format!(
                "the files of all {rank_count} ranks are in one directory, {name}; as with mdtest -N 1, each rank \
                 stats the files of the next"
            );
            let sharing = Sharing { rank: number(rank), ranks: number(rank_count) };
            return Ok(Place { held, sharing, note: Some(note), ..alone });
        }
        let evidence = sentence!("metadata-seen-apart", hosts = blind.join(", "), name);
        let doubt = Caveat::new("hard-apart", Severity::Doubt, sentence!("metadata-doubt-apart"), evidence)
            .remedy(sentence!("metadata-remedy-apart"));
        Ok(Place { held: held.filter(|held| held.removes), doubt: (rank == 0).then_some(doubt), ..alone })
    }
}

/// Returns the directory created by rank 0, if it is visible here.
fn find(inspection: &DirectoryInspection, name: &str) -> Result<Option<OwnDirectory>> {
    let since = Instant::now();
    loop {
        let directory = OwnDirectory::find(inspection, name)?;
        if directory.is_some() || since.elapsed() > SEEN {
            return Ok(directory);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// An open directory of files. It is removed on drop if this rank created it.
struct Held {
    directory: OwnDirectory,
    /// True if this rank created it.
    removes: bool,
    /// True if its files exist and are open.
    filled: bool,
}

impl Held {
    fn begin(inspection: &DirectoryInspection, lifeline: &mut Lifeline) -> Result<Held> {
        lifeline.makes(&inspection.own_path());
        Ok(Held { directory: OwnDirectory::begin(inspection)?, removes: true, filled: false })
    }

    /// Creates the files for all ranks that work in this directory.
    fn fill(&mut self, inspection: &DirectoryInspection, plan: &Plan, sharing: Sharing) -> Result<()> {
        let tasks = inspection.request.tasks.saturating_mul(sharing.ranks);
        let request = DirectoryRequest { tasks, ..inspection.request.clone() };
        self.directory.fill(&request, owners(plan))?;
        self.filled = true;
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.removes {
            // The error is reported elsewhere. If the directory remains, it is recognised by its mark later.
            let _ = self.directory.remove(&mut || ());
        }
    }
}

/// Removes the directory after the run, even if the run failed. Returns a sentence if something remains. `misses` means
/// that another rank is gone and may still be creating files. If that rank created the directory, it is removed here.
fn remove(mut held: Held, ending: &Ending, misses: bool, journal: &mut JournalSink) -> Option<String> {
    let path = held.directory.path().to_owned();
    if !std::mem::take(&mut held.removes) && !misses {
        return None;
    }
    if ending.stuck {
        return Some(format!("the files could not be removed while an operation hangs: {}", path.display()));
    }
    let mut lifeline = journal.lifeline().clone();
    let mut reported = Instant::now();
    let mut alive = || {
        if reported.elapsed() > Duration::from_millis(500) {
            reported = Instant::now();
            lifeline.moves();
        }
    };
    let until = Instant::now() + if misses { GONE_ON } else { Duration::ZERO };
    loop {
        let error = held.directory.remove(&mut alive).err()?;
        // Another rank may have removed it.
        if misses && is_gone(&path) {
            return None;
        }
        if Instant::now() >= until {
            return Some(format!("the files could not be removed: {error}"));
        }
        std::thread::sleep(Duration::from_millis(100));
        alive();
    }
}

fn is_gone(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound)
}

/// The directory in the form that its jobs use. After each phase the file system is synced, like mdtest's `-Y`, so that
/// data of one phase is not written while the next is measured. The duration of the sync is recorded. As in mdtest,
/// each rank syncs as soon as it has finished the phase itself.
struct MetadataFiles {
    held: Held,
    clock: RunClock,
    interrupt: Interrupt,
    /// Event with the duration of the last sync.
    synced: Option<RunEvent>,
}

impl Files for MetadataFiles {
    fn open(&self, job: &Job) -> Result<Vec<Arc<File>>, Sentence> {
        let place = job.tuning.work.metadata().and_then(|rule| self.held.directory.place(rule.shape, rule.owner));
        Ok(vec![place.ok_or_else(|| Sentence::from(format!("{}: no directory was created for this job", job.name)))?])
    }

    fn present(&self) -> Result<(), TargetError> {
        self.held.directory.present()
    }

    fn room(&self) -> Result<(), TargetError> {
        self.held.directory.room()
    }

    fn wave_ended(&mut self, _now: Nanos) {
        // After an interrupt, do not wait for a sync.
        if self.interrupt.asked() {
            return;
        }
        let before = self.clock.now();
        // A failed sync has no duration to record. If a write was lost, the writer gets the error elsewhere.
        if self.held.directory.sync().is_ok() {
            let now = Nanos(self.clock.now());
            let value = now.since(Nanos(before)).secs();
            let sample =
                Sample { name: METADATA_SYNC.to_owned(), unit: "s".to_owned(), layer: Layer::Application, value };
            self.synced = Some(RunEvent::Samples { at: now, samples: vec![sample] });
        }
    }

    fn events(&mut self, _now: Nanos) -> Vec<RunEvent> {
        self.synced.take().into_iter().collect()
    }
}

/// Stores the run and shows its phase. It does not show the remaining time, which is unknown.
struct MetadataSink(JournalSink);

impl Sink for MetadataSink {
    fn event(&mut self, event: RunEvent) {
        self.0.event(event);
    }

    fn progress(&mut self, progress: &Progress) {
        self.0.progress(&Progress { left: Nanos(0), ..progress.clone() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Arguments, Command};
    use clap::Parser;

    fn parsed(words: &[&str]) -> std::result::Result<Qualify, clap::Error> {
        let words = ["secchi", "qualify", "--metadata"].iter().chain(words);
        Arguments::try_parse_from(words).map(|parsed| match parsed.command {
            Command::Qualify(options) => *options,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn what_is_about_blocks_does_not_go_with_names() {
        for words in [
            &["/tmp", "--patterns", "randread"][..],
            &["/tmp", "--bs", "8k"],
            &["/tmp", "--limit", "volume iops=1"],
            &["/tmp", "--engine", "psync"],
            &["/tmp", "--size", "1g"],
            &["/tmp", "--keep"],
            &["/tmp", "--quiet"],
            &["--device", "/dev/null"],
            &["--target", "A=/tmp"],
            &["/tmp", "--metadata-threads", "65"],
            &["/tmp", "--metadata-files", "99999999"],
        ] {
            assert!(parsed(words).is_err(), "{words:?}");
        }
        assert!(
            parsed(&["/tmp", "--metadata-files", "10", "--metadata-threads", "2", "--json", "--hang", "9s"]).is_ok()
        );
        assert!(Arguments::try_parse_from(["secchi", "qualify", "/tmp", "--metadata-files", "10"]).is_err());
    }

    #[test]
    fn counts_that_make_no_sense_are_bad_input() {
        let failure = check(&parsed(&["/tmp", "--hang", "1ms"]).expect("it parses")).expect_err("refused");
        assert_eq!(exit::code_of(&failure), exit::BAD_INPUT, "{failure}");
        assert!(parsed(&["/tmp", "--metadata-files", "99999999"]).is_err());
        let blocks = parsed(&["/tmp", "--need", "8k randread: iops>=1"]).expect("it parses");
        assert!(check(&blocks).is_err_and(|e| e.to_string().contains("is not for file operations")));
        let files = ["/tmp", "--plan", "--need", "mdtest-easy-write: iops>=1", "--need", "mdtest-hard stat: p99<=1ms"];
        check(&parsed(&files).expect("it parses")).expect("that is what it decides");
    }
}

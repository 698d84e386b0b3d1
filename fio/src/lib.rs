//! `secchi fio`: runs fio's command lines and job files with secchi's engines. It prints fio's outputs, followed by
//! doubts about the result.
//!
//! # Example
//!
//! ```
//! use session::exit;
//! use std::ffi::OsString;
//!
//! // Check a command line without running it.
//! let words = ["--parse-only", "--name=reads", "--rw=randread", "--bs=8k", "--size=1g"].map(OsString::from);
//! assert_eq!(fio::run(&words)?, exit::OK);
//!
//! // A mistake is an error with an exit code, and nothing is opened.
//! let words = ["--name=reads", "--rw=randraed"].map(OsString::from);
//! let error = fio::run(&words).unwrap_err();
//! assert_eq!(exit::code_of(&error), exit::BAD_INPUT);
//! # Ok::<(), anyhow::Error>(())
//! ```

mod compressed_logs;
pub mod facts;
mod files;
mod iologs;
mod logs;
mod output;
mod rank_files;

use anyhow::Result;
use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, ValueHint};
use cli::{TraceArgs, examples_text};
use facts::{Machine, TargetFacts};
use iologs::IologWriter;
use job::{CONSENT, Eta, JobFile, Kind, Lowered, OptionSpec, OutputFormat, Support};
use load::engine::Probe;
use load::target::{JobFiles, JobsInspection, JobsRequest, Names, ServedConsent, inspect_served};
use messages::{Sentence, sentence};
use model::plan::{OtherWork, RolePath, RolePathError};
use model::{
    Bytes, Interval, Judgement, Nanos, Plan, RunKind, RunRecord, RunState, Severity, Stage, measured::Phase,
    record::Step, recording::Recording,
};
use output::FioPrinter;
pub use output::traced;
use report::formats::fio::logs::{AggregateLog, LogForm};
use report::formats::fio::{self, Outputs};
use run::sharing::FileSharing;
use run::{RunInputs, Targets, preflight};
use session::console::{self, Live, StandardStream, aside_of, remark_of};
use session::directories::MadeDirectories;
use session::environment;
use session::exit::{self, Code, coded};
use session::job_files::HeldJobFiles;
use session::language::{self, chosen};
use session::launch::Reach;
use session::measure::{GRACE, check_hang, check_system, standing};
use session::outputs::{Output, Outputs as Files, Replaces, Stream};
use session::result_files::ResultFiles;
use session::supervisor::{Lifeline, supervise};
use session::{Session, bail, reject};
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

/// Executes fio's command line.
///
/// # Errors
/// One sentence with its exit code.
pub fn run(words: &[OsString]) -> Result<Code> {
    let machine = Machine::inspect();
    let file = job::parse_arguments(words, CONSENT, &machine).map_err(|e| coded(exit::BAD_INPUT, e))?;
    if file.run.debug_parse && environment::supervisor_fd().is_none() {
        print_parsed(&file)?;
    }
    if let Some(code) = print_without_run(&file)? {
        return Ok(code);
    }
    if file.sections.is_empty() {
        reject!("no jobs: name a job file, or begin one with --name=NAME (secchi fio --help)");
    }
    check_system("fio")?;
    let options = OwnOptions::from_file(&file)?;
    match Lifeline::from_environment()? {
        Some(lifeline) => Session::run(lifeline, |session| measure(&file, options, words, &machine, session)),
        None => {
            print_notes(&file, aside_of)?;
            supervise(Reach::ManyHosts, Duration::from_nanos(options.hang.as_nanos()) + GRACE)
        }
    }
}

/// Options of the run that fio does not have.
struct OwnOptions {
    devices: Vec<PathBuf>,
    destroy: Option<String>,
    share: bool,
    /// Rule that divides one file among the ranks.
    shared_file: Option<FileSharing>,
    hang: Nanos,
    force: bool,
    trace: TraceArgs,
    /// Files for the result, in addition to fio's document.
    reports: Vec<PathBuf>,
}

impl OwnOptions {
    fn from_file(file: &JobFile) -> Result<Self> {
        let value = |name: &str| file.extra.iter().find(|t| t.name == name).map(|t| t.value.as_str());
        let hang = match value("hang") {
            None => Nanos::from_secs(60),
            Some(text) => text.parse().map_err(|e| coded(exit::BAD_INPUT, format!("--hang: {e}")))?,
        };
        check_hang(hang)?;
        if let Some(code) = value("lang") {
            let asked =
                language::of_code(code).map_err(|reason| coded(exit::BAD_INPUT, format!("--lang: {reason}")))?;
            language::choose(Some(asked));
        }
        let devices = value("device").unwrap_or("").split(',').filter(|d| !d.is_empty()).map(PathBuf::from).collect();
        let set = |name: &str| value(name).is_some_and(|v| v != "0");
        let named = file.extra.iter().filter(|t| t.name == "role").flat_map(|t| t.value.split(','));
        let reports = file.extra.iter().filter(|t| t.name == "report").map(|t| PathBuf::from(&t.value)).collect();
        let roles = named.filter(|r| !r.is_empty()).map(str::parse).collect::<Result<Vec<RolePath>, _>>();
        let roles = roles.map_err(|e: RolePathError| coded(exit::BAD_INPUT, format!("--role: {e}")))?;
        let trace = TraceArgs { trace_blocks: set("trace-blocks"), roles };
        Ok(OwnOptions {
            devices,
            destroy: value("destroy").map(str::to_owned),
            share: set("share"),
            shared_file: value("shared-file")
                .map(str::parse)
                .transpose()
                .map_err(|reason: String| coded(exit::BAD_INPUT, reason))?,
            hang,
            force: set("force"),
            trace,
            reports,
        })
    }
}

/// Prints the output of `--debug=parse` in fio's form, to the same stream as fio does.
fn print_parsed(file: &JobFile) -> Result<()> {
    let pid = std::process::id();
    session::console::print(|_, out| {
        writeln!(out, "fio: set debug option parse")?;
        job::parse_lines(file).iter().try_for_each(|line| writeln!(out, "{:<8} {pid:<5} {line}", "parse"))
    })
}

/// Handles options that print something and exit. Returns `None` if there are none.
fn print_without_run(file: &JobFile) -> Result<Option<Code>> {
    let run = &file.run;
    let bad = |reason: job::NameError| coded(exit::BAD_INPUT, reason);
    let text = if run.version {
        format!("fio-3.33-secchi-{}\n", env!("CARGO_PKG_VERSION"))
    } else if run.help {
        usage()
    } else if let Some(name) = &run.cmdhelp {
        job::cmdhelp(name, &facts::ENGINES, CONSENT).map_err(bad)?
    } else if let Some(engine) = &run.enghelp {
        job::enghelp(engine, &facts::ENGINES).map_err(bad)?
    } else if run.showcmd {
        job::command_line(file)
    } else if let Some(path) = &run.inflate_log {
        let mut wrong = None;
        session::console::print(|_, out| {
            wrong = compressed_logs::inflate(path, out)?;
            Ok(())
        })?;
        let Some(wrong) = wrong else { return Ok(Some(exit::OK)) };
        let path = model::clip(&path.display().to_string());
        bail!(exit::CANNOT, "cannot print the log {path}: {wrong}");
    } else if run.parse_only {
        print_notes(file, remark_of)?;
        return Ok(Some(exit::OK));
    } else {
        return Ok(None);
    };
    session::console::print(|_, out| out.write_all(text.as_bytes()))?;
    Ok(Some(exit::OK))
}

fn usage() -> String {
    let mut text = String::from(
        "secchi fio [options] [job options] [job files]\n\n\
         Run fio job files and command lines with fio's semantics and output formats.\n\
         Every run is stored (see `secchi runs`). Options before the first --name are\n\
         defaults for every job.\n\n",
    );
    text.push_str(&job::command_help(&facts::ENGINES, CONSENT));
    text.push_str(
        "\nHelp for job options: secchi fio --cmdhelp=all or --cmdhelp=NAME.\n\
         Help for engines: secchi fio --enghelp.\n\n",
    );
    text.push_str(exit::TABLE);
    text.push('\n');
    if let Some(examples) = examples_text("fio") {
        text.push_str(&format!("\n{examples}\n"));
    }
    text
}

/// Returns the manual page of the job language, without examples.
pub fn man_page() -> String {
    job::man_page(&facts::ENGINES, CONSENT)
}

/// Returns the supported options of the job language as clap arguments, for completions. [`job`] parses them.
pub fn arguments() -> impl Iterator<Item = Arg> {
    let done = |option: &OptionSpec| !matches!(option.support, Support::Refused(_));
    job::all(&facts::ENGINES, CONSENT).filter(done).map(|option| {
        let arg = Arg::new(option.name).long(option.name).help(option.summary());
        let words = match option.kind {
            Kind::Engine => facts::ENGINES.words(),
            kind => kind.accepted_words(),
        };
        let arg = match option.kind {
            Kind::Flag => arg.action(ArgAction::SetTrue),
            kind if kind.may_be_bare() => arg.num_args(0..=1),
            _ => arg,
        };
        match option.kind {
            _ if !words.is_empty() => {
                arg.value_parser(words.iter().map(|w| PossibleValue::new(w.name).help(w.help)).collect::<Vec<_>>())
            }
            Kind::Path | Kind::OptionalPath => arg.value_hint(ValueHint::AnyPath),
            Kind::Flag => arg,
            _ => arg.value_hint(ValueHint::Other),
        }
    })
}

/// Prints notes about the command line and the job files. With `--warnings-fatal`, the first note is an error.
fn print_notes(file: &JobFile, say: fn(&Sentence)) -> Result<()> {
    if file.run.warnings_fatal
        && let Some(note) = file.notes.first()
    {
        reject!("{}: {} (--warnings-fatal)", note.at, note.text);
    }
    for note in &file.notes {
        say(&sentence!("job-note", what = note.to_sentence()));
    }
    Ok(())
}

/// Executes the jobs in the supervised process.
fn measure(
    file: &JobFile,
    own: OwnOptions,
    words: &[OsString],
    machine: &Machine,
    session: &mut Session,
) -> Result<Code> {
    session.share_file(own.shared_file)?;
    let file = &*rank_files::own_file(file, session, own.shared_file)?;
    session.catch_signals()?;
    // Each file has one descriptor in this process and one for each job that uses it.
    let _ = sys::files::raise_descriptor_limit();
    let mut lowered = job::lower(file, &TargetFacts::new(machine)).map_err(|e| coded(exit::BAD_INPUT, e))?;
    refuse_foreign(&lowered.stages)?;
    let mut request = JobsRequest {
        allow_overwrite: file.run.allow_overwrite,
        devices: own.devices,
        destroy: own.destroy,
        may_destroy: environment::may_destroy(),
        share: own.share || own.shared_file.is_some(),
        ..files::request(file, &lowered)
    };
    let consent = ServedConsent {
        destroy: request.destroy.clone(),
        may_destroy: request.may_destroy.clone(),
        allow_overwrite: request.allow_overwrite,
        overwrite: lowered.overwrite.clone(),
    };
    let typed = |s: &Stage| s.place.section.is_some_and(|s| !file.sections[s].options.files.filenames.is_empty());
    if inspect_served(&lowered.stages, &consent, typed)? {
        request.destroy = None;
    }
    let names = files::names(file, &lowered);
    let named: Vec<PathBuf> = names.iter().take(1).flat_map(|n| std::path::absolute(&n.path)).collect();
    let names = Names::inspect(names)?;
    let mut directories = MadeDirectories::default();
    if let Some(own) = session.member() {
        rank_files::make_rank_folders(&mut directories, file, own.rank).map_err(|e| coded(exit::CANNOT, e))?;
    }
    files::make_directories(&mut directories, file, &lowered).map_err(|e| coded(exit::CANNOT, e))?;
    let inspection = JobFiles::inspect(&request)?;
    inspection.settle(&mut lowered.stages);
    session.lifeline.report_alive();
    // Jobs may have thousands of names in one directory, but one of them is enough to find the device.
    let paths = inspection.files.iter().map(|f| &f.path).chain(&named);
    let paths: Vec<&Path> = paths.map(|path| standing(path)).collect();
    let facts = preflight::brief(session.clock, &paths);
    let create_only = lowered.create_only;
    let merged = std::mem::take(&mut lowered.merged);
    let mut plan = plan(words, lowered, &inspection, own.hang);
    plan.trace = own.trace.rule(|| roles_of(&plan.stages));
    if create_only {
        // Every job is reported with zero operations.
        plan.stages.iter_mut().for_each(|s| s.job.stop.max_ops = Some(0));
    }
    session.agree(&plan, &facts)?;
    let quiet = !live_wanted(file);
    // Programs that call secchi as fio treat any text on standard error as a failure.
    session.live = if console::is_terminal(StandardStream::Error) { Live::new(quiet) } else { Live::silent() };
    let mut notes: Vec<Sentence> = file.notes.iter().map(job::Note::to_sentence).collect();
    match environment::store_dir(file.run.store.as_ref()) {
        None if file.run.store.is_none() && session.reports() => notes.push(sentence!("fio-kept-nowhere")),
        _ => session.open_store(file.run.store.as_ref())?,
    }
    for note in &inspection.notes {
        if session.live.is_watched() {
            session.live.line(note);
        }
        notes.push(note.into());
    }
    if let Some(path) = paths.first() {
        notes.extend(session.journal_note(path).map(Sentence::from));
    }
    let caveats = inspection.caveats.clone();
    // Check all outputs before any file is created.
    let mut written = if session.reports() {
        let places = inspection.files.iter().flat_map(|f| f.typed.iter().chain([&f.path]));
        let roles = plan.trace.iter().flat_map(|t| &t.roles).map(|r| &r.path);
        OutputFiles::claim(file, &plan, own.force, &own.reports, places.chain(roles), &merged)?
    } else {
        OutputFiles::default()
    };
    let mut held = HeldJobFiles::new(JobFiles::take(inspection)?, plan.hang).with_names(names);
    for (mut output, bytes) in std::mem::take(&mut written.merged) {
        output.fill_or_report(|out| out.write_all(&bytes))?;
    }
    for directory in directories.keep() {
        notes.push(sentence!("fio-directory-made", directory = directory.display().to_string()));
    }
    let mut printer = FioPrinter::new(session, outputs(file), written, &file.run);
    let identity = session.identity(notes);
    let inputs = RunInputs { plan: &plan, preflight: &facts, identity: &identity, caveats: &caveats };
    let ended = session.conduct(&inputs, Targets::JobFiles(&mut held), &mut printer);
    ended.report(|run| printer.finish(run))
}

/// Returns the files of each job, with the name of the job as their role. A file that several jobs use has the role of
/// the first job.
fn roles_of(stages: &[Stage]) -> Vec<RolePath> {
    first_of_each(stages.iter().flat_map(|stage| {
        stage.job.targets().filter(|t| t.kind.is_local()).map(|target| (stage.job.name.as_str(), target.path.as_path()))
    }))
}

/// Returns the roles with each file only once. A file with several roles keeps the first one.
pub fn first_of_each<'a>(roles: impl Iterator<Item = (&'a str, &'a Path)>) -> Vec<RolePath> {
    let mut first: Vec<RolePath> = Vec::new();
    for (role, path) in roles {
        if !first.iter().any(|known| known.path == path) {
            first.push(RolePath { role: role.to_owned(), path: path.to_owned() });
        }
    }
    first
}

fn live_wanted(file: &JobFile) -> bool {
    match file.run.eta {
        Eta::Auto => console::is_terminal(StandardStream::Error),
        Eta::Always => true,
        Eta::Never => false,
    }
}

fn outputs(file: &JobFile) -> Outputs {
    let has = |format| file.run.formats.contains(&format);
    Outputs {
        normal: has(OutputFormat::Normal),
        terse: has(OutputFormat::Terse),
        json: has(OutputFormat::Json) || has(OutputFormat::JsonPlus),
        bins: has(OutputFormat::JsonPlus),
        terse_version: file.run.terse_version,
        language: chosen(),
    }
}

/// Rejects engines of other operating systems, before files are created for them.
fn refuse_foreign(stages: &[Stage]) -> Result<()> {
    let mut names: Vec<&str> = stages.iter().map(|stage| stage.job.engine.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let known = names.into_iter().filter_map(|name| load::engines::find(name).ok());
    for entry in known.filter(|entry| matches!(entry.probe, Probe::Opening | Probe::Own(_))) {
        entry.probe().or_else(|error| if error.is_foreign() { Err(coded(exit::CANNOT, error)) } else { Ok(()) })?;
    }
    Ok(())
}

fn plan(words: &[OsString], lowered: Lowered, inspection: &JobsInspection, hang: Nanos) -> Plan {
    let target =
        lowered.stages.first().map(|s| s.job.target.clone()).unwrap_or_else(|| model::Target::null("", Bytes(0)));
    Plan {
        args: model::plan::words_without_secrets(&words.iter().map(|w| w.to_string_lossy()).collect::<Vec<_>>()),
        fill: inspection.to_write,
        keep: true,
        layout: inspection.layout.clone(),
        ..Plan::new(RunKind::JobFile { sections: lowered.sections }, target, lowered.stages, hang)
    }
}

/// Returns the exit code of a run: secchi's code for the outcome that fio would report.
fn code_of(record: &RunRecord) -> Code {
    // If no job does I/O, then using CPU time or running a program is the requested work.
    let did = record.steps.iter().any(|s| {
        let worked = s.end.as_ref().is_some_and(|e| e.completed > 0 || e.other_work.is_some());
        worked && !within_ramp(s)
    });
    match record.state {
        RunState::Stopped => Code(i32::from(record.stopped_code())),
        RunState::Hung => exit::HUNG,
        RunState::Complete if did || record.plan.stages.iter().all(|s| s.job.stop.max_ops == Some(0)) => exit::OK,
        _ => exit::INVALID,
    }
}

/// Returns `true` if a step did all its operations within `ramp_time`, so that nothing was measured.
pub fn within_ramp(step: &Step) -> bool {
    let ramp = |i: &Interval| i.phase == Phase::Ramp;
    step.intervals.iter().any(|i| ramp(i) && i.ops() > 0) && step.intervals.iter().all(|i| ramp(i) || i.ops() == 0)
}

/// Returns a sentence for each job whose rate changed during the run, with the times of the changes.
fn courses(judgement: &Judgement) -> Vec<Sentence> {
    let moved = judgement.patterns.iter().flat_map(|p| &p.levels).filter(|l| !l.course.is_empty());
    moved
        .map(|l| match &l.steadiness {
            model::judged::Steadiness::NotSettled { why } => why.clone(),
            _ => messages::sentence(model::judged::told_course(&l.course)),
        })
        .collect()
}

/// Returns the sums of the judged rates of all jobs, in operations and bytes per second; `None` if a job has no judged
/// rate.
fn judged_rates(patterns: &[model::judged::PatternJudgement]) -> Option<[f64; 2]> {
    let rates = |p: &model::judged::PatternJudgement| {
        let level = &p.levels[p.best?];
        Some([level.iops.value, level.bandwidth.per_second()])
    };
    let levels = patterns.iter().map(rates).collect::<Option<Vec<_>>>()?;
    (!levels.is_empty()).then(|| levels.iter().fold([0.0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]]))
}

/// Returns the line for the list of runs. The line has no mean if the rate changed its level, and no sum if the loads
/// ran one after another.
fn verdict(record: &RunRecord, judgement: &Judgement) -> Sentence {
    let is_sequence = record.plan.waves().nth(1).is_some();
    if is_sequence && matches!(record.state, RunState::Complete | RunState::Stopped) {
        return judgement.verdict.clone();
    }
    let jobs = record.plan.stages.len();
    let joint = record.joint();
    let record = &*analysis::load_only(&joint);
    let (mut sent, mut due) = (model::LatencyHistogram::default(), model::LatencyHistogram::default());
    let mut rates = [0.0; 2];
    for step in &record.steps {
        let one = step.total();
        rates[0] += one.iops().per_second();
        rates[1] += one.bandwidth().per_second();
        sent.merge(&step.latency());
        due.merge(&step.response());
    }
    // As in `report` and for needs, latencies start at the due time if there is one. In fio's own output, they start at
    // submission.
    let latency = match (due.mean(), sent.mean()) {
        (Some(due), Some(sent)) => Some(sentence!("run-latency-from-due", due, sent)),
        (_, Some(mean)) => Some(sentence!("run-latency", mean)),
        _ => None,
    };
    match record.state {
        RunState::Complete | RunState::Stopped => {
            let rates = judged_rates(&judgement.patterns).unwrap_or(rates);
            let (iops, rate) = (model::Iops(rates[0]), model::BytesPerSecond(rates[1]));
            let summary = match courses(judgement).as_slice() {
                [] => {
                    let figures = sentence!("run-fio", jobs, iops, rate);
                    Sentence::join([figures].into_iter().chain(latency), ", ")
                }
                [one] if record.steps.len() == 1 => sentence!("run-fio-moved", jobs, one),
                [first, ..] => sentence!("run-fio-one-moved", jobs, first),
            };
            match judgement.caveats.iter().find(|c| c.severity == Severity::Invalid).map(|c| &c.statement) {
                Some(reason) => sentence!("run-not-valid-then", why = reason, told = summary),
                None => summary,
            }
        }
        _ => sentence!("run-fio-ended", jobs, why = &record.reason),
    }
}

/// Prints a stored run of this command in the form in which it was printed when it ran.
pub fn show(record: &RunRecord) -> Result<()> {
    session::console::print(|_, out| {
        let judgement = analysis::judge(record);
        let shown = output::with_doubts(record, &judgement);
        fio::write_head(&shown, Outputs::NORMAL, out)?;
        fio::write_result(&shown, Outputs { language: chosen(), ..Outputs::NORMAL }, 0, out)?;
        output::traced(record, &judgement, out)
    })
}

/// Returns the files to which programs of the jobs write their output, without duplicates.
fn outputs_of_programs(plan: &Plan) -> BTreeSet<String> {
    let files_of = |stage: &Stage| {
        let tuning = &stage.job.tuning;
        let program = match tuning.work.other() {
            Some(OtherWork::Program(program)) => program.files(),
            _ => None,
        };
        tuning.commands.files().chain(program.into_iter().flatten()).collect::<Vec<_>>()
    };
    plan.stages.iter().flat_map(files_of).collect()
}

/// Destinations of the document, the logs and the reports.
#[derive(Default)]
pub struct OutputFiles {
    /// Stream for the document; `None` is standard output.
    document: Option<Stream>,
    /// Logs by name; jobs may share one.
    logs: HashMap<String, (Output, LogForm)>,
    /// Recorded operations of jobs, for replay.
    iologs: IologWriter,
    /// Merged recordings.
    merged: Vec<(Output, Vec<u8>)>,
    /// Pages and tables of the result.
    reports: ResultFiles,
}

impl OutputFiles {
    /// Claims all outputs. None of them may replace a path in `places`, the files that the jobs work on.
    fn claim<'a>(
        file: &JobFile,
        plan: &Plan,
        force: bool,
        reports: &[PathBuf],
        places: impl Iterator<Item = &'a PathBuf>,
        merged: &[(PathBuf, Rc<Recording>)],
    ) -> Result<OutputFiles> {
        let mut outputs = Files::new(force);
        places.for_each(|path| outputs.spare(path));
        let mut logs = HashMap::new();
        let aggregate = AggregateLog::NAMES.into_iter().filter(|_| file.run.bandwidth_log);
        let aggregate = aggregate.map(|name| (name.to_owned(), LogForm::Text));
        for (name, form) in fio::logs::names(plan).into_iter().chain(aggregate) {
            let replaces = if form == LogForm::Text { Replaces::Fios } else { Replaces::Packed };
            logs.insert(name.clone(), (outputs.claim(Path::new(&name), replaces)?, form));
        }
        // The shell or the programs write these files themselves. Clones share names.
        for name in outputs_of_programs(plan) {
            outputs.claim(Path::new(&name), Replaces::Anything)?;
        }
        let iologs = IologWriter::claim(file, plan, &mut outputs)?;
        let merged = merged.iter().map(|(path, recording)| {
            let wrong = |reason| coded(exit::BAD_INPUT, format!("merge_blktrace_file: {}: {reason}", path.display()));
            let bytes = import::write_blktrace(recording).map_err(wrong)?;
            Ok((outputs.claim(path, Replaces::Begun(import::BLKTRACE_BEGINS))?, bytes))
        });
        let merged = merged.collect::<Result<Vec<_>>>()?;
        let document = file.run.output.as_deref().map(|path| outputs.claim(path, Replaces::Fios)).transpose()?;
        let begin = |output: Output| {
            let shown = output.display();
            output.stream().map_err(|e| coded(exit::CANNOT, format!("cannot write {shown}: {e}")))
        };
        let reports = ResultFiles::claim(reports, &mut outputs)?;
        Ok(OutputFiles { document: document.map(begin).transpose()?, logs, iologs, merged, reports })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::measured::{Phase, Window};
    use model::plan::{Access, ErrorPolicy, JobTuning, Mix, StopRule, Workload};
    use model::record::{Preflight, Step, StepEnd, StepStop};
    use model::{Bytes, Interval, Job, LatencyHistogram, Nanos, Op, Target};

    #[test]
    fn the_line_of_a_run_has_the_judged_rate_without_the_drain() {
        let second = Nanos::from_secs(1);
        let stop = StopRule { ramp: Nanos(0), time: Nanos::from_secs(5), steady_after: None, max_ops: None };
        let job = Job {
            tuning: JobTuning::default(),
            more: Vec::new(),
            name: "slow".into(),
            workload: Workload::new(Mix::READ, Bytes(8192), Access::RANDOM),
            target: Target::null("x", Bytes::from_gib(1)),
            engine: "libaio".into(),
            queue_depth: 64,
            threads: 1,
            stop,
            on_error: ErrorPolicy::Stop,
            seed: 1,
            faults: None,
        };
        // With a cap of 20 IOPS, no operation completes in the second after the last submission.
        let interval = |n: u64| {
            let ops = if n < 5 { 2 } else { 0 };
            let window = |w: u64| Window {
                start: Nanos(n * second.as_nanos() + w * 100_000_000),
                length: Nanos::from_millis(100),
                ops: [ops, 0, 0, 0],
                bytes: [ops * 8192, 0, 0, 0],
                errors: 0,
                latency_sum: 0,
            };
            let mut interval = Interval {
                phase: Phase::Measure,
                start: Nanos(n * second.as_nanos()),
                length: second,
                in_flight_ns: 64 * u128::from(second.as_nanos()),
                windows: (0..10).map(window).collect(),
                ..Interval::default()
            };
            let read = &mut interval.per_op[Op::Read.index()];
            (read.tally.ops, read.tally.bytes) = (10 * ops, 10 * ops * 8192);
            read.latency = LatencyHistogram::default();
            (0..10 * ops).for_each(|_| read.latency.record(Nanos::from_millis(3200)));
            interval
        };
        let stage = Stage::fixed("slow", job.clone());
        let plan =
            Plan::new(RunKind::JobFile { sections: Vec::new() }, job.target.clone(), vec![stage], Nanos::from_secs(60));
        let mut record = RunRecord::new("test", "0", "2026-11-21T10:00:00+00:00", plan, Preflight::default());
        record.state = RunState::Complete;
        record.steps.push(Step {
            stage: 0,
            pass: 0,
            hold: false,
            job,
            start: Nanos(0),
            sampled: None,
            intervals: (0..6).map(interval).collect(),
            end: Some(StepEnd { stop: StepStop::Time, completed: 100, submitted: 100, ..StepEnd::default() }),
            accounting: None,
        });
        let judgement = analysis::judge(&record);
        let line = verdict(&record, &judgement);
        assert!(line.starts_with("fio: 1 job, 20.0 IOPS, "), "{line}");
    }
}

//! `secchi ping`: measures and prints one request at a time, as ioping does. In addition to ioping, it has percentiles,
//! a chart, latencies that count from the due time, and limits that determine the exit code.
//!
//! # Example
//!
//! ```
//! use std::ffi::OsString;
//! use std::path::PathBuf;
//!
//! // A run of ten requests ends by itself. Without a count or a duration, it lasts until the user stops it.
//! assert!(ioping::ends(&["-c", "10", "."].map(str::to_owned)).is_ok());
//! assert!(ioping::ends(&[".".to_owned()]).is_err());
//!
//! // `-WWW` allows writes, so the contents of the device are lost.
//! let overwritten = ioping::overwritten(&["-WWW", "/dev/vdb"].map(OsString::from))?;
//! assert_eq!(overwritten, Some(PathBuf::from("/dev/vdb")));
//! # Ok::<(), String>(())
//! ```

mod files;
mod options;
mod output;
mod value;
mod words;

use anyhow::Result;
use cli::examples_text;
use files::{FoundTarget, sync_of};
use model::plan::{Access, Contents, Distribution, ErrorPolicy, Filling, JobTuning, Mix, StopRule, Work, Workload};
use model::{Bytes, Job, Nanos, Plan, RunKind, RunRecord, Stage, record::PingWay};
use options::{Options, Parsed};
use output::PingPrinter;
use report::formats::ioping::{self, Marks};
use run::{RunInputs, Targets, preflight};
use session::console::{self, Live, StandardStream, remark};
use session::exit::{self, Code, coded};
use session::language;
use session::launch::Reach;
use session::measure::{GRACE, check_system, standing};
use session::result_files::ResultFiles;
use session::supervisor::{Lifeline, supervise};
use session::{Session, bail};
use std::ffi::OsString;
use std::hash::{BuildHasher, Hasher};
use std::path::PathBuf;
use std::time::Duration;
pub use words::arguments;

/// Time limit that is never reached: 100 years.
const FOR_EVER: Nanos = Nanos::from_days(36_500);
/// EAGAIN: error of a request that would have to wait although it must not.
const WOULD_BLOCK: i32 = 11;

/// Exit codes of ioping.
mod code {
    use session::exit::Code;
    /// A limit of --max-avg or --max-p99 was exceeded. ioping's own code 1 becomes
    /// [`exit::BAD_INPUT`](session::exit::BAD_INPUT) here.
    pub const MISSED: Code = Code(1);
    /// The run could not start.
    pub const PREPARING: Code = Code(2);
    /// The run failed after it had started.
    pub const RUNNING: Code = Code(3);
    /// The command line is invalid; used if secchi was called as ioping.
    pub const USAGE: Code = Code(1);
}

/// Table of exit codes in the help.
pub const CODES: &str = "\
Exit codes:
  0    completed, or ended by Ctrl-C; --max-avg and --max-p99 were met
  1    --max-avg or --max-p99 was exceeded (called as ioping: also a mistake in the command line)
  2    could not start (no such target, refused for safety, no permission or no space), or a limit is undecided
       because requests were served from memory or other processes used the CPU
  3    a request failed, or there was no valid request to compare with a limit
  5    the device hung or disappeared
  64   a mistake in the command line; nothing was opened
With --nagios: 0 OK, 1 WARNING (--warn-avg, --warn-p99), 2 CRITICAL (--max-avg, --max-p99, a failed request, a hang),
3 UNKNOWN.
";

/// Executes ioping's command line. `as_ioping` is true if the program was called as `ioping`.
///
/// # Errors
/// One sentence with its exit code.
pub fn run(words: &[OsString], as_ioping: bool) -> Result<Code> {
    let is_check = words.iter().take_while(|w| *w != "--").any(|w| w == "--nagios");
    let ended = ping(words, as_ioping);
    if is_check { console::as_check(ended) } else { ended }
}

fn ping(words: &[OsString], as_ioping: bool) -> Result<Code> {
    let texts: Vec<String> = words.iter().map(|w| w.to_string_lossy().into_owned()).collect();
    let usage = || words::usage(if as_ioping { "ioping" } else { "secchi ping" });
    let usage_code = if as_ioping { code::USAGE } else { exit::BAD_INPUT };
    if words.is_empty() {
        print_text(&usage())?;
        return Ok(usage_code);
    }
    // Paths are recorded as text, so two different paths that are not valid text might look the same.
    if let Some(word) = words.iter().find(|w| w.to_str().is_none()) {
        bail!(usage_code, "`{}` is not valid text", word.to_string_lossy());
    }
    // The standard library seeds its hash maps from the system.
    let entropy = || std::collections::hash_map::RandomState::new().build_hasher().finish();
    let options = match Options::parse(&texts, as_ioping, entropy).map_err(|reason| coded(usage_code, reason))? {
        Parsed::Help => {
            let examples = examples_text("ping").filter(|_| !as_ioping).map(|e| format!("\n{e}\n")).unwrap_or_default();
            print_text(&format!("{}{CODES}{examples}", usage()))?;
            return Ok(exit::OK);
        }
        Parsed::Version => {
            print_text(&format!("secchi {} (ioping 1.3 options and outputs)\n", env!("CARGO_PKG_VERSION")))?;
            return Ok(exit::OK);
        }
        Parsed::Run(options) => options,
    };
    language::choose(options.language);
    check_system("ping")?;
    if options.live && !console::is_terminal(StandardStream::Error) {
        bail!(usage_code, "--live needs a terminal on standard error: leave it out");
    }
    match Lifeline::from_environment()? {
        Some(lifeline) => Session::run(lifeline, |session| measure(&options, &texts, session)).map_err(in_preparation),
        None => {
            options.notes.iter().for_each(|note| remark(note));
            supervise(Reach::ManyHosts, Duration::from_nanos(options.hang.as_nanos()) + GRACE)
        }
    }
}

/// Checks that a run with these arguments ends without user interaction.
///
/// # Errors
/// If it does not. The error is one sentence with the reason.
pub fn ends(words: &[String]) -> Result<(), String> {
    match Options::parse(words, false, || 0)? {
        Parsed::Help | Parsed::Version => Err("it measures nothing".to_owned()),
        Parsed::Run(options) if options.live => Err("--live draws on a terminal: leave it out".to_owned()),
        Parsed::Run(options) if options.count == 0 && options.time.is_zero() => {
            Err("it would run without end: set a number of requests (-c) or a duration (-w)".to_owned())
        }
        Parsed::Run(_) => Ok(()),
    }
}

/// Returns the file or device that these arguments overwrite.
///
/// # Errors
/// If the arguments are invalid. The error is one sentence.
pub fn overwritten(words: &[OsString]) -> Result<Option<PathBuf>, String> {
    let texts: Vec<String> = words.iter().map(|w| w.to_string_lossy().into_owned()).collect();
    let Parsed::Run(options) = Options::parse(&texts, false, || 0)? else { return Ok(None) };
    let writes = options.way != PingWay::Read && options.shred >= 3;
    Ok(Some(options.path).filter(|path| writes && !path.is_dir()))
}

/// Adds ioping's exit code to an error that occurred before the first request, and keeps the text. An error that rank 0
/// reports is not printed here.
fn in_preparation(failure: anyhow::Error) -> anyhow::Error {
    if exit::code_of(&failure) == exit::OK {
        return failure;
    }
    coded(code::PREPARING, format!("{failure:#}"))
}

fn print_text(text: &str) -> Result<()> {
    console::print(|_, out| out.write_all(text.as_bytes()))
}

fn measure(options: &Options, texts: &[String], session: &mut Session) -> Result<Code> {
    session.catch_signals()?;
    let options = &Options { path: session.place(&options.path)?, ..options.clone() };
    let results = session.outputs(&options.results.outputs);
    let results = ResultFiles::claim_alone(results, options.results.force, &options.path)?;
    let inspected = FoundTarget::inspect(options)?;
    session.lifeline.report_alive();
    let facts = preflight::brief(session.clock, &[standing(&inspected.target.path)]);
    let plan = plan(options, texts, &inspected);
    session.agree(&plan, &facts)?;
    session.live = Live::new(!options.live);
    session.open_store(options.store.as_ref())?;
    let mut notes = [options.notes.clone(), inspected.notes.clone()].concat();
    if !options.ioping {
        inspected.notes.iter().for_each(|note| session.live.line(note));
    }
    notes.extend(session.journal_note(standing(&inspected.target.path)));
    let caveats = inspected.caveats.clone();
    let place = inspected.place.clone();
    let mut files = inspected.take(options)?;
    let mut printer = PingPrinter::new(session, options, place, results);
    let identity = session.identity(notes);
    let inputs = RunInputs { plan: &plan, preflight: &facts, identity: &identity, caveats: &caveats };
    let ended = session.conduct(&inputs, Targets::JobFiles(&mut files), &mut printer);
    ended.report(|run| printer.finish(run))
}

fn plan(options: &Options, texts: &[String], inspected: &FoundTarget) -> Plan {
    let job = job(options, inspected);
    Plan {
        args: texts.to_vec(),
        fill: inspected.fill,
        keep: options.keep,
        layout: inspected.layout.clone(),
        ..Plan::new(RunKind::Ping, inspected.target.clone(), vec![Stage::fixed("ping", job)], options.hang)
    }
}

fn job(options: &Options, inspected: &FoundTarget) -> Job {
    let mix = match options.way {
        PingWay::Read => Mix::READ,
        PingWay::Write => Mix::WRITE,
        PingWay::ByTurns => Mix { write_percent: 50, trim_percent: 0 },
    };
    let access = match options.linear {
        true => Access::Sequential,
        false => Access::Random { distribution: Distribution::Uniform, repeat: true },
    };
    let mut workload = Workload::new(mix, Bytes(options.block), access);
    workload.detail.contents = Contents { kind: Filling::Refilled, ..Contents::default() };
    let may_block = if options.nowait { vec![WOULD_BLOCK] } else { Vec::new() };
    let engine_options = [("nowait", options.nowait), ("hipri", options.hipri)];
    Job {
        name: "ping".to_owned(),
        workload,
        target: inspected.target.clone(),
        more: Vec::new(),
        engine: options.engine.to_owned(),
        queue_depth: 1,
        threads: 1,
        stop: StopRule {
            ramp: Nanos(0),
            time: if !options.time.is_zero() { options.time } else { FOR_EVER },
            steady_after: None,
            max_ops: (options.count > 0).then_some(options.count),
        },
        on_error: ErrorPolicy::Stop,
        seed: options.seed,
        faults: None,
        tuning: JobTuning {
            sync: sync_of(options),
            every_op: true,
            work: Work::Paced(options.request_interval()),
            ignore_errors: [may_block.clone(), may_block, Vec::new()],
            engine_options: engine_options
                .into_iter()
                .filter(|(_, on)| *on)
                .map(|(name, _)| (name.to_owned(), "1".to_owned()))
                .collect(),
            ..JobTuning::default()
        },
    }
}

/// Prints the statistics and percentiles of a stored run of this command. Individual requests are not stored.
pub fn show(record: &RunRecord) -> Result<()> {
    console::print(|style, out| {
        let Some(pinged) = record.ping() else {
            return writeln!(out, "no request was made: {}", report::harmless(&record.reason));
        };
        let mut text = String::new();
        ioping::summary(pinged, Marks::Current, &mut text);
        out.write_all(text.trim_start().as_bytes())?;
        let joint = record.joint();
        let served = joint.steps.first().map(|s| (s.total(), s.end.as_ref().map_or(Nanos(0), |e| e.late_max)));
        let doubts = analysis::judge(record).caveats;
        ioping::write_percentiles(pinged, served.as_ref().map(|(total, late)| (total, *late)), &doubts, style, out)
    })
}

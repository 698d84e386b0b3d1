//! Options that are valid only on the command line: outputs, and selection of jobs.

use crate::engines::Engines;
use crate::options::{Context, OptionSpec, Setter::Run, for_each_default, noted, option, refuse};
use crate::units::{self, Units};
use crate::value::{Kind, Take, Value, Word, words};
use crate::value_error::ValueError;
use messages::sentence;
use model::Nanos;
use std::path::PathBuf;

/// Options of the run, given on the command line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunOptions {
    /// Output formats, in the given order. Never empty.
    pub formats: Vec<OutputFormat>,
    /// Output file; `None` = standard output.
    pub output: Option<PathBuf>,
    /// Version of the terse format: 2 to 5.
    pub terse_version: u8,
    /// True if the input is only checked.
    pub parse_only: bool,
    /// True if each parsed option is printed.
    pub debug_parse: bool,
    /// True if the jobs are printed as command lines and not run.
    pub showcmd: bool,
    /// Name of the option whose help is printed, or `all`. Nothing else is done.
    pub cmdhelp: Option<String>,
    /// Query for the engine help, which is then the only output: empty, `engine` or `engine,option`.
    pub enghelp: Option<String>,
    /// Compressed log to print; nothing else is then printed.
    pub inflate_log: Option<PathBuf>,
    /// True if only the usage is printed.
    pub help: bool,
    /// True if only the version is printed.
    pub version: bool,
    /// Interval between full reports; 0 = only at the end.
    pub status_interval: Nanos,
    /// Condition under which the live status line is shown.
    pub eta: Eta,
    /// Update interval of the live status line.
    pub eta_interval: Nanos,
    /// Interval after which a new live status line starts; 0 = never.
    pub eta_newline: Nanos,
    /// True if jobs that write or trim are refused.
    pub readonly: bool,
    /// Sections to run; empty = all.
    pub sections: Vec<String>,
    /// True if notes are treated as errors.
    pub warnings_fatal: bool,
    /// Maximum total number of clones of all jobs.
    pub max_jobs: u32,
    /// True if units are read as fio reads them.
    pub fio_compat: bool,
    /// True if a depth above 1 is accepted for synchronous engines, which then use a depth of 1.
    pub allow_cap: bool,
    /// True if the total bandwidth of all jobs is written to additional logs.
    pub bandwidth_log: bool,
    /// True if existing files that secchi did not create may be written.
    pub allow_overwrite: bool,
    /// Store in which the run is saved; `None` = the default location.
    pub store: Option<PathBuf>,
}

impl RunOptions {
    /// Returns the defaults of all options, as documented in the option table.
    #[must_use]
    pub fn new(engines: &Engines) -> RunOptions {
        let mut run = RunOptions::default();
        for_each_default(engines, |setter, value, context| match setter {
            Run(set) => set(&mut run, value, context),
            _ => Ok(()),
        });
        run
    }

    /// Returns the interpretation of units in sizes, which jobs can override.
    #[must_use]
    pub fn units(&self) -> Units {
        Units { kb_base: 1024, fio_compat: self.fio_compat }
    }
}

words! {
    /// Output format.
    OutputFormat, default Normal {
        Normal = "normal": "human-readable",
        Terse = "terse" | "minimal": "one line of fields per job",
        Json = "json": "JSON",
        JsonPlus = "json+": "JSON with histogram buckets",
    }
}

words! {
    /// Condition under which the live status line is shown.
    Eta, default Auto {
        Auto = "auto": "only on a terminal",
        Always = "always": "even without a terminal",
        Never = "never": "not at all",
    }
}

/// Creates a setter that stores the value in a field of [`RunOptions`].
macro_rules! put_run {
    ($field:ident) => {
        Run(|run, value, _| {
            run.$field = Take::take(value)?;
            Ok(())
        })
    };
}

fn set_formats(run: &mut RunOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    let Value::Text(list) = value else { return Ok(()) };
    let mut formats = Vec::new();
    for name in list.split(',').map(str::trim) {
        let kind = Kind::words(OutputFormat::WORDS);
        let format = OutputFormat::take(crate::value::read(&kind, Some(name), Units::default())?)?;
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    run.formats = formats;
    Ok(())
}

fn set_minimal(run: &mut RunOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if matches!(value, Value::Bool(true)) {
        run.formats = vec![OutputFormat::Terse];
    }
    Ok(())
}

fn set_append_terse(run: &mut RunOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if matches!(value, Value::Bool(true)) && !run.formats.contains(&OutputFormat::Terse) {
        run.formats.push(OutputFormat::Terse);
    }
    Ok(())
}

fn set_debug(run: &mut RunOptions, value: Value, ctx: &mut Context<'_>) -> Result<(), ValueError> {
    let Value::Text(kinds) = value else { return Ok(()) };
    run.debug_parse |= kinds.split(',').any(|kind| matches!(kind, "parse" | "all"));
    if kinds.split(',').any(|kind| kind != "parse") {
        ctx.notes.push(sentence!("job-noted-debug"));
    }
    Ok(())
}

fn set_section(run: &mut RunOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    run.sections.push(Take::take(value)?);
    Ok(())
}

fn set_eta_interval(run: &mut RunOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    let Value::Text(text) = value else { return Ok(()) };
    // A number without a unit is in seconds, as for `eta-newline`.
    let interval = units::time(&text, Nanos::from_secs(1))?;
    if interval < Nanos::from_millis(250) {
        return Err(ValueError::out_of_range(&text, "250ms or more"));
    }
    run.eta_interval = interval;
    Ok(())
}

const CLIENTS: &str = "runs on many hosts need MPI";
const NO_SERVERS: &str =
    "no server is needed because mpirun starts secchi on each host: mpirun --host hostA,hostB secchi fio job.fio";
const ONE_PLAN: &str = "rank 0 reads the job file for all hosts; use: mpirun --host hostA,hostB secchi fio job.fio";
const NO_TRIGGERS: &str = "triggers are not supported; watch for the file yourself and send SIGINT";
const IDLE_WORDS: &[Word] =
    &[Word { name: "system", aliases: &["percpu"], help: "for all CPUs together or for each CPU" }];
const IDLE: &str = "CPU use of the run is always measured and stored in its record";

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option("output", Kind::Path, "", put_run!(output))
        .help("Write the output to this file instead of standard output."),
    option(
        "output-format",
        Kind::Form("list of normal, terse, json, json+, separated by commas"),
        "normal",
        Run(set_formats),
    )
    .help("Output formats, in the order in which they are printed."),
    option("minimal", Kind::Flag, "0", Run(set_minimal)).help("Same as `--output-format=terse`."),
    option("append-terse", Kind::Flag, "0", Run(set_append_terse)).help("Append terse output to the other formats."),
    option("terse-version", Kind::Int { min: 2, max: 5 }, "3", put_run!(terse_version))
        .help("Version of the terse format."),
    option("parse-only", Kind::Flag, "0", put_run!(parse_only))
        .help("Parse the options and job files and exit without opening anything."),
    option("showcmd", Kind::Flag, "0", put_run!(showcmd)).help("Print job files as command lines and exit."),
    option("cmdhelp", Kind::OptionalText, "", put_run!(cmdhelp))
        .help("Print help for one option or for `all` options, and exit."),
    option("enghelp", Kind::OptionalText, "", put_run!(enghelp)).help(
        "Print all engines, the options of one engine (`io_uring`), or a single option (`io_uring,hipri`), and exit.",
    ),
    option("inflate-log", Kind::Path, "", put_run!(inflate_log))
        .help("Print a compressed log (`log_store_compressed`) that was written by secchi or fio 3.33, and exit."),
    option("help", Kind::Flag, "0", put_run!(help)).alias(&["h"]).help("Print usage and exit."),
    option("version", Kind::Flag, "0", put_run!(version)).alias(&["v"]).help("Print the version and exit."),
    option("status-interval", Kind::SECONDS, "0", put_run!(status_interval))
        .help("Print a full report with cumulative figures at this interval during the run."),
    option("eta", Kind::words(Eta::WORDS), "auto", put_run!(eta))
        .help("Show the live status line: always, never or auto."),
    option(
        "eta-interval",
        Kind::Form("time, in seconds if no unit is given, at least 250ms"),
        "1",
        Run(set_eta_interval),
    )
    .noted("job-noted-four-a-second")
    .help("Update interval of the live status line."),
    option("eta-newline", Kind::SECONDS, "0", put_run!(eta_newline))
        .noted("job-noted-one-line")
        .help("Start a new live status line at this interval."),
    option("readonly", Kind::Flag, "0", put_run!(readonly)).help("Refuse jobs that write or trim."),
    option("section", Kind::Text, "", Run(set_section))
        .help("Run only the section with this name; repeatable. Global sections always apply."),
    option("warnings-fatal", Kind::Flag, "0", put_run!(warnings_fatal)).help("Treat notes about options as errors."),
    option("bandwidth-log", Kind::Flag, "0", put_run!(bandwidth_log)).help(
        "Write the total bandwidth of all jobs every 500 ms to `agg-read_bw.log`, `agg-write_bw.log` and \
         `agg-trim_bw.log`.",
    ),
    option("max-jobs", Kind::Int { min: 1, max: 4096 }, "4096", put_run!(max_jobs))
        .help("Maximum number of jobs, including clones."),
    option("fio-compat", Kind::Flag, "0", put_run!(fio_compat))
        .help("Read units as fio does: 1MiB is 10^6 bytes unless `kb_base=1000`. secchi only."),
    option("allow-cap", Kind::Flag, "0", put_run!(allow_cap)).help(
        "Accept an `iodepth` above 1 with a synchronous engine, but use a depth of 1, and note this in the report. \
         secchi only.",
    ),
    option("allow-overwrite", Kind::Flag, "0", put_run!(allow_overwrite)).help(
        "Allow writing to existing files that secchi did not create. secchi only; `overwrite=1` in a job does the \
         same for the files of the job.",
    ),
    option("store", Kind::Path, "", put_run!(store))
        .help("Directory or database in which the run is stored. secchi only."),
    noted("alloc-size", Kind::from(0), "", "job-noted-memory")
        .on_command_line()
        .help("In fio: size of additional memory pools, in KiB."),
    noted(
        "idle-prof",
        Kind::Words { words: IDLE_WORDS, refused: &[("calibrate", IDLE)], argument: false },
        "",
        "job-noted-cpu-use",
    )
    .on_command_line()
    .help("In fio: report the idle time of the CPUs."),
    noted("aux-path", Kind::Path, "", "job-noted-store").on_command_line().help("In fio: directory for state files."),
    option("debug", Kind::Text, "", Run(set_debug)).help(
        "Print debugging output: `parse` prints each option as parsed, in fio's format; other categories print \
         nothing.",
    ),
    OptionSpec { kind: Kind::OptionalText, ..refuse("server", NO_SERVERS) }
        .on_command_line()
        .help("Start a server that runs jobs for clients."),
    refuse("client", CLIENTS).on_command_line().help(
        "Send the jobs to servers. The error message contains the equivalent mpirun command, such as `mpirun --host \
         hostA,hostB secchi fio job.fio`.",
    ),
    refuse("remote-config", ONE_PLAN).on_command_line().help("Job file on the server."),
    refuse("daemonize", NO_SERVERS).on_command_line().help("Run the server in the background."),
    refuse("trigger", NO_TRIGGERS).on_command_line().help("Command to run when the trigger fires."),
    refuse("trigger-file", NO_TRIGGERS).on_command_line().help("File that fires the trigger when it exists."),
    refuse("trigger-timeout", NO_TRIGGERS).on_command_line().help("Time after which the trigger fires."),
    refuse("trigger-remote", NO_TRIGGERS).on_command_line().help("Trigger command to run on servers."),
    refuse("merge-blktrace-only", "traces are merged only to be replayed; use merge_blktrace_file")
        .on_command_line()
        .help("Merge blktrace recordings and exit."),
    refuse("cpuclock-test", "the clock is checked before every run; `secchi qualify` prints the result")
        .on_command_line()
        .help("Test the CPU clock."),
    refuse("crctest", "it measures the processor, not storage")
        .on_command_line()
        .help("Measure the speed of checksums."),
    refuse("memcpytest", "it measures memory, not storage")
        .on_command_line()
        .help("Measure the speed of memory copies."),
    refuse("latency-log", "use write_lat_log").on_command_line().help("In fio 1: write latency logs for all jobs."),
];

//! Options that are valid only on the command line: outputs, and selection of jobs.

use crate::options::{Context, OptionSpec, option, refuse};
use crate::text;
use crate::units::{self, Units};
use crate::value::{Kind, Take, Value, words};
use crate::value_error::ValueError;
use messages::sentence;
use model::Nanos;
use std::path::PathBuf;

/// Options of the run, given on the command line.
#[derive(Debug, Clone, PartialEq)]
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

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            formats: vec![OutputFormat::Normal],
            output: None,
            terse_version: 3,
            parse_only: false,
            debug_parse: false,
            showcmd: false,
            cmdhelp: None,
            enghelp: None,
            inflate_log: None,
            help: false,
            version: false,
            status_interval: Nanos(0),
            eta: Eta::Auto,
            eta_interval: Nanos::from_secs(1),
            eta_newline: Nanos(0),
            readonly: false,
            sections: Vec::new(),
            warnings_fatal: false,
            max_jobs: 4096,
            fio_compat: false,
            allow_cap: false,
            bandwidth_log: false,
            allow_overwrite: false,
            store: None,
        }
    }
}

impl RunOptions {
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
        |run, value, _| {
            run.$field = Take::take(value)?;
            Ok(())
        }
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

fn set_output(run: &mut RunOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Text(path) = value {
        run.output = Some(text::to_path(&path));
    }
    Ok(())
}

fn set_inflate(run: &mut RunOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Text(path) = value {
        run.inflate_log = Some(text::to_path(&path));
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

fn set_store(run: &mut RunOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Text(path) = value {
        run.store = Some(text::to_path(&path));
    }
    Ok(())
}

fn set_section(run: &mut RunOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Text(name) = value {
        run.sections.push(name);
    }
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

fn set_optional(slot: &mut Option<String>, value: Value) {
    *slot = Some(match value {
        Value::Text(text) => text,
        _ => String::new(),
    });
}

fn set_cmdhelp(run: &mut RunOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    set_optional(&mut run.cmdhelp, value);
    Ok(())
}

fn set_enghelp(run: &mut RunOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    set_optional(&mut run.enghelp, value);
    Ok(())
}

const CLIENTS: &str = "runs on many hosts need MPI";
const NO_SERVERS: &str =
    "no server is needed because mpirun starts secchi on each host: mpirun --host hostA,hostB secchi fio job.fio";
const ONE_PLAN: &str = "rank 0 reads the job file for all hosts; use: mpirun --host hostA,hostB secchi fio job.fio";
const NO_TRIGGERS: &str = "triggers are not supported; watch for the file yourself and send SIGINT";
const IDLE: &str = "CPU use of the run is always measured and stored in its record";

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option("output", Kind::Path, "", "Write the output to this file instead of standard output.").run(set_output),
    option(
        "output-format",
        Kind::Form("list of normal, terse, json, json+, separated by commas"),
        "normal",
        "Output formats, in the order in which they are printed.",
    )
    .run(set_formats),
    option("minimal", Kind::Flag, "0", "Same as `--output-format=terse`.").run(set_minimal),
    option("append-terse", Kind::Flag, "0", "Append terse output to the other formats.").run(set_append_terse),
    option("terse-version", Kind::Int { min: 2, max: 5 }, "3", "Version of the terse format.")
        .run(put_run!(terse_version)),
    option("parse-only", Kind::Flag, "0", "Parse the options and job files and exit without opening anything.")
        .run(put_run!(parse_only)),
    option("showcmd", Kind::Flag, "0", "Print job files as command lines and exit.").run(put_run!(showcmd)),
    option("cmdhelp", Kind::OPTIONAL, "", "Print help for one option or for `all` options, and exit.").run(set_cmdhelp),
    option(
        "enghelp",
        Kind::OPTIONAL,
        "",
        "Print all engines, the options of one engine (`io_uring`), or a single option (`io_uring,hipri`), and exit.",
    )
    .run(set_enghelp),
    option(
        "inflate-log",
        Kind::Path,
        "",
        "Print a compressed log (`log_store_compressed`) that was written by secchi or fio 3.33, and exit.",
    )
    .run(set_inflate),
    option("help", Kind::Flag, "0", "Print usage and exit.").alias(&["h"]).run(put_run!(help)),
    option("version", Kind::Flag, "0", "Print the version and exit.").alias(&["v"]).run(put_run!(version)),
    option(
        "status-interval",
        Kind::SECONDS,
        "0",
        "Print a full report with cumulative figures at this interval during the run.",
    )
    .run(put_run!(status_interval)),
    option("eta", Kind::words(Eta::WORDS), "auto", "Show the live status line: always, never or auto.")
        .run(put_run!(eta)),
    option(
        "eta-interval",
        Kind::Form("time, in seconds if no unit is given, at least 250ms"),
        "1",
        "Update interval of the live status line.",
    )
    .noted("job-noted-four-a-second")
    .run(set_eta_interval),
    option("eta-newline", Kind::SECONDS, "0", "Start a new live status line at this interval.")
        .noted("job-noted-one-line")
        .run(put_run!(eta_newline)),
    option("readonly", Kind::Flag, "0", "Refuse jobs that write or trim.").run(put_run!(readonly)),
    option("section", Kind::Text, "", "Run only the section with this name; repeatable. Global sections always apply.")
        .run(set_section),
    option("warnings-fatal", Kind::Flag, "0", "Treat notes about options as errors.").run(put_run!(warnings_fatal)),
    option(
        "bandwidth-log",
        Kind::Flag,
        "0",
        "Write the total bandwidth of all jobs every 500 ms to `agg-read_bw.log`, `agg-write_bw.log` and \
         `agg-trim_bw.log`.",
    )
    .run(put_run!(bandwidth_log)),
    option("max-jobs", Kind::Int { min: 1, max: 4096 }, "4096", "Maximum number of jobs, including clones.")
        .run(put_run!(max_jobs)),
    option(
        "fio-compat",
        Kind::Flag,
        "0",
        "Read units as fio does: 1MiB is 10^6 bytes unless `kb_base=1000`. secchi only.",
    )
    .run(put_run!(fio_compat)),
    option(
        "allow-cap",
        Kind::Flag,
        "0",
        "Accept an `iodepth` above 1 with a synchronous engine, but use a depth of 1, and note this in the report. \
         secchi only.",
    )
    .run(put_run!(allow_cap)),
    option(
        "allow-overwrite",
        Kind::Flag,
        "0",
        "Allow writing to existing files that secchi did not create. secchi only; `overwrite=1` in a job does the \
         same for the files of the job.",
    )
    .run(put_run!(allow_overwrite)),
    option("store", Kind::Path, "", "Directory or database in which the run is stored. secchi only.").run(set_store),
    option("alloc-size", Kind::from(0), "", "In fio: size of additional memory pools, in KiB.")
        .noted("job-noted-memory")
        .on_command_line(),
    option(
        "idle-prof",
        Kind::Words {
            words: &[crate::Word {
                name: "system",
                aliases: &["percpu"],
                help: "for all CPUs together or for each CPU",
            }],
            refused: &[("calibrate", IDLE)],
            argument: false,
        },
        "",
        "In fio: report the idle time of the CPUs.",
    )
    .noted("job-noted-cpu-use")
    .on_command_line(),
    option("aux-path", Kind::Path, "", "In fio: directory for state files.").noted("job-noted-store").on_command_line(),
    option(
        "debug",
        Kind::Text,
        "",
        "Print debugging output: `parse` prints each option as parsed, in fio's format; other categories print \
         nothing.",
    )
    .run(set_debug),
    refuse("server", "Start a server that runs jobs for clients.", NO_SERVERS).kind(Kind::OPTIONAL).on_command_line(),
    refuse(
        "client",
        "Send the jobs to servers. The error message contains the equivalent mpirun command, such as `mpirun --host \
         hostA,hostB secchi fio job.fio`.",
        CLIENTS,
    )
    .on_command_line(),
    refuse("remote-config", "Job file on the server.", ONE_PLAN).on_command_line(),
    refuse("daemonize", "Run the server in the background.", NO_SERVERS).on_command_line(),
    refuse("trigger", "Command to run when the trigger fires.", NO_TRIGGERS).on_command_line(),
    refuse("trigger-file", "File that fires the trigger when it exists.", NO_TRIGGERS).on_command_line(),
    refuse("trigger-timeout", "Time after which the trigger fires.", NO_TRIGGERS).on_command_line(),
    refuse("trigger-remote", "Trigger command to run on servers.", NO_TRIGGERS).on_command_line(),
    refuse(
        "merge-blktrace-only",
        "Merge blktrace recordings and exit.",
        "traces are merged only to be replayed; use merge_blktrace_file",
    )
    .on_command_line(),
    refuse(
        "cpuclock-test",
        "Test the CPU clock.",
        "the clock is checked before every run; `secchi qualify` prints the result",
    )
    .on_command_line(),
    refuse("crctest", "Measure the speed of checksums.", "it measures the processor, not storage").on_command_line(),
    refuse("memcpytest", "Measure the speed of memory copies.", "it measures memory, not storage").on_command_line(),
    refuse("latency-log", "In fio 1: write latency logs for all jobs.", "use write_lat_log").on_command_line(),
];

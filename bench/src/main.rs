//! Compares secchi with its peers: the programs take turns to do the same work on one core. Prints ratios and stores
//! the raw figures.
//!
//! `cargo run --release -p bench` runs everything (about four minutes), prints a table and the goals, and appends dated
//! raw figures to `bench/results/`. `-- --smoke` runs each workload once for one second and stores nothing. `--
//! --rounds N`, `--seconds S` and `--only NAME` limit the run. No figure is asserted. Absolute figures depend on the
//! machine; ratios are comparable.

mod answer;
mod bare;
mod child;
mod peers;
mod table;

use anyhow::{Context, Result, bail};
use peers::{Figure, Peer};
use std::path::{Path, PathBuf};
use table::{Goal, Row};

/// Workload that every peer runs.
#[derive(Debug, Clone)]
pub struct Case {
    /// Short name, also used in the stored figures.
    pub name: &'static str,
    /// Name of the engine in both fio and secchi.
    pub engine: &'static str,
    /// Number of operations in flight.
    pub depth: u32,
    /// True if the file is opened with O_DIRECT.
    pub direct: bool,
    /// File or device that the workload uses.
    pub on: On,
}

/// File or device that a case uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// None: the case does no I/O.
    Nothing,
    /// File that fits into the page cache.
    Cached,
    /// Loop device backed by a file in memory.
    Loop,
    /// File on the disk of the working directory.
    Disk,
}

const CASES: &[Case] = &[
    Case { name: "null QD1", engine: "null", depth: 1, direct: false, on: On::Nothing },
    Case { name: "null QD32", engine: "null", depth: 32, direct: false, on: On::Nothing },
    Case { name: "cached psync", engine: "psync", depth: 1, direct: false, on: On::Cached },
    Case { name: "cached io_uring QD32", engine: "io_uring", depth: 32, direct: false, on: On::Cached },
    Case { name: "loop io_uring QD32", engine: "io_uring", depth: 32, direct: true, on: On::Loop },
    Case { name: "disk psync", engine: "psync", depth: 1, direct: true, on: On::Disk },
    Case { name: "disk io_uring QD4", engine: "io_uring", depth: 4, direct: true, on: On::Disk },
    Case { name: "disk io_uring QD16", engine: "io_uring", depth: 16, direct: true, on: On::Disk },
    Case { name: "disk io_uring QD64", engine: "io_uring", depth: 64, direct: true, on: On::Disk },
];

struct Options {
    rounds: usize,
    seconds: u64,
    only: Option<String>,
    keep: bool,
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let Some(role) = args.first().and_then(|a| a.strip_prefix("--as=")) {
        return child::child(role, &args[1..]);
    }
    let options = options(&args)?;
    let stage = Stage::set()?;
    let mut rows = Vec::new();
    for case in CASES {
        if options.only.as_deref().is_some_and(|o| !case.name.contains(o)) {
            continue;
        }
        match stage.path(case.on) {
            Ok(path) => rows.push(contest(case, path.as_deref(), &options)?),
            Err(reason) => println!("SKIPPED: {}: {reason}", case.name),
        }
    }
    let memory = peers::memory(&stage.cached)?;
    println!("{}", table::render(&rows));
    println!("{}", table::goals(&rows, &memory, &goals()));
    if options.keep {
        let path = table::append(&rows, &memory).context("cannot keep the raw figures")?;
        println!("raw figures appended to {}", path.display());
    }
    Ok(())
}

fn options(args: &[String]) -> Result<Options> {
    let mut options = Options { rounds: 5, seconds: 2, only: None, keep: true };
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("{word} needs a value"));
        match word.as_str() {
            "--smoke" => options = Options { rounds: 1, seconds: 1, only: None, keep: false },
            "--rounds" => options.rounds = value()?.parse()?,
            "--seconds" => options.seconds = value()?.parse()?,
            "--only" => options.only = Some(value()?.clone()),
            other => bail!("unknown option {other}: --smoke, --rounds N, --seconds S, --only NAME"),
        }
    }
    Ok(options)
}

/// Runs the peers in turn, each once per round, so that changes in the machine's performance affect all of them.
fn contest(case: &Case, path: Option<&Path>, options: &Options) -> Result<Row> {
    let peers = peers::peers_of(case);
    let mut figures: Vec<(Peer, Vec<Figure>)> = peers.into_iter().map(|p| (p, Vec::new())).collect();
    for _ in 0..options.rounds {
        for (peer, list) in &mut figures {
            match peers::run(*peer, case, path, options.seconds) {
                Ok(figure) => list.push(figure),
                Err(error) => println!("SKIPPED: {} of {}: {error:#}", peer.name(), case.name),
            }
        }
    }
    println!("{}: done", case.name);
    Ok(Row { case: case.clone(), figures })
}

/// Files and devices that the cases use. They are removed when this value is dropped.
struct Stage {
    cached: PathBuf,
    disk: PathBuf,
    memory: PathBuf,
    device: Result<String, String>,
}

impl Stage {
    fn set() -> Result<Self> {
        let here = std::env::current_dir()?;
        let cached = here.join(format!("bench-cached-{}.dat", std::process::id()));
        let disk = here.join(format!("bench-disk-{}.dat", std::process::id()));
        let memory = PathBuf::from(format!("/dev/shm/bench-loop-{}.img", std::process::id()));
        let mut stage = Stage { cached, disk, memory, device: Err("not set up".to_owned()) };
        child::make_file(&stage.cached, 256 << 20)?;
        child::make_file(&stage.disk, 1 << 30)?;
        stage.device = stage.attach();
        Ok(stage)
    }

    fn attach(&self) -> Result<String, String> {
        child::make_file(&self.memory, 512 << 20).map_err(|e| format!("{e:#}"))?;
        let out = std::process::Command::new("losetup")
            .args(["--find", "--show", "--direct-io=off"])
            .arg(&self.memory)
            .output()
            .map_err(|e| format!("losetup: {e}"))?;
        if !out.status.success() {
            return Err(format!("losetup: {}", String::from_utf8_lossy(&out.stderr).trim()));
        }
        Ok(String::from_utf8_lossy(&out.stdout).trim().to_owned())
    }

    fn path(&self, on: On) -> Result<Option<PathBuf>, String> {
        Ok(match on {
            On::Nothing => None,
            On::Cached => Some(self.cached.clone()),
            On::Disk => Some(self.disk.clone()),
            On::Loop => Some(PathBuf::from(self.device.clone()?)),
        })
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Ok(device) = &self.device {
            // Errors cannot be handled here.
            let _ = std::process::Command::new("losetup").args(["--detach", device]).status();
        }
        for file in [&self.cached, &self.disk, &self.memory] {
            let _ = std::fs::remove_file(file);
        }
    }
}

/// Returns the goals P1 to P6 (docs/design/goals.md, "Performance"). Each goal is a bound on a ratio of medians from
/// one interleaved run.
fn goals() -> Vec<Goal> {
    use Peer::{Bare, Fio, FioTuned, Language, Secchi};
    vec![
        Goal::user("P1", "null QD1", Secchi, Fio, 1.0 / 6.0),
        Goal::user("P1", "null QD1", Secchi, Bare, 1.25),
        Goal::user("P2", "null QD32", Secchi, Fio, 1.0 / 25.0),
        Goal::iops("P3", "cached psync", Secchi, Fio, 1.4),
        Goal::iops("P3", "cached psync", Secchi, Bare, 0.96),
        Goal::iops("P4", "cached io_uring QD32", Secchi, Fio, 2.1),
        Goal::iops("P4", "cached io_uring QD32", Secchi, FioTuned, 1.15),
        Goal::iops("P4", "cached io_uring QD32", Secchi, Bare, 0.95),
        Goal::user("P5", "loop io_uring QD32", Secchi, Fio, 0.2),
        Goal::iops("P5", "loop io_uring QD32", Secchi, FioTuned, 1.0),
        Goal::iops("P6", "disk psync", Secchi, Fio, 0.98),
        Goal::mean("P6", "disk psync", Secchi, Fio, 1.0),
        Goal::iops("P6", "disk io_uring QD4", Secchi, Fio, 0.98),
        Goal::iops("P6", "disk io_uring QD16", Secchi, Fio, 0.98),
        Goal::iops("P6", "disk io_uring QD64", Secchi, Fio, 0.98),
        Goal::user("P6", "disk io_uring QD64", Secchi, Fio, 0.2),
        // A job in fio's language costs as much as a native job. Reporting slat and clat separately costs a little
        // more.
        Goal::user("lang", "null QD1", Language, Secchi, 1.05),
        Goal::iops("lang", "cached psync", Language, Secchi, 0.97),
        Goal::iops("lang", "cached io_uring QD32", Language, Secchi, 0.97),
        Goal::iops("lang", "disk io_uring QD16", Language, Secchi, 0.97),
    ]
}

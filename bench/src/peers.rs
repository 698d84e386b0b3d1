//! Peers: programs that are compared with secchi. This module starts them and reads their figures.

use crate::Case;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Program that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// secchi's data plane.
    Secchi,
    /// The whole secchi program with a job in fio's language, as a user starts it.
    Language,
    /// Minimal code that does the same work.
    Bare,
    /// fio without tuning options.
    Fio,
    /// fio with all options that make it faster but still let it measure latency.
    FioTuned,
}

impl Peer {
    /// Returns the name for tables.
    pub fn name(self) -> &'static str {
        match self {
            Peer::Secchi => "secchi",
            Peer::Language => "secchi fio",
            Peer::Bare => "bare loop",
            Peer::Fio => "fio",
            Peer::FioTuned => "fio tuned",
        }
    }
}

/// Figures of one run.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    pub iops: f64,
    pub user_ns: f64,
    pub system_ns: f64,
    pub mean_ns: f64,
}

/// Figures for goal P7 (docs/design/goals.md, "Performance"): resident bytes with 128 workers, including buffers
/// (512 KiB), and milliseconds from start to first I/O.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    pub resident: f64,
    pub first_io_ms: f64,
}

/// Returns the peers that take part in a case.
pub fn peers_of(case: &Case) -> Vec<Peer> {
    let mut peers = vec![Peer::Secchi, Peer::Language, Peer::Bare, Peer::Fio];
    if case.engine != "psync" {
        peers.push(Peer::FioTuned);
    }
    peers
}

/// Returns a command that runs a program with all its threads on one core. The core is the same for all peers.
fn pinned(program: &Path) -> Command {
    let cpus = sys::threads::allowed_cpus();
    let mut command = Command::new("taskset");
    command.arg("-c").arg(cpus.last().copied().unwrap_or(0).to_string()).arg(program);
    command
}

/// Runs one peer once.
pub fn run(peer: Peer, case: &Case, path: Option<&Path>, seconds: u64) -> Result<Figure> {
    match peer {
        Peer::Secchi => child("load", case, path, 1, seconds).and_then(|v| figure(&v)),
        Peer::Bare => child("bare", case, path, 1, seconds).and_then(|v| figure(&v)),
        Peer::Language => language(case, path, seconds),
        Peer::Fio => fio(pinned(Path::new("fio")), case, path, seconds, false),
        Peer::FioTuned => fio(pinned(Path::new("fio")), case, path, seconds, true),
    }
}

fn child(role: &str, case: &Case, path: Option<&Path>, threads: u32, seconds: u64) -> Result<Value> {
    let out = pinned(&std::env::current_exe()?)
        .arg(format!("--as={role}"))
        .args([case.engine, &case.depth.to_string(), &threads.to_string(), &seconds.to_string()])
        .arg(if case.direct { "1" } else { "0" })
        .arg(path.unwrap_or(Path::new("-")))
        .output()?;
    if !out.status.success() {
        bail!("{}", String::from_utf8_lossy(&out.stderr).trim());
    }
    Ok(serde_json::from_slice(&out.stdout)?)
}

fn number(value: &Value, key: &str) -> Result<f64> {
    value[key].as_f64().with_context(|| format!("no {key}"))
}

fn figure(value: &Value) -> Result<Figure> {
    Ok(Figure {
        iops: number(value, "iops")?,
        user_ns: number(value, "user_ns")?,
        system_ns: number(value, "system_ns")?,
        mean_ns: number(value, "mean_ns")?,
    })
}

/// Runs the secchi program next to this executable, with the same arguments as fio.
fn language(case: &Case, path: Option<&Path>, seconds: u64) -> Result<Figure> {
    let program = std::env::current_exe()?.with_file_name("secchi");
    if !program.exists() {
        bail!("{} is not there: cargo build --release makes it", program.display());
    }
    let store = std::env::current_dir()?.join(format!("bench-store-{}", std::process::id()));
    let mut command = pinned(&program);
    command.arg("fio").arg(format!("--store={}", store.display()));
    if let Some(path) = path.filter(|p| p.starts_with("/dev")) {
        command.arg(format!("--device={}", path.display()));
    }
    let figure = fio(command, case, path, seconds, false);
    // The benchmark's runs need not be kept in the store.
    let _ = std::fs::remove_dir_all(store);
    figure
}

fn fio(mut command: Command, case: &Case, path: Option<&Path>, seconds: u64, tuned: bool) -> Result<Figure> {
    command.args(["--name=peer", "--rw=randread", "--bs=4k", "--time_based", "--output-format=json", "--thread"]);
    command.args([
        format!("--ioengine={}", case.engine),
        format!("--iodepth={}", case.depth),
        format!("--runtime={seconds}"),
        format!("--direct={}", u8::from(case.direct)),
    ]);
    match path {
        Some(path) => command.arg(format!("--filename={}", path.display())).arg("--readonly").arg("--invalidate=0"),
        None => command.arg("--size=1g"),
    };
    if tuned {
        command.args(["--norandommap", "--clat_percentiles=0", "--lat_percentiles=0"]);
        command.args([
            format!("--iodepth_batch_submit={}", case.depth),
            format!("--iodepth_batch_complete_max={}", case.depth),
        ]);
        if case.engine == "io_uring" {
            command.args(["--fixedbufs", "--registerfiles"]);
        }
    }
    let out = command.output().context("fio is not installed")?;
    if !out.status.success() {
        bail!("fio: {}", String::from_utf8_lossy(&out.stderr).trim());
    }
    let value: Value = serde_json::from_slice(&out.stdout).context("fio's JSON")?;
    let job = &value["jobs"][0];
    let read = &job["read"];
    let (ops, runtime_ms) = (number(read, "total_ios")?, number(read, "runtime")?);
    let cpu = |key: &str| Ok::<f64, anyhow::Error>(number(job, key)? / 100.0 * runtime_ms * 1e6 / ops);
    Ok(Figure {
        iops: ops / runtime_ms * 1e3,
        user_ns: cpu("usr_cpu")?,
        system_ns: cpu("sys_cpu")?,
        mean_ns: number(&read["lat_ns"], "mean")?,
    })
}

/// Measures the memory of 128 workers and the time until one worker's first I/O, in runs of one second each.
pub fn memory(file: &Path) -> Result<Memory> {
    let case = Case { name: "128 workers", engine: "psync", depth: 1, direct: false, on: crate::On::Cached };
    let value = child("load", &case, Some(file), 128, 1)?;
    let before = sys::clock::monotonic_ns() as f64;
    let started = child("load", &case, Some(file), 1, 1)?;
    Ok(Memory { resident: number(&value, "resident")?, first_io_ms: (number(&started, "first_io")? - before) / 1e6 })
}

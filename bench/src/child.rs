//! Child processes of the benchmark. Each runs one of secchi's loads or one bare loop.

use crate::answer::print;
use crate::bare;
use anyhow::{Context, Result, bail};
use model::plan::{Access, ErrorPolicy, Mix, StopRule, TargetKind, Workload};
use model::{Bytes, Job, Nanos, Target};
use run::{Decision, Load, run_load};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use sys::clock::{Clock, RunClock, TscClock};
use sys::files::OpenHow;

/// Runs a child process. Its arguments are the engine, depth, threads, seconds, direct, and a path or `-`.
pub fn child(role: &str, args: &[String]) -> Result<()> {
    let [engine, depth, threads, seconds, direct, path] = args else { bail!("a child takes six arguments") };
    let (depth, threads, seconds): (u32, u32, u64) = (depth.parse()?, threads.parse()?, seconds.parse()?);
    let file = match path.as_str() {
        "-" => None,
        path => {
            let how = OpenHow { access: sys::files::Access::Read, direct: direct == "1", exclusive: false };
            let place = sys::files::canonical(path).with_context(|| path.to_owned())?;
            Some(sys::files::open_no_links(None, &place, how).with_context(|| path.to_owned())?)
        }
    };
    let clock = TscClock::start(5_000_000)?;
    match role {
        "load" => ours(RunClock::Tsc(clock), engine, (depth, threads), seconds, file),
        "bare" => bare::run(clock, engine, depth, seconds, file),
        other => bail!("no child {other}"),
    }
}

fn size_of(file: &File) -> Result<u64> {
    use std::io::{Seek, SeekFrom};
    let mut file = file.try_clone()?;
    Ok(file.seek(SeekFrom::End(0))?)
}

/// Runs secchi's data plane: pattern, windows, histograms, collector.
fn ours(clock: RunClock, engine: &str, (depth, threads): (u32, u32), seconds: u64, file: Option<File>) -> Result<()> {
    let size = file.as_ref().map_or(Ok(1 << 30), size_of)?;
    let kind = if file.is_some() { TargetKind::File } else { TargetKind::Null };
    let job = Job {
        tuning: model::plan::JobTuning::default(),
        more: Vec::new(),
        name: "bench".to_owned(),
        workload: Workload::new(Mix::READ, Bytes(4096), Access::RANDOM),
        target: Target {
            offset: model::Bytes(0),
            kind,
            path: "bench".into(),
            size: Bytes(size),
            direct: false,
            align: Bytes(512),
            uuid: None,
        },
        engine: engine.to_owned(),
        queue_depth: depth,
        threads,
        stop: StopRule {
            ramp: Nanos::from_millis(200),
            time: Nanos::from_secs(seconds),
            steady_after: None,
            max_ops: None,
        },
        on_error: ErrorPolicy::Stop,
        seed: 1,
        faults: None,
    };
    let load = Load { files: file.map(Arc::new).into_iter().collect(), ..Load::new(job, Nanos::from_secs(60)) };
    let before_ns = sys::clock::monotonic_ns() as i64 - clock.now() as i64;
    let end = run_load(clock, &load, &mut |_| Decision::GoOn)?;
    let total = &end.total;
    let ops = total.ops().max(1) as f64;
    print(
        total.iops().per_second(),
        total.cpu_user.as_nanos() as f64 / ops,
        total.cpu_system.as_nanos() as f64 / ops,
        total.latency().summary().mean().unwrap_or(0.0),
        end.start.as_nanos() as i64 + before_ns,
    )
}

/// Creates a file of incompressible data. The file is synced, and its data is still in the page cache.
pub fn make_file(path: &Path, bytes: u64) -> Result<()> {
    let mut file = File::create(path).with_context(|| format!("cannot make {}", path.display()))?;
    let mut random = load::random::Random::new(7);
    let mut block = vec![0u8; 1 << 20];
    for _ in 0..bytes >> 20 {
        for word in block.chunks_exact_mut(8) {
            word.copy_from_slice(&random.next().to_le_bytes());
        }
        file.write_all(&block)?;
    }
    file.sync_all()?;
    Ok(())
}

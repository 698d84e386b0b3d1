//! Bare loops, which measure the cost of minimal code: the same system calls and timestamps, and a record of each
//! operation. They have no patterns, windows, error handling or options. secchi's additional cost per operation is
//! therefore the cost of these features.

use crate::answer::print;
use anyhow::{Context, Result, bail};
use load::random::Random;
use std::fs::File;
use std::hint::black_box;
use sys::clock::Clock;
use sys::files::FileExt;
use sys::queues::{IoKind, Submission, UringQueue, Wait};

const BLOCK: u64 = 4096;

/// Runs the bare loop of an engine.
pub fn run<K: Clock>(clock: K, engine: &str, depth: u32, seconds: u64, file: Option<File>) -> Result<()> {
    let mut counts = vec![0u32; model::measured::BUCKETS];
    let cpu = sys::threads::thread_cpu_time();
    let start = clock.now();
    let end = start + seconds * 1_000_000_000;
    let (ops, sum) = match (engine, file) {
        ("null", None) => null(clock, depth, end, &mut counts),
        ("psync", Some(file)) => psync(clock, end, &file, &mut counts)?,
        ("io_uring", Some(file)) => uring(clock, depth, end, file, &mut counts)?,
        _ => bail!("no bare loop for {engine}"),
    };
    black_box(&counts);
    let elapsed = (clock.now() - start) as f64 / 1e9;
    let used = sys::threads::thread_cpu_time();
    let per = |ns: u64| ns as f64 / ops as f64;
    print(
        ops as f64 / elapsed,
        per(used.user_ns - cpu.user_ns),
        per(used.system_ns - cpu.system_ns),
        sum as f64 / ops as f64,
        0,
    )
}

/// Takes timestamps and records operations. Above depth one, the loop takes one timestamp per batch, because nothing
/// happens between the operations of a batch.
fn null<K: Clock>(clock: K, depth: u32, end: u64, counts: &mut [u32]) -> (u64, u64) {
    let (mut ops, mut sum) = (0, 0);
    loop {
        let issued = clock.now();
        black_box(issued);
        let now = clock.now();
        for _ in 0..depth {
            let latency = now - issued;
            counts[model::measured::bucket_of(latency)] += 1;
            sum += latency;
            ops += 1;
        }
        if now >= end {
            return (ops, sum);
        }
    }
}

fn psync<K: Clock>(clock: K, end: u64, file: &File, counts: &mut [u32]) -> Result<(u64, u64)> {
    let blocks = file_blocks(file)?;
    let mut random = Random::new(1);
    // Direct I/O needs aligned memory: a vector of pages, used from its first page boundary.
    let mut memory = vec![0u8; 3 * BLOCK as usize];
    let skip = memory.as_ptr().align_offset(BLOCK as usize);
    let buffer = &mut memory[skip..skip + BLOCK as usize];
    let (mut ops, mut sum) = (0, 0);
    loop {
        let at = random.below(blocks) * BLOCK;
        let issued = clock.now();
        file.read_exact_at(buffer, at).context("bare read")?;
        let now = clock.now();
        counts[model::measured::bucket_of(now - issued)] += 1;
        sum += now - issued;
        ops += 1;
        if now >= end {
            return Ok((ops, sum));
        }
    }
}

fn uring<K: Clock>(clock: K, depth: u32, end: u64, file: File, counts: &mut [u32]) -> Result<(u64, u64)> {
    let blocks = file_blocks(&file)?;
    let mut random = Random::new(1);
    let mut queue = UringQueue::new(
        sys::queues::FileSet::new(vec![file])?,
        depth,
        BLOCK as usize,
        sys::queues::UringOptions::default(),
    )?;
    let mut issued = vec![0u64; depth as usize];
    let mut free: Vec<u32> = (0..depth).collect();
    let (mut ops, mut sum, mut failed) = (0, 0, 0u64);
    loop {
        let now = clock.now();
        queue.push(free.drain(..).map(|slot| {
            issued[slot as usize] = now;
            Submission {
                slot,
                kind: IoKind::Read,
                file: 0,
                at: random.below(blocks) * BLOCK,
                len: BLOCK as u32,
                skip: 0,
            }
        }));
        let mut batch = Vec::new();
        std::mem::swap(&mut batch, &mut free);
        queue.reap(1, Wait::Forever, |r| {
            failed += u64::from(r.result != BLOCK as i32);
            batch.push(r.slot);
        })?;
        let now = clock.now();
        for slot in &batch {
            let latency = now - issued[*slot as usize];
            counts[model::measured::bucket_of(latency)] += 1;
            sum += latency;
        }
        ops += batch.len() as u64;
        free = batch;
        if failed > 0 {
            bail!("bare reads failed");
        }
        if now >= end {
            return Ok((ops, sum));
        }
    }
}

fn file_blocks(file: &File) -> Result<u64> {
    use std::io::{Seek, SeekFrom};
    Ok(file.try_clone()?.seek(SeekFrom::End(0))? / BLOCK)
}

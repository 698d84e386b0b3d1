//! `secchi durable write`: prepares an experiment, registers it with its witness, and writes until a signal arrives or
//! its time has elapsed.

use super::{boot, client, failed, print_lines};
use ::durable::directory::{Home, Parent, Standing};
use ::durable::experiment::{Marker, Stage, VERSION};
use ::durable::geometry::Geometry;
use ::durable::verify::whole;
use ::durable::witness::client::Client;
use ::durable::witness::teller::{News, Told, report_progress};
use ::durable::writers::{Progress, Writers};
use anyhow::Result;
use cli::DurableWrite;
use messages::sentence;
use model::{Bytes, LatencyHistogram, Nanos};
use session::console::{self, Live};
use session::exit::{self, Code, coded};
use session::measure::receive_signals;
use session::reject;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// Interval between checks of the progress.
const LOOK: Duration = Duration::from_millis(250);
/// Time after which a sync that has not returned is reported.
const STALLED: Duration = Duration::from_secs(10);

pub fn run(options: &DurableWrite) -> Result<Code> {
    let geometry = geometry(options)?;
    let witness = options.witness.as_deref().map(|w| client(w, options.token.as_deref())).transpose()?;
    let parent = Parent::open(&options.path).map_err(failed)?;
    let standing = parent.inspect().map_err(failed)?;
    let (run, generation) = next_generation(&standing, options)?;
    if let Some(witness) = &witness {
        reach(witness, run)?;
    }
    let mut marker = Marker {
        version: VERSION,
        run,
        generation,
        stage: Stage::Preparing,
        seed: Uuid::new_v4().as_u64_pair().0,
        sync: options.sync,
        geometry,
        boot: boot(),
        host: sys::process::host_name(),
        begun_ns: sys::clock::realtime_ns(),
        reached: Vec::new(),
    };
    let signals = signals()?;
    let (fresh, home) = prepare(&parent, standing, &marker)?;
    marker.stage = Stage::Writing;
    let begun = home.put_marker(&marker).map_err(failed).and_then(|()| match &witness {
        Some(witness) => witness.begin(&marker).map_err(|e| coded(exit::CANNOT, e)),
        None => Ok(()),
    });
    let writers = begun.and_then(|()| {
        introduce(options, &parent, &marker)?;
        Writers::start(&home, &marker).map_err(failed)
    });
    let writers = match writers {
        Ok(writers) => writers,
        Err(failure) => {
            // No write has been acknowledged: remove the directory if it is new, or mark the experiment in it as ended.
            if fresh {
                drop(home);
                let _ = parent.remove();
                let _ = witness.as_ref().map(|w| w.forget(marker.run));
            } else {
                let _ = home.put_marker(&Marker { stage: Stage::Ended, ..marker });
            }
            return Err(failure);
        }
    };
    write(options, &home, marker, witness, writers, &signals)
}

fn geometry(options: &DurableWrite) -> Result<Geometry> {
    let (block, size) = (options.block.as_u64(), options.size.as_u64());
    let most = u64::from(Geometry::LARGEST_BLOCK);
    if block == 0 || !block.is_multiple_of(512) || block > most {
        reject!("--block {}: must be a multiple of 512 bytes and at most {}", options.block, Bytes(most));
    }
    let blocks = size / block;
    if blocks == 0 || !size.is_multiple_of(block) || blocks > Geometry::MOST_BLOCKS {
        reject!(
            "--size {}: must be a whole number of blocks (--block {}), at least one and at most {}",
            options.size,
            options.block,
            whole(Geometry::MOST_BLOCKS)
        );
    }
    let jobs = u16::try_from(options.jobs).unwrap_or(Geometry::MOST_JOBS);
    Ok(Geometry { block: block as u32, blocks, jobs, slots: options.names, ..Geometry::default() })
}

/// Returns the run and the generation to begin: the next generation of an existing experiment that may be overwritten,
/// otherwise the first generation of a new run.
fn next_generation(standing: &Standing, options: &DurableWrite) -> Result<(Uuid, u32)> {
    let (home, reason, next) = match standing {
        Standing::Nothing => return Ok((Uuid::new_v4(), 1)),
        Standing::Ours(home, old) => {
            let next = (old.run, old.generation.saturating_add(1));
            (home, (old.stage == Stage::Writing).then(|| "the experiment there was interrupted".to_owned()), next)
        }
        Standing::Unmarked(home, reason) => (home, Some(reason.clone()), (Uuid::new_v4(), 1)),
    };
    home.lock().map_err(failed)?;
    match reason {
        Some(reason) if !options.discard => Err(coded(
            exit::REFUSED,
            format!(
                "{}: {reason}, and its evidence would be lost: run `secchi durable verify` first, then write with \
                 --discard",
                home.path().display()
            ),
        )),
        _ => Ok(next),
    }
}

/// Checks that the witness answers, before anything is created.
fn reach(witness: &Client, run: Uuid) -> Result<()> {
    match witness.knowledge(run) {
        Err(error) if !error.is_unknown() => Err(coded(exit::CANNOT, error)),
        _ => Ok(()),
    }
}

fn prepare(parent: &Parent, standing: Standing, marker: &Marker) -> Result<(bool, Home)> {
    match standing {
        Standing::Nothing => Ok((true, parent.make(marker).map_err(failed)?)),
        Standing::Ours(home, _) | Standing::Unmarked(home, _) => {
            home.begin(marker).map_err(failed)?;
            Ok((false, home))
        }
    }
}

fn introduce(options: &DurableWrite, parent: &Parent, marker: &Marker) -> Result<()> {
    let (run, generation, path) = (marker.run.to_string(), marker.generation, parent.own_path().display().to_string());
    let size = Bytes(marker.geometry.bytes()).to_string();
    let (writers, sync, target) = (marker.geometry.writers(), marker.sync.call(), options.path.display().to_string());
    print_lines(&[
        sentence!("durable-begun", run, generation, path, writers, size, sync),
        match &options.witness {
            Some(witness) => sentence!("durable-begun-witness", witness, target),
            None => sentence!("durable-begun-alone", target),
        },
    ])
}

/// Returns a channel that receives signal numbers; the second signal ends the process immediately.
fn signals() -> Result<Receiver<i32>> {
    let (tell, signals_received) = channel();
    receive_signals(move |signals| {
        for (count, signal) in signals.forever().enumerate() {
            if count > 0 || tell.send(signal).is_err() {
                session::console::exit_now(128 + signal);
            }
        }
    })?;
    Ok(signals_received)
}

/// The thread that reports to the witness.
struct Teller {
    thread: JoinHandle<Told>,
    ended: Arc<AtomicBool>,
    /// News about the witness that has not been printed yet.
    news: Arc<Mutex<Vec<News>>>,
}

fn tell_witness(mut witness: Client, marker: &Marker, progress: &Arc<Progress>, patience: Duration) -> Result<Teller> {
    let (ended, news) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
    let (progress, owner) = (Arc::clone(progress), marker.owner());
    let (told_ended, told_news) = (Arc::clone(&ended), Arc::clone(&news));
    let thread = std::thread::Builder::new().name("witness".into()).spawn(move || {
        let put = |piece| told_news.lock().unwrap_or_else(PoisonError::into_inner).push(piece);
        report_progress(&progress, &mut witness, owner, patience, &told_ended, put)
    });
    let thread = thread.map_err(|e| coded(exit::CANNOT, format!("cannot start a thread: {e}")))?;
    Ok(Teller { thread, ended, news })
}

fn write(
    options: &DurableWrite,
    home: &Home,
    mut marker: Marker,
    witness: Option<Client>,
    mut writers: Writers,
    signals: &Receiver<i32>,
) -> Result<Code> {
    let (progress, since) = (writers.progress(), Instant::now());
    let patience = Duration::from_nanos(options.patience.as_nanos());
    let teller = witness.map(|w| tell_witness(w, &marker, &progress, patience)).transpose();
    let teller = teller.inspect_err(|_| {
        progress.stop();
        writers.join();
    })?;
    let code = watch(options, &progress, teller.as_ref(), since, signals);
    progress.stop();
    let told_to_end = Instant::now();
    while !writers.have_ended() {
        if told_to_end.elapsed() > hang(options) {
            hung(options);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let took = since.elapsed();
    let latencies = writers.join();
    let report = teller.map(|teller| {
        teller.ended.store(true, Ordering::Release);
        // Wakes the thread once more, as a sync does.
        progress.stop();
        teller.thread.join().unwrap_or_default()
    });
    let synced = progress.synced();
    let failure = progress.failure();
    if failure.is_none() {
        marker.stage = Stage::Ended;
        marker.reached.clone_from(&synced);
        home.put_marker(&marker).map_err(failed)?;
    }
    conclude(&synced, &latencies, report.as_ref(), took)?;
    failure.map_or(Ok(code), |failure| Err(failed(failure)))
}

fn hang(options: &DurableWrite) -> Duration {
    Duration::from_nanos(options.hang.as_nanos())
}

/// Ends the process immediately, because it cannot wait for a thread that is stuck in the kernel.
fn hung(options: &DurableWrite) -> ! {
    let message = format!(
        "the storage hangs: no sync of a writer has returned for {} (--hang); acknowledgements on the witness remain \
         valid",
        options.hang
    );
    console::refuse(exit::HUNG, &message);
    session::console::exit_now(exit::HUNG.0)
}

/// Start time of each writer's current write.
struct Stalls {
    synced: Vec<u64>,
    since: Vec<Instant>,
    told: bool,
}

impl Stalls {
    fn new(progress: &Progress) -> Stalls {
        let synced = progress.synced();
        Stalls { since: vec![Instant::now(); synced.len()], synced, told: false }
    }

    /// Returns the time that the slowest writer has spent on its current write.
    fn update(&mut self, progress: &Progress) -> Duration {
        let now = Instant::now();
        for ((old, since), new) in self.synced.iter_mut().zip(&mut self.since).zip(progress.synced()) {
            if *old != new {
                (*old, *since) = (new, now);
            }
        }
        self.since.iter().map(|since| now - *since).max().unwrap_or_default()
    }
}

/// Waits for the experiment to end, shows progress, and returns the exit code.
fn watch(
    options: &DurableWrite,
    progress: &Progress,
    teller: Option<&Teller>,
    since: Instant,
    signals: &Receiver<i32>,
) -> Code {
    let live = Live::new(options.quiet);
    let length = options.length.map(|l| Duration::from_nanos(l.as_nanos()));
    let mut stalls = Stalls::new(progress);
    let code = loop {
        let left = length.map_or(LOOK, |l| l.saturating_sub(since.elapsed()).min(LOOK));
        match signals.recv_timeout(left) {
            Ok(signal) if length.is_some() => break Code(128 + signal),
            Ok(_) | Err(RecvTimeoutError::Disconnected) => break exit::OK,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(teller) = teller {
            for piece in teller.news.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
                let line = match piece {
                    News::Away(reason) => sentence!("durable-away", why = reason),
                    News::Back => sentence!("durable-back"),
                };
                live.line(&console::translate(&line));
            }
        }
        let stall = stalls.update(progress);
        if stall > hang(options) {
            hung(options);
        }
        if stall > STALLED && !stalls.told {
            let time = Nanos::from_secs_f64(stall.as_secs_f64()).to_string();
            live.line(&console::translate(&sentence!("durable-stalled", time)));
        }
        stalls.told = stall > STALLED;
        if live.is_watched() {
            let writes = whole(progress.synced().iter().sum());
            live.status(&console::translate(&sentence!("durable-progress", writes)));
        }
        if progress.is_stopped() || length.is_some_and(|l| since.elapsed() >= l) {
            break exit::OK;
        }
    };
    live.clear();
    code
}

fn conclude(synced: &[u64], latencies: &[LatencyHistogram], report: Option<&Told>, took: Duration) -> Result<()> {
    let mut merged = LatencyHistogram::default();
    latencies.iter().for_each(|latency| merged.merge(latency));
    let writes: u64 = synced.iter().sum();
    let rate = model::units::thousands(writes as f64 / took.as_secs_f64().max(1e-9));
    let quantile = |share: f64| merged.quantile(share).map_or_else(|| "-".to_owned(), |l: Nanos| l.to_string());
    let most = merged.max().map_or_else(|| "-".to_owned(), |l| l.to_string());
    let time = Nanos::from_secs_f64(took.as_secs_f64()).to_string();
    let mut lines = vec![sentence!(
        "durable-ended",
        writes = whole(writes),
        time,
        rate,
        median = quantile(0.5),
        high = quantile(0.99),
        most
    )];
    if let Some(report) = report {
        let reached: Vec<String> = report.reached.iter().map(|n| whole(*n)).collect();
        lines.push(sentence!("durable-ended-witness", reached = reached.join(", "), batches = whole(report.batches)));
    }
    print_lines(&lines)
}

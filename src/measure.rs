//! What every measuring command needs: a clock, signals, the store, who the run is.

use crate::environment;
use crate::exit::{self, coded};
use crate::terminal::Live;
use anyhow::{Context, Result};
use load::target::Provenance;
use model::{Bytes, Sentence, StorageFacts};
use run::{Identity, Interrupt};
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::{Store, StoreError};
use sys::{Clock, MonotonicClock, TscClock};

/// Silence beyond the hang limit after which the supervisor gives the load process up.
pub const GRACE: Duration = Duration::from_secs(30);

/// Something measured by whichever clock works here.
pub trait Measuring {
    /// Does it.
    fn run<K: Clock>(self, clock: K, name: &'static str) -> Result<exit::Code>;
}

/// Measures by the time-stamp counter where it can be trusted.
pub fn with_clock(what: impl Measuring) -> Result<exit::Code> {
    // Ten milliseconds give the counter's rate to a few millionths.
    match TscClock::start(10_000_000) {
        Ok(clock) => what.run(clock, "tsc"),
        Err(_) => what.run(MonotonicClock::start(), "monotonic"),
    }
}

/// What a run that begins is called.
pub fn run_id() -> String {
    environment::round().map_or_else(|| uuid::Uuid::new_v4().to_string(), |(_, id)| id)
}

/// Who a run is. It started when its clock did: what is prepared before its load takes time, an engine's start seconds of it.
pub fn identity(clock: &impl Clock, notes: impl IntoIterator<Item: Into<Sentence>>) -> Identity {
    let notes = notes.into_iter().map(Into::into).collect();
    let zero = jiff::Zoned::now().saturating_sub(Duration::from_nanos(clock.now()));
    Identity { id: run_id(), tool: env!("CARGO_PKG_VERSION").to_owned(), started: written(&zero), notes }
}

/// For the mark of files that are made.
pub fn provenance() -> Provenance {
    Provenance {
        host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
        created: written(&jiff::Zoned::now()),
        tool: format!("secchi {}", env!("CARGO_PKG_VERSION")),
    }
}

/// To the millisecond: runs of the same second are listed in the order in which they began.
fn written(moment: &jiff::Zoned) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string()
}

/// What direct I/O must be aligned to: as the file system tells, else the device's sector.
pub fn align_of(storage: Option<&StorageFacts>) -> Bytes {
    let told = storage.and_then(|s| s.direct_align.as_ref()).map(|(align, _)| *align);
    let sector = || storage.and_then(|s| s.devices.first()).map_or(4096, |d| d.logical_block.0.max(512));
    told.unwrap_or_else(|| Bytes(sector()))
}

/// The first signal asks to stop, the second ends at once.
pub fn catch_signals() -> Result<Interrupt> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let interrupt = Interrupt::default();
    let count = interrupt.clone();
    let mut signals =
        signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot receive signals")?;
    let listen = move || {
        for signal in &mut signals {
            use std::sync::atomic::Ordering::Relaxed;
            if count.0.load(Relaxed) > 0 {
                sys::exit_now(128 + signal);
            }
            count.0.store(signal.unsigned_abs(), Relaxed);
        }
    };
    thread_for_signals(listen)?;
    Ok(interrupt)
}

/// Starts the thread that hears signals.
pub fn thread_for_signals(listen: impl FnOnce() + Send + 'static) -> Result<()> {
    let thread = std::thread::Builder::new().name("signals".into()).stack_size(128 << 10).spawn(listen);
    thread.map(drop).context("cannot start a thread to receive signals")
}

/// A team's store by its address; nothing is connected yet.
pub fn team_store(url: &Path) -> Result<Store> {
    let waiting = environment::waiting_dir().ok_or_else(|| {
        coded(exit::CANNOT, "neither XDG_DATA_HOME nor HOME is set: runs cannot wait for a team's store")
    })?;
    let store = Store::team(&url.to_string_lossy(), &environment::team_access(), &waiting).map_err(|e| {
        let code = if matches!(e, StoreError::Team(_)) { exit::BAD_INPUT } else { exit::CANNOT };
        coded(code, e)
    })?;
    Ok(crate::commands::show::judging(store))
}

/// Opens the store where asked; where its usual place cannot be written, beside the current directory, and says so.
pub fn open_store(asked: Option<&PathBuf>, live: &mut Live) -> Result<Option<Store>> {
    if let Some(url) = asked.filter(|place| store::is_team(place)) {
        let store = team_store(url)?;
        match store.reach() {
            Ok(()) => {}
            Err(error) if error.is_away() => {
                live.line(&format!(
                    "{error}; the run is kept on this machine, and goes there with `secchi runs push` or the next run"
                ));
            }
            Err(error) => return Err(coded(exit::CANNOT, error)),
        }
        return Ok(Some(store));
    }
    let dir = environment::store_dir(asked)
        .ok_or_else(|| coded(exit::CANNOT, "neither XDG_DATA_HOME nor HOME is set: name a directory with --store"))?;
    crate::outputs::may_make_directory(&dir)?;
    match Store::open(&dir) {
        Ok(store) => Ok(Some(crate::commands::show::judging(store))),
        Err(error) if asked.is_some() => Err(coded(exit::CANNOT, error)),
        Err(error) => {
            let fallback = std::env::current_dir().context("no current directory")?.join("secchi-runs");
            let store = Store::open(&fallback).map_err(|second| {
                coded(exit::CANNOT, format!("{error}; and {second}: name a directory with --store"))
            })?;
            live.line(&format!("{error}; this run is kept in {} instead", fallback.display()));
            Ok(Some(crate::commands::show::judging(store)))
        }
    }
}

/// The journal's own writes are small (a few KiB each second, by a thread of its own), but they are not the load's.
pub fn journal_note(store: Option<&Store>, target: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let store = store?;
    let same = store.dir().metadata().ok()?.dev() == target.metadata().ok()?.dev();
    same.then(|| {
        format!(
            "the run journal in {} lies on the file system under test and writes a few KiB a second",
            store.dir().display()
        )
    })
}

//! Volumes that are being loaded from a snapshot: a file system of our own delays the first read of each block, and
//! counts the delays.

use crate::support::{Ended, PATIENCE, Sandbox, beside, skip};
use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    LockOwner, OpenFlags, ReplyAttr, ReplyData, ReplyEntry, ReplyOpen, Request,
};
use model::judged::{HydrationFigures, KindFigures};
use model::plan::HydrationReads;
use rustix::process::Signal;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

/// Blocks are loaded separately, so that a sample of them is a sample of what is loaded.
const BLOCK: u64 = 16 << 10;
const BLOCKS: u64 = 4096;
const SIZE: u64 = BLOCK * BLOCKS;
const FILE: INodeNo = INodeNo(2);
const NEVER: Duration = Duration::from_secs(3600);

/// State of the volume.
#[derive(Debug, Clone)]
struct Loaded {
    blocks: Vec<bool>,
    /// Number of delayed reads, and of those that were as small as the sampled blocks.
    delays: u64,
    small_delays: u64,
    /// Bytes read.
    read: u64,
}

/// A volume whose blocks are loaded when they are read for the first time: the file `volume` in a file system.
struct Snapshot {
    state: Arc<Mutex<Loaded>>,
    file: PathBuf,
    _session: BackgroundSession,
}

impl Snapshot {
    /// Mounts a volume of which some blocks are loaded. Loading others takes the time `loading`.
    fn mount(point: &Path, loading: Duration, is_loaded: impl Fn(u64) -> bool) -> Result<Snapshot, String> {
        std::fs::create_dir_all(point).map_err(|e| e.to_string())?;
        let state = Loaded { blocks: (0..BLOCKS).map(is_loaded).collect(), delays: 0, small_delays: 0, read: 0 };
        let state = Arc::new(Mutex::new(state));
        let session = fuser::spawn_mount(Served { state: Arc::clone(&state), loading }, point, &Config::default());
        let session = session.map_err(|e| format!("no file system can be mounted here: {e}"))?;
        Ok(Snapshot { state, file: point.join("volume"), _session: session })
    }

    fn state(&self) -> Loaded {
        locked(&self.state).clone()
    }
}

fn locked(state: &Mutex<Loaded>) -> MutexGuard<'_, Loaded> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Served {
    state: Arc<Mutex<Loaded>>,
    loading: Duration,
}

fn attributes(ino: INodeNo) -> FileAttr {
    let is_file = ino == FILE;
    FileAttr {
        ino,
        size: if is_file { SIZE } else { 0 },
        blocks: if is_file { SIZE / 512 } else { 0 },
        atime: UNIX_EPOCH,
        mtime: UNIX_EPOCH,
        ctime: UNIX_EPOCH,
        crtime: UNIX_EPOCH,
        kind: if is_file { FileType::RegularFile } else { FileType::Directory },
        perm: 0o755,
        nlink: 1,
        uid: 0,
        gid: 0,
        rdev: 0,
        blksize: 4096,
        flags: 0,
    }
}

impl Filesystem for Served {
    fn lookup(&self, _: &Request, _: INodeNo, name: &OsStr, reply: ReplyEntry) {
        match name == "volume" {
            true => reply.entry(&NEVER, &attributes(FILE), Generation(0)),
            false => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        reply.attr(&NEVER, &attributes(ino));
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO);
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let end = (offset + u64::from(size)).min(SIZE);
        let missing = {
            let mut state = locked(&self.state);
            state.read += end - offset;
            let range = (offset / BLOCK) as usize..end.div_ceil(BLOCK) as usize;
            let missing = state.blocks[range.clone()].iter().any(|loaded| !loaded);
            state.blocks[range].fill(true);
            state.delays += u64::from(missing);
            state.small_delays += u64::from(missing && u64::from(size) == BLOCK);
            missing
        };
        if missing {
            // The delay is the property under test, not a synchronisation.
            std::thread::sleep(self.loading);
        }
        reply.data(&vec![7; (end - offset) as usize]);
    }
}

fn hydration(sandbox: &Sandbox, file: &Path, words: &str) -> Ended {
    sandbox.secchi(&format!("hydration --json {words}")).arg(file).run()
}

fn figures(ended: &Ended) -> HydrationFigures {
    match ended.json().judgement.figures {
        Some(KindFigures::Hydration(figures)) => *figures,
        other => panic!("{other:?} {}", ended.stderr),
    }
}

#[test]
fn the_share_that_is_not_loaded_is_estimated_and_its_delays_are_counted_a_second_way() {
    const LOADING: Duration = Duration::from_millis(80);
    let _beside = beside();
    let sandbox = Sandbox::new();
    // Two of five blocks are loaded.
    let volume = match Snapshot::mount(&sandbox.path("mounted"), LOADING, |block| block * 2_654_435_761 % 5 < 2) {
        Ok(volume) => volume,
        Err(why) => skip!("{why}"),
    };
    let ended = hydration(&sandbox, &volume.file, "--samples 200 --seed 3");
    let figures = figures(&ended);
    let share = figures.not_loaded.expect("a sample");
    if share.slow_over.secs() > LOADING.as_secs_f64() {
        skip!("the machine was too busy: usual reads took {}", share.slow_over);
    }
    let stages = |reads| figures.stages.iter().filter(move |stage| stage.reads == reads);
    let first: u64 = stages(HydrationReads::First).map(|stage| stage.ops).sum();
    let second: u64 = stages(HydrationReads::Second).map(|stage| stage.ops).sum();
    assert_eq!((first, second), (200, 200));
    // The volume delays no block twice.
    let slow: u64 = stages(HydrationReads::First).filter_map(|stage| stage.slow).sum();
    let small = volume.state().small_delays;
    assert!(slow.abs_diff(small) <= 10, "{slow} slow reads, {small} delays");
    assert!((0.45..0.75).contains(&share.value), "three of five: {share:?}");
    assert!(share.low < share.value && share.value < share.high, "{share:?}");
    ended.measured_as(1);
}

#[test]
fn what_was_interrupted_is_continued_until_everything_is_loaded() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let volume = match Snapshot::mount(&sandbox.path("mounted"), Duration::from_millis(5), |_| false) {
        Ok(volume) => volume,
        Err(why) => skip!("{why}"),
    };
    let running = sandbox.secchi("hydration --warm --depth 4 --rate 8MiB --json").arg(&volume.file).start();
    // 64 MiB at 8 MiB/s take eight seconds.
    sandbox.wait_until_measured(&running);
    running.signal(Signal::INT);
    let ended = running.wait(PATIENCE);
    assert_eq!(ended.code, 130, "{}", ended.stderr);
    let warmed = figures(&ended).warmed.expect("it warms");
    let missing = |state: &Loaded, until: u64| state.blocks[..(until / BLOCK) as usize].iter().any(|loaded| !loaded);
    let state = volume.state();
    assert_eq!(warmed.from.as_u64(), 0);
    assert!(warmed.until.as_u64() > 0 && !missing(&state, warmed.until.as_u64()), "{warmed:?}");
    let ended = hydration(&sandbox, &volume.file, "--warm --depth 4");
    ended.measured_as(0);
    let continued = figures(&ended).warmed.expect("it warms");
    assert_eq!((continued.from, continued.until.as_u64()), (warmed.until, SIZE));
    let state_after = volume.state();
    assert!(!missing(&state_after, SIZE));
    // The choice of an engine reads a little more.
    let again = state_after.read - state.read;
    assert!(again >= SIZE - warmed.until.as_u64(), "{again}");
    // Everything has been read: a further run begins at the start.
    let ended = hydration(&sandbox, &volume.file, "--samples 200 --seed 3");
    let share = figures(&ended).not_loaded.expect("a sample");
    assert!(share.value < 0.05, "{share:?}");
    assert_eq!(state_after.delays, volume.state().delays, "nothing was loaded any more");
}

#[test]
fn mistakes_are_one_sentence_and_nothing_is_read() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let volume = match Snapshot::mount(&sandbox.path("mounted"), Duration::from_millis(5), |_| false) {
        Ok(volume) => volume,
        Err(why) => skip!("{why}"),
    };
    for (words, needle) in [
        ("--samples 19", "--samples 19: 20 to 204 for a volume of 64 MiB"),
        ("--samples 205", "--samples 205"),
        ("--depth 0", "--depth 0: must be 1 to 1024"),
        ("--warm --rate 1k", "at least 100 KiB/s"),
        ("--rate 100MiB", "--warm"),
        ("--warm --samples 100", "--samples"),
    ] {
        hydration(&sandbox, &volume.file, words).refuses(64, needle);
    }
    hydration(&sandbox, &sandbox.data(), "").refuses(64, "is a directory");
    hydration(&sandbox, &sandbox.path("absent"), "").refuses(64, "absent");
    assert_eq!(volume.state().read, 0);
}

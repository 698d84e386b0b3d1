//! Insert runs: checks limits before anything is opened, keeps a note in the marker while the run is active,
//! corrects the sizes afterwards, and reports the growth of the files.

use crate::open::{OpenDatabase, free_and_kept};
use crate::plan;
use crate::{cli_error, refused};
use anyhow::Result;
use cli::{DbRunArgs, Inserts};
use db::{DataFile, Inserting};
use load::session::{Batch, BatchKind, BatchResult, Key, Session, Values};
use messages::sentence;
use model::Bytes;
use model::measured::{FilesGrowth, Growth};
use model::plan::{GlobalSize, KeyOrder, SessionRule, scattered_subscript};
use session::console::{remark, remark_of};
use session::exit::{self, coded};
use session::reject;
use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};
use sys::files::MetadataExt as _;

/// Unit of `st_blocks`, in bytes.
const SECTOR: u64 = 512;
/// Minimum size of a record in addition to its value, in bytes.
const BESIDE_VALUE: u64 = 12;

/// Limits of an insert run.
pub struct Bounds {
    grow_to: Option<Bytes>,
    directories: Vec<PathBuf>,
}

/// Returns the bytes allocated for all files in a directory and its subdirectories.
fn allocated(directory: &Path) -> u64 {
    let Ok(inside) = fs::read_dir(directory) else { return 0 };
    let size = |path: PathBuf| match sys::files::symlink_metadata(&path) {
        Ok(m) if m.is_dir() => allocated(&path),
        Ok(m) if m.is_file() => m.blocks() * SECTOR,
        _ => 0,
    };
    inside.flatten().map(|entry| size(entry.path())).sum()
}

impl Bounds {
    /// Checks the requested inserts against the free space and prints the limits. Opens nothing.
    ///
    /// # Errors
    /// When the inserts need too much space or cannot be limited.
    pub fn check(place: &OpenDatabase, args: &DbRunArgs) -> Result<Option<Bounds>> {
        let Some(Inserts { grow_to, processes, .. }) = args.insert else { return Ok(None) };
        let marker = &place.marker;
        if marker.url.is_some() {
            if let Some(size) = grow_to {
                reject!(
                    "--grow-to {size}: the size of an external server's files is unknown here; limit the run with -n"
                );
            }
            if args.count.is_none() {
                reject!(
                    "the free space of an external server is unknown here: give the number of nodes per \
                     process with -n"
                );
            }
            return Ok(Some(Bounds { grow_to: None, directories: Vec::new() }));
        }
        let dirs = &marker.directories;
        let mut directories: Vec<PathBuf> =
            dirs.data.iter().chain([&dirs.journal]).chain(&dirs.image).chain([&dirs.work]).cloned().collect();
        directories.sort();
        directories.dedup();
        let bounds = Bounds { grow_to, directories };
        let Some((directory, available, never)) = bounds.tightest() else {
            return refused("cannot determine the free space of its directories");
        };
        let (room, shown) = (available.saturating_sub(never), directory.display());
        let space = format!("{} are free in {shown}, and {} of them are reserved", Bytes(available), Bytes(never));
        if room == 0 {
            return refused(format!("no room for new nodes: {space}"));
        }
        let now = bounds.allocated();
        if let Some(size) = grow_to {
            if size.as_u64() <= now {
                reject!("--grow-to {size}: the files of the database take {} already", Bytes(now));
            }
            if size.as_u64() - now > room {
                return refused(format!(
                    "--grow-to {size}: needs {} more than now; {space}",
                    Bytes(size.as_u64() - now)
                ));
            }
        }
        if let Some(count) = args.count {
            let each = u64::from(args.values.rule().shortest()) + BESIDE_VALUE;
            let least = count.saturating_mul(u64::from(processes)).saturating_mul(each);
            if least > room {
                return refused(format!("-n {count}: needs at least {}; {space}", Bytes(least)));
            }
        }
        let until = match (args.count, grow_to, args.time) {
            (Some(n), ..) => sentence!("remark-inserts-count", n),
            (None, Some(size), None) => sentence!("remark-inserts-size", size),
            (None, Some(size), Some(time)) => sentence!("remark-inserts-either", time, size),
            (None, None, time) => time.map_or_else(|| "300 s".to_owned(), |t| t.to_string()).into(),
        };
        remark_of(&sentence!("remark-inserts-until", until, now = Bytes(now), room = Bytes(room)));
        Ok(Some(bounds))
    }

    /// Returns the directory whose file system has the least usable space, with its free bytes and its reserved bytes.
    fn tightest(&self) -> Option<(&Path, u64, u64)> {
        let spaces = self
            .directories
            .iter()
            .map(|dir| free_and_kept(dir).ok().map(|(free, never)| (dir.as_path(), free, never)));
        spaces.collect::<Option<Vec<_>>>()?.into_iter().min_by_key(|(_, free, never)| free.saturating_sub(*never))
    }

    fn allocated(&self) -> u64 {
        self.directories.iter().map(|dir| allocated(dir)).sum()
    }

    /// Returns the reason to end the run now, if a limit has been reached.
    fn reached(&self) -> Option<String> {
        if let Some(size) = self.grow_to {
            let now = self.allocated();
            if now >= size.as_u64() {
                return Some(format!("the files of the database take {} (--grow-to {size})", Bytes(now)));
            }
        }
        let (directory, free, never) = self.tightest()?;
        (free <= never).then(|| {
            let shown = directory.display();
            format!("{} are free in {shown}, and {} of them are reserved: inserting stopped", Bytes(free), Bytes(never))
        })
    }
}

/// An active insert run.
pub struct InsertRun {
    bounds: Bounds,
    before: Growth,
    /// Reason why the run ended early.
    ended: OnceCell<String>,
    told: bool,
}

impl InsertRun {
    /// Notes in the marker that the recorded sizes are unreliable. The note is removed when this run has corrected
    /// them.
    ///
    /// # Errors
    /// When the marker cannot be written, or a global contains nodes whose names are unknown.
    pub fn begin(place: &mut OpenDatabase, globals: &[GlobalSize], args: &DbRunArgs, bounds: Bounds) -> Result<Self> {
        let processes = args.insert.map_or(0, |i| i.processes) as usize;
        let used = &globals[..processes.min(globals.len())];
        if let Some(names) = place.marker.names {
            for global in used {
                let n = place.database.count(global.number, Some(&names)).map_err(cli_error)?;
                if n != global.total() {
                    return refused(format!(
                        "global {} has {n} nodes but a recorded size of {}: `ranwrite --new-nodes` created \
                         others, whose names are unknown; create the globals again with `secchi db create-globals {}`",
                        global.number,
                        global.total(),
                        place.directory.display()
                    ));
                }
            }
        }
        let files = place.database.files().map_err(cli_error)?;
        let before = Growth {
            nodes_before: used.iter().map(GlobalSize::total).sum(),
            nodes_after: 0,
            scattered: plan::is_scattered(place, args),
            files: measured(&files, &[]),
            allocated_before: Bytes(bounds.allocated()),
            allocated_after: Bytes(0),
        };
        let scattered = before.scattered && place.marker.names.is_none();
        place.marker.inserting = Some(Inserting { scattered, before: used.to_vec() });
        place.marker.save(&place.directory).map_err(cli_error)?;
        Ok(InsertRun { bounds, before, ended: OnceCell::new(), told: false })
    }

    /// Returns the reason to end the run, or `None` if it may continue.
    pub fn reached(&self) -> Option<&str> {
        if self.ended.get().is_none()
            && let Some(reason) = self.bounds.reached()
        {
            let _ = self.ended.set(reason);
        }
        self.ended.get().map(String::as_str)
    }

    /// Returns the reason why the run ended early, on the first call only.
    pub fn take_note(&mut self) -> Option<&str> {
        let reason = self.ended.get().filter(|_| !self.told)?;
        self.told = true;
        Some(reason)
    }

    /// Finds the inserted nodes, records the sizes of the globals, and removes the note from the marker. The engine is
    /// still running; its files are measured after it has stopped ([`InsertRun::grown`]).
    ///
    /// # Errors
    /// When reading or writing fails; the next command corrects the sizes.
    pub fn settle(&mut self, place: &mut OpenDatabase) -> Result<Vec<DataFile>> {
        let Some(inserting) = place.marker.inserting.clone() else { return Ok(Vec::new()) };
        let mut finder = Finder::open(place, &inserting.before)?;
        let mut sizes = Vec::new();
        for global in &inserting.before {
            let from = if inserting.scattered { global.scattered } else { global.count };
            let last = finder.last(global.number, from, inserting.scattered)?;
            sizes.push(match inserting.scattered {
                true => GlobalSize { scattered: last, ..*global },
                false => GlobalSize { count: last, ..*global },
            });
        }
        drop(finder);
        record(place, &sizes)?;
        self.before.nodes_after = sizes.iter().map(GlobalSize::total).sum();
        place.database.files().map_err(cli_error)
    }

    /// Returns the growth so far; `files` are the files with their current sizes.
    pub fn grown(&self, files: &[DataFile]) -> Growth {
        let mut growth = self.before.clone();
        let known = std::mem::take(&mut growth.files);
        growth.files = measured(files, &known);
        growth.allocated_after = Bytes(self.bounds.allocated());
        growth
    }
}

/// Returns the lengths and allocated bytes by role. If `before` is empty, they are the values before the run; otherwise
/// the current values are added to `before` as the values after the run.
fn measured(files: &[DataFile], before: &[FilesGrowth]) -> Vec<FilesGrowth> {
    let now = before.is_empty();
    let none = |role| FilesGrowth {
        role,
        length_before: Bytes(0),
        length_after: Bytes(0),
        allocated_before: Bytes(0),
        allocated_after: Bytes(0),
    };
    let mut growth = before.to_vec();
    for file in files {
        // A file that was deleted meanwhile occupies nothing.
        let Ok(m) = sys::files::metadata(&file.path) else { continue };
        let at = growth.iter().position(|f| f.role == file.role).unwrap_or_else(|| {
            growth.push(none(file.role));
            growth.len() - 1
        });
        let entry = &mut growth[at];
        let (length, blocks) = if now {
            (&mut entry.length_before, &mut entry.allocated_before)
        } else {
            (&mut entry.length_after, &mut entry.allocated_after)
        };
        *length = Bytes(length.as_u64() + m.len());
        *blocks = Bytes(blocks.as_u64() + m.blocks() * SECTOR);
    }
    growth.sort_by_key(|f| f.role);
    growth
}

/// Records the sizes in the database and in its marker.
fn record(place: &mut OpenDatabase, sizes: &[GlobalSize]) -> Result<()> {
    for global in sizes {
        place.database.set_size(global.number, global.total()).map_err(cli_error)?;
    }
    let marker = &mut place.marker;
    marker.inserting = None;
    for global in sizes {
        match global.scattered {
            0 => marker.scattered.remove(&global.number),
            n => marker.scattered.insert(global.number, n),
        };
    }
    marker.save(&place.directory).map_err(cli_error)
}

/// Corrects the sizes after an insert run was killed. It visits and counts the nodes, which must be exactly those that
/// such a run inserts, without gaps. Called after the engine has started.
///
/// # Errors
/// If the nodes differ from those: a refusal that names the command to repair the database.
pub fn mend(place: &mut OpenDatabase) -> Result<()> {
    let Some(inserting) = place.marker.inserting.clone() else { return Ok(()) };
    let names = place.marker.names;
    let (mut sizes, mut recovered) = (Vec::new(), Vec::new());
    let mut finder = Finder::open(place, &inserting.before)?;
    for before in &inserting.before {
        // A global without a size was emptied, or its creation was interrupted. A later check rejects it with that
        // reason.
        if place.database.size(before.number).map_err(cli_error)?.is_none() {
            continue;
        }
        let total = place.database.count(before.number, names.as_ref()).map_err(cli_error)?;
        let (size, last) = match inserting.scattered {
            true => (GlobalSize { scattered: total.saturating_sub(before.count), ..*before }, before.count),
            false => (GlobalSize { count: total.saturating_sub(before.scattered), ..*before }, before.scattered),
        };
        let last = total.saturating_sub(last);
        let whole = size.total() == total
            && total >= before.total()
            && (last == 0 || finder.has(before.number, last, inserting.scattered)?)
            && !finder.has(before.number, last + 1, inserting.scattered)?;
        if !whole {
            return refused(format!(
                "an insert run was killed and left gaps in global {} ({total} nodes, {} before): create the \
                 globals again with `secchi db create-globals {}`",
                before.number,
                before.total(),
                place.directory.display()
            ));
        }
        let (number, before) = (before.number, before.total());
        recovered.push(sentence!("remark-inserts-counted-global", number, total, before));
        sizes.push(size);
    }
    drop(finder);
    record(place, &sizes)?;
    if recovered.is_empty() {
        return Ok(());
    }
    remark_of(&sentence!("remark-inserts-counted", globals = report::listed(recovered)));
    Ok(())
}

/// Starts the engine for reading, with corrected sizes. If the correction fails, reading is still allowed.
///
/// # Errors
/// When the engine does not start.
pub fn start_to_look(place: &mut OpenDatabase) -> Result<()> {
    place.refresh()?;
    place.start_to_look()?;
    if let Err(error) = mend(place) {
        remark(&format!("{error:#}"));
    }
    Ok(())
}

/// Lookup of individual nodes in an engine session.
struct Finder {
    session: Box<dyn Session>,
    result: BatchResult,
}

impl Finder {
    fn open(place: &OpenDatabase, globals: &[GlobalSize]) -> Result<Finder> {
        let first = globals.first().copied().unwrap_or(GlobalSize::new(1, 1));
        let rule = SessionRule {
            read_percent: 100,
            read: globals.to_vec(),
            order: KeyOrder::Random,
            ..plan::making(first, model::plan::ValueRule::Text, (place.marker.names, place.marker.indexes), 1)
        };
        let job = plan::session_job(&place.directory, place.marker.page, "look".to_owned(), rule);
        let session = place.database.sessions().open(&job, 0).map_err(|reason| coded(exit::CANNOT, reason))?;
        Ok(Finder { session, result: BatchResult::with_room(1) })
    }

    /// Returns `true` if the node of this insert exists.
    fn has(&mut self, global: u32, node: u64, scattered: bool) -> Result<bool> {
        let subscript = if scattered { scattered_subscript(node) } else { node };
        let keys = [Key { global, subscript }];
        self.result.clear();
        let batch = Batch { kind: BatchKind::Read, transaction: false, keys: &keys, values: Values::NONE };
        self.session.perform(&batch, &mut self.result).map_err(|e| coded(exit::CANNOT, e))?;
        Ok(self.result.missing == 0)
    }

    /// Returns the number of the last node. `from` must exist, and the nodes after it must not have gaps.
    fn last(&mut self, global: u32, from: u64, scattered: bool) -> Result<u64> {
        let (mut last, mut step) = (from, 1);
        while self.has(global, last + step, scattered)? {
            last += step;
            step *= 2;
        }
        let mut missing = last + step;
        while missing - last > 1 {
            let middle = last + (missing - last) / 2;
            if self.has(global, middle, scattered)? {
                last = middle;
            } else {
                missing = middle;
            }
        }
        Ok(last)
    }
}

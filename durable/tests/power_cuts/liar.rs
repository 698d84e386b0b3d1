//! Simulated storage that can lose power and may lie. It is an in-memory file system that holds back all unsynced data.
//! At a power cut, it keeps part of this data, depending on its kind. Afterwards, it serves the data that survived.
//!
//! Names, sizes and contents are stored separately, so that each can be lost without the others. Every kind is honest
//! until [`Liar::arm`] is called.

use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry,
    ReplyOpen, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const SECTOR: usize = 512;
const ROOT: u64 = 1;

/// Kind of storage, which determines how it treats synced data, and unsynced data at a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A sync makes everything durable. Any part of the unsynced data may survive, but each write survives completely
    /// or not at all.
    Honest,
    /// A sync does nothing. Writes reach the medium in any order and at any time.
    IgnoresSync,
    /// A sync makes contents durable, but not sizes or names.
    DataWithoutMetadata,
    /// Like `Honest`, but writes in progress may survive in part, by sector.
    Torn,
}

#[derive(Debug, Clone)]
enum Node {
    Directory(BTreeMap<OsString, u64>),
    /// File. Its contents may extend beyond its size if the size was not made durable.
    File {
        data: Vec<u8>,
        size: u64,
    },
}

#[derive(Debug, Clone)]
enum Change {
    Write { ino: u64, at: u64, data: Vec<u8> },
    Size { ino: u64, size: u64 },
    Add { parent: u64, name: OsString, ino: u64 },
    Remove { parent: u64, name: OsString },
    Rename { parent: u64, from: OsString, to: OsString },
}

impl Change {
    fn parent(&self) -> Option<u64> {
        match self {
            Change::Add { parent, .. } | Change::Remove { parent, .. } | Change::Rename { parent, .. } => Some(*parent),
            Change::Write { .. } | Change::Size { .. } => None,
        }
    }

    fn file(&self) -> Option<u64> {
        match self {
            Change::Write { ino, .. } | Change::Size { ino, .. } => Some(*ino),
            _ => None,
        }
    }
}

type Image = BTreeMap<u64, Node>;

fn apply(image: &mut Image, change: &Change) {
    match change {
        Change::Write { ino, at, data: new } => {
            if let Some(Node::File { data, .. }) = image.get_mut(ino) {
                let (at, end) = (*at as usize, *at as usize + new.len());
                data.resize(data.len().max(end), 0);
                data[at..end].copy_from_slice(new);
            }
        }
        Change::Size { ino, size: new } => {
            if let Some(Node::File { data, size }) = image.get_mut(ino) {
                data.resize(data.len().max(*new as usize), 0);
                *size = *new;
            }
        }
        Change::Add { parent, name, ino } => {
            if let Some(Node::Directory(names)) = image.get_mut(parent) {
                names.insert(name.clone(), *ino);
            }
        }
        Change::Remove { parent, name } => {
            if let Some(Node::Directory(names)) = image.get_mut(parent) {
                names.remove(name);
            }
        }
        Change::Rename { parent, from, to } => {
            if let Some(Node::Directory(names)) = image.get_mut(parent)
                && let Some(ino) = names.remove(from)
            {
                names.insert(to.clone(), ino);
            }
        }
    }
}

/// Small random generator. The test prints its seed.
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        durable::schedule::mix(self.0, 1) % n.max(1)
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }
}

/// Losses at a cut, as known to the storage itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Truth {
    /// True if synced contents were lost.
    pub data: bool,
    /// True if synced sizes were lost.
    pub size: bool,
    /// Slots that lost a synced name.
    pub slots: Vec<u64>,
    /// True if a growing file's name or removal was synced but lost.
    pub files: bool,
    /// Number of blocks that survived in part.
    pub torn: u64,
    /// True for each kind of file that lost anything: blocks, growing files, names. Unlike the other fields, these also
    /// include removed files that reappeared.
    pub taken: [bool; 3],
}

#[derive(Debug)]
struct State {
    /// State that is visible to programs.
    live: Image,
    /// State of the medium.
    medium: Image,
    /// Changes that have not reached the medium, in order.
    pending: Vec<Change>,
    /// State that the medium would have with exactly the synced changes. It is used to check each cut. `unsynced`
    /// contains the other changes.
    promised: Image,
    unsynced: Vec<Change>,
    truth: Truth,
    next: u64,
    kind: Kind,
    /// Number of requests that change something until the power fails; `None` = the power does not fail.
    left: Option<u64>,
    /// Numbers of syncs that were answered since the storage was armed, for block files, growing files, and name
    /// directories.
    answered: [u64; 3],
    power: bool,
    random: Random,
    /// True if the files are used as devices that contain file systems.
    device: bool,
    /// Prefix of a file name, and the range of that file in which reads fail.
    bad: Option<(&'static str, std::ops::Range<u64>)>,
}

impl State {
    /// Returns the role of a file according to its name, as an index into `answered`.
    fn role(&self, ino: u64) -> Option<usize> {
        let name = self.live.values().find_map(|node| match node {
            Node::Directory(names) => names.iter().find(|(_, n)| **n == ino).map(|(name, _)| name),
            Node::File { .. } => None,
        })?;
        ["blocks.", "append.", "names."].iter().position(|kind| name.to_string_lossy().starts_with(kind))
    }

    /// Counts a request that changes something. Returns an error if there is no power, or if the power fails now.
    fn change(&mut self) -> Result<(), Errno> {
        if !self.power {
            return Err(Errno::EIO);
        }
        let Some(left) = &mut self.left else { return Ok(()) };
        *left = left.saturating_sub(1);
        let worked = self.device || self.answered.iter().all(|n| *n >= 3);
        if *left == 0 && worked && self.is_telling() {
            self.cut();
            return Err(Errno::EIO);
        }
        Ok(())
    }

    /// Returns `true` if a cut now would show the behavior of this kind. For torn blocks, a block must be being
    /// written.
    fn is_telling(&self) -> bool {
        self.kind != Kind::Torn || self.pending.iter().any(|change| self.can_tear(change))
    }

    fn can_tear(&self, change: &Change) -> bool {
        matches!(change, Change::Write { ino, data, .. } if data.len() > SECTOR && (self.device || self.role(*ino) == Some(0)))
    }

    /// Cuts the power of a device. Each block is kept or lost individually, even within the same request.
    fn cut_device(&mut self) {
        const BLOCK: usize = 4096;
        self.power = false;
        let salt = self.random.below(u64::MAX);
        for change in std::mem::take(&mut self.pending) {
            let Change::Write { ino, at, data } = change else { continue };
            for (n, data) in data.chunks(BLOCK).enumerate() {
                let at = at + (n * BLOCK) as u64;
                let stays = match self.kind {
                    // Either all writes to a position survive or none, so an older write never replaces a newer one.
                    Kind::IgnoresSync => durable::schedule::mix(at / BLOCK as u64, salt) & 1 == 0,
                    _ => self.random.coin(),
                };
                if stays && self.kind == Kind::Torn && data.len() > SECTOR {
                    for (start, data) in self.torn(data) {
                        apply(&mut self.medium, &Change::Write { ino, at: at + start, data });
                    }
                } else if stays {
                    apply(&mut self.medium, &Change::Write { ino, at, data: data.to_vec() });
                }
            }
        }
    }

    fn cut(&mut self) {
        if self.device {
            return self.cut_device();
        }
        self.power = false;
        let pending = std::mem::take(&mut self.pending);
        let directories: Vec<u64> = pending.iter().filter_map(Change::parent).collect();
        // The journals of file systems preserve the order of name changes, so for each directory, a prefix of its
        // changes survives.
        let mut budget: BTreeMap<u64, u64> = BTreeMap::new();
        for parent in directories {
            *budget.entry(parent).or_default() += 1;
        }
        for all in budget.values_mut() {
            let most = if self.kind == Kind::DataWithoutMetadata { *all / 2 } else { *all };
            *all = self.random.below(most + 1);
        }
        let latest = |at: usize, ino: u64, place: u64| {
            let same = |c: &Change| matches!(c, Change::Write { ino: i, at: p, .. } if *i == ino && *p == place);
            !pending[at + 1..].iter().any(same)
        };
        for (at, change) in pending.iter().enumerate() {
            match change {
                Change::Write { ino, at: place, data } => {
                    let stays = self.random.coin();
                    if self.kind == Kind::Torn && self.can_tear(change) {
                        for (start, part) in self.torn(data) {
                            apply(&mut self.medium, &Change::Write { ino: *ino, at: place + start, data: part });
                        }
                    } else if stays && (self.kind != Kind::IgnoresSync || latest(at, *ino, *place)) {
                        apply(&mut self.medium, change);
                    }
                }
                Change::Size { .. } => {
                    if self.kind != Kind::DataWithoutMetadata && self.random.coin() {
                        apply(&mut self.medium, change);
                    }
                }
                names => {
                    let left = names.parent().and_then(|parent| budget.get_mut(&parent));
                    if let Some(left) = left.filter(|left| **left > 0) {
                        *left -= 1;
                        apply(&mut self.medium, change);
                    }
                }
            }
        }
        self.truth = self.judge();
    }

    /// Compares the medium with the promises. Each sector of a write in progress may or may not be present.
    fn judge(&self) -> Truth {
        let mut truth = Truth::default();
        let file = |image: &'_ Image, ino: u64| match image.get(&ino) {
            Some(Node::File { data, size }) => data[..*size as usize].to_vec(),
            _ => Vec::new(),
        };
        for (number, promised) in &self.promised {
            let Node::Directory(promised) = promised else { continue };
            let names = |image: &Image| match image.get(number) {
                Some(Node::Directory(names)) => names.clone(),
                _ => BTreeMap::new(),
            };
            let (live, medium) = (names(&self.live), names(&self.medium));
            let names: BTreeSet<&OsString> = promised.keys().chain(live.keys()).chain(medium.keys()).collect();
            for name in names {
                let text = name.to_string_lossy();
                let on_medium = medium.get(name);
                let is_kept = on_medium == promised.get(name) || on_medium == live.get(name);
                let slot = text.strip_prefix("slot.").and_then(|slot| slot.parse::<u64>().ok());
                if text.starts_with("append.") {
                    truth.files |= !is_kept;
                    truth.taken[1] |= !is_kept;
                }
                truth.taken[2] |= slot.is_some() && !is_kept;
                let Some(ino) = on_medium else {
                    truth.slots.extend(slot.filter(|_| !is_kept));
                    continue;
                };
                let (is, was, now) = (file(&self.medium, *ino), file(&self.promised, *ino), file(&self.live, *ino));
                if let Some(slot) = slot {
                    // The file's contents were synced before the file was given this name. If they are lost, the file
                    // cannot be identified.
                    truth.size |= is.len() < now.len();
                    truth.data |= is.len() == now.len() && is != now;
                    truth.taken[2] |= is != now;
                    truth.slots.extend(Some(slot).filter(|_| !is_kept && is == now));
                } else if text.starts_with("append.") && promised.contains_key(name) {
                    truth.size |= is.len() < was.len();
                    let both = is.len().min(was.len());
                    truth.data |= is[..both] != was[..both];
                    truth.taken[1] |= is.len() < was.len() || is[..both] != was[..both];
                } else if text.starts_with("blocks.") {
                    for block in (0..is.len()).step_by(4096) {
                        let [is, was, now] = [&is, &was, &now].map(|f| f[block..block + 4096].chunks(SECTOR));
                        let sectors: Vec<_> =
                            is.zip(was).zip(now).map(|((is, was), now)| (is == was, is == now)).collect();
                        let lost = sectors.iter().any(|(old, new)| !old && !new);
                        truth.data |= lost;
                        truth.taken[0] |= lost;
                        let both = sectors.iter().any(|(old, _)| !old) && sectors.iter().any(|(_, new)| !new);
                        truth.torn += u64::from(both && !lost);
                    }
                }
            }
        }
        truth
    }

    /// Returns a random selection of the sectors in a write: at least one, but not all.
    fn torn(&mut self, data: &[u8]) -> Vec<(u64, Vec<u8>)> {
        let sectors = data.len() / SECTOR;
        let must = self.random.below(sectors as u64) as usize;
        let never = (must + 1 + self.random.below(sectors as u64 - 1) as usize) % sectors;
        let stays = |i: usize, coin: bool| i == must || i != never && coin;
        let kept: Vec<usize> = (0..sectors).filter(|i| stays(*i, self.random.coin())).collect();
        kept.into_iter().map(|i| ((i * SECTOR) as u64, data[i * SECTOR..(i + 1) * SECTOR].to_vec())).collect()
    }

    /// Makes the changes that `which` selects durable, in order.
    fn settle(&mut self, which: impl Fn(&Change) -> bool) {
        let (now, later): (Vec<Change>, Vec<Change>) = std::mem::take(&mut self.pending).into_iter().partition(which);
        now.iter().for_each(|change| apply(&mut self.medium, change));
        self.pending = later;
    }

    fn sync(&mut self, ino: u64, directory: bool) {
        let is_synced = |c: &Change| c.file() == Some(ino) || directory && c.parent() == Some(ino);
        let (now, later): (Vec<Change>, Vec<Change>) =
            std::mem::take(&mut self.unsynced).into_iter().partition(is_synced);
        now.iter().for_each(|change| apply(&mut self.promised, change));
        self.unsynced = later;
        let kind = if self.left.is_some() { self.kind } else { Kind::Honest };
        match kind {
            Kind::Honest | Kind::Torn => self.settle(is_synced),
            Kind::DataWithoutMetadata => self.settle(|c| matches!(c, Change::Write { ino: i, .. } if *i == ino)),
            // At random times, write to the medium. Only the newest write to each position is written, so that no older
            // one replaces it.
            Kind::IgnoresSync if !self.device && self.random.below(6) == 0 => {
                let pending = std::mem::take(&mut self.pending);
                for at in 0..pending.len() {
                    let Change::Write { ino, at: place, .. } = &pending[at] else { continue };
                    let same = |c: &Change| matches!(c, Change::Write { ino: i, at: p, .. } if i == ino && p == place);
                    if !pending[at + 1..].iter().any(same) && self.random.below(4) == 0 {
                        apply(&mut self.medium, &pending[at]);
                    } else {
                        self.pending.push(pending[at].clone());
                    }
                }
                self.pending.extend(pending.into_iter().filter(|c| !matches!(c, Change::Write { .. })));
            }
            Kind::IgnoresSync => {}
        }
        if self.left.is_some()
            && let Some(role) = self.role(ino)
        {
            self.answered[role] += 1;
        }
    }

    fn add(&mut self, parent: u64, name: &OsStr, node: Node) -> Result<u64, Errno> {
        self.change()?;
        let ino = self.next;
        self.next += 1;
        // The file's node immediately exists in every state. Its name is a separate change.
        for image in [&mut self.live, &mut self.medium, &mut self.promised] {
            image.insert(ino, node.clone());
        }
        self.make(Change::Add { parent, name: name.to_owned(), ino });
        Ok(ino)
    }

    fn make(&mut self, change: Change) {
        apply(&mut self.live, &change);
        self.unsynced.push(change.clone());
        self.pending.push(change);
    }

    fn find_child(&self, parent: u64, name: &OsStr) -> Result<u64, Errno> {
        match self.live.get(&parent) {
            Some(Node::Directory(names)) => names.get(name).copied().ok_or(Errno::ENOENT),
            _ => Err(Errno::ENOENT),
        }
    }

    fn attributes(&self, ino: u64) -> Result<FileAttr, Errno> {
        let (kind, size) = match self.live.get(&ino) {
            Some(Node::Directory(_)) => (FileType::Directory, 0),
            Some(Node::File { size, .. }) => (FileType::RegularFile, *size),
            None => return Err(Errno::ENOENT),
        };
        Ok(FileAttr {
            ino: INodeNo(ino),
            size,
            blocks: size.div_ceil(512),
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind,
            perm: 0o700,
            nlink: 1,
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        })
    }
}

/// Mounted storage.
pub struct Liar {
    state: Arc<Mutex<State>>,
    session: Option<BackgroundSession>,
    point: PathBuf,
}

struct Served(Arc<Mutex<State>>);

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Liar {
    /// Mounts the storage as a file system.
    ///
    /// # Errors
    /// Returns an error if this machine has no FUSE or does not permit the mount.
    pub fn mount(point: &Path, seed: u64) -> std::io::Result<Liar> {
        let root: Image = [(ROOT, Node::Directory(BTreeMap::new()))].into();
        let state = Arc::new(Mutex::new(State {
            live: root.clone(),
            medium: root.clone(),
            pending: Vec::new(),
            promised: root,
            unsynced: Vec::new(),
            truth: Truth::default(),
            next: 2,
            kind: Kind::Honest,
            left: None,
            answered: [0; 3],
            power: true,
            random: Random(seed),
            device: false,
            bad: None,
        }));
        let session = fuser::spawn_mount(Served(Arc::clone(&state)), point, &Config::default())?;
        Ok(Liar { state, session: Some(session), point: point.to_owned() })
    }

    /// Sets the kind of storage from now on. After this number of requests that change something, the power fails as
    /// soon as a cut would show the behavior of this kind.
    pub fn arm(&self, kind: Kind, requests: u64) {
        let mut state = locked(&self.state);
        (state.kind, state.left, state.answered) = (kind, Some(requests), [0; 3]);
    }

    /// Does the same as [`Liar::arm`] for files that are used as devices.
    pub fn arm_device(&self, kind: Kind, requests: u64) {
        self.arm(kind, requests);
        locked(&self.state).device = true;
    }

    /// Returns `true` if the storage has power.
    pub fn has_power(&self) -> bool {
        locked(&self.state).power
    }

    /// Makes this part of a file unreadable from now on.
    pub fn spoil(&self, name: &'static str, range: std::ops::Range<u64>) {
        locked(&self.state).bad = Some((name, range));
    }

    /// Restores the power and returns the losses at the cut. The storage then serves the data that survived, and is
    /// honest.
    pub fn revive(&self) -> Truth {
        let mut state = locked(&self.state);
        assert!(!state.power, "the power never went");
        // No process has files open any more, so files without a name are gone.
        let named: BTreeSet<u64> = state
            .medium
            .values()
            .filter_map(|node| if let Node::Directory(names) = node { Some(names.values().copied()) } else { None })
            .flatten()
            .chain([ROOT])
            .collect();
        state.medium.retain(|ino, _| named.contains(ino));
        state.live = state.medium.clone();
        state.promised = state.medium.clone();
        state.unsynced.clear();
        (state.power, state.left) = (true, None);
        state.truth.clone()
    }
}

impl Drop for Liar {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            // After a failed test, a device may still use the mount.
            if session.umount_and_join().is_err() {
                let _ = testkit::tool("umount", &["-l".as_ref(), self.point.as_os_str()]);
            }
        }
    }
}

/// Cache lifetime that prevents the kernel from caching anything.
const NEVER: Duration = Duration::ZERO;

macro_rules! answer {
    ($reply:ident, $outcome:expr, $tell:expr) => {
        match $outcome {
            Ok(value) => $tell($reply, value),
            Err(errno) => $reply.error(errno),
        }
    };
}

impl Served {
    fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.0)
    }

    fn powered(&self) -> Result<MutexGuard<'_, State>, Errno> {
        let state = self.state();
        if state.power { Ok(state) } else { Err(Errno::EIO) }
    }
}

impl Filesystem for Served {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let outcome = self.powered().and_then(|state| state.attributes(state.find_child(parent.0, name)?));
        answer!(reply, outcome, |r: ReplyEntry, a| r.entry(&NEVER, &a, Generation(0)));
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        let outcome = self.powered().and_then(|state| state.attributes(ino.0));
        answer!(reply, outcome, |r: ReplyAttr, a| r.attr(&NEVER, &a));
    }

    fn setattr(
        &self,
        _: &Request,
        ino: INodeNo,
        _: Option<u32>,
        _: Option<u32>,
        _: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let outcome = self.powered().and_then(|mut state| {
            if let Some(size) = size {
                state.change()?;
                state.make(Change::Size { ino: ino.0, size });
            }
            state.attributes(ino.0)
        });
        answer!(reply, outcome, |r: ReplyAttr, a| r.attr(&NEVER, &a));
    }

    fn mkdir(&self, _: &Request, parent: INodeNo, name: &OsStr, _: u32, _: u32, reply: ReplyEntry) {
        let outcome = self.powered().and_then(|mut state| {
            let ino = state.add(parent.0, name, Node::Directory(BTreeMap::new()))?;
            state.attributes(ino)
        });
        answer!(reply, outcome, |r: ReplyEntry, a| r.entry(&NEVER, &a, Generation(0)));
    }

    fn create(&self, _: &Request, parent: INodeNo, name: &OsStr, _: u32, _: u32, _: i32, reply: ReplyCreate) {
        let outcome = self.powered().and_then(|mut state| {
            let ino = state.add(parent.0, name, Node::File { data: Vec::new(), size: 0 })?;
            state.attributes(ino)
        });
        let tell = |r: ReplyCreate, a: FileAttr| {
            r.created(&NEVER, &a, Generation(0), FileHandle(0), FopenFlags::FOPEN_DIRECT_IO)
        };
        answer!(reply, outcome, tell);
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let outcome = self.powered().and_then(|mut state| {
            state.find_child(parent.0, name)?;
            state.change()?;
            state.make(Change::Remove { parent: parent.0, name: name.to_owned() });
            Ok(())
        });
        answer!(reply, outcome, |r: ReplyEmpty, ()| r.ok());
    }

    fn rmdir(&self, request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.unlink(request, parent, name, reply);
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        to: INodeNo,
        new: &OsStr,
        _: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let outcome = self.powered().and_then(|mut state| {
            if parent != to {
                return Err(Errno::EXDEV);
            }
            state.find_child(parent.0, name)?;
            state.change()?;
            state.make(Change::Rename { parent: parent.0, from: name.to_owned(), to: new.to_owned() });
            Ok(())
        });
        answer!(reply, outcome, |r: ReplyEmpty, ()| r.ok());
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        let outcome = self.powered().map(drop);
        answer!(reply, outcome, |r: ReplyOpen, ()| r.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO));
    }

    fn read(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let spoilt = |state: &State| {
            let names =
                state.live.values().filter_map(|n| if let Node::Directory(names) = n { Some(names) } else { None });
            let mut names = names.flatten().filter(|(_, n)| **n == ino.0).map(|(name, _)| name.to_string_lossy());
            let asked = offset..offset + u64::from(size);
            let meets = |bad: &std::ops::Range<u64>| bad.start < asked.end && asked.start < bad.end;
            state.bad.as_ref().is_some_and(|(name, bad)| meets(bad) && names.any(|n| n.starts_with(name)))
        };
        let outcome = self.powered().and_then(|state| match state.live.get(&ino.0) {
            _ if spoilt(&state) => Err(Errno::EIO),
            Some(Node::File { data, size: end }) => {
                let (from, to) = (offset.min(*end) as usize, (offset + u64::from(size)).min(*end) as usize);
                Ok(data[from..to].to_vec())
            }
            _ => Err(Errno::EIO),
        });
        answer!(reply, outcome, |r: ReplyData, data: Vec<u8>| r.data(&data));
    }

    fn write(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let outcome = self.powered().and_then(|mut state| {
            state.change()?;
            let end = offset + data.len() as u64;
            let grows = matches!(state.live.get(&ino.0), Some(Node::File { size, .. }) if *size < end);
            state.make(Change::Write { ino: ino.0, at: offset, data: data.to_vec() });
            if grows {
                state.make(Change::Size { ino: ino.0, size: end });
            }
            Ok(data.len() as u32)
        });
        answer!(reply, outcome, |r: ReplyWrite, n| r.written(n));
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, ino: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        let outcome = self.powered().and_then(|mut state| {
            state.change()?;
            state.sync(ino.0, false);
            Ok(())
        });
        answer!(reply, outcome, |r: ReplyEmpty, ()| r.ok());
    }

    fn fsyncdir(&self, _: &Request, ino: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        let outcome = self.powered().and_then(|mut state| {
            state.change()?;
            state.sync(ino.0, true);
            Ok(())
        });
        answer!(reply, outcome, |r: ReplyEmpty, ()| r.ok());
    }

    fn readdir(&self, _: &Request, ino: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let entries = self.powered().and_then(|state| match state.live.get(&ino.0) {
            Some(Node::Directory(names)) => Ok(names
                .iter()
                .map(|(name, ino)| (*ino, name.clone(), matches!(state.live.get(ino), Some(Node::Directory(_)))))
                .collect::<Vec<_>>()),
            _ => Err(Errno::ENOTDIR),
        });
        match entries {
            Ok(entries) => {
                for (at, (ino, name, directory)) in entries.iter().enumerate().skip(offset as usize) {
                    let kind = if *directory { FileType::Directory } else { FileType::RegularFile };
                    if reply.add(INodeNo(*ino), at as u64 + 1, kind, name) {
                        break;
                    }
                }
                reply.ok();
            }
            Err(errno) => reply.error(errno),
        }
    }
}

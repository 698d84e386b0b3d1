//! Files that the descriptors of other processes refer to, inspected below `/proc` and assigned to roles.

use crate::Roots;
use crate::roots::{number, text};
use model::plan::{RolePath, UNMAPPED};
use model::{Bytes, recording::RecordedTarget};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::path::PathBuf;
use std::rc::Rc;
use sys::files::{FileTypeExt, Metadata, MetadataExt, open_flag};

/// Maximum number of files recorded separately; further files are combined for each role.
const TOLD_APART: usize = 4096;

/// Result of inspecting a descriptor.
#[derive(Debug, Clone)]
pub(super) enum Looked {
    /// A regular file, a directory or a block device.
    File(LookedFile),
    /// A socket, a pipe, a terminal or a file that exposes kernel state.
    Other {
        /// True if the file has no name in any directory. Opening a path cannot yield such a file.
        nameless: bool,
        closes: bool,
    },
    /// The descriptor was closed, or its process has ended.
    Gone,
}

/// An inspected file.
#[derive(Debug, Clone)]
pub(super) struct LookedFile {
    pub path: PathBuf,
    pub size: u64,
    pub directory: bool,
    /// Device number, if the file is a block device.
    pub device: Option<(u32, u32)>,
    /// Position of the next read or write.
    pub position: u64,
    /// True if writes go to the end of the file.
    pub appends: bool,
    /// True if writes are durable when they return.
    pub durable: bool,
    /// True if the descriptor is closed on exec.
    pub closes: bool,
}

/// Inspects a descriptor of a task.
pub(super) fn inspect(roots: &Roots, task: u32, descriptor: i32) -> Looked {
    let task = roots.proc.join(task.to_string());
    let link = task.join("fd").join(descriptor.to_string());
    let Ok(target) = std::fs::read_link(&link) else { return Looked::Gone };
    let info = text(&task.join("fdinfo").join(descriptor.to_string())).unwrap_or_default();
    let field = |name: &str| info.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let flags = field("flags:").and_then(|flags| u32::from_str_radix(flags, 8).ok()).unwrap_or(0);
    let is = |flag: u32| flags & flag != 0;
    let name = target.to_string_lossy();
    let other = Looked::Other { nameless: !name.starts_with('/'), closes: is(open_flag::CLOEXEC) };
    if ["/proc/", "/sys/", "/memfd:"].iter().any(|before| name.starts_with(before)) || !name.starts_with('/') {
        return other;
    }
    let Ok(meta) = sys::files::metadata(&link) else { return Looked::Gone };
    if !(meta.is_file() || meta.is_dir() || meta.file_type().is_block_device()) {
        return other;
    }
    let gone = meta.nlink() == 0;
    let name = if gone { name.strip_suffix(" (deleted)").unwrap_or(&name) } else { &name };
    Looked::File(LookedFile {
        path: name.into(),
        size: size_of(roots, &meta),
        directory: meta.is_dir(),
        device: meta.file_type().is_block_device().then(|| sys::devices::device_number(meta.rdev())),
        position: field("pos:").and_then(|pos| pos.parse().ok()).unwrap_or(0),
        appends: is(open_flag::APPEND),
        durable: is(open_flag::DSYNC),
        closes: is(open_flag::CLOEXEC),
    })
}

fn size_of(roots: &Roots, meta: &Metadata) -> u64 {
    if !meta.file_type().is_block_device() {
        return meta.len();
    }
    let dir = roots.block(sys::devices::device_number(meta.rdev()));
    let sectors = dir.and_then(|dir| number(&dir.join("size")));
    sectors.unwrap_or(0).saturating_mul(512)
}

/// A file that is the target of requests.
#[derive(Debug)]
pub(super) struct File {
    /// Index in the recording's targets.
    pub target: u16,
    pub directory: bool,
    /// End of the file, where appended data goes, and the time of the inspection.
    pub end: Cell<u64>,
    pub looked: Cell<u64>,
}

impl File {
    fn new(target: u16, directory: bool) -> Rc<File> {
        Rc::new(File { target, directory, end: Cell::new(0), looked: Cell::new(0) })
    }
}

/// All files so far, as targets of a recording.
#[derive(Debug)]
pub(super) struct Files {
    pub targets: Vec<RecordedTarget>,
    roles: Vec<Role>,
    by_path: FxHashMap<PathBuf, Rc<File>>,
    /// Combined targets for files that are not recorded separately: one for each role, and one for files without a
    /// role.
    together: FxHashMap<Option<usize>, Rc<File>>,
    /// Target for all files that could not be identified.
    unknown: Option<Rc<File>>,
}

#[derive(Debug)]
struct Role {
    name: String,
    path: PathBuf,
    device: Option<(u32, u32)>,
}

impl Files {
    pub fn new(roles: &[RolePath]) -> Files {
        let role = |role: &RolePath| {
            let path = sys::files::canonical(&role.path).unwrap_or_else(|_| role.path.clone());
            let device = sys::files::metadata(&path).ok().filter(|meta| meta.file_type().is_block_device());
            Role { name: role.role.clone(), path, device: device.map(|meta| sys::devices::device_number(meta.rdev())) }
        };
        Files {
            targets: Vec::new(),
            roles: roles.iter().map(role).collect(),
            by_path: FxHashMap::default(),
            together: FxHashMap::default(),
            unknown: None,
        }
    }

    /// Returns the file with this path, which was inspected at time `looked`.
    pub fn file(&mut self, inspected: &LookedFile, looked: u64) -> Rc<File> {
        let file = match self.by_path.get(&inspected.path) {
            Some(file) => Rc::clone(file),
            None => self.new_file(inspected),
        };
        file.end.set(inspected.size);
        file.looked.set(looked);
        file
    }

    fn new_file(&mut self, inspected: &LookedFile) -> Rc<File> {
        let role = self.role_of(inspected);
        if self.by_path.len() >= TOLD_APART {
            return self.one_of_role(role);
        }
        let target = self.add(role, inspected.path.display().to_string(), inspected.size);
        let file = File::new(target, inspected.directory);
        self.by_path.insert(inspected.path.clone(), Rc::clone(&file));
        file
    }

    /// Returns the target for unidentified files.
    pub fn unknown(&mut self) -> Rc<File> {
        if self.unknown.is_none() {
            self.unknown = Some(File::new(self.add(None, String::new(), 0), false));
        }
        Rc::clone(self.unknown.as_ref().expect("it was made"))
    }

    fn one_of_role(&mut self, role: Option<usize>) -> Rc<File> {
        if let Some(file) = self.together.get(&role) {
            return Rc::clone(file);
        }
        let file = File::new(self.add(role, String::new(), 0), false);
        self.together.insert(role, Rc::clone(&file));
        file
    }

    fn add(&mut self, role: Option<usize>, name: String, size: u64) -> u16 {
        let role = role.map_or(UNMAPPED, |role| &self.roles[role].name).to_owned();
        self.targets.push(RecordedTarget { role, name, size: Bytes(size), sector: 0 });
        u16::try_from(self.targets.len() - 1).unwrap_or(u16::MAX)
    }

    /// Returns the role with the longest path that contains the file.
    fn role_of(&self, inspected: &LookedFile) -> Option<usize> {
        let holds = |role: &Role| match role.device {
            Some(device) => inspected.device == Some(device),
            None => inspected.path.starts_with(&role.path),
        };
        let holding = self.roles.iter().enumerate().filter(|(_, role)| holds(role));
        holding.max_by_key(|(_, role)| role.path.as_os_str().len()).map(|(number, _)| number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked_file(path: &str) -> LookedFile {
        LookedFile {
            path: path.into(),
            size: 7,
            directory: false,
            device: None,
            position: 0,
            appends: false,
            durable: false,
            closes: false,
        }
    }

    #[test]
    fn the_longest_path_names_the_role_and_files_beyond_what_can_be_told_are_one() {
        let role = |role: &str, path: &str| RolePath { role: role.into(), path: path.into() };
        let mut files = Files::new(&[role("data", "/nowhere/db"), role("journal", "/nowhere/db/wal")]);
        let journal = files.file(&looked_file("/nowhere/db/wal/1"), 5);
        let data = files.file(&looked_file("/nowhere/db/base/1"), 5);
        files.file(&looked_file("/nowhere/db2/1"), 5);
        let roles: Vec<&str> = files.targets.iter().map(|t| t.role.as_str()).collect();
        assert_eq!(roles, ["journal", "data", UNMAPPED]);
        assert_eq!((journal.target, data.target, data.end.get()), (0, 1, 7));
        for number in 0..TOLD_APART + 9 {
            files.file(&looked_file(&format!("/nowhere/db/{number}")), 5);
        }
        assert_eq!(files.targets.len(), TOLD_APART + 1);
        let last = files.targets.last().expect("one for the rest");
        assert_eq!((last.role.as_str(), last.name.as_str()), ("data", ""));
    }
}

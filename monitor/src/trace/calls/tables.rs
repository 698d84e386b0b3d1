//! Descriptor tables of tasks, tracked from event to event.

use super::files::{File, Files, Looked, LookedFile};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Open file, shared by all duplicated or inherited descriptors.
#[derive(Debug)]
pub(super) struct OpenFile {
    /// File that the descriptors refer to; `None` if the file has not been inspected yet.
    file: RefCell<Option<Rc<File>>>,
    /// Position of the next read or write.
    position: Cell<u64>,
    /// Time from which the position is tracked (CLOCK_MONOTONIC).
    followed: Cell<u64>,
    appends: Cell<bool>,
    durable: Cell<bool>,
}

impl OpenFile {
    /// Creates an open file from an inspection at time `looked`; `opened` is the time of the open, if the open was
    /// seen.
    pub fn new(files: &mut Files, inspected: &LookedFile, looked: u64, opened: Option<u64>) -> Rc<OpenFile> {
        let open = OpenFile::unknown(opened);
        open.learn(files, inspected, looked);
        open
    }

    /// Creates an open file whose file is unknown.
    pub fn unknown(opened: Option<u64>) -> Rc<OpenFile> {
        Rc::new(OpenFile {
            file: RefCell::new(None),
            position: Cell::new(0),
            followed: Cell::new(opened.unwrap_or(0)),
            appends: Cell::new(false),
            durable: Cell::new(false),
        })
    }

    /// Records the result of an inspection.
    pub fn learn(&self, files: &mut Files, inspected: &LookedFile, looked: u64) {
        *self.file.borrow_mut() = Some(files.file(inspected, looked));
        self.appends.set(inspected.appends);
        self.durable.set(inspected.durable);
        // If the open was seen, the position is tracked from there.
        if self.followed.get() == 0 {
            self.position.set(inspected.position);
            self.followed.set(looked);
        }
    }

    pub fn file(&self) -> Option<Rc<File>> {
        self.file.borrow().clone()
    }

    pub fn is_unknown(&self) -> bool {
        self.file.borrow().is_none()
    }

    /// Returns `true` if writes are durable when they return.
    pub fn is_durable(&self) -> bool {
        self.durable.get()
    }

    /// Returns the position at the beginning of a call that moved `bytes` bytes and ended at `ended`, and advances the
    /// position.
    pub fn go_on(&self, bytes: u64, ended: u64, writes: bool) -> u64 {
        let file = self.file().filter(|_| self.appends.get() && writes);
        let (at, followed) = match &file {
            Some(file) => (&file.end, file.looked.get()),
            None => (&self.position, self.followed.get()),
        };
        let begin = at.get();
        if ended <= followed {
            // The inspected position already included this call.
            return begin.saturating_sub(bytes);
        }
        at.set(begin.saturating_add(bytes));
        begin
    }

    /// Sets the position to the result of an `lseek` that ended at `ended`.
    pub fn seek(&self, position: u64, ended: u64) {
        if ended > self.followed.get() {
            self.position.set(position);
        }
    }
}

/// Entry of a descriptor table.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    /// Open file; `None` for sockets, pipes and terminals.
    pub open: Option<Rc<OpenFile>>,
    /// True if the descriptor is closed on exec.
    pub closes: bool,
}

impl Slot {
    /// Creates an entry from an inspection.
    pub fn new(files: &mut Files, looked_at: &Looked, looked: u64, opened: Option<u64>) -> Slot {
        match looked_at {
            Looked::File(inspected) => {
                Slot { open: Some(OpenFile::new(files, inspected, looked, opened)), closes: inspected.closes }
            }
            Looked::Other { closes, .. } => Slot { open: None, closes: *closes },
            Looked::Gone => Slot { open: Some(OpenFile::unknown(opened)), closes: false },
        }
    }
}

/// Descriptors of a process, shared by its threads.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    pub slots: FxHashMap<i32, Slot>,
    /// True for our own process, whose calls are not recorded.
    pub own: bool,
}

pub(super) type SharedTable = Rc<RefCell<Table>>;

/// Tasks and their tables.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    tables: FxHashMap<u32, SharedTable>,
}

/// Flag of `clone`: the new task shares the descriptor table.
const CLONE_FILES: u64 = 0x400;
/// Flag of `clone`: the new task is a thread of the same process.
const CLONE_THREAD: u64 = 0x1_0000;

impl Tasks {
    /// Returns the table of a task, creating it if necessary.
    pub fn table(&mut self, task: u32) -> SharedTable {
        Rc::clone(self.tables.entry(task).or_default())
    }

    /// Returns the table of a task, if the task has a table.
    pub fn known(&self, task: u32) -> Option<&SharedTable> {
        self.tables.get(&task)
    }

    /// Sets the table of a task.
    pub fn set(&mut self, task: u32, table: SharedTable) {
        self.tables.insert(task, table);
    }

    /// Records that a task started another one.
    pub fn begin(&mut self, parent: u32, task: u32, flags: u64) {
        let parent = self.table(parent);
        let is_own = parent.borrow().own;
        let table = match flags & CLONE_FILES {
            // A process that we start must be recorded, even while it shares our table.
            _ if is_own && flags & CLONE_THREAD == 0 => copied(&parent),
            0 => copied(&parent),
            _ => parent,
        };
        self.tables.insert(task, table);
    }

    /// Records that a task executed another program.
    pub fn exec(&mut self, task: u32) {
        let table = self.table(task);
        // After exec, a table is no longer shared.
        let copy = copied(&table);
        copy.borrow_mut().slots.retain(|_, slot| !slot.closes);
        self.tables.insert(task, copy);
    }

    /// Records that a task ended.
    pub fn end(&mut self, task: u32) {
        self.tables.remove(&task);
    }

    /// Clears all tables. Used after the loss of events that may have changed the tables.
    pub fn forget(&mut self) {
        for table in self.tables.values() {
            table.borrow_mut().slots.clear();
        }
    }
}

fn copied(table: &SharedTable) -> SharedTable {
    Rc::new(RefCell::new(Table { slots: table.borrow().slots.clone(), own: false }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inspected_file() -> LookedFile {
        LookedFile {
            path: "/nowhere/file".into(),
            size: 100,
            directory: false,
            device: None,
            position: 40,
            appends: false,
            durable: false,
            closes: true,
        }
    }

    #[test]
    fn positions_go_on_from_where_they_were_seen() {
        let mut files = Files::new(&[]);
        let opened = OpenFile::new(&mut files, &inspected_file(), 50, Some(10));
        assert_eq!(opened.go_on(8, 20, false), 0, "before it was looked at");
        assert_eq!(opened.go_on(8, 60, true), 8);
        opened.seek(500, 70);
        assert_eq!(opened.go_on(1, 80, false), 500);
        let met = OpenFile::new(&mut files, &inspected_file(), 50, None);
        assert_eq!(met.go_on(8, 20, false), 32, "it had ended when it was looked at");
        assert_eq!(met.go_on(8, 60, false), 40);
        let log = OpenFile::new(&mut files, &LookedFile { appends: true, ..inspected_file() }, 50, Some(10));
        assert_eq!([log.go_on(5, 51, true), log.go_on(5, 52, true), log.go_on(3, 53, false)], [100, 105, 0]);
    }

    #[test]
    fn children_inherit_and_programs_close() {
        let mut files = Files::new(&[]);
        let mut tasks = Tasks::default();
        let file = Slot::new(&mut files, &Looked::File(inspected_file()), 5, None);
        tasks.table(1).borrow_mut().slots.insert(3, file);
        tasks.begin(1, 2, CLONE_FILES | CLONE_THREAD);
        tasks.begin(1, 9, 0);
        tasks.table(2).borrow_mut().slots.remove(&3);
        assert!(tasks.table(1).borrow().slots.is_empty(), "a thread shares them");
        assert!(tasks.table(9).borrow().slots.contains_key(&3), "a child has its own");
        tasks.exec(9);
        assert!(tasks.table(9).borrow().slots.is_empty(), "it is closed by another program");
        tasks.table(7).borrow_mut().own = true;
        tasks.begin(7, 8, CLONE_FILES | CLONE_THREAD);
        tasks.begin(7, 6, CLONE_FILES);
        assert_eq!([8, 6].map(|task| tasks.table(task).borrow().own), [true, false]);
    }
}

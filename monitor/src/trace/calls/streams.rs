//! Assembly of events into calls, with their beginning, end, file and offset.

use super::super::recorded::RecordedBatch;
use super::events::{Call, CallEvent, DUPLICATE, SET_FLAGS, What};
use super::files::{Files, Looked};
use super::tables::{OpenFile, SharedTable, Slot, Tasks};
use model::recording::{RecordedRequest, RequestFlags, UnseenCalls};
use model::{Nanos, measured::RequestKind};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Flags of preadv2 and pwritev2 that make the call durable when it returns (RWF_DSYNC, RWF_SYNC).
const DURABLE: u64 = 2 | 4;
/// Flag of dup3: close on exec.
const CLOSES: u64 = 0o2_000_000;
const CLOSE_RANGE_LATER: u64 = 4;

/// A call in progress.
#[derive(Debug)]
struct Pending {
    at: u64,
    call: Call,
    /// Open file; `None` if the call does not concern a file.
    open: Option<Rc<OpenFile>>,
    arguments: [u64; 3],
}

/// Inspection of descriptors.
pub(super) trait Inspect {
    /// Returns the current file of a descriptor, and the time of the inspection (CLOCK_MONOTONIC).
    fn inspect(&mut self, task: u32, descriptor: i32) -> (Looked, u64);
}

/// State and results of tracing calls.
#[derive(Debug)]
pub(super) struct Calls {
    pub tasks: Tasks,
    pub files: Files,
    /// Start of the recording, on CLOCK_MONOTONIC.
    begun: u64,
    pending: FxHashMap<u32, Pending>,
    requests: Vec<RecordedRequest>,
    unmatched: u64,
    unseen: Vec<UnseenCalls>,
    unresolved: u64,
    /// Files that were opened and closed before they could be inspected, each with its task. Another descriptor may
    /// still refer to such a file.
    unlooked: Vec<(u32, Rc<OpenFile>)>,
}

/// Time at which the waiting events last close each descriptor of a table.
type Closings = FxHashMap<(usize, i32), u64>;

impl Calls {
    pub fn new(tasks: Tasks, files: Files, begun: u64) -> Calls {
        Calls {
            tasks,
            files,
            begun,
            pending: FxHashMap::default(),
            requests: Vec::new(),
            unmatched: 0,
            unseen: Vec::new(),
            unresolved: 0,
            unlooked: Vec::new(),
        }
    }

    /// Processes the first `ready` events, which are in chronological order. Later events are only searched for closed
    /// descriptors. `opened` maps each open to the result of inspecting its descriptor. The key is the second argument
    /// of the event that ends the open.
    pub fn take(
        &mut self,
        events: &[CallEvent],
        ready: usize,
        opened: &mut FxHashMap<u64, (Looked, u64)>,
        eye: &mut impl Inspect,
    ) {
        let mut closings = None;
        for (number, event) in events[..ready].iter().enumerate() {
            match event.what {
                What::NewTask => self.tasks.begin(event.task, event.arguments[0] as u32, event.arguments[1]),
                What::Exec => self.tasks.exec(event.task),
                What::TaskEnd => {
                    self.pending.remove(&event.task);
                    self.tasks.end(event.task);
                }
                What::Exit(Call::Open) => {
                    let inspection = opened.remove(&event.arguments[1]).unwrap_or((Looked::Gone, event.at));
                    self.open(event, &inspection);
                }
                What::Exit(call) => self.end(event, call),
                What::Enter(call) => {
                    let closed = |tasks: &Tasks, table: &SharedTable, descriptor: i32| {
                        let closings = closings.get_or_insert_with(|| closings_of(tasks, &events[number..]));
                        closings.get(&(Rc::as_ptr(table) as usize, descriptor)).is_some_and(|at| *at > event.at)
                    };
                    self.begin(event, call, closed, eye);
                }
            }
        }
        if !self.unlooked.is_empty() {
            self.look_again(&closings_of(&self.tasks, &events[ready..]), eye);
        }
    }

    /// Inspects files through another descriptor if their first descriptor was closed. Shells close the first
    /// descriptor before they start the program that uses the file.
    fn look_again(&mut self, closings: &Closings, eye: &mut impl Inspect) {
        for (task, open) in std::mem::take(&mut self.unlooked) {
            let Some(table) = self.tasks.known(task).filter(|_| open.is_unknown()) else { continue };
            let is = |slot: &Slot| slot.open.as_ref().is_some_and(|other| Rc::ptr_eq(other, &open));
            let number = table.borrow().slots.iter().find(|(_, slot)| is(slot)).map(|(number, _)| *number);
            let key = |number| (Rc::as_ptr(table) as usize, number);
            let Some(number) = number.filter(|number| !closings.contains_key(&key(*number))) else { continue };
            if let (Looked::File(inspected), looked) = eye.inspect(task, number) {
                open.learn(&mut self.files, &inspected, looked);
            }
        }
    }

    fn open(&mut self, event: &CallEvent, (inspected, looked): &(Looked, u64)) {
        let slot = Slot::new(&mut self.files, inspected, *looked, Some(event.at));
        if let Some(open) = slot.open.as_ref().filter(|open| open.is_unknown()) {
            self.unlooked.push((event.task, Rc::clone(open)));
        }
        self.tasks.table(event.task).borrow_mut().slots.insert(event.descriptor(0), slot);
    }

    fn begin(
        &mut self,
        event: &CallEvent,
        call: Call,
        closed: impl FnMut(&Tasks, &SharedTable, i32) -> bool,
        eye: &mut impl Inspect,
    ) {
        let table = self.tasks.table(event.task);
        if table.borrow().own {
            return;
        }
        let descriptor = event.descriptor(0);
        match call {
            Call::Close => drop(table.borrow_mut().slots.remove(&descriptor)),
            Call::CloseRange => close_range(&table, event),
            Call::Unseen(name) => self.count_unseen(name),
            Call::Control if event.arguments[1] == SET_FLAGS => {
                if let Some(slot) = table.borrow_mut().slots.get_mut(&descriptor) {
                    slot.closes = event.arguments[2] & 1 != 0;
                }
            }
            _ => {
                let open = match call {
                    Call::SyncAll => Some(OpenFile::unknown(None)),
                    // The duplicate is known only when the call returns its number.
                    Call::Dup | Call::DupTo | Call::Control => None,
                    _ => self.resolve(event, call, &table, closed, eye),
                };
                let pending = Pending { at: event.at, call, open, arguments: event.arguments };
                // The end of the previous call of this task was lost.
                let before = self.pending.insert(event.task, pending);
                self.unmatched += u64::from(before.is_some_and(|before| before.open.is_some()));
            }
        }
    }

    fn count_unseen(&mut self, name: &'static str) {
        match self.unseen.iter_mut().find(|unseen| unseen.call == name) {
            Some(unseen) => unseen.calls += 1,
            None => self.unseen.push(UnseenCalls { call: name.to_owned(), calls: 1 }),
        }
    }

    /// Returns the open file of a descriptor; inspects the descriptor if its file is not known yet.
    fn resolve(
        &mut self,
        event: &CallEvent,
        call: Call,
        table: &SharedTable,
        mut closed: impl FnMut(&Tasks, &SharedTable, i32) -> bool,
        eye: &mut impl Inspect,
    ) -> Option<Rc<OpenFile>> {
        let descriptor = event.descriptor(0);
        let slot = table.borrow().slots.get(&descriptor).cloned();
        if let Some(slot) = slot {
            let open = slot.open?;
            if !open.is_unknown() || closed(&self.tasks, table, descriptor) {
                return Some(open);
            }
            // The file was opened under another number, which was closed before it could be inspected, as shells do.
            return match eye.inspect(event.task, descriptor) {
                (Looked::File(inspected), looked) => {
                    open.learn(&mut self.files, &inspected, looked);
                    Some(open)
                }
                (Looked::Gone, _) => Some(open),
                (Looked::Other { closes, .. }, _) => {
                    table.borrow_mut().slots.insert(descriptor, Slot { open: None, closes });
                    None
                }
            };
        }
        let gone = closed(&self.tasks, table, descriptor);
        let (inspected, looked) = if gone { (Looked::Gone, event.at) } else { eye.inspect(event.task, descriptor) };
        // No open was seen, so this is not a file, unless the call is one that only files support.
        let positional = !matches!(call, Call::Read | Call::Write | Call::Seek);
        let slot = match inspected {
            Looked::Gone if !positional => Slot { open: None, closes: false },
            inspected => Slot::new(&mut self.files, &inspected, looked, None),
        };
        let open = slot.open.clone();
        if !gone {
            table.borrow_mut().slots.insert(descriptor, slot);
        }
        open
    }

    fn end(&mut self, event: &CallEvent, call: Call) {
        let Some(pending) = self.pending.remove(&event.task).filter(|pending| pending.call == call) else {
            let of_ours = self.tasks.known(event.task).is_some_and(|table| table.borrow().own);
            let duplicates = matches!(call, Call::Dup | Call::DupTo | Call::Control | Call::Seek);
            self.unmatched += u64::from(!of_ours && !duplicates && event.at > self.begun);
            return;
        };
        match call {
            Call::Dup | Call::DupTo | Call::Control => self.duplicate(event, &pending),
            Call::Seek => {
                if let (Some(open), Ok(position)) = (&pending.open, u64::try_from(event.returned())) {
                    open.seek(position, event.at);
                }
            }
            _ => {
                if let Some(open) = &pending.open {
                    self.request(&pending, open, Some((event.at, event.returned())));
                }
            }
        }
    }

    fn duplicate(&mut self, event: &CallEvent, pending: &Pending) {
        let Ok(new) = i32::try_from(event.returned()) else { return };
        let (old, closes) = match pending.call {
            Call::Control => (pending.arguments[0] as i32, pending.arguments[1] != DUPLICATE),
            _ => (pending.arguments[0] as i32, pending.arguments[2] & CLOSES != 0),
        };
        if new < 0 || new == old {
            return;
        }
        let table = self.tasks.table(event.task);
        let slots = &mut table.borrow_mut().slots;
        match slots.get(&old).cloned() {
            Some(slot) => drop(slots.insert(new, Slot { closes, ..slot })),
            None => drop(slots.remove(&new)),
        }
    }

    /// Records a call on a file; `ended` is the time of its end and its result.
    fn request(&mut self, pending: &Pending, open: &OpenFile, ended: Option<(u64, i64)>) {
        let returned = ended.map_or(0, |(_, returned)| returned);
        // The descriptor is invalid or not open for this operation, so no I/O was requested.
        const BAD_DESCRIPTOR: i64 = -9;
        if returned == BAD_DESCRIPTOR {
            return;
        }
        let moved = u64::try_from(returned).unwrap_or(0);
        let ended_at = ended.map_or(u64::MAX, |(at, _)| at);
        let own_position = |writes| open.go_on(moved, ended_at, writes);
        let place = |writes| match pending.call {
            Call::ReadAtFlags | Call::WriteAtFlags if pending.arguments[1] == u64::MAX => own_position(writes),
            _ => pending.arguments[1],
        };
        let (kind, offset, bytes) = match pending.call {
            Call::Read => (RequestKind::Read, own_position(false), moved),
            Call::Write => (RequestKind::Write, own_position(true), moved),
            Call::ReadAt | Call::ReadAtFlags => (RequestKind::Read, place(false), moved),
            Call::WriteAt | Call::WriteAtFlags => (RequestKind::Write, place(true), moved),
            _ => (RequestKind::Flush, 0, 0),
        };
        if pending.at < self.begun {
            return;
        }
        let mut flags = flags_of(pending, open, kind);
        if returned < 0 {
            flags = flags.with(RequestFlags::FAILED);
        }
        let since = |at: u64| Nanos(at.saturating_sub(self.begun));
        let file = open.file();
        if file.is_none() && pending.call != Call::SyncAll {
            self.unresolved += 1;
        }
        self.requests.push(RecordedRequest {
            at: since(pending.at),
            latency: ended.map(|(at, _)| Nanos(at.saturating_sub(pending.at))),
            target: file.unwrap_or_else(|| self.files.unknown()).target,
            kind,
            flags,
            offset,
            bytes,
        });
    }

    /// Clears all state after lost events: ends of calls may never arrive, and descriptors may have changed.
    pub fn forget(&mut self) {
        self.pending.clear();
        self.tasks.forget();
    }

    /// Returns the calls since the previous batch. `until` is the time up to which events were processed; the last
    /// batch also contains calls in progress.
    pub fn batch(&mut self, until: u64, last: bool) -> RecordedBatch {
        let of_files = |pending: &&Pending| pending.open.is_some() && pending.call != Call::Seek;
        let oldest = self.pending.values().filter(of_files).map(|pending| pending.at).min();
        if last {
            for pending in std::mem::take(&mut self.pending).into_values() {
                if let Some(open) = pending.open.clone().filter(|_| pending.call != Call::Seek) {
                    self.request(&pending, &open, None);
                }
            }
        }
        let complete = oldest.map_or(until, |oldest| oldest.min(until));
        RecordedBatch {
            targets: self.files.targets.clone(),
            requests: std::mem::take(&mut self.requests),
            complete: Nanos(complete.saturating_sub(self.begun)),
            ..RecordedBatch::default()
        }
    }

    /// Returns the counts of unmatched, unresolved and unseen calls, for the end of the recording.
    pub fn untold(&self) -> (u64, u64, Vec<UnseenCalls>) {
        (self.unmatched, self.unresolved, self.unseen.clone())
    }
}

fn flags_of(pending: &Pending, open: &OpenFile, kind: RequestKind) -> RequestFlags {
    let flags = match (kind, pending.call) {
        (RequestKind::Flush, Call::SyncData) => RequestFlags::SYNC.with(RequestFlags::DATA_ONLY),
        (RequestKind::Flush, _) => RequestFlags::SYNC,
        (RequestKind::Write, Call::WriteAtFlags) if pending.arguments[2] & DURABLE != 0 => RequestFlags::SYNC,
        (RequestKind::Write, _) if open.is_durable() => RequestFlags::SYNC,
        _ => RequestFlags::default(),
    };
    let of_directory = open.file().is_some_and(|file| file.directory);
    if of_directory { flags.with(RequestFlags::METADATA) } else { flags }
}

fn close_range(table: &SharedTable, event: &CallEvent) {
    let (first, last) = (event.arguments[0] as u32, event.arguments[1] as u32);
    let within = |descriptor: &i32| (first..=last).contains(&descriptor.unsigned_abs());
    let slots = &mut table.borrow_mut().slots;
    if event.arguments[2] & CLOSE_RANGE_LATER != 0 {
        slots.iter_mut().filter(|(descriptor, _)| within(descriptor)).for_each(|(_, slot)| slot.closes = true);
    } else {
        slots.retain(|descriptor, _| !within(descriptor));
    }
}

fn closings_of(tasks: &Tasks, events: &[CallEvent]) -> Closings {
    let mut closings = Closings::default();
    for event in events {
        let descriptor = match event.what {
            What::Enter(Call::Close) | What::Exit(Call::Open) => event.descriptor(0),
            What::Enter(Call::DupTo) => event.descriptor(1),
            _ => continue,
        };
        if let Some(table) = tasks.known(event.task) {
            closings.insert((Rc::as_ptr(table) as usize, descriptor), event.at);
        }
    }
    closings
}

#[cfg(test)]
mod tests {
    use super::super::files::LookedFile;
    use super::*;
    use proptest::prelude::*;

    /// Test double in which each descriptor below ten is a file named after the descriptor, and all others are closed.
    struct Directory;

    fn file(descriptor: i32) -> LookedFile {
        LookedFile {
            path: format!("/nowhere/{descriptor}").into(),
            size: 1 << 20,
            directory: descriptor == 9,
            device: None,
            position: 0,
            appends: false,
            durable: descriptor == 8,
            closes: false,
        }
    }

    impl Inspect for Directory {
        fn inspect(&mut self, _task: u32, descriptor: i32) -> (Looked, u64) {
            match descriptor {
                0..10 => (Looked::File(file(descriptor)), 0),
                _ => (Looked::Gone, 0),
            }
        }
    }

    fn event(at: u64, what: What, arguments: [u64; 3]) -> CallEvent {
        CallEvent { at, task: 7, what, arguments }
    }

    fn calls() -> Calls {
        Calls::new(Tasks::default(), Files::new(&[]), 1)
    }

    fn take_requests(calls: &mut Calls, events: &[CallEvent]) -> Vec<RecordedRequest> {
        calls.take(events, events.len(), &mut FxHashMap::default(), &mut Directory);
        calls.batch(1_000_000, false).requests
    }

    fn short(requests: &[RecordedRequest]) -> Vec<(RequestKind, u64, u64, RequestFlags)> {
        requests.iter().map(|r| (r.kind, r.offset, r.bytes, r.flags)).collect()
    }

    const NONE: RequestFlags = RequestFlags::from_bits(0);

    #[test]
    fn calls_are_requests_at_their_places() {
        let mut calls = calls();
        let events = [
            event(10, What::Enter(Call::ReadAt), [3, 8192, 0]),
            event(25, What::Exit(Call::ReadAt), [4096, 0, 0]),
            event(30, What::Enter(Call::Write), [3, 100, 0]),
            event(31, What::Exit(Call::Write), [100, 0, 0]),
            event(32, What::Enter(Call::Write), [3, 100, 0]),
            event(33, What::Exit(Call::Write), [40, 0, 0]),
            event(34, What::Enter(Call::Seek), [3, 0, 0]),
            event(35, What::Exit(Call::Seek), [7, 0, 0]),
            event(36, What::Enter(Call::Read), [3, 9, 0]),
            event(37, What::Exit(Call::Read), [9, 0, 0]),
            event(40, What::Enter(Call::SyncData), [3, 0, 0]),
            event(90, What::Exit(Call::SyncData), [0, 0, 0]),
            event(91, What::Enter(Call::Sync), [9, 0, 0]),
            event(92, What::Exit(Call::Sync), [-5i64 as u64, 0, 0]),
            event(93, What::Enter(Call::WriteAt), [8, 5, 0]),
            event(94, What::Exit(Call::WriteAt), [6, 0, 0]),
        ];
        let requests = take_requests(&mut calls, &events);
        let sync = RequestFlags::SYNC;
        let expected = [
            (RequestKind::Read, 8192, 4096, NONE),
            (RequestKind::Write, 0, 100, NONE),
            (RequestKind::Write, 100, 40, NONE),
            (RequestKind::Read, 7, 9, NONE),
            (RequestKind::Flush, 0, 0, sync.with(RequestFlags::DATA_ONLY)),
            (RequestKind::Flush, 0, 0, sync.with(RequestFlags::METADATA).with(RequestFlags::FAILED)),
            (RequestKind::Write, 5, 6, sync),
        ];
        assert_eq!(short(&requests), expected);
        assert_eq!((requests[0].at, requests[0].latency), (Nanos(9), Some(Nanos(15))));
        assert_eq!(calls.untold(), (0, 0, Vec::new()));
        let names: Vec<&str> = calls.files.targets.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(names, ["/nowhere/3", "/nowhere/9", "/nowhere/8"]);
    }

    #[test]
    fn what_was_closed_before_it_was_looked_at_is_told_as_unknown_where_it_can_only_be_a_file() {
        let mut calls = calls();
        let events = [
            event(10, What::Enter(Call::ReadAt), [4, 0, 0]),
            event(11, What::Exit(Call::ReadAt), [4096, 0, 0]),
            event(12, What::Enter(Call::Read), [5, 0, 0]),
            event(13, What::Exit(Call::Read), [4096, 0, 0]),
            event(14, What::Enter(Call::Close), [4, 0, 0]),
            event(15, What::Enter(Call::Close), [5, 0, 0]),
            // The descriptor number now belongs to another file.
            event(20, What::Enter(Call::ReadAt), [4, 0, 0]),
            event(21, What::Exit(Call::ReadAt), [512, 0, 0]),
            event(22, What::Enter(Call::Unseen("io_submit")), [0, 0, 0]),
        ];
        let requests = take_requests(&mut calls, &events);
        assert_eq!(requests.iter().map(|r| (r.target, r.bytes)).collect::<Vec<_>>(), [(0, 4096), (1, 512)]);
        let unseen = UnseenCalls { call: "io_submit".into(), calls: 1 };
        assert_eq!(calls.untold(), (0, 1, vec![unseen]));
        assert_eq!(calls.files.targets[0].name, "");
    }

    #[test]
    fn what_was_opened_begins_at_its_beginning_and_duplicates_share_the_position() {
        let mut calls = calls();
        let mut opened = FxHashMap::default();
        opened.insert(77, (Looked::File(LookedFile { position: 30, ..file(3) }), 50));
        let events = [
            event(10, What::Exit(Call::Open), [12, 77, 0]),
            event(11, What::Enter(Call::Read), [12, 0, 0]),
            event(12, What::Exit(Call::Read), [30, 0, 0]),
            event(13, What::Enter(Call::DupTo), [12, 13, 0]),
            event(14, What::Exit(Call::DupTo), [13, 0, 0]),
            event(15, What::NewTask, [8, 0, 0]),
            event(16, What::Enter(Call::Close), [12, 0, 0]),
            CallEvent { task: 8, ..event(17, What::Enter(Call::Read), [12, 0, 0]) },
            CallEvent { task: 8, ..event(18, What::Exit(Call::Read), [5, 0, 0]) },
            event(19, What::Enter(Call::Read), [13, 0, 0]),
            event(20, What::Exit(Call::Read), [1, 0, 0]),
        ];
        calls.take(&events, events.len(), &mut opened, &mut Directory);
        let requests = calls.batch(1_000_000, false).requests;
        assert_eq!(requests.iter().map(|r| r.offset).collect::<Vec<_>>(), [0, 30, 35]);
    }

    #[test]
    fn what_was_closed_under_the_number_it_was_opened_with_is_looked_at_under_another() {
        let mut calls = calls();
        let mut opened = FxHashMap::default();
        opened.insert(1, (Looked::Gone, 50));
        let events = [
            event(10, What::Exit(Call::Open), [12, 1, 0]),
            event(11, What::Enter(Call::DupTo), [12, 5, 0]),
            event(12, What::Exit(Call::DupTo), [5, 0, 0]),
            event(13, What::Enter(Call::Close), [12, 0, 0]),
            event(14, What::Enter(Call::Write), [5, 0, 0]),
            event(15, What::Exit(Call::Write), [3, 0, 0]),
            event(16, What::Enter(Call::Write), [5, 0, 0]),
            event(17, What::Exit(Call::Write), [4, 0, 0]),
        ];
        calls.take(&events, events.len(), &mut opened, &mut Directory);
        let requests = calls.batch(1_000_000, false).requests;
        assert_eq!(requests.iter().map(|r| (r.offset, r.bytes)).collect::<Vec<_>>(), [(0, 3), (3, 4)]);
        assert_eq!(calls.files.targets[usize::from(requests[0].target)].name, "/nowhere/5");
        assert_eq!(calls.untold().1, 0);
    }

    #[test]
    fn a_call_under_way_at_the_end_has_no_end_and_holds_back_what_is_complete() {
        let mut calls = calls();
        let events = [event(10, What::Enter(Call::ReadAt), [3, 4096, 0])];
        assert!(take_requests(&mut calls, &events).is_empty());
        let batch = calls.batch(500, true);
        assert_eq!((batch.complete, batch.requests.len(), batch.requests[0].latency), (Nanos(9), 1, None));
    }

    proptest! {
        #[test]
        fn whatever_comes_no_call_is_told_twice(events in prop::collection::vec((0usize..9, 0u64..14, 0u64..3), 0..120)) {
            const WHAT: [What; 9] = [
                What::Enter(Call::Read), What::Exit(Call::Read), What::Enter(Call::WriteAt), What::Exit(Call::WriteAt),
                What::Enter(Call::Close), What::Enter(Call::DupTo), What::Exit(Call::DupTo), What::NewTask, What::Exec,
            ];
            let mut calls = calls();
            let events: Vec<CallEvent> = events.iter().enumerate()
                .map(|(at, (what, first, second))| event(at as u64 + 2, WHAT[*what], [*first, *second, 0]))
                .collect();
            let ends = events.iter().filter(|e| matches!(e.what, What::Exit(Call::Read | Call::WriteAt))).count();
            let requests = take_requests(&mut calls, &events);
            prop_assert!(requests.len() <= ends);
        }
    }
}

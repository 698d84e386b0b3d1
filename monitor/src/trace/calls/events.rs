//! Events of system calls and of the start and end of tasks, decoded according to the kernel's format files.

use super::super::TraceError;
use super::super::format::{EventFormat, Field, event_format};
use super::super::tracefs::put;
use crate::roots::text;
use rustc_hash::FxHashMap;
use std::path::Path;

/// Maximum number of arguments that are read per call.
const ARGUMENTS: usize = 3;

/// System calls, grouped by how they are processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Call {
    Read,
    Write,
    /// A read at an offset that is given as an argument.
    ReadAt,
    WriteAt,
    /// A read at an offset, with flags; an offset of -1 means the current position.
    ReadAtFlags,
    WriteAtFlags,
    Sync,
    SyncData,
    SyncRange,
    SyncFileSystem,
    SyncAll,
    Seek,
    Open,
    Dup,
    DupTo,
    Control,
    Close,
    CloseRange,
    /// A call that requests I/O not described by its arguments.
    Unseen(&'static str),
}

/// Type of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// A call began; holds its arguments.
    Enter(Call),
    /// A call ended; the first argument is its result.
    Exit(Call),
    /// A task started; holds its ID and the flags of `clone`.
    NewTask,
    /// A process executed another program.
    Exec,
    /// A task ended.
    TaskEnd,
}

/// An event of a system call or a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CallEvent {
    /// Time on CLOCK_MONOTONIC, in nanoseconds.
    pub at: u64,
    /// ID of the task that caused the event.
    pub task: u32,
    pub what: What,
    pub arguments: [u64; ARGUMENTS],
}

impl CallEvent {
    /// Returns the result of a call.
    pub const fn returned(&self) -> i64 {
        self.arguments[0] as i64
    }

    /// Returns an argument that is a descriptor.
    pub const fn descriptor(&self, argument: usize) -> i32 {
        self.arguments[argument] as i32
    }
}

/// The kernel's name for each call, and the names of the arguments to read. The end of a call is also traced, unless
/// its beginning is sufficient.
const CALLS: &[(&str, Call, &[&str])] = &[
    ("read", Call::Read, &["fd", "count"]),
    ("write", Call::Write, &["fd", "count"]),
    ("pread64", Call::ReadAt, &["fd", "pos"]),
    ("pwrite64", Call::WriteAt, &["fd", "pos"]),
    ("readv", Call::Read, &["fd"]),
    ("writev", Call::Write, &["fd"]),
    ("preadv", Call::ReadAt, &["fd", "pos_l"]),
    ("pwritev", Call::WriteAt, &["fd", "pos_l"]),
    ("preadv2", Call::ReadAtFlags, &["fd", "pos_l", "flags"]),
    ("pwritev2", Call::WriteAtFlags, &["fd", "pos_l", "flags"]),
    ("fsync", Call::Sync, &["fd"]),
    ("fdatasync", Call::SyncData, &["fd"]),
    ("sync_file_range", Call::SyncRange, &["fd"]),
    ("syncfs", Call::SyncFileSystem, &["fd"]),
    ("sync", Call::SyncAll, &[]),
    ("lseek", Call::Seek, &["fd"]),
    ("dup", Call::Dup, &["fildes"]),
    ("dup2", Call::DupTo, &["oldfd", "newfd"]),
    ("dup3", Call::DupTo, &["oldfd", "newfd", "flags"]),
    ("fcntl", Call::Control, &["fd", "cmd", "arg"]),
    ("close", Call::Close, &["fd"]),
    ("close_range", Call::CloseRange, &["fd", "max_fd", "flags"]),
    ("io_uring_enter", Call::Unseen("io_uring_enter"), &[]),
    ("io_submit", Call::Unseen("io_submit"), &[]),
    ("copy_file_range", Call::Unseen("copy_file_range"), &[]),
    ("sendfile64", Call::Unseen("sendfile"), &[]),
    ("splice", Call::Unseen("splice"), &[]),
    ("msync", Call::Unseen("msync"), &[]),
];

/// Calls that open a file. The end of such a call is processed immediately, because the file may be closed soon after.
const OPENS: [&str; 4] = ["open", "openat", "openat2", "creat"];

/// Calls whose events are required for any recording.
const NEEDED: [&str; 4] = ["read", "write", "pread64", "pwrite64"];

/// Command of fcntl that duplicates a descriptor. Only commands that concern descriptors are traced, not locks, which
/// are most of fcntl's calls.
pub(super) const DUPLICATE: u64 = 0;
pub(super) const SET_FLAGS: u64 = 2;
pub(super) const DUPLICATE_CLOSING: u64 = 1030;

/// Decoder for the events of one kernel.
#[derive(Debug, Default)]
pub(super) struct CallDecoder {
    layouts: FxHashMap<u16, Layout>,
}

#[derive(Debug)]
struct Layout {
    what: What,
    task: Field,
    arguments: [Option<Field>; ARGUMENTS],
}

impl CallDecoder {
    /// Enables the events that are read periodically, in the instance at `dir`.
    pub fn enable_calls(dir: &Path) -> Result<CallDecoder, TraceError> {
        let mut decoder = CallDecoder::default();
        for (name, call, arguments) in CALLS {
            let begin = dir.join("events/syscalls").join(format!("sys_enter_{name}"));
            if *call == Call::Control {
                let commands = [DUPLICATE, SET_FLAGS, DUPLICATE_CLOSING].map(|command| format!("cmd == {command}"));
                let _ = put(&begin, "filter", &commands.join(" || "));
            }
            let has_event = decoder.enable(&begin, What::Enter(*call), arguments)?;
            if !has_event && NEEDED.contains(name) {
                return Err(TraceError::NoCalls);
            }
            let is_entry_only = matches!(call, Call::Close | Call::CloseRange | Call::Unseen(_));
            if has_event && !is_entry_only {
                let end = dir.join("events/syscalls").join(format!("sys_exit_{name}"));
                if *call == Call::Control {
                    let _ = put(&end, "filter", "ret > 0");
                }
                decoder.enable(&end, What::Exit(*call), &["ret"])?;
            }
        }
        decoder.enable(&dir.join("events/task/task_newtask"), What::NewTask, &["pid", "clone_flags"])?;
        decoder.enable(&dir.join("events/sched/sched_process_exec"), What::Exec, &[])?;
        decoder.enable(&dir.join("events/sched/sched_process_exit"), What::TaskEnd, &[])?;
        Ok(decoder)
    }

    /// Enables, in the trace instance at `dir`, the open events, which are processed immediately.
    pub fn enable_opens(dir: &Path) -> Result<CallDecoder, TraceError> {
        let mut decoder = CallDecoder::default();
        for name in OPENS {
            let end = dir.join("events/syscalls").join(format!("sys_exit_{name}"));
            let _ = put(&end, "filter", "ret >= 0");
            decoder.enable(&end, What::Exit(Call::Open), &["ret"])?;
        }
        // Wake the waiting reader at each event.
        put(dir, "buffer_percent", "0")?;
        Ok(decoder)
    }

    /// Enables an event and adds its layout. Returns `false` if the kernel does not have this event.
    fn enable(&mut self, event: &Path, what: What, arguments: &[&str]) -> Result<bool, TraceError> {
        let Some(format) = text(&event.join("format")) else { return Ok(false) };
        let strange = || TraceError::Format(event.file_name().unwrap_or_default().to_string_lossy().into_owned());
        let format = event_format(&format).ok_or_else(strange)?;
        self.add(&format, what, arguments).ok_or_else(strange)?;
        put(event, "enable", "1")?;
        Ok(true)
    }

    fn add(&mut self, format: &EventFormat, what: What, names: &[&str]) -> Option<()> {
        let mut arguments = [None; ARGUMENTS];
        for (argument, name) in arguments.iter_mut().zip(names) {
            *argument = Some(*format.fields.get(*name)?);
        }
        let task = *format.fields.get("common_pid")?;
        self.layouts.insert(format.id, Layout { what, task, arguments });
        Some(())
    }

    /// Decodes an event; `None` if it was not enabled or is truncated.
    pub fn read(&self, at: u64, event: &[u8]) -> Option<CallEvent> {
        let id = u16::from_le_bytes([*event.first()?, *event.get(1)?]);
        let layout = self.layouts.get(&id)?;
        let mut arguments = [0; ARGUMENTS];
        for (argument, field) in arguments.iter_mut().zip(layout.arguments) {
            let Some(field) = field else { break };
            *argument = field.number(event)?;
        }
        Some(CallEvent { at, task: layout.task.number(event)? as u32, what: layout.what, arguments })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns a decoder for the formats of Linux 6.18 on x86-64.
    fn decoder() -> CallDecoder {
        let mut decoder = CallDecoder::default();
        let enter = event_format(include_str!("../fixtures/sys_enter_pread64.format")).expect("a format");
        let exit = event_format(include_str!("../fixtures/sys_exit_pread64.format")).expect("a format");
        decoder.add(&enter, What::Enter(Call::ReadAt), &["fd", "pos"]).expect("all fields");
        decoder.add(&exit, What::Exit(Call::ReadAt), &["ret"]).expect("all fields");
        decoder
    }

    #[test]
    fn a_call_and_its_end_are_read_by_the_kernels_description() {
        let mut event = vec![0; 48];
        event[..2].copy_from_slice(&838u16.to_le_bytes());
        event[4..8].copy_from_slice(&4711u32.to_le_bytes());
        event[16..24].copy_from_slice(&7u64.to_le_bytes());
        event[40..48].copy_from_slice(&(1u64 << 40).to_le_bytes());
        let decoded = decoder().read(9, &event).expect("an event");
        assert_eq!((decoded.at, decoded.task, decoded.what), (9, 4711, What::Enter(Call::ReadAt)));
        assert_eq!((decoded.descriptor(0), decoded.arguments[1]), (7, 1 << 40));
        let mut event = vec![0; 24];
        event[..2].copy_from_slice(&837u16.to_le_bytes());
        event[16..24].copy_from_slice(&(-5i64).to_le_bytes());
        let decoded = decoder().read(9, &event).expect("an event");
        assert_eq!((decoded.what, decoded.returned()), (What::Exit(Call::ReadAt), -5));
        assert_eq!(decoder().read(9, &event[..20]), None, "cut short");
    }

    #[test]
    fn a_kernel_without_these_events_is_told_by_its_option() {
        let dir = tempfile::tempdir().expect("a directory");
        let error = CallDecoder::enable_calls(dir.path()).expect_err("no events");
        assert!(error.to_string().contains("CONFIG_FTRACE_SYSCALLS"), "{error}");
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(event in prop::collection::vec(any::<u8>(), 0..60), id in 836u16..840) {
            let mut event = event;
            if event.len() > 1 {
                event[..2].copy_from_slice(&id.to_le_bytes());
            }
            let _ = decoder().read(0, &event);
        }
    }
}

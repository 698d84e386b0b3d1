//! io_uring with registered files, buffers and ring: one system call to submit and wait.

use super::kernel_queue::{Batched, WithPriorities};
use super::priority::Priorities;
use crate::engine::{EngineEntry, OpenError, Opened, Opening};
use crate::engines::options::{
    Options, POLL_COMPLETIONS, POLL_SUBMISSIONS, REGISTER_BUFFERS, REGISTER_FILES, SUBMISSION_CPU,
};
use crate::engines::wrappers::trimming::with_trims;
use model::plan::{EngineQueue, EngineSpec, EngineTarget};
use std::io;
use sys::queues::{UringOptions, UringQueue};

pub(in crate::engines) const ENTRY: EngineEntry = EngineEntry::new(
    EngineSpec::new("io_uring", "Linux submission and completion rings", EngineQueue::Deep, EngineTarget::Contents)
        .with_options(&[POLL_COMPLETIONS, REGISTER_BUFFERS, REGISTER_FILES, POLL_SUBMISSIONS, SUBMISSION_CPU]),
    |opening| {
        let mut asked = Options::new("io_uring", opening);
        let priorities = Priorities::take(&mut asked, opening.depth)?;
        let options = options(asked, opening)?;
        let files = opening.file_set("io_uring")?;
        let queue = UringQueue::new(files.clone(), opening.depth, opening.buffer_size, options)
            .map_err(|e| OpenError::unavailable("io_uring", &e, advice(&e)))?;
        let notes = queue.notes().to_vec();
        let engine = Batched { queue, batch: opening.batch() };
        let engine = match priorities {
            Some(priorities) => with_trims(WithPriorities { inner: engine, priorities }, files, opening),
            None => with_trims(engine, files, opening),
        };
        Ok(Opened { engine, notes })
    },
);

/// Returns the ring settings that correspond to fio's options. The defaults are the fastest settings for one device.
fn options(mut asked: Options<'_>, opening: &Opening) -> Result<UringOptions, OpenError> {
    const NAME: &str = "io_uring";
    let refuse = |reason: &str| Err(OpenError::unsupported(NAME, reason));
    let mut options = ring_options(&mut asked)?;
    if options.poll_completions {
        if opening.files.iter().any(|f| !sys::storage::is_direct(f)) {
            return refuse("polls for completions of direct I/O only: set direct=1, or leave out hipri");
        }
        if opening.flushes {
            return refuse("cannot flush while it polls for completions: leave out hipri");
        }
    }
    options.nowait = asked.flag("nowait")?.unwrap_or(false);
    if asked.flag("nonvectored")? == Some(false) {
        return refuse("always uses the calls for one buffer: leave out nonvectored=0");
    }
    asked.finish()?;
    Ok(options)
}

/// Reads the options common to all io_uring engines.
pub(super) fn ring_options(asked: &mut Options<'_>) -> Result<UringOptions, OpenError> {
    let mut options = UringOptions::default();
    if let Some(on) = asked.flag("registerfiles")? {
        options.register_files = on;
    }
    if let Some(on) = asked.flag("fixedbufs")? {
        options.register_buffers = on;
    }
    let cpu = asked.number("sqthread_poll_cpu")?;
    if asked.flag("sqthread_poll")?.unwrap_or(false) || cpu.is_some() {
        options.poll_submissions = Some(cpu);
    }
    options.poll_completions = asked.flag("hipri")?.unwrap_or(false);
    options.force_async = asked.number("force_async")?.unwrap_or(0);
    Ok(options)
}

fn advice(error: &io::Error) -> &'static str {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    advice_beside(error.kind(), &read("/proc/self/status"), &read("/proc/sys/kernel/io_uring_disabled"))
}

/// Returns advice on an error, based on the status of this process and the kernel's setting that disables io_uring
/// (docs/design/storage.md, "Containers").
fn advice_beside(error: io::ErrorKind, status: &str, disabled: &str) -> &'static str {
    let filtered = status.lines().any(|l| l.strip_prefix("Seccomp:").is_some_and(|mode| mode.trim() == "2"));
    match error {
        io::ErrorKind::PermissionDenied if !["", "0"].contains(&disabled.trim()) => {
            "forbidden by kernel.io_uring_disabled; use libaio"
        }
        // Either error can also come from a seccomp filter, which replies instead of the kernel.
        io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported if filtered => {
            "a system call filter (seccomp), as in most containers, forbids it: run with `--security-opt \
             seccomp=unconfined` or a profile that allows io_uring, or use libaio"
        }
        io::ErrorKind::PermissionDenied => "forbidden by a security module; use libaio",
        io::ErrorKind::Unsupported => "the kernel does not support io_uring, or is older than 5.11; use libaio",
        io::ErrorKind::OutOfMemory => "raise RLIMIT_MEMLOCK (ulimit -l), or use libaio",
        _ => "use libaio",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_told_from_a_kernel_without_it_and_from_its_switch() {
        use io::ErrorKind::{PermissionDenied, Unsupported};
        let (free, filtered) = ("Seccomp:\t0\nSeccomp_filters:\t0\n", "Seccomp:\t2\nSeccomp_filters:\t1\n");
        for error in [PermissionDenied, Unsupported] {
            assert!(advice_beside(error, filtered, "0\n").contains("seccomp=unconfined"), "{error:?}");
        }
        assert!(advice_beside(Unsupported, free, "").starts_with("the kernel does not support io_uring"));
        assert!(advice_beside(PermissionDenied, filtered, "2\n").contains("kernel.io_uring_disabled"));
        assert!(advice_beside(PermissionDenied, free, "0\n").contains("a security module"));
    }
}

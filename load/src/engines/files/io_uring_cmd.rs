//! NVMe commands through io_uring, bypassing the block layer: `/dev/ng0n1`, since Linux 5.19.

use super::io_uring::ring_options;
use super::kernel_queue::Batched;
use crate::engine::{EngineEntry, OpenError, Opened, Opening, Probe, WriteConsent};
use crate::engines::options::{
    Options, POLL_COMPLETIONS, POLL_SUBMISSIONS, READ_FUA, REGISTER_BUFFERS, REGISTER_FILES, SUBMISSION_CPU, WRITE_FUA,
};
use model::plan::{EngineQueue, EngineSpec, EngineTarget};
use std::fs::File;
use std::io;
use sys::files::FileTypeExt;
use sys::queues::{ForcedUnitAccess, NvmeQueue, UringOptions};

const NAME: &str = "io_uring_cmd";

pub(in crate::engines) const ENTRY: EngineEntry = EngineEntry {
    spec: EngineSpec::new(
        NAME,
        "NVMe commands through io_uring to a namespace's node (/dev/ng0n1), bypassing the block layer; needs root and \
         Linux 5.19",
        EngineQueue::Deep,
        EngineTarget::Commands,
    )
    .with_options(&[
        POLL_COMPLETIONS,
        REGISTER_BUFFERS,
        REGISTER_FILES,
        POLL_SUBMISSIONS,
        SUBMISSION_CPU,
        READ_FUA,
        WRITE_FUA,
    ]),
    size: None,
    consent: WriteConsent::None,
    probe: Probe::Own(|| super::io_uring::ENTRY.probe()),
    open: |opening| {
        let (options, force) = options(opening)?;
        if !opening.files.iter().all(|file| is_node(file)) {
            let reason = "sends commands to the node of an NVMe namespace, such as /dev/ng0n1";
            return Err(OpenError::unsupported(NAME, reason));
        }
        let files = opening.file_set(NAME)?;
        let queue = NvmeQueue::new(files, opening.depth, opening.buffer_size, options, force)
            .map_err(|e| OpenError::unavailable(NAME, &e, advice(&e)))?;
        let notes = queue.notes().to_vec();
        Ok(Opened { engine: Box::new(Batched { queue, batch: batch(opening) }), notes })
    },
};

/// Returns `true` for a character device; block devices do not accept such commands.
fn is_node(file: &File) -> bool {
    sys::files::file_metadata(file).is_ok_and(|meta| meta.file_type().is_char_device())
}

fn options(opening: &Opening) -> Result<(UringOptions, ForcedUnitAccess), OpenError> {
    let mut asked = Options::new(NAME, opening);
    let options = ring_options(&mut asked)?;
    let force = ForcedUnitAccess {
        reads: asked.flag("readfua")?.unwrap_or(false),
        writes: asked.flag("writefua")?.unwrap_or(false),
    };
    asked.finish()?;
    Ok((options, force))
}

/// Returns the batch size that is used for direct I/O, because commands never wait for the page cache.
fn batch(opening: &Opening) -> usize {
    opening.submit.map_or((opening.depth as usize / 8).max(4), |submit| submit as usize)
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "it needs root, and permission to use io_uring",
        io::ErrorKind::Unsupported => "use io_uring on the block device",
        io::ErrorKind::OutOfMemory => "raise RLIMIT_MEMLOCK (ulimit -l)",
        _ => "it needs Linux 5.19 or later and the node of a namespace, /dev/ng0n1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn what_takes_no_commands_is_refused_with_advice() {
        let files = vec![Arc::new(crate::test_file())];
        let opening = Opening { files, depth: 4, buffer_size: 4096, ..Opening::default() };
        let Err(error) = (ENTRY.open)(&opening) else { panic!("opened") };
        assert!(error.to_string().contains("/dev/ng0n1"), "{error}");
    }
}

//! Files on an NFS server, accessed through libnfs: fio's `nfs`. No mount is needed; every thread has a separate
//! connection.

use crate::engine::{
    Completion, Engine, EngineEntry, OpenError, Opened, Probe, Request, ServedThing, Wait, WriteConsent,
};
use crate::engines::options::Options;
use crate::engines::submission;
use model::Bytes;
use model::plan::{EngineOption, EngineQueue, EngineSpec, EngineTarget, OptionValue, ServerSpec};
use std::io;
use sys::queues::{NfsOpen, NfsQueue};

const URL: EngineOption = EngineOption::new(
    "nfs_url",
    OptionValue::Text,
    "",
    "URL of the export as libnfs expects it: `nfs://server/export`, optionally with parameters such as \
     `?uid=0&gid=0&version=4`. File names are relative to this URL.",
);

pub(in crate::engines) const ENTRY: EngineEntry = EngineEntry {
    spec: EngineSpec::new(
        "nfs",
        "files of an NFS server, through libnfs",
        EngineQueue::Deep,
        EngineTarget::Server(ServerSpec {
            needs: &["nfs_url"],
            sized: false,
            cached: false,
            no_trims: Some("NFS cannot release space, so nfs has no trims"),
        }),
    )
    .with_options(&[URL]),
    size: None,
    consent: WriteConsent::Overwrite(holds_something),
    probe: Probe::Library(|| sys::queues::nfs_library().map_err(|e| OpenError::unavailable("nfs", &e, advice(&e, "")))),
    open: |opening| {
        let mut options = Options::new("nfs", opening);
        let url = options.text("nfs_url").unwrap_or("");
        options.finish()?;
        if opening.names.is_empty() || url.is_empty() {
            return Err(OpenError::unsupported("nfs", "needs an nfs_url and names of files"));
        }
        let how = NfsOpen { write: opening.writes, sync: opening.durable_writes };
        let queue = NfsQueue::open(url, &opening.names, how, opening.depth.max(1), opening.buffer_size)
            .map_err(|e| OpenError::unavailable("nfs", &e, advice(&e, url)))?;
        Ok(Opened::new(Nfs { queue }))
    },
};

/// Returns the reason why a write needs consent: the user typed the name of an existing file, which may belong to
/// another user.
fn holds_something(file: &ServedThing<'_>) -> Result<Option<String>, OpenError> {
    if !file.typed {
        return Ok(None);
    }
    let url = file.option(URL.name).unwrap_or("");
    let size = sys::queues::nfs_size(url, file.path).map_err(|e| OpenError::unavailable("nfs", &e, advice(&e, url)))?;
    let size = size.filter(|size| *size > 0);
    Ok(size.map(|size| format!("it already exists and has {}", Bytes(size))))
}

fn advice(error: &io::Error, url: &str) -> String {
    match error.kind() {
        io::ErrorKind::Unsupported => "install libnfs 4 or 5 (Debian: libnfs13)".into(),
        _ => format!("check nfs_url={}", model::clip(url)),
    }
}

struct Nfs {
    queue: NfsQueue,
}

impl Engine for Nfs {
    fn submit(&mut self, requests: &[Request]) -> io::Result<usize> {
        requests.iter().for_each(|request| self.queue.push(submission(request)));
        Ok(requests.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.queue.turn();
        Ok(())
    }

    fn reap(&mut self, at_least: usize, wait: Wait, done: &mut Vec<Completion>) -> io::Result<()> {
        self.queue.reap(at_least, wait, |r| done.push(Completion { slot: r.slot, result: r.result }));
        Ok(())
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.queue.buffer(slot)
    }
}

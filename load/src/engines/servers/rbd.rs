//! Image in a Ceph cluster, accessed through librbd: fio's `rbd`. Every thread has a separate connection and open
//! image.

use crate::engine::{Completion, Engine, EngineEntry, OpenError, Opened, Opening, Probe, Request, Wait, WriteConsent};
use crate::engines::options::Options;
use crate::engines::submission;
use model::plan::{EngineOption, EngineQueue, EngineSpec, EngineTarget, OptionValue, ServerSpec};
use std::io;
use sys::queues::{RbdImage, RbdQueue};

const OPTIONS: [EngineOption; 5] = [
    EngineOption::new(
        "clustername",
        OptionValue::Text,
        "",
        "Name of the Ceph cluster, configured in `/etc/ceph/NAME.conf`. Without this option, secchi uses \
         the file in the variable `CEPH_CONF`, or the configuration of the cluster `ceph`.",
    ),
    EngineOption::new("pool", OptionValue::Text, "", "Pool that contains the image."),
    EngineOption::new(
        "rbdname",
        OptionValue::Text,
        "",
        "Name of the image. Writing to it requires `--destroy=POOL/IMAGE` or the variable `SECCHI_DESTROY`.",
    ),
    EngineOption::new(
        "clientname",
        OptionValue::Text,
        "",
        "Name of the Ceph user, without the prefix `client.` unless `clustername` is given.",
    ),
    EngineOption::new("busy_poll", OptionValue::Bool, "0", "Poll for completions instead of waiting for them."),
];

pub(in crate::engines) const ENTRY: EngineEntry = EngineEntry {
    spec: EngineSpec::new(
        "rbd",
        "image of a Ceph cluster, through librbd",
        EngineQueue::Deep,
        EngineTarget::Server(ServerSpec { needs: &["pool", "rbdname"], sized: true, cached: true, no_trims: None }),
    )
    .with_options(&OPTIONS),
    size: Some(size),
    consent: WriteConsent::TypedName,
    probe: Probe::Library(|| sys::queues::rbd_library().map_err(|e| unreachable(&e))),
    open: |opening| {
        let (image, busy) = image(opening)?;
        let queue =
            RbdQueue::open(&image, busy, opening.depth.max(1), opening.buffer_size).map_err(|e| unreachable(&e))?;
        Ok(Opened::new(Rbd { queue }))
    },
};

fn unreachable(error: &io::Error) -> OpenError {
    let advice = match error.kind() {
        io::ErrorKind::Unsupported => "install librbd (Debian: librbd1)",
        _ => "check pool, rbdname, clientname, and the cluster's configuration and key",
    };
    OpenError::unavailable("rbd", error, advice)
}

/// Returns the image that the options name, and `true` if completions are obtained by polling.
fn image(opening: &Opening) -> Result<(RbdImage, bool), OpenError> {
    let mut options = Options::new("rbd", opening);
    let mut text = |name: &str| options.text(name).filter(|t| !t.is_empty()).map(str::to_owned);
    let (cluster, client) = (text("clustername"), text("clientname"));
    let image = (text("pool"), text("rbdname"));
    let direct = options.flag("direct")?.unwrap_or(false);
    let busy = options.flag("busy_poll")?.unwrap_or(false);
    options.finish()?;
    let (Some(pool), Some(name)) = image else {
        return Err(OpenError::unsupported("rbd", "needs a pool and an rbdname"));
    };
    Ok((RbdImage { cluster, pool, name, client, write: opening.writes || opening.trims, direct }, busy))
}

/// Returns the size of the image that the options name, in bytes.
pub(in crate::engines) fn size(opening: &Opening) -> Result<u64, OpenError> {
    sys::queues::rbd_size(&image(opening)?.0).map_err(|e| unreachable(&e))
}

struct Rbd {
    queue: RbdQueue,
}

impl Engine for Rbd {
    fn submit(&mut self, requests: &[Request]) -> io::Result<usize> {
        requests.iter().for_each(|request| self.queue.push(submission(request)));
        Ok(requests.len())
    }

    fn reap(&mut self, at_least: usize, wait: Wait, done: &mut Vec<Completion>) -> io::Result<()> {
        self.queue.reap(at_least, wait, |r| done.push(Completion { slot: r.slot, result: r.result }))
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.queue.buffer(slot)
    }
}

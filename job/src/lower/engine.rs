//! The engine of a job, and what it is told.

use crate::options::{JobOptions, ScsiWrite, StatCall, SyncMode as SyncWord};
use std::path::{Path, PathBuf};

/// Takes the blocks of another file.
const DEFRAGMENTS: &str = "e4defrag";

/// What the engine of a job is told by name.
pub(super) fn engine_options(o: &JobOptions) -> Vec<(String, String)> {
    let e = &o.engine;
    let flags = [
        ("hipri", e.hipri),
        ("fixedbufs", e.fixedbufs),
        ("registerfiles", e.registerfiles),
        ("sqthread_poll", e.sqthread_poll),
        ("nowait", e.nowait),
        ("thp", e.thp),
        ("lstat", e.stat == StatCall::Lstat),
        ("inplace", e.inplace && e.engine.word() == DEFRAGMENTS),
        ("readfua", e.read_fua),
        ("writefua", e.write_fua),
        ("write_and_verify", e.scsi_write == ScsiWrite::Verify),
    ];
    let numbers = [("sqthread_poll_cpu", e.sqthread_poll_cpu), ("force_async", model::none_if_zero(e.force_async))];
    let flags = flags.into_iter().filter(|(_, on)| *on).map(|(name, _)| (name.to_owned(), "1".to_owned()));
    let numbers = numbers.into_iter().filter_map(|(name, n)| Some((name.to_owned(), n?.to_string())));
    let priorities = e.priorities().map(|text| ("cmdprio".to_owned(), text));
    let donors = e.donor.as_ref().filter(|_| e.engine.word() == DEFRAGMENTS).map(|name| {
        let named = o.files.directories.first().map_or_else(|| PathBuf::from(name), |directory| directory.join(name));
        ("donors".to_owned(), named.parent().unwrap_or(Path::new("")).display().to_string())
    });
    flags.chain(numbers).chain(priorities).chain(donors).chain(server_options(o)).collect()
}

/// What the engine of the job must know of its server; what was given for another is left out.
fn server_options(o: &JobOptions) -> Vec<(String, String)> {
    let s = &o.server;
    let (engine, sync) = (o.engine.engine.word(), o.engine.sync != SyncWord::None);
    let of = |names: &[&str]| -> Vec<(&str, &str)> {
        s.texts.iter().filter(|(name, _)| names.contains(name)).map(|(name, text)| (*name, text.as_str())).collect()
    };
    let given = match engine {
        "http" => {
            let mut all: Vec<(&str, &str)> =
                s.texts.iter().filter(|(n, _)| n.starts_with("http_")).map(|(n, t)| (*n, t.as_str())).collect();
            all.extend([("https", s.https.word()), ("http_mode", s.http_mode.word())]);
            all.push(("http_object_mode", s.http_object_mode.word()));
            all
        }
        "nfs" => of(&["nfs_url"]).into_iter().chain(sync.then_some(("sync", "1"))).collect(),
        "rbd" => {
            let flags = [("busy_poll", s.busy_poll), ("direct", o.engine.direct)];
            let flags = flags.into_iter().filter(|(_, on)| *on).map(|(name, _)| (name, "1"));
            of(&["clustername", "pool", "rbdname", "clientname"]).into_iter().chain(flags).collect()
        }
        _ => Vec::new(),
    };
    given.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
}

//! Tests that trace calls on this machine. The calls are made by a child of the test and by the child's children.

use super::*;
use model::measured::RequestKind;
use model::recording::{RecordedRequest, RecordedTarget, RequestFlags};
use std::process::Command;
use std::sync::PoisonError;

fn traced(
    roles: &[RolePath],
    work: impl FnOnce(),
) -> Option<(Vec<RecordedRequest>, Vec<RecordedTarget>, RecordingEnd)> {
    let _alone = super::super::tests::ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (requests, batches) = sync_channel(64);
    let tracer = match CallTracer::begin(&Roots::host(), roles, &[], requests) {
        Ok(tracer) => tracer,
        Err(error) => {
            testkit::skipped(&error.to_string());
            return None;
        }
    };
    work();
    tracer.finish();
    let mut batches: Vec<RecordedBatch> = batches.iter().collect();
    let last = batches.pop().expect("the last batch");
    assert!(batches.iter().chain([&last]).all(|batch| batch.lost.is_none()));
    let requests = batches.into_iter().flat_map(|batch| batch.requests).chain(last.requests.clone()).collect();
    Some((requests, last.targets, last.end.expect("an end")))
}

fn run(script: &str, dir: &Path) {
    let out = Command::new("sh").args(["-ec", script]).current_dir(dir).output().expect("a shell");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn calls_of_a_command_and_its_children_are_seen_with_their_files_and_places() {
    let dir = tempfile::tempdir().expect("a directory");
    let roles = [RolePath { role: "data".into(), path: dir.path().to_owned() }];
    // Each file stays open long enough to be inspected on any machine; children inherit it, and `echo` duplicates it.
    let script = "exec 5> made; sleep 0.4; dd if=/dev/zero bs=4096 count=25 conv=fsync status=none >&5\n\
                  exec 6< made; sleep 0.4; dd of=/dev/null bs=8192 skip=1 count=5 status=none <&6\n\
                  exec 7>> log; sleep 0.4; for n in 1 2 3 4 5 6 7 8 9; do echo line >&7; done\n\
                  exec 8< log; sleep 0.4; dd of=/dev/null bs=3 status=none <&8";
    let Some((requests, targets, end)) = traced(&roles, || run(script, dir.path())) else { return };
    let requests_to = |name: &str, kind| {
        let is = |r: &&RecordedRequest| targets[usize::from(r.target)].name.ends_with(name) && r.kind == kind;
        requests.iter().filter(is).collect::<Vec<_>>()
    };
    let writes = requests_to("/made", RequestKind::Write);
    let places: Vec<u64> = writes.iter().map(|r| r.offset).collect();
    assert_eq!(places, (0..25).map(|n| n * 4096).collect::<Vec<_>>());
    assert!(writes.iter().all(|r| r.bytes == 4096 && r.latency.is_some()));
    assert_eq!(requests_to("/made", RequestKind::Flush).len(), 1);
    let reads = requests_to("/made", RequestKind::Read);
    assert_eq!(
        reads.iter().map(|r| (r.offset, r.bytes)).collect::<Vec<_>>(),
        [1, 2, 3, 4, 5].map(|n| (n * 8192, 8192))
    );
    let log = requests_to("/log", RequestKind::Write);
    assert_eq!(
        log.iter().map(|r| (r.offset, r.bytes)).collect::<Vec<_>>(),
        (0..9).map(|n| (n * 5, 5)).collect::<Vec<_>>()
    );
    assert_eq!(requests_to("/log", RequestKind::Read).iter().map(|r| r.bytes).sum::<u64>(), 45);
    // Libraries, and the files that dd immediately moves to descriptors 0 and 1, are closed within microseconds.
    // Requests to these files are counted.
    let unknown = requests.iter().filter(|r| targets[usize::from(r.target)].name.is_empty()).count();
    assert_eq!(unknown as u64, end.unresolved);
    assert!(requests.iter().all(|r| !r.flags.has(RequestFlags::FAILED) || r.bytes == 0));
}

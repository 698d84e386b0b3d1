use super::*;
use model::measured::{BlockTrace, DiskUse, QueuedBios};
use std::collections::BTreeMap;

fn ops(sizes: &[(u64, u64)]) -> TracedOps {
    let mut ops = TracedOps::default();
    for (size, n) in sizes {
        ops.sizes.add(Bytes(*size), *n);
        ops.ops += n;
    }
    ops
}

fn device(entered: &[(u64, u64)], roles: &[(&str, TracedOps)]) -> TracedDevice {
    let mut device = TracedDevice { name: "vda".into(), dev: (254, 0), ..TracedDevice::default() };
    let writes = ops(entered).sizes;
    device.queued = QueuedBios { sizes: BTreeMap::from([(RequestKind::Write, writes)]), splits: 7 };
    for (role, ops) in roles {
        device.role_mut(role).kinds.insert(RequestKind::Write, ops.clone());
    }
    device
}

fn asked(ops: u64, bytes: u64) -> Option<LayerSide> {
    Some(LayerSide { ops: Some(ops), bytes: Some(Bytes(bytes)), latency: None })
}

fn explanation(device: &TracedDevice, asked: Option<LayerSide>) -> String {
    Sentence::join(explain(device, RequestKind::Write, asked), "\n").into()
}

#[test]
fn blocks_per_transfer_are_explained_by_merging() {
    // docs/design/foreign-results.md, "Layers": 8,200 blocks of mgstat and 6,500 transfers of perfmon in a second.
    let d = device(&[(8192, 8200)], &[("data", ops(&[(8192, 5200), (16384, 900), (24576, 400)]))]);
    let text = explanation(&d, asked(8200, 8200 * 8192));
    assert!(text.contains("1.26 application writes per request, with the same bytes"), "{text}");
    assert!(
        text.contains(
            "8,200 operations entered the block layer and 6,500 requests left it: 1.26 operations per request"
        ),
        "{text}"
    );
    assert!(text.contains("80 % of 8 KiB, 14 % of 16 KiB, 10.1 KiB on average"), "{text}");
}

#[test]
fn operations_that_are_split_say_so() {
    let d = device(&[(1 << 20, 100)], &[("data", ops(&[(131_072, 800)]))]);
    let text = explanation(&d, asked(100, 100 << 20));
    assert!(text.contains("8.00 requests per application write"), "{text}");
    assert!(text.contains("large operations were split (7 times)"), "{text}");
    assert!(text.contains("all of 128 KiB"), "{text}");
}

#[test]
fn what_the_cache_kept_and_what_is_nobodys_is_told() {
    let mut metadata = ops(&[(4096, 50)]);
    metadata.metadata = 40;
    let d = device(&[(8192, 500), (4096, 50)], &[("data", ops(&[(8192, 500)])), (UNMAPPED, metadata)]);
    let text = explanation(&d, asked(1000, 1000 * 8192));
    assert!(text.contains("50 % of the requested bytes were written: the page cache"), "{text}");
    assert!(text.contains("4.76") || text.contains("5 % of the write bytes (50 requests) belong to no file"), "{text}");
    assert!(text.contains("80 % of them marked as metadata"), "{text}");
    let one = device(&[(8192, 1000)], &[("data", ops(&[(8192, 1000)]))]);
    assert!(explanation(&one, asked(1000, 1000 * 8192)).contains("neither merged nor split"));
    assert!(explanation(&device(&[], &[]), asked(10, 81920)).contains("none of the 10 requested writes reached it"));
}

#[test]
fn the_kernels_own_count_is_laid_beside_the_trace() {
    let mut d = device(&[], &[("data", ops(&[(8192, 1000)]))]);
    d.counted = Some(DiskUse { ops: [0, 1000], ..DiskUse::default() });
    assert!(agreement(&d, 0).is_some_and(|s| s.contains("is the same, 1,000 requests")));
    d.counted = Some(DiskUse { ops: [0, 1010], ..DiskUse::default() });
    let flushed = DiskUse { ops: [0, 1010], sectors: [0, 16_000], ..DiskUse::default() };
    d.counted = Some(flushed.clone());
    assert!(agreement(&d, 0).is_some_and(|s| s.contains("the same bytes, and 10 more writes: flushes")));
    d.counted = Some(DiskUse { sectors: [0, 16_008], ..flushed });
    assert!(agreement(&d, 5).is_some_and(|s| s.contains("+0 reads and +10 writes: events were lost")));
}

#[test]
fn lost_events_and_files_without_a_place_are_doubts() {
    let mut record = crate::testkit::Rig::new().record();
    let roles = vec![model::measured::RoleFiles {
        role: "data".into(),
        path: "/srv".into(),
        why_not: "no place".into(),
        ..model::measured::RoleFiles::default()
    }];
    let trace = BlockTrace { lost: 12, events: 1000, roles, ..BlockTrace::default() };
    record.blocks = vec![StepTrace { steps: Vec::new(), trace }];
    let caveats = doubts(&record);
    let ids: Vec<&str> = caveats.iter().map(|c| c.id.as_str()).collect();
    assert_eq!(ids, ["block-trace-lost", "role-unmapped"]);
    assert!(caveats[0].evidence.contains("12 events lost"), "{:?}", caveats[0]);
}

#[test]
fn nearly_all_is_not_all() {
    assert_eq!(percent(100, 100), "100 %");
    assert_eq!(percent(99_999, 100_000), "99.99 %");
    assert_eq!(percent(1, 1_000_000), "0.01 %");
    assert_eq!(percent(0, 5), "0 %");
    assert_eq!(percent(0, 0), "100 %");
}

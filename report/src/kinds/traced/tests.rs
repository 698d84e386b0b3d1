use super::*;
use crate::{Style, fixture::text, write_traced};
use model::measured::{DeviceProcess, RequestKind, StepTrace, TracedDevice, TracedOps};
use model::{Nanos, judged::LayerFigures};

const PLAIN: Style = Style { color: false, unicode: true, width: 100, language: messages::Language::English };

fn ops(sizes: &[(u64, u64)], ns: u64, sequential: u64) -> TracedOps {
    let mut ops = TracedOps { sequential, ..TracedOps::default() };
    for (size, n) in sizes {
        ops.sizes.add(Bytes(*size), *n);
        ops.ops += n;
        (0..*n).for_each(|i| ops.service.record(Nanos(ns + i)));
    }
    ops
}

/// Returns the trace of a write daemon as procmon shows it: the write image journal in large pieces, and data both at
/// random offsets and in order.
fn traced() -> (RunRecord, Vec<LayersSeen>) {
    let (mut record, _) = crate::fixture::capped();
    let mut device = TracedDevice { name: "nvme0n1".into(), dev: (259, 0), ..TracedDevice::default() };
    let mut put = |role: &str, kind, ops| drop(device.role_mut(role).kinds.insert(kind, ops));
    put("data", RequestKind::Write, ops(&[(8192, 1200), (524_288, 300)], 400_000, 310));
    put("journal", RequestKind::Write, ops(&[(258_048, 80), (65_536, 20)], 900_000, 99));
    put("journal", RequestKind::Flush, TracedOps { ops: 41, ..ops(&[], 0, 0) });
    put(UNMAPPED, RequestKind::Write, TracedOps { errors: 2, ..ops(&[(4096, 9), (8 << 20, 1)], 100_000, 0) });
    let process = |pid, program: &str, group: &str, ops, bytes| DeviceProcess {
        pid,
        program: program.into(),
        group: group.into(),
        ops,
        bytes,
    };
    device.add_process(process(None, "kworker", "", [0, 300], [0, 157_286_400]));
    device.add_process(process(Some(4711), "irisdb", "docker 3f2a1b4c5d6e", [12, 1310], [98_304, 31_784_960]));
    (1..=12).for_each(|pid| device.add_process(process(Some(pid), "sh", "/", [1, 0], [4096, 0])));
    device.add_process(process(None, "", "", [0, 2], [0, 1 << 30]));
    let trace = BlockTrace {
        length: Nanos::from_secs(30),
        cpu: Nanos::from_millis(90),
        devices: vec![device],
        ..BlockTrace::default()
    };
    record.blocks =
        vec![StepTrace { steps: vec![0], trace }, StepTrace { steps: Vec::new(), trace: BlockTrace::default() }];
    let side =
        |ops, bytes| LayerSide { ops: Some(ops), bytes: Some(Bytes(bytes)), latency: Some(Nanos::from_micros(500)) };
    let layer = |layer, device: &str, writes| LayerFigures {
        layer,
        device: device.into(),
        source: "block_rq_complete".into(),
        reads: LayerSide::default(),
        writes,
    };
    let seen = LayersSeen {
        steps: vec![0],
        label: "8k randwrite, 8 in flight".into(),
        length: Nanos::from_secs(30),
        layers: vec![
            layer(StackLayer::Application, "", side(20_400, 167_116_800)),
            layer(StackLayer::Dirtied, "", LayerSide { ops: None, latency: None, ..side(0, 167_116_800) }),
            layer(StackLayer::Requests, "nvme0n1", side(1_600, 189_071_360)),
        ],
        says: vec!["nvme0n1: 12.75 application writes per request, with the same bytes".into()],
    };
    let between = LayersSeen { steps: Vec::new(), label: "between steps".into(), ..seen.clone() };
    (record, vec![seen, between])
}

#[test]
fn sizes_by_role_and_layers_stand_on_one_screen() {
    let (record, layers) = traced();
    insta::assert_snapshot!(text(|out| write_traced(&record, &layers, &PLAIN, out)));
}

#[test]
fn a_narrow_screen_says_what_it_left_out_and_loses_no_count() {
    let (record, layers) = traced();
    let style = Style { unicode: false, width: 60, ..PLAIN };
    let text = text(|out| write_traced(&record, &layers, &style, out));
    assert!(text.is_ascii() && text.lines().all(|l| l.len() <= 60), "{text}");
    assert!(text.contains("omitted") && text.contains("1,500"), "{text}");
}

#[test]
fn between_steps_is_shown_only_where_nothing_else_was_traced() {
    let (record, layers) = traced();
    let steps = text(|out| write_traced(&record, &layers, &PLAIN, out));
    assert!(!steps.contains("between steps"), "{steps}");
    let between = text(|out| write_traced(&record, &layers[1..], &PLAIN, out));
    assert!(between.contains("no request reached a device"), "{between}");
}

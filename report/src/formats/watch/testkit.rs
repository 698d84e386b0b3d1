//! A made-up watch for the tests of this folder: two roles under a shared cap, a command, a device that disappeared.

use model::bounds::*;
use model::judged::*;
use model::measured::*;
use model::plan::*;
use model::record::*;
use model::*;

const SECOND: u64 = Nanos::from_secs(1).as_nanos();

/// Returns four samples of `data` (vdb) and `journal` (vdc), with their judgement.
pub(crate) fn watched() -> (RunRecord, Judgement) {
    let record = RunRecord::from_events(events()).expect("one run");
    let judgement = analysis::judge(&record);
    (record, judgement)
}

/// Returns the events of the watch.
pub(super) fn events() -> Vec<RunEvent> {
    let mut events = vec![begin()];
    for i in 1..=4u64 {
        let at = Nanos::from_secs(i);
        events.push(RunEvent::Samples { at, samples: samples_of_second(i) });
    }
    let note = |at: u64, text: &str| RunEvent::Note { at: Nanos::from_secs(at), text: text.into() };
    events.push(note(3, "device vdd disappeared"));
    events.push(RunEvent::Disks(vec![
        counts("vdb", [400, 20_000], [400 * 8192, 20_000 * 8192], 12),
        counts("vdc", [0, 2000], [0, 2000 * 65536], 2000),
    ]));
    let command = CommandUse {
        pid: 4711,
        began: Nanos::from_millis(1),
        ended: Some(Nanos::from_secs(4)),
        exit: Some(CommandExit::Code(0)),
        told_to_end: None,
        user: Nanos::from_millis(800),
        system: Nanos::from_millis(400),
        max_resident: Bytes::from_mib(9),
        switches: 22_400,
        read: Some(400 * 8192),
        write: Some(20_000 * 8192),
        blocks: (6400, 320_000),
    };
    events.push(RunEvent::Command(Box::new(command)));
    events.push(RunEvent::End { state: RunState::Complete, at: Nanos::from_secs(4), reason: "".into(), signal: None });
    events
}

/// Returns the samples of second `i`.
pub(super) fn samples_of_second(i: u64) -> Vec<Sample> {
    let sample = |name: &str, unit: &str, layer, value| Sample { name: name.into(), unit: unit.into(), layer, value };
    let mut samples = vec![
        sample("sampler.stretch", "s", Layer::Application, 1.0),
        sample("sampler.cpu", "us", Layer::Application, 420.0),
        sample("sampler.cost", "percent", Layer::Application, 0.042),
        sample("cpu.user", "percent", Layer::Host, 12.0),
        sample("cpu.system", "percent", Layer::Host, 5.5),
        sample("cpu.iowait", "percent", Layer::Host, 21.0),
        sample("memory.dirty", "bytes", Layer::Host, (i << 20) as f64),
        sample("pressure.io.some", "percent", Layer::Host, 17.5),
        sample("process.command.read", "B/s", Layer::Process, 819_200.0),
        sample("process.command.write", "B/s", Layer::Process, 40_960_000.0),
        sample("process.command.cpu_user", "percent", Layer::Process, 20.0),
        sample("process.command.cpu_system", "percent", Layer::Process, 10.0),
        sample("process.command.switches", "ops/s", Layer::Process, 5600.0),
        sample("top.4711 dbench (docker 3f2a1b4c5d6e).read", "B/s", Layer::Process, 819_200.0),
        sample("top.4711 dbench (docker 3f2a1b4c5d6e).write", "B/s", Layer::Process, 40_960_000.0),
        sample("top.4711 dbench (docker 3f2a1b4c5d6e).read_calls", "ops/s", Layer::Process, 100.0),
        sample("top.4711 dbench (docker 3f2a1b4c5d6e).write_calls", "ops/s", Layer::Process, 5500.0),
        sample("top.4711 dbench (docker 3f2a1b4c5d6e).wait", "percent", Layer::Process, 85.0),
        sample("top.* cron job (/).read", "B/s", Layer::Process, 0.0),
        sample("top.* cron job (/).write", "B/s", Layer::Process, 4096.0),
        sample("top.others.read", "B/s", Layer::Process, 0.0),
        sample("top.others.write", "B/s", Layer::Process, 512.0),
        sample("space.data.free", "bytes", Layer::Host, 7e9),
        sample("space.data.size", "bytes", Layer::Host, 1e10),
    ];
    for (name, [reads, writes], size) in [("vdb", [100.0, 5000.0], 8192.0), ("vdc", [0.0, 500.0], 65536.0)] {
        let device_sample =
            |what: &str, unit: &str, value: f64| sample(&format!("device.{name}.{what}"), unit, Layer::Device, value);
        samples.extend([
            device_sample("read_ops", "ops/s", reads),
            device_sample("read", "B/s", reads * size),
            device_sample("read_merged", "ops/s", 0.0),
            device_sample("write_ops", "ops/s", writes),
            device_sample("write", "B/s", writes * size),
            device_sample("write_merged", "ops/s", 3.0),
            device_sample("write_size", "bytes", size),
            device_sample("write_await", "ms", 0.4 + i as f64 / 10.0),
            device_sample("in_flight", "ops", 3.0),
            device_sample("queue", "ops", 2.5),
            device_sample("busy", "percent", 97.0),
            device_sample("flush_ops", "ops/s", if name == "vdc" { 500.0 } else { 3.0 }),
            device_sample("flush_await", "ms", 1.5),
        ]);
    }
    samples
}

/// Returns a second of the block layer's trace of `vdb`.
pub(super) fn traced_second() -> BlockTrace {
    let process = |pid, program: &str, ops, bytes| DeviceProcess {
        pid,
        program: program.into(),
        ops,
        bytes,
        ..DeviceProcess::default()
    };
    let mut device = TracedDevice { name: "vdb".into(), ..TracedDevice::default() };
    device.add_process(process(None, "kworker", [0, 12], [0, 1_048_576]));
    device.add_process(process(Some(4711), "dbench", [100, 5000], [819_200, 40_960_000]));
    BlockTrace { length: Nanos(SECOND), devices: vec![device], ..BlockTrace::default() }
}

fn counts(name: &str, ops: [u64; 2], bytes: [u64; 2], flushes: u64) -> DiskUse {
    DiskUse {
        name: name.into(),
        ops,
        sectors: bytes.map(|b| b / 512),
        length: Nanos::from_secs(4),
        flushes: Some(flushes),
        ..DiskUse::default()
    }
}

fn begin() -> RunEvent {
    let device =
        |name: &str, role: &str| WatchedDevice { name: name.into(), roles: vec![role.into()], below: Vec::new() };
    let watch = WatchPlan {
        interval: Nanos(SECOND),
        length: None,
        devices: vec![device("vdb", "data"), device("vdc", "journal")],
        all_devices: false,
        processes: Vec::new(),
        top: 5,
        groups: Vec::new(),
        command: vec!["dbench".into(), "--fast".into()],
        alerts: Vec::new(),
        hosts: Vec::new(),
    };
    let facts = |name: &str, minor| DeviceFacts {
        name: name.into(),
        dev: (254, minor),
        kind: "virtio".into(),
        size: Bytes::from_gib(200),
        ..DeviceFacts::default()
    };
    let mut preflight = Preflight::default();
    preflight.host.hostname = "db1".into();
    preflight.host.kernel = "Linux 6.18".into();
    preflight.host.cpus = 8;
    preflight.storage.devices = vec![facts("vdb", 16), facts("vdc", 32)];
    let (mut record, _) = crate::fixture::capped();
    record.plan.stages.clear();
    record.plan.targets.clear();
    record.plan.needs.clear();
    let plan = Plan {
        command: "watch".into(),
        args: ["--role", "data=/db", "--role", "journal=/jrn", "--", "dbench", "--fast"].map(String::from).to_vec(),
        limits: vec!["instance iops=6000 mbps=75MB".parse().expect("a limit")],
        kind: model::RunKind::Watch { watch: Box::new(watch) },
        ..record.plan
    };
    RunEvent::Begin {
        version: RECORD_VERSION,
        tool: "0.1.0".into(),
        id: "0192d5a0-1111-7222-8333-444455556666".into(),
        started: "2026-11-21T22:10:00+00:00".into(),
        plan,
        preflight: Box::new(preflight),
    }
}

/// Returns a longer watch: alarms, an idle device, control groups, hosts, a cap without the I/O of a stacked device.
pub(crate) fn crowded() -> (RunRecord, Judgement) {
    let (mut record, mut judgement) = watched();
    let alarm = Alarm {
        alert: "await>20ms for 30s".into(),
        figure: AlertFigure::Await,
        of: "data (vdb)".into(),
        at: Nanos(SECOND),
        since: Nanos(SECOND),
        until: Some(Nanos(3 * SECOND)),
        worst: 31e6,
    };
    let Some(Results::Watch(results)) = &mut record.results else { panic!("a watch") };
    results.alarms = vec![Alarm { until: None, figure: AlertFigure::Iops, ..alarm.clone() }; 22];
    results.alarms[0] = alarm;
    let command = results.command.as_mut().expect("a command");
    (command.exit, command.blocks) = (Some(CommandExit::Code(3)), (1, 2));
    record.notes = (0..14).map(|i| (Nanos(700 * i * SECOND), format!("device vd{i} disappeared").into())).collect();
    let RunKind::Watch { watch: plan } = &mut record.plan.kind else { panic!("a watch") };
    let free =
        WatchedGroup { name: "free".into(), processes: vec!["a".into()], limits: vec![], cpus: None, memory: None };
    plan.groups = vec![WatchedGroup { name: "db.slice".into(), cpus: Some(1.5), ..free.clone() }, free];
    let Some(KindFigures::Watch(watch)) = &mut judgement.figures else { panic!("a watch") };
    watch.devices.push(DiskFigures { name: "vdx".into(), shown: "vdx".into(), ..DiskFigures::default() });
    watch.caps[0].left_out = vec!["dm-0".into()];
    watch.caps[0].sum_of_maxima = 2.0 * watch.caps[0].most.0;
    watch.processes.push(ProcessFigures { name: "hidden".into(), bytes: None, cpu: [0.1, 0.0], switches: 1.5 });
    let io = |device: &str, n: f64| GroupIoFigures {
        device: device.into(),
        ops: [0.0, n],
        bytes: [0.0, 4096.0 * n],
        most: Iops(n),
    };
    let free = GroupFigures { name: "free".into(), ..GroupFigures::default() };
    let slice = GroupFigures {
        name: "db.slice".into(),
        io: vec![io("vdb", 200.0), io("vdc", 100.0), io("vdd", 0.0)],
        cpus: Some(0.5),
        throttled: Some(0.25),
        stopped: Some(Nanos(SECOND)),
        memory: Some((Bytes::from_mib(3), Bytes::from_mib(5))),
    };
    watch.groups = vec![slice, free];
    let figures = std::mem::take(&mut watch.host);
    for host in ["node1", "node2"] {
        let named = |h: &HostFigure| HostFigure { name: format!("{host}/{}", h.name), ..h.clone() };
        watch.host.extend(figures.iter().map(named));
    }
    (record, judgement)
}

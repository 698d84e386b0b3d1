//! `secchi watch`: its figures equal the kernel's counts.

use crate::support::commands::parsed;
use crate::support::{
    Blkio, CpuQuota, Loop, PATIENCE, Sandbox, Secchi, alone, beside, command_in, eventually, own_disk, paced, skip,
    tool, wait_until_still,
};
use model::{Bytes, RunState, measured::RequestKind, record::CommandExit};
use rustix::process::Signal;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Returns reads and their sectors, writes and their sectors, and flushes of a device since boot, from the kernel.
fn counted(device: &str) -> [u64; 5] {
    let text = std::fs::read_to_string(format!("/sys/block/{device}/stat")).expect("a device has counters");
    let n: Vec<u64> = text.split_whitespace().map(|w| w.parse().expect("a number")).collect();
    [n[0], n[2], n[4], n[6], n.get(15).copied().unwrap_or(0)]
}

fn name_of(device: &Loop) -> String {
    device.path.file_name().expect("/dev/loopN").to_string_lossy().into_owned()
}

/// Creates a loop device that no other process uses.
fn own_device(sandbox: &Sandbox) -> Result<Loop, String> {
    let device = Loop::new(&sandbox.path("image"), 256 << 20)?;
    // udev and blkid read a new device; they have finished when its counters stop changing.
    let name = name_of(&device);
    wait_until_still(|| counted(&name).iter().sum());
    Ok(device)
}

#[test]
fn a_watch_beside_6000_iops_counts_every_operation_of_the_device() {
    let _paced = paced();
    let sandbox = Sandbox::new();
    let device = match own_device(&sandbox) {
        Ok(device) => device,
        Err(why) => skip!("{why}"),
    };
    let name = name_of(&device);
    let before = counted(&name);
    let mut watch = sandbox.watch(&format!("--interval 100ms --device {name} --json --limit"));
    watch.arg("volume iops=6000");
    watch.words("-- fio --name=r --rw=randread --bs=8k --iodepth=8 --ioengine=libaio --direct=1 --rate_iops=6000");
    watch.words("--time_based --runtime=3 --readonly").arg(format!("--filename={}", device.path.display()));
    let ended = watch.run();
    let after = counted(&name);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let run = ended.json();
    let disk = run.record.disks.iter().find(|d| d.name == name).expect("the device was watched");
    assert_eq!(disk.ops, [after[0] - before[0], after[2] - before[2]], "what the kernel counted");
    assert_eq!(disk.sectors, [after[1] - before[1], after[3] - before[3]]);
    assert!(disk.ops[0] > 1000, "a load ran: {:?}", disk.ops);
    // The intervals add up to the total: nothing is lost between two samples.
    let points = |what: &str| run.record.series(&format!("device.{name}.{what}")).expect("sampled").points.clone();
    let seconds: Vec<f64> = run.record.stretches().iter().map(|(_, length)| length.secs()).collect();
    let summed: f64 = points("read_ops").iter().zip(&seconds).map(|((_, rate), s)| rate * s).sum();
    assert!((summed - disk.ops[0] as f64).abs() < 0.5, "{summed} of {}", disk.ops[0]);
    // The command's own reads equal those of the device.
    let command = run.record.command().expect("it ran");
    assert_eq!(command.exit, Some(CommandExit::Code(0)));
    assert_eq!(command.blocks.0 * 512, command.read.expect("our own child"), "wait4 and /proc/PID/io agree");
    let watch = run.judgement.watch().cloned().expect("a watch");
    assert_eq!((watch.caps.len(), watch.devices[0].ops[0]), (1, disk.ops[0] as f64));
    assert!(run.judgement.sampling.expect("it was measured").share < 0.25, "of a core, on a machine under tests");
    assert_eq!(sandbox.newest().expect("it is kept").record.state, RunState::Complete);
}

/// Acceptance test of the trace: next to a run of 6000 operations a second of 8 KiB in its own control group, the
/// counts of the group, the kernel and the trace, and the sum of the sizes, are the same number.
#[test]
fn a_traced_watch_beside_6000_iops_counts_what_the_control_group_was_charged_and_its_sizes_sum_to_that() {
    let _paced = paced();
    let sandbox = Sandbox::new();
    let (disk, device) = own_disk!(sandbox, 1 << 30);
    let group = match Blkio::on(&disk.point) {
        Ok(group) => group,
        Err(why) => skip!("{why}"),
    };
    // Version 1 counts a device only if it is capped.
    group.cap_reads(1_000_000, 0);
    let file = disk.point.join("f.0.0");
    // Write its blocks, so that every read reaches the device.
    std::fs::write(&file, vec![0x5a; 64 << 20]).expect("a file of ours");
    tool("sync", &["--file-system".as_ref(), disk.point.as_os_str()]).expect("what was laid out is written");
    let name = name_of(&device);
    let (csv, metrics) = (sandbox.path("w.csv"), sandbox.path("w.prom"));
    let mut watch = sandbox.watch("--trace-blocks --interval 1s --plain --role");
    watch.arg(format!("file={}", file.display())).arg("--csv").arg(&csv).arg("--prometheus").arg(&metrics);
    let watching = watch.start();
    assert!(eventually(PATIENCE, || watching.stdout().contains("CPU")), "{}", watching.stderr());
    let (charged, counted_before) = (group.reads(), counted(&name));
    let mut load = Secchi::new(&sandbox.path("home"));
    load.words("fio --name=f --rw=randread --bs=8k --size=64m --direct=1 --ioengine=libaio --iodepth=8 --time_based");
    load.words("--runtime=3 --rate_iops=6000").arg(format!("--filename={}", file.display()));
    let ended = load.arg("--store").arg(sandbox.path("other")).inside(group.path()).run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let (charged, counted_now) = (group.reads() - charged, counted(&name));
    watching.signal(Signal::INT);
    assert_eq!(watching.wait(PATIENCE).code, 0);
    let run = sandbox.newest().expect("it is kept");
    if let Some(why) = run.record.caveats.iter().find(|c| c.id == "no-block-trace") {
        skip!("{}", why.evidence);
    }
    let [traced] = run.record.blocks.as_slice() else { panic!("one trace, of no step") };
    // Requests in flight on the lower disk when the trace began are unmatched; they are not part of this test.
    assert_eq!(traced.trace.lost, 0);
    let device_trace = traced.trace.devices.iter().find(|d| d.name == name).expect("it was traced");
    let role = device_trace.roles.iter().find(|r| r.role == "file").expect("the file was read");
    let reads = role.kind(RequestKind::Read).expect("it was read");
    assert!(charged > 5_000, "a load ran: {charged}");
    // Adjacent random requests may be merged after they were charged; the bytes never change.
    let queued = device_trace.queued.sizes[&RequestKind::Read].count();
    assert_eq!(
        queued,
        charged + device_trace.all(RequestKind::Read).ops - reads.ops,
        "entered the block layer, others' apart"
    );
    assert_eq!(reads.sizes.bytes(), Bytes(charged * 8192), "every byte, and no other");
    assert!(charged - reads.ops <= charged / 50, "8 KiB at random stay what they are: {} of {charged}", reads.ops);
    assert_eq!(reads.sizes.buckets().iter().map(|b| b.0).sum::<u64>(), reads.ops, "the sizes are all of them");
    let kernel = counted_now[0] - counted_before[0];
    assert!(
        device_trace.all(RequestKind::Read).ops >= kernel && kernel >= reads.ops,
        "{kernel} by the kernel, {}",
        reads.ops
    );
    assert_eq!(
        device_trace.counted.as_ref().expect("the kernel counts loop devices").ops[0],
        device_trace.all(RequestKind::Read).ops
    );
    // The loop device and the device of its backing file are separate.
    assert!(device_trace.over.iter().any(|o| o.contains("image")), "{:?}", device_trace.over);
    // The same figures in the CSV table and in the metrics for Prometheus.
    let table = std::fs::read_to_string(&csv).expect("written");
    let (head, rows) = table.split_once('\n').expect("a head");
    let columns: Vec<usize> = head
        .split(',')
        .enumerate()
        .filter(|(_, h)| h.starts_with(&format!("sizes.{name}.file.read.")))
        .map(|(i, _)| i)
        .collect();
    let cell = |row: &str, i: usize| row.split(',').nth(i).and_then(|c| c.parse::<f64>().ok()).unwrap_or(0.0);
    let summed: f64 = rows.lines().flat_map(|row| columns.iter().map(move |i| cell(row, *i))).sum();
    assert_eq!(summed as u64, reads.ops, "{head}");
    let text = std::fs::read_to_string(&metrics).expect("written");
    let labels = format!("{{device=\"{name}\",role=\"file\",op=\"read\"}}");
    assert!(text.contains(&format!("secchi_request_size_bytes_count{labels} {}\n", reads.ops)), "{text}");
    assert!(text.contains(&format!("secchi_request_size_bytes_sum{labels} {}\n", charged * 8192)));
    parsed(&text, &sandbox);
    let cost = run.judgement.sampling.expect("it was measured");
    assert!(cost.share < 0.05, "{} of a core, on a machine under tests", cost.share);
}

/// Returns `true` if the process IDs in the kernel's events are those of this namespace.
fn has_kernel_ids() -> bool {
    std::fs::read_link("/proc/self/ns/pid").is_ok_and(|space| space == Path::new("pid:[4026531836]"))
}

#[test]
fn a_traced_watch_names_the_process_that_writes_to_a_device_with_its_bytes() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let device = match own_device(&sandbox) {
        Ok(device) => device,
        Err(why) => skip!("{why}"),
    };
    let (name, metrics) = (name_of(&device), sandbox.path("w.prom"));
    let mut watch = sandbox.watch(&format!("--trace-blocks --interval 500ms --plain --device {name}"));
    let watching = watch.arg("--prometheus").arg(&metrics).start();
    assert!(eventually(PATIENCE, || watching.stdout().contains("CPU")), "{}", watching.stderr());
    let mut dd = Command::new("dd");
    dd.args(["if=/dev/zero", "bs=64k", "count=256", "oflag=direct", "status=none"]);
    let mut dd = dd.arg(format!("of={}", device.path.display())).spawn().expect("dd starts");
    let pid = dd.id();
    assert!(dd.wait().expect("dd ends").success());
    // The trace of an interval appears with the sample after it.
    let is_named = |out: &str| out.split(" by process: ").skip(1).any(|rest| rest.contains(" dd "));
    assert!(eventually(PATIENCE, || is_named(&watching.stdout())), "{}", watching.stdout());
    watching.signal(Signal::INT);
    let ended = watching.wait(PATIENCE);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let run = sandbox.newest().expect("it is kept");
    if let Some(caveat) = run.record.caveats.iter().find(|c| c.id == "no-block-trace") {
        skip!("{}", caveat.evidence);
    }
    let [traced] = run.record.blocks.as_slice() else { panic!("one trace, of no step") };
    assert_eq!(traced.trace.lost, 0);
    let traced_device = traced.trace.devices.iter().find(|d| d.name == name).expect("it was traced");
    let process = traced_device.first_processes(1)[0];
    assert_eq!((process.program.as_str(), process.ops[1], process.bytes[1]), ("dd", 256, 16 << 20));
    let id = process.pid.expect("dd has an entry");
    assert!(id == pid || !has_kernel_ids(), "{id} instead of {pid}");
    // Every operation that entered the block layer belongs to one process.
    for (i, kind) in [RequestKind::Read, RequestKind::Write].into_iter().enumerate() {
        let queued = traced_device.queued.sizes.get(&kind).map_or((0, 0), |q| (q.count(), q.bytes().as_u64()));
        let processes = &traced_device.processes;
        let submitted = (processes.iter().map(|p| p.ops[i]).sum(), processes.iter().map(|p| p.bytes[i]).sum());
        assert_eq!(queued, submitted, "{kind:?}");
    }
    let shown = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains(&format!("{name} by process: {id} dd ")), "{}", ended.stdout);
    assert!(shown.contains("before merging; kernel threads such as kworker submit"), "{}", ended.stdout);
    let text = std::fs::read_to_string(&metrics).expect("written");
    let labels = format!("secchi_device_process_io_bytes_total{{device=\"{name}\",pid=\"{id}\",program=\"dd\",");
    let row = text.lines().find(|line| line.starts_with(&labels) && line.contains("op=\"write\""));
    assert!(row.is_some_and(|row| row.ends_with(" 16777216")), "{text}");
}

/// Watches a process in its own group, with a quota that throttles it and a cap that it never reaches.
#[test]
fn the_control_group_of_a_process_is_sampled_with_its_limits_and_its_stops() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let quota = match CpuQuota::percent(20) {
        Ok(quota) => quota,
        Err(why) => skip!("{why}"),
    };
    let mut busy = Kill(
        command_in(&[quota.path().to_owned()], "sh").args(["-c", "while :; do :; done"]).spawn().expect("it starts"),
    );
    let pid = busy.0.id();
    let inside = || std::fs::read_to_string(format!("/proc/{pid}/cgroup")).is_ok_and(|t| t.contains("secchi"));
    assert!(eventually(PATIENCE, inside), "it enters its group");
    let mut watch = sandbox.watch(&format!("--interval 100ms --json --pid {pid} --for"));
    let ended = watch.arg("2s").run();
    let _ = busy.0.kill();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let run = ended.json();
    let planned = run.record.plan.watch().expect("a watch").groups.clone();
    let [group] = planned.as_slice() else { panic!("its group: {planned:?}, {:?}", run.record.notes) };
    assert_eq!((group.cpus, group.processes.as_slice()), (Some(0.2), &[pid.to_string()][..]));
    let watch = run.judgement.watch().cloned().expect("a watch");
    let figures = watch.groups.iter().find(|g| g.name == group.name).expect("its figures");
    // In version 1 another controller counts CPU time, and the process may not be in a separate group there.
    assert!(figures.cpus.is_none_or(|c| c > 0.0 && c < 0.5), "{figures:?}");
    assert!(figures.throttled.is_some_and(|t| t > 0.0) && figures.stopped.is_some_and(|s| !s.is_zero()), "{figures:?}");
    assert!(run.judgement.caveats.iter().any(|c| c.id == "group-throttled"));
    let shown = sandbox.secchi(&format!("show {}", run.record.id)).run().stdout;
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("control groups of the processes") && words.contains("CPU 0.20"), "{shown}");
}

#[test]
fn loop_devices_are_watched_when_they_are_asked_for() {
    let _alone = alone();
    let sandbox = Sandbox::new();
    let device = match own_device(&sandbox) {
        Ok(device) => device,
        Err(why) => skip!("{why}"),
    };
    let name = name_of(&device);
    std::fs::read(&device.path).expect("a new device is read");
    let watched =
        |options: &str| sandbox.watch(&format!("--interval 50ms --for 200ms --json {options}")).run().json().record;
    let with_all = watched("--all");
    assert!(with_all.disks.iter().any(|d| d.name == name), "{:?}", with_all.disks);
    let by_default = watched("");
    assert!(by_default.disks.iter().all(|d| !d.name.starts_with("loop")), "{:?}", by_default.disks);
    let note = by_default.notes.iter().find(|n| n.1.starts_with("not watched: ")).expect("what is left out is said");
    assert!(note.1.contains(&name) && note.1.ends_with("; --all or --device includes them"), "{}", note.1);
    let refused = sandbox.watch("--all --device vda").run();
    assert_eq!(refused.code, 64, "{}", refused.stderr);
}

#[test]
fn a_loop_device_whose_file_is_taken_away_is_a_gap_and_not_a_standstill() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let device = match Loop::new(&sandbox.path("image"), 16 << 20) {
        Ok(device) => device,
        Err(why) => skip!("{why}"),
    };
    let mut running = sandbox.watch(&format!("--interval 50ms --plain --device {}", name_of(&device))).start();
    assert!(eventually(PATIENCE, || running.stdout().lines().filter(|l| l.contains("CPU")).count() > 2));
    let name = name_of(&device);
    drop(device);
    running.wait_for_message(&format!("device {name} disappeared"));
    let lines = running.stdout().lines().count();
    assert!(eventually(PATIENCE, || running.stdout().lines().count() > lines + 2), "it goes on");
    running.signal(Signal::INT);
    assert_eq!(running.wait(PATIENCE).code, 0);
    let run = sandbox.newest().expect("it is kept");
    let points = &run.record.series(&format!("device.{name}.read_ops")).expect("it was there").points;
    assert!(points.len() < run.record.stretches().len(), "no figures of the time without a file");
}

/// Kills the process when dropped.
struct Kill(std::process::Child);

impl Drop for Kill {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_command_that_does_not_end_when_it_is_told_is_left_running_and_named() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let mut watch = sandbox.watch("--for 300ms --interval 100ms");
    let ended = watch.words("-- sh -c").arg("trap '' TERM; exec sleep 600").run();
    let run = sandbox.newest().expect("it is kept");
    let command = run.record.command().expect("it ran");
    let group = rustix::process::Pid::from_raw(command.pid as i32).expect("a number");
    rustix::process::kill_process_group(group, Signal::KILL).expect("it still runs");
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    let words = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    let left = format!("it was left running as process {}", command.pid);
    for needle in [left.as_str(), "exit code 2", &format!("kill -KILL -- -{}", command.pid)] {
        assert!(words.contains(needle), "`{needle}` is not in: {words}");
    }
}

#[test]
fn an_alert_goes_off_is_kept_runs_its_command_and_is_the_exit_code() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let device = match own_device(&sandbox) {
        Ok(device) => device,
        Err(why) => skip!("{why}"),
    };
    let (name, told) = (name_of(&device), sandbox.path("told"));
    let load = |watch: &mut Secchi| {
        watch.words("-- fio --name=r --rw=randread --bs=8k --iodepth=4 --ioengine=libaio --direct=1 --rate_iops=500");
        watch.words("--time_based --runtime=2 --readonly").arg(format!("--filename={}", device.path.display()));
    };
    let mut watch = sandbox.watch(&format!("--interval 100ms --device {name} --json --alert"));
    watch
        .arg("r_iops>100 for 500ms")
        .arg("--on-alert")
        .arg(format!("echo \"$SECCHI_OF: $SECCHI_ALERT\" >> {}", told.display()));
    load(&mut watch);
    let ended = watch.run();
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(ended.stderr.contains(&format!("alarm: {name}: r_iops ")), "{}", ended.stderr);
    let run = ended.json();
    let alarm = run.record.alarms().first().expect("it is in the record");
    assert!(alarm.at.since(alarm.since) >= model::Nanos::from_millis(500) && alarm.worst > 100.0, "{alarm:?}");
    assert!(run.judgement.verdict.starts_with("alarm: "), "{}", run.judgement.verdict);
    let command = std::fs::read_to_string(&told).expect("the command ran");
    assert_eq!(command.lines().next(), Some(format!("{name}: r_iops>100 for 500ms").as_str()));
    assert_eq!(command.lines().count(), run.record.alarms().len(), "once for each alarm");

    // An alert that does not occur has no effect; with --until-alert, the first alert ends the watch, which has no
    // other end.
    let mut watch = sandbox.watch(&format!("--interval 100ms --device {name} --json --alert"));
    watch.arg("r_iops>1000000");
    load(&mut watch);
    let ended = watch.run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.json().judgement.verdict.starts_with("no alarm; "));
    let mut watch = sandbox.watch(&format!("--interval 100ms --device {name} --plain --until-alert --alert"));
    let ended = watch.arg("iops<1").run();
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert_eq!(sandbox.newest().expect("it is kept").record.alarms().len(), 1);
}

#[test]
fn alerts_about_what_is_not_known_are_refused_and_one_line_is_one_line() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let refused = |words: &[&str], why: &str| {
        let mut watch = sandbox.watch("--device vda --for 1s --plain");
        words.iter().for_each(|word| {
            watch.arg(word);
        });
        watch.run().refuses(64, why);
    };
    refused(&["--alert", "p99>20ms"], "--trace-blocks");
    refused(&["--alert", "cap>95%"], "no cap is given");
    refused(&["--alert", "awiat>20ms"], "did you mean `await`?");
    refused(&["--alert", "await>20"], "no unit of time");
    refused(&["--until-alert"], "--alert");
    let device = match own_device(&sandbox) {
        Ok(device) => device,
        Err(why) => skip!("{why}"),
    };
    let name = name_of(&device);
    let mut watch = sandbox.watch(&format!("--device {name} --for 1s --alert"));
    watch.arg("iops>1 on=data").run().refuses(64, "`data` is neither a role nor a watched device");
    let ended = sandbox.watch(&format!("--device {name} --interval 100ms --for 1s --one-line")).run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let lines: Vec<&str> = ended.stdout.lines().take_while(|l| !l.is_empty()).collect();
    assert!(lines[0].trim_start().starts_with("time ") && lines.len() >= 8, "{}", ended.stdout);
    assert!(lines[1..].iter().all(|l| l.trim_start().starts_with("00:0")), "{}", ended.stdout);
}

#[test]
fn tables_are_written_at_the_end_and_roles_name_every_figure() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let (csv, html) = (sandbox.path("w.csv"), sandbox.path("w.html"));
    let mut watch = sandbox.watch("--interval 50ms --for 400ms --role");
    watch.arg(format!("data={}", sandbox.data().display())).arg("--csv").arg(&csv).arg("--html").arg(&html);
    let ended = watch.run();
    if ended.code == 64 && ended.stderr.contains("no block device") {
        skip!("the build directory lies on no block device");
    }
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stdout.contains("data ("), "{}", ended.stdout);
    let table = std::fs::read_to_string(&csv).expect("written");
    let columns = table.lines().next().map_or(0, |l| l.split(',').count());
    assert!(columns > 20 && table.lines().all(|l| l.split(',').count() == columns) && table.lines().count() > 3);
    assert!(table.contains("space.data.free [bytes]"));
    let page = std::fs::read_to_string(&html).expect("written");
    // A sample within one clock tick of the previous one has devices but no CPU time to divide.
    let cpu = table.lines().next().and_then(|head| head.split(',').position(|c| c.starts_with("cpu.user ")));
    let cpu = cpu.expect("CPU shares");
    let with_cpu = table.lines().skip(1).filter(|row| row.split(',').nth(cpu).is_some_and(|value| !value.is_empty()));
    readable_by_others(&page, (table.lines().count() - 1, with_cpu.count()));
}

/// Parses the page with our importer of SystemPerformance pages, and checks the line patterns that yaspe's splitter
/// searches for. `samples` are the samples of the run, and those with CPU shares.
fn readable_by_others(page: &str, samples: (usize, usize)) {
    let files = import::read("w.html", page.as_bytes()).expect("it is such a page");
    let formats: Vec<&str> = files.iter().map(|f| f.format.as_str()).collect();
    assert_eq!(formats, ["system-performance/vmstat", "system-performance/iostat"]);
    let looks = files[0].series("us").expect("CPU shares").points.len();
    assert!(looks > 3, "{looks}");
    let reads = files[1].series.iter().find(|s| s.name.ends_with("r/s")).expect("devices");
    assert!(files.iter().flat_map(|f| &f.remarks).all(|r| !r.text.contains("skipped")), "{files:?}");
    let run = page.lines().find(|l| l.contains("Profile run ")).expect("the day of the run");
    let day = run.split("on ").nth(1).expect("a day").trim_end_matches('.');
    assert!(day.split_whitespace().count() == 3 && day.ends_with(|c: char| c.is_ascii_digit()), "{day}");
    assert!(page.lines().any(|l| l.contains("Version String: ") && l.contains("Linux")), "its operating system");
    // The first word of the line after the heading is a date; the columns of the heading begin after ` r `.
    let within = |from: &str, to: &str| -> Vec<String> {
        let lines = page.lines().skip_while(|l| !l.contains(from)).skip(1);
        lines.take_while(|l| !l.contains(to)).map(str::to_owned).collect()
    };
    let vmstat = within("<!-- beg_vmstat -->", "<!-- end_vmstat -->");
    let columns =
        vmstat[0].split(" r ").nth(1).expect("`us sy id wa` stands behind ` r `").split_whitespace().count() + 3;
    assert!(vmstat[0].contains("us sy id wa") && vmstat[1..].iter().all(|l| l.split_whitespace().count() == columns));
    // Timestamps are the only lines of two words; `avg-cpu` ends the device rows before it.
    let iostat = within("id=iostat", "<div");
    let moments = iostat.iter().filter(|l| l.split_whitespace().count() == 2).count();
    let (heads, shares) = (
        iostat.iter().filter(|l| l.starts_with("Device")).count(),
        iostat.iter().filter(|l| l.starts_with("avg-cpu")).count(),
    );
    assert_eq!((moments, shares), (heads, looks));
    assert_eq!((moments, looks), samples);
    // The first report of iostat covers the time since boot, and some readers skip it.
    assert!((moments - 1..=moments).contains(&reads.points.len()), "{} of {moments} looks", reads.points.len());
    assert!(iostat.iter().all(|l| l.split_whitespace().count() != 3), "nothing that looks like a moment with AM");
    for wanted in ["r/s", "w/s", "rkB/s", "wkB/s", "r_await", "w_await", "aqu-sz", "%util"] {
        assert!(iostat.iter().any(|l| l.starts_with("Device") && l.contains(wanted)), "{wanted}");
    }
}

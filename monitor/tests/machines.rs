//! Facts, limits and counters of other machines, read from recorded files.

mod recorded;

use model::{bounds::LimitSource, record::DeviceFacts};
use monitor::facts::{host, stack, stack_of_path, storage_doubts};
use monitor::{Io, KernelCounters, cgroup_limits, samplers};
use recorded::Machine;
use std::path::Path;

/// Returns one line for each device, such as `dm-1 dm`, indented by depth.
fn drawn(devices: &[DeviceFacts]) -> Vec<String> {
    devices.iter().map(|d| format!("{}{} {}", "  ".repeat(d.depth as usize), d.name, d.kind)).collect()
}

fn under(machine: &Machine, path: &str) -> Vec<DeviceFacts> {
    stack_of_path(&machine.roots, Path::new(path))
}

fn limits(machine: &Machine, devices: &[DeviceFacts]) -> Vec<String> {
    let devs: Vec<(u32, u32)> = devices.iter().map(|d| d.dev).collect();
    let show = |l: &model::Limit| match &l.source {
        LimitSource::Cgroup { file } => format!("{l} [{file}]"),
        other => panic!("a limit from {other:?}"),
    };
    cgroup_limits(&machine.roots, &devs).iter().map(show).collect()
}

#[test]
fn a_loop_over_a_file_on_a_disk_shows_the_disk_below_it() {
    let vm = Machine::unpack("virtio-loop-v1");
    let devices = stack(&vm.roots, &[(7, 0)]);
    assert_eq!(drawn(&devices), ["loop0 loop", "  vda virtio"]);
    assert_eq!(devices[0].backing.as_deref(), Some("/var/tmp/volume.img"));
    let vda = &devices[1];
    assert_eq!(
        (vda.dev, vda.size.as_u64(), vda.logical_block.as_u64(), vda.physical_block.as_u64()),
        ((254, 0), 256 << 30, 512, 4096)
    );
    assert_eq!((vda.scheduler.as_str(), vda.nr_requests, vda.max_request.as_u64()), ("mq-deadline", 256, 4 << 20));
    assert_eq!((vda.write_cache.as_str(), vda.discard, vda.rotational), ("write back", true, true));
    assert_eq!((vda.model.as_deref(), vda.serial.as_deref()), (None, Some("overlayblk")));
    assert_eq!(drawn(&under(&vm, "/var/tmp/x")), ["vda virtio"]);
    assert!(under(&vm, "/dev/shm/x").is_empty());
    let storage = model::record::StorageFacts { filesystem: "none".into(), devices, ..Default::default() };
    let doubts: Vec<String> = storage_doubts(&vm.roots, &storage).into_iter().map(|c| c.id).collect();
    assert_eq!(doubts, ["loop-buffered"]);
}

#[test]
fn the_recorded_virtual_machine_is_described() {
    let vm = Machine::unpack("virtio-loop-v1");
    let facts = host(&vm.roots);
    assert_eq!((facts.hostname.as_str(), facts.kernel.as_str()), ("vm", "Linux 6.18.44-fc-v657"));
    assert_eq!((facts.cpu_model.as_str(), facts.cpus, facts.cpu_quota), ("AMD EPYC", 2, None));
    assert_eq!((facts.memory.as_u64(), facts.memory_limit), (24_684_092 * 1024, None));
    assert_eq!((facts.virtualization.as_deref(), facts.clocksource.as_str()), (Some("KVM"), "tsc"));
}

#[test]
fn the_root_control_group_counts_for_everybody_and_so_not_for_us() {
    let vm = Machine::unpack("virtio-loop-v1");
    let devices = under(&vm, "/");
    let counters = KernelCounters::open(&vm.roots, &devices);
    let now = counters.snapshot();
    let accounting = now.since(&now, Io::default());
    assert_eq!((accounting.cgroup_read, accounting.process_read, accounting.device_ops), (None, Some(0), Some(0)));
    // The samplers of EBS and ENA also open without such devices, and report nothing.
    let (open, unavailable) = samplers::all(&vm.roots, &samplers::Subjects::from_devices(&devices));
    assert_eq!(open.len(), 6);
    // The virtual disk reports no health data, either.
    let names = unavailable.iter().map(|u| u.name).collect::<Vec<_>>();
    assert_eq!(names, ["drive", "cgroup", "process", "group", "space", "top"]);
}

#[test]
fn lvm_on_encryption_on_a_partition_is_walked_to_the_disk() {
    let laptop = Machine::unpack("laptop-nvme-crypt-lvm");
    let devices = under(&laptop, "/home/u/file");
    assert_eq!(drawn(&devices), ["dm-1 dm", "  dm-0 dm", "    nvme0n1p3 partition", "      nvme0n1 nvme"]);
    assert_eq!(devices[0].model.as_deref(), Some("vg-root"));
    let disk = &devices[3];
    assert_eq!(disk.model.as_deref(), Some("Samsung SSD 970 EVO Plus 1TB"));
    assert_eq!(disk.serial.as_deref(), Some("S4EWNX0R100001"));
    assert_eq!(devices[2].serial, disk.serial, "a partition has its disk's identity");
    assert_eq!(devices[2].size.as_u64(), 1_950_376_960 * 512);
    let storage = model::record::StorageFacts { filesystem: "ext4".into(), devices, ..Default::default() };
    let doubts: Vec<String> = storage_doubts(&laptop.roots, &storage).into_iter().map(|c| c.id).collect();
    assert_eq!(doubts, ["encrypted"]);
    assert!(under(&laptop, "/net/x/y").is_empty());
}

#[test]
fn limits_of_version_2_are_the_tightest_of_all_ancestors() {
    let laptop = Machine::unpack("laptop-nvme-crypt-lvm");
    let facts = host(&laptop.roots);
    assert_eq!((facts.cpus, facts.cpu_quota), (8, Some(1.5)));
    assert_eq!(facts.memory_limit.map(|b| b.as_u64()), Some(16 << 30));
    assert_eq!(facts.virtualization, None);
    assert_eq!(
        limits(&laptop, &under(&laptop, "/")),
        [
            "cgroup read 6,000 IOPS [/sys/fs/cgroup/user.slice/app.scope/io.max]",
            "cgroup read 104.9 MB/s [/sys/fs/cgroup/user.slice/io.max]",
            "cgroup write 4,000 IOPS [/sys/fs/cgroup/user.slice/io.max]",
        ]
    );
}

#[test]
fn both_halves_of_a_mirror_lie_under_it_and_scsi_tells_its_serial() {
    let server = Machine::unpack("server-scsi-md-bcache");
    let devices = under(&server, "/srv/www/x");
    let mirror = ["md0 md", "  sda1 partition", "    sda scsi", "  sdb1 partition", "    sdb scsi"];
    assert_eq!(drawn(&devices), mirror);
    assert_eq!(devices[0].model.as_deref(), Some("raid1"));
    assert_eq!(devices[2].model.as_deref(), Some("SEAGATE ST1200MM0099"));
    assert_eq!(devices[2].serial.as_deref(), Some("WFK0ABCD"));
    assert_eq!(devices[4].serial.as_deref(), Some("naa.5000c500a1b2c3ff"));
}

#[test]
fn a_cached_disk_shows_disk_and_cache_and_a_partition_off_the_grid_is_doubted() {
    let server = Machine::unpack("server-scsi-md-bcache");
    let cached = ["bcache0 bcache", "  sdc scsi", "  sdd1 partition", "    sdd scsi"];
    assert_eq!(drawn(&under(&server, "/archive/x")), cached);
    let root = under(&server, "/etc");
    assert_eq!(drawn(&root), ["sdd2 partition", "  sdd scsi"]);
    let storage = model::record::StorageFacts { filesystem: "ext4".into(), devices: root, ..Default::default() };
    let doubts = storage_doubts(&server.roots, &storage);
    assert_eq!(doubts.iter().map(|c| c.id.as_str()).collect::<Vec<_>>(), ["misaligned-partition"]);
}

#[test]
fn every_member_of_a_btrfs_is_found_behind_its_anonymous_number() {
    let station = Machine::unpack("workstation-btrfs");
    let members = ["sda1 partition", "  sda other", "sdb other"];
    assert_eq!(drawn(&under(&station, "/home/u/x")), members);
}

#[test]
fn an_overlay_stands_on_the_devices_of_its_upper_layer() {
    let station = Machine::unpack("workstation-btrfs");
    let on_disk = under(&station, "/var/lib/containers/c1/merged/x");
    assert_eq!(drawn(&on_disk), ["sda1 partition", "  sda other", "sdb other"]);
    assert!(under(&station, "/live/x").is_empty(), "its upper layer is memory");
    assert!(under(&station, "/pool/x").is_empty(), "zfs does not tell its devices");
}

#[test]
fn inside_a_container_the_volume_is_seen_and_the_overlay_is_not() {
    let container = Machine::unpack("ec2-container-v1");
    assert!(under(&container, "/etc/passwd").is_empty());
    let devices = under(&container, "/data/file");
    assert_eq!(drawn(&devices), ["nvme1n1 nvme", "  nvme1c1n1 nvme", "  nvme1c2n1 nvme"]);
    assert_eq!(devices[0].serial.as_deref(), Some("vol0123456789abcdef0"));
    assert_eq!((devices[1].nr_requests, devices[1].dev), (31, (0, 0)));
    let facts = host(&container.roots);
    assert_eq!(facts.virtualization.as_deref(), Some("Amazon EC2 m5.large"));
    assert_eq!(facts.cpu_quota, Some(0.5));
    assert_eq!(facts.memory_limit.map(|b| b.as_u64()), Some(512 << 20), "a limit of a hidden ancestor counts");
    assert_eq!(
        limits(&container, &devices),
        [
            "cgroup read 3,000 IOPS [/sys/fs/cgroup/blkio/blkio.throttle.read_iops_device]",
            "cgroup write 10.49 MB/s [/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device]",
        ]
    );
}

#[test]
fn a_container_accounts_with_its_own_group() {
    let container = Machine::unpack("ec2-container-v1");
    let counters = KernelCounters::open(&container.roots, &under(&container, "/data"));
    let before = counters.snapshot();
    let serviced = container.roots.sys.join("fs/cgroup/blkio/blkio.throttle.io_serviced");
    std::fs::write(serviced, "259:4 Read 140\n259:4 Write 2\nTotal 142\n").unwrap();
    std::fs::write(container.roots.proc.join("self/io"), "read_bytes: 573440\nwrite_bytes: 8192\n").unwrap();
    std::fs::write(container.roots.proc.join("stat"), "cpu  20 0 20 140 20 0 0 0 0 0\n").unwrap();
    let asked = Io { read: 409_600, read_ops: 100, ..Io::default() };
    let after = counters.snapshot();
    let accounting = after.since(&before, asked);
    assert_eq!((accounting.asked_read_ops, accounting.cgroup_read_ops), (100, Some(100)));
    assert_eq!((accounting.asked_read, accounting.process_read), (409_600, Some(409_600)));
    assert_eq!((accounting.cgroup_write_ops, accounting.device_ops), (Some(0), None));
    let cpu = after.cpu_since(&before, monitor::Placed { seen: &std::collections::BTreeMap::new(), used: 0 });
    assert_eq!((cpu.idle, cpu.steal, cpu.throttled), (Some(0.8), Some(0.0), 0));
}

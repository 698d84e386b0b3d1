//! Control groups for individual tests: I/O limits and counters (version 1 `blkio`, otherwise version 2 `io`), and CPU
//! quotas.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

static NUMBER: AtomicU32 = AtomicU32::new(0);

fn new_group(root: &str) -> Result<PathBuf, String> {
    let n = NUMBER.fetch_add(1, Relaxed);
    let group = Path::new(root).join(format!("secchi-e2e-{}-{n}", std::process::id()));
    fs::create_dir(&group).map_err(|e| format!("cannot create a control group under {root}: {e}"))?;
    Ok(group)
}

/// Removes a group once its processes have ended. Processes that wait for a hung device may need a moment to end.
fn remove(group: &Path) {
    super::eventually(super::PATIENCE, || match fs::remove_dir(group) {
        Ok(()) => true,
        Err(e) => e.kind() == std::io::ErrorKind::NotFound,
    });
}

/// Returns the major and minor number of the disk that contains a path (the whole disk, not the partition).
fn disk_under(path: &Path) -> Result<(u32, u32), String> {
    use std::os::unix::fs::MetadataExt;
    let number = path.metadata().map_err(|e| e.to_string())?.dev();
    let dev = (rustix::fs::major(number), rustix::fs::minor(number));
    let dir = PathBuf::from(format!("/sys/dev/block/{}:{}", dev.0, dev.1));
    if !dir.exists() {
        return Err(format!("{} is not on a block device", path.display()));
    }
    let whole = if dir.join("partition").exists() { dir.join("../dev") } else { dir.join("dev") };
    let text = fs::read_to_string(whole).map_err(|e| e.to_string())?;
    let (major, minor) = text.trim().split_once(':').ok_or("odd device number")?;
    Ok((major.parse().map_err(|_| "odd major")?, minor.parse().map_err(|_| "odd minor")?))
}

/// I/O control group for the disk that contains a path. A loop device and the disk that holds its backing file count as
/// separate disks.
pub struct Blkio {
    group: PathBuf,
    disk: (u32, u32),
    version: u8,
}

impl Blkio {
    pub fn on(path: &Path) -> Result<Blkio, String> {
        if !super::is_root() {
            return Err("not root: cannot create a control group".to_owned());
        }
        let disk = disk_under(path)?;
        if Path::new("/sys/fs/cgroup/blkio/blkio.throttle.read_iops_device").exists() {
            let group = Blkio { group: new_group("/sys/fs/cgroup/blkio")?, disk, version: 1 };
            // Since version 6.10, the kernel does not count I/O on a disk until a limit, even an infinite one, has been
            // written for that disk.
            group.lift();
            return Ok(group);
        }
        let controllers = fs::read_to_string("/sys/fs/cgroup/cgroup.subtree_control").unwrap_or_default();
        if !controllers.split_whitespace().any(|c| c == "io") {
            return Err("neither blkio (version 1) nor the io controller (version 2) is available".to_owned());
        }
        Ok(Blkio { group: new_group("/sys/fs/cgroup")?, disk, version: 2 })
    }

    pub fn path(&self) -> &Path {
        &self.group
    }

    /// Limits reads; 0 removes a limit.
    pub fn cap_reads(&self, iops: u64, bytes: u64) {
        self.cap('r', iops, bytes);
    }

    /// Limits writes; 0 removes a limit.
    pub fn cap_writes(&self, iops: u64, bytes: u64) {
        self.cap('w', iops, bytes);
    }

    /// Limits the group's reads from another disk.
    pub fn cap_reads_of(&self, path: &Path, iops: u64) -> Result<(), String> {
        let disk = disk_under(path)?;
        self.cap_disk(disk, 'r', iops, 0);
        Ok(())
    }

    /// Makes all reads and writes hang, by limiting them to one byte per second.
    pub fn hang(&self) {
        self.cap('r', 0, 1);
        self.cap('w', 0, 1);
    }

    /// Removes all limits, so that hanging I/O completes.
    pub fn lift(&self) {
        self.cap('r', 0, 0);
        self.cap('w', 0, 0);
    }

    fn cap(&self, way: char, iops: u64, bytes: u64) {
        self.cap_disk(self.disk, way, iops, bytes);
    }

    fn cap_disk(&self, (major, minor): (u32, u32), way: char, iops: u64, bytes: u64) {
        if self.version == 1 {
            let way = if way == 'r' { "read" } else { "write" };
            self.write(&format!("blkio.throttle.{way}_iops_device"), &format!("{major}:{minor} {iops}"));
            self.write(&format!("blkio.throttle.{way}_bps_device"), &format!("{major}:{minor} {bytes}"));
        } else {
            let word = |n: u64| if n == 0 { "max".to_owned() } else { n.to_string() };
            self.write("io.max", &format!("{major}:{minor} {way}iops={} {way}bps={}", word(iops), word(bytes)));
        }
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.group.join(file);
        fs::write(&path, text).unwrap_or_else(|e| panic!("cannot write `{text}` to {}: {e}", path.display()));
    }

    /// Returns the number of reads charged to the group so far.
    pub fn reads(&self) -> u64 {
        self.charged("io_serviced", "Read", "rios=")
    }

    /// Returns the number of written bytes charged to the group so far.
    pub fn written(&self) -> u64 {
        self.charged("io_service_bytes", "Write", "wbytes=")
    }

    /// Returns a counter. In version 1, `file` and `way` identify the counter; in version 2, `word` does.
    fn charged(&self, file: &str, way: &str, word: &str) -> u64 {
        let device = format!("{}:{} ", self.disk.0, self.disk.1);
        let read = |name: &str| fs::read_to_string(self.group.join(name)).unwrap_or_default();
        let parse_after = |text: &str, prefix: &str| text.strip_prefix(prefix)?.trim().parse().ok();
        let bytes = if self.version == 1 {
            read(&format!("blkio.throttle.{file}")).lines().find_map(|l| parse_after(l, &format!("{device}{way} ")))
        } else {
            let text = read("io.stat");
            let line = text.lines().find(|l| l.starts_with(&device)).unwrap_or_default();
            line.split_whitespace().find_map(|w| parse_after(w, word))
        };
        bytes.unwrap_or(0)
    }
}

impl Drop for Blkio {
    fn drop(&mut self) {
        // Throttled I/O must complete before the group can be removed.
        if self.group.exists() {
            self.lift();
        }
        remove(&self.group);
    }
}

/// CPU control group.
pub struct CpuQuota {
    group: PathBuf,
}

impl CpuQuota {
    /// Creates a group with a quota in percent of one CPU.
    pub fn percent(percent: u64) -> Result<CpuQuota, String> {
        if !super::is_root() {
            return Err("not root: cannot create a control group".to_owned());
        }
        if Path::new("/sys/fs/cgroup/cpu").is_dir() {
            let quota = CpuQuota { group: new_group("/sys/fs/cgroup/cpu")? };
            write(&quota.group.join("cpu.cfs_period_us"), "100000")?;
            write(&quota.group.join("cpu.cfs_quota_us"), &(percent * 1000).to_string())?;
            return Ok(quota);
        }
        let controllers = fs::read_to_string("/sys/fs/cgroup/cgroup.subtree_control").unwrap_or_default();
        if !controllers.split_whitespace().any(|c| c == "cpu") {
            return Err("no CPU controller is available".to_owned());
        }
        let quota = CpuQuota { group: new_group("/sys/fs/cgroup")? };
        write(&quota.group.join("cpu.max"), &format!("{} 100000", percent * 1000))?;
        Ok(quota)
    }

    pub fn path(&self) -> &Path {
        &self.group
    }
}

impl Drop for CpuQuota {
    fn drop(&mut self) {
        remove(&self.group);
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

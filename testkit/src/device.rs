//! Loop devices, mounts and file systems in memory, with guards that always remove them.

use crate::{Blkio, PATIENCE, eventually, is_root, tool};
use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

static ATTACHING: Mutex<()> = Mutex::new(());

/// Loop device backed by a file.
pub struct Loop {
    pub path: PathBuf,
}

impl Loop {
    /// Attaches `backing`, which must exist.
    pub fn over(backing: &Path) -> Result<Loop, String> {
        if !is_root() {
            return Err("not root: cannot attach a loop device".to_owned());
        }
        let args: [&OsStr; 3] = ["--find".as_ref(), "--show".as_ref(), backing.as_os_str()];
        // If two losetup processes race for a free device, the loser keeps the winner's device open for a while. The
        // device is then busy.
        let _one_at_a_time = ATTACHING.lock().unwrap_or_else(PoisonError::into_inner);
        // Other programs may still get the same free device; losetup then reports an error to one of them.
        let mut last = String::new();
        for _ in 0..20 {
            match tool("losetup", &args) {
                Ok(name) => return Ok(Loop { path: name.into() }),
                Err(e) => last = e,
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Err(last)
    }

    /// Attaches a new sparse file of this size in bytes.
    pub fn new(backing: &Path, size: u64) -> Result<Loop, String> {
        let file = File::create_new(backing).map_err(|e| e.to_string())?;
        file.set_len(size).map_err(|e| e.to_string())?;
        Loop::over(backing)
    }

    /// Makes the device's I/O bypass the page cache of its backing file, so that it reaches the disk below.
    pub fn direct(&self) -> Result<(), String> {
        tool("losetup", &["--direct-io=on".as_ref(), self.path.as_os_str()]).map(drop)
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let args: [&OsStr; 2] = ["--detach".as_ref(), self.path.as_os_str()];
        eventually(PATIENCE, || tool("losetup", &args).is_ok());
    }
}

/// Mounted file system.
pub struct Mounted {
    pub point: PathBuf,
}

impl Mounted {
    /// Creates the mount point, and runs `mount` with these arguments followed by the mount point.
    pub fn new(words: &[&OsStr], point: &Path) -> Result<Mounted, String> {
        if !is_root() {
            return Err("not root: cannot mount file systems".to_owned());
        }
        std::fs::create_dir_all(point).map_err(|e| e.to_string())?;
        let mut args = words.to_vec();
        args.push(point.as_os_str());
        tool("mount", &args)?;
        Ok(Mounted { point: point.to_owned() })
    }

    pub fn remount(&self, how: &str) {
        let how = format!("remount,{how}");
        // A process that another test is starting inherits our open files and keeps them until its exec.
        let mut last = String::new();
        let done = eventually(PATIENCE, || {
            let done = tool("mount", &["-o".as_ref(), how.as_ref(), self.point.as_os_str()]);
            done.map_err(|error| last = error).is_ok()
        });
        assert!(done, "a mount of the test is remounted: {last}");
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let point = self.point.as_os_str();
        if !eventually(PATIENCE, || tool("umount", &[point]).is_ok()) {
            let _ = tool("umount", &["--lazy".as_ref(), point]);
        }
    }
}

/// Small file system in memory.
pub struct Tmpfs;

impl Tmpfs {
    pub fn mount(point: &Path, size: &str) -> Result<Mounted, String> {
        let option = format!("size={size}");
        let words: [&OsStr; 5] =
            ["-t".as_ref(), "tmpfs".as_ref(), "-o".as_ref(), option.as_ref(), "secchi-e2e".as_ref()];
        Mounted::new(&words, point)
    }
}

/// Compressed block device in memory (zram), whose device number no other program uses.
pub struct Zram(String);

impl Zram {
    /// Creates a device of this size, given in the kernel's notation, such as `1300M`.
    pub fn new(size: &str) -> Result<Zram, String> {
        if !is_root() {
            return Err("not root: cannot create a zram device".to_owned());
        }
        let number = std::fs::read_to_string("/sys/class/zram-control/hot_add").map_err(|e| format!("no zram: {e}"))?;
        let zram = Zram(number.trim().to_owned());
        let written = std::fs::write(format!("/sys/block/{}/disksize", zram.name()), size);
        written.map_err(|e| format!("cannot set the size of {}: {e}", zram.name()))?;
        Ok(zram)
    }

    pub fn name(&self) -> String {
        format!("zram{}", self.0)
    }

    pub fn path(&self) -> PathBuf {
        Path::new("/dev").join(self.name())
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        // The device is busy for a moment after it was unmounted.
        eventually(PATIENCE, || std::fs::write("/sys/class/zram-control/hot_remove", &self.0).is_ok());
    }
}

/// Mounts an ext4 file system on a loop device backed by a sparse file. The file system causes no background writes:
/// its tables are initialized, and nothing is dirty. The mount must be dropped before the device.
pub fn loop_and_ext4(backing: &Path, size: u64, point: &Path) -> Result<(Mounted, Loop), String> {
    let device = Loop::new(backing, size)?;
    let mut words = vec!["-q", "-F", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0"];
    words.extend(device.path.to_str());
    tool("mkfs.ext4", &words.iter().map(AsRef::as_ref).collect::<Vec<_>>())?;
    let mounted = Mounted::new(&[device.path.as_os_str()], point)?;
    tool("sync", &["--file-system".as_ref(), point.as_os_str()])?;
    Ok((mounted, device))
}

/// Disk for a single test, with a control group that can limit, count or hang the disk's I/O. The disk contains neither
/// the program nor other files of the machine. I/O by other processes on the machine's own disk does not affect this
/// disk.
pub struct OwnDisk {
    // The fields are dropped in this order. Hanging I/O completes first, so that the device is no longer in use.
    pub group: Blkio,
    mounted: Mounted,
    _device: Loop,
}

impl OwnDisk {
    /// Mounts the disk at `point`, with its image next to it.
    pub fn at(point: &Path) -> Result<OwnDisk, String> {
        let (mounted, device) = loop_and_ext4(&point.with_extension("image"), 4 << 30, point)?;
        Ok(OwnDisk { group: Blkio::on(&mounted.point)?, mounted, _device: device })
    }

    /// Returns the mount point.
    pub fn point(&self) -> &Path {
        &self.mounted.point
    }
}

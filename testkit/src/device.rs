//! Loop devices, mounts and memory file systems, taken down again whatever happens.

use crate::{Blkio, PATIENCE, eventually, is_root, tool};
use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

static ATTACHING: Mutex<()> = Mutex::new(());

/// A loop device over a file.
pub struct Loop {
    pub path: PathBuf,
}

impl Loop {
    /// Attaches `backing`, which must exist.
    pub fn over(backing: &Path) -> Result<Loop, String> {
        if !is_root() {
            return Err("not root: no loop device can be attached".to_owned());
        }
        let args: [&OsStr; 3] = ["--find".as_ref(), "--show".as_ref(), backing.as_os_str()];
        // A losetup that loses the race for a free device holds the winner's open for a while, which would then be in use.
        let _one_at_a_time = ATTACHING.lock().unwrap_or_else(PoisonError::into_inner);
        // Other programs of the machine may still be given the same free device; losetup reports the loser.
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

    /// Attaches a new sparse file of this size.
    pub fn new(backing: &Path, size: u64) -> Result<Loop, String> {
        let file = File::create_new(backing).map_err(|e| e.to_string())?;
        file.set_len(size).map_err(|e| e.to_string())?;
        Loop::over(backing)
    }

    /// Reads and writes of the device pass the page cache of its file by: they reach the disk under it.
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

/// Something mounted.
pub struct Mounted {
    pub point: PathBuf,
}

impl Mounted {
    /// Mounts with these words to `mount` before the mount point, which is made.
    pub fn new(words: &[&OsStr], point: &Path) -> Result<Mounted, String> {
        if !is_root() {
            return Err("not root: nothing can be mounted".to_owned());
        }
        std::fs::create_dir_all(point).map_err(|e| e.to_string())?;
        let mut args = words.to_vec();
        args.push(point.as_os_str());
        tool("mount", &args)?;
        Ok(Mounted { point: point.to_owned() })
    }

    pub fn remount(&self, how: &str) {
        let how = format!("remount,{how}");
        // What a test beside this one starts holds its parent's files for a moment, until it is another program.
        let mut last = String::new();
        let done = eventually(PATIENCE, || {
            let done = tool("mount", &["-o".as_ref(), how.as_ref(), self.point.as_os_str()]);
            done.map_err(|why| last = why).is_ok()
        });
        assert!(done, "a mount of ours is remounted: {last}");
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

/// A small memory file system.
pub struct Tmpfs;

impl Tmpfs {
    pub fn mount(point: &Path, size: &str) -> Result<Mounted, String> {
        let option = format!("size={size}");
        let words: [&OsStr; 5] =
            ["-t".as_ref(), "tmpfs".as_ref(), "-o".as_ref(), option.as_ref(), "secchi-e2e".as_ref()];
        Mounted::new(&words, point)
    }
}

/// A compressed device in memory, of a number that nobody else has.
pub struct Zram(String);

impl Zram {
    /// Of this size, in the kernel's words: `1300M`.
    pub fn new(size: &str) -> Result<Zram, String> {
        if !is_root() {
            return Err("not root: no zram device can be made".to_owned());
        }
        let number = std::fs::read_to_string("/sys/class/zram-control/hot_add").map_err(|e| format!("no zram: {e}"))?;
        let zram = Zram(number.trim().to_owned());
        let told = std::fs::write(format!("/sys/block/{}/disksize", zram.name()), size);
        told.map_err(|e| format!("{} takes no size: {e}", zram.name()))?;
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
        // Busy for a moment after it was unmounted.
        eventually(PATIENCE, || std::fs::write("/sys/class/zram-control/hot_remove", &self.0).is_ok());
    }
}

/// An ext4 on a loop device over a sparse file, mounted, on which nobody writes by himself: its tables are made, and nothing
/// is dirty. The mount is dropped before the device.
pub fn loop_and_ext4(backing: &Path, size: u64, point: &Path) -> Result<(Mounted, Loop), String> {
    let device = Loop::new(backing, size)?;
    let mut words = vec!["-q", "-F", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0"];
    words.extend(device.path.to_str());
    tool("mkfs.ext4", &words.iter().map(AsRef::as_ref).collect::<Vec<_>>())?;
    let mounted = Mounted::new(&[device.path.as_os_str()], point)?;
    tool("sync", &["--file-system".as_ref(), point.as_os_str()])?;
    Ok((mounted, device))
}

/// A disk of a test's own, whose I/O a group can cap, count or hang: neither the binary nor the machine's other files lie on it,
/// and what others do on the machine's disk is neither load nor noise there.
pub struct OwnDisk {
    // Dropped in this order: what hangs goes on, then nobody uses the device any more.
    pub group: Blkio,
    mounted: Mounted,
    _device: Loop,
}

impl OwnDisk {
    /// Mounted there, with its image beside that.
    pub fn at(point: &Path) -> Result<OwnDisk, String> {
        let (mounted, device) = loop_and_ext4(&point.with_extension("image"), 4 << 30, point)?;
        Ok(OwnDisk { group: Blkio::on(&mounted.point)?, mounted, _device: device })
    }

    /// Where it is mounted.
    pub fn point(&self) -> &Path {
        &self.mounted.point
    }
}

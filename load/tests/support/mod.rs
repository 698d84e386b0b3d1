//! Guards for changes that tests make to the machine. Each change is undone when its guard is dropped, even after a
//! panic.
#![allow(dead_code, reason = "each test binary uses a part")]

pub mod granules;

use load::content::Content;
use load::target::{Inspection, Provenance, TargetError, TargetRequest, TestTarget, inspect, open};
use model::Bytes;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use sys::files::{FileExt, MetadataExt};
pub use testkit::skipped as skip;

pub const MIB: u64 = 1 << 20;

/// Serialises tests that set up devices: losetup and mount open all devices that they search, which disturbs other
/// tests.
pub fn alone() -> std::sync::MutexGuard<'static, ()> {
    static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Directory on the disk (/tmp may be a tmpfs), removed with its contents when dropped.
pub struct Dir(tempfile::TempDir);

pub fn dir() -> Dir {
    Dir(tempfile::Builder::new().prefix("target-test-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
}

/// Returns a directory in memory, which is removed with its contents when dropped.
pub fn memory_dir() -> Dir {
    let memory = Path::new("/dev/shm");
    if !cfg!(target_os = "linux") || !memory.is_dir() {
        skip("no directory in memory here: one on the disk is taken");
        return dir();
    }
    Dir(tempfile::Builder::new().prefix("target-test-").tempdir_in(memory).unwrap())
}

impl Dir {
    pub fn path(&self) -> PathBuf {
        sys::files::canonical(self.0.path()).unwrap()
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Returns the names of the entries in the directory, sorted.
    pub fn names(&self) -> Vec<String> {
        names(&self.path())
    }
}

pub fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

pub fn made() -> Provenance {
    Provenance { host: "h".into(), created: "2026-11-21T10:00:00Z".into(), tool: "secchi test".into() }
}

/// Returns a request for direct writes to a target of this many MiB. Large fills are already confirmed.
pub fn request(path: impl Into<PathBuf>, mib: u64) -> TargetRequest {
    TargetRequest {
        size: Some(Bytes(mib * MIB)),
        will_write: true,
        direct: true,
        align: Bytes(4096),
        yes: true,
        ..TargetRequest::new(path, made())
    }
}

/// Returns a request that only reads.
pub fn reading(path: impl Into<PathBuf>) -> TargetRequest {
    TargetRequest::new(path, made())
}

pub fn inspect_open(request: &TargetRequest) -> Result<(Inspection, TestTarget), TargetError> {
    let inspection = inspect(request)?;
    Ok((inspection.clone(), open(inspection)?))
}

/// Fills missing ranges as a run would, up to `limit` bytes.
pub fn fill(target: &mut TestTarget, limit: u64) {
    let content = Content::new(target.inspection().uuid.unwrap(), 7);
    let file = target.file(false, true).unwrap();
    let mut left = limit;
    for range in target.unfilled() {
        let mut at = range.start;
        while at < range.end && left > 0 {
            let len = (range.end - at).min(MIB).min(left);
            let mut block = vec![0; len as usize];
            content.fill_pool(&mut block);
            content.stamp(&mut block, at, 1);
            file.write_all_at(&block, at).unwrap();
            target.mark_filled(at..at + len);
            at += len;
            left -= len;
        }
    }
    target.save_sidecar().unwrap();
}

pub fn unfilled(target: &TestTarget) -> u64 {
    target.unfilled().iter().map(|r| r.end - r.start).sum()
}

/// Contents, number of links and modification time of a file, used to detect any change.
#[derive(PartialEq, Eq)]
pub struct Snapshot(Vec<u8>, u64, i64, i64);

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes, {} links, modified {}.{}", self.0.len(), self.1, self.2, self.3)
    }
}

pub fn snapshot(path: &Path) -> Snapshot {
    let m = sys::files::metadata(path).unwrap();
    Snapshot(std::fs::read(path).unwrap(), m.nlink(), m.mtime(), m.mtime_nsec())
}

fn run(program: &str, args: &[&str]) -> Result<String, String> {
    let out = Command::new(program).args(args).stdin(Stdio::null()).output().map_err(|e| format!("{program}: {e}"))?;
    if out.status.success() {
        Ok(String::from_utf8_lossy(&out.stdout).trim().to_owned())
    } else {
        Err(format!("{program} {args:?}: {}", String::from_utf8_lossy(&out.stderr).trim()))
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

pub fn is_root() -> bool {
    testkit::is_root()
}

/// Returns `true` if the file system reports written ranges; otherwise reports the test as skipped.
pub fn maps() -> bool {
    let dir = dir();
    image(&dir.join("image"), 1);
    let file = File::open(dir.join("image")).unwrap();
    let is_mapped = cfg!(target_os = "linux") || sys::storage::extents(&file, 0..MIB).unwrap().is_some();
    if !is_mapped {
        skip("this file system does not tell what was written (wine)");
    }
    is_mapped
}

/// Returns `true` if a removed name disappears immediately, even while another process has the file open. Otherwise
/// reports the test as skipped.
pub fn names_go() -> bool {
    let dir = dir();
    let path = dir.path();
    let parent =
        sys::files::open_no_links(None, &path, sys::files::OpenHow::plain(sys::files::Access::Directory)).unwrap();
    let _held = sys::files::create_directory_at(&parent, "held".as_ref()).unwrap();
    sys::files::remove_directory_at(&parent, "held".as_ref()).unwrap();
    let gone = !path.join("held").exists();
    if !gone {
        skip("names go only when nobody has them open any more (wine)");
    }
    gone
}

/// Returns `true` if symbolic links can be created; otherwise reports the test as skipped.
pub fn links() -> bool {
    let dir = dir();
    let can = testkit::symlink("nowhere", dir.join("link")).is_ok();
    if !can {
        skip("no symbolic link can be made here");
    }
    can
}

/// Loop device backed by a file or another device.
pub struct Loop {
    pub dev: PathBuf,
}

impl Loop {
    /// Creates a loop device. If that is not possible, reports the test as skipped and returns `None`.
    pub fn on(backing: &Path, options: &[&str]) -> Option<Loop> {
        if !is_root() {
            skip("loop devices need root");
            return None;
        }
        let args: Vec<&str> =
            ["-f", "--show"].into_iter().chain(options.iter().copied()).chain([text(backing)]).collect();
        // Another test may take the free device first.
        for _ in 0..5 {
            if let Ok(dev) = run("losetup", &args) {
                return Some(Loop { dev: dev.into() });
            }
        }
        skip(&format!("no loop device: {:?}", run("losetup", &args)));
        None
    }

    pub fn name(&self) -> String {
        self.dev.file_name().unwrap().to_string_lossy().into_owned()
    }

    pub fn number(&self) -> u64 {
        sys::files::metadata(&self.dev).unwrap().rdev()
    }

    pub fn rescan(&self) {
        run("losetup", &["-c", text(&self.dev)]).unwrap();
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = run("losetup", &["-d", text(&self.dev)]);
    }
}

/// Creates an image of `mib` MiB that contains only zeros and is not sparse.
pub fn image(path: &Path, mib: u64) {
    File::create(path).unwrap().write_all_at(&vec![0; (mib * MIB) as usize], 0).unwrap();
}

/// Creates ext4 on a private image or loop device.
pub fn mkfs(path: &Path) -> bool {
    let done = run("mkfs.ext4", &["-q", "-F", text(path)]);
    if let Err(error) = &done {
        skip(error);
    }
    done.is_ok()
}

/// Mounted file system.
pub struct Mount {
    point: PathBuf,
}

impl Mount {
    pub fn new(args: &[&str], point: &Path) -> Option<Mount> {
        if !is_root() {
            skip("mounting needs root");
            return None;
        }
        let args: Vec<&str> = args.iter().copied().chain([text(point)]).collect();
        match run("mount", &args) {
            Ok(_) => Some(Mount { point: point.to_owned() }),
            Err(error) => {
                skip(&error);
                None
            }
        }
    }

    pub fn device(dev: &Path, point: &Path, options: &str) -> Option<Mount> {
        Mount::new(&["-t", "ext4", "-o", options, text(dev)], point)
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // A child process that another test has just started may briefly hold a file open on the mount.
        for _ in 0..50 {
            if run("umount", &[text(&self.point)]).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let _ = run("umount", &["-l", text(&self.point)]);
    }
}

/// Active swap space.
pub struct Swap {
    dev: PathBuf,
}

impl Swap {
    pub fn on(dev: &Path) -> Option<Swap> {
        let on = run("mkswap", &[text(dev)]).and_then(|_| run("swapon", &[text(dev)]));
        match on {
            Ok(_) => {
                // Sync data that was written to a loop device to the backing file.
                let _ = File::open(dev).and_then(|device| device.sync_all());
                Some(Swap { dev: dev.to_owned() })
            }
            Err(error) => {
                skip(&error);
                None
            }
        }
    }
}

impl Drop for Swap {
    fn drop(&mut self) {
        let _ = run("swapoff", &[text(&self.dev)]);
    }
}

/// Creates a second node for a device.
pub fn mknod(path: &Path, rdev: u64) -> bool {
    let (major, minor) = sys::devices::device_number(rdev);
    let made = run("mknod", &[text(path), "b", &major.to_string(), &minor.to_string()]);
    if let Err(error) = &made {
        skip(error);
    }
    made.is_ok()
}

/// Child process, killed when dropped.
pub struct Child(pub std::process::Child);

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

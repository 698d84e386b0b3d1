//! Root directories of the kernel's text files, and small functions that read these files.

use model::CompactSort;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Directory trees that facts are read from: the host's trees, or recorded trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    /// Directory that replaces `/` for paths outside `/proc` and `/sys`, such as device nodes and unusual mount points.
    pub root: PathBuf,
    /// Directory that replaces `/proc`.
    pub proc: PathBuf,
    /// Directory that replaces `/sys`.
    pub sys: PathBuf,
}

impl Default for Roots {
    fn default() -> Self {
        Roots::host()
    }
}

impl Roots {
    /// Returns the roots of this machine.
    #[must_use]
    pub fn host() -> Roots {
        let [root, proc, sys] = sys::files::KERNEL_FILES.map(PathBuf::from);
        Roots { root, proc, sys }
    }

    /// Returns the roots of a machine recorded below `dir`, with `dir/proc` and `dir/sys`.
    #[must_use]
    pub fn under(dir: &Path) -> Roots {
        Roots { root: dir.to_owned(), proc: dir.join("proc"), sys: dir.join("sys") }
    }

    /// Returns the path below these roots that corresponds to an absolute path as the kernel writes it.
    #[must_use]
    pub fn place(&self, absolute: &Path) -> PathBuf {
        for (prefix, tree) in [("/proc", &self.proc), ("/sys", &self.sys)] {
            if let Ok(rest) = absolute.strip_prefix(prefix) {
                return join(tree, rest);
            }
        }
        join(&self.root, absolute)
    }

    /// Returns the path that the kernel would write for a path below these roots: the inverse of [`Roots::place`].
    #[must_use]
    pub(crate) fn absolute(&self, placed: &Path) -> PathBuf {
        for (prefix, tree) in [("/proc", &self.proc), ("/sys", &self.sys), ("/", &self.root)] {
            if let Ok(rest) = placed.strip_prefix(tree) {
                return join(Path::new(prefix), rest);
            }
        }
        placed.to_owned()
    }

    /// Returns the sysfs directory of a block device with links resolved; `None` if the kernel does not know the
    /// device.
    #[must_use]
    pub(crate) fn block(&self, dev: (u32, u32)) -> Option<PathBuf> {
        sys::files::canonical(self.sysfs_block(dev)).ok()
    }

    /// Returns the directory of [`Roots::block`] as listed in sysfs, with links unresolved; it may not exist.
    pub(crate) fn sysfs_block(&self, dev: (u32, u32)) -> PathBuf {
        sys::devices::sysfs_block(&self.sys, dev)
    }
}

/// Joins only the plain parts of `rest`, so that neither a leading `/` nor `..` leads out of `base`.
fn join(base: &Path, rest: &Path) -> PathBuf {
    let mut out = base.to_owned();
    out.extend(rest.components().filter(|c| matches!(c, Component::Normal(_))));
    out
}

/// Returns a whole file as text. Kernel files hold arbitrary bytes (serial numbers, file names), so invalid UTF-8 is
/// replaced.
pub(crate) fn text(path: &Path) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns a one-line attribute, trimmed; `None` if it is absent or empty.
pub(crate) fn word(path: &Path) -> Option<String> {
    let text = text(path)?;
    let trimmed = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}

/// Returns the number in a one-line attribute.
pub(crate) fn number(path: &Path) -> Option<u64> {
    word(path)?.parse().ok()
}

/// Returns the device number in the `dev` attribute of a device with this directory in sysfs.
pub(crate) fn dev(dir: &Path) -> Option<(u32, u32)> {
    sys::devices::parse_dev(&word(&dir.join("dev"))?)
}

/// Returns the number after `key` on a separate line.
pub(crate) fn value(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(key)?.trim().parse().ok())
}

/// Returns the names in a directory, sorted so that results do not depend on the kernel's order.
pub(crate) fn names(dir: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dir) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.compact_sort_by(|a, b| natural(a).cmp(&natural(b)));
    names
}

/// Returns a sort key that puts `sda10` after `sda2`.
fn natural(name: &str) -> (&str, usize, &str) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = name[stem.len()..].trim_start_matches('0');
    (stem, digits.len(), digits)
}

#[cfg(test)]
pub(crate) mod testkit {
    use super::*;

    /// Creates a machine with these mounts, control groups of our process, and directories.
    pub(crate) fn machine(mountinfo: &str, cgroup: &str, dirs: &[&str]) -> (tempfile::TempDir, Roots) {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let roots = Roots::under(dir.path());
        fs::create_dir_all(roots.proc.join("self")).unwrap();
        fs::write(roots.proc.join("self/mountinfo"), mountinfo).unwrap();
        fs::write(roots.proc.join("self/cgroup"), cgroup).unwrap();
        for d in dirs {
            fs::create_dir_all(dir.path().join(d)).unwrap();
        }
        (dir, roots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn paths_are_placed_in_the_tree_that_replaces_them() {
        of_linux!();
        let roots = Roots::under(Path::new("/t"));
        assert_eq!(roots.place(Path::new("/sys/fs/cgroup/cpu")), Path::new("/t/sys/fs/cgroup/cpu"));
        assert_eq!(roots.place(Path::new("/dev/sda1")), Path::new("/t/dev/sda1"));
        assert_eq!(roots.place(Path::new("/../../etc")), Path::new("/t/etc"));
        assert_eq!(roots.absolute(Path::new("/t/sys/fs/cgroup/cpu")), Path::new("/sys/fs/cgroup/cpu"));
        assert_eq!(Roots::host().place(Path::new("/proc/self/io")), Path::new("/proc/self/io"));
        assert_eq!(Roots::host().absolute(Path::new("/cgroup/cpu")), Path::new("/cgroup/cpu"));
    }

    #[test]
    fn device_names_sort_as_people_count() {
        let mut names = vec!["loop10", "loop2", "sda", "loop1"];
        names.sort_by(|a, b| natural(a).cmp(&natural(b)));
        assert_eq!(names, ["loop1", "loop2", "loop10", "sda"]);
    }

    proptest! {
        #[test]
        fn no_name_makes_the_sorting_panic(text in "\\PC*") {
            let _ = natural(&text);
        }
    }
}

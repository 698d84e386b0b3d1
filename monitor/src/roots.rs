//! Where the kernel's text files are read from, and the small readings everybody needs.

use model::CompactSort;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The trees facts are read from: the host's own, or a recorded one in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    /// In place of `/`, for paths that lie neither below `/proc` nor `/sys`: device nodes, unusual mount points.
    pub root: PathBuf,
    /// In place of `/proc`.
    pub proc: PathBuf,
    /// In place of `/sys`.
    pub sys: PathBuf,
}

impl Default for Roots {
    fn default() -> Self {
        Roots::host()
    }
}

impl Roots {
    /// This machine.
    #[must_use]
    pub fn host() -> Roots {
        let [root, proc, sys] = sys::KERNEL_FILES.map(PathBuf::from);
        Roots { root, proc, sys }
    }

    /// A machine recorded below `dir`, with `dir/proc` and `dir/sys`.
    #[must_use]
    pub fn under(dir: &Path) -> Roots {
        Roots { root: dir.to_owned(), proc: dir.join("proc"), sys: dir.join("sys") }
    }

    /// Where an absolute path, as the kernel writes it, lies for us.
    #[must_use]
    pub fn place(&self, absolute: &Path) -> PathBuf {
        for (prefix, tree) in [("/proc", &self.proc), ("/sys", &self.sys)] {
            if let Ok(rest) = absolute.strip_prefix(prefix) {
                return join(tree, rest);
            }
        }
        join(&self.root, absolute)
    }

    /// The path the kernel would write for one of ours: the inverse of [`Roots::place`].
    #[must_use]
    pub(crate) fn absolute(&self, placed: &Path) -> PathBuf {
        for (prefix, tree) in [("/proc", &self.proc), ("/sys", &self.sys), ("/", &self.root)] {
            if let Ok(rest) = placed.strip_prefix(tree) {
                return join(Path::new(prefix), rest);
            }
        }
        placed.to_owned()
    }

    /// The directory of a block device in sysfs, links resolved; `None` when the kernel knows no such device.
    #[must_use]
    pub(crate) fn block(&self, dev: (u32, u32)) -> Option<PathBuf> {
        sys::canonical(self.sysfs_block(dev)).ok()
    }

    /// The same as sysfs lists it, links and all; it may not be there.
    pub(crate) fn sysfs_block(&self, dev: (u32, u32)) -> PathBuf {
        sys::sysfs_block(&self.sys, dev)
    }
}

/// Joins only the plain parts of `rest`, so that neither a leading `/` nor `..` leaves `base`.
fn join(base: &Path, rest: &Path) -> PathBuf {
    let mut out = base.to_owned();
    out.extend(rest.components().filter(|c| matches!(c, Component::Normal(_))));
    out
}

/// A whole file as text; kernel files hold arbitrary bytes (serial numbers, file names), so bad UTF-8 is replaced.
pub(crate) fn text(path: &Path) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A one-line attribute, trimmed; `None` when absent or empty.
pub(crate) fn word(path: &Path) -> Option<String> {
    let text = text(path)?;
    let trimmed = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}

/// A one-line attribute holding one number.
pub(crate) fn number(path: &Path) -> Option<u64> {
    word(path)?.parse().ok()
}

/// Names in a directory, sorted so that results do not depend on the kernel's order.
pub(crate) fn names(dir: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dir) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.compact_sort_by(|a, b| natural(a).cmp(&natural(b)));
    names
}

/// A key by which `sda10` comes after `sda2`.
fn natural(name: &str) -> (&str, usize, &str) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = name[stem.len()..].trim_start_matches('0');
    (stem, digits.len(), digits)
}

#[cfg(test)]
pub(crate) mod testkit {
    use super::*;

    /// A machine with these mounts, on which we are in these control groups, and these directories.
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

//! Free space. At least the smaller of 1 GiB and 5 % of the file system stays free, and the blocks reserved for root
//! are not used (docs/design/safety.md, "Free space").

use crate::target::error::{TargetError, cannot, failed, full, printable, refused};
use crate::target::resolve::FileSystem;
use model::Bytes;
use std::fs::File;
use std::path::Path;

/// Space for planned writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpaceVerdict {
    /// Additional space needed.
    pub needed: Bytes,
    /// Free space for an ordinary user; on in-memory file systems, at most the available memory.
    pub free: Bytes,
    /// Size of the file system; 0 if not reported.
    pub total: Bytes,
    /// Space that must stay free.
    pub floor: Bytes,
}

impl SpaceVerdict {
    fn holds(&self) -> bool {
        self.free.as_u64() >= self.needed.as_u64().saturating_add(self.floor.as_u64())
    }
}

/// Returns the space that must stay free on a file system of this size.
#[must_use]
pub fn floor(total: Bytes) -> Bytes {
    Bytes((total.as_u64() / 20).min(1 << 30))
}

/// Checks that the file system of `dir` has space for `needed` more bytes. Returns an error if the file system is
/// read-only or too little space would stay free.
pub(in crate::target) fn check(
    dir: &File,
    path: &Path,
    fs: &FileSystem,
    needed: Bytes,
) -> Result<SpaceVerdict, TargetError> {
    judge(measure(dir, path, fs, needed)?, path, fs)
}

fn judge(verdict: SpaceVerdict, path: &Path, fs: &FileSystem) -> Result<SpaceVerdict, TargetError> {
    if verdict.holds() {
        return Ok(verdict);
    }
    let SpaceVerdict { needed, free, floor, .. } = verdict;
    if needed.is_zero() {
        // No more space is needed, so other processes have used the space that must stay free.
        let reason = format!("No space left on device: {free} are free on {}, and {floor} must stay free", fs.name);
        return Err(full(printable(path), reason));
    }
    Err(refused(
        format!("{needed} of test data in {}", printable(path)),
        format!("{free} are free on {}, and {floor} of them must stay free", fs.name),
        match free.as_u64().checked_sub(floor.as_u64()).filter(|room| *room > 0) {
            Some(room) => format!("use at most {}, or free some space", Bytes(room & !4095)),
            None => "free some space".to_owned(),
        },
    ))
}

/// Measures the space without checking whether it is sufficient.
pub(in crate::target) fn measure(
    dir: &File,
    path: &Path,
    fs: &FileSystem,
    needed: Bytes,
) -> Result<SpaceVerdict, TargetError> {
    let space = sys::file_systems::space(dir)
        .map_err(|e| failed(format!("query the free space at {}", printable(path)), &e))?;
    if space.read_only {
        return Err(cannot(
            format!("write in {}", printable(path)),
            format!("{} on {} is mounted read-only", fs.name, printable(&fs.mount_point)),
            "use a file system that is mounted for writing",
        ));
    }
    let mut free = space.available;
    if space.total == 0 {
        // Not reported (by some FUSE file systems, and tmpfs without a limit); the inspection notes it.
        free = u64::MAX;
    }
    if fs.is_memory() {
        free = free.min(sys::memory::memory_available().unwrap_or(u64::MAX));
    }
    let total = Bytes(space.total);
    Ok(SpaceVerdict { needed, free: Bytes(free), total, floor: floor(total) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_is_the_smaller_of_the_two() {
        assert_eq!(floor(Bytes::from_gib(10)), Bytes::from_mib(512));
        assert_eq!(floor(Bytes::from_gib(100)), Bytes::from_gib(1));
        let verdict = |needed, free| SpaceVerdict {
            needed: Bytes(needed),
            free: Bytes(free),
            total: Bytes(0),
            floor: Bytes(100),
        };
        assert!(verdict(50, 150).holds());
        assert!(!verdict(51, 150).holds());
        assert!(!verdict(u64::MAX, 150).holds());
        assert!(!verdict(0, 99).holds());
    }

    #[test]
    fn a_file_system_that_others_filled_is_full() {
        let path = Path::new(".");
        let fs = FileSystem::holding(&crate::test_directory(path));
        let verdict = SpaceVerdict {
            needed: Bytes(0),
            free: Bytes::from_mib(1),
            total: Bytes::from_mib(400),
            floor: Bytes::from_mib(20),
        };
        let e = judge(verdict, path, &fs).unwrap_err();
        assert!(matches!(e, TargetError::Full(_)), "{e:?}");
        let expected = format!(".: No space left on device: 1 MiB are free on {}", fs.name);
        assert!(e.to_string().starts_with(&expected), "{e}");
        assert!(e.to_string().ends_with("20 MiB must stay free; free some space or take a larger volume"), "{e}");
        assert!(judge(SpaceVerdict { free: Bytes::from_mib(20), ..verdict }, path, &fs).is_ok());
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_figures() {
        let path = Path::new(".");
        let dir = crate::test_directory(path);
        let e = check(&dir, path, &FileSystem::holding(&dir), Bytes(1 << 60)).unwrap_err();
        assert!(e.to_string().starts_with("refused: 1 EiB") || e.to_string().contains("1024 PiB"), "{e}");
        assert!(e.to_string().contains("must stay free"), "{e}");
    }
}

//! Opens the files of a job with the requested flags, compares them with the inspection, and advises the kernel.

use super::super::error::{TargetError, cannot, failed, printable, refused};
use super::FileAction;
use super::held::{Held, JobFiles};
use model::plan::{SyncMode, WriteLife};
use model::{Job, Target};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use sys::files::FileExt;
use sys::storage::{Durability, Life, LoadOpen, Order};

/// Bytes per read when a file is loaded into the page cache.
const PRE_READ: usize = 1 << 20;

impl JobFiles {
    /// Opens the files of a job, in the order of [`Job::targets`], with the flags of the job, and passes the requested
    /// advice to the kernel. The null target has no file.
    ///
    /// # Errors
    /// Returns an error if a file cannot be opened with these flags, or has changed since the inspection.
    pub fn open(&self, job: &Job) -> io::Result<Vec<Arc<File>>> {
        job.targets()
            .filter(|t| t.kind.is_local())
            .map(|target| self.open_one(job, target).map(Arc::new).map_err(io::Error::other))
            .collect()
    }

    fn open_one(&self, job: &Job, target: &Target) -> Result<File, TargetError> {
        let write = job.changes_target();
        let held = self.find(&target.path)?;
        if write && !held.file.writes {
            let what = format!("write to {}", printable(&target.path));
            return Err(refused(what, "it was inspected only for reading", "start again"));
        }
        if held.gone {
            let what = format!("open {}", printable(&target.path));
            return Err(cannot(what, "the previous job removed it at its end (unlink)", ""));
        }
        if write {
            self.unseal(held)?;
        }
        // With an engine that supports this (SG_IO), a block device may receive commands through its own node.
        if job.tuning.opening.commands && held.file.node.is_some() {
            return held.open_node(write);
        }
        let durability = match job.tuning.sync {
            SyncMode::None => Durability::None,
            SyncMode::Data => Durability::Data,
            SyncMode::Full => Durability::Full,
        };
        let how = LoadOpen { write, direct: target.direct, durability, no_atime: job.tuning.opening.no_atime };
        let file = self.open_held(held, how)?;
        self.prepare(job, target, held, &file)
            .map_err(|e| failed(format!("prepare {}", printable(&target.path)), &e))?;
        Ok(file)
    }

    fn open_held(&self, held: &Held, how: LoadOpen) -> Result<File, TargetError> {
        let path = &held.file.path;
        let what = || format!("open {} ({how})", printable(path));
        let opened = match held.open(how) {
            Err(e) if how.no_atime && e.kind() == io::ErrorKind::PermissionDenied => {
                self.note(format!("access times of {} are updated: only its owner may disable that", printable(path)));
                tracing::debug!(path = %printable(path), "open again without O_NOATIME");
                held.open(LoadOpen { no_atime: false, ..how })
            }
            other => other,
        };
        let file = opened.map_err(|e| match e.kind() {
            io::ErrorKind::InvalidInput if how.direct => cannot(
                what(),
                format!("{} does not support direct I/O", held.file.filesystem),
                "use direct=0, or another file system",
            ),
            _ if sys::files::is_descriptor_limit(&e) => {
                cannot(what(), e.to_string(), "raise the limit on open files (ulimit -n)")
            }
            _ => failed(what(), &e),
        })?;
        match held.is(&file) {
            Ok(true) => Ok(file),
            Ok(false) => Err(refused(what(), "another file has this name now", "start again")),
            Err(e) => Err(failed(what(), &e)),
        }
    }

    /// Prepares the page cache and read-ahead before the load, as the job requests.
    fn prepare(&self, job: &Job, target: &Target, held: &Held, file: &File) -> io::Result<()> {
        if held.file.action == FileAction::Endless {
            // The node has no cached pages, and its driver does not support advice.
            return Ok(());
        }
        let rule = job.tuning.opening;
        let range = target.offset.as_u64()..target.offset.as_u64().saturating_add(target.size.as_u64());
        if rule.pre_read {
            // A descriptor with direct I/O would not fill the page cache.
            let buffered = held.open(LoadOpen::default())?;
            pre_read(&buffered, range)?;
        } else if rule.invalidate && !target.direct {
            // Only clean pages can be dropped.
            sys::files::sync_data(file)?;
            sys::storage::drop_cache(file, range)?;
        }
        if rule.advise && !target.direct {
            let random = job.workload.access.is_random();
            sys::storage::advise_order(file, if random { Order::Random } else { Order::Sequential })?;
        }
        if let Some(life) = rule.life.filter(|_| job.workload.changes_data()) {
            let life = match life {
                WriteLife::None => Life::None,
                WriteLife::Short => Life::Short,
                WriteLife::Medium => Life::Medium,
                WriteLife::Long => Life::Long,
                WriteLife::Extreme => Life::Extreme,
            };
            sys::storage::advise_life(file, life)?;
        }
        Ok(())
    }
}

fn pre_read(file: &File, range: Range<u64>) -> io::Result<()> {
    let mut buffer = vec![0; PRE_READ];
    let mut at = range.start;
    while at < range.end {
        let length = (range.end - at).min(PRE_READ as u64) as usize;
        match file.read_at(&mut buffer[..length], at) {
            Ok(0) => break,
            Ok(read) => at += read as u64,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

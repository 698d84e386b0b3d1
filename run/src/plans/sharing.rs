//! Division of one file among the ranks of a run. Opens nothing.

use model::{Bytes, Plan, Stage, Target, plan::Access};
use std::str::FromStr;

/// Alignment of the parts if they are at least this large, so that they contain whole blocks of any usual size.
const BOUND: u64 = 1 << 20;

/// Way in which ranks divide a file (`--shared-file`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileSharing {
    /// Each rank has one contiguous part, as with IOR's single segment without `-F`.
    Segmented,
    /// Blocks are assigned round-robin, as with IOR's "strided".
    Interleaved,
}

impl FromStr for FileSharing {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "segmented" => Ok(FileSharing::Segmented),
            "interleaved" => Ok(FileSharing::Interleaved),
            other => Err(format!("--shared-file: `{}` is neither segmented nor interleaved", model::clip(other))),
        }
    }
}

/// Part of a file that belongs to one of several ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilePart {
    /// Way in which the file is divided.
    pub sharing: FileSharing,
    /// This rank, from 0.
    pub rank: usize,
    /// Number of ranks, including this one.
    pub ranks: usize,
}

impl FilePart {
    /// Returns the size of the rank's part of a file of `whole` bytes. All parts are equal and consist of whole blocks
    /// of `grain`, or of whole MiB if they are large enough.
    #[must_use]
    pub fn size(&self, whole: Bytes, grain: Bytes) -> Bytes {
        let each = whole.as_u64() / self.ranks.max(1) as u64;
        let grain = if each >= BOUND { BOUND.max(grain.as_u64()) } else { grain.as_u64().max(1) };
        Bytes(each / grain * grain)
    }

    /// Returns the rank's part as a contiguous range of the file. If blocks are assigned round-robin, its size is the
    /// total of the rank's blocks.
    #[must_use]
    pub fn stretch(&self, whole: &Target, grain: Bytes) -> Target {
        let size = self.size(whole.size, grain);
        Target { offset: Bytes(self.rank as u64 * size.as_u64()), size, ..whole.clone() }
    }

    /// Restricts the jobs of a plan, created for [`FilePart::stretch`], to the rank's part. In an interleaved file each
    /// job uses the rank's blocks only, and random offsets are chosen among these blocks.
    ///
    /// # Errors
    /// Returns a sentence if a job's blocks cannot be assigned round-robin.
    pub fn divide(&self, plan: &mut Plan) -> Result<(), String> {
        if self.sharing == FileSharing::Segmented {
            return Ok(());
        }
        plan.stages.iter_mut().try_for_each(|stage| self.deal(stage))
    }

    fn deal(&self, stage: &mut Stage) -> Result<(), String> {
        let refuse = |why: &str| Err(format!("--shared-file=interleaved: {} {why}", stage.name));
        let workload = &mut stage.job.workload;
        let even = workload.access == Access::Sequential || workload.access == Access::RANDOM;
        let (block, largest) = (workload.min_block().as_u64(), workload.max_block().as_u64());
        if !even || block != largest {
            return refuse("needs a single block size, by which the ranks take turns");
        }
        let (rank, ranks) = (self.rank as u64, self.ranks as u64);
        let whole = stage.job.target.size.as_u64().saturating_mul(ranks);
        let rows = whole / block.saturating_mul(ranks).max(1);
        let Some(gap) = i64::try_from(block * (ranks - 1)).ok().filter(|_| rows > 0) else {
            return refuse("has blocks that are too large for this number of ranks");
        };
        workload.detail.stride = gap;
        stage.job.target.offset = Bytes(rank * block);
        stage.job.target.size = Bytes((rows * ranks - rank) * block);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::plan::{ErrorPolicy, JobTuning, Mix, StopRule, TargetKind, Workload};
    use model::{Job, Nanos};

    fn whole(size: u64) -> Target {
        Target {
            kind: TargetKind::File,
            path: "/d/f".into(),
            size: Bytes(size),
            offset: Bytes(0),
            direct: true,
            align: Bytes(4096),
            uuid: None,
        }
    }

    fn planned(part: FilePart, size: u64, access: Access, block: u64) -> Plan {
        let target = part.stretch(&whole(size), Bytes(4096));
        let job = Job {
            name: "j".into(),
            workload: Workload::new(Mix::WRITE, Bytes(block), access),
            target: target.clone(),
            more: Vec::new(),
            engine: "psync".into(),
            queue_depth: 1,
            threads: 1,
            stop: StopRule { ramp: Nanos(0), time: Nanos(1), steady_after: None, max_ops: None },
            on_error: ErrorPolicy::Stop,
            seed: 1,
            faults: None,
            tuning: JobTuning::default(),
        };
        Plan::new(model::RunKind::Blocks, target, vec![Stage::fixed("j", job)], Nanos::from_secs(60))
    }

    #[test]
    fn stretches_lie_one_behind_the_other_within_the_file() {
        for (size, ranks, grain) in [(64 << 20, 4, 4096), (10 << 20, 3, 4096), (100_000, 7, 512), (1 << 30, 256, 4096)]
        {
            let mut end = 0;
            for rank in 0..ranks {
                let part = FilePart { sharing: FileSharing::Segmented, rank, ranks };
                let stretch = part.stretch(&whole(size), Bytes(grain));
                assert_eq!((stretch.offset.as_u64(), stretch.size.as_u64() % grain), (end, 0));
                end += stretch.size.as_u64();
            }
            assert!(end <= size && end > 0 && size - end < ranks as u64 * BOUND, "{end} of {size}");
        }
    }

    #[test]
    fn blocks_are_dealt_in_turns_and_end_within_the_file() {
        for access in [Access::Sequential, Access::RANDOM] {
            for block in [4096u64, 12_288, 1 << 20] {
                let mut dealt = 0;
                for rank in 0..3usize {
                    let part = FilePart { sharing: FileSharing::Interleaved, rank, ranks: 3 };
                    let mut plan = planned(part, 10 << 20, access, block);
                    part.divide(&mut plan).expect("it can be dealt");
                    let job = &plan.stages[0].job;
                    let (from, to) =
                        (job.target.offset.as_u64(), job.target.offset.as_u64() + job.target.size.as_u64());
                    assert_eq!((from, job.workload.detail.stride as u64), (rank as u64 * block, 2 * block));
                    assert!(to <= 10 << 20);
                    // As many blocks as fit into the file; in the last row, blocks of other ranks may be missing.
                    dealt += (to - from + 2 * block) / (3 * block);
                }
                assert_eq!(dealt, 3 * ((3 << 20) / block), "{block}");
            }
        }
        let part = FilePart { sharing: FileSharing::Interleaved, rank: 1, ranks: 3 };
        let repeat = Access::Random { distribution: model::plan::Distribution::Uniform, repeat: true };
        let error = part.divide(&mut planned(part, 10 << 20, repeat, 4096)).expect_err("refused");
        assert!(error.contains("a single block size"), "{error}");
        assert!("strided".parse::<FileSharing>().is_err());
    }
}

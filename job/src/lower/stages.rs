//! Conversion of sections into stages: clones, seeds, waves, dependencies between jobs.

use super::ends::{endings, is_endless};
use super::facts::Facts;
use super::files::sizes::{direction_used, used_blocks, zones_as_bytes};
use super::files::targets::{names, no_target};
use super::lowered::{Lowered, Lowering};
use super::replay::check_alignment;
use super::report::to_report_section;
use super::tuning::{cpus, flow, job_tuning, other_work, policy};
use super::workload::workload;
use super::zones::{check_zones, refuse_in_zones};
use crate::error::JobError;
use crate::file::{JobFile, Section, not_done};
use model::plan::{StagePlacement, Work};
use model::{Bytes, Job, Nanos, Stage};

/// Seed of all random choices of jobs with `randrepeat`.
const REPEATED_SEED: u64 = 0x89;

/// Converts the sections into stages.
///
/// # Errors
/// Returns an error if a section does not fit the existing files, or requests something unsupported.
pub fn lower(file: &JobFile, facts: &dyn Facts) -> Result<Lowered, JobError> {
    let mut lowering =
        Lowering { file, facts, out: Lowered::default(), clones: 0, served: Vec::new(), replays: Vec::new() };
    for (index, section) in file.sections.iter().enumerate() {
        lowering.section(index, section)?;
    }
    share_repeats(file, &mut lowering.out.stages);
    Ok(lowering.out)
}

/// Lets jobs with `dedupe_global` repeat blocks from one shared set. The set is as large as all targets of these jobs
/// together.
fn share_repeats(file: &JobFile, stages: &mut [Stage]) {
    let shares = |stage: &Stage| stage.place.section.is_some_and(|s| file.sections[s].options.buffers.dedupe_global);
    let size = |stage: &Stage| stage.job.targets().fold(0u64, |sum, t| sum.saturating_add(t.size.as_u64()));
    let together = stages.iter().filter(|s| shares(s)).map(size).fold(0u64, u64::saturating_add);
    for stage in stages.iter_mut().filter(|s| shares(s)) {
        stage.job.workload.detail.contents.dedupe_shared = Some(Bytes(together));
    }
}

impl Lowering<'_> {
    fn section(&mut self, index: usize, section: &Section) -> Result<(), JobError> {
        let section = &*zones_as_bytes(section, self.facts)?;
        let o = &section.options;
        refuse_combinations(section)?;
        self.out.create_only |= o.files.create_only;
        self.out.sections.push(to_report_section(self.file, section));
        let seed = match (o.pattern.randseed, o.pattern.randrepeat || o.pattern.allrandrepeat) {
            (Some(seed), _) => seed,
            (None, true) => REPEATED_SEED,
            (None, false) => self.facts.random(),
        };
        for clone in 0..o.job.numjobs {
            self.clones += 1;
            let stage = self.clone(index, section, clone, seed)?;
            self.out.stages.push(stage);
        }
        Ok(())
    }

    pub(super) fn clone(&mut self, index: usize, section: &Section, clone: u32, seed: u64) -> Result<Stage, JobError> {
        let replayed = self.replayed(index, section, clone)?;
        let section = replayed.as_ref().map_or(section, |r| &r.section);
        let o = &section.options;
        let engine = o.engine.engine.name(self.facts.native_engine());
        let mut targets = match o.engine.engine {
            of_names if of_names.name_work().is_some() => names(section, clone),
            idle if idle.does_no_io() => vec![no_target(section)],
            other => match other.server() {
                Some(server) => self.served(section, server, clone)?,
                None => self.targets(section, clone, other.is_null(), replayed.as_ref().map(|r| &*r.ends))?,
            },
        };
        check_zones(section, &targets.iter().map(|t| t.size).collect::<Vec<_>>())?;
        // As in fio, a job skips a last piece that is shorter than a block. A job that never reaches the end of its
        // file uses the whole size.
        let grain = match is_endless(o) && targets.len() == 1 {
            true => 1,
            false => used_blocks(o).map(|b| b.min().as_u64()).min().unwrap_or(1).max(1),
        };
        let bytes = Bytes(targets.iter().fold(0u64, |sum, t| sum.saturating_add(t.size.as_u64() / grain * grain)));
        let mut workload = workload(section, self.facts)?;
        if let Some(replayed) = &replayed {
            workload.mix = replayed.replay.mix();
            let aligns: Vec<Bytes> = targets.iter().map(|t| t.align).collect();
            check_alignment(section, &replayed.replay, &aligns)?;
        }
        if self.file.run.readonly && workload.mix.writes() {
            return Err(not_done(section, "rw", "this job writes, which --readonly forbids"));
        }
        let (mut stop, mut ends) = endings(section, bytes)?;
        if let Some(replayed) = &replayed {
            stop.max_ops = Some(replayed.replay.operations);
            (ends.max_bytes, ends.pass_bytes) = (None, None);
        }
        let blocking = o.engine.engine.is_synchronous();
        let name = if o.job.numjobs > 1 { format!("{}.{clone}", section.name) } else { section.name.clone() };
        let (low, high) = o.time.startdelay;
        let span = high.as_nanos().saturating_sub(low.as_nanos());
        let delay = if span == 0 { low.as_nanos() } else { low.as_nanos() + self.facts.random() % (span + 1) };
        let target = targets.remove(0);
        // A job without I/O takes only its direction, depth and length from a recording.
        let work = match (other_work(section), &replayed) {
            (Some(work), _) => Work::Other(work),
            (None, Some(replayed)) => Work::Replay(Box::new(replayed.replay.clone())),
            (None, None) => Work::Requests,
        };
        let job = Job {
            name: name.clone(),
            workload,
            target,
            more: targets,
            engine: engine.to_owned(),
            queue_depth: if blocking { 1 } else { replayed.as_ref().and_then(|r| r.depth).unwrap_or(o.depth.iodepth) },
            threads: 1,
            stop,
            on_error: policy(o),
            seed: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(self.clones),
            faults: None,
            tuning: job_tuning(
                section,
                blocking,
                ends,
                cpus(section, clone, self.facts)?,
                flow(self.file, section),
                work,
            ),
        };
        let alone = self.out.stages.is_empty() || (clone == 0 && section.barrier);
        let after = self.awaited(index, section)?;
        let section = Some(index);
        let place = StagePlacement { with_previous: !alone, delay: Nanos(delay), section, clone, after, side: 0 };
        Ok(Stage { place, ..Stage::fixed(name, job) })
    }

    /// Returns the earlier section that a job waits for (fio's `wait_for`), even if other jobs still run.
    fn awaited(&self, index: usize, section: &Section) -> Result<Option<usize>, JobError> {
        let Some(name) = &section.options.process.wait_for else { return Ok(None) };
        let earlier = self.file.sections[..index].iter().rposition(|s| s.name == *name);
        match earlier {
            Some(place) => Ok(Some(place)),
            None => Err(not_done(section, "wait_for", format!("there is no earlier job `{}`", model::clip(name)))),
        }
    }
}

/// Returns an error for unsupported combinations, and for contradictions that can be detected only when all facts are
/// known.
fn refuse_combinations(section: &Section) -> Result<(), JobError> {
    let o = &section.options;
    let distributions = o.pattern.distribution.iter().enumerate();
    let laws: Vec<_> = distributions.filter(|(i, _)| direction_used(o.pattern.rw, *i)).map(|(_, law)| law).collect();
    if laws.windows(2).any(|w| w[0] != w[1]) {
        let reason = "all directions use one distribution; use separate jobs for reads and writes";
        return Err(not_done(section, "random_distribution", reason));
    }
    refuse_in_zones(section)
}

//! Plans for the verbs: a stage for each worker; all stages of a level begin together.

use super::open::OpenDatabase;
use super::refused;
use anyhow::Result;
use cli::{DbRunArgs, InsertOrder, Through};
use db::{BlockFiles, DataFile};
use model::plan::{
    Access, BatchArrivals, Distribution, ErrorPolicy, FileOrder, GlobalSize, JobTuning, KeyOrder, Mix, NodeNames,
    SessionExtra, SessionRule, Skew, StagePlacement, StopRule, TargetKind, ValueRule, Work, Workload, ZoneShare,
    ZoneSize,
};
use model::{Bytes, Iops, Job, Nanos, Plan, RunKind, Stage, Target, measured::FileRole};
use session::reject;
use std::path::Path;

/// Time limit that is never reached: 100 years.
pub const FOR_EVER: Nanos = Nanos::from_days(36_500);
/// Default pause between batches, as in PerfTools.
const USUAL_HANG: Nanos = Nanos::from_millis(2);
/// Default running time, as in PerfTools.
const USUAL_TIME: Nanos = Nanos::from_secs(300);
/// Independent uniform draws, as in PerfTools: a position may be drawn again before all others have been drawn.
pub const DRAWN: Access = Access::Random { distribution: Distribution::Uniform, repeat: true };

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    RanRead,
    RanWrite,
    RanIo,
    SeqWrite,
    SeqRead,
    /// Insertion of new nodes.
    Insert,
    /// Transaction of TPC-B on tables of this scale.
    TpcB {
        scale: u32,
    },
    /// Creation of globals.
    Create,
}

impl Verb {
    pub const fn name(self) -> &'static str {
        match self {
            Verb::RanRead => "ranread",
            Verb::RanWrite => "ranwrite",
            Verb::RanIo => "ranio",
            Verb::SeqWrite => "seqwrite",
            Verb::SeqRead => "seqread",
            Verb::Insert => "insert",
            Verb::TpcB { .. } => "tpcb",
            Verb::Create => "create-globals",
        }
    }

    /// Returns `true` if the verb reads blocks of the data files without the engine.
    pub fn is_raw(self, through: Through) -> bool {
        self == Verb::RanRead && through == Through::Blocks
    }

    /// Returns `true` if sessions read blocks of the data files while the engine does the updates, as in RanIO of
    /// PerfTools.
    pub fn reads_blocks_beside(self, through: Through) -> bool {
        self == Verb::RanIo && through == Through::Blocks
    }

    /// Returns `true` if the verb writes, so that each worker needs a separate global.
    pub const fn writes(self) -> bool {
        matches!(self, Verb::RanWrite | Verb::RanIo | Verb::SeqWrite | Verb::Insert | Verb::Create)
    }
}

/// Maximum number of nodes with ordered keys in a global: higher subscripts are used by random inserts.
const MOST_IN_ORDER: u64 = model::plan::SCATTERED_FROM - 1;

/// Returns `true` if the keys of new nodes are in random order, as requested with `--order` or because nodes have
/// names.
pub fn is_scattered(place: &OpenDatabase, args: &DbRunArgs) -> bool {
    let asked = args.insert.and_then(|i| i.order);
    asked.map_or(place.marker.names.is_some(), |order| order == InsertOrder::Random)
}

/// Inputs for the stages of one level of a verb.
pub struct Level<'a> {
    pub verb: Verb,
    pub processes: u32,
    pub args: &'a DbRunArgs,
    pub globals: &'a [GlobalSize],
    pub files: &'a [DataFile],
    pub seed: u64,
}

/// Returns a plan with these stages and with the settings that all plans of `secchi db` share.
pub fn plan(place: &OpenDatabase, words: Vec<String>, hang: Nanos, stages: Vec<Stage>) -> Plan {
    let target = stages.first().map_or_else(|| Target::null(&place.directory, Bytes(0)), |s| s.job.target.clone());
    Plan { args: words, keep: true, ..Plan::new(RunKind::Database, target, stages, hang) }
}

impl Level<'_> {
    /// Returns the stages of the level. Options that conflict are rejected here, before anything starts.
    pub fn stages(&self, place: &OpenDatabase) -> Result<Vec<Stage>> {
        if self.verb.writes() && self.globals.len() < self.processes as usize {
            return refused(format!(
                "{} processes but only {} globals, and each process updates a separate global; use fewer \
                 processes, or run `secchi db add-globals {} -g {}`",
                self.processes,
                self.globals.len(),
                place.directory.display(),
                self.processes
            ));
        }
        let raw = self.verb.is_raw(self.args.through);
        let beside = self.verb.reads_blocks_beside(self.args.through);
        match (self.verb, self.args.through) {
            (Verb::RanRead | Verb::TpcB { .. }, _) | (Verb::RanIo, Through::Engine) | (_, Through::Blocks) => {}
            (Verb::RanIo, Through::EngineBlocks) => {
                reject!(
                    "--through engine-blocks applies only to ranread; ranio reads blocks from the files, or \
                     records through the engine"
                );
            }
            _ => {
                reject!("--through applies only to ranread and ranio; {} always uses the engine", self.verb.name());
            }
        }
        self.named(place)?;
        self.inserts(place)?;
        self.shaped(raw)?;
        if self.args.block.is_some() && !raw && !beside {
            reject!(
                "--block sets the size of the blocks that ranread and ranio read from the files; an engine has a \
                 fixed page size"
            );
        }
        let mut targets = if raw || beside { self.targets(place)? } else { Vec::new() };
        if !raw {
            // Sessions read these blocks themselves.
            targets.clear();
        }
        (0..self.processes).map(|worker| self.stage(place, worker, &targets)).collect()
    }

    /// Rejects verbs that named nodes do not support, and `--new-nodes` without named nodes.
    fn named(&self, place: &OpenDatabase) -> Result<()> {
        let at = place.directory.display();
        match (place.marker.names, self.verb) {
            (Some(names), Verb::SeqRead | Verb::SeqWrite) => {
                return refused(format!(
                    "the nodes of this database have names ({names}), which have no order; {} needs integer \
                     subscripts, created by `secchi db create-globals {at}` without --node-depth",
                    self.verb.name()
                ));
            }
            _ if !self.args.new_nodes => {}
            (_, verb) if verb != Verb::RanWrite => {
                reject!("--new-nodes applies only to ranwrite; {} creates no nodes", verb.name());
            }
            (None, _) => {
                return refused(format!(
                    "--new-nodes creates named nodes, and those of this database have integer subscripts; \
                     create named ones with `secchi db create-globals {at} --node-depth 2 --subnode-length 5`"
                ));
            }
            (Some(names), _) => {
                if let Some(full) = self.globals.iter().find(|g| g.count >= names.count()) {
                    return refused(format!(
                        "--new-nodes: global {} already uses all {} possible names ({names}); create globals \
                         with longer names",
                        full.number,
                        names.count()
                    ));
                }
            }
        }
        Ok(())
    }

    /// Rejects inserts that the order of the nodes or the size of a global does not allow.
    fn inserts(&self, place: &OpenDatabase) -> Result<()> {
        let Some(asked) = self.args.insert else { return Ok(()) };
        if let (Some(names), Some(InsertOrder::Sequential)) = (place.marker.names, asked.order) {
            return refused(format!(
                "--order sequential: the nodes of this database have names ({names}), which have no order; \
                 leave it out, or insert into globals created without --node-depth"
            ));
        }
        for global in &self.globals[..self.processes as usize] {
            place.database.check_insert(global, is_scattered(place, self.args)).map_err(super::cli_error)?;
            let most = place.marker.names.map_or(MOST_IN_ORDER, |names| names.count());
            let left = most.saturating_sub(global.total());
            if self.args.count.is_some_and(|n| n > left) || left == 0 {
                return refused(format!(
                    "global {} has {} nodes, and at most {most} fit; insert fewer with -n, or create the \
                     globals again",
                    global.number,
                    global.total()
                ));
            }
        }
        Ok(())
    }

    /// Rejects options and verbs that conflict with `--skew`.
    fn shaped(&self, raw: bool) -> Result<()> {
        let Some(skew) = self.args.skew else { return Ok(()) };
        if !matches!(self.verb, Verb::RanRead | Verb::RanWrite | Verb::RanIo) {
            reject!("--skew {skew} applies to random subscripts; {} goes from first to last", self.verb.name());
        }
        if let (true, Skew::Hotspot { drawn, .. }) = (raw, skew)
            && drawn.fract() != 0.0
        {
            reject!("--skew {skew}: for blocks, the first share must be a whole percentage (such as hotspot:80:20)");
        }
        if self.args.new_nodes {
            reject!("--skew {skew} selects existing nodes, and --new-nodes always creates new ones");
        }
        Ok(())
    }

    fn stage(&self, place: &OpenDatabase, worker: u32, targets: &[Target]) -> Result<Stage> {
        let name = format!("{}.p{}.w{worker}", self.verb.name(), self.processes);
        let work = match targets {
            [] => Work::Session(Box::new(self.rule(place, worker))),
            _ => Work::Requests,
        };
        let mut tuning = JobTuning { work, ..JobTuning::default() };
        // Inserts end when the size limit is reached, which is not a failure.
        tuning.ends.until_full = self.verb == Verb::Insert;
        let job = Job {
            name,
            workload: self.workload(place, targets)?,
            target: targets.first().cloned().unwrap_or_else(|| Target::null(&place.directory, self.data())),
            more: targets.iter().skip(1).cloned().collect(),
            engine: if targets.is_empty() { "null" } else { "psync" }.to_owned(),
            queue_depth: 1,
            threads: 1,
            stop: self.stop(worker),
            on_error: ErrorPolicy::Stop,
            // Each worker is a separate job here, with separate random positions.
            seed: self.seed.wrapping_add(u64::from(worker) << 32),
            faults: None,
            tuning,
        };
        Ok(worker_stage(worker, job))
    }

    /// Returns the stop rule. By default, sequential verbs process their global once, and other verbs run for 300 s, as
    /// PerfTools does.
    fn stop(&self, worker: u32) -> StopRule {
        let (time, count) = (self.args.time, self.args.count);
        let once = match self.verb {
            Verb::SeqRead | Verb::SeqWrite if time.is_none() && count.is_none() => {
                Some(self.globals[worker as usize % self.globals.len()].count)
            }
            _ => None,
        };
        let max_ops = count.or(once);
        let grows = self.args.insert.is_some_and(|i| i.grow_to.is_some());
        let usual = if max_ops.is_some() || grows { FOR_EVER } else { USUAL_TIME };
        let time = time.unwrap_or(usual);
        StopRule { ramp: self.args.common.warm_up, time, steady_after: None, max_ops }
    }

    fn data(&self) -> Bytes {
        let data = self.files.iter().filter(|f| f.role == FileRole::Data);
        Bytes(data.map(|f| f.written.as_u64()).sum::<u64>().max(1 << 20))
    }

    fn block(&self, place: &OpenDatabase) -> Bytes {
        self.args.block.unwrap_or(place.marker.page)
    }

    /// Returns the written parts of the data files, which are the targets of direct reads.
    fn targets(&self, place: &OpenDatabase) -> Result<Vec<Target>> {
        let block = self.block(place).as_u64();
        if block < 512 || !block.is_power_of_two() {
            reject!("--block {}: must be a power of two of at least 512", Bytes(block));
        }
        let mut targets = Vec::new();
        for file in self.files.iter().filter(|f| f.role == FileRole::Data && f.written.as_u64() >= block) {
            targets.push(Target {
                kind: TargetKind::File,
                path: file.path.clone(),
                size: Bytes(file.written.as_u64() / block * block),
                offset: file.offset,
                direct: true,
                align: Bytes(block.min(4096)),
                uuid: None,
            });
        }
        if targets.is_empty() {
            let advice = format!(
                "create globals with `secchi db create-globals {}`, or set up with --size",
                place.directory.display()
            );
            return refused(format!("the database has no written blocks yet; {advice}"));
        }
        Ok(targets)
    }

    fn workload(&self, place: &OpenDatabase, targets: &[Target]) -> Result<Workload> {
        let read_percent = self.read_percent();
        let mix = Mix { write_percent: 100 - read_percent, trim_percent: 0 };
        let random = matches!(self.verb, Verb::RanRead | Verb::RanWrite | Verb::RanIo | Verb::TpcB { .. })
            || self.args.insert.is_some_and(|i| i.order == Some(InsertOrder::Random));
        let access = if random { DRAWN } else { Access::Sequential };
        let block = if targets.is_empty() { place.marker.page } else { self.block(place) };
        let mut workload = Workload::new(mix, block, access);
        if targets.len() > 1 {
            workload.detail.file_order = FileOrder::BySize;
        }
        if !targets.is_empty() {
            self.shape_blocks(&mut workload);
        }
        Ok(workload)
    }

    /// Sets the rate and the skew of block reads without the engine. The rate is in reads per second across all
    /// processes; the skew applies within each file.
    fn shape_blocks(&self, workload: &mut Workload) {
        if let Some(rate) = self.args.rate {
            // Each worker is a separate job.
            let per_worker = Iops(rate.per_second() / f64::from(self.processes.max(1)));
            workload.pacing = (self.args.common.rate_process)(per_worker);
        }
        match self.args.skew {
            None => {}
            Some(Skew::Zipf(theta)) => {
                workload.access = Access::Random { distribution: Distribution::Zipf(theta), repeat: true };
            }
            Some(Skew::Hotspot { drawn, subscripts }) => {
                let share = |ops_percent, size| ZoneShare { ops_percent, size: ZoneSize::Percent(size) };
                let drawn = drawn as u8;
                workload.detail.zones = vec![share(drawn, subscripts), share(100 - drawn, 100.0 - subscripts)];
            }
        }
    }

    fn read_percent(&self) -> u8 {
        match self.verb {
            Verb::RanRead | Verb::SeqRead => 100,
            Verb::RanIo => self.args.read_pct,
            Verb::RanWrite | Verb::SeqWrite | Verb::Insert | Verb::TpcB { .. } | Verb::Create => 0,
        }
    }

    fn rule(&self, place: &OpenDatabase, worker: u32) -> SessionRule {
        let args = self.args;
        let global = self.globals.get(worker as usize).copied().unwrap_or(GlobalSize::new(1, 1));
        let tpcb = match self.verb {
            Verb::TpcB { scale } => Some(scale),
            _ => None,
        };
        let sequential = !matches!(self.verb, Verb::RanRead | Verb::RanWrite | Verb::RanIo | Verb::TpcB { .. });
        // Workers that read in order also read separate globals: two workers on one global would share cached blocks.
        let read = match self.verb {
            Verb::SeqRead => vec![self.globals[worker as usize % self.globals.len()]],
            Verb::RanIo if place.blocks.is_some() => place.blocks.as_ref().map(BlockFiles::sizes).unwrap_or_default(),
            Verb::RanRead | Verb::RanIo => self.globals.to_vec(),
            _ => Vec::new(),
        };
        let order = match (sequential, self.verb == Verb::SeqRead && args.order) {
            // Named nodes are numbered in order of insertion; only their names are in random order.
            _ if self.verb == Verb::Insert => {
                KeyOrder::Insert { scattered: place.marker.names.is_none() && is_scattered(place, args) }
            }
            (true, true) => KeyOrder::Scan,
            (true, false) => KeyOrder::Sequential { from: 1 },
            (false, _) if args.new_nodes => KeyOrder::New,
            (false, _) => KeyOrder::Random,
        };
        let unpaused = sequential || self.verb == Verb::RanRead || args.rate.is_some();
        let usual = if unpaused { Nanos(0) } else { USUAL_HANG };
        let arrivals = args.rate.map(|rate| BatchArrivals {
            pacing: (args.common.rate_process)(rate),
            worker,
            workers: self.processes,
        });
        SessionRule {
            // Without transactions every update is durable on its own, so a batch consists of one update.
            batch: args.txn.max(1),
            transaction: args.txn > 0,
            hang: args.pause.unwrap_or(usual),
            hang_variation: args.pause_var,
            read_percent: self.read_percent(),
            own: global,
            read,
            blocks: args.through == Through::EngineBlocks || self.verb.reads_blocks_beside(args.through),
            order,
            value: args.values.rule(),
            names: place.marker.names,
            extra: SessionExtra { skew: args.skew, arrivals, tpcb, indexes: place.marker.indexes },
        }
    }
}

/// Returns the session rule for a worker that creates a global.
pub fn making(
    global: GlobalSize,
    value: ValueRule,
    (names, indexes): (Option<NodeNames>, u32),
    batch: u32,
) -> SessionRule {
    SessionRule {
        batch,
        transaction: true,
        hang: Nanos(0),
        hang_variation: 0,
        read_percent: 0,
        own: global,
        read: Vec::new(),
        blocks: false,
        order: KeyOrder::Sequential { from: 1 },
        value,
        names,
        extra: SessionExtra { indexes, ..SessionExtra::default() },
    }
}

/// Returns a job that drives a session by this rule until it has visited each node of its global once. `directory` and
/// `page` are those of the database.
pub fn session_job(directory: &Path, page: Bytes, name: String, rule: SessionRule) -> Job {
    Job {
        name,
        workload: Workload::new(Mix::WRITE, page, Access::Sequential),
        target: Target::null(directory, Bytes::from_mib(1)),
        more: Vec::new(),
        engine: "null".to_owned(),
        queue_depth: 1,
        threads: 1,
        stop: StopRule { ramp: Nanos(0), time: FOR_EVER, steady_after: None, max_ops: Some(rule.own.count) },
        on_error: ErrorPolicy::Stop,
        seed: u64::from(rule.own.number),
        faults: None,
        tuning: JobTuning { work: Work::Session(Box::new(rule)), ..JobTuning::default() },
    }
}

/// Returns the stage for the job of a worker. All workers of a level begin together.
pub fn worker_stage(worker: u32, job: Job) -> Stage {
    let place = StagePlacement { with_previous: worker > 0, clone: worker, ..StagePlacement::default() };
    Stage { place, ..Stage::fixed(job.name.clone(), job) }
}

/// Returns the stage of a worker that creates a global.
pub fn making_stage(
    place: &OpenDatabase,
    worker: u32,
    processes: u32,
    global: GlobalSize,
    value: ValueRule,
    form: (Option<NodeNames>, u32),
) -> Stage {
    let name = format!("{}.p{processes}.w{worker}", Verb::Create.name());
    let rule = making(global, value, form, place.database.load_batch());
    worker_stage(worker, session_job(&place.directory, place.marker.page, name, rule))
}

//! Input of the rules: the files as tests with derived figures, and the limits they are judged by.

use super::format::Names;
use model::foreign::{ForeignAsked, ForeignFile, ForeignLatency, ForeignTest, ForeignValue, Quantity, Statistic, Way};
use model::{Bytes, Limit, Sentence, judged::SourceLine};
use std::collections::HashMap;

/// Everything that the rules may use.
#[derive(Debug)]
pub(super) struct Case<'a> {
    pub files: &'a [ForeignFile],
    /// Display names of the files.
    pub names: &'a Names<'a>,
    pub limits: &'a [Limit],
    /// Memory of the machine that was measured.
    pub memory: Option<Bytes>,
    /// All tests of all files, in order. Their rows come first.
    pub tests: Vec<Test<'a>>,
    /// Syncs of those tests that report their latency. Their rows follow those of the tests.
    pub syncs: Vec<Test<'a>>,
    /// Rows of the tests that have an entry in `syncs`, ascending.
    synced: Vec<usize>,
}

/// Operations of a result that one row describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Reads, writes and trims.
    Data,
    /// Flushes after writes.
    Sync,
}

/// One result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Test<'a> {
    /// Index of its row.
    pub index: usize,
    pub file: &'a ForeignFile,
    pub test: &'a ForeignTest,
    /// Display name of its file.
    pub called: &'a str,
    /// Operations that its figures describe.
    pub part: Part,
    /// Directions that have figures, looked up once because rules use them repeatedly.
    pub ways: [Option<Way>; DATA.len()],
}

/// One direction of a result.
#[derive(Debug, Clone, Copy)]
pub(super) struct DirectionResult<'a> {
    pub way: Way,
    test: &'a ForeignTest,
}

impl<'a> Case<'a> {
    pub fn new(files: &'a [ForeignFile], names: &'a Names<'a>, limits: &'a [Limit], memory: Option<Bytes>) -> Self {
        let tests = files.iter().flat_map(|file| file.tests.iter().map(move |test| (file, test)));
        let one = |(index, (file, test)): (usize, (&'a ForeignFile, &'a ForeignTest))| Test {
            index,
            file,
            test,
            called: names.name_of(&file.source),
            part: Part::Data,
            ways: [None; DATA.len()],
        };
        let tests: Vec<Test<'a>> = tests.enumerate().map(one).map(Test::with_ways).collect();
        let timed = || tests.iter().filter(|t| t.has_sync_latency());
        let synced = timed().map(|t| t.index).collect();
        let as_sync = |(i, t): (usize, &Test<'a>)| Test { index: tests.len() + i, part: Part::Sync, ..*t }.with_ways();
        let syncs = timed().enumerate().map(as_sync).collect();
        Case { files, names, limits, memory, tests, syncs, synced }
    }

    /// Returns the result of every row.
    pub fn rows(&self) -> impl Iterator<Item = &Test<'a>> {
        self.tests.iter().chain(&self.syncs)
    }

    /// Returns the display name of a file.
    pub fn called<'b>(&'b self, file: &'b ForeignFile) -> &'b str {
        self.names.name_of(&file.source)
    }

    /// Returns the row of a test's syncs, if it has one.
    pub fn syncs_of(&self, test: &Test<'a>) -> Option<&Test<'a>> {
        self.synced.binary_search(&test.index).ok().map(|at| &self.syncs[at])
    }

    /// Returns the tests of one of [`Case::files`].
    pub fn of_file(&self, file: &ForeignFile) -> &[Test<'a>] {
        // Tests are in the order of their files, and all files are in one slice, so their addresses ascend.
        let file = std::ptr::from_ref(file);
        let start = self.tests.partition_point(|t| std::ptr::from_ref(t.file) < file);
        let rest = &self.tests[start..];
        &rest[..rest.partition_point(|t| std::ptr::from_ref(t.file) == file)]
    }

    /// Returns the tests of fio.
    pub fn of_fio(&self) -> impl Iterator<Item = &Test<'a>> {
        self.tests.iter().filter(|t| t.is_fio())
    }

    /// Returns the tests of PerfTools.
    pub fn perftools(&self) -> impl Iterator<Item = &Test<'a>> {
        self.tests.iter().filter(|t| t.is_perftools())
    }
}

/// Groups results by a key, in the order of their first occurrence.
pub(super) fn grouped_results<'t, 'f, K: std::hash::Hash + Eq>(
    tests: impl Iterator<Item = &'t Test<'f>>,
    key: impl Fn(&Test) -> K,
) -> Vec<Vec<&'t Test<'f>>> {
    let mut groups: Vec<Vec<&Test>> = Vec::new();
    let mut places = HashMap::new();
    for test in tests {
        let place = *places.entry(key(test)).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(test);
    }
    groups
}

/// Seconds that the processes of RanRead wait for each other at the start.
pub(super) const WAIT: f64 = 1.0;

/// Minimum number of operations beyond a percentile; with fewer, the percentile is due to chance.
const BEYOND: f64 = 10.0;

/// Returns the operation size that was most likely requested, if rounding leaves the mean size uncertain.
///
/// That is a power of two within the bounds, otherwise the multiple of 4 KiB if there is only one, otherwise the mean
/// itself.
fn snapped(mean: f64, least: f64, most: f64) -> f64 {
    if !(mean.is_finite() && least <= most && most <= 1.1 * least) {
        return mean;
    }
    let powers = (9..31).map(|n| f64::from(1u32 << n));
    let pages = (most / 4096.0).floor() * 4096.0;
    let is_only = pages >= least && pages - 4096.0 < least && pages > 0.0;
    powers.into_iter().find(|p| (least..=most).contains(p)).or(is_only.then_some(pages)).unwrap_or(mean)
}

/// Returns how a job of fio syncs, `fdatasync` or `fsync`, and after how many writes.
fn sync_option(asked: &ForeignAsked) -> Option<(&'static str, f64)> {
    let every = |name: &'static str| {
        let (_, value) = asked.others.iter().rev().find(|(n, _)| n == name)?;
        Some((name, value.trim().parse::<f64>().ok().filter(|n| *n >= 1.0)?))
    };
    every("fdatasync").or_else(|| every("fsync"))
}

/// Directions in which data moves.
pub(super) const DATA: [Way; 4] = [Way::Read, Way::Write, Way::Trim, Way::All];

impl<'a> Test<'a> {
    pub fn asked(&self) -> &'a ForeignAsked {
        &self.test.asked
    }

    pub fn is_fio(&self) -> bool {
        self.file.format.starts_with("fio")
    }

    /// Returns `true` if the test reports the latency of its syncs.
    fn has_sync_latency(&self) -> bool {
        let is_latency = |q: &Quantity| {
            matches!(q, Quantity::Latency(_, Statistic::Mean | Statistic::Max | Statistic::Percentile(_)))
        };
        self.test.values.iter().any(|v| v.way == Way::Sync && is_latency(&v.of) && v.value.is_some_and(|x| x > 0.0))
    }

    /// Returns `true` if its operations are syncs of written data.
    pub fn is_sync(&self) -> bool {
        self.part == Part::Sync || ["fdatasync", "fsync", "fsync_writethrough"].contains(&self.rw())
    }

    /// Returns `true` if it is the row of the syncs that follow each write of their job.
    pub fn follows_every_write(&self) -> bool {
        self.part == Part::Sync && sync_option(self.asked()).is_some_and(|(_, every)| every == 1.0)
    }

    /// Returns `true` if the job verified the data that it wrote.
    fn verifies(&self) -> bool {
        self.other("verify").is_some_and(|method| !["0", "none"].contains(&method))
    }

    /// Returns the reads of a fio job that only writes: they verify the data that it wrote.
    ///
    /// In JSON the options of a group are those of its first job, so there the test's own option must be set.
    pub fn verification(&self) -> Option<DirectionResult<'a>> {
        let is_written_only = ["write", "randwrite"].contains(&self.rw());
        let is_told = self.file.format == "fio-text" || self.verifies();
        let reads = DirectionResult { way: Way::Read, test: self.test };
        (self.is_fio()
            && self.part == Part::Data
            && is_written_only
            && is_told
            && reads.ops().or(reads.rate()).is_some())
        .then_some(reads)
    }

    /// Returns `true` if a result without options read exactly as often as it wrote. A job that verifies its writes
    /// always does; a mixed load does so only by chance.
    pub fn may_verify(&self) -> bool {
        let ops = |way| DirectionResult { way, test: self.test }.ops();
        self.is_fio()
            && self.part == Part::Data
            && self.rw().is_empty()
            && ops(Way::Read) == ops(Way::Write)
            && ops(Way::Read).is_some_and(|n| n >= 100.0)
    }

    /// Returns `true` if the reads of the load and those of its verification were counted together.
    pub fn mixes_verification(&self) -> bool {
        let reads_back = self.verifies() && self.other("do_verify") != Some("0");
        self.is_fio() && reads_back && ["rw", "randrw"].contains(&self.rw())
    }

    /// Returns the directions of the load that have figures; `All` only if no other direction is reported.
    pub fn sides(&self) -> Vec<DirectionResult<'a>> {
        self.ways.into_iter().flatten().map(|way| DirectionResult { way, test: self.test }).collect()
    }

    /// Looks up the directions.
    pub fn with_ways(mut self) -> Self {
        let mut ways = self.find_ways().into_iter();
        self.ways = std::array::from_fn(|_| ways.next());
        self
    }

    fn find_ways(&self) -> Vec<Way> {
        if self.part == Part::Sync {
            return vec![Way::Sync];
        }
        let verification = self.verification().map(|v| v.way);
        // For each direction: (has figures, has rates).
        let mut has = [(false, false); DATA.len()];
        for v in self.test.values.iter().filter(|v| v.value.is_some_and(|x| x > 0.0)) {
            let is_rate = matches!(v.of, Quantity::Iops(_) | Quantity::Bandwidth(_));
            if (is_rate || v.of == Quantity::Operations)
                && let Some(at) = DATA.iter().position(|way| *way == v.way)
            {
                has[at] = (true, has[at].1 || is_rate);
            }
        }
        let chosen =
            |of: fn(&(bool, bool)) -> bool| DATA.into_iter().zip(&has).filter(move |(_, h)| of(h)).map(|(way, _)| way);
        let ways: Vec<Way> = chosen(|h| h.0).collect();
        // If both directions are reported as one (`unified_rw_reporting`), the counts of each are listed next to the
        // combined figures.
        let rated: Vec<Way> = chosen(|h| h.1).collect();
        let as_one = rated == [Way::All];
        let has_sides = !as_one && ways.iter().any(|w| *w != Way::All);
        let is_side = |w: &Way| {
            let is_told = if as_one { *w == Way::All } else { !has_sides || *w != Way::All };
            is_told && Some(*w) != verification
        };
        let sides: Vec<Way> = ways.into_iter().filter(is_side).collect();
        // Some tools measure latencies in separate tests.
        if sides.is_empty() && verification.is_none() { self.ways_with_latencies() } else { sides }
    }

    fn ways_with_latencies(&self) -> Vec<Way> {
        let is_latency = |v: &ForeignValue| matches!(v.of, Quantity::Latency(..)) && v.value.is_some_and(|x| x > 0.0);
        let has = |way: &Way| self.test.values.iter().any(|v| v.way == *way && is_latency(v));
        DATA.into_iter().filter(has).collect()
    }

    pub fn side(&self, way: Way) -> Option<DirectionResult<'a>> {
        self.ways.contains(&Some(way)).then_some(DirectionResult { way, test: self.test })
    }

    /// Returns `true` if the test, or one of its clones, begins on this line.
    pub fn begins_on(&self, line: u32) -> bool {
        self.test.line == line || self.test.clones.iter().any(|clone| clone.line == line)
    }

    /// Returns fio's name for the access pattern; empty if the file does not give it.
    pub fn rw(&self) -> &'a str {
        match self.part {
            Part::Data => self.asked().rw.as_deref().unwrap_or(""),
            Part::Sync => sync_option(self.asked()).map_or("sync", |(kind, _)| kind),
        }
    }

    /// Returns the number of operations that one job may have in flight.
    pub fn depth(&self) -> Option<u32> {
        let waits = || self.asked().depth.filter(|_| !self.is_async()).map(|_| 1);
        if self.part == Part::Sync { waits() } else { self.asked().depth }
    }

    /// Returns the number of syncs, as counted by the file or derived from the options.
    pub fn syncs(&self) -> Option<f64> {
        DirectionResult { way: Way::Sync, test: self.test }.ops()
    }

    pub fn writes(&self) -> bool {
        self.side(Way::Write).is_some()
    }

    pub fn engine(&self) -> &'a str {
        self.asked().engine.as_deref().unwrap_or("")
    }

    /// Returns `true` if the engine can have several operations in flight.
    pub fn is_async(&self) -> bool {
        ["libaio", "io_uring", "windowsaio", "posixaio", "solarisaio"].contains(&self.engine())
    }

    pub fn is_perftools(&self) -> bool {
        self.file.format == "perftools"
    }

    /// Returns the number of reads that RanRead performed: the requested number, or the counted one if the run was
    /// limited by time.
    pub fn started_ops(&self) -> Option<f64> {
        match self.asked().count {
            Some(count) => Some(count as f64 * f64::from(self.asked().jobs?)),
            None => self.test.value(Way::Read, Quantity::Operations),
        }
    }

    /// Returns the rate of RanRead without the wait at its start: operations divided by the elapsed time, which follows
    /// from the reported rate, less one second.
    pub fn corrected(&self) -> Option<f64> {
        if !self.is_perftools() || self.rw() != "randread" {
            return None;
        }
        let rate = self.test.value(Way::Read, Quantity::Iops(Statistic::Overall)).filter(|r| *r > 0.0)?;
        let ops = self.started_ops()?;
        let elapsed = ops / rate;
        (elapsed > 1.5 * WAIT).then(|| ops / (elapsed - WAIT))
    }

    pub fn jobs(&self) -> f64 {
        f64::from(self.asked().jobs.unwrap_or(1).max(1))
    }

    /// Returns the number of operations that all jobs together may have in flight; `None` if the file does not
    /// determine it.
    pub fn concurrency(&self) -> Option<f64> {
        let asked = self.asked();
        // Every tool with threads reports their number; if it is missing, the file is an excerpt.
        if asked.jobs.is_none() && (asked.depth.is_none() || self.has_threads()) {
            return None;
        }
        // The summary of a fio group (client/server mode) reports its jobs, but neither engine nor depth.
        if self.is_fio() && asked.depth.is_none() && self.engine().is_empty() {
            return None;
        }
        let depth = match self.is_fio() && !self.engine().is_empty() && !self.is_async() {
            true => 1,
            false => asked.depth.unwrap_or(1).max(1),
        };
        // Files do not report how many of the operations in flight were syncs.
        if self.part == Part::Sync && depth > 1 {
            return None;
        }
        Some(f64::from(depth) * self.jobs())
    }

    /// Returns `true` if the tool runs several threads, so that the depth alone does not limit the operations in
    /// flight.
    fn has_threads(&self) -> bool {
        ["sysbench", "diskspd"].iter().any(|tool| self.file.format.starts_with(tool))
    }

    /// Returns the run time of its longest direction, in seconds.
    pub fn seconds(&self) -> Option<f64> {
        let reported = self
            .sides()
            .iter()
            .filter_map(DirectionResult::seconds)
            .fold(None, |m: Option<f64>, s| Some(m.map_or(s, |m| m.max(s))));
        reported.or_else(|| self.test.value(Way::All, Quantity::Runtime)).filter(|s| *s > 0.0)
    }

    /// Returns the operations per second of all directions.
    pub fn rate(&self) -> Option<f64> {
        let rates: Vec<f64> = self.sides().iter().filter_map(DirectionResult::rate).collect();
        (!rates.is_empty()).then(|| rates.iter().sum())
    }

    /// Returns the lowest and highest rate that rounding leaves possible.
    pub fn rate_between(&self) -> Option<(f64, f64)> {
        let rates: Vec<(f64, f64)> = self.sides().iter().filter_map(DirectionResult::rate_between).collect();
        (!rates.is_empty()).then(|| rates.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1)))
    }

    pub fn bandwidth(&self) -> Option<f64> {
        let bandwidths: Vec<f64> = self.sides().iter().filter_map(DirectionResult::bandwidth).collect();
        (!bandwidths.is_empty()).then(|| bandwidths.iter().sum())
    }

    /// Returns the share of reads among its operations.
    pub fn reads(&self) -> Option<f64> {
        let total = self.rate().filter(|r| *r > 0.0)?;
        if self.side(Way::All).is_some() {
            let [reads, writes] = [Way::Read, Way::Write].map(|way| self.test.value(way, Quantity::Operations));
            let (reads, writes) = (reads?, writes?);
            return (reads + writes > 0.0).then(|| reads / (reads + writes));
        }
        Some(self.side(Way::Read).and_then(|s| s.rate()).unwrap_or(0.0) / total)
    }

    /// Returns the mean size of an operation in bytes: the requested size if there is only one, otherwise derived from
    /// the bytes moved, which are usually printed to about three digits.
    pub fn block(&self) -> Option<f64> {
        let sum = |of: fn(&DirectionResult<'a>) -> Option<(f64, f64, f64)>| {
            let values: Vec<(f64, f64, f64)> = self.sides().iter().filter_map(of).collect();
            values.into_iter().reduce(|a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2))
        };
        let over = |(bytes, least, most): (f64, f64, f64), (ops, fewest, all): (f64, f64, f64)| {
            (bytes > 0.0 && fewest > 0.0).then(|| snapped(bytes / ops, least / all, most / fewest))
        };
        let moved =
            || over(sum(|s| s.rounded_value(Quantity::Moved))?, sum(|s| s.rounded_value(Quantity::Operations))?);
        let rates = || {
            let bytes = sum(|s| s.rounded_value(Quantity::Bandwidth(Statistic::Overall)))?;
            over(bytes, sum(|s| s.rounded_value(Quantity::Iops(Statistic::Overall)))?)
        };
        let plain = || {
            let (bytes, ops) = (self.bandwidth()?, self.rate()?);
            (bytes > 0.0 && ops > 0.0).then(|| bytes / ops)
        };
        self.one_block().map(|b| b as f64).or_else(moved).or_else(rates).or_else(plain)
    }

    /// Returns its block size, if it has only one.
    pub fn one_block(&self) -> Option<u64> {
        let used = |way: Way| self.side(way).is_some() || self.side(Way::All).is_some();
        let [read, write] = self.asked().block;
        if self.part == Part::Sync {
            return write.filter(|(least, most)| least == most).map(|(size, _)| size.as_u64());
        }
        let sizes: Vec<(Bytes, Bytes)> = [(read, Way::Read), (write, Way::Write)]
            .into_iter()
            .filter(|(_, w)| used(*w))
            .filter_map(|(b, _)| b)
            .collect();
        let first = sizes.first()?.0;
        sizes.iter().all(|(least, most)| *least == first && *most == first).then_some(first.as_u64())
    }

    /// Returns the mean latency if the file's mean covers syncs in addition to reads and writes.
    pub fn mixed_mean(&self) -> Option<&'a ForeignValue> {
        self.mixed_rate()?;
        self.test.get(Way::All, Quantity::Latency(ForeignLatency::Total, Statistic::Mean)).filter(|v| v.value.is_some())
    }

    /// Returns the operations of all kinds per second, if syncs are counted together with reads and writes.
    pub fn mixed_rate(&self) -> Option<f64> {
        let syncs = self.test.value(Way::Sync, Quantity::Iops(Statistic::Overall)).filter(|r| *r > 0.0)?;
        let seconds = self.test.value(Way::All, Quantity::Runtime).filter(|s| *s > 0.0)?;
        let events = self.test.value(Way::All, Quantity::Operations)? / seconds;
        (events > self.rate()? + 0.5 * syncs).then_some(events)
    }

    /// Returns the mean latency of all operations: the file's figure for all directions together, otherwise the mean of
    /// the directions weighted by their rates.
    ///
    /// A mean that includes syncs is not used, because it does not describe reads and writes.
    pub fn mean(&self) -> Option<f64> {
        if self.mixed_rate().is_some() {
            return self.mean_of_sides();
        }
        let whole = self.together().mean();
        whole.filter(|_| self.sides().len() > 1).or_else(|| self.mean_of_sides()).or(whole)
    }

    fn mean_of_sides(&self) -> Option<f64> {
        if let [only] = self.sides().as_slice() {
            return only.mean();
        }
        let (mut sum, mut rates) = (0.0, 0.0);
        for side in self.sides() {
            let (rate, mean) = (side.rate()?, side.mean()?);
            sum += rate * mean;
            rates += rate;
        }
        (rates > 0.0).then(|| sum / rates)
    }

    /// Returns the figures reported for all directions together, in addition to those of each direction.
    fn together(&self) -> DirectionResult<'a> {
        DirectionResult { way: Way::All, test: self.test }
    }

    /// Returns a percentile: the file's figure for all directions together, otherwise the worst of the directions.
    pub fn percentile(&self, p: f64) -> Option<f64> {
        if self.mixed_rate().is_some() {
            return None;
        }
        let worst = || self.sides().iter().filter_map(|s| s.percentile(p)).reduce(f64::max);
        self.together().percentile(p).or_else(worst)
    }

    /// Returns the lowest possible value of a percentile, if only the percentiles of single clones are known and they
    /// differ.
    pub fn least_percentile(&self, p: f64) -> Option<f64> {
        let kinds = [ForeignLatency::Total, ForeignLatency::Completion, ForeignLatency::Submission];
        let of_side =
            |side: &DirectionResult<'a>| kinds.into_iter().find_map(|k| side.latency(k, Statistic::Percentile(p)));
        let least = self.sides().iter().filter_map(of_side).map(|v| v.between.0).reduce(f64::max)?;
        // Only if it differs from the percentile of the worst clone by more than rounding.
        (!self.test.clones.is_empty() && least < 0.99 * self.percentile(p)?).then_some(least)
    }

    /// Returns the largest latency of all directions, with its line.
    pub fn max(&self) -> Option<&'a ForeignValue> {
        let most = |sides: Vec<DirectionResult<'a>>| {
            let maxima = sides.iter().filter_map(DirectionResult::max);
            maxima.max_by(|a, b| a.value.unwrap_or(0.0).total_cmp(&b.value.unwrap_or(0.0)))
        };
        // If rates are reported for all directions together, the largest latency may still be listed by direction.
        let apart = || [Way::All, Way::Read, Way::Write].map(|way| DirectionResult { way, test: self.test }).to_vec();
        most(self.sides()).or_else(|| most(apart()))
    }

    /// Returns the rate of work that is not device operations, with its unit: the overall rate, otherwise the mean of
    /// the samples.
    pub fn work(&self) -> Option<(f64, String)> {
        let value_of = |wanted: Statistic| {
            self.test.values.iter().find_map(|v| match v.of {
                Quantity::Work(work, statistic) if statistic == wanted => Some((v.value?, work.unit().to_owned())),
                _ => None,
            })
        };
        value_of(Statistic::Overall).or_else(|| value_of(Statistic::Mean))
    }

    /// Returns the mean number of operations in flight by Little's law: rate times mean latency.
    pub fn in_flight(&self) -> Option<f64> {
        if let Some((mean, events)) = self.mixed_mean().and_then(|v| v.value).zip(self.mixed_rate()) {
            return Some(events * mean);
        }
        Some(self.rate()? * self.mean()?)
    }

    /// Returns the share of one processor that each job spent submitting operations to the kernel.
    pub fn submit_cpu(&self) -> Option<f64> {
        let slat =
            |s: &DirectionResult| Some(s.rate()? * s.latency(ForeignLatency::Submission, Statistic::Mean)?.value?);
        let submissions: Vec<f64> = self.sides().iter().filter_map(slat).collect();
        (!submissions.is_empty()).then(|| submissions.iter().sum::<f64>() / self.jobs())
    }

    /// Returns processor time divided by wall time, for one processor, if measured. fio reports the mean of its jobs.
    pub fn cpu(&self) -> Option<f64> {
        let user = self.test.value(Way::All, Quantity::CpuUser)?;
        let system = self.test.value(Way::All, Quantity::CpuSystem)?;
        (user + system > 0.0).then_some(user + system)
    }

    /// Returns the total size of the files of all jobs, in bytes.
    pub fn working_set(&self) -> Option<f64> {
        let shared = self.other("filename").is_some() || !self.is_fio();
        let size = self.asked().size?.as_u64() as f64;
        Some(if shared { size } else { size * self.jobs() })
    }

    /// Returns how many times the working set was moved.
    pub fn passes(&self) -> Option<f64> {
        let moved: f64 =
            self.sides().iter().filter_map(|s| s.moved().or_else(|| Some(s.bandwidth()? * s.seconds()?))).sum();
        self.working_set().filter(|s| *s > 0.0 && moved > 0.0).map(|set| moved / set)
    }

    /// Returns a parameter that has no separate field.
    pub fn other(&self, name: &str) -> Option<&'a str> {
        self.asked().others.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// Returns a parameter that has no separate field, as a number.
    pub fn other_number(&self, name: &str) -> Option<f64> {
        self.other(name)?.trim().parse().ok().filter(|x: &f64| x.is_finite())
    }

    /// Returns the name of its row, such as `ranread-sql.txt:14`.
    pub fn place(&self) -> String {
        match self.file.tests.len() {
            1 => self.title(),
            _ => format!("{}:{}", self.called, self.test.line),
        }
    }

    /// Returns a name such as `gp2-write-2.txt: write`; the job name alone would not distinguish it from jobs of other
    /// files.
    pub fn title(&self) -> String {
        if self.file.tests.len() == 1 || self.test.name.is_empty() {
            return self.called.to_owned();
        }
        format!("{}: {}", self.called, self.test.name)
    }

    /// Returns the line of a figure.
    pub fn line(&self, value: &ForeignValue) -> SourceLine {
        SourceLine::new(&self.file.source, value.line, &value.words)
    }

    /// Returns the line on which the result begins.
    pub fn head(&self, words: impl Into<Sentence>) -> SourceLine {
        SourceLine::new(&self.file.source, self.test.line, words)
    }

    /// Returns the lines of these figures, each once; figures that are not reported are skipped.
    pub fn lines(&self, way: Way, of: &[Quantity]) -> Vec<SourceLine> {
        let mut lines: Vec<SourceLine> =
            of.iter().filter_map(|q| self.test.get(way, *q)).map(|v| self.line(v)).collect();
        lines.dedup_by(|a, b| a == b);
        lines
    }

    /// Returns the number of files that fio laid out just before the run.
    pub fn made(&self) -> Option<f64> {
        self.other("laid out")?.split(' ').next()?.parse().ok()
    }
}

impl<'a> DirectionResult<'a> {
    pub fn value(&self, of: Quantity) -> Option<f64> {
        self.test.value(self.way, of).filter(|v| v.is_finite())
    }

    /// Returns all figures of the result.
    pub fn values(&self) -> impl Iterator<Item = &'a ForeignValue> {
        let way = self.way;
        self.test.values.iter().filter(move |v| v.way == way)
    }

    pub fn get(&self, of: Quantity) -> Option<&'a ForeignValue> {
        self.test.get(self.way, of)
    }

    /// Returns the number of operations; for both directions together, otherwise the sum of the counts of each.
    pub fn ops(&self) -> Option<f64> {
        let each = || {
            let operations_of = |way: &Way| self.test.value(*way, Quantity::Operations);
            let operations: Vec<f64> =
                DATA.iter().filter(|w| self.way == Way::All && **w != Way::All).filter_map(operations_of).collect();
            (!operations.is_empty()).then(|| operations.iter().sum())
        };
        let counted = self.value(Quantity::Operations).or_else(each);
        // fio reports 0 for syncs that follow its own writes.
        counted.filter(|n| *n > 0.0).or_else(|| self.syncs()).filter(|v: &f64| v.is_finite() && *v > 0.0)
    }

    /// Returns the number of syncs if the file does not count them: the number with a measured latency, otherwise one
    /// for every N writes, as the option requested.
    fn syncs(&self) -> Option<f64> {
        if self.way != Way::Sync {
            return None;
        }
        let writes = self.test.value(Way::Write, Quantity::Operations);
        let by_option = || Some((writes? / sync_option(&self.test.asked)?.1).floor());
        // fio counts syncs in the depth distribution as well, as a share of the operations: `1=200.0%` means one sync
        // for each write.
        let counted: f64 =
            self.test.values.iter().filter(|v| matches!(v.of, Quantity::DepthShare(_))).filter_map(|v| v.value).sum();
        let by_depths =
            || writes.filter(|_| (1.05..=2.05).contains(&counted)).map(|writes| (writes * (counted - 1.0)).round());
        self.seconds_of(ForeignLatency::Total, Statistic::Samples).or_else(by_option).or_else(by_depths)
    }

    /// Returns a figure with the smallest and the largest value that would be printed like it.
    fn rounded_value(&self, of: Quantity) -> Option<(f64, f64, f64)> {
        if of == Quantity::Operations && self.value(of).is_none() {
            return self.ops().map(|ops| (ops, ops, ops));
        }
        let value = self.get(of)?;
        let (least, most) = value.between;
        value.value.filter(|v| *v > 0.0 && least.is_finite() && most.is_finite()).map(|v| (v, least, most))
    }

    /// Returns `true` if enough operations lie beyond a percentile for it to be meaningful, as far as their number is
    /// known.
    pub fn rests(&self, p: f64) -> bool {
        let samples = |kind| self.seconds_of(kind, Statistic::Samples);
        let counted =
            self.ops().or_else(|| samples(ForeignLatency::Completion)).or_else(|| samples(ForeignLatency::Total));
        // If syncs are not counted, there are no more of them than writes.
        let writes = || self.test.value(Way::Write, Quantity::Operations).filter(|_| self.way == Way::Sync);
        counted.or_else(writes).is_none_or(|n| n * (1.0 - p / 100.0) >= BEYOND - 1e-6)
    }

    pub fn moved(&self) -> Option<f64> {
        self.value(Quantity::Moved).filter(|v| *v > 0.0)
    }

    pub fn seconds(&self) -> Option<f64> {
        // Syncs run as long as the writes between them.
        let of_writes = || self.test.value(Way::Write, Quantity::Runtime).filter(|_| self.way == Way::Sync);
        let runtime = self.value(Quantity::Runtime).or_else(of_writes);
        runtime.or_else(|| self.test.value(Way::All, Quantity::Runtime)).filter(|s| *s > 0.0)
    }

    /// Returns the operations divided by the time; if either is missing, the rate that the tool reports.
    pub fn rate(&self) -> Option<f64> {
        let reported = || self.value(Quantity::Iops(Statistic::Overall));
        let counted = self.ops().zip(self.seconds()).map(|(ops, s)| ops / s);
        let counted = counted.filter(|_| !self.is_finer(Quantity::Iops(Statistic::Overall), Quantity::Operations));
        counted.or_else(reported).filter(|r| *r > 0.0)
    }

    /// Returns `true` if the reported rate has more digits than the count divided by the time, as in
    /// `98 MB in 0.07 seconds = 1378.55 MB/sec`.
    fn is_finer(&self, rate: Quantity, count: Quantity) -> bool {
        let width = |v: &ForeignValue| Some((v.between.1 - v.between.0) / v.value.filter(|x| *x > 0.0)?);
        let time = self.get(Quantity::Runtime).or_else(|| self.test.get(Way::All, Quantity::Runtime));
        let from_rate = self.get(rate).filter(|v| v.doubt.is_none()).and_then(width);
        let counted = self.get(count).and_then(width).zip(time.and_then(width));
        from_rate.zip(counted).is_some_and(|(from_rate, (count, time))| from_rate < count + time)
    }

    pub fn rate_between(&self) -> Option<(f64, f64)> {
        let counted = self.ops().zip(self.seconds());
        match counted.filter(|_| !self.is_finer(Quantity::Iops(Statistic::Overall), Quantity::Operations)) {
            // Counts are exact; times are reported to the millisecond.
            Some((ops, s)) => Some((ops / (s + 0.0005), ops / (s - 0.0005).max(0.0005))),
            None => self.get(Quantity::Iops(Statistic::Overall)).map(|v| v.between),
        }
    }

    pub fn bandwidth(&self) -> Option<f64> {
        let counted = self.moved().zip(self.seconds()).map(|(bytes, s)| bytes / s);
        let reported = || self.value(Quantity::Bandwidth(Statistic::Overall));
        let counted = counted.filter(|_| !self.is_finer(Quantity::Bandwidth(Statistic::Overall), Quantity::Moved));
        // A byte count is often rounded to three digits; the count of operations of one size is not.
        let exact = self.ops().zip(self.seconds()).zip(self.block()).map(|((ops, s), block)| ops * block / s);
        exact.or(counted).or_else(reported).filter(|b| *b > 0.0)
    }

    /// Returns the requested size of its operations, if there is only one.
    pub fn block(&self) -> Option<f64> {
        let index = match self.way {
            Way::Read => 0,
            Way::Write => 1,
            _ => return None,
        };
        self.test.asked.block[index].filter(|(least, most)| least == most).map(|(b, _)| b.as_u64() as f64)
    }

    /// Returns `true` if the jobs ended at different times, judged by the group's shortest and longest run time.
    pub fn ended_at_different_times(&self) -> bool {
        let shortest = self.value(Quantity::ShortestRuntime);
        shortest.zip(self.seconds()).is_some_and(|(shortest, longest)| shortest < 0.9 * longest)
    }

    pub fn latency(&self, of: ForeignLatency, statistic: Statistic) -> Option<&'a ForeignValue> {
        self.get(Quantity::Latency(of, statistic)).filter(|v| v.value.is_some_and(|x| x.is_finite() && x >= 0.0))
    }

    fn seconds_of(&self, of: ForeignLatency, statistic: Statistic) -> Option<f64> {
        self.latency(of, statistic)?.value
    }

    /// Returns the mean latency: the total, otherwise submission plus completion, otherwise completion alone.
    pub fn mean(&self) -> Option<f64> {
        let latency_of = |kind| self.seconds_of(kind, Statistic::Mean);
        latency_of(ForeignLatency::Total)
            .or_else(|| {
                Some(latency_of(ForeignLatency::Completion)? + latency_of(ForeignLatency::Submission).unwrap_or(0.0))
            })
            .or_else(|| latency_of(ForeignLatency::Device))
    }

    pub fn max(&self) -> Option<&'a ForeignValue> {
        self.latency(ForeignLatency::Total, Statistic::Max)
            .or_else(|| self.latency(ForeignLatency::Completion, Statistic::Max))
    }

    /// Returns a percentile: of the total latency, otherwise of completion.
    pub fn percentile(&self, p: f64) -> Option<f64> {
        let latency_of = |kind| self.seconds_of(kind, Statistic::Percentile(p));
        latency_of(ForeignLatency::Total)
            .or_else(|| latency_of(ForeignLatency::Completion))
            .or_else(|| latency_of(ForeignLatency::Submission))
    }

    /// Returns the mean of the samples over time.
    pub fn sampled(&self) -> Option<f64> {
        self.value(Quantity::Iops(Statistic::Mean)).filter(|m| *m > 0.0)
    }

    /// Returns the number of samples.
    pub fn samples(&self) -> Option<f64> {
        self.value(Quantity::Iops(Statistic::Samples)).filter(|n| *n > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_snapped_within_their_rounding_only() {
        assert_eq!(snapped(4097.4, 4091.5, 4103.0), 4096.0);
        assert_eq!(snapped(8198.0, 8185.0, 8210.0), 8192.0);
        assert_eq!(snapped(36_870.0, 36_800.0, 36_900.0), 36_864.0, "nine pages");
        assert_eq!(snapped(9000.0, 8990.0, 9010.0), 9000.0, "a mean of several sizes");
        assert_eq!(snapped(313_600.0, 300_000.0, 330_000.0), 313_600.0, "several multiples may be meant");
    }
}

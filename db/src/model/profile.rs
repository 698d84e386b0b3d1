//! What an engine's write path is made of, as data: a TOML file for each, every figure with its source and date.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::path::Path;

/// Profiles that are built in: name, packed text.
const BUILT_IN: &[(&str, &[u8])] = &[
    ("sqlite-wal", embed::packed!("sqlite-wal.toml")),
    ("postgres", embed::packed!("postgres.toml")),
    ("postgres-18", embed::packed!("postgres-18.toml")),
    ("gtm", embed::packed!("gtm.toml")),
    ("iris", embed::packed!("iris.toml")),
    ("innodb", embed::packed!("innodb.toml")),
];

/// A profile that cannot be used: one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ProfileError(pub String);

/// A figure, and where it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Figure<T> {
    pub value: T,
    /// Where it stands, or how it was measured.
    pub source: String,
    /// When it was read or measured, `YYYY-MM-DD`.
    pub date: String,
}

/// A figure of any kind, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnyFigure {
    value: toml::Value,
    source: String,
    date: String,
}

// By way of one that is of any kind, so that reading tables is not compiled for each.
impl<'de, T: DeserializeOwned> Deserialize<'de> for Figure<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let AnyFigure { value, source, date } = AnyFigure::deserialize(from)?;
        let value = value.try_into().map_err(|e: toml::de::Error| D::Error::custom(e.message()))?;
        Ok(Figure { value, source, date })
    }
}

/// When the journal gets an image of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PageImages {
    /// Never: the data pages are protected otherwise, or not at all.
    None,
    /// With the first update of a page after each write-back: full-page images, before-images.
    FirstUpdate,
    /// Of each page that a transaction updated, at its commit, in place of records: the journal is the newest data.
    EveryCommit,
}

/// What is in a new journal file before it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Prefill {
    /// Zeros, written and made durable.
    Zeros,
    /// Nothing: it grows as it is written.
    None,
}

/// What becomes of journal files whose content was written back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum OldJournal {
    /// They are used again under later numbers.
    Reuse,
    /// They are removed.
    Remove,
    /// There is one file, which is cut to nothing.
    Truncate,
}

/// How a commit is made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SyncCall {
    /// `fdatasync(2)`.
    Fdatasync,
    /// `fsync(2)`.
    Fsync,
}

/// Who writes an updated page whose buffer another page needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Eviction {
    /// The session that needs the buffer.
    Session,
    /// Nobody but the write daemon: the session waits.
    Daemon,
}

/// The figure of profiles that were made before there was one.
fn before<T>(value: T) -> Figure<T> {
    Figure {
        value,
        source: "profiles had no such figure, and this is what was done".to_owned(),
        date: "2026-11-26".to_owned(),
    }
}

fn none() -> Figure<u64> {
    before(0)
}

fn one_turn() -> Figure<u64> {
    before(1)
}

fn sixteen_clocks() -> Figure<u64> {
    before(16)
}

fn all_buffers() -> Figure<u64> {
    before(100)
}

/// Which pages are written between two write-backs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum TrickleOrder {
    /// In the order of their places, round and round.
    Place,
    /// Those whose buffers are needed next.
    Buffers,
    /// Those that were updated first.
    Age,
}

fn by_place() -> Figure<TrickleOrder> {
    before(TrickleOrder::Place)
}

/// Where a new node lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum NodeOrder {
    /// By its key, in a tree: a full page splits.
    Key,
    /// Behind the last that came: the nodes are a heap, and a primary index tells where each is.
    Arrival,
}

/// How a full page of a tree splits for a node that belongs in its midst. Behind the last node every engine begins a page and leaves
/// the full one as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Split {
    /// As profiles of before it did: pages double all together.
    Doubling,
    /// Half of the nodes stay.
    Half,
    /// At the new node: what is left of it stays.
    Point,
    /// What is in it and its two neighbours is spread over them, and over one more where they are full.
    Siblings,
}

fn by_key() -> Figure<NodeOrder> {
    before(NodeOrder::Key)
}

fn by_doubling() -> Figure<Split> {
    before(Split::Doubling)
}

fn half_a_page() -> Figure<u64> {
    before(50)
}

fn no() -> Figure<bool> {
    before(false)
}

/// Pages of data files and the buffer pool.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pages {
    /// Usual size, in bytes.
    pub bytes: Figure<u64>,
    /// How full pages are made, in percent.
    pub fill_percent: Figure<u64>,
    /// Bytes that a node takes in a page beside its value.
    pub node_overhead: Figure<u64>,
    /// Data files are opened past the page cache.
    pub direct: Figure<bool>,
    /// Each write to a data file is durable when it returns (`O_DSYNC`).
    pub durable_writes: Figure<bool>,
    pub eviction: Figure<Eviction>,
    /// Share of the buffers that data pages have, in percent; the rest holds what else the engine reads: an index, a catalogue.
    /// Left out: all, as in profiles of before it.
    #[serde(default = "all_buffers")]
    pub buffers_percent: Figure<u64>,
    /// Turns of the clock's hand that a page which is used again and again is passed over before its buffer is taken. Left out: 1, as
    /// in profiles of before it.
    #[serde(default = "one_turn")]
    pub most_used: Figure<u64>,
    /// Parts of the buffers, each with a clock's hand and a lock of its own: pages come to their turn in the order in which they took
    /// their buffers within each. Left out: 16, as in profiles of before it.
    #[serde(default = "sixteen_clocks")]
    pub clocks: Figure<u64>,
    /// The hand goes round once for a page that is not updated before a session writes one. Left out: no, as in profiles of before it.
    #[serde(default = "no")]
    pub clean_first: Figure<bool>,
    /// A page that is added to a file is written at once, empty, and again with what is in it. Left out: no.
    #[serde(default = "no")]
    pub extends: Figure<bool>,
    /// Once a page is in its file, only the part of it that is used is written, in multiples of so many bytes; 0 = all of it. Left out: 0,
    /// as in profiles of before it.
    #[serde(default = "none")]
    pub part_write: Figure<u64>,
    /// Where new nodes lie. Left out: by their keys, as in profiles of before it.
    #[serde(default = "by_key")]
    pub order: Figure<NodeOrder>,
    /// How full pages split, those of nodes or of the primary index. Left out: as in profiles of before it.
    #[serde(default = "by_doubling")]
    pub split: Figure<Split>,
    /// Pages under an inner page of the tree, which is written when one is added; 0 = none is written.
    #[serde(default = "none")]
    pub fanout: Figure<u64>,
    /// Bytes of an entry of the primary index, where nodes lie as they came; 0 otherwise.
    #[serde(default = "none")]
    pub index_entry: Figure<u64>,
    /// A page that tells which are used is written whenever one is added.
    #[serde(default = "no")]
    pub map: Figure<bool>,
}

impl Pages {
    /// Whether splits are those of a tree.
    pub fn splits(&self) -> bool {
        self.split.value != Split::Doubling
    }
}

/// The journal.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JournalFigures {
    /// Bytes of the record of an update beside the value.
    pub record_overhead: Figure<u64>,
    /// Times that the value is in the record: 2 where the old one is as well.
    pub values: Figure<u64>,
    /// Bytes of the record of a commit.
    pub commit_record: Figure<u64>,
    /// It is written in whole blocks of so many bytes; 1 = byte by byte.
    pub block: Figure<u64>,
    /// Bytes of its buffer: what does not fit is written before the commit.
    pub buffer: Figure<u64>,
    pub page_images: Figure<PageImages>,
    /// Bytes of such an image in percent of a page, where unused room is left out.
    pub image_percent: Figure<u64>,
    /// Bytes before each image.
    pub image_header: Figure<u64>,
    /// With `page_images = every-commit`: each image is written by a call of its own. Left out: no, as in profiles of before it.
    #[serde(default = "no")]
    pub image_calls: Figure<bool>,
    /// Bytes that a split puts in, in percent of a page. Left out: half of one, as in profiles of before it.
    #[serde(default = "half_a_page")]
    pub split_percent: Figure<u64>,
    /// It is opened past the page cache.
    pub direct: Figure<bool>,
    pub sync: Figure<SyncCall>,
    /// Every global has a journal of its own, and one writer at a time.
    pub per_global: Figure<bool>,
    /// Bytes of a file, after which the next is begun; 0 = one file without end.
    pub file: Figure<u64>,
    pub prefill: Figure<Prefill>,
    pub old: Figure<OldJournal>,
    /// Old files that are kept to be used again, behind the one that recovery would begin with, or for recovery.
    pub keep: Figure<u64>,
    /// With `old = reuse`: files that stand ready when a run begins, the first to be written among them. Left out: those that are there, as
    /// in profiles of before it.
    #[serde(default = "none")]
    pub ready: Figure<u64>,
    /// With `old = reuse`: more than `keep` are kept where the journal is expected to grow by more until the next write-back: so many
    /// percent of what it grew by between the last two, but no more than `write_back.journal_bytes`. Left out: 0, as in profiles of
    /// before it.
    #[serde(default = "none")]
    pub ahead_percent: Figure<u64>,
}

/// Commits.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Commits {
    /// Microseconds that a leader waits for others to commit with it.
    pub window_us: Figure<u64>,
    /// Only while so many other transactions are open.
    pub window_sessions: Figure<u64>,
    /// A commit that is not durable writes the journal all the same, and does not wait until it is on the device.
    pub lazy_writes: Figure<bool>,
    /// Without durable commits the journal is made durable so often, in milliseconds; 0 = only by the write daemon.
    pub lazy_every_ms: Figure<u64>,
    /// Sessions are clients of a server: each statement is a message there and its answer back, and what is computed for it besides takes
    /// so many microseconds of a processor; 0 = there is no server. Left out: 0, as in profiles of before it.
    #[serde(default = "none")]
    pub statement_us: Figure<u64>,
}

/// The write daemon.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WriteBack {
    /// What the engine calls one, such as `checkpoint`.
    pub name: Figure<String>,
    /// Seconds between the beginnings of two.
    pub every_s: Figure<u64>,
    /// Share of that time over which the pages are spread, in percent; 0 = as fast as they go.
    pub spread_percent: Figure<u64>,
    /// It begins early when so many percent of the buffers are updated; 0 = never.
    pub early_percent: Figure<u64>,
    /// It begins early when the journal has grown by so many bytes since the last; 0 = never.
    pub journal_bytes: Figure<u64>,
    /// Writers of data files at the same time.
    pub writers: Figure<u64>,
    /// Asynchronous writes in flight by one writer, a page each; 0 = writers wait for each of their writes. Through the page
    /// cache none is asynchronous. Left out: 0, as in profiles of before it.
    #[serde(default = "none")]
    pub in_flight: Figure<u64>,
    /// Most pages of one write, where they lie side by side.
    pub pages_a_write: Figure<u64>,
    /// The page cache is told to write after so many pages; 0 = never.
    pub flush_after: Figure<u64>,
    /// Pages are written to an image journal first, in writes of so many bytes; 0 = there is none.
    pub image_write: Figure<u64>,
    /// Pages of one turn through the phases image, sync, data, sync; 0 = all.
    pub batch: Figure<u64>,
    /// Between two, so many pages are written every time; 0 = none.
    pub trickle_pages: Figure<u64>,
    /// Which. Left out: by their places, as in profiles of before it.
    #[serde(default = "by_place")]
    pub trickle_order: Figure<TrickleOrder>,
    /// With `trickle_order = buffers`: no more than makes so many buffers free to be used, in percent of those that were taken since
    /// the last time; 0 = no such limit. Left out: 0, as in profiles of before it.
    #[serde(default = "none")]
    pub trickle_ahead_percent: Figure<u64>,
    /// How often, in milliseconds.
    pub trickle_every_ms: Figure<u64>,
    /// Every commit, and every read of a page, has so many of the pages written that were updated first, and does not wait for it, while
    /// more pages are updated than the trigger; 0 = none. Left out: 0, as in profiles of before it.
    #[serde(default = "none")]
    pub trigger_pages: Figure<u64>,
    /// The trigger, in percent of the buffers.
    #[serde(default = "none")]
    pub trigger_percent: Figure<u64>,
    /// The least it falls to, in percent of the buffers.
    #[serde(default = "none")]
    pub trigger_least_percent: Figure<u64>,
    /// It falls by one part of so many when a session needs a buffer whose page is updated, and rises by one where as many buffers as
    /// there are were taken otherwise.
    #[serde(default = "none")]
    pub trigger_step: Figure<u64>,
    /// The page cache is told to write after so many of these pages, however many times it took; 0 = never. Left out: as `flush_after`.
    #[serde(default)]
    pub trickle_flush_after: Option<Figure<u64>>,
    /// Files beside those of globals, of each of which it writes a page and syncs it; 0 = none. Left out: 0, as in profiles of before it.
    #[serde(default = "none")]
    pub further_files: Figure<u64>,
}

impl WriteBack {
    /// Pages after which the page cache is told to write them, of those that are written between two write-backs.
    pub fn trickle_flush_after(&self) -> u64 {
        self.trickle_flush_after.as_ref().unwrap_or(&self.flush_after).value
    }
}

/// A whole profile.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Profile {
    /// Its name.
    pub profile: String,
    /// Raised with every change of a figure.
    pub version: u32,
    /// Of what engine.
    pub engine: String,
    /// What it was held against, in words; empty = nothing.
    pub measured_against: String,
    pub pages: Pages,
    pub journal: JournalFigures,
    pub commits: Commits,
    pub write_back: WriteBack,
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "model of {} (profile {}, version {})", self.engine, self.profile, self.version)
    }
}

fn check<T>(figure: &Figure<T>, name: &str) -> Result<(), ProfileError> {
    let digits = |text: &str, n: usize| text.len() == n && text.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<&str> = figure.date.split('-').collect();
    let dated = matches!(parts[..], [year, month, day] if digits(year, 4) && digits(month, 2) && digits(day, 2));
    if figure.source.trim().is_empty() {
        return Err(ProfileError(format!("`{name}` has no source: say where the figure is from")));
    }
    if !dated {
        return Err(ProfileError(format!("`{name}` has the date `{}`: YYYY-MM-DD", model::clip(&figure.date))));
    }
    Ok(())
}

/// A number between these.
fn within(figure: &Figure<u64>, name: &str, least: u64, most: u64) -> Result<(), ProfileError> {
    check(figure, name)?;
    if (least..=most).contains(&figure.value) {
        return Ok(());
    }
    Err(ProfileError(format!("`{name}` is {}: {least} to {most}", figure.value)))
}

impl Profile {
    /// Of this text.
    pub fn parse(text: &str) -> Result<Profile, ProfileError> {
        let profile: Profile = toml::from_str(text).map_err(|e| {
            let line = e.span().map(|s| text[..s.start.min(text.len())].lines().count().max(1));
            let at = line.map_or_else(String::new, |line| format!("line {line}: "));
            ProfileError(format!("{at}{}", e.message().replace('\n', " ")))
        })?;
        profile.check()?;
        Ok(profile)
    }

    fn check(&self) -> Result<(), ProfileError> {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.profile.is_empty() || !self.profile.chars().all(fits) {
            return Err(ProfileError("`profile` is a name of small letters, digits and -".into()));
        }
        let Profile { pages, journal, commits, write_back, .. } = self;
        within(&pages.bytes, "pages.bytes", 512, 65_536)?;
        if !pages.bytes.value.is_power_of_two() {
            return Err(ProfileError(format!("`pages.bytes` is {}: a power of two", pages.bytes.value)));
        }
        within(&pages.fill_percent, "pages.fill_percent", 1, 100)?;
        within(&pages.node_overhead, "pages.node_overhead", 0, 4096)?;
        check(&pages.direct, "pages.direct")?;
        check(&pages.durable_writes, "pages.durable_writes")?;
        check(&pages.eviction, "pages.eviction")?;
        within(&pages.buffers_percent, "pages.buffers_percent", 1, 100)?;
        within(&pages.most_used, "pages.most_used", 1, 100)?;
        within(&pages.clocks, "pages.clocks", 1, 64)?;
        check(&pages.clean_first, "pages.clean_first")?;
        check(&pages.extends, "pages.extends")?;
        within(&pages.part_write, "pages.part_write", 0, pages.bytes.value)?;
        let parts = pages.part_write.value > 0;
        if parts && (!pages.part_write.value.is_power_of_two() || pages.part_write.value < 512) {
            return Err(ProfileError("`pages.part_write` is 0, or a power of two from 512 on".into()));
        }
        if parts && (write_back.pages_a_write.value != 1 || write_back.image_write.value > 0) {
            let why = "`pages.part_write` goes with `write_back.pages_a_write = 1` and without an image journal";
            return Err(ProfileError(why.into()));
        }
        check(&pages.order, "pages.order")?;
        check(&pages.split, "pages.split")?;
        within(&pages.fanout, "pages.fanout", 0, 65_536)?;
        within(&pages.index_entry, "pages.index_entry", 0, pages.bytes.value / 8)?;
        check(&pages.map, "pages.map")?;
        let arrival = pages.order.value == NodeOrder::Arrival;
        if arrival != (pages.index_entry.value > 0) || (arrival && !pages.splits()) {
            let why = "`pages.order = arrival` goes with a `pages.index_entry` above 0 and a `pages.split` that is not \
                       `doubling`, and no `index_entry` without it";
            return Err(ProfileError(why.into()));
        }
        if pages.splits() != (pages.fanout.value > 1) || (pages.map.value && !pages.splits()) {
            let why = "`pages.split = doubling` goes with `pages.fanout = 0` and without `map`, and all others with a `fanout` of \
                       at least 2";
            return Err(ProfileError(why.into()));
        }
        within(&journal.record_overhead, "journal.record_overhead", 0, 4096)?;
        within(&journal.values, "journal.values", 0, 4)?;
        within(&journal.commit_record, "journal.commit_record", 0, 65_536)?;
        within(&journal.block, "journal.block", 1, 65_536)?;
        if !journal.block.value.is_power_of_two() {
            return Err(ProfileError(format!("`journal.block` is {}: a power of two", journal.block.value)));
        }
        within(&journal.buffer, "journal.buffer", 4096, 1 << 30)?;
        check(&journal.page_images, "journal.page_images")?;
        within(&journal.image_percent, "journal.image_percent", 0, 100)?;
        within(&journal.image_header, "journal.image_header", 0, 4096)?;
        check(&journal.image_calls, "journal.image_calls")?;
        within(&journal.split_percent, "journal.split_percent", 0, 100)?;
        check(&journal.direct, "journal.direct")?;
        check(&journal.sync, "journal.sync")?;
        check(&journal.per_global, "journal.per_global")?;
        within(&journal.file, "journal.file", 0, 1 << 40)?;
        check(&journal.prefill, "journal.prefill")?;
        check(&journal.old, "journal.old")?;
        within(&journal.keep, "journal.keep", 0, 1000)?;
        within(&journal.ready, "journal.ready", 0, 1000)?;
        within(&journal.ahead_percent, "journal.ahead_percent", 0, 10_000)?;
        within(&commits.window_us, "commits.window_us", 0, 1_000_000)?;
        within(&commits.window_sessions, "commits.window_sessions", 0, 1000)?;
        check(&commits.lazy_writes, "commits.lazy_writes")?;
        within(&commits.lazy_every_ms, "commits.lazy_every_ms", 0, 600_000)?;
        within(&commits.statement_us, "commits.statement_us", 0, 10_000)?;
        check(&write_back.name, "write_back.name")?;
        within(&write_back.every_s, "write_back.every_s", 1, 86_400)?;
        within(&write_back.spread_percent, "write_back.spread_percent", 0, 100)?;
        within(&write_back.early_percent, "write_back.early_percent", 0, 100)?;
        within(&write_back.journal_bytes, "write_back.journal_bytes", 0, 1 << 40)?;
        within(&write_back.writers, "write_back.writers", 1, 64)?;
        within(&write_back.in_flight, "write_back.in_flight", 0, 4096)?;
        within(&write_back.pages_a_write, "write_back.pages_a_write", 1, 1024)?;
        within(&write_back.flush_after, "write_back.flush_after", 0, 1 << 20)?;
        within(&write_back.image_write, "write_back.image_write", 0, 64 << 20)?;
        within(&write_back.batch, "write_back.batch", 0, 1 << 30)?;
        within(&write_back.trickle_pages, "write_back.trickle_pages", 0, 1 << 20)?;
        check(&write_back.trickle_order, "write_back.trickle_order")?;
        within(&write_back.trickle_ahead_percent, "write_back.trickle_ahead_percent", 0, 10_000)?;
        within(&write_back.trickle_every_ms, "write_back.trickle_every_ms", 1, 600_000)?;
        within(&write_back.trigger_pages, "write_back.trigger_pages", 0, 1 << 20)?;
        within(&write_back.trigger_percent, "write_back.trigger_percent", 0, 100)?;
        within(&write_back.trigger_least_percent, "write_back.trigger_least_percent", 0, 100)?;
        within(&write_back.trigger_step, "write_back.trigger_step", 0, 1000)?;
        let [percent, least, step] =
            [&write_back.trigger_percent, &write_back.trigger_least_percent, &write_back.trigger_step].map(|f| f.value);
        let whole = (1..=percent).contains(&least) && step > 0;
        if if write_back.trigger_pages.value > 0 { !whole } else { (percent, least, step) != (0, 0, 0) } {
            let why = "`write_back.trigger_pages` above 0 goes with a `trigger_percent`, a `trigger_least_percent` that is not above it, \
                       and a `trigger_step`, all above 0, and none of these without it";
            return Err(ProfileError(why.into()));
        }
        if write_back.trigger_pages.value > 0 && self.has_image() {
            let why = "`write_back.trigger_pages` goes without an image journal: sessions do not wait for one";
            return Err(ProfileError(why.into()));
        }
        if let Some(after) = &write_back.trickle_flush_after {
            within(after, "write_back.trickle_flush_after", 0, 1 << 20)?;
        }
        within(&write_back.further_files, "write_back.further_files", 0, 1000)?;
        let reused = journal.old.value == OldJournal::Reuse;
        if !reused && (journal.ready.value, journal.ahead_percent.value) != (0, 0) {
            let why =
                "`journal.ready` and `journal.ahead_percent` go with `old = reuse`: other files are not used again";
            return Err(ProfileError(why.into()));
        }
        let every_commit = journal.page_images.value == PageImages::EveryCommit;
        let truncated = journal.old.value == OldJournal::Truncate;
        let one_file = journal.file.value == 0;
        let alike = [every_commit, truncated, one_file, journal.per_global.value];
        if alike.iter().any(|a| *a != every_commit) {
            return Err(ProfileError(
                "`journal.page_images = every-commit` goes with `old = truncate`, `file = 0` and `per_global = true`, and \
                 none of these without the others"
                    .into(),
            ));
        }
        if commits.statement_us.value > 0 && journal.per_global.value {
            let why = "`commits.statement_us` goes with one journal of all globals: a server waits for that";
            return Err(ProfileError(why.into()));
        }
        if journal.image_calls.value && !every_commit {
            return Err(ProfileError("`journal.image_calls` goes with `page_images = every-commit`".into()));
        }
        if every_commit && (journal.direct.value || pages.direct.value || journal.block.value != 1) {
            let why =
                "with `every-commit`, `direct` is false and `journal.block` is 1: pages lie unaligned in the journal";
            return Err(ProfileError(why.into()));
        }
        if !one_file && journal.file.value < 64 << 10 {
            return Err(ProfileError(format!("`journal.file` is {}: 0, or at least 65536", journal.file.value)));
        }
        if write_back.in_flight.value > 0 && write_back.pages_a_write.value != 1 {
            return Err(ProfileError("`write_back.in_flight` goes with `pages_a_write = 1`: a page each".into()));
        }
        if journal.direct.value && journal.block.value < 512 {
            return Err(ProfileError("`journal.direct` takes a `journal.block` of at least 512".into()));
        }
        Ok(())
    }

    /// Whether pages are written to an image journal first.
    pub fn has_image(&self) -> bool {
        self.write_back.image_write.value > 0
    }
}

/// Whether the profile of this text, which is kept with a database, has an image journal.
#[must_use]
pub fn profile_has_image(text: &str) -> bool {
    Profile::parse(text).is_ok_and(|profile| profile.has_image())
}

/// A profile as setup takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenProfile {
    /// Its whole text, which is kept with the database.
    pub text: String,
    /// Usual size of a page, in bytes.
    pub page: u64,
    /// Whether it has an image journal, which may have a directory of its own.
    pub has_image: bool,
}

/// The profile of this name, or in the file of this name.
///
/// # Errors
/// The names there are and the nearest; what is wrong with the file, with its line.
pub fn choose_profile(name: &str) -> Result<ChosenProfile, ProfileError> {
    let text = match BUILT_IN.iter().find(|(known, _)| *known == name) {
        Some((_, packed)) => embed::text(packed),
        None if Path::new(name).extension().is_some_and(|e| e == "toml") || name.contains('/') => {
            let read = std::fs::metadata(name).and_then(|m| match m.len() {
                0..=65_536 if m.is_file() => std::fs::read_to_string(name),
                _ => Err(std::io::Error::other("it is no file of at most 64 KiB")),
            });
            read.map_err(|e| ProfileError(format!("cannot read {name}: {e}")))?
        }
        None => {
            let known = || BUILT_IN.iter().map(|(name, _)| *name);
            let near = model::nearest(name, known()).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
            let why =
                format!("there are {}, and files that end in .toml{near}", known().collect::<Vec<_>>().join(", "));
            return Err(ProfileError(why));
        }
    };
    let profile = Profile::parse(&text).map_err(|e| ProfileError(format!("{name}: {e}")))?;
    Ok(ChosenProfile { page: profile.pages.bytes.value, has_image: profile.has_image(), text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_here_is_whole_and_names_the_source_of_every_figure() {
        for (name, packed) in BUILT_IN {
            let text = embed::text(packed);
            let profile = Profile::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(profile.profile, *name);
            // Whoever adds a figure without a check of it is told here: there are as many sources as figures.
            let table: toml::Table = text.parse().unwrap();
            let figures =
                ["pages", "journal", "commits", "write_back"].map(|part| table[part].as_table().unwrap().len());
            assert_eq!(figures, [17, 19, 5, 21], "{name}");
            assert!(choose_profile(name).is_ok());
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let text = embed::text(BUILT_IN[1].1);
        let of = |from: &str, to: &str| {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text, "`{from}` is not there");
            Profile::parse(&changed).unwrap_err().to_string()
        };
        assert!(of("\n[commits]", "\n[commits]\nmore = 1").contains("unknown field `more`"));
        assert!(of("version = 5", "version = 5\nsize = 2").contains("unknown field `size`"));
        assert!(
            of("fill_percent = { value = 50", "fill_percent = { value = 0")
                .contains("`pages.fill_percent` is 0: 1 to 100")
        );
        let undated = Profile::parse(&text.replace("2026-11-26", "yesterday")).unwrap_err().to_string();
        assert!(undated.contains("YYYY-MM-DD"), "{undated}");
        let apart = of("page_images = { value = \"first-update\"", "page_images = { value = \"every-commit\"");
        assert!(apart.contains("goes with"), "{apart}");
        let before: String = text
            .lines()
            .filter(|l| {
                !l.starts_with("in_flight") && !l.starts_with("trickle_order") && !l.starts_with("buffers_percent")
            })
            .collect::<Vec<_>>()
            .join("\n");
        let before = Profile::parse(&before).unwrap();
        assert_eq!((before.write_back.in_flight.value, before.pages.buffers_percent.value), (0, 100));
        let several = text.replace("pages_a_write = { value = 1,", "pages_a_write = { value = 8,");
        let several = several.replace("in_flight = { value = 0", "in_flight = { value = 8");
        assert!(Profile::parse(&several).unwrap_err().to_string().contains("`write_back.in_flight`"));
        let ready = of("old = { value = \"reuse\"", "old = { value = \"remove\"");
        assert!(ready.contains("`journal.ready`") && ready.contains("old = reuse"), "{ready}");
        let (_, one_file) = BUILT_IN.iter().find(|(name, _)| *name == "sqlite-wal").unwrap();
        let client = embed::text(one_file).replace("statement_us = { value = 0", "statement_us = { value = 5");
        assert!(Profile::parse(&client).unwrap_err().to_string().contains("`commits.statement_us`"));
        let half = of("trigger_pages = { value = 0", "trigger_pages = { value = 7");
        assert!(half.contains("`write_back.trigger_pages` above 0 goes with"), "{half}");
        let near = choose_profile("postgrse").unwrap_err().to_string();
        assert!(near.contains("did you mean `postgres`?"), "{near}");
    }
}

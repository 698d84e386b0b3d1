//! Profiles of engines' write paths. Each is a TOML file in which every figure has a source and a date.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::path::Path;

/// Built-in profiles: name and packed text.
const BUILT_IN: &[(&str, &[u8])] = &[
    ("sqlite-wal", embed::packed!("sqlite-wal.toml")),
    ("postgres", embed::packed!("postgres.toml")),
    ("postgres-18", embed::packed!("postgres-18.toml")),
    ("gtm", embed::packed!("gtm.toml")),
    ("iris", embed::packed!("iris.toml")),
    ("innodb", embed::packed!("innodb.toml")),
];

/// Error in a profile, as one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ProfileError(pub String);

/// A figure. Its source and date are checked when the profile is parsed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Figure<T> {
    pub value: T,
}

/// A figure of any type, as in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnyFigure {
    value: toml::Value,
    /// Document that contains the figure, or the method by which it was measured.
    source: String,
    /// Date on which the figure was read or measured, `YYYY-MM-DD`.
    date: String,
}

// Figures are deserialized by way of `AnyFigure`, so that the code for tables is not compiled for each type.
impl<'de, T: DeserializeOwned> Deserialize<'de> for Figure<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let any = AnyFigure::deserialize(from)?;
        let value = any.value.try_into().map_err(|e: toml::de::Error| D::Error::custom(e.message()))?;
        Ok(Figure { value })
    }
}

/// Condition under which the image of a page is written to the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PageImages {
    /// Never. The data pages are protected in another way, or not at all.
    None,
    /// With the first update of a page after each write-back: full-page images or before-images.
    FirstUpdate,
    /// At each commit, for each page that the transaction updated. The images replace records, so the journal contains
    /// the latest data.
    EveryCommit,
}

/// Initial contents of a new journal file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Prefill {
    /// Zeros, written and synced.
    Zeros,
    /// Nothing: the file grows as it is written.
    None,
}

/// Treatment of journal files whose contents have been written back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum OldJournal {
    /// The files are reused under later numbers.
    Reuse,
    /// The files are removed.
    Remove,
    /// There is only one file, which is truncated.
    Truncate,
}

/// System call that makes a commit durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SyncCall {
    /// `fdatasync(2)`.
    Fdatasync,
    /// `fsync(2)`.
    Fsync,
}

/// Writer of a dirty page when another page needs its buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Eviction {
    /// The session that needs the buffer.
    Session,
    /// Only the write daemon. The session waits for the daemon.
    Daemon,
}

/// Returns the default of a figure that is not zero, for profiles from before the figure was added.
fn before<const N: u64>() -> Figure<u64> {
    Figure { value: N }
}

/// Order of the pages that are written between two write-backs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum TrickleOrder {
    /// In the order of the pages' positions. After the last page, the order starts again.
    #[default]
    Place,
    /// In the order in which the pages' buffers are needed.
    Buffers,
    /// In the order of the pages' updates, the oldest first.
    Age,
}

/// Position of a new node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum NodeOrder {
    /// In the order of keys, in a tree: a full page splits.
    #[default]
    Key,
    /// After the last node that was added: the nodes form a heap, and a primary index holds the position of each node.
    Arrival,
}

/// Rule for splitting a full page of a tree when a node is inserted within it. For a node after the last one, every
/// engine begins a new page and leaves the full page unchanged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Split {
    /// The number of pages doubles, as in earlier profiles.
    #[default]
    Doubling,
    /// Half of the nodes stay in the page.
    Half,
    /// The page is split at the new node: the nodes before it stay in the page.
    Point,
    /// The nodes of the page and its two neighbors are redistributed over these pages. If all of these pages are full,
    /// a new page is added.
    Siblings,
}

/// Figures for the pages of data files, and for the buffer pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pages {
    /// Default page size, in bytes.
    pub bytes: Figure<u64>,
    /// Fill factor of pages, in percent.
    pub fill_percent: Figure<u64>,
    /// Number of bytes that a node takes in a page in addition to its value.
    pub node_overhead: Figure<u64>,
    /// True if data files are opened with direct I/O.
    pub direct: Figure<bool>,
    /// True if each write to a data file is durable when it returns (`O_DSYNC`).
    pub durable_writes: Figure<bool>,
    pub eviction: Figure<Eviction>,
    /// Share of the buffers for data pages, in percent. The rest holds other pages that the engine reads, such as an
    /// index or a catalog. Default: 100, as in earlier profiles.
    #[serde(default = "before::<100>")]
    pub buffers_percent: Figure<u64>,
    /// Maximum number of times that the clock hand skips a frequently used page before its buffer is taken. Default: 1,
    /// as in earlier profiles.
    #[serde(default = "before::<1>")]
    pub most_used: Figure<u64>,
    /// Number of parts of the pool, each with its own clock hand and lock. Within each part, pages are replaced in the
    /// order in which they took their buffers. Default: 16, as in earlier profiles.
    #[serde(default = "before::<16>")]
    pub clocks: Figure<u64>,
    /// True if the clock hand first makes a full round to find a clean page before a session writes a dirty page.
    /// Default: false, as in earlier profiles.
    #[serde(default)]
    pub clean_first: Figure<bool>,
    /// True if a page that is added to a file is written immediately while empty, and later again with its contents.
    /// Default: false.
    #[serde(default)]
    pub extends: Figure<bool>,
    /// Unit, in bytes, for writing only the used part of a page that is already in its file; 0 if pages are written as
    /// a whole. Default: 0, for profiles that predate this key.
    #[serde(default)]
    pub part_write: Figure<u64>,
    /// Position of new nodes. Default: by key, as in earlier profiles.
    #[serde(default)]
    pub order: Figure<NodeOrder>,
    /// Rule for splitting full pages of nodes or of the primary index. Default: doubling, as in earlier profiles.
    #[serde(default)]
    pub split: Figure<Split>,
    /// Number of pages under an inner page of the tree. The inner page is written when a page is added under it. If the
    /// figure is 0, inner pages are not written.
    #[serde(default)]
    pub fanout: Figure<u64>,
    /// Size of an entry of the primary index, in bytes, if nodes are stored in order of arrival; 0 otherwise.
    #[serde(default)]
    pub index_entry: Figure<u64>,
    /// True if a page with a map of the used pages is written whenever a page is added.
    #[serde(default)]
    pub map: Figure<bool>,
}

impl Pages {
    /// Returns `true` if pages split as in a tree.
    pub fn splits(&self) -> bool {
        self.split.value != Split::Doubling
    }
}

/// Figures for the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JournalFigures {
    /// Size of an update's record in addition to the value, in bytes.
    pub record_overhead: Figure<u64>,
    /// Number of values in a record: 2 if it contains both the new value and the old one.
    pub values: Figure<u64>,
    /// Size of a commit's record, in bytes.
    pub commit_record: Figure<u64>,
    /// Size of the blocks in which the journal is written, in bytes; 1 if there are no blocks.
    pub block: Figure<u64>,
    /// Size of the journal buffer, in bytes. Records that do not fit are written before the commit.
    pub buffer: Figure<u64>,
    pub page_images: Figure<PageImages>,
    /// Size of a page image, in percent of a page, for engines that omit unused space.
    pub image_percent: Figure<u64>,
    /// Size of the header before each image, in bytes.
    pub image_header: Figure<u64>,
    /// With `page_images = every-commit`: true if each image is written by a separate call. Default: false, as in
    /// earlier profiles.
    #[serde(default)]
    pub image_calls: Figure<bool>,
    /// Amount of data that a split adds to the journal, in percent of a page. Default: 50, as in earlier profiles.
    #[serde(default = "before::<50>")]
    pub split_percent: Figure<u64>,
    /// True if the journal is opened with direct I/O.
    pub direct: Figure<bool>,
    pub sync: Figure<SyncCall>,
    /// True if every global has its own journal and admits one writer at a time.
    pub per_global: Figure<bool>,
    /// Size at which a file ends and the next file begins, in bytes; 0 for a single file without limit.
    pub file: Figure<u64>,
    pub prefill: Figure<Prefill>,
    pub old: Figure<OldJournal>,
    /// With `old = remove`: number of old files to keep in addition to the files that recovery needs. With `old =
    /// reuse`: minimum number of files to keep for reuse.
    pub keep: Figure<u64>,
    /// With `old = reuse`: number of files to prepare when a run begins, including the first file to be written.
    /// Default: 0 (existing files only), for profiles that predate this key.
    #[serde(default)]
    pub ready: Figure<u64>,
    /// With `old = reuse`: expected growth of the journal until the next write-back, as a percentage of its growth
    /// between the last two write-backs. The expected growth is at most `write_back.journal_bytes`. If the journal is
    /// expected to need more than `keep` files, more are kept. Default: 0, for profiles that predate this key.
    #[serde(default)]
    pub ahead_percent: Figure<u64>,
}

/// Figures for commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Commits {
    /// Time that a leader waits for others to commit with it, in microseconds.
    pub window_us: Figure<u64>,
    /// Minimum number of other open transactions for a leader to wait.
    pub window_sessions: Figure<u64>,
    /// True if a commit that is not durable also writes the journal, without waiting for the device.
    pub lazy_writes: Figure<bool>,
    /// Interval between journal syncs if commits are not durable, in milliseconds; 0 if only the write daemon syncs.
    pub lazy_every_ms: Figure<u64>,
    /// CPU time that the server needs for each statement, in microseconds; 0 if there is no server. With a server,
    /// sessions are clients of the server, and each statement is a message that the server answers. Default: 0, as in
    /// earlier profiles.
    #[serde(default)]
    pub statement_us: Figure<u64>,
}

/// Figures for the write daemon.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WriteBack {
    /// The engine's name for a write-back, such as `checkpoint`.
    pub name: Figure<String>,
    /// Interval between the starts of two write-backs, in seconds.
    pub every_s: Figure<u64>,
    /// Share of `every_s` over which a write-back spreads its writes, in percent; 0 to write as fast as possible.
    pub spread_percent: Figure<u64>,
    /// Share of dirty buffers at which a write-back starts early, in percent; 0 for never.
    pub early_percent: Figure<u64>,
    /// Growth of the journal since the last write-back at which the next write-back starts early, in bytes; 0 for
    /// never.
    pub journal_bytes: Figure<u64>,
    /// Number of concurrent writers of data files.
    pub writers: Figure<u64>,
    /// Number of asynchronous writes in flight per writer, of one page each; 0 if writers wait for each write. No write
    /// through the page cache is asynchronous. Default: 0, for profiles that predate this key.
    #[serde(default)]
    pub in_flight: Figure<u64>,
    /// Maximum number of contiguous pages in one write.
    pub pages_a_write: Figure<u64>,
    /// Number of written pages after which their write-out from the page cache is requested; 0 for never.
    pub flush_after: Figure<u64>,
    /// Size of the writes to an image journal, in bytes; 0 if there is no image journal. Pages are written to an image
    /// journal before they are written to the data files.
    pub image_write: Figure<u64>,
    /// Number of pages in one pass through the phases (write images, sync, write data, sync); 0 for all pages.
    pub batch: Figure<u64>,
    /// Number of pages written by each additional pass between two write-backs; 0 if there are no such passes.
    pub trickle_pages: Figure<u64>,
    /// Order of the pages that additional passes write. Default: by position, as in earlier profiles.
    #[serde(default)]
    pub trickle_order: Figure<TrickleOrder>,
    /// With `trickle_order = buffers`: number of available buffers at which an additional pass stops; 0 for no limit.
    /// The number is a percentage of the buffers taken since the last pass. Default: 0, for profiles that predate this key.
    #[serde(default)]
    pub trickle_ahead_percent: Figure<u64>,
    /// Interval between additional passes, in milliseconds.
    pub trickle_every_ms: Figure<u64>,
    /// Number of page writes that each commit and each page read requests while there are more dirty pages than the
    /// trigger; 0 for none. Commits and reads do not wait for these writes. The oldest dirty pages are written.
    /// Default: 0, for profiles that predate this key.
    #[serde(default)]
    pub trigger_pages: Figure<u64>,
    /// Upper bound of the trigger, in percent of the buffers.
    #[serde(default)]
    pub trigger_percent: Figure<u64>,
    /// Lower bound of the trigger, in percent of the buffers.
    #[serde(default)]
    pub trigger_least_percent: Figure<u64>,
    /// Divisor for changes of the trigger: each change is the trigger's value divided by this number. The trigger falls
    /// when a session needs a buffer whose page is dirty. The trigger rises once the number of other buffers taken
    /// reaches the number of buffers in the pool.
    #[serde(default)]
    pub trigger_step: Figure<u64>,
    /// Number of pages that additional passes write before the write-out of these pages is requested; 0 for never.
    /// Pages are counted across passes. Default: the value of `flush_after`.
    #[serde(default)]
    pub trickle_flush_after: Option<Figure<u64>>,
    /// Number of additional files. A write-back writes one page of each additional file and syncs the file. Default: 0,
    /// as in earlier profiles.
    #[serde(default)]
    pub further_files: Figure<u64>,
}

impl WriteBack {
    /// Returns `true` if commits and page reads request writes of the oldest pages.
    pub fn has_trigger(&self) -> bool {
        self.trigger_pages.value > 0
    }

    /// Returns `true` if the buffer pool does not check for completed writes that no session waits for until the clock
    /// hand has made a full round.
    pub fn reaps_late(&self) -> bool {
        self.has_trigger() && self.in_flight.value > 0
    }

    /// Returns `true` if dirty pages are tracked by age.
    pub fn tracks_age(&self) -> bool {
        self.has_trigger() || self.trickle_order.value == TrickleOrder::Age
    }

    /// Returns the number of pages that additional passes write before the write-out of these pages from the page cache
    /// is requested.
    pub fn trickle_flush_after(&self) -> u64 {
        self.trickle_flush_after.as_ref().unwrap_or(&self.flush_after).value
    }
}

/// A complete profile.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Profile {
    /// Name of the profile.
    pub profile: String,
    /// Version of the profile. It is raised with every change of a figure.
    pub version: u32,
    /// Name of the engine.
    pub engine: String,
    /// Engine with which the profile was compared, in words; empty if it was not compared.
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

/// Checks that a figure has a source and a date. `name` is the name of the figure.
fn check_source(name: &str, figure: &AnyFigure) -> Result<(), ProfileError> {
    if figure.source.trim().is_empty() {
        return Err(ProfileError(format!("`{name}` has no source: add where the figure comes from")));
    }
    let digits = |text: &str, n: usize| text.len() == n && text.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<&str> = figure.date.split('-').collect();
    if matches!(parts[..], [year, month, day] if digits(year, 4) && digits(month, 2) && digits(day, 2)) {
        return Ok(());
    }
    Err(ProfileError(format!("`{name}` has the date `{}`; expected YYYY-MM-DD", model::clip(&figure.date))))
}

/// Checks that a figure is between `least` and `most`.
fn within(figure: &Figure<u64>, name: &str, least: u64, most: u64) -> Result<(), ProfileError> {
    if (least..=most).contains(&figure.value) {
        return Ok(());
    }
    Err(ProfileError(format!("`{name}` is {}; allowed: {least} to {most}", figure.value)))
}

impl Profile {
    /// Parses and checks a profile.
    pub fn parse(text: &str) -> Result<Profile, ProfileError> {
        let failed = |e: toml::de::Error| {
            let line = e.span().map(|s| text[..s.start.min(text.len())].lines().count().max(1));
            let at = line.map_or_else(String::new, |line| format!("line {line}: "));
            ProfileError(format!("{at}{}", e.message().replace('\n', " ")))
        };
        let profile: Profile = toml::from_str(text).map_err(failed)?;
        // Only the tables of `Profile`'s parts contain figures, and all of them are valid.
        for (part, figures) in toml::from_str::<toml::Table>(text).map_err(failed)? {
            for (name, figure) in figures.as_table().into_iter().flatten() {
                check_source(&format!("{part}.{name}"), &figure.clone().try_into().map_err(failed)?)?;
            }
        }
        profile.check()?;
        Ok(profile)
    }

    fn check(&self) -> Result<(), ProfileError> {
        let refuse_if = |broken: bool, rule: &str| if broken { Err(ProfileError(rule.into())) } else { Ok(()) };
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let named = !self.profile.is_empty() && self.profile.chars().all(fits);
        refuse_if(!named, "`profile` must be a name of lower-case letters, digits and -")?;
        let Profile { pages, journal, commits, write_back, .. } = self;
        within(&pages.bytes, "pages.bytes", 512, 65_536)?;
        if !pages.bytes.value.is_power_of_two() {
            return Err(ProfileError(format!("`pages.bytes` is {}; it must be a power of two", pages.bytes.value)));
        }
        within(&pages.fill_percent, "pages.fill_percent", 1, 100)?;
        within(&pages.node_overhead, "pages.node_overhead", 0, 4096)?;
        within(&pages.buffers_percent, "pages.buffers_percent", 1, 100)?;
        within(&pages.most_used, "pages.most_used", 1, 100)?;
        within(&pages.clocks, "pages.clocks", 1, 64)?;
        within(&pages.part_write, "pages.part_write", 0, pages.bytes.value)?;
        let parts = pages.part_write.value > 0;
        refuse_if(
            parts && (!pages.part_write.value.is_power_of_two() || pages.part_write.value < 512),
            "`pages.part_write` must be 0 or a power of two, at least 512",
        )?;
        refuse_if(
            parts && (write_back.pages_a_write.value != 1 || self.has_image()),
            "`pages.part_write` requires `write_back.pages_a_write = 1` and no image journal",
        )?;
        within(&pages.fanout, "pages.fanout", 0, 65_536)?;
        within(&pages.index_entry, "pages.index_entry", 0, pages.bytes.value / 8)?;
        let arrival = pages.order.value == NodeOrder::Arrival;
        refuse_if(
            arrival != (pages.index_entry.value > 0) || (arrival && !pages.splits()),
            "`pages.order = arrival` requires a `pages.index_entry` above 0 and a `pages.split` other than `doubling`; \
             without it `index_entry` must be 0",
        )?;
        refuse_if(
            pages.splits() != (pages.fanout.value > 1) || (pages.map.value && !pages.splits()),
            "`pages.split = doubling` requires `pages.fanout = 0` and no `map`; every other `split` requires a \
             `fanout` of at least 2",
        )?;
        within(&journal.record_overhead, "journal.record_overhead", 0, 4096)?;
        within(&journal.values, "journal.values", 0, 4)?;
        within(&journal.commit_record, "journal.commit_record", 0, 65_536)?;
        within(&journal.block, "journal.block", 1, 65_536)?;
        if !journal.block.value.is_power_of_two() {
            return Err(ProfileError(format!("`journal.block` is {}; it must be a power of two", journal.block.value)));
        }
        within(&journal.buffer, "journal.buffer", 4096, 1 << 30)?;
        within(&journal.image_percent, "journal.image_percent", 0, 100)?;
        within(&journal.image_header, "journal.image_header", 0, 4096)?;
        within(&journal.split_percent, "journal.split_percent", 0, 100)?;
        within(&journal.file, "journal.file", 0, 1 << 40)?;
        within(&journal.keep, "journal.keep", 0, 1000)?;
        within(&journal.ready, "journal.ready", 0, 1000)?;
        within(&journal.ahead_percent, "journal.ahead_percent", 0, 10_000)?;
        within(&commits.window_us, "commits.window_us", 0, 1_000_000)?;
        within(&commits.window_sessions, "commits.window_sessions", 0, 1000)?;
        within(&commits.lazy_every_ms, "commits.lazy_every_ms", 0, 600_000)?;
        within(&commits.statement_us, "commits.statement_us", 0, 10_000)?;
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
        within(&write_back.trickle_ahead_percent, "write_back.trickle_ahead_percent", 0, 10_000)?;
        within(&write_back.trickle_every_ms, "write_back.trickle_every_ms", 1, 600_000)?;
        within(&write_back.trigger_pages, "write_back.trigger_pages", 0, 1 << 20)?;
        within(&write_back.trigger_percent, "write_back.trigger_percent", 0, 100)?;
        within(&write_back.trigger_least_percent, "write_back.trigger_least_percent", 0, 100)?;
        within(&write_back.trigger_step, "write_back.trigger_step", 0, 1000)?;
        let [percent, least, step] =
            [&write_back.trigger_percent, &write_back.trigger_least_percent, &write_back.trigger_step].map(|f| f.value);
        let whole = (1..=percent).contains(&least) && step > 0;
        refuse_if(
            if write_back.has_trigger() { !whole } else { (percent, least, step) != (0, 0, 0) },
            "`write_back.trigger_pages` above 0 requires `trigger_percent`, `trigger_least_percent` (not above \
             `trigger_percent`) and `trigger_step`, all above 0; without it these must be 0",
        )?;
        refuse_if(
            write_back.has_trigger() && self.has_image(),
            "`write_back.trigger_pages` cannot be combined with an image journal: sessions do not wait for one",
        )?;
        if let Some(after) = &write_back.trickle_flush_after {
            within(after, "write_back.trickle_flush_after", 0, 1 << 20)?;
        }
        within(&write_back.further_files, "write_back.further_files", 0, 1000)?;
        let reused = journal.old.value == OldJournal::Reuse;
        refuse_if(
            !reused && (journal.ready.value, journal.ahead_percent.value) != (0, 0),
            "`journal.ready` and `journal.ahead_percent` require `old = reuse`: other files are not reused",
        )?;
        let every_commit = journal.page_images.value == PageImages::EveryCommit;
        let truncated = journal.old.value == OldJournal::Truncate;
        let one_file = journal.file.value == 0;
        refuse_if(
            [truncated, one_file, journal.per_global.value].iter().any(|a| *a != every_commit),
            "`journal.page_images = every-commit`, `old = truncate`, `file = 0` and `per_global = true` must be used \
             together",
        )?;
        refuse_if(
            commits.statement_us.value > 0 && journal.per_global.value,
            "`commits.statement_us` requires one journal for all globals, on which the server waits",
        )?;
        refuse_if(
            journal.image_calls.value && !every_commit,
            "`journal.image_calls` requires `page_images = every-commit`",
        )?;
        refuse_if(
            every_commit && (journal.direct.value || pages.direct.value || journal.block.value != 1),
            "`every-commit` requires `direct = false` and `journal.block = 1`: pages in the journal are not aligned",
        )?;
        if !one_file && journal.file.value < 64 << 10 {
            let size = journal.file.value;
            return Err(ProfileError(format!("`journal.file` is {size}; it must be 0 or at least 65536")));
        }
        refuse_if(
            write_back.in_flight.value > 0 && write_back.pages_a_write.value != 1,
            "`write_back.in_flight` requires `pages_a_write = 1`",
        )?;
        refuse_if(
            journal.direct.value && journal.block.value < 512,
            "`journal.direct` requires a `journal.block` of at least 512",
        )
    }

    /// Returns `true` if pages are written to an image journal first.
    pub fn has_image(&self) -> bool {
        self.write_back.image_write.value > 0
    }
}

/// Returns `true` if a profile has an image journal. `text` is the text of the profile, as stored with a database.
#[must_use]
pub fn profile_has_image(text: &str) -> bool {
    Profile::parse(text).is_ok_and(|profile| profile.has_image())
}

/// A profile chosen at setup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenProfile {
    /// Complete text of the profile, which is stored with the database.
    pub text: String,
    /// Default page size, in bytes.
    pub page: u64,
    /// True if the profile has an image journal, which may have a separate directory.
    pub has_image: bool,
}

/// Returns the built-in profile with this name, or the profile in the file with this path.
///
/// # Errors
/// Returns an error if the name is unknown; the error lists all profiles and suggests the most similar name. Returns an
/// error with the mistake and its line if the file is invalid.
pub fn choose_profile(name: &str) -> Result<ChosenProfile, ProfileError> {
    let text = match BUILT_IN.iter().find(|(known, _)| *known == name) {
        Some((_, packed)) => embed::text(packed),
        None if Path::new(name).extension().is_some_and(|e| e == "toml") || name.contains('/') => {
            let read = std::fs::metadata(name).and_then(|m| match m.len() {
                0..=65_536 if m.is_file() => std::fs::read_to_string(name),
                _ => Err(std::io::Error::other("it is not a regular file of at most 64 KiB")),
            });
            read.map_err(|e| ProfileError(format!("cannot read {name}: {e}")))?
        }
        None => {
            let known = || BUILT_IN.iter().map(|(name, _)| *name);
            let near = model::units::suggestion(name, known());
            let reason =
                format!("use one of {}, or a file that ends in .toml{near}", known().collect::<Vec<_>>().join(", "));
            return Err(ProfileError(reason));
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
            // Every figure has a source, so this fails if a figure was added without a check.
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
        let error_with = |from: &str, to: &str| {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text, "`{from}` is not there");
            Profile::parse(&changed).unwrap_err().to_string()
        };
        assert!(error_with("\n[commits]", "\n[commits]\nmore = 1").contains("unknown field `more`"));
        assert!(error_with("version = 5", "version = 5\nsize = 2").contains("unknown field `size`"));
        assert!(
            error_with("fill_percent = { value = 50", "fill_percent = { value = 0")
                .contains("`pages.fill_percent` is 0; allowed: 1 to 100")
        );
        let undated = Profile::parse(&text.replace("2026-11-26", "yesterday")).unwrap_err().to_string();
        assert!(undated.contains("YYYY-MM-DD"), "{undated}");
        let apart = error_with("page_images = { value = \"first-update\"", "page_images = { value = \"every-commit\"");
        assert!(apart.contains("must be used together"), "{apart}");
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
        let ready = error_with("old = { value = \"reuse\"", "old = { value = \"remove\"");
        assert!(ready.contains("`journal.ready`") && ready.contains("old = reuse"), "{ready}");
        let (_, one_file) = BUILT_IN.iter().find(|(name, _)| *name == "sqlite-wal").unwrap();
        let client = embed::text(one_file).replace("statement_us = { value = 0", "statement_us = { value = 5");
        assert!(Profile::parse(&client).unwrap_err().to_string().contains("`commits.statement_us`"));
        let half = error_with("trigger_pages = { value = 0", "trigger_pages = { value = 7");
        assert!(half.contains("`write_back.trigger_pages` above 0 requires"), "{half}");
        let near = choose_profile("postgrse").unwrap_err().to_string();
        assert!(near.contains("did you mean `postgres`?"), "{near}");
    }
}

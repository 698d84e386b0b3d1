//! A session: sets and reads nodes, and commits.

use super::buffer::{AlignedBuffer, fill_incompressible};
use super::counts::add;
use super::page::{self, Layout};
use super::places::{Kind, Sequences};
use super::pool::{Frame, OpenGlobal};
use super::profile::{PageImages, Profile};
use super::scattered::{self, Groups};
use super::server::ServerProcess;
use super::shared::Shared;
use super::tree::{Inserted, MOST, Rewritten, Tree};
use crate::locked;
use load::session::{Batch, BatchKind, BatchResult, Key, Session, Sessions, index_key};
use model::plan::{GlobalSize, KeyOrder, SessionRule, scattered_node};
use model::{Job, measured::Waiter};
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Maximum number of values in a record.
const MOST_VALUES: usize = 4;
/// Maximum size of a record in addition to its value, in bytes.
const MOST_OVERHEAD: usize = 65_536;

pub(super) struct ModelSessions(pub Arc<Shared>);

impl Sessions for ModelSessions {
    fn open(&self, job: &Job, worker: u32) -> Result<Box<dyn Session>, String> {
        let shared = Arc::clone(&self.0);
        let rule = job.tuning.work.session().ok_or("the job has no session settings")?;
        let open = |number: u32| shared.pool.global(number).ok_or_else(|| format!("there is no global {number}"));
        let globals = rule.globals().into_iter().map(open).collect::<Result<Vec<_>, _>>()?;
        let mut filler = vec![0; MOST_OVERHEAD];
        fill_incompressible(&mut filler, u64::from(worker) + 1);
        let computes = shared.profile.commits.statement_us.value;
        let (journal, counts) = (shared.journal.clone(), Arc::clone(&shared.counts));
        let start = || ServerProcess::start(Duration::from_micros(computes), journal, counts);
        let server = (computes > 0).then(start);
        let server = server.transpose().map_err(|e| format!("cannot start a server: {e}"))?;
        shared.sessions.fetch_add(1, Relaxed);
        // A server receives each batch of the load as one statement, as PostgreSQL does with COPY.
        let is_empty = || global(&globals, rule.own.number).is_ok_and(|opened| opened.global.pages() == 0);
        let loaded = (server.is_some() && rule.may_be_load() && is_empty()).then_some(0);
        Ok(Box::new(ModelSession {
            globals,
            in_order: nodes_in_order(rule),
            indexes: Indexes {
                count: rule.extra.indexes,
                nodes: rule.own.total().max(1),
                entries: entries_layout(shared.page, &shared.profile),
            },
            insert: matches!(rule.order, KeyOrder::Insert { .. }),
            filler,
            scratch: AlignedBuffer::new(shared.page),
            image: vec![0; shared.page],
            old: vec![0; if rule.extra.indexes > 0 { shared.page } else { 0 }],
            touched: Vec::with_capacity(shared.pool.frames() as usize / 4 + 1),
            updated: Vec::new(),
            server,
            loaded,
            shared,
        }))
    }

    fn writing_back(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.writing_back)
    }
}

/// Returns the number of ordered nodes in each global that a rule names, sorted by global.
fn nodes_in_order(rule: &SessionRule) -> Vec<(u32, u64)> {
    let ordered = |g: &GlobalSize| (g.number, g.count);
    let mut nodes: Vec<(u32, u64)> = rule.read.iter().chain([&rule.own]).map(ordered).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Maximum number of secondary indexes.
const MOST_INDEXES: usize = 8;
/// Size of an index entry without the overhead of a node, in bytes: the key, and the number of the node.
const ENTRY: usize = 12;

/// Returns the layout of secondary-index entries in their pages.
pub(super) fn entries_layout(page: usize, profile: &Profile) -> Layout {
    Layout::of_values(page, ENTRY, profile.pages.node_overhead.value as usize, 100)
}

/// Secondary indexes of the worker's own global.
struct Indexes {
    count: u32,
    /// Number of nodes that have entries.
    nodes: u64,
    entries: Layout,
}

struct ModelSession {
    shared: Arc<Shared>,
    /// Globals of the session, sorted by number.
    globals: Vec<Arc<OpenGlobal>>,
    /// Number of ordered nodes in each global. The pages of other nodes follow the pages of these nodes.
    in_order: Vec<(u32, u64)>,
    indexes: Indexes,
    /// True if the session inserts new nodes.
    insert: bool,
    /// Bytes that represent the parts of a record other than its value.
    filler: Vec<u8>,
    scratch: AlignedBuffer,
    image: Vec<u8>,
    /// Old value of the last node that was replaced.
    old: Vec<u8>,
    /// Pages updated by this transaction. Used only if page images go into the journal.
    touched: Vec<u64>,
    /// Pages updated by this transaction, one entry per update. Used only if the commit makes room for the pages.
    updated: Vec<u64>,
    /// Server process that executes this session's statements, if there is one.
    server: Option<ServerProcess>,
    /// Last node that was loaded into an empty global. Batches of later nodes are sent as one statement each. `None` if
    /// the session does not load.
    loaded: Option<u64>,
}

impl Drop for ModelSession {
    fn drop(&mut self) {
        self.shared.sessions.fetch_sub(1, Relaxed);
    }
}

fn nanos(since: Instant) -> u64 {
    since.elapsed().as_nanos() as u64
}

fn global(globals: &[Arc<OpenGlobal>], number: u32) -> io::Result<Arc<OpenGlobal>> {
    let at = globals.binary_search_by_key(&number, |g| g.global.number);
    at.map(|at| Arc::clone(&globals[at])).map_err(|_| io::Error::other(format!("there is no global {number}")))
}

/// Result of setting a node.
#[derive(Debug, Clone, Copy, Default)]
struct Set {
    /// Place in the journal after the node's record.
    end: u64,
    /// Size of the replaced value. The value itself is in `old` if there are indexes to update.
    was: usize,
    /// True if the page of the node is new.
    fresh: bool,
    /// True if the node is new.
    new: bool,
}

/// Appends the image of a page to the journal before the page changes, if an image is due.
fn put_image(
    shared: &Shared,
    opened: &OpenGlobal,
    filler: &[u8],
    (bytes, frame, fresh): (&[u8], &Frame, bool),
    epoch: u64,
) -> io::Result<()> {
    let rule = &shared.profile.journal;
    let due = rule.page_images.value == PageImages::FirstUpdate && frame.imaged != epoch && !fresh;
    if let Some(journal) = opened.journal.as_ref().filter(|_| due) {
        let image = shared.page * rule.image_percent.value as usize / 100;
        journal.append(&[&filler[..rule.image_header.value as usize], &bytes[..image]])?;
        add(&shared.counts.page_images, 1);
    }
    Ok(())
}

impl ModelSession {
    /// Returns the layout of nodes in a global, which the first value determines.
    fn layout(&self, opened: &OpenGlobal, value: &[u8]) -> io::Result<Layout> {
        if let Some(layout) = opened.global.layout() {
            return Ok(layout);
        }
        let pages = &self.shared.profile.pages;
        let (overhead, fill) = (pages.node_overhead.value as usize, pages.fill_percent.value);
        let layout = Layout::of_values(self.shared.page, value.len(), overhead, fill);
        opened.global.set_header(Some(layout), None)?;
        Ok(opened.global.layout().unwrap_or(layout))
    }

    /// Returns the page of a node, its position there, and the page from which a new page would split. Used for
    /// profiles in which the number of pages doubles.
    fn doubled(&self, layout: Layout, key: Key) -> (u64, usize, Option<u64>) {
        let groups = self.groups(layout, key.global);
        let Some(insert) = scattered_node(key.subscript) else {
            let (page, which) = layout.place_of(key.subscript);
            return (groups.of_nodes(page), which, None);
        };
        let known = self.in_order.binary_search_by_key(&key.global, |(number, _)| *number);
        let behind = known.map_or(0, |at| self.in_order[at].1).div_ceil(u64::from(layout.nodes));
        let place = scattered::place_of(insert, layout.nodes);
        let page_at = |page: u64| groups.of_nodes(behind + page);
        (page_at(place.page), place.which, place.from.map(page_at))
    }

    fn groups(&self, layout: Layout, global: u32) -> Groups {
        let indexes = if global == 0 { 0 } else { self.indexes.count };
        Groups::new(indexes, layout.nodes, self.indexes.entries.nodes)
    }

    /// Moves a node in an index: removes its entry from the page for the old key, and adds an entry to the page for the
    /// new key.
    fn move_entry(
        &mut self,
        opened: &OpenGlobal,
        layout: Layout,
        index: u32,
        keys: [Option<u32>; 2],
    ) -> io::Result<u64> {
        let (entries, nodes, mut end) = (self.indexes.entries, self.indexes.nodes, 0);
        for key in keys.into_iter().flatten() {
            // Entries are distributed over as many pages as a tree with this many entries has.
            let place = scattered::place_of(((u64::from(key) * nodes) >> 31) + 1, entries.nodes);
            let number = self.groups(layout, opened.global.number).of_index(index, place.page);
            let value: [u8; ENTRY] = std::array::from_fn(|i| key.to_le_bytes()[i % 4]);
            end = self.set_at(opened, (entries, number, place.which), &value)?.end;
        }
        Ok(end)
    }

    /// Handles a split that created a page: the page from which it split keeps half of its nodes. The other half is
    /// written to the journal.
    fn split(&mut self, opened: &OpenGlobal, number: u64) -> io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let rule = &shared.profile.journal;
        let images = rule.page_images.value;
        let header = &self.filler[..rule.image_header.value as usize];
        let half = shared.page * rule.split_percent.value as usize / 100;
        let change = |bytes: &mut [u8], frame: &mut Frame, _| {
            if let Some(journal) = opened.journal.as_ref().filter(|_| images != PageImages::EveryCommit) {
                frame.place = journal.append(&[header, &bytes[..half]])?.1;
            }
            frame.dirty = true;
            frame.changes += 1;
            Ok(())
        };
        shared.pool.with_page(opened, number, None, &mut self.scratch, change)?;
        self.touch(opened, number)
    }

    /// Returns the page sequences of a global, if its profile has splits.
    fn sequences(&self, layout: Layout, global: u32) -> Option<(Sequences, Groups)> {
        let page = self.shared.page as u64;
        Sequences::from_profile(&self.shared.profile, page, layout.nodes)
            .map(|order| (order, self.groups(layout, global)))
    }

    /// Runs an action on the tree of a global. On first use, the tree is built as it was when the global was opened.
    fn with_tree<T>(opened: &OpenGlobal, order: Sequences, what: impl FnOnce(&mut Tree) -> T) -> T {
        let mut tree = locked(&opened.tree);
        what(tree.get_or_insert_with(|| Tree::grown(order.tree, opened.scattered)))
    }

    /// Returns the number of a page in the file, or `None` if the page does not exist. The page is given by its kind,
    /// and by its position in the sequence of pages of that kind.
    fn page_at(opened: &OpenGlobal, groups: Groups, (kind, at): (Kind, u64)) -> Option<u64> {
        opened.global.find(kind, at).map(|page| groups.of_nodes(page))
    }

    /// Returns the number of a page in the file, so that the page can be written. Begins a run of pages of its kind if
    /// necessary.
    fn page_to_write(opened: &OpenGlobal, groups: Groups, (kind, at): (Kind, u64)) -> io::Result<u64> {
        let behind = groups.nodes_of(opened.global.pages());
        opened.global.find_or_begin(kind, at, behind).map(|page| groups.of_nodes(page))
    }

    /// Returns the page and position of an existing node, and the page of its entry in the primary index if the global
    /// has a primary index.
    fn find(&self, opened: &OpenGlobal, layout: Layout, key: Key) -> Option<(u64, usize, Option<u64>)> {
        let Some((order, groups)) = self.sequences(layout, opened.global.number) else {
            let (page, which, _) = self.doubled(layout, key);
            return Some((page, which, None));
        };
        let at = |place| Self::page_at(opened, groups, place);
        let Some(node) = scattered_node(key.subscript) else {
            let (page, which) = layout.place_of(key.subscript);
            let index = if order.heap { at(order.related_in_order(page)) } else { None };
            return Some((at(order.in_order(page))?, which, index));
        };
        let (page, which) = Self::with_tree(opened, order, |tree| tree.find(node))?;
        if !order.heap {
            return Some((at(order.scattered(page))?, which, None));
        }
        let index = at(order.related_scattered(page));
        let (page, which) = layout.place_of(node);
        Some((at(order.scattered(page))?, which, index))
    }

    /// Sets a node. Returns the place in the journal after its record.
    fn set(&mut self, opened: &OpenGlobal, key: Key, value: &[u8]) -> io::Result<u64> {
        let layout = self.layout(opened, value)?;
        let set = match self.sequences(layout, opened.global.number) {
            Some((order, groups)) => self.set_in_order_of(opened, layout, (order, groups), key, value)?,
            None => {
                let (number, which, from) = self.doubled(layout, key);
                let set = self.set_at(opened, (layout, number, which), value)?;
                if let Some(from) = from.filter(|_| set.fresh) {
                    self.split(opened, from)?;
                }
                set
            }
        };
        let (mut last, was) = (set.end, set.was);
        if self.indexes.count > 0 {
            // The old keys are computed before moved entries overwrite `old`.
            let old: [Option<u32>; MOST_INDEXES] =
                std::array::from_fn(|i| (was > 0).then(|| index_key(&self.old[..was], i as u32 + 1)));
            for (index, old) in (1..=self.indexes.count).zip(old) {
                last = self.move_entry(opened, layout, index, [old, Some(index_key(value, index))])?;
            }
        }
        self.indexes.nodes += u64::from(self.insert);
        Ok(last)
    }

    /// Sets a node at its position according to the profile's order of nodes.
    fn set_in_order_of(
        &mut self,
        opened: &OpenGlobal,
        layout: Layout,
        (order, groups): (Sequences, Groups),
        key: Key,
        value: &[u8],
    ) -> io::Result<Set> {
        let page_at = |place| Self::page_to_write(opened, groups, place);
        let Some(node) = scattered_node(key.subscript) else {
            let (page, which) = layout.place_of(key.subscript);
            let related = page_at(order.related_in_order(page))?;
            if order.heap {
                // The page is found through the index.
                self.look_at(opened, related)?;
            }
            let set = self.set_at(opened, (layout, page_at(order.in_order(page))?, which), value)?;
            let writes_related = if order.heap { set.new } else { set.fresh };
            if writes_related {
                self.write_related(opened, layout, related, order.heap)?;
            }
            return self.record_in_map(opened, layout, (order, groups), set);
        };
        if let Some((page, which, index)) = self.find(opened, layout, key) {
            if let Some(index) = index {
                self.look_at(opened, index)?;
            }
            return self.set_at(opened, (layout, page, which), value);
        }
        let refused = |reason: String| io::Error::other(format!("global {}: {reason}", opened.global.number));
        if node > MOST {
            return Err(refused(format!("at most {MOST} nodes can be inserted in random order")));
        }
        let inserted = Self::with_tree(opened, order, |tree| {
            (tree.inserted() + 1 == node).then(|| tree.insert(node as u32)).ok_or_else(|| tree.inserted())
        })
        .map_err(|known| {
            refused(format!("node {node} does not follow the {known} nodes that were inserted in random order"))
        })?;
        if order.heap {
            let Inserted { page, rewritten, .. } = inserted;
            if rewritten.is_empty() {
                self.look_at(opened, page_at(order.related_scattered(page))?)?;
            }
            for Rewritten { page, fresh, .. } in rewritten {
                self.rewrite(opened, (layout, page_at(order.related_scattered(page))?, fresh), page::mark)?;
            }
            let (heap, which) = layout.place_of(node);
            let set = self.set_at(opened, (layout, page_at(order.scattered(heap))?, which), value)?;
            self.write_related(opened, layout, page_at(order.related_scattered(page))?, true)?;
            return self.record_in_map(opened, layout, (order, groups), set);
        }
        let grows = inserted.fresh || inserted.rewritten.iter().any(|part| part.fresh);
        self.move_nodes(opened, layout, &inserted.rewritten, |page| page_at(order.scattered(page)))?;
        for inner in inserted.inner.iter().filter(|_| grows || !inserted.rewritten.is_empty()) {
            self.write_related(opened, layout, page_at(order.related_scattered(*inner))?, false)?;
        }
        let set = self.set_at(opened, (layout, page_at(order.scattered(inserted.page))?, inserted.which), value)?;
        self.record_in_map(opened, layout, (order, groups), Set { fresh: grows, ..set })
    }

    /// Writes the map of used pages if a page was added.
    fn record_in_map(
        &mut self,
        opened: &OpenGlobal,
        layout: Layout,
        (order, groups): (Sequences, Groups),
        set: Set,
    ) -> io::Result<Set> {
        if order.map && set.fresh {
            let map = Self::page_to_write(opened, groups, Sequences::MAP)?;
            self.write_related(opened, layout, map, false)?;
        }
        Ok(set)
    }

    /// Reads a page that leads to another page, such as an index page.
    fn look_at(&mut self, opened: &OpenGlobal, number: u64) -> io::Result<()> {
        let shared = Arc::clone(&self.shared);
        shared.pool.with_page(opened, number, None, &mut self.scratch, |_, _, _| Ok(())).map(|_| ())
    }

    /// Changes a page related to the nodes, with a separate record in the journal if requested.
    fn write_related(&mut self, opened: &OpenGlobal, layout: Layout, number: u64, record: bool) -> io::Result<()> {
        let overhead = self.shared.profile.journal.record_overhead.value as usize;
        let record = (record && overhead > 0).then_some((overhead, &[][..]));
        self.change(opened, (layout, number), record, |bytes, _| page::mark(bytes)).map(|_| ())
    }

    /// Writes a page for a split. For a new page, the bytes that the profile specifies are added to the journal.
    fn rewrite(
        &mut self,
        opened: &OpenGlobal,
        (layout, number, fresh): (Layout, u64, bool),
        what: impl FnOnce(&mut [u8]),
    ) -> io::Result<()> {
        let rule = &self.shared.profile.journal;
        let moved = self.shared.page * rule.split_percent.value as usize / 100;
        let record = (fresh && moved > 0).then_some((rule.image_header.value as usize + moved, &[][..]));
        self.change(opened, (layout, number), record, |bytes, _| what(bytes)).map(|_| ())
    }

    /// Changes a page. First adds the page's image to the journal, if an image is due. Then adds a record, which
    /// consists of the given number of bytes followed by the values. Returns the place in the journal after the page's
    /// last record, or 0 if it has no record.
    fn change(
        &mut self,
        opened: &OpenGlobal,
        (layout, number): (Layout, u64),
        record: Option<(usize, &[&[u8]])>,
        what: impl FnOnce(&mut [u8], bool),
    ) -> io::Result<u64> {
        let shared = Arc::clone(&self.shared);
        let (filler, epoch) = (&self.filler, shared.epoch.load(Relaxed));
        let record = record.filter(|_| shared.profile.journal.page_images.value != PageImages::EveryCommit);
        let change = |bytes: &mut [u8], frame: &mut Frame, fresh: bool| {
            put_image(&shared, opened, filler, (bytes, frame, fresh), epoch)?;
            if let (Some(journal), Some((overhead, values))) = (&opened.journal, record) {
                let mut parts: [&[u8]; 1 + MOST_VALUES] = [&[]; 1 + MOST_VALUES];
                parts[0] = &filler[..overhead];
                parts[1..=values.len()].copy_from_slice(values);
                frame.place = journal.append(&parts[..=values.len()])?.1;
            }
            frame.imaged = epoch;
            what(bytes, fresh);
            frame.dirty = true;
            frame.changes += 1;
            Ok(frame.place)
        };
        let place = shared.pool.with_page(opened, number, Some(layout), &mut self.scratch, change)?;
        self.touch(opened, number)?;
        Ok(place.unwrap_or(0))
    }

    /// Moves nodes between pages as a split requires.
    fn move_nodes(
        &mut self,
        opened: &OpenGlobal,
        layout: Layout,
        parts: &[Rewritten],
        page_at: impl Fn(u64) -> io::Result<u64>,
    ) -> io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let mut before: HashMap<u64, Vec<u8>> = HashMap::with_capacity(parts.len());
        for part in parts.iter().filter(|part| !part.fresh) {
            let copy = |bytes: &mut [u8], _: &mut Frame, _| Ok(bytes.to_vec());
            let number = page_at(part.page)?;
            let bytes = shared.pool.with_page(opened, number, Some(layout), &mut self.scratch, copy)?;
            before.extend(bytes.map(|bytes| (part.page, bytes)));
        }
        for part in parts {
            let put = |bytes: &mut [u8]| {
                page::clear(bytes, layout);
                for (which, (page, was)) in part.nodes.iter().enumerate().filter_map(|(i, was)| Some((i, (*was)?))) {
                    if let Some(value) = before.get(&page).and_then(|bytes| page::value(bytes, layout, was)) {
                        page::set(bytes, layout, which, value);
                    }
                }
            };
            self.rewrite(opened, (layout, page_at(part.page)?, part.fresh), put)?;
        }
        Ok(())
    }

    /// Adds a page to the pages of this transaction, if images go into the journal or the commit makes room.
    fn touch(&mut self, opened: &OpenGlobal, number: u64) -> io::Result<()> {
        if self.shared.profile.write_back.has_trigger() {
            self.updated.push(number);
        }
        if opened.newest.is_some() && !self.touched.contains(&number) {
            self.touched.push(number);
            let sessions = u64::from(self.shared.sessions.load(Relaxed)).max(1);
            if self.touched.len() as u64 >= (self.shared.pool.frames() / 4 / sessions).max(1) {
                // The transaction has more pages than fit, so they are written to the journal before it ends.
                self.put_images(opened)?;
            }
        }
        Ok(())
    }

    /// Sets the value at a position in a page.
    fn set_at(
        &mut self,
        opened: &OpenGlobal,
        (layout, number, which): (Layout, u64, usize),
        value: &[u8],
    ) -> io::Result<Set> {
        add(&self.shared.counts.cut, u64::from(value.len() > layout.longest()));
        let mut set = Set::default();
        let indexed = self.indexes.count > 0;
        let mut old = std::mem::take(&mut self.old);
        let rule = &self.shared.profile.journal;
        let (overhead, count) = (rule.record_overhead.value as usize, rule.values.value as usize);
        let values = [value; MOST_VALUES];
        let end = self.change(opened, (layout, number), Some((overhead, &values[..count])), |bytes, fresh| {
            set.fresh = fresh;
            if let Some(stood) = page::value(bytes, layout, which).filter(|_| indexed) {
                set.was = stood.len().min(old.len());
                old[..set.was].copy_from_slice(&stood[..set.was]);
            }
            set.new = page::set(bytes, layout, which, value);
        });
        self.old = old;
        Ok(Set { end: end?, ..set })
    }

    /// Writes the pages of this transaction to the journal, which then contains their latest versions.
    fn put_images(&mut self, opened: &OpenGlobal) -> io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let Some(journal) = &opened.journal else { return Ok(()) };
        let header = &self.filler[..shared.profile.journal.image_header.value as usize];
        for number in &self.touched {
            let image = &mut self.image;
            let put = |bytes: &mut [u8], frame: &mut Frame, _| {
                image.copy_from_slice(bytes);
                page::seal(image, frame.imaged, shared.page);
                let (place, _) = journal.append(&[header, image])?;
                frame.dirty = false;
                Ok(place + header.len() as u64)
            };
            if let Some(place) = shared.pool.with_page(opened, *number, None, &mut self.scratch, put)?
                && let Some(mut places) = opened.places()
            {
                places.insert(*number, place);
            }
            add(&shared.counts.page_images, 1);
        }
        self.touched.clear();
        Ok(())
    }

    /// Sends a statement to the server, if there is a server, and waits for the answer.
    fn call_server(&mut self) -> io::Result<()> {
        self.server.as_mut().map_or(Ok(()), ServerProcess::call)
    }

    /// Returns `true` if all nodes of a batch are new: their subscripts increase and are above the last loaded
    /// subscript. Once a batch may contain an existing node, the load has ended.
    fn is_load(&mut self, batch: &Batch<'_>) -> bool {
        let last = batch.keys.last().map(|key| key.subscript);
        self.loaded = self.loaded.filter(|last| batch.rises_from(*last)).and(last);
        self.loaded.is_some()
    }

    fn commit(&mut self, opened: &OpenGlobal) -> io::Result<()> {
        add(&self.shared.counts.commits, 1);
        self.updated.sort_unstable();
        self.updated.dedup();
        let pages = std::mem::take(&mut self.updated).len();
        let Some(journal) = &opened.journal else { return self.call_server() };
        let profile = &self.shared.profile;
        let record = profile.journal.commit_record.value as usize;
        let (durable, lazy_writes) = (self.shared.how.durable, profile.commits.lazy_writes.value);
        if opened.newest.is_some() {
            self.put_images(opened)?;
        }
        let end = if record > 0 { journal.append(&[&self.filler[..record]])?.1 } else { journal.end() };
        if durable || lazy_writes {
            let shared = match &mut self.server {
                Some(server) => server.flush(end, durable)?,
                None => self.shared.counts.journal.timed(Waiter::Sessions, || journal.flush(end, durable))?,
            };
            // Page writes also wait for the journal, but they are not commits.
            add(&self.shared.counts.shared_syncs, u64::from(shared && durable));
        } else {
            self.call_server()?;
        }
        self.shared.pool.make_room(pages, durable)?;
        self.shared.pool.heed_trigger();
        Ok(())
    }

    fn update(&mut self, batch: &Batch<'_>, result: &mut BatchResult) -> io::Result<()> {
        // All keys of a batch belong to the worker's own global.
        let opened = global(&self.globals, batch.keys[0].global)?;
        let began = Instant::now();
        if let Some(journal) = &opened.journal {
            journal.transaction(true);
        }
        // The holder of this lock moves the contents of the journal to its pages.
        let alone = || opened.newest.as_ref().map(|n| locked(&n.writer));
        let _alone = self.shared.counts.data.timed(Waiter::Sessions, alone);
        let done = self.update_all(&opened, batch, result);
        if let Some(journal) = &opened.journal {
            journal.transaction(false);
        }
        result.whole = nanos(began);
        done
    }

    fn update_all(&mut self, opened: &OpenGlobal, batch: &Batch<'_>, result: &mut BatchResult) -> io::Result<()> {
        let is_load = self.is_load(batch);
        if batch.transaction {
            // A transaction begins with a separate statement.
            self.call_server()?;
        }
        let mut last = Instant::now();
        for (which, key) in batch.keys.iter().enumerate() {
            let value = batch.values.get(which);
            if batch.transaction && (which == 0 || !is_load) {
                self.call_server()?;
            }
            self.set(opened, *key, value)?;
            if !batch.transaction {
                self.commit(opened)?;
            }
            let now = Instant::now();
            result.each.push((now - last).as_nanos() as u64);
            result.bytes += value.len() as u64;
            last = now;
        }
        add(&self.shared.counts.sets, batch.keys.len() as u64);
        if batch.transaction {
            self.commit(opened)?;
            result.commits.push(nanos(last));
        }
        Ok(())
    }

    fn read(&mut self, batch: &Batch<'_>, result: &mut BatchResult) -> io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let mut last = Instant::now();
        for (which, key) in batch.keys.iter().enumerate() {
            if which == 0 || batch.kind == BatchKind::Read {
                self.call_server()?;
            }
            let opened = global(&self.globals, key.global)?;
            let place = opened.global.layout().and_then(|layout| Some((layout, self.find(&opened, layout, *key)?)));
            let value_length = match place {
                None => None,
                Some((layout, (number, which, index))) => {
                    if let Some(index) = index {
                        self.look_at(&opened, index)?;
                    }
                    let read_length = |bytes: &mut [u8], _: &mut Frame, _| Ok(page::get(bytes, layout, which));
                    shared.pool.with_page(&opened, number, None, &mut self.scratch, read_length)?.flatten()
                }
            };
            let now = Instant::now();
            match value_length {
                Some(length) => {
                    result.bytes += length as u64;
                    result.each.push((now - last).as_nanos() as u64);
                }
                None => result.missing += 1,
            }
            last = now;
        }
        add(&shared.counts.gets, batch.keys.len() as u64);
        Ok(())
    }
}

impl Session for ModelSession {
    fn perform(&mut self, batch: &Batch<'_>, result: &mut BatchResult) -> io::Result<()> {
        let done = match batch.kind {
            BatchKind::Update => self.update(batch, result),
            // Nodes are stored in the order of their subscripts.
            BatchKind::Read | BatchKind::Scan => self.read(batch, result),
        };
        done.map_err(|e| io::Error::other(format!("model: {e}")))
    }
}

//! Sessions of a load. Each session has a separate process, because an M engine takes over the process that loads it.

use super::install::Install;
use super::link::Link;
use super::wire::{Reader, frame_size, read_result, write_batch};
use crate::{Environment, Marker};
use load::names::Namer;
use load::session::{Batch, BatchKind, BatchResult, Session, Sessions};
use model::Job;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Maximum size of an index key after a value, in bytes.
const KEY: usize = 11;

/// Factory for the sessions of a database.
pub struct GtmSessions {
    /// Environment with the secchi program that each session starts.
    pub surroundings: Environment,
    /// Installation with the library that each session loads.
    pub install: Install,
    /// Marker of the database.
    pub marker: Marker,
    /// True if a commit returns only once it is durable.
    pub durable: bool,
    /// Set while an epoch is written.
    pub writing_back: Arc<AtomicBool>,
}

impl Sessions for GtmSessions {
    fn open(&self, job: &Job, _worker: u32) -> Result<Box<dyn Session>, String> {
        let indexes = job.tuning.work.session().map_or(0, |rule| rule.extra.indexes);
        let mut link = Link::open(&self.surroundings, &self.install, &self.marker, (self.durable, indexes), true)
            .map_err(|e| e.to_string())?;
        let mut namer = None;
        if let Some(rule) = job.tuning.work.session() {
            let (batch, longest) = (rule.batch.max(1) as usize, rule.value.longest() as usize);
            link.frame.reserve(frame_size(batch, longest + KEY * indexes as usize, rule.names.as_ref()));
            link.answer.reserve(64 + 16 * batch);
            namer = rule.names.as_ref().map(Namer::new);
        }
        Ok(Box::new(GtmSession { link, namer, indexes }))
    }

    fn writing_back(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.writing_back)
    }
}

struct GtmSession {
    link: Link,
    /// Generator of node names; `None` for integer subscripts.
    namer: Option<Namer>,
    /// Number of secondary-index keys after each value.
    indexes: u32,
}

impl Session for GtmSession {
    fn perform(&mut self, batch: &Batch<'_>, result: &mut BatchResult) -> io::Result<()> {
        write_batch(&mut self.link.frame, batch, self.namer.as_mut(), self.indexes);
        self.link.exchange()?;
        read_result(Reader::answer(&self.link.answer)?, batch.keys.len(), result)?;
        if batch.kind == BatchKind::Update {
            // The index keys that follow the values are not counted.
            result.bytes = (0..batch.keys.len()).map(|i| batch.values.get(i).len() as u64).sum();
        }
        Ok(())
    }
}

//! Operations of a store on tags and notes.

use crate::os;
use crate::runs::error::StoreError;
use crate::runs::id;
use crate::runs::labels_file::{self, LABELS, LOCK, LabelChange};
use crate::runs::server::Relabelled;
use crate::runs::store::{Indexed, Store};
use model::record::Labels;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const POLL: Duration = Duration::from_millis(5);

impl Store {
    pub(crate) fn labels_path(&self, id: &str) -> Result<PathBuf, StoreError> {
        id::check(id)?;
        Ok(self.runs().join(format!("{id}.{LABELS}")))
    }

    /// Returns all labels by id, and one sentence for each unreadable file.
    pub(crate) fn all_labels(&self) -> Result<(BTreeMap<String, Labels>, Vec<String>), StoreError> {
        let (mut by_id, mut unread) = (BTreeMap::new(), Vec::new());
        self.each_file(|stem, extension, path| {
            if extension == LABELS {
                match labels_file::read(path) {
                    Ok(labels) => drop(by_id.insert(stem.to_owned(), labels)),
                    Err(e) => unread.push(e.to_string()),
                }
            }
        })?;
        Ok((by_id, unread))
    }

    /// Takes the lock for label changes, and waits for it if necessary.
    pub(crate) fn lock_labels(&self) -> Result<File, StoreError> {
        let path = self.dir().join(LOCK);
        let bad = |why: String| StoreError::Labels { path: path.clone(), why };
        let file = os::open_or_create(&path).map_err(|e| bad(e.to_string()))?;
        let deadline = Instant::now() + self.patience();
        while !os::lock_exclusive(&file).map_err(|e| bad(e.to_string()))? {
            if Instant::now() >= deadline {
                return Err(bad("another process kept it locked for too long".to_owned()));
            }
            std::thread::sleep(POLL);
        }
        Ok(file)
    }

    /// Changes the tags and note of a run; the journal is unchanged. Accepts only a whole id.
    ///
    /// # Errors
    /// Returns an error if there is no such run, if the new labels exceed the limits, or if the labels file cannot be
    /// written. An unusable index is not an error.
    pub fn relabel(&self, id: &str, change: &LabelChange) -> Result<(Labels, Indexed), StoreError> {
        let path = self.labels_path(id)?;
        if !self.is_here(id)? {
            return match self.server().ok_or_else(|| StoreError::unknown(id))?.relabel(id, change)? {
                Relabelled::Changed(labels) => Ok((labels, Indexed::Yes)),
                Relabelled::OutOfBounds(why) => Err(why.into()),
                Relabelled::NoSuchRun => Err(StoreError::unknown(id)),
            };
        }
        let _turn = self.lock_labels()?;
        let new = change.apply(&labels_file::read(&path)?)?;
        labels_file::write(&path, &new)?;
        let indexed = self.change_index(|index| index.relabel(id, &new));
        Ok((new, indexed))
    }

    /// Returns the tags and note of a run. Accepts only a whole id.
    ///
    /// # Errors
    /// Returns an error if the labels file cannot be read.
    pub fn labels(&self, id: &str) -> Result<Labels, StoreError> {
        if let Some(server) = self.server()
            && !self.is_here(id)?
        {
            return Ok(server.labels(id)?.unwrap_or_default());
        }
        labels_file::read(&self.labels_path(id)?)
    }
}

//! Listing of runs. It also updates the index from the journals, which are authoritative.

use crate::filter::Filter;
use crate::index::error::IndexError;
use crate::index::index_file::{Change, Index};
use crate::index::rows::IndexRow;
use crate::runs::error::StoreError;
use crate::runs::store::{Indexed, Store};
use crate::summary::{RunStatus, RunSummary};
use crate::time;
use model::record::Labels;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

/// All runs of a store.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// Runs, newest first.
    pub runs: Vec<RunSummary>,
    /// State of the index after the listing.
    pub indexed: Indexed,
    /// Remarks for the user, one sentence each, for example about unreadable labels.
    pub remarks: Vec<String>,
}

impl Store {
    /// Lists all runs, newest first, and updates the index: adds rows for journals without one, deletes rows without a
    /// journal, and marks runs that were killed since the last listing as interrupted.
    ///
    /// # Errors
    /// Returns an error if the directory or the team's store cannot be read. An unusable index is not an error: the
    /// journals are read instead.
    pub fn list(&self) -> Result<Listing, StoreError> {
        let here = self.list_here()?;
        self.with_team(here, None)
    }

    /// Lists the runs stored on this machine.
    pub(crate) fn list_here(&self) -> Result<Listing, StoreError> {
        let indexed_at = Index::written(self.dir());
        let opened = self.open_index().and_then(|index| self.rows(index));
        let (index, rows, unusable) = match opened {
            Ok((index, rows)) => (Some(index), rows, None),
            Err(e) => (None, Vec::new(), Some(e)),
        };
        // Read the journals after the rows. A journal is created before its row, so a row without a journal has lost
        // its journal.
        let (labels, remarks) = self.all_labels()?;
        let (mut runs, changes) = self.reconcile(rows, labels, indexed_at)?;
        self.sweep()?;
        newest_first(&mut runs);
        let indexed = Indexed::from_result(match (index, unusable) {
            (Some(mut index), _) => index.amend(&changes).map(|()| index.aside),
            (None, Some(e)) => Err(e),
            (None, None) => Err(IndexError::Other("it was not opened".to_owned())),
        });
        Ok(Listing { runs, indexed, remarks })
    }

    /// Returns the runs that match `filter`, newest first. Updates the index like [`Store::list`].
    ///
    /// # Errors
    /// Returns the same errors as [`Store::list`]. If the index is unusable, a temporary one is created in memory.
    pub fn list_where(&self, filter: &Filter) -> Result<Listing, StoreError> {
        let mut listing = self.list_here()?;
        let of_file = match listing.indexed {
            Indexed::No(_) => None,
            _ => self.open_index().and_then(|index| index.select(filter)).ok(),
        };
        match of_file {
            Some(ids) => keep(&mut listing.runs, ids),
            None => filter.retain(&mut listing.runs)?,
        }
        self.with_team(listing, Some(filter))
    }

    /// Adds the runs of the team's store to the runs on this machine, which are still running or have not been pushed
    /// yet.
    fn with_team(&self, mut listing: Listing, filter: Option<&Filter>) -> Result<Listing, StoreError> {
        let Some(server) = self.server() else { return Ok(listing) };
        let waiting = listing.runs.iter().filter(|r| r.state != RunStatus::Running).count();
        if waiting > 0 {
            listing.remarks.push(format!(
                "{} of these {} only on this machine until `secchi runs push` copies {} to {}",
                waiting,
                if waiting == 1 { "is" } else { "are" },
                if waiting == 1 { "it" } else { "them" },
                server.name()
            ));
        }
        let here: BTreeSet<String> = listing.runs.iter().map(|r| r.id.clone()).collect();
        listing.runs.extend(self.team_runs(server, filter)?.into_iter().filter(|r| !here.contains(&r.id)));
        newest_first(&mut listing.runs);
        Ok(listing)
    }

    /// Reads all rows. If this reveals damage, replaces the index.
    fn rows(&self, index: Index) -> Result<(Index, Vec<IndexRow>), IndexError> {
        match index.rows() {
            Err(IndexError::Corrupt(_)) => {
                let index = index.replace(self.dir(), self.patience())?;
                let rows = index.rows()?;
                Ok((index, rows))
            }
            rows => rows.map(|rows| (index, rows)),
        }
    }

    /// Returns the runs as stored in the journals, and the changes needed to update the index.
    fn reconcile(
        &self,
        rows: Vec<IndexRow>,
        mut labels: BTreeMap<String, Labels>,
        indexed_at: Option<SystemTime>,
    ) -> Result<(Vec<RunSummary>, Vec<Change>), StoreError> {
        let mut rows: BTreeMap<String, IndexRow> = rows.into_iter().map(|r| (r.summary.id.clone(), r)).collect();
        let mut runs = Vec::new();
        let mut changes = Vec::new();
        for id in self.ids_here()? {
            let row = rows.remove(&id);
            let mut run = match &row {
                Some(row) if row.sound && row.summary.state.is_settled() && !self.written_after(&id, indexed_at) => {
                    row.summary.clone()
                }
                row => self.summarize_and_release(&id, row.as_ref()),
            };
            run.labels = labels.remove(&id).unwrap_or_default();
            changes.extend(change(row, &run));
            runs.push(run);
        }
        changes.extend(rows.into_values().map(|r| Change::Delete { id: r.summary.id, was: r.crc }));
        Ok((runs, changes))
    }

    /// Returns `true` if the journal of `id` was written after the last write to the index, so that the index row may
    /// be outdated.
    pub(crate) fn written_after(&self, id: &str, indexed_at: Option<SystemTime>) -> bool {
        let written = self.journal_path(id).ok().and_then(|p| p.symlink_metadata().ok()?.modified().ok());
        matches!((written, indexed_at), (Some(journal), Some(index)) if journal > index)
    }

    /// Summarizes the journal of `id`, and releases the space reserved by a run that was killed.
    fn summarize_and_release(&self, id: &str, row: Option<&IndexRow>) -> RunSummary {
        let run = self.summarize_journal(id, row.filter(|r| r.sound).map(|r| &r.summary));
        if run.state.is_settled() && !row.is_some_and(|r| r.summary.state.is_settled()) {
            self.release_reserve(id);
        }
        run
    }

    /// Summarizes the journal of `id`; if it cannot be read, the summary is based on `known`.
    pub(crate) fn summarize_journal(&self, id: &str, known: Option<&RunSummary>) -> RunSummary {
        let recovered = match self.recover_id(id) {
            Ok(recovered) if recovered.record.id == id => recovered,
            Ok(other) => {
                let reason = format!("the journal contains another run, {}", other.record.id);
                return RunSummary::unreadable(id, &reason.into(), known);
            }
            Err(e) => {
                let mut run = RunSummary::unreadable(id, &e.cause.sentence(), known);
                if e.cause.is_damage() {
                    run.state = RunStatus::Damaged;
                }
                return run;
            }
        };
        let mut run = RunSummary::from_recovered(&recovered);
        if !recovered.live {
            run.set_digest(self.digest_of(&recovered.record));
        }
        run
    }
}

impl Filter {
    /// Keeps only the runs that match the filter, in the same order. Does not open the index file.
    ///
    /// # Errors
    /// Returns an error if the temporary index in memory cannot be created or queried.
    pub fn retain(&self, runs: &mut Vec<RunSummary>) -> Result<(), StoreError> {
        let ids = Index::in_memory(runs.iter()).and_then(|index| index.select(self));
        keep(runs, ids.map_err(|e| StoreError::Filter(e.to_string()))?);
        Ok(())
    }
}

fn keep(runs: &mut Vec<RunSummary>, ids: Vec<String>) {
    let ids: BTreeSet<String> = ids.into_iter().collect();
    runs.retain(|run| ids.contains(&run.id));
}

/// Sorts runs, newest first. Runs with the same start are sorted by id, so that the order is stable.
pub(crate) fn newest_first(runs: &mut [RunSummary]) {
    runs.sort_by_cached_key(|run| Reverse((time::parse_instant(&run.started), run.id.clone())));
}

/// Returns the change that updates `row` to match `run`, if one is needed.
fn change(row: Option<IndexRow>, run: &RunSummary) -> Option<Change> {
    match row {
        None => Some(Change::Insert(run.clone())),
        // The duration of a live run changes constantly. Its row is not rewritten if only the duration differs.
        Some(row)
            if row.sound
                && run.state == RunStatus::Running
                && (row.summary.state, &row.summary.labels) == (run.state, &run.labels) =>
        {
            None
        }
        Some(row) if row.sound && row.summary == *run => None,
        Some(row) => Some(Change::Replace { summary: run.clone(), was: row.crc }),
    }
}

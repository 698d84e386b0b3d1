//! The list of runs: the index brought in line with the journals, which are the truth.

use crate::error::StoreError;
use crate::index::{Change, Index, IndexError, IndexRow};
use crate::store::{Indexed, Store};
use crate::summary::{RunStatus, RunSummary};
use crate::time;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// All runs of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Newest first.
    pub runs: Vec<RunSummary>,
    /// Whether the index is in line with them now.
    pub indexed: Indexed,
}

impl Store {
    /// Lists all runs, newest first, and brings the index in line: journals without a row get one, rows without a
    /// journal go, runs killed meanwhile become interrupted.
    ///
    /// # Errors
    /// When the directory cannot be read. An index that cannot be used is no error: the journals are read instead.
    pub fn list(&self) -> Result<Listing, StoreError> {
        let opened = self.open_index().and_then(|index| self.rows(index));
        let (index, rows, unusable) = match opened {
            Ok((index, rows)) => (Some(index), rows, None),
            Err(e) => (None, Vec::new(), Some(e)),
        };
        // After the rows: a journal is there before its row, so a row without a journal now has lost it.
        let (mut runs, changes) = self.reconcile(rows)?;
        self.sweep()?;
        newest_first(&mut runs);
        let indexed = Indexed::from_result(match (index, unusable) {
            (Some(mut index), _) => index.amend(&changes).map(|()| index.aside),
            (None, Some(e)) => Err(e),
            (None, None) => Err(IndexError::Other("it was not opened".to_owned())),
        });
        Ok(Listing { runs, indexed })
    }

    /// Reads all rows; damage found only now has the index replaced.
    fn rows(&self, index: Index) -> Result<(Index, Vec<IndexRow>), IndexError> {
        match index.rows() {
            Err(IndexError::Corrupt(_)) => {
                let index = self.replace_index(index)?;
                let rows = index.rows()?;
                Ok((index, rows))
            }
            rows => rows.map(|rows| (index, rows)),
        }
    }

    /// The runs as the journals tell, and what must change in the index for it to say the same.
    fn reconcile(&self, rows: Vec<IndexRow>) -> Result<(Vec<RunSummary>, Vec<Change>), StoreError> {
        let mut rows: BTreeMap<String, IndexRow> = rows.into_iter().map(|r| (r.summary.id.clone(), r)).collect();
        let mut runs = Vec::new();
        let mut changes = Vec::new();
        for id in self.ids()? {
            let row = rows.remove(&id);
            match row {
                Some(row) if row.sound && row.summary.state.is_settled() => runs.push(row.summary),
                row => {
                    let run = self.look(&id, row.as_ref());
                    changes.extend(change(row, &run));
                    runs.push(run);
                }
            }
        }
        changes.extend(rows.into_values().map(|r| Change::Delete { id: r.summary.id, was: r.crc }));
        Ok((runs, changes))
    }

    /// What the journal of `id` tells; what a killed run had reserved behind it is given back.
    fn look(&self, id: &str, row: Option<&IndexRow>) -> RunSummary {
        let run = self.tell(id, row.filter(|r| r.sound).map(|r| &r.summary));
        if run.state.is_settled() {
            self.release_reserve(id);
        }
        run
    }

    /// What the journal of `id` tells; `known` is what is known of it where it cannot be read.
    pub(crate) fn tell(&self, id: &str, known: Option<&RunSummary>) -> RunSummary {
        let recovered = match self.recover_id(id) {
            Ok(recovered) if recovered.record.id == id => recovered,
            Ok(other) => {
                let why = format!("the journal holds another run, {}", other.record.id);
                return RunSummary::unreadable(id, &why, known);
            }
            Err(e) => return RunSummary::unreadable(id, &e.cause.to_string(), known),
        };
        let mut run = RunSummary::of(&recovered);
        if !recovered.live {
            run.set_verdict(&self.verdict_of(&recovered.record));
        }
        run
    }
}

/// Puts runs in the order of a listing.
pub(crate) fn newest_first(runs: &mut [RunSummary]) {
    runs.sort_by_cached_key(|run| Reverse((time::instant(&run.started), run.id.clone())));
}

/// The change that makes `row` say what `run` says.
fn change(row: Option<IndexRow>, run: &RunSummary) -> Option<Change> {
    match row {
        None => Some(Change::Insert(run.clone())),
        // Time passes; a row of a living run is not written again for that.
        Some(row) if row.sound && run.state == RunStatus::Running && row.summary.state == run.state => None,
        Some(row) if row.sound && row.summary == *run => None,
        Some(row) => Some(Change::Replace { summary: run.clone(), was: row.crc }),
    }
}

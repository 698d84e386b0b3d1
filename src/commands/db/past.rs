//! What was run on a database before: found in the store by the identity in its marker, never by where it lies. A copy has none.

use super::said;
use crate::args::{DbDir, StoreArg};
use crate::commands::show;
use crate::exit::{self, coded};
use crate::terminal::remark;
use anyhow::Result;
use db::Marker;
use model::{Judgement, RunRecord};
use report::formats::perftools::{Batch, history};
use store::{RunStatus, Store};

/// A database, and the store its runs are in, if there is one.
pub struct Past {
    pub marker: Marker,
    pub store: Option<Store>,
}

impl Past {
    pub fn open(place: &DbDir, store: &StoreArg) -> Result<Past> {
        let marker = Marker::of(&place.dir).map_err(said)?;
        Ok(Past { marker, store: show::open_existing(store)? })
    }

    /// Its runs, judged. Journals that cannot be read are told and passed over.
    pub fn runs(&self) -> Result<Vec<(RunRecord, Judgement)>> {
        let Some(store) = &self.store else { return Ok(Vec::new()) };
        let listing = store.list().map_err(|e| coded(exit::CANNOT, e))?;
        let uuid = self.marker.uuid.to_string();
        let mut found = Vec::new();
        for run in listing.runs.iter().filter(|r| r.command == "db" && r.state != RunStatus::Unreadable) {
            match store.read(&run.id) {
                Ok(record) if record.database.as_ref().is_some_and(|d| d.uuid == uuid) => {
                    let judgement = analysis::judge(&record);
                    found.push((record, judgement));
                }
                Ok(_) => {}
                Err(error) => remark(&format!("passed over: {error}")),
            }
        }
        Ok(found)
    }

    /// Its tests as PerfTools would have numbered them.
    pub fn batches(&self) -> Result<Vec<Batch>> {
        Ok(history(&self.runs()?))
    }
}

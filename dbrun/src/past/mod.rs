//! Past runs on a database. They are found in the store by the identity in the database's marker, not by its path, so a
//! copy has no past runs.

pub mod export;
pub mod history;
pub mod import;
pub mod reset;

use super::cli_error;
use anyhow::Result;
use cli::{DbDir, StoreArg};
use db::Marker;
use messages::sentence;
use model::{Bytes, Judgement, RunRecord, measured::DatabaseUse, plan::KindName};
use report::formats::perftools::{Batch, history};
use session::console::remark_of;
use session::exit::{self, coded};
use session::hosts::folder_name;
use std::path::Path;
use store::{RunStatus, Store};
use uuid::Uuid;

/// A database and, if it exists, the store of its runs.
pub struct Past {
    pub of: Known,
    pub store: Option<Store>,
}

/// Properties that all runs of a database share.
pub struct Known {
    /// Identity of the database, constant over its lifetime.
    pub uuid: Uuid,
    /// Name given at setup. A database that has only imported runs has the name given on the command line.
    pub name: String,
    /// Page size.
    pub page: Bytes,
    /// True if updates are journaled.
    pub journal: bool,
    /// True if this is the database of rank 0 in a directory with the databases of several ranks.
    pub of_ranks: bool,
}

/// Page size of the engines whose runs are imported.
const PAGE: Bytes = Bytes(8192);

impl Known {
    /// Returns the database of a directory, as described by its marker. Without a marker it is an external database,
    /// and the directory is its name.
    pub fn from_directory(directory: &Path) -> Result<Known> {
        // A directory that contains the databases of several ranks represents the runs of all ranks.
        let first = directory.join(folder_name(0));
        if is_elsewhere(directory) && !is_elsewhere(&first) {
            return Known::from_directory(&first).map(|known| Known { of_ranks: true, ..known });
        }
        if is_elsewhere(directory) {
            let name = directory.to_string_lossy().trim_end_matches('/').to_owned();
            return Ok(Known { uuid: named(&name), name, page: PAGE, journal: true, of_ranks: false });
        }
        let marker = Marker::read_proven(directory).map_err(cli_error)?;
        Ok(Known { uuid: marker.uuid, name: marker.name, page: marker.page, journal: marker.journal, of_ranks: false })
    }

    /// Returns `true` if a run used this database, either alone or as the database of rank 0.
    fn has(&self, used: &DatabaseUse) -> bool {
        let uuid = self.uuid.to_string();
        if self.of_ranks { used.hosts.first().is_some_and(|d| d.uuid == uuid) } else { used.uuid == uuid }
    }
}

/// Returns `true` if the directory does not contain a database created by secchi.
fn is_elsewhere(directory: &Path) -> bool {
    directory.join(db::MARKER).symlink_metadata().is_err()
}

/// Returns the identity of a database that has only a name; the same name always has the same identity (FNV-1a, 128
/// bits).
fn named(name: &str) -> Uuid {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    const BASIS: u128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D;
    let hash = name.bytes().fold(BASIS, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    uuid::Builder::from_custom_bytes(hash.to_be_bytes()).into_uuid()
}

impl Past {
    pub fn open(place: &DbDir, store: &StoreArg) -> Result<Past> {
        let past = Past {
            of: Known::from_directory(&place.dir)?,
            store: session::run_store::open_existing(store.store.as_ref())?,
        };
        if is_elsewhere(&place.dir) && !past.of.of_ranks && past.runs()?.is_empty() {
            // Nothing was imported under this name, so the cause of the error is that there is no database.
            Marker::read_proven(&place.dir).map_err(cli_error)?;
        }
        Ok(past)
    }

    /// Returns the runs of the database with their judgements. Journals that cannot be read are reported and skipped.
    pub fn runs(&self) -> Result<Vec<(RunRecord, Judgement)>> {
        let Some(store) = &self.store else { return Ok(Vec::new()) };
        let listing = store.list().map_err(|e| coded(exit::CANNOT, e))?;
        let mut judged = Vec::new();
        for run in
            listing.runs.iter().filter(|r| r.kind == Some(KindName::Database) && r.state != RunStatus::Unreadable)
        {
            match store.read(&run.id) {
                Ok(record) if record.database().is_some_and(|d| self.of.has(d)) => {
                    let judgement = analysis::judge(&record);
                    judged.push((record, judgement));
                }
                Ok(_) => {}
                Err(error) => remark_of(&sentence!("remark-skipped", why = error.to_string())),
            }
        }
        Ok(judged)
    }

    /// Returns the tests of the database, numbered as in PerfTools.
    pub fn batches(&self) -> Result<Vec<Batch>> {
        Ok(history(&self.runs()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_imported_under_a_name_is_found_under_it_again() {
        let iris = |text: &str| Known::from_directory(Path::new(text)).expect("any name will do");
        assert_eq!(iris("iris-prod").uuid, iris("iris-prod/").uuid);
        assert_ne!(iris("iris-prod").uuid, iris("iris-test").uuid);
        assert_eq!((iris("iris-prod").name.as_str(), iris("x").page), ("iris-prod", Bytes(8192)));
    }
}

//! `secchi runs join`: combines the parts of a run that its ranks stored into one record.

use super::selection::listed;
use anyhow::Result;
use cli::RunsJoin;
use jiff::{SignedDuration, Timestamp};
use messages::sentence;
use model::{RunEvent, RunRecord};
use session::console::{print, remark_of};
use session::exit::{self, Code, coded};
use session::hosts::{PARTS, join_parts};
use session::measure::run_id;
use session::reject;
use session::run_store::{digest_of, judging, some_store, unread};
use store::{RunSummary, RunWriter, Store, StoreError};

/// Longest time between the start times of the ranks of a run, as given by the clocks of their hosts.
const BEGUN_WITHIN: SignedDuration = SignedDuration::from_mins(30);

pub fn run(options: &RunsJoin) -> Result<Code> {
    let store = some_store(options.store.store.as_ref())?;
    let stores = [Some(store.clone()), parts_within(&store)?].into_iter().flatten().collect::<Vec<Store>>();
    let mut records: Vec<RunRecord> = Vec::new();
    for typed in &options.runs {
        let record = read(&stores, typed)?;
        if records.iter().all(|known| known.id != record.id) {
            records.push(record);
        }
    }
    let run = run_of(&records[0]).to_owned();
    if let [only] = records.as_slice() {
        let others = others(&stores, only, &run)?;
        records.extend(others);
    }
    // Add the part stored by rank 0, even if it was not named.
    if records.iter().all(|record| record.id != run)
        && let Some(kept) = stores.iter().find_map(|store| store.read(&run).ok())
    {
        records.push(kept);
    }
    let (parts, mut wholes): (Vec<_>, Vec<_>) = records.into_iter().partition(|r| r.preflight.part.is_some());
    let whole = match (wholes.pop(), wholes.as_slice()) {
        (Some(_), [other, ..]) => {
            reject!("{} and {run} are not parts of one run", other.id);
        }
        (whole, []) if !parts.is_empty() => whole,
        (Some(whole), _) if whole.preflight.ranks.len() < 2 => {
            reject!("{} is a run of one process: there is nothing to join", whole.id);
        }
        _ => {
            reject!(
                "no part of run {run} is in this store: each rank's host has its part in {PARTS}/ of its store; bring \
                 it here with secchi runs export and import"
            );
        }
    };
    let stands = whole.is_some();
    let mut joined = join_parts(whole, parts).map_err(|reason| coded(exit::BAD_INPUT, reason))?;
    if stands {
        // The new record needs another ID, because rank 0's journal keeps the old one.
        joined.id = run_id();
    }
    let (id, ranks) = (joined.id.clone(), joined.preflight.ranks.len());
    write(&store, joined).map_err(|e| coded(exit::CANNOT, e))?;
    remark_of(&sentence!("remark-runs-joined", ranks, id = &id));
    print(|_, out| writeln!(out, "{id}"))?;
    Ok(exit::OK)
}

/// Returns the store of parts inside a store, if there is one.
fn parts_within(store: &Store) -> Result<Option<Store>> {
    let parts = Store::existing(&store.dir().join(PARTS)).map_err(|e| coded(exit::CANNOT, e))?;
    Ok(parts.map(judging))
}

/// Reads a run by its name from the first store that contains it.
fn read(stores: &[Store], typed: &str) -> Result<RunRecord> {
    let record = stores.iter().find_map(|store| store.find(typed).ok().map(|id| store.read(&id)));
    record.unwrap_or_else(|| stores[0].read(typed)).map_err(unread)
}

/// Returns the ID of the run that a record belongs to.
fn run_of(record: &RunRecord) -> &str {
    record.preflight.part.as_ref().map_or(&record.id, |part| &part.run)
}

/// Returns the other records of the run in these stores.
fn others(stores: &[Store], known: &RunRecord, run: &str) -> Result<Vec<RunRecord>> {
    let moment = |text: &str| text.parse::<Timestamp>().ok();
    let begun = moment(&known.started);
    let near = |summary: &RunSummary| match (begun, moment(&summary.started)) {
        (Some(a), Some(b)) => a.duration_since(b).abs() < BEGUN_WITHIN,
        _ => true,
    };
    let mut others: Vec<RunRecord> = Vec::new();
    for store in stores {
        let like = |summary: &RunSummary| {
            summary.id != known.id && summary.kind == Some(known.plan.kind.name()) && near(summary)
        };
        let records = listed(store, None)?.into_iter().filter(like).filter_map(|summary| store.read(&summary.id).ok());
        for record in records.filter(|record| run_of(record) == run) {
            if others.iter().all(|other| other.id != record.id) {
                others.push(record);
            }
        }
    }
    Ok(others)
}

fn write(store: &Store, record: RunRecord) -> Result<(), StoreError> {
    let digest = digest_of(&record);
    let mut writer: Option<RunWriter> = None;
    record.retell(|event: RunEvent| match &mut writer {
        None => store.create_run(&event).map(|made| writer = Some(made)),
        Some(writer) => writer.append(&event).map_err(StoreError::from),
    })?;
    writer.map_or(Ok(()), |writer| writer.finish(digest).map(drop).map_err(StoreError::from))
}

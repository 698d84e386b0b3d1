//! `secchi runs join`: what ranks kept by themselves becomes the record of their run.

use super::selection::{find, listed};
use crate::args::RunsJoin;
use crate::exit::{self, Code, coded};
use crate::session::measure::run_id;
use crate::session::run_store::{digest_of, some_store, unread};
use crate::terminal::{print, remark};
use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use model::{RunEvent, RunRecord};
use run::ranks::join_parts;
use store::{RunSummary, RunWriter, Store, StoreError};

/// Ranks of a run begin within this time, by the clocks of their hosts.
const BEGUN_WITHIN: SignedDuration = SignedDuration::from_mins(30);

pub fn run(options: &RunsJoin) -> Result<Code> {
    let store = some_store(&options.store)?;
    let mut ids = Vec::new();
    for typed in &options.runs {
        let id = find(&store, typed)?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let records = ids.iter().map(|id| store.read(id).map_err(unread)).collect::<Result<Vec<RunRecord>>>()?;
    let (mut parts, mut wholes): (Vec<_>, Vec<_>) = records.into_iter().partition(|r| r.preflight.part.is_some());
    if let ([part], []) = (parts.as_slice(), wholes.as_slice()) {
        let others = others(&store, part)?;
        parts.extend(others);
    }
    let mut whole = wholes.pop();
    let run = match (parts.first().and_then(|p| p.preflight.part.as_ref()), wholes.as_slice()) {
        (Some(part), []) => part.run.clone(),
        _ => {
            let why = "these are not the parts of one run: of a run on many hosts whose rank 0 was lost, each rank keeps its own";
            return Err(coded(exit::BAD_INPUT, why));
        }
    };
    if whole.is_none() && store.ids().map_err(|e| coded(exit::CANNOT, e))?.contains(&run) {
        whole = Some(store.read(&run).map_err(unread)?);
    }
    let stands = whole.is_some();
    let mut joined = join_parts(whole, parts).map_err(|why| coded(exit::BAD_INPUT, why))?;
    if stands {
        // Rank 0's journal keeps its own.
        joined.id = run_id();
    }
    let (id, hosts) = (joined.id.clone(), joined.preflight.ranks.len());
    write(&store, joined).map_err(|e| coded(exit::CANNOT, e))?;
    remark(&format!("{hosts} ranks are in run {id}; their parts stay: secchi runs delete removes them"));
    print(|_, out| writeln!(out, "{id}"))?;
    Ok(exit::OK)
}

/// The other parts of the run in this store.
fn others(store: &Store, part: &RunRecord) -> Result<Vec<RunRecord>> {
    let moment = |text: &str| text.parse::<Timestamp>().ok();
    let begun = moment(&part.started);
    let near = |run: &RunSummary| match (begun, moment(&run.started)) {
        (Some(a), Some(b)) => a.duration_since(b).abs() < BEGUN_WITHIN,
        _ => true,
    };
    let candidates = listed(store, None)?.into_iter().filter(|r| r.id != part.id && r.command == part.plan.command);
    let same = |record: &RunRecord| match (&record.preflight.part, &part.preflight.part) {
        (Some(theirs), Some(own)) => theirs.run == own.run,
        _ => false,
    };
    Ok(candidates.filter(near).filter_map(|run| store.read(&run.id).ok()).filter(same).collect())
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

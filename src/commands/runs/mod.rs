//! `secchi runs`: lists, finds, tags and transfers stored runs, and shows the results of one plan over time.

mod delete;
mod join;
mod labels;
mod selection;
mod team;
mod transfer;
mod trend;

pub use delete::run as delete;
pub use selection::chosen;
#[cfg(feature = "serve")]
pub use selection::filter_of;

use anyhow::Result;
use cli::{Runs, RunsAction, RunsList, RunsOrder};
use messages::sentence;
use model::{CompactSort, Nanos, record::WorkloadFigures};
use report::{DocumentKind, RunRow};
use selection::listed;
use session::console::{print, remark_of};
use session::exit::{self, Code};
use std::cmp::Ordering;
use std::path::Path;
use store::{RunList, RunSummary};

pub fn run(options: &Runs) -> Result<Code> {
    match &options.action {
        None => list(&options.list),
        Some(RunsAction::Tag(o)) => labels::tag(o),
        Some(RunsAction::Note(o)) => labels::note(o),
        Some(RunsAction::Delete(o)) => delete(o),
        Some(RunsAction::Export(o)) => transfer::export(o),
        Some(RunsAction::Import(o)) => transfer::import(o),
        Some(RunsAction::Join(o)) => join::run(o),
        Some(RunsAction::Trend(o)) => trend::run(o),
        Some(RunsAction::Init(o)) => team::init(o),
        Some(RunsAction::Push(o)) => team::push(o),
    }
}

fn list(options: &RunsList) -> Result<Code> {
    let filter = options.filter.as_deref().map(selection::filter).transpose()?;
    let store = session::run_store::open_existing(options.store.store.as_ref())?;
    let mut runs = match &store {
        Some(store) => listed(store, filter.as_ref())?,
        None => Vec::new(),
    };
    order(&mut runs, options.sort, options.reverse);
    let total = runs.len();
    runs.truncate(options.max_count.unwrap_or(usize::MAX));
    if options.ids {
        print(|_, out| runs.iter().try_for_each(|r| writeln!(out, "{}", r.id)))?;
        return Ok(exit::OK);
    }
    if options.json {
        print(|_, out| report::write_document(DocumentKind::RunList, RunList { runs: &runs }, out))?;
        return Ok(exit::OK);
    }
    let shown = runs.len();
    let rows: Vec<RunRow> = runs.into_iter().map(row).collect();
    if options.csv {
        print(|_, out| report::write_runs_csv(&rows, out))?;
        return Ok(exit::OK);
    }
    if rows.is_empty() && (filter.is_some() || options.max_count == Some(0)) {
        remark_of(&sentence!("remark-runs-none-listed"));
        return Ok(exit::OK);
    }
    print(|style, out| report::write_runs(&rows, style, out))?;
    if shown < total {
        remark_of(&sentence!("remark-runs-part-shown", shown, all = total));
    }
    Ok(exit::OK)
}

/// Returns the row of a run in a list.
pub fn row(r: RunSummary) -> RunRow {
    RunRow {
        id: r.id,
        started: r.started,
        kind: r.kind,
        command: r.command,
        target: place_of(&r.target),
        state: r.state.name(),
        duration: r.duration,
        verdict: r.verdict,
        exit: r.exit,
        host: r.host,
        size: r.size,
        plan: r.plan,
        labels: r.labels,
        workloads: r.workloads,
    }
}

/// Sorts runs that are already in time order. Runs that lack the figure come last.
fn order(runs: &mut [RunSummary], by: RunsOrder, reverse: bool) {
    fn best<T: PartialOrd>(run: &RunSummary, get: fn(&WorkloadFigures) -> Option<T>, better: Ordering) -> Option<T> {
        run.workloads.iter().filter_map(get).reduce(|a, b| if b.partial_cmp(&a) == Some(better) { b } else { a })
    }
    fn known<T: PartialOrd>(a: Option<T>, b: Option<T>, first: Ordering, reverse: bool) -> Ordering {
        match (a, b) {
            (Some(a), Some(b)) => {
                let order = a.partial_cmp(&b).unwrap_or(Ordering::Equal);
                if (first == Ordering::Greater) != reverse { order.reverse() } else { order }
            }
            (a, b) => b.is_some().cmp(&a.is_some()),
        }
    }
    let iops = |r: &RunSummary| best(r, |w| w.iops.map(|i| i.per_second()), Ordering::Greater);
    let p99 = |r: &RunSummary| best::<Nanos>(r, |w| w.p99, Ordering::Less);
    let turned = |order: Ordering| if reverse { order.reverse() } else { order };
    match by {
        RunsOrder::Started if reverse => runs.reverse(),
        RunsOrder::Started => {}
        RunsOrder::Took => runs.compact_sort_by(|a, b| turned(b.duration.cmp(&a.duration))),
        RunsOrder::Size => runs.compact_sort_by(|a, b| turned(b.size.cmp(&a.size))),
        RunsOrder::Target => runs.compact_sort_by(|a, b| turned(place_of(&a.target).cmp(&place_of(&b.target)))),
        RunsOrder::Iops => runs.compact_sort_by(|a, b| known(iops(a), iops(b), Ordering::Greater, reverse)),
        RunsOrder::P99 => runs.compact_sort_by(|a, b| known(p99(a), p99(b), Ordering::Less, reverse)),
    }
}

/// Returns the path as the user named it: the directory, if secchi created the test file in one.
fn place_of(target: &str) -> String {
    model::plan::named_place(Path::new(target)).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_file_of_ours_is_shown_by_its_directory() {
        assert_eq!(place_of("/mnt/data/secchi-58bd13c7-bdd5-412b-85b9-8442fe6d68d0.dat"), "/mnt/data");
        assert_eq!(place_of("/secchi-58bd13c7-bdd5-412b-85b9-8442fe6d68d0.dat"), "/");
        assert_eq!(place_of("/dev/nvme0n1"), "/dev/nvme0n1");
    }
}

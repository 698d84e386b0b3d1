//! `secchi limits solve --recording`: finds the offers that support a recording, second by second.

use analysis::catalog::Catalog;
use analysis::{DemandBuilder, PurchaseBuilder, PurchaseRequest, PurchaseTerms};
use anyhow::Result;
use cli::LimitsSolve;
use model::judged::{Demand, Purchases};
use model::{Bytes, Nanos};
use report::Subject;
use session::console;
use session::exit::{self, Code, coded};
use session::inputs::catalogue::Bought;
use session::inputs::recordings;
use session::result_files::ResultFiles;
use session::result_files::print_subject;
use std::path::Path;

/// Longest duration for `--for` and `--wait`.
const LONGEST: Nanos = Nanos::from_secs(31 * 24 * 3600);

pub fn run(options: &LimitsSolve, path: &Path, catalog: &Catalog) -> Result<Code> {
    let terms = terms(options)?;
    let mut results = ResultFiles::claim_alone(&options.results.outputs, options.results.force, path)?;
    // Names are looked up before the recording is read, because it may be long.
    let bought = Bought::from_catalog(catalog, None, options.instance.as_ref())?.rows;
    let volumes = options.volumes.iter().map(|text| Ok(Bought::from_catalog(catalog, Some(text), None)?.rows));
    let volumes = volumes.collect::<Result<Vec<_>>>()?;
    volumes.iter().flatten().chain(&bought).flat_map(|b| &b.doubts).for_each(console::remark_of);
    let (mut demand, mut builder) = (DemandBuilder::default(), PurchaseBuilder::new(catalog));
    let read = recordings::read(path, |request, targets| {
        demand.add(request, targets);
        builder.add(request);
    })?;
    let demand = demand.finish(read.header.layer, read.end.as_ref(), &read.lost);
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    if demand.all.requests() == 0 {
        return Err(coded(exit::BAD_INPUT, format!("{name} has no reads or writes, so it needs no volume")));
    }
    let (room, rooms) = rooms(options, &demand)?;
    let request = PurchaseRequest {
        terms,
        providers: &options.provider,
        instance: options.instance.as_deref(),
        volumes: &options.volumes,
        room,
        rooms: &rooms,
    };
    let purchases = builder.solve(catalog, &demand, &read.targets, &request).map_err(|e| coded(exit::BAD_INPUT, e))?;
    let subject = Subject::Purchases { name: &name, purchases: &purchases, is_whole: options.all };
    results.write_subject(subject)?;
    print_subject(subject, options.json)?;
    let Some(damage) = read.damage else { return Ok(answer(&purchases)) };
    console::remark(&format!("{name}: {}", console::translate(&damage.sentence())));
    Ok(exit::INVALID)
}

/// Returns the exit code, which is 1 if no offer supports the recording.
fn answer(purchases: &Purchases) -> Code {
    let layouts = std::iter::once(&purchases.together).chain(&purchases.apart);
    let carries = layouts.flat_map(|l| &l.carrying).any(|p| p.carries);
    if carries { exit::OK } else { Code(1) }
}

fn terms(options: &LimitsSolve) -> Result<PurchaseTerms> {
    let refused = |reason: String| Err(coded(exit::BAD_INPUT, reason));
    let lasting = match options.lasting {
        Some(time) if time.is_zero() || time > LONGEST => {
            return refused(format!("--for {time}: must be 1 s to 31 days"));
        }
        lasting => lasting.map(|time| time.as_nanos().div_ceil(1_000_000_000)),
    };
    if options.wait > LONGEST {
        return refused(format!("--wait {}: must be at most 31 days", options.wait));
    }
    let wait = options.wait.as_nanos() / 1_000_000_000;
    Ok(PurchaseTerms { headroom: options.headroom.0, wait, lasting, credits: options.credits.0 })
}

/// Capacity for all roles on one volume, and capacity per role.
type Rooms = (Option<Bytes>, Vec<(String, Bytes)>);

fn rooms(options: &LimitsSolve, demand: &Demand) -> Result<Rooms> {
    let refused = |reason: String| coded(exit::BAD_INPUT, format!("--capacity {reason}"));
    let (mut room, mut rooms) = (None, Vec::<(String, Bytes)>::new());
    for capacity in &options.capacity {
        let Some(role) = &capacity.role else {
            if room.replace(capacity.size).is_some() {
                return Err(refused("is given more than once".to_owned()));
            }
            continue;
        };
        let known: Vec<&str> = demand.roles.iter().map(|r| r.role.as_str()).collect();
        if !known.contains(&role.as_str()) {
            let hint = model::units::nearest(role, known.iter().copied()).map(|n| format!("; did you mean `{n}`?"));
            let reason = format!(
                "{}=...: the recording has the roles {}{}",
                model::clip(role),
                known.join(", "),
                hint.unwrap_or_default()
            );
            return Err(refused(reason));
        }
        rooms.push((role.clone(), capacity.size));
    }
    Ok((room, rooms))
}

//! `secchi limits solve`: finds what to buy for needs, for samples or for recordings, second by second.

use super::check_provider;
use crate::commands::needs::foreign_files;
use analysis::catalog::Catalog;
use analysis::{DemandBuilder, PurchaseDemand, PurchaseRequest, PurchaseSearch, PurchaseSpace, PurchaseTerms};
use anyhow::Result;
use cli::{Capacity, LimitsSolve};
use model::judged::Purchases;
use model::{Bytes, Nanos, clip};
use recording::RecordingError;
use report::Subject;
use session::exit::{self, Code, coded};
use session::inputs::cannot_read;
use session::inputs::catalogue::catalogue;
use session::inputs::recordings::{self, Found};
use session::outputs::Outputs;
use session::result_files::{ResultFiles, print_subject};
use session::{bail, console, reject};
use std::path::Path;

/// Longest duration for `--for` and `--wait`.
const LONGEST: Nanos = Nanos::from_secs(31 * 24 * 3600);
/// Margin above a recorded or sampled load, unless another one is given. Needs have none.
const HEADROOM: f64 = 0.3;

pub fn run(options: &LimitsSolve) -> Result<Code> {
    let mut catalog = catalogue(&[options.catalog.catalogs.as_slice(), &options.prices].concat())?;
    let providers = providers(options, &mut catalog)?;
    let search = search(options, &providers, &catalog)?;
    if let Some(name) = &options.instance
        && let Some(provider) = search.provider().filter(|p| !providers.is_empty() && !providers.iter().any(|q| q == p))
    {
        reject!("--instance {}: it is of {provider}, which is not among {}", clip(name), providers.join(", "));
    }
    search.doubts().for_each(console::remark_of);
    let files: Vec<&Path> = options.files.iter().chain(&options.recordings).map(|path| path.as_path()).collect();
    let mut outputs = Outputs::new(options.results.force);
    files.iter().for_each(|path| outputs.spare(path));
    let mut results = ResultFiles::claim(&options.results.outputs, &mut outputs)?;
    let (mut demands, mut damage) = (Vec::new(), None);
    for path in &files {
        let (demand, damaged) = of_file(&search, path)?;
        demands.push(demand);
        damage = damage.or(damaged.map(|damage| (*path, damage)));
    }
    let name = match files.is_empty() {
        false => files.iter().map(|path| file_name(path)).collect::<Vec<_>>().join(", "),
        true => {
            let needs: Vec<_> = options.needs.iter().flat_map(|n| n.0.iter().cloned()).collect();
            demands = search.needs(&needs, options.together).map_err(|e| coded(exit::BAD_INPUT, e))?;
            needs.iter().map(|need| need.text.as_str()).collect::<Vec<_>>().join("; ")
        }
    };
    let (all, roles) = space(options, &demands)?;
    let purchases = search.solve(demands, PurchaseSpace { all, roles: &roles });
    let subject = Subject::Purchases { name: &name, purchases: &purchases, is_whole: options.all };
    results.write_subject(subject)?;
    print_subject(subject, options.json)?;
    let Some((path, damage)) = damage else { return Ok(code(&purchases)) };
    console::remark(&format!("{}: {}", file_name(path), console::translate(&damage.sentence())));
    Ok(exit::INVALID)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Returns the exit code, which is 1 if no offer carries the demand.
fn code(purchases: &Purchases) -> Code {
    let layouts = std::iter::once(&purchases.together).chain(&purchases.apart);
    if layouts.flat_map(|l| &l.carrying).any(|p| p.carries) { exit::OK } else { Code(1) }
}

/// Returns the providers to consider; empty = all. With a region, removes the prices of others.
fn providers(options: &LimitsSolve, catalog: &mut Catalog) -> Result<Vec<String>> {
    options.provider.iter().try_for_each(|p| check_provider(catalog, p))?;
    let Some(region) = &options.region else { return Ok(options.provider.clone()) };
    let known = catalog.regions().into_iter().map(|(provider, name)| format!("{name} ({provider})"));
    let known = known.collect::<Vec<_>>().join(", ");
    catalog.keep_prices_in(region);
    let considered = |provider: &str| options.provider.is_empty() || options.provider.iter().any(|p| p == provider);
    let priced = catalog.regions().into_iter().map(|(provider, _)| provider.to_owned());
    let priced: Vec<String> = priced.filter(|provider| considered(provider)).collect();
    if priced.is_empty() {
        reject!("--region {}: the known prices are for {known}; --prices FILE adds others", clip(region));
    }
    Ok(priced)
}

fn search<'a>(options: &'a LimitsSolve, providers: &'a [String], catalog: &'a Catalog) -> Result<PurchaseSearch<'a>> {
    let request = PurchaseRequest {
        terms: terms(options)?,
        providers,
        instance: options.instance.as_deref(),
        volumes: &options.volumes,
        current: options.current.as_deref(),
        everything: options.all,
    };
    PurchaseSearch::new(catalog, request).map_err(|e| coded(exit::BAD_INPUT, e))
}

/// Returns the demand in a recording or in a file of samples, and the reason why a recording stops, if it was not
/// ended.
fn of_file(search: &PurchaseSearch, path: &Path) -> Result<(PurchaseDemand, Option<RecordingError>)> {
    let (mut demand, mut builder) = (DemandBuilder::default(), search.recording());
    let content = recordings::find(path, |request, targets| {
        demand.add(request, targets);
        builder.add(request);
    })?;
    let read = match content {
        Found::Recording(read) => read,
        Found::Other(bytes) => {
            let wrong = |reason: String| coded(exit::BAD_INPUT, cannot_read(path, &reason));
            let files = foreign_files(path, &bytes).map_err(wrong)?;
            return Ok((search.samples(&files).map_err(|reason| wrong(reason.to_owned()))?, None));
        }
    };
    let demand = demand.finish(read.header.layer, read.end.as_ref(), &read.lost);
    if demand.all.requests() == 0 {
        reject!("{} has no reads or writes, so it needs no volume", file_name(path));
    }
    Ok((builder.finish(&demand, &read.targets), read.damage))
}

fn terms(options: &LimitsSolve) -> Result<PurchaseTerms> {
    let lasting = match options.lasting {
        Some(time) if time.is_zero() || time > LONGEST => reject!("--for {time}: must be 1 s to 31 days"),
        lasting => lasting.map(|time| time.as_nanos().div_ceil(1_000_000_000)),
    };
    if options.wait > LONGEST {
        reject!("--wait {}: must be at most 31 days", options.wait);
    }
    let usual = if options.needs.is_empty() { HEADROOM } else { 0.0 };
    let headroom = options.headroom.as_ref().map_or(usual, |headroom| headroom.0);
    let wait = options.wait.as_nanos() / 1_000_000_000;
    Ok(PurchaseTerms { headroom, wait, lasting, credits: options.credits.0 })
}

/// Capacity for all roles on one volume, and capacity per role.
type Space = (Option<Bytes>, Vec<(String, Bytes)>);

fn space(options: &LimitsSolve, demands: &[PurchaseDemand]) -> Result<Space> {
    let (mut all, mut roles) = (None, Vec::<(String, Bytes)>::new());
    let known: Vec<&str> = model::distinct(demands.iter().flat_map(PurchaseDemand::roles));
    for Capacity { role, size } in &options.capacity {
        let Some(role) = role else {
            if all.replace(*size).is_some() {
                bail!(exit::BAD_INPUT, "--capacity is given more than once");
            }
            continue;
        };
        if !options.needs.is_empty() {
            reject!("--capacity {}=...: needs have no roles", clip(role));
        }
        if !known.contains(&role.as_str()) {
            let hint = model::units::suggestion(role, known.iter().copied());
            reject!("--capacity {}=...: the recording has the roles {}{hint}", clip(role), known.join(", "));
        }
        roles.push((role.clone(), *size));
    }
    Ok((all, roles))
}

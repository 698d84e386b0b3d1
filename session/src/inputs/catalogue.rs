//! The catalogue of published limits, extended by the user's own files: first `limits/*.toml` in the settings
//! directory, then the files named on the command line.

use crate::console::remark_of;
use crate::exit::{self, coded};
use crate::inputs;
use crate::{environment, reject};
use analysis::catalog::{Catalog, ResolveError, Resolved};
use anyhow::Result;
use model::{Limit, Sentence, clip};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Maximum size of a catalogue file in bytes; larger files are not catalogues.
const LARGEST: u64 = 16 << 20;

/// Returns the shipped catalogue extended by the user's files.
///
/// # Errors
/// Names the first file that cannot be read or parsed, with the line.
pub fn catalogue(files: &[PathBuf]) -> Result<Catalog> {
    let mut catalog = Catalog::shipped().clone().on(&today());
    for path in settings().iter().chain(files) {
        let name = path.display().to_string();
        catalog.extend(&name, &text(path)?).map_err(|e| coded(exit::BAD_INPUT, e))?;
    }
    Ok(catalog)
}

/// Returns the directory of the user's catalogue files.
pub fn settings_dir() -> Option<PathBuf> {
    Some(environment::config_dir()?.join("limits"))
}

/// Returns the user's catalogue files, sorted by name.
fn settings() -> Vec<PathBuf> {
    let entries = settings_dir().and_then(|dir| std::fs::read_dir(dir).ok());
    let paths = entries.into_iter().flatten().flatten().map(|e| e.path());
    let mut files: Vec<PathBuf> = paths.filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
    files.sort();
    files
}

/// Reads the text of a catalogue file.
pub fn text(path: &Path) -> Result<String> {
    inputs::text(path, LARGEST).map_err(|reason| coded(exit::BAD_INPUT, inputs::cannot_read(path, &reason)))
}

/// Volume and instance that were purchased.
pub struct Bought {
    /// Catalogue rows: the volume, then the instance.
    pub rows: Vec<Resolved>,
}

impl Bought {
    /// Looks up the volume and the instance by name.
    ///
    /// # Errors
    /// One sentence, which suggests the most similar name.
    pub fn from_catalog(catalog: &Catalog, volume: Option<&String>, instance: Option<&String>) -> Result<Bought> {
        let bad = |e: ResolveError| coded(exit::BAD_INPUT, e);
        let mut rows = Vec::new();
        if let Some(text) = volume {
            rows.push(catalog.resolve_volume(text).map_err(bad)?);
        }
        if let Some(text) = instance {
            if rows.first().is_some_and(|v: &Resolved| v.local) {
                let what = clip(volume.map_or("", String::as_str));
                reject!(
                    "volume `{what}` is local to the instance, whose caps do not apply to it: leave --instance out"
                );
            }
            rows.push(catalog.resolve_instance(text).map_err(bad)?);
        }
        for row in &rows {
            let limits: Vec<&str> = row.limits.iter().map(|limit| limit.name.as_str()).collect();
            tracing::info!(?limits, "matched a row of the catalogue");
        }
        Ok(Bought { rows })
    }

    /// Returns the limits of the purchase.
    pub fn limits(&self) -> Vec<Limit> {
        self.rows.iter().flat_map(|r| r.limits.clone()).collect()
    }

    /// Returns a doubt for each value above the maximum of a row that may be out of date.
    pub fn doubts(&self) -> impl Iterator<Item = &Sentence> {
        self.rows.iter().flat_map(|r| &r.doubts)
    }

    /// Returns the limits that a run is compared with. The output of a run does not list the purchase, so this function prints the
    /// doubts. Each is printed once, although a run looks up its limits more than once.
    pub fn limits_of_a_run(&self) -> Vec<Limit> {
        static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());
        let mut remarked = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
        for doubt in self.doubts().cloned().chain(self.rows.iter().filter_map(Resolved::unconfirmed_remark)) {
            let text = doubt.to_string();
            if !remarked.contains(&text) {
                remark_of(&doubt);
                remarked.push(text);
            }
        }
        self.rows.iter().flat_map(Resolved::confirmed).collect()
    }
}

/// Returns the limits of the purchase. If there are several named targets, each is on one volume: on the volume named
/// for it (`NAME=VOLUME`), otherwise on the volume given without a name.
///
/// # Errors
/// One sentence, which suggests the most similar name or reports that a target has two volumes.
pub fn bought_by(
    catalog: &Catalog,
    names: &[&str],
    volumes: &[String],
    instance: Option<&String>,
) -> Result<Vec<Limit>> {
    if names.is_empty() {
        if volumes.len() > 1 {
            reject!("--volume is given twice: a single target is on one volume");
        }
        return Ok(Bought::from_catalog(catalog, volumes.first(), instance)?.limits_of_a_run());
    }
    let mut limits = Vec::new();
    for (name, volume) in names.iter().zip(volumes_by_target(names, volumes)?) {
        let caps = Bought::from_catalog(catalog, volume.as_ref(), None)?.limits_of_a_run();
        limits.extend(caps.into_iter().map(|l| Limit { on: vec![(*name).to_owned()], ..l }));
    }
    limits.extend(Bought::from_catalog(catalog, None, instance)?.limits_of_a_run());
    Ok(limits)
}

fn volumes_by_target(names: &[&str], volumes: &[String]) -> Result<Vec<Option<String>>> {
    let mut specs: Vec<Option<String>> = vec![None; names.len()];
    let twice = |text: &str| coded(exit::BAD_INPUT, format!("--volume {text}: its target already has a volume"));
    let mut general: Option<&String> = None;
    for text in volumes {
        let named = text.split_once('=').and_then(|(name, spec)| Some((names.iter().position(|n| *n == name)?, spec)));
        match named {
            Some((target, spec)) if specs[target].is_none() => specs[target] = Some(spec.to_owned()),
            None if general.is_none() => general = Some(text),
            _ => return Err(twice(&clip(text))),
        }
    }
    Ok(specs.into_iter().map(|spec| spec.or_else(|| general.cloned())).collect())
}

/// Returns today's date as `YYYY-MM-DD`.
pub fn today() -> String {
    jiff::Zoned::now().strftime("%Y-%m-%d").to_string()
}

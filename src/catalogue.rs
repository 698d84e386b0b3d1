//! The catalogue of published limits with the user's own files: `limits/*.toml` of the settings, then those named.

use crate::args::CatalogArg;
use crate::exit::{self, coded};
use crate::inputs;
use crate::places;
use analysis::catalog::{Catalog, Resolved};
use anyhow::Result;
use model::{Limit, clip};
use std::path::{Path, PathBuf};

/// Larger files are none of price lists.
const LARGEST: u64 = 16 << 20;

/// What is shipped, and the user's own.
///
/// # Errors
/// The first file that cannot be read, or that is wrong: with the line.
pub fn catalogue(arg: &CatalogArg) -> Result<Catalog> {
    let mut catalog = Catalog::shipped().clone();
    for path in settings().iter().chain(&arg.catalogs) {
        let name = path.display().to_string();
        catalog.extend(&name, &text(path)?).map_err(|e| coded(exit::BAD_INPUT, e))?;
    }
    Ok(catalog)
}

/// Where a user's own files lie.
pub fn settings_dir() -> Option<PathBuf> {
    Some(places::config_dir()?.join("limits"))
}

/// The user's own files, in the order of their names.
fn settings() -> Vec<PathBuf> {
    let entries = settings_dir().and_then(|dir| std::fs::read_dir(dir).ok());
    let paths = entries.into_iter().flatten().flatten().map(|e| e.path());
    let mut files: Vec<PathBuf> = paths.filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
    files.sort();
    files
}

/// A file's text.
pub fn text(path: &Path) -> Result<String> {
    inputs::text(path, LARGEST).map_err(|why| coded(exit::BAD_INPUT, inputs::cannot_read(path, &why)))
}

/// What was bought.
pub struct Bought {
    /// The volume, then the instance.
    pub rows: Vec<Resolved>,
}

impl Bought {
    /// Looks up what was named.
    ///
    /// # Errors
    /// One sentence with the nearest name.
    pub fn of(catalog: &Catalog, volume: Option<&String>, instance: Option<&String>) -> Result<Bought> {
        let bad = |e: String| coded(exit::BAD_INPUT, e);
        let mut rows = Vec::new();
        if let Some(text) = volume {
            rows.push(catalog.resolve_volume(text).map_err(bad)?);
        }
        if let Some(text) = instance {
            if rows.first().is_some_and(|v: &Resolved| v.local) {
                let what = clip(volume.map_or("", String::as_str));
                return Err(bad(format!(
                    "volume `{what}` lies inside the instance, whose caps do not touch it: leave --instance out"
                )));
            }
            rows.push(catalog.resolve_instance(text).map_err(bad)?);
        }
        Ok(Bought { rows })
    }

    /// Its limits.
    pub fn limits(&self) -> Vec<Limit> {
        self.rows.iter().flat_map(|r| r.limits.clone()).collect()
    }
}

/// Today, `YYYY-MM-DD`.
pub fn today() -> String {
    jiff::Zoned::now().strftime("%Y-%m-%d").to_string()
}

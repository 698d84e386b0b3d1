//! Published storage limits as data: what vendors sell, by kind of volume and type of instance.
//!
//! The files in `analysis/catalog/<provider>/` are embedded and parsed once. Each row has its source, the date of
//! publication, and how certain it is; figures that no document confirms are not shipped. The user's files add rows and
//! replace those of the same provider and name. The code names no provider: the differences between providers are data,
//! written in the expression language of [`formula`].
//!
//! | file | content |
//! |---|---|
//! | `row` | published figures of a kind of volume or a type of instance |
//! | `formula` | `clamp(3*size, 100, 16000)` |
//! | `table` | compact tables, one line for a type |
//! | `read` | TOML to rows, mistakes with file and line |
//! | `spec` | `gp3:size=2000GiB,iops=6000` to limits |
//! | `stripe` | several equal volumes as one: `4*gp3:size=250GiB` |
//! | `error` | mistakes in a specification |
//! | `account` | volumes of an account -> `gp3:size=500GiB,iops=6000` |
//! | `import` | `aws ec2 describe-instance-types` to a catalogue file |
//! | `age` | age of a figure |
//! | `near` | suggestions for unknown names |

mod account;
mod age;
mod error;
pub mod expect;
pub mod formula;
mod import;
mod near;
mod read;
pub mod row;
mod spec;
mod stripe;
mod table;
#[cfg(test)]
mod tests;

pub use account::{AccountError, OwnItem, OwnKind, own_items};
pub use age::age_remark;
pub use error::{LookupError, Offered, Published, ResolveError, RowKind, SettingsError};
pub use import::{CATALOG_SOURCES, CatalogSource, HEADER as IMPORT_HEADER, ImportError, Imported};
pub use spec::Resolved;

use row::{Instance, Mark, Price, Volume};
use std::sync::OnceLock;

/// Returns a shipped file, which the build compressed, with its name.
macro_rules! file {
    ($name:literal) => {
        ($name, embed::packed!($name))
    };
}

/// The shipped files, by name.
const FILES: [(&str, &[u8]); 15] = [
    file!("aws/ebs.toml"),
    file!("aws/instance-store.toml"),
    file!("aws/ec2.toml"),
    file!("aws/ec2-since-2023.toml"),
    file!("azure/disks.toml"),
    file!("azure/local.toml"),
    file!("azure/local-storage.toml"),
    file!("azure/vms.toml"),
    file!("azure/vms-storage-memory.toml"),
    file!("azure/vms-v7.toml"),
    file!("gcp/disks.toml"),
    file!("gcp/machines.toml"),
    file!("ibm/classic.toml"),
    file!("ibm/vpc.toml"),
    file!("oci/block.toml"),
];

/// Error of reading a catalogue file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct CatalogError {
    /// Name of the file.
    pub file: String,
    /// Line of the mistake, from 1.
    pub line: usize,
    /// Description of the mistake.
    pub what: String,
}

/// Families of a provider's instances that are suggested only on request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Families {
    /// Provider, such as `aws`.
    pub provider: String,
    /// Families that the vendor calls previous generations.
    pub previous: Vec<String>,
    /// Families for special purposes: Mac hosts, accelerators.
    pub special: Vec<String>,
}

/// All known rows.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// Kinds of volumes, in the order of the files.
    pub volumes: Vec<Volume>,
    /// Types of instances, in the order of the files.
    pub instances: Vec<Instance>,
    /// Families of instances that are suggested only on request.
    pub families: Vec<Families>,
    /// Prices of a file for rows of other files: provider, kind and price.
    prices: Vec<(String, String, Price)>,
    /// Current date, `YYYY-MM-DD`, if known: see [`Catalog::on`].
    today: Option<String>,
}

impl Catalog {
    /// Returns the shipped catalogue.
    #[must_use]
    pub fn shipped() -> &'static Catalog {
        static SHIPPED: OnceLock<Catalog> = OnceLock::new();
        SHIPPED.get_or_init(|| {
            let mut catalog = Catalog::default();
            for (name, packed) in FILES {
                catalog.extend(name, &embed::text(packed)).expect("a test reads every file shipped");
            }
            catalog
        })
    }

    /// Returns the catalogue with its current date set to `today` (`YYYY-MM-DD`).
    ///
    /// A row that was published more than a year before this date, or without a date, does not reject values above its
    /// maximum: the maximum may have risen since, so the given value is used, with a doubt. Without a current date
    /// every maximum applies.
    #[must_use]
    pub fn on(mut self, today: &str) -> Catalog {
        self.today = Some(today.to_owned());
        self
    }

    /// Adds the rows of a file; rows of the same provider and name are replaced. Rows without a mark count as the
    /// user's own.
    ///
    /// # Errors
    /// Returns the first mistake, with its line.
    pub fn extend(&mut self, name: &str, text: &str) -> Result<(), CatalogError> {
        let rows = read::read(name, text, Mark::Own)?;
        replace(&mut self.volumes, rows.volumes, |a, b| a.provider == b.provider && a.kind == b.kind);
        self.families.extend(rows.families);
        for (provider, kind, price) in rows.prices {
            let wrong = || {
                let what = format!("there is no volume `{}` of {provider} to price", model::clip(&kind));
                CatalogError { file: name.to_owned(), line: price.origin.line, what }
            };
            let row = self.volumes.iter_mut().find(|v| v.provider == provider && v.kind == kind);
            row.ok_or_else(wrong)?.price = Some(price.clone());
        }
        replace(&mut self.instances, rows.instances, |a, b| a.provider == b.provider && a.kind == b.kind);
        Ok(())
    }

    /// Returns `true` if an instance may be suggested without a request for its family.
    #[must_use]
    pub fn is_usual(&self, instance: &Instance) -> bool {
        let families = self.families.iter().filter(|f| f.provider == instance.provider);
        let mut named = families.flat_map(|f| f.previous.iter().chain(&f.special));
        // mac-m4.metal is of the family mac.
        let family = instance.family();
        let names = [family, family.split('-').next().unwrap_or(family), &instance.title];
        instance.offered && !named.any(|name| names.contains(&name.as_str()))
    }

    /// Returns a remark about the age of figures published on `date`, if the current date is known.
    #[must_use]
    pub fn remark_on(&self, date: &str) -> Option<model::Sentence> {
        age_remark(date, self.today.as_deref()?)
    }

    /// Returns the providers, in the order of the files.
    #[must_use]
    pub fn providers(&self) -> Vec<&str> {
        let providers = self.volumes.iter().map(|v| &v.provider).chain(self.instances.iter().map(|i| &i.provider));
        model::distinct(providers.map(String::as_str))
    }

    /// Returns the regions with prices, each with its provider.
    #[must_use]
    pub fn regions(&self) -> Vec<(&str, &str)> {
        let priced = self.volumes.iter().filter_map(|v| Some((v.provider.as_str(), v.price.as_ref()?.region.as_str())));
        model::distinct(priced)
    }

    /// Removes the prices of other regions than this one. Case, spaces and hyphens are ignored, because Azure's regions
    /// have two names, such as `East US` and `eastus`.
    pub fn keep_prices_in(&mut self, region: &str) {
        let plain = |name: &str| name.replace([' ', '-'], "").to_ascii_lowercase();
        let region = plain(region);
        for volume in &mut self.volumes {
            volume.price = volume.price.take().filter(|price| plain(&price.region) == region);
        }
    }
}

fn replace<T>(old: &mut Vec<T>, new: Vec<T>, same: impl Fn(&T, &T) -> bool) {
    // The shipped tables are large, and each name is in them once, so only rows from before this file are searched.
    let before = old.len();
    for row in new {
        match old[..before].iter().position(|o| same(o, &row)) {
            Some(at) => old[at] = row,
            None => old.push(row),
        }
    }
}

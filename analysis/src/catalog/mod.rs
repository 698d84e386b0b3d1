//! Published storage limits as data: what vendors sell, by kind of volume and type of instance.
//!
//! The files lie in `analysis/catalog/<provider>/`, are embedded and parsed once. Each row says where it was read, when
//! that was published, and how sure it is; what no document confirms is not shipped. Files of the user add rows and
//! replace those of the same provider and name. No provider is named in the code: what differs between them is data,
//! in the little language of [`formula`].
//!
//! | file | what |
//! |---|---|
//! | `row` | what is known of a kind of volume, of a type of instance |
//! | `formula` | `clamp(3*size, 100, 16000)` |
//! | `table` | compact tables, one line for a type |
//! | `read` | TOML to rows, mistakes with file and line |
//! | `spec` | `gp3:size=2000GiB,iops=6000` to limits |
//! | `error` | what is wrong with such a text |
//! | `import` | `aws ec2 describe-instance-types` to a catalogue file |
//! | `reference` | docs/limits.md |
//! | `age` | how old a figure is |
//! | `near` | the name that was meant |

mod age;
mod error;
pub mod expect;
pub mod formula;
mod import;
mod near;
mod read;
mod reference;
pub mod row;
pub mod solve;
mod spec;
mod table;
#[cfg(test)]
mod tests;

pub use age::age_remark;
pub use error::{LookupError, Offered, Published, ResolveError, RowKind, SettingsError};
pub use import::{CATALOG_SOURCES, CatalogSource, HEADER as IMPORT_HEADER, ImportError, Imported};
pub use reference::reference;
pub use spec::Resolved;

use row::{Instance, Mark, Volume};
use std::sync::OnceLock;

/// A file shipped, which the build compressed.
macro_rules! file {
    ($name:literal) => {
        ($name, embed::packed!($name))
    };
}

/// The files shipped, by name.
const FILES: [(&str, &[u8]); 11] = [
    file!("aws/ebs.toml"),
    file!("aws/instance-store.toml"),
    file!("aws/ec2.toml"),
    file!("aws/ec2-since-2023.toml"),
    file!("azure/disks.toml"),
    file!("azure/vms.toml"),
    file!("gcp/disks.toml"),
    file!("gcp/machines.toml"),
    file!("ibm/classic.toml"),
    file!("ibm/vpc.toml"),
    file!("oci/block.toml"),
];

/// A catalogue file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct CatalogError {
    /// The file.
    pub file: String,
    /// Line of the mistake, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

/// The rows known.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// Kinds of volumes, in the order of the files.
    pub volumes: Vec<Volume>,
    /// Types of instances, in the order of the files.
    pub instances: Vec<Instance>,
    /// The day on which it is asked, `YYYY-MM-DD`, where it is known: see [`Catalog::on`].
    today: Option<String>,
}

impl Catalog {
    /// What is shipped.
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

    /// The same rows, asked on this day (`YYYY-MM-DD`). A row that was published more than a year before it, or nobody
    /// knows when, does not refuse what is above its maximum: it may have risen since, and what was said is taken, with a
    /// doubt. Without a day every maximum holds.
    #[must_use]
    pub fn on(mut self, today: &str) -> Catalog {
        self.today = Some(today.to_owned());
        self
    }

    /// Adds the rows of a file; rows of the same provider and name are replaced. Rows that bear no mark are the
    /// user's own.
    ///
    /// # Errors
    /// The first mistake, with its line.
    pub fn extend(&mut self, name: &str, text: &str) -> Result<(), CatalogError> {
        let rows = read::read(name, text, Mark::Own)?;
        replace(&mut self.volumes, rows.volumes, |a, b| a.provider == b.provider && a.kind == b.kind);
        replace(&mut self.instances, rows.instances, |a, b| a.provider == b.provider && a.kind == b.kind);
        Ok(())
    }

    /// Providers, in the order of the files.
    #[must_use]
    pub fn providers(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        let all = self.volumes.iter().map(|v| &v.provider).chain(self.instances.iter().map(|i| &i.provider));
        for provider in all {
            if !names.contains(&provider.as_str()) {
                names.push(provider);
            }
        }
        names
    }
}

fn replace<T>(old: &mut Vec<T>, new: Vec<T>, same: impl Fn(&T, &T) -> bool) {
    // The tables shipped are large, and each name is in them once: only what stood before a file is looked through.
    let before = old.len();
    for row in new {
        match old[..before].iter().position(|o| same(o, &row)) {
            Some(at) => old[at] = row,
            None => old.push(row),
        }
    }
}

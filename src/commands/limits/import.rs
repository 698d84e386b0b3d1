//! `secchi limits import ec2 FILE`: converts the output of a vendor's tool into a catalogue file.

use analysis::catalog::{Catalog, IMPORT_HEADER};
use anyhow::{Context, Result};
use cli::LimitsImport;
use messages::sentence;
use session::console::{print, remark_of};
use session::exit::{self, Code, coded};
use session::inputs::catalogue::{settings_dir, text, today};
use session::outputs::{Outputs, Replaces};
use std::path::{Path, PathBuf};

pub fn run(options: &LimitsImport) -> Result<Code> {
    let shown = options.file.display();
    let json = text(&options.file)?;
    let to = match options.output.as_deref() {
        Some(output) => output.to_owned(),
        None => default_output(options.format.name)?,
    };
    let claim = || Outputs::new(options.force).claim(&to, Replaces::Begun(IMPORT_HEADER));
    let mut output = (to != Path::new("-")).then(claim).transpose()?;
    let imported = (options.format.import)(&json, &today());
    let imported = imported.map_err(|e| coded(exit::BAD_INPUT, format!("{shown}: {e}")))?;
    // Do not leave a file that cannot be read back. This check also ensures that rates in bits and in bytes agree.
    Catalog::default()
        .extend(&shown.to_string(), &imported.text)
        .map_err(|e| coded(exit::BAD_INPUT, format!("{shown}: {}", e.what)))?;
    if let Some(output) = &mut output {
        output
            .durable(|out| out.write_all(imported.text.as_bytes()))
            .map_err(|e| coded(exit::CANNOT, format!("cannot write {}: {e}", to.display())))?;
        remark_of(&sentence!("limits-imported", n = imported.types, file = to.display().to_string()));
    } else {
        print(|_, out| out.write_all(imported.text.as_bytes()))?;
    }
    if !imported.without.is_empty() {
        let some = imported.without.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        let more = if imported.without.len() > 5 { ", ..." } else { "" };
        let n = imported.without.len();
        remark_of(&sentence!("limits-import-without", n, some = format!("{some}{more}")));
    }
    Ok(exit::OK)
}

/// Returns the file in the directory from which catalogues are read by default.
fn default_output(name: &str) -> Result<PathBuf> {
    let dir = settings_dir()
        .ok_or_else(|| coded(exit::CANNOT, "neither XDG_CONFIG_HOME nor HOME is set: name a file with --output"))?;
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    Ok(dir.join(format!("{name}.toml")))
}

//! `secchi limits import ec2 FILE`: what a vendor's tool prints, as a catalogue file.

use crate::args::{ImportFormat, LimitsImport};
use crate::catalogue::{settings_dir, text, today};
use crate::exit::{self, Code, coded};
use crate::terminal::{print, remark};
use analysis::catalog::{Catalog, IMPORT_HEADER, import_ec2};
use anyhow::{Context, Result};
use std::io::Write;
use std::path::{Path, PathBuf};

pub fn run(options: &LimitsImport) -> Result<Code> {
    let shown = options.file.display();
    let json = text(&options.file)?;
    let (name, imported) = match options.format {
        ImportFormat::Ec2 => ("ec2", import_ec2(&json, &today())),
    };
    let imported = imported.map_err(|e| coded(exit::BAD_INPUT, format!("{shown}: {e}")))?;
    // What cannot be read back must not be left behind. The identity of bits and bytes is checked by this, too.
    Catalog::default()
        .extend(&shown.to_string(), &imported.text)
        .map_err(|e| coded(exit::BAD_INPUT, format!("{shown}: {}", e.what)))?;
    if options.output.as_deref() == Some(Path::new("-")) {
        print(|_, out| out.write_all(imported.text.as_bytes()))?;
    } else {
        let to = place(options, name)?;
        write(&to, &imported.text)?;
        remark(&format!("{} types written to {}", imported.types, to.display()));
    }
    if !imported.without.is_empty() {
        let some = imported.without.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        let more = if imported.without.len() > 5 { ", ..." } else { "" };
        remark(&format!("{} types publish no cap of their own and are left out: {some}{more}", imported.without.len()));
    }
    Ok(exit::OK)
}

fn place(options: &LimitsImport, name: &str) -> Result<PathBuf> {
    if let Some(to) = &options.output {
        return Ok(to.clone());
    }
    let dir = settings_dir()
        .ok_or_else(|| coded(exit::CANNOT, "neither XDG_CONFIG_HOME nor HOME is set: name a file with --output"))?;
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    Ok(dir.join(format!("{name}.toml")))
}

/// Writes beside and renames; a file that no import made is not replaced.
fn write(to: &Path, text: &str) -> Result<()> {
    match std::fs::read_to_string(to) {
        Ok(old) if old.starts_with(IMPORT_HEADER) => {}
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
        Ok(_) => {
            let why =
                format!("{} was not made by an import and is not replaced: name another with --output", to.display());
            return Err(coded(exit::REFUSED, why));
        }
        Err(e) => return Err(coded(exit::CANNOT, format!("cannot look at {}: {e}", to.display()))),
    }
    let beside = to.with_extension(format!("toml.{}", std::process::id()));
    let written = std::fs::File::create_new(&beside)
        .and_then(|mut f| f.write_all(text.as_bytes()).and_then(|()| f.sync_all()))
        .and_then(|()| std::fs::rename(&beside, to));
    if written.is_err() {
        // Nothing is left of a try that failed; the error is told below.
        let _ = std::fs::remove_file(&beside);
    }
    written.map_err(|e| coded(exit::CANNOT, format!("cannot write {}: {e}", to.display())))
}

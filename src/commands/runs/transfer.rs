//! `secchi runs export` and `secchi runs import`: transfer runs between machines in a single file.

use super::chosen;
use anyhow::{Context, Result};
use cli::{ExportFormat, RunsExport, RunsImport};
use messages::sentence;
use model::Bytes;
use session::console::{self, Live, StandardStream, print, remark, remark_of};
use session::exit::{self, Code, coded};
use session::outputs::{Outputs, Replaces};
use session::result_files::write_tables;
use session::run_store::{open_store, some_store};
use session::sources::Sources;
use session::{inputs, reject};
use std::path::Path;
use store::BundleError;

pub fn export(options: &RunsExport) -> Result<Code> {
    if options.format == ExportFormat::Parquet {
        return export_tables(options);
    }
    let file = &options.output;
    // An export may hold the only copy of its runs, so not even an earlier export is replaced without `--force`.
    let claim = || Outputs::new(options.force).claim(file, Replaces::Nothing);
    let output = (file != Path::new("-")).then(claim).transpose()?;
    let store = some_store(options.chosen.store.store.as_ref())?;
    let ids = chosen(&store, &options.chosen)?;
    let failed = |e: BundleError| {
        let code = if matches!(e, BundleError::Io(_)) { exit::CANNOT } else { exit::BAD_INPUT };
        coded(code, format!("cannot export to {}: {e}", file.display()))
    };
    let exported = if let Some(mut output) = output {
        let mut exported = None;
        let written = output.durable(|out| {
            exported = Some(store.export(&ids, out).map_err(std::io::Error::other)?);
            Ok(())
        });
        written.map_err(|e| failed(e.downcast().unwrap_or_else(BundleError::Io)))?;
        exported.expect("the runs were exported")
    } else {
        if console::is_terminal(StandardStream::Output) {
            reject!("-o -: standard output is a terminal: name a file, or redirect it");
        }
        store.export(&ids, std::io::stdout().lock()).map_err(failed)?
    };
    exported.remarks.iter().for_each(|text| remark(text));
    let (journals, size) = (Bytes(exported.journal_bytes), Bytes(exported.bytes));
    let (file, n) = (file.display().to_string(), exported.runs);
    remark_of(&sentence!("remark-runs-exported", file, n, journals, size));
    Ok(exit::OK)
}

fn export_tables(options: &RunsExport) -> Result<Code> {
    if options.output == Path::new("-") {
        reject!("--format parquet writes four files: name a directory with -o");
    }
    let store = options.chosen.store.store.as_ref();
    let ids = chosen(&some_store(store)?, &options.chosen)?;
    let mut sources = Sources::new(store);
    let runs = ids.iter().map(|id| sources.find(id)?.judged(String::new()));
    write_tables(&options.output, options.force, runs).map(|()| exit::OK)
}

pub fn import(options: &RunsImport) -> Result<Code> {
    let file = &options.file;
    let failed = |e: BundleError| {
        let code = match &e {
            BundleError::Io(_) | BundleError::Store(_) => exit::CANNOT,
            BundleError::Damaged(_) | BundleError::Run { .. } => exit::BAD_INPUT,
        };
        coded(code, format!("cannot import {}: {e}; nothing was imported", file.display()))
    };
    let source: Box<dyn std::io::Read> = if file == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(inputs::open(file).map_err(|reason| coded(exit::BAD_INPUT, inputs::cannot_read(file, &reason)))?.0)
    };
    let store = open_store(options.store.store.as_ref(), &mut Live::new(true))?.context("no store")?;
    let imported = store.import(source).map_err(failed)?;
    let (new, all) = (imported.new.len(), imported.new.len() + imported.known.len());
    let known = (!imported.known.is_empty()).then(|| sentence!("remark-runs-known"));
    let parts = [Some(sentence!("remark-runs-new", new, all)), known];
    remark_of(&report::clauses(parts.into_iter().flatten()));
    if !imported.damaged.is_empty() {
        remark_of(&sentence!("remark-runs-damaged", runs = imported.damaged.join(", ")));
    }
    // Print the IDs for scripts.
    let printed = print(|_, out| imported.new.iter().try_for_each(|id| writeln!(out, "{id}")));
    if store.team_name().is_some() {
        return session::run_store::push_all(&store).and_then(|code| printed.map(|()| code));
    }
    // Listing the runs updates the index and judges the imported runs.
    session::run_store::judging(store).list().map_err(|e| coded(exit::CANNOT, e))?;
    printed.map(|()| exit::OK)
}

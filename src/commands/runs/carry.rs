//! `secchi runs export` and `secchi runs import`: runs in one file, between machines.

use super::chosen;
use crate::args::{RunsExport, RunsImport};
use crate::commands::show::{self, some_store};
use crate::exit::{self, Code, coded};
use crate::measure::open_store;
use crate::terminal::{Live, remark};
use anyhow::{Context, Result};
use model::Bytes;
use std::fs::{File, OpenOptions};
use std::io::{IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use store::BundleError;

pub fn export(options: &RunsExport) -> Result<Code> {
    let store = some_store(&options.chosen.store)?;
    let ids = chosen(&store, &options.chosen)?;
    let file = &options.output;
    let failed = |e: BundleError| {
        let code = if matches!(e, BundleError::Io(_)) { exit::CANNOT } else { exit::BAD_INPUT };
        coded(code, format!("cannot export to {}: {e}", file.display()))
    };
    let told = if file == Path::new("-") {
        if std::io::stdout().is_terminal() {
            return Err(coded(exit::BAD_INPUT, "-o -: a terminal shows no such file: name one, or send it on"));
        }
        store.export(&ids, std::io::stdout().lock()).map_err(failed)?
    } else {
        let mut made = create(file)?;
        let told = store.export(&ids, &mut made).map_err(failed).and_then(|told| {
            made.sync_all().with_context(|| format!("cannot write {}", file.display())).map(|()| told)
        });
        if told.is_err() {
            // Half a file helps nobody; it is ours, made above.
            let _ = std::fs::remove_file(file);
        }
        told?
    };
    told.remarks.iter().for_each(|text| remark(text));
    let runs = if told.runs == 1 { "1 run".to_owned() } else { format!("{} runs", told.runs) };
    remark(&format!(
        "{} written: {runs}, {} of journals in {}",
        file.display(),
        Bytes(told.journal_bytes),
        Bytes(told.bytes)
    ));
    Ok(exit::OK)
}

/// A file that was not there before.
fn create(file: &Path) -> Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(file).map_err(|e| match e.kind() {
        std::io::ErrorKind::AlreadyExists => {
            coded(exit::BAD_INPUT, format!("{} is there already: it is not overwritten", file.display()))
        }
        _ => coded(exit::CANNOT, format!("cannot make {}: {e}", file.display())),
    })
}

pub fn import(options: &RunsImport) -> Result<Code> {
    let file = &options.file;
    let failed = |e: BundleError| {
        let code = match &e {
            BundleError::Io(_) | BundleError::Store(_) => exit::CANNOT,
            BundleError::Damaged(_) | BundleError::Run { .. } => exit::BAD_INPUT,
        };
        coded(code, format!("cannot import {}: {e}; nothing was taken over", file.display()))
    };
    let unreadable = |e: std::io::Error| coded(exit::BAD_INPUT, format!("cannot read {}: {e}", file.display()));
    let source: Box<dyn std::io::Read> = if file == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        if !file.metadata().map_err(unreadable)?.is_file() {
            return Err(coded(exit::BAD_INPUT, format!("cannot read {}: it is no file", file.display())));
        }
        Box::new(File::open(file).map_err(unreadable)?)
    };
    let store = open_store(options.store.store.as_ref(), &mut Live::new(true))?.context("no store")?;
    let told = store.import(source).map_err(failed)?;
    let mut line = format!("{} of {} runs are new here", told.new.len(), told.new.len() + told.known.len());
    if !told.known.is_empty() {
        line.push_str("; the others were here already, the same to the byte, and keep the labels they have here");
    }
    remark(&line);
    if !told.damaged.is_empty() {
        remark(&format!("their journals are damaged, as they were where they came from: {}", told.damaged.join(", ")));
    }
    let mut stdout = std::io::stdout().lock();
    // For scripts; a reader that went away has seen what it wanted.
    let _ = told.new.iter().try_for_each(|id| writeln!(stdout, "{id}"));
    if store.team_name().is_some() {
        return super::team::push_all(&store);
    }
    // Brings the index in line and judges what came.
    show::judging(store).list().map_err(|e| coded(exit::CANNOT, e))?;
    Ok(exit::OK)
}

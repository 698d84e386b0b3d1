//! Commands on a database without a load: count, sizes, check, stop, adopt, purge.

use super::open::{OpenDatabase, environment};
use super::run::inserting;
use super::run::running::{self, Running, Use};
use super::{cli_error, refused};
use anyhow::{Context, Result};
use cli::{DbDir, DbStop};
use db::{Creation, DbError, Marker};
use messages::sentence;
use session::console::{self, remark, remark_of};
use session::exit::{self, Code, coded};
use session::launch::{self, Reach};
use session::reject;
use session::{Session, hosts};
use std::path::Path;

/// Starts the engine, calls `what`, stops the engine even after an error, and prints the lines that `what` returns.
/// Each rank does this with its own engine.
fn with_engine(options: &DbDir, what: impl FnOnce(&OpenDatabase) -> Result<Vec<String>>) -> Result<Code> {
    let print = |line: &str| console::print(|_, out| writeln!(out, "{line}"));
    let work = |directory: &Path| {
        let place = &mut OpenDatabase::open(directory)?;
        // Runs that only read the files do not conflict with this command.
        let _claim = Running::maintenance(&place.marker.directories.work, |other| !other.drives())?;
        inserting::start_to_look(place)?;
        let done = what(place);
        place.database.stop().map_err(cli_error)?;
        Ok((done?, exit::OK))
    };
    Session::unsupervised(Reach::ManyHosts, |session| session.on_each_database(&options.dir, print, work))
}

pub fn count(options: &DbDir) -> Result<Code> {
    with_engine(options, |place| {
        let (mut total, mut lines) = (0, Vec::new());
        for number in 1..=place.marker.globals {
            let n = place.database.count(number, place.marker.names.as_ref()).map_err(cli_error)?;
            total += n;
            lines.push(format!("^RanWriteGlobal{number}  {n}"));
        }
        let total = sentence!("db-subscripts", globals = place.marker.globals, all = total);
        lines.push(console::translate(&total).into_owned());
        Ok(lines)
    })
}

/// Prints the sizes in PerfTools' format, `10,1000000,...`: the number of globals, then their sizes (NA if not
/// recorded).
pub fn sizes(options: &DbDir) -> Result<Code> {
    with_engine(options, |place| {
        let sizes = place.sizes()?;
        let mut line = vec![place.marker.globals.to_string()];
        line.extend(sizes.iter().map(|(_, size)| size.map_or_else(|| "NA".to_owned(), |n| n.to_string())));
        Ok(vec![line.join(",")])
    })
}

pub fn check(options: &DbDir) -> Result<Code> {
    with_engine(options, |place| place.database.check().map_err(cli_error))
}

pub fn stop(options: &DbStop) -> Result<Code> {
    if let Some(code) = launch::refusal(Reach::OneHost("db stop"))? {
        return Ok(code);
    }
    let marker = Marker::read_proven(&options.dir.dir).map_err(cli_error)?;
    let running = running::others(&marker.directories.work)?;
    let asked = |id: &str| options.run.as_ref().is_none_or(|run| id.starts_with(run.as_str()));
    let running: Vec<_> = running.into_iter().filter(|r| r.what != Use::Maintenance).collect();
    let chosen: Vec<_> = running.iter().filter(|r| asked(&r.id)).collect();
    if let (Some(run), true) = (&options.run, chosen.is_empty()) {
        let known = running.iter().map(|r| r.id.as_str()).collect::<Vec<_>>().join(", ");
        let known = if known.is_empty() { "no run is active".to_owned() } else { format!("active runs: {known}") };
        reject!("no run `{run}` is active on this database; {known}");
    }
    if chosen.is_empty() {
        remark_of(&sentence!("remark-no-run-here"));
    }
    for run in chosen {
        // Write the reason before sending the signal, so that the run exits with the code of a regular stop.
        running::ask_to_stop(&marker.directories.work, &run.id)?;
        sys::process::send_signal(run.pid, sys::process::signal::TERM)
            .map_err(|e| coded(exit::CANNOT, format!("cannot stop run {}: {e}", run.id)))?;
        remark_of(&sentence!("remark-run-asked-to-stop", id = &run.id));
    }
    Ok(exit::OK)
}

/// Removes a database; each rank removes its own. The directory that contains the folders of the ranks is removed if it
/// is empty.
pub fn purge(options: &DbDir) -> Result<Code> {
    let print = |line: &str| {
        remark(line);
        Ok(())
    };
    let code =
        Session::unsupervised(Reach::ManyHosts, |session| session.on_each_database(&options.dir, print, purge_one))?;
    if hosts::are_expected() && code == exit::OK {
        // `remove_dir` removes only an empty directory.
        let _ = std::fs::remove_dir(&options.dir);
    }
    Ok(code)
}

/// Removes the database of one directory. Returns lines for the user and the exit code.
pub(super) fn purge_one(directory: &Path) -> Result<(Vec<String>, Code)> {
    let mut lines = Vec::new();
    let mut marker = Marker::open_to_purge(directory).map_err(cli_error)?;
    // This claim is held to the end, so that no run starts on a database that is being removed.
    let mut claim = match marker.directories.work.is_dir() {
        true => Some(Running::maintenance(&marker.directories.work, |_| false)?),
        false => None,
    };
    // The engine first removes its servers, shared memory and data in other places. The files are kept while any of
    // these remains. An incomplete database has none of them.
    if marker.is_whole() {
        match Marker::open(directory) {
            Ok(whole) => {
                let mut place = OpenDatabase::from_marker(directory, whole)?;
                place.database.stop().map_err(cli_error)?;
                // The claim above excludes only runs on this host.
                if let Some(user) = place.database.in_use().map_err(cli_error)? {
                    return refused(format!("{user}; nothing was removed"));
                }
                place.database.remove().map_err(cli_error)?;
                marker = place.marker;
            }
            // One of its paths points to another place, so the engine must not be started. The path is reported below,
            // and its files are kept.
            Err(error @ DbError::Refused { .. }) => lines.push(error.to_string()),
            Err(error) => return Err(cli_error(error)),
        }
    }
    let left = match marker.purge(directory) {
        // Only the file of this claim is left in the last directory. Some file systems keep the name of a file until it
        // is closed (FAT on Windows), so release the claim. No run starts on a database that is marked as purged.
        Err(DbError::Io { path, source, .. })
            if path == marker.directories.work && source.kind() == std::io::ErrorKind::DirectoryNotEmpty =>
        {
            claim = None;
            marker.purge(directory)
        }
        other => other,
    };
    let left = left.map_err(cli_error)?;
    drop(claim);
    let code = if left.is_empty() { exit::OK } else { exit::REFUSED };
    if left.is_empty() {
        let (name, directory) = (marker.name.to_string(), directory.display().to_string());
        let removed = sentence!("remark-database-removed", name, directory);
        lines.push(console::translate(&removed).into_owned());
    }
    lines.extend(left);
    Ok((lines, code))
}

/// Gives a copy a new identity.
pub fn adopt(options: &DbDir) -> Result<Code> {
    if let Some(code) = launch::refusal(Reach::OneHost("db adopt"))? {
        return Ok(code);
    }
    let marker = Marker::from_copy(&options.dir).map_err(cli_error)?;
    let _claim = Running::maintenance(&marker.directories.work, |_| false)?;
    let directory =
        sys::files::canonical(&options.dir).with_context(|| format!("cannot find {}", options.dir.display()))?;
    let entry = db::find_engine(&marker.engine).map_err(cli_error)?;
    let creation = Creation { marker, directory, environment: environment()? };
    (entry.probe)(&creation.environment).map_err(cli_error)?;
    // The engine corrects absolute paths while the copy still has the old identity, so that the command can be repeated
    // if it is interrupted.
    drop((entry.open)(&creation).map_err(cli_error)?);
    let Creation { mut marker, directory, .. } = creation;
    marker.adopt(&directory).map_err(cli_error)?;
    let shown = options.dir.display().to_string();
    remark_of(&sentence!("remark-database-adopted", directory = &shown, uuid = marker.uuid.to_string()));
    remark_of(&sentence!("remark-database-adopted-check", directory = shown));
    Ok(exit::OK)
}

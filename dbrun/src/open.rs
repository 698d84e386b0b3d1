//! Access to an existing database: its marker and its engine.

use super::{cli_error, refused};
use anyhow::{Context, Result};
use cli::{CommitWord, EngineArgs, OnOff};
use db::{BlockFiles, Creation, Database, EngineSettings, Marker};
use load::session::Sessions;
use model::Nanos;
use model::plan::{GlobalSize, NodeNames};
use session::environment;
use session::exit::{self, coded};
use session::reject;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A database that exists, with its engine.
pub struct OpenDatabase {
    /// Directory of the database, absolute and without links.
    pub directory: PathBuf,
    /// Contents of the file that marks the directory as a database of secchi.
    pub marker: Marker,
    /// The engine of the database.
    pub database: Box<dyn Database>,
    /// Blocks of the data files, if sessions read them instead of records.
    pub blocks: Option<BlockFiles>,
}

/// Returns the paths of this program and of installed database programs, which the engines need.
pub fn environment() -> Result<db::Environment> {
    let program = std::env::current_exe().context("cannot find the path of this program")?;
    Ok(db::Environment {
        program,
        installed: db::ENGINES.iter().filter_map(|e| Some((e.name, environment::path_in(e.variables)?))).collect(),
        path: environment::path(),
        temporary: std::env::temp_dir(),
    })
}

/// Returns the free bytes of a directory's file system, and the reserved bytes: a twentieth of its size, but at least 1
/// GiB.
///
/// # Errors
/// When the directory cannot be opened or its file system cannot be queried.
pub fn free_and_kept(directory: &Path) -> std::io::Result<(u64, u64)> {
    let space = sys::file_systems::space(&std::fs::File::open(directory)?)?;
    Ok((space.available, (space.total / 20).max(1 << 30)))
}

impl OpenDatabase {
    /// Opens the database of a directory without starting the engine.
    pub fn open(directory: &Path) -> Result<OpenDatabase> {
        let marker = Marker::open(directory).map_err(cli_error)?;
        OpenDatabase::from_marker(directory, marker)
    }

    /// Opens a database with a marker that has been verified.
    pub fn from_marker(directory: &Path, mut marker: Marker) -> Result<OpenDatabase> {
        let directory =
            sys::files::canonical(directory).with_context(|| format!("cannot find {}", directory.display()))?;
        let entry = db::find_engine(&marker.engine).map_err(cli_error)?;
        let creation = Creation { marker: marker.clone(), directory: directory.clone(), environment: environment()? };
        // A schema on an external server needs no local programs.
        if marker.url.is_none() {
            (entry.probe)(&creation.environment).map_err(cli_error)?;
        }
        let database = (entry.open)(&creation).map_err(cli_error)?;
        marker.update_location(&directory).map_err(cli_error)?;
        Ok(OpenDatabase { directory, marker, database, blocks: None })
    }

    /// Returns the engine settings for a run.
    pub fn how(&mut self, args: &EngineArgs) -> Result<EngineSettings> {
        if args.cache.as_u64() < 1 << 20 {
            reject!("--cache {}: must be at least 1 MiB", args.cache);
        }
        let write_back = args.write_back.or(self.database.usual_write_back()).unwrap_or(Nanos::from_secs(30));
        if write_back < Nanos::from_millis(100) {
            reject!("--write-back {write_back}: must be at least 100 ms");
        }
        // The last value of a parameter wins, and values of the run override those of the setup.
        let mut set = self.marker.parameters.clone();
        for (name, value) in &args.set {
            set.retain(|(known, _)| known != name);
            set.push((name.clone(), value.clone()));
        }
        self.database.set_parameters(&set).map_err(cli_error)?;
        Ok(EngineSettings {
            journal: args.journal_mode.map_or(self.marker.journal, |j| j == OnOff::On),
            durable: args.commit == CommitWord::Durable,
            cache: args.cache,
            write_back_every: write_back,
        })
    }

    /// Returns the sessions of the engine. They read blocks if the run reads blocks.
    pub fn sessions(&self) -> Arc<dyn Sessions> {
        let sessions = self.database.sessions();
        self.blocks.as_ref().map_or(Arc::clone(&sessions), |blocks| blocks.wrap_sessions(sessions))
    }

    /// Records in the marker that globals up to this number are being created, so that an interrupted creation can be
    /// recognized.
    pub fn begin_making(&mut self, globals: &[GlobalSize], names: Option<NodeNames>, indexes: u32) -> Result<()> {
        let most = globals.iter().map(|g| g.number).max().unwrap_or(0);
        let anew = most > 0 && (self.marker.names, self.marker.indexes) != (names, indexes);
        if most > self.marker.begun || anew {
            self.marker.begun = most.max(self.marker.begun);
            if anew {
                // All globals are created again. Until then, none of them has the new names and indexes.
                (self.marker.names, self.marker.indexes, self.marker.globals) = (names, indexes, 0);
            }
        }
        globals.iter().for_each(|g| _ = self.marker.scattered.remove(&g.number));
        self.marker.save(&self.directory).map_err(cli_error)
    }

    /// Discards the notes of a killed insert run about these globals, because they are created again.
    pub fn forget_inserts(&mut self, globals: &[GlobalSize]) {
        if let Some(inserting) = &mut self.marker.inserting {
            inserting.before.retain(|g| globals.iter().all(|made| made.number != g.number));
            if inserting.before.is_empty() {
                self.marker.inserting = None;
            }
        }
    }

    /// Rereads the parts of the marker that another run may have changed since the marker was opened. Called when no
    /// other run can change them anymore.
    pub fn refresh(&mut self) -> Result<()> {
        let now = Marker::open(&self.directory).map_err(cli_error)?;
        (self.marker.scattered, self.marker.inserting) = (now.scattered, now.inserting);
        Ok(())
    }

    /// Rejects node names if there are fewer names than nodes, if they are too long for the engine, or if they differ
    /// from the names in globals that are not created again.
    pub fn can_name(&self, names: Option<NodeNames>, indexes: u32, globals: &[GlobalSize]) -> Result<()> {
        if let Some(names) = &names {
            if indexes > 0 {
                reject!("--indexes {indexes}: secondary indexes require globals with integer subscripts, not {names}");
            }
            self.database.check_names(names).map_err(cli_error)?;
            let most = globals.iter().map(|g| g.count).max().unwrap_or(0);
            if names.count() < most {
                reject!(
                    "{names}: there are {} such names for {most} nodes, and each node needs its own",
                    names.count()
                );
            }
        }
        let most = globals.iter().map(|g| g.number).max().unwrap_or(0);
        if (self.marker.names, self.marker.indexes) != (names, indexes) && most < self.marker.globals {
            let form = |names: Option<NodeNames>, indexes: u32| {
                let nodes = names.map_or_else(|| "integer subscripts".to_owned(), |n| n.to_string());
                match indexes {
                    0 => nodes,
                    n => format!("{nodes} and {n} secondary indexes"),
                }
            };
            let stay = match (most + 1, self.marker.globals) {
                (one, last) if one == last => format!("global {one} would stay unchanged"),
                (first, last) => format!("globals {first} to {last} would stay unchanged"),
            };
            return refused(format!(
                "{stay}, with {}, while the others would have {}; create all of them again with -g {}",
                form(self.marker.names, self.marker.indexes),
                form(names, indexes),
                self.marker.globals
            ));
        }
        Ok(())
    }

    /// Starts the engine with settings for reading only.
    pub fn start_to_look(&mut self) -> Result<()> {
        let how = EngineSettings {
            // Same setting as in the last run, because a change may rewrite every table.
            journal: self.marker.journal_now.unwrap_or(self.marker.journal),
            durable: true,
            cache: model::Bytes::from_mib(64),
            write_back_every: model::Nanos::from_secs(30),
        };
        self.database.wait_for_killed_run().map_err(cli_error)?;
        self.database.start(&how, std::sync::Arc::new(sys::clock::monotonic_ns)).map_err(cli_error)
    }

    /// Returns the globals with their recorded sizes; a size is `None` if the creation of the global was interrupted.
    pub fn sizes(&self) -> Result<Vec<(u32, Option<u64>)>> {
        let size = |number| Ok((number, self.database.size(number).map_err(cli_error)?));
        (1..=self.marker.globals).map(size).collect()
    }

    /// Returns the globals that a run can use. A missing or incomplete global is an error that names it.
    pub fn globals(&self) -> Result<Vec<GlobalSize>> {
        let refuse = |reason: String| {
            let advice = format!("create them with `secchi db create-globals {}`", self.directory.display());
            refused(format!("{reason}; {advice}"))
        };
        if self.marker.globals == 0 {
            return refuse("the database has no globals".to_owned());
        }
        let mut globals = Vec::new();
        for (number, size) in self.sizes()? {
            match size {
                Some(size) if size > 0 => {
                    let scattered = self.marker.scattered.get(&number).copied().unwrap_or(0);
                    globals.push(GlobalSize { number, count: size.saturating_sub(scattered), scattered });
                }
                _ => return refuse(format!("global {number} was not completely created")),
            }
        }
        Ok(globals)
    }

    /// Returns these globals with their sizes in blocks that the engine can read directly.
    pub fn in_blocks(&self, globals: &[GlobalSize]) -> Result<Vec<GlobalSize>> {
        let mut sizes = Vec::new();
        for global in globals {
            match self.database.blocks(global.number).map_err(cli_error)? {
                Some(0) => {}
                Some(count) => sizes.push(GlobalSize::new(global.number, count)),
                None => {
                    let message = format!(
                        "--through engine-blocks: {} has no usable block read; --through blocks reads the blocks from \
                         its files",
                        self.marker.engine
                    );
                    return Err(coded(exit::REFUSED, message));
                }
            }
        }
        Ok(sizes)
    }
}

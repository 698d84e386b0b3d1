//! Search for GT.M or YottaDB, and execution of its programs.

use crate::{DbError, Environment, Marker};
use model::CompactSort;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Name of the engine in secchi.
pub const ENGINE: &str = "gtm";

/// An installed engine. Its programs are started from its own directory, and its library is loaded at run time. secchi
/// neither links nor ships any part of the engine.
#[derive(Debug, Clone)]
pub struct Install {
    /// Installation directory (`$gtm_dist`).
    pub dist: PathBuf,
    /// Shared library that sessions load.
    pub library: PathBuf,
    /// Library with the utilities that are written in M (GDE).
    utilities: Option<PathBuf>,
}

/// Directories in which packages install the engine. The subdirectory with the highest name is used.
const USUAL: [&str; 5] =
    ["/usr/lib/x86_64-linux-gnu/fis-gtm", "/usr/lib/fis-gtm", "/opt/fis-gtm", "/usr/local/lib/yottadb", "/opt/yottadb"];

impl Install {
    /// Finds the installation that the user named, or the newest one in the usual directories.
    ///
    /// # Errors
    /// Returns an error if the engine is not found. The error lists the directories that were searched, and the package
    /// to install.
    pub fn find(surroundings: &Environment) -> Result<Install, DbError> {
        let absent = |reason: String| DbError::Absent {
            engine: ENGINE,
            why: reason,
            advice: "install fis-gtm (Debian, Ubuntu) or YottaDB, or set gtm_dist or ydb_dist to its directory".into(),
        };
        if let Err(error) = sys::mumps::m_engines() {
            let (reason, advice) = (error.to_string(), sys::instead_of(&error).unwrap_or_default().to_owned());
            return Err(DbError::Absent { engine: ENGINE, why: reason, advice });
        }
        if let Some(dist) = surroundings.installed.get(ENGINE) {
            return Install::at(dist)
                .ok_or_else(|| absent(format!("{} does not contain mumps, mupip and libgtmshr.so", dist.display())));
        }
        let inside = USUAL.iter().filter_map(|dir| std::fs::read_dir(dir).ok()).flatten().flatten();
        let mut installs: Vec<Install> = inside.filter_map(|entry| Install::at(&entry.path())).collect();
        installs.compact_sort_by(|a, b| a.dist.file_name().cmp(&b.dist.file_name()));
        installs.pop().ok_or_else(|| absent(format!("found neither GT.M nor YottaDB in {}", USUAL.join(", "))))
    }

    fn at(dist: &Path) -> Option<Install> {
        let library =
            ["libgtmshr.so", "libyottadb.so"].map(|name| dist.join(name)).into_iter().find(|p| p.is_file())?;
        let utilities = ["libgtmutil.so", "libyottadbutil.so"].map(|name| dist.join(name));
        let whole = ["mumps", "mupip"].iter().all(|name| dist.join(name).is_file());
        whole.then(|| Install {
            dist: dist.to_owned(),
            library,
            utilities: utilities.into_iter().find(|p| p.is_file()),
        })
    }

    /// Returns the version, as the engine reports it.
    ///
    /// # Errors
    /// Returns an error if the engine does not start.
    pub fn version(&self) -> Result<String, DbError> {
        let mut command = Command::new(self.dist.join("mumps"));
        self.clean(&mut command).env("gtmroutines", self.dist.as_os_str()).env("gtm_tmp", "/tmp");
        let said = run(command.args(["-run", "%XCMD", "write $zversion"]), "report its version", None)?;
        Ok(said.trim().to_owned())
    }

    /// Sets an environment for one of the programs. The command does not inherit the user's environment, because
    /// variables that are set for another database must not affect this one.
    fn clean<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", "/").env("gtm_chset", "M");
        command.env("gtm_dist", &self.dist).env("ydb_dist", &self.dist)
    }

    /// Sets the command's environment for the database of this marker.
    pub fn settings(&self, command: &mut Command, marker: &Marker) {
        let work = &marker.directories.work;
        let utilities = self.utilities.as_ref().unwrap_or(&self.dist);
        let routines = format!("{0}({0}) {1}", work.display(), utilities.display());
        self.clean(command)
            .env("HOME", work)
            .env("gtmgbldir", global_directory(marker))
            .env("gtmroutines", routines)
            .env("gtm_tmp", work)
            .env("gtm_log", work)
            .current_dir(work);
    }

    /// Returns a command that runs one of the programs on the database of this marker.
    #[must_use]
    pub fn command(&self, program: &str, marker: &Marker) -> Command {
        let mut command = Command::new(self.dist.join(program));
        self.settings(&mut command, marker);
        command
    }
}

/// Returns the path of the global directory, which maps globals to regions and regions to files.
#[must_use]
pub fn global_directory(marker: &Marker) -> PathBuf {
    marker.directories.work.join("secchi.gld")
}

/// Runs a program to completion and returns its output. `input` is written to its standard input.
///
/// # Errors
/// Returns an error if the program cannot be started or fails. If it fails, the error contains its output, or only the
/// lines with error codes if there are any.
pub fn run(command: &mut Command, what: &str, input: Option<&str>) -> Result<String, DbError> {
    let failed = |reason: String| DbError::engine(ENGINE, what, reason);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    let mut child = command.spawn().map_err(|e| failed(e.to_string()))?;
    if let (Some(text), Some(mut stdin)) = (input, child.stdin.take()) {
        // If the program ends early, its output has the reason.
        let _ = stdin.write_all(text.as_bytes());
    }
    let output = child.wait_with_output().map_err(|e| failed(e.to_string()))?;
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.push_str(&String::from_utf8_lossy(&output.stderr));
    if output.status.success() {
        return Ok(said);
    }
    let errors: Vec<&str> =
        said.lines().map(str::trim).filter(|line| line.contains("-E-") || line.contains("-F-")).collect();
    let reason = if errors.is_empty() { said.trim().to_owned() } else { errors.join("; ") };
    Err(failed(format!("{reason} ({})", output.status)))
}

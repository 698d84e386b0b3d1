//! Finding GT.M or YottaDB, and running its programs.

use crate::{DbError, Environment, Marker};
use model::CompactSort;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Its name here.
pub const ENGINE: &str = "gtm";

/// An installed engine. It is started from its own directory and loaded at run time; nothing of it is linked or shipped.
#[derive(Debug, Clone)]
pub struct Install {
    /// `$gtm_dist`.
    pub dist: PathBuf,
    /// The shared library that sessions load.
    pub library: PathBuf,
    /// Library of its utilities written in M (GDE).
    utilities: Option<PathBuf>,
}

/// Where packages put it. The one with the highest name is taken.
const USUAL: [&str; 5] =
    ["/usr/lib/x86_64-linux-gnu/fis-gtm", "/usr/lib/fis-gtm", "/opt/fis-gtm", "/usr/local/lib/yottadb", "/opt/yottadb"];

impl Install {
    /// Looks where the surroundings say, otherwise in the usual directories.
    ///
    /// # Errors
    /// Where was looked, and what to install.
    pub fn find(surroundings: &Environment) -> Result<Install, DbError> {
        let absent = |why: String| DbError::Absent {
            engine: ENGINE,
            why,
            advice: "install fis-gtm (Debian, Ubuntu) or YottaDB, or name its directory in gtm_dist or ydb_dist".into(),
        };
        if let Err(error) = sys::m_engines() {
            let (why, advice) = (error.to_string(), sys::instead_of(&error).unwrap_or_default().to_owned());
            return Err(DbError::Absent { engine: ENGINE, why, advice });
        }
        if let Some(dist) = surroundings.installed.get(ENGINE) {
            return Install::at(dist)
                .ok_or_else(|| absent(format!("{} holds no mumps, mupip and libgtmshr.so", dist.display())));
        }
        let inside = USUAL.iter().filter_map(|dir| std::fs::read_dir(dir).ok()).flatten().flatten();
        let mut found: Vec<Install> = inside.filter_map(|entry| Install::at(&entry.path())).collect();
        found.compact_sort_by(|a, b| a.dist.file_name().cmp(&b.dist.file_name()));
        found.pop().ok_or_else(|| absent(format!("no GT.M and no YottaDB in {}", USUAL.join(", "))))
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

    /// Its version, in its own words.
    ///
    /// # Errors
    /// When it does not start.
    pub fn version(&self) -> Result<String, DbError> {
        let mut command = self.bare("mumps");
        command.env("gtmroutines", self.dist.as_os_str()).env("gtm_tmp", "/tmp");
        let said = run(command.args(["-run", "%XCMD", "write $zversion"]), "tell its version", None)?;
        Ok(said.trim().to_owned())
    }

    /// One of its programs with nothing but its own settings: whatever is set for another database must not reach this one.
    fn bare(&self, program: &str) -> Command {
        let mut command = Command::new(self.dist.join(program));
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", "/").env("gtm_chset", "M");
        command.env("gtm_dist", &self.dist).env("ydb_dist", &self.dist);
        command
    }

    /// Settings for the database of this marker.
    pub fn settings(&self, command: &mut Command, marker: &Marker) {
        let work = &marker.directories.work;
        let utilities = self.utilities.as_ref().unwrap_or(&self.dist);
        let routines = format!("{0}({0}) {1}", work.display(), utilities.display());
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", work)
            .env("gtm_dist", &self.dist)
            .env("ydb_dist", &self.dist)
            .env("gtm_chset", "M")
            .env("gtmgbldir", global_directory(marker))
            .env("gtmroutines", routines)
            .env("gtm_tmp", work)
            .env("gtm_log", work)
            .current_dir(work);
    }

    /// One of its programs for the database of this marker.
    #[must_use]
    pub fn command(&self, program: &str, marker: &Marker) -> Command {
        let mut command = Command::new(self.dist.join(program));
        self.settings(&mut command, marker);
        command
    }
}

/// The file that maps globals to regions and regions to files.
#[must_use]
pub fn global_directory(marker: &Marker) -> PathBuf {
    marker.directories.work.join("secchi.gld")
}

/// Runs a program to its end and returns all it said; `input` goes to its standard input.
///
/// # Errors
/// When it cannot be started or fails; then the text is what it said: the lines with its error codes where there are some.
pub fn run(command: &mut Command, what: &str, input: Option<&str>) -> Result<String, DbError> {
    let failed = |why: String| DbError::Engine { engine: ENGINE, what: what.to_owned(), why };
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    let mut child = command.spawn().map_err(|e| failed(e.to_string()))?;
    if let (Some(text), Some(mut stdin)) = (input, child.stdin.take()) {
        // A program that ends early says why itself.
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
    let why = if errors.is_empty() { said.trim().to_owned() } else { errors.join("; ") };
    Err(failed(format!("{why} ({})", output.status)))
}

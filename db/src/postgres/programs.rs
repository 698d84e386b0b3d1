//! PostgreSQL's programs: their directory and version, and the user that runs them.

use super::NAME;
use crate::{DbError, Environment};
use model::CompactSort;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use sys::files::MetadataExt;

/// Oldest supported major version.
pub const OLDEST: u32 = 15;

/// Programs of one PostgreSQL version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Programs {
    /// Directory that contains `initdb` and `postgres`.
    pub bin: PathBuf,
    /// Major version.
    pub major: u32,
    /// Full version, as the server reports it, such as `15.18 (Debian 15.18-0+deb12u1)`.
    pub version: String,
}

/// User that runs the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct User {
    /// User ID.
    pub uid: u32,
    /// Group ID.
    pub gid: u32,
}

impl Programs {
    /// Finds the programs: in the directory that the user named, otherwise the first in the path, otherwise the newest
    /// in the usual directories. With `major`, only that version is accepted, because a cluster requires the version
    /// that created it.
    pub fn find(surroundings: &Environment, major: Option<u32>) -> Result<Programs, DbError> {
        if !sys::files::FILE_SOCKETS {
            return Err(DbError::Absent {
                engine: NAME,
                why: "secchi reaches its own server through a Unix socket, which Windows does not support".into(),
                advice: "use a server with --url".into(),
            });
        }
        let fits = |p: &Programs| p.major >= OLDEST && major.is_none_or(|m| m == p.major);
        if let Some(bin) = surroundings.installed.get(NAME) {
            let named = Programs::in_directory(bin).map_err(|reason| {
                let what = format!("use PostgreSQL of {}", bin.display());
                DbError::refused(what, reason, "give the directory that contains `initdb` and `postgres`")
            })?;
            if fits(&named) {
                return Ok(named);
            }
            return Err(DbError::refused(
                format!("use PostgreSQL of {}", bin.display()),
                format!("it is version {}", named.version),
                wanted(major) + " is needed",
            ));
        }
        let mut seen: Vec<Programs> = Vec::new();
        for bin in surroundings.path.iter().cloned().chain(usual_directories()) {
            if let Ok(programs) = Programs::in_directory(&bin) {
                if fits(&programs) {
                    return Ok(programs);
                }
                seen.push(programs);
            }
        }
        let seen = seen.iter().map(|p| format!("{} in {}", p.version, p.bin.display())).collect::<Vec<_>>();
        Err(DbError::Absent {
            engine: NAME,
            why: match seen.is_empty() {
                true => "neither PATH nor /usr/lib/postgresql contains `initdb` and `postgres`".into(),
                false => format!("{} is required, but only {} is installed", wanted(major), seen.join(", ")),
            },
            advice: match major {
                Some(major) => format!("install postgresql-{major}"),
                None => "install PostgreSQL (Debian: apt install postgresql), or use a server with --url".into(),
            },
        })
    }

    /// Returns the programs in a directory. The error is one clause.
    fn in_directory(bin: &Path) -> Result<Programs, String> {
        for program in ["initdb", "postgres"] {
            if !bin.join(program).is_file() {
                return Err(format!("it does not contain `{program}`"));
            }
        }
        // The real directory has all the other programs. If a script (as installed by Python packages) were used in
        // place of the server, it would receive the signals meant for the server.
        let real =
            sys::files::canonical(bin.join("postgres")).map_err(|e| format!("cannot examine `postgres`: {e}"))?;
        let mut magic = [0; 4];
        if File::open(&real).and_then(|mut f| f.read_exact(&mut magic)).is_err() || magic != *b"\x7fELF" {
            return Err("`postgres` is a script, not the server binary".into());
        }
        let bin = real.parent().unwrap_or(bin);
        let out = Command::new(&real).arg("--version").env_clear().env("LC_ALL", "C").output();
        let out = out.map_err(|e| format!("cannot run `postgres`: {e}"))?;
        let text = String::from_utf8_lossy(&out.stdout);
        let version = text.trim().strip_prefix("postgres (PostgreSQL) ").unwrap_or_default().to_owned();
        let digits: String = version.chars().take_while(char::is_ascii_digit).collect();
        match digits.parse() {
            Ok(major) => Ok(Programs { bin: bin.to_owned(), major, version }),
            Err(_) => Err(format!("`postgres --version` printed {:?}", model::clip(text.trim()))),
        }
    }

    /// Runs a program to completion, as `user`, in a clean environment.
    pub fn run(&self, program: &str, user: Option<User>, arguments: &[&str]) -> Result<Output, DbError> {
        let mut command = self.command(program, user);
        command.args(arguments);
        command.output().map_err(DbError::io("run", self.bin.join(program)))
    }

    /// Returns a command that runs a program as `user`, in a clean environment.
    pub fn command(&self, program: &str, user: Option<User>) -> Command {
        let mut command = Command::new(self.bin.join(program));
        command.env_clear().env("LC_ALL", "C").env("PATH", "/usr/bin:/bin").current_dir("/");
        if let Some(user) = user {
            sys::process::run_as(&mut command, user.uid, user.gid);
        }
        command
    }

    /// Checks that `user` may pass through every directory down to `directory`. The error names the first directory
    /// that does not allow it.
    pub fn check_reachable(&self, user: Option<User>, directory: &Path) -> Result<(), DbError> {
        let Some(user) = user else { return Ok(()) };
        let passes = |at: &Path| {
            let mut command = self.command("postgres", Some(user));
            command.arg("--version").current_dir(at).output().map_err(|e| e.kind())
        };
        let refused = |at: &Path, what: &str| {
            let owner = sys::files::metadata(at).map_or(0, |m| m.uid());
            Err(DbError::refused(
                format!("run PostgreSQL in {}", directory.display()),
                format!("it does not run as root, and user {} {what} {} (of user {owner})", user.uid, at.display()),
                "use a directory that other users may enter, or run chmod o+x on it",
            ))
        };
        if passes(Path::new("/")).is_err() {
            return refused(&self.bin, "may not run programs in");
        }
        if passes(directory).is_ok() {
            return Ok(());
        }
        let mut above: Vec<&Path> = directory.ancestors().collect();
        above.reverse();
        let stop = above.into_iter().find(|at| passes(at).is_err()).unwrap_or(directory);
        refused(stop, "may not pass through")
    }
}

/// Describes the required version in words.
fn wanted(major: Option<u32>) -> String {
    match major {
        Some(major) => format!("PostgreSQL {major}, which created this database,"),
        None => format!("PostgreSQL {OLDEST} or newer"),
    }
}

/// Returns the directories in which distributions install PostgreSQL, the newest version first.
fn usual_directories() -> Vec<PathBuf> {
    let mut directories: Vec<(u32, PathBuf)> = Vec::new();
    // Debian and its derivatives, then Red Hat and its derivatives.
    for (parent, prefix) in [("/usr/lib/postgresql", ""), ("/usr", "pgsql-")] {
        for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let major = name.to_str().and_then(|n| n.strip_prefix(prefix)).and_then(|n| n.parse().ok());
            if let Some(major) = major {
                directories.push((major, entry.path().join("bin")));
            }
        }
    }
    directories.compact_sort_by_key(|(major, _)| std::cmp::Reverse(*major));
    directories.into_iter().map(|(_, bin)| bin).collect()
}

/// Returns the user that runs the server. PostgreSQL rejects root, so root runs it as `postgres` if that user exists,
/// and otherwise as `nobody`. Other users run it as themselves (`None`).
pub fn server_user() -> Option<User> {
    (sys::files::effective_user() == 0).then(|| {
        let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
        find_user(&users, "postgres").or_else(|| find_user(&users, "nobody")).unwrap_or(User { uid: 65534, gid: 65534 })
    })
}

fn find_user(passwd: &str, name: &str) -> Option<User> {
    let line = passwd.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(':'))?;
    let mut fields = line.split(':').skip(1);
    let (uid, gid) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    (uid != 0).then_some(User { uid, gid })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_of_the_server_is_found_and_never_root() {
        let passwd = "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65533::/:/bin/false\npostgresql:x:9:9::/:/bin/sh\n";
        assert_eq!(find_user(passwd, "postgres"), None);
        assert_eq!(find_user(passwd, "nobody"), Some(User { uid: 65534, gid: 65533 }));
        assert_eq!(find_user(passwd, "root"), None);
    }

    #[test]
    fn a_directory_without_the_programs_is_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let s = Environment { installed: [(NAME, dir.path().into())].into(), ..Environment::default() };
        let refused = Programs::find(&s, None).unwrap_err().to_string();
        if refused.contains("which Windows does not support") {
            testkit::skip!("{refused}");
        }
        assert!(
            refused.contains("does not contain `initdb`") && refused.contains(dir.path().to_str().unwrap()),
            "{refused}"
        );
    }
}

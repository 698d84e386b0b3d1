//! Runs of the two programs: each in its own directory, with JSON output.

use super::case::{Case, Made};
use super::fio_json::FioJson;
use super::support::{self, Ended, files_beneath};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// One of the two programs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Who {
    Fio,
    Ours,
}

/// Result of one run of one program.
#[derive(Debug)]
pub struct Outcome {
    pub ended: Ended,
    pub told: Result<FioJson, String>,
    /// Files left in its directory, without logs.
    pub files: BTreeMap<String, u64>,
    /// Files created beforehand.
    pub made: BTreeMap<String, u64>,
    /// Lines of the logs, by name.
    pub logs: BTreeMap<String, Vec<String>>,
}

/// Maximum duration of one run of a case; a typical run takes a second or two.
const LONGEST: Duration = Duration::from_secs(60);

pub fn fio_is_installed() -> bool {
    Command::new("fio").arg("--version").output().is_ok_and(|o| o.status.success())
}

/// Returns `true` if this build has the command `fio`.
pub fn ours_speaks_fio() -> bool {
    let output = Command::new(secchi()).args(["fio", "--version"]).output();
    rival().is_some() || output.is_ok_and(|o| o.status.success())
}

/// Returns the program that replaces secchi, if set.
fn rival() -> Option<std::ffi::OsString> {
    std::env::var_os("SECCHI_FIO_RIVAL")
}

pub fn secchi() -> PathBuf {
    env!("CARGO_BIN_EXE_secchi").into()
}

/// Returns the command `secchi fio` with its own store.
pub fn secchi_fio(store: &Path) -> Command {
    let mut command = Command::new(secchi());
    command.env("HOME", store).env_remove("XDG_DATA_HOME").env_remove("SECCHI_SUPERVISED");
    command.arg("fio").arg("--store").arg(store);
    command
}

/// Runs a case once.
pub fn run(case: &Case, who: Who, group: Option<&Path>) -> Result<Outcome, String> {
    let place = support::place();
    let dir = place.path().join("data");
    std::fs::create_dir(&dir).map_err(|e| e.to_string())?;
    make(case, &dir)?;
    let made = files_beneath(&dir);
    let document = place.path().join("told.json");
    let mut command = match (who, rival()) {
        (Who::Fio, _) => {
            let mut command = Command::new("fio");
            // fio's notes would be mixed into standard output; secchi's standard output must contain only the document.
            command.arg("--output").arg(&document);
            command.arg("--output-format=json").args(&case.args).args(case.for_fio(&place.path().join("case.fio"))?);
            command
        }
        (Who::Ours, Some(rival)) => {
            let mut command = Command::new(rival);
            command.arg("--output-format=json").args(&case.args).args(case.for_fio(&place.path().join("case.fio"))?);
            command
        }
        (Who::Ours, None) => {
            let mut command = secchi_fio(&place.path().join("store"));
            command.arg("--output-format=json").args(&case.args).args(&case.ours).args(case.as_it_stands());
            command
        }
    };
    if let Some(group) = group {
        command = inside(group, &command);
    }
    let ended = support::run(&mut command, &dir, LONGEST)?;
    let text = match who {
        Who::Fio => after_notes(&std::fs::read_to_string(&document).unwrap_or_default()),
        Who::Ours => ended.stdout.clone(),
    };
    let parsed = FioJson::read(&text).map_err(|e| format!("{e}: {}", ended.output()));
    let (mut files, mut logs) = (BTreeMap::new(), BTreeMap::new());
    for (name, size) in files_beneath(&dir) {
        if name.ends_with("-verify.state") {
            // fio writes these to resume after a crash; secchi writes no files next to the data.
            continue;
        }
        if name.ends_with(".log") {
            let text = std::fs::read_to_string(dir.join(&name)).unwrap_or_default();
            logs.insert(name, text.lines().map(str::to_owned).collect());
        } else {
            files.insert(name, size);
        }
    }
    Ok(Outcome { ended, told: parsed, files, made, logs })
}

/// Returns the document after the notes and verification errors that fio writes into the same file.
pub fn after_notes(text: &str) -> String {
    let document = text.split_inclusive('\n').skip_while(|l| !l.starts_with('{'));
    document.collect()
}

fn make(case: &Case, dir: &Path) -> Result<(), String> {
    for made in &case.make {
        match made {
            Made::Directory(name) => std::fs::create_dir_all(dir.join(name)).map_err(|e| e.to_string())?,
            Made::File(name, size) => {
                // Blocks are all different, and none is zero.
                let mut state = 88_172_645_463_325_252_u64;
                let words = (0..size / 8).flat_map(|_| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    state.to_le_bytes()
                });
                let file = std::fs::File::create(dir.join(name)).map_err(|e| e.to_string())?;
                std::io::Write::write_all(&mut &file, &words.collect::<Vec<u8>>()).map_err(|e| e.to_string())?;
                file.sync_all().map_err(|e| e.to_string())?;
            }
        }
    }
    Ok(())
}

/// Returns the same command, which enters a control group before it starts.
fn inside(group: &Path, command: &Command) -> Command {
    let mut inside = Command::new("sh");
    inside.args(["-c", "echo $$ > \"$0/cgroup.procs\" && exec \"$@\""]).arg(group);
    inside.arg(command.get_program()).args(command.get_args());
    for (key, value) in command.get_envs() {
        match value {
            Some(value) => inside.env(key, value),
            None => inside.env_remove(key),
        };
    }
    inside
}

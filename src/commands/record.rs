//! `secchi record`: runs a watch that stores every observed request in a file, or converts another tool's recording.

use crate::commands::watch;
use anyhow::{Context, Result};
use cli::Record;
use model::recording::{RecordedLayer, RecordedTarget, Recording};
use model::{clip, plan::UNMAPPED};
use session::exit::{self, Code, coded};
use session::inputs;
use session::launch::{self, Reach};
use session::measure::check_system;
use session::recorder::{Recorder, write_whole};
use session::targets::NamedPath;
use session::{console, reject};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

pub fn run(options: &Record) -> Result<Code> {
    check_system("record")?;
    check(options)?;
    match &options.from {
        Some(from) => convert(options, from),
        None => record(options),
    }
}

/// Checks the options that can be checked without access to the machine.
fn check(options: &Record) -> Result<()> {
    let calls = options.layer() == RecordedLayer::Syscalls;
    if calls && options.pids.is_empty() && options.command.is_empty() {
        reject!("--layer syscalls needs a process: name one with --pid, or give a COMMAND after --");
    }
    if let Some(pid) = options.pids.first().filter(|_| !calls) {
        reject!(
            "--pid {pid}: requests to a device cannot be attributed to a process; add --layer syscalls, which records \
             the calls of processes"
        );
    }
    Ok(())
}

fn record(options: &Record) -> Result<Code> {
    if let Some(code) = launch::refusal(Reach::OneHost("record"))? {
        return Ok(code);
    }
    let file = new_file(&options.output)?;
    let recorder = Recorder { file, path: options.output.clone(), redact: options.redact, quiet: options.quiet };
    let outcome = watch::record(&options.as_watch(), recorder);
    // If the recording did not begin, do not leave a file.
    if outcome.is_err() && options.output.metadata().is_ok_and(|meta| meta.len() == 0) {
        let _ = std::fs::remove_file(&options.output);
    }
    outcome
}

fn new_file(path: &Path) -> Result<File> {
    let shown = path.display();
    let new = OpenOptions::new().write(true).create_new(true).open(path);
    new.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            coded(exit::BAD_INPUT, format!("--output {shown}: it exists already, and recordings are never replaced"))
        }
        _ => coded(exit::BAD_INPUT, format!("--output {shown}: cannot create it: {error}")),
    })
}

/// Converts another tool's recording.
fn convert(options: &Record, from: &Path) -> Result<Code> {
    let wrong = |reason: String| coded(exit::BAD_INPUT, format!("--from {}: {reason}", from.display()));
    let mut foreign = inputs::open(from).map_err(wrong)?.0;
    if is_ours(&mut foreign) {
        return Err(wrong("it is already a recording of secchi".to_owned()));
    }
    let mut recording = inputs::recordings::read_foreign(&mut foreign).map_err(wrong)?;
    name_roles(&mut recording, &options.roles, options.redact)?;
    let file = new_file(&options.output)?;
    let recorded = write_whole(&file, &mut recording).inspect_err(|_| {
        let _ = std::fs::remove_file(&options.output);
    });
    let shown = options.output.display();
    let recorded = recorded.with_context(|| format!("the recording {shown} could not be completed"))?;
    let lines = recorded.converted(&options.output, &recording.header.source);
    console::print(|_, out| lines.iter().try_for_each(|line| writeln!(out, "{}", console::translate(line))))?;
    Ok(exit::OK)
}

fn is_ours(file: &mut File) -> bool {
    !matches!(recording::RecordingReader::begin(file), Err(recording::RecordingError::NoRecording))
}

/// Assigns the named roles to the targets of requests. If no roles were named, the names of the targets become their
/// roles.
fn name_roles(recording: &mut Recording, roles: &[NamedPath], redact: bool) -> Result<()> {
    for role in roles {
        if !recording.targets.iter().any(|target| is_named(target, role)) {
            let names: Vec<String> = recording.targets.iter().take(8).map(|target| clip(&target.name)).collect();
            let more = if recording.targets.len() > names.len() { ", ..." } else { "" };
            let (name, path, names) = (&role.name, clip(&role.path.to_string_lossy()), names.join(", "));
            reject!("--role {name}={path}: the recording has no target of this name; it has {names}{more}");
        }
        let path = if redact { String::new() } else { role.path.display().to_string() };
        recording.header.roles.push((role.name.clone(), path));
    }
    for (number, target) in recording.targets.iter_mut().enumerate() {
        let named = roles.iter().filter(|role| is_named(target, role));
        match named.max_by_key(|role| role.path.as_os_str().len()) {
            Some(role) => target.role.clone_from(&role.name),
            None if !roles.is_empty() => UNMAPPED.clone_into(&mut target.role),
            None if redact => target.role = format!("target-{}", number + 1),
            None => {}
        }
    }
    if redact {
        recording.targets.iter_mut().for_each(|target| target.name.clear());
    }
    Ok(())
}

/// Returns `true` if a role names this target: a disk, a file, or a file below a directory.
fn is_named(target: &RecordedTarget, role: &NamedPath) -> bool {
    let device = role.path.strip_prefix("/dev").is_ok_and(|name| name.as_os_str() == target.name.as_str());
    device || Path::new(&target.name).starts_with(&role.path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_name_disks_and_files_and_the_rest_is_unmapped() {
        let target = |name: &str| RecordedTarget { role: name.into(), name: name.into(), ..RecordedTarget::default() };
        let recording =
            || Recording { targets: ["vda", "/srv/db/1", "254,1"].map(target).into(), ..Recording::default() };
        let named = |roles: &[&str], redact| {
            let mut recording = recording();
            let roles: Vec<NamedPath> = roles.iter().map(|role| role.parse().expect("a role")).collect();
            name_roles(&mut recording, &roles, redact).map(|()| recording.targets)
        };
        let roles = |targets: Vec<RecordedTarget>| targets.into_iter().map(|t| t.role).collect::<Vec<_>>();
        assert_eq!(roles(named(&[], false).expect("named")), ["vda", "/srv/db/1", "254,1"]);
        assert_eq!(roles(named(&["a=/dev/vda", "b=/srv"], false).expect("named")), ["a", "b", UNMAPPED]);
        let targets = named(&["c=254,1"], true).expect("named");
        assert!(targets.iter().all(|t| t.name.is_empty()) && targets[2].role == "c");
        assert_eq!(roles(named(&[], true).expect("named")), ["target-1", "target-2", "target-3"]);
        let error = named(&["x=/srv/d"], false).expect_err("nothing is named so").to_string();
        assert!(error.contains("--role x=/srv/d") && error.contains("it has vda, /srv/db/1, 254,1"), "{error}");
    }
}

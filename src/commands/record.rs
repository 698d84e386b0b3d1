//! `secchi record`: a watch that keeps every request it sees, in a file.

use crate::args::Record;
use crate::commands::watch;
use crate::exit::{self, Code, coded};
use crate::session::recorder::Recorder;
use anyhow::Result;
use std::fs::OpenOptions;
use std::io;

pub fn run(options: &Record) -> Result<Code> {
    let shown = options.output.display();
    let new = OpenOptions::new().write(true).create_new(true).open(&options.output);
    let file = new.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            coded(exit::BAD_INPUT, format!("--output {shown}: it is there already; a recording is never replaced"))
        }
        _ => coded(exit::BAD_INPUT, format!("--output {shown}: it cannot be made: {error}")),
    })?;
    let recorder = Recorder { file, path: options.output.clone(), redact: options.redact, quiet: options.quiet };
    let outcome = watch::record(&options.as_watch(), recorder);
    // What never began leaves nothing behind.
    if outcome.is_err() && options.output.metadata().is_ok_and(|meta| meta.len() == 0) {
        let _ = std::fs::remove_file(&options.output);
    }
    outcome
}

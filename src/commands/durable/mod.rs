//! `secchi durable`: checks whether acknowledged writes are kept. The crate `durable` writes, witnesses and compares;
//! this module handles the command line, signals and output.

mod syncs;
mod verify;
mod witness;
mod write;

use super::token::read_token;
use ::durable::directory::{Failure, FailureKind};
use ::durable::witness::client::Client;
use anyhow::Result;
use cli::{Durable, DurableCommand};
use model::Sentence;
use session::console;
use session::exit::{self, Code, coded};
use session::launch::{self, Reach};
use session::measure::check_system;
use std::path::Path;

pub fn run(options: &Durable) -> Result<Code> {
    // A witness only receives reports.
    if !matches!(options.what, Some(DurableCommand::Witness(_))) {
        check_system("durable")?;
    }
    if let Some(code) = launch::refusal(Reach::OneHost("durable"))? {
        return Ok(code);
    }
    match &options.what {
        None => syncs::run(&options.syncs),
        Some(what) => experiment(what),
    }
}

fn experiment(what: &DurableCommand) -> Result<Code> {
    match what {
        DurableCommand::Write(options) => write::run(options),
        DurableCommand::Witness(options) => witness::run(options),
        DurableCommand::Verify(options) => verify::run(options),
    }
}

/// Converts a failure of the experiment into an error with its exit code.
fn failed(failure: Failure) -> anyhow::Error {
    let code = match failure.kind {
        FailureKind::BadInput => exit::BAD_INPUT,
        FailureKind::Refused => exit::REFUSED,
        FailureKind::Cannot => exit::CANNOT,
        FailureKind::Failed => exit::INVALID,
    };
    coded(code, failure)
}

/// Returns a client for the named witness.
fn client(witness: &str, token: Option<&Path>) -> Result<Client> {
    let token = token.map(read_token).transpose()?;
    Client::new(witness, token).map_err(|reason| coded(exit::BAD_INPUT, format!("--witness {reason}")))
}

/// Returns the ID of the current boot; empty if the kernel does not report one.
fn boot() -> String {
    sys::process::boot().chars().take(64).collect()
}

/// Prints lines to standard output in the reader's language.
fn print_lines(lines: &[Sentence]) -> Result<()> {
    console::print(|_, out| {
        lines.iter().try_for_each(|line| writeln!(out, "{}", report::harmless(&console::translate(line))))
    })
}

//! secchi: checks whether storage delivers what was paid for and what the database needs, and finds the bottleneck if
//! it does not.
//!
//! This crate is the binary: arguments, commands, wiring, exit codes. No other crate prints or exits.

// These macros panic if a stream is full or closed. `session::console` is used instead, because it handles lost output.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod commands;
mod console;
mod diagnostics;

use cli::Command;
use session::{exit, language, launch};

/// Ends the process with a message if an allocation fails.
#[global_allocator]
static MEMORY: sys::memory::Memory = sys::memory::Memory::ending_with(c"secchi", exit::CANNOT.0);

fn main() {
    std::process::exit(run().0);
}

fn run() -> exit::Code {
    sys::memory::share_one_heap_where_limited();
    session::console::install(&console::ProcessConsole);
    if let Some(code) = commands::completions::answer() {
        return code;
    }
    launch::leave_speaking_to_rank_0();
    // A reader that closed the pipe (`secchi show | head`) is not an error: writes then fail, and the writing code
    // handles that.
    let args = match cli::parse() {
        Ok(args) => args,
        Err(code) => return code,
    };
    language::choose(args.lang);
    if let Some(remark) = language::unknown().filter(|_| args.lang.is_none()) {
        session::console::remark(&remark);
    }
    if let Err(reason) = diagnostics::start(args.verbose) {
        session::console::refuse(exit::BAD_INPUT, &reason);
        return exit::BAD_INPUT;
    }
    run_command(args.command).unwrap_or_else(|failure| {
        let code = exit::code_of(&failure);
        session::console::refuse(code, &format!("{failure:#}"));
        code
    })
}

fn run_command(command: Command) -> anyhow::Result<exit::Code> {
    match command {
        Command::Qualify(options) => commands::qualify::run(&options),
        Command::Fio(options) => fio::run(&options.words),
        Command::Limits(options) => commands::limits::run(&options),
        Command::Ab(options) => commands::ab::run(&options),
        Command::Compare(options) => commands::compare::run(&options),
        Command::Judge(options) => commands::judge::run(&options),
        Command::Lint(options) => commands::lint::run(&options),
        Command::Db(options) => dbrun::run(&options),
        Command::Mark(options) => commands::mark::run(&options),
        Command::Ping(options) => ioping::run(&options.words, options.as_ioping),
        Command::Watch(options) => commands::watch::run(&options),
        Command::Needs(options) => commands::needs::run(&options),
        Command::Record(options) => commands::record::run(&options),
        Command::Replay(options) => commands::replay::run(&options),
        Command::Durable(options) => commands::durable::run(&options),
        Command::Hydration(options) => commands::hydration::run(&options),
        Command::Runs(options) => commands::runs::run(&options),
        Command::Show(options) => commands::show::run(&options),
        Command::Report(options) => commands::reports::run(&options),
        Command::Serve(options) => commands::serve::run(&options),
        Command::Rm(options) => commands::runs::delete(&options),
        Command::Completions(options) => commands::completions::run(&options),
        Command::Manual(options) => commands::manual::run(&options),
        Command::Version(options) => commands::version::run(&options),
        Command::DbSession(options) => dbrun::session_process::run(&options),
    }
}

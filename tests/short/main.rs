//! The binary end to end, in the fast tier: commands whose figures do not matter, for which any directory will do.
//!
//! These tests run in parallel and on a loaded machine, and need no device, control group, server or browser. The
//! remaining tests of the binary are in `tests/paced`.

#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the paced tier uses the rest")]
mod support;

mod bombs;
mod callers;
mod cli;
mod described;
mod durable;
mod fio;
mod foreign;
mod launch;
mod limits;
mod metadata;
mod needs;
mod objects;
mod perftools;
mod ping;
mod programs;
mod prometheus;
mod schema;
mod tables;
mod upgrade;
mod watch;

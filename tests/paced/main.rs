//! The binary end to end, in the paced tier: loop devices, control groups, databases, browsers, many hosts, faults, and a
//! comparison with fio ([`fio`]).
//!
//! Tests that need something the machine lacks (root, loop devices, a control group) are skipped with a message. Guards
//! remove everything that was set up on the machine, also if a test fails. Tests whose figures a neighbour would
//! disturb run alone ([`support::alone`]), the others in parallel ([`support::beside`]).

#[path = "../fio/mod.rs"]
mod fio;
#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "the fast tier uses the rest")]
mod support;

mod accounting;
mod beside_fio;
mod book;
mod closed_streams;
mod compare;
mod dashboard;
mod db;
mod db_attribution;
mod db_cases;
mod db_insert;
mod db_layouts;
mod db_model;
mod db_past;
mod db_rooms;
mod db_workloads;
mod engines;
mod faults;
mod hydration;
mod kills;
mod limits;
mod mark;
mod metadata;
mod needs;
mod open_loop;
mod outputs;
mod page;
mod ping;
mod plan;
mod rank_commands;
mod rank_databases;
mod rank_metadata;
mod rank_shared;
mod rank_watch;
mod ranks;
mod record;
mod replay;
mod report;
mod runs;
mod serve;
mod side_by_side;
mod signals;
mod syncs;
mod team;
mod throttle;
mod traced;
mod watch;
mod whole_run;
mod wrong_targets;

//! The binary end to end: real files, loop devices, control groups, signals, faults, and a comparison with fio.
//!
//! Tests that need something the machine lacks (root, loop devices, a control group) are skipped with a message. Guards
//! remove everything that was set up on the machine, also if a test fails. Tests whose figures a neighbour would
//! disturb run alone ([`support::alone`]), the others in parallel ([`support::beside`]).

mod accounting;
mod beside_fio;
mod bombs;
mod book;
mod callers;
mod cli;
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
mod described;
mod durable;
mod engines;
mod faults;
mod fio;
mod foreign;
mod kills;
mod launch;
mod limits;
mod mark;
mod metadata;
mod needs;
mod objects;
mod open_loop;
mod outputs;
mod page;
mod ping;
mod plan;
mod programs;
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
mod support;
mod syncs;
mod team;
mod throttle;
mod traced;
mod upgrade;
mod watch;
mod whole_run;
mod wrong_targets;

//! Rules for the results of single tools: InterSystems PerfTools, ioping, and the counters of a database.

pub(super) mod database;
pub(super) mod ioping;
pub(super) mod perftools;

//! Benchmarks that ship with databases, databases' own counters, and the output of the M scripts of `secchi db script`.

pub(crate) mod hammerdb;
pub(crate) mod m_scripts;
pub(crate) mod pg_stat_io;
pub(crate) mod pg_test_fsync;
pub(crate) mod pgbench;
pub(crate) mod sysbench_fileio;

//! Benchmarks that ship with databases, counters of databases, and the output of the M scripts that `secchi db script`
//! generates.

pub(crate) mod hammerdb;
pub(crate) mod m_scripts;
pub(crate) mod pg_stat_io;
pub(crate) mod pg_test_fsync;
pub(crate) mod pgbench;
pub(crate) mod sysbench_fileio;

//! Tools of a Linux system: counters over time (sysstat, vmstat, nfsiostat), a block trace's summary, hdparm and dd.

pub(crate) mod btt;
pub(crate) mod dd;
pub(crate) mod hdparm;
pub(crate) mod iostat;
pub(crate) mod nfsiostat;
pub(crate) mod pidstat;
pub(crate) mod sar;
pub(crate) mod sysstat;
pub(crate) mod vmstat;

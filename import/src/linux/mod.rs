//! Linux tools: counters over time (sysstat, vmstat, nfsiostat, zpool), block trace summaries, hdparm, dd, bonnie++,
//! pveperf, YABS.

pub(crate) mod bonnie;
pub(crate) mod btt;
pub(crate) mod dd;
pub(crate) mod hdparm;
pub(crate) mod iostat;
pub(crate) mod nfsiostat;
pub(crate) mod pidstat;
pub(crate) mod pveperf;
pub(crate) mod sar;
pub(crate) mod sysstat;
pub(crate) mod vmstat;
pub(crate) mod yabs;
mod yabs_json;
mod yabs_test;
pub(crate) mod zpool_iostat;

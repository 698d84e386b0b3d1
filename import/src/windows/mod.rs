//! Windows tools: diskspd, CrystalDiskMark, WinSAT, performance counters.

pub(crate) mod crystaldiskmark;
pub(crate) mod diskspd;
pub(crate) mod diskspd_text;
pub(crate) mod typeperf;
pub(crate) mod winsat;

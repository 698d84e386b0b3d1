//! What InterSystems IRIS and Caché write about themselves, and their PerfTools.

pub(crate) mod irisstat;
pub(crate) mod mgstat;
pub(crate) mod perftools;
pub(crate) mod system_performance;

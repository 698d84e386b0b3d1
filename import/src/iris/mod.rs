//! Monitoring output of InterSystems IRIS and Caché, and InterSystems PerfTools.

pub(crate) mod irisstat;
pub(crate) mod mgstat;
pub(crate) mod perftools;
pub(crate) mod system_performance;

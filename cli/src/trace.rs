//! Arguments for the block trace, shared by all commands that measure.

use clap::Args;
use model::plan::{RolePath, TraceRule};

#[derive(Debug, Clone, Default, Args)]
pub struct TraceArgs {
    /// Trace sizes and latencies of the requests that reach the device (requires root)
    #[arg(long)]
    pub trace_blocks: bool,

    /// Trace requests to this file, directory or device as ROLE, such as data=/srv/db; repeatable
    ///
    /// Requests outside the named files are reported as unmapped.
    #[arg(long = "role", value_name = "ROLE=PATH")]
    pub roles: Vec<RolePath>,
}

impl TraceArgs {
    /// Returns the trace rule, or `None` if no trace was requested. `usual` returns the roles if none were named.
    pub fn rule(&self, usual: impl FnOnce() -> Vec<RolePath>) -> Option<TraceRule> {
        if !self.trace_blocks && self.roles.is_empty() {
            return None;
        }
        let roles = if self.roles.is_empty() { usual() } else { self.roles.clone() };
        // The tracing thread resolves the paths later, when the working directory may be another.
        let fixed = |r: RolePath| RolePath { path: std::path::absolute(&r.path).unwrap_or(r.path), ..r };
        Some(TraceRule { roles: roles.into_iter().map(fixed).collect() })
    }
}

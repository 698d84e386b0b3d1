//! Arguments of the block trace, the same for every command that measures.

use clap::Args;
use model::{RolePath, TraceRule};

#[derive(Debug, Clone, Default, Args)]
pub struct TraceArgs {
    /// Trace the block layer: sizes and times of the requests that really reach the device (needs root)
    #[arg(long)]
    pub trace_blocks: bool,

    /// Trace by these files, directories or devices, such as data=/srv/db; may be repeated. What lies in no known file is
    /// told as unmapped
    #[arg(long = "role", value_name = "ROLE=PATH")]
    pub roles: Vec<RolePath>,
}

impl TraceArgs {
    /// What is traced, if anything; `usual` are the roles where none are named.
    pub fn rule(&self, usual: impl FnOnce() -> Vec<RolePath>) -> Option<TraceRule> {
        if !self.trace_blocks && self.roles.is_empty() {
            return None;
        }
        let roles = if self.roles.is_empty() { usual() } else { self.roles.clone() };
        // The trace looks from a thread of its own, whenever: relative names must not change their meaning.
        let fixed = |r: RolePath| RolePath { path: std::path::absolute(&r.path).unwrap_or(r.path), ..r };
        Some(TraceRule { roles: roles.into_iter().map(fixed).collect() })
    }
}

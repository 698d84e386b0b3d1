//! Result that a child process reports to its parent.

use anyhow::Result;
use std::io::Write;

/// Prints the result as one line of JSON.
pub fn print(iops: f64, user_ns: f64, system_ns: f64, mean_ns: f64, first_io_monotonic_ns: i64) -> Result<()> {
    let cpu = sys::process::process_cpu_time();
    let line = serde_json::json!({
        "iops": iops, "user_ns": user_ns, "system_ns": system_ns, "mean_ns": mean_ns,
        "first_io": first_io_monotonic_ns, "resident": cpu.max_resident,
    });
    writeln!(std::io::stdout(), "{line}")?;
    Ok(())
}

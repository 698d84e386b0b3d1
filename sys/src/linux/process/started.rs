//! Which process it is, for others that find its number later.

/// Which start of this machine it is: a process number may be used again in the next one. Empty where the kernel does not tell.
#[must_use]
pub fn boot() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// When a process started, in ticks since boot: a process number may be used again, this pair is not.
pub(crate) fn started(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may hold blanks and brackets; what follows the last bracket is columns, the 20th is the start.
    stat.rsplit_once(')')?.1.split_whitespace().nth(19).map(str::to_owned)
}

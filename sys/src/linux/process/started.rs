//! Identity of a process, for other processes that find its ID later, and facts about the machine.

constant! {
    /// Linux provides these facts in files.
    fn system_facts() -> Option<crate::process::SystemFacts> = None;
}

/// Returns the boot ID: process IDs may be reused after a reboot. Empty if the kernel does not report it.
#[must_use]
pub fn boot() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// Returns the start time of a process, in ticks since boot, which distinguishes it from others with the same ID.
pub(crate) fn started(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may contain blanks and brackets; the columns follow the last bracket, and the 20th is the start time.
    stat.rsplit_once(')')?.1.split_whitespace().nth(19).map(str::to_owned)
}

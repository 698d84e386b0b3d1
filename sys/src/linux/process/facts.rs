//! Facts about the machine obtained from system calls.

/// Returns `None`: Linux provides these facts in files.
#[must_use]
pub fn system_facts() -> Option<crate::process::SystemFacts> {
    None
}

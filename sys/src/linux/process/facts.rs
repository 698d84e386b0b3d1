//! What is told of the machine by calls.

/// The machine by calls: here the kernel's files tell it.
#[must_use]
pub fn system_facts() -> Option<crate::SystemFacts> {
    None
}

//! Facts about the host and the storage under the target, read once before a run.

mod container;
mod direct;
mod doubts;
mod drive;
pub(crate) mod host;
mod memory;
mod stack;
mod storage;
mod virtualization;
mod written;

pub use container::container_note;
pub use doubts::storage_doubts;
pub(crate) use drive::sensor;
pub use host::host;
pub use stack::{device_by_name, stack, stack_of_path};
pub use storage::{FactsError, storage};
pub use written::never_written;

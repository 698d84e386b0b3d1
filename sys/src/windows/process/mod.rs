//! The process, its threads and its memory; processes it starts.

mod child;
mod memory;
mod pinned;
mod program;
mod shared_memory;
mod started;
mod thread;
mod thread_io;

pub use child::{child_has_ended, die_with_parent, exit_now, send_signal, signal_with_parent, wait_for_child};
pub(crate) use memory::say_and_end;
pub use memory::{address_space_limit, release_freed_memory, return_large_blocks, share_one_heap_where_limited};
pub use pinned::PinnedMemory;
pub(crate) use pinned::{locked, unlocked};
pub use program::hold_program;
pub use shared_memory::{remove_shared_memory, shared_memory};
pub(crate) use started::{boot, started};
pub use thread::{
    allowed_cpus, bind_thread, own_descriptors, process_cpu_time, renice_thread, run_queue_wait, runnable_ns,
    set_io_priority, sleep_until_monotonic, take_memory_from, thread_cpu_ns, thread_cpu_time, thread_number,
    wake_on_time,
};
pub use thread_io::ThreadIoMeter;

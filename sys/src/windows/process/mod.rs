//! The process, its threads and memory, and the processes it starts.

mod child;
mod group;
mod host;
mod memory;
mod others;
mod pinned;
mod program;
mod signals;
mod started;
mod thread;

pub use crate::absent::mcall::{M_STRING, MEngine, MEntry, MReturns, m_engines};
pub use crate::absent::shared_memory::{remove_shared_memory, shared_memory};
pub use crate::absent::thread::{own_descriptors, wake_on_time};
pub use crate::absent::thread_io::ThreadIoMeter;
pub use child::{child_has_ended, die_with_parent, exit_now, send_signal, signal_with_parent, wait_for_child};
pub use group::{ProgramGroup, call_by, own_group, run_as, shell, shell_into, signal_child, signal_group};
pub use host::{
    Stream, host_name, lower_own_priority, page_size, parent_process, silence_standard_streams, stream_file,
    system_facts, terminal_width,
};
pub(crate) use memory::say_and_end;
pub use memory::{
    address_space_limit, file_size_limit, release_freed_memory, return_large_blocks, share_one_heap_where_limited,
};
pub use others::{ListedProcess, ObservedProcess, ProcessCounts, SystemTimes, process_name, processes, system_times};
pub use pinned::PinnedMemory;
pub(crate) use pinned::{locked, unlocked};
pub use program::hold_program;
pub use signals::{Signals, exit_signal, set_on_signal, signal};
pub use started::boot;
pub(crate) use started::started;
pub use thread::{
    allowed_cpus, bind_thread, last_cpu, process_cpu_time, renice_thread, run_queue_wait, runnable_ns, set_io_priority,
    take_memory_from, thread_cpu_ns, thread_cpu_time, thread_number,
};

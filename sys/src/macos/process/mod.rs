//! The process, the machine, and the identity of other processes, with stubs for functions that only measurements need.

mod child;
mod started;
mod thread;

pub use crate::absent::mcall::{M_STRING, MEngine, MEntry, MReturns, m_engines};
pub use crate::absent::shared_memory::{remove_shared_memory, shared_memory};
pub use crate::absent::thread::{own_descriptors, wake_on_time};
pub use crate::absent::thread_io::ThreadIoMeter;
pub use crate::unix::child::{child_has_ended, exit_now, send_signal, wait_for_child};
pub use crate::unix::group::{ProgramGroup, call_by, own_group, run_as, shell, shell_into, signal_child, signal_group};
pub use crate::unix::host::{
    Stream, host_name, lower_own_priority, page_size, parent_process, silence_standard_streams, stream_file,
    terminal_width,
};
pub(crate) use crate::unix::memory::say_and_end;
pub use crate::unix::memory::{
    address_space_limit, file_size_limit, release_freed_memory, return_large_blocks, share_one_heap_where_limited,
};
pub use crate::unix::signals::{Signals, exit_signal, set_on_signal, signal};
pub use crate::unix::usage::process_cpu_time;
pub use child::{PinnedMemory, die_with_parent, hold_program, signal_with_parent};
pub use started::{boot, system_facts};
pub(crate) use started::{query_process, started};
pub use thread::{
    allowed_cpus, bind_thread, last_cpu, renice_thread, run_queue_wait, runnable_ns, set_io_priority, take_memory_from,
    thread_cpu_ns, thread_cpu_time, thread_number,
};

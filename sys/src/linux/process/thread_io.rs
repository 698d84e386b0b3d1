//! I/O counters of one thread, kept by the kernel (`/proc/self/task/TID/io`).

use crate::common::ThreadIo;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};

impl ThreadIo {
    fn parse(text: &str) -> Self {
        let mut io = ThreadIo::default();
        for line in text.lines() {
            let Some((name, value)) = line.split_once(':') else { continue };
            let Ok(value) = value.trim().parse() else { continue };
            match name {
                "rchar" => io.read = value,
                "wchar" => io.written = value,
                "syscr" => io.read_calls = value,
                "syscw" => io.write_calls = value,
                "read_bytes" => io.device_read = value,
                "write_bytes" => io.device_written = value,
                _ => {}
            }
        }
        io
    }
}

/// Reads the I/O counters of a thread, from any thread.
#[derive(Debug)]
pub struct ThreadIoMeter {
    /// The thread's counter file; `None` if the kernel does not count.
    file: Option<File>,
    /// Counters when the meter was created and at the last read: a thread that ended no longer has a file.
    looks: Mutex<(ThreadIo, ThreadIo)>,
}

impl ThreadIoMeter {
    /// Creates a meter of the calling thread that counts from now on.
    #[must_use]
    pub fn of_this_thread() -> Self {
        // The link names the thread; a file opened through it remains that of this thread.
        let thread_path = std::fs::read_link("/proc/thread-self").ok();
        let file = thread_path
            .and_then(|thread_path| File::open(std::path::Path::new("/proc").join(thread_path).join("io")).ok());
        let meter = ThreadIoMeter { file, looks: Mutex::default() };
        let first = meter.read().unwrap_or_default();
        *meter.looks.lock().unwrap_or_else(PoisonError::into_inner) = (first, first);
        meter
    }

    /// Returns `true` if the kernel counts I/O per thread.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.file.is_some()
    }

    fn read(&self) -> Option<ThreadIo> {
        let mut text = [0; 512];
        let n = self.file.as_ref()?.read_at(&mut text, 0).ok()?;
        (n > 0).then(|| ThreadIo::parse(std::str::from_utf8(&text[..n]).unwrap_or_default()))
    }

    /// Returns the I/O since the meter was created; for a thread that has ended, as of the last read.
    #[must_use]
    pub fn so_far(&self) -> ThreadIo {
        let now = self.read();
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(now) = now {
            looks.1 = now;
        }
        let (first, last) = *looks;
        ThreadIo {
            read_calls: last.read_calls - first.read_calls,
            read: last.read - first.read,
            write_calls: last.write_calls - first.write_calls,
            written: last.written - first.written,
            device_read: last.device_read - first.device_read,
            device_written: last.device_written - first.device_written,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_thread_is_counted_from_another_one_and_after_its_end() {
        let (send, receive) = std::sync::mpsc::channel();
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let meter = Arc::new(ThreadIoMeter::of_this_thread());
            send.send(Arc::clone(&meter)).unwrap();
            let file = tempfile::tempfile().unwrap();
            (0..3).for_each(|i| file.write_all_at(&[1; 1000], i * 1000).unwrap());
            let _ = meter.so_far();
            let _ = wait.recv();
        });
        let meter = receive.recv().unwrap();
        drop(go);
        thread.join().unwrap();
        let io = meter.so_far();
        assert_eq!((io.write_calls, io.written), (3, 3000), "{io:?}");
    }
}

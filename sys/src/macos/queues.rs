//! Queues: secchi does not measure on macOS, so none can be created.

use super::unmeasured;
use crate::common::{Advice, Call, Reaped, Submission};
pub use crate::elsewhere::queues::AioQueue as DeepQueue;
pub use crate::elsewhere::queues::*;
use std::fs::File;
use std::io;

constant! {
    fn can_measure() -> io::Result<()> = Err(unmeasured());
}

never! {
    FileSet::new(Vec<File>) -> Self = unmeasured();
        [
            for_another_thread() -> io::Result<Self>, files() -> &[File], reserve(u16, u64, u32, bool) -> i32,
            discard(u16, u64, u32) -> i32
        ] []
    Counters::new(usize) -> Self = unmeasured(); [] []
    BlockingQueue::new(FileSet, Call, usize) -> Self = unmeasured();
        [] [buffer() -> &mut [u8], perform(&Submission) -> Reaped]
    MappedQueue::new(FileSet, &[u64], bool, Advice, usize) -> Self = unmeasured();
        [notes() -> &[String]] [buffer() -> &mut [u8], perform(&Submission) -> Reaped]
}

impl std::ops::Deref for Counters {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        match self.0 {}
    }
}

impl std::ops::DerefMut for Counters {
    fn deref_mut(&mut self) -> &mut [u32] {
        match self.0 {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_measured_and_what_to_do_is_told() {
        let error = can_measure().unwrap_err();
        assert_eq!(error.to_string(), "secchi does not measure on macOS");
        assert_eq!(crate::instead_of(&error), Some("measure on Linux or Windows"));
        assert!(FileSet::new(Vec::new()).is_err() && Counters::new(1).is_err());
    }
}

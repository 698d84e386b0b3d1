//! Wrappers around other engines. The inner engine is not aware of the added feature.

pub(super) mod faulty;
pub(super) mod locked;
pub(super) mod trimming;

/// Implements methods that a wrapper delegates unchanged to its field `inner`.
macro_rules! delegate {
    ($($method:ident)*) => { $($crate::engines::wrappers::delegate!(@ $method);)* };
    (@ flush) => {
        fn flush(&mut self) -> std::io::Result<()> {
            self.inner.flush()
        }
    };
    (@ reap) => {
        fn reap(
            &mut self,
            at_least: usize,
            wait: $crate::engine::Wait,
            done: &mut Vec<$crate::engine::Completion>,
        ) -> std::io::Result<()> {
            self.inner.reap(at_least, wait, done)
        }
    };
    (@ buffer) => {
        fn buffer(&mut self, slot: u32) -> &mut [u8] {
            self.inner.buffer(slot)
        }
    };
    (@ priority) => {
        fn priority(&self, slot: u32) -> u16 {
            self.inner.priority(slot)
        }
    };
    (@ absent_reads) => {
        fn absent_reads(&self) -> u64 {
            self.inner.absent_reads()
        }
    };
}
pub(super) use delegate;

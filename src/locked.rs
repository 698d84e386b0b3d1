//! Locks a mutex even if it is poisoned.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex. The data is usable even if a holder panicked: it can be read again, or each entry is independent.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

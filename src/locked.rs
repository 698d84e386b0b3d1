//! A lock, whatever became of who held it.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a holder that panicked left is as good as what it found: everything kept so can be read again, or stands by itself.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

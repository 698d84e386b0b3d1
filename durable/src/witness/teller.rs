//! Tells a witness how far the writers are: what was synced since the last time, in one batch, as in a group commit. Writers never
//! wait for it. What is untold is one number for each writer, whatever the delay.

use super::{Acknowledge, Acknowledgement, ClientError};
use crate::directory::{FailureKind, failure};
use crate::sector::Owner;
use crate::writers::Progress;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// From one batch to the next, at least.
const APART: Duration = Duration::from_millis(5);
/// Between two attempts while the witness is away.
const AGAIN: Duration = Duration::from_millis(200);

/// What came of telling.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Told {
    /// The last write of each writer that the witness keeps.
    pub reached: Vec<u64>,
    /// Batches that were kept.
    pub batches: u64,
}

/// What whoever watches is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// The witness went away: why.
    Away(String),
    /// It is there again.
    Back,
}

/// Tells until `ended` is set and nothing is left to tell. Where the witness is away for longer than `patience`, or refuses, the
/// writers are ended by name: what nobody witnesses proves little.
pub fn tell(
    progress: &Progress,
    witness: &mut dyn Acknowledge,
    owner: Owner,
    patience: Duration,
    ended: &AtomicBool,
    mut news: impl FnMut(News),
) -> Told {
    progress.wake_here();
    let mut told = Told { reached: vec![0; progress.synced().len()], batches: 0 };
    let mut away: Option<Instant> = None;
    loop {
        // Asked before what is left to tell: then nothing can come between.
        let last = ended.load(Ordering::Acquire);
        let synced = progress.synced();
        let reached: Vec<(u16, u64)> =
            (0..).zip(&synced).filter(|(w, s)| told.reached[usize::from(*w)] < **s).map(|(w, s)| (w, *s)).collect();
        if reached.is_empty() {
            if last {
                return told;
            }
            std::thread::park_timeout(AGAIN);
            continue;
        }
        match witness.acknowledge(&Acknowledgement { run: owner.run, generation: owner.generation, reached }) {
            Ok(()) => {
                told.reached = synced;
                told.batches += 1;
                if away.take().is_some() {
                    news(News::Back);
                }
                if !last {
                    std::thread::sleep(APART);
                }
            }
            Err(error @ ClientError::Refused { .. }) => {
                progress.fail(failure(FailureKind::Cannot, error.to_string()));
                return told;
            }
            Err(error) => {
                let since = *away.get_or_insert_with(|| {
                    news(News::Away(error.to_string()));
                    Instant::now()
                });
                if since.elapsed() >= patience {
                    let why = format!(
                        "{error}; it has been away for {} s (--patience), so the experiment ends",
                        patience.as_secs()
                    );
                    progress.fail(failure(FailureKind::Cannot, why));
                    return told;
                }
                std::thread::sleep(AGAIN);
            }
        }
    }
}

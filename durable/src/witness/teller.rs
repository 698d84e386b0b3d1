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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directory::Parent;
    use crate::experiment::example;
    use crate::writers::Writers;
    use testkit::{PATIENCE, eventually};

    /// Answers as it is told to, and keeps what it counted.
    struct Scripted<'a> {
        answers: &'a mut dyn FnMut(u64) -> Result<(), ClientError>,
        asked: u64,
        told: Vec<Acknowledgement>,
    }

    impl Acknowledge for Scripted<'_> {
        fn acknowledge(&mut self, told: &Acknowledgement) -> Result<(), ClientError> {
            self.asked += 1;
            self.told.push(told.clone());
            (self.answers)(self.asked)
        }
    }

    fn away() -> ClientError {
        ClientError::Away { shown: "w:1".into(), why: "gone".into() }
    }

    /// Lets writers work beside a witness that answers so, until it has been asked often enough or they have ended.
    fn told_by(
        patience: Duration,
        mut answers: impl FnMut(u64) -> Result<(), ClientError> + Send,
    ) -> (Told, Vec<u64>, Vec<Acknowledgement>, Option<String>, Vec<News>) {
        let temp = tempfile::tempdir().expect("a directory");
        let marker = example();
        let home = Parent::open(temp.path()).and_then(|parent| parent.make(&marker)).expect("it is made");
        let mut writers = Writers::start(&home, &marker).expect("they begin");
        let (progress, ended) = (writers.progress(), AtomicBool::new(false));
        let mut scripted = Scripted { answers: &mut answers, asked: 0, told: Vec::new() };
        let mut news = Vec::new();
        let told = std::thread::scope(|scope| {
            let closing = scope.spawn(|| {
                let far = || progress.synced().iter().all(|n| *n > 200) || progress.is_stopped();
                assert!(eventually(PATIENCE, far));
                progress.stop();
                writers.join();
                ended.store(true, Ordering::Release);
                progress.stop();
            });
            let told = tell(&progress, &mut scripted, marker.owner(), patience, &ended, |piece| news.push(piece));
            closing.join().expect("it ends");
            told
        });
        (told, progress.synced(), scripted.told, progress.failure().map(|f| f.message), news)
    }

    #[test]
    fn all_that_was_synced_is_told_in_the_end_and_nothing_before_it_was() {
        let (told, synced, batches, failure, news) =
            told_by(PATIENCE, |asked| if asked % 3 == 2 { Err(away()) } else { Ok(()) });
        assert_eq!((&told.reached, failure), (&synced, None));
        assert!(batches.iter().flat_map(|b| &b.reached).all(|(w, s)| *s <= synced[usize::from(*w)]));
        // What was not answered is told again, with what came meanwhile.
        for (before, after) in batches.iter().zip(&batches[1..]) {
            for (writer, sequence) in &before.reached {
                let again = after.reached.iter().find(|(w, _)| w == writer);
                assert!(again.is_none_or(|(_, s)| s >= sequence), "a number never falls");
            }
        }
        assert!(news.len() >= 2 && news.iter().step_by(2).all(|n| matches!(n, News::Away(_))), "{news:?}");
    }

    #[test]
    fn one_that_refuses_or_stays_away_ends_the_writers_by_name() {
        let refusal = ClientError::Refused { shown: "w:1".into(), status: 507, why: "full".into() };
        let (told, _, _, failure, _) = told_by(PATIENCE, |asked| if asked > 2 { Err(refusal.clone()) } else { Ok(()) });
        assert_eq!(told.batches, 2);
        assert!(failure.is_some_and(|f| f.contains("refuses (507): full")));
        let (_, _, _, failure, news) = told_by(Duration::ZERO, |_| Err(away()));
        assert!(failure.is_some_and(|f| f.contains("--patience")) && news.len() == 1);
    }
}

//! Reports the progress of the writers to a witness. Everything that was synced since the last report is sent in one
//! batch, as in a group commit. Writers never wait for the witness. However long the witness takes to respond, only one
//! number per writer is pending.

use super::{Acknowledge, Acknowledgement, ClientError};
use crate::directory::{FailureKind, failure};
use crate::sector::Owner;
use crate::writers::Progress;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Minimum interval between batches.
const APART: Duration = Duration::from_millis(5);
/// Interval between attempts while the witness is unreachable.
const AGAIN: Duration = Duration::from_millis(200);

/// Progress that the witness has recorded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Told {
    /// Number of each writer's last write that the witness has recorded.
    pub reached: Vec<u64>,
    /// Number of batches that the witness has recorded.
    pub batches: u64,
}

/// Event that is reported while the experiment runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// The witness became unreachable, with the reason.
    Away(String),
    /// The witness is reachable again.
    Back,
}

/// Reports progress until `ended` is set and nothing is pending. Stops the writers with an error if the witness rejects
/// a report, or is unreachable for longer than `patience`. Writes without a witness prove little.
pub fn report_progress(
    progress: &Progress,
    witness: &mut dyn Acknowledge,
    owner: Owner,
    patience: Duration,
    ended: &AtomicBool,
    mut news: impl FnMut(News),
) -> Told {
    progress.wake_here();
    let mut reported = Told { reached: vec![0; progress.synced().len()], batches: 0 };
    let mut away: Option<Instant> = None;
    loop {
        // Read `ended` before the synced writes, so that no write between the two reads is missed.
        let last = ended.load(Ordering::Acquire);
        let synced = progress.synced();
        let reached: Vec<(u16, u64)> =
            (0..).zip(&synced).filter(|(w, s)| reported.reached[usize::from(*w)] < **s).map(|(w, s)| (w, *s)).collect();
        if reached.is_empty() {
            if last {
                return reported;
            }
            std::thread::park_timeout(AGAIN);
            continue;
        }
        match witness.acknowledge(&Acknowledgement { run: owner.run, generation: owner.generation, reached }) {
            Ok(()) => {
                reported.reached = synced;
                reported.batches += 1;
                if away.take().is_some() {
                    news(News::Back);
                }
                if !last {
                    std::thread::sleep(APART);
                }
            }
            Err(error @ ClientError::Refused { .. }) => {
                progress.fail(failure(FailureKind::Cannot, error.to_string()));
                return reported;
            }
            Err(error) => {
                let since = *away.get_or_insert_with(|| {
                    news(News::Away(error.to_string()));
                    Instant::now()
                });
                if since.elapsed() >= patience {
                    let reason = format!(
                        "{error}; it has been unreachable for {} s (--patience), so the experiment ends",
                        patience.as_secs()
                    );
                    progress.fail(failure(FailureKind::Cannot, reason));
                    return reported;
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
    use crate::experiment::tests::example;
    use crate::writers::Writers;
    use testkit::{PATIENCE, eventually};

    /// Witness that gives predefined responses and records the acknowledgements.
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

    /// Runs writers with a witness that gives these responses. Stops when all writers have made enough progress or have
    /// ended.
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
        let reported = std::thread::scope(|scope| {
            let closing = scope.spawn(|| {
                let far = || progress.synced().iter().all(|n| *n > 200) || progress.is_stopped();
                assert!(eventually(PATIENCE, far));
                progress.stop();
                writers.join();
                ended.store(true, Ordering::Release);
                progress.stop();
            });
            let reported =
                report_progress(&progress, &mut scripted, marker.owner(), patience, &ended, |piece| news.push(piece));
            closing.join().expect("it ends");
            reported
        });
        (reported, progress.synced(), scripted.told, progress.failure().map(|f| f.message), news)
    }

    #[test]
    fn all_that_was_synced_is_told_in_the_end_and_nothing_before_it_was() {
        let (told, synced, batches, failure, news) =
            told_by(PATIENCE, |asked| if asked % 3 == 2 { Err(away()) } else { Ok(()) });
        assert_eq!((&told.reached, failure), (&synced, None));
        assert!(batches.iter().flat_map(|b| &b.reached).all(|(w, s)| *s <= synced[usize::from(*w)]));
        // A report without a response is repeated, together with later writes.
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
        let (reported, _, _, failure, _) =
            told_by(PATIENCE, |asked| if asked > 2 { Err(refusal.clone()) } else { Ok(()) });
        assert_eq!(reported.batches, 2);
        assert!(failure.is_some_and(|f| f.contains("refused the request (507): full")));
        let (_, _, _, failure, news) = told_by(Duration::ZERO, |_| Err(away()));
        assert!(failure.is_some_and(|f| f.contains("--patience")) && news.len() == 1);
    }
}

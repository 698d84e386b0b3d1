//! Ranks as threads of one process, for all tests except those of MPI itself.

use model::record::ClockOffset;
use run::ranks::Link;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use sys::clock::RunClock;

/// Link of one rank to the other ranks in the same process.
pub struct ChannelLink {
    rank: usize,
    senders: Vec<Sender<(usize, Vec<u8>)>>,
    inbox: Mutex<Receiver<(usize, Vec<u8>)>>,
    /// Time when each rank fell silent, in nanoseconds since `zero`; `u64::MAX` if it has not.
    alive: Arc<Vec<AtomicU64>>,
    zero: Instant,
    /// Channel for delayed messages of this rank, if its network is slow.
    slow: Option<Sender<(Instant, usize, Vec<u8>)>>,
}

/// Returns the links of all ranks, rank 0 first.
#[must_use]
pub fn links(ranks: usize) -> Vec<ChannelLink> {
    let (senders, inboxes): (Vec<_>, Vec<_>) = (0..ranks).map(|_| channel()).unzip();
    let alive: Arc<Vec<AtomicU64>> = Arc::new((0..ranks).map(|_| AtomicU64::new(u64::MAX)).collect());
    let zero = Instant::now();
    let link = |(rank, inbox)| ChannelLink {
        rank,
        senders: senders.clone(),
        inbox: Mutex::new(inbox),
        alive: Arc::clone(&alive),
        zero,
        slow: None,
    };
    inboxes.into_iter().enumerate().map(link).collect()
}

impl ChannelLink {
    /// Returns the same link, but messages of this rank arrive after `delay`, as over a slow network.
    pub fn delayed_by(self, delay: Duration) -> ChannelLink {
        let (slow, sent) = channel::<(Instant, usize, Vec<u8>)>();
        let (senders, rank) = (self.senders.clone(), self.rank);
        std::thread::spawn(move || {
            for (at, to, message) in sent {
                std::thread::sleep((at + delay).saturating_duration_since(Instant::now()));
                // A rank that has ended receives nothing.
                let _ = senders[to].send((rank, message));
            }
        });
        ChannelLink { slow: Some(slow), ..self }
    }

    /// Silences this rank in both directions, as if its network had failed.
    pub fn fall_silent(&self) {
        let now = self.zero.elapsed().as_nanos() as u64;
        // Repeated calls keep the time of the first call.
        let _ = self.alive[self.rank].compare_exchange(u64::MAX, now, Relaxed, Relaxed);
    }

    fn is_silent(&self, rank: usize) -> bool {
        self.alive[rank].load(Relaxed) != u64::MAX
    }
}

impl Link for ChannelLink {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.senders.len()
    }

    fn send(&self, to: usize, message: Vec<u8>) {
        if self.is_silent(self.rank) {
            return;
        }
        // A rank that has ended receives nothing.
        let _ = match &self.slow {
            Some(slow) => slow.send((Instant::now(), to, message)).is_ok(),
            None => self.senders[to].send((self.rank, message)).is_ok(),
        };
    }

    fn receive(&self, wait: Duration) -> Option<(usize, Vec<u8>)> {
        let heard = self.inbox.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(wait).ok();
        heard.filter(|_| !self.is_silent(self.rank))
    }

    fn silent(&self, rank: usize) -> Duration {
        // The connection is lost for both ends.
        match self.alive[rank].load(Relaxed).min(self.alive[self.rank].load(Relaxed)) {
            u64::MAX => Duration::ZERO,
            at => self.zero.elapsed().saturating_sub(Duration::from_nanos(at)),
        }
    }

    fn compare_clocks(&self, _clock: RunClock) -> Vec<ClockOffset> {
        let offset = ClockOffset::default();
        if self.rank == 0 { vec![offset; self.senders.len()] } else { vec![offset] }
    }

    fn leave(&self, _wait: Duration) -> bool {
        true
    }
}

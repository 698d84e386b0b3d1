//! Ranks over MPI. A separate thread makes all MPI calls, because any of them may block, and a measuring thread must
//! not block.

use super::Link;
use super::fragments::{Assembly, fragments};
use model::{Nanos, record::ClockOffset};
use mpi::environment::Universe;
use mpi::point_to_point::MatchedReceiveVec;
use mpi::topology::{Communicator, Process, SimpleCommunicator};
use mpi::traits::{Destination, Source};
use mpi::{Tag, Threading};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use sys::clock::{Clock, RunClock};

/// Tags of messages.
const DATA: Tag = 1;
const ALIVE: Tag = 2;
const CLOCK: Tag = 3;

/// Interval at which the thread polls for messages.
const TICK: Duration = Duration::from_millis(2);
/// Interval between the heartbeats of a rank.
const BEAT: Duration = Duration::from_millis(500);
/// Maximum delay of this rank that is subtracted from the silence of other ranks. Such delays occur if hundreds of
/// ranks on one machine compete for its CPUs.
const DEAF: Duration = Duration::from_secs(4);
/// Number of round trips to compare one clock.
const ROUNDS: usize = 200;
/// Minimum number of round trips, used if there are so many ranks that the comparison of all clocks would take longer
/// than `COMPARING`.
const FEWEST: usize = 8;
const COMPARING: Duration = Duration::from_secs(5);

/// Reason why ranks cannot run together.
#[derive(Debug, thiserror::Error)]
pub enum MpiError {
    /// MPI could not be initialized.
    #[error("MPI could not be started")]
    NotStarted,
    /// The communication thread could not be started.
    #[error("cannot start the thread that communicates with other ranks: {0}")]
    Thread(std::io::Error),
}

enum Task {
    Send(usize, Vec<u8>),
    CompareClocks(RunClock, Sender<Vec<ClockOffset>>),
    Leave(Sender<()>),
}

/// Link between the ranks of `MPI_COMM_WORLD`.
pub struct MpiLink {
    rank: usize,
    size: usize,
    tasks: Mutex<Sender<Task>>,
    inbox: Mutex<Receiver<(usize, Vec<u8>)>>,
    /// Time of the last message from each rank; for this rank, time when it last polled.
    heard: Arc<Vec<Mutex<Instant>>>,
}

impl MpiLink {
    /// Starts MPI on a separate thread.
    ///
    /// # Errors
    /// Returns an error if the thread or MPI cannot be started.
    pub fn start() -> Result<MpiLink, MpiError> {
        let (tasks, todo) = channel();
        let (post, inbox) = channel();
        let (began, beginning) = channel();
        let work = move || {
            let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else { return };
            let world = universe.world();
            let (rank, size) = (world.rank() as usize, world.size() as usize);
            let heard: Arc<Vec<Mutex<Instant>>> = Arc::new((0..size).map(|_| Mutex::new(Instant::now())).collect());
            // The receiver waits for this message, or no longer exists.
            let _ = began.send((rank, size, Arc::clone(&heard)));
            let (beaten, out, incomplete) =
                (Instant::now(), VecDeque::new(), RefCell::new(vec![Assembly::default(); size]));
            let speaker = Speaker { world, rank, size, post, heard, beaten, out, incomplete };
            speaker.work(&todo, universe);
        };
        std::thread::Builder::new().name("ranks".into()).spawn(work).map_err(MpiError::Thread)?;
        let (rank, size, heard) = beginning.recv().map_err(|_| MpiError::NotStarted)?;
        Ok(MpiLink { rank, size, tasks: Mutex::new(tasks), inbox: Mutex::new(inbox), heard })
    }

    fn ask(&self, task: Task) {
        // If the thread has ended, no more messages arrive, and the other ranks are detected as silent.
        let _ = self.tasks.lock().unwrap_or_else(PoisonError::into_inner).send(task);
    }
}

impl Link for MpiLink {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn send(&self, to: usize, message: Vec<u8>) {
        self.ask(Task::Send(to, message));
    }

    fn receive(&self, wait: Duration) -> Option<(usize, Vec<u8>)> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(wait).ok()
    }

    fn silent(&self, rank: usize) -> Duration {
        let since = |rank: usize| self.heard[rank].lock().unwrap_or_else(PoisonError::into_inner).elapsed();
        // If this rank's thread got no CPU time, it could not receive messages. Its own delay therefore does not count
        // as silence of the other rank.
        since(rank).saturating_sub(since(self.rank).min(DEAF))
    }

    fn compare_clocks(&self, clock: RunClock) -> Vec<ClockOffset> {
        let (answer, offsets) = channel();
        self.ask(Task::CompareClocks(clock, answer));
        offsets.recv().unwrap_or_default()
    }

    fn leave(&self, wait: Duration) -> bool {
        let (answer, left) = channel();
        self.ask(Task::Leave(answer));
        left.recv_timeout(wait).is_ok()
    }
}

/// State of the communication thread.
struct Speaker {
    world: SimpleCommunicator,
    rank: usize,
    size: usize,
    post: Sender<(usize, Vec<u8>)>,
    heard: Arc<Vec<Mutex<Instant>>>,
    beaten: Instant,
    /// Fragments to be sent, in order.
    out: VecDeque<(usize, Tag, Vec<u8>)>,
    /// Incomplete message of each rank.
    incomplete: RefCell<Vec<Assembly>>,
}

impl Speaker {
    fn work(mut self, todo: &Receiver<Task>, universe: Universe) {
        loop {
            let more = match todo.recv_timeout(TICK) {
                Ok(Task::Send(to, bytes)) => {
                    self.out.extend(fragments(&bytes).map(|fragment| (to, DATA, fragment)));
                    true
                }
                Ok(Task::CompareClocks(clock, answer)) => {
                    self.send_all();
                    let offsets = self.compare(clock);
                    let _ = answer.send(offsets);
                    true
                }
                Ok(Task::Leave(answer)) => {
                    self.send_all();
                    // This waits for all ranks, but the caller waits only for a limited time.
                    drop(universe);
                    let _ = answer.send(());
                    return;
                }
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            self.beat();
            if !more || self.out.len() > 64 {
                self.send_all();
            }
            self.receive();
        }
    }

    /// Queues a heartbeat if one is due.
    fn beat(&mut self) {
        if self.beaten.elapsed() > BEAT {
            self.beaten = Instant::now();
            let others: Vec<usize> = if self.rank == 0 { (1..self.size).collect() } else { vec![0] };
            self.out.extend(others.into_iter().map(|to| (to, ALIVE, Vec::new())));
        }
    }

    fn process(&self, rank: usize) -> Process<'_> {
        self.world.process_at_rank(rank as mpi::Rank)
    }

    /// Sends all queued fragments, and continues to receive while the receiver is busy.
    fn send_all(&mut self) {
        while let Some((to, tag, bytes)) = self.out.pop_front() {
            mpi::request::scope(|scope| {
                let mut request = self.process(to).immediate_send_with_tag(scope, &bytes[..], tag);
                loop {
                    match request.test() {
                        Ok(_) => break,
                        Err(still) => request = still,
                    }
                    self.receive();
                    std::thread::sleep(Duration::from_micros(100));
                }
            });
        }
    }

    fn hears(&self, from: usize) {
        *self.heard[from].lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Processes incoming messages, except those of the clock comparison, which `hear_clock` receives: rank 0 may start
    /// the comparison before this rank does.
    fn receive(&self) {
        for tag in [DATA, ALIVE] {
            while let Some((message, status)) = self.world.any_process().immediate_matched_probe_with_tag(tag) {
                let from = status.source_rank() as usize;
                let (bytes, _): (Vec<u8>, _) = MatchedReceiveVec::matched_receive_vec((message, status));
                self.hears(from);
                let message = if tag == DATA { self.incomplete.borrow_mut()[from].add(&bytes) } else { None };
                if let Some(message) = message {
                    // The receiver may no longer exist.
                    let _ = self.post.send((from, message));
                }
            }
        }
        self.hears(self.rank);
    }

    /// Receives a message of the clock comparison from a rank. Meanwhile this rank continues to send heartbeats and to
    /// receive messages, because the comparison of hundreds of clocks takes longer than a rank may be silent. With
    /// `idle`, the thread yields the CPU, so its response may be late.
    fn hear_clock(&mut self, from: usize, idle: bool) -> Vec<u64> {
        loop {
            if let Some((message, status)) = self.process(from).immediate_matched_probe_with_tag(CLOCK) {
                let (numbers, _): (Vec<u64>, _) = MatchedReceiveVec::matched_receive_vec((message, status));
                // This may be the first message from a rank that started late.
                self.hears(from);
                return numbers;
            }
            self.beat();
            if !self.out.is_empty() {
                self.send_all();
                self.receive();
            }
            if idle {
                self.receive();
                std::thread::sleep(TICK);
            } else {
                std::thread::yield_now();
            }
        }
    }

    /// Compares the clocks by round trips with each rank, one rank after the other. The time that the other clock
    /// showed is matched with rank 0's time at the middle of the shortest trip. The error is at most half of the trip.
    fn compare(&mut self, clock: RunClock) -> Vec<ClockOffset> {
        let now = || clock.now();
        if self.rank > 0 {
            // This rank does not know when its turn comes, so it may answer the first request late. That trip is then
            // long and is not used.
            let mut said = self.hear_clock(0, true);
            // One number is a request; two numbers are the result: the offset and its uncertainty.
            while let [_] = said.as_slice() {
                self.process(0).send_with_tag(&[now()][..], CLOCK);
                said = self.hear_clock(0, false);
            }
            let offset = said.first().map_or(0, |o| *o as i64);
            let uncertainty = Nanos(said.get(1).copied().unwrap_or_default());
            return vec![ClockOffset { offset, uncertainty }];
        }
        let mut offsets = vec![ClockOffset::default()];
        let each = COMPARING / u32::try_from(self.size).unwrap_or(u32::MAX);
        for rank in 1..self.size {
            let mut best: Option<(u64, i64)> = None;
            let since = Instant::now();
            for round in 0..ROUNDS {
                if round >= FEWEST && since.elapsed() > each {
                    break;
                }
                let before = now();
                self.process(rank).send_with_tag(&[before][..], CLOCK);
                let answer = self.hear_clock(rank, false);
                let trip = now() - before;
                let remote = answer.first().copied().unwrap_or_default();
                let offset = remote.wrapping_sub(before + trip / 2) as i64;
                if best.is_none_or(|(shortest, _)| trip < shortest) {
                    best = Some((trip, offset));
                }
            }
            let (trip, offset) = best.unwrap_or_default();
            self.process(rank).send_with_tag(&[offset as u64, trip.div_ceil(2)][..], CLOCK);
            offsets.push(ClockOffset { offset, uncertainty: Nanos(trip.div_ceil(2)) });
        }
        offsets
    }
}

//! Which requests of a recording waited for the end of another.
//!
//! A program that works in a closed loop sends as soon as something has ended; what comes from outside is sent whatever ends. A
//! recording has only times. So a request counts as following the last end before it if it was issued within a short time of it,
//! and if that happens, in its stretch of a second, clearly more often than by chance: chance is the share of the time that lies
//! so soon behind an end. The short time is the longest of a few for which that holds, and chance leaves room to tell.
//!
//! What comes by the clock follows ends as regularly as their latencies are, so that also the pauses must not make up for latencies: of
//! a clock, pause and latency together vary less than the pause alone; of somebody who waits, more.

use model::{Nanos, RecordedRequest};

/// Times within which a request may follow an end.
const REACHES: [Nanos; 9] = [
    Nanos::from_micros(5000),
    Nanos::from_micros(2000),
    Nanos::from_micros(1000),
    Nanos::from_micros(500),
    Nanos::from_micros(200),
    Nanos::from_micros(100),
    Nanos::from_micros(50),
    Nanos::from_micros(20),
    Nanos::from_micros(10),
];
/// Above this share of the time, being soon behind an end tells nothing.
const COVERED: f64 = 0.8;
/// From this share of requests on that would not be there by chance, a stretch is a closed loop.
const CLOSED: f64 = 0.5;
/// Stretches that are told apart.
const STRETCH: Nanos = Nanos::from_secs(1);
/// Requests of others between one and what it follows.
const MOST_BETWEEN: u32 = 64;
/// Fewer requests say nothing of their stretch.
const FEWEST: usize = 4;

/// For each request, in the order of their issue, the one it follows, by its place, and how long after its end it was issued. `own` says
/// which are of the load that is looked at: the others are the file system's, which acts for it, and what an own request follows by way of
/// them it follows itself, so much later. What is not own follows nothing.
#[must_use]
pub(super) fn followed(requests: &[RecordedRequest], own: &[bool]) -> Vec<Option<(u32, Nanos)>> {
    let links = linked(requests, own);
    let through = |place: usize| {
        let mut before = links[place]?;
        for _ in 0..MOST_BETWEEN {
            if own[before as usize] {
                let end = requests[before as usize].end()?;
                return Some((before, requests[place].at.since(end)));
            }
            before = links[before as usize]?;
        }
        None
    };
    (0..requests.len()).map(|place| through(place).filter(|_| own[place])).collect()
}

/// The request whose end was waited for directly, of all.
fn linked(requests: &[RecordedRequest], own: &[bool]) -> Vec<Option<u32>> {
    let mut followed = vec![None; requests.len()];
    // Ends, in their order; each belongs to the request at that place.
    let mut ends: Vec<(Nanos, u32)> =
        requests.iter().enumerate().filter_map(|(i, r)| Some((r.end()?, i as u32))).collect();
    ends.sort_unstable();
    let mut claimed = vec![false; ends.len()];
    let (mut from, mut behind) = (0, 0);
    while from < requests.len() {
        let stretch = requests[from].at.as_nanos() / STRETCH.as_nanos();
        let length = requests[from..].iter().take_while(|r| r.at.as_nanos() / STRETCH.as_nanos() == stretch).count();
        let of = from..from + length;
        let begins = Nanos(stretch * STRETCH.as_nanos());
        // Ends that a request of this stretch may follow.
        let earliest = Nanos(begins.as_nanos().saturating_sub(REACHES[0].as_nanos()));
        behind += ends[behind..].iter().take_while(|(end, _)| *end < earliest).count();
        let near = &ends[behind..];
        let near = &near[..near.partition_point(|(end, _)| *end < begins + STRETCH)];
        if let Some(reach) =
            closed_within(of.clone().filter(|i| own[*i]).map(|i| &requests[i]).collect(), near, requests)
        {
            for place in of {
                let at = requests[place].at;
                let before = near.partition_point(|(end, _)| *end <= at);
                let candidates =
                    near[..before].iter().enumerate().rev().take_while(|(_, (end, _))| at.since(*end) <= reach);
                // What nobody followed yet goes first: as many go on as have ended.
                let mut candidates = candidates.filter(|(_, (_, i))| (*i as usize) < place).peekable();
                let last = candidates.peek().map(|(i, _)| *i);
                let chosen = candidates.take(64).find(|(i, _)| !claimed[behind + i]).map(|(i, _)| i).or(last);
                if let Some(i) = chosen {
                    claimed[behind + i] = true;
                    followed[place] = Some(near[i].1);
                }
            }
        }
        from += length;
    }
    followed
}

/// The time within which requests of a stretch follow ends, if they do.
fn closed_within(requests: Vec<&RecordedRequest>, ends: &[(Nanos, u32)], all: &[RecordedRequest]) -> Option<Nanos> {
    if requests.len() < FEWEST || ends.is_empty() {
        return None;
    }
    // It may begin or end within its second.
    let (first, last) = (requests.first()?.at, requests.last()?.at);
    REACHES.into_iter().find(|reach| {
        let chance = covered(ends, *reach, first, last);
        if chance > COVERED {
            return false;
        }
        // The pause, and the pause with the latency before it.
        let soon = requests.iter().filter_map(|r| {
            let before = ends.partition_point(|(end, _)| *end <= r.at);
            let (end, of) = before.checked_sub(1).map(|i| ends[i]).filter(|(end, _)| r.at.since(*end) <= *reach)?;
            Some((r.at.since(end).secs(), r.at.since(all.get(of as usize)?.at).secs()))
        });
        let soon: Vec<(f64, f64)> = soon.collect();
        let share = soon.len() as f64 / requests.len() as f64;
        let waits = variance(soon.iter().map(|(pause, _)| *pause)) <= variance(soon.iter().map(|(_, both)| *both));
        (share - chance) / (1.0 - chance) >= CLOSED && waits
    })
}

fn variance(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / n;
    values.map(|x| (x - mean).powi(2)).sum::<f64>() / n
}

/// Share of the time between these two that lies within `reach` behind an end.
fn covered(ends: &[(Nanos, u32)], reach: Nanos, first: Nanos, last: Nanos) -> f64 {
    let (mut sum, mut until) = (0u64, first);
    for (end, _) in ends {
        let (from, to) = ((*end).max(until), (*end + reach).min(last));
        sum += to.as_nanos().saturating_sub(from.as_nanos());
        until = until.max(to);
    }
    sum as f64 / last.since(first).as_nanos().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{RequestFlags, RequestKind};

    fn request(at: u64, latency: u64) -> RecordedRequest {
        RecordedRequest {
            at: Nanos(at),
            latency: Some(Nanos(latency)),
            target: 0,
            kind: RequestKind::Read,
            flags: RequestFlags::default(),
            offset: 0,
            bytes: 4096,
        }
    }

    /// A few thousand numbers that repeat in every run.
    fn random() -> impl FnMut(u64) -> u64 {
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        move |below| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        }
    }

    fn all_followed(requests: &[RecordedRequest]) -> Vec<Option<(u32, Nanos)>> {
        followed(requests, &vec![true; requests.len()])
    }

    fn following(requests: &[RecordedRequest]) -> f64 {
        all_followed(requests).iter().flatten().count() as f64 / requests.len() as f64
    }

    #[test]
    fn a_closed_loop_follows_and_arrivals_from_outside_do_not() {
        let mut draw = random();
        // One after the other, 5 to 15 µs between; latencies of 80 to 120 µs.
        let mut now = 0;
        let closed: Vec<_> = (0..20_000)
            .map(|_| {
                let r = request(now, 80_000 + draw(40_000));
                now = r.end().expect("it ended").as_nanos() + 5_000 + draw(10_000);
                r
            })
            .collect();
        assert!(following(&closed) > 0.99, "{}", following(&closed));
        // Every request follows the one before it.
        let one_by_one =
            all_followed(&closed).iter().enumerate().skip(1).all(|(i, f)| f.is_some_and(|f| f.0 as usize == i - 1));
        assert!(one_by_one);
        for rate in [500u64, 5_000, 50_000] {
            let mut now = 0;
            let gap = 1_000_000_000 / rate;
            let open: Vec<_> = (0..20_000)
                .map(|_| {
                    // Exponential in two parts: the sum of uniform ones will do.
                    now += draw(gap) + draw(gap);
                    request(now, 80_000 + draw(40_000))
                })
                .collect();
            assert!(following(&open) < 0.02, "{rate}: {}", following(&open));
        }
    }

    #[test]
    fn a_clock_is_nobody_who_waits_and_somebody_who_thinks_is() {
        let mut draw = random();
        let by_the_clock: Vec<_> = (0..2_000).map(|i| request(i * 10_000_000, 7_000_000 + draw(2_000_000))).collect();
        assert!(following(&by_the_clock) < 0.05, "{}", following(&by_the_clock));
        let mut now = 0;
        let thinks: Vec<_> = (0..2_000)
            .map(|_| {
                let r = request(now, 100_000 + draw(2_000_000));
                now = r.end().expect("it ended").as_nanos() + 800_000 + draw(200_000);
                r
            })
            .collect();
        assert!(following(&thinks) > 0.9, "{}", following(&thinks));
    }

    #[test]
    fn several_in_flight_follow_one_each() {
        let mut draw = random();
        let mut slots = [0u64; 8];
        let mut all = Vec::new();
        for _ in 0..20_000 {
            let slot = (0..8).min_by_key(|i| slots[*i]).expect("eight");
            let r = request(slots[slot], 150_000 + draw(100_000));
            slots[slot] = r.end().expect("it ended").as_nanos() + 3_000;
            all.push(r);
        }
        let follows = all_followed(&all);
        assert!(follows.iter().flatten().count() as f64 > 0.95 * all.len() as f64);
        let mut times = std::collections::HashMap::new();
        follows.iter().flatten().for_each(|(i, _)| *times.entry(i).or_insert(0) += 1);
        let once = times.values().filter(|n| **n == 1).count() as f64;
        assert!(once > 0.95 * times.len() as f64, "{once} of {}", times.len());
    }

    #[test]
    fn what_is_followed_by_way_of_the_file_system_is_followed_itself() {
        // A log that is written, the file system's journal, a flush, its commit, another flush; then the log again.
        let mut draw = random();
        let (mut now, mut all, mut own) = (0, Vec::new(), Vec::new());
        for _ in 0..2_000 {
            for (latency, mine) in [(8_000, true), (10_000, false), (280_000, true), (5_000, false), (250_000, false)] {
                let r = request(now, latency + draw(latency));
                now = r.end().expect("it ended").as_nanos() + 10_000 + draw(10_000);
                all.push(r);
                own.push(mine);
            }
        }
        let follows = followed(&all, &own);
        let found = follows.iter().flatten().count() as f64;
        assert!(found > 0.95 * 4_000.0, "{found} of 4000");
        for (i, follows) in follows.iter().enumerate().skip(5) {
            let Some((before, gap)) = follows else { continue };
            assert!(
                own[i] && own[*before as usize] && [2, 3].contains(&(i - *before as usize)),
                "{i} follows {before}"
            );
            assert_eq!(all[*before as usize].end().map(|end| end + *gap), Some(all[i].at));
        }
    }

    #[test]
    fn what_is_followed_stands_before() {
        let mut draw = random();
        let mut now = 0;
        let all: Vec<_> = (0..5_000)
            .map(|_| {
                now += draw(30_000);
                request(now, draw(60_000))
            })
            .collect();
        for (i, follows) in all_followed(&all).iter().enumerate() {
            if let Some((place, gap)) = follows {
                assert!(
                    (*place as usize) < i
                        && all[*place as usize].end() == Some(Nanos(all[i].at.as_nanos() - gap.as_nanos()))
                );
            }
        }
    }
}

//! Detection of requests that waited for the end of another.
//!
//! A program in a closed loop issues a request as soon as another has ended; external arrivals do not depend on ends. A
//! recording contains only times. A request therefore counts as following the last end before it under two conditions:
//! it was issued within a short time after that end, and within its stretch of a second this happens clearly more often
//! than by chance. The probability of chance is the share of the time that lies within this short time after an end.
//! Several short times are tried. The longest is used for which requests follow more often than by chance and chance
//! itself is low enough. A program that computes after each answer issues the next request neither immediately nor
//! late, so pauses between a shortest and a longest time are tested in the same way. Kinds of requests are tested one
//! by one: a flush follows a write immediately, and the next write follows after some computation.
//!
//! Requests issued by a clock also follow ends regularly if their latencies are regular, so pauses that compensate for
//! latencies do not count. For a clock, pause plus latency varies less than the pause alone; for a waiting program, it
//! varies more.

use super::TOGETHER;
use model::{Nanos, grouped, measured::RequestKind, recording::RecordedRequest};
use std::collections::{BTreeMap, BTreeSet};

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
/// Maximum share of the time that lies shortly after an end. Above it, closeness to an end proves nothing.
const COVERED: f64 = 0.8;
/// Minimum share of requests beyond chance for which a stretch counts as a closed loop.
const CLOSED: f64 = 0.5;
/// Maximum ratio between the longest and the shortest pause of a program that computes after each answer. Its pauses
/// are also at most [`LONGEST_COMPUTATION`]. Without these bounds, external arrivals at nearly even times would count
/// as following, because they come just as evenly after the previous request.
const NARROW: u64 = 5;
const LONGEST_COMPUTATION: Nanos = Nanos::from_micros(200);
/// Length of the stretches that are tested separately.
const STRETCH: Nanos = Nanos::from_secs(1);
/// Maximum number of requests without a role between a request and the one it follows.
const MOST_BETWEEN: u32 = 64;
/// Minimum number of requests in a stretch for a decision.
const FEWEST: usize = 4;

/// End of a request: its time, the request, and its number among all ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    at: Nanos,
    of: u32,
    number: usize,
}

/// Returns for each request, in the order of issue, the position of the request that it follows and the time from that
/// request's end to its issue.
///
/// `roles` gives the role of each request whose load is examined. Requests without a role belong to the file system,
/// which acts on behalf of the others: a request that follows one through the file system follows it directly, after a
/// correspondingly longer time. Requests without a role follow nothing.
#[must_use]
pub(super) fn followed(requests: &[RecordedRequest], roles: &[Option<u16>]) -> Vec<Option<(u32, Nanos)>> {
    let links = linked(requests, roles);
    let through = |place: usize| {
        let mut before = links[place]?;
        for _ in 0..MOST_BETWEEN {
            if roles[before as usize].is_some() {
                let end = requests[before as usize].end()?;
                return Some((before, requests[place].at.since(end)));
            }
            before = links[before as usize]?;
        }
        None
    };
    (0..requests.len()).map(|place| through(place).filter(|_| roles[place].is_some())).collect()
}

/// A role and a kind of request; `None` = all kinds.
type RoleAndKind = (u16, Option<RequestKind>);

/// Ends that the requests of a role and kind follow in a stretch, and the maximum time between an end and the request.
struct Loop<'a> {
    asks: RoleAndKind,
    reach: Nanos,
    ends: &'a [End],
    /// True if nearly all requests follow: then the others also waited for the last end, but the program was slower.
    nearly_all: bool,
}

/// Returns for every request the one whose end it waited for directly.
fn linked(requests: &[RecordedRequest], roles: &[Option<u16>]) -> Vec<Option<u32>> {
    let mut followed = vec![None; requests.len()];
    // Ends in order of time.
    let ended = requests.iter().enumerate().filter_map(|(i, r)| Some(End { at: r.end()?, of: i as u32, number: 0 }));
    let mut ends: Vec<End> = ended.collect();
    ends.sort_unstable();
    ends.iter_mut().enumerate().for_each(|(number, end)| end.number = number);
    let mut claimed = vec![false; ends.len()];
    let (mut from, mut behind) = (0, 0);
    while from < requests.len() {
        let stretch = requests[from].at.as_nanos() / STRETCH.as_nanos();
        let length = requests[from..].iter().take_while(|r| r.at.as_nanos() / STRETCH.as_nanos() == stretch).count();
        let range = from..from + length;
        let begins = Nanos(stretch * STRETCH.as_nanos());
        // Ends that a request of this stretch may follow.
        let earliest = Nanos(begins.as_nanos().saturating_sub(STRETCH.as_nanos()));
        behind += ends[behind..].iter().take_while(|end| end.at < earliest).count();
        let near = &ends[behind..];
        let near = &near[..near.partition_point(|end| end.at < begins + STRETCH)];
        let ends = ends_by_role(range.clone(), near, roles);
        let loops = loops(range.clone(), near, &ends, requests, roles);
        for place in range {
            // The file system acts for any waiting program.
            let asks = match roles[place] {
                Some(role) => {
                    let loop_of = |kind| loops.iter().find(move |l| l.asks == (role, kind));
                    loop_of(Some(requests[place].kind)).or_else(|| loop_of(None))
                }
                None => loops.iter().max_by_key(|l| l.reach),
            };
            let Some(Loop { reach, ends, nearly_all, .. }) = asks else { continue };
            let at = requests[place].at;
            let before = ends.partition_point(|end| end.at <= at);
            let candidates = ends[..before].iter().rev().take_while(|end| at.since(end.at) <= *reach);
            // Prefer an end that no request has followed yet: as many requests continue as have ended.
            let mut candidates = candidates.filter(|end| (end.of as usize) < place).peekable();
            let last = candidates.peek().copied();
            let chosen = candidates.take(64).find(|end| !claimed[end.number]).or(last);
            let late = || ends[..before].iter().rev().find(|end| (end.of as usize) < place).filter(|_| *nearly_all);
            if let Some(end) = chosen.or_else(late) {
                claimed[end.number] = true;
                followed[place] = Some(end.of);
            }
        }
        from += length;
    }
    followed
}

/// Returns, for each role with requests in a stretch, the ends of that role's requests and of the file system's.
fn ends_by_role(of: std::ops::Range<usize>, near: &[End], roles: &[Option<u16>]) -> BTreeMap<u16, Vec<End>> {
    let asking: BTreeSet<u16> = roles[of].iter().flatten().copied().collect();
    let ends_of =
        |role: u16| near.iter().filter(|end| roles[end.of as usize].is_none_or(|r| r == role)).copied().collect();
    asking.into_iter().map(|role| (role, ends_of(role))).collect()
}

/// Returns the roles and kinds of requests that wait for answers in a stretch: for answers to the same role and the
/// file system, or to any role if more requests follow those.
fn loops<'a>(
    of: std::ops::Range<usize>,
    near: &'a [End],
    own: &'a BTreeMap<u16, Vec<End>>,
    requests: &[RecordedRequest],
    roles: &[Option<u16>],
) -> Vec<Loop<'a>> {
    let mut issued: BTreeMap<u16, Nanos> = BTreeMap::new();
    let asked = of.filter_map(|place| Some((roles[place]?, &requests[place]))).filter(|(role, request)| {
        // A request issued together with the previous one waited for nothing else.
        issued.insert(*role, request.at).is_none_or(|last| request.at.since(last) > TOGETHER)
    });
    let asked = asked.flat_map(|(role, request)| [None, Some(request.kind)].map(|kind| ((role, kind), request)));
    let waits = |(asks, asked): (RoleAndKind, Vec<&RecordedRequest>)| {
        let ends = own.get(&asks.0).map_or(&[][..], Vec::as_slice);
        let of_all = closed_within(&asked, near, requests);
        let of_own = if ends.len() < near.len() { closed_within(&asked, ends, requests) } else { None };
        let (reach, many, ends) = match (of_all, of_own) {
            // A few more requests may follow another role by chance. A waiting program issues no later after the end it
            // waits for, and requests of other roles do not begin and end in between every time.
            (Some((shortest, all)), Some((reach, alone)))
                if alone * 20 >= all * 19 && reach <= shortest && !others_between(&asked, near, ends, requests) =>
            {
                (reach, alone, ends)
            }
            (Some((reach, many)), _) => (reach, many, near),
            (None, Some((reach, many))) => (reach, many, ends),
            (None, None) => return None,
        };
        Some(Loop { asks, reach, ends, nearly_all: many * 10 >= asked.len() * 9 })
    };
    grouped(asked).into_iter().filter_map(waits).collect()
}

/// Returns `true` if, between nearly every request and the last end in `own`, a request of another role began and
/// ended. This must occur at least twice as often as in an equally long time before that end.
fn others_between(asked: &[&RecordedRequest], near: &[End], own: &[End], all: &[RecordedRequest]) -> bool {
    let others: Vec<End> = near.iter().filter(|end| own.binary_search(end).is_err()).copied().collect();
    let last = |ends: &[End], at: Nanos| ends[..ends.partition_point(|end| end.at <= at)].last().copied();
    let holds_one = |from: Nanos, to: Nanos| {
        last(&others, to).and_then(|end| all.get(end.of as usize)).is_some_and(|request| request.at >= from)
    };
    let behind = asked.iter().filter_map(|r| Some((last(own, r.at)?.at, r.at)));
    let behind: Vec<(Nanos, Nanos)> = behind.collect();
    let between = behind.iter().filter(|(end, at)| holds_one(*end, *at)).count();
    let before = behind.iter().filter(|(end, at)| {
        let pause = at.since(*end).as_nanos();
        holds_one(Nanos(end.as_nanos().saturating_sub(pause)), *end)
    });
    between * 10 >= behind.len() * 9 && before.count() * 2 <= between
}

/// Returns the time within which requests of a stretch follow ends, if they do, and the number that do.
fn closed_within(requests: &[&RecordedRequest], ends: &[End], all: &[RecordedRequest]) -> Option<(Nanos, usize)> {
    if requests.len() < FEWEST || ends.is_empty() {
        return None;
    }
    // The activity may begin or end within its second.
    let (first, last) = (requests.first()?.at, requests.last()?.at);
    // The pause after the last end, and the pause plus the latency before it.
    let pauses = requests.iter().filter_map(|r| {
        let end = ends[..ends.partition_point(|end| end.at <= r.at)].last()?;
        Some((r.at.since(end.at), r.at.since(all.get(end.of as usize)?.at).secs()))
    });
    let pauses: Vec<(Nanos, f64)> = pauses.collect();
    let chances = REACHES.map(|reach| covered(ends, reach, first, last));
    // A program that computes after each answer issues the next request neither immediately nor late.
    let least = |i: usize| {
        let shorter = (i + 1..REACHES.len()).filter(move |_| REACHES[i] <= LONGEST_COMPUTATION);
        let shorter = shorter.filter(move |j| REACHES[*j].as_nanos() * NARROW >= REACHES[i].as_nanos());
        std::iter::once(None).chain(shorter.map(Some))
    };
    (0..REACHES.len()).flat_map(|i| least(i).map(move |least| (i, least))).find_map(|(i, least)| {
        let (from, below) = least.map_or((Nanos(0), 0.0), |j| (REACHES[j], chances[j]));
        let chance = chances[i] - below;
        if chance > COVERED {
            return None;
        }
        let within = |pause: Nanos| pause <= REACHES[i] && (least.is_none() || pause > from);
        let matching: Vec<&(Nanos, f64)> = pauses.iter().filter(|(pause, _)| within(*pause)).collect();
        let share = matching.len() as f64 / requests.len() as f64;
        let pause = variance(matching.iter().map(|(pause, _)| pause.secs()));
        let waits = pause <= variance(matching.iter().map(|(_, both)| *both));
        let following = || pauses.iter().filter(|(pause, _)| *pause <= REACHES[i]).count();
        ((share - chance) / (1.0 - chance) >= CLOSED && waits).then(|| (REACHES[i], following()))
    })
}

fn variance(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / n;
    values.map(|x| (x - mean).powi(2)).sum::<f64>() / n
}

/// Returns the share of the time from `first` to `last` that is within `reach` after an end.
fn covered(ends: &[End], reach: Nanos, first: Nanos, last: Nanos) -> f64 {
    let (mut sum, mut until) = (0u64, first);
    for End { at, .. } in ends {
        let (from, to) = ((*at).max(until), (*at + reach).min(last));
        sum += to.as_nanos().saturating_sub(from.as_nanos());
        until = until.max(to);
    }
    sum as f64 / last.since(first).as_nanos().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::recording::RequestFlags;

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

    /// Returns a generator of pseudorandom numbers that repeat in every run.
    fn random() -> impl FnMut(u64) -> u64 {
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        move |below| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        }
    }

    /// Returns requests one after another, 5 to 15 µs apart, with latencies of `least` plus up to `varies` nanoseconds.
    fn one_by_one(n: usize, least: u64, varies: u64, draw: &mut impl FnMut(u64) -> u64) -> Vec<RecordedRequest> {
        let mut now = 0;
        let next = |_| {
            let r = request(now, least + draw(varies));
            now = r.end().expect("it ended").as_nanos() + 5_000 + draw(10_000);
            r
        };
        (0..n).map(next).collect()
    }

    fn all_followed(requests: &[RecordedRequest]) -> Vec<Option<(u32, Nanos)>> {
        followed(requests, &vec![Some(0); requests.len()])
    }

    fn following(requests: &[RecordedRequest]) -> f64 {
        all_followed(requests).iter().flatten().count() as f64 / requests.len() as f64
    }

    #[test]
    fn a_closed_loop_follows_and_arrivals_from_outside_do_not() {
        let mut draw = random();
        let closed = one_by_one(20_000, 80_000, 40_000, &mut draw);
        assert!(following(&closed) > 0.99, "{}", following(&closed));
        // Every request follows the one before it.
        let in_turn =
            all_followed(&closed).iter().enumerate().skip(1).all(|(i, f)| f.is_some_and(|f| f.0 as usize == i - 1));
        assert!(in_turn);
        for rate in [500u64, 5_000, 50_000] {
            let mut now = 0;
            let gap = 1_000_000_000 / rate;
            let open: Vec<_> = (0..20_000)
                .map(|_| {
                    // Approximates exponential gaps by the sum of two uniform ones.
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
        let mut requests = Vec::new();
        for _ in 0..20_000 {
            let slot = (0..8).min_by_key(|i| slots[*i]).expect("eight");
            let r = request(slots[slot], 150_000 + draw(100_000));
            slots[slot] = r.end().expect("it ended").as_nanos() + 3_000;
            requests.push(r);
        }
        let follows = all_followed(&requests);
        assert!(follows.iter().flatten().count() as f64 > 0.95 * requests.len() as f64);
        let mut times = std::collections::HashMap::new();
        follows.iter().flatten().for_each(|(i, _)| *times.entry(i).or_insert(0) += 1);
        let once = times.values().filter(|n| **n == 1).count() as f64;
        assert!(once > 0.95 * times.len() as f64, "{once} of {}", times.len());
    }

    #[test]
    fn what_is_followed_by_way_of_the_file_system_is_followed_itself() {
        // A log write, the file system's journal, a flush, its commit, another flush; then the log again.
        let mut draw = random();
        let (mut now, mut requests, mut roles) = (0, Vec::new(), Vec::new());
        for _ in 0..2_000 {
            for (latency, mine) in [(8_000, true), (10_000, false), (280_000, true), (5_000, false), (250_000, false)] {
                let r = request(now, latency + draw(latency));
                now = r.end().expect("it ended").as_nanos() + 10_000 + draw(10_000);
                requests.push(r);
                roles.push(mine.then_some(0));
            }
        }
        let follows = followed(&requests, &roles);
        let linked = follows.iter().flatten().count() as f64;
        assert!(linked > 0.95 * 4_000.0, "{linked} of 4000");
        for (i, follows) in follows.iter().enumerate().skip(5) {
            let Some((before, gap)) = follows else { continue };
            assert!(
                roles[i].is_some() && roles[*before as usize].is_some() && [2, 3].contains(&(i - *before as usize)),
                "{i} follows {before}"
            );
            assert_eq!(requests[*before as usize].end().map(|end| end + *gap), Some(requests[i].at));
        }
    }

    #[test]
    fn a_role_waits_for_another_where_one_program_asks_both_and_not_where_two_do() {
        let mut draw = random();
        // A transaction: it reads data, writes the journal, and flushes it.
        let one = one_by_one(9_000, 60_000, 60_000, &mut draw);
        let roles: Vec<_> = (0..one.len()).map(|i| Some(u16::from(i % 3 > 0))).collect();
        let follows = followed(&one, &roles);
        let next = follows.iter().enumerate().filter(|(i, f)| f.is_some_and(|f| f.0 as usize + 1 == *i)).count();
        assert!(next > 8_900, "{next}");
        // Two independent programs.
        let mut both: Vec<(RecordedRequest, Option<u16>)> = Vec::new();
        for role in 0..2 {
            both.extend(one_by_one(9_000, 60_000, 60_000, &mut draw).into_iter().map(|r| (r, Some(role))));
        }
        both.sort_by_key(|(r, _)| r.at);
        let (requests, roles): (Vec<_>, Vec<_>) = both.into_iter().unzip();
        let follows = followed(&requests, &roles);
        let same_role = follows.iter().enumerate().filter(|(i, f)| f.is_some_and(|f| roles[f.0 as usize] == roles[*i]));
        let (same_role, any) = (same_role.count(), follows.iter().flatten().count());
        assert!(same_role as f64 > 0.99 * any as f64 && any > 17_000, "{same_role} of {any}");
    }

    #[test]
    fn what_another_role_answers_soon_is_waited_for_all_the_same() {
        // The same transaction on a device with short reads and long flushes: a write also comes soon after its
        // role's flush.
        for (read, flush, computes) in [(3_000, 50_000, 15_000), (15_000, 800_000, 10_000), (30_000, 2_000_000, 40_000)]
        {
            let mut draw = random();
            let (mut now, mut requests) = (0, Vec::new());
            for _ in 0..3_000 {
                for (kind, least) in
                    [(RequestKind::Read, read), (RequestKind::Write, 2 * read), (RequestKind::Flush, flush)]
                {
                    let r = RecordedRequest { kind, ..request(now, least + draw(least)) };
                    now = r.end().expect("it ended").as_nanos() + computes + draw(computes);
                    requests.push(r);
                }
            }
            let roles: Vec<_> = (0..requests.len()).map(|i| Some(u16::from(i % 3 > 0))).collect();
            let follows = followed(&requests, &roles);
            let next = follows.iter().enumerate().filter(|(i, f)| f.is_some_and(|f| f.0 as usize + 1 == *i)).count();
            assert!(next > 8_900, "{read} {flush} {computes}: {next}");
        }
    }

    #[test]
    fn who_reads_all_the_time_is_waited_for_by_nobody() {
        // During any request of the other role, a read begins and ends.
        let mut draw = random();
        let (mut now, mut both) = (0, Vec::new());
        for _ in 0..2_000 {
            let r = request(now, 800_000 + draw(400_000));
            now = r.end().expect("it ended").as_nanos() + 100_000 + draw(40_000);
            both.push((r, Some(0)));
        }
        both.extend(one_by_one(45_000, 25_000, 25_000, &mut draw).into_iter().map(|r| (r, Some(1))));
        both.sort_by_key(|(r, _)| r.at);
        let (requests, roles): (Vec<_>, Vec<_>) = both.into_iter().unzip();
        let follows = followed(&requests, &roles);
        let of_others = follows.iter().enumerate().filter(|(i, f)| f.is_some_and(|f| roles[f.0 as usize] != roles[*i]));
        let of_others = of_others.count();
        assert!(of_others < 100, "{of_others}");
        // The reads do follow each other, so that the result above is not due to a search that finds nothing.
        let of_reads = follows.iter().enumerate().filter(|(i, f)| f.is_some() && roles[*i] == Some(1)).count();
        assert!(of_reads > 30_000, "{of_reads}");
    }

    #[test]
    fn a_log_is_written_and_flushed_by_one_who_computes_in_between() {
        // A write, an immediate flush, and the next write 60 to 90 µs later: most of the time is soon after an end.
        let mut draw = random();
        let (mut now, mut requests) = (0, Vec::new());
        for _ in 0..10_000 {
            let write = RecordedRequest { kind: RequestKind::Write, ..request(now, 50_000 + draw(20_000)) };
            let at = write.end().expect("it ended").as_nanos() + 3_000 + draw(4_000);
            let flush = RecordedRequest { kind: RequestKind::Flush, ..request(at, 40_000 + draw(10_000)) };
            now = flush.end().expect("it ended").as_nanos() + 60_000 + draw(30_000);
            requests.extend([write, flush]);
        }
        let follows = all_followed(&requests);
        let next = follows.iter().enumerate().filter(|(i, f)| f.is_some_and(|f| f.0 as usize + 1 == *i)).count();
        assert!(next > 19_800, "{next}");
    }

    #[test]
    fn what_is_followed_stands_before() {
        let mut draw = random();
        let mut now = 0;
        let requests: Vec<_> = (0..5_000)
            .map(|_| {
                now += draw(30_000);
                request(now, draw(60_000))
            })
            .collect();
        for (i, follows) in all_followed(&requests).iter().enumerate() {
            if let Some((place, gap)) = follows {
                assert!(
                    (*place as usize) < i
                        && requests[*place as usize].end() == Some(Nanos(requests[i].at.as_nanos() - gap.as_nanos()))
                );
            }
        }
    }
}

//! Runs all cases with both programs: cases with exact counts in parallel, noisy ones one after the other.

use super::agree::{Runs, fails, may_be_chance, rows};
use super::case::{Case, Check, all};
use super::programs::{Outcome, Who, fio_is_installed, ours_speaks_fio, run};
use super::support::{Blkio, alone, beside, skip};
use super::table::{Row, table};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

/// Number of exact cases that run in parallel: each waits most of the time.
const AT_ONCE: usize = 3;

#[test]
fn every_case_agrees_with_the_installed_fio() {
    if !fio_is_installed() {
        skip!("fio is not installed");
    }
    if !ours_speaks_fio() {
        skip!("this build of secchi has no command `fio`");
    }
    let chosen = std::env::var("SECCHI_FIO_CASES").unwrap_or_default();
    let since = Instant::now();
    let (alone_each, together): (Vec<Case>, Vec<Case>) = all(&chosen).into_iter().partition(Case::is_alone);
    let mut compared = {
        let _beside = beside();
        compare_all(&together, AT_ONCE)
    };
    compared.extend({
        let _alone = alone();
        compare_all(&alone_each, 1)
    });
    compared.sort_by_key(|(case, _)| &case.name);
    let (mut lines, mut skipped) = (Vec::new(), 0);
    for (case, rows) in compared {
        match rows {
            Ok(rows) => lines.extend(rows),
            Err(why) => {
                testkit::skipped(&format!("{}: {why}", case.name));
                skipped += 1;
            }
        }
    }
    let wrong: Vec<Row> = lines.iter().filter(|r| r.wrong.is_some()).cloned().collect();
    eprintln!("{}", table(&lines));
    let (rows, took) = (lines.len(), since.elapsed());
    eprintln!("{rows} comparisons, {} differ, {skipped} cases skipped, {took:.0?}", wrong.len());
    if !wrong.is_empty() {
        eprintln!("apart, by noise or not:\n{}", table(&wrong));
    }
    let wrong: Vec<Row> = wrong.into_iter().filter(fails).collect();
    assert!(wrong.is_empty(), "fio and secchi differ:\n{}", table(&wrong));
    assert!(!lines.is_empty(), "no case has `{chosen}` in its name");
}

#[test]
fn the_list_of_cases_is_long_and_every_seed_command_is_in_it() {
    let cases = all("");
    assert!(cases.len() >= 80, "only {} cases", cases.len());
    for (seed, least) in [("sql-disk", 16), ("iscsi", 6), ("centos", 3), ("writer", 1)] {
        let count = cases.iter().filter(|c| c.name.starts_with(seed)).count();
        assert!(count >= least, "{count} cases begin with {seed}");
    }
}

/// Compares the cases in `at_once` threads.
fn compare_all(cases: &[Case], at_once: usize) -> Vec<(&Case, Result<Vec<Row>, String>)> {
    let next = AtomicUsize::new(0);
    let some = || -> Vec<_> {
        std::iter::from_fn(|| cases.get(next.fetch_add(1, Relaxed))).map(|case| (case, compare(case))).collect()
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..at_once).map(|_| scope.spawn(some)).collect();
        threads.into_iter().flat_map(|t| t.join().expect("no comparison panics")).collect()
    })
}

/// Runs both programs: once each if counts are exact; fio, ours, ours, fio if figures are noisy; more rounds while only
/// noisy checks disagree.
fn compare(case: &Case) -> Result<Vec<Row>, String> {
    let group = match case.throttle {
        None => None,
        Some(iops) => {
            let group = Blkio::on(env!("CARGO_TARGET_TMPDIR").as_ref())?;
            group.cap_reads(iops, 0);
            Some(group)
        }
    };
    let group = group.as_ref().map(Blkio::path);
    let order: &[Who] = match case.checks.iter().any(Check::noisy) {
        true => &[Who::Fio, Who::Ours, Who::Ours, Who::Fio],
        false => &[Who::Fio, Who::Ours],
    };
    let mut runs = Runs::default();
    let mut compared = Vec::new();
    let (began, taken) = (Instant::now(), cpu_of_others());
    for _ in 0..3 {
        for who in order {
            // fio itself hangs now and then (seen with thinktime_spin), which is not a failure of secchi.
            let outcome = match (run(case, *who, group), who) {
                (Err(why), Who::Fio) => Ok(run(case, *who, group).map_err(|again| format!("fio: {why}; {again}"))?),
                (outcome, _) => outcome,
            };
            match outcome {
                Ok(outcome) => keep(&mut runs, *who, outcome),
                Err(why) => return Ok(vec![failed(case, &why)]),
            }
        }
        compared = rows(case, &runs);
        if !may_be_chance(&compared) {
            return Ok(compared);
        }
    }
    // Speeds can be compared only if both programs had enough CPU time. Exact figures are compared in any case.
    let share = (cpu_of_others() - taken) / began.elapsed().as_secs_f64();
    if share > MOST_BY_OTHERS {
        for row in compared.iter_mut().filter(|row| row.wrong.is_some()) {
            testkit::skipped(&format!("{}: {}: other processes used {share:.2} CPUs", row.case, row.what));
            row.what.push_str(" (machine busy)");
            row.wrong = None;
        }
    }
    Ok(compared)
}

/// CPUs that other processes may use while speeds are compared.
const MOST_BY_OTHERS: f64 = 0.3;

/// Returns the seconds of CPU time that other processes and other machines of the hypervisor used. The programs that
/// this process started and waited for are not counted.
fn cpu_of_others() -> f64 {
    let ticks = |path: &str, fields: &[usize]| -> f64 {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let words: Vec<&str> = text.lines().next().unwrap_or_default().split_whitespace().collect();
        fields.iter().filter_map(|at| words.get(*at)?.parse::<f64>().ok()).sum()
    };
    // user, nice, system and steal; utime, stime, cutime and cstime (proc(5)).
    (ticks("/proc/stat", &[1, 2, 3, 8]) - ticks("/proc/self/stat", &[13, 14, 15, 16])) / 100.0
}

fn keep(runs: &mut Runs, who: Who, outcome: Outcome) {
    match who {
        Who::Fio => runs.fio.push(outcome),
        Who::Ours => runs.ours.push(outcome),
    }
}

fn failed(case: &Case, why: &str) -> Row {
    let row = Row { case: case.name.clone(), ..Row::agreed("run", "", why) };
    row.wrong_unless(false, "did not run")
}

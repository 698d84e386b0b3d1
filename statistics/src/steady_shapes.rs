//! Tests of the rules in `steady.rs` on series whose true shape is known. The tests count false alarms and detections
//! across many seeds.
//!
//! Noise is AR(1), proportional to the rate (docs/design/statistics.md, "Levels of a series"). The table, with earlier
//! results, is in `bench/journal/2026-11-22-levels.md`; `cargo test -p statistics --lib shapes -- --nocapture` prints
//! it.

use crate::series::{mean, spread};
use crate::steady::{Regime, shape};
use testkit::Noise;

/// True shape of a series, which determines the correct results.
#[derive(Clone, Copy, PartialEq)]
enum Truth {
    /// One level, possibly after a start.
    One,
    /// Number of levels; the last one may represent the series.
    Levels(usize),
    /// No level.
    None,
}

struct Case {
    name: &'static str,
    truth: Truth,
    /// Function that returns the rate at a time from 0 to 1, as a multiple of the nominal rate.
    rate: fn(f64) -> f64,
    /// Rate at the end, as a multiple of the nominal rate.
    last: f64,
}

const CASES: [Case; 12] = [
    Case { name: "constant", truth: Truth::One, rate: |_| 1.0, last: 1.0 },
    Case { name: "start that decays (+60 %)", truth: Truth::One, rate: |t| 1.0 + 0.6 * (-t * 20.0).exp(), last: 1.0 },
    Case { name: "start that rises (-50 %)", truth: Truth::One, rate: |t| 1.0 - 0.5 * (-t * 20.0).exp(), last: 1.0 },
    Case {
        name: "burst (x4 for a sixth)",
        truth: Truth::Levels(2),
        rate: |t| if t < 0.17 { 4.0 } else { 1.0 },
        last: 1.0,
    },
    Case {
        name: "burst (x1.3 for a third)",
        truth: Truth::Levels(2),
        rate: |t| if t < 0.33 { 1.3 } else { 1.0 },
        last: 1.0,
    },
    Case {
        name: "dip (to a quarter, at 20 to 30 %)",
        truth: Truth::Levels(3),
        rate: |t| if (0.2..0.3).contains(&t) { 0.25 } else { 1.0 },
        last: 1.0,
    },
    Case {
        name: "dip (to 80 %, at 40 to 60 %)",
        truth: Truth::Levels(3),
        rate: |t| if (0.4..0.6).contains(&t) { 0.8 } else { 1.0 },
        last: 1.0,
    },
    Case {
        name: "two steps (4, 2, 1)",
        truth: Truth::Levels(3),
        rate: |t| {
            if t < 0.33 {
                4.0
            } else if t < 0.67 {
                2.0
            } else {
                1.0
            }
        },
        last: 1.0,
    },
    Case {
        name: "stall (nothing, at 50 to 57 %)",
        truth: Truth::Levels(3),
        rate: |t| if (0.5..0.57).contains(&t) { 0.0 } else { 1.0 },
        last: 1.0,
    },
    Case { name: "tooth of five windows", truth: Truth::None, rate: |t| 1.3 - 0.6 * (t * 60.0).fract(), last: 1.0 },
    Case { name: "drift (to a twentieth)", truth: Truth::None, rate: |t| 1.0 - 0.95 * t, last: 0.05 },
    Case {
        name: "step at the end (for 5 %)",
        truth: Truth::None,
        rate: |t| if t < 0.95 { 4.0 } else { 1.0 },
        last: 1.0,
    },
];

/// Parameters of the noise: (phi, coefficient of variation).
const NOISE: [(f64, f64); 4] = [(0.0, 0.01), (0.3, 0.03), (0.5, 0.05), (0.8, 0.05)];
/// Series lengths, with names: 30 s in windows of 100 ms, and 3 min in windows of 1 s.
const LENGTHS: [(&str, usize); 2] = [("100 ms x 300", 300), ("1 s x 180", 180)];
const RUNS: usize = 50;

fn series(noise: &mut Noise, case: &Case, n: usize, phi: f64, cv: f64) -> Vec<f64> {
    let at = |i: usize| 1000.0 * (case.rate)((i as f64 + 0.5) / n as f64);
    noise.ar1(n, phi, 1.0, cv).iter().enumerate().map(|(i, v)| (at(i) * v).max(0.0)).collect()
}

/// Returns two shares for one cell of the table: the share of correct results, and the share of results with a figure
/// that is off by more than 5 %.
fn cell(case: &Case, n: usize, phi: f64, cv: f64) -> (f64, f64) {
    let mut noise = Noise::new(77);
    let (mut right, mut wrong) = (0, 0);
    for _ in 0..RUNS {
        let (said, figure) = judge_shape(&series(&mut noise, case, n, phi, cv));
        right += usize::from(said == case.truth);
        wrong += usize::from(figure.is_some_and(|f| (f / 1000.0 / case.last - 1.0).abs() > 0.05));
    }
    (right as f64 / RUNS as f64, wrong as f64 / RUNS as f64)
}

fn judge_shape(x: &[f64]) -> (Truth, Option<f64>) {
    let shape = shape(x, 1.0);
    let figure = Some(mean(&x[shape.kept.clone()]));
    match shape.regime {
        Regime::Steady | Regime::Settled => (Truth::One, figure),
        Regime::Changed => (Truth::Levels(shape.levels.len()), figure),
        Regime::Drift { .. } | Regime::Unfinished | Regime::Alternating(_) | Regime::TooShort => (Truth::None, None),
    }
}

/// Returns the required share of correct results, 0..1, by case and noise; most other results are "no level".
fn floor(case: &Case, phi: f64) -> f64 {
    match (case.name, phi) {
        // A dip of a fifth in slow noise of 5 % is not always detected.
        ("dip (to 80 %, at 40 to 60 %)", 0.8) => 0.4,
        (_, 0.8) => 0.8,
        (_, 0.5) => 0.9,
        _ => 0.97,
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "the table of the journal, shown with --nocapture")]
fn shapes_are_told_as_they_are_and_no_figure_is_a_mean_across_levels() {
    for (length, n) in LENGTHS {
        println!("| {length} | {} |", NOISE.map(|(phi, cv)| format!("phi {phi}, cv {} %", cv * 100.0)).join(" | "));
        for case in &CASES {
            let mut row = format!("| {} |", case.name);
            for (phi, cv) in NOISE {
                let (right, wrong) = cell(case, n, phi, cv);
                row += &format!(" {:.0} ({:.0}) |", right * 100.0, wrong * 100.0);
                assert!(right >= floor(case, phi), "{length}, {}, phi {phi}: {right}", case.name);
                // Figures are wrong only if slow noise hides the shape.
                let most = if phi < 0.8 { 0.02 } else { 0.12 };
                assert!(wrong <= most, "{length}, {}, phi {phi}: {wrong} of the figures are false", case.name);
            }
            println!("{row}");
        }
    }
}

/// Returns the share of runs whose interval covers the true rate, and the share whose interval covers the measured rate
/// of a second run. The true rates of the two runs scatter by `between` (a share).
fn covered(between: f64, n: usize, phi: f64, cv: f64) -> (f64, f64) {
    let mut noise = Noise::new(29);
    let (mut same, mut next, mut pairs) = (0, 0, 0);
    for _ in 0..400 {
        let [a, b] = [(); 2].map(|()| 1000.0 * (1.0 + between * noise.normal()));
        let [x, y] = [a, b].map(|rate| noise.ar1(n, phi, rate, rate * cv));
        let Some(s) = spread(&x).filter(crate::series::Spread::enough) else { continue };
        pairs += 1;
        same += usize::from((s.mean - a).abs() <= s.half);
        next += usize::from((s.mean - mean(&y)).abs() <= s.half);
    }
    (f64::from(same as u32) / f64::from(pairs), f64::from(next as u32) / f64::from(pairs))
}

#[test]
#[expect(clippy::print_stdout, reason = "the table of the journal, shown with --nocapture")]
fn an_interval_is_of_its_own_run_and_hardly_of_the_next() {
    for (n, phi, cv) in [(40, 0.0, 0.03), (90, 0.3, 0.03), (400, 0.3, 0.05)] {
        let mut row = format!("| {n} windows, phi {phi}, cv {:.0} % |", cv * 100.0);
        for between in [0.0, 0.01, 0.03, 0.10] {
            let (same, next) = covered(between, n, phi, cv);
            row += &format!(" {:.0} / {:.0} |", same * 100.0, next * 100.0);
            assert!(same >= 0.90, "{n}, {between}: {same} of its own");
            // Two runs of exactly the same rate differ by the errors of both; if the rates scatter, they differ by that
            // scatter as well.
            assert!((0.70..0.97).contains(&next) || between > 0.0, "{n}, {between}: {next} of the next");
            assert!(next < 0.40 || between < 0.03, "{n}, {between}: {next} of the next");
        }
        println!("{row}");
    }
}

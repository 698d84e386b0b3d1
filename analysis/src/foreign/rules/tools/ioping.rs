//! ioping: the version whose rule set the marks (I05, I06), and rates that no run achieved (I08).

use crate::foreign::case::Case;
use crate::foreign::format;
use crate::foreign::rule::{Rule, RuleMatch, rule};
use messages::sentence;
use model::Severity;
use model::foreign::{ForeignFile, Quantity, Statistic, Way};
use model::judged::SourceLine;

pub(in crate::foreign::rules) const RULES: &[Rule] = &[
    rule("I05-marks", Severity::Note, |case| case.files.iter().filter_map(|f| marks(case, f)).collect()),
    rule("I08-rate", Severity::Note, rate),
];

/// A request: seconds, line, mark as printed, and whether it is a warm-up request.
struct Request {
    seconds: f64,
    line: u32,
    mark: Option<&'static str>,
    warmup: bool,
}

fn requests(file: &ForeignFile) -> Vec<Request> {
    let marked = |name: &str, line: u32| file.series(name).is_some_and(|s| s.points.iter().any(|p| p.line == line));
    let Some(series) = file.series("request") else { return Vec::new() };
    let one = |p: &model::foreign::ForeignPoint| Request {
        seconds: p.value,
        line: p.line,
        mark: ["fast", "slow"].into_iter().find(|m| marked(m, p.line)),
        warmup: marked("warmup", p.line),
    };
    series.points.iter().map(one).collect()
}

/// Returns the marks by the rule before version 1.3: within 5 % of the span so far.
fn by_span(all: &[Request]) -> Vec<Option<&'static str>> {
    let (mut least, mut most, mut valid) = (f64::INFINITY, 0.0f64, 0);
    let mark = |r: &Request| {
        if r.warmup {
            return None;
        }
        valid += 1;
        (least, most) = (least.min(r.seconds), most.max(r.seconds));
        // Integer percentages of nanoseconds, as in ioping.
        let nanos = |s: f64| (s * 1e9).round() as i128;
        let span = nanos(most) - nanos(least);
        if valid <= 5 || span <= 0 {
            return None;
        }
        match (nanos(r.seconds) - nanos(least)) * 100 / span {
            ..5 => Some("fast"),
            96.. => Some("slow"),
            _ => None,
        }
    };
    all.iter().map(mark).collect()
}

/// Returns the marks by the rule since version 1.3: less than half or more than twice the mean so far.
fn by_mean(all: &[Request]) -> Vec<Option<&'static str>> {
    let (mut sum, mut valid) = (0.0, 0.0);
    let mark = |r: &Request| {
        if r.warmup {
            return None;
        }
        valid += 1.0;
        sum += r.seconds;
        let mean = sum / valid;
        match r.seconds {
            _ if valid <= 5.0 => None,
            t if 2.0 * t < mean => Some("fast"),
            t if t > 2.0 * mean => Some("slow"),
            _ => None,
        }
    };
    all.iter().map(mark).collect()
}

fn marks(case: &Case, file: &ForeignFile) -> Option<RuleMatch> {
    let requests = requests(file);
    let printed: Vec<Option<&str>> = requests.iter().map(|r| r.mark).collect();
    let (old, new) = (by_span(&requests), by_mean(&requests));
    if printed.iter().all(Option::is_none) || old != printed || new == printed {
        return None;
    }
    let differ: Vec<String> = (0..requests.len()).filter(|i| old[*i] != new[*i]).map(|i| (i + 1).to_string()).collect();
    let what = sentence!("saw-marked-otherwise", requests = format::list(&differ));
    let mut one = RuleMatch::about(case.called(file), what).with(sentence!("saw-marks-replayed"));
    for r in requests.iter().filter(|r| r.mark.is_some()) {
        let words = format!("time={} ({})", format::time(r.seconds), r.mark.unwrap_or_default());
        one = one.lines([SourceLine::new(&file.source, r.line, words)]);
    }
    Some(one)
}

fn rate(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    for test in case.tests.iter().filter(|t| t.file.format.starts_with("ioping")) {
        for way in [Way::Read, Way::Write] {
            let Some(value) = test.test.get(way, Quantity::Iops(Statistic::Overall)) else { continue };
            let (Some(printed), Some(mean)) = (value.value, test.mean()) else { continue };
            // The reported rate must be the reciprocal of the mean.
            if (printed * mean - 1.0).abs() < 0.05 {
                let what = sentence!("saw-rate-is-reciprocal", rate = format::iops(printed), mean = format::time(mean));
                seen.push(RuleMatch::about_test(test, what).on(test, Some(value)));
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_block_has_marks_of_the_old_rule_at_requests_8_and_10() {
        let times = [106.1, 128.9, 163.7, 136.6, 152.3, 141.6, 139.1, 129.6, 130.7, 126.8];
        let requests: Vec<Request> = times
            .iter()
            .enumerate()
            .map(|(i, t)| Request { seconds: t * 1e-6, line: 1, mark: None, warmup: i == 0 })
            .collect();
        let mut wanted = vec![None; 10];
        wanted[7] = Some("fast");
        wanted[9] = Some("fast");
        assert_eq!(by_span(&requests), wanted);
        assert_eq!(by_mean(&requests), vec![None; 10]);
    }
}

//! A comparison of two sides of runs: a sentence, a table, and for each figure its runs and its interval on a common
//! axis.

mod charts;
mod layouts;

pub(crate) use layouts::document as layouts;
pub use layouts::write_layouts;

use crate::ReportedRun;
use crate::document::{
    Block, Case, Cell, Column, Document, Field, Margin, Sign, Table, Text, Tone, Unit, Value, View, Word,
};
use crate::widgets::figures::{change, median, trimmed};
use crate::widgets::ink::{clauses, listed};
use messages::{Sentence, sentence};
use model::judged::{Answer, Compared, Comparison, NeedResult, Outcome, RunSet};
use model::{Iops, Nanos, bounds::Metric};

/// Maximum number of figures named in the sentence; the others are only counted.
const MOST_NAMED: usize = 3;
/// Maximum number of runs named for a side.
const MOST_RUNS: usize = 6;

/// Runs of secchi on both sides of a comparison.
pub(crate) type Sides<'a> = [&'a [ReportedRun<'a>]; 2];

/// Returns the document of a comparison. Only pages show the runs over time.
pub(crate) fn document(c: &Comparison, sides: Sides<'_>, view: View) -> Document {
    let mut d = begin("comparison", verdict(c), c);
    d.part("sides", "", [Block::Fields(Margin::Page, side_fields(c))]);
    d.part("figures", "", [Block::Table(figures(c))]);
    d.part("changes", "", charts::charts(c, sides, view));
    remarks(&mut d, c);
    d.part("legend", "", [Block::remark(legend(c))]);
    d.parts.retain(|part| !part.blocks.is_empty());
    d
}

fn begin(kind: &'static str, verdict: Sentence, c: &Comparison) -> Document {
    let mut d = Document::new(kind, [&c.a.runs[..], &c.b.runs[..]].concat().join(", "));
    let outcome = match c.exit_code {
        0 => Outcome::Pass,
        1 => Outcome::Fail,
        _ => Outcome::Undecided,
    };
    d.head.verdict = Some((verdict, outcome));
    d.head.path.clone_from(&d.name);
    d.cases = c.figures.iter().map(|f| case(f, c)).collect();
    d
}

/// Returns the result of a figure as a test case: a change for the worse fails.
fn case(f: &Compared, c: &Comparison) -> Case {
    let ratio = f.ratio.map(|ratio| Sentence::from(change(ratio)));
    let (text, outcome) = (metric(f.metric).to_string(), outcome(f));
    let reason = clauses([Some(answer(f, c)), ratio, Some(f.why.clone())].into_iter().flatten());
    let result = NeedResult { text, outcome, depth: None, clauses: Vec::new(), why: reason };
    Case { class: f.subject.clone(), is_need: false, result }
}

/// Returns the runs of both sides and the settings that differ.
fn side_fields(c: &Comparison) -> Vec<Field> {
    let side = |label, set| Field::new(Word::Term(label), side(set));
    let mut fields = vec![side("A", &c.a), side("B", &c.b)];
    fields.extend(c.differing.iter().map(|d| {
        let text = sentence!("compare-differs", name = &d.name, a = &d.a, b = &d.b);
        Field::new("label-differs", text).tone(Tone::Doubt)
    }));
    fields
}

fn side(side: &RunSet) -> Sentence {
    let n = side.runs.len();
    let short = |run: &String| if run.len() == 36 && !run.contains('/') { run[..8].to_owned() } else { run.clone() };
    let mut runs: Vec<Sentence> = side.runs.iter().take(MOST_RUNS).map(|run| short(run).into()).collect();
    if n > MOST_RUNS {
        runs.push(sentence!("list-and-more", n = n - MOST_RUNS));
    }
    let runs = listed(runs);
    match side.tools.iter().map(Sentence::from).reduce(|first, last| sentence!("list-and", first, last)) {
        Some(tools) => sentence!("compare-runs-by", n, tools, runs),
        None => sentence!("compare-runs", n, runs),
    }
}

/// Adds the reasons why figures are undecided, and the remarks.
fn remarks(d: &mut Document, c: &Comparison) {
    let open = c.figures.iter().filter(|f| !f.why.is_empty());
    let open = open.map(|f| sentence!("told-of", what = name(f, c), told = &f.why));
    let remark = |text| Block::Text(Text::new(text).sign(Sign::MAYBE));
    d.part("remarks", "", open.chain(c.remarks.iter().map(Sentence::from)).map(remark));
}

/// Returns a figure's name as in needs; words are in the reader's language.
pub(crate) fn metric(metric: Metric) -> Sentence {
    match metric {
        Metric::DeviceWrites => sentence!("metric-device-writes"),
        named => named.to_string().into(),
    }
}

/// Returns a figure's name, with its workload if there are several.
fn name(f: &Compared, c: &Comparison) -> Sentence {
    let one = c.figures.iter().all(|o| o.subject == f.subject);
    let metric = metric(f.metric);
    if one { metric } else { Sentence::concat([format!("{} ", f.subject).into(), metric]) }
}

/// Returns the result of a comparison in one sentence.
fn verdict(c: &Comparison) -> Sentence {
    let group = |wanted: &dyn Fn(&Compared) -> bool| c.figures.iter().filter(|f| wanted(f)).collect::<Vec<_>>();
    let worse = group(&|f| f.answer == Answer::Changed && f.better == Some(false));
    let better = group(&|f| f.answer == Answer::Changed && f.better == Some(true));
    let same = group(&|f| f.answer == Answer::Same);
    let open = group(&|f| f.answer == Answer::CannotTell);
    let with_change =
        |f: &&Compared| Sentence::concat([name(f, c), format!(" {}", f.ratio.map_or_else(String::new, change)).into()]);
    let plain = |f: &&Compared| name(f, c);
    let mut parts = Vec::new();
    if !worse.is_empty() {
        parts.push(sentence!("compare-worse", figures = some(&worse, with_change)));
    }
    if !better.is_empty() {
        let figures = some(&better, with_change);
        parts.push(match parts.is_empty() {
            true => sentence!("compare-better", figures),
            false => sentence!("compare-also-better", figures),
        });
    }
    let within = percent_of(c.within);
    match same.len() {
        0 => {}
        n if n > 1 && n == c.figures.len() => parts.push(sentence!("compare-all-same", within)),
        1 => parts.push(sentence!("compare-one-same", figure = some(&same, plain), within)),
        _ => parts.push(sentence!("compare-several-same", figures = some(&same, plain), within)),
    }
    if !open.is_empty() {
        let figures = some(&open, plain);
        parts.push(match open.iter().map(|f| f.more_runs).max().flatten() {
            Some(n) => sentence!("compare-open-more", figures, n),
            None => sentence!("compare-open", figures),
        });
    }
    clauses(parts)
}

fn some(figures: &[&Compared], show: impl Fn(&&Compared) -> Sentence) -> Sentence {
    let mut list: Vec<Sentence> = figures.iter().take(MOST_NAMED).map(show).collect();
    if figures.len() > MOST_NAMED {
        list.push(sentence!("list-more", n = figures.len() - MOST_NAMED));
    }
    let last = list.pop().unwrap_or_default();
    match list.is_empty() {
        true => last,
        false => sentence!("list-and", first = listed(list), last),
    }
}

/// Formats a share without a sign and with as few digits as possible.
fn percent_of(share: f64) -> String {
    format!("{} %", trimmed(share * 100.0, 2))
}

fn figures(c: &Comparison) -> Table {
    let dim = |value: Option<Value>| Cell::from(value).tone(Tone::Dim);
    let scatter = |f: &Compared| match f.scatter {
        [Some(a), Some(b)] => Value::Name(format!("{:.1}, {:.1} %", a * 100.0, b * 100.0)),
        _ => Value::Blank,
    };
    let table = Table::builder("figures", &c.figures)
        .column(Column::text("figure", "compare-head-figure").bare(), |f| metric(f.metric))
        .column(Column::term("a", "A"), |f| middle(f.metric, &f.a))
        .column(Column::term("b", "B"), |f| middle(f.metric, &f.b))
        .column(Column::figure("ratio", "page-change"), |f| {
            Cell::from(f.ratio.map(Value::Ratio)).tone(tone(f)).strong()
        })
        .column(Column::figure("interval", "compare-head-interval").rank(1), |f| {
            dim(f.ci.map(|(low, high)| Value::Name(format!("[{}, {}]", change(low), change(high)))))
        })
        .column(Column::term("p", "p").rank(2), |f| dim(f.p_adjusted.map(Value::Probability)))
        .column(Column::figure("scatter", "compare-head-scatter").extra(3), |f| dim(Some(scatter(f))))
        .column(Column::text("answer", "compare-head-answer"), |f| {
            Cell::from(answer(f, c)).tone(tone(f)).sign(sign(f))
        });
    table.build_grouped(|f| f.subject.as_str().into())
}

/// Returns the median of a side.
fn middle(metric: Metric, side: &[f64]) -> Value {
    median(side).map(|median| value(metric, median)).into()
}

/// Returns the unit of a figure.
pub(crate) const fn unit(metric: Metric) -> Unit {
    match metric {
        Metric::Iops => Unit::PerSecond,
        Metric::Bandwidth => Unit::BytesPerSecond,
        Metric::DeviceWrites => Unit::Count,
        Metric::Mean | Metric::Max | Metric::Percentile(_) => Unit::Nanos,
    }
}

/// Returns a value of a figure.
pub(crate) fn value(metric: Metric, value: f64) -> Value {
    match metric {
        Metric::Iops => Iops(value).into(),
        // With their unit, which differs from line to line.
        Metric::Bandwidth => Value::Name(metric.format(value)),
        Metric::DeviceWrites => Value::Number(value),
        Metric::Mean | Metric::Max | Metric::Percentile(_) => Nanos(value.max(0.0).round() as u64).into(),
    }
}

fn outcome(f: &Compared) -> Outcome {
    match (f.answer, f.better) {
        (Answer::Same, _) | (Answer::Changed, Some(true)) => Outcome::Pass,
        (Answer::Changed, _) => Outcome::Fail,
        (Answer::CannotTell, _) => Outcome::Undecided,
    }
}

fn tone(f: &Compared) -> Tone {
    if f.answer == Answer::Same { Tone::Plain } else { outcome(f).into() }
}

fn sign(f: &Compared) -> Sign {
    if f.answer == Answer::Same { Sign::STEADY } else { outcome(f).into() }
}

fn answer(f: &Compared, c: &Comparison) -> Sentence {
    match (f.answer, f.better, f.more_runs) {
        (Answer::Changed, Some(true), _) => sentence!("compare-changed-better"),
        (Answer::Changed, _, _) => sentence!("compare-changed-worse"),
        (Answer::Same, _, _) => sentence!("compare-answer-same", within = percent_of(c.within)),
        (Answer::CannotTell, _, Some(n)) => sentence!("compare-answer-more", n),
        (Answer::CannotTell, _, None) => sentence!("compare-answer-open"),
    }
}

fn legend(c: &Comparison) -> Sentence {
    let (n, within) = (c.figures.iter().filter(|f| f.p.is_some()).count(), percent_of(c.within));
    let ratio = format!("{:.4}", 1.0 + c.within);
    let ratio = ratio.trim_end_matches('0');
    match n {
        0 | 1 => sentence!("compare-legend", within, ratio),
        n => sentence!("compare-legend-holm", n, within, ratio),
    }
}

/// Returns the table of CSV: a row for each figure, with the values of all runs, unrounded.
pub(crate) fn csv(c: &Comparison) -> Table {
    let key = |key| Column::text(key, "");
    let number = |value: Option<f64>| value.map(Value::Number);
    let runs = |side: &[f64]| Value::Name(side.iter().map(f64::to_string).collect::<Vec<_>>().join(" "));
    Table::builder("figures", &c.figures)
        .column(key("workload"), |f| Value::name(&f.subject))
        .column(key("figure"), |f| Value::name(f.metric))
        .column(key("a"), |f| runs(&f.a))
        .column(key("b"), |f| runs(&f.b))
        .column(key("ratio"), |f| number(f.ratio))
        .column(key("ratio_low"), |f| number(f.ci.map(|ci| ci.0)))
        .column(key("ratio_high"), |f| number(f.ci.map(|ci| ci.1)))
        .column(key("p"), |f| number(f.p_adjusted))
        .column(key("answer"), |f| answer(f, c))
        .build()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Style;
    use crate::fixture::text;
    use crate::formats::Subject;
    use crate::widgets::text::width;
    use model::judged::Differing;

    fn figure(metric: Metric, a: &[f64], b: &[f64], ratio: f64, ci: (f64, f64), answer: Answer) -> Compared {
        Compared {
            subject: "8k randread".into(),
            metric,
            a: a.to_vec(),
            b: b.to_vec(),
            ratio: Some(ratio),
            ci: Some(ci),
            scatter: [Some(0.0012), Some(0.034)],
            p: Some(0.0079),
            p_adjusted: Some(0.0238),
            p_welch: Some(0.01),
            answer,
            better: (answer == Answer::Changed).then_some(false),
            more_runs: (answer == Answer::CannotTell).then_some(7),
            why: if answer == Answer::CannotTell {
                "1 of 10 runs left out: cached".into()
            } else {
                Sentence::default()
            },
        }
    }

    pub(crate) fn comparison() -> Comparison {
        let a = [6001.0, 5999.0, 6003.0, 5998.0, 6000.0];
        let b = [5820.0, 5822.0, 5818.0, 5821.0, 4100.0];
        let ms = |x: &[f64]| x.iter().map(|v| v * 1000.0).collect::<Vec<_>>();
        let side = |n: u8| RunSet {
            runs: (0..5).map(|i| format!("{n}f2a9c{i}b-77d1-4d21-9e01-8844aa105c7f")).collect(),
            tools: vec!["secchi 0.1.0".into()],
        };
        Comparison {
            a: side(1),
            b: side(2),
            within: 0.03,
            figures: vec![
                figure(Metric::Iops, &a, &b, 0.9701, (0.9697, 0.9705), Answer::Changed),
                figure(Metric::Mean, &ms(&a), &ms(&a), 1.001, (0.998, 1.004), Answer::Same),
                figure(Metric::Percentile(99.0), &ms(&a), &ms(&b), 0.985, (0.93, 1.04), Answer::CannotTell),
            ],
            differing: vec![Differing { name: "engine".into(), a: "libaio".into(), b: "io_uring".into() }],
            remarks: vec!["all runs of A were made before those of B".into()],
            exit_code: 1,
        }
    }

    fn written(format: &str, style: &Style) -> String {
        let c = comparison();
        let format = crate::format(format).expect("it is registered");
        text(|out| format.write(Subject::Comparison(&c, [&[], &[]]), style, out))
    }

    #[test]
    fn a_comparison_at_100_columns() {
        insta::assert_snapshot!(written("terminal", &Style::default()));
    }

    #[test]
    fn a_comparison_in_ascii_at_80_columns() {
        let style = Style { color: false, unicode: false, width: 80, language: messages::Language::English };
        let text = written("terminal", &style);
        assert!(text.is_ascii());
        insta::assert_snapshot!(text);
    }

    #[test]
    fn any_width_holds_it() {
        for columns in [40, 61, 100, 140] {
            let text = written("terminal", &Style { width: columns, ..Style::default() });
            assert!(text.lines().all(|l| width(l) <= columns), "{text}");
            assert!(text.contains("cannot"));
        }
    }

    #[test]
    fn every_format_contains_every_figure() {
        for format in ["terminal", "markdown", "csv", "junit"] {
            let out = written(format, &Style::default());
            assert!(["iops", "avg", "p99", "8k randread"].iter().all(|name| out.contains(name)), "{format}: {out}");
        }
        let csv = written("csv", &Style::default());
        assert!(csv.starts_with("workload,figure,a,b,ratio,ratio_low,ratio_high,p,answer\n"), "{csv}");
        assert!(csv.contains("8k randread,iops,6001 5999 6003 5998 6000,"), "{csv}");
        let junit = written("junit", &Style::default());
        assert!(junit.contains(r#"tests="3" failures="1" errors="1""#), "{junit}");
    }

    #[test]
    fn digits_are_as_many_as_the_change_deserves() {
        assert_eq!([0.9703, 1.5, 3.0].map(change), ["-2.97 %", "+50.0 %", "x3.00"]);
        assert_eq!([0.03, 0.005, 0.1].map(percent_of), ["3 %", "0.5 %", "10 %"]);
    }
}

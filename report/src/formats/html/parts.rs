//! Parts shared by pages of all kinds.

use super::texts::Texts;
use crate::formats::ReportedRun;
use crate::harmless;
use crate::widgets::figures::{count, duration};
use maud::{Markup, html};
use messages::Language;
use model::{
    AnswerStanding, AnswerSubject, DbOperation, Judgement, Labels, Nanos, OpFigures, Outcome, Percentile, RunAnswer,
    RunRecord, named_place, thousands,
};

pub(super) fn text(words: &str) -> String {
    harmless(words)
}

/// Formats a time as in the charts, with the micro sign, which some terminals cannot show.
pub(super) fn time(value: Nanos) -> String {
    value.to_string().replace(" us", " µs")
}

/// Returns the colour class of the header: the state of the answer, or the outcome for a run without an answer.
pub(super) fn standing(judgement: &Judgement) -> &'static str {
    match judgement.answer.standing {
        // There were no needs to meet.
        _ if judgement.answer.lines.is_empty() && judgement.outcome == Outcome::Pass && judgement.needs.is_empty() => {
            "grey"
        }
        _ if judgement.answer.lines.is_empty() => class(judgement.outcome),
        AnswerStanding::NotAsked => "grey",
        AnswerStanding::Met => "pass",
        AnswerStanding::Undecided => "open",
        AnswerStanding::NotMet => "fail",
    }
}

pub(super) fn answer(answer: &RunAnswer, t: &Texts) -> Markup {
    let label = |s: AnswerSubject| match s {
        AnswerSubject::Bought => t.answer_bought,
        AnswerSubject::Needs => t.answer_needs,
        AnswerSubject::Binds => t.answer_binds,
        AnswerSubject::Do => t.answer_do,
    };
    let colour = |s: AnswerStanding| match s {
        AnswerStanding::NotAsked => "plain",
        AnswerStanding::Met => "pass",
        AnswerStanding::Undecided => "open",
        AnswerStanding::NotMet => "fail",
    };
    html! {
        @for line in &answer.lines {
            span .line {
                span .subject .(colour(line.standing)) { (label(line.subject)) }
                " " @match line.text.message() {
                    Some(_) if t.language() != Language::English => span .told { (text(&t.translate(&line.text))) },
                    _ => span .told lang="en" { (text(&line.text)) },
                }
            }
        }
    }
}

pub(super) fn labels(labels: &Labels) -> Markup {
    html! {
        @if !labels.tags.is_empty() { p .tags { @for tag in &labels.tags { span .tag { (text(tag)) } " " } } }
        @if !labels.note.is_empty() { p .said { (text(&labels.note)) } }
    }
}

pub(super) fn place(record: &RunRecord) -> String {
    match record.database() {
        Some(database) => database.directory.clone(),
        None if record.plan.targets.is_empty() => named_place(&record.plan.target.path).display().to_string(),
        None => record.plan.targets.iter().map(|t| t.name.as_str()).collect::<Vec<_>>().join(" + "),
    }
}

/// Returns the run's ID as an anchor. Our IDs are hexadecimal; other characters, which a file may contain, are dropped.
pub(super) fn anchor(run: &ReportedRun<'_>) -> String {
    run.record.id.chars().filter(char::is_ascii_alphanumeric).collect()
}

pub(super) fn percentile(p: Percentile, t: &Texts) -> Markup {
    html! {
        @match p.value() {
            Some(n) => { td data-v=(n.0) { (time(n)) } }
            None => { td { abbr title=(t.too_few) { "–" } } }
        }
    }
}

pub(super) fn waves(database: &model::DbJudgement, t: &Texts) -> Markup {
    html! {
        div .part {
            h2 { (t.figures) span .small { (text(&database.title)) } }
            @for wave in &database.waves {
                h3 { (text(&wave.class)) " × " (wave.processes) span .small { (duration(wave.time)) } }
                div .wide tabindex="0" { table .figures {
                    thead { tr {
                        th scope="col" { (t.operation) } th scope="col" { (t.operations) } th scope="col" { (t.rate) } th scope="col" { (t.mean) }
                        th scope="col" { (t.median) } th scope="col" { "p99" } th scope="col" { "p99.9" } th scope="col" { (t.maximum) }
                    } }
                    tbody {
                        @for (name, f) in wave.kinds() { (kind(name, f, t)) }
                        @for host in &wave.hosts { @for (name, f) in host.kinds() { (kind_of_host(&host.host, name, f, t)) } }
                    }
                } }
            }
            @if !database.ratios.is_empty() {
                ul { @for ratio in &database.ratios {
                    li .open[ratio.doubtful] { (text(&t.translate(&ratio.name))) ": " b { (format!("{:.2}", ratio.value)) " " (text(&ratio.unit)) } " " (text(&t.translate(&ratio.remark))) }
                } }
            }
        }
    }
}

pub(super) fn tiles(tiles: &[(String, String, &str)], t: &Texts) -> Markup {
    html! {
        @if !tiles.is_empty() {
            section .tiles aria-label=(t.key_figures) { @for (of, figure, unit) in tiles {
                div .tile { p .figure { (text(figure)) " " span .unit { (unit) } } p .small { (text(of)) } }
            } }
        }
    }
}

pub(super) fn class(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "pass",
        Outcome::Fail => "fail",
        Outcome::Undecided => "open",
    }
}

pub(super) fn kind(name: DbOperation, f: &OpFigures, t: &Texts) -> Markup {
    row(t.word(crate::formats::database::kind(name)), f, t)
}

/// Returns the row of one kind of operation for one of several hosts.
fn kind_of_host(host: &str, name: DbOperation, f: &OpFigures, t: &Texts) -> Markup {
    row(&format!("{} {}", text(host), t.word(crate::formats::database::kind(name))), f, t)
}

fn row(label: &str, f: &OpFigures, t: &Texts) -> Markup {
    html! { tr {
        th scope="row" { (label) }
        td data-v=(f.count) { (count(f.count)) }
        td data-v=[f.rate.map(|r| r.per_second())] { @match f.rate { Some(rate) => b { (thousands(rate.per_second())) }, None => "–" } }
        td data-v=[f.mean.map(|n| n.as_nanos())] { @match f.mean { Some(n) => (time(n)), None => "–" } }
        (percentile(f.p50, t)) (percentile(f.p99, t)) (percentile(f.p999, t))
        td data-v=[f.max.map(|n| n.as_nanos())] { @match f.max { Some(n) => (time(n)), None => "–" } }
    } }
}

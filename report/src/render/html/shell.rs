//! Parts shared by pages of all kinds.

use super::texts::Texts;
use crate::harmless;
use maud::{Markup, html};
use messages::Language;
use model::{AnswerStanding, AnswerSubject, Labels, NeedResult, Outcome, RunAnswer};

pub(crate) fn text(words: &str) -> String {
    harmless(words)
}

pub(crate) fn answer(answer: &RunAnswer, t: &Texts) -> Markup {
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

pub(crate) fn labels(labels: &Labels) -> Markup {
    html! {
        @if !labels.tags.is_empty() { p .tags { @for tag in &labels.tags { span .tag { (text(tag)) } " " } } }
        @if !labels.note.is_empty() { p .said { (text(&labels.note)) } }
    }
}

pub(crate) fn class(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "pass",
        Outcome::Fail => "fail",
        Outcome::Undecided => "open",
    }
}

/// Returns the bar at the top of every page.
pub(crate) fn bar(home: Option<&str>, t: &Texts) -> Markup {
    html! {
        div .bar {
            p .brand {
                @match home {
                    Some(home) => a href=(home) { "‹ secchi" },
                    None => "secchi",
                }
                " " span { (t.report) }
            }
            div .tools {
                button #json type="button" aria-label={ (t.save) " JSON" } hidden { "JSON" }
                button #theme type="button" aria-label=(t.theme) title=(t.theme) hidden { "◐" }
            }
        }
    }
}

pub(crate) fn needs(needs: &[NeedResult], t: &Texts) -> Markup {
    let word = |o: Outcome| match o {
        Outcome::Pass => t.met,
        Outcome::Fail => t.not_met,
        Outcome::Undecided => t.undecided,
    };
    html! {
        div .part {
            h2 { (t.needs) }
            div .wide tabindex="0" { table .needs {
                thead { tr { th scope="col" { (t.need) } th scope="col" { (t.demand) } th scope="col" { (t.measured) } th scope="col" { (t.verdict) } } }
                @for need in needs { tbody {
                    tr {
                        th scope="row" rowspan=(need.clauses.len().max(1)) {
                            (text(&need.text))
                            @if let Some(depth) = need.depth { span .small { (depth) " " (t.in_flight) } }
                            @if !need.why.is_empty() { span .small { (text(&t.translate(&need.why))) } }
                        }
                        @match need.clauses.first() {
                            Some(first) => {
                                td { (text(&first.clause.to_string())) }
                                td { (text(&t.translate(&first.measured))) }
                                td .(class(first.outcome)) { (mark(first.outcome)) " " (word(first.outcome)) }
                            }
                            None => { td {} td {} td .(class(need.outcome)) { (mark(need.outcome)) " " (word(need.outcome)) } }
                        }
                    }
                    @for clause in need.clauses.iter().skip(1) { tr {
                        td { (text(&clause.clause.to_string())) }
                        td { (text(&t.translate(&clause.measured))) }
                        td .(class(clause.outcome)) { (mark(clause.outcome)) " " (word(clause.outcome)) }
                    } }
                } }
            } }
        }
    }
}

/// Returns a sign in addition to the colour, for readers who cannot distinguish colours.
fn mark(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "✓",
        Outcome::Fail => "✗",
        Outcome::Undecided => "?",
    }
}

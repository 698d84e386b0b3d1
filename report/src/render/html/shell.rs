//! Parts shared by pages of all kinds.

use super::texts::Texts;
use crate::document::{Sign, Tone};
pub(crate) use crate::harmless as text;
use crate::widgets::digits::group_page;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use messages::Language;
use model::judged::{AnswerStanding, AnswerSubject, ClauseResult, NeedResult, Outcome, RunAnswer};
use model::record::Labels;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// Parts of a page other than its body. The page contains its style, its scripts and their data.
pub(crate) struct Frame<'a> {
    pub language: Language,
    /// Elements of the head that only this kind of page has.
    pub meta: Markup,
    pub title: &'a str,
    pub style: &'a str,
    pub scripts: &'a [&'a str],
    /// Data of the scripts, as JSON.
    pub json: &'a str,
}

impl Frame<'_> {
    /// Returns the page, with the digits of its figures grouped as in its language.
    pub fn page(&self, body: &Markup) -> Vec<u8> {
        let markup = html! {
            (DOCTYPE)
            html lang=(self.language.code()) {
                head {
                    meta charset="utf-8";
                    (self.meta)
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="referrer" content="no-referrer";
                    title { (self.title) }
                    link rel="icon" href="data:,";
                    style { (PreEscaped(self.style)) }
                }
                body {
                    (body)
                    script #data type="application/json" { (PreEscaped(self.json)) }
                    @for script in self.scripts { script { (PreEscaped(script)) } }
                }
            }
        };
        group_page(self.language, markup.into_string()).into_bytes()
    }
}

/// Returns data as JSON that cannot close the element that contains it.
///
/// # Errors
/// Returns an error if the data cannot be written as JSON.
pub(crate) fn json(data: &impl Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string(data)?.replace('<', "\\u003c"))
}

/// Returns a content security policy that allows these scripts and this style by their hashes, and `others`.
pub(crate) fn policy(scripts: &[&str], style: &str, others: &str) -> String {
    let scripts: Vec<String> = scripts.iter().map(|s| hash(s)).collect();
    let style = hash(style);
    format!("default-src 'none'; script-src {}; style-src {style}; img-src data: blob:; {others}", scripts.join(" "))
}

/// Returns the hash by which a content security policy identifies a script or style.
pub(crate) fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())))
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
    // A sign in addition to the colour, for readers who cannot distinguish colours.
    let verdict = |o: Outcome| html! { td .(Tone::from(o).class()) { (Sign::from(o).unicode()) " " (word(o)) } };
    let clause = |c: &ClauseResult| {
        html! {
            td { (text(&c.clause.to_string())) }
            td { (text(&t.translate(&c.measured))) }
            (verdict(c.outcome))
        }
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
                            Some(first) => (clause(first)),
                            None => { td {} td {} (verdict(need.outcome)) }
                        }
                    }
                    @for c in need.clauses.iter().skip(1) { tr { (clause(c)) } }
                } }
            } }
        }
    }
}

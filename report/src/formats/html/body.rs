//! The part of the page that needs no script.

use super::assets::{CHARTS, SCRIPT, STYLE};
use super::parts::{anchor, answer, class, labels, percentile, place, standing, text, time};
use super::texts::Texts;
use super::view::Page;
use super::{compared, key_figures};
use crate::Style;
use crate::formats::ReportedRun;
use crate::formats::{again, host_line, tool, typed};
use crate::screens::comparison::sentence;
use crate::widgets::doubts::grouped;
use crate::widgets::figures::{count, duration, half_width, megabytes};
use crate::widgets::ink::{Ink, listed};
use crate::widgets::stack;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use messages::{Message, Sentence, message};
use model::{
    Caveat, Finding, Judgement, LevelFigures, Limit, LimitSource, NeedResult, Outcome, PatternJudgement, RunRecord,
    RunState, Severity, thousands,
};
use std::borrow::Cow;

/// Length in bytes above which a sentence at the top of a page is set in smaller type.
const LONG: usize = 120;
/// Maximum number of evidence lines shown for equal doubts.
const EXAMPLES: usize = 4;

/// Returns a document that contains its own style, scripts and data; `policy` allows only these.
pub(super) fn document(t: &Texts, title: &str, policy: &str, json: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang=(t.language().code()) {
            head {
                meta charset="utf-8";
                // Identifies the page as ours, so that it may be replaced.
                meta name="generator" content="secchi";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (t.report) " · " (title) }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE.as_str())) }
            }
            body {
                (body)
                script #data type="application/json" { (PreEscaped(json)) }
                script { (PreEscaped(CHARTS.as_str())) }
                script { (PreEscaped(SCRIPT.as_str())) }
            }
        }
    }
}

/// Returns the placeholder for charts, with a hint for browsers without scripts.
pub(super) fn charts(t: &Texts) -> Markup {
    html! { section #charts aria-label=(t.charts) { noscript { p .hint { (t.need_scripts) } } } }
}

/// Returns the bar at the top of every page.
pub(super) fn bar(home: Option<&str>, t: &Texts) -> Markup {
    html! {
        div .bar {
            p .brand {
                @match home {
                    Some(home) => a href=(home) { "‹ secchi" },
                    None => "secchi",
                }
                " " span { (t.report) }
            }
            button #theme type="button" aria-label=(t.theme) title=(t.theme) hidden { "◐" }
        }
    }
}

pub(super) fn page(page: &Page<'_>, joint: &[Cow<'_, RunRecord>], policy: &str, json: &str) -> Markup {
    let (runs, t) = (page.runs, Texts::for_language(page.language));
    let body = html! {
        (header(page, t))
        main {
            @match (page.comparison, runs) {
                (Some(comparison), _) => (compared::sides(comparison, t)),
                (None, [only]) => (key_figures::key_figures(only.record, only.judgement, t)),
                (None, _) => (compared::runs(runs, t)),
            }
            section #lead aria-label=(t.charts) {}
            @if let ([only], None) = (runs, page.comparison) {
                @if !only.judgement.needs.is_empty() { (needs(&only.judgement.needs, t)) }
                (trust(&only.judgement.caveats, Some(&joint[0]), t))
            }
            (charts(t))
            @let several = runs.len() > 1 || page.comparison.is_some();
            @for (run, joint) in runs.iter().zip(joint) { (run_article(run, joint, several, t)) }
        }
        footer { p { (t.made_by) " " (text(&tool(page.tool()))) } }
    };
    document(t, &title(page), policy, json, &body)
}

fn title(page: &Page<'_>) -> String {
    match (page.comparison, page.runs) {
        (Some(c), []) => text(&[&c.a.runs[..], &c.b.runs[..]].concat().join(", ")),
        (_, runs) => text(&runs.iter().map(ReportedRun::name).collect::<Vec<_>>().join(", ")),
    }
}

fn header(page: &Page<'_>, t: &Texts) -> Markup {
    let lead = page.runs.first();
    let class = match (page.comparison, lead) {
        (Some(comparison), _) => compared::head(comparison),
        (None, Some(lead)) => standing(lead.judgement),
        (None, None) => "grey",
    };
    html! {
        header .(class) {
            (bar(page.home, t))
            @match (page.comparison, page.runs) {
                (Some(comparison), _) => { h1 { (text(&t.translate(sentence(comparison)))) } }
                (None, [only]) => (lead_answer(only, t)),
                (None, _) => { h1 { (t.compared) } p .meta { span { (title(page)) } } }
            }
        }
    }
}

/// Returns the answer of a page with one run, and the place and time of the run.
fn lead_answer(run: &ReportedRun<'_>, t: &Texts) -> Markup {
    let (record, judgement) = (run.record, run.judgement);
    html! {
        @if judgement.answer.lines.is_empty() {
            h1 .long[judgement.verdict.len() > LONG] { (text(&t.translate(&judgement.verdict))) }
        } @else {
            h1 .answer { (answer(&judgement.answer, t)) }
            p .said .small { (text(&t.translate(&judgement.verdict))) }
        }
        p .meta {
            span { (text(&place(record))) }
            span { (text(&record.preflight.host.hostname)) }
            time datetime=(record.started) { (text(&record.started)) }
        }
        (labels(run.labels))
        @if record.state != RunState::Complete { p .partial { (text(&t.translate(crate::formats::partial(record)))) } }
    }
}

fn run_article(run: &ReportedRun<'_>, joint: &RunRecord, several: bool, t: &Texts) -> Markup {
    let (record, judgement) = (run.record, run.judgement);
    html! {
        article id={ "run-" (anchor(run)) } aria-label=(run.name()) {
            @if several {
                h2 .run { (run.name()) }
                @if !judgement.answer.lines.is_empty() { div .answer { (answer(&judgement.answer, t)) } }
                p .verdict .(class(judgement.outcome)) { (text(&t.translate(&judgement.verdict))) }
                (key_figures::key_figures(record, judgement, t))
                @if !judgement.needs.is_empty() { (needs(&judgement.needs, t)) }
                (trust(&judgement.caveats, Some(joint), t))
            }
            @if !judgement.patterns.is_empty() { (figures(judgement, t)) }
            @if !judgement.findings.is_empty() { (findings(&judgement.findings, t)) }
            (environment(record, judgement, t))
            (plan(record, t))
        }
    }
}

fn needs(needs: &[NeedResult], t: &Texts) -> Markup {
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

fn severity(severity: Severity, t: &Texts) -> (&'static str, &'static str) {
    match severity {
        Severity::Invalid => ("fail", t.invalid),
        Severity::Doubt => ("open", t.doubt),
        Severity::Note => ("note", t.note),
    }
}

/// Returns the doubts without duplicates; with a record, each names its step.
pub(super) fn trust(caveats: &[Caveat], record: Option<&RunRecord>, t: &Texts) -> Markup {
    let groups = grouped(caveats);
    let evidence_of = |c: &Caveat| match record.and_then(|record| Some((record, record.steps.get(c.step?)?))) {
        Some((record, step)) => {
            let (label, n) = (record.stage_of(step).job.workload.label(), step.job.concurrency());
            format!("{label} × {n}: {}", t.translate(&c.evidence))
        }
        None => t.translate(&c.evidence),
    };
    html! {
        div .part {
            h2 { (t.trust) }
            @if groups.is_empty() { p .pass { "✓ " (t.no_doubt) } }
            ul .doubts { @for group in &groups {
                @let (class, word) = severity(group[0].severity, t);
                li .(class) { details {
                    summary { span .tag { (word) } " " (text(&t.translate(&group[0].statement))) }
                    @for caveat in group.iter().take(EXAMPLES).filter(|c| !c.evidence.is_empty()) { p .small { (text(&evidence_of(caveat))) } }
                    @if group.len() > EXAMPLES { p .small { (group.len() - EXAMPLES) " " (t.more) } }
                    @if !group[0].remedy.is_empty() { p .small { b { (t.do_try) ": " } (text(&t.translate(&group[0].remedy))) } }
                } }
            } }
        }
    }
}

fn figures(judgement: &Judgement, t: &Texts) -> Markup {
    html! {
        div .part {
            h2 { (t.figures) }
            @for pattern in &judgement.patterns {
                h3 { (text(&pattern.label)) span .small { (text(&pattern.stage)) } }
                (levels(pattern, t))
                @if !pattern.binding.statement.is_empty() {
                    p { b { (t.binds) ": " } (text(&t.translate(&pattern.binding.statement))) }
                    @if !pattern.binding.evidence.is_empty() {
                        ul .small { @for line in &pattern.binding.evidence { li { (text(&t.translate(line))) } } }
                    }
                }
            }
        }
    }
}

fn levels(pattern: &PatternJudgement, t: &Texts) -> Markup {
    html! {
        div .wide tabindex="0" { table .figures {
            thead { tr {
                th scope="col" { (t.in_flight) } th scope="col" { "IOPS" } th scope="col" { abbr title=(t.interval_of) { (t.interval95) } } th scope="col" { (t.bandwidth) }
                th scope="col" { (t.mean) } th scope="col" { (t.median) } th scope="col" { "p99" } th scope="col" { "p99.9" }
                th scope="col" { (t.maximum) } th scope="col" { (t.operations) }
            } }
            tbody { @for level in &pattern.levels { (row(level, t)) } }
        } }
    }
}

fn row(level: &LevelFigures, t: &Texts) -> Markup {
    let n = level.concurrency();
    let ink = Ink::new(&Style::default());
    html! {
        tr .struck[level.struck.is_some()] {
            th scope="row" {
                (n) @if level.hold { " " span .tag { (t.held) } }
                @if !level.caveats.is_empty() { " " abbr title=(level.caveats.join(", ")) { "!" } }
            }
            @if let Some(reason) = &level.struck {
                td .why colspan="9" { (text(&t.translate(reason))) }
            } @else {
                td data-v=(level.iops.value) { b { (thousands(level.iops.value)) } }
                td { @match half_width(&level.iops, ink) {
                    Some(half) => { (half) }
                    None => { abbr title=(text(&t.translate(&level.iops.ci_missing))) { "–" } }
                } }
                td data-v=(level.bandwidth.0) { (megabytes(level.bandwidth)) }
                td data-v=[level.mean.map(|n| n.as_nanos())] { @match level.mean { Some(n) => (time(n)), None => "–" } }
                (percentile(level.p50, t)) (percentile(level.p99, t)) (percentile(level.p999, t))
                td data-v=[level.max.map(|n| n.as_nanos())] { @match level.max { Some(n) => (time(n)), None => "–" } }
                td data-v=(level.ops) { (count(level.ops)) }
            }
        }
    }
}

fn findings(findings: &[Finding], t: &Texts) -> Markup {
    html! {
        div .part {
            h2 { (t.findings) }
            ul .doubts { @for finding in findings {
                @let (class, word) = severity(finding.severity, t);
                li .(class) {
                    p { span .tag { (word) } " " (text(&t.translate(&finding.statement))) }
                    @for line in &finding.evidence { p .small { (text(&t.translate(line))) } }
                    @if !finding.remedy.is_empty() { p .small { b { (t.do_try) ": " } (text(&t.translate(&finding.remedy))) } }
                }
            } }
        }
    }
}

fn environment(record: &RunRecord, judgement: &Judgement, t: &Texts) -> Markup {
    let (facts, storage) = (&record.preflight, &record.preflight.storage);
    let state = match record.state {
        RunState::Complete => t.format(&crate::formats::state(record.state)),
        _ => t.translate(crate::formats::partial(record)),
    };
    html! {
        div .part {
            h2 { (t.environment) }
            dl {
                dt { (t.host) } dd { (text(&t.translate(host_line(&facts.host)))) }
                @if !storage.filesystem.is_empty() {
                    dt { (t.storage) } dd { (text(&t.translate(stack::filesystem(storage)))) }
                }
                @for device in &storage.devices {
                    dt { (t.device) } dd { (text(&t.translate(device_line(device)))) }
                }
                dt { (t.target) } dd { (text(&place(record))) ", " (record.plan.target.size) }
                @if !facts.engine_choice.is_empty() { dt { (t.engine) } dd { (text(&t.translate(&facts.engine_choice))) } }
                @if let Some(d) = record.database() { dt { (t.engine) } dd { (text(&t.format(&database_line(d)))) } }
                dt { (t.run) } dd { code { (text(&record.id)) } ", " (text(&tool(&record.tool))) }
                dt { (t.lasted) } dd { (duration(record.ended)) }
                dt { (t.state) } dd { (text(&state)) ", " (t.exit_code) " " (judgement.exit_code) }
            }
            @let limits: Vec<&Limit> = record.plan.limits.iter().chain(&facts.limits).collect();
            @if !limits.is_empty() {
                h3 { (t.limits) }
                div .wide tabindex="0" { table {
                    thead { tr { th scope="col" { (t.limit) } th scope="col" { "IOPS" } th scope="col" { (t.bandwidth) } th scope="col" { (t.source) } } }
                    tbody { @for limit in limits { tr {
                        th scope="row" { (text(&limit.name)) }
                        td { @match limit.iops { Some(i) => (thousands(i.per_second())), None => "–" } }
                        td { @match limit.bandwidth { Some(b) => (format!("{:.1}", b.mb())), None => "–" } }
                        td { (text(&source(&limit.source))) }
                    } } }
                } }
            }
        }
    }
}

fn device_line(d: &model::DeviceFacts) -> Sentence {
    let mut words: Vec<Sentence> = vec![Sentence::from(&d.name), Sentence::from(&d.kind), d.size.to_string().into()];
    words.extend(d.model.as_ref().map(Sentence::from));
    words.extend(stack::scheduler(d));
    words.extend(stack::cache(d));
    words.extend(d.health.as_ref().map(|h| Sentence::from(h.summary())));
    listed(words)
}

fn database_line(d: &model::DatabaseUse) -> Message {
    let (engine, version, commit) = (&d.engine, &d.version, &d.commit);
    message!("html-database", engine, version, data = d.data, cache = d.cache, commit)
}

fn source(source: &LimitSource) -> String {
    match source {
        LimitSource::Declared(typed) => typed.clone(),
        LimitSource::Cgroup { file } => file.clone(),
        LimitSource::Catalog { source, date, row } => [row, source, date].map(String::as_str).join(" · "),
    }
}

fn plan(record: &RunRecord, t: &Texts) -> Markup {
    html! {
        div .part {
            h2 { (t.plan) }
            @if !record.plan.stages.is_empty() { div .wide tabindex="0" { table {
                thead { tr { th scope="col" { (t.stage) } th scope="col" { (t.role) } th scope="col" { (t.block) } th scope="col" { (t.in_flight) } th scope="col" { (t.lasted) } } }
                tbody { @for stage in record.plan.stages.iter().take(64) { tr {
                    th scope="row" { (text(&stage.name)) }
                    td { (t.word(crate::screens::plan::role(stage.role))) }
                    td { (text(&stage.job.workload.label())) }
                    td { @match &stage.ramp {
                        Some(ramp) => (ramp.depths.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
                        None => (stage.job.concurrency()),
                    } }
                    td { (duration(stage.expected_time())) }
                } } }
            } } }
            h3 { (t.repeat) }
            pre tabindex="0" { code { (text(&typed(record))) } }
            h3 { (t.show_again) }
            pre tabindex="0" { code { (text(&again(record))) } }
        }
    }
}

//! Parts that the reports of all kinds share: head, doubts, needs, findings, environment, plan.

use super::list::state;
use super::words::{again, host_line, partial, place, sampled, state_name, tool, tool_rate, typed};
use crate::ReportedRun;
use crate::document::{Block, Case, Column, Document, Field, Finding, Head, Margin, Notes, Table, Value, View, Word};
use crate::render::stack::{self, Detail};
use crate::widgets::figures::{duration, percent};
use crate::widgets::ink::clauses;
use messages::{Message, Sentence, message, sentence};
use model::plan::{NamedTarget, named_place};
use model::record::{Preflight, StorageFacts};
use model::{BytesPerSecond, Judgement, RunKind, RunRecord, RunState, Stage, bounds::LimitSource};

/// Maximum number of stages in the table of the plan.
const MOST_STAGES: usize = 64;

/// Begins the document of a run: head, doubts and needs. Doubts and needs refer to steps of the joint record; a kind
/// whose judgement refers to other steps sets `notes` itself.
pub(crate) fn begin(run: &ReportedRun<'_>) -> Document {
    let (record, judgement) = (run.record, run.judgement);
    let joint = record.joint();
    Document {
        head: head(run),
        notes: Notes::new(&judgement.caveats, Some(&joint)),
        cases: cases(record, judgement),
        ..Document::new("workloads", run.name())
    }
}

/// Ends the document of a run: findings, environment, the run itself, and its plan.
pub(crate) fn end(d: &mut Document, run: &ReportedRun<'_>) {
    findings(d, run.judgement);
    environment(d, run.record, run.judgement);
    plan(d, run.record);
}

/// Returns the head of a run's report.
pub(crate) fn head(run: &ReportedRun<'_>) -> Head {
    let (record, judgement) = (run.record, run.judgement);
    let incomplete = record.state != RunState::Complete;
    Head {
        answer: judgement.answer.clone(),
        verdict: Some((judgement.verdict.clone(), judgement.outcome)),
        is_judged: true,
        partial: incomplete.then(|| partial(record)),
        place: target(record),
        path: record.plan.target.path.display().to_string(),
        host: record.preflight.host.hostname.clone(),
        machine: host_line(&record.preflight.host),
        started: record.started.clone(),
        seconds: record.ended.secs(),
        labels: run.labels.clone(),
        run: record.id.clone(),
        typed: typed(record),
        again: again(record),
        took: took(record),
        limits: record.plan.limits.iter().map(ToString::to_string).collect(),
        rows_left: "show-more-workloads",
        ..Head::default()
    }
}

/// Returns the place that a run used: its target, the names of its targets, or the directory of its database.
pub(crate) fn target(record: &RunRecord) -> String {
    match record.database() {
        Some(database) => database.directory.clone(),
        None if record.plan.targets.is_empty() => named_place(&record.plan.target.path).display().to_string(),
        None => record.plan.targets.iter().map(|t| t.name.as_str()).collect::<Vec<_>>().join(" + "),
    }
}

/// Returns the needs of a run as test cases.
pub(crate) fn cases(record: &RunRecord, judgement: &Judgement) -> Vec<Case> {
    let class = |at: usize| match record.plan.needs.get(at).map(|need| need.contract.as_str()) {
        None | Some("") => "need".to_owned(),
        Some(contract) => contract.to_owned(),
    };
    let case = |(at, result): (usize, &model::judged::NeedResult)| Case {
        class: class(at),
        is_need: true,
        result: result.clone(),
    };
    judgement.needs.iter().enumerate().map(case).collect()
}

/// Returns a sentence about duration and bytes written.
pub(crate) fn took(record: &RunRecord) -> Sentence {
    let (written, time) = (record.written(), duration(record.ended));
    match record.preflight.storage.share_of_disk(written) {
        _ if written.is_zero() => sentence!("show-took", time),
        None => sentence!("show-took-written", time, written),
        Some(share) => sentence!("show-took-of-disk", time, written, share),
    }
}

/// Adds the findings that are not part of the verdict, if any.
pub(crate) fn findings(d: &mut Document, judgement: &Judgement) {
    let finding = |f: &model::judged::Finding| Finding {
        rule: String::new(),
        severity: f.severity,
        statement: f.statement.clone(),
        evidence: f.evidence.clone(),
        lines: Vec::new(),
        remedy: f.remedy.clone(),
    };
    if !judgement.findings.is_empty() {
        let findings = judgement.findings.iter().map(finding).collect();
        d.part("findings", "show-findings", [Block::Findings(findings)]).views(View::FINDINGS);
    }
}

/// Adds the environment of a run, then its ID and its commands.
pub(crate) fn environment(d: &mut Document, record: &RunRecord, judgement: &Judgement) {
    let facts = &record.preflight;
    let mut blocks = Vec::new();
    let mut fields = vec![Field::new("label-host", host_line(&facts.host))];
    if record.plan.watch().is_some() {
        blocks.push(Block::Fields(Margin::Page, std::mem::take(&mut fields)));
        let branches = stack::branches(&facts.storage.devices, Detail::Brief);
        blocks.push(Block::Tree { label: "label-devices".into(), branches });
    } else {
        blocks.extend(storage(&mut fields, facts, &record.plan.targets, Detail::Brief));
    }
    fields.extend(targets(record));
    if let Some(fill) = record.fill {
        let rate = BytesPerSecond(fill.bytes.as_u64() as f64 / fill.time.secs().max(1e-9));
        let text = sentence!("host-filled", bytes = fill.bytes, time = duration(fill.time), rate);
        fields.push(Field::new("label-fill", text));
    }
    let mut engine = vec![Sentence::from(&facts.engine_choice)];
    let ceiling = facts.ceiling;
    engine.extend(ceiling.map(|(one, deep)| sentence!("host-ceiling", one = tool_rate(one), deep = tool_rate(deep))));
    let engine = clauses(engine);
    fields.extend((!engine.is_empty()).then(|| Field::new("label-engine", engine)));
    fields.extend(judgement.sampling.as_ref().map(|cost| field("label-sampled", sampled(record, cost))));
    blocks.push(Block::Fields(Margin::Page, fields));
    d.part("environment", "show-measured-on", blocks).aside(record.started.clone()).views(View::ENVIRONMENT);
    let again = Field::new("label-again", again(record)).strong();
    let fields = vec![field("label-run", run(record, judgement)), Field::new("label-typed", typed(record)), again];
    d.part("run", "", [Block::Fields(Margin::Page, fields)]).views(View::ENVIRONMENT);
}

/// Returns file system and devices below every target. The first block begins with `fields`, which is then empty.
pub(crate) fn storage(
    fields: &mut Vec<Field>,
    facts: &Preflight,
    targets: &[NamedTarget],
    detail: Detail,
) -> Vec<Block> {
    let below = stack::named(facts, targets);
    let texts = below.iter().map(|(names, storage)| stack::with_names(names, stack::filesystem(storage)));
    let blocks = |(field, (_, storage)): (Field, &(String, &StorageFacts))| {
        fields.push(field);
        let branches = stack::branches(&storage.devices, detail);
        [Block::Fields(Margin::Page, std::mem::take(fields)), Block::Tree { label: Word::None, branches }]
    };
    Field::group("label-storage", texts).into_iter().zip(&below).flat_map(blocks).collect()
}

/// Creates a plain labelled line with a message.
pub(super) fn field(label: &'static str, text: Message) -> Field {
    Field::new(label, messages::sentence(text))
}

/// Returns the targets of a run. The directory of a database is already shown, and the location of its files is up to
/// the engine.
fn targets(record: &RunRecord) -> Vec<Field> {
    let (plan, target) = (&record.plan, &record.plan.target);
    if record.database().is_some() || plan.watch().is_some() {
        return Vec::new();
    }
    if plan.targets.is_empty() {
        return vec![match matches!(plan.kind, RunKind::Metadata | RunKind::Durability) {
            // The files no longer exist.
            true => Field::new("label-target", target.path.display().to_string()),
            false => field("label-target", place(target)),
        }];
    }
    let text = |of: &NamedTarget| sentence!("told-of", what = &of.name, told = place(&of.target));
    Field::group("label-targets", plan.targets.iter().map(text))
}

/// Returns the ID of a run, its end, the tool and the exit code.
fn run(record: &RunRecord, judgement: &Judgement) -> Message {
    let (id, how, time) = (&record.id, state(state_name(record.state)), duration(record.ended));
    let (tool, code, planned) = (tool(&record.tool), judgement.exit_code, record.plan.expected_time().secs());
    if record.state != RunState::Complete && planned > 0.0 {
        let share = percent((record.ended.secs() / planned).min(1.0));
        message!("host-run-part", id, how, time, share, tool, code)
    } else {
        message!("host-run", id, how, time, tool, code)
    }
}

/// Adds limits and stages of the plan and the commands to copy, for pages.
pub(crate) fn plan(d: &mut Document, record: &RunRecord) {
    let limits = Table::builder("limits", record.plan.limits.iter().chain(&record.preflight.limits))
        .column(Column::text("limit", "page-limit"), |limit| Value::name(&limit.name))
        .column(Column::term("iops", "IOPS"), |limit| limit.iops)
        .column(Column::figure("bytes_per_s", "page-bandwidth"), |limit| limit.bandwidth)
        .column(Column::text("source", "page-source"), |limit| Value::Name(source(&limit.source)))
        .build();
    let depths = |stage: &Stage| match &stage.ramp {
        Some(ramp) => ramp.depths.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
        None => stage.job.concurrency().to_string(),
    };
    let mut stages = Table::builder("stages", record.plan.stages.iter().take(MOST_STAGES))
        .column(Column::text("stage", "page-stage"), |stage| Value::name(&stage.name))
        .column(Column::text("role", "page-role"), |stage| Value::word(super::words::role(stage.role)))
        .column(Column::text("workload", "page-block"), |stage| Value::Name(stage.job.workload.label()))
        .column(Column::text("in_flight", "page-in-flight"), |stage| Value::Name(depths(stage)))
        .column(Column::figure("length_ns", "page-lasted"), |stage| Value::Length(stage.expected_time()))
        .build();
    stages.more = record.plan.stages.len().saturating_sub(MOST_STAGES);
    let code = |label: &'static str, text: String| Block::Code { label: label.into(), text };
    let commands = [code("page-repeat", typed(record)), code("page-show-again", again(record))];
    let blocks = [Block::Table(limits), Block::Table(stages)].into_iter().chain(commands);
    d.part("plan", "page-plan", blocks).views(View::PAGE_END);
}

fn source(source: &LimitSource) -> String {
    match source {
        LimitSource::Declared(typed) => typed.clone(),
        LimitSource::Cgroup { file } => file.clone(),
        LimitSource::Catalog { source, date, row } => [row, source, date].map(String::as_str).join(" · "),
    }
}

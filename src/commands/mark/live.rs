//! The table that is filled in while a mark runs, with a progress line below it. Without a terminal, one line per test
//! is printed.

use model::{RunEvent, RunRecord, measured::Phase};
use report::formats::mark::{self, Mark, Running};
use run::{Progress, Sink};
use session::Observer;
use session::console::{self, StandardStream};
use session::journal_sink::JournalSink;

/// Table of a mark in progress.
#[derive(Default)]
pub struct MarkTable {
    /// Results of the steps that have ended; rebuilt when another step ends.
    mark: Option<Mark>,
    /// Stage of the last step that began. The steps of one stage on several hosts count as one.
    stage: Option<usize>,
}

impl MarkTable {
    /// Returns the running stage; during a pause, the next one.
    fn running(&self, p: &Progress) -> Option<Running> {
        let measured = p.iops.per_second() > 0.0;
        let stage = if p.step == 0 { None } else { Some(p.step - 1) }?;
        let begun = self.stage == Some(stage) && p.phase != Phase::Drain;
        let some = measured && begun;
        Some(Running { stage, rate: some.then_some(p.bandwidth), iops: some.then_some(p.iops) })
    }

    /// Returns the label of the current stage, such as `SEQ1M Q8T1 read`.
    fn label(p: &Progress, record: Option<&RunRecord>) -> Option<String> {
        let plan = &record?.plan;
        let stage = &plan.stages[*plan.stages_of(0).get(p.step.checked_sub(1)?)?];
        let test = model::plan::MarkTest::from_job(&stage.job)?;
        let direction = model::plan::MarkDirection::from_mix(stage.job.workload.mix).name();
        let pause = if p.pausing { "pause before " } else { "" };
        Some(format!("{pause}{test} {direction}"))
    }
}

impl Observer for MarkTable {
    fn event(&mut self, event: RunEvent, journal: &mut JournalSink) {
        let news = matches!(event, RunEvent::Begin { .. } | RunEvent::StepEnd { .. });
        if let (RunEvent::StepBegin { stage, .. }, Some(record)) = (&event, journal.record()) {
            self.stage = record.plan.stages_of(0).partition_point(|first| first <= stage).checked_sub(1);
        }
        journal.event(event);
        if news {
            self.mark = journal.record().map(|record| Mark::from_record(record, &[]));
        }
    }

    fn progress(&mut self, progress: &Progress, journal: &mut JournalSink) {
        let mut p = progress.clone();
        if let Some(label) = Self::label(&p, journal.record()) {
            p.label = label;
        }
        let Some(mark) = self.mark.as_ref().filter(|_| journal.live.is_watched()) else {
            if p.pausing {
                journal.show(&p, "");
                return;
            }
            // Count a step per test, not per loop.
            let count = |r: &RunRecord| r.plan.stages_of(0).len().max(1);
            let stages = journal.record().map_or(1, count);
            let loops = self.mark.as_ref().map_or(1, |m| m.loops.max(1));
            if p.step > 0 {
                (p.step, p.steps) = ((p.step - 1) / loops + 1, stages.div_ceil(loops));
            }
            journal.progress(&p);
            return;
        };
        let style = console::style(StandardStream::Error);
        let table = mark::live(mark, self.running(&p), &style);
        let line = console::progress_text(&p);
        journal.show(&p, &format!("{table}\n\n {line}"));
    }
}

//! Doubts and footnotes, each stored once.

use super::Head;
use super::value::Tone;
use crate::grouping::grouped_doubts;
use messages::{Sentence, sentence};
use model::{Caveat, RunRecord, Severity, judged::AnswerSubject};

/// Reference to a note of a document; only [`Notes`] creates it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NoteId(usize);

/// A doubt or a footnote.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Note {
    /// Stable identifier of a doubt; empty for a footnote.
    pub key: String,
    /// Severity of a doubt; footnotes are notes.
    pub severity: Severity,
    /// Colour of the letter of a footnote.
    pub tone: Tone,
    /// True for a footnote, which is shown only below the tables that refer to it.
    pub is_local: bool,
    /// Statement in one sentence.
    pub statement: Sentence,
    /// True if the verdict contains the statement, so that only the identifier is listed.
    pub is_in_verdict: bool,
    /// Observations, in the order of the caveats; may be empty texts, whose places still count.
    pub evidence: Vec<Evidence>,
    /// Suggested action; may be empty.
    pub remedy: Sentence,
}

impl Note {
    /// Returns the statement for a list of doubts: if the verdict contains it, the identifier.
    pub fn listed(&self) -> Sentence {
        if self.is_in_verdict { sentence!("trust-in-verdict", id = &self.key) } else { self.statement.clone() }
    }
}

/// An observation that supports a doubt.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Evidence {
    /// Index of the step in the record; `None` for the whole run.
    pub step: Option<usize>,
    /// Workload and concurrency of the step.
    pub place: Option<(String, u32)>,
    /// Text of the observation.
    pub text: Sentence,
}

/// Notes of a document. Doubts are sorted by severity, the most severe first.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Notes {
    notes: Vec<Note>,
    /// Number of steps of the run.
    pub steps: usize,
}

impl Notes {
    /// Groups caveats with the same statement; with a record, each observation names its step. Caveats refer to the
    /// steps of this record: pass the joint record of a run on several targets.
    pub fn new(caveats: &[Caveat], record: Option<&RunRecord>) -> Notes {
        let evidence = |caveat: &&Caveat| {
            let step = caveat.step.and_then(|at| record?.steps.get(at));
            let place = step.map(|step| (step.job.workload.label(), step.job.concurrency()));
            Evidence { step: caveat.step, place, text: caveat.evidence.clone() }
        };
        let note = |group: Vec<&Caveat>| Note {
            key: group[0].id.clone(),
            severity: group[0].severity,
            tone: group[0].severity.into(),
            is_local: false,
            statement: group[0].statement.clone(),
            is_in_verdict: false,
            evidence: group.iter().map(evidence).collect(),
            remedy: group[0].remedy.clone(),
        };
        let notes = grouped_doubts(caveats).into_iter().map(note).collect();
        Notes { notes, steps: record.map_or(0, |record| record.steps.len()) }
    }

    /// Removes from the doubts what the head already contains: statements and evidence in the verdict, and, for views
    /// with the answer, the remedy that it recommends.
    pub fn remove_repeated(&mut self, head: &Head, has_answer: bool) {
        let verdict = head.verdict.as_ref().map(|(verdict, _)| verdict);
        let in_verdict = |text: &Sentence| verdict.is_some_and(|verdict| verdict.quotes(text));
        let steps = head.answer.lines.iter().filter(|line| has_answer && line.subject == AnswerSubject::Do);
        let steps: Vec<_> = steps.map(|line| (line.id.as_str(), line.text.message())).collect();
        for note in self.notes.iter_mut().filter(|note| !note.is_local) {
            note.is_in_verdict = in_verdict(&note.statement);
            note.evidence.iter_mut().filter(|e| in_verdict(&e.text)).for_each(|e| e.text = Sentence::default());
            if steps.contains(&(note.key.as_str(), note.remedy.message())) {
                note.remedy = Sentence::default();
            }
        }
    }

    /// Returns the doubts, without footnotes.
    pub fn doubts(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(|note| !note.is_local)
    }

    /// Adds a footnote; equal texts share one.
    pub fn footnote(&mut self, statement: impl Into<Sentence>, tone: Tone) -> NoteId {
        let statement = statement.into();
        let at = self.notes.iter().position(|note| note.is_local && note.statement == statement);
        NoteId(at.unwrap_or_else(|| {
            let (key, severity, evidence, remedy) = (String::new(), Severity::Note, Vec::new(), Sentence::default());
            self.notes.push(Note {
                key,
                severity,
                tone,
                is_local: true,
                statement,
                is_in_verdict: false,
                evidence,
                remedy,
            });
            self.notes.len() - 1
        }))
    }

    /// Returns a note.
    pub fn note(&self, id: NoteId) -> &Note {
        &self.notes[id.0]
    }
}

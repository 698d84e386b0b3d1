//! The answer of a run: what a person asked of it, in at most four lines. Derived, never stored: `analysis` makes it, and the
//! terminal, pages, documents and lists show the same.

use crate::CompactSort;
use crate::{Message, Said, Sentence};
use serde::{Deserialize, Serialize};

/// What a line of an answer speaks of, in the order in which lines stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerSubject {
    /// Whether what was bought (declared or published limits) is delivered.
    Bought,
    /// Whether the needs are met.
    Needs,
    /// What binds, at what rate, for which block sizes.
    Binds,
    /// The one most useful next step.
    Do,
}

impl AnswerSubject {
    /// The message that says the word before the line: `label-bought`.
    #[must_use]
    pub const fn label_message(self) -> &'static str {
        match self {
            AnswerSubject::Bought => "label-bought",
            AnswerSubject::Needs => "label-needs",
            AnswerSubject::Binds => "label-binds",
            AnswerSubject::Do => "label-do",
        }
    }

    /// The word before the line: `BOUGHT`.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            AnswerSubject::Bought => "BOUGHT",
            AnswerSubject::Needs => "NEEDS",
            AnswerSubject::Binds => "BINDS",
            AnswerSubject::Do => "DO",
        }
    }
}

/// How it stands with what was asked, the worst last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerStanding {
    /// Nothing was asked: grey.
    #[default]
    NotAsked,
    /// What was asked is so: green.
    Met,
    /// It cannot be told: amber.
    Undecided,
    /// It is not so: red.
    NotMet,
}

/// A line of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "LineDocument", into = "LineDocument")]
pub struct AnswerLine {
    /// What it speaks of.
    pub subject: AnswerSubject,
    /// What kind of thing is said of it: `less`, `met`, `device`. Stable, kebab-case; with the subject it identifies the sentence.
    pub id: String,
    /// How it stands with that.
    pub standing: AnswerStanding,
    /// At most one sentence, of [`MOST_WORDS`] words in English.
    pub text: Sentence,
}

/// Words of a line; figures and units count as such.
pub const MOST_WORDS: usize = 20;

impl AnswerLine {
    /// A line; English of more than [`MOST_WORDS`] words is cut where a clause ends.
    #[must_use]
    pub fn new(subject: AnswerSubject, id: &str, standing: AnswerStanding, text: impl Into<Sentence>) -> Self {
        let text = text.into();
        let text = Sentence::from_parts(in_few_words(&text), text.message().cloned());
        AnswerLine { subject, id: id.to_owned(), standing, text }
    }
}

/// A line in a document: English for everybody, and beside it what says it in other languages.
#[derive(Serialize, Deserialize)]
struct LineDocument {
    subject: AnswerSubject,
    id: String,
    standing: AnswerStanding,
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<Said>,
}

impl From<AnswerLine> for LineDocument {
    fn from(line: AnswerLine) -> Self {
        let AnswerLine { subject, id, standing, text } = line;
        LineDocument { subject, id, standing, message: text.message().cloned(), text: text.into() }
    }
}

impl From<LineDocument> for AnswerLine {
    fn from(kept: LineDocument) -> Self {
        let LineDocument { subject, id, standing, text, message } = kept;
        AnswerLine { subject, id, standing, text: Sentence::from_parts(text, message) }
    }
}

/// The answer of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunAnswer {
    /// The worst of its lines, which colours and marks follow.
    pub standing: AnswerStanding,
    /// Lines in the order of their subjects; one without a subject is absent.
    pub lines: Vec<AnswerLine>,
}

impl RunAnswer {
    /// The answer of these lines.
    #[must_use]
    pub fn from_lines(lines: impl IntoIterator<Item = AnswerLine>) -> Self {
        let mut lines: Vec<AnswerLine> = lines.into_iter().collect();
        lines.compact_sort_by_key(|l| l.subject);
        let standing = lines.iter().map(|l| l.standing).max().unwrap_or_default();
        RunAnswer { standing, lines }
    }

    /// The line of a subject.
    #[must_use]
    pub fn line(&self, subject: AnswerSubject) -> Option<&AnswerLine> {
        self.lines.iter().find(|l| l.subject == subject)
    }

    /// What was found, on one line and without what to do: `NEEDS met ...; BINDS ...`. Empty without a line.
    #[must_use]
    pub fn on_one_line(&self) -> Sentence {
        let told = self.lines.iter().filter(|l| l.subject != AnswerSubject::Do);
        let label = |subject: AnswerSubject| Sentence::new(subject.label(), Message::new(subject.label_message()));
        Sentence::join(told.map(|l| Sentence::concat([label(l.subject), " ".into(), l.text.clone()])), "; ")
    }
}

/// A text of at most [`MOST_WORDS`] words: cut behind the last clause that fits, else behind the last word.
fn in_few_words(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() <= MOST_WORDS {
        return words.join(" ");
    }
    let kept = &words[..MOST_WORDS];
    // A clause of less than a third of it would leave too little.
    let clause = (MOST_WORDS / 3..MOST_WORDS).rev().find(|i| kept[*i].ends_with([';', ',', ':']));
    let mut cut = match clause {
        Some(end) => kept[..=end].join(" ").trim_end_matches([';', ',', ':']).to_owned(),
        None => format!("{}…", kept.join(" ")),
    };
    let open = cut.matches('(').count().saturating_sub(cut.matches(')').count());
    cut.push_str(&")".repeat(open));
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(subject: AnswerSubject, standing: AnswerStanding) -> AnswerLine {
        AnswerLine::new(subject, "id", standing, "text")
    }

    #[test]
    fn an_answer_stands_as_its_worst_line_does() {
        use AnswerSubject::{Binds, Bought, Do, Needs};
        let of = |lines: &[AnswerLine]| RunAnswer::from_lines(lines.to_vec()).standing;
        assert_eq!(of(&[]), AnswerStanding::NotAsked);
        assert_eq!(
            of(&[line(Binds, AnswerStanding::NotAsked)]),
            AnswerStanding::NotAsked,
            "grey where nothing was asked"
        );
        assert_eq!(of(&[line(Binds, AnswerStanding::NotAsked), line(Needs, AnswerStanding::Met)]), AnswerStanding::Met);
        assert_eq!(
            of(&[line(Bought, AnswerStanding::Undecided), line(Needs, AnswerStanding::Met)]),
            AnswerStanding::Undecided
        );
        assert_eq!(
            of(&[line(Do, AnswerStanding::NotAsked), line(Bought, AnswerStanding::NotMet)]),
            AnswerStanding::NotMet
        );
    }

    #[test]
    fn lines_stand_in_the_order_of_their_subjects() {
        use AnswerSubject::{Binds, Bought, Do};
        let answer = RunAnswer::from_lines([Do, Binds, Bought].map(|s| line(s, AnswerStanding::NotAsked)));
        assert_eq!(answer.lines.iter().map(|l| l.subject).collect::<Vec<_>>(), [Bought, Binds, Do]);
        assert_eq!(answer.on_one_line(), "BOUGHT text; BINDS text");
    }

    #[test]
    fn a_line_is_cut_where_a_clause_ends() {
        let words = |n: usize| (0..n).map(|i| format!("w{i}")).collect::<Vec<_>>().join(" ");
        assert_eq!(in_few_words(&words(20)), words(20));
        assert_eq!(in_few_words(&format!("{}; {}", words(15), words(9))), words(15));
        assert_eq!(in_few_words(&words(30)), format!("{}…", words(20)));
        assert_eq!(in_few_words(&format!("w (v; {}; {})", words(9), words(12))), format!("w (v; {})", words(9)));
    }
}

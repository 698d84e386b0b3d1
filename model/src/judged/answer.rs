//! Answer of a run: the result in at most four lines. Derived, never stored: `analysis` produces it, and the terminal,
//! pages, documents and lists show the same lines.

use crate::text::{Message, Said};
use crate::{CompactSort, Sentence};
use serde::{Deserialize, Serialize};

/// Subject of a line of an answer. Lines are sorted in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "UPPERCASE")]
pub enum AnswerSubject {
    /// Verdict on the purchase: whether the storage delivers what was bought (declared or published limits).
    Bought,
    /// Verdict on the needs: whether they are met.
    Needs,
    /// The limit that binds, at which rate, for which block sizes.
    Binds,
    /// The single most useful next step.
    Do,
}

impl AnswerSubject {
    /// Returns the identifier of the message for the label before the line: `label-bought`.
    #[must_use]
    pub const fn label_message(self) -> &'static str {
        match self {
            AnswerSubject::Bought => "label-bought",
            AnswerSubject::Needs => "label-needs",
            AnswerSubject::Binds => "label-binds",
            AnswerSubject::Do => "label-do",
        }
    }

    /// Returns the label before the line: `BOUGHT`.
    #[must_use]
    pub fn label(self) -> &'static str {
        self.into()
    }
}

/// Result of a line relative to the requirement, from best to worst.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AnswerStanding {
    /// There was no requirement: grey.
    #[default]
    NotAsked,
    /// The requirement is met: green.
    Met,
    /// Undecided: amber.
    Undecided,
    /// The requirement is not met: red.
    NotMet,
}

/// A line of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "LineDocument", into = "LineDocument")]
pub struct AnswerLine {
    /// Subject of the line.
    pub subject: AnswerSubject,
    /// Kind of statement: `less`, `met`, `device`. Stable, kebab-case; together with the subject it identifies the
    /// sentence.
    pub id: String,
    /// Result relative to the requirement.
    pub standing: AnswerStanding,
    /// At most one sentence, of at most [`MOST_WORDS`] words in English.
    pub text: Sentence,
}

/// Maximum number of words of a line; figures and units count as words.
pub const MOST_WORDS: usize = 20;

impl AnswerLine {
    /// Returns a line; English text of more than [`MOST_WORDS`] words is cut at the end of a clause.
    #[must_use]
    pub fn new(subject: AnswerSubject, id: &str, standing: AnswerStanding, text: impl Into<Sentence>) -> Self {
        let text = text.into();
        let text = Sentence::from_parts(in_few_words(&text), text.message().cloned());
        AnswerLine { subject, id: id.to_owned(), standing, text }
    }
}

/// An [`AnswerLine`] as serialised: the English text, and its translatable value if there is one.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AnswerLine"))]
struct LineDocument {
    /// Subject of the line.
    subject: AnswerSubject,
    /// Kind of statement, kebab-case; together with the subject it identifies the sentence.
    id: String,
    /// Result relative to the requirement.
    standing: AnswerStanding,
    /// At most one sentence.
    text: String,
    /// Translatable value of the text; `None` if it is in no catalogue.
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

/// Answer of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunAnswer {
    /// Worst result of the lines; it determines colours and marks.
    pub standing: AnswerStanding,
    /// Lines in the order of their subjects. A subject without a line is absent.
    pub lines: Vec<AnswerLine>,
}

impl RunAnswer {
    /// Returns the answer with these lines.
    #[must_use]
    pub fn from_lines(lines: impl IntoIterator<Item = AnswerLine>) -> Self {
        let mut lines: Vec<AnswerLine> = lines.into_iter().collect();
        lines.compact_sort_by_key(|l| l.subject);
        let standing = lines.iter().map(|l| l.standing).max().unwrap_or_default();
        RunAnswer { standing, lines }
    }

    /// Returns the line about a subject.
    #[must_use]
    pub fn line(&self, subject: AnswerSubject) -> Option<&AnswerLine> {
        self.lines.iter().find(|l| l.subject == subject)
    }

    /// Returns the results on one line, without the next step: `NEEDS met ...; BINDS ...`. Empty without lines.
    #[must_use]
    pub fn on_one_line(&self) -> Sentence {
        let results = self.lines.iter().filter(|l| l.subject != AnswerSubject::Do);
        let label = |subject: AnswerSubject| Sentence::new(subject.label(), Message::new(subject.label_message()));
        Sentence::join(results.map(|l| Sentence::concat([label(l.subject), " ".into(), l.text.clone()])), "; ")
    }
}

/// Shortens a text to at most [`MOST_WORDS`] words: after the last clause that fits, else after the last word.
fn in_few_words(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() <= MOST_WORDS {
        return words.join(" ");
    }
    let kept = &words[..MOST_WORDS];
    // Cutting after a clause of less than a third of the words would leave too little.
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
        let standing = |lines: &[AnswerLine]| RunAnswer::from_lines(lines.to_vec()).standing;
        assert_eq!(standing(&[]), AnswerStanding::NotAsked);
        assert_eq!(
            standing(&[line(Binds, AnswerStanding::NotAsked)]),
            AnswerStanding::NotAsked,
            "grey where nothing was asked"
        );
        assert_eq!(
            standing(&[line(Binds, AnswerStanding::NotAsked), line(Needs, AnswerStanding::Met)]),
            AnswerStanding::Met
        );
        assert_eq!(
            standing(&[line(Bought, AnswerStanding::Undecided), line(Needs, AnswerStanding::Met)]),
            AnswerStanding::Undecided
        );
        assert_eq!(
            standing(&[line(Do, AnswerStanding::NotAsked), line(Bought, AnswerStanding::NotMet)]),
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

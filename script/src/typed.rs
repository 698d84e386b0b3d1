//! Commands as typed, whose program name may be missing.

use crate::follow::follow;
use crate::plan::{Followed, program};
use crate::read::mend;
use crate::shell;
use crate::syntax::{Broken, Node, Simple, Word};

/// Commands of secchi that are recognised even without `secchi` in front.
const VERBS: [&str; 4] = ["qualify", "mark", "replay", "db"];

/// Returns `true` if a word is an option, with any kind of dash.
#[must_use]
pub fn is_option(word: &str) -> bool {
    word.starts_with(['-', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2015}', '\u{2212}'])
}

/// Follows a command given as separate words. Returns `None` if they do not begin like a command.
#[must_use]
pub fn follow_words(words: &[String]) -> Option<Followed> {
    let first = words.first()?;
    let is_program = program(first).is_some() || VERBS.contains(&first.as_str());
    if !(words.len() > 1 && is_program || is_option(first)) {
        return None;
    }
    let words: Vec<Word> = words.iter().map(|w| Word::literal(w)).collect();
    let text = words.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ");
    Some(follow_typed(vec![Node::Simple(Simple { text, words, ..Simple::default() })]))
}

/// Follows a command given as one line, which may contain Windows paths.
///
/// # Errors
/// A line that cannot be parsed.
pub fn follow_line(line: &str) -> Result<Followed, Broken> {
    Ok(follow_typed(shell::parse(&mend(line), 0, true)?))
}

fn follow_typed(mut nodes: Vec<Node>) -> Followed {
    if let Some(Node::Simple(simple)) = nodes.first_mut() {
        let first = simple.words.first().map_or("", |w| w.text.as_str());
        let program = if is_option(first) { Some("fio") } else { VERBS.contains(&first).then_some("secchi") };
        simple.words.splice(0..0, program.map(Word::literal));
    }
    let mut followed = follow(&nodes);
    followed.plans.iter_mut().for_each(|p| p.line = 0);
    followed.doubts.iter_mut().for_each(|d| d.line = 0);
    followed
}

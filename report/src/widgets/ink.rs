//! Basic tools for drawing: signs in Unicode or ASCII, cleaning of untrusted text, and wrapping.

use crate::Style;
use crate::widgets::sanitise::clean;
use crate::widgets::text::{Line, Paint, Span, char_width, clip, clip_words};
use messages::{Language, Message, Sentence, sentence};
use model::Op;
use std::borrow::Cow;

/// Signs in one alphabet, Unicode or ASCII. Signs that are used alone are one column wide in both alphabets.
#[derive(Debug)]
pub(crate) struct Glyphs {
    pub rule: &'static str,
    pub ellipsis: &'static str,
    pub plus_minus: &'static str,
    pub times: &'static str,
    /// Eighths of a bar from one to eight; ASCII has only the full one.
    pub bar: [&'static str; 8],
    /// Unfilled part of a bar.
    pub bar_rest: &'static str,
    /// Tree: child with a following sibling, last child, vertical line next to a child, blank.
    pub tree: [&'static str; 4],
    /// Chart: vertical axis, tick on it, corner, horizontal axis, tick on it.
    pub axis: [&'static str; 5],
    /// Chart: the line of a cap.
    pub cap: &'static str,
    /// Chart: points of the first line, of the second line, and invalid points.
    pub points: [&'static str; 3],
}

static UNICODE: Glyphs = Glyphs {
    rule: "─",
    ellipsis: "…",
    plus_minus: "±",
    times: "×",
    bar: ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"],
    bar_rest: "░",
    tree: ["├─ ", "└─ ", "│  ", "   "],
    axis: ["│", "┤", "└", "─", "┬"],
    cap: "╌",
    points: ["●", "▲", "✗"],
};

static ASCII: Glyphs = Glyphs {
    rule: "-",
    ellipsis: "..",
    plus_minus: "+-",
    times: "x",
    bar: ["", "", "", "", "", "", "", "#"],
    bar_rest: ".",
    tree: ["|- ", "`- ", "|  ", "   "],
    axis: ["|", "+", "+", "-", "+"],
    cap: "-",
    points: ["o", "^", "x"],
};

/// Placeholder for a blank at which a line must not be broken.
const GLUE: char = '\u{a0}';

/// Words that belong to the preceding number.
const UNITS: [&str; 20] = [
    "%", "B", "KiB", "MiB", "GiB", "TiB", "kB", "MB", "GB", "TB", "MB/s", "GB/s", "IOPS", "ns", "us", "ms", "s", "min",
    "h", "CPUs",
];

/// Keeps figures in `text` on one line with their units: `42` at the end of a line and `%` on the next could be
/// misread.
fn together(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(' ') {
        let unit = word.split(|c: char| char_width(c) == 2).next().unwrap_or_default();
        let unit = unit.trim_end_matches(|c: char| ",;:.)]".contains(c));
        let number = out.ends_with(|c: char| c.is_ascii_digit());
        if !out.is_empty() {
            out.push(if number && UNITS.contains(&unit) { GLUE } else { ' ' });
        }
        out.push_str(word);
    }
    out
}

/// Returns the singular name of an operation as a sentence, to be translated with the text around it.
#[must_use]
pub fn op_word(op: Op) -> Sentence {
    match op {
        Op::Read => sentence!("op-read"),
        Op::Write => sentence!("op-write"),
        Op::Trim => sentence!("op-trim"),
        Op::Flush => sentence!("op-flush"),
    }
}

/// Joins parts of a list into one sentence.
#[must_use]
pub fn listed<T: Into<Sentence>>(parts: impl IntoIterator<Item = T>) -> Sentence {
    let parts = parts.into_iter().map(Into::into);
    parts.reduce(|first: Sentence, next: Sentence| sentence!("list-next", first, next)).unwrap_or_default()
}

/// Joins clauses into one sentence, skipping empty ones.
#[must_use]
pub fn clauses<T: Into<Sentence>>(parts: impl IntoIterator<Item = T>) -> Sentence {
    let parts = parts.into_iter().map(Into::into).filter(|p: &Sentence| !p.is_empty());
    parts.reduce(|first, next| sentence!("list-then", first, next)).unwrap_or_default()
}

/// Signs that must not begin a line, and signs that must not end one, in Chinese and Japanese.
const NOT_FIRST: &str = "、。，．・：；？！）］｝」』】〕〉》ー々ゝゞぁぃぅぇぉっゃゅょァィゥェォッャュョ,.:;)]}%";
const NOT_LAST: &str = "（［｛「『【〔〈《([{";

/// Returns the words of a text: split at blanks, and in Chinese and Japanese between any two signs where a line may
/// end.
fn words(line: &str) -> Box<dyn Iterator<Item = textwrap::core::Word<'_>> + '_> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut before: Option<char> = None;
    for (at, c) in line.char_indices() {
        let parted = before.is_some_and(|b| {
            let wide = |c: char| char_width(c) == 2;
            let blank = b == ' ' && c != ' ';
            blank || b != ' ' && c != ' ' && (wide(b) || wide(c)) && !NOT_FIRST.contains(c) && !NOT_LAST.contains(b)
        });
        if parted {
            words.push(textwrap::core::Word::from(&line[start..at]));
            start = at;
        }
        before = Some(c);
    }
    if start < line.len() {
        words.push(textwrap::core::Word::from(&line[start..]));
    }
    Box::new(words.into_iter())
}

/// A [`Style`] prepared for output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ink {
    pub color: bool,
    pub unicode: bool,
    pub width: usize,
    /// English if only ASCII letters are available.
    pub language: Language,
}

impl Ink {
    pub fn new(style: &Style) -> Ink {
        let language = if style.unicode { style.language } else { Language::English };
        Ink { color: style.color, unicode: style.unicode, width: style.columns(), language }
    }

    pub fn glyphs(self) -> &'static Glyphs {
        if self.unicode { &UNICODE } else { &ASCII }
    }

    /// Cleans untrusted text and converts it to the available alphabet.
    pub fn text(self, text: &str) -> String {
        clean(text, self.unicode)
    }

    /// Translates a sentence into the reader's language.
    pub fn translate(self, sentence: impl Into<Sentence>) -> String {
        messages::translate(self.language, &sentence.into()).into_owned()
    }

    /// Formats a message in the reader's language.
    pub fn format(self, message: &Message) -> String {
        messages::format(self.language, message)
    }

    /// Returns a word or a sentence without placeholders.
    pub fn word(self, id: &str) -> &'static str {
        messages::fixed(self.language, id)
    }

    /// Groups the digits of a figure as the reader's language groups them; the width stays the same.
    pub fn group(self, figure: &str) -> Cow<'_, str> {
        messages::group_digits(self.language, figure)
    }

    /// Groups the digits of the figures of a line.
    pub fn grouped(self, line: &Line) -> Line {
        let span = |span: &Span| Span::new(self.group(&span.text), span.paint);
        Line { spans: line.spans.iter().map(span).collect() }
    }

    /// Like [`Ink::text`], shortened to `at` columns.
    pub fn clipped(self, text: &str, at: usize) -> String {
        clip(&self.text(text), at, self.glyphs().ellipsis)
    }

    /// Like [`Ink::text`], shortened to `at` columns between words.
    pub fn clipped_at_word(self, text: &str, at: usize) -> String {
        clip_words(&self.text(text), at, self.glyphs().ellipsis)
    }

    /// Wraps text into lines of at most `width` columns; returns at least one. Words are broken only if they are longer
    /// than a line, and never at a hyphen, so that paths and identifiers can be copied.
    pub fn wrap(self, text: &str, width: usize) -> Vec<String> {
        let text = together(&self.text(text));
        let options = textwrap::Options::new(width.max(8))
            .word_separator(textwrap::WordSeparator::Custom(words))
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        textwrap::wrap(text.trim(), options).into_iter().map(|line| line.replace(GLUE, " ")).collect()
    }

    /// Draws a bar `width` columns long, filled to `share` (0 to 1).
    pub fn bar(self, share: f64, width: usize, paint: Paint) -> Line {
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        let eighths = (share * width as f64 * 8.0).round() as usize;
        let (mut whole, mut part) = (eighths / 8, eighths % 8);
        if !self.unicode {
            whole = (share * width as f64).round() as usize;
            part = 0;
        }
        let mut fill = self.glyphs().bar[7].repeat(whole);
        if part > 0 {
            fill.push_str(self.glyphs().bar[part - 1]);
        }
        let rest = width - whole - usize::from(part > 0);
        Line::new().with(fill, paint).with(self.glyphs().bar_rest.repeat(rest), Paint::DIM)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::text::width;

    fn ink(unicode: bool) -> Ink {
        Ink::new(&Style { color: false, unicode, width: 80, language: messages::Language::English })
    }

    #[test]
    fn a_bar_is_as_long_as_asked_whatever_its_share() {
        for unicode in [false, true] {
            for share in [-1.0, 0.0, 0.001, 0.33, 0.999, 1.0, 7.0, f64::NAN, f64::INFINITY] {
                assert_eq!(ink(unicode).bar(share, 17, Paint::PLAIN).width(), 17, "{share}");
            }
        }
    }

    #[test]
    fn a_figure_is_not_broken_from_its_unit() {
        let lines = ink(true).wrap("the machine was idle for 42 % of it, after 1 min 18 s, with 23 GiB free", 25);
        assert!(lines.iter().all(|l| !l.starts_with(['%', 's', 'G']) && !l.ends_with("42")), "{lines:#?}");
        assert_eq!(lines.join(" "), "the machine was idle for 42 % of it, after 1 min 18 s, with 23 GiB free");
        assert_eq!(ink(true).wrap("", 20).len(), ink(true).wrap(" ", 20).len());
    }

    #[test]
    fn chinese_and_japanese_fill_their_lines_and_no_line_begins_with_a_full_stop() {
        let text = "律速：volume IOPS、8k randread：6,000 に対し 5,998（100 %）。購入した性能どおりです。";
        let lines = ink(true).wrap(text, 20);
        assert!(lines.iter().all(|l| width(l) <= 20 && !l.starts_with(['、', '。', '）', '%'])), "{lines:#?}");
        assert!(lines.len() <= width(text).div_ceil(20) + 2, "{lines:#?}");
        let together: String = lines.concat();
        assert_eq!(together.replace(' ', ""), text.replace(' ', ""));
    }

    #[test]
    fn a_path_is_not_broken_at_its_hyphens() {
        let lines = ink(true).wrap("the target is /srv/my-very-long-name/secchi-test-file.dat", 24);
        assert!(lines.contains(&"/srv/my-very-long-name/s".to_owned()), "{lines:?}");
        assert!(lines.iter().all(|l| width(l) <= 24));
    }

    #[test]
    fn signs_that_stand_alone_have_one_column() {
        for g in [&UNICODE, &ASCII] {
            for sign in [g.rule, g.times, g.bar_rest, g.cap] {
                assert_eq!(width(sign), 1, "{sign}");
            }
            assert!(g.axis.iter().chain(&g.points).all(|s| width(s) == 1));
            assert!(g.tree.iter().all(|s| width(s) == 3));
        }
    }
}

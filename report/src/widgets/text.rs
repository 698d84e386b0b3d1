//! Pieces of text with a meaning: a [`Span`] says what it is, the [`crate::widgets::page::Page`] decides how that looks.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What a piece of text means; colours are few, and none carries a meaning that words or signs do not carry too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Hue {
    /// The terminal's own colour.
    #[default]
    Plain,
    /// Secondary: units, evidence, legends.
    Dim,
    /// Good: met, available.
    Pass,
    /// Bad: not met, invalid.
    Fail,
    /// A figure that is doubted.
    Doubt,
    /// Measured: curves and bars.
    Measured,
    /// A limit: the line of a cap, the bar that is full.
    Limit,
}

/// How a piece of text is painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Paint {
    /// Its colour.
    pub hue: Hue,
    /// In bold.
    pub bold: bool,
    /// Struck through; plain text says so with parentheses, which whoever makes the span adds.
    pub struck: bool,
}

impl Paint {
    pub const PLAIN: Paint = Paint::new(Hue::Plain);
    pub const DIM: Paint = Paint::new(Hue::Dim);
    pub const BOLD: Paint = Paint { hue: Hue::Plain, bold: true, struck: false };
    pub const STRUCK: Paint = Paint { hue: Hue::Dim, bold: false, struck: true };

    pub const fn new(hue: Hue) -> Paint {
        Paint { hue, bold: false, struck: false }
    }

    pub const fn bold(mut self) -> Paint {
        self.bold = true;
        self
    }

    /// Parameters of the ANSI sequence SGR; empty for plain text. Only the eight base colours, which every theme maps
    /// to something readable; blue and bright ones are avoided.
    pub fn sgr(self) -> String {
        let mut codes: Vec<&str> = Vec::with_capacity(3);
        if self.bold {
            codes.push("1");
        }
        if self.struck {
            codes.push("9");
        }
        match self.hue {
            Hue::Plain => {}
            Hue::Dim => codes.push("2"),
            Hue::Pass => codes.push("32"),
            Hue::Fail => codes.push("31"),
            Hue::Doubt => codes.push("33"),
            Hue::Measured => codes.push("36"),
            Hue::Limit => codes.push("35"),
        }
        codes.join(";")
    }
}

/// A piece of text painted in one way.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Span {
    pub text: String,
    pub paint: Paint,
}

impl Span {
    pub fn new(text: impl Into<String>, paint: Paint) -> Span {
        Span { text: text.into(), paint }
    }

    pub fn width(&self) -> usize {
        width(&self.text)
    }
}

/// One line of the screen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Line {
    pub spans: Vec<Span>,
}

impl Line {
    pub fn new() -> Line {
        Line::default()
    }

    pub fn plain(text: impl Into<String>) -> Line {
        Line::new().with(text, Paint::PLAIN)
    }

    /// Adds a span at the end.
    #[must_use]
    pub fn with(mut self, text: impl Into<String>, paint: Paint) -> Line {
        self.push(text, paint);
        self
    }

    pub fn push(&mut self, text: impl Into<String>, paint: Paint) {
        let span = Span::new(text, paint);
        if !span.text.is_empty() {
            self.spans.push(span);
        }
    }

    pub fn append(&mut self, mut other: Line) {
        self.spans.append(&mut other.spans);
    }

    pub fn width(&self) -> usize {
        self.spans.iter().map(Span::width).sum()
    }

    /// Blanks up to column `to`; nothing if already there.
    pub fn pad_to(&mut self, to: usize) {
        let now = self.width();
        if now < to {
            self.push(" ".repeat(to - now), Paint::PLAIN);
        }
    }

    /// Cuts everything behind column `at`.
    pub fn clip(&mut self, at: usize, ellipsis: &str) {
        if self.width() <= at {
            return;
        }
        let mut room = at;
        for (i, span) in self.spans.iter_mut().enumerate() {
            let w = span.width();
            if w > room {
                span.text = clip(&span.text, room, ellipsis);
                self.spans.truncate(i + 1);
                return;
            }
            room -= w;
        }
    }
}

/// Columns `text` takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Columns `c` takes.
pub(crate) fn char_width(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// `text`, cut to `at` columns with `ellipsis` in place of what is missing.
pub(crate) fn clip(text: &str, at: usize, ellipsis: &str) -> String {
    if width(text) <= at {
        return text.to_owned();
    }
    let mark = if width(ellipsis) < at { ellipsis } else { "" };
    let mut room = at - width(mark);
    let mut out = String::new();
    for c in text.chars() {
        let w = c.width().unwrap_or(0);
        if w > room {
            break;
        }
        room -= w;
        out.push(c);
    }
    out.push_str(mark);
    out
}

/// `text`, cut to `at` columns at the end of a word, with `ellipsis` in place of what is missing. A figure keeps its unit or
/// goes with it. Text whose first word fills more than half of the room, such as a path or a language without spaces, is cut in
/// that word.
pub(crate) fn clip_words(text: &str, at: usize, ellipsis: &str) -> String {
    if width(text) <= at {
        return text.to_owned();
    }
    let plain = clip(text, at, "");
    let room = at.saturating_sub(width(ellipsis) + 1);
    let ends = plain.match_indices(' ').map(|(i, _)| i).rev();
    let is_figure = |word: &str| word.trim_start_matches('(').starts_with(|c: char| c.is_ascii_digit());
    let whole = |end: &usize| {
        let kept = &plain[..*end];
        let unit_lost =
            kept.rsplit(' ').next().is_some_and(|word| is_figure(word) && !word.ends_with([',', ';', ':', ')']));
        width(kept) <= room && !unit_lost
    };
    let end = ends.into_iter().find(whole).filter(|end| width(&plain[..*end]) * 2 >= at);
    match end {
        Some(end) => format!("{} {ellipsis}", plain[..end].trim_end_matches([' ', ',', ';', ':'])),
        None => clip(text, at, ellipsis),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headlines_are_cut_between_words_and_never_in_a_figure() {
        let text = "volume IOPS, for 8k randread: 5,998 of 6,000 (100 %)";
        for at in 20..width(text) {
            let cut = clip_words(text, at, "…");
            let kept = cut.strip_suffix(" …").expect("an ellipsis after a space");
            assert!(width(&cut) <= at, "{at}: {cut}");
            assert!(text[kept.len()..].starts_with([' ', ',', ':']), "{at}: {cut}");
            assert!(!kept.ends_with("(100") && !kept.ends_with("5,998"), "{at}: {cut}");
        }
        assert_eq!(clip_words("磁盘磁盘磁盘", 5, "…"), "磁盘…");
        assert_eq!(clip_words(text, 200, "…"), text);
    }

    #[test]
    fn clipping_counts_columns_not_characters() {
        assert_eq!(clip("磁盘磁盘", 5, "…"), "磁盘…");
        assert_eq!(clip("volume", 6, "…"), "volume");
        assert_eq!(clip("volume", 1, "..."), "v");
    }

    #[test]
    fn a_clipped_line_keeps_the_paint_of_what_is_left() {
        let mut line = Line::new().with("abc", Paint::BOLD).with("defgh", Paint::DIM).with("i", Paint::PLAIN);
        line.clip(6, "..");
        assert_eq!(line, Line::new().with("abc", Paint::BOLD).with("d..", Paint::DIM));
    }
}

//! Pieces of text with a meaning: a [`Span`] carries the meaning, and [`crate::widgets::page::Page`] decides how it
//! looks.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Meaning of a piece of text. There are few colours, and each meaning is also expressed by words or signs.
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
    /// A doubtful figure.
    Doubt,
    /// Measured: curves and bars.
    Measured,
    /// A limit: the line of a cap, the bar of the limit that binds.
    Limit,
}

/// Style of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Paint {
    /// Colour of the text.
    pub hue: Hue,
    /// True for bold text.
    pub bold: bool,
    /// True for text that is struck through; without attributes the caller uses parentheses instead.
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

    /// Returns the parameters of the ANSI sequence SGR; empty for plain text. Uses only the eight base colours except
    /// blue, and no bright ones, because every terminal theme keeps these readable.
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

/// A piece of text with a single style.
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

    /// Adds blanks up to column `to`; does nothing if the line is already that long.
    pub fn pad_to(&mut self, to: usize) {
        let now = self.width();
        if now < to {
            self.push(" ".repeat(to - now), Paint::PLAIN);
        }
    }

    /// Removes everything after column `at`.
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

/// Returns the width of `text` in columns.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Returns the width of `c` in columns.
pub(crate) fn char_width(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// Returns `text`, shortened to `at` columns with `ellipsis` in place of the removed part.
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

/// Returns `text`, shortened to `at` columns at the end of a word, with `ellipsis` in place of the removed part. A
/// figure is kept or removed together with its unit. If the first word fills more than half of the room, as with a path
/// or a language without spaces, the text is cut within that word.
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

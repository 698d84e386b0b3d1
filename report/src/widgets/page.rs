//! The page on which everything is written: lines, rules and labelled paragraphs, with or without colour.
//!
//! All terminal text of this crate passes through it. [`Page::line`] cleans and clips its input, so that no caller can
//! accidentally emit a control character or overflow the screen.

use crate::Style;
use crate::widgets::ink::Ink;
use crate::widgets::text::{Line, Paint, width};
use std::io::{self, Write};

/// Width of the label before a paragraph, in columns: `VERDICT  `.
pub(crate) const LABEL: usize = 9;

pub(crate) struct Page<'a> {
    pub ink: Ink,
    out: &'a mut dyn Write,
}

impl<'a> Page<'a> {
    pub fn new(style: &Style, out: &'a mut dyn Write) -> Page<'a> {
        Page { ink: Ink::new(style), out }
    }

    /// Writes one line without trailing blanks.
    pub fn line(&mut self, mut line: Line) -> io::Result<()> {
        for span in &mut line.spans {
            span.text = self.ink.text(&span.text);
        }
        line.clip(self.ink.width, self.ink.glyphs().ellipsis);
        while let Some(last) = line.spans.last_mut() {
            last.text.truncate(last.text.trim_end().len());
            if !last.text.is_empty() {
                break;
            }
            line.spans.pop();
        }
        for span in &line.spans {
            let sgr = span.paint.sgr();
            if self.ink.color && !sgr.is_empty() {
                write!(self.out, "\x1b[{sgr}m{}\x1b[0m", span.text)?;
            } else {
                self.out.write_all(span.text.as_bytes())?;
            }
        }
        self.out.write_all(b"\n")
    }

    pub fn lines(&mut self, lines: impl IntoIterator<Item = Line>) -> io::Result<()> {
        lines.into_iter().try_for_each(|line| self.line(line))
    }

    pub fn blank(&mut self) -> io::Result<()> {
        self.line(Line::new())
    }

    /// Writes a heading: a rule across the page with `title` at its left and, if there is room, `aside` at its right.
    pub fn heading(&mut self, title: &str, aside: &str) -> io::Result<()> {
        let rule = self.ink.glyphs().rule;
        let title = self.ink.clipped(title, self.ink.width.saturating_sub(8));
        let mut line = Line::new().with(rule.repeat(2), Paint::DIM).with(format!(" {title} "), Paint::BOLD);
        let aside = self.ink.text(aside);
        let room = self.ink.width.saturating_sub(line.width());
        if !aside.is_empty() && width(&aside) + 8 <= room {
            line.push(rule.repeat(room - width(&aside) - 4), Paint::DIM);
            line.push(format!(" {aside} "), Paint::DIM);
            line.push(rule.repeat(2), Paint::DIM);
        } else {
            line.push(rule.repeat(room), Paint::DIM);
        }
        self.line(line)
    }

    /// Writes wrapped text after a lead, with a hanging indent. The lead is padded to `hang` columns.
    pub fn hanging(&mut self, mut lead: Line, hang: usize, text: &str, paint: Paint) -> io::Result<()> {
        // If the lead filled the line, the text would be a column of single words.
        let hang = hang.max(lead.width()).min(self.ink.width / 2);
        lead.clip(hang, self.ink.glyphs().ellipsis);
        lead.pad_to(hang);
        for part in self.ink.wrap(text, self.ink.width - hang) {
            let mut line = std::mem::take(&mut lead);
            line.pad_to(hang);
            line.push(part, paint);
            self.line(line)?;
        }
        Ok(())
    }

    /// Writes a paragraph with a label in the margin: `VERDICT  ...`. An empty label continues the one above.
    pub fn labelled(&mut self, label: &str, label_paint: Paint, text: &str, paint: Paint) -> io::Result<()> {
        self.hanging(Line::new().with(label, label_paint), LABEL, text, paint)
    }

    /// Writes a line with a label in the margin.
    pub fn labelled_line(&mut self, label: &str, label_paint: Paint, rest: Line) -> io::Result<()> {
        let mut line = Line::new().with(label, label_paint);
        line.pad_to(LABEL);
        line.append(rest);
        self.line(line)
    }
}

#[cfg(test)]
pub(crate) fn render(style: &Style, draw: impl FnOnce(&mut Page) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    draw(&mut Page::new(style, &mut out)).expect("a vector takes every byte");
    String::from_utf8(out).expect("only text is written")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Style = Style { color: false, unicode: true, width: 40, language: messages::Language::English };

    #[test]
    fn a_paragraph_hangs_under_its_first_word() {
        let text = render(&PLAIN, |p| {
            p.labelled("VERDICT", Paint::BOLD, "limited by the volume at 6,000 IOPS, all of it", Paint::PLAIN)
        });
        assert_eq!(text, "VERDICT  limited by the volume at\n         6,000 IOPS, all of it\n");
    }

    #[test]
    fn colour_is_closed_on_the_line_it_was_opened_on() {
        let text = render(&Style { color: true, ..PLAIN }, |p| p.line(Line::new().with("NOT MET", Paint::BOLD)));
        assert_eq!(text, "\x1b[1mNOT MET\x1b[0m\n");
    }

    #[test]
    fn nothing_leaves_the_page_wider_than_the_screen_or_with_an_escape() {
        let text = render(&PLAIN, |p| p.line(Line::plain("\x1b[2J".repeat(30))));
        assert_eq!(width(text.trim_end()), 40);
        assert!(!text.contains('\x1b'));
    }

    #[test]
    fn a_heading_drops_its_aside_before_it_overflows() {
        let wide = render(&PLAIN, |p| p.heading("8k randread", "psync"));
        assert_eq!(wide, "── 8k randread ──────────────── psync ──\n");
        let tight = render(&PLAIN, |p| p.heading("8k randread", "psync, 4 threads on a long name"));
        assert_eq!(tight, format!("── 8k randread {}\n", "─".repeat(25)));
    }
}

//! Elements of a picture: filled paths and text, in a list from which both SVG and PNG are written.
//!
//! Text is laid out here with the widths of the built-in font, and drawn as outlines: a picture looks the same
//! everywhere, regardless of the installed fonts. There is no shaping; the font itself has tabular figures.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use tiny_skia::{Path, PathBuilder, Rect};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// Distance of the control points of a quarter circle from its ends, relative to the radius.
const QUARTER: f32 = 0.552_284_8;

static REGULAR: LazyLock<Vec<u8>> = LazyLock::new(|| embed::bytes(embed::packed!("inter-regular.otf")));
static SEMIBOLD: LazyLock<Vec<u8>> = LazyLock::new(|| embed::bytes(embed::packed!("inter-semibold.otf")));

/// A colour with its opacity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Color {
    /// Red, green and blue.
    pub rgb: [u8; 3],
    /// Opacity, from 0 to 1.
    pub alpha: f32,
}

impl Color {
    pub const fn solid(rgb: u32) -> Color {
        Color { rgb: [(rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8], alpha: 1.0 }
    }

    pub const fn with_alpha(self, alpha: f32) -> Color {
        Color { alpha, ..self }
    }
}

/// Fill of a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fill {
    Solid(Color),
    /// Vertical gradient: the two colours, followed by the heights at which they are reached.
    Down(Color, Color, f32, f32),
}

/// One of the two fonts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    Regular,
    Semibold,
}

/// Horizontal alignment of text at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Start,
    End,
}

/// An element of the picture.
#[derive(Debug, Clone)]
pub enum Item {
    Shape {
        outline: Path,
        fill: Fill,
    },
    /// Glyphs with their distances from the first glyph, in font units.
    Text {
        x: f32,
        y: f32,
        /// Picture units per font unit.
        scale: f32,
        weight: Weight,
        color: Color,
        glyphs: Vec<(u16, u32)>,
    },
}

/// The built-in fonts.
pub struct Fonts {
    faces: [Face<'static>; 2],
}

impl Fonts {
    pub fn new() -> Fonts {
        let face = |data: &'static LazyLock<Vec<u8>>| Face::parse(data, 0).expect("the built-in font is intact");
        Fonts { faces: [face(&REGULAR), face(&SEMIBOLD)] }
    }

    fn face(&self, weight: Weight) -> &Face<'static> {
        &self.faces[weight as usize]
    }

    /// Returns the glyphs with their positions and the total width, in font units. Characters missing from the font
    /// become a box.
    fn set(&self, text: &str, weight: Weight) -> (Vec<(u16, u32)>, u32) {
        let face = self.face(weight);
        let mut at = 0;
        let glyphs = text
            .chars()
            .map(|c| {
                let id = face.glyph_index(c).or_else(|| face.glyph_index('□')).unwrap_or(GlyphId(0));
                let here = at;
                at += u32::from(face.glyph_hor_advance(id).unwrap_or(0));
                (id.0, here)
            })
            .collect();
        (glyphs, at)
    }

    /// Returns the width of text in picture units.
    pub fn width(&self, text: &str, size: f32, weight: Weight) -> f32 {
        self.set(text, weight).1 as f32 * self.scale(size, weight)
    }

    fn scale(&self, size: f32, weight: Weight) -> f32 {
        size / f32::from(self.face(weight).units_per_em())
    }

    /// Returns `text`, shortened to `room` with an ellipsis.
    pub fn fitted(&self, text: &str, size: f32, weight: Weight, room: f32) -> String {
        if self.width(text, size, weight) <= room {
            return text.to_owned();
        }
        let mut kept: String = text.to_owned();
        while kept.pop().is_some() {
            let short = format!("{}…", kept.trim_end());
            if self.width(&short, size, weight) <= room {
                return short;
            }
        }
        String::new()
    }

    /// Wraps text between words into at most `most` lines no wider than `room`; if it does not fit, the last line is
    /// shortened.
    pub fn wrapped(&self, text: &str, size: f32, weight: Weight, room: f32, most: usize) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            let fits = |line: &String| self.width(&format!("{line} {word}"), size, weight) <= room;
            let full = lines.len() == most;
            match lines.last_mut() {
                Some(line) if full || fits(line) => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(word.to_owned()),
            }
        }
        lines.iter().map(|line| self.fitted(line, size, weight, room)).collect()
    }

    /// Returns the outline of a glyph, in font units with the y axis pointing up; `None` for a blank.
    pub fn outline(&self, weight: Weight, glyph: u16) -> Option<Path> {
        let mut builder = Outline::default();
        self.face(weight).outline_glyph(GlyphId(glyph), &mut builder)?;
        builder.0.finish()
    }
}

#[derive(Default)]
struct Outline(PathBuilder);

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, y1, x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, y1, x2, y2, x, y);
    }
    fn close(&mut self) {
        self.0.close();
    }
}

/// Size, weight and colour of text.
#[derive(Debug, Clone, Copy)]
pub struct TextStyle {
    pub size: f32,
    pub weight: Weight,
    pub color: Color,
}

/// A picture being composed.
pub struct Canvas {
    pub width: f32,
    pub height: f32,
    pub items: Vec<Item>,
    pub fonts: Fonts,
}

impl Canvas {
    pub fn new(width: f32) -> Canvas {
        Canvas { width, height: 0.0, items: Vec::new(), fonts: Fonts::new() }
    }

    /// Adds one line of text with its baseline at `at`; returns its width.
    pub fn text(&mut self, at: (f32, f32), anchor: Anchor, look: TextStyle, text: &str) -> f32 {
        let (glyphs, width) = self.fonts.set(text, look.weight);
        let scale = self.fonts.scale(look.size, look.weight);
        let width = width as f32 * scale;
        let x = match anchor {
            Anchor::Start => at.0,
            Anchor::End => at.0 - width,
        };
        self.items.push(Item::Text { x, y: at.1, scale, weight: look.weight, color: look.color, glyphs });
        width
    }

    /// Adds a rectangle with rounded corners.
    pub fn rect(&mut self, (x, y, w, h): (f32, f32, f32, f32), radius: f32, fill: Fill) {
        if w <= 0.0 || h <= 0.0 {
            return;
        }
        let r = radius.min(w / 2.0).min(h / 2.0);
        // Approximating a quarter circle by one cubic has an error of 0.03 % of the radius.
        let (k, right, bottom) = (r * QUARTER, x + w, y + h);
        let mut path = PathBuilder::new();
        if let Some(rect) = Rect::from_xywh(x, y, w, h).filter(|_| r <= 0.0) {
            path.push_rect(rect);
        } else {
            path.move_to(x + r, y);
            path.line_to(right - r, y);
            path.cubic_to(right - r + k, y, right, y + r - k, right, y + r);
            path.line_to(right, bottom - r);
            path.cubic_to(right, bottom - r + k, right - r + k, bottom, right - r, bottom);
            path.line_to(x + r, bottom);
            path.cubic_to(x + r - k, bottom, x, bottom - r + k, x, bottom - r);
            path.line_to(x, y + r);
            path.cubic_to(x, y + r - k, x + r - k, y, x + r, y);
        }
        self.shape(path, fill);
    }

    /// Adds a closed outline.
    fn shape(&mut self, mut path: PathBuilder, fill: Fill) {
        path.close();
        self.items.extend(path.finish().map(|outline| Item::Shape { outline, fill }));
    }

    /// Adds a quarter of a disk. Quarters are numbered clockwise; 0 is at the upper right.
    pub fn quarter(&mut self, (cx, cy): (f32, f32), r: f32, which: u8, color: Color) {
        let k = r * QUARTER;
        let (sx, sy) = match which % 4 {
            0 => (1.0, -1.0),
            1 => (1.0, 1.0),
            2 => (-1.0, 1.0),
            _ => (-1.0, -1.0),
        };
        let mut path = PathBuilder::new();
        path.move_to(cx, cy);
        path.line_to(cx + sx * r, cy);
        path.cubic_to(cx + sx * r, cy + sy * k, cx + sx * k, cy + sy * r, cx, cy + sy * r);
        self.shape(path, Fill::Solid(color));
    }

    /// Returns every glyph in use with its outline, without duplicates and blanks.
    pub fn glyphs(&self) -> BTreeMap<(Weight, u16), Path> {
        let texts = self.items.iter().filter_map(|item| match item {
            Item::Text { weight, glyphs, .. } => Some((*weight, glyphs)),
            Item::Shape { .. } => None,
        });
        let used: BTreeSet<(Weight, u16)> =
            texts.flat_map(|(weight, glyphs)| glyphs.iter().map(move |(glyph, _)| (weight, *glyph))).collect();
        used.into_iter().filter_map(|(weight, id)| Some(((weight, id), self.fonts.outline(weight, id)?))).collect()
    }
}

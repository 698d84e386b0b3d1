//! The picture as PNG, drawn at twice its size for sharp text on high-resolution screens.

use super::canvas::{Canvas, Color, Fill, Item};
use crate::formats::earlier::PNG_MARK;
use std::io::{self, Write};
use tiny_skia::{FillRule, GradientStop, LinearGradient, Paint, Pixmap, Point, Shader, SpreadMode, Transform};

/// Pixels per unit of the picture.
const SCALE: f32 = 2.0;
/// CRC-32 of `PNG_MARK` without its length.
const PNG_MARK_CRC: u32 = 0xf730cd0e;

pub fn write(canvas: &Canvas, out: &mut dyn Write) -> io::Result<()> {
    let (w, h) = ((canvas.width * SCALE).ceil() as u32, (canvas.height * SCALE).ceil() as u32);
    let mut pixmap = Pixmap::new(w, h).ok_or_else(|| io::Error::other("the picture is too large to draw"))?;
    let glyphs = canvas.glyphs();
    let whole = Transform::from_scale(SCALE, SCALE);
    for item in &canvas.items {
        match item {
            Item::Shape { outline, fill } => {
                pixmap.fill_path(outline, &paint(fill), FillRule::Winding, whole, None);
            }
            Item::Text { x, y, scale, weight, color, glyphs: set } => {
                let paint = paint(&Fill::Solid(*color));
                for (glyph, at) in set {
                    let Some(path) = glyphs.get(&(*weight, *glyph)) else { continue };
                    let place = Transform::from_row(*scale, 0.0, 0.0, -scale, x + *at as f32 * scale, *y);
                    pixmap.fill_path(path, &paint, FillRule::Winding, place.post_concat(whole), None);
                }
            }
        }
    }
    let bytes = pixmap.encode_png().map_err(io::Error::other)?;
    // The signature and the header chunk are always 33 bytes long; the chunk that names the program comes next.
    let (head, rest) = bytes.split_at(33.min(bytes.len()));
    out.write_all(head)?;
    out.write_all(PNG_MARK)?;
    out.write_all(&PNG_MARK_CRC.to_be_bytes())?;
    out.write_all(rest)
}

fn paint(fill: &Fill) -> Paint<'static> {
    let shader = match *fill {
        Fill::Solid(c) => Shader::SolidColor(color(c)),
        Fill::Down(a, b, y1, y2) => {
            let stops = vec![GradientStop::new(0.0, color(a)), GradientStop::new(1.0, color(b))];
            let ends = (Point::from_xy(0.0, y1), Point::from_xy(0.0, y2));
            let gradient = LinearGradient::new(ends.0, ends.1, stops, SpreadMode::Pad, Transform::identity());
            gradient.unwrap_or(Shader::SolidColor(color(a)))
        }
    };
    Paint { shader, anti_alias: true, ..Paint::default() }
}

fn color(c: Color) -> tiny_skia::Color {
    let [r, g, b] = c.rgb;
    tiny_skia::Color::from_rgba8(r, g, b, (c.alpha * 255.0).round() as u8)
}

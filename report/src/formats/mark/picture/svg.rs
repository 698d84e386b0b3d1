//! The picture as SVG: text consists of glyph outlines, each defined once and then referenced; the description contains
//! the text for screen readers.

use super::canvas::{Canvas, Color, Fill, Item, Weight};
use crate::widgets::escape::escape_xml;
use crate::widgets::figures::trimmed;
use std::io::{self, Write};
use tiny_skia::{Path, PathSegment, Point};

pub fn write(canvas: &Canvas, title: &str, description: &str, out: &mut dyn Write) -> io::Result<()> {
    let (w, h) = (canvas.width, canvas.height);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" role=\"img\">"
    )?;
    writeln!(out, "<title>{}</title>\n<desc>{}</desc>", escape_xml(title), escape_xml(description))?;
    writeln!(out, "<defs>")?;
    let outlines = canvas.glyphs();
    for ((weight, glyph), outline) in &outlines {
        writeln!(out, "<path id=\"{}{glyph}\" d=\"{}\"/>", letter(*weight), data(outline, 0))?;
    }
    let mut gradients = Vec::new();
    for item in &canvas.items {
        if let Item::Shape { fill: Fill::Down(from, to, y1, y2), .. } = item
            && !gradients.contains(&(*from, *to, *y1, *y2))
        {
            let n = gradients.len();
            let [y1_text, y2_text] = [y1, y2].map(|y| short(*y, 2));
            let [from_color, to_color] =
                [from, to].map(|c| format!("stop-color=\"{}\"{}", hex(*c), opacity("stop-opacity", *c)));
            write!(out, "<linearGradient id=\"g{n}\" gradientUnits=\"userSpaceOnUse\" ")?;
            write!(out, "x1=\"0\" y1=\"{y1_text}\" x2=\"0\" y2=\"{y2_text}\"><stop {from_color}/>")?;
            writeln!(out, "<stop offset=\"1\" {to_color}/></linearGradient>")?;
            gradients.push((*from, *to, *y1, *y2));
        }
    }
    writeln!(out, "</defs>")?;
    for item in &canvas.items {
        match item {
            Item::Shape { outline, fill } => {
                let fill = match fill {
                    Fill::Solid(c) => format!("fill=\"{}\"{}", hex(*c), opacity("fill-opacity", *c)),
                    Fill::Down(a, b, y1, y2) => {
                        let n = gradients.iter().position(|g| *g == (*a, *b, *y1, *y2)).unwrap_or(0);
                        format!("fill=\"url(#g{n})\"")
                    }
                };
                writeln!(out, "<path {fill} d=\"{}\"/>", data(outline, 2))?;
            }
            Item::Text { x, y, scale, weight, color, glyphs } => {
                let (x, y, s) = (short(*x, 2), short(*y, 2), short(*scale, 5));
                let (hex, opacity) = (hex(*color), opacity("fill-opacity", *color));
                write!(out, "<g fill=\"{hex}\"{opacity} transform=\"translate({x} {y}) scale({s} -{s})\">")?;
                for (glyph, at) in glyphs.iter().filter(|(g, _)| outlines.contains_key(&(*weight, *g))) {
                    write!(out, "<use href=\"#{}{glyph}\" x=\"{at}\"/>", letter(*weight))?;
                }
                writeln!(out, "</g>")?;
            }
        }
    }
    writeln!(out, "</svg>")
}

const fn letter(weight: Weight) -> char {
    match weight {
        Weight::Regular => 'r',
        Weight::Semibold => 's',
    }
}

fn hex(color: Color) -> String {
    let [r, g, b] = color.rgb;
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn opacity(name: &str, color: Color) -> String {
    if color.alpha >= 1.0 { String::new() } else { format!(" {name}=\"{}\"", short(color.alpha, 3)) }
}

fn short(value: f32, decimals: usize) -> String {
    trimmed(value.into(), decimals)
}

fn data(outline: &Path, digits: usize) -> String {
    let at = |p: Point| format!("{} {}", short(p.x, digits), short(p.y, digits));
    let segment = |segment| match segment {
        PathSegment::MoveTo(p) => format!("M{}", at(p)),
        PathSegment::LineTo(p) => format!("L{}", at(p)),
        PathSegment::QuadTo(a, p) => format!("Q{} {}", at(a), at(p)),
        PathSegment::CubicTo(a, b, p) => format!("C{} {} {}", at(a), at(b), at(p)),
        PathSegment::Close => "Z".to_owned(),
    };
    outline.segments().map(segment).collect()
}

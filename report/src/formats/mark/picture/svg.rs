//! The picture as SVG: text consists of glyph outlines, each defined once and then referenced; the description contains
//! the text for screen readers.

use super::canvas::{Canvas, Color, Fill, Item, Stroke, Weight};
use crate::widgets::figures::trimmed;
use std::fmt::Write as _;
use std::io::{self, Write};

pub fn write(canvas: &Canvas, title: &str, description: &str, out: &mut dyn Write) -> io::Result<()> {
    let (w, h) = (canvas.width, canvas.height);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" role=\"img\">"
    )?;
    writeln!(out, "<title>{}</title>\n<desc>{}</desc>", escaped(title), escaped(description))?;
    writeln!(out, "<defs>")?;
    for ((weight, glyph), outline) in canvas.glyphs() {
        writeln!(out, "<path id=\"{}{glyph}\" d=\"{}\"/>", letter(weight), data(&outline, 0))?;
    }
    let mut gradients = Vec::new();
    for item in &canvas.items {
        if let Item::Shape { fill: Fill::Down(from, to, y1, y2), .. } = item
            && !gradients.contains(&(*from, *to, *y1, *y2))
        {
            let n = gradients.len();
            writeln!(
                out,
                "<linearGradient id=\"g{n}\" gradientUnits=\"userSpaceOnUse\" x1=\"0\" y1=\"{}\" x2=\"0\" y2=\"{}\">\
                 <stop stop-color=\"{}\"{}/><stop offset=\"1\" stop-color=\"{}\"{}/></linearGradient>",
                short(*y1, 2),
                short(*y2, 2),
                hex(*from),
                opacity("stop-opacity", *from),
                hex(*to),
                opacity("stop-opacity", *to)
            )?;
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
                let s = short(*scale, 5);
                write!(
                    out,
                    "<g fill=\"{}\"{} transform=\"translate({} {}) scale({s} -{s})\">",
                    hex(*color),
                    opacity("fill-opacity", *color),
                    short(*x, 2),
                    short(*y, 2)
                )?;
                for (glyph, at) in glyphs.iter().filter(|(g, _)| !canvas.fonts.outline(*weight, *g).is_empty()) {
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

fn data(outline: &[Stroke], digits: usize) -> String {
    let mut text = String::new();
    let n = |v: f32| short(v, digits);
    for stroke in outline {
        // Writing to a string cannot fail.
        let _ = match stroke {
            Stroke::Move(x, y) => write!(text, "M{} {}", n(*x), n(*y)),
            Stroke::Line(x, y) => write!(text, "L{} {}", n(*x), n(*y)),
            Stroke::Curve(c) => {
                let [a, b, c, d, e, f] = c.map(n);
                write!(text, "C{a} {b} {c} {d} {e} {f}")
            }
            Stroke::Close => write!(text, "Z"),
        };
    }
    text
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\n' => out.push('\n'),
            // XML cannot represent the other control characters.
            c if crate::widgets::sanitise::is_harmful(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

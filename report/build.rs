//! Compresses fonts of pictures, and the scripts and styles of pages: the library that draws charts alone would be 0.6 of the program's megabytes.

use std::io;

const FILES: [(&str, &[&str]); 2] = [
    (
        "assets",
        &[
            "echarts.min.js",
            "page.css",
            "look.js",
            "page.js",
            "dashboard.css",
            "dashboard.js",
            "live.js",
            "runs.js",
            "away.js",
        ],
    ),
    ("fonts", &["inter-regular.otf", "inter-semibold.otf"]),
];

fn main() -> io::Result<()> {
    embed::pack_files(&FILES)
}

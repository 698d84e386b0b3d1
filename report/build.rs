//! Compresses the fonts used for pictures and the scripts and styles used for pages. Uncompressed, the chart library
//! alone would add 0.6 MB to the program.

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

//! Compresses the scripts and styles of pages: as they stand the library that draws charts is 0.6 of the program's megabytes, and ours
//! are 0.08.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::{self, Write};
use std::path::PathBuf;
use std::{env, fs};

const ASSETS: [&str; 9] = [
    "echarts.min.js",
    "page.css",
    "look.js",
    "page.js",
    "dashboard.css",
    "dashboard.js",
    "live.js",
    "runs.js",
    "away.js",
];

fn main() -> io::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    for name in ASSETS {
        println!("cargo::rerun-if-changed=assets/{name}");
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&fs::read(format!("assets/{name}"))?)?;
        fs::write(out.join(format!("{name}.z")), encoder.finish()?)?;
    }
    Ok(())
}

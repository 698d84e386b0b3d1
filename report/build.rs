//! Compresses the library that draws charts: as it stands it is 0.6 of the program's megabytes.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::{self, Write};
use std::path::PathBuf;
use std::{env, fs};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=assets/echarts.min.js");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&fs::read("assets/echarts.min.js")?)?;
    fs::write(out.join("echarts.min.js.z"), encoder.finish()?)
}

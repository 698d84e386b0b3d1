//! Scripts and styles of pages; the build compressed them.

use flate2::bufread::ZlibDecoder;
use std::io::Read;
use std::sync::LazyLock;

macro_rules! table {
    ($($name:literal)+) => {
        /// Each once, whatever is put together of them.
        const ASSETS: &[(&str, &[u8])] =
            &[$(($name, include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".z")).as_slice())),+];
    };
}
table! { "echarts.min.js" "page.css" "look.js" "page.js" "dashboard.css" "dashboard.js" "live.js" "runs.js" "away.js" }

pub(in crate::formats) static STYLE: LazyLock<String> = LazyLock::new(|| assets(&["page.css"]));
/// The library that draws charts.
pub(in crate::formats) static CHARTS: LazyLock<String> = LazyLock::new(|| assets(&["echarts.min.js"]));
pub(super) static SCRIPT: LazyLock<String> = LazyLock::new(|| assets(&["look.js", "page.js"]));

/// The texts of assets, one behind the other.
///
/// # Panics
/// For a name that is not in the table: tests make every page.
pub(in crate::formats) fn assets(names: &[&str]) -> String {
    let mut text = String::new();
    for name in names {
        let (_, packed) = ASSETS.iter().find(|(known, _)| known == name).expect("a name of the table");
        ZlibDecoder::new(*packed).read_to_string(&mut text).expect("the build compressed it");
    }
    text
}

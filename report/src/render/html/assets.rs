//! Scripts and styles of pages, compressed by the build script.

use std::sync::LazyLock;

macro_rules! table {
    ($($name:literal)+) => {
        /// All assets by name, each stored once.
        const ASSETS: &[(&str, &[u8])] =
            &[$(($name, embed::packed!($name))),+];
    };
}
table! { "echarts.min.js" "page.css" "look.js" "page.js" "dashboard.css" "dashboard.js" "live.js" "runs.js" "away.js" }

pub(crate) static STYLE: LazyLock<String> = LazyLock::new(|| assets(&["page.css"]));
/// Script of the chart library.
pub(crate) static CHARTS: LazyLock<String> = LazyLock::new(|| assets(&["echarts.min.js"]));
pub(crate) static SCRIPT: LazyLock<String> = LazyLock::new(|| assets(&["look.js", "page.js"]));

/// Returns the concatenated texts of assets.
///
/// # Panics
/// Panics for a name that is not in the table; tests build every page.
pub(crate) fn assets(names: &[&str]) -> String {
    let packed = names.iter().map(|name| ASSETS.iter().find(|(known, _)| known == name).expect("a name of the table"));
    packed.map(|(_, packed)| embed::text(packed)).collect()
}

//! Scripts and styles of pages; the build compressed them.

use std::sync::LazyLock;

macro_rules! table {
    ($($name:literal)+) => {
        /// Each once, whatever is put together of them.
        const ASSETS: &[(&str, &[u8])] =
            &[$(($name, embed::packed!($name))),+];
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
    let packed = names.iter().map(|name| ASSETS.iter().find(|(known, _)| known == name).expect("a name of the table"));
    packed.map(|(_, packed)| embed::text(packed)).collect()
}

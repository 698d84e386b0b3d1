//! Engines that the tests use.

use std::sync::LazyLock;

pub fn engines() -> &'static job::Engines {
    static ENGINES: LazyLock<job::Engines> = LazyLock::new(|| job::Engines::new(load::engines::specs()));
    &ENGINES
}

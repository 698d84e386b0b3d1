//! The report page, for a browser: [`write_page`].

mod assets;
mod body;
mod compared;
pub(super) mod data;
mod key_figures;
mod page;
mod parts;
#[cfg(test)]
mod tests;
pub(super) mod texts;
mod view;
mod watched;

pub(super) use assets::{CHARTS, STYLE, assets};
pub(super) use page::hash;
pub use page::write_page;
pub use texts::Language;
pub use view::Page;

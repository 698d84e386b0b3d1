//! Pages for a browser.

mod body;
mod page;
#[cfg(test)]
mod tests;
mod view;

pub use messages::Language;
pub(super) use page::hash;
pub use page::write_page;
pub use view::Page;

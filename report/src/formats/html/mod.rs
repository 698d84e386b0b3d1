//! Pages for a browser.

mod body;
mod page;
#[cfg(test)]
mod tests;

pub use messages::Language;
pub use page::write_page;

use super::Subject;

/// Contents of a page.
#[derive(Debug, Clone, Copy, Default)]
pub struct Page<'a> {
    /// Subject of the page.
    pub subject: Subject<'a>,
    /// Language of the page's texts.
    pub language: Language,
    /// Address to which the header links back, if the page is served together with others.
    pub home: Option<&'a str>,
}

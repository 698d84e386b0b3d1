//! Contents of a page.

use crate::formats::Subject;
use messages::Language;

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

//! The dashboard's pages: the runs of a store, a run in progress, and notices when there is nothing to show.
//!
//! As on the report page, [`maud`] escapes everything, data is JSON with `<` written as `\u003c`, and the policy lists
//! styles and scripts by their hashes. Pages may send requests only to the server that sent them.

mod figures;
mod live;
mod live_page;
mod runs;
mod texts;

pub use figures::Headline;
pub use live::{Cursor, LiveRun, News, SampledValues, Second};
pub use live_page::live_page;
pub use runs::{LONGEST_SEARCH, ListedRun, RunsView, runs_page};

use super::html::Language;
use crate::render::html::assets::{STYLE as PAGE_STYLE, assets};
use crate::render::html::shell::{Frame, json, policy};
use maud::{Markup, html};
use serde::Serialize;
use std::sync::LazyLock;
use texts::Texts;

/// Style of the report page plus the dashboard's own.
static STYLE: LazyLock<String> = LazyLock::new(|| PAGE_STYLE.clone() + &assets(&["dashboard.css"]));

/// A page and the policy to send with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The HTML document.
    pub html: Vec<u8>,
    /// Content security policy.
    pub policy: String,
}

/// Permissions of a served page: it may send requests to the server that sent it, and no other page may show it in a
/// frame.
const SERVED: &str = "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Returns the page with this body, its scripts and their data.
fn page(title: &str, language: Language, data: &impl Serialize, scripts: &[&str], body: &Markup) -> Page {
    // The data consists of our own texts and numbers; tests check that it can be serialized.
    let (title, json) = (format!("{title} · secchi"), json(data).unwrap_or_default());
    let frame = Frame { language, meta: Markup::default(), title: &title, style: &STYLE, scripts, json: &json };
    Page { html: frame.page(body), policy: policy(scripts, &STYLE, SERVED) }
}

/// Returns the bar at the top of every page.
fn bar(t: &Texts, home: bool) -> Markup {
    html! {
        div .bar {
            @if home {
                p .brand { "secchi " span { (t.runs) } }
            } @else {
                p .brand { a href="/" aria-label={ "secchi: " (t.all_runs) } { "secchi " span { "‹ " (t.all_runs) } } }
            }
            button #theme type="button" aria-label=(t.theme) title=(t.theme) hidden { "◐" }
        }
    }
}

/// Returns a page for content that cannot be shown: a sentence that says so, and a second one with advice.
#[must_use]
pub fn notice_page(title: &str, more: &str, language: Language) -> Page {
    let t = Texts::for_language(language);
    let body = html! {
        header .note {
            (bar(t, false))
            h1 lang="en" { (crate::harmless(title)) }
            @if !more.is_empty() { p .meta lang="en" { (crate::harmless(more)) } }
        }
    };
    page(&crate::harmless(title), language, &(), &[&NOTICE], &body)
}

/// Returns a page that reports an unreachable server and retries until it answers.
#[must_use]
pub fn away_page(why: &str, language: Language) -> Page {
    let t = Texts::for_language(language);
    let body = html! {
        header .note {
            (bar(t, false))
            h1 { (t.away) }
            p #why .meta lang="en" { (crate::harmless(why)) }
            p .meta role="status" { (t.away_more) }
        }
    };
    page(t.away, language, &(), &[&AWAY], &body)
}

static AWAY: LazyLock<String> = LazyLock::new(|| assets(&["dashboard.js", "away.js"]));
static NOTICE: LazyLock<String> = LazyLock::new(|| assets(&["dashboard.js"]) + "shell();\n");

#[cfg(test)]
mod tests;

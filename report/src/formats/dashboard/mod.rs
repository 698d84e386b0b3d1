//! The dashboard's pages: the runs of a store, a run in progress, and plain words where there is nothing to show.
//!
//! As the report page: everything escaped by [`maud`], data as JSON in which `<` is written `\u003c`, and a policy that names
//! style and scripts by their hashes. Only the server these pages come from may be asked.

mod figures;
mod live;
mod live_page;
mod runs;
mod texts;

pub use figures::Headline;
pub use live::{Cursor, LiveRun, News, SampledValues, Second};
pub use live_page::live_page;
pub use runs::{LONGEST_SEARCH, ListedRun, RunsView, runs_page};

use super::html::{CHARTS, Language, STYLE as PAGE_STYLE, assets, hash};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Serialize;
use std::sync::LazyLock;
use texts::Texts;

/// That of a page, and what the dashboard adds.
static STYLE: LazyLock<String> = LazyLock::new(|| PAGE_STYLE.clone() + &assets(&["dashboard.css"]));

/// A page and the policy to send with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The document.
    pub html: Vec<u8>,
    /// Content security policy.
    pub policy: String,
}

/// The policy of a page that is served: it may ask its own server, and no other page may show it in a frame.
fn policy(style: &str, scripts: &[&str]) -> String {
    let scripts: Vec<String> = scripts.iter().map(|s| hash(s)).collect();
    format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data: blob:; connect-src 'self'; base-uri 'none'; \
         form-action 'self'; frame-ancestors 'none'",
        scripts.join(" "),
        hash(style)
    )
}

/// What a page is made of beside its body.
struct Shell<'a, D> {
    title: &'a str,
    language: Language,
    data: &'a D,
    /// Whether it draws charts.
    charts: bool,
    script: &'static str,
}

impl<D: Serialize> Shell<'_, D> {
    fn page(&self, body: &Markup) -> Page {
        let scripts: Vec<&str> = self.charts.then(|| CHARTS.as_str()).into_iter().chain([self.script]).collect();
        // Texts and numbers of ours: that they have a JSON form is tested.
        let json = serde_json::to_string(self.data).unwrap_or_default().replace('<', "\\u003c");
        let markup = html! {
            (DOCTYPE)
            html lang=(self.language.code()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="referrer" content="no-referrer";
                    title { (self.title) " · secchi" }
                    link rel="icon" href="data:,";
                    style { (PreEscaped(STYLE.as_str())) }
                }
                body {
                    (body)
                    script #data type="application/json" { (PreEscaped(&json)) }
                    @for script in &scripts { script { (PreEscaped(script)) } }
                }
            }
        };
        Page { html: markup.into_string().into_bytes(), policy: policy(&STYLE, &scripts) }
    }
}

/// The bar above every page.
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

/// A page of one sentence, and another that says what to do; for what cannot be shown.
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
    Shell { title: &crate::harmless(title), language, data: &(), charts: false, script: &NOTICE }.page(&body)
}

/// A page that says who does not answer, and looks again until it does.
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
    Shell { title: t.away, language, data: &(), charts: false, script: &AWAY }.page(&body)
}

static AWAY: LazyLock<String> = LazyLock::new(|| assets(&["dashboard.js", "away.js"]));
static NOTICE: LazyLock<String> = LazyLock::new(|| assets(&["dashboard.js"]) + "shell();\n");

#[cfg(test)]
mod tests;

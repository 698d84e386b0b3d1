//! The reader's language: from `--lang`, otherwise from `SECCHI_LANG`, otherwise from the locale.

use messages::Language;
use std::env;
use std::io::Write;
use std::sync::OnceLock;

static CHOSEN: OnceLock<Language> = OnceLock::new();

/// Sets the language requested with `--lang`, if there is one.
pub fn choose(asked: Option<Language>) {
    if let Some(asked) = asked {
        let _ = CHOSEN.set(asked);
    }
}

/// Returns the language for a code, as accepted by `--lang`.
///
/// # Errors
/// One sentence with the available codes.
pub fn of_code(code: &str) -> Result<Language, String> {
    let codes = Language::ALL.map(Language::code);
    let language = Language::ALL.into_iter().find(|l| l.code() == code);
    language.ok_or_else(|| format!("`{}`: unknown language, expected one of {}", model::clip(code), codes.join(", ")))
}

/// Returns the chosen language; reads the environment on the first call.
pub fn chosen() -> Language {
    *CHOSEN.get_or_init(of_environment)
}

fn of_environment() -> Language {
    let variable = |name| env::var(name).ok().filter(|value: &String| !value.is_empty());
    if let Some(asked) = variable("SECCHI_LANG") {
        if let Some(language) = Language::of_locale(&asked) {
            return language;
        }
        let codes = Language::ALL.map(Language::code).join(", ");
        // `terminal` is not used here because it calls `chosen` itself.
        let _ = writeln!(
            std::io::stderr(),
            "secchi: SECCHI_LANG={}: unknown language, expected one of {codes}",
            report::harmless(&model::clip(&asked))
        );
    }
    // Variables in the order defined by POSIX; the first one that is set decides.
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(variable);
    locale.and_then(|l| Language::of_locale(&l)).unwrap_or_default()
}

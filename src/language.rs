//! The reader's language: by `--lang`, else by `SECCHI_LANG`, else by the locale.

use messages::Language;
use std::env;
use std::io::Write;
use std::sync::OnceLock;

static CHOSEN: OnceLock<Language> = OnceLock::new();

/// Takes what `--lang` says, if it was said.
pub fn choose(asked: Option<Language>) {
    if let Some(asked) = asked {
        let _ = CHOSEN.set(asked);
    }
}

/// The language of a code, as `--lang` takes it.
///
/// # Errors
/// One sentence with the codes there are.
pub fn of_code(code: &str) -> Result<Language, String> {
    let codes = Language::ALL.map(Language::code);
    let found = Language::ALL.into_iter().find(|l| l.code() == code);
    found.ok_or_else(|| format!("`{}`: no such language, there are {}", model::clip(code), codes.join(", ")))
}

/// The one chosen; the environment is asked when somebody wants to know.
pub fn chosen() -> Language {
    *CHOSEN.get_or_init(of_environment)
}

fn of_environment() -> Language {
    let of = |name| env::var(name).ok().filter(|value: &String| !value.is_empty());
    if let Some(asked) = of("SECCHI_LANG") {
        if let Some(language) = Language::of_locale(&asked) {
            return language;
        }
        let codes = Language::ALL.map(Language::code).join(", ");
        // The terminal asks for the language itself.
        let _ = writeln!(
            std::io::stderr(),
            "secchi: SECCHI_LANG={}: no such language, there are {codes}",
            report::harmless(&model::clip(&asked))
        );
    }
    // In the order of POSIX; the first that is set says it.
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(of);
    locale.and_then(|l| Language::of_locale(&l)).unwrap_or_default()
}

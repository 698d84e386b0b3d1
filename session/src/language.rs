//! The reader's language: from `--lang`, otherwise from `SECCHI_LANG`, otherwise from the locale.

use messages::Language;
use std::env;
use std::sync::OnceLock;

/// Variable with the language of secchi alone.
const ASKED: &str = "SECCHI_LANG";

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

/// Returns the chosen language; that of the environment if none was chosen yet.
pub fn chosen() -> Language {
    *CHOSEN.get_or_init(|| {
        // Variables in the order defined by POSIX; the first one that is set decides.
        let locale = || ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(variable);
        let asked = variable(ASKED).as_deref().and_then(Language::of_locale);
        asked.or_else(|| Language::of_locale(&locale()?)).unwrap_or_default()
    })
}

/// Returns a remark if the environment names an unknown language.
pub fn unknown() -> Option<String> {
    let asked = variable(ASKED).filter(|asked| Language::of_locale(asked).is_none())?;
    let codes = Language::ALL.map(Language::code).join(", ");
    Some(format!("{ASKED}={}: unknown language, expected one of {codes}", model::clip(&asked)))
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

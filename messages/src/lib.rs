//! Messages for people, by identifier, in all supported languages.
//!
//! Each language has a folder (`catalogues/en/`, ...) with one file per subject, in Mozilla's Fluent format. A test
//! checks that every language has the same identifiers and placeholders as English. Numbers and units are the same in
//! all languages. Output for machines uses English and identifiers.
//!
//! # Example
//!
//! ```
//! use messages::{Language, sentence, translate};
//!
//! let figure = sentence!("figure-in-flight", figure = "5,998 IOPS", n = 4_u32);
//! assert_eq!(figure, "5,998 IOPS with 4 in flight");
//! assert_eq!(translate(Language::Japanese, &figure), "5,998 IOPS（同時I/O数 4）");
//! ```

mod figures;

pub use figures::group_digits;
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};
use fluent_syntax::ast::PatternElement;
pub use model::Sentence;
pub use model::text::{Message, Said};
use std::borrow::Cow;
use std::sync::OnceLock;
use unic_langid::LanguageIdentifier;

/// A language of the user interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Japanese.
    Japanese,
    /// Simplified Chinese.
    Chinese,
    /// Russian.
    Russian,
}

impl Language {
    /// All supported languages.
    pub const ALL: [Language; 4] = [Language::English, Language::Japanese, Language::Chinese, Language::Russian];

    /// Returns the language code, as in the `lang` attribute of a page and in locales.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Japanese => "ja",
            Language::Chinese => "zh",
            Language::Russian => "ru",
        }
    }

    /// Returns the language for a code or locale, such as `ja`, `ja_JP.UTF-8` or `zh-Hans`. Returns `None` if the
    /// language has no catalogue.
    #[must_use]
    pub fn of_locale(locale: &str) -> Option<Language> {
        let code = locale.split(['_', '-', '.', '@']).next().unwrap_or_default().to_ascii_lowercase();
        match code.as_str() {
            // The default locale does not specify a language.
            "c" | "posix" => Some(Language::English),
            code => Language::ALL.into_iter().find(|l| l.code() == code),
        }
    }

    /// Returns the catalogue, with all subjects in one text.
    fn catalogue(self) -> String {
        match self {
            Language::English => embed::text(embed::packed!("en.ftl")),
            Language::Japanese => with_identifiers(embed::packed!("ja.ftl")),
            Language::Chinese => with_identifiers(embed::packed!("zh.ftl")),
            Language::Russian => with_identifiers(embed::packed!("ru.ftl")),
        }
    }

    fn bundle(self) -> &'static FluentBundle<FluentResource> {
        static BUNDLES: [OnceLock<FluentBundle<FluentResource>>; 4] = [const { OnceLock::new() }; 4];
        BUNDLES[self as usize].get_or_init(|| {
            let language: LanguageIdentifier = self.code().parse().unwrap_or_default();
            let mut bundle = FluentBundle::new_concurrent(vec![language]);
            // Do not put isolation marks around placeholders, because terminals show the marks as boxes.
            bundle.set_use_isolating(false);
            // A test checks each catalogue. If one is invalid nevertheless, its valid messages are used.
            let resource = FluentResource::try_new(self.catalogue()).unwrap_or_else(|(good, _)| good);
            bundle.add_resource_overriding(resource);
            bundle
        })
    }
}

/// Restores the identifiers that the build removed from a catalogue. Every catalogue has the same identifiers as the
/// English one, in the same order.
fn with_identifiers(packed: &[u8]) -> String {
    let mut ids = ids().into_iter();
    let mut whole = String::new();
    for line in embed::text(packed).lines() {
        if line.starts_with('=') {
            whole.extend([ids.next().unwrap_or_default().as_str(), " "]);
        }
        whole.extend([line, "\n"]);
    }
    whole
}

/// Returns a message with its placeholders filled in. Falls back to English if the language lacks the message, and to
/// the identifier if English lacks it, too.
#[must_use]
pub fn message(language: Language, id: &str, places: &[(&str, &str)]) -> String {
    let mut args = FluentArgs::new();
    for (name, value) in places {
        // Whole numbers select plural forms ("1 other", "2 others"); figures with signs and units stay as they are.
        match value.parse::<u32>() {
            Ok(number) if number.to_string() == *value => args.set(*name, number),
            _ => args.set(*name, *value),
        }
    }
    let format_in = |language: Language| {
        let bundle = language.bundle();
        let pattern = bundle.get_message(id)?.value()?;
        let mut errors = Vec::new();
        Some(bundle.format_pattern(pattern, Some(&args), &mut errors).into_owned())
    };
    format_in(language).or_else(|| format_in(Language::English)).unwrap_or_else(|| id.to_owned())
}

/// Returns a message as text, including the messages that fill its placeholders.
#[must_use]
pub fn format(language: Language, said: &Message) -> String {
    let places: Vec<(&str, String)> =
        said.places.iter().map(|(name, said)| (name.as_str(), format_part(language, said))).collect();
    let places: Vec<(&str, &str)> = places.iter().map(|(name, told)| (*name, told.as_str())).collect();
    message(language, &said.id, &places)
}

/// Returns the content of a placeholder as text.
#[must_use]
pub fn format_part(language: Language, said: &Said) -> String {
    match said {
        Said::Text(text) => group_digits(language, text).into_owned(),
        Said::Message(message) => format(language, message),
        Said::All(parts) => parts.iter().map(|part| format_part(language, part)).collect(),
    }
}

/// Creates a sentence from one or more messages. The sentence holds its English text and, for other languages, the
/// messages.
#[must_use]
pub fn sentence(said: impl Into<Said>) -> Sentence {
    let said = said.into();
    Sentence::new(format_part(Language::English, &said), said)
}

/// Translates a sentence. Returns the English text if no catalogue contains the sentence.
#[must_use]
pub fn translate(language: Language, sentence: &Sentence) -> Cow<'_, str> {
    match sentence.message() {
        Some(said) if language != Language::English => format_part(language, said).into(),
        _ => group_digits(language, sentence),
    }
}

/// Creates a [`Sentence`] from the catalogues: `sentence!("doubt-io-errors-seen", failed, done = level.figures.ops)`.
///
/// A placeholder is filled with the value after its name. If there is no value, the placeholder is filled with the
/// variable of the same name. The `From` implementations of [`Said`] show the possible values.
#[macro_export]
macro_rules! sentence {
    ($id:literal $($places:tt)*) => {
        $crate::sentence($crate::message!($id $($places)*))
    };
}

/// Creates a [`Message`] from the catalogues, to fill a placeholder of another message. The syntax is the same as for
/// [`sentence!`].
#[macro_export]
macro_rules! message {
    ($id:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        $crate::Message::new($id)$(.put(stringify!($name), $crate::message!(@ $name $(= $value)?)))*
    };
    (@ $name:ident) => { $name };
    (@ $name:ident = $value:expr) => { $value };
}

/// Returns the unchanged text of a word or sentence without placeholders, for table headings and labels. Falls back to
/// English if the language lacks the text. Returns an empty text if English lacks it, too.
#[must_use]
pub fn fixed(language: Language, id: &str) -> &'static str {
    let text_in = |language: Language| match language.bundle().get_message(id)?.value()?.elements.first()? {
        PatternElement::TextElement { value } => Some(*value),
        PatternElement::Placeable { .. } => None,
    };
    text_in(language).or_else(|| text_in(Language::English)).unwrap_or_default()
}

/// Returns the identifiers of the English catalogue, in its order.
#[must_use]
pub fn ids() -> Vec<String> {
    Language::English
        .catalogue()
        .lines()
        .filter(|l| l.starts_with(|c: char| c.is_ascii_lowercase()))
        .filter_map(|l| l.split_once(" ="))
        .map(|l| l.0.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern};
    use fluent_syntax::parser;
    use std::collections::{BTreeMap, BTreeSet};

    /// Collects the placeholders of a pattern, including the placeholders in choices.
    fn places(pattern: &Pattern<&str>, found: &mut BTreeSet<String>) {
        let inline = |e: &InlineExpression<&str>, found: &mut BTreeSet<String>| {
            if let InlineExpression::VariableReference { id } = e {
                found.insert(id.name.to_owned());
            }
        };
        for element in &pattern.elements {
            match element {
                PatternElement::Placeable { expression: Expression::Inline(e) } => inline(e, found),
                PatternElement::Placeable { expression: Expression::Select { selector, variants } } => {
                    inline(selector, found);
                    variants.iter().for_each(|v| places(&v.value, found));
                }
                PatternElement::TextElement { .. } => {}
            }
        }
    }

    /// Returns every message of a catalogue with its placeholders. Panics if the catalogue cannot be parsed or contains
    /// a duplicate.
    fn catalogue(language: Language) -> BTreeMap<String, BTreeSet<String>> {
        let broken = |errors| panic!("{}: {errors:?}", language.code());
        let text = language.catalogue();
        let parsed = parser::parse(text.as_str()).unwrap_or_else(|(_, errors)| broken(errors));
        let mut messages = BTreeMap::new();
        for entry in &parsed.body {
            match entry {
                Entry::Message(message) => {
                    let mut placeholders = BTreeSet::new();
                    places(message.value.as_ref().expect("every message has a text"), &mut placeholders);
                    let id = message.id.name.to_owned();
                    assert!(messages.insert(id.clone(), placeholders).is_none(), "{}: {id} twice", language.code());
                }
                Entry::Comment(_) | Entry::GroupComment(_) | Entry::ResourceComment(_) => {}
                other => panic!("{}: {other:?}", language.code()),
            }
        }
        messages
    }

    #[test]
    fn every_language_has_every_message_with_the_same_places() {
        let english = catalogue(Language::English);
        assert_eq!(english.len(), ids().len());
        for language in Language::ALL {
            let translated = catalogue(language);
            let keys = |ids: &BTreeMap<String, _>| ids.keys().cloned().collect::<BTreeSet<_>>();
            let missing: Vec<String> = keys(&english).difference(&keys(&translated)).cloned().collect();
            let unknown: Vec<String> = keys(&translated).difference(&keys(&english)).cloned().collect();
            assert!(
                missing.is_empty() && unknown.is_empty(),
                "{}: lacks {missing:?}, and has {unknown:?}",
                language.code()
            );
            for (id, places) in &english {
                assert_eq!(&translated[id], places, "{}: places of {id}", language.code());
            }
        }
    }

    #[test]
    fn a_translation_is_one() {
        for language in Language::ALL.into_iter().filter(|l| *l != Language::English) {
            // Returns `true` if the message itself contains text. A message that only joins placeholders with signs
            // has nothing to translate.
            let says = |id: &String| {
                let parts = message(Language::English, id, &[]);
                let beside = parts.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
                beside.collect::<String>().contains(char::is_alphabetic)
            };
            let same = |id: &String| message(language, id, &[]) == message(Language::English, id, &[]);
            let same: Vec<String> = ids().into_iter().filter(says).filter(same).collect();
            assert!(same.len() <= 12, "{}: only signs and units stay as they are: {same:?}", language.code());
        }
    }

    #[test]
    fn a_locale_says_its_language() {
        let parse = Language::of_locale;
        assert_eq!(
            (parse("ja_JP.UTF-8"), parse("zh-Hans"), parse("ru")),
            (Some(Language::Japanese), Some(Language::Chinese), Some(Language::Russian))
        );
        assert_eq!(
            (parse("C.UTF-8"), parse("en_GB"), parse("de_DE"), parse("")),
            (Some(Language::English), Some(Language::English), None, None)
        );
    }

    #[test]
    fn a_sentence_is_read_in_the_language_of_the_reader() {
        let figure = message!("figure-in-flight", figure = "5,998 IOPS", n = 4u32);
        let sentence = sentence!("binds-limit", limit = Message::new("limit-device"), figure);
        assert_eq!(
            sentence,
            "the device, for { $what }: 5,998 IOPS with 4 in flight".replace("{ $what }", "{$what}").as_str()
        );
        assert_eq!(translate(Language::English, &sentence), sentence.as_str());
        assert!(translate(Language::Japanese, &sentence).contains("5,998 IOPS"));
        assert_ne!(translate(Language::Japanese, &sentence), sentence.as_str());
        assert_eq!(translate(Language::Japanese, &"by hand".into()), "by hand");
    }

    #[test]
    fn what_is_not_there_is_its_identifier() {
        assert_eq!(message(Language::Japanese, "no-such-message", &[]), "no-such-message");
        assert_eq!(message(Language::Japanese, "page-report", &[]), "ストレージ測定レポート");
        assert_eq!(fixed(Language::Japanese, "page-report"), message(Language::Japanese, "page-report", &[]));
        assert_eq!(fixed(Language::Japanese, "no-such-message"), "");
    }
}

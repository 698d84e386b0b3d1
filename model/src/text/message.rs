//! Messages before translation: an identifier in the catalogues and the values of its placeholders.

use crate::{Bytes, BytesPerSecond, Iops, Nanos, Op};
use serde::{Deserialize, Serialize};

/// A message of the catalogues, or a part of one. The crate `messages` translates it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Message {
    /// Identifier in the catalogues.
    pub id: String,
    /// Values of the placeholders, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<(String, Said)>,
}

/// Value of a placeholder: figures, names and commands are plain text; translatable words are messages themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Said {
    /// Text that is the same in every language.
    Text(String),
    /// A message of the catalogue, for words that differ by language.
    Message(Message),
    /// Several values, concatenated.
    All(Vec<Said>),
}

impl Said {
    /// Joins several values with a separator such as `, `.
    #[must_use]
    pub fn join(parts: impl IntoIterator<Item = Said>, separator: &str) -> Self {
        Said::All(parts.into_iter().flat_map(|part| [separator.into(), part]).skip(1).collect())
    }

    fn contains(&self, part: &Said) -> bool {
        self == part
            || match self {
                Said::Text(_) => false,
                Said::Message(message) => message.places.iter().any(|(_, said)| said.contains(part)),
                Said::All(parts) => parts.iter().any(|said| said.contains(part)),
            }
    }

    fn without_error_numbers(&self) -> Self {
        match self {
            Said::Text(text) => Said::Text(without_error_numbers(text)),
            Said::Message(Message { id, places }) => {
                let places = places.iter().map(|(place, said)| (place.clone(), said.without_error_numbers()));
                Said::Message(Message { id: id.clone(), places: places.collect() })
            }
            Said::All(parts) => Said::All(parts.iter().map(Said::without_error_numbers).collect()),
        }
    }
}

/// Removes the suffix ` (os error N)` that Rust adds to error texts, because it does not help users.
#[must_use]
pub fn without_error_numbers(text: &str) -> String {
    let mut parts = text.split(" (os error ");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => plain.push_str(rest),
            _ => plain.extend([" (os error ", part]),
        }
    }
    plain
}

impl Message {
    /// Returns a message without placeholder values.
    #[must_use]
    pub fn new(id: &str) -> Self {
        Message { id: id.to_owned(), places: Vec::new() }
    }

    /// Adds the value of a placeholder.
    #[must_use]
    pub fn put(mut self, place: &str, said: impl Into<Said>) -> Self {
        self.places.push((place.to_owned(), said.into()));
        self
    }
}

impl From<&str> for Said {
    fn from(text: &str) -> Self {
        Said::Text(text.to_owned())
    }
}

impl From<String> for Said {
    fn from(text: String) -> Self {
        Said::Text(text)
    }
}

impl From<Message> for Said {
    fn from(message: Message) -> Self {
        Said::Message(message)
    }
}

/// Converts whole numbers and measured figures by their `Display` output.
macro_rules! said_as_displayed {
    ($($type:ty),*) => {$(
        impl From<$type> for Said {
            fn from(figure: $type) -> Self {
                Said::Text(figure.to_string())
            }
        }
    )*};
}

said_as_displayed!(u8, u16, u32, u64, u128, usize, i32, i64, Bytes, BytesPerSecond, Iops, Nanos, Op);

impl From<&String> for Said {
    fn from(text: &String) -> Self {
        Said::Text(text.clone())
    }
}

impl From<Sentence> for Said {
    fn from(sentence: Sentence) -> Self {
        sentence.said.unwrap_or(Said::Text(sentence.english))
    }
}

impl From<&Sentence> for Said {
    fn from(sentence: &Sentence) -> Self {
        sentence.clone().into()
    }
}

/// Text for people: the English sentence, and optionally the value from which other languages are produced.
///
/// It behaves as its English text (`Deref`, `Display`, comparisons) and is a plain string in JSON, so machine-readable
/// output is always English. The crate `messages` creates sentences from a [`Message`] and translates them.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "String"))]
pub struct Sentence {
    english: String,
    said: Option<Said>,
}

impl Sentence {
    /// Returns a sentence with its English text and its translatable value.
    #[must_use]
    pub fn new(english: impl Into<String>, said: impl Into<Said>) -> Self {
        Sentence { english: english.into(), said: Some(said.into()) }
    }

    /// Returns a sentence with its English text and, if there is one, its translatable value.
    #[must_use]
    pub fn from_parts(english: impl Into<String>, said: Option<Said>) -> Self {
        Sentence { english: english.into(), said }
    }

    /// Returns the English text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.english
    }

    /// Returns the translatable value, or `None` if the sentence is in no catalogue.
    #[must_use]
    pub fn message(&self) -> Option<&Said> {
        self.said.as_ref()
    }

    /// Returns the identifier of the sentence's message; `None` if the sentence is in no catalogue or consists of
    /// several messages, or was read from plain text.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        if let Some(Said::Message(message)) = &self.said { Some(&message.id) } else { None }
    }

    /// Returns the text at a placeholder of the sentence's message.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<&str> {
        let Some(Said::Message(message)) = &self.said else { return None };
        message.places.iter().find_map(|(place, said)| match said {
            Said::Text(text) if place == name => Some(text.as_str()),
            _ => None,
        })
    }

    /// Returns the sentence without error numbers; see [`without_error_numbers`].
    #[must_use]
    pub fn without_error_numbers(&self) -> Self {
        Sentence {
            english: without_error_numbers(&self.english),
            said: self.said.as_ref().map(Said::without_error_numbers),
        }
    }

    /// Returns `true` if `part` is the value of a placeholder, or one of the concatenated sentences. Texts without a
    /// message are not found.
    #[must_use]
    pub fn quotes(&self, part: &Sentence) -> bool {
        self.said.as_ref().zip(part.said.as_ref()).is_some_and(|(said, part)| said.contains(part))
    }

    /// Concatenates sentences. No separator is inserted: pass separators as sentences.
    #[must_use]
    pub fn concat(parts: impl IntoIterator<Item = Sentence>) -> Self {
        let parts: Vec<Sentence> = parts.into_iter().filter(|p| !p.is_empty()).collect();
        let english = parts.iter().map(Sentence::as_str).collect();
        let said =
            parts.iter().any(|p| p.said.is_some()).then(|| Said::All(parts.into_iter().map(Said::from).collect()));
        Sentence { english, said }
    }

    /// Joins sentences with a separator such as `; `.
    #[must_use]
    pub fn join(parts: impl IntoIterator<Item = Sentence>, separator: &str) -> Self {
        Sentence::concat(parts.into_iter().flat_map(|part| [separator.into(), part]).skip(1))
    }
}

impl std::ops::Deref for Sentence {
    type Target = str;

    fn deref(&self) -> &str {
        &self.english
    }
}

impl std::fmt::Display for Sentence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.english)
    }
}

impl From<&str> for Sentence {
    fn from(english: &str) -> Self {
        Sentence { english: english.to_owned(), said: None }
    }
}

impl From<String> for Sentence {
    fn from(english: String) -> Self {
        Sentence { english, said: None }
    }
}

impl From<&String> for Sentence {
    fn from(english: &String) -> Self {
        english.as_str().into()
    }
}

impl From<&Sentence> for Sentence {
    fn from(sentence: &Sentence) -> Self {
        sentence.clone()
    }
}

impl From<Sentence> for String {
    fn from(sentence: Sentence) -> Self {
        sentence.english
    }
}

impl PartialEq for Sentence {
    fn eq(&self, other: &Self) -> bool {
        self.english == other.english
    }
}

impl Eq for Sentence {}

impl PartialEq<str> for Sentence {
    fn eq(&self, other: &str) -> bool {
        self.english == other
    }
}

impl PartialEq<&str> for Sentence {
    fn eq(&self, other: &&str) -> bool {
        self.english == *other
    }
}

impl PartialEq<String> for Sentence {
    fn eq(&self, other: &String) -> bool {
        self.english == *other
    }
}

impl PartialEq<Sentence> for &str {
    fn eq(&self, other: &Sentence) -> bool {
        *self == other.english
    }
}

impl AsRef<str> for Sentence {
    fn as_ref(&self) -> &str {
        &self.english
    }
}

impl PartialOrd for Sentence {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Sentence {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.english.cmp(&other.english)
    }
}

impl Serialize for Sentence {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.english)
    }
}

impl<'de> Deserialize<'de> for Sentence {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(String::deserialize(deserializer)?.into())
    }
}

/// Defines how a sentence of an event is serialised in a journal: its English text in one field and its translatable
/// value in another. Both are fields of the event itself, so readers that know only the English field still work.
macro_rules! kept {
    ($module:ident, $english:literal, $said:literal) => {
        pub(crate) mod $module {
            use super::{Said, Sentence};
            use serde::{Deserialize, Deserializer, Serialize, Serializer};

            #[derive(Serialize, Deserialize)]
            struct Kept {
                #[serde(rename = $english)]
                english: String,
                #[serde(rename = $said, default, skip_serializing_if = "Option::is_none")]
                said: Option<Said>,
            }

            pub(crate) fn serialize<S: Serializer>(sentence: &Sentence, serializer: S) -> Result<S::Ok, S::Error> {
                Kept { english: sentence.english.clone(), said: sentence.said.clone() }.serialize(serializer)
            }

            pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Sentence, D::Error> {
                Kept::deserialize(deserializer).map(|Kept { english, said }| Sentence { english, said })
            }
        }
    };
}

kept!(kept_text, "text", "text_message");
kept!(kept_reason, "reason", "reason_message");
kept!(kept_why, "why", "why_message");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_reads_as_its_english_and_is_a_string_for_machines() {
        let one = Sentence::new("two failed", Message::new("failed").put("n", 2u64));
        let both = Sentence::join([one.clone(), "by hand".into()], "; ");
        assert_eq!(both, "two failed; by hand");
        let parts = [Said::from(one.clone()), "; ".into(), "by hand".into()];
        assert_eq!(both.message(), Some(&Said::All(parts.into())));
        assert_eq!(serde_json::to_string(&both).unwrap(), r#""two failed; by hand""#);
        assert_eq!(serde_json::from_str::<Sentence>(r#""two failed""#).unwrap(), one);
        assert_eq!(Sentence::concat(["a".into(), "b".into()]).message(), None);
    }

    #[test]
    fn what_is_said_is_kept_as_it_is() {
        let said = Said::All(vec!["8k: ".into(), Message::new("failed").put("n", 2u64).into()]);
        let text = serde_json::to_string(&said).unwrap();
        assert_eq!(serde_json::from_str::<Said>(&text).unwrap(), said);
    }

    #[test]
    fn error_texts_have_no_number_of_rust() {
        let plain = without_error_numbers("cannot write x: No space left on device (os error 28): stopped");
        assert_eq!(plain, "cannot write x: No space left on device: stopped");
        assert_eq!(without_error_numbers("a (os error x) b"), "a (os error x) b");
        let sentence = |text: &str| Sentence::new(text, Message::new("why").put("why", text));
        let plain = sentence("full (os error 28)").without_error_numbers();
        assert_eq!((plain.as_str(), plain.message()), ("full", sentence("full").message()));
    }
}

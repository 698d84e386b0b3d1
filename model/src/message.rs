//! A sentence for people before it is in a language: its identifier in the catalogues, and what stands in its places.

use serde::{Deserialize, Serialize};

/// A sentence, or a part of one. The crate `messages` says it in a language.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its identifier in the catalogues.
    pub id: String,
    /// What stands in its places, by their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<(String, Said)>,
}

/// What stands in a place: figures, names and commands as they are, words by a message of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Said {
    /// The same in every language.
    Text(String),
    /// Words.
    Message(Message),
}

impl Default for Said {
    fn default() -> Self {
        Said::Text(String::new())
    }
}

impl Message {
    /// A message without places yet.
    #[must_use]
    pub fn new(id: &str) -> Self {
        Message { id: id.to_owned(), places: Vec::new() }
    }

    /// Puts something in a place.
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

//! What is asked and what is answered, without the words of HTTP.

use crate::guard::Refusal;

/// A request that passed the guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// As sent, beginning with one `/`; not decoded.
    pub path: String,
    /// Names and values behind the `?`, decoded, in order.
    pub query: Vec<(String, String)>,
    /// What was sent with it, of a request that tells something (POST); `None` of one that asks.
    pub told: Option<Vec<u8>>,
}

impl Request {
    /// The first value of this name.
    #[must_use]
    pub fn first(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// Every value of this name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.query.iter().filter(move |(n, _)| n == name).map(|(_, v)| v.as_str())
    }
}

/// What is sent back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Of HTTP.
    pub status: u16,
    /// Media type of the body.
    pub kind: &'static str,
    /// The body.
    pub body: Vec<u8>,
    /// Content security policy; without one nothing in the body may load or run.
    pub policy: Option<String>,
}

impl Answer {
    /// A page with the policy that names what may run in it.
    #[must_use]
    pub fn page(status: u16, body: Vec<u8>, policy: String) -> Answer {
        Answer { status, kind: "text/html; charset=utf-8", body, policy: Some(policy) }
    }

    /// An answer of JSON.
    #[must_use]
    pub fn json(status: u16, body: Vec<u8>) -> Answer {
        Answer { status, kind: "application/json", body, policy: None }
    }

    /// A line of text.
    #[must_use]
    pub fn text(status: u16, text: &str) -> Answer {
        Answer { status, kind: "text/plain; charset=utf-8", body: format!("{text}\n").into_bytes(), policy: None }
    }
}

/// Who knows the answers.
pub trait Handler: Send + Sync + 'static {
    /// Answers a request. May read files: it is called on a thread of its own, a few at a time.
    fn answer(&self, request: &Request) -> Answer;

    /// How a request that was turned away is told so: a line of text, unless there is something better.
    fn refused(&self, refusal: &Refusal) -> Answer {
        Answer::text(refusal.status, refusal.why)
    }
}

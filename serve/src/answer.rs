//! Requests and answers, independent of HTTP.

use crate::guard::Refusal;

/// A request that passed the guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Path as sent by the client, beginning with one `/`; not decoded.
    pub path: String,
    /// Names and values of the query string, decoded, in order.
    pub query: Vec<(String, String)>,
    /// Value of the `Accept` header; empty without one.
    pub accept: String,
    /// Body of a POST request; `None` for GET and HEAD.
    pub told: Option<Vec<u8>>,
}

impl Request {
    /// Returns the first value with this name.
    #[must_use]
    pub fn first(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// Returns all values with this name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.query.iter().filter(move |(n, _)| n == name).map(|(_, v)| v.as_str())
    }
}

/// Answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status code.
    pub status: u16,
    /// Media type of the body.
    pub kind: &'static str,
    /// Body of the answer.
    pub body: Vec<u8>,
    /// Content security policy. `None` forbids the body to load or run anything.
    pub policy: Option<String>,
}

impl Answer {
    /// Returns an HTML page with a content security policy.
    #[must_use]
    pub fn page(status: u16, body: Vec<u8>, policy: String) -> Answer {
        Answer { status, kind: "text/html; charset=utf-8", body, policy: Some(policy) }
    }

    /// Returns a JSON answer.
    #[must_use]
    pub fn json(status: u16, body: Vec<u8>) -> Answer {
        Answer { status, kind: "application/json", body, policy: None }
    }

    /// Returns a plain-text answer with one line.
    #[must_use]
    pub fn text(status: u16, text: &str) -> Answer {
        Answer { status, kind: "text/plain; charset=utf-8", body: format!("{text}\n").into_bytes(), policy: None }
    }
}

/// Producer of the answers that a server sends.
pub trait Handler: Send + Sync + 'static {
    /// Answers a request. An implementation may read files, because the server calls this function on a separate
    /// thread, and for only a few requests at a time.
    fn answer(&self, request: &Request) -> Answer;

    /// Returns the answer to a refused request, by default one line of text.
    fn refused(&self, refusal: &Refusal) -> Answer {
        Answer::text(refusal.status, refusal.why)
    }
}

//! Access control: a request must address this machine by name, must not come from another site's page, may only read
//! (unless POST is permitted), and needs the token if one is set.
//!
//! A browser sends requests here on behalf of any page that it shows. A page from another site is recognized by its
//! `Origin`. A page whose name was made to resolve to this machine (DNS rebinding) is recognized by the name in `Host`.
//! Neither page has the token: it is in a cookie that browsers withhold from foreign pages (`SameSite=Strict`) and
//! scripts (`HttpOnly`).

use crate::token::Token;
use hyper::header::{self, HeaderMap, HeaderName};
use hyper::http::request::Parts;
use hyper::{Method, Version};
use std::net::IpAddr;

/// Maximum body length that a GET or HEAD request may declare, in bytes. Such bodies are never read.
const BODY: u64 = 1 << 20;
/// Name of the query parameter that holds the token.
const PARAMETER: &str = "token";

/// Conditions that a request must meet.
#[derive(Debug, Clone)]
pub struct Guard {
    /// Host names accepted in addition to addresses, such as `db1.example`. Not needed on loopback.
    names: Vec<String>,
    /// True if any IP address in `Host` is accepted, false if only loopback addresses are accepted.
    remote: bool,
    token: Option<Token>,
    /// True if connections use TLS.
    secure: bool,
    /// Token required for POST, and maximum size of a POST body in bytes; `None` if POST is not accepted.
    told: Option<(Token, u64)>,
}

/// Reason for refusing a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// HTTP status code.
    pub status: u16,
    /// Reason, in one sentence.
    pub why: &'static str,
}

/// Decision on how to handle a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The request is answered.
    Pass,
    /// The address contains the token: send the token as a cookie and redirect to the address without it.
    SignIn { cookie: String, to: String },
    /// The request is refused.
    Refuse(Refusal),
}

const fn refuse(status: u16, reason: &'static str) -> Refusal {
    Refusal { status, why: reason }
}

impl Guard {
    /// Returns a guard for a server that is reachable only from this machine and accepts requests without a token.
    #[must_use]
    pub fn open() -> Guard {
        Guard { names: Vec::new(), remote: false, token: None, secure: false, told: None }
    }

    /// Returns a guard for a server that is reachable only from this machine and requires the token.
    #[must_use]
    pub fn local(token: Token) -> Guard {
        Guard { token: Some(token), ..Guard::open() }
    }

    /// Accepts requests to any address of this machine, for a server that other machines can reach.
    #[must_use]
    pub fn remote(self) -> Guard {
        Guard { remote: true, ..self }
    }

    /// Accepts requests to these host names as well.
    #[must_use]
    pub fn named(self, names: Vec<String>) -> Guard {
        Guard { names, ..self }
    }

    /// Records that connections use TLS.
    #[must_use]
    pub fn over_tls(self) -> Guard {
        Guard { secure: true, ..self }
    }

    /// Accepts POST requests with a body of up to `most` bytes and this token as the bearer token.
    #[must_use]
    pub fn told_by(self, token: Token, most: u64) -> Guard {
        Guard { told: Some((token, most)), ..self }
    }

    /// Returns the accepted methods, in the format of the `Allow` header.
    pub(crate) fn methods(&self) -> &'static str {
        if self.told.is_some() { "GET, HEAD, POST" } else { "GET, HEAD" }
    }

    /// Returns the maximum size of the body of a POST request, in bytes.
    pub(crate) fn most_told(&self) -> u64 {
        self.told.as_ref().map_or(0, |(_, most)| *most)
    }

    /// Decides how to handle a request, based on its head.
    pub(crate) fn judge(&self, head: &Parts) -> Verdict {
        self.check(head).unwrap_or_else(Verdict::Refuse)
    }

    fn check(&self, head: &Parts) -> Result<Verdict, Refusal> {
        if head.uri.authority().is_some() || head.uri.scheme().is_some() {
            return Err(refuse(400, "secchi is not a proxy: the request must contain a path"));
        }
        let host = self.host(head)?;
        self.origin(head, host)?;
        if let (Some((token, most)), &Method::POST) = (&self.told, &head.method) {
            return teller(head, token, *most);
        }
        if !matches!(head.method, Method::GET | Method::HEAD) {
            return Err(refuse(405, "only GET and HEAD are allowed"));
        }
        body(&head.headers)?;
        if !head.uri.path().starts_with('/') || head.uri.path().starts_with("//") {
            return Err(refuse(404, "page not found"));
        }
        let Some(token) = &self.token else { return Ok(Verdict::Pass) };
        let cookie = cookie_name(host);
        if let Some(bearer) = single_header(&head.headers, header::AUTHORIZATION) {
            let given = bearer.strip_prefix("Bearer ").unwrap_or_default();
            return if token.is(given.trim()) { Ok(Verdict::Pass) } else { Err(NO_TOKEN) };
        }
        let query = head.uri.query().unwrap_or_default();
        if let Some((_, given)) = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == PARAMETER) {
            if !token.is(&given) {
                return Err(NO_TOKEN);
            }
            let secure = if self.secure { "; Secure" } else { "" };
            let cookie = format!("{cookie}={}; HttpOnly; SameSite=Strict; Path=/{secure}", token.as_str());
            return Ok(Verdict::SignIn { cookie, to: without_token(head.uri.path(), query) });
        }
        if cookies(&head.headers).any(|(name, value)| name == cookie && token.is(value)) {
            return Ok(Verdict::Pass);
        }
        Err(NO_TOKEN)
    }

    /// Returns the host named in the `Host` header, or a refusal if that host is not this machine.
    fn host<'a>(&self, head: &'a Parts) -> Result<&'a str, Refusal> {
        let mut hosts = head.headers.get_all(header::HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (None, _) if head.version == Version::HTTP_10 && self.token.is_none() => return Ok("localhost"),
            (None, _) => return Err(refuse(400, "the request has no valid Host header")),
            (Some(_), Some(_)) => return Err(refuse(400, "the request has several Host headers")),
            (Some(host), None) => host.to_str().map_err(|_| refuse(400, "the Host header must be ASCII"))?,
        };
        let (name, _) = split(host).ok_or(refuse(400, "the request has no valid Host header"))?;
        let ours = match name.parse::<IpAddr>() {
            // An IP address needs no name resolution, so DNS rebinding cannot misuse it.
            Ok(ip) => ip.is_loopback() || self.remote,
            Err(_) => {
                name.eq_ignore_ascii_case("localhost")
                    || self.names.iter().any(|known| known.eq_ignore_ascii_case(name))
            }
        };
        if ours { Ok(host) } else { Err(refuse(403, "the Host header must name this machine")) }
    }

    /// Refuses requests from pages of other sites.
    fn origin(&self, head: &Parts, host: &str) -> Result<(), Refusal> {
        let foreign = refuse(403, "requests from pages of other sites are rejected");
        let scheme = if self.secure { "https" } else { "http" };
        for origin in head.headers.get_all(header::ORIGIN) {
            let site = origin.to_str().ok().and_then(|o| o.strip_prefix(scheme)?.strip_prefix("://"));
            if !site.is_some_and(|site| site.eq_ignore_ascii_case(host)) {
                return Err(foreign);
            }
        }
        // Browsers report the origin of a request. Following a link from another site is harmless; anything else is
        // refused.
        let header_value =
            |name: &'static str| single_header(&head.headers, HeaderName::from_static(name)).unwrap_or_default();
        let elsewhere = matches!(header_value("sec-fetch-site"), "cross-site" | "same-site");
        if elsewhere && header_value("sec-fetch-mode") != "navigate" { Err(foreign) } else { Ok(()) }
    }
}

const NO_TOKEN: Refusal =
    refuse(401, "the token is missing or from an earlier start: open the address that secchi printed when it started");

/// Decides how to handle a POST request, based on its head.
fn teller(head: &Parts, token: &Token, most: u64) -> Result<Verdict, Refusal> {
    let bearer = single_header(&head.headers, header::AUTHORIZATION).and_then(|b| b.strip_prefix("Bearer "));
    if !bearer.is_some_and(|given| token.is(given.trim())) {
        return Err(refuse(401, "this request requires the token as a bearer token"));
    }
    let length = single_header(&head.headers, header::CONTENT_LENGTH).map(str::parse::<u64>);
    match length {
        _ if head.headers.contains_key(header::TRANSFER_ENCODING) => {
            Err(refuse(411, "the request must declare the length of its body"))
        }
        None => Err(refuse(411, "the request must declare the length of its body")),
        Some(Err(_)) => Err(refuse(400, "the length of the body is not a number")),
        Some(Ok(length)) if length > most => Err(refuse(413, "the body is larger than any request accepted here")),
        Some(Ok(_)) => Ok(Verdict::Pass),
    }
}

/// Refuses GET and HEAD requests that have a body.
fn body(headers: &HeaderMap) -> Result<(), Refusal> {
    let length = match single_header(headers, header::CONTENT_LENGTH).map(str::parse::<u64>) {
        None => 0,
        Some(Ok(length)) => length,
        Some(Err(_)) => return Err(refuse(400, "the length of the body is not a number")),
    };
    if length > BODY {
        return Err(refuse(413, "the body is larger than 1 MiB, and no body is expected"));
    }
    if length > 0 || headers.contains_key(header::TRANSFER_ENCODING) {
        return Err(refuse(400, "requests must not have a body"));
    }
    Ok(())
}

fn single_header(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// Returns the names and values of all cookies.
fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='))
}

/// Returns the name of our cookie. It includes the port, because browsers send a cookie to all ports of a host, and two
/// servers on one host need different cookies. The port is the one that the browser sees; a tunnel may change it.
fn cookie_name(host: &str) -> String {
    let port = split(host).and_then(|(_, port)| port).unwrap_or_default();
    format!("secchi-{}", if port.is_empty() { "port" } else { port })
}

/// Splits `127.0.0.1:7417`, `[::1]` or `localhost:80` into the name without brackets and the digits of the port.
fn split(host: &str) -> Option<(&str, Option<&str>)> {
    let (name, rest) = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => host.find(':').map_or((host, ""), |at| host.split_at(at)),
    };
    let port = match rest.strip_prefix(':') {
        Some(port) => Some(port),
        None if rest.is_empty() => None,
        None => return None,
    };
    let digits = port.is_none_or(|p| !p.is_empty() && p.len() <= 5 && p.bytes().all(|b| b.is_ascii_digit()));
    (!name.is_empty() && digits).then_some((name, port))
}

/// Returns the address without the token parameter.
fn without_token(path: &str, query: &str) -> String {
    let rest: String = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name != PARAMETER))
        .finish();
    if rest.is_empty() { path.to_owned() } else { format!("{path}?{rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::Request;

    fn head(method: &str, target: &str, headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::builder().method(method).uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).expect("a request").into_parts().0
    }

    fn token() -> Token {
        Token::new().expect("randomness")
    }

    fn status(guard: &Guard, head: &Parts) -> u16 {
        match guard.judge(head) {
            Verdict::Pass => 200,
            Verdict::SignIn { .. } => 303,
            Verdict::Refuse(refusal) => refusal.status,
        }
    }

    #[test]
    fn only_this_machine_by_its_own_name_is_answered_for() {
        let guard = Guard::open();
        let status_for = |host: &str| status(&guard, &head("GET", "/", &[("host", host)]));
        for local in ["127.0.0.1:7417", "127.0.0.1", "[::1]:7417", "[::1]", "localhost:1", "LOCALHOST", "127.9.9.9:7"] {
            assert_eq!(status_for(local), 200, "{local}");
        }
        for foreign in
            ["evil.example", "127.0.0.1.evil.example:7417", "localhost.evil.example", "192.0.2.1:7417", "0x7f000001"]
        {
            assert_eq!(status_for(foreign), 403, "{foreign}");
        }
        for bad in ["", ":7417", "[::1", "[::1]x", "localhost:", "localhost:1:2", "localhost:abc"] {
            assert_eq!(status_for(bad), 400, "{bad}");
        }
        assert_eq!(status(&guard, &head("GET", "/", &[("host", "localhost"), ("host", "evil.example")])), 400);
        assert_eq!(status(&guard, &head("GET", "/", &[])), 400);
        assert_eq!(status(&guard, &head("GET", "http://evil.example/", &[("host", "localhost")])), 400);
        let remote = Guard::local(token()).remote().named(vec!["db1.example".into()]);
        let status_for = |host: &str| status(&remote, &head("GET", "/", &[("host", host)]));
        assert_eq!(["db1.example:7417", "192.0.2.1", "[2001:db8::1]:7417"].map(status_for), [401; 3]);
        assert_eq!(["evil.example", "db1.example.evil.example"].map(status_for), [403; 2]);
    }

    #[test]
    fn pages_of_other_sites_are_turned_away() {
        let guard = Guard::open();
        let status_with = |headers: &[(&str, &str)]| {
            status(&guard, &head("GET", "/", &[&[("host", "localhost:7417")], headers].concat()))
        };
        assert_eq!(status_with(&[("origin", "http://localhost:7417")]), 200);
        for foreign in
            ["http://evil.example", "null", "http://localhost:7418", "https://localhost:7417", "http://localhost", ""]
        {
            assert_eq!(status_with(&[("origin", foreign)]), 403, "{foreign}");
        }
        assert_eq!(status_with(&[("origin", "http://localhost:7417"), ("origin", "http://evil.example")]), 403);
        assert_eq!(status_with(&[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")]), 403);
        assert_eq!(status_with(&[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")]), 200);
        assert_eq!(status_with(&[("sec-fetch-site", "same-origin"), ("sec-fetch-mode", "cors")]), 200);
    }

    #[test]
    fn only_who_has_the_token_may_tell_something_and_anybody_may_ask() {
        let token = token();
        let guard = Guard::open().told_by(token.clone(), 100);
        let bearer = format!("Bearer {}", token.as_str());
        let status_with = |headers: &[(&str, &str)]| {
            status(&guard, &head("POST", "/a", &[&[("host", "localhost")], headers].concat()))
        };
        assert_eq!(status_with(&[("authorization", &bearer), ("content-length", "100")]), 200);
        assert_eq!(status_with(&[("authorization", &bearer), ("content-length", "101")]), 413);
        assert_eq!(status_with(&[("authorization", &bearer), ("content-length", "-1")]), 400);
        assert_eq!(status_with(&[("authorization", &bearer)]), 411);
        assert_eq!(
            status_with(&[("authorization", &bearer), ("content-length", "1"), ("transfer-encoding", "chunked")]),
            411
        );
        for wrong in ["", "Bearer", "Bearer x", token.as_str(), "Basic eDp5"] {
            assert_eq!(status_with(&[("authorization", wrong), ("content-length", "1")]), 401, "{wrong}");
        }
        assert_eq!(
            status_with(&[("authorization", &bearer), ("content-length", "1"), ("origin", "http://evil.example")]),
            403
        );
        let evil = head("POST", "/", &[("host", "evil.example"), ("authorization", &bearer), ("content-length", "1")]);
        assert_eq!(status(&guard, &evil), 403);
        assert_eq!(status(&guard, &head("GET", "/a", &[("host", "localhost")])), 200);
        assert_eq!(status(&guard, &head("PUT", "/a", &[("host", "localhost"), ("authorization", &bearer)])), 405);
    }

    #[test]
    fn nothing_but_reading_is_answered() {
        let guard = Guard::open();
        for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"] {
            assert_eq!(status(&guard, &head(method, "/", &[("host", "localhost")])), 405, "{method}");
        }
        assert_eq!(status(&guard, &head("HEAD", "/", &[("host", "localhost")])), 200);
        let with = |name: &str, value: &str| status(&guard, &head("GET", "/", &[("host", "localhost"), (name, value)]));
        assert_eq!(with("content-length", "0"), 200);
        assert_eq!(with("content-length", "5"), 400);
        assert_eq!(with("content-length", "1048577"), 413);
        assert_eq!(with("content-length", "x"), 400);
        assert_eq!(with("transfer-encoding", "chunked"), 400);
    }

    #[test]
    fn without_the_token_nothing_is_told() {
        let (token, other) = (token(), token());
        let guard = Guard::local(token.clone());
        let status_for = |target: &str, headers: &[(&str, &str)]| {
            status(&guard, &head("GET", target, &[&[("host", "localhost:7417")], headers].concat()))
        };
        assert_eq!(status_for("/", &[]), 401);
        assert_eq!(status_for("/", &[("authorization", &format!("Bearer {}", token.as_str()))]), 200);
        assert_eq!(status_for("/", &[("authorization", &format!("Basic {}", token.as_str()))]), 401);
        assert_eq!(status_for("/", &[("authorization", &format!("Bearer {}", other.as_str()))]), 401);
        assert_eq!(status_for("/", &[("cookie", &format!("a=b; secchi-7417={}", token.as_str()))]), 200);
        assert_eq!(status_for("/", &[("cookie", &format!("secchi-7418={}", token.as_str()))]), 401);
        assert_eq!(status_for("/", &[("cookie", &format!("secchi-7417={}", other.as_str()))]), 401);
        assert_eq!(
            status_for(
                &format!("/?token={}", other.as_str()),
                &[("cookie", &format!("secchi-7417={}", token.as_str()))]
            ),
            401
        );
        assert_eq!(status_for("/?token=", &[]), 401);
    }

    #[test]
    fn the_token_in_an_address_becomes_a_cookie_and_leaves_the_address() {
        let token = token();
        let guard = Guard::local(token.clone());
        let target = format!("/run/x?a=1%262&token={}&q=%2Fmnt", token.as_str());
        let verdict = guard.judge(&head("GET", &target, &[("host", "127.0.0.1:9")]));
        let Verdict::SignIn { cookie, to } = verdict else { panic!("{verdict:?}") };
        assert_eq!(to, "/run/x?a=1%262&q=%2Fmnt");
        assert_eq!(cookie, format!("secchi-9={}; HttpOnly; SameSite=Strict; Path=/", token.as_str()));
        let remote = Guard::local(token.clone()).remote().over_tls();
        let verdict = remote.judge(&head("GET", &target, &[("host", "192.0.2.1:9")]));
        assert!(matches!(verdict, Verdict::SignIn { cookie, .. } if cookie.ends_with("; Secure")));
        // If a path that begins with two slashes were used in the redirect, it would lead to another host.
        let away = head("GET", &format!("//evil.example/?token={}", token.as_str()), &[("host", "127.0.0.1:9")]);
        assert_eq!(status(&guard, &away), 404);
    }
}

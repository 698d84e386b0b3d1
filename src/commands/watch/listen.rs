//! `--listen`: the last OpenMetrics text for whoever asks on this machine. One request a connection, answered by one
//! thread; everything bounded in size and time, nothing changed by any request.

use crate::exit::{self, coded};
use anyhow::Result;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A request's head is no longer than this.
const HEAD: usize = 8 << 10;
/// A client has so long from connecting to its last byte.
const PATIENCE: Duration = Duration::from_secs(2);
/// What OpenMetrics text is announced as.
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Answers on an address of this machine.
pub struct Listener {
    text: Arc<Mutex<Vec<u8>>>,
}

impl Listener {
    /// Takes the address and begins to answer; there are no figures before the first look.
    pub fn bind(address: SocketAddr) -> Result<Listener> {
        let refused = |e: std::io::Error| coded(exit::BAD_INPUT, format!("--listen {address}: {e}"));
        let listener = TcpListener::bind(address).map_err(refused)?;
        let text = Arc::new(Mutex::new(b"# EOF\n".to_vec()));
        let shared = Arc::clone(&text);
        let serve = move || {
            for stream in listener.incoming().flatten() {
                let text = shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
                // A client that went away has its answer.
                let _ = answer(stream, &text);
            }
        };
        std::thread::Builder::new().name("metrics".into()).spawn(serve).map_err(refused)?;
        Ok(Listener { text })
    }

    /// The text from now on.
    pub fn tell(&self, text: Vec<u8>) {
        *self.text.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }
}

fn answer(mut stream: TcpStream, text: &[u8]) -> std::io::Result<()> {
    let since = Instant::now();
    let mut head = Vec::new();
    let mut part = [0u8; 1024];
    let (status, body, kind) = loop {
        let left = PATIENCE.saturating_sub(since.elapsed());
        if left.is_zero() {
            break (408, "the request took too long\n".as_bytes(), "text/plain");
        }
        stream.set_read_timeout(Some(left))?;
        let n = match stream.read(&mut part) {
            Ok(0) => return Ok(()),
            Ok(n) => n,
            Err(e) if matches!(e.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => continue,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        head.extend_from_slice(&part[..n]);
        if let Some(end) = find(&head, b"\r\n\r\n") {
            break match judge(&head[..end]) {
                Ok(()) => (200, text, OPENMETRICS),
                Err((status, why)) => (status, why.as_bytes(), "text/plain"),
            };
        }
        if head.len() > HEAD {
            break (431, "the request's head is too long\n".as_bytes(), "text/plain");
        }
    };
    let reason = match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        _ => "Request Header Fields Too Large",
    };
    let allow = if status == 405 { "Allow: GET\r\n" } else { "" };
    let length = body.len();
    stream.set_write_timeout(Some(PATIENCE))?;
    write!(
        stream,
        "HTTP/1.1 {status} {reason}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{allow}X-Content-Type-Options: \
         nosniff\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(body)?;
    stream.flush()
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|w| w == what)
}

/// Whether this is the one request that is answered.
fn judge(head: &[u8]) -> Result<(), (u16, &'static str)> {
    let bad = (400, "this is no request of HTTP/1\n");
    let text = std::str::from_utf8(head).map_err(|_| bad)?;
    let mut lines = text.split("\r\n");
    let words: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let [method, target, version] = words[..] else { return Err(bad) };
    if !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
        return Err(bad);
    }
    let headers: Vec<(&str, &str)> = lines.filter_map(|l| l.split_once(':')).collect();
    let hosts: Vec<&str> =
        headers.iter().filter(|(n, _)| n.eq_ignore_ascii_case("host")).map(|(_, v)| v.trim()).collect();
    // A page of another site whose name leads here (DNS rebinding) sends its own name.
    match hosts[..] {
        [host] if is_loopback(host) => {}
        [] if version == "HTTP/1.0" => {}
        [] => return Err((400, "a request names its host\n")),
        _ => return Err((403, "only this machine is answered, by its own name: 127.0.0.1, [::1] or localhost\n")),
    }
    if method != "GET" {
        return Err((405, "only GET is answered\n"));
    }
    if target.split('?').next() != Some("/metrics") {
        return Err((404, "there is only /metrics\n"));
    }
    Ok(())
}

/// `127.0.0.1:9417`, `[::1]`, `localhost`.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or(rest, |(name, _)| name),
        None => host.split_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(head: &str) -> u16 {
        judge(head.as_bytes()).map_or_else(|(status, _)| status, |()| 200)
    }

    #[test]
    fn only_one_request_of_this_machine_is_answered() {
        assert_eq!(status("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:9417"), 200);
        assert_eq!(status("GET /metrics?x=1 HTTP/1.1\r\nhost: [::1]:9417"), 200);
        assert_eq!(status("GET /metrics HTTP/1.0"), 200);
        assert_eq!(status("GET /metrics HTTP/1.1\r\nHost: evil.example"), 403);
        assert_eq!(status("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1.evil.example"), 403);
        assert_eq!(status("GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: evil.example"), 403);
        assert_eq!(status("GET /metrics HTTP/1.1"), 400);
        assert_eq!(status("POST /metrics HTTP/1.1\r\nHost: localhost"), 405);
        assert_eq!(status("GET / HTTP/1.1\r\nHost: localhost"), 404);
        assert_eq!(status("GET /metrics HTTP/2\r\nHost: localhost"), 400);
        assert_eq!(status("\u{0}"), 400);
    }

    #[test]
    fn a_client_that_says_nothing_or_too_much_is_sent_away() {
        let listener = Listener::bind("127.0.0.1:0".parse().expect("an address"));
        assert!(listener.is_ok());
        let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = taken.local_addr().expect("it has one");
        let refused = Listener::bind(address).map(drop).unwrap_err();
        assert_eq!(exit::code_of(&refused), exit::BAD_INPUT);
        let serve = std::thread::spawn(move || answer(taken.accept().expect("a client").0, b"x"));
        let mut client = TcpStream::connect(address).expect("it listens");
        client.write_all(&vec![b'a'; HEAD + 2048]).expect("it reads");
        let mut told = String::new();
        // The rest may be cut off: what counts is that the answer ends.
        let _ = client.read_to_string(&mut told);
        serve.join().expect("no panic").ok();
        assert!(told.is_empty() || told.starts_with("HTTP/1.1 431"), "{told}");
    }
}

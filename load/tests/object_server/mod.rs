//! A small server of objects for tests: it keeps what is put, counts what is asked, and misbehaves where a path says so.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// A request as it came: method, path, headers in order, body.
#[derive(Debug, Clone)]
pub struct Asked {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }
}

/// Says whether a request may be.
pub type Check = fn(&Asked) -> Result<(), String>;

#[derive(Default)]
pub struct State {
    pub objects: Mutex<HashMap<String, Vec<u8>>>,
    /// Requests by method: GET, PUT, DELETE.
    pub asked: [AtomicU64; 3],
    pub connections: AtomicU64,
    /// Every connection is closed after an answer that did not say so.
    pub closes: AtomicBool,
    /// Why requests were refused.
    pub refused: Mutex<Vec<String>>,
}

impl State {
    pub fn count(&self, method: &str) -> u64 {
        self.asked[place(method)].load(Relaxed)
    }
}

fn place(method: &str) -> usize {
    ["GET", "PUT", "DELETE"].iter().position(|m| *m == method).expect("a method of the engine")
}

pub struct Server {
    pub address: SocketAddr,
    pub state: Arc<State>,
}

impl Server {
    /// Serves until the process ends.
    pub fn start(check: Check) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its number");
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                state.connections.fetch_add(1, Relaxed);
                std::thread::spawn(move || serve(stream, &state, check));
            }
        });
        Server { address, state }
    }
}

fn serve(stream: TcpStream, state: &State, check: Check) {
    let mut out = stream.try_clone().expect("a socket");
    let mut input = BufReader::new(stream);
    while let Some(asked) = read(&mut input) {
        state.asked[place(&asked.method)].fetch_add(1, Relaxed);
        let answer = match check(&asked) {
            Ok(()) => answer(&asked, state),
            Err(why) => {
                state.refused.lock().unwrap().push(why);
                plain(403, b"<Error/>")
            }
        };
        if out.write_all(&answer).is_err() || answer.is_empty() || state.closes.load(Relaxed) {
            return;
        }
    }
}

fn read(input: &mut impl BufRead) -> Option<Asked> {
    let mut line = String::new();
    input.read_line(&mut line).ok().filter(|n| *n > 0)?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        input.read_line(&mut line).ok()?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) => headers.push((name.to_owned(), value.to_owned())),
            None => break,
        }
    }
    let mut asked = Asked { method, path, headers, body: Vec::new() };
    let length = asked.header("content-length").and_then(|v| v.parse().ok()).unwrap_or(0);
    asked.body = vec![0; length];
    input.read_exact(&mut asked.body).ok()?;
    Some(asked)
}

fn plain(status: u16, body: &[u8]) -> Vec<u8> {
    let mut out = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
    out.extend_from_slice(body);
    out
}

fn answer(asked: &Asked, state: &State) -> Vec<u8> {
    // `/status-503...` answers so; `/gone...` not at all; `/short...` half an object; `/garbage...` no HTTP.
    if let Some(status) = asked.path.strip_prefix("/status-") {
        return plain(status[..3].parse().expect("a status"), b"no");
    }
    if asked.path.starts_with("/gone") {
        return Vec::new();
    }
    if asked.path.starts_with("/garbage") {
        return b"200 and all is well\n\n".to_vec();
    }
    let mut objects = state.objects.lock().unwrap();
    match asked.method.as_str() {
        "PUT" => {
            objects.insert(asked.path.clone(), asked.body.clone());
            // Without a length and without a body: 204.
            b"HTTP/1.1 204 No Content\r\n\r\n".to_vec()
        }
        "DELETE" => match objects.remove(&asked.path) {
            Some(_) => b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(),
            None => plain(404, b""),
        },
        _ => {
            let Some(object) = objects.get(&asked.path) else { return plain(404, b"<Error>NoSuchKey</Error>") };
            if let Some(range) = asked.header("range") {
                let (from, to) = range.strip_prefix("bytes=").and_then(|r| r.split_once('-')).expect("a range");
                let (from, to): (usize, usize) = (from.parse().unwrap(), to.parse().unwrap());
                return match object.get(from..(to + 1).min(object.len())) {
                    Some(part) => plain(206, part),
                    None => plain(416, b""),
                };
            }
            if asked.path.starts_with("/short") {
                return plain(200, &object[..object.len() / 2]);
            }
            if asked.path.starts_with("/chunked") {
                let mut out =
                    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
                for chunk in object.chunks(1000) {
                    out.extend(format!("{:x};x=y\r\n", chunk.len()).into_bytes());
                    out.extend_from_slice(chunk);
                    out.extend_from_slice(b"\r\n");
                }
                out.extend_from_slice(b"0\r\nTrailer: x\r\n\r\n");
                return out;
            }
            plain(200, object)
        }
    }
}

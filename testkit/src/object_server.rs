//! A small server of objects for tests: it keeps what is put, counts what is asked, and misbehaves where a path says so.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// A request as it came: method, path, headers in order, body.
#[derive(Debug, Clone)]
pub struct ObjectRequest {
    /// GET, PUT or DELETE.
    pub method: String,
    /// With its query.
    pub path: String,
    /// Names and values in their order.
    pub headers: Vec<(String, String)>,
    /// As many bytes as its `Content-Length` says.
    pub body: Vec<u8>,
}

impl ObjectRequest {
    /// The value of a header, whatever the case of its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }
}

/// Whether a request is allowed; else why not.
pub type RequestCheck = fn(&ObjectRequest) -> Result<(), String>;

/// What the server keeps and counts.
#[derive(Default)]
pub struct ObjectServerState {
    /// Objects by path.
    pub objects: Mutex<HashMap<String, Vec<u8>>>,
    /// Requests by method: GET, PUT, DELETE.
    pub requests: [AtomicU64; 3],
    /// Connections accepted.
    pub connections: AtomicU64,
    /// Every connection is closed after an answer that did not say so.
    pub closes: AtomicBool,
    /// Why requests were refused.
    pub refused: Mutex<Vec<String>>,
}

impl ObjectServerState {
    /// Requests of a method.
    pub fn count(&self, method: &str) -> u64 {
        self.requests[method_index(method)].load(Relaxed)
    }
}

fn method_index(method: &str) -> usize {
    ["GET", "PUT", "DELETE"].iter().position(|m| *m == method).expect("a method of the engine")
}

/// A server at work, until the process ends.
pub struct ObjectServer {
    /// Where it listens: 127.0.0.1 and a port of its own.
    pub address: SocketAddr,
    /// What it keeps and counts.
    pub state: Arc<ObjectServerState>,
}

impl ObjectServer {
    /// Serves until the process ends.
    pub fn start(check: RequestCheck) -> ObjectServer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its number");
        let state = Arc::new(ObjectServerState::default());
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                state.connections.fetch_add(1, Relaxed);
                std::thread::spawn(move || serve(stream, &state, check));
            }
        });
        ObjectServer { address, state }
    }
}

fn serve(stream: TcpStream, state: &ObjectServerState, check: RequestCheck) {
    let mut out = stream.try_clone().expect("a socket");
    let mut input = BufReader::new(stream);
    while let Some(request) = read(&mut input) {
        state.requests[method_index(&request.method)].fetch_add(1, Relaxed);
        let answer = match check(&request) {
            Ok(()) => answer(&request, state),
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

fn read(input: &mut impl BufRead) -> Option<ObjectRequest> {
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
    let mut request = ObjectRequest { method, path, headers, body: Vec::new() };
    let length = request.header("content-length").and_then(|v| v.parse().ok()).unwrap_or(0);
    request.body = vec![0; length];
    input.read_exact(&mut request.body).ok()?;
    Some(request)
}

fn plain(status: u16, body: &[u8]) -> Vec<u8> {
    let mut out = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
    out.extend_from_slice(body);
    out
}

fn answer(request: &ObjectRequest, state: &ObjectServerState) -> Vec<u8> {
    // `/status-503...` answers so; `/gone...` not at all; `/short...` half an object; `/garbage...` no HTTP.
    if let Some(status) = request.path.strip_prefix("/status-") {
        return plain(status[..3].parse().expect("a status"), b"no");
    }
    if request.path.starts_with("/gone") {
        return Vec::new();
    }
    if request.path.starts_with("/garbage") {
        return b"200 and all is well\n\n".to_vec();
    }
    let mut objects = state.objects.lock().unwrap();
    match request.method.as_str() {
        "PUT" => {
            objects.insert(request.path.clone(), request.body.clone());
            // Without a length and without a body: 204.
            b"HTTP/1.1 204 No Content\r\n\r\n".to_vec()
        }
        "DELETE" => match objects.remove(&request.path) {
            Some(_) => b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(),
            None => plain(404, b""),
        },
        _ => {
            let Some(object) = objects.get(&request.path) else { return plain(404, b"<Error>NoSuchKey</Error>") };
            if let Some(range) = request.header("range") {
                let (from, to) = range.strip_prefix("bytes=").and_then(|r| r.split_once('-')).expect("a range");
                let (from, to): (usize, usize) = (from.parse().unwrap(), to.parse().unwrap());
                return match object.get(from..(to + 1).min(object.len())) {
                    Some(part) => plain(206, part),
                    None => plain(416, b""),
                };
            }
            if request.path.starts_with("/short") {
                return plain(200, &object[..object.len() / 2]);
            }
            if request.path.starts_with("/chunked") {
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

//! Small object server for tests: it stores objects, counts requests, and misbehaves for certain paths.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Received request.
#[derive(Debug, Clone)]
pub struct ObjectRequest {
    /// Method: GET, PUT or DELETE.
    pub method: String,
    /// Path with its query.
    pub path: String,
    /// Names and values of the headers, in their order.
    pub headers: Vec<(String, String)>,
    /// Body, with the length given by `Content-Length`.
    pub body: Vec<u8>,
}

impl ObjectRequest {
    /// Returns the value of a header, ignoring the case of its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }
}

/// Function that checks if a request is allowed. The error is the reason why it is not.
pub type RequestCheck = fn(&ObjectRequest) -> Result<(), String>;

/// State and counters of the server.
#[derive(Default)]
pub struct ObjectServerState {
    /// Objects by path.
    pub objects: Mutex<HashMap<String, Vec<u8>>>,
    /// Number of requests by method: GET, PUT, DELETE.
    pub requests: [AtomicU64; 3],
    /// Number of accepted connections.
    pub connections: AtomicU64,
    /// True if the server closes every connection after an answer, without announcing it.
    pub closes: AtomicBool,
    /// Reasons why requests were rejected.
    pub refused: Mutex<Vec<String>>,
}

impl ObjectServerState {
    /// Returns the number of requests with this method.
    pub fn count(&self, method: &str) -> u64 {
        self.requests[method_index(method)].load(Relaxed)
    }
}

fn method_index(method: &str) -> usize {
    ["GET", "PUT", "DELETE"].iter().position(|m| *m == method).expect("a method of the engine")
}

/// Server that runs until the process ends.
pub struct ObjectServer {
    /// Address that the server listens on: 127.0.0.1 with a free port.
    pub address: SocketAddr,
    /// State and counters.
    pub state: Arc<ObjectServerState>,
}

impl ObjectServer {
    /// Starts a server that runs until the process ends.
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
            Err(reason) => {
                state.refused.lock().unwrap().push(reason);
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
    // Special paths: a request for `/status-503...` gets status 503, `/gone...` gets no answer, `/short...` gets half
    // an object, and `/garbage...` gets an answer that is not HTTP.
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
            // The answer 204 has neither a length nor a body.
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

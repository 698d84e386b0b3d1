//! HTTP/1.1 client for a witness. It opens a connection for each request, and limits the time and size of the request.
//! TLS is not supported: use a tunnel instead (book/src/guides/durable.md).

use super::{Acknowledge, Acknowledgement, ClientError, Knowledge, log::read_log};
use crate::experiment::Marker;
use serde::Serialize;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;
use uuid::Uuid;

/// Timeout for connecting, and for each read and each write.
const TIME: Duration = Duration::from_secs(5);
/// Maximum length of a response, in bytes.
const LONGEST: u64 = 64 << 20;

/// Client for one witness.
#[derive(Clone)]
pub struct Client {
    /// Address as given by the user.
    shown: String,
    addresses: Vec<SocketAddr>,
    token: Option<String>,
}

/// Formats the client without revealing its token.
impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Client({})", self.shown)
    }
}

impl Client {
    /// Resolves a witness's address `HOST:PORT`. Does not connect.
    ///
    /// # Errors
    /// Returns a clause with the reason if the text is not an address or the host name is unknown.
    pub fn new(witness: &str, token: Option<String>) -> Result<Client, String> {
        let addresses: Vec<SocketAddr> = witness
            .to_socket_addrs()
            .map_err(|e| format!("{}: expected HOST:PORT: {e}", model::clip(witness)))?
            .collect();
        if addresses.is_empty() {
            return Err(format!("{}: the name has no address", model::clip(witness)));
        }
        Ok(Client { shown: witness.to_owned(), addresses, token })
    }

    fn away(&self, why: impl ToString) -> ClientError {
        ClientError::Away { shown: self.shown.clone(), why: why.to_string() }
    }

    fn connect(&self) -> io::Result<TcpStream> {
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in &self.addresses {
            match TcpStream::connect_timeout(address, TIME) {
                Ok(stream) => {
                    stream.set_read_timeout(Some(TIME))?;
                    stream.set_write_timeout(Some(TIME))?;
                    stream.set_nodelay(true)?;
                    return Ok(stream);
                }
                Err(e) => last = e,
            }
        }
        Err(last)
    }

    /// Sends a request and returns the body of the response.
    fn ask(&self, method: &str, path: &str, body: &[u8]) -> Result<Vec<u8>, ClientError> {
        let asked = || {
            let mut stream = self.connect()?;
            // The `Host` header contains the resolved address, not the host name.
            let host = stream.peer_addr()?;
            let token = self.token.as_ref().map(|t| format!("Authorization: Bearer {t}\r\n")).unwrap_or_default();
            let head = format!(
                "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{token}Content-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            stream.write_all(&[head.as_bytes(), body].concat())?;
            let mut answer = Vec::new();
            stream.take(LONGEST + 1).read_to_end(&mut answer)?;
            Ok(answer)
        };
        let answer = asked().map_err(|e: io::Error| self.away(e))?;
        let (status, body) = read_answer(&answer).map_err(|why| self.away(why))?;
        if status == 200 {
            return Ok(body.to_vec());
        }
        let reason = String::from_utf8_lossy(body);
        let reason = model::clip(reason.trim());
        // A server with an internal error may recover later.
        if status == 500 {
            return Err(self.away(reason));
        }
        Err(ClientError::Refused { shown: self.shown.clone(), status, why: reason })
    }

    fn post(&self, path: &str, what: &impl Serialize) -> Result<(), ClientError> {
        let body = serde_json::to_vec(what).map_err(|e| self.away(e))?;
        self.ask("POST", path, &body).map(drop)
    }

    /// Reports the beginning of a run.
    ///
    /// # Errors
    /// Returns a [`ClientError`] if the request fails.
    pub fn begin(&self, marker: &Marker) -> Result<(), ClientError> {
        self.post("/begin", marker)
    }

    /// Reports the removal of a run's directory.
    ///
    /// # Errors
    /// Returns a [`ClientError`] if the request fails.
    pub fn forget(&self, run: Uuid) -> Result<(), ClientError> {
        self.post("/forget", &run)
    }

    /// Fetches the witness's records of a run.
    ///
    /// # Errors
    /// Returns a [`ClientError`] if the request fails.
    pub fn knowledge(&self, run: Uuid) -> Result<Knowledge, ClientError> {
        let bytes = self.ask("GET", &format!("/runs/{run}"), b"")?;
        match read_log(&bytes) {
            Some((knowledge, whole)) if whole == bytes.len() => Ok(knowledge),
            _ => Err(self.away("its response is not the file of a run")),
        }
    }
}

impl Acknowledge for Client {
    fn acknowledge(&mut self, told: &Acknowledgement) -> Result<(), ClientError> {
        self.post("/acknowledge", told)
    }
}

/// Parses a complete response into its status and its body.
fn read_answer(answer: &[u8]) -> Result<(u16, &[u8]), String> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut head = httparse::Response::new(&mut headers);
    let end = match head.parse(answer).map_err(|e| format!("its response is not HTTP: {e}"))? {
        httparse::Status::Complete(end) => end,
        httparse::Status::Partial => return Err("its response is truncated".to_owned()),
    };
    let body = &answer[end..];
    let length = head.headers.iter().find(|h| h.name.eq_ignore_ascii_case("content-length"));
    let length = length.and_then(|h| std::str::from_utf8(h.value).ok()?.trim().parse::<usize>().ok());
    match (head.code, length) {
        (Some(status), Some(length)) if length == body.len() => Ok((status, body)),
        (Some(_), Some(_)) => Err("its response is truncated".to_owned()),
        _ => Err("its response has no length".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::net::TcpListener;

    /// Starts a server that answers a single request with this response.
    fn saying(answer: &'static [u8]) -> (Client, std::thread::JoinHandle<Vec<u8>>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound").to_string();
        let thread = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            let mut asked = vec![0; 65536];
            let len = stream.read(&mut asked).expect("it asks");
            stream.write_all(answer).expect("it listens");
            asked.truncate(len);
            asked
        });
        (Client::new(&address, Some("secret".into())).expect("an address"), thread)
    }

    #[test]
    fn a_refusal_is_told_from_one_who_is_away() {
        let (client, _) = saying(b"HTTP/1.1 401 No\r\nContent-Length: 9\r\n\r\nno token\n");
        let error = client.forget(Uuid::nil()).expect_err("refused");
        assert!(
            matches!(error, ClientError::Refused { status: 401, .. }) && error.to_string().contains("no token"),
            "{error}"
        );
        for answer in [
            &b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nkep"[..],
            b"HTTP/1.1 200",
            b"SSH-2.0-x\r\n",
            b"",
            b"HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n",
        ] {
            let (client, _) = saying(answer);
            let error = client.forget(Uuid::nil()).expect_err("broken");
            assert!(matches!(error, ClientError::Away { .. }), "{error}");
        }
        let (client, asked) = saying(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nkept\n");
        client.forget(Uuid::nil()).expect("kept");
        let asked = String::from_utf8(asked.join().expect("it ends")).expect("text");
        assert!(
            asked.starts_with("POST /forget HTTP/1.1\r\nHost: 127.0.0.1:")
                && asked.contains("Authorization: Bearer secret\r\n"),
            "{asked}"
        );
        assert_eq!(format!("{client:?}").matches("secret").count(), 0);
    }

    #[test]
    fn what_is_no_address_is_said() {
        for wrong in ["", "host", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000"] {
            assert!(Client::new(wrong, None).expect_err(wrong).contains("HOST:PORT"), "{wrong}");
        }
        let gone = Client::new("127.0.0.1:1", None).expect("an address").forget(Uuid::nil()).expect_err("nobody");
        assert!(matches!(gone, ClientError::Away { .. }));
    }

    proptest! {
        #[test]
        fn no_answer_makes_the_reader_panic(answer: Vec<u8>) {
            let _ = read_answer(&answer);
        }
    }
}

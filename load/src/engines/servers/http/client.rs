//! HTTP/1.1 over one persistent connection: one request at a time, with bodies sent from and read into the caller's
//! buffer.
//!
//! The client is deliberately small. The measurement is about the server, so the path between request and socket
//! allocates and copies as little as possible.

use super::security::Tls;
use std::io::{self, IoSlice, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;
use sys::errno;

/// Timeout for establishing a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Timeout for an inactive connection, on which the server neither sends nor accepts a byte.
const SILENCE: Duration = Duration::from_secs(30);
/// Maximum size of a response head, in bytes.
const LARGEST_HEAD: usize = 64 << 10;
/// Maximum number of response headers.
const MOST_HEADERS: usize = 64;
/// Size of one read when data is discarded, in bytes.
const PIECE: usize = 16 << 10;

/// Response of a server, after its body has been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// Length of the body, in bytes, including bytes that did not fit into the caller's buffer.
    pub(super) length: u64,
}

/// Connection to one server, established on demand.
pub(super) struct Client {
    /// Address from `http_host`, with a port.
    address: String,
    connector: Connector,
    link: Option<Link>,
    /// Bytes that have been read but not consumed.
    input: Vec<u8>,
    used: usize,
}

impl Client {
    /// Creates a client. `host` may include a port after a colon.
    ///
    /// # Errors
    /// Returns an error if the system's certificates cannot be read.
    pub(super) fn new(host: &str, tls: Tls) -> io::Result<Client> {
        let port = if tls == Tls::Off { 80 } else { 443 };
        // The colons of an IPv6 address are in brackets.
        let named = host.rsplit_once(':').is_some_and(|(_, p)| !p.contains(']') && p.parse::<u16>().is_ok());
        let address = if named { host.to_owned() } else { format!("{host}:{port}") };
        let connector = Connector::new(host, named, tls)?;
        Ok(Client { address, connector, link: None, input: Vec::with_capacity(LARGEST_HEAD), used: 0 })
    }

    /// Connects unless a connection is open. Returns `true` for a new connection.
    ///
    /// # Errors
    /// Returns an error if no address of the server accepts the connection in time.
    pub(super) fn connect(&mut self) -> io::Result<bool> {
        if self.link.is_some() {
            return Ok(false);
        }
        let mut last = io::Error::new(io::ErrorKind::NotFound, "the host name has no address");
        for address in self.address.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, CONNECT) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    stream.set_read_timeout(Some(SILENCE))?;
                    stream.set_write_timeout(Some(SILENCE))?;
                    self.link = Some(self.connector.over(stream)?);
                    self.input.clear();
                    self.used = 0;
                    return Ok(true);
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Sends a request and reads the response. `head` includes the final empty line. The body of a successful response
    /// is stored in `into`; bytes that do not fit are discarded.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached, does not respond, or does not speak HTTP. If the server closed
    /// a persistent connection, the client reconnects once.
    pub(super) fn ask(&mut self, head: &[u8], body: &[u8], into: &mut [u8]) -> io::Result<Answer> {
        let mut fresh = self.connect()?;
        loop {
            match self.exchange(head, body, into) {
                Ok((answer, keep)) => {
                    if !keep {
                        self.link = None;
                    }
                    return Ok(answer);
                }
                Err(error) => {
                    self.link = None;
                    if fresh || !(was_closed(&error) && self.input.is_empty()) {
                        return Err(error);
                    }
                    fresh = self.connect()?;
                }
            }
        }
    }

    fn exchange(&mut self, head: &[u8], body: &[u8], into: &mut [u8]) -> io::Result<(Answer, bool)> {
        self.input.clear();
        self.used = 0;
        let sent = self.send(head, body);
        // A server that rejects a request may respond and close before it has read everything.
        let (status, framing, keep) = match (sent, self.head()) {
            (Err(error), Err(_)) => return Err(error),
            (sent, answer) => {
                let (status, framing, keep) = answer?;
                (status, framing, keep && sent.is_ok())
            }
        };
        let into = if (200..300).contains(&status) { into } else { &mut [] };
        let length = match framing {
            Framing::Length(length) => self.body(length, into)?,
            Framing::Chunks => self.chunks(into)?,
            Framing::Close => self.rest(into)?,
        };
        Ok((Answer { status, length }, keep && framing != Framing::Close))
    }

    fn send(&mut self, mut head: &[u8], mut body: &[u8]) -> io::Result<()> {
        let link = self.link.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        while !head.is_empty() || !body.is_empty() {
            let sent = match link.write_vectored(&[IoSlice::new(head), IoSlice::new(body)]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(sent) => sent,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let of_head = sent.min(head.len());
            head = &head[of_head..];
            body = &body[sent - of_head..];
        }
        link.flush()
    }

    /// Reads more data after the existing input. Returns 0 at the end of the stream.
    fn more(&mut self, most: usize) -> io::Result<usize> {
        let link = self.link.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        let at = self.input.len();
        self.input.resize(at + most, 0);
        let read = read(link, &mut self.input[at..]);
        self.input.truncate(at + *read.as_ref().unwrap_or(&0));
        read
    }

    /// Reads the head of the response: status, framing of the body, and `true` if the connection persists. Interim
    /// responses (1xx) are skipped.
    fn head(&mut self) -> io::Result<(u16, Framing, bool)> {
        loop {
            let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
            let mut answer = httparse::Response::new(&mut headers);
            match answer.parse(&self.input[self.used..]).map_err(|e| garbled(&e.to_string()))? {
                httparse::Status::Complete(length) => {
                    let status = answer.code.unwrap_or(0);
                    let (framing, keep) = framing(&answer);
                    self.used += length;
                    if status >= 200 {
                        let none = status == 204 || status == 304;
                        return Ok((status, if none { Framing::Length(0) } else { framing }, keep));
                    }
                }
                httparse::Status::Partial if self.input.len() - self.used > LARGEST_HEAD => {
                    return Err(garbled("its header has no end"));
                }
                httparse::Status::Partial => {
                    if self.more(PIECE)? == 0 {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
            }
        }
    }

    /// Consumes the bytes that were read with the head, then reads the rest from the socket directly into its
    /// destination.
    fn body(&mut self, length: u64, into: &mut [u8]) -> io::Result<u64> {
        let mut done = 0u64;
        while done < length {
            let (room, left) = (into.get_mut(done as usize..).unwrap_or_default(), length - done);
            let buffered = &self.input[self.used..];
            if !buffered.is_empty() {
                let taken = (buffered.len() as u64).min(left) as usize;
                let kept = taken.min(room.len());
                room[..kept].copy_from_slice(&buffered[..kept]);
                self.used += taken;
                done += taken as u64;
                continue;
            }
            let link = self.link.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            let read = if room.is_empty() {
                let mut waste = [0; PIECE];
                read(link, &mut waste[..left.min(PIECE as u64) as usize])?
            } else {
                let most = (room.len() as u64).min(left) as usize;
                read(link, &mut room[..most])?
            };
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            done += read as u64;
        }
        Ok(length)
    }

    fn chunks(&mut self, into: &mut [u8]) -> io::Result<u64> {
        let mut done = 0u64;
        loop {
            let length = loop {
                match httparse::parse_chunk_size(&self.input[self.used..]) {
                    Ok(httparse::Status::Complete((begin, length))) => {
                        self.used += begin;
                        break length;
                    }
                    Ok(httparse::Status::Partial) if self.input.len() - self.used < LARGEST_HEAD => {
                        if self.more(PIECE)? == 0 {
                            return Err(io::ErrorKind::UnexpectedEof.into());
                        }
                    }
                    _ => return Err(garbled("a chunk without a length")),
                }
            };
            if length == 0 {
                return self.trailer().map(|()| done);
            }
            self.body(length, into.get_mut(done as usize..).unwrap_or_default())?;
            done += length;
            // Consumes the line end after a chunk, and drops the consumed input.
            self.body(2, &mut [])?;
            self.input.drain(..self.used);
            self.used = 0;
        }
    }

    /// Skips trailing headers after the last chunk, and the empty line.
    fn trailer(&mut self) -> io::Result<()> {
        loop {
            let buffered = &self.input[self.used..];
            let line = buffered.windows(2).position(|w| w == b"\r\n");
            match line {
                Some(length) => {
                    self.used += length + 2;
                    if length == 0 {
                        return Ok(());
                    }
                }
                None if buffered.len() > LARGEST_HEAD => return Err(garbled("a trailer without an end")),
                None if self.more(PIECE)? == 0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                None => {}
            }
        }
    }

    /// Reads a body that ends when the server closes the connection.
    fn rest(&mut self, into: &mut [u8]) -> io::Result<u64> {
        let buffered = &self.input[self.used..];
        let kept = buffered.len().min(into.len());
        into[..kept].copy_from_slice(&buffered[..kept]);
        let mut done = buffered.len() as u64;
        let link = self.link.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        loop {
            let mut waste = [0; PIECE];
            let read = match into.get_mut(done as usize..) {
                Some(room) if !room.is_empty() => read(link, room)?,
                _ => read(link, &mut waste)?,
            };
            if read == 0 {
                return Ok(done);
            }
            done += read as u64;
        }
    }
}

/// Framing of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Framing {
    Length(u64),
    Chunks,
    Close,
}

/// Returns the framing of the body, and `true` if the connection persists.
fn framing(answer: &httparse::Response<'_, '_>) -> (Framing, bool) {
    let (mut framing, mut keep) = (Framing::Close, answer.version == Some(1));
    for header in answer.headers.iter() {
        let value = || std::str::from_utf8(header.value).unwrap_or("").trim();
        let says = |word: &str| value().split(',').any(|part| part.trim().eq_ignore_ascii_case(word));
        if header.name.eq_ignore_ascii_case("transfer-encoding") && says("chunked") {
            framing = Framing::Chunks;
        } else if header.name.eq_ignore_ascii_case("content-length") && framing != Framing::Chunks {
            framing = value().parse().map_or(framing, Framing::Length);
        } else if header.name.eq_ignore_ascii_case("connection") {
            keep = (keep || says("keep-alive")) && !says("close");
        }
    }
    (framing, keep)
}

fn garbled(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the answer is not HTTP: {what}"))
}

fn was_closed(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof, WriteZero};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof | WriteZero)
}

fn read(link: &mut Link, into: &mut [u8]) -> io::Result<usize> {
    loop {
        match link.read(into) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// Returns the negative errno of a transport error.
pub(super) fn errno_of(error: &io::Error) -> i32 {
    use io::ErrorKind;
    // A socket reports a timeout as EAGAIN.
    -error.raw_os_error().filter(|code| *code != errno::EAGAIN).unwrap_or(match error.kind() {
        ErrorKind::TimedOut | ErrorKind::WouldBlock => errno::ETIMEDOUT,
        _ if was_closed(error) => errno::ECONNRESET,
        _ => errno::EIO,
    })
}

#[cfg(not(feature = "https"))]
mod link {
    use crate::engines::servers::http::security::Tls;
    use std::io;
    use std::net::TcpStream;

    pub(super) type Link = TcpStream;

    /// Connector without the feature `https`: nothing is encrypted.
    pub(super) struct Connector;

    impl Connector {
        pub(super) fn new(_host: &str, _named: bool, tls: Tls) -> io::Result<Connector> {
            match tls {
                Tls::Off => Ok(Connector),
                Tls::Checked | Tls::Unchecked => Err(io::ErrorKind::Unsupported.into()),
            }
        }

        pub(super) fn over(&self, stream: TcpStream) -> io::Result<TcpStream> {
            Ok(stream)
        }
    }
}

#[cfg(feature = "https")]
use super::tls as link;
use link::{Connector, Link};

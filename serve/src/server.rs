//! Listening socket and connections, with limits on both.

use crate::answer::{Answer, Handler, Request};
use crate::guard::{Guard, Verdict};
#[cfg(feature = "tls")]
use crate::tls::Tls;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

/// Maximum number of open connections. Further connections wait to be accepted.
const CONNECTIONS: usize = 128;
/// Maximum number of answers that are prepared at the same time. Further requests wait.
const ANSWERS: usize = 2;
/// Time limit for receiving the head of a request, and for the TLS handshake.
const HEAD_TIME: Duration = Duration::from_secs(5);
/// Maximum size of the head of a request, in bytes.
const HEAD: usize = 16 << 10;
/// Maximum number of headers in a request.
const HEADERS: usize = 64;
/// Time limit for receiving the body of a request.
const TOLD_TIME: Duration = Duration::from_secs(10);
/// Time limit for a connection, from its first byte to its last.
const WHOLE_TIME: Duration = Duration::from_secs(180);
/// Time limit for sending pending answers when the server stops.
const FAREWELL: Duration = Duration::from_secs(2);
/// Pause after a connection could not be accepted. This happens if the process has no free descriptors.
const EXHAUSTED: Duration = Duration::from_millis(200);

/// Server that is bound to an address but does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    guard: Guard,
    #[cfg(feature = "tls")]
    tls: Option<Tls>,
    stop: watch::Sender<bool>,
}

/// Error from binding to an address.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Another program uses the address.
    #[error("{0} is in use by another program (another secchi?); use another port, or port 0 for any free port")]
    Taken(SocketAddr),
    /// Any other error.
    #[error("cannot listen on {address}: {source}")]
    Other {
        /// Requested address.
        address: SocketAddr,
        /// Error returned by the system.
        source: io::Error,
    },
}

/// Handle that stops a server from another thread.
#[derive(Debug, Clone)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// Stops accepting connections; pending answers are still sent.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Binds to an address.
    ///
    /// # Errors
    /// Returns an error if the address cannot be bound.
    pub fn bind(address: SocketAddr, guard: Guard) -> Result<Server, BindError> {
        let other = |source| BindError::Other { address, source };
        let listener = match TcpListener::bind(address) {
            Err(e) if e.kind() == io::ErrorKind::AddrInUse => return Err(BindError::Taken(address)),
            other_result => other_result.map_err(other)?,
        };
        listener.set_nonblocking(true).map_err(other)?;
        Ok(Server {
            listener,
            guard,
            #[cfg(feature = "tls")]
            tls: None,
            stop: watch::Sender::new(false),
        })
    }

    /// Accepts only TLS connections.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn with_tls(self, tls: Tls) -> Server {
        Server { tls: Some(tls), ..self }
    }

    /// Returns the address that the server is bound to. If port 0 was requested, the address contains the port that the
    /// system chose.
    ///
    /// # Errors
    /// Returns an error if the system cannot report the address.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Returns a handle that stops this server.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    /// Answers requests on this thread until the server is stopped. The handler runs on at most two more threads.
    ///
    /// # Errors
    /// Returns an error if the runtime or the listener cannot be created.
    pub fn run(self, handler: impl Handler) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(ANSWERS)
            .thread_keep_alive(Duration::from_secs(30))
            .thread_name("answers")
            .build()?;
        runtime.block_on(self.accept(Arc::new(handler)))
    }

    async fn accept<H: Handler>(self, handler: Arc<H>) -> io::Result<()> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let connections = Arc::new(Semaphore::new(CONNECTIONS));
        let door = Arc::new(ConnectionContext { guard: self.guard, handler, answers: Semaphore::new(ANSWERS) });
        let mut stopped = self.stop.subscribe();
        loop {
            let permit = Arc::clone(&connections).acquire_owned();
            let arrived = async { (permit.await, listener.accept().await) };
            let (permit, accepted) = tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => break,
                arrived = arrived => arrived,
            };
            let (Ok(permit), Ok((stream, _))) = (permit, accepted) else {
                tokio::time::sleep(EXHAUSTED).await;
                continue;
            };
            let door = Arc::clone(&door);
            #[cfg(feature = "tls")]
            let tls = self.tls.clone();
            tokio::spawn(async move {
                // Nothing to do if the client disconnected or was too slow.
                let _ = timeout(WHOLE_TIME, async {
                    #[cfg(feature = "tls")]
                    if let Some(Tls(acceptor)) = tls {
                        if let Ok(Ok(stream)) = timeout(HEAD_TIME, acceptor.accept(stream)).await {
                            door.serve(stream).await;
                        }
                        return;
                    }
                    door.serve(stream).await;
                })
                .await;
                drop(permit);
            });
        }
        drop(listener);
        let permits = u32::try_from(CONNECTIONS).unwrap_or(u32::MAX);
        let _ = timeout(FAREWELL, connections.acquire_many(permits)).await;
        Ok(())
    }
}

/// Shared state of all connections.
struct ConnectionContext<H> {
    guard: Guard,
    handler: Arc<H>,
    answers: Semaphore,
}

impl<H: Handler> ConnectionContext<H> {
    async fn serve(self: Arc<Self>, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let service = service_fn(|request: hyper::Request<Incoming>| {
            let door = Arc::clone(&self);
            async move {
                let (head, body) = request.into_parts();
                Ok::<_, Infallible>(door.answer(head, body).await)
            }
        });
        // Hyper itself answers requests that violate HTTP.
        let _ = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIME)
            .max_headers(HEADERS)
            .max_buf_size(HEAD)
            .keep_alive(false)
            .serve_connection(TokioIo::new(stream), service)
            .await;
    }

    async fn answer(&self, head: Parts, body: Incoming) -> Response<Full<Bytes>> {
        match self.guard.judge(&head) {
            Verdict::Refuse(refusal) => {
                let mut response = respond(self.handler.refused(&refusal));
                let headers = response.headers_mut();
                match refusal.status {
                    405 => headers.insert(header::ALLOW, HeaderValue::from_static(self.guard.methods())),
                    401 => headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")),
                    _ => None,
                };
                response
            }
            Verdict::SignIn { cookie, to } => {
                let mut response = respond(Answer::text(303, "this way"));
                let mut put = |name, value: &str| {
                    if let Ok(value) = HeaderValue::from_str(value) {
                        response.headers_mut().insert(name, value);
                    }
                };
                put(header::SET_COOKIE, &cookie);
                put(header::LOCATION, &to);
                response
            }
            Verdict::Pass => respond(match self.read_body(&head, body).await {
                Ok(body) => self.ask(&head, body).await,
                Err(refusal) => refusal,
            }),
        }
    }

    /// Reads the body of a POST request, limited in size and time.
    async fn read_body(&self, head: &Parts, body: Incoming) -> Result<Option<Vec<u8>>, Answer> {
        if head.method != Method::POST {
            return Ok(None);
        }
        let most = usize::try_from(self.guard.most_told()).unwrap_or(0);
        match timeout(TOLD_TIME, Limited::new(body, most).collect()).await {
            Ok(Ok(body)) => Ok(Some(body.to_bytes().to_vec())),
            Ok(Err(_)) => Err(Answer::text(400, "the body does not match its declared length")),
            Err(_) => Err(Answer::text(408, "the body did not arrive in time")),
        }
    }

    /// Waits until fewer than [`ANSWERS`] answers are being prepared, then calls the handler.
    async fn ask(&self, head: &Parts, body: Option<Vec<u8>>) -> Answer {
        let query = head.uri.query().unwrap_or_default();
        let query = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let accept: Vec<&str> = head.headers.get_all(header::ACCEPT).iter().filter_map(|v| v.to_str().ok()).collect();
        let request = Request { path: head.uri.path().to_owned(), query, accept: accept.join(","), told: body };
        let Ok(_turn) = self.answers.acquire().await else { return lost() };
        let handler = Arc::clone(&self.handler);
        tokio::task::spawn_blocking(move || handler.answer(&request)).await.unwrap_or_else(|_| lost())
    }
}

fn lost() -> Answer {
    Answer::text(500, "the request failed inside secchi")
}

/// Headers of every answer. They forbid MIME sniffing, caching, framing and sending the referrer.
const ALWAYS: &[(&str, &str)] = &[
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];
const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'";

fn respond(answer: Answer) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(answer.body)));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    for (name, value) in ALWAYS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(answer.kind));
    let policy = answer.policy.and_then(|p| HeaderValue::from_str(&p).ok());
    headers.insert(header::CONTENT_SECURITY_POLICY, policy.unwrap_or(HeaderValue::from_static(NOTHING)));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::Token;
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::thread::JoinHandle;
    use std::time::Instant;

    /// Handler that returns the request as text, or 8 MiB of data for `/large`.
    struct Echo;

    impl Handler for Echo {
        fn answer(&self, request: &Request) -> Answer {
            if request.path == "/large" {
                return Answer::text(200, &"x".repeat(8 << 20));
            }
            let body = request.told.as_ref().map(|body| String::from_utf8_lossy(body).into_owned());
            Answer::text(200, &format!("{} {:?}{}", request.path, request.query, body.unwrap_or_default()))
        }
    }

    struct Up {
        address: SocketAddr,
        stopper: Stopper,
        thread: Option<JoinHandle<io::Result<()>>>,
    }

    impl Up {
        fn new(guard: Guard) -> Up {
            let server = Server::bind("127.0.0.1:0".parse().expect("an address"), guard).expect("a free port");
            let (address, stopper) = (server.address().expect("bound"), server.stopper());
            Up { address, stopper, thread: Some(std::thread::spawn(move || server.run(Echo))) }
        }

        fn connect(&self) -> TcpStream {
            let stream = TcpStream::connect(self.address).expect("it listens");
            stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
            stream
        }

        fn ask(&self, request: &str) -> String {
            let mut stream = self.connect();
            // The server may close the connection before everything is sent.
            let _ = stream.write_all(request.as_bytes());
            let mut text = Vec::new();
            let _ = stream.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        }
    }

    impl Drop for Up {
        fn drop(&mut self) {
            self.stopper.stop();
            let ended = self.thread.take().expect("ended once").join();
            assert!(ended.is_ok_and(|r| r.is_ok()), "it ends when it is told to");
        }
    }

    #[test]
    fn a_request_is_answered_and_nothing_may_be_made_of_the_answer() {
        let up = Up::new(Guard::open());
        let answer = up.ask("GET /a?b=%2F&b=c HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.ends_with("/a [(\"b\", \"/\"), (\"b\", \"c\")]\n"), "{answer}");
        for header in
            ["connection: close", "x-content-type-options: nosniff", "content-security-policy: default-src 'none'"]
        {
            assert!(answer.contains(header), "{header}: {answer}");
        }
        let head = up.ask("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && head.ends_with("\r\n\r\n"), "{head}");
    }

    #[test]
    fn whoever_is_turned_away_is_told_how_it_would_be_right() {
        let up = Up::new(Guard::local(Token::new().expect("randomness")));
        let answer = up.ask("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc");
        assert!(answer.starts_with("HTTP/1.1 405 ") && answer.contains("allow: GET, HEAD"), "{answer}");
        let answer = up.ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 401 ") && answer.contains("www-authenticate: Bearer"), "{answer}");
    }

    #[test]
    fn what_is_told_comes_whole_or_is_not_heard() {
        let token = Token::new().expect("randomness");
        let up = Up::new(Guard::open().told_by(token.clone(), 1000));
        let post = |length: usize, body: &str| {
            up.ask(&format!(
                "POST /a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Length: {length}\r\n\r\n{body}",
                token.as_str()
            ))
        };
        let answer = post(4, "abcd");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("/a []abcd\n"), "{answer}");
        assert!(post(1001, "").starts_with("HTTP/1.1 413 "));
        let mut stream = up.connect();
        let head = format!(
            "POST /a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Length: 9\r\n\r\nab",
            token.as_str()
        );
        stream.write_all(head.as_bytes()).expect("it reads");
        stream.shutdown(std::net::Shutdown::Write).expect("it ends");
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text);
        assert!(!text.starts_with("HTTP/1.1 200"), "{text}");
        let answer = up.ask("PUT /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 405 ") && answer.contains("allow: GET, HEAD, POST"), "{answer}");
    }

    #[test]
    fn heads_that_are_too_long_or_no_heads_are_refused() {
        let up = Up::new(Guard::open());
        let long = up.ask(&format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "a".repeat(HEAD * 2)));
        assert!(long.is_empty() || long.starts_with("HTTP/1.1 431 "), "{long}");
        let many: String = (0..HEADERS + 1).map(|i| format!("X-{i}: 1\r\n")).collect();
        let many = up.ask(&format!("GET / HTTP/1.1\r\nHost: localhost\r\n{many}\r\n"));
        assert!(many.starts_with("HTTP/1.1 431 "), "{many}");
        let none = up.ask("\u{0}\r\n\r\n");
        assert!(none.is_empty() || none.starts_with("HTTP/1.1 400 "), "{none}");
        // The server still answers.
        assert!(up.ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").starts_with("HTTP/1.1 200 "));
    }

    #[test]
    fn those_who_say_nothing_or_read_nothing_keep_nobody_else_waiting() {
        let up = Up::new(Guard::open());
        let mut silent: Vec<TcpStream> = (0..40).map(|_| up.connect()).collect();
        for stream in &mut silent {
            stream.write_all(b"GET / HTTP/1.1\r\nHost: lo").expect("it reads");
        }
        let deaf: Vec<TcpStream> = (0..8).map(|_| up.connect()).collect();
        for mut stream in &deaf {
            stream.write_all(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("it reads");
        }
        let since = Instant::now();
        assert!(up.ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").starts_with("HTTP/1.1 200 "));
        assert!(since.elapsed() < WHOLE_TIME / 2, "{:?}", since.elapsed());
        // The silent clients are disconnected, too.
        let mut text = Vec::new();
        let _ = silent[0].read_to_end(&mut text);
        assert!(since.elapsed() < WHOLE_TIME / 2, "{:?}", since.elapsed());
    }

    #[test]
    fn a_taken_port_is_said_to_be_one() {
        let up = Up::new(Guard::open());
        let error = Server::bind(up.address, Guard::open()).expect_err("taken").to_string();
        assert!(error.contains("in use by another program"), "{error}");
    }
}

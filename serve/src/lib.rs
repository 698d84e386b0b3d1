//! Small HTTP server that serves pages and figures to a browser and receives reports for a witness. It accepts only
//! GET and HEAD, unless a token permits POST ([`Guard::told_by`]).
//!
//! A [`Handler`] supplies the answers. This crate decides which requests are answered, how long a client may take and
//! how many requests run at a time (docs/design/security.md, "Pages for a browser"). Each connection carries one
//! request, so that our timeouts cannot conflict with a client's keep-alive. This crate does not depend on runs, reads
//! no environment variables and prints nothing.
//!
//! # Example
//!
//! ```
//! use serve::{Answer, Guard, Handler, Request, Server};
//! use std::io::Write;
//!
//! struct Paths;
//!
//! impl Handler for Paths {
//!     fn answer(&self, request: &Request) -> Answer { Answer::text(200, &request.path) }
//! }
//!
//! let server = Server::bind("127.0.0.1:0".parse()?, Guard::open())?;
//! let (address, stopper) = (server.address()?, server.stopper());
//! let thread = std::thread::spawn(move || server.run(Paths));
//!
//! let mut client = std::net::TcpStream::connect(address)?;
//! client.write_all(b"GET /runs HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
//! let answer = std::io::read_to_string(client)?;
//! assert!(answer.ends_with("\r\n\r\n/runs\n"));
//!
//! stopper.stop();
//! thread.join().expect("the server does not panic")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod guard;
mod server;
#[cfg(feature = "tls")]
mod tls;
mod token;

pub use answer::{Answer, Handler, Request};
pub use guard::{Guard, Refusal};
pub use server::{BindError, Server, Stopper};
#[cfg(feature = "tls")]
pub use tls::{Tls, TlsError};
pub use token::Token;

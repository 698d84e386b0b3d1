//! Small HTTP server that serves pages and figures to a browser and receives reports for a witness. It accepts only
//! GET and HEAD, unless a token permits POST ([`Guard::told_by`]).
//!
//! A [`Handler`] supplies the answers. This crate decides which requests are answered, how long a client may take and
//! how many requests run at a time (docs/design/security.md, "Pages for a browser"). Each connection carries one
//! request, so that our timeouts cannot conflict with a client's keep-alive. This crate does not depend on runs, reads
//! no environment variables and prints nothing.

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

//! Pages and figures for a browser on this machine, and what a witness is told: a small HTTP server that only reads, unless a token
//! lets somebody tell something ([`Guard::told_by`]).
//!
//! What is answered comes from a [`Handler`]; who is answered, how long anybody may take and how much may go on at a time is
//! decided here (docs/design/security.md, "Pages for a browser"). One request a connection: so no time-out of ours is
//! another's keep-alive. This crate knows nothing of runs, reads no environment, prints nothing.

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

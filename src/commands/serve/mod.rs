//! `secchi serve`: shows the runs of a store in a browser. The crate `serve` handles requests and access, `report`
//! writes the pages, and this module connects them.

#[cfg(feature = "serve")]
mod dashboard;
#[cfg(feature = "serve")]
mod following;
#[cfg(feature = "serve")]
mod metrics;
#[cfg(feature = "serve")]
mod pages;
#[cfg(feature = "serve")]
mod source;

use anyhow::Result;
use cli::Serve;
use session::exit::{self, Code, coded};
#[cfg(feature = "tls")]
use session::inputs;
use session::reject;

pub fn run(options: &Serve) -> Result<Code> {
    check(options)?;
    serve(options)
}

/// Checks the options that can be checked without opening anything.
fn check(options: &Serve) -> Result<()> {
    let (address, local) = (options.listen, options.listen.ip().is_loopback());
    if local && options.allow_remote {
        reject!(
            "--allow-remote: --listen {address} is a loopback address; use an address that other machines can reach"
        );
    }
    if !local && !options.allow_remote {
        reject!(
            "--listen {address}: other machines can reach this address, which requires --allow-remote and TLS \
             (--tls-cert, --tls-key); or listen on 127.0.0.1 and connect through a tunnel (ssh -L)"
        );
    }
    if !local && options.tls_cert.is_none() {
        reject!(
            "--listen {address}: without TLS, the token could be read on the network; give --tls-cert and --tls-key"
        );
    }
    if !local && options.listen.ip().is_multicast() {
        reject!("--listen {address}: this is a multicast address, not an address of this machine");
    }
    let good = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
    if let Some(host) = options.hosts.iter().find(|h| h.is_empty() || !h.chars().all(good)) {
        reject!("--host {}: a name may contain letters, digits, dots and hyphens, and no port", model::clip(host));
    }
    Ok(())
}

#[cfg(not(feature = "serve"))]
fn serve(_: &Serve) -> Result<Code> {
    Err(coded(exit::CANNOT, "this build cannot serve pages (it was compiled without the feature `serve`)"))
}

#[cfg(feature = "serve")]
fn serve(options: &Serve) -> Result<Code> {
    use super::token::read_token;
    use ::serve::{Guard, Server, Token};
    use session::console::print;
    // Open the store before binding the address, because a store that was named must exist.
    let board = dashboard::DashboardState::open(&options.store)?;
    let given = options.token.as_deref().map(read_token).transpose()?;
    let token = match given.and_then(|text| Token::from_text(&text)) {
        Some(token) => token,
        None => Token::new().map_err(|e| coded(exit::CANNOT, format!("cannot generate a random token: {e}")))?,
    };
    let mut guard = Guard::local(token.clone()).named(options.hosts.clone());
    if options.allow_remote {
        guard = guard.remote();
    }
    if options.tls_cert.is_some() {
        guard = guard.over_tls();
    }
    let server = Server::bind(options.listen, guard).map_err(|e| coded(exit::BAD_INPUT, format!("--listen: {e}")))?;
    let server = secured(server, options)?;
    let address = server.address().map_err(|e| coded(exit::CANNOT, e))?;
    end_on_signal(server.stopper())?;
    // Measurements on this machine have priority over the server.
    sys::process::lower_own_priority(10);
    let scheme = if options.tls_cert.is_some() { "https" } else { "http" };
    let host = match options.hosts.first() {
        Some(name) => format!("{name}:{}", address.port()),
        None => address.to_string(),
    };
    let (token, name) = (token.as_str(), board.source.name());
    print(|_, out| {
        writeln!(out, "open {scheme}://{host}/?token={token} (runs of {}; Ctrl-C ends it)", report::harmless(&name))
    })?;
    server.run(board).map_err(|e| coded(exit::CANNOT, format!("cannot serve: {e}")))?;
    Ok(exit::OK)
}

/// Maximum size of a certificate or key file, in bytes.
#[cfg(feature = "tls")]
const CERTIFICATE: u64 = 1 << 20;

#[cfg(feature = "tls")]
fn secured(server: ::serve::Server, options: &Serve) -> Result<::serve::Server> {
    let (Some(certificate), Some(key)) = (&options.tls_cert, &options.tls_key) else { return Ok(server) };
    let read = |path: &std::path::Path| inputs::bytes(path, CERTIFICATE);
    let tls = ::serve::Tls::read(certificate, key, read).map_err(|e| coded(exit::BAD_INPUT, e))?;
    Ok(server.with_tls(tls))
}

#[cfg(all(feature = "serve", not(feature = "tls")))]
fn secured(server: ::serve::Server, options: &Serve) -> Result<::serve::Server> {
    if options.tls_cert.is_some() {
        session::bail!(exit::CANNOT, "this build has no TLS (it was compiled without the feature `tls`)");
    }
    Ok(server)
}

/// Stops the server: gracefully after the first signal, immediately after the second.
#[cfg(feature = "serve")]
pub(crate) fn end_on_signal(stopper: ::serve::Stopper) -> Result<()> {
    session::measure::receive_signals(move |signals| {
        let mut signals = signals.forever();
        if signals.next().is_some() {
            stopper.stop();
        }
        if let Some(signal) = signals.next() {
            session::console::exit_now(128 + signal);
        }
    })
}

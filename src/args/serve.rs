//! Arguments of `secchi serve`.

use super::StoreArg;
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(after_help = "\
It prints one address, which has the token of this start in it: open that. It only ever reads: nothing in the store is
changed, and no test can be started by it. SIGINT or SIGTERM ends it.

Exit codes:
  0    it was ended by a signal
  4    cannot: a resource or permission is missing
  64   bad input; nothing was opened")]
pub struct Serve {
    /// Where to listen; port 0 takes one that is free. An address that others can reach needs --allow-remote and TLS
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7417")]
    pub listen: SocketAddr,

    /// Let other machines ask: whoever has the token sees every run of the store. Needs --tls-cert and --tls-key
    #[arg(long)]
    pub allow_remote: bool,

    /// Certificate chain in PEM form: speaks TLS only
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// Private key of the certificate, in PEM form
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    /// A name that browsers know this machine by, beside its addresses and localhost; may be repeated
    #[arg(long = "host", value_name = "NAME")]
    pub hosts: Vec<String>,

    #[command(flatten)]
    pub store: StoreArg,
}

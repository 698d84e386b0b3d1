//! Arguments of `secchi serve`.

use crate::StoreArg;
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Open the printed address, which contains a token that changes at every start, unless --token is
given. The server is read-only: it does not change the store or start tests. SIGINT or SIGTERM ends
it. Prometheus reads the last run of each plan from /metrics, with the token as a bearer token.

Exit codes:
  0    ended by a signal
  4    a resource or permission is missing
  64   bad input; nothing was opened")]
pub struct Serve {
    /// Address to listen on; port 0 chooses a free port
    ///
    /// An address that other machines can reach requires --allow-remote and TLS.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7417")]
    pub listen: SocketAddr,

    /// Allow access from other machines; requires --tls-cert and --tls-key
    ///
    /// Anyone who has the token can see every run in the store.
    #[arg(long)]
    pub allow_remote: bool,

    /// Certificate chain in PEM format; the server then accepts only TLS
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// Private key of the certificate, in PEM format
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    /// Host name that browsers use for this machine; repeatable [default: its addresses and localhost]
    #[arg(long = "host", value_name = "NAME")]
    pub hosts: Vec<String>,

    /// File with the token: 16 to 128 letters and digits [default: a random token]
    ///
    /// For programs such as Prometheus, which need the same token after each start.
    #[arg(long, value_name = "FILE")]
    pub token: Option<PathBuf>,

    #[command(flatten)]
    pub store: StoreArg,
}

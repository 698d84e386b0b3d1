//! Arguments of `secchi serve`.

use super::StoreArg;
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Open the printed address: it contains the token of this start. The server is read-only: it changes nothing in the store and
starts no tests. SIGINT or SIGTERM ends it.

Exit codes:
  0    ended by a signal
  4    a resource or permission is missing
  64   bad input; nothing was opened")]
pub struct Serve {
    /// Address to listen on; port 0 chooses a free port
    ///
    /// An address that other machines can reach needs --allow-remote and TLS.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7417")]
    pub listen: SocketAddr,

    /// Allow access from other machines; needs --tls-cert and --tls-key
    ///
    /// Anyone who has the token sees every run of the store.
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

    #[command(flatten)]
    pub store: StoreArg,
}

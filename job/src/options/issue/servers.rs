//! What engines that reach a server by its client library must know of it: where it is, who asks, what is meant.

use crate::options::{JobOptions, OptionSpec, option, put, refuse};
use crate::value::{Kind, Value, words};

/// What is told to engines that reach a server.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ServerOptions {
    /// Options that are texts, by name, as given.
    pub texts: Vec<(&'static str, String)>,
    /// Whether requests are encrypted.
    pub https: Https,
    /// Whose protocol they follow.
    pub http_mode: HttpMode,
    /// What an object holds.
    pub http_object_mode: HttpObjects,
    /// Completions are asked for without waiting.
    pub busy_poll: bool,
}

impl ServerOptions {
    /// A text, if it was given.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.iter().find(|(n, _)| *n == name).map(|(_, text)| text.as_str())
    }
}

words! {
    /// Whether requests are encrypted.
    Https, default Off {
        Off = "off": "no",
        On = "on": "yes, and the server's certificate is checked",
        Insecure = "insecure": "yes, whoever the server is",
    }
}

words! {
    /// Whose protocol requests follow.
    HttpMode, default WebDav {
        WebDav = "webdav": "any server that takes PUT",
        S3 = "s3": "S3, with signatures of version 4",
        Swift = "swift": "OpenStack Swift, with the token of a session",
    }
}

words! {
    /// What an object holds.
    HttpObjects, default Block {
        Block = "block": "a block: `<filename>_<offset>_<length>`",
        Range = "range": "a file, of which blocks are read; a write replaces it",
    }
}

fn keep(job: &mut JobOptions, name: &'static str, value: Value) {
    if let Value::Text(text) = value {
        job.server.texts.retain(|(n, _)| *n != name);
        job.server.texts.push((name, text));
    }
}

/// `text("http_host", ...)`: an entry whose value is kept under its name.
macro_rules! text {
    ($name:literal, $default:literal, $help:literal, $engines:expr) => {
        option($name, Kind::Text, $default, $help).engines($engines).set(|job, value, _| {
            keep(job, $name, value);
            Ok(())
        })
    };
}

const HTTP: &[&str] = &["http"];
const RBD: &[&str] = &["rbd"];

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    text!(
        "http_host",
        "localhost",
        "The server, with a port behind a colon where it is not 80 or 443. Of S3, the bucket may stand before it; else it is the beginning of `filename`.",
        HTTP
    ),
    option("https", Kind::words(Https::WORDS), "off", "Whether requests are encrypted.")
        .engines(HTTP)
        .set(put!(server.https)),
    option("http_mode", Kind::words(HttpMode::WORDS), "webdav", "Whose protocol requests follow.")
        .engines(HTTP)
        .set(put!(server.http_mode)),
    option("http_object_mode", Kind::words(HttpObjects::WORDS), "block", "What an object holds.")
        .engines(HTTP)
        .set(put!(server.http_object_mode)),
    text!(
        "http_user",
        "",
        "User, with `http_pass`: the basic scheme of HTTP (fio asks the server for its scheme).",
        HTTP
    ),
    text!("http_pass", "", "Password. It is kept in no record.", HTTP),
    text!("http_s3_keyid", "", "Identity of the key of S3.", HTTP),
    text!("http_s3_key", "", "The key of S3. It is kept in no record.", HTTP),
    text!("http_s3_security_token", "", "Token of a session of S3. It is kept in no record.", HTTP),
    text!("http_s3_region", "us-east-1", "Region of S3.", HTTP),
    text!("http_s3_storage_class", "STANDARD", "Class of storage that objects are put into.", HTTP),
    text!(
        "http_s3_sse_customer_key",
        "",
        "Key of 32 bytes by which the server encrypts objects. It is kept in no record.",
        HTTP
    ),
    text!("http_s3_sse_customer_algorithm", "AES256", "How it encrypts.", HTTP),
    text!("http_swift_auth_token", "", "Token of a session of Swift. It is kept in no record.", HTTP),
    option("http_verbose", Kind::from(0), "0", "In fio, requests are printed.")
        .engines(HTTP)
        .noted("job-noted-not-printed"),
    text!(
        "nfs_url",
        "",
        "The export, as libnfs has it: `nfs://server/export`, with `?uid=0&gid=0&version=4` and the like behind it. Files lie under it.",
        &["nfs"]
    ),
    text!(
        "clustername",
        "",
        "Name of the Ceph cluster, whose configuration is `/etc/ceph/NAME.conf`. Without it, as `CEPH_CONF` says, or `ceph`.",
        &["rbd", "rados"]
    ),
    text!("pool", "", "Pool of the image.", &["rbd", "rados", "dfs"]),
    text!("rbdname", "", "The image. To write it, `--destroy=POOL/IMAGE` is typed, or `SECCHI_DESTROY` names it.", RBD),
    text!("clientname", "", "Who asks, without `client.` before it unless `clustername` is given.", &["rbd", "rados"]),
    option("busy_poll", Kind::Bool, "0", "Completions are asked for all the time instead of waited for.")
        .engines(&["rbd", "rados"])
        .set(put!(server.busy_poll)),
    refuse(
        "rbd_encryption_format",
        "Encryption of an image by the client (fio 3.42).",
        "images are not decrypted; test an image without encryption",
    )
    .engines(RBD),
    refuse(
        "rbd_encryption_passphrase",
        "Its passphrase (fio 3.42).",
        "images are not decrypted; test an image without encryption",
    )
    .engines(RBD),
];

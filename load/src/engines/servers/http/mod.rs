//! Objects on a server: fio's `http`, for S3, Swift and WebDAV. Reads use GET, writes use PUT and trims use DELETE, one
//! at a time over one persistent connection. Each block is a separate object, `<filename>_<offset>_<length>`. With
//! `http_object_mode=range`, a file is one object, from which blocks are read.
//!
//! As in fio, a read of a missing object succeeds and returns zeros. An error status is mapped to the closest errno
//! (fio: always EIO). An object whose length differs from the block length results in EIO.

mod client;
mod options;
mod security;
mod sign;
#[cfg(feature = "https")]
mod tls;

use crate::engine::{
    Blocking, EngineEntry, Inline, OpenError, Opened, Opening, Probe, Request, ServedThing, WriteConsent,
};
use crate::engines::options::Options;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use client::{Client, errno_of};
use md5::{Digest, Md5};
use model::Op;
use model::plan::{EngineQueue, EngineSpec, EngineTarget, ServerSpec};
use security::Tls;
use sign::{S3, encode, hex};
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::SystemTime;
use sys::errno;

pub(in crate::engines) const ENTRY: EngineEntry = EngineEntry {
    spec: EngineSpec::new(
        NAME,
        "objects of an S3, Swift or WebDAV server",
        EngineQueue::Single,
        EngineTarget::Server(ServerSpec { needs: &[], sized: false, cached: false, no_trims: None }),
    )
    .with_options(options::OPTIONS),
    size: None,
    consent: WriteConsent::Overwrite(replaced),
    probe: Probe::Own(|| Ok(())),
    open,
};

const NAME: &str = "http";

/// Returns the reason why a write needs consent. If each file is one object, a write replaces the whole existing
/// object. Names of separate block objects follow fio's scheme and contain the offset and length, so they need no
/// consent.
fn replaced(object: &ServedThing<'_>) -> Result<Option<String>, OpenError> {
    let whole = object.option(options::OBJECT.name) == Some(options::WHOLE_FILE);
    Ok(whole.then(|| "a write replaces the whole object".to_owned()))
}

fn open(opening: &Opening) -> Result<Opened, OpenError> {
    opening.one_at_a_time(NAME)?;
    let mut asked = Options::new(NAME, opening);
    let tls = match asked.word(&options::TLS)? {
        "off" => Tls::Off,
        #[cfg(feature = "https")]
        "on" => Tls::Checked,
        #[cfg(feature = "https")]
        _ => Tls::Unchecked,
        #[cfg(not(feature = "https"))]
        _ => {
            let reason = "was built without encryption: build with --features https, or set https=off";
            return Err(OpenError::unsupported(NAME, reason));
        }
    };
    let host = asked.text("http_host").unwrap_or("localhost");
    let user = (asked.text("http_user"), asked.text("http_pass"));
    let keys = (asked.text("http_s3_keyid").unwrap_or(""), asked.text("http_s3_key").unwrap_or(""));
    let token = asked.text("http_s3_security_token").filter(|t| !t.is_empty());
    let region = asked.text("http_s3_region").unwrap_or("us-east-1");
    let class = asked.text("http_s3_storage_class").unwrap_or("STANDARD");
    let algorithm = asked.text("http_s3_sse_customer_algorithm").unwrap_or("AES256");
    let encryption = asked.text("http_s3_sse_customer_key").filter(|k| !k.is_empty()).map(|key| (algorithm, key));
    let swift = asked.text("http_swift_auth_token").unwrap_or("").to_owned();
    let authentication = match asked.word(&options::PROTOCOL)? {
        "webdav" => Authentication::WebDav,
        "s3" => Authentication::S3(Box::new(S3::new(keys, token, region, class, encryption))),
        _ => Authentication::Swift(swift),
    };
    let by_range = asked.word(&options::OBJECT)? == options::WHOLE_FILE;
    asked.finish()?;
    if opening.names.is_empty() {
        return Err(OpenError::unsupported(NAME, "needs names of objects"));
    }
    let login = match user {
        (Some(name), Some(pass)) => format!("Authorization: Basic {}\r\n", STANDARD.encode(format!("{name}:{pass}"))),
        _ => String::new(),
    };
    let unreachable = |e| OpenError::unavailable(NAME, &e, format!("check http_host={}", model::clip(host)));
    let mut client = Client::new(host, tls).map_err(unreachable)?;
    // Fail here with the reason, before the load. Otherwise, every operation would fail with an errno.
    client.connect().map_err(unreachable)?;
    let names = opening.names.iter().map(|name| {
        let name = name.as_os_str().as_encoded_bytes();
        let mut path = String::with_capacity(name.len() + 1);
        if name.first() != Some(&b'/') {
            path.push('/');
        }
        encode(name, &mut path);
        path
    });
    Ok(Opened::new(Inline::new(Http {
        names: names.collect(),
        client,
        host: host.to_owned(),
        login,
        authentication,
        by_range,
        path: String::with_capacity(1024),
        head: Vec::with_capacity(4096),
        buffer: vec![0; opening.buffer_size],
        absent_reads: 0,
    })))
}

/// Method of authenticating requests.
enum Authentication {
    WebDav,
    S3(Box<S3>),
    /// Session token.
    Swift(String),
}

struct Http {
    /// Percent-encoded names of the files, from the root of the server.
    names: Vec<String>,
    client: Client,
    host: String,
    /// Authorization header; empty without a login.
    login: String,
    authentication: Authentication,
    by_range: bool,
    path: String,
    head: Vec<u8>,
    buffer: Vec<u8>,
    absent_reads: u64,
}

impl Http {
    fn prepare(&mut self, request: &Request) {
        let (at, len) = (request.at, request.len);
        self.path.clear();
        self.path.push_str(&self.names[usize::from(request.file)]);
        if !self.by_range {
            let _ = write!(self.path, "_{at}_{len}");
        }
        let method = match request.op {
            Op::Write => "PUT",
            Op::Trim => "DELETE",
            Op::Read | Op::Flush => "GET",
        };
        let body = (request.op == Op::Write).then(|| &self.buffer[..len as usize]);
        let Http { head, path, host, .. } = self;
        head.clear();
        let _ = write!(head, "{method} {path} HTTP/1.1\r\nHost: {host}\r\n");
        if let Some(body) = body {
            let _ = write!(head, "Content-Length: {}\r\n", body.len());
        } else if self.by_range && request.op == Op::Read {
            let _ = write!(head, "Range: bytes={at}-{}\r\n", at + u64::from(len) - 1);
        }
        match &mut self.authentication {
            Authentication::S3(s3) => s3.sign(head, (method, path, host), body, SystemTime::now()),
            Authentication::Swift(token) => {
                if let Some(body) = body {
                    let mut check = String::with_capacity(32);
                    hex(&Md5::digest(body), &mut check);
                    let _ = write!(head, "ETag: {check}\r\n");
                }
                let _ = write!(head, "X-Auth-Token: {token}\r\n{}", self.login);
            }
            Authentication::WebDav => head.extend_from_slice(self.login.as_bytes()),
        }
        head.extend_from_slice(b"\r\n");
    }
}

/// Maps a status to success, as fio does, or to a negative errno.
fn outcome(op: Op, status: u16, by_range: bool) -> Result<(), i32> {
    match (op, status) {
        (Op::Write, 200..=204) | (Op::Read, 200) | (Op::Trim, 200 | 202 | 204 | 404) => Ok(()),
        (Op::Read, 206) if by_range => Ok(()),
        (_, 401 | 403) => Err(-errno::EACCES),
        (_, 404 | 410) => Err(-errno::ENOENT),
        (_, 405 | 501) => Err(-errno::EOPNOTSUPP),
        (_, 408 | 504) => Err(-errno::ETIMEDOUT),
        (_, 413) => Err(-errno::EFBIG),
        // The range begins after the object's end.
        (_, 416) => Err(-errno::EINVAL),
        (_, 409 | 423 | 429 | 503) => Err(-errno::EBUSY),
        (_, 507) => Err(-errno::ENOSPC),
        _ => Err(-errno::EIO),
    }
}

impl Blocking for Http {
    fn perform(&mut self, request: &Request) -> i32 {
        // Acknowledged data is stored already; there is nothing to flush.
        if request.op == Op::Flush {
            return 0;
        }
        self.prepare(request);
        let len = request.len as usize;
        let (body, into): (&[u8], &mut [u8]) = match request.op {
            Op::Write => (&self.buffer[..len], &mut []),
            Op::Read => (&[], &mut self.buffer[..len]),
            Op::Trim | Op::Flush => (&[], &mut []),
        };
        let answer = match self.client.ask(&self.head, body, into) {
            Ok(answer) => answer,
            Err(error) => return errno_of(&error),
        };
        if request.op == Op::Read && answer.status == 404 {
            self.buffer[..len].fill(0);
            self.absent_reads += 1;
            return request.len as i32;
        }
        match outcome(request.op, answer.status, self.by_range) {
            Ok(()) if request.op == Op::Read && answer.length != u64::from(request.len) => -errno::EIO,
            Ok(()) => request.len as i32,
            Err(errno) => errno,
        }
    }

    fn absent_reads(&self) -> u64 {
        self.absent_reads
    }

    fn buffer(&mut self) -> &mut [u8] {
        &mut self.buffer
    }
}

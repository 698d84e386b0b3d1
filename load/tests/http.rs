//! Tests of the object engine, with a test server that verifies signatures independently.

use hmac::{Hmac, KeyInit, Mac};
use load::engine::{Engine, Opening, Request};
use load::engines;
use model::Op;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::sync::atomic::Ordering::Relaxed;
use testkit::{ObjectRequest, ObjectServer};

const KEY: &str = "the secret key";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, b| {
        let _ = write!(out, "{b:02x}");
        out
    })
}

fn keyed(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

/// Verifies a Signature Version 4 on the server side, using only the data received.
fn signed(asked: &ObjectRequest) -> Result<(), String> {
    let authorization = asked.header("authorization").ok_or("no Authorization")?;
    let field = |name: &str| {
        let rest = authorization.split(&format!("{name}=")).nth(1)?;
        Some(rest.split(',').next()?.trim().to_owned())
    };
    let (credential, names, signature) =
        (field("Credential").ok_or("no credential")?, field("SignedHeaders").ok_or("no names")?, field("Signature"));
    let (id, scope) = credential.split_once('/').ok_or("no scope")?;
    if id != "the id" {
        return Err(format!("who is {id}?"));
    }
    let payload = asked.header("x-amz-content-sha256").ok_or("no hash")?;
    if payload != hex(&Sha256::digest(&asked.body)) {
        return Err("another body".into());
    }
    if asked.headers.iter().any(|(n, _)| n.starts_with("x-amz-") && !names.split(';').any(|s| s == n)) {
        return Err("a header that is not signed".into());
    }
    let mut canonical = format!("{}\n{}\n\n", asked.method, asked.path);
    for name in names.split(';') {
        let _ = writeln!(canonical, "{name}:{}", asked.header(name).ok_or("a header that was not sent")?);
    }
    let _ = write!(canonical, "\n{names}\n{payload}");
    let date = asked.header("x-amz-date").ok_or("no date")?;
    let text = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{}", hex(&Sha256::digest(canonical)));
    let mut key = format!("AWS4{KEY}").into_bytes();
    for part in scope.split('/') {
        key = keyed(&key, part);
    }
    if signature != Some(hex(&keyed(&key, &text))) {
        return Err("another signature".into());
    }
    Ok(())
}

fn anybody(_: &ObjectRequest) -> Result<(), String> {
    Ok(())
}

fn opening(server: &ObjectServer, names: &[&str], options: &[(&str, &str)]) -> Opening {
    let host = server.address.to_string();
    let host = ("http_host", host.as_str());
    let options = options.iter().chain([&host]);
    Opening {
        names: names.iter().map(Into::into).collect(),
        options: options.map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect(),
        depth: 1,
        buffer_size: 65536,
        size: 65536,
        writes: true,
        ..Opening::default()
    }
}

fn open(server: &ObjectServer, names: &[&str], options: &[(&str, &str)]) -> Box<dyn Engine> {
    let entry = engines::find("http").unwrap();
    (entry.open)(&opening(server, names, options)).unwrap_or_else(|e| panic!("{e}")).engine
}

fn ask(engine: &mut Box<dyn Engine>, op: Op, file: u16, at: u64, len: u32) -> i32 {
    engine.single(&Request { op, file, at, len, ..Request::default() }, &mut Vec::new()).unwrap()
}

const S3: &[(&str, &str)] = &[("http_mode", "s3"), ("http_s3_keyid", "the id"), ("http_s3_key", KEY)];

#[test]
fn every_block_is_a_signed_object_over_one_connection() {
    let server = ObjectServer::start(signed);
    let mut engine = open(&server, &["/bucket/a b", "bucket/second"], S3);
    for at in [0u64, 65536] {
        engine.buffer(0).fill(at as u8 + 1);
        assert_eq!(ask(&mut engine, Op::Write, 0, at, 65536), 65536);
        engine.buffer(0).fill(9);
        assert_eq!(ask(&mut engine, Op::Write, 1, at, 4096), 4096);
        engine.buffer(0).fill(0);
        assert_eq!(ask(&mut engine, Op::Read, 0, at, 65536), 65536);
        assert!(engine.buffer(0).iter().all(|b| *b == at as u8 + 1));
    }
    let mut names: Vec<String> = server.state.objects.lock().unwrap().keys().cloned().collect();
    names.sort_unstable();
    let expected =
        ["/bucket/a%20b_0_65536", "/bucket/a%20b_65536_65536", "/bucket/second_0_4096", "/bucket/second_65536_4096"];
    assert_eq!(names, expected);
    assert_eq!(ask(&mut engine, Op::Trim, 1, 0, 4096), 4096);
    assert_eq!(ask(&mut engine, Op::Trim, 1, 0, 4096), 4096, "what is gone already");
    assert_eq!(ask(&mut engine, Op::Read, 1, 0, 4096), 4096, "as fio: what is not there reads as zeros");
    assert!(engine.buffer(0)[..4096].iter().all(|b| *b == 0));
    assert_eq!(ask(&mut engine, Op::Flush, 0, 0, 0), 0);
    let state = &server.state;
    assert_eq!(["GET", "PUT", "DELETE"].map(|m| state.count(m)), [3, 4, 2]);
    assert_eq!(state.connections.load(Relaxed), 1);
    assert_eq!(state.refused.lock().unwrap().as_slice(), &[] as &[String]);
}

#[test]
fn tokens_and_keys_of_encryption_are_signed_and_a_wrong_key_is_refused() {
    let server = ObjectServer::start(signed);
    let more =
        [("http_s3_security_token", "session"), ("http_s3_sse_customer_key", "0123456789abcdef0123456789abcdef")];
    for options in [&more[..1], &more[1..], &more[..]] {
        let mut engine = open(&server, &["/b/x"], &[S3, options].concat());
        assert_eq!(ask(&mut engine, Op::Write, 0, 0, 512), 512, "{:?}", server.state.refused.lock().unwrap());
    }
    let mut engine = open(&server, &["/b/x"], &[S3, &[("http_s3_key", "another")]].concat());
    assert_eq!(ask(&mut engine, Op::Write, 0, 0, 512), -13, "EACCES");
    assert_eq!(ask(&mut engine, Op::Read, 0, 0, 512), -13);
}

#[test]
fn other_servers_are_told_who_asks_in_their_way() {
    fn swift(asked: &ObjectRequest) -> Result<(), String> {
        // The etag must be the MD5 of 512 zeros.
        let tag = asked.method != "PUT" || asked.header("etag") == Some("bf619eac0cdf3f68d496ea9344137e8b");
        (tag && asked.header("x-auth-token") == Some("token")).then_some(()).ok_or_else(|| format!("{asked:?}"))
    }
    fn basic(asked: &ObjectRequest) -> Result<(), String> {
        let right = asked.header("authorization") == Some("Basic dXNlcjpwYXNz");
        right.then_some(()).ok_or_else(|| format!("{asked:?}"))
    }
    let swift = (ObjectServer::start(swift), [("http_mode", "swift"), ("http_swift_auth_token", "token")]);
    let basic = (ObjectServer::start(basic), [("http_user", "user"), ("http_pass", "pass")]);
    for (server, options) in [swift, basic] {
        let mut engine = open(&server, &["/x"], &options);
        for op in [Op::Write, Op::Read, Op::Trim] {
            assert_eq!(ask(&mut engine, op, 0, 0, 512), 512, "{:?}", server.state.refused.lock().unwrap());
        }
    }
}

#[test]
fn a_file_can_be_one_object_that_is_read_in_parts() {
    let server = ObjectServer::start(anybody);
    let object: Vec<u8> = (0..16384u32).map(|i| (i / 4096) as u8).collect();
    server.state.objects.lock().unwrap().insert("/whole".into(), object);
    let mut engine = open(&server, &["/whole"], &[("http_object_mode", "range")]);
    assert_eq!(ask(&mut engine, Op::Read, 0, 8192, 4096), 4096);
    assert!(engine.buffer(0)[..4096].iter().all(|b| *b == 2));
    assert_eq!(ask(&mut engine, Op::Read, 0, 65536, 4096), -22, "behind its end");
}

#[test]
fn what_a_server_does_wrong_is_an_errno_and_the_next_operation_goes_on() {
    let server = ObjectServer::start(anybody);
    let cases = [
        ("/status-403", -13),
        ("/status-500", -5),
        ("/status-503", -16),
        ("/status-507", -28),
        ("/status-301", -5),
        ("/gone", -104),
        ("/garbage", -5),
    ];
    let names: Vec<&str> = cases.iter().map(|(name, _)| *name).chain(["/short", "/chunked", "/plain"]).collect();
    let mut engine = open(&server, &names, &[]);
    let plain = names.len() as u16 - 1;
    for (file, (name, errno)) in cases.iter().enumerate() {
        for op in [Op::Write, Op::Read] {
            assert_eq!(ask(&mut engine, op, file as u16, 0, 4096), *errno, "{name} {op:?}");
            assert_eq!(ask(&mut engine, Op::Write, plain, 0, 4096), 4096, "after {name}");
        }
    }
    assert_eq!(ask(&mut engine, Op::Write, plain - 2, 0, 4096), 4096);
    assert_eq!(ask(&mut engine, Op::Read, plain - 2, 0, 4096), -5, "half an object is not the block");
    for (i, byte) in engine.buffer(0).iter_mut().enumerate() {
        *byte = (i % 251) as u8;
    }
    assert_eq!(ask(&mut engine, Op::Write, plain - 1, 0, 65536), 65536);
    engine.buffer(0).fill(0);
    let before = server.state.connections.load(Relaxed);
    for _ in 0..2 {
        assert_eq!(ask(&mut engine, Op::Read, plain - 1, 0, 65536), 65536);
        assert!(engine.buffer(0).iter().enumerate().all(|(i, b)| *b == (i % 251) as u8), "chunks put together");
    }
    assert_eq!(server.state.connections.load(Relaxed), before, "an answer in chunks keeps the connection");
}

#[test]
fn a_kept_connection_that_the_server_closed_is_made_anew() {
    let server = ObjectServer::start(anybody);
    server.state.closes.store(true, Relaxed);
    let mut engine = open(&server, &["/x"], &[]);
    for at in 0..10 {
        assert_eq!(ask(&mut engine, Op::Write, 0, at * 512, 512), 512);
    }
    assert_eq!(server.state.count("PUT"), 10);
}

#[test]
fn what_cannot_be_is_refused_before_the_load() {
    let server = ObjectServer::start(anybody);
    let entry = engines::find("http").unwrap();
    let reason_of = |opening: &Opening| (entry.open)(opening).err().map_or_else(String::new, |e| e.to_string());
    assert!(reason_of(&opening(&server, &["/x"], &[("http_mode", "ftp")])).contains("webdav, s3, swift"));
    assert!(reason_of(&opening(&server, &[], &[])).contains("names of objects"));
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut gone = opening(&server, &["/x"], &[]);
    gone.options = vec![("http_host".to_owned(), nobody.to_string())];
    let reason = reason_of(&gone);
    assert!(reason.contains("refused") && reason.contains("check http_host"), "{reason}");
}

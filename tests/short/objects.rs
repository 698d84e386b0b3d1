//! `secchi fio` on an object server: the counts equal those of the server, and no key is stored anywhere.

use crate::support::{Sandbox, Secchi, beside};
use std::path::Path;
use testkit::{ObjectRequest, ObjectServer};

/// Asserts that there is a signature; load/tests/http.rs checks signatures.
fn signed(asked: &ObjectRequest) -> Result<(), String> {
    let right = asked.header("authorization").is_some_and(|a| a.starts_with("AWS4-HMAC-SHA256 Credential=who/"));
    right.then_some(()).ok_or_else(|| "no signature".to_owned())
}

fn fio(sandbox: &Sandbox, server: &ObjectServer, words: &str) -> Secchi {
    let mut secchi = Secchi::new(&sandbox.path("home"));
    secchi
        .words("fio --output-format=json --store")
        .arg(sandbox.store())
        .arg(format!("--http_host={}", server.address));
    secchi.words("--ioengine=http --http_mode=s3 --http_s3_keyid=who --http_s3_key=geheim --filename=/bucket/key");
    secchi.words(words);
    secchi
}

fn contains(dir: &Path, needle: &[u8]) -> bool {
    std::fs::read_dir(dir).expect("a directory").flatten().any(|entry| {
        let path = entry.path();
        match path.is_dir() {
            true => contains(&path, needle),
            false => std::fs::read(&path).is_ok_and(|bytes| bytes.windows(needle.len()).any(|w| w == needle)),
        }
    })
}

#[test]
fn objects_are_counted_as_the_server_counts_them_and_the_key_is_kept_nowhere() {
    let _beside = beside();
    let (sandbox, server) = (Sandbox::new(), ObjectServer::start(signed));
    let words = "--bs=16k --size=1m --name=w --rw=randwrite --verify=crc32c --name=t --stonewall --rw=trim --size=256k";
    let ended = fio(&sandbox, &server, words).run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let report: serde_json::Value = serde_json::from_str(&ended.stdout).expect("fio's JSON");
    let ops = |job: usize, way: &str| report["jobs"][job][way]["total_ios"].as_u64().expect("a count");
    let state = &server.state;
    assert_eq!((ops(0, "write"), state.count("PUT")), (64, 64));
    assert_eq!(state.count("GET"), 64, "each block is read back, with its checksum right");
    assert_eq!((ops(1, "trim"), state.count("DELETE")), (16, 16));
    let objects = state.objects.lock().unwrap();
    assert_eq!(objects.len(), 48);
    assert!(objects.iter().all(|(name, object)| name.starts_with("/bucket/key_") && object.len() == 16384));
    assert!(contains(&sandbox.store(), b"http_s3_keyid"), "the run is kept");
    assert!(!contains(&sandbox.store(), b"geheim"), "the key is in the store");
    assert!(!ended.stdout.contains("geheim") && !ended.stderr.contains("geheim"));
}

#[test]
fn reads_of_objects_that_are_not_there_count_as_in_fio_and_are_doubted() {
    let _beside = beside();
    let (sandbox, server) = (Sandbox::new(), ObjectServer::start(signed));
    let words = "--bs=16k --size=256k --name=w --rw=write --name=r --stonewall --rw=read --size=512k";
    let ended = fio(&sandbox, &server, &format!("{words} --output-format=normal")).run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(server.state.count("GET"), 32);
    assert!(ended.stdout.contains("16 reads found no object"), "{}", ended.stdout);
}

#[test]
fn what_a_server_refuses_ends_the_job_with_its_errno_and_whole_objects_need_consent() {
    let _beside = beside();
    let (sandbox, server) = (Sandbox::new(), ObjectServer::start(signed));
    let refused = fio(&sandbox, &server, "--name=j --rw=write --bs=4k --size=8k --http_s3_keyid=nobody").run();
    assert_ne!(refused.code, 0);
    assert!(
        refused.stdout.contains("\"error\" : 13") || refused.stdout.contains("\"error\": 13"),
        "{}",
        refused.stdout
    );
    let whole = "--name=j --rw=write --bs=4k --size=4k --http_object_mode=range";
    let ended = fio(&sandbox, &server, whole).run();
    assert_eq!(ended.code, 3, "{}", ended.stderr);
    assert!(ended.stderr.contains("overwrite=1"), "{}", ended.stderr);
    assert_eq!(fio(&sandbox, &server, &format!("{whole} --overwrite=1")).run().code, 0);
    assert_eq!(server.state.objects.lock().unwrap().keys().collect::<Vec<_>>(), ["/bucket/key"]);
}

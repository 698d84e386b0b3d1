//! Tests of the engines for NFS and Ceph. Tests that need a server run only if these environment variables name one;
//! otherwise they are reported as skipped. `SECCHI_TEST_NFS=nfs://server/export` names an NFS export, in which files
//! named `secchi-test-*` are created. `SECCHI_TEST_RBD=POOL/IMAGE`, together with `CEPH_CONF`, names an image, which is
//! overwritten.

use load::engine::{Completion, Engine, OpenError, Opening, Request, Wait};
use load::engines;
use model::{Op, plan::FlushKind};

const DEPTH: u32 = 8;
const LEN: u32 = 16384;

fn opening(names: &[String], options: &[(&str, &str)]) -> Opening {
    Opening {
        names: names.iter().map(Into::into).collect(),
        options: options.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect(),
        depth: DEPTH,
        buffer_size: LEN as usize,
        size: 1 << 20,
        writes: true,
        ..Opening::default()
    }
}

fn open(engine: &str, opening: &Opening) -> Result<Box<dyn Engine>, OpenError> {
    (engines::find(engine).expect("an engine").open)(opening).map(|opened| opened.engine)
}

fn named(variable: &str) -> Option<String> {
    let value = std::env::var(variable).ok().filter(|v| !v.is_empty());
    if value.is_none() {
        testkit::skipped(&format!("{variable} names no server"));
    }
    value
}

/// Performs one operation per slot, each on one block, starting with block `first`. Returns the results by slot.
fn full(engine: &mut Box<dyn Engine>, op: Op, file: u16, first: u64) -> Vec<i32> {
    let ask = |slot| Request {
        slot,
        op,
        file,
        at: (first + u64::from(slot)) * u64::from(LEN),
        len: if op == Op::Flush { 0 } else { LEN },
        flush: FlushKind::Full,
        ..Request::default()
    };
    let requests: Vec<Request> = (0..DEPTH).map(ask).collect();
    assert_eq!(engine.submit(&requests).unwrap(), requests.len());
    engine.flush().unwrap();
    let mut done: Vec<Completion> = Vec::with_capacity(DEPTH as usize);
    while done.len() < requests.len() {
        engine.reap(requests.len() - done.len(), Wait::AtMost(5_000_000), &mut done).unwrap();
    }
    done.sort_by_key(|c| c.slot);
    assert!(done.iter().enumerate().all(|(i, c)| c.slot == i as u32), "each slot once");
    done.iter().map(|c| c.result).collect()
}

fn fill(engine: &mut Box<dyn Engine>, seed: u32) {
    for slot in 0..DEPTH {
        for (i, byte) in engine.buffer(slot).iter_mut().enumerate() {
            *byte = (i as u32 * 7 + slot * 13 + seed) as u8;
        }
    }
}

fn check(engine: &mut Box<dyn Engine>, seed: u32) {
    for slot in 0..DEPTH {
        let right = |(i, byte): (usize, &u8)| *byte == (i as u32 * 7 + slot * 13 + seed) as u8;
        assert!(engine.buffer(slot).iter().enumerate().all(right), "slot {slot}");
    }
}

#[test]
fn files_of_an_export_give_back_what_was_written() {
    let Some(url) = named("SECCHI_TEST_NFS") else { return };
    let names: Vec<String> = (0..2).map(|i| format!("secchi-test-{}-{i}", std::process::id())).collect();
    let options = [("nfs_url", url.as_str())];
    let mut engine = open("nfs", &opening(&names, &options)).unwrap_or_else(|e| panic!("{e}"));
    for file in 0..2 {
        fill(&mut engine, u32::from(file));
        assert_eq!(full(&mut engine, Op::Write, file, 0), [LEN as i32; DEPTH as usize]);
    }
    assert_eq!(full(&mut engine, Op::Flush, 1, 0), [0; DEPTH as usize]);
    assert_eq!(full(&mut engine, Op::Trim, 1, 0), [-95; DEPTH as usize], "EOPNOTSUPP");
    assert_eq!(full(&mut engine, Op::Read, 1, 1 << 20), [0; DEPTH as usize], "behind the end");
    drop(engine);
    assert_eq!(sys::queues::nfs_size(&url, names[0].as_ref()).unwrap(), Some(u64::from(LEN * DEPTH)));
    assert_eq!(sys::queues::nfs_size(&url, "secchi-test-none".as_ref()).unwrap(), None);
    let reading = Opening { writes: false, ..opening(&names, &options) };
    let mut engine = open("nfs", &reading).unwrap_or_else(|e| panic!("{e}"));
    for file in 0..2 {
        assert_eq!(full(&mut engine, Op::Read, file, 0), [LEN as i32; DEPTH as usize]);
        check(&mut engine, u32::from(file));
    }
    let missing = Opening { writes: false, ..opening(&["secchi-test-none".to_owned()], &options) };
    let message = open("nfs", &missing).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(message.contains("secchi-test-none"), "{message}");
}

#[test]
fn an_image_gives_back_what_was_written_flushed_and_trimmed() {
    let Some(image) = named("SECCHI_TEST_RBD") else { return };
    let (pool, name) = image.split_once('/').expect("POOL/IMAGE");
    let options = [("pool", pool), ("rbdname", name)];
    for more in [&[("direct", "1")][..], &[("busy_poll", "1"), ("clientname", "admin")]] {
        let options = [&options[..], more].concat();
        let owned: Vec<(String, String)> = options.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let size = engines::served_size("rbd", &owned).unwrap_or_else(|e| panic!("{e}"));
        let mut engine = open("rbd", &opening(&[], &options)).unwrap_or_else(|e| panic!("{e}"));
        fill(&mut engine, 3);
        assert_eq!(full(&mut engine, Op::Write, 0, 0), [LEN as i32; DEPTH as usize]);
        assert_eq!(full(&mut engine, Op::Flush, 0, 0), [0; DEPTH as usize]);
        fill(&mut engine, 0);
        assert_eq!(full(&mut engine, Op::Read, 0, 0), [LEN as i32; DEPTH as usize]);
        check(&mut engine, 3);
        let behind = full(&mut engine, Op::Write, 0, size.as_u64() / u64::from(LEN) + 1);
        assert_eq!(behind, [-22; DEPTH as usize], "EINVAL behind the end of the image");
        assert_eq!(full(&mut engine, Op::Trim, 0, 0), [LEN as i32; DEPTH as usize]);
    }
    let message = |options: &[(&str, &str)]| open("rbd", &opening(&[], options)).err().unwrap().to_string();
    assert!(message(&[("pool", pool), ("rbdname", "secchi-none")]).contains("image"), "no such image");
    assert!(message(&[("pool", "secchi-none"), ("rbdname", name)]).contains("pool secchi-none"), "no such pool");
}

#[test]
fn what_is_not_there_is_one_sentence() {
    let message = |engine: &str, names: &[String], options: &[(&str, &str)]| {
        open(engine, &opening(names, options)).err().map(|e| e.to_string()).unwrap_or_default()
    };
    // Without libnfs, the error reports that the library is missing.
    let nobody = ("nfs_url", "nfs://127.0.0.1/none?nfsport=1&mountport=1&autoreconnect=0");
    let shown = message("nfs", &["x".to_owned()], &[nobody]);
    assert!(shown.starts_with("nfs does not work here: "), "{shown}");
    assert!(shown.contains("check nfs_url") || shown.contains("install libnfs"), "{shown}");
    assert!(message("nfs", &["x".to_owned()], &[("nfs_url", "http://x/")]).starts_with("nfs does not work here: "));
    assert!(message("nfs", &[], &[nobody]).contains("names of files"));
    assert!(message("rbd", &[], &[("pool", "rbd")]).contains("needs a pool and an rbdname"));
}

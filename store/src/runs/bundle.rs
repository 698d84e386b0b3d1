//! Bundles: several runs in one file, for transport between machines (`secchi runs export` and `import`).
//!
//! Head: magic `SECCHIX1`, format version (u32), crc32c of the preceding twelve bytes. Then for each run: length of its
//! header (u32), the header (JSON: id, sizes, SHA-256 of the journal, labels), crc32c of the header (u32), and the
//! whole frames of the journal, compressed with Deflate. At the end: a length of zero, and the SHA-256 of all preceding
//! bytes. Integers are little-endian.
//!
//! A bundle contains no file names: the location of a run follows from its id, and an id is a UUID. Nothing is added to
//! a store until the whole file has been read and verified. The hashes detect damage and accidental changes. They are
//! not signatures: anyone who changes a run on purpose can recompute them.

use crate::hex::hex;
use crate::journal::error::{RecoverError, Unreadable};
use crate::journal::frame::{HEAD, MAX_JOURNAL, u32_at};
use crate::journal::head::head;
use crate::journal::recover::recover;
use crate::journal::writer::TEMPORARY;
use crate::os;
use crate::runs::error::StoreError;
use crate::runs::id;
use crate::runs::labels_file;
use crate::runs::store::{Store, is_free};
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use model::record::Labels;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::PathBuf;

const MAGIC: [u8; 8] = *b"SECCHIX1";
const VERSION: u32 = 1;
/// Maximum size of a run's header, in bytes. It is many times the size of the largest valid labels.
const MAX_HEADER: u32 = 256 << 10;
/// Maximum number of runs in a bundle.
const MAX_RUNS: usize = 100_000;
/// Maximum ratio of unpacked to packed size. A larger ratio indicates a decompression bomb. Export stays within half of
/// this ratio.
const MAX_RATIO: u64 = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Packing {
    Deflate,
    Stored,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Header {
    id: String,
    journal_bytes: u64,
    packed_bytes: u64,
    packing: Packing,
    /// SHA-256 of the journal, in hexadecimal.
    sha256: String,
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    labels: Labels,
}

/// Error while exporting or importing a bundle.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The file is not a bundle, is truncated, or was changed. The text names the place.
    #[error("{0}")]
    Damaged(String),
    /// A run in the bundle is invalid.
    #[error("run {id}: {why}")]
    Run {
        /// Id of the run as found in the bundle, shortened if it is long.
        id: String,
        /// Reason, as a phrase that follows a colon.
        why: String,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The store reported an error.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Result of an export.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exported {
    /// Number of runs in the bundle.
    pub runs: usize,
    /// Total size of the runs' journals, in bytes.
    pub journal_bytes: u64,
    /// Number of bytes written.
    pub bytes: u64,
    /// Remarks for the user, one sentence each.
    pub remarks: Vec<String>,
}

/// Result of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// Ids of the runs that were added to the store.
    pub new: Vec<String>,
    /// Ids of runs that the store already contained, byte for byte. Their labels in the store were not changed.
    pub known: Vec<String>,
    /// Ids of the runs, new or known, whose journals were already damaged when they were exported. Listings show them
    /// as damaged.
    pub damaged: Vec<String>,
}

fn run_error(id: &str, why: impl std::fmt::Display) -> BundleError {
    BundleError::Run { id: model::clip(id), why: why.to_string() }
}

/// Stream that counts and hashes the bytes that pass through it.
struct HashingStream<T> {
    inner: T,
    hash: Sha256,
    bytes: u64,
}

impl<T> HashingStream<T> {
    fn new(inner: T) -> Self {
        HashingStream { inner, hash: Sha256::new(), bytes: 0 }
    }

    fn update(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
    }
}

impl<T: Write> Write for HashingStream<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(bytes)?;
        self.update(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for HashingStream<T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(bytes)?;
        self.update(&bytes[..n]);
        Ok(n)
    }
}

impl Store {
    /// Writes runs to `out`, as a bundle for [`Store::import`]. Accepts only whole ids.
    ///
    /// # Errors
    /// Returns an error if a run does not exist, is still running or cannot be read, or if writing to `out` fails.
    pub fn export(&self, ids: &[String], out: impl Write) -> Result<Exported, BundleError> {
        let mut report = Exported::default();
        let mut out = HashingStream::new(BufWriter::new(out));
        out.write_all(&head(MAGIC, VERSION))?;
        for id in ids {
            let (journal, lost) = self.journal_of(id)?;
            if lost > 0 {
                report.remarks.push(format!(
                    "run {id}: the last {lost} bytes of its journal are an incomplete frame and were not exported"
                ));
            }
            write_run(id, &journal, self.labels(id)?, &mut out)?;
            report.runs += 1;
            report.journal_bytes += journal.len() as u64;
        }
        out.write_all(&0u32.to_le_bytes())?;
        let sum = out.hash.clone().finalize();
        out.write_all(&sum)?;
        out.flush()?;
        report.bytes = out.bytes;
        Ok(report)
    }

    /// Returns the journal of a run that has ended without an incomplete last frame, and the size of that frame.
    fn journal_of(&self, id: &str) -> Result<(Vec<u8>, usize), BundleError> {
        if let (Some(server), false) = (self.server(), self.journal_path(id)?.exists()) {
            let journal = server.journal(id).map_err(StoreError::from)?.ok_or_else(|| StoreError::unknown(id))?;
            return Ok((journal, 0));
        }
        let run = self.recover_id(id).map_err(StoreError::from)?;
        if run.live {
            return Err(StoreError::Live { id: id.to_owned() }.into());
        }
        let mut bytes = Vec::new();
        os::open_existing(&self.journal_path(id)?, false)?.take(MAX_JOURNAL).read_to_end(&mut bytes)?;
        let lost = run.trim(&mut bytes);
        Ok((bytes, lost))
    }

    /// Adds the runs of a bundle written by [`Store::export`]: either all or none. Runs that the store already
    /// contains, byte for byte, are left unchanged.
    ///
    /// # Errors
    /// Returns an error if the file is incomplete, if a run differs from its header, or if the store contains another
    /// run with the same id.
    pub fn import(&self, source: impl Read) -> Result<Imported, BundleError> {
        let mut source = HashingStream::new(BufReader::new(source));
        check_head(&mut source)?;
        let mut fresh: Vec<UnfinishedImport> = Vec::new();
        let mut report = Imported::default();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let here: BTreeSet<String> = self.ids()?.into_iter().collect();
        while let Some(header) = read_header(&mut source)? {
            if seen.contains(&header.id) {
                return Err(run_error(&header.id, "the file contains it twice"));
            }
            if seen.len() == MAX_RUNS {
                return Err(BundleError::Damaged(format!("it declares more than {MAX_RUNS} runs")));
            }
            seen.insert(header.id.clone());
            let run = self.unpack(&header, &mut source)?;
            if run.damaged {
                report.damaged.push(header.id.clone());
            }
            if here.contains(&header.id) {
                self.same(&header)?;
                report.known.push(header.id);
            } else {
                report.new.push(header.id);
                fresh.push(run);
            }
        }
        check_end(&mut source)?;
        let _turn = self.lock_labels()?;
        for run in fresh {
            run.rename_into_place()?;
        }
        os::sync_dir(&self.runs())?;
        Ok(report)
    }

    /// Unpacks one run to a temporary file in the store, and checks it against its header.
    fn unpack(&self, header: &Header, source: &mut impl Read) -> Result<UnfinishedImport, BundleError> {
        let path = self.journal_path(&header.id)?;
        let unborn = path.with_extension(TEMPORARY);
        if let Ok(left) = os::open_existing(&unborn, true)
            && is_free(&left)
        {
            // Remove the file that an import left when it was killed.
            let _ = std::fs::remove_file(&unborn);
        }
        let file = os::create_new(&unborn)?;
        os::lock_exclusive(&file)?;
        let mut run = UnfinishedImport {
            path,
            temporary: unborn,
            labels: header.labels.clone(),
            damaged: false,
            _lock: file.try_clone()?,
        };
        let mut out = HashingStream::new(BufWriter::new(file));
        let mut packed = source.take(header.packed_bytes);
        // Read one extra byte, to detect a journal that is larger than its header says.
        let copied = match header.packing {
            Packing::Deflate => {
                io::copy(&mut DeflateDecoder::new(&mut packed).take(header.journal_bytes + 1), &mut out)
            }
            Packing::Stored => io::copy(&mut (&mut packed).take(header.journal_bytes + 1), &mut out),
        };
        match copied {
            Ok(n) if n == header.journal_bytes => {}
            Ok(n) if n > header.journal_bytes => {
                return Err(run_error(&header.id, "it is longer than its header declares"));
            }
            Ok(n) => {
                return Err(run_error(&header.id, format!("it ends after {n} of {} bytes", header.journal_bytes)));
            }
            Err(e) if matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData) => {
                return Err(run_error(&header.id, format!("it cannot be unpacked: {e}")));
            }
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(run_error(&header.id, "the file ends in the middle of it"));
            }
            Err(e) => return Err(e.into()),
        }
        io::copy(&mut packed, &mut io::sink())?;
        out.flush()?;
        if hex(&out.hash.clone().finalize()) != header.sha256 {
            return Err(run_error(
                &header.id,
                "its journal differs from what was exported: the SHA-256 does not match",
            ));
        }
        sys::files::sync_data(out.inner.get_ref())?;
        run.damaged = run.check(&header.id)?;
        Ok(run)
    }

    /// Checks that the store's run with this id is identical, byte for byte.
    fn same(&self, header: &Header) -> Result<(), BundleError> {
        let (journal, _) = self.journal_of(&header.id)?;
        match hex(&Sha256::digest(&journal)) == header.sha256 {
            true => Ok(()),
            false => {
                Err(run_error(&header.id, "this store already has it with different contents, which were not changed"))
            }
        }
    }
}

/// Unpacked run. Its file is removed on drop, unless it was renamed to its final name.
struct UnfinishedImport {
    path: PathBuf,
    temporary: PathBuf,
    labels: Labels,
    damaged: bool,
    /// Lock that keeps a concurrent sweep from deleting the file.
    _lock: File,
}

impl UnfinishedImport {
    /// Checks that the journal is complete and belongs to the run `id`. Returns `true` if the journal is damaged.
    fn check(&self, id: &str) -> Result<bool, BundleError> {
        let run = recover(&self.temporary).map_err(|e| run_error(id, e.cause))?;
        if run.record.id != id {
            return Err(run_error(id, format!("its journal belongs to another run, {}", model::clip(&run.record.id))));
        }
        match run.damage {
            // The journal was already damaged when it was exported.
            Some(_) if run.is_damaged() => Ok(true),
            Some(damage) => Err(run_error(id, damage)),
            None => Ok(false),
        }
    }

    fn rename_into_place(&self) -> Result<(), BundleError> {
        labels_file::write(&self.path.with_extension(labels_file::LABELS), &self.labels)?;
        Ok(os::rename_new(&self.temporary, &self.path)?)
    }
}

impl Drop for UnfinishedImport {
    fn drop(&mut self) {
        // If the file was renamed to its final name, the temporary name no longer exists.
        let _ = std::fs::remove_file(&self.temporary);
    }
}

/// Reads exactly `N` bytes. If the source ends early, the error names `what`.
fn read_array<const N: usize>(source: &mut impl Read, what: &str) -> Result<[u8; N], BundleError> {
    let mut bytes = [0; N];
    source.read_exact(&mut bytes).map_err(|e| match e.kind() {
        io::ErrorKind::UnexpectedEof => BundleError::Damaged(format!("it ends in the middle of {what}")),
        _ => e.into(),
    })?;
    Ok(bytes)
}

fn check_head(source: &mut impl Read) -> Result<(), BundleError> {
    let bytes: [u8; HEAD] = read_array(source, "its head")?;
    let version = u32_at(&bytes, 8);
    if bytes[..8] != MAGIC {
        return Err(BundleError::Damaged("it is not a file written by `secchi runs export`".to_owned()));
    }
    if version != VERSION {
        return Err(BundleError::Damaged(format!("it has format {version}, but this secchi reads format {VERSION}")));
    }
    if bytes != head(MAGIC, VERSION) {
        return Err(BundleError::Damaged("its header is damaged".to_owned()));
    }
    Ok(())
}

fn check_end(source: &mut HashingStream<impl Read>) -> Result<(), BundleError> {
    let sum = source.hash.clone().finalize();
    let report: [u8; 32] = read_array(source, "its end")?;
    if report != sum[..] {
        return Err(BundleError::Damaged(
            "it differs from what was exported: the SHA-256 at its end does not match".to_owned(),
        ));
    }
    match source.read(&mut [0])? {
        0 => Ok(()),
        _ => Err(BundleError::Damaged("there is data after its end".to_owned())),
    }
}

/// Reads the header of the next run; returns `None` at the end.
fn read_header(source: &mut impl Read) -> Result<Option<Header>, BundleError> {
    let length = u32::from_le_bytes(read_array(source, "a header")?);
    if length == 0 {
        return Ok(None);
    }
    if length > MAX_HEADER {
        return Err(BundleError::Damaged(format!("a header has {length} bytes; the maximum is {MAX_HEADER}")));
    }
    let mut text = Vec::new();
    source.take(u64::from(length)).read_to_end(&mut text)?;
    let sum = u32::from_le_bytes(read_array(source, "a header")?);
    if sum != crc32c::crc32c(&text) {
        return Err(BundleError::Damaged("a header has a wrong checksum".to_owned()));
    }
    let header: Header =
        serde_json::from_slice(&text).map_err(|e| BundleError::Damaged(format!("a header cannot be read: {e}")))?;
    if !id::is_id(&header.id) {
        return Err(run_error(&header.id, "that is not the id of a run: ids are UUIDs, not names or paths"));
    }
    if header.journal_bytes > MAX_JOURNAL {
        return Err(run_error(&header.id, Unreadable::TooLong(header.journal_bytes)));
    }
    if header.journal_bytes > header.packed_bytes.saturating_mul(MAX_RATIO) {
        let ratio = header.journal_bytes / header.packed_bytes.max(1);
        return Err(run_error(&header.id, format!("it unpacks to {ratio} times its size; the maximum is {MAX_RATIO}")));
    }
    header.labels.check().map_err(|why| run_error(&header.id, why))?;
    Ok(Some(header))
}

fn write_run(id: &str, journal: &[u8], labels: Labels, out: &mut impl Write) -> Result<(), BundleError> {
    let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(journal)?;
    let packed = encoder.finish()?;
    let deflate = packed.len() < journal.len() && journal.len() as u64 <= packed.len() as u64 * MAX_RATIO / 2;
    let (packing, bytes) = if deflate { (Packing::Deflate, &packed[..]) } else { (Packing::Stored, journal) };
    let header = Header {
        id: id.to_owned(),
        journal_bytes: journal.len() as u64,
        packed_bytes: bytes.len() as u64,
        packing,
        sha256: hex(&Sha256::digest(journal)),
        labels,
    };
    let text = serde_json::to_vec(&header).map_err(io::Error::from)?;
    let length = u32::try_from(text.len()).map_err(io::Error::other)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&text)?;
    out.write_all(&crc32c::crc32c(&text).to_le_bytes())?;
    out.write_all(bytes)?;
    Ok(())
}

impl From<RecoverError> for BundleError {
    fn from(error: RecoverError) -> Self {
        StoreError::from(error).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::runs::labels_file::LabelChange;
    use std::path::Path;

    /// Returns a bundle of one run with an arbitrary header.
    fn forged(header: &str, packed: &[u8]) -> Vec<u8> {
        let mut file = head(MAGIC, VERSION).to_vec();
        file.extend_from_slice(&(header.len() as u32).to_le_bytes());
        file.extend_from_slice(header.as_bytes());
        file.extend_from_slice(&crc32c::crc32c(header.as_bytes()).to_le_bytes());
        file.extend_from_slice(packed);
        file.extend_from_slice(&0u32.to_le_bytes());
        let sum = Sha256::digest(&file);
        file.extend_from_slice(&sum);
        file
    }

    fn filled(dir: &Path, seeds: std::ops::Range<u64>) -> (Store, Vec<String>) {
        let store = Store::open(dir).expect("opens");
        for seed in seeds.clone() {
            let events = fixture::run(seed, 2);
            let mut writer = store.create_run(&events[0]).expect("begins");
            events[1..].iter().for_each(|e| writer.append(e).expect("appends"));
            writer.finish("fit").expect("finishes");
        }
        (store, seeds.map(fixture::id).collect())
    }

    fn exported(store: &Store, ids: &[String]) -> Vec<u8> {
        let mut file = Vec::new();
        let report = store.export(ids, &mut file).expect("exports");
        assert_eq!((report.runs, report.bytes), (ids.len(), file.len() as u64));
        file
    }

    fn why(store: &Store, file: &[u8]) -> String {
        let left = || store.ids().expect("reads").len();
        let before = left();
        let error = store.import(file).expect_err("refused").to_string();
        assert_eq!(left(), before, "nothing is taken");
        let fresh = std::fs::read_dir(store.runs())
            .expect("reads")
            .filter(|e| e.as_ref().is_ok_and(|e| e.path().extension().is_some_and(|x| x == TEMPORARY)));
        assert_eq!(fresh.count(), 0, "nothing is left lying about");
        error
    }

    #[test]
    fn runs_are_carried_with_their_labels_and_kept_once() {
        let (a, b) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
        let (store, ids) = filled(a.path(), 1..4);
        let change = LabelChange { add: vec!["nightly".into()], note: Some("a note".into()), ..LabelChange::default() };
        store.relabel(&ids[1], &change).expect("labels");
        let file = exported(&store, &ids);
        let journals: u64 =
            ids.iter().map(|i| store.journal_path(i).expect("id").metadata().expect("there").len()).sum();
        assert!((file.len() as u64) < journals / 2, "{} of {journals}", file.len());
        let (other, _) = filled(b.path(), 1..2);
        let report = other.import(&file[..]).expect("imports");
        assert_eq!((report.new, report.known), (ids[1..].to_vec(), ids[..1].to_vec()));
        for id in &ids {
            assert_eq!(other.read(id).expect("reads"), store.read(id).expect("reads"));
        }
        assert_eq!(other.labels(&ids[1]).expect("reads"), store.labels(&ids[1]).expect("reads"));
        assert_eq!(other.list().expect("lists").runs.len(), 3);
        assert_eq!(other.import(&file[..]).expect("again").new, Vec::<String>::new());
    }

    #[test]
    fn any_changed_byte_and_any_cut_is_refused() {
        let (a, b) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
        let (store, ids) = filled(a.path(), 1..2);
        let file = exported(&store, &ids);
        let other = Store::open(b.path()).expect("opens");
        let step = (file.len() / 150).max(1);
        for at in (0..file.len()).step_by(step) {
            let mut bad = file.clone();
            bad[at] ^= 0x20;
            why(&other, &bad);
            why(&other, &file[..at]);
        }
        let mut longer = file.clone();
        longer.push(0);
        assert!(why(&other, &longer).contains("after its end"));
        assert_eq!(other.import(&file[..]).expect("the whole one").new.len(), 1);
    }

    #[test]
    fn names_and_paths_bombs_and_liars_are_refused_by_name() {
        let dir = tempfile::tempdir().expect("a directory");
        let (store, ids) = filled(dir.path(), 1..2);
        let header = |id: &str, bytes: u64, packed: u64, packing: &str, sum: &str| {
            format!(
                r#"{{"id":"{id}","journal_bytes":{bytes},"packed_bytes":{packed},"packing":"{packing}","sha256":"{sum}"}}"#
            )
        };
        for name in ["../../etc/cron.d/x", "/etc/passwd", "..", "runs/../x", "1B4E28BA-2FA1-4D3B-A3F5-EF19B5A7633B"] {
            let error = why(&store, &forged(&header(name, 1, 1, "stored", ""), b"x"));
            assert!(error.contains(name) && error.contains("not the id of a run"), "{error}");
        }
        let free = fixture::id(77);
        let bomb = forged(&header(&free, 101_000, 1000, "deflate", ""), &[0; 1000]);
        assert!(why(&store, &bomb).contains("101 times"));
        // A header with a false size: zeros can be compressed a thousandfold.
        let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(&vec![0; 1 << 20]).expect("memory");
        let packed = encoder.finish().expect("memory");
        let liar = forged(&header(&free, 5000, packed.len() as u64, "deflate", ""), &packed);
        let error = why(&store, &liar);
        assert!(error.contains(&free) && error.contains("longer than its header declares"), "{error}");
        // With correct hashes, neither another text nor another run's journal is accepted as the run's journal.
        let text = b"not a journal at all, with some length";
        let sum = hex(&Sha256::digest(text));
        let error = why(&store, &forged(&header(&free, text.len() as u64, text.len() as u64, "stored", &sum), text));
        assert!(error.contains(&free) && error.contains("not a secchi journal"), "{error}");
        let journal = std::fs::read(store.journal_path(&ids[0]).expect("an id")).expect("reads");
        let bundle_of = |id: &str, journal: &[u8]| {
            let n = journal.len() as u64;
            forged(&header(id, n, n, "stored", &hex(&Sha256::digest(journal))), journal)
        };
        assert!(why(&store, &bundle_of(&free, &journal)).contains("belongs to another run"));
        // The same id with other contents.
        let events = fixture::run(1, 1);
        let elsewhere = tempfile::tempdir().expect("a directory");
        let shorter = Store::open(elsewhere.path()).expect("opens");
        let mut writer = shorter.create_run(&events[0]).expect("begins");
        writer.append(&events[1]).expect("appends");
        writer.finish("").expect("finishes");
        let journal = std::fs::read(shorter.journal_path(&ids[0]).expect("an id")).expect("reads");
        assert!(why(&store, &bundle_of(&ids[0], &journal)).contains("different contents"));
        assert!(
            why(&store, b"PK\x03\x04 something else altogether").contains("not a file written by `secchi runs export`")
        );
    }

    #[test]
    fn a_run_in_progress_is_not_exported() {
        let dir = tempfile::tempdir().expect("a directory");
        let (store, _) = filled(dir.path(), 1..2);
        let _writer = store.create_run(&fixture::run(9, 0)[0]).expect("begins");
        let error = store.export(&[fixture::id(9)], Vec::new()).expect_err("refused");
        assert!(matches!(error, BundleError::Store(StoreError::Live { .. })), "{error}");
    }
}

//! The protocol between a session and its process. A frame is a length (u32) followed by that many bytes; numbers are
//! little-endian. A request is a verb with its payload; an answer is 0 with a payload, or 1 with an error message.

use load::names::Namer;
use load::session::{Batch, BatchKind, BatchResult, Key, index_key};
use model::plan::NodeNames;
use std::io::{self, Read, Write};

/// Maximum length of a frame, in bytes; a larger value means that the pipe is corrupt.
const LARGEST: usize = 64 << 20;

/// First byte of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Updates in one transaction.
    Commit = 1,
    /// Updates without a transaction.
    Alone = 2,
    /// Reads by key.
    Read = 3,
    /// Reads in order.
    Scan = 4,
    /// A query, with the name of the entry, two integers and a text.
    Ask = 5,
}

impl Verb {
    fn from_byte(byte: u8) -> Option<Verb> {
        [Verb::Commit, Verb::Alone, Verb::Read, Verb::Scan, Verb::Ask].into_iter().find(|v| *v as u8 == byte)
    }
}

/// Reads a frame into `into`. Returns `false` at the end of the stream.
///
/// # Errors
/// Returns an error if reading fails, or if the stream ends within a frame.
pub fn receive(from: &mut impl Read, into: &mut Vec<u8>) -> io::Result<bool> {
    let mut head = [0u8; 4];
    let mut got = 0;
    while got < head.len() {
        match from.read(&mut head[got..]) {
            Ok(0) if got == 0 => return Ok(false),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => got += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    let length = u32::from_le_bytes(head) as usize;
    if length == 0 || length > LARGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("invalid frame length: {length} bytes")));
    }
    into.resize(length, 0);
    from.read_exact(into)?;
    Ok(true)
}

/// Begins a frame in `into`; [`send`] fills in its length.
pub fn begin(into: &mut Vec<u8>, first: u8) {
    into.clear();
    into.extend_from_slice(&[0, 0, 0, 0, first]);
}

/// Sends a frame begun with [`begin`].
///
/// # Errors
/// Returns an error if writing fails.
pub fn send(to: &mut impl Write, frame: &mut [u8]) -> io::Result<()> {
    let length = (frame.len() - 4) as u32;
    frame[..4].copy_from_slice(&length.to_le_bytes());
    to.write_all(frame)?;
    to.flush()
}

/// Encodes a batch as a frame. With a namer, the keys are the numbers of named nodes. Each value is followed by its
/// keys in `indexes` secondary indexes, separated by bars, such as `value|12345|67890`.
pub fn write_batch(frame: &mut Vec<u8>, batch: &Batch<'_>, mut namer: Option<&mut Namer>, indexes: u32) {
    let verb = match batch.kind {
        BatchKind::Update if batch.transaction => Verb::Commit,
        BatchKind::Update => Verb::Alone,
        BatchKind::Read => Verb::Read,
        BatchKind::Scan => Verb::Scan,
    };
    begin(frame, verb as u8);
    frame.extend_from_slice(&(batch.keys.len() as u32).to_le_bytes());
    for (i, key) in batch.keys.iter().enumerate() {
        frame.extend_from_slice(&key.global.to_le_bytes());
        frame.extend_from_slice(&key.subscript.to_le_bytes());
        let value = if batch.kind == BatchKind::Update { batch.values.get(i) } else { &[] };
        let head = frame.len();
        frame.extend_from_slice(&[0; 8]);
        frame[head..head + 4].copy_from_slice(&(value.len() as u32).to_le_bytes());
        if let Some(namer) = &mut namer {
            let (before, last) = put_name(frame, namer, key.subscript);
            frame[head + 4..head + 6].copy_from_slice(&before.to_le_bytes());
            frame[head + 6..head + 8].copy_from_slice(&last.to_le_bytes());
        }
        let from = frame.len();
        frame.extend_from_slice(value);
        if batch.kind == BatchKind::Update && indexes > 0 {
            for i in 1..=indexes {
                let _ = write!(frame, "|{}", index_key(value, i));
            }
            let length = (frame.len() - from) as u32;
            frame[head..head + 4].copy_from_slice(&length.to_le_bytes());
        }
    }
}

/// Encodes the name of a node for M, such as `("Xr6op","drb7x")t8vqa`. All subscripts but the last come first, in the
/// form that follows the name of a global. The last subscript follows. Returns the lengths of both parts.
fn put_name(frame: &mut Vec<u8>, namer: &mut Namer, number: u64) -> (u16, u16) {
    let start = frame.len();
    let subscripts = namer.name(number);
    let last = subscripts.len() - 1;
    let mut before = 0;
    for (i, subscript) in subscripts.enumerate() {
        if i == last {
            if i > 0 {
                frame.push(b')');
            }
            before = frame.len() - start;
            frame.extend_from_slice(subscript.as_bytes());
        } else {
            frame.extend_from_slice(if i == 0 { b"(\"" } else { b",\"" });
            frame.extend_from_slice(subscript.as_bytes());
            frame.push(b'"');
        }
    }
    (before as u16, (frame.len() - start - before) as u16)
}

/// Returns the maximum size of a frame for a batch of this many operations, in bytes.
#[must_use]
pub fn frame_size(batch: usize, longest: usize, names: Option<&NodeNames>) -> usize {
    let name = names.map_or(0, |n| n.characters() + 4 * n.levels().count());
    16 + batch * (20 + longest + name)
}

/// An operation of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation<'a> {
    /// Key of the record.
    pub key: Key,
    /// Value of the record.
    pub value: &'a [u8],
    /// Name of the node; `None` for integer subscripts.
    pub name: Option<Name<'a>>,
}

/// Encoded name of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name<'a> {
    /// Length of all subscripts but the last, in bytes.
    pub before: u16,
    /// Length of the last subscript, in bytes.
    pub last: u16,
    /// Both parts of the name, followed by the value.
    pub text_and_value: &'a [u8],
}

/// Decoder of a frame.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Returns the verb of a received request, and a reader of its payload.
    ///
    /// # Errors
    /// Returns an error if the verb is unknown.
    pub fn request(frame: &'a [u8]) -> io::Result<(Verb, Reader<'a>)> {
        let verb = frame.first().and_then(|b| Verb::from_byte(*b)).ok_or_else(garbled)?;
        Ok((verb, Reader(&frame[1..])))
    }

    /// Returns a reader of the payload of a received answer.
    ///
    /// # Errors
    /// Returns the error that the other side reported.
    pub fn answer(frame: &'a [u8]) -> io::Result<Reader<'a>> {
        match frame.split_first() {
            Some((0, rest)) => Ok(Reader(rest)),
            Some((1, rest)) => Err(io::Error::other(String::from_utf8_lossy(rest).into_owned())),
            _ => Err(garbled()),
        }
    }

    /// Reads `n` bytes.
    ///
    /// # Errors
    /// Returns an error if fewer than `n` bytes remain.
    pub fn bytes(&mut self, n: usize) -> io::Result<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(n).ok_or_else(garbled)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// Returns the remaining bytes.
    #[must_use]
    pub fn rest(self) -> &'a [u8] {
        self.0
    }

    /// Reads a number of four bytes.
    ///
    /// # Errors
    /// Returns the same errors as [`Reader::bytes`].
    pub fn u32(&mut self) -> io::Result<u32> {
        Ok(u32::from_le_bytes(self.bytes(4)?.try_into().expect("four bytes")))
    }

    /// Reads a number of eight bytes.
    ///
    /// # Errors
    /// Returns the same errors as [`Reader::bytes`].
    pub fn u64(&mut self) -> io::Result<u64> {
        Ok(u64::from_le_bytes(self.bytes(8)?.try_into().expect("eight bytes")))
    }

    /// Reads an operation of a batch.
    ///
    /// # Errors
    /// Returns the same errors as [`Reader::bytes`].
    pub fn operation(&mut self) -> io::Result<Operation<'a>> {
        let key = Key { global: self.u32()?, subscript: self.u64()? };
        let length = self.u32()? as usize;
        let lengths = self.u32()?;
        let (before, last) = (lengths as u16, (lengths >> 16) as u16);
        let named = usize::from(before) + usize::from(last);
        let text = self.bytes(named + length)?;
        let name = (named > 0).then_some(Name { before, last, text_and_value: text });
        Ok(Operation { key, value: &text[named..], name })
    }
}

fn garbled() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the frame is garbled")
}

/// Encodes the result of a batch as a frame.
pub fn write_result(frame: &mut Vec<u8>, result: &BatchResult) {
    begin(frame, 0);
    for number in [result.whole, result.bytes, result.missing, result.commits.len() as u64] {
        frame.extend_from_slice(&number.to_le_bytes());
    }
    for number in result.commits.iter().chain(&result.each) {
        frame.extend_from_slice(&number.to_le_bytes());
    }
}

/// Decodes the result of a batch of `n` operations.
///
/// # Errors
/// Returns an error if the frame does not contain such a result.
pub fn read_result(mut from: Reader<'_>, n: usize, result: &mut BatchResult) -> io::Result<()> {
    (result.whole, result.bytes, result.missing) = (from.u64()?, from.u64()?, from.u64()?);
    for _ in 0..from.u64()?.min(n as u64) {
        result.commits.push(from.u64()?);
    }
    for _ in 0..n {
        result.each.push(from.u64()?);
    }
    if from.0.is_empty() { Ok(()) } else { Err(garbled()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use load::session::KeyGenerator;
    use model::Nanos;
    use model::plan::{GlobalSize, KeyOrder, SessionRule, ValueRule};

    #[test]
    fn a_batch_and_what_is_told_of_it_come_over_unchanged() {
        let global = GlobalSize::new(3, 9);
        let rule = SessionRule {
            blocks: false,
            batch: 4,
            transaction: true,
            hang: Nanos(0),
            hang_variation: 0,
            read_percent: 0,
            own: global,
            read: vec![global],
            order: KeyOrder::Random,
            value: ValueRule::Length { from: 20, to: 30 },
            names: None,
            extra: Default::default(),
        };
        let mut generator = KeyGenerator::new(&rule, 1, 0, 0);
        let batch = generator.draw(u64::MAX);
        let (mut frame, mut sent, mut got) = (Vec::new(), Vec::new(), Vec::new());
        write_batch(&mut frame, &batch, None, 0);
        assert!(frame.len() <= frame_size(4, 30, None));
        send(&mut sent, &mut frame).unwrap();
        let mut stream = &sent[..];
        assert!(receive(&mut stream, &mut got).unwrap());
        assert!(!receive(&mut stream, &mut Vec::new()).unwrap(), "the end is no error");
        let (verb, mut reader) = Reader::request(&got).unwrap();
        assert_eq!((verb, reader.u32().unwrap()), (Verb::Commit, 4));
        for i in 0..4 {
            let operation = Operation { key: batch.keys[i], value: batch.values.get(i), name: None };
            assert_eq!(reader.operation().unwrap(), operation);
        }
        for names in [NodeNames { name: 3, depth: 2, length: 4 }, NodeNames { name: 0, depth: 1, length: 6 }] {
            let (mut namer, mut same) = (Namer::new(&names), Namer::new(&names));
            write_batch(&mut frame, &batch, Some(&mut namer), 0);
            assert!(frame.len() <= frame_size(4, 30, Some(&names)));
            let (_, mut reader) = Reader::request(&frame[4..]).unwrap();
            assert_eq!(reader.u32().unwrap(), 4);
            for i in 0..4 {
                let operation = reader.operation().unwrap();
                assert_eq!((operation.key, operation.value), (batch.keys[i], batch.values.get(i)));
                let name = operation.name.unwrap();
                let (before, rest) = operation.name.unwrap().text_and_value.split_at(usize::from(name.before));
                let quoted = std::str::from_utf8(before).unwrap().trim_matches(['(', ')']);
                let mut subscripts: Vec<&str> = quoted.split(',').map(|s| s.trim_matches('"')).collect();
                subscripts.retain(|s| !s.is_empty());
                subscripts.push(std::str::from_utf8(&rest[..usize::from(name.last)]).unwrap());
                assert_eq!(subscripts, same.name(batch.keys[i].subscript).collect::<Vec<_>>());
            }
        }
        let result = BatchResult { each: vec![1, 2, 3, 4], commits: vec![9], whole: 20, bytes: 99, missing: 1 };
        write_result(&mut frame, &result);
        let mut back = BatchResult::with_room(4);
        read_result(Reader::answer(&frame[4..]).unwrap(), 4, &mut back).unwrap();
        assert_eq!(format!("{back:?}"), format!("{result:?}"));
        for cut in 4..frame.len() {
            let outcome = Reader::answer(&frame[4..cut]).and_then(|r| read_result(r, 4, &mut BatchResult::default()));
            assert!(outcome.is_err(), "cut at {cut}");
        }
    }
}

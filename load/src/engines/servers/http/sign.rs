//! S3 signatures: AWS Signature Version 4 in headers, covering the same headers as fio.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use jiff::tz::Offset;
use md5::Md5;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::time::SystemTime;

/// SHA-256 of an empty body.
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Credentials for S3, and settings common to all objects.
pub(super) struct S3 {
    key: String,
    key_id: String,
    region: String,
    token: Option<String>,
    storage_class: String,
    encryption: Option<Encryption>,
    /// Day, and the key that signs that day's requests.
    signing: ([u8; 8], [u8; 32]),
    canonical: Vec<u8>,
    payload: String,
}

/// Encryption with a key that is sent in each request (SSE-C).
struct Encryption {
    algorithm: String,
    key: String,
    check: String,
}

impl S3 {
    /// Creates a signer. `encryption` holds the algorithm and the raw key.
    pub(super) fn new(
        (key_id, key): (&str, &str),
        token: Option<&str>,
        region: &str,
        storage_class: &str,
        encryption: Option<(&str, &str)>,
    ) -> S3 {
        let encryption = encryption.map(|(algorithm, key)| {
            // As in fio: 32 bytes, padded with zeros.
            let mut bytes = [0; 32];
            let given = &key.as_bytes()[..key.len().min(32)];
            bytes[..given.len()].copy_from_slice(given);
            Encryption {
                algorithm: algorithm.to_owned(),
                key: STANDARD.encode(bytes),
                check: STANDARD.encode(Md5::digest(bytes)),
            }
        });
        S3 {
            key: format!("AWS4{key}"),
            key_id: key_id.to_owned(),
            region: region.to_owned(),
            token: token.map(str::to_owned),
            storage_class: storage_class.to_owned(),
            encryption,
            signing: Default::default(),
            canonical: Vec::with_capacity(1024),
            payload: String::with_capacity(64),
        }
    }

    /// Adds the headers that sign a request. `path` must already be encoded.
    pub(super) fn sign(
        &mut self,
        head: &mut Vec<u8>,
        (method, path, host): (&str, &str, &str),
        body: Option<&[u8]>,
        now: SystemTime,
    ) {
        let stamp = timestamp(now);
        let stamp = std::str::from_utf8(&stamp).unwrap_or_default();
        let day = &stamp[..8];
        self.payload.clear();
        match body {
            None => self.payload.push_str(EMPTY),
            Some(body) => hex(&Sha256::digest(body), &mut self.payload),
        }
        let S3 { canonical, payload, encryption, token, storage_class, .. } = self;
        // Sorted by name, as the signature requires. `head` receives the same headers except the host.
        canonical.clear();
        let _ = write!(canonical, "{method}\n{path}\n\nhost:{host}\n");
        let mut add = |name: &str, value: &str| {
            let _ = writeln!(canonical, "{name}:{value}");
            let _ = write!(head, "{name}: {value}\r\n");
        };
        add("x-amz-content-sha256", payload);
        add("x-amz-date", stamp);
        if let Some(token) = token {
            add("x-amz-security-token", token);
        }
        if let Some(encryption) = encryption {
            add("x-amz-server-side-encryption-customer-algorithm", &encryption.algorithm);
            add("x-amz-server-side-encryption-customer-key", &encryption.key);
            add("x-amz-server-side-encryption-customer-key-md5", &encryption.check);
        }
        add("x-amz-storage-class", storage_class);
        let signed = SIGNED[usize::from(encryption.is_some())][usize::from(token.is_some())];
        let _ = write!(canonical, "\n{signed}\n{payload}");
        let mut digest = String::with_capacity(64);
        hex(&Sha256::digest(&*canonical), &mut digest);
        if self.signing.0 != day.as_bytes() {
            self.signing.0.copy_from_slice(day.as_bytes());
            let mut key = keyed(self.key.as_bytes(), day.as_bytes());
            for part in [self.region.as_str(), "s3", "aws4_request"] {
                key = keyed(&key, part.as_bytes());
            }
            self.signing.1 = key;
        }
        let region = &self.region;
        canonical.clear();
        let _ = write!(canonical, "AWS4-HMAC-SHA256\n{stamp}\n{day}/{region}/s3/aws4_request\n{digest}");
        digest.clear();
        hex(&keyed(&self.signing.1, canonical), &mut digest);
        let _ = write!(
            head,
            "Authorization: AWS4-HMAC-SHA256 Credential={}/{day}/{region}/s3/aws4_request, SignedHeaders={signed}, \
             Signature={digest}\r\n",
            self.key_id
        );
    }
}

/// Names of the signed headers. The first index is 1 with an encryption key, and the second is 1 with a token.
const SIGNED: [[&str; 2]; 2] = [
    [
        "host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
        "host;x-amz-content-sha256;x-amz-date;x-amz-security-token;x-amz-storage-class",
    ],
    [
        "host;x-amz-content-sha256;x-amz-date;x-amz-server-side-encryption-customer-algorithm;\
         x-amz-server-side-encryption-customer-key;x-amz-server-side-encryption-customer-key-md5;x-amz-storage-class",
        "host;x-amz-content-sha256;x-amz-date;x-amz-security-token;x-amz-server-side-encryption-customer-algorithm;\
         x-amz-server-side-encryption-customer-key;x-amz-server-side-encryption-customer-key-md5;x-amz-storage-class",
    ],
];

fn keyed(key: &[u8], text: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(text);
    mac.finalize().into_bytes().into()
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Appends bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}

/// Appends a path, percent-encoded for S3 signatures and HTTP requests: only letters, digits and `_-~./` are left
/// unchanged.
pub(super) fn encode(path: &[u8], out: &mut String) {
    for byte in path {
        if byte.is_ascii_alphanumeric() || b"_-~./".contains(byte) {
            out.push(char::from(*byte));
        } else {
            out.push('%');
            for digit in [byte >> 4, byte & 15] {
                out.push(char::from(DIGITS[usize::from(digit)]).to_ascii_uppercase());
            }
        }
    }
}

/// Returns a timestamp such as `20130524T000000Z`, without allocating.
fn timestamp(now: SystemTime) -> [u8; 16] {
    let now = Timestamp::try_from(now).unwrap_or(Timestamp::UNIX_EPOCH);
    let utc = Offset::UTC.to_datetime(now);
    let mut out = *b"00000000T000000Z";
    let mut put = |at: usize, digits: usize, mut value: u32| {
        for place in (at..at + digits).rev() {
            out[place] = b'0' + (value % 10) as u8;
            value /= 10;
        }
    };
    put(0, 4, utc.year().unsigned_abs().into());
    put(4, 2, utc.month().unsigned_abs().into());
    put(6, 2, utc.day().unsigned_abs().into());
    put(9, 2, utc.hour().unsigned_abs().into());
    put(11, 2, utc.minute().unsigned_abs().into());
    put(13, 2, utc.second().unsigned_abs().into());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn dates_are_those_of_the_calendar() {
        let at = |seconds| String::from_utf8(timestamp(UNIX_EPOCH + Duration::from_secs(seconds)).to_vec()).unwrap();
        assert_eq!(at(0), "19700101T000000Z");
        assert_eq!(at(951_782_399), "20000228T235959Z");
        assert_eq!(at(951_782_400), "20000229T000000Z");
        assert_eq!(at(1_369_353_600), "20130524T000000Z");
        assert_eq!(at(1_798_761_599), "20261231T235959Z");
        assert_eq!(at(4_107_542_400), "21000301T000000Z");
    }

    #[test]
    fn keys_and_names_are_as_amazon_publishes_them() {
        // AWS documentation, "Examples of how to derive a signing key for Signature Version 4".
        let mut key = keyed(b"AWS4wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", b"20120215");
        for part in ["us-east-1", "iam", "aws4_request"] {
            key = keyed(&key, part.as_bytes());
        }
        let mut shown = String::new();
        hex(&key, &mut shown);
        assert_eq!(shown, "f4780e2d9f65fa895f9c67b32ce1baf0b0d8a43505a000a1a9e090d414db404d");
        let mut path = String::new();
        encode("/a b/ü+~_0_4096".as_bytes(), &mut path);
        assert_eq!(path, "/a%20b/%C3%BC%2B~_0_4096");
    }

    #[test]
    fn what_is_signed_is_sorted_and_complete() {
        for (token, encryption) in
            [(None, None), (Some("t"), None), (None, Some(("AES256", "k"))), (Some("t"), Some(("AES256", "k")))]
        {
            let mut s3 = S3::new(("id", "key"), token, "us-east-1", "STANDARD", encryption);
            let mut head = Vec::new();
            s3.sign(&mut head, ("PUT", "/b/x_0_1", "localhost"), Some(b"x"), UNIX_EPOCH);
            let head = String::from_utf8(head).unwrap();
            let signed = head.split("SignedHeaders=").nth(1).unwrap().split(',').next().unwrap();
            let names: Vec<&str> = signed.split(';').collect();
            assert!(names.is_sorted(), "{signed}");
            let sent: Vec<&str> = head.lines().filter_map(|l| l.split_once(": ")).map(|(n, _)| n).collect();
            assert!(names[1..].iter().all(|n| sent.contains(n)) && names.len() == sent.len(), "{head}");
        }
    }
}

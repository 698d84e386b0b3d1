//! Checksums of payloads.

use crc::{CRC_7_MMC, CRC_16_ARC, CRC_32_ISO_HDLC, CRC_64_XZ, Crc, Table};
use model::plan::Checksum;
use sha2::Digest;
use std::sync::LazyLock;

/// Length of the longest checksum, in bytes.
pub(super) const LONGEST: usize = 64;

// The table is created on demand: as a constant it would add 60 KB to the executable, as would the initial value of a
// static.
static CRC7: LazyLock<Box<Crc<u8, Table<16>>>> = LazyLock::new(|| Box::new(Crc::<u8, Table<16>>::new(&CRC_7_MMC)));
static CRC16: LazyLock<Box<Crc<u16, Table<16>>>> = LazyLock::new(|| Box::new(Crc::<u16, Table<16>>::new(&CRC_16_ARC)));
static CRC32: LazyLock<Box<Crc<u32, Table<16>>>> =
    LazyLock::new(|| Box::new(Crc::<u32, Table<16>>::new(&CRC_32_ISO_HDLC)));
static CRC64: LazyLock<Box<Crc<u64, Table<16>>>> = LazyLock::new(|| Box::new(Crc::<u64, Table<16>>::new(&CRC_64_XZ)));
/// fio's seed for xxhash.
const XX_SEED: u32 = 1;

/// Returns the length of a method's checksum, in bytes.
pub(super) const fn length(method: Checksum) -> usize {
    match method {
        Checksum::Md5 => 16,
        Checksum::Crc64 => 8,
        Checksum::Crc32c | Checksum::Crc32 | Checksum::Xxhash => 4,
        Checksum::Crc16 => 2,
        Checksum::Crc7 => 1,
        Checksum::Sha1 => 20,
        Checksum::Sha256 | Checksum::Sha3_256 => 32,
        Checksum::Sha512 | Checksum::Sha3_512 => 64,
        Checksum::Sha3_224 => 28,
        Checksum::Sha3_384 => 48,
        Checksum::Header | Checksum::PatternHeader | Checksum::Pattern | Checksum::Null => 0,
    }
}

/// Creates the tables of the method, so that this does not happen during a measured operation.
pub(super) fn prepare(method: Checksum) {
    checksum(method, &[]);
}

/// Returns the checksum of `data`, in the first [`length`] bytes of the array.
pub(super) fn checksum(method: Checksum, data: &[u8]) -> [u8; LONGEST] {
    let mut sum = [0; LONGEST];
    let mut put = |bytes: &[u8]| sum[..bytes.len()].copy_from_slice(bytes);
    match method {
        Checksum::Md5 => put(&md5::Md5::digest(data)),
        Checksum::Crc64 => put(&CRC64.checksum(data).to_le_bytes()),
        Checksum::Crc32c => put(&crc32c::crc32c(data).to_le_bytes()),
        Checksum::Crc32 => put(&CRC32.checksum(data).to_le_bytes()),
        Checksum::Crc16 => put(&CRC16.checksum(data).to_le_bytes()),
        Checksum::Crc7 => put(&[CRC7.checksum(data)]),
        Checksum::Xxhash => put(&xxhash_rust::xxh32::xxh32(data, XX_SEED).to_le_bytes()),
        Checksum::Sha1 => put(&sha1::Sha1::digest(data)),
        Checksum::Sha256 => put(&sha2::Sha256::digest(data)),
        Checksum::Sha512 => put(&sha2::Sha512::digest(data)),
        Checksum::Sha3_224 => put(&sha3::Sha3_224::digest(data)),
        Checksum::Sha3_256 => put(&sha3::Sha3_256::digest(data)),
        Checksum::Sha3_384 => put(&sha3::Sha3_384::digest(data)),
        Checksum::Sha3_512 => put(&sha3::Sha3_512::digest(data)),
        Checksum::Header | Checksum::PatternHeader | Checksum::Pattern | Checksum::Null => {}
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_have_their_published_check_values() {
        // Checksums of the nine bytes "123456789": catalogue of parametrised CRCs, RFC 1321, FIPS 180 and 202.
        let known = [
            (Checksum::Crc7, "75"),
            (Checksum::Crc16, "3dbb"),
            (Checksum::Crc32, "2639f4cb"),
            (Checksum::Crc32c, "839206e3"),
            (Checksum::Crc64, "fa3919dfbbc95d99"),
            (Checksum::Md5, "25f9e794323b453885f5181f1b624d0b"),
            (Checksum::Sha1, "f7c3bc1d808e04732adf679965ccc34ca7ae3441"),
            (Checksum::Sha256, "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"),
        ];
        for (method, hex) in known {
            let sum = checksum(method, b"123456789");
            let shown: String = sum[..length(method)].iter().map(|b| format!("{b:02x}")).collect();
            assert_eq!(shown, hex, "{method:?}");
        }
    }

    #[test]
    fn every_method_fills_its_length_and_sees_a_flipped_bit() {
        use Checksum as C;
        let methods = [C::Sha512, C::Sha3_224, C::Sha3_256, C::Sha3_384, C::Sha3_512, C::Xxhash, C::Crc7, C::Crc16];
        for method in methods {
            let mut data = vec![7; 1000];
            let before = checksum(method, &data);
            data[500] ^= 1;
            let after = checksum(method, &data);
            assert_ne!(before, after, "{method:?}");
            assert!(before[length(method)..].iter().all(|b| *b == 0));
        }
    }
}

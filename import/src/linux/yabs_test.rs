//! Parameters of the fio tests of YABS, which neither its tables nor its JSON document contain.

use crate::text::figure::size;
use model::Bytes;
use model::foreign::{ForeignTest, Quantity, Statistic};

pub(super) const BANDWIDTH: Quantity = Quantity::Bandwidth(Statistic::Overall);
pub(super) const IOPS: Quantity = Quantity::Iops(Statistic::Overall);

/// Name of the parameter with the partition of the test file.
pub(super) const PARTITION: &str = "Partition";
/// Sizes of the test file.
pub(super) const FILE: Bytes = Bytes::from_gib(2);
pub(super) const FILE_ON_ARM: Bytes = Bytes::from_mib(512);

/// Returns the name of fio's job for a block size.
pub(super) fn test_name(size: &str) -> String {
    format!("rand_rw_{size}")
}

/// Creates a test with the options of YABS's fio command.
pub(super) fn fio_test(block: &str, line: u32, file_size: Option<Bytes>) -> ForeignTest {
    let mut test = ForeignTest { name: test_name(block), line, ..ForeignTest::default() };
    let asked = &mut test.asked;
    asked.rw = Some("randrw".to_owned());
    asked.block = [size(block).map(|size| (size, size)); 2];
    (asked.depth, asked.jobs) = (Some(64), Some(2));
    (asked.engine, asked.direct) = (Some("libaio".to_owned()), Some(true));
    (asked.seconds, asked.size) = (Some(30.0), file_size);
    asked.others = [("rwmixread", "50"), ("gtod_reduce", "1")].map(|(n, v)| (n.to_owned(), v.to_owned())).to_vec();
    test
}

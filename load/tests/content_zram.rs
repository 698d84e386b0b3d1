//! Test of secchi's data with a real compressor: a private zram device (docs/design/storage.md, "Data content").

mod support;

use load::content::Content;
use std::fs::{self, OpenOptions};
use std::path::PathBuf;
use support::{MIB, is_root, skip};
use sys::files::FileExt;

/// Private compressed RAM disk, removed when dropped.
struct Zram(String);

impl Zram {
    fn new(mib: u64) -> Option<Zram> {
        if !is_root() {
            skip("zram needs root");
            return None;
        }
        let Ok(number) = fs::read_to_string("/sys/class/zram-control/hot_add") else {
            skip("no zram here");
            return None;
        };
        let zram = Zram(number.trim().to_owned());
        if let Err(e) = fs::write(zram.sys("disksize"), (mib * MIB).to_string()) {
            skip(&format!("zram has no size: {e}"));
            return None;
        }
        Some(zram)
    }

    fn sys(&self, file: &str) -> PathBuf {
        format!("/sys/block/zram{}/{file}", self.0).into()
    }

    /// Returns the original bytes, the compressed bytes, and the number of pages that repeat one word.
    fn stat(&self) -> (f64, f64, u64) {
        let text = fs::read_to_string(self.sys("mm_stat")).unwrap();
        let n: Vec<u64> = text.split_whitespace().map(|w| w.parse().unwrap()).collect();
        (n[0] as f64, n[1] as f64, n[5])
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let _ = fs::write(self.sys("reset"), "1");
        let _ = fs::write("/sys/class/zram-control/hot_remove", &self.0);
    }
}

#[test]
fn a_compressor_finds_nothing_in_our_data() {
    let Some(zram) = Zram::new(32) else { return };
    let device = OpenOptions::new().read(true).write(true).open(format!("/dev/zram{}", zram.0)).unwrap();
    let content = Content::new(0x1234_5678_9ABC_DEF0, 5);
    let mut block = vec![0; 1 << 20];
    content.fill_pool(&mut block);
    for i in 0..32 {
        content.stamp(&mut block, i * MIB, i);
        device.write_all_at(&block, i * MIB).unwrap();
    }
    device.sync_all().unwrap();
    let (original, compressed, same) = zram.stat();
    assert_eq!(original, 32.0 * MIB as f64);
    assert!(compressed / original >= 0.99, "compressed to {:.4}", compressed / original);
    assert_eq!(same, 0);
    // Check the measurement itself: zeros take no space.
    device.write_all_at(&vec![0; 16 << 20], 0).unwrap();
    device.sync_all().unwrap();
    assert!(zram.stat().2 >= 4096);
}

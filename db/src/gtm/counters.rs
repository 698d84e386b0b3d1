//! What GT.M counts (`$VIEW("GVSTAT",region)`), added up over regions, and its counterparts in mgstat.
//!
//! Counts of references (SET, GET, ...) and transactions are kept without a lock: of two processes that count at once one may be
//! lost (one in thousands was seen). Those of the device and the journal agree with the kernel's.
//!
//! A transaction that starts again (TR0 to TR4 count how often) counts its references each time; the journal has its updates
//! once, when they are committed (JRL).

use crate::Counters;
use model::{FileRole, RoleUse};

/// Counts of all regions by name, in the order told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counts(Vec<(String, f64)>);

impl Counts {
    /// Adds what a region told: `SET:123,KIL:0,...`.
    pub fn add(&mut self, counters: &str) {
        let pairs = counters.split(',').filter_map(|pair| pair.split_once(':'));
        for (name, value) in pairs.filter_map(|(name, value)| Some((name, value.parse::<f64>().ok()?))) {
            match self.0.iter_mut().find(|(known, _)| known == name) {
                Some((_, sum)) => *sum += value,
                None => self.0.push((name.to_owned(), value)),
            }
        }
    }

    /// The sum of these counts.
    #[must_use]
    pub fn sum(&self, names: &[&str]) -> f64 {
        self.0.iter().filter(|(name, _)| names.contains(&name.as_str())).map(|(_, n)| n).sum()
    }

    /// Blocks that became dirty less those written since the beginning of counting. What the last run left dirty is in it,
    /// so only differences tell.
    #[must_use]
    pub fn dirty(&self) -> f64 {
        self.sum(&["BTD"]) - self.sum(&["DWT"])
    }

    /// As every engine tells them. `page` is the size of a block; `clean` is [`Counts::dirty`] when nothing was dirty;
    /// `journaled` = updates are in a journal, so that those committed are counted apart from those made again.
    #[must_use]
    pub fn into_counters(self, page: u64, clean: f64, journaled: bool) -> Counters {
        let whole = |names: &[&str]| Some(self.sum(names) as u64);
        let role = |role, reads: Option<u64>, writes, write_bytes, flushes| RoleUse {
            role,
            source: "GVSTAT".into(),
            reads,
            read_bytes: reads.map(|n| n * page),
            writes,
            write_bytes,
            flushes,
        };
        // Flushes of data are not told: with O_DSYNC each write is one, and DFS only counts fsync calls.
        let data = role(FileRole::Data, whole(&["DRD"]), whole(&["DWT"]), whole(&["DWT"]).map(|n| n * page), None);
        let journal = role(FileRole::Journal, None, whole(&["JFW"]), whole(&["JFB"]), whole(&["JFS"]));
        let updates = if journaled { self.sum(&["JRL"]) } else { self.sum(&["SET", "KIL"]) };
        let mgstat = vec![
            ("Glorefs", updates + self.sum(&["GET", "DTA", "ORD", "ZPR", "QRY"])),
            ("Gloupds", updates),
            ("PhyRds", self.sum(&["DRD"])),
            ("PhyWrs", self.sum(&["DWT"])),
            ("Jrnwrts", self.sum(&["JFW"])),
        ];
        let backlog = Some((self.dirty() - clean).max(0.0));
        Counters { counts: self.0, mgstat, backlog, roles: vec![data, journal] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_add_up_and_mgstats_names_get_their_sums() {
        let mut counts = Counts::default();
        counts.add("SET:10,KIL:1,GET:5,DRD:3,DWT:2,BTD:9,JFW:4,JFB:4096,JFS:1");
        counts.add("SET:1,KIL:0,GET:0,DRD:1,DWT:1,BTD:1,JFW:0,JFB:0,JFS:0");
        let counters = counts.clone().into_counters(8192, 2.0, false);
        assert!(
            counters.mgstat.contains(&("Glorefs", 17.0)) && counters.mgstat.contains(&("PhyRds", 4.0)),
            "{counters:?}"
        );
        assert_eq!(counters.backlog, Some(5.0));
        assert_eq!((counters.roles[0].read_bytes, counters.roles[0].writes), (Some(4 * 8192), Some(3)));
        assert_eq!((counters.roles[1].write_bytes, counters.roles[1].flushes), (Some(4096), Some(1)));
        // Where transactions started again, the journal has their updates once.
        counts.add("TR0:1,JRL:9");
        let counters = counts.into_counters(8192, 2.0, true);
        assert!(
            counters.mgstat.contains(&("Gloupds", 9.0)) && counters.mgstat.contains(&("Glorefs", 14.0)),
            "{counters:?}"
        );
        assert!(counters.counts.contains(&("SET".to_owned(), 11.0)), "as the engine tells it: {counters:?}");
    }
}

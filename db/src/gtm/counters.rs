//! Counters of GT.M (`$VIEW("GVSTAT",region)`), added up over regions, with their counterparts in mgstat.
//!
//! GT.M counts references (SET, GET, ...) and transactions without a lock: if two processes count simultaneously, one
//! count may be lost (one in thousands was observed). The device and journal counts agree with the kernel's.
//!
//! The references of a restarted transaction are counted each time it runs (TR0 to TR4 count the restarts). Its updates
//! are recorded in the journal once, at the commit (JRL).

use crate::Counters;
use model::measured::{FileRole, RoleUse};

/// Counters by name, summed over regions, in the order of the engine's report.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counts(Vec<(String, f64)>);

impl Counts {
    /// Adds the counters that a region reports, such as `SET:123,KIL:0,...`.
    pub fn add(&mut self, counters: &str) {
        let pairs = counters.split(',').filter_map(|pair| pair.split_once(':'));
        for (name, value) in pairs.filter_map(|(name, value)| Some((name, value.parse::<f64>().ok()?))) {
            match self.0.iter_mut().find(|(known, _)| known == name) {
                Some((_, sum)) => *sum += value,
                None => self.0.push((name.to_owned(), value)),
            }
        }
    }

    /// Returns the sum of the counters with these names.
    #[must_use]
    pub fn sum(&self, names: &[&str]) -> f64 {
        self.0.iter().filter(|(name, _)| names.contains(&name.as_str())).map(|(_, n)| n).sum()
    }

    /// Returns the number of blocks that became dirty minus the number of blocks written, since counting began. Blocks
    /// that the last run left dirty distort this number, so only differences are meaningful.
    #[must_use]
    pub fn dirty(&self) -> f64 {
        self.sum(&["BTD"]) - self.sum(&["DWT"])
    }

    /// Converts the counts to the form common to all engines. `page` is the size of a block. `clean` is the value of
    /// [`Counts::dirty`] when no block was dirty. `journaled` is true if updates are journaled, so that committed
    /// updates are counted separately from retried ones.
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
        // Flushes of data are unknown: with O_DSYNC each write includes a flush, and DFS counts only fsync calls.
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
        // The journal contains the updates of restarted transactions only once.
        counts.add("TR0:1,JRL:9");
        let counters = counts.into_counters(8192, 2.0, true);
        assert!(
            counters.mgstat.contains(&("Gloupds", 9.0)) && counters.mgstat.contains(&("Glorefs", 14.0)),
            "{counters:?}"
        );
        assert!(counters.counts.contains(&("SET".to_owned(), 11.0)), "as the engine tells it: {counters:?}");
    }
}

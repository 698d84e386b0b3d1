//! Counters kept by the driver of a network interface, as shown by `ethtool -S`.

use super::{pack, unpack};
use crate::unix::check;
use std::ffi::c_char;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Constants from linux/sockios.h and linux/ethtool.h.
const SIOCETHTOOL: libc::Ioctl = 0x8946;
const ETHTOOL_GSSET_INFO: u32 = 0x37;
const ETHTOOL_GSTRINGS: u32 = 0x1B;
const ETHTOOL_GSTATS: u32 = 0x1D;
const ETH_SS_STATS: u32 = 1;
const STRING_BYTES: usize = 32;
/// Maximum number of counters. Drivers count per queue: those with 128 queues have about 3,000 counters.
const MOST: usize = 1 << 14;

/// The counters of one interface.
#[derive(Debug)]
pub struct InterfaceCounters {
    socket: OwnedFd,
    name: [c_char; libc::IFNAMSIZ],
    names: Vec<String>,
}

impl InterfaceCounters {
    /// Opens the counters of an interface and reads their names from its driver.
    ///
    /// # Errors
    /// `ENODEV` if no interface has this name, `EOPNOTSUPP` if its driver has no counters, `E2BIG` if it has too many.
    pub fn open(interface: &str) -> io::Result<InterfaceCounters> {
        let mut name = [0; libc::IFNAMSIZ];
        // The last byte stays zero.
        if interface.is_empty() || interface.len() >= name.len() {
            return Err(io::Error::from_raw_os_error(libc::ENODEV));
        }
        for (to, from) in name.iter_mut().zip(interface.bytes()) {
            *to = from as c_char;
        }
        // SAFETY: the call accesses no memory of this process.
        let socket = unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) };
        if socket < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just opened and has no other owner.
        let socket = unsafe { OwnedFd::from_raw_fd(socket) };
        let counters = InterfaceCounters { socket, name, names: Vec::new() };
        Ok(InterfaceCounters { names: counters.ask_names()?, ..counters })
    }

    /// Returns the names of the counters, in the order of [`InterfaceCounters::read`].
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Reads the current values of the counters, one per name.
    ///
    /// # Errors
    /// `ENODEV` if the interface was removed, `ESTALE` if its driver now has other counters: open it again in that
    /// case.
    pub fn read(&self) -> io::Result<Vec<u64>> {
        if self.count()? != self.names.len() {
            return Err(io::Error::from_raw_os_error(libc::ESTALE));
        }
        // `struct ethtool_stats`: command, number, and the counters.
        let mut answer = vec![0u64; 1 + 2 * MOST];
        answer[0] = pack(ETHTOOL_GSTATS, self.names.len() as u32);
        self.ask(&mut answer)?;
        let [_, returned] = unpack(answer[0]);
        if returned as usize != self.names.len() {
            return Err(io::Error::from_raw_os_error(libc::ESTALE));
        }
        answer.drain(..1);
        answer.truncate(self.names.len());
        Ok(answer)
    }

    /// Returns the number of counters.
    fn count(&self) -> io::Result<usize> {
        // `struct ethtool_sset_info`: command, reserved, mask of sets, and a length for each requested set that exists.
        let mut answer = [pack(ETHTOOL_GSSET_INFO, 0), 1 << ETH_SS_STATS, 0];
        self.ask(&mut answer)?;
        let [count, _] = unpack(answer[2]);
        let none = answer[1] & (1 << ETH_SS_STATS) == 0 || count == 0;
        match count as usize {
            _ if none => Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP)),
            n if n > MOST => Err(io::Error::from_raw_os_error(libc::E2BIG)),
            n => Ok(n),
        }
    }

    fn ask_names(&self) -> io::Result<Vec<String>> {
        let count = self.count()?;
        // `struct ethtool_gstrings`: command, set, number, and the names after these 12 bytes.
        let mut answer = vec![0u64; 2 + 2 * MOST * STRING_BYTES / 8];
        answer[0] = pack(ETHTOOL_GSTRINGS, ETH_SS_STATS);
        answer[1] = pack(count as u32, 0);
        self.ask(&mut answer)?;
        let [returned, _] = unpack(answer[1]);
        if returned as usize != count {
            return Err(io::Error::from_raw_os_error(libc::ESTALE));
        }
        let bytes: Vec<u8> = answer.iter().flat_map(|word| word.to_ne_bytes()).skip(12).collect();
        let name = |text: &[u8]| {
            let until = text.iter().position(|b| *b == 0).unwrap_or(text.len());
            String::from_utf8_lossy(&text[..until]).into_owned()
        };
        Ok(bytes.chunks_exact(STRING_BYTES).take(count).map(name).collect())
    }

    /// Sends a request, which the kernel overwrites with the answer. The kernel writes as much as the driver has at
    /// that moment, regardless of the size of the buffer: callers query the count immediately before and provide room
    /// for twice the maximum.
    fn ask(&self, request: &mut [u64]) -> io::Result<()> {
        // SAFETY: all bytes zero are a valid value of this plain structure.
        let mut ifreq: libc::ifreq = unsafe { std::mem::zeroed() };
        ifreq.ifr_name = self.name;
        ifreq.ifr_ifru.ifru_data = request.as_mut_ptr().cast();
        // SAFETY: the kernel reads the request and overwrites it with the answer, which fits: three words for the size
        // of a set; otherwise the driver had at most half as many counters as fit when it was queried a moment ago.
        check(unsafe { libc::ioctl(self.socket.as_raw_fd(), SIOCETHTOOL, &raw mut ifreq) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lie_one_behind_the_other() {
        assert_eq!(unpack(pack(7, 9)), [7, 9]);
        assert_eq!(pack(ETHTOOL_GSTATS, 3).to_ne_bytes()[..4], ETHTOOL_GSTATS.to_ne_bytes());
    }

    #[test]
    fn an_interface_that_is_not_there_has_no_counters() {
        for name in ["", "no-such-one", "a-name-that-is-much-too-long"] {
            assert!(InterfaceCounters::open(name).is_err(), "{name}");
        }
    }

    #[test]
    fn those_of_this_machine_have_a_value_for_each_name() {
        for entry in std::fs::read_dir("/sys/class/net").into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Ok(counters) = InterfaceCounters::open(&name) else { continue };
            assert!(counters.names().iter().all(|n| !n.is_empty()), "{name}: {:?}", counters.names());
            assert_eq!(counters.read().expect("it has counters").len(), counters.names().len(), "{name}");
        }
    }
}

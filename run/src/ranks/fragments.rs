//! Messages in fragments that MPI passes on without waiting for the receiver. A longer message is fetched from its
//! sender while it is received, and a sender that is killed meanwhile would block the receiving rank.

/// Bytes of a message in one fragment. The MPI libraries send up to 4 KiB or more at once.
const SIZE: usize = 2048;
/// First byte of a message's last fragment; that of other fragments is 0.
const LAST: u8 = 1;

/// Cuts a message into fragments. An empty message is one fragment.
pub(super) fn fragments(message: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let count = message.len().div_ceil(SIZE).max(1);
    (0..count).map(move |at| {
        let kind = if at + 1 == count { LAST } else { 0 };
        let bytes = &message[at * SIZE..message.len().min((at + 1) * SIZE)];
        [&[kind], bytes].concat()
    })
}

/// The fragments of one sender whose message is not complete.
#[derive(Debug, Clone, Default)]
pub(super) struct Assembly(Vec<u8>);

impl Assembly {
    /// Adds the next fragment. Returns the message if it is complete.
    pub(super) fn add(&mut self, fragment: &[u8]) -> Option<Vec<u8>> {
        let (kind, bytes) = fragment.split_first()?;
        self.0.extend_from_slice(bytes);
        (*kind == LAST).then(|| std::mem::take(&mut self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_put_together_from_small_fragments() {
        let mut assembly = Assembly::default();
        for length in [0, 1, SIZE - 1, SIZE, SIZE + 1, 5 * SIZE] {
            let message: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let mut pieces: Vec<Vec<u8>> = fragments(&message).collect();
            assert!(pieces.iter().all(|piece| piece.len() <= SIZE + 1), "{length}");
            let last = pieces.pop().expect("at least one");
            assert!(pieces.iter().all(|piece| assembly.add(piece).is_none()), "{length}");
            assert_eq!(assembly.add(&last), Some(message));
        }
    }
}

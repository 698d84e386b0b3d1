//! Other tools' recordings, which are read as a whole.

use model::Recording;
use std::fs::File;
use std::io::{Read, Seek};

/// Bytes of one, at the most.
const LARGEST: u64 = 4 << 30;

/// Reads another tool's recording.
///
/// # Errors
/// Why not, as one would say after its name.
pub fn read_foreign(file: &mut File) -> Result<Recording, String> {
    if file.metadata().is_ok_and(|meta| meta.len() > LARGEST) {
        return Err(format!("it is no recording of secchi's, and larger than {LARGEST} bytes"));
    }
    let mut bytes = Vec::new();
    let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
    read.map_err(|error| format!("it cannot be read: {error}"))?;
    import::read_recording(&bytes).map_err(|error| error.to_string())
}

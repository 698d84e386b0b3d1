//! Tokens that users keep in files.

use anyhow::Result;
use session::exit::{self, coded};
use session::inputs;
use std::path::Path;

/// Reads the token of the option `--token`.
pub fn read_token(path: &Path) -> Result<String> {
    let text = inputs::text(path, 4096)
        .map_err(|reason| coded(exit::BAD_INPUT, format!("--token {}: {reason}", path.display())))?;
    let token = text.trim();
    let good = (16..=128).contains(&token.len()) && token.bytes().all(|b| b.is_ascii_alphanumeric());
    if good {
        return Ok(token.to_owned());
    }
    Err(coded(exit::BAD_INPUT, format!("--token {}: a token must be 16 to 128 letters and digits", path.display())))
}

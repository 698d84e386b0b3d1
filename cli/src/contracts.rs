//! Parses `--need`: a need in one line, a file that contains needs, or the name of a contract shipped with secchi.

use model::bounds::Need;
use session::inputs;
use std::path::Path;
use std::str::FromStr;

/// Maximum size of a file that contains needs, in bytes.
const LARGEST: u64 = 1 << 20;

/// Needs given by one `--need` option.
#[derive(Debug, Clone, PartialEq)]
pub struct Needs(pub Vec<Need>);

impl FromStr for Needs {
    type Err = String;

    /// Reads `@FILE`. Otherwise, looks for a contract of this name, then for an existing file, and finally parses a
    /// need in one line.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix('@') {
            return file(path);
        }
        if let Some(preset) = analysis::preset(text) {
            return preset.map(|c| Needs(c.needs)).map_err(|e| e.0);
        }
        if Path::new(text).is_file() {
            return file(text);
        }
        text.parse::<Need>().map(|n| Needs(vec![n])).map_err(|e| {
            let names: Vec<&str> = analysis::CONTRACTS.iter().map(|(n, _)| *n).collect();
            match analysis::near_preset(text) {
                // A text with spaces or comparisons was not meant to be the name of a contract.
                _ if text.contains([' ', '<', '>']) => e.0,
                Some(near) => format!("{}; did you mean the contract `{near}`?", e.0),
                None => format!("{}; it is not a file or one of the contracts {} either", e.0, names.join(", ")),
            }
        })
    }
}

fn file(path: &str) -> Result<Needs, String> {
    let wrong = |reason: String| format!("cannot read the needs in {}: {reason}", model::clip(path));
    let text = inputs::text(Path::new(path), LARGEST).map_err(wrong)?;
    analysis::contract(&text, path).map(|c| Needs(c.needs)).map_err(|e| e.0)
}

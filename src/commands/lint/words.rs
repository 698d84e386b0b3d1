//! Words of a command line.

/// Words of a command line: a shell's quotes, blanks of other scripts, backslashes of Windows kept.
pub fn split(text: &str) -> Option<Vec<String>> {
    let text = text.replace(['\u{3000}', '\u{a0}'], " ");
    let text = text.replace(['\u{201c}', '\u{201d}'], "\"").replace(['\u{2018}', '\u{2019}'], "'");
    // A backslash before a letter is a path of Windows, and so is one before the colon of a drive; before anything else it is a shell's.
    let mut kept = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let (mut before, mut last) = (' ', ' ');
    while let Some(c) = chars.next() {
        kept.push(c);
        let is_drive = last.is_ascii_alphabetic() && !before.is_alphanumeric();
        if c == '\\' && chars.peek().is_some_and(|n| n.is_ascii_alphanumeric() || *n == ':' && is_drive) {
            kept.push('\\');
        }
        (before, last) = (last, c);
    }
    shlex::split(&kept)
}

//! Words of a command line.

/// Words of a command line: a shell's quotes, blanks of other scripts, backslashes of Windows kept.
pub fn split(text: &str) -> Option<Vec<String>> {
    let text = text.replace(['\u{3000}', '\u{a0}'], " ");
    let text = text.replace(['\u{201c}', '\u{201d}'], "\"").replace(['\u{2018}', '\u{2019}'], "'");
    // A backslash before a letter is a path of Windows; before anything else it is a shell's.
    let mut kept = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        kept.push(c);
        if c == '\\' && chars.peek().is_some_and(|n| n.is_ascii_alphanumeric()) {
            kept.push('\\');
        }
    }
    shlex::split(&kept)
}

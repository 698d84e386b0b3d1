//! Counts the words that STYLE.md replaces, per part of the repository. Each count may only fall.
//!
//! `tests/style.txt` has today's counts. `SECCHI_BLESS=1 cargo test -p secchi --test style` lowers them; nothing raises them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use testkit::files_below;

/// Groups of words that STYLE.md replaces: name of the group, and its words or phrases in lower case.
const WORDS: &[(&str, &[&str])] = &[
    ("tell", &["tell", "tells", "told", "telling"]),
    ("stand", &["stand", "stands", "stood", "standing"]),
    ("ask", &["ask", "asks", "asked", "asking"]),
    ("of its own", &["of ours", "of its own", "of his own", "of their own"]),
    ("behind", &["behind"]),
    ("whoever", &["whoever", "whatever", "wherever", "whichever"]),
    ("beside", &["beside", "besides"]),
    ("anew", &["anew"]),
    ("somebody", &["somebody", "nobody", "anybody", "theirs"]),
];
/// First words of a doc comment without a noun or verb.
const OPENINGS: &[&str] = &["What", "Whether", "How", "Where", "Of", "Who", "Which", "Those"];
/// Names that functions may not have.
const FUNCTIONS: &[&str] = &["of", "tell", "told", "look", "one", "say"];
/// Names that locals may not have.
const LOCALS: &[&str] = &["told", "all", "why", "of", "found", "own", "there", "theirs"];
/// Documents that are counted as a whole, next to the comments of each crate and the English catalogue.
const DOCUMENTS: &[&str] = &["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "RELEASING.md", "ARCHITECTURE.md"];
/// Lines printed of a count that rose.
const SHOWN: usize = 20;

/// Places at which something was found, by part of the repository and by what it is.
type Hits = BTreeMap<(String, String), Vec<String>>;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the groups of which a line has a word, once for each occurrence.
fn words(line: &str) -> Vec<&'static str> {
    let text: String = line.chars().map(|c| if c.is_alphabetic() { c.to_ascii_lowercase() } else { ' ' }).collect();
    let text = format!(" {} ", text.split_whitespace().collect::<Vec<_>>().join(" "));
    let occurrences = |word: &str| text.matches(&format!(" {word} ")).count();
    let groups = WORDS.iter().flat_map(|(group, words)| {
        let count = words.iter().map(|word| occurrences(word)).sum();
        std::iter::repeat_n(*group, count)
    });
    groups.collect()
}

/// Returns the name that a line of code declares by a keyword (`fn`, `let`).
fn declared<'a>(line: &'a str, keyword: &str) -> Option<&'a str> {
    let (before, rest) = line.split_once(keyword)?;
    if !before.is_empty() && !before.ends_with([' ', '(', '{', ';', '|']) {
        return None;
    }
    let rest = rest.trim_start().trim_start_matches("mut ");
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end])
}

/// Returns the hits in a line of Rust; `first` is true if the line before is no doc comment.
fn rust_hits(line: &str, first: bool) -> Vec<String> {
    let code = line.trim_start();
    if let Some(comment) = code.strip_prefix("//") {
        let mut hits: Vec<String> = words(comment).into_iter().map(str::to_owned).collect();
        let opening = comment.strip_prefix('/').and_then(|text| text.split_whitespace().next());
        if first && opening.is_some_and(|word| OPENINGS.contains(&word)) {
            hits.push("opening".to_owned());
        }
        return hits;
    }
    let named = |keyword, names: &[&str]| declared(code, keyword).is_some_and(|name| names.contains(&name));
    let function = named("fn ", FUNCTIONS).then(|| "function name".to_owned());
    let local = named("let ", LOCALS).then(|| "local name".to_owned());
    function.into_iter().chain(local).collect()
}

/// Returns a message of a catalogue without its identifier, variables and comments.
fn message(line: &str) -> String {
    if line.starts_with('#') {
        return String::new();
    }
    let text = match line.split_once(" = ") {
        Some((identifier, text)) if !identifier.contains(' ') => text,
        _ => line,
    };
    let mut depth = 0usize;
    let outside = text.chars().filter(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    });
    outside.collect()
}

/// Returns all hits in the repository.
fn hits() -> Hits {
    let root = root();
    let mut hits = Hits::new();
    let mut add = |part: &str, path: &Path, number: usize, line: &str, what: Vec<String>| {
        let place = format!("{}:{number}: {}", path.strip_prefix(&root).unwrap_or(path).display(), line.trim());
        for what in what {
            hits.entry((part.to_owned(), what)).or_default().push(place.clone());
        }
    };
    for path in files_below(&root, &["rs"]) {
        let relative = path.strip_prefix(&root).unwrap_or(&path);
        let part = relative.iter().next().map(|part| part.to_string_lossy().into_owned()).unwrap_or_default();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut before = "";
        for (number, line) in (1..).zip(text.lines()) {
            let first = !before.trim_start().starts_with("///");
            add(&part, &path, number, line, rust_hits(line, first));
            before = line;
        }
    }
    for path in files_below(&root.join("messages/catalogues/en"), &["ftl"]) {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        for (number, line) in (1..).zip(text.lines()) {
            let what = words(&message(line)).into_iter().map(str::to_owned).collect();
            add("catalogue", &path, number, line, what);
        }
    }
    let documents = DOCUMENTS.iter().map(|name| (*name, root.join(name)));
    let book = files_below(&root.join("book/src"), &["md"]).into_iter().map(|path| ("book", path));
    // Its text is that of doc comments, which are counted in their crates.
    let book = book.filter(|(_, path)| !path.ends_with("reference/json-schema.md"));
    let design = files_below(&root.join("docs/design"), &["md"]).into_iter().map(|path| ("docs/design", path));
    for (part, path) in documents.chain(book).chain(design) {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        for (number, line) in (1..).zip(text.lines()) {
            add(part, &path, number, line, words(line).into_iter().map(str::to_owned).collect());
        }
    }
    hits
}

/// Parses `tests/style.txt`: part, count and group, separated by tabs.
fn parse_counts(text: &str) -> BTreeMap<(String, String), usize> {
    let line = |line: &str| {
        let mut fields = line.split('\t');
        let (part, count, group) = (fields.next()?, fields.next()?, fields.next()?);
        Some(((part.to_owned(), group.to_owned()), count.parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}

#[test]
fn counts_of_discouraged_words_only_fall() {
    let path = root().join("tests/style.txt");
    let text = std::fs::read_to_string(&path).expect("tests/style.txt is in the repository");
    let (allowed, hits) = (parse_counts(&text), hits());
    let mut complaints = String::new();
    for ((part, group), places) in &hits {
        let most = allowed.get(&(part.clone(), group.clone())).copied().unwrap_or(0);
        if places.len() > most {
            let shown = places.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("\n  ");
            writeln!(
                complaints,
                "{part}: {group}: {} instead of at most {most}, see STYLE.md\n  {shown}",
                places.len()
            )
            .expect("into memory");
        }
    }
    assert!(complaints.is_empty(), "{complaints}");
    let count = |key: &(String, String)| hits.get(key).map_or(0, Vec::len);
    let lower: Vec<_> = allowed.iter().filter(|(key, most)| count(key) < **most).collect();
    if std::env::var_os("SECCHI_BLESS").is_some() {
        let line =
            |((part, group), places): (&(String, String), &Vec<String>)| format!("{part}\t{}\t{group}\n", places.len());
        std::fs::write(&path, hits.iter().map(line).collect::<String>()).expect("the counts are written");
    } else {
        assert!(lower.is_empty(), "SECCHI_BLESS=1 cargo test -p secchi --test style lowers these counts: {lower:#?}");
    }
}

/// Maximum length of a line of Markdown that holds more than one sentence.
const WIDTH: usize = 100;

/// Returns `true` if a line of prose is wider than [`WIDTH`] and holds more than one sentence. Code in backquotes counts
/// for the width only.
fn is_wide(line: &str) -> bool {
    let is_link = line.trim_start().starts_with("- [") && line.ends_with(')');
    let is_prose = !is_link && !line.starts_with(['|', '[', '<']) && !line.starts_with("![");
    let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("x");
    let ends = |c: char| matches!(c, '.' | '?' | '!' | ':');
    let sentences = prose.match_indices(' ').filter(|(at, _)| {
        let next = prose[at + 1..].chars().next();
        prose[..*at].ends_with(ends) && next.is_some_and(|c| c.is_uppercase() || c == '[')
    });
    is_prose && line.chars().count() > WIDTH && sentences.count() > 0
}

#[test]
fn wide_lines_of_markdown_hold_one_sentence() {
    let root = root();
    let documents = DOCUMENTS.iter().map(|name| root.join(name));
    let pages = ["book/src", "docs"].into_iter().flat_map(|part| files_below(&root.join(part), &["md"]));
    let mut wide = Vec::new();
    for path in documents.chain(pages) {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut is_code = false;
        for (number, line) in (1..).zip(text.lines()) {
            is_code ^= line.trim_start().starts_with("```");
            if !is_code && is_wide(line) {
                wide.push(format!("{}:{number}: {line}", path.strip_prefix(&root).unwrap_or(&path).display()));
            }
        }
    }
    assert!(wide.is_empty(), "wrap these lines at {WIDTH}:\n{}", wide.join("\n"));
    let long = "word ".repeat(20);
    assert!(is_wide(&format!("{long}. Another sentence.")) && !is_wide(&format!("{long} one.")));
    assert!(!is_wide(&format!("| {long}. | Cells cannot be wrapped. |")) && !is_wide("A. B."));
}

#[test]
fn words_names_and_openings_are_counted() {
    assert_eq!(words("/// It stands behind a room of its own; told."), ["tell", "stand", "of its own", "behind"]);
    assert_eq!(words("understand, behindhand"), [""; 0]);
    assert_eq!(rust_hits("    /// What it was, and beside what.", true), ["beside", "opening"]);
    assert_eq!(rust_hits("    /// What it was.", false), [""; 0]);
    assert_eq!(rust_hits(concat!("pub fn", " of(x: u8) {"), false), ["function name"]);
    assert_eq!(rust_hits(concat!("    let", " mut all = 1;"), false), ["local name"]);
    assert_eq!(rust_hits("    let allowed = offset_of(1);", false), [""; 0]);
    assert_eq!(rust_hits("    let Some(x) = whole(told) else {", false), [""; 0]);
    assert_eq!(message("figure-told = { $told } of { $cap }").trim(), "of");
    assert_eq!(message("# told"), "");
}

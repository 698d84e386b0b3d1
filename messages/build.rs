//! Packs the files of each language into one compressed text without comments. Only the English text contains the
//! identifiers, because the other languages have the same identifiers in the same order.

use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::{fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=catalogues");
    let english = entries("en")?;
    let whole: String = english.iter().map(|(id, text)| format!("{id} ={text}")).collect();
    embed::write_packed("en.ftl", whole.as_bytes())?;
    for language in ["ja", "zh", "ru"] {
        let translated = entries(language)?;
        let mut pairs =
            english.iter().map(|(id, _)| Some(id)).zip(translated.iter().map(|(id, _)| Some(id)).chain([None]));
        if let Some((id, found)) = pairs.find(|(id, found)| id != found) {
            let reason = format!("catalogues/{language}: {found:?} stands where catalogues/en has {id:?}");
            return Err(Error::new(ErrorKind::InvalidData, reason));
        }
        if let Some((more, _)) = translated.get(english.len()) {
            let reason = format!("catalogues/{language}: catalogues/en has no {more:?}");
            return Err(Error::new(ErrorKind::InvalidData, reason));
        }
        let texts: String = translated.iter().map(|(_, text)| format!("={text}")).collect();
        embed::write_packed(&format!("{language}.ftl"), texts.as_bytes())?;
    }
    Ok(())
}

/// Returns the messages of a language. Each consists of the identifier, and the text after its `=` including
/// continuation lines.
fn entries(language: &str) -> io::Result<Vec<(String, String)>> {
    let mut files = fs::read_dir(Path::new("catalogues").join(language))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    // Directories have no fixed order, and the same sources must produce the same program.
    files.sort();
    let mut entries: Vec<(String, String)> = Vec::new();
    for file in files {
        for line in fs::read_to_string(file)?.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line.split_once(" =").filter(|_| line.starts_with(|c: char| c.is_ascii_lowercase())) {
                Some((id, text)) => entries.push((id.to_owned(), format!("{text}\n"))),
                None => {
                    let last = entries
                        .last_mut()
                        .ok_or(Error::new(ErrorKind::InvalidData, "a file begins with no message"))?;
                    last.1.push_str(line);
                    last.1.push('\n');
                }
            }
        }
    }
    Ok(entries)
}

//! Output of `irisstat -c`: the phase of the write daemon, and the number of its writes for each size (1, 2, ... 15,
//! and 16 or more blocks).

use crate::format::Format;
use crate::text::figure::{self, Cut};
use crate::text::source::{ImportError, Source};
use model::foreign::{ForeignFile, ForeignTest, Quantity, Way};

pub(crate) const FORMAT: Format = Format { name: "irisstat", shares_a_log: false, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    source.head().contains("#blk/wrt")
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut files = Vec::new();
    let mut file = ForeignFile { tool: "irisstat".to_owned(), ..ForeignFile::default() };
    let mut phase = None;
    let mut columns: Vec<(String, Quantity)> = Vec::new();
    for (number, line) in source.lines()? {
        let line = line.trim();
        if let Some(text) = line.strip_prefix("WD Phase:") {
            // Each display begins with this line.
            if !file.tests.is_empty() {
                let fresh = ForeignFile { tool: file.tool.clone(), ..ForeignFile::default() };
                files.push(std::mem::replace(&mut file, fresh));
            }
            phase = Some(text.trim().to_owned());
        } else if line.contains("#blk/wrt") {
            columns = line.split_ascii_whitespace().filter_map(column).collect();
        } else if !columns.is_empty() && line.starts_with(|c: char| c.is_ascii_digit()) {
            let mut words = line.split_ascii_whitespace();
            let daemon = words.next().unwrap_or_default();
            let name = format!("write daemon {daemon}");
            let at = file.tests.iter().position(|t| t.name == name).unwrap_or_else(|| {
                let mut test = ForeignTest { name, line: number, ..ForeignTest::default() };
                test.asked.others.extend(phase.clone().map(|phase| ("WD Phase".to_owned(), phase)));
                file.tests.push(test);
                file.tests.len() - 1
            });
            for (word, (column, quantity)) in words.zip(&columns) {
                if let Some(count) = figure::whole(word) {
                    let value = count.to_value(Way::Write, *quantity, Cut::Exact, number, format!("{column}: {word}"));
                    file.tests[at].values.push(value);
                }
            }
        }
    }
    files.push(file);
    files.retain(|f| !f.tests.is_empty());
    if files.is_empty() {
        return Err(ImportError("it has irisstat's header but no counts".to_owned()));
    }
    Ok(files)
}

/// Parses `#blk/wrt=4` or `#blk/wrt>=16`.
fn column(word: &str) -> Option<(String, Quantity)> {
    let rest = word.strip_prefix("#blk/wrt")?;
    let blocks = rest.trim_start_matches(['>', '=']).parse().ok()?;
    Some((word.to_owned(), Quantity::OfBlocks(blocks, rest.starts_with('>'))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_two_daemons_are_kept_apart() {
        let text = "WD Phase: 8: Database write phase\n\n WD #   #blk/wrt=1 #blk/wrt=2\n    0   19   53\n    1   2   0\n\
                    \n WD # #blk/wrt>=16\n    0   155908\n    1   7\n";
        let file = crate::read::read("x", text.as_bytes()).unwrap().remove(0);
        assert_eq!(file.tests.len(), 2);
        let first = &file.tests[0];
        assert_eq!(first.value(Way::Write, Quantity::OfBlocks(2, false)), Some(53.0));
        let open = first.get(Way::Write, Quantity::OfBlocks(16, true)).unwrap();
        assert_eq!((open.value, open.line), (Some(155_908.0), 8));
        assert_eq!(first.asked.others[0].1, "8: Database write phase");
    }
}

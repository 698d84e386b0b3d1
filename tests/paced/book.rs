//! Outputs in the book: every block ```` ```console ```` is run, in the order of the summary, and compared with what it prints.
//!
//! A block that is marked `measured` has different figures in every run: only the left column of its lines is compared, which
//! contains the labels and rows of its tables. The files in `book/examples` are in the current directory. `SECCHI_BLESS=1`
//! writes the outputs.

use crate::support::{Sandbox, alone, skip, tool};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Path of the measured directory in the book.
const PLACE: &str = "/mnt/data";
/// Beginnings of lines that depend on the figures.
const VARIABLE: [&str; 7] = ["DO ", " ! ", " · ", " ? ", " - ", "  and ", "secchi: "];

#[derive(Debug)]
struct Block {
    /// First and last line of its text in the page, without the fences.
    lines: (usize, usize),
    measured: bool,
    text: String,
}

/// Returns the pages with their text, in the order of the summary: a block may show what an earlier one created.
fn pages() -> Vec<(PathBuf, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/src");
    let summary = std::fs::read_to_string(src.join("SUMMARY.md")).expect("the summary");
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let page = |link: &str| {
        let path = src.join(link);
        let text = std::fs::read_to_string(&path).expect("a page");
        (path, text)
    };
    links.map(page).collect()
}

fn blocks(page: &str) -> Vec<Block> {
    let lines: Vec<&str> = page.lines().collect();
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if let Some(kind) = lines[at].strip_prefix("```console") {
            let end = at + 1 + lines[at + 1..].iter().position(|l| *l == "```").expect("every fence is closed");
            let text = lines[at + 1..end].join("\n");
            blocks.push(Block { lines: (at + 1, end), measured: kind.trim() == "measured", text });
            at = end;
        }
        at += 1;
    }
    blocks
}

/// Returns the command of a block and its output.
fn parts(block: &str) -> (&str, &str) {
    let (command, output) = block.split_once('\n').unwrap_or((block, ""));
    (command.strip_prefix("$ ").expect("a block begins with its command"), output)
}

/// Returns what a command prints: standard output, or the line of an error. The measured directory is mounted under its name in the
/// book, in a private mount namespace.
fn printed(sandbox: &Sandbox, command: &str) -> String {
    let bin = Path::new(env!("CARGO_BIN_EXE_secchi")).parent().expect("it lies in a directory");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mount = format!(
        "mount -t tmpfs none /mnt && mkdir -p {PLACE} && mount --bind \"$1\" {PLACE} && cd {PLACE} && eval \"$2\""
    );
    let ended = Command::new("unshare")
        .args(["--mount", "/bin/sh", "-c", &mount, "sh"])
        .arg(sandbox.data())
        .arg(command)
        .env_clear()
        .env("PATH", path)
        .env("HOME", sandbox.path("home"))
        .env("LC_ALL", "C.UTF-8")
        .env("COLUMNS", "100")
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    let output = if ended.stdout.is_empty() { ended.stderr } else { ended.stdout };
    let text = String::from_utf8(output).expect("text");
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
}

/// Returns the left column of each line that does not depend on the figures, with numbers and ids replaced by `#`.
fn shape(output: &str) -> Vec<String> {
    let mut columns: Vec<String> = Vec::new();
    let mut doubt = false;
    for line in output.lines() {
        let text = line.trim_start();
        // What is set in further is a longer cell going on.
        let goes_on = line.len() - text.len() >= 4 && !columns.is_empty();
        let variable = VARIABLE.iter().any(|v| line.starts_with(v));
        // A doubt goes on below itself, set in by its sign.
        doubt = variable || doubt && line.starts_with("   ");
        if text.is_empty() || goes_on || doubt {
            continue;
        }
        // A sentence has no columns: of it the first words.
        let left = match text.split_once("  ") {
            Some((left, _)) => left.to_owned(),
            None => text.split_whitespace().take(2).collect::<Vec<_>>().join(" "),
        };
        let masked: String = left.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect();
        let mut words: Vec<String> = Vec::new();
        for word in masked.split_whitespace() {
            let number = word.contains('#');
            words.push(if number { "#".to_owned() } else { word.to_owned() });
        }
        words.dedup();
        let column = words.join(" ");
        if columns.last() != Some(&column) {
            columns.push(column);
        }
    }
    columns
}

#[test]
fn outputs_in_the_book_are_what_its_commands_print() {
    let _alone = alone();
    if let Err(why) = tool("unshare", &["--mount", "mount", "-t", "tmpfs", "none", "/mnt"].map(std::ffi::OsStr::new)) {
        skip!("no private mount: {why}");
    }
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("home")).expect("a home");
    for example in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("book/examples")).expect("examples") {
        let example = example.expect("a file");
        std::fs::copy(example.path(), sandbox.data().join(example.file_name())).expect("our own directory");
    }
    let bless = std::env::var_os("SECCHI_BLESS").is_some();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (path, text) in pages() {
        let blocks = blocks(&text);
        count += blocks.len();
        let outputs: Vec<String> = blocks.iter().map(|block| printed(&sandbox, parts(&block.text).0)).collect();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        // From the last to the first, so that line numbers stay valid.
        for (block, now) in blocks.iter().zip(&outputs).rev() {
            let (command, before) = parts(&block.text);
            let same = if block.measured { shape(before) == shape(now) } else { before == now };
            if !same {
                wrong.push(format!("{}\n$ {command}\n--- in the book\n{before}\n--- printed\n{now}\n", path.display()));
            }
            if bless && (!same || block.measured) {
                let new = std::iter::once(format!("$ {command}")).chain(now.lines().map(str::to_owned));
                lines.splice(block.lines.0..block.lines.1, new);
            }
        }
        if bless && !blocks.is_empty() {
            std::fs::write(&path, lines.join("\n") + "\n").expect("the page can be written");
        }
    }
    assert!(count >= 10, "{count} blocks");
    assert!(bless || wrong.is_empty(), "SECCHI_BLESS=1 writes them\n{}", wrong.join("\n"));
}

#[test]
fn shapes_are_the_left_columns() {
    let one = "BINDS    unknown, for 8k\n         more\nDO       x\n\n workload   IOPS\n 8k randread  98,525\n ! doubt\n   that goes on\nrun      took 3 s";
    let two = "BINDS    IOPS cap\n\n workload   IOPS\n 8k randread     5\nrun      took 40 s";
    assert_eq!(shape(one), shape(two));
    assert_eq!(shape(one), ["BINDS", "workload", "# randread", "run"]);
    assert_ne!(shape(one), shape("BINDS  x\n workload  IOPS\n 8k randwrite  5\nrun  took"));
}

//! The outputs in GUIDE.md, as they are today: every block ```` ```console ```` is run, and told what it printed.
//!
//! A block that is marked `measured` has figures of its own every time: of it the left column of every line must be the
//! same, which is the labels and rows of its tables. `SECCHI_BLESS=1` writes all of them anew.

use crate::support::{Sandbox, alone, skip, tool};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// As the guide calls the place that is measured.
const PLACE: &str = "/mnt/data";
/// Lines that begin so are there or not, as the figures are.
const VARIABLE: [&str; 7] = ["DO ", " ! ", " · ", " ? ", " - ", "  and ", "secchi: "];

#[derive(Debug)]
struct Block {
    /// First and last line of its text in the file, the fences left out.
    lines: (usize, usize),
    measured: bool,
    text: String,
}

fn guide() -> (PathBuf, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("GUIDE.md");
    let text = std::fs::read_to_string(&path).expect("the guide is there");
    (path, text)
}

fn blocks(guide: &str) -> Vec<Block> {
    let lines: Vec<&str> = guide.lines().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if let Some(kind) = lines[at].strip_prefix("```console") {
            let end = at + 1 + lines[at + 1..].iter().position(|l| *l == "```").expect("every fence is closed");
            let text = lines[at + 1..end].join("\n");
            found.push(Block { lines: (at + 1, end), measured: kind.trim() == "measured", text });
            at = end;
        }
        at += 1;
    }
    found
}

/// The command of a block, and what it printed.
fn parts(block: &str) -> (&str, &str) {
    let (command, output) = block.split_once('\n').unwrap_or((block, ""));
    (command.strip_prefix("$ ").expect("a block begins with its command"), output)
}

/// What the command prints to a reader: standard output, or the one line of an error. It sees the place under the guide's name
/// for it, by a mount that nobody else sees.
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
    let told = if ended.stdout.is_empty() { ended.stderr } else { ended.stdout };
    let text = String::from_utf8(told).expect("text");
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
}

/// The left column of each line that is always there, with every number and id made one.
fn shape(output: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut doubt = false;
    for line in output.lines() {
        let text = line.trim_start();
        // What is set in further is a longer cell going on.
        let goes_on = line.len() - text.len() >= 4 && !found.is_empty();
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
        let told = words.join(" ");
        if found.last() != Some(&told) {
            found.push(told);
        }
    }
    found
}

#[test]
fn outputs_of_the_guide_are_what_its_commands_print() {
    let _alone = alone();
    if let Err(why) = tool("unshare", &["--mount", "mount", "-t", "tmpfs", "none", "/mnt"].map(std::ffi::OsStr::new)) {
        skip!("no mount of our own: {why}");
    }
    let (path, text) = guide();
    let found = blocks(&text);
    assert!(found.len() >= 10, "{} blocks", found.len());
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("home")).expect("a home");
    let bless = std::env::var_os("SECCHI_BLESS").is_some();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut wrong = Vec::new();
    // In their order: what one made another shows.
    let told: Vec<String> = found.iter().map(|block| printed(&sandbox, parts(&block.text).0)).collect();
    for (block, now) in found.iter().zip(&told).rev() {
        let (command, before) = parts(&block.text);
        let same = if block.measured { shape(before) == shape(now) } else { before == now };
        if !same {
            wrong.push(format!("$ {command}\n--- in the guide\n{before}\n--- printed\n{now}\n"));
        }
        if bless && (!same || block.measured) {
            let new = std::iter::once(format!("$ {command}")).chain(now.lines().map(str::to_owned));
            lines.splice(block.lines.0..block.lines.1, new);
        }
    }
    if bless {
        std::fs::write(&path, lines.join("\n") + "\n").expect("the guide can be written");
        return;
    }
    wrong.reverse();
    assert!(wrong.is_empty(), "SECCHI_BLESS=1 writes them anew\n{}", wrong.join("\n"));
}

#[test]
fn shapes_are_the_left_columns() {
    let one = "BINDS    not known, for 8k\n         more\nDO       x\n\n workload   IOPS\n 8k randread  98,525\n ! doubt\n   that goes on\nrun      took 3 s";
    let two = "BINDS    IOPS cap\n\n workload   IOPS\n 8k randread     5\nrun      took 40 s";
    assert_eq!(shape(one), shape(two));
    assert_eq!(shape(one), ["BINDS", "workload", "# randread", "run"]);
    assert_ne!(shape(one), shape("BINDS  x\n workload  IOPS\n 8k randwrite  5\nrun  took"));
}

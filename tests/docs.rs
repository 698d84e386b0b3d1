//! Checks that the generated pages of the book's reference match their sources (the command line, the options of fio,
//! the catalogue of limits, the rules), and that every link and page of the book exists.
//!
//! `SECCHI_BLESS=1 cargo test --features schema --test docs` writes the generated pages.

#[path = "support/limits_page.rs"]
mod limits_page;
#[cfg(feature = "schema")]
#[path = "support/schema_page.rs"]
mod schema_page;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use testkit::{files_below, names_in};

/// Width of prose in generated pages, in characters.
const COLUMNS: usize = 100;
/// Space at which no line is broken while text is wrapped.
const GLUE: char = '\u{a0}';

/// Wraps the prose of a page. Code blocks, tables and headings keep their lines.
fn wrap_prose(page: &str) -> String {
    let mut in_code = false;
    let mut wrapped = String::new();
    for line in page.lines() {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        if in_code || fence || line.starts_with(['|', '#']) {
            wrapped.push_str(line);
        } else {
            wrapped.push_str(&wrap_line(line));
        }
        wrapped.push('\n');
    }
    wrapped
}

/// Wraps a paragraph or list item. Does not break code spans, and begins no line with a mark that Markdown would
/// interpret as the beginning of a block.
fn wrap_line(line: &str) -> String {
    let text = line.trim_start();
    let indent = &line[..line.len() - text.len()];
    let hanging = format!("{indent}{}", if text.starts_with("- ") { "  " } else { "" });
    let begins_block = |word: &str| {
        let number = word.trim_start_matches(|c: char| c.is_ascii_digit());
        matches!(word, "-" | "+" | "*" | "=")
            || word.starts_with(['#', '>', '|'])
            || (number.len() < word.len() && matches!(number, "." | ")"))
    };
    let mut glued = String::new();
    let mut in_span = false;
    for word in text.split(' ') {
        if !glued.is_empty() {
            glued.push(if in_span || begins_block(word) { GLUE } else { ' ' });
        }
        glued.push_str(word);
        in_span ^= word.matches('`').count() % 2 == 1;
    }
    let options = textwrap::Options::new(COLUMNS)
        .initial_indent(indent)
        .subsequent_indent(&hanging)
        .break_words(false)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::fill(&glued, options).replace(GLUE, " ")
}

#[test]
fn prose_is_wrapped_between_code_spans_and_before_no_mark_of_a_block() {
    let words = "word ".repeat(19);
    let wrapped = wrap_prose(&format!("- {words}`a b` - c\n\n```\n{words}{words}\n```\n"));
    assert_eq!(wrapped, format!("- {}\n  `a b` - c\n\n```\n{words}{words}\n```\n", words.trim_end()));
    assert_eq!(wrap_prose("one\n\ntwo\n"), "one\n\ntwo\n");
}

/// Compares a page with its wrapped source, or writes it.
fn check_page(name: &str, page: &str) {
    check_file(name, &wrap_prose(page));
}

/// Compares a file of the reference with its source, or writes it.
fn check_file(name: &str, rendered: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/src/reference").join(name);
    if std::env::var_os("SECCHI_BLESS").is_some() {
        std::fs::write(&path, rendered).expect("the book is in the source tree");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = kept.lines().zip(rendered.lines()).position(|(a, b)| a != b);
    assert!(
        kept == rendered,
        "book/src/reference/{name} differs from its source (first at line {}): SECCHI_BLESS=1 cargo test --test docs",
        differs.unwrap_or(kept.lines().count().min(rendered.lines().count())) + 1
    );
}

#[cfg(feature = "schema")]
#[test]
fn the_schemas_of_documents_are_those_of_their_types() {
    use report::DocumentKind;
    use report::formats::schema::{schema, schemas};
    let mut schemas = schemas();
    schemas.push(schema::<store::RunList<'_>>(DocumentKind::RunList));
    schemas.push(schema::<durable::verify::Document<'_>>(DocumentKind::Durability));
    schemas.sort_by_key(|(kind, _)| DocumentKind::ALL.iter().position(|k| k == kind));
    assert_eq!(schemas.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), DocumentKind::ALL);
    for (kind, schema) in &schemas {
        let text = serde_json::to_string_pretty(schema).expect("a schema is JSON");
        check_file(&format!("schema/{}.schema.json", kind.name()), &(text + "\n"));
    }
    check_page("json-schema.md", &schema_page::page(&schemas));
}

#[test]
fn the_reference_of_tables_is_that_of_their_columns() {
    let mut text = String::from(
        "# Tables\n\n\
         `secchi report RUN... --format parquet -o DIR` and `secchi runs export RUN... --format parquet -o DIR` write \
         four [Parquet](https://parquet.apache.org) files to a directory, for data frames and SQL:\n\n\
         ```sh\n\
         secchi report last --format parquet -o tables\n\
         duckdb -c \"select workload, in_flight, iops, p99_ns / 1e6 as p99_ms from 'tables/levels.parquet'\"\n\
         python3 -c \"import pandas; print(pandas.read_parquet('tables/levels.parquet'))\"\n\
         ```\n\n\
         Each row has the ID of its run, so that the files of several directories can be read as one table. A value \
         that was not measured is null. If `struck` is not empty, the figures of the row are invalid for this reason.\n\n\
         Columns keep their names, types and units; the metadata `secchi.tables` of each file is their version. \
         Existing files are not replaced without `--force`.\n\n\
         This page is generated from the columns (`SECCHI_BLESS=1 cargo test --test docs`).\n",
    );
    for table in &report::formats::tables::RUN_TABLES {
        text += &format!(
            "\n## `{}.parquet`\n\n{}.\n\n| column | type | contents |\n|---|---|---|\n",
            table.name, table.help
        );
        for column in table.columns {
            text += &format!("| `{}` | {} | {} |\n", column.name, column.kind.name(), column.help);
        }
    }
    check_page("tables.md", &text);
}

/// The reference of the command line is generated from the table of options.
#[test]
fn every_command_with_json_has_a_kind_of_document() {
    let page = include_str!("../book/src/reference/cli.md");
    let sections = page.split("\n## ").skip(1);
    let with_json = sections.filter(|section| section.lines().any(|line| line.trim() == "--json"));
    let commands: BTreeSet<&str> = with_json.filter_map(|section| section.lines().next()).collect();
    let listed = report::DocumentKind::ALL.iter().flat_map(|kind| kind.commands());
    let listed = listed.filter(|command| command.contains(" --json") && !command.contains("COMMAND"));
    let listed: BTreeSet<&str> = listed.filter_map(|command| command.split(" --").next()).collect();
    assert!(commands.len() > 20, "{commands:?}");
    assert_eq!(commands, listed);
}

fn engines() -> job::Engines {
    job::Engines::new(load::engines::specs())
}

#[test]
fn the_reference_of_options_is_that_of_the_table() {
    check_page("fio-options.md", &job::reference(&engines(), job::CONSENT));
}

#[test]
fn the_reference_of_published_limits_is_that_of_the_catalogue() {
    check_page("limits.md", &limits_page::page());
}

/// Returns the section of a rule.
fn section(rule: &model::judged::RuleText) -> String {
    let [title, explanation, remedy] = [rule.title(), rule.explanation(), rule.remedy()].map(messages::sentence);
    let (id, severity) = (rule.id, rule.severity.word());
    format!("### `{id}`\n\n**{title}** ({severity})\n\n{explanation}\n\nWhat to do: {remedy}.\n\n")
}

#[test]
fn the_reference_of_rules_is_that_of_their_tables() {
    let mut text = String::from(
        "# Rules\n\n\
         This page is generated from the tables of the rules (`SECCHI_BLESS=1 cargo test --test docs`). \
         `secchi judge --explain ID` and `secchi lint --explain ID` print a single rule.\n\n\
         Each rule has a severity:\n\n\
         - *invalid*: the affected results do not count, and meet no need.\n\
         - *doubt*: the affected results are less certain.\n\
         - *note*: useful information about the results.\n\n\
         `secchi judge --json` prints `{\"$schema\": \"...\", \"foreign\": {...}}`. \
         The fields of `foreign` are `verdict`, `outcome`, `needs`, `limits`, `files`, `rows`, `sampled`, `findings`, \
         `remarks` and `exit_code`. Figures are in base units (operations, bytes, seconds). \
         Each finding has `id`, `severity`, `statement`, `evidence`, `remedy`, `rows` (indices) and `lines` \
         (source, line, words).\n\n\
         ## Rules about results of other tools (`secchi judge FILE`)\n\n",
    );
    analysis::foreign_rules().for_each(|rule| text.push_str(&section(rule)));
    text.push_str(
        "### Mistakes without a rule\n\n\
         The numbers are those of a list of 54 mistakes found in published measurements. The following mistakes are \
         covered by another rule, or cannot be detected in files.\n\n",
    );
    for mistake in analysis::unjudged() {
        let [title, explanation, remedy] =
            [mistake.title(), mistake.explanation(), mistake.remedy()].map(messages::sentence);
        text.push_str(&format!("- **{}: {title}.** {explanation} What to do: {remedy}.\n", mistake.id));
    }
    text.push_str("\n## Rules about plans (`secchi lint`)\n\n");
    job::lint::lint_rules().for_each(|rule| text.push_str(&section(rule)));
    check_page("rules.md", &text);
}

/// Runs secchi and returns its standard output.
fn printed(words: &[&str]) -> String {
    let mut secchi = std::process::Command::new(env!("CARGO_BIN_EXE_secchi"));
    let ended = secchi.args(words).env("LC_ALL", "C.UTF-8").output().expect("secchi starts");
    assert!(ended.status.success(), "{words:?}: {}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8(ended.stdout).expect("text")
}

/// Returns the words of all commands, from the names of their manual pages.
fn commands() -> Vec<Vec<String>> {
    let dir = tempfile::tempdir().expect("a directory");
    printed(&["manual", "--dir", dir.path().to_str().expect("text")]);
    let names = names_in(dir.path());
    assert!(names.len() > 40, "{names:?}");
    let words = |name: &String| {
        let command = name.strip_prefix("secchi-")?.strip_suffix(".1")?;
        // `secchi-db-create-globals.1` is a page of `db`, which has a page as well.
        match command.split_once('-').filter(|(first, _)| names.contains(&format!("secchi-{first}.1"))) {
            Some((first, second)) => Some(vec![first.to_owned(), second.to_owned()]),
            None => Some(vec![command.to_owned()]),
        }
    };
    names.iter().filter_map(words).collect()
}

#[test]
fn the_reference_of_commands_is_their_help() {
    let mut text = String::from(
        "# Commands and options\n\n\
         This page contains the output of `--help` for all commands. `secchi COMMAND -h` prints the most common \
         options only, and `secchi manual COMMAND | man -l -` shows a manual page.\n\n\
         ## secchi\n\n```text\n",
    );
    text.push_str(printed(&["--help"]).trim_end());
    text.push_str("\n```\n");
    for command in commands() {
        let name = command.join(" ");
        if name == "fio" {
            text.push_str(
                "\n## secchi fio\n\nSee [Run fio jobs](../guides/fio.md) and [fio options](fio-options.md).\n",
            );
            continue;
        }
        let words: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
        let help = printed(&words);
        let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
        text.push_str(&format!("\n## secchi {name}\n\n```text\n{}\n```\n", lines.join("\n")));
    }
    check_page("cli.md", &text);
}

#[test]
fn the_manual_page_of_fio_has_all_options() {
    let page = printed(&["manual", "fio"]);
    let options = |text: &str| text.lines().filter(|line| *line == ".TP").count();
    assert_eq!(options(&page), options(&job::man_page(&engines(), job::CONSENT)));
}

/// Returns the targets of the links in a page, without those in code.
fn links(text: &str) -> Vec<String> {
    let mut in_code = false;
    let prose = text.lines().filter(|line| {
        in_code ^= line.trim_start().starts_with("```");
        !in_code
    });
    let targets = prose.flat_map(|line| line.split("](").skip(1).filter_map(|rest| rest.split(')').next()));
    targets.map(str::to_owned).collect()
}

/// Returns the anchor that mdBook gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().trim().to_lowercase().replace(' ', "-")
}

#[test]
fn every_link_of_the_book_leads_to_a_page_and_every_page_is_in_the_summary() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/src");
    let summary = std::fs::read_to_string(src.join("SUMMARY.md")).expect("the summary");
    let listed: BTreeSet<PathBuf> = links(&summary).iter().map(|link| src.join(link)).collect();
    let mut wrong = Vec::new();
    for page in files_below(&src, &["md"]) {
        let text = std::fs::read_to_string(&page).expect("a page");
        if page != src.join("SUMMARY.md") && !listed.contains(&page) {
            wrong.push(format!("{} is not in SUMMARY.md", page.display()));
        }
        for link in links(&text).iter().filter(|link| !link.contains("://")) {
            let (path, section) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { page.clone() } else { page.with_file_name(path) };
            let Ok(target_text) = std::fs::read_to_string(&target) else {
                wrong.push(format!("{}: {link} is not a page", page.display()));
                continue;
            };
            let mut headings = target_text.lines().filter(|line| line.starts_with('#'));
            if !section.is_empty() && !headings.any(|line| anchor(line.trim_start_matches('#')) == section) {
                wrong.push(format!("{}: {link} is not a heading", page.display()));
            }
        }
    }
    assert!(listed.len() > 50 && wrong.is_empty(), "{wrong:#?}");
}

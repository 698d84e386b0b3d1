//! Documents that are made of the table of arguments, of the option table of the fio language, or of the catalogue of limits,
//! say what those say.
//!
//! `SECCHI_BLESS=1 cargo test --test docs` writes them anew.

use std::path::Path;
use testkit::names_in;

fn holds(name: &str, rendered: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    if std::env::var_os("SECCHI_BLESS").is_some() {
        std::fs::write(&path, rendered).expect("the documents lie in the source tree");
    }
    let stands = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = stands.lines().zip(rendered.lines()).position(|(a, b)| a != b);
    assert!(
        stands == rendered,
        "docs/{name} is not what it is made of says (first at line {}): SECCHI_BLESS=1 cargo test --test docs",
        differs.unwrap_or(stands.lines().count().min(rendered.lines().count())) + 1
    );
}

fn engines() -> job::Engines {
    job::Engines::new(load::engines::specs())
}

#[test]
fn the_reference_of_options_is_that_of_the_table() {
    holds("fio-options.md", &job::reference(&engines(), job::CONSENT));
}

#[test]
fn the_reference_of_published_limits_is_that_of_the_catalogue() {
    holds("limits.md", &analysis::catalog::reference());
}

/// What a rule says of itself.
fn section(rule: &model::RuleText) -> String {
    let [title, explanation, remedy] = [rule.title(), rule.explanation(), rule.remedy()].map(messages::sentence);
    let (id, severity) = (rule.id, rule.severity.word());
    format!("### `{id}`\n\n**{title}** ({severity})\n\n{explanation}\n\nWhat to do: {remedy}.\n\n")
}

#[test]
fn the_reference_of_rules_is_that_of_their_tables() {
    let mut text = String::from(
        "# Rules\n\nMade of the rules' own tables (`cargo test --test docs`). `secchi judge --explain ID` and `secchi lint --explain ID` print \
         one.\n\nA rule that is *invalid* strikes the results it speaks of: no need is met by them. A *doubt* weakens a judgement, a \
         *note* is worth knowing. With `--json` a judgement is `{\"foreign_version\": 1, \"foreign\": {verdict, outcome, needs, limits, \
         files, rows, sampled, findings, remarks, exit_code}}`: figures in base units (operations, bytes, seconds), each finding with \
         `id`, `severity`, `statement`, `evidence`, `remedy`, `rows` (indices) and `lines` (source, line, words).\n\n\
         ## Rules over what other tools measured (`secchi judge FILE`)\n\n",
    );
    analysis::foreign_rules().for_each(|rule| text.push_str(&section(rule)));
    text.push_str(
        "### Without a rule of their own\n\nThe numbers are those of 54 mistakes found in published measurements. These are judged by \
         another rule, or not from files at all.\n\n| number | mistake | why it has no rule | what keeps from it |\n|---|---|---|---|\n",
    );
    for own in analysis::unjudged() {
        let [title, explanation, remedy] = [own.title(), own.explanation(), own.remedy()].map(messages::sentence);
        text.push_str(&format!("| {} | {title} | {explanation} | {remedy} |\n", own.id));
    }
    text.push('\n');
    text.push_str("## Rules over plans (`secchi lint`)\n\n");
    job::lint::lint_rules().for_each(|rule| text.push_str(&section(rule)));
    holds("rules.md", &text);
}

#[test]
fn the_manual_pages_are_those_of_the_table_of_arguments() {
    let made = tempfile::tempdir().expect("a directory");
    let mut secchi = std::process::Command::new(env!("CARGO_BIN_EXE_secchi"));
    let ended = secchi.args(["manual", "--dir"]).arg(made.path()).output().expect("secchi starts");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let names = names_in(made.path());
    assert!(names.len() > 40, "{names:?}");
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/man");
    // The page of a command that is no more.
    for old in names_in(&kept).iter().filter(|name| !names.contains(name)) {
        assert!(std::env::var_os("SECCHI_BLESS").is_some(), "docs/man/{old} is the page of no command");
        std::fs::remove_file(kept.join(old)).expect("the pages lie in the source tree");
    }
    for name in names {
        let text = std::fs::read_to_string(made.path().join(&name)).expect("a page");
        holds(&format!("man/{name}"), &text);
    }
}

#[test]
fn the_page_of_fios_language_has_all_of_its_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/man/secchi-fio.1");
    let page = std::fs::read_to_string(path).expect("the page");
    let options = |text: &str| text.lines().filter(|line| *line == ".TP").count();
    assert_eq!(options(&page), options(&job::man_page(&engines(), job::CONSENT)));
}

#[test]
fn the_guides_contents_are_its_headings() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("GUIDE.md");
    let guide = std::fs::read_to_string(path).expect("the guide lies in the source tree");
    let headings: Vec<&str> = guide.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let contents: Vec<&str> =
        guide.lines().filter_map(|l| l.strip_prefix("- [")?.split_once("](#")).map(|l| l.0).collect();
    assert_eq!(contents, headings, "GUIDE.md: a heading is not in the contents, or in another order");
}

//! One manual page, in roff.

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use cli as args;

/// Section number for commands.
pub const SECTION: &str = "1";

/// First line of every page: a comment by which secchi recognises pages that it wrote earlier.
pub const HEAD: &str = ".\\\" A manual page of secchi, written by secchi manual.\n";

/// Pages that a page refers to, in addition to the pages of its parent commands.
const ALSO: &[(&str, &[&str])] = &[("secchi-fio", &["secchi-lint", "fio"]), ("secchi-ping", &["ioping"])];

/// A manual page.
#[derive(Debug)]
pub struct Page {
    /// Name of the page, such as `secchi-db-ranread`.
    pub name: String,
    /// Source of the page.
    pub text: String,
}

impl Page {
    /// Returns the page of a command. The command must have been built together with its parents.
    pub fn render(command: &Command) -> Page {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
        let body = if name == "secchi-fio" { fio_page() } else { described(command, &name) };
        let text = format!("{HEAD}{}{}", plain_signs(&body), plain_signs(&see_also(&name, command)));
        Page { name, text }
    }
}

/// Returns the page about fio's job language, which has a separate table of options and a separate generator.
fn fio_page() -> String {
    let examples = args::examples_text("fio").unwrap_or_default();
    format!("{}{}", fio::man_page(), sections_of(&examples, "secchi-fio").1)
}

fn described(command: &Command, name: &str) -> String {
    // The page includes the help for all options, even those that the short help omits.
    let mut command = command.clone().mut_args(|arg| arg.hide_short_help(false));
    // Use the short usage from the help, which shows required arguments instead of every option.
    let usage = command.render_usage().to_string();
    let after = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string).unwrap_or_default();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let has_commands = command.has_subcommands();
    let man = Man::new(command.override_usage(usage.trim_start_matches("Usage: ").to_owned())).section(SECTION);
    let (description, behind) = sections_of(&after, name);
    let mut text = Vec::new();
    // Writing to memory does not fail.
    man.render_name_section(&mut text)
        .and_then(|()| man.render_synopsis_section(&mut text))
        .expect("writing to memory does not fail");
    let mut page = Roff::new().render() + &title(name) + &text_of(text);
    page.push_str(&section("DESCRIPTION", |out| {
        let end = if about.ends_with(['.', '?']) { "" } else { "." };
        out.text([roman(format!("{about}{end}"))]);
    }));
    page.push_str(&description);
    let mut text = Vec::new();
    man.render_options_section(&mut text).expect("writing to memory does not fail");
    if has_commands {
        man.render_subcommands_section(&mut text).expect("writing to memory does not fail");
    }
    page.push_str(&text_of(text));
    page.push_str(&behind);
    page
}

/// Returns the title line without a date, so that a page does not depend on the time when it is generated. `man`
/// expects an empty field for the date, but the generator omits it.
fn title(name: &str) -> String {
    let name = name.to_uppercase().replace('-', r"\-");
    format!(".TH {name} {SECTION} \"\" \"secchi {}\" \"User Commands\"\n", env!("CARGO_PKG_VERSION"))
}

/// Returns the output of the generator without the preamble of each part, and with one empty line instead of three.
fn text_of(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes).expect("the generator writes UTF-8");
    text.replace(&Roff::new().render(), "").replace("\n.br\n\n.br\n", "\n.sp\n")
}

/// Splits the text that follows the options in the help. Paragraphs are added to the description; exit codes and
/// examples become separate sections, in the order of man-pages(7).
fn sections_of(after: &str, name: &str) -> (String, String) {
    let (mut description, mut codes, mut examples) = (String::new(), String::new(), String::new());
    for block in after.split("\n\n").filter(|block| !block.trim().is_empty()) {
        if let Some(list) = block.strip_prefix("Exit codes:\n") {
            codes.push_str(&section("EXIT STATUS", |out| exit_codes(list, out)));
        } else if let Some(list) = block.strip_prefix("Examples:\n") {
            examples.push_str(&section("EXAMPLES", |out| literal(list.lines(), out)));
        } else {
            description.push_str(&part(|out| {
                out.control("PP", []);
                let (text, list): (Vec<&str>, Vec<&str>) = block.lines().partition(|line| !line.starts_with(' '));
                text.iter().for_each(|line| {
                    out.text([roman(*line)]);
                });
                if !list.is_empty() {
                    literal(list.into_iter(), out);
                }
            }));
        }
    }
    if codes.is_empty() && name != "secchi-fio" {
        codes = section("EXIT STATUS", |out| {
            out.text([roman("The exit codes are those of "), bold("secchi"), roman("(1).")]);
        });
    }
    (description, codes + &examples)
}

/// Formats lines such as `  64   bad input` as a list. Indented lines continue an item; lines without indentation come
/// after the list.
fn exit_codes(list: &str, out: &mut Roff) {
    for line in list.lines() {
        match line.strip_prefix("  ") {
            Some(row) if row.starts_with(|c: char| c.is_ascii_digit()) => {
                let (code, text) = row.split_once(' ').unwrap_or((row, ""));
                out.control("TP", []).text([bold(code)]).text([roman(text.trim_start())]);
            }
            Some(more) => {
                out.text([roman(more.trim_start())]);
            }
            None => {
                out.control("PP", []).text([roman(line)]);
            }
        }
    }
}

/// Writes lines literally, without their indentation.
fn literal<'a>(lines: impl Iterator<Item = &'a str>, out: &mut Roff) {
    out.control("EX", []);
    for line in lines {
        out.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
    }
    out.control("EE", []);
}

/// Returns references to the pages of parent commands and of other tools that accept the same language.
fn see_also(name: &str, command: &Command) -> String {
    let own_name = command.get_name();
    let mut sees = Vec::new();
    let mut above = name.strip_suffix(own_name).and_then(|above| above.strip_suffix('-')).unwrap_or_default();
    while !above.is_empty() {
        sees.push(above);
        above = above.rsplit_once('-').map_or("", |(before, _)| before);
    }
    sees.extend(ALSO.iter().find(|(page, _)| *page == name).map_or(&[][..], |(_, sees)| sees));
    if sees.is_empty() {
        return String::new();
    }
    section("SEE ALSO", |out| {
        let last = sees.len() - 1;
        for (at, page) in sees.iter().enumerate() {
            let end = if at < last { "," } else { "" };
            out.text([bold(*page), roman(format!("({SECTION}){end}"))]);
        }
    })
}

fn section(title: &str, write: impl FnOnce(&mut Roff)) -> String {
    part(|out| {
        out.control("SH", [title]);
        write(out);
    })
}

/// Returns roff without the preamble, which may appear only at the start of a page.
fn part(write: impl FnOnce(&mut Roff)) -> String {
    let mut out = Roff::new();
    write(&mut out);
    let text = out.render();
    text.strip_prefix(&Roff::new().render()).unwrap_or(&text).to_owned()
}

/// Escapes characters that formatters would otherwise print as typographic quotes and accents, so that a path can be
/// copied from the page.
fn plain_signs(text: &str) -> String {
    text.replace('`', r"\(ga").replace('~', r"\(ti").replace('^', r"\(ha")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command() -> Command {
        let below = Command::new("show")
            .about("Show it again, from ~/runs")
            .arg(clap::Arg::new("full").long("full").action(clap::ArgAction::SetTrue).help("Print `everything`"))
            .after_help(
                "It's free.\n\nFilters, for all:\n  a=b   one\n\nExit codes:\n  0    shown\n  64   bad\n       input\nElse 1.\n\n\
                 Examples:\n  tool show 'it'   # now\n  .hidden",
            );
        let mut command = Command::new("tool").about("Do it").subcommand(below).disable_help_subcommand(true);
        command.build();
        command
    }

    fn page_of(words: &[&str]) -> Page {
        let whole = command();
        Page::render(words.iter().fold(&whole, |c, word| c.find_subcommand(word).expect("it is there")))
    }

    #[test]
    fn a_page_has_its_sections_in_the_order_of_manuals() {
        let page = page_of(&["show"]);
        assert_eq!(page.name, "tool-show");
        let headings: Vec<&str> = page.text.lines().filter_map(|l| l.strip_prefix(".SH ")).collect();
        let wanted = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "\"EXIT STATUS\"", "EXAMPLES", "\"SEE ALSO\""];
        assert_eq!(headings, wanted, "{}", page.text);
        assert!(page.text.starts_with(HEAD));
        assert_eq!(page.text.matches(".ie ").count(), 1, "how apostrophes are written is said once");
        let title = concat!(".TH TOOL\\-SHOW 1 \"\" \"secchi ", env!("CARGO_PKG_VERSION"), "\" \"User Commands\"\n");
        assert!(page.text.contains(title), "{}", page.text);
    }

    #[test]
    fn what_stands_behind_the_help_is_told_in_its_place() {
        let text = page_of(&["show"]).text;
        for part in [
            ".PP\nIt\\*(Aqs free.\n",
            "Filters, for all:\n.EX\na=b   one\n.EE\n",
            ".TP\n\\fB64\\fR\nbad\ninput\n.PP\nElse 1.\n",
            ".EX\ntool show \\*(Aqit\\*(Aq   # now\n\\&.hidden\n.EE\n",
            "\\fBtool\\fR(1)\n",
            "from \\(ti/runs",
            "Print \\(gaeverything\\(ga",
        ] {
            assert!(text.contains(part), "{part} is not in:\n{text}");
        }
        let whole = page_of(&[]).text;
        assert!(whole.contains(".SH SUBCOMMANDS\n.TP\ntool\\-show(1)\n"), "{whole}");
        assert!(whole.contains("The exit codes are those of"), "{whole}");
        assert!(!whole.contains("SEE ALSO"), "there is none above it: {whole}");
    }
}

//! `secchi manual`: prints manual pages that are generated from the table of arguments.

mod page;

use super::reference;
use anyhow::Result;
use clap::Command;
use cli::Manual;
use page::Page;
use session::bail;
use session::console::{self, remark};
use session::exit::{self, Code, coded};
use session::outputs::{Outputs, Replaces};
use std::io::ErrorKind;
use std::path::Path;

pub fn run(options: &Manual) -> Result<Code> {
    match &options.dir {
        Some(dir) => write_pages(dir, options.force),
        None => {
            let page = Page::render(find(&whole(), &options.command)?);
            console::print(|_, out| out.write_all(page.text.as_bytes()))?;
            Ok(exit::OK)
        }
    }
}

/// Returns the commands that have a page, with their full names.
fn whole() -> Command {
    // `secchi help` would only repeat the pages.
    let mut command = reference::command().disable_help_subcommand(true);
    command.build();
    command
}

/// Returns the command named by these words.
fn find<'a>(whole: &'a Command, words: &[String]) -> Result<&'a Command> {
    words.iter().try_fold(whole, |command, word| {
        command.find_subcommand(word).ok_or_else(|| {
            let near = model::units::suggestion(word, command.get_subcommands().map(Command::get_name));
            let whole = command.get_bin_name().unwrap_or("secchi");
            let message = format!("no manual page: `{whole}` has no command `{}`{near}", model::clip(word));
            coded(exit::BAD_INPUT, message)
        })
    })
}

/// Returns the pages of a command and of all its subcommands.
fn pages(command: &Command) -> Vec<Page> {
    let below = command.get_subcommands().flat_map(pages);
    std::iter::once(Page::render(command)).chain(below).collect()
}

fn write_pages(dir: &Path, force: bool) -> Result<Code> {
    let bad =
        |reason: &str| coded(exit::BAD_INPUT, format!("--dir {}: {reason}", model::clip(&dir.display().to_string())));
    match dir.metadata() {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => return Err(bad("it is not a directory")),
        Err(e) if e.kind() == ErrorKind::NotFound => return Err(bad("no such directory: create it first")),
        Err(e) => bail!(exit::CANNOT, "--dir {}: {e}", dir.display()),
    }
    // Claim all files before writing any: an existing file may belong to the user.
    let mut outputs = Outputs::new(force);
    let claim = |page: Page| {
        let file = dir.join(format!("{}.{}", page.name, page::SECTION));
        Ok((outputs.claim(&file, Replaces::Begun(page::HEAD))?, page.text))
    };
    let claimed = pages(&whole()).into_iter().map(claim).collect::<Result<Vec<_>>>()?;
    let count = claimed.len();
    for (mut file, text) in claimed {
        file.fill_or_report(|out| out.write_all(text.as_bytes()))?;
    }
    let first = dir.join(format!("secchi.{}", page::SECTION));
    // Manual pages are in English only, and so is this remark, because `--lang` is refused here.
    remark(&format!(
        "wrote {count} manual pages to {}; read the first with: man -l {}",
        dir.display(),
        first.display()
    ));
    Ok(exit::OK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_page_of_every_command_that_is_shown_and_of_no_other() {
        let names: Vec<String> = pages(&whole()).into_iter().map(|page| page.name).collect();
        for name in ["secchi", "secchi-qualify", "secchi-fio", "secchi-ping", "secchi-db", "secchi-db-ranread"] {
            assert_eq!(names.iter().filter(|n| *n == name).count(), 1, "{name}: {names:?}");
        }
        assert!(!names.iter().any(|n| n.contains(db::SERVE_COMMAND) || n.contains("help")), "{names:?}");
    }

    #[test]
    fn a_command_is_found_by_its_words_and_a_mistake_names_the_nearest() {
        let whole = whole();
        let page_name = |words: &str| {
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            find(&whole, &words).map(|c| Page::render(c).name).map_err(|e| e.to_string())
        };
        assert_eq!(page_name(""), Ok("secchi".to_owned()));
        assert_eq!(page_name("db ranread"), Ok("secchi-db-ranread".to_owned()));
        let message = "no manual page: `secchi` has no command `qualfy`; did you mean `qualify`?";
        assert_eq!(page_name("qualfy"), Err(message.to_owned()));
        assert!(page_name("db ranraed").unwrap_err().contains("`secchi db` has no command"));
        assert!(page_name("db-session").is_err());
    }
}

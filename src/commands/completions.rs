//! `secchi completions SHELL`: prints a script that lets a shell complete secchi's commands and options.

use super::reference;
use anyhow::Result;
use clap_complete::Shell;
use cli::Completions;
use session::console;
use session::exit::{self, Code};

pub fn run(options: &Completions) -> Result<Code> {
    let script = script(options.shell);
    console::print(|_, out| out.write_all(&script))?;
    Ok(exit::OK)
}

/// Generates the script in memory, because the generator panics if writing to a stream fails.
fn script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut reference::command(), "secchi", &mut script);
    script
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn scripts_have_every_command_that_is_shown_and_none_that_is_hidden() {
        for shell in Shell::value_variants() {
            let script = String::from_utf8(script(*shell)).expect("text");
            for word in ["qualify", "ranread", "completions", "--store", "--max-depth", "--nagios", "--ioengine"] {
                // fish lists options without their hyphens.
                let word = if *shell == Shell::Fish { word.trim_start_matches("--") } else { word };
                assert!(script.contains(word), "{shell}: {word}");
            }
            assert!(!script.contains(db::SERVE_COMMAND), "{shell} completes an internal command");
        }
    }
}

//! The process's standard streams and its end. No other file of the program prints or exits.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use session::console::{Console, Line, StandardStream};
use std::io::{IsTerminal, Write, stderr, stdout};

/// The streams of this process.
pub struct ProcessConsole;

impl Console for ProcessConsole {
    fn is_terminal(&self, stream: StandardStream) -> bool {
        match stream {
            StandardStream::Output => stdout().is_terminal(),
            StandardStream::Error => stderr().is_terminal(),
        }
    }

    fn width(&self, stream: StandardStream) -> Option<usize> {
        match stream {
            StandardStream::Output => sys::streams::terminal_width(&stdout()),
            StandardStream::Error => sys::streams::terminal_width(&stderr()),
        }
    }

    fn writer(&self, stream: StandardStream) -> Box<dyn Write> {
        match stream {
            StandardStream::Output => Box::new(stdout().lock()),
            StandardStream::Error => Box::new(stderr().lock()),
        }
    }

    fn line(&self) -> Box<dyn Line> {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template("{msg}").expect("the template is valid"));
        Box::new(LiveLine(bar))
    }

    fn exit_now(&self, code: i32) -> ! {
        sys::process::exit_now(code)
    }
}

/// A line of standard error that is rewritten in place.
struct LiveLine(ProgressBar);

impl Line for LiveLine {
    fn set(&self, text: &str) {
        self.0.set_message(text.to_owned());
    }

    fn print_above(&self, text: &str) {
        self.0.println(text);
    }

    fn clear(&self) {
        self.0.finish_and_clear();
    }
}

/// Returns `true` if standard output is a terminal that can be drawn on and there is a keyboard.
#[cfg(feature = "dashboard")]
pub fn is_interactive() -> bool {
    let dumb = std::env::var("TERM").map_or(true, |t| t.is_empty() || t == "dumb");
    !dumb && stdout().is_terminal() && std::io::stdin().is_terminal()
}

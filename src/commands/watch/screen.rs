//! The terminal of the live display. It is taken over, drawn on, read for keys, and always restored.

use anyhow::{Context, Result};
use model::measured::{BlockTrace, Sample};
use model::{Nanos, judged::CapNow, plan::WatchPlan};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::{ExecutableCommand, cursor, terminal};
use report::formats::watch::dashboard::{KeyAction, WatchView};
use std::io::Stdout;
use std::sync::Once;
use std::time::{Duration, Instant};

/// Interval for redrawing without new data, so that the clock advances.
const REDRAW: Duration = Duration::from_millis(500);

static HOOK: Once = Once::new();

/// The live display on the terminal. Dropping it restores the terminal.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    board: WatchView,
    /// True if there are changes that have not been drawn yet.
    stale: bool,
    drawn: Instant,
}

impl Screen {
    /// Takes over the terminal.
    pub fn open(watch: &WatchPlan) -> Result<Screen> {
        // The hook is needed because a panic may end the process without dropping the screen.
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                restore_terminal();
                before(info);
            }));
        });
        let cannot = "cannot draw on this terminal (--plain prints lines)";
        terminal::enable_raw_mode().context(cannot)?;
        let mut stdout = std::io::stdout();
        let taken =
            stdout.execute(terminal::EnterAlternateScreen).and_then(|out| out.execute(cursor::Hide)).map(|_| ());
        let terminal = taken.and_then(|()| Terminal::new(CrosstermBackend::new(std::io::stdout())));
        match terminal {
            Ok(terminal) => Ok(Screen { terminal, board: WatchView::new(watch), stale: true, drawn: Instant::now() }),
            Err(e) => {
                restore_terminal();
                Err(e).context(cannot)
            }
        }
    }

    /// Shows a sample.
    pub fn draw(&mut self, at: Nanos, samples: &[Sample], caps: &[CapNow]) {
        self.board.add_sample(at, samples, caps);
        self.stale = true;
    }

    /// Shows an interval of the block trace.
    pub fn blocks(&mut self, trace: &BlockTrace) {
        self.board.add_trace(trace);
        self.stale = true;
    }

    /// Shows a remark.
    pub fn set_message(&mut self, text: &str) {
        self.board.set_message(text);
        self.stale = true;
    }

    /// Handles key presses and draws changes. Returns `true` if the user wants to quit.
    pub fn handle_keys(&mut self) -> bool {
        let mut enough = false;
        // A closed terminal has no keys and cannot be drawn on; SIGHUP ends the watch.
        while event::poll(Duration::ZERO).unwrap_or(false) {
            match event::read() {
                Ok(Event::Key(key)) if key.kind != KeyEventKind::Release => match key_meaning(key) {
                    KeyMeaning::Enough => enough = true,
                    KeyMeaning::Key(press) => {
                        self.board.press(press);
                        self.stale = true;
                    }
                    KeyMeaning::Nothing => {}
                },
                Ok(Event::Resize(..)) => self.stale = true,
                Ok(_) => {}
                Err(_) => break,
            }
        }
        if self.stale || self.drawn.elapsed() > REDRAW {
            let style = session::console::style(session::console::StandardStream::Output);
            let board = &self.board;
            let _ = self.terminal.draw(|frame| board.draw(frame.area(), &style, frame.buffer_mut()));
            self.stale = false;
            self.drawn = Instant::now();
        }
        enough
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore_terminal();
    }
}

/// Restores the terminal. Errors are ignored, because there is no place to report them.
fn restore_terminal() {
    let _ = terminal::disable_raw_mode();
    let _ =
        std::io::stdout().execute(terminal::LeaveAlternateScreen).and_then(|out| out.execute(cursor::Show)).map(|_| ());
}

enum KeyMeaning {
    Enough,
    Key(KeyAction),
    Nothing,
}

fn key_meaning(key: KeyEvent) -> KeyMeaning {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('c' | 'd') if control => KeyMeaning::Enough,
        KeyCode::Char('q' | 'Q') => KeyMeaning::Enough,
        KeyCode::Up | KeyCode::Char('k') | KeyCode::BackTab => KeyMeaning::Key(KeyAction::Up),
        KeyCode::Down | KeyCode::Char('j') | KeyCode::Tab => KeyMeaning::Key(KeyAction::Down),
        KeyCode::Char('+' | '=') => KeyMeaning::Key(KeyAction::Wider),
        KeyCode::Char('-') => KeyMeaning::Key(KeyAction::Narrower),
        KeyCode::Char('p' | ' ') => KeyMeaning::Key(KeyAction::Pause),
        KeyCode::Char('r') => KeyMeaning::Key(KeyAction::Roles),
        KeyCode::Char('b') => KeyMeaning::Key(KeyAction::Blocks),
        KeyCode::Char('s') => KeyMeaning::Key(KeyAction::Sum),
        KeyCode::Char('?' | 'h') | KeyCode::F(1) => KeyMeaning::Key(KeyAction::Help),
        _ => KeyMeaning::Nothing,
    }
}

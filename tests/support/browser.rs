//! Headless Chromium, controlled through its own protocol over a pipe: opens pages, moves the pointer, scrolls and
//! evaluates scripts, and keeps all console messages and network requests.

use super::{PATIENCE, eventually};
use base64::Engine;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

/// Size and colour scheme of the window.
#[derive(Debug, Clone, Copy)]
pub struct Viewport {
    pub width: u32,
    pub height: u32,
    pub dark: bool,
}

impl Viewport {
    pub const DESK: Viewport = Viewport { width: 1280, height: 900, dark: false };
    pub const NIGHT: Viewport = Viewport { dark: true, ..Viewport::DESK };
    pub const PHONE: Viewport = Viewport { width: 390, height: 844, dark: false };
}

/// A browser with one page.
pub struct Browser {
    child: Child,
    asks: ChildStdin,
    answers: Receiver<Value>,
    session: String,
    number: u64,
    /// Console messages, exceptions and the browser's own log, in order.
    pub said: Vec<String>,
    /// Requested addresses other than files, data and blobs.
    pub fetched: Vec<String>,
    loaded: bool,
}

/// Returns the path of the program.
fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let locate = |name: &&str| std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file());
    names.iter().find_map(locate)
}

impl Browser {
    /// Starts a browser with its own profile under `home`.
    ///
    /// # Errors
    /// No Chromium is installed.
    pub fn start(home: &Path) -> Result<Browser, String> {
        let program = program().ok_or("no Chromium is installed")?;
        std::fs::create_dir_all(home).map_err(|e| e.to_string())?;
        // Its protocol uses descriptors 3 and 4.
        let mut command = Command::new("sh");
        command.args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null", "sh"]).arg(program);
        command.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic"]);
        command.args([
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ]);
        command.args(["--remote-debugging-pipe", "--hide-scrollbars", "--force-color-profile=srgb"]);
        command.arg(format!("--user-data-dir={}", home.join("browser").display())).env("HOME", home);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|e| e.to_string())?;
        let asks = child.stdin.take().expect("it was piped");
        let out = child.stdout.take().expect("it was piped");
        let (tell, answers) = channel();
        // The thread ends with the browser, which closes its end of the pipe.
        std::thread::spawn(move || {
            for message in BufReader::new(out).split(0).map_while(Result::ok) {
                if let Ok(value) = serde_json::from_slice::<Value>(&message)
                    && tell.send(value).is_err()
                {
                    return;
                }
            }
        });
        let (said, fetched) = (Vec::new(), Vec::new());
        let mut browser =
            Browser { child, asks, answers, session: String::new(), number: 0, said, fetched, loaded: false };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().expect("a session has a name").to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Ok(browser)
    }

    /// Performs one call of the protocol; panics if the browser returns an error.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let id = self.number;
        let mut ask = json!({"id": id, "method": method, "params": params});
        if !self.session.is_empty() {
            ask["sessionId"] = json!(self.session);
        }
        let mut bytes = ask.to_string().into_bytes();
        bytes.push(0);
        self.asks.write_all(&bytes).expect("the browser listens");
        loop {
            let message = self.answers.recv_timeout(PATIENCE).unwrap_or_else(|e| panic!("{method}: {e}"));
            if message["id"] == id {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            self.handle_event(&message);
        }
    }

    /// Waits until the page has navigated to another after `act`, and that one has loaded.
    pub fn wait_for_navigation(&mut self, act: impl FnOnce()) {
        self.loaded = false;
        act();
        let went = eventually(PATIENCE, || {
            // Does not query the page, which may be navigating.
            self.call("Network.enable", json!({}));
            self.loaded
        });
        assert!(went, "it went nowhere");
    }

    fn handle_event(&mut self, message: &Value) {
        let params = &message["params"];
        match message["method"].as_str().unwrap_or_default() {
            "Page.loadEventFired" => self.loaded = true,
            "Runtime.consoleAPICalled" => self.said.push(format!("{}: {}", params["type"], params["args"])),
            "Runtime.exceptionThrown" => self.said.push(params["exceptionDetails"].to_string()),
            "Log.entryAdded" => self.said.push(params["entry"].to_string()),
            "Network.requestWillBeSent" => {
                let url = params["request"]["url"].as_str().unwrap_or_default();
                if !["file:", "data:", "blob:", "about:"].iter().any(|own| url.starts_with(own)) {
                    self.fetched.push(url.to_owned());
                }
            }
            _ => {}
        }
    }

    /// Opens a page and waits until it has loaded.
    pub fn open(&mut self, url: &str, look: Viewport) {
        self.set_viewport(look);
        self.loaded = false;
        let answer = self.call("Page.navigate", json!({"url": url}));
        assert!(answer["errorText"].is_null(), "{url}: {answer}");
        while !self.loaded {
            let message = self.answers.recv_timeout(PATIENCE).unwrap_or_else(|e| panic!("{url} never loaded: {e}"));
            self.handle_event(&message);
        }
    }

    /// Opens a file and waits until it has loaded.
    pub fn open_file(&mut self, page: &Path, look: Viewport) {
        self.open(&format!("file://{}", page.display()), look);
    }

    /// Sets the window size and the colour scheme.
    pub fn set_viewport(&mut self, look: Viewport) {
        let size =
            json!({"width": look.width, "height": look.height, "deviceScaleFactor": 1, "mobile": look.width < 600});
        self.call("Emulation.setDeviceMetricsOverride", size);
        let scheme = if look.dark { "dark" } else { "light" };
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.call("Emulation.setEmulatedMedia", media);
    }

    /// Returns the value of a JavaScript expression on the page; waits for promises.
    pub fn eval(&mut self, script: &str) -> Value {
        let ask = json!({"expression": script, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", ask);
        assert!(answer["exceptionDetails"].is_null(), "{script}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true on the page, evaluated every 20 ms.
    pub fn until(&mut self, script: &str) {
        // Shorter than the timeout of a call.
        let patience = PATIENCE.as_millis() / 2;
        let wait = format!(
            "new Promise((done) => {{ const end = performance.now() + {patience}; const look = () => {{ \
             if ({script}) done(true); else if (performance.now() > end) done(false); else setTimeout(look, 20); }}; look(); }})"
        );
        assert_eq!(self.eval(&wait), json!(true), "never came true: {script}; said: {:?}", self.said);
    }

    /// Returns the coordinates of the middle of an element, after scrolling it into view.
    pub fn middle(&mut self, selector: &str) -> (f64, f64) {
        let position = self.eval(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); if (!e) return null; \
             e.scrollIntoView({{ block: 'center', behavior: 'instant' }}); const r = e.getBoundingClientRect(); \
             return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        let at = |i: usize| position[i].as_f64().unwrap_or_else(|| panic!("{selector} is not on the page"));
        (at(0), at(1))
    }

    /// Moves the pointer to a position.
    pub fn point(&mut self, (x, y): (f64, f64)) {
        self.call("Input.dispatchMouseEvent", json!({"type": "mouseMoved", "x": x, "y": y}));
    }

    /// Clicks the middle of an element.
    pub fn click(&mut self, selector: &str) {
        let (x, y) = self.middle(selector);
        self.point((x, y));
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Turns the wheel at a position, optionally with Ctrl held; negative is upwards.
    pub fn roll(&mut self, (x, y): (f64, f64), by: f64, ctrl: bool) {
        let modifiers = if ctrl { 2 } else { 0 };
        let event = json!({"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": by, "modifiers": modifiers});
        self.call("Input.dispatchMouseEvent", event);
    }

    /// Presses Enter on an element.
    pub fn enter(&mut self, selector: &str) {
        self.eval(&format!("document.querySelector({selector:?}).focus()"));
        for kind in ["keyDown", "keyUp"] {
            let event =
                json!({"type": kind, "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"});
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Saves a screenshot of the whole page as PNG, if `SECCHI_SCREENS` names a directory.
    pub fn picture(&mut self, name: &str) {
        let Some(dir) = std::env::var_os("SECCHI_SCREENS") else { return };
        let shot = self.call("Page.captureScreenshot", json!({"captureBeyondViewport": true, "format": "png"}));
        let bytes = base64::engine::general_purpose::STANDARD.decode(shot["data"].as_str().unwrap_or_default());
        let bytes = bytes.expect("pictures come in base 64");
        std::fs::write(Path::new(&dir).join(format!("{name}.png")), bytes).expect("the directory is there");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

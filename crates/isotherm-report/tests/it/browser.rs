//! A real browser without a window, driven over the DevTools protocol: what a page looks like and
//! does when a person opens it.
#![allow(dead_code, clippy::unwrap_used, missing_docs)]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long anything may take before it counts as hanging.
const PATIENCE: Duration = Duration::from_secs(300);

/// A running browser; it ends with this value.
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    profile: tempfile::TempDir,
    last_id: u64,
    events: Vec<Value>,
}

/// A page that is open in a browser.
pub struct Page {
    browser: Browser,
    session: String,
    address: String,
}

/// The browser that `ISOTHERM_BROWSER` names, or the first known one on the path.
fn executable() -> PathBuf {
    let known = ["chromium", "chromium-browser", "google-chrome", "chrome"].map(PathBuf::from);
    let names = match std::env::var_os("ISOTHERM_BROWSER") {
        Some(named) => vec![PathBuf::from(named)],
        None => known.to_vec(),
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    // a name with a folder stays what it is when joined to the working directory
    let here = std::env::current_dir().unwrap();
    let places = |name: &PathBuf| {
        let search =
            if name.components().count() > 1 { vec![here.clone()] } else { folders.clone() };
        search.into_iter().map(|folder| folder.join(name)).collect::<Vec<_>>()
    };
    names.iter().flat_map(places).find(|file| file.is_file()).unwrap_or_else(|| {
        panic!(
            "this test opens a page in a browser and found none of {names:?}: \
             `apt-get install chromium`, or let ISOTHERM_BROWSER name one"
        )
    })
}

/// The address of a file. Only what means nothing in an address, and what the browser leaves as it
/// is, stands for itself.
fn file_address(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let encoded = |&byte: &u8| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    let path: String = path.as_os_str().as_encoded_bytes().iter().map(encoded).collect();
    format!("file://{path}")
}

impl Browser {
    /// Starts a browser with an empty profile.
    pub fn start() -> Browser {
        let profile = tempfile::tempdir().unwrap();
        let browser = executable();
        // the browser reads commands from descriptor 3 and writes answers to 4; its standard
        // streams are the ones that can be connected from here
        let mut child = Command::new("sh")
            .args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 1>&2"#])
            .arg(&browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args(["--disable-quic", "--disable-background-networking", "--disable-sync"])
            .args(["--disable-component-update", "--disable-dev-shm-usage", "--hide-scrollbars"])
            .arg("--remote-debugging-pipe")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{} does not start: {error}", browser.display()));
        let to = child.stdin.take().unwrap();
        let mut answers = BufReader::new(child.stdout.take().unwrap());
        let (send, from) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while answers.read_until(0, &mut message).is_ok_and(|read| read > 0) {
                message.pop();
                let Ok(value) = serde_json::from_slice(&message) else { break };
                if send.send(value).is_err() {
                    break;
                }
                message.clear();
            }
        });
        Browser { child, to, from, profile, last_id: 0, events: Vec::new() }
    }

    /// Opens a file in a window of this size and waits until it has loaded.
    pub fn open(path: &Path, (width, height): (u32, u32)) -> Page {
        let mut browser = Browser::start();
        let target = browser.call(None, "Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.call(None, "Target.attachToTarget", attach);
        let session = session["sessionId"].as_str().unwrap().to_owned();
        let path = path.canonicalize().unwrap();
        let address = file_address(&path);
        let mut page = Page { browser, session, address };
        for domain in ["Page", "Runtime", "Log", "Network", "DOM"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        page.resize((width, height));
        let address = page.address.clone();
        let went = page.call("Page.navigate", json!({ "url": address }));
        assert!(went["errorText"].is_null(), "{address} does not open: {went}");
        page.wait_for("Page.loadEventFired");
        page
    }

    fn receive(&mut self, until: Instant, waiting_for: &str) -> Value {
        let left = until.saturating_duration_since(Instant::now());
        match self.from.recv_timeout(left) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) => panic!("no answer in time to {waiting_for}"),
            Err(RecvTimeoutError::Disconnected) => {
                panic!("the browser ended while it was asked for {waiting_for}")
            }
        }
    }

    fn call(&mut self, session: Option<&str>, method: &str, parameters: Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).and_then(|()| self.to.flush()).unwrap();
        let until = Instant::now() + PATIENCE;
        loop {
            let answer = self.receive(until, method);
            if answer["id"] == json!(id) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // asked to close it leaves nothing behind; its answers end when its last process has
        let _ = self.to.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let until = Instant::now() + Duration::from_secs(5);
        while let Ok(_late) =
            self.from.recv_timeout(until.saturating_duration_since(Instant::now()))
        {}
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Page {
    /// A command of the DevTools protocol.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        let session = self.session.clone();
        self.browser.call(Some(&session), method, parameters)
    }

    fn wait_for(&mut self, event: &str) {
        let until = Instant::now() + PATIENCE;
        while !self.browser.events.iter().any(|seen| seen["method"] == event) {
            let message = self.browser.receive(until, event);
            self.browser.events.push(message);
        }
    }

    /// The value of an expression in the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({
            "expression": expression, "returnByValue": true, "awaitPromise": true,
        });
        let answer = self.call("Runtime.evaluate", parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// A number that an expression gives.
    pub fn number(&mut self, expression: &str) -> f64 {
        let value = self.evaluate(expression);
        value.as_f64().unwrap_or_else(|| panic!("{expression} is {value}, not a number"))
    }

    /// A text that an expression gives.
    pub fn text(&mut self, expression: &str) -> String {
        let value = self.evaluate(expression);
        value.as_str().unwrap_or_else(|| panic!("{expression} is {value}, not a text")).to_owned()
    }

    pub fn resize(&mut self, (width, height): (u32, u32)) {
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
        });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// What the reader's system prefers: `light` or `dark`.
    pub fn prefer(&mut self, scheme: &str) {
        let feature = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": feature }));
    }

    /// The middle of an element in the window, scrolled into view.
    pub fn middle(&mut self, selector: &str) -> (f64, f64) {
        let place = self.evaluate(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); \
             e.scrollIntoView({{ block: 'center', inline: 'center' }}); \
             const b = e.getBoundingClientRect(); \
             return [b.x + b.width / 2, b.y + b.height / 2]; }})()"
        ));
        (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
    }

    pub fn move_to(&mut self, (x, y): (f64, f64)) {
        self.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": x, "y": y }));
    }

    /// Presses and releases the mouse, so many times in short order.
    pub fn click(&mut self, (x, y): (f64, f64), times: u32) {
        self.move_to((x, y));
        for count in 1..=times {
            for kind in ["mousePressed", "mouseReleased"] {
                let event = json!({
                    "type": kind, "x": x, "y": y, "button": "left", "clickCount": count,
                });
                self.call("Input.dispatchMouseEvent", event);
            }
        }
    }

    /// Presses and releases a key, such as `Enter` or `ArrowRight`.
    pub fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Enter" => (13, Some("\r")),
            " " => (32, Some(" ")),
            "Tab" => (9, None),
            "ArrowLeft" => (37, None),
            "ArrowRight" => (39, None),
            "Escape" => (27, None),
            _ => (0, None),
        };
        let mut down = json!({ "type": "keyDown", "key": key, "windowsVirtualKeyCode": code });
        if let Some(text) = text {
            down["text"] = json!(text);
        }
        self.call("Input.dispatchKeyEvent", down);
        let up = json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code });
        self.call("Input.dispatchKeyEvent", up);
    }

    /// Everything that went wrong so far: exceptions, errors on the console and in the log.
    pub fn errors(&mut self) -> Vec<String> {
        self.settle();
        let wrong = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => event["params"]["type"] == "error",
            Some("Log.entryAdded") => event["params"]["entry"]["level"] == "error",
            _ => false,
        };
        let events = self.browser.events.iter();
        events.filter(wrong).map(|event| event["params"].to_string()).collect()
    }

    /// Addresses that the page asked for, beyond itself and what it holds.
    pub fn requests(&mut self) -> Vec<String> {
        self.settle();
        (self.browser.events.iter())
            .filter(|event| event["method"] == "Network.requestWillBeSent")
            .filter_map(|event| event["params"]["request"]["url"].as_str())
            .filter(|url| !url.starts_with("data:") && *url != self.address)
            .map(str::to_owned)
            .collect()
    }

    /// In a window of this width so many figures are drawn, none is empty, and the page is no wider.
    pub fn assert_fits(&mut self, width: u32, figures: usize) {
        self.resize((width, 900));
        self.settle();
        let wide = self.number("document.documentElement.scrollWidth");
        assert!(wide <= f64::from(width), "the page is {wide} wide in a window of {width}");
        let drawn = self.number("document.querySelectorAll('figure .drawing').length");
        assert_eq!(drawn as usize, figures);
        let empty = self.evaluate(
            "[...document.querySelectorAll('.drawing svg:not(.head)')].filter((svg) => { \
               const b = svg.getBoundingClientRect(); return b.width < 50 || b.height < 10; \
             }).map((svg) => svg.ariaLabel)",
        );
        assert_eq!(empty, json!([]), "empty at width {width}");
    }

    /// Nothing went wrong so far, and nothing was asked for from elsewhere.
    pub fn assert_clean(&mut self) {
        assert_eq!(self.errors(), Vec::<String>::new());
        assert_eq!(self.requests(), Vec::<String>::new());
    }

    /// Two frames later everything that was under way has been drawn and reported.
    pub fn settle(&mut self) {
        self.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
        );
    }
}

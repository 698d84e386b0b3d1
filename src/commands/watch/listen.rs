//! `--listen`: serves the latest OpenMetrics text to clients on this machine.

use anyhow::Result;
use session::exit::{self, coded};
use std::net::SocketAddr;

/// Metrics server on an address of this machine.
pub struct Listener {
    #[cfg(feature = "serve")]
    text: served::Text,
}

#[cfg(not(feature = "serve"))]
impl Listener {
    /// Returns an error, because this build cannot serve.
    pub fn bind(_: SocketAddr) -> Result<Listener> {
        Err(coded(
            exit::CANNOT,
            "--listen: this build cannot serve metrics (it was compiled without the feature `serve`)",
        ))
    }

    /// Does nothing.
    pub fn publish(&self, _: Vec<u8>) {}
}

#[cfg(feature = "serve")]
impl Listener {
    /// Binds the address and starts to serve. No figures are served before the first sample.
    pub fn bind(address: SocketAddr) -> Result<Listener> {
        let refused = |e: &dyn std::fmt::Display| coded(exit::BAD_INPUT, format!("--listen {address}: {e}"));
        let server = serve::Server::bind(address, serve::Guard::open()).map_err(|e| refused(&e))?;
        let text = served::Text::default();
        let metrics = served::Metrics(text.clone());
        // The thread ends with the process. If the server fails, the output files are still written.
        let answer = move || drop(server.run(metrics));
        std::thread::Builder::new().name("metrics".into()).spawn(answer).map_err(|e| refused(&e))?;
        Ok(Listener { text })
    }

    /// Replaces the text that is served.
    pub fn publish(&self, text: Vec<u8>) {
        self.text.set(text);
    }
}

#[cfg(feature = "serve")]
mod served {
    use serve::{Answer, Handler, Request};
    use session::locked::locked;
    use std::sync::{Arc, Mutex};

    /// Content type of OpenMetrics text.
    const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    /// The latest text; it contains no metrics before the first sample.
    #[derive(Clone)]
    pub struct Text(Arc<Mutex<Vec<u8>>>);

    impl Default for Text {
        fn default() -> Text {
            Text(Arc::new(Mutex::new(b"# EOF\n".to_vec())))
        }
    }

    impl Text {
        pub fn set(&self, text: Vec<u8>) {
            *locked(&self.0) = text;
        }
    }

    /// Handler for the only page.
    pub struct Metrics(pub Text);

    impl Handler for Metrics {
        fn answer(&self, request: &Request) -> Answer {
            if request.path != "/metrics" {
                return Answer::text(404, "not found: the only page is /metrics");
            }
            let body = locked(&self.0.0).clone();
            Answer { status: 200, kind: OPENMETRICS, body, policy: None }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn there_is_only_one_page_and_it_is_the_newest_text() {
            let text = Text::default();
            let metrics = Metrics(text.clone());
            let ask = |path: &str| metrics.answer(&Request { path: path.into(), query: Vec::new(), told: None });
            assert_eq!(ask("/metrics").body, b"# EOF\n");
            text.set(b"secchi_looks_total 1\n# EOF\n".to_vec());
            assert_eq!((ask("/metrics").body.len(), ask("/").status), (27, 404));
        }
    }
}

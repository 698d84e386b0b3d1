//! `--listen`: serves the latest metrics to clients on this machine.

use anyhow::Result;
use report::formats::metrics::Metrics;
use session::exit::{self, coded};
use std::net::SocketAddr;

/// Metrics server on an address of this machine.
pub struct Listener {
    #[cfg(feature = "serve")]
    latest: served::Latest,
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
    pub fn publish(&self, _: Metrics) {}
}

#[cfg(feature = "serve")]
impl Listener {
    /// Binds the address and starts to serve. No figures are served before the first sample.
    pub fn bind(address: SocketAddr) -> Result<Listener> {
        let refused = |e: &dyn std::fmt::Display| coded(exit::BAD_INPUT, format!("--listen {address}: {e}"));
        let server = serve::Server::bind(address, serve::Guard::open()).map_err(|e| refused(&e))?;
        let latest = served::Latest::default();
        let metrics = served::Page(latest.clone());
        // The thread ends with the process. If the server fails, the output files are still written.
        let answer = move || drop(server.run(metrics));
        std::thread::Builder::new().name("metrics".into()).spawn(answer).map_err(|e| refused(&e))?;
        Ok(Listener { latest })
    }

    /// Replaces the metrics that are served.
    pub fn publish(&self, metrics: Metrics) {
        self.latest.set(metrics);
    }
}

#[cfg(feature = "serve")]
mod served {
    use report::formats::metrics::{Metrics, MetricsFormat};
    use serve::{Answer, Handler, Request};
    use session::locked::locked;
    use std::sync::{Arc, Mutex};

    /// The latest metrics; there are none before the first sample.
    #[derive(Clone, Default)]
    pub struct Latest(Arc<Mutex<Metrics>>);

    impl Latest {
        pub fn set(&self, metrics: Metrics) {
            *locked(&self.0) = metrics;
        }
    }

    /// Handler for the only page.
    pub struct Page(pub Latest);

    impl Handler for Page {
        fn answer(&self, request: &Request) -> Answer {
            if request.path != "/metrics" {
                return Answer::text(404, "not found: the only page is /metrics");
            }
            let format = MetricsFormat::accepted(&request.accept);
            Answer { status: 200, kind: format.media_type(), body: locked(&self.0.0).format(format), policy: None }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use report::formats::runs_metrics::runs_metrics;

        #[test]
        fn there_is_only_one_page_and_it_has_the_newest_metrics_in_the_accepted_format() {
            let latest = Latest::default();
            let page = Page(latest.clone());
            let ask = |path: &str, accept: &str| {
                page.answer(&Request { path: path.into(), query: Vec::new(), accept: accept.into(), told: None })
            };
            assert_eq!((ask("/metrics", "").body, ask("/", "").status), (Vec::new(), 404));
            assert_eq!(ask("/metrics", "application/openmetrics-text").body, b"# EOF\n");
            latest.set(runs_metrics(&[], &[]));
            let text = ask("/metrics", "*/*");
            assert!(text.kind.starts_with("text/plain; version=0.0.4") && !text.body.is_empty());
        }
    }
}

//! Paths and their answers. No request changes anything, and no file can be addressed by a path.

use super::dashboard::DashboardState;
use super::source::{Search, Trouble};
use ::serve::{Answer, Handler, Refusal, Request};
use report::Subject;
use report::formats::dashboard::{self, Cursor, Page, RunsView, live_page, notice_page, runs_page};
use report::formats::html::{self, write_page};
use serde_json::{Value, json};
use session::locked::locked;
use session::result_files::{KeptRun, borrowed};
use store::RunSummary;

/// Default number of runs on a page.
const PER_PAGE: usize = 50;
/// Maximum value of `per`.
const PER_MOST: usize = 500;
/// Maximum number of runs whose figures are computed for one answer.
const FIGURES: usize = 16;
/// Maximum number of runs in a comparison.
const COMPARED: usize = 3;
/// Maximum length of a search, in characters; the search field on the page has the same limit.
const QUERY: usize = dashboard::LONGEST_SEARCH;
/// Content security policy of a report. The report itself declares which scripts may run in it, and no page may show it
/// in a frame.
const REPORT_POLICY: &str = "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; connect-src 'none'";

impl Handler for DashboardState {
    fn answer(&self, request: &Request) -> Answer {
        let parts: Vec<&str> = request.path.split('/').skip(1).collect();
        match parts[..] {
            [""] => self.runs(request).unwrap_or_else(|trouble| self.trouble(&trouble)),
            ["run", id] if is_id(id) && self.is_running(id) => {
                self.live(id).unwrap_or_else(|trouble| self.trouble(&trouble))
            }
            ["run", id] | ["run", id, "report"] if is_id(id) => self.report(&[id]),
            ["compare"] => {
                let mut ids: Vec<&str> = request.all("run").collect();
                let mut seen = std::collections::HashSet::new();
                ids.retain(|id| seen.insert(*id));
                if !(2..=COMPARED).contains(&ids.len()) || !ids.iter().all(|id| is_id(id)) {
                    return self.notice(
                        400,
                        "A comparison needs two or three runs.",
                        "Select them in the list of runs.",
                    );
                }
                self.report(&ids)
            }
            ["metrics"] => self.metrics(request).unwrap_or_else(|trouble| refused(&trouble)),
            ["api", ref path @ ..] => self.api(path, request).unwrap_or_else(|trouble| refused(&trouble)),
            _ => self.notice(404, "Page not found.", ""),
        }
    }

    fn refused(&self, refusal: &Refusal) -> Answer {
        let title = match refusal.status {
            401 => "This page requires the current token.",
            403 => "This request came from another site.",
            405 => "This server is read-only.",
            _ => "This request is not supported.",
        };
        self.notice(refusal.status, title, refusal.why)
    }
}

/// Returns `true` if this is a full ID, as in the addresses on the pages.
fn is_id(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}

fn answer(status: u16, page: Page) -> Answer {
    Answer::page(status, page.html, page.policy)
}

fn error(status: u16, reason: &str) -> Answer {
    json_answer(status, &json!({ "error": report::harmless(reason) }))
}

/// Returns the JSON answer for a failure.
fn refused(trouble: &Trouble) -> Answer {
    let status = match trouble {
        Trouble::Away(_) => 503,
        Trouble::Store(_) => 500,
        Trouble::Run(_) => 404,
    };
    error(status, trouble.reason())
}

fn json_answer(status: u16, value: &Value) -> Answer {
    Answer::json(status, value.to_string().into_bytes())
}

/// Runs that match a search, with the page of results to show.
struct Found {
    /// Reason why the search is invalid; `None` if it is valid.
    wrong: Option<String>,
    /// True if the search was parsed as a filter.
    filter: bool,
    runs: Vec<RunSummary>,
    matched: usize,
    total: usize,
    page: usize,
    pages: usize,
}

impl DashboardState {
    fn notice(&self, status: u16, title: &str, more: &str) -> Answer {
        answer(status, notice_page(title, more, self.language()))
    }

    /// Returns the page for a failure.
    fn trouble(&self, trouble: &Trouble) -> Answer {
        let reason = trouble.reason();
        match trouble {
            Trouble::Away(_) => answer(503, dashboard::away_page(reason, self.language())),
            Trouble::Store(_) => self.notice(500, "The run store cannot be read.", reason),
            Trouble::Run(_) => self.notice(404, "This run cannot be shown.", reason),
        }
    }

    fn find(&self, request: &Request) -> Result<Found, Trouble> {
        let mut runs = self.source.list()?;
        let total = runs.len();
        let mut selection =
            Found { wrong: None, filter: false, runs: Vec::new(), matched: 0, total, page: 1, pages: 1 };
        let typed = query(request);
        let search = match typed.chars().count() {
            0..=QUERY => Search::read(typed),
            n => Err(format!("a search of {n} characters is too long: the maximum is {QUERY}")),
        };
        match search {
            Err(wrong) => return Ok(Found { wrong: Some(wrong), ..selection }),
            Ok(Search::Words(words)) => runs.retain(|run| self.has(run, &words)),
            Ok(Search::Filter(filter)) => {
                selection.filter = true;
                filter.retain(&mut runs).map_err(|e| Trouble::Store(e.to_string()))?;
            }
        }
        let number = |name: &str| request.first(name).and_then(|n| n.parse::<usize>().ok());
        let per = number("per").unwrap_or(PER_PAGE).clamp(1, PER_MOST);
        (selection.matched, selection.pages) = (runs.len(), runs.len().div_ceil(per).max(1));
        selection.page = number("page").unwrap_or(1).clamp(1, selection.pages);
        selection.runs = runs.drain((selection.page - 1) * per..selection.matched.min(selection.page * per)).collect();
        Ok(selection)
    }

    /// Returns `true` if the displayed text of a run contains all of these words.
    fn has(&self, run: &RunSummary, words: &[String]) -> bool {
        let label = self.label(&run.id);
        let fields: [&str; 7] =
            [&run.id, &run.started, &run.command, &run.target, run.state.name(), &run.verdict, &label];
        let tags = run.labels.tags.iter().map(String::as_str).chain([run.labels.note.as_str()]);
        let text = fields.into_iter().chain(tags).collect::<Vec<&str>>().join(" ").to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    }

    fn runs(&self, request: &Request) -> Result<Answer, Trouble> {
        let selection = self.find(request)?;
        let listed: Vec<dashboard::ListedRun> = selection.runs.into_iter().map(|run| self.listed(run)).collect();
        let view = RunsView {
            runs: &listed,
            query: query(request),
            wrong: selection.wrong.as_deref(),
            filter: selection.filter,
            page: selection.page,
            pages: selection.pages,
            matched: selection.matched,
            total: selection.total,
            store: &self.source.name(),
            team: self.source.is_team(),
        };
        // An invalid search also gets status 200, because the user may still be typing a filter.
        Ok(answer(200, runs_page(&view, self.language())))
    }

    fn live(&self, id: &str) -> Result<Answer, Trouble> {
        let followed = self.follow(id)?;
        let followed = locked(&followed);
        Ok(answer(200, live_page(followed.run().record(), self.language())))
    }

    /// Returns the page that `secchi report` writes.
    fn report(&self, ids: &[&str]) -> Answer {
        let mut runs = Vec::with_capacity(ids.len());
        for id in ids {
            match self.kept(id) {
                Err(trouble) => return self.trouble(&trouble),
                Ok((record, labels)) => runs.push(KeptRun::judged(String::new(), record, labels)),
            }
        }
        let mut html = Vec::new();
        let runs = borrowed(&runs);
        let page = html::Page { subject: Subject::Runs(&runs), language: self.language(), home: Some("/") };
        match write_page(&page, &mut html) {
            Ok(()) => Answer::page(200, html, REPORT_POLICY.to_owned()),
            Err(e) => self.notice(500, "The report cannot be created.", &e.to_string()),
        }
    }

    /// Answers a request for JSON.
    fn api(&self, path: &[&str], request: &Request) -> Result<Answer, Trouble> {
        match *path {
            ["runs"] => self.api_runs(request),
            ["figures"] => self.api_figures(request),
            ["run", id] if is_id(id) => self.api_run(id),
            ["run", id, "live"] if is_id(id) => self.api_live(id, request),
            _ => Ok(error(404, "not found")),
        }
    }

    fn api_runs(&self, request: &Request) -> Result<Answer, Trouble> {
        let Found { wrong, runs, page, pages, matched, total, .. } = self.find(request)?;
        if let Some(reason) = wrong {
            return Ok(error(400, &reason));
        }
        let document = json!({ "runs": runs, "page": page, "pages": pages, "matched": matched, "total": total });
        Ok(json_answer(200, &document))
    }

    fn api_figures(&self, request: &Request) -> Result<Answer, Trouble> {
        let ids: Vec<&str> = request.all("run").collect();
        if ids.is_empty() || ids.len() > FIGURES || !ids.iter().all(|id| is_id(id)) {
            return Ok(error(400, "give the full ids of 1 to 16 runs: ?run=ID&run=ID"));
        }
        let figures = ids.into_iter().map(|id| Ok((id.to_owned(), json!(self.figures(id)?))));
        let figures = figures.collect::<Result<serde_json::Map<String, Value>, Trouble>>()?;
        Ok(json_answer(200, &json!({ "figures": figures })))
    }

    /// Returns the document of `secchi show --json`.
    fn api_run(&self, id: &str) -> Result<Answer, Trouble> {
        let (record, labels) = self.kept(id)?;
        let judgement = analysis::judge(&record);
        let mut text = Vec::new();
        Ok(match report::write_json(&record, &judgement, Some(&labels), &mut text) {
            Ok(()) => Answer::json(200, text),
            Err(e) => error(500, &e.to_string()),
        })
    }

    fn api_live(&self, id: &str, request: &Request) -> Result<Answer, Trouble> {
        let from = Cursor::parse(request.first("from").unwrap_or_default());
        let followed = self.follow(id)?;
        let news = locked(&followed).events_since(from);
        Ok(match news {
            Ok(json) => Answer::json(200, json),
            Err(reason) => {
                self.forget(id);
                error(404, &reason)
            }
        })
    }
}

fn query(request: &Request) -> &str {
    request.first("q").unwrap_or_default().trim()
}

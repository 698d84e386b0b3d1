//! `secchi show RUN`: judges a stored run again and prints it.

use anyhow::Result;
use cli::Show;
use model::plan::KindName;
use session::exit::{self, Code, coded};
use session::run_store::{is_mark, open_existing, unread};
use session::{console, reject};

pub fn run(options: &Show) -> Result<Code> {
    let store = open_existing(options.store.store.as_ref())?.ok_or_else(|| {
        coded(exit::BAD_INPUT, format!("no run `{}`: there are no runs yet", model::clip(&options.run)))
    })?;
    let record = store.read(&options.run).map_err(unread)?;
    if !is_mark(&record) && (options.format.is_some() || !options.outputs.is_empty()) {
        let file = options.outputs.first().map_or("FILE".into(), |file| file.display().to_string());
        let (run, command) = (model::clip(&options.run), &record.plan.command);
        reject!(
            "`show` writes files only for runs of mark, and this is a run of `{command}`: use `secchi report {run} -o \
             {}`",
            model::clip(&file)
        );
    }
    let labels = store.labels(&record.id).map_err(|e| coded(exit::CANNOT, e))?;
    if !options.json && options.format.is_none() {
        console::print(|style, out| report::write_labels(&labels, style, out))?;
    }
    match record.plan.kind.name() {
        KindName::JobFile if !options.json => fio::show(&record)?,
        KindName::Mark => super::mark::show(&record, &labels, options)?,
        KindName::Ping if !options.json => ioping::show(&record)?,
        KindName::Replay if record.replayed().is_some() && !options.json && !options.full => {
            super::replay::print(&record, &analysis::judge(&record))?;
        }
        _ if options.json => {
            let judgement = analysis::judge(&record);
            console::print(|_, out| report::write_json(&record, &judgement, Some(&labels), out))?;
        }
        _ => console::print_run(&record, &analysis::judge(&record), console::Shown::choose(options.full, false))?,
    }
    Ok(exit::of_kept_run(&record))
}

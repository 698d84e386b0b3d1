//! `secchi runs tag` and `secchi runs note`: set the labels of runs.

use super::selection::find;
use anyhow::Result;
use cli::{RunsNote, RunsTag};
use messages::{Sentence, sentence};
use model::record::Labels;
use session::console::{remark, remark_of};
use session::exit::{self, Code, coded};
use session::run_store::some_store;
use store::{LabelChange, Store};

pub fn tag(options: &RunsTag) -> Result<Code> {
    let (runs, change) = read(&options.words).map_err(|reason| coded(exit::BAD_INPUT, reason))?;
    let store = some_store(options.store.store.as_ref())?;
    let ids = runs.iter().map(|r| find(&store, r)).collect::<Result<Vec<String>>>()?;
    ids.iter().try_for_each(|id| relabel(&store, id, &change))?;
    Ok(exit::OK)
}

pub fn note(options: &RunsNote) -> Result<Code> {
    let change = LabelChange { note: Some(options.text.clone()), ..LabelChange::default() };
    let store = some_store(options.store.store.as_ref())?;
    relabel(&store, &find(&store, &options.run)?, &change)?;
    Ok(exit::OK)
}

fn relabel(store: &Store, id: &str, change: &LabelChange) -> Result<()> {
    let (labels, indexed) = store.relabel(id, change).map_err(|e| coded(exit::BAD_INPUT, e))?;
    indexed.remark().iter().for_each(|text| remark(text));
    let run = id.get(..8).unwrap_or(id);
    remark_of(&sentence!("remark-runs-labels", run, labels = format_labels(&labels)));
    Ok(())
}

/// Formats the labels of a run in one line.
fn format_labels(labels: &Labels) -> Sentence {
    let tags: Vec<&str> = labels.tags.iter().map(String::as_str).collect();
    let tags = match tags.is_empty() {
        true => sentence!("remark-runs-no-tags"),
        false => sentence!("remark-runs-tags", tags = tags.join(", ")),
    };
    let note = (!labels.note.is_empty()).then(|| sentence!("runs-note", note = &labels.note));
    report::clauses([Some(tags), note].into_iter().flatten())
}

/// Parses `RUN... +TAG !TAG`, or `RUN... TAG`. The command line replaces `-TAG` by `!TAG`.
fn read(words: &[String]) -> Result<(Vec<String>, LabelChange), String> {
    let (mut runs, mut change) = (Vec::new(), LabelChange::default());
    for word in words {
        match (word.strip_prefix('+'), word.strip_prefix(['!', '-'])) {
            (Some(tag), _) => change.add.push(tag.to_owned()),
            (None, Some(tag)) => change.remove.push(tag.to_owned()),
            (None, None) => runs.push(word.clone()),
        }
    }
    if change == LabelChange::default() {
        change.add.extend(if runs.len() > 1 { runs.pop() } else { None });
    }
    change.add.iter().chain(&change.remove).try_for_each(|t| Labels::check_tag(t)).map_err(|e| e.to_string())?;
    match (runs.is_empty(), change == LabelChange::default()) {
        (true, _) => Err("which run? secchi runs tag RUN +TAG".to_owned()),
        (_, true) => Err("which tag? secchi runs tag RUN +TAG".to_owned()),
        _ => Ok((runs, change)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_tell_tags_from_runs_and_without_them_the_last_word_is_one() {
        let read = |words: &str| read(&words.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let (runs, change) = read("3f 4a +nightly -old").unwrap();
        assert_eq!(
            (runs, change.add, change.remove),
            (vec!["3f".into(), "4a".into()], vec!["nightly".into()], vec!["old".into()])
        );
        let (runs, change) = read("3f 4a cafe").unwrap();
        assert_eq!((runs.len(), change.add), (2, vec!["cafe".to_owned()]));
        assert!(read("3f").unwrap_err().contains("which tag?"));
        assert!(read("+x").unwrap_err().contains("which run?"));
        assert!(read("3f --x").unwrap_err().contains("is not a valid tag"));
    }
}

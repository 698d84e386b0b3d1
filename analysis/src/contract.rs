//! Contracts: files of needs for a database, an acceptance test or CI, and the presets that come with secchi.
//!
//! ```toml
//! title = "our database"
//! [[need]]
//! block = "8k"
//! block_from = "2300"          # smaller blocks from this size on are as good
//! mode = "randread"            # as in --need: randread randwrite randrw read write rw fdatasync
//! mix = "70/30"                # for randrw and rw
//! for = "30s"                  # minimum measured duration of the level
//! phase = "held"               # any, held, alone, linear
//! clauses = ["iops>=6000", "p99<=5ms"]
//! [[need]]
//! line = "8k fdatasync: p99<=10ms"
//! ```
//!
//! Presets are files of the same form under `analysis/contracts/`, each with source and date. This module is pure: the
//! caller reads the files and passes their text.

use model::bounds::{BlockNeed, Clause, Need, NeedPhase, NeedSubject};
use model::units::{UnitError, nearest, suggestion};
use model::{Iops, clip};
use serde::Deserialize;

/// A parsed file of needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Contract {
    /// Title: the purpose of the contract.
    pub title: String,
    /// Source of the figures; may be empty.
    pub source: String,
    /// Date on which the source was consulted; may be empty.
    pub date: String,
    /// Needs of the contract.
    pub needs: Vec<Need>,
}

/// Contracts that come with secchi, by name.
pub const CONTRACTS: [(&str, &str); 16] = [
    ("iris-flash", include_str!("../contracts/iris-flash.toml")),
    ("iris-disk", include_str!("../contracts/iris-disk.toml")),
    ("iris-ecp", include_str!("../contracts/iris-ecp.toml")),
    ("ranread", include_str!("../contracts/ranread.toml")),
    ("sqlserver", include_str!("../contracts/sqlserver.toml")),
    ("oracle", include_str!("../contracts/oracle.toml")),
    ("innodb", include_str!("../contracts/innodb.toml")),
    ("hana-log", include_str!("../contracts/hana-log.toml")),
    ("hana-data", include_str!("../contracts/hana-data.toml")),
    ("tikv", include_str!("../contracts/tikv.toml")),
    ("tikv-raft-engine", include_str!("../contracts/tikv-raft-engine.toml")),
    ("tidb-alerts", include_str!("../contracts/tidb-alerts.toml")),
    ("etcd", include_str!("../contracts/etcd.toml")),
    ("etcd-heavy", include_str!("../contracts/etcd-heavy.toml")),
    ("vsan-cache", include_str!("../contracts/vsan-cache.toml")),
    ("ibm-endurance", include_str!("../contracts/ibm-endurance.toml")),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    title: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    date: String,
    /// Meaning of the number after the name of a preset: `iops`.
    parameter: Option<String>,
    #[serde(default)]
    parameter_required: bool,
    #[serde(default)]
    need: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    line: Option<String>,
    block: Option<String>,
    block_from: Option<String>,
    mode: Option<String>,
    mix: Option<String>,
    #[serde(rename = "for")]
    lasting: Option<String>,
    phase: Option<String>,
    #[serde(default)]
    clauses: Vec<String>,
}

/// Parses a contract. Reports use `name` for it.
///
/// # Errors
/// Returns an error if the text is not valid TOML, has unknown keys or contains an invalid need. The error is one
/// sentence with the place.
pub fn contract(text: &str, name: &str) -> Result<Contract, UnitError> {
    read(text, name, None)
}

/// Returns the preset that `typed` names, such as `etcd` or `ibm-endurance:40000`; `None` if it names none.
///
/// # Errors
/// Returns an error if its number is missing or invalid.
pub fn preset(typed: &str) -> Option<Result<Contract, UnitError>> {
    let (name, number) = match typed.split_once(':') {
        Some((name, number)) => (name.trim(), Some(number.trim())),
        None => (typed.trim(), None),
    };
    let (_, text) = CONTRACTS.iter().find(|(n, _)| *n == name)?;
    Some(read(text, typed.trim(), number))
}

/// Returns the name of the preset most similar to `typed`, if one is close enough.
#[must_use]
pub fn near_preset(typed: &str) -> Option<&'static str> {
    let name = typed.split(':').next().unwrap_or_default().trim();
    let known = CONTRACTS.iter().map(|(n, _)| *n);
    nearest(name, known.clone()).and_then(|n| known.into_iter().find(|k| *k == n))
}

fn read(text: &str, name: &str, number: Option<&str>) -> Result<Contract, UnitError> {
    let fail = |why: String| UnitError(format!("contract {}: {why}", clip(name)));
    let file: File = toml::from_str(text).map_err(|e| {
        let line = e.span().map(|s| text[..s.start.min(text.len())].matches('\n').count() + 1);
        let line = line.map_or_else(String::new, |l| format!("line {l}: "));
        fail(format!("{line}{}", e.message().replace('\n', " ")))
    })?;
    let floor = match (number, file.parameter.as_deref()) {
        (None, _) if file.parameter_required => {
            return Err(fail(format!("it needs a rate: {}:IOPS, as in {}:40000", name, name)));
        }
        (None, _) => None,
        (Some(number), Some("iops")) => Some(number.parse::<Iops>().map_err(|e| fail(e.0))?),
        (Some(number), _) => return Err(fail(format!("it does not take a number (`{}`)", clip(number)))),
    };
    if file.need.is_empty() {
        return Err(fail("it has no [[need]]".into()));
    }
    let mut needs = Vec::new();
    for (i, entry) in file.need.into_iter().enumerate() {
        let mut need = need(entry, floor).map_err(|e| fail(format!("need {}: {}", i + 1, e.0)))?;
        need.contract = name.to_owned();
        needs.push(need);
    }
    Ok(Contract { title: file.title, source: file.source, date: file.date, needs })
}

fn need(entry: Entry, floor: Option<Iops>) -> Result<Need, UnitError> {
    if let Some(line) = entry.line {
        let others = [entry.block, entry.block_from, entry.mode, entry.mix, entry.lasting, entry.phase];
        if others.iter().any(Option::is_some) || !entry.clauses.is_empty() {
            return Err(UnitError("`line` is complete by itself and cannot be combined with other keys".into()));
        }
        return line.parse();
    }
    let missing = |key: &str| UnitError(format!("`{key}` is missing"));
    let block = entry.block.ok_or_else(|| missing("block"))?.parse()?;
    let block_from = entry.block_from.map(|b| b.parse()).transpose()?;
    let mode = entry.mode.ok_or_else(|| missing("mode"))?;
    let phase = entry.phase.map_or(Ok(NeedPhase::Any), |p| phase(&p))?;
    let blocks = BlockNeed::parse(block, block_from, (&mode, entry.mix.as_deref()), phase)?;
    let lasting = entry.lasting.map(|t| t.parse()).transpose()?;
    let floor =
        floor.map(|floor| Ok(Clause { metric: model::bounds::Metric::Iops, bound: model::bounds::Bound::Iops(floor) }));
    let clauses = floor.into_iter().chain(entry.clauses.iter().map(|c| c.trim().parse()));
    Need::new(NeedSubject::Blocks(blocks), lasting, clauses.collect::<Result<_, _>>()?)
}

fn phase(text: &str) -> Result<NeedPhase, UnitError> {
    text.parse().map_err(|_| {
        let hint = suggestion(text, NeedPhase::NAMES.iter().copied());
        UnitError(format!("unknown phase `{}`: {}{hint}", clip(text), NeedPhase::NAMES.join(" ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_reads_and_names_its_source_and_date() {
        for (name, _) in CONTRACTS {
            let typed = if name == "ibm-endurance" { "ibm-endurance:40000" } else { name };
            let c = preset(typed).unwrap().unwrap_or_else(|e| panic!("{e}"));
            assert!(!c.needs.is_empty() && !c.source.is_empty() && c.date.starts_with("20"), "{name}");
            assert!(c.needs.iter().all(|n| n.contract == typed && !n.text.is_empty()));
        }
        assert!(preset("8k randread: iops>=1").is_none());
    }

    #[test]
    fn presets_say_what_their_sources_say() {
        let texts = |typed: &str| preset(typed).unwrap().unwrap().needs.into_iter().map(|n| n.text).collect::<Vec<_>>();
        assert_eq!(
            texts("iris-flash"),
            ["8k randread held: avg<=2.00ms, max<=5.00ms", "64k randread held: avg<=2.00ms, max<=5.00ms"]
        );
        assert_eq!(texts("etcd"), ["4k fdatasync: p99<=10.0ms"]);
        assert_eq!(texts("ranread"), ["8k randread linear: avg<=10.0ms"]);
        assert_eq!(texts("ranread:6000"), ["8k randread linear: iops>=6000, avg<=10.0ms"]);
        assert_eq!(texts("ibm-endurance:40000"), ["16k randrw 50/50 held: iops>=40000"]);
    }

    #[test]
    fn a_number_where_none_belongs_and_none_where_one_does_are_named() {
        let error_of = |typed: &str| preset(typed).unwrap().unwrap_err().0;
        assert!(error_of("ibm-endurance").contains("ibm-endurance:40000"));
        assert!(error_of("etcd:5").contains("does not take a number"));
        assert!(error_of("ranread:many").contains("many"));
        assert_eq!(near_preset("iris-flahs"), Some("iris-flash"));
    }

    #[test]
    fn a_file_of_needs_is_read_in_both_forms() {
        let text = "title = 'ours'\n[[need]]\nblock = '8k'\nmode = 'randrw'\nmix = '70/30'\nfor = '30s'\nphase = 'held'\n\
                    clauses = ['iops>=6000', 'p99<=5ms']\n[[need]]\nline = '8k fdatasync: p99<=10ms'\n";
        let c = contract(text, "ours.toml").unwrap();
        assert_eq!(c.needs[0].text, "8k randrw 70/30 for 30.0s held: iops>=6000, p99<=5.00ms");
        assert_eq!(c.needs[0].text.parse::<Need>().unwrap().clauses, c.needs[0].clauses);
        assert_eq!(c.needs[1].blocks().map(|of| of.mode), Some(model::bounds::NeedMode::Fdatasync));
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let error_of = |text: &str| contract(text, "c.toml").unwrap_err().0;
        assert!(error_of("[[need]]\nblok = '8k'\n").contains("line 2"), "{}", error_of("[[need]]\nblok = '8k'\n"));
        assert!(error_of("[[need]]\nblok = '8k'\n").contains("blok"));
        assert!(error_of("title = 'x'").contains("no [[need]]"));
        assert!(error_of("[[need]]\nblock = '8k'\n").contains("need 1: `mode` is missing"));
        assert!(
            error_of("[[need]]\nblock='8k'\nmode='randread'\nphase='heldd'\nclauses=['iops>=1']")
                .contains("did you mean `held`?")
        );
        assert!(error_of("[[need]]\nblock='8k'\nmode='randread'\n").contains("it has no clauses"));
        assert!(
            error_of("[[need]]\nline='8k randread: iops>=1'\nmode='read'")
                .contains("cannot be combined with other keys")
        );
        assert!(error_of("not toml").contains("line 1"));
    }
}

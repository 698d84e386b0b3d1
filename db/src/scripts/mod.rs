//! Portable scripts in M: the same tests for engines that secchi cannot drive here, or that somebody else is to drive.
//!
//! One template and a thin layer for each engine; nothing is asked at run time. What GT.M gets is run in our tests; what IRIS
//! gets differs in the layer and in the marked lines of the template, and was not run.

/// An engine that speaks M.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// GT.M and YottaDB.
    Gtm,
    /// InterSystems IRIS.
    Iris,
}

impl Dialect {
    /// By the name of `--engine`.
    #[must_use]
    pub fn named(name: &str) -> Option<Dialect> {
        match name {
            "gtm" => Some(Dialect::Gtm),
            "iris" => Some(Dialect::Iris),
            _ => None,
        }
    }
}

/// What is common to all engines.
const SHARED: &str = include_str!("shared.m");

/// The files for an engine: name and text.
#[must_use]
pub fn scripts(dialect: Dialect) -> Vec<(&'static str, String)> {
    let shared = shared(dialect);
    match dialect {
        Dialect::Gtm => vec![
            ("README.txt", include_str!("notes-gtm.txt").into()),
            ("setup-gtm.sh", include_str!("setup-gtm.sh").into()),
            ("SECCHI.m", shared),
            ("SECCHIOS.m", include_str!("gtm.m").into()),
        ],
        Dialect::Iris => vec![
            ("README.txt", include_str!("notes-iris.txt").into()),
            ("SECCHI.mac", shared),
            ("SECCHIOS.mac", include_str!("iris.mac").into()),
        ],
    }
}

/// The template with this engine's words.
fn shared(dialect: Dialect) -> String {
    let words: [(&str, &str); 9] = match dialect {
        Dialect::Gtm => [
            ("{{HEAD}}", "SECCHI ;"),
            ("{{NOTE}}", "GT.M and YottaDB."),
            ("{{ENGINE}}", "gtm"),
            ("{{RANREAD}}", "reads random records; the directory is not used: GT.M reads no blocks"),
            ("{{READS}}", "records"),
            ("{{LOCALS}}", ",ser,global"),
            (
                "{{PREPARE}}",
                "set ser=$select(lazy:\"BATCH\",1:\"ACID\") for g=1:1:ng set global(g)=\"^RanWriteGlobal\"_g",
            ),
            ("{{READ}}", "set x=$get(@global(g)@(k))"),
            ("{{TSTART}}", "tstart ():transactionid=ser"),
        ],
        Dialect::Iris => [
            ("{{HEAD}}", "ROUTINE SECCHI [Type=MAC]\nSECCHI ;"),
            ("{{NOTE}}", "InterSystems IRIS: lines marked NOT RUN HERE are written after the documentation."),
            ("{{ENGINE}}", "iris"),
            ("{{RANREAD}}", "RanRead: reads random blocks of the database in that directory with VIEW"),
            ("{{READS}}", "blocks"),
            ("{{LOCALS}}", ""),
            (
                "{{PREPARE}}",
                "do sync^SECCHIOS(lazy) ; NOT RUN HERE\n set max=0 if pct,kind'=\"seqread\" set max=$$blocks^SECCHIOS(arg) open 63:\"^^\"_arg ; NOT RUN HERE",
            ),
            ("{{READ}}", "view $random(max)+1 ; NOT RUN HERE"),
            ("{{TSTART}}", "tstart ; NOT RUN HERE"),
        ],
    };
    words.iter().fold(SHARED.to_owned(), |text, (mark, word)| text.replace(mark, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_of_the_template_has_its_word() {
        for dialect in [Dialect::Gtm, Dialect::Iris] {
            for (name, text) in scripts(dialect) {
                assert!(!text.contains("{{") && !text.contains("}}") && text.ends_with('\n'), "{dialect:?} {name}");
            }
        }
    }

    #[test]
    fn dialects_differ_only_in_their_words_and_what_was_not_run_says_so() {
        let (gtm, iris) = (shared(Dialect::Gtm), shared(Dialect::Iris));
        let other: Vec<&str> = iris.lines().filter(|line| !gtm.contains(line)).collect();
        assert!(other.len() <= 11, "{other:#?}");
        let unproven = other.iter().filter(|line| line.contains("NOT RUN HERE")).count();
        assert!(unproven >= 4, "{other:#?}");
        for (_, text) in scripts(Dialect::Iris) {
            assert!(text.contains("NOT RUN HERE"));
        }
        assert!(!gtm.contains("NOT RUN HERE"));
    }
}

//! Portable M scripts that run the same tests on engines that secchi cannot drive, or that another person runs.
//!
//! All engines share one template, and each has a separate thin layer. Nothing is decided at run time. Our tests run
//! the scripts for GT.M. The scripts for IRIS differ in the layer and in the marked lines of the template, and have not
//! been run.

/// Names of the engines with scripts, as given to `--engine`.
pub const ENGINES: [&str; 2] = ["gtm", "iris"];

/// Template of the routine, common to all engines.
const SHARED: &[u8] = embed::packed!("shared.m");

/// Returns the name and text of each script file for an engine, or `None` if the engine has no scripts.
#[must_use]
pub fn scripts(engine: &str) -> Option<Vec<(&'static str, String)>> {
    match engine {
        "gtm" => Some(vec![
            ("README.txt", embed::text(embed::packed!("notes-gtm.txt"))),
            ("setup-gtm.sh", embed::text(embed::packed!("setup-gtm.sh"))),
            ("SECCHI.m", shared(&GTM)),
            ("SECCHIOS.m", embed::text(embed::packed!("gtm.m"))),
        ]),
        "iris" => Some(vec![
            ("README.txt", embed::text(embed::packed!("notes-iris.txt"))),
            ("SECCHI.mac", shared(&IRIS)),
            ("SECCHIOS.mac", embed::text(embed::packed!("iris.mac"))),
        ]),
        _ => None,
    }
}

/// Words of the template for GT.M and YottaDB.
const GTM: [(&str, &str); 14] = [
    ("{{HEAD}}", "SECCHI ;"),
    ("{{NOTE}}", "GT.M and YottaDB."),
    ("{{ENGINE}}", "gtm"),
    ("{{RANREAD}}", "reads random records; the directory is ignored, because GT.M cannot read blocks"),
    ("{{READS}}", "records"),
    ("{{TRAP}}", "$etrap"),
    ("{{ONERROR}}", "\"goto trap^SECCHI\""),
    ("{{ERROR}}", "$zstatus"),
    ("{{LOCALS}}", ",ser,global"),
    ("{{PREPARE}}", "set ser=$select(lazy:\"BATCH\",1:\"ACID\") for g=1:1:ng set global(g)=$$name(g)"),
    (
        "{{READ}}",
        "for i=1:1:l set g=$random(ng)+1,k=$random(n)+1,u=$$us^SECCHIOS set x=$get(@global(g)@(k)) do rec(\"read\",$$us^SECCHIOS-u)",
    ),
    ("{{TSTART}}", "tstart:'nojrn ():transactionid=ser"),
    ("{{NAME}}", "\"^RanWriteGlobal\"_g"),
    ("{{NOJRN}}", "nojrn works only with IRIS; for GT.M, use mupip set -journal on the database"),
];

/// Words of the template for InterSystems IRIS.
const IRIS: [(&str, &str); 14] = [
    ("{{HEAD}}", "ROUTINE SECCHI [Type=MAC]\nSECCHI ;"),
    ("{{NOTE}}", "InterSystems IRIS: lines marked NOT RUN HERE follow the documentation."),
    ("{{ENGINE}}", "iris"),
    ("{{RANREAD}}", "RanRead: reads random blocks of the databases in these directories (a;b;c) with VIEW"),
    ("{{READS}}", "blocks"),
    ("{{TRAP}}", "$ztrap"),
    ("{{ONERROR}}", "\"trap^SECCHI\" ; NOT RUN HERE"),
    ("{{ERROR}}", "$zerror"),
    ("{{LOCALS}}", ",d"),
    (
        "{{PREPARE}}",
        "do sync^SECCHIOS(lazy),journal^SECCHIOS(nojrn) ; NOT RUN HERE\n set max=0 if pct,kind'=\"seqread\" set max=$$open^SECCHIOS($$directory^SECCHIOS(arg,j)) ; NOT RUN HERE",
    ),
    ("{{READ}}", "kill d do views^SECCHIOS(l,max,.d) for i=1:1:l do rec(\"read\",d(i)) ; NOT RUN HERE"),
    ("{{TSTART}}", "tstart:'nojrn  ; NOT RUN HERE"),
    ("{{NAME}}", "$$name^SECCHIOS(g) ; NOT RUN HERE"),
    ("{{NOJRN}}", "nojrn=1: no journal and no transactions, because IRIS always journals transactions"),
];

/// Returns the template with an engine's words filled in.
fn shared(words: &[(&str, &str)]) -> String {
    words.iter().fold(embed::text(SHARED), |text, (mark, word)| text.replace(mark, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_of_the_template_has_its_word() {
        for engine in ENGINES {
            for (name, text) in scripts(engine).unwrap() {
                assert!(!text.contains("{{") && !text.contains("}}") && text.ends_with('\n'), "{engine} {name}");
            }
        }
    }

    /// Returns the labels of a routine, each with its lines, without comments.
    fn labels(text: &str) -> Vec<(String, String)> {
        let mut entries: Vec<(String, String)> = Vec::new();
        for line in text.lines() {
            let code = line.split(" ;").next().unwrap_or_default();
            if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
                let end = code.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(code.len());
                entries.push((code[..end].to_owned(), String::new()));
            }
            if let Some((_, body)) = entries.last_mut() {
                body.push_str(code);
                body.push('\n');
            }
        }
        entries
    }

    #[test]
    fn what_only_the_namespace_of_the_system_has_is_done_there_and_calls_no_routine_of_ours() {
        let scripts = scripts("iris").unwrap();
        let layer = &scripts.iter().find(|(name, _)| *name == "SECCHIOS.mac").expect("the layer").1;
        let mut inside = 0;
        for (label, body) in labels(layer) {
            let of_system = ["SYS.Database", "open:n 63", "view ", "^mgstat"].iter().any(|word| body.contains(word));
            let switched = body.contains("new $namespace set $namespace=\"%SYS\"");
            assert_eq!(of_system, switched, "{label}: {body}");
            if let Some((_, behind)) = body.split_once("set $namespace=") {
                inside += 1;
                // The tests' routines and globals are in the previous namespace.
                assert!(!behind.contains("^SECCHI"), "{label}: {behind}");
            }
        }
        assert_eq!(inside, 3, "opening, viewing, mgstat");
    }

    #[test]
    fn whatever_the_template_calls_is_in_both_layers() {
        for engine in ENGINES {
            let scripts = scripts(engine).unwrap();
            let text =
                |wanted: &str| scripts.iter().find(|(name, _)| name.starts_with(wanted)).expect("a file").1.clone();
            let (main, layer) = (text("SECCHI."), text("SECCHIOS."));
            let known: Vec<String> = labels(&layer).into_iter().map(|(label, _)| label).collect();
            for (at, _) in main.match_indices("^SECCHIOS") {
                let name: String = main[..at].chars().rev().take_while(char::is_ascii_alphanumeric).collect();
                let name: String = name.chars().rev().collect();
                assert!(known.contains(&name), "{engine}: {name} is not among {known:?}");
            }
            let main_labels: Vec<String> = labels(&main).into_iter().map(|(label, _)| label).collect();
            for (at, call) in main.match_indices("$$") {
                let rest = &main[at + call.len()..];
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
                assert!(
                    rest[end..].starts_with("^SECCHIOS") || main_labels.contains(&rest[..end].to_owned()),
                    "{}",
                    &rest[..end]
                );
            }
        }
    }

    #[test]
    fn a_run_of_iris_without_a_directory_says_what_is_missing_and_no_process_is_waited_for_that_died() {
        let scripts = scripts("iris").unwrap();
        let text = |wanted: &str| &scripts.iter().find(|(name, _)| *name == wanted).expect("a file").1;
        let (main, layer, notes) = (text("SECCHI.mac"), text("SECCHIOS.mac"), text("README.txt"));
        assert!(layer.contains("name the directory of the database"), "{layer}");
        let (check, start) = (main.find("$$missing^SECCHIOS").expect("checked"), main.find("$$start^SECCHIOS"));
        assert!(Some(check) < start, "checked before a process is started");
        let ready = labels(main).into_iter().find(|(label, _)| label == "ready").expect("the barrier").1;
        assert!(ready.contains("$$alive^SECCHIOS(p(j))"), "each process by itself: {ready}");
        for fact in ["SystemPerformance", "opens and closes", "Note down"] {
            assert!(notes.contains(fact), "{fact}");
        }
    }

    #[test]
    fn dialects_differ_only_in_their_words_and_what_was_not_run_says_so() {
        let (gtm, iris) = (shared(&GTM), shared(&IRIS));
        let other: Vec<&str> = iris.lines().filter(|line| !gtm.contains(line)).collect();
        assert!(other.len() <= 15, "{other:#?}");
        let unproven = other.iter().filter(|line| line.contains("NOT RUN HERE")).count();
        assert!(unproven >= 4, "{other:#?}");
        for (_, text) in scripts("iris").unwrap() {
            assert!(text.contains("NOT RUN HERE"));
        }
        assert!(!gtm.contains("NOT RUN HERE"));
    }
}

//! `secchi --version --verbose`: prints details of this build, and which of its features work on this machine.

use anyhow::Result;
use cli::VersionDetails;
use report::DocumentKind;
use report::documents::{ProbedEngine, Version};
use session::console;
use session::exit::{self, Code};
use std::fmt::Write as _;
use std::path::Path;

/// Features in Cargo.toml; the flag is `true` if this build has the feature.
const FEATURES: &[(&str, bool)] = &[
    ("html", cfg!(feature = "html")),
    ("parquet", cfg!(feature = "parquet")),
    ("picture", cfg!(feature = "picture")),
    ("dashboard", cfg!(feature = "dashboard")),
    ("postgres", cfg!(feature = "postgres")),
    ("team", cfg!(feature = "team")),
    ("serve", cfg!(feature = "serve")),
    ("tls", cfg!(feature = "tls")),
    ("https", cfg!(feature = "https")),
    ("mpi", cfg!(feature = "mpi")),
];

/// Kernel settings that restrict I/O engines.
const SETTINGS: &[&str] = &["kernel.io_uring_disabled", "fs.aio-max-nr"];

pub fn run(options: &VersionDetails) -> Result<Code> {
    let details = Details::inspect()?;
    console::print(|_, out| match options.json {
        true => report::write_document(DocumentKind::Version, details.document(), out),
        false => out.write_all(details.text().as_bytes()),
    })?;
    Ok(exit::OK)
}

/// Name of an engine, with its version if it works here, or with the reason why it does not.
struct Probed {
    name: &'static str,
    found: Result<Option<String>, String>,
}

impl Probed {
    fn document(&self) -> ProbedEngine<'_> {
        let (version, why_not) = match &self.found {
            Ok(version) => (version.as_deref(), None),
            Err(reason) => (None, Some(reason.as_str())),
        };
        ProbedEngine { name: self.name, usable: self.found.is_ok(), version, why_not }
    }
}

/// Details of the build and this machine.
struct Details {
    /// Commit of the build, if the builder set the variable for it. A source archive has no Git history.
    commit: Option<&'static str>,
    target: String,
    profile: &'static str,
    features: &'static [(&'static str, bool)],
    kernel: String,
    /// Settings that this kernel has, with their values.
    settings: Vec<(&'static str, String)>,
    engines: Vec<Probed>,
    databases: Vec<Probed>,
}

impl Details {
    fn inspect() -> Result<Self> {
        let environment = dbrun::open::environment()?;
        let here = || sys::can_measure().map_err(|reason| reason.to_string());
        let engine = |entry: &load::engine::EngineEntry| Probed {
            name: entry.spec.name,
            found: here().and_then(|()| entry.probe().map(|()| None).map_err(|e| e.to_string())),
        };
        let database = |entry: &db::EngineEntry| Probed {
            name: entry.name,
            found: here().and_then(|()| (entry.probe)(&environment).map(Some).map_err(|e| e.to_string())),
        };
        let [_, proc, _] = sys::files::KERNEL_FILES;
        let setting = |name: &&'static str| {
            let path = Path::new(proc).join("sys").join(name.replace('.', "/"));
            Some((*name, std::fs::read_to_string(path).ok()?.trim().to_owned()))
        };
        Ok(Details {
            commit: option_env!("SECCHI_COMMIT").filter(|commit| !commit.is_empty()),
            target: target(),
            profile: if cfg!(debug_assertions) { "debug" } else { "release" },
            features: FEATURES,
            kernel: monitor::facts::host(&monitor::Roots::host()).kernel,
            settings: SETTINGS.iter().filter_map(setting).collect(),
            engines: load::engines::ENGINES.iter().map(engine).collect(),
            databases: db::ENGINES.iter().map(database).collect(),
        })
    }

    fn text(&self) -> String {
        let list = |on: bool| {
            let names: Vec<&str> = self.features.iter().filter(|(_, has)| *has == on).map(|(name, _)| *name).collect();
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        };
        let mut text = format!("secchi {}\n", env!("CARGO_PKG_VERSION"));
        let mut line = |label: &str, value: &str| {
            let _ = writeln!(text, "{:<18} {value}", format!("{label}:"));
        };
        if let Some(commit) = self.commit {
            line("commit", commit);
        }
        line("target", &self.target);
        line("profile", self.profile);
        line("features", &list(true));
        line("features left out", &list(false));
        let settings: Vec<String> = self.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        line(
            "kernel",
            &if settings.is_empty() {
                self.kernel.clone()
            } else {
                format!("{} ({})", self.kernel, settings.join(", "))
            },
        );
        for (title, probed) in [("engines", &self.engines), ("databases", &self.databases)] {
            let usable = probed.iter().filter(|p| p.found.is_ok()).count();
            let _ = writeln!(text, "\n{title}: {usable} of {} usable here", probed.len());
            for Probed { name, found } in probed {
                let state = match found {
                    Ok(None) => "usable".to_owned(),
                    Ok(Some(version)) => format!("usable: {version}"),
                    Err(reason) => reason.strip_prefix(&format!("{name} ")).unwrap_or(reason).to_owned(),
                };
                let _ = writeln!(text, "  {name:<16} {}", report::harmless(&state));
            }
        }
        text
    }

    fn document(&self) -> Version<'_> {
        Version {
            version: env!("CARGO_PKG_VERSION"),
            commit: self.commit,
            target: &self.target,
            profile: self.profile,
            features: self.features.iter().copied().collect(),
            kernel: &self.kernel,
            settings: self.settings.iter().map(|(name, value)| (*name, value.as_str())).collect(),
            engines: self.engines.iter().map(Probed::document).collect(),
            databases: self.databases.iter().map(Probed::document).collect(),
        }
    }
}

/// Returns the target triple as far as a program can know it without a build script.
fn target() -> String {
    let abi = match () {
        () if cfg!(target_env = "gnu") => "-gnu",
        () if cfg!(target_env = "musl") => "-musl",
        () => "",
    };
    format!("{}-{}{abi}", std::env::consts::ARCH, std::env::consts::OS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_features_are_those_of_the_manifest() {
        let manifest: toml::Table = include_str!("../../Cargo.toml").parse().expect("it is TOML");
        let mut named: Vec<&str> =
            manifest["features"].as_table().expect("a table").keys().map(String::as_str).collect();
        // `schema` is for the generated reference and changes nothing in the program.
        named.retain(|name| !["default", "schema"].contains(name));
        let mut listed: Vec<&str> = FEATURES.iter().map(|(name, _)| *name).collect();
        named.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, named);
    }

    fn details() -> Details {
        Details {
            commit: Some("0a1b2c3"),
            target: "x86_64-linux-gnu".to_owned(),
            profile: "release",
            features: &[("html", true), ("tls", false)],
            kernel: "Linux 6.1.0".to_owned(),
            settings: vec![("fs.aio-max-nr", "65536".to_owned())],
            engines: vec![
                Probed { name: "psync", found: Ok(None) },
                Probed {
                    name: "nfs",
                    found: Err("nfs does not work here: no libnfs.so; install it\x1b[2J".to_owned()),
                },
            ],
            databases: vec![Probed { name: "sqlite", found: Ok(Some("SQLite 3.50".to_owned())) }],
        }
    }

    #[test]
    fn the_text_tells_what_works_and_why_the_rest_does_not() {
        let text = details().text();
        for line in [
            "commit:            0a1b2c3",
            "features:          html",
            "features left out: tls",
            "kernel:            Linux 6.1.0 (fs.aio-max-nr=65536)",
            "engines: 1 of 2 usable here",
            "  psync            usable",
            "databases: 1 of 1 usable here",
            "  sqlite           usable: SQLite 3.50",
        ] {
            assert!(text.lines().any(|l| l == line), "`{line}` is not in:\n{text}");
        }
        assert!(text.contains("  nfs              does not work here: no libnfs.so; install it"), "{text}");
        assert!(!text.contains('\x1b'), "what a library says does not play with the terminal");
    }

    #[test]
    fn the_document_has_the_same() {
        let document = serde_json::to_value(details().document()).unwrap();
        assert_eq!(document["features"]["tls"], false);
        assert_eq!(
            document["engines"][0],
            serde_json::json!({ "name": "psync", "usable": true, "version": null, "why_not": null })
        );
        assert_eq!(document["engines"][1]["usable"], false);
        assert_eq!(document["databases"][0]["version"], "SQLite 3.50");
        assert_eq!(document["settings"]["fs.aio-max-nr"], "65536");
    }
}

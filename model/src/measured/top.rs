//! Names of the processes with the most I/O in their series: `top.4711 postgres (docker 3f2a1b4c5d6e).write`.

use std::fmt;

/// Name of a process among those with the most I/O.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TopName {
    /// Host of the process, in a watch of many hosts.
    pub host: Option<String>,
    /// Process ID; `None` for all processes of the program that have no separate series.
    pub pid: Option<u32>,
    /// Name of the program, as truncated by the kernel.
    pub program: String,
    /// Control group or container, shortened; `/` is the root group.
    pub group: String,
}

impl TopName {
    /// Name in place of a process for all processes that are not named.
    pub const OTHERS: &'static str = "others";

    /// Parses the name of a series' object; `None` for [`TopName::OTHERS`] and for anything that is not such a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<TopName> {
        let (pid, rest) = name.split_once(' ')?;
        let (program, group) = rest.strip_suffix(')')?.rsplit_once(" (")?;
        let (host, pid) = pid.rsplit_once('/').map_or((None, pid), |(host, pid)| (Some(host.to_owned()), pid));
        let pid = if pid == "*" { None } else { Some(pid.parse().ok()?) };
        Some(TopName { host, pid, program: program.to_owned(), group: group.to_owned() })
    }

    /// Returns the control group; `None` for the root group.
    #[must_use]
    pub fn group(&self) -> Option<&str> {
        (self.group != "/").then_some(self.group.as_str())
    }
}

impl fmt::Display for TopName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(host) = &self.host {
            write!(f, "{host}/")?;
        }
        match self.pid {
            Some(pid) => write!(f, "{pid}")?,
            None => f.write_str("*")?,
        }
        write!(f, " {} ({})", self.program, self.group)
    }
}

/// Minimum number of hexadecimal digits in the ID of a container.
const CONTAINER_ID: usize = 32;

/// Shortens the path of a control group: to the runtime and the first 12 digits of a container's ID
/// (`docker 3f2a1b4c5d6e`), to the unit of systemd (`postgresql.service`), or to the path without its leading slash.
#[must_use]
pub fn group_label(path: &str) -> String {
    let mut parts = path.rsplit('/');
    let (last, parent) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let stem = last.strip_suffix(".scope").unwrap_or(last);
    let digits = stem.len() - stem.trim_end_matches(|c: char| c.is_ascii_hexdigit()).len();
    let label = if digits >= CONTAINER_ID {
        let (before, id) = stem.split_at(stem.len() - digits);
        let before = before.trim_end_matches(['-', ':']).rsplit(':').next().unwrap_or_default();
        let runtime = match if before.is_empty() { parent } else { before } {
            "libpod" => "podman",
            "cri-containerd" => "containerd",
            "crio" => "cri-o",
            pod if pod.starts_with("pod") => "kubepods",
            other => other,
        };
        format!("{runtime} {}", &id[..12]).trim_start().to_owned()
    } else if let Some(name) = last.strip_prefix("lxc.payload.") {
        format!("lxc {name}")
    } else if last.ends_with(".service") || last.ends_with(".scope") {
        last.to_owned()
    } else if path.len() > 1 {
        path.trim_start_matches('/').to_owned()
    } else {
        return "/".to_owned();
    };
    // Parentheses delimit the label in the name of a series.
    label.replace(['(', ')'], "_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::{name_on_host, series_of};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_name_survives_its_series(
            pid in proptest::option::of(any::<u32>()),
            program in "[a-z/:. ()]{1,15}",
            group in "/|[a-z0-9/.:-]{1,30}( [a-f0-9]{12})?",
        ) {
            let name = TopName { host: None, pid, program, group };
            let series = format!("top.{name}.read");
            let (object, what) = series_of(&series, "top").expect("a series of a process");
            prop_assert_eq!((TopName::parse(object), what), (Some(name.clone()), "read"));
            let remote = name_on_host(&series, "node.x:1", false);
            let (object, _) = series_of(&remote, "top").expect("a series of a process");
            prop_assert_eq!(TopName::parse(object), Some(TopName { host: Some("node.x:1".into()), ..name }));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC*") {
            let _ = (TopName::parse(&text), group_label(&text));
        }
    }

    #[test]
    fn groups_are_named_by_container_and_unit() {
        let id = "3f2a1b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708";
        let pod = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
        let cases = [
            (format!("/system.slice/docker-{id}.scope"), "docker 3f2a1b4c5d6e"),
            (format!("/docker/{id}"), "docker 3f2a1b4c5d6e"),
            (format!("/machine.slice/libpod-{id}.scope"), "podman 3f2a1b4c5d6e"),
            (format!("/kubepods.slice/kubepods-pod{pod}.slice/cri-containerd-{id}.scope"), "containerd 3f2a1b4c5d6e"),
            (format!("/kubepods/burstable/pod{pod}/{id}"), "kubepods 3f2a1b4c5d6e"),
            (format!("/kubepods-pod{pod}.slice:cri-containerd:{id}"), "containerd 3f2a1b4c5d6e"),
            ("/system.slice/postgresql.service".into(), "postgresql.service"),
            ("/user.slice/user-1000.slice/session-2.scope".into(), "session-2.scope"),
            ("/lxc.payload.db1".into(), "lxc db1"),
            ("/db/(a)".into(), "db/_a_"),
            ("/".into(), "/"),
        ];
        for (path, label) in cases {
            assert_eq!(group_label(&path), label);
        }
    }

    #[test]
    fn others_are_no_process() {
        assert_eq!(TopName::parse(TopName::OTHERS), None);
        assert_eq!(TopName::parse("7 sh (/)").as_ref().and_then(TopName::group), None);
    }
}

//! Suggestions for unknown names.

use model::units::nearest;

/// Returns the name that was most likely meant.
///
/// In `m5.medum` the family is right and the size is not, so the family is searched first, by spelling, then by size.
pub(super) fn nearest_name<'a>(typed: &str, names: &[&'a str]) -> Option<&'a str> {
    sibling(typed, names).or_else(|| nearest(typed, names.iter().copied()))
}

fn sibling<'a>(typed: &str, names: &[&'a str]) -> Option<&'a str> {
    let (family, size) = typed.rsplit_once('.')?;
    let split = |name: &'a str| name.rsplit_once('.').map(|(family, size)| (family, size, name));
    let parts: Vec<_> = names.iter().copied().filter_map(split).collect();
    let of_family: Vec<_> = parts.iter().filter(|(f, _, _)| f.eq_ignore_ascii_case(family)).collect();
    if of_family.is_empty() {
        return None;
    }
    // The sizes of the family come first: if two spellings are equally similar, the existing size wins.
    let sizes = of_family.iter().map(|(_, size, _)| *size).chain(parts.iter().map(|(_, size, _)| *size));
    let lower = size.to_ascii_lowercase();
    let meant = nearest(&lower, sizes)?;
    if let Some((_, _, name)) = of_family.iter().find(|(_, size, _)| *size == meant) {
        return Some(name);
    }
    // The family lacks this size: use the nearest one. If two are equally near, use the larger, which is sufficient.
    let wanted = steps(meant)?;
    let beside = of_family.iter().filter_map(|(_, size, name)| Some((steps(size)?, *name)));
    let distance = |at: f64| (at - wanted).abs() - if at > wanted { 1e-6 } else { 0.0 };
    beside.min_by(|a, b| distance(a.0).total_cmp(&distance(b.0))).map(|(_, name)| name)
}

/// Returns the size in doublings relative to `xlarge`: vendors name sizes `medium`, `large`, `xlarge`, `2xlarge`,
/// `4xlarge`.
pub(super) fn steps(size: &str) -> Option<f64> {
    Some(match size {
        "nano" => -5.0,
        "micro" => -4.0,
        "small" => -3.0,
        "medium" => -2.0,
        "large" => -1.0,
        "xlarge" => 0.0,
        _ => size.strip_suffix("xlarge")?.parse::<u32>().ok().filter(|n| *n > 0).map(|n| f64::from(n).log2())?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 9] = [
        "m3.medium",
        "m5.large",
        "m5.xlarge",
        "m5.2xlarge",
        "m5.4xlarge",
        "m5.metal",
        "c7i.3xlarge",
        "gp3",
        "aws/m5.large",
    ];

    fn near(typed: &str) -> Option<&'static str> {
        nearest_name(typed, &NAMES)
    }

    #[test]
    fn a_wrong_size_is_answered_with_a_size_of_the_family() {
        assert_eq!(near("m5.medum"), Some("m5.large"), "m5 has no medium: the size beside it");
        assert_eq!(near("m5.medium"), Some("m5.large"));
        assert_eq!(near("M5.Larg"), Some("m5.large"));
        assert_eq!(near("m5.metl"), Some("m5.metal"));
        assert_eq!(near("m5.3xlarge"), Some("m5.4xlarge"), "the larger of the two beside it");
        assert_eq!(near("aws/m5.medum"), Some("aws/m5.large"));
    }

    #[test]
    fn other_names_are_compared_whole() {
        assert_eq!(near("gp33"), Some("gp3"));
        assert_eq!(near("n5.large"), Some("m5.large"));
        assert_eq!(near("nothing.like.it"), None);
    }
}

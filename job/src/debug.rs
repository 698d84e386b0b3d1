//! Output of fio's `--debug=parse`: each option as it was parsed.

use crate::{JobFile, TypedOption, Units, size, time};
use model::Nanos;

/// Returns the lines of `--debug=parse`: first the defaults of all jobs, then the options of each job. fio's prefix,
/// the name and the process ID, is left out.
#[must_use]
pub fn parse_lines(file: &JobFile) -> Vec<String> {
    let section_options = file.sections.iter().flat_map(|section| &section.own);
    file.globals.iter().chain(section_options).flat_map(|option| lines_of(option, file.run.units())).collect()
}

fn lines_of(option: &TypedOption, units: Units) -> impl Iterator<Item = String> {
    let handled = format!("handle_option={}, ptr={}", option.name, option.value);
    let steady = (option.name == "steadystate").then(|| threshold(&option.value, units)).flatten();
    std::iter::once(handled).chain(steady)
}

/// Returns the line that fio prints for a value of `steadystate`, such as `iops:10` or `bw_slope:.1%`.
fn threshold(value: &str, units: Units) -> Option<String> {
    let (what, limit) = value.split_once(':')?;
    if let Some(percent) = limit.strip_suffix('%') {
        return Some(format!("set steady state threshold to {:.6}%", percent.parse::<f64>().ok()?));
    }
    Some(match what.strip_suffix("_slope").unwrap_or(what) {
        "iops" => format!("set steady state IOPS threshold to {:.6}", limit.parse::<f64>().ok()?),
        "lat" => format!("set steady state latency threshold to {} nsec", time(limit, Nanos(1)).ok()?.as_nanos()),
        _ => format!("set steady state BW threshold to {}", size(limit, units).ok()?.as_u64()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines printed by fio 3.33. The latency lines are from a later version.
    #[test]
    fn limits_are_printed_in_the_format_of_fio() {
        let units = Units { kb_base: 1024, fio_compat: false };
        let cases = [
            ("iops:10", "set steady state IOPS threshold to 10.000000"),
            ("iops:.1%", "set steady state threshold to 0.100000%"),
            ("bw_slope:10%", "set steady state threshold to 10.000000%"),
            ("bw:12", "set steady state BW threshold to 12"),
            ("bw_slope:4k", "set steady state BW threshold to 4096"),
            ("lat:2ms", "set steady state latency threshold to 2000000 nsec"),
        ];
        for (typed, told) in cases {
            assert_eq!(threshold(typed, units).as_deref(), Some(told), "{typed}");
        }
        assert_eq!(threshold("iops", units), None);
    }
}

//! A mark as comma-separated values (RFC 4180, except that lines end with a newline only): one line for each test and
//! direction, with the best and the median loop next to each other, then the rates of all loops. With several hosts,
//! there is one more column.

use super::{HostShare, Loop, Mark};
use crate::Style;
use crate::widgets::escape::csv_field;
use std::io::{self, Write};

const HEAD: &str = "test,pattern,block_bytes,queues,threads,direction,read_percent,loops,best_mb_per_s,best_iops,\
                    best_mean_us,best_p99_us,median_mb_per_s,median_iops,median_mean_us,median_p99_us,failed,doubts,\
                    loops_mb_per_s";

/// Additional column for several hosts: each host's share of the best loop.
const HOSTS: &str = ",hosts_best_mb_per_s";

pub(super) fn write(mark: &Mark, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    // The hosts' column comes last, so that the numbers of the other columns do not change.
    let several = !mark.hosts.is_empty();
    writeln!(out, "{HEAD}{}", if several { HOSTS } else { "" })?;
    for direction in &mark.directions {
        for (test, cell) in mark.in_direction(*direction) {
            let rates: Vec<String> = cell.loops.iter().map(|l| format!("{:.3}", l.rate.mb())).collect();
            let place = format!("{test} {}", direction.name());
            let doubts = mark.doubts.iter().filter(|d| d.places.is_empty() || d.places.contains(&place));
            let doubts: Vec<String> = doubts.map(|d| d.id.clone()).collect();
            let fields = [
                test.to_string(),
                test.kind().to_owned(),
                test.block.as_u64().to_string(),
                test.queues.to_string(),
                test.threads.to_string(),
                direction.name().to_owned(),
                direction.mix().read_percent().to_string(),
                cell.loops.len().to_string(),
            ];
            let mut line: Vec<String> = fields.iter().map(|f| csv_field(f)).collect();
            line.extend(figures(cell.best()));
            line.extend(figures(cell.median()));
            line.push(cell.loops.iter().map(|l| l.failed).sum::<u64>().to_string());
            line.push(csv_field(&doubts.join(" ")));
            line.push(csv_field(&rates.join(" ")));
            if several {
                let share = |h: &HostShare| format!("{}={:.3}", h.host, h.rate.mb());
                let shares: Vec<String> = cell.best().iter().flat_map(|b| &b.hosts).map(share).collect();
                line.push(csv_field(&shares.join(" ")));
            }
            writeln!(out, "{}", line.join(","))?;
        }
    }
    Ok(())
}

fn figures(one: Option<&Loop>) -> [String; 4] {
    let Some(one) = one else { return Default::default() };
    let time = |t: Option<f64>| t.map_or_else(String::new, |t| format!("{t:.3}"));
    [
        format!("{:.3}", one.rate.mb()),
        format!("{:.1}", one.iops.per_second()),
        time(super::micros(one.mean)),
        time(super::micros(one.p99.value())),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::testkit::{marked, written};
    use super::*;

    #[test]
    fn every_line_has_as_many_fields_as_the_head() {
        let text = written("csv", &marked());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 13);
        let n = HEAD.split(',').count();
        assert!(lines.iter().all(|l| l.split(',').count() == n), "{text}");
        assert!(lines[1].starts_with("SEQ1M Q8T1,SEQ,1048576,8,1,read,100,5,"), "{}", lines[1]);
    }
}

//! The table as comma-separated values (RFC 4180, except that lines end with a newline only): base units, a line for
//! each result.

use model::{ForeignJudgement, ForeignRow};
use std::io::{self, Write};

const HEAD: &str = "source,line,name,rw,block_bytes,depth,jobs,engine,ops,seconds,iops,iops_least,iops_most,read_share,\
                    bytes_per_s,mean_s,mean_by_little,p99_s,max_s,in_flight,submit_cpu,passes,limit,limit_share,binds,\
                    not_usable,findings,work,work_unit,p99_least_s";

/// Writes the table.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write(judgement: &ForeignJudgement, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{HEAD}")?;
    judgement.rows.iter().try_for_each(|row| writeln!(out, "{}", line(row).join(",")))
}

fn line(row: &ForeignRow) -> Vec<String> {
    let number = |v: Option<f64>| v.filter(|v| v.is_finite()).map(|v| v.to_string()).unwrap_or_default();
    let whole = |v: Option<u64>| v.map(|v| v.to_string()).unwrap_or_default();
    let text = |t: &str| crate::widgets::escape::csv_field(t);
    let between = row.iops_between.unzip();
    vec![
        text(&row.source),
        row.line.to_string(),
        text(&row.name),
        text(&row.rw),
        whole(row.block.map(|b| b.as_u64())),
        whole(row.depth.map(u64::from)),
        whole(row.jobs.map(u64::from)),
        text(&row.engine),
        number(row.ops),
        number(row.seconds),
        number(row.iops),
        number(between.0),
        number(between.1),
        number(row.reads),
        number(row.bandwidth),
        number(row.mean),
        row.mean_by_little.to_string(),
        number(row.p99),
        number(row.max),
        number(row.in_flight),
        number(row.submit_cpu),
        number(row.passes),
        text(row.limit.as_ref().map_or("", |l| l.0.as_str())),
        number(row.limit.as_ref().map(|l| l.1)),
        text(&row.binds),
        text(row.struck.as_deref().unwrap_or("")),
        text(&row.findings.join(" ")),
        number(row.work.as_ref().map(|w| w.0)),
        text(row.work.as_ref().map_or("", |w| w.1.as_str())),
        number(row.p99_least),
    ]
}

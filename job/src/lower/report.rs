//! Conversion of a section for the report.

use super::files::sizes::used_blocks;
use crate::file::{JobFile, Section, TypedOption};
use crate::options::{KbBase, LogWindow, UnifiedRw, UnitBase};
use model::plan::{LogValue, Logs, ReportSettings, Unified, none_if_zero, without_secret};
use std::path::PathBuf;

/// Converts a section to the form that the report uses.
pub(super) fn to_report_section(file: &JobFile, section: &Section) -> model::plan::Section {
    let o = &section.options;
    let kept = |t: &TypedOption| (t.name.to_owned(), without_secret(t.name, &t.value).to_owned());
    let typed = |list: &[TypedOption]| list.iter().map(kept).collect::<Vec<_>>();
    let mut options = typed(&section.own);
    // `name` is listed only if it was given as an option, not as a section header.
    if section.file.is_none() || section.is_set("name") {
        options.insert(0, ("name".to_owned(), section.name.clone()));
    }
    // Programs that read the output need these options even if they have their default values.
    let always = [
        ("rw", o.pattern.rw.word().to_owned()),
        ("bs", used_blocks(o).next().map_or(4096, |b| b.min().as_u64()).to_string()),
        ("iodepth", o.depth.iodepth.to_string()),
        ("numjobs", o.job.numjobs.to_string()),
    ];
    for (name, value) in always {
        if !options.iter().any(|(n, _)| n == name) {
            let inherited = section.inherited.iter().find(|t| t.name == name).map(|t| t.value.clone());
            options.push((name.to_owned(), inherited.unwrap_or(value)));
        }
    }
    model::plan::Section {
        name: section.name.clone(),
        options,
        globals: typed(&file.globals),
        group: section.group,
        one_report: o.report.group_reporting,
        description: o.job.description.clone(),
        report: report(section),
    }
}

/// Returns the largest number of decimals that were typed in the percentile list.
fn precision(section: &Section) -> Option<u32> {
    let typed = section.own.iter().chain(&section.inherited).find(|t| t.name == "percentile_list")?;
    let decimals = |entry: &str| entry.split_once('.').map_or(0, |(_, rest)| rest.trim().len() as u32);
    typed.value.split(':').map(decimals).max()
}

fn report(section: &Section) -> ReportSettings {
    let o = &section.options;
    let (r, log) = (&o.report, &o.logs);
    let text = |path: &Option<PathBuf>| path.as_ref().map(|p| p.to_string_lossy().into_owned());
    ReportSettings {
        percentiles: r.percentile_list.clone(),
        slat_percentiles: r.slat_percentiles,
        clat_percentiles: r.clat_percentiles,
        lat_percentiles: r.lat_percentiles,
        unified: match r.unified {
            UnifiedRw::None => Unified::None,
            UnifiedRw::Mixed => Unified::Mixed,
            UnifiedRw::Both => Unified::Both,
        },
        kb_base: if o.job.kb_base == KbBase::K1000 { 1000 } else { 1024 },
        bits: o.job.unit_base == UnitBase::Bits,
        significant_figures: u32::from(r.significant_figures),
        bandwidth_sample: log.bw_window,
        iops_sample: log.iops_window,
        logs: Logs {
            bandwidth: text(&log.bw),
            iops: text(&log.iops),
            latency: text(&log.lat),
            histogram: text(&log.hist),
            average: none_if_zero(log.avg),
            value: match log.window {
                LogWindow::Average => LogValue::Mean,
                LogWindow::Max => LogValue::Max,
                LogWindow::Both => LogValue::Both,
            },
            histogram_every: log.hist_every,
            coarseness: u32::from(log.hist_coarseness),
            per_job: log.per_job,
            offsets: log.offset,
            unix_time: log.epoch,
            issue_times: log.issue_time,
            narrow: log.narrow,
            priority: log.prio,
            compressed: log.compressed,
        },
        percentile_precision: precision(section).unwrap_or(2),
        reported: r.stats,
        disks: r.disk_util,
        without: [false; 3],
    }
}

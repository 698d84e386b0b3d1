//! Layers of watched processes: bytes of their system calls, I/O that the kernel sent to block devices for them, and
//! the work of the devices. A trace of the block layer adds its layers in between.

use super::Table;
use crate::validity::layers;
use messages::sentence;
use model::judged::{LayerFigures, LayerSide, LayersSeen, StackLayer};
use model::{Bytes, Nanos, RunRecord, Sentence, distinct, measured::series_of, plan::WatchPlan};

/// Maximum number of processes with their own rows.
const ROWS: usize = 8;
/// Relative difference up to which figures are the same.
const SAME: f64 = 0.02;

/// Returns the layers of the trace with the processes on top; without a trace, the processes and the devices.
pub(super) fn layers(record: &RunRecord, plan: &WatchPlan, table: &Table) -> Vec<LayersSeen> {
    let mut seen = layers::layers(record);
    let (rows, says) = processes(record, plan, table);
    if rows.is_empty() {
        return seen;
    }
    match seen.first_mut() {
        Some(traced) => {
            traced.layers.splice(0..0, rows);
            traced.says.splice(0..0, says);
        }
        None => {
            let length = table.stretches.iter().map(|s| s.length).sum::<Nanos>();
            let layers = rows.into_iter().chain(devices(record)).collect();
            seen.push(LayersSeen {
                steps: Vec::new(),
                label: messages::sentence!("layers-whole-time"),
                length,
                layers,
                says,
            });
        }
    }
    seen
}

/// Returns two rows for each process, and the explanation of their difference.
fn processes(record: &RunRecord, plan: &WatchPlan, table: &Table) -> (Vec<LayerFigures>, Vec<Sentence>) {
    let (mut rows, mut says) = (Vec::new(), Vec::new());
    let names = distinct(record.series.iter().filter_map(|s| Some(series_of(&s.name, "process")?.0)));
    for name in names.into_iter().take(ROWS) {
        let total = |what: &str| {
            let (sum, time) = table.integral(&table.column(&format!("process.{name}.{what}")));
            (time > 0.0).then(|| sum.round().max(0.0) as u64)
        };
        let side = |ops: Option<u64>, bytes: Option<u64>| LayerSide { ops, bytes: bytes.map(Bytes), latency: None };
        let calls =
            [side(total("read_calls"), total("called_read")), side(total("write_calls"), total("called_write"))];
        let sent = [side(None, total("read")), side(None, total("write"))];
        let known = plan.processes.iter().find(|p| p.name == name);
        let shown = known.map_or_else(|| name.to_owned(), |p| format!("{} ({})", p.pid, p.program));
        for (layer, [reads, writes]) in [(StackLayer::SystemCalls, calls), (StackLayer::Process, sent)] {
            if !(reads.is_empty() && writes.is_empty()) {
                let source = "/proc/PID/io".to_owned();
                rows.push(LayerFigures { layer, device: shown.clone(), source, reads, writes });
            }
        }
        for (reads, calls, sent) in [(true, calls[0], sent[0]), (false, calls[1], sent[1])] {
            // Older runs did not sample system calls.
            says.extend(calls.bytes.zip(sent.bytes).and_then(|(calls, sent)| explain(&shown, reads, calls, sent)));
        }
    }
    (rows, says)
}

fn explain(process: &str, reads: bool, calls: Bytes, sent: Bytes) -> Option<Sentence> {
    let (called, to_devices) = (calls.as_u64() as f64, sent.as_u64() as f64);
    if to_devices > called * (1.0 + SAME) && to_devices > 65_536.0 {
        let rest = sent - calls;
        return Some(match reads {
            true => sentence!("watch-read-uncounted", process, rest),
            false => sentence!("watch-wrote-uncounted", process, rest),
        });
    }
    if called > to_devices * (1.0 + SAME) && called > 65_536.0 {
        let rest = calls - sent;
        return Some(match reads {
            true => sentence!("watch-read-elsewhere", process, rest),
            false => sentence!("watch-wrote-elsewhere", process, rest),
        });
    }
    None
}

/// Returns the kernel's counters of the watched devices with any activity.
fn devices(record: &RunRecord) -> impl Iterator<Item = LayerFigures> + '_ {
    record.disks.iter().filter(|d| d.ops != [0, 0]).map(|disk| {
        let side = |i: usize| LayerSide {
            ops: Some(disk.ops[i]),
            bytes: Some(Bytes(disk.sectors[i] * 512)),
            latency: disk.ticks[i].as_nanos().checked_div(disk.ops[i]).filter(|t| *t > 0).map(Nanos),
        };
        let (device, source) = (disk.name.clone(), "/proc/diskstats".to_owned());
        LayerFigures { layer: StackLayer::Device, device, source, reads: side(0), writes: side(1) }
    })
}

//! Part of a page about a replay: recorded and replayed figures side by side, and the seconds with late requests.

use super::parts::{percentile, text, tiles, time};
use super::texts::Texts;
use crate::formats::op_name;
use crate::formats::replay::SECONDS;
use crate::widgets::figures::count;
use maud::{Markup, html};
use messages::message;
use model::{LatencyHistogram, OperationLatencies, Replayed, ReplayedRole};

const HEADS: [&str; 7] =
    ["replay-was", "replay-is", "replay-p50", "replay-p50-now", "replay-p99", "replay-p99-now", "replay-due"];

pub(super) fn replayed(replayed: &Replayed, t: &Texts) -> Markup {
    let word = |id| t.word(id);
    let operations: u64 = replayed.roles.iter().map(ReplayedRole::made).sum();
    let mut shown = vec![(replayed.recording.clone(), count(operations), t.operations)];
    // The tiles show the kind with the most replayed operations.
    let kinds = replayed.roles.iter().flat_map(|role| role.kinds.iter().map(move |kind| (role, kind)));
    if let Some((role, kind)) = kinds.max_by_key(|(_, kind)| kind.made.operations) {
        let label = format!("{}: {}", role.role, word(op_name(kind.op)));
        let p99 = |latencies: &OperationLatencies| latencies.latency.percentile(99.0).value().map(time);
        shown.extend(p99(&kind.recorded).map(|p99| (label.clone(), p99, word("replay-p99"))));
        shown.extend(p99(&kind.made).map(|p99| (label, p99, word("replay-p99-now"))));
    }
    html! {
        (tiles(&shown, t))
        div .part {
            h2 { (word("replay-page")) }
            div .wide tabindex="0" { table .figures {
                thead { tr {
                    th scope="col" { (t.role) } th scope="col" .words { (word("replay-kind")) } th scope="col" { (word("replay-size")) }
                    @for head in HEADS { th scope="col" { (word(head)) } }
                } }
                tbody { @for role in &replayed.roles { @for kind in &role.kinds {
                    (row((&role.role, word(op_name(kind.op)), "–"), &kind.recorded, &kind.made, Some(&kind.from_due), t))
                    @if kind.sizes.len() > 1 { @for size in &kind.sizes {
                        (row(("", "", &size.up_to.short()), &size.recorded, &size.made, None, t))
                    } }
                } } }
            } }
        }
        @for role in replayed.roles.iter().filter(|r| r.late_seconds() > 0) { (late(role, t)) }
    }
}

fn row(
    (role, kind, size): (&str, &str, &str),
    was: &OperationLatencies,
    is: &OperationLatencies,
    due: Option<&LatencyHistogram>,
    t: &Texts,
) -> Markup {
    html! { tr {
        th scope="row" { (text(role)) }
        td .words { (kind) }
        td { (size) }
        @for of in [was, is] { td data-v=(of.operations) { (count(of.operations)) } }
        @for p in [50.0, 99.0] { @for of in [was, is] { (percentile(of.latency.percentile(p), t)) } }
        @match due { Some(due) => { (percentile(due.percentile(99.0), t)) } None => { td { "–" } } }
    } }
}

fn late(role: &ReplayedRole, t: &Texts) -> Markup {
    let seconds = || role.seconds.iter().enumerate().filter(|(_, s)| s.late > 0);
    let more = seconds().count().saturating_sub(SECONDS);
    let line = |second: usize, told: &model::ReplaySecond| {
        let (second, late, operations) = (count(second as u64), count(told.late), count(told.operations));
        t.format(&message!("replay-lag-row", second, late, operations, longest = told.longest))
    };
    html! {
        div .part {
            h2 { (t.word("replay-lag")) span .small { (text(&role.role)) } }
            ul { @for (second, told) in seconds().take(SECONDS) { li { (text(&line(second, told))) } } }
            @if more > 0 { p .small { (text(&t.format(&message!("replay-lag-more", n = count(more as u64))))) } }
        }
    }
}

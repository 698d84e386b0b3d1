//! A disk mark: a table of the tests by direction with the best loop of each, for a live screen, for the mark alone, and
//! for the report of its run.

use super::{charts, columns, common, traced};
use crate::ReportedRun;
use crate::document::{
    Block, Cell, Column, Document, Field, Margin, Only, Row, Sign, Table, Text, Tile, Tone, Value, View,
};
use crate::marks::{Cell as Test, Doubt, HostShare, Loop, Mark, Running, log_share};
use messages::{Message, Sentence, message, sentence};
use model::plan::{MarkDirection, MarkTest};
use model::{Bytes, Judgement, Nanos, RunState, Severity, judged::LevelFigures};

/// Width of a bar, in columns.
const BAR: u8 = 12;
/// Only screens.
const SCREEN: &[View] = &[View::Full];
/// Only Markdown.
const MARKDOWN: &[View] = &[View::Markdown];

/// Returns the document of a run of mark.
pub(super) fn document(run: &ReportedRun<'_>, view: View) -> Document {
    let mark = Mark::from_record(run.record, &run.judgement.caveats);
    let mut d = common::begin(run);
    d.kind = "mark";
    d.head.answer_on_screen = true;
    d.tiles = tiles(&mark);
    d.figures = run.judgement.patterns.iter().flat_map(|p| p.levels.iter().map(|l| columns::level(p, l))).collect();
    add_tests(&mut d, &mark, None, view);
    d.part("loops", "mark-head-loops", [Block::Table(loops(run.judgement))]).views(View::PAGE_END);
    traced::add(&mut d, run.record, &run.judgement.layers, view);
    charts::add(&mut d, run, view);
    common::end(&mut d, run);
    d
}

/// Returns the document of a mark alone, without the run; `running` is the state of a running one.
pub(crate) fn alone(mark: &Mark, running: Option<Running>, view: View) -> Document {
    let mut d = Document::new("mark", &mark.place);
    add_tests(&mut d, mark, running, view);
    if running.is_some() {
        return d;
    }
    d.part("doubts", "", doubts(mark, view));
    let short: String = mark.id.chars().take(8).collect();
    let loops = match mark.loops {
        1 => message!("mark-one-loop"),
        n => message!("mark-best-of", n),
    };
    let again = Sentence::concat([sentence!("mark-again"), format!("  secchi show {short} -o mark.png").into()]);
    d.part("again", "", [Block::remark(messages::sentence(loops)), Block::remark(again)]).views(SCREEN);
    let (date, time) = mark.moment();
    let device = mark.device.as_ref().map_or_else(String::new, |d| format!(", {d}"));
    let made = format!("secchi {}, {}, {}{device}, {date} {time}", mark.tool, mark.engine, mark.kernel);
    d.part("made", "", [Block::remark(sentence!("mark-legend")), Block::remark(made)]).views(MARKDOWN);
    d.parts.retain(|part| !part.blocks.is_empty());
    d
}

/// Adds the tests, and the share of each of several hosts.
fn add_tests(d: &mut Document, mark: &Mark, running: Option<Running>, view: View) {
    let mut blocks = vec![Block::remark(mark.asked("×"))];
    blocks.extend(mark.sum_of().map(Block::remark));
    blocks.extend([Block::Blank, Block::Table(tests(mark, running, view))]);
    d.part("tests", format!("secchi mark {}", mark.place), blocks).aside(mark.storage.clone());
    let shares: Vec<Field> = mark.by_host().into_iter().map(|(what, shares)| Field::new(what, shares)).collect();
    if !shares.is_empty() && running.is_none() {
        let blocks = [Block::Subheading(sentence!("mark-by-host")), Block::Fields(Margin::Fitted, shares)];
        d.part("hosts", "", blocks);
    }
}

/// Returns the best results of the first and the last test.
fn tiles(mark: &Mark) -> Vec<Tile> {
    let cells = mark.ends().into_iter().flat_map(|row| row.cells.iter().map(move |cell| (row.test, cell)));
    let tile = |(test, cell): (MarkTest, &Test)| {
        let label = Sentence::concat([format!("{test} ").into(), direction(cell.direction)]);
        // Invalid figures have no tile: it could not show that they are.
        Some(Tile::new(label, cell.best().filter(|best| !best.struck)?.rate, "page-bandwidth"))
    };
    cells.filter_map(tile).collect()
}

fn direction(direction: MarkDirection) -> Sentence {
    match direction {
        MarkDirection::Read => sentence!("page-read"),
        MarkDirection::Write => sentence!("page-write"),
        MarkDirection::Mix(reads) => Sentence::concat([sentence!("page-mix"), format!(" {reads} %").into()]),
    }
}

fn heading(direction: MarkDirection) -> Message {
    match direction {
        MarkDirection::Read => message!("mark-heading-read"),
        MarkDirection::Write => message!("mark-heading-write"),
        MarkDirection::Mix(reads) => message!("mark-heading-mix", reads, writes = 100 - reads),
    }
}

/// Returns the table of the tests, by direction.
fn tests(mark: &Mark, running: Option<Running>, view: View) -> Table {
    let columns = [
        Column::text("test", "page-test"),
        Column::term("mb_per_s", "MB/s"),
        Column::figure("median_mb_per_s", "head-median").extra(2),
        Column::text("bar", "").extra(8).most(BAR).least(BAR).only(Only::Screen),
        Column::term("iops", "IOPS"),
        Column::figure("mean_ns", "page-mean"),
        Column::term("p99_ns", "p99").extra(1),
        Column::text("loops", "mark-head-loops").extra(9),
    ];
    let mut table = Table::new("tests", columns);
    let now = running.and_then(|r| at(mark, r.stage).map(|place| (place, r)));
    let best = mark.rows.iter().flat_map(|r| &r.cells).filter_map(Test::best);
    let highest = best.map(|best| best.rate.mb()).fold(1.0, f64::max);
    for (i, direction) in mark.directions.iter().enumerate() {
        if i > 0 {
            table.rows.push(Row::Blank);
        }
        table.rows.push(Row::Group(messages::sentence(heading(*direction))));
        for (test, cell) in mark.in_direction(*direction) {
            let here = now.filter(|((t, d, _), _)| (*t, *d) == (test, *direction)).map(|((.., turn), r)| (turn, r));
            // On the screen, the numbers of queues and threads are below each other.
            let name = match view {
                View::Full => format!(" {:<8}Q{}T{}", test.pattern(), test.queues, test.threads),
                _ => test.to_string(),
            };
            table.row([Cell::from(Value::Name(name)).strong()].into_iter().chain(row(cell, highest, here)));
        }
    }
    table
}

/// Returns test, direction and loop number of a stage.
fn at(mark: &Mark, stage: usize) -> Option<(MarkTest, MarkDirection, usize)> {
    let mut before = 0;
    for direction in &mark.directions {
        for (test, cell) in mark.in_direction(*direction) {
            if stage < before + cell.planned {
                return Some((test, *direction, stage - before + 1));
            }
            before += cell.planned;
        }
    }
    None
}

/// Returns the figures of a test; `here` is the current loop and its state while the test runs.
fn row(cell: &Test, highest: f64, here: Option<(usize, Running)>) -> [Cell; 7] {
    let loops = Cell::from(loops_of(cell, here.map(|(turn, _)| turn))).tone(Tone::Measured);
    let Some(best) = cell.best() else {
        let live = here.map(|(_, r)| r);
        let iops = Cell::or_blank(live.and_then(|r| r.iops)).tone(Tone::Measured);
        let rate = Cell::from(live.and_then(|r| r.rate)).tone(Tone::Measured);
        let blank = Cell::default;
        return [rate, blank(), blank(), iops, blank(), blank(), loops];
    };
    // A single loop has no useful median.
    let median = cell.median().filter(|_| cell.planned > 1);
    let rate = Cell::from(best.rate).struck(best.struck);
    let plain = if best.struck { Tone::Dim } else { Tone::Plain };
    [
        if here.is_some() { rate.tone(Tone::Measured) } else { rate.strong() },
        Cell::or_blank(median.map(|m| m.rate)).tone(Tone::Dim).struck(median.is_some_and(|m| m.struck)),
        Value::Bar(log_share(best.rate.mb(), highest)).into(),
        Cell::from(best.iops).tone(plain),
        Cell::or_blank(best.mean).tone(plain),
        Cell::from(best.p99).tone(plain),
        loops,
    ]
}

/// Returns a column for each loop, and the progress.
fn loops_of(cell: &Test, turn: Option<usize>) -> Value {
    let planned = cell.planned;
    let progress = match turn {
        Some(turn) => sentence!("mark-loop-of", turn, planned),
        None if cell.loops.len() < planned && !cell.loops.is_empty() => {
            sentence!("mark-loops-of", done = cell.loops.len(), planned)
        }
        None => Sentence::default(),
    };
    Value::Several(vec![Value::Spark(cell.loops.iter().map(|l| l.rate.per_second()).collect()), progress.into()])
}

/// Returns the doubts about a mark, each with its recommended action.
fn doubts(mark: &Mark, view: View) -> Vec<Block> {
    let text = |sign: Sign, tone, text: Sentence| Block::Text(Text::new(text).tone(tone).sign(sign));
    let mut blocks = Vec::new();
    if mark.state != RunState::Complete {
        blocks.push(text(Sign::DOUBT, Tone::Doubt, mark.verdict()));
    }
    // Loops are short by design, so notes about single loops appear only in the JSON.
    let worth = |d: &&Doubt| d.severity > Severity::Note || view == View::Full && d.places.is_empty();
    for doubt in mark.doubts.iter().filter(worth) {
        let (line, remedy) = (doubt.line(), &doubt.remedy);
        let line = match doubt.severity {
            Severity::Invalid | Severity::Doubt if !remedy.is_empty() => sentence!("mark-try", doubt = line, remedy),
            _ => line,
        };
        let tone = if doubt.severity == Severity::Note { Tone::Dim } else { doubt.severity.into() };
        blocks.push(text(doubt.severity.into(), tone, line));
    }
    if blocks.is_empty() && view == View::Full {
        blocks.push(text(Sign::YES, Tone::Pass, sentence!("trust-none")));
    }
    blocks
}

/// Returns a row for each loop.
fn loops(judgement: &Judgement) -> Table {
    let levels = judgement.patterns.iter().flat_map(|p| p.levels.iter().map(move |l| (p, l)));
    let struck = |l: &LevelFigures, cell: Cell| cell.struck(l.struck.is_some());
    Table::builder("loops", levels)
        .column(Column::text("loop", "page-test"), |(p, _)| Value::name(&p.stage))
        .column(Column::term("iops", "IOPS"), |(_, l)| struck(l, Value::Number(l.iops.value).into()))
        .column(Column::figure("bytes_per_s", "page-bandwidth"), |(_, l)| struck(l, l.bandwidth.into()))
        .columns(columns::times(0, 0, 0), |(_, l)| columns::time_cells(l).map(|cell| struck(l, cell)))
        .build()
}

/// Returns the table of CSV: the best and the median loop of each test and direction, then the rates of all loops. With
/// several hosts, there is one more column.
pub(crate) fn csv(mark: &Mark) -> Table {
    let key = |key| Column::text(key, "");
    let joined = |texts: Vec<String>| Value::Name(texts.join(" "));
    let doubts = |test: MarkTest, direction: MarkDirection| {
        let place = format!("{test} {}", direction.name());
        let doubts = mark.doubts.iter().filter(|d| d.places.is_empty() || d.places.contains(&place));
        joined(doubts.map(|d| d.id.clone()).collect())
    };
    let share = |h: &HostShare| format!("{}={:.3}", h.host, h.rate.mb());
    let table = Table::builder("tests", mark.directions.iter().flat_map(|d| mark.in_direction(*d)))
        .column(key("test"), |(test, _)| Value::name(test))
        .column(key("pattern"), |(test, _)| Value::name(test.kind()))
        .column(key("block_bytes"), |(test, _)| Value::name(Bytes::as_u64(test.block)))
        .column(key("queues"), |(test, _)| Value::name(test.queues))
        .column(key("threads"), |(test, _)| Value::name(test.threads))
        .column(key("direction"), |(_, cell)| Value::name(cell.direction.name()))
        .column(key("read_percent"), |(_, cell)| Value::name(cell.direction.mix().read_percent()))
        .column(key("loops"), |(_, cell)| Value::name(cell.loops.len()))
        .columns(["best_mb_per_s", "best_iops", "best_mean_us", "best_p99_us"].map(key), |(_, c)| loop_cells(c.best()))
        .columns(["median_mb_per_s", "median_iops", "median_mean_us", "median_p99_us"].map(key), |(_, cell)| {
            loop_cells(cell.median())
        })
        .column(key("failed"), |(_, cell)| Value::name(cell.loops.iter().map(|l| l.failed).sum::<u64>()))
        .column(key("doubts"), |(test, cell)| doubts(test, cell.direction))
        .column(key("loops_mb_per_s"), |(_, cell)| {
            joined(cell.loops.iter().map(|l| format!("{:.3}", l.rate.mb())).collect())
        });
    if mark.hosts.is_empty() {
        return table.build();
    }
    // The hosts' column comes last, so that the numbers of the other columns do not change.
    let shares = |cell: &Test| joined(cell.best().iter().flat_map(|b| &b.hosts).map(share).collect());
    table.column(key("hosts_best_mb_per_s"), |(_, cell)| shares(cell)).build()
}

fn loop_cells(one: Option<&Loop>) -> [Cell; 4] {
    let Some(one) = one else { return Default::default() };
    let time = |t: Option<Nanos>| t.map_or_else(String::new, |t| format!("{:.3}", t.micros()));
    let (rate, iops) = (one.rate.mb(), one.iops.per_second());
    [format!("{rate:.3}"), format!("{iops:.1}"), time(one.mean), time(one.p99.value())]
        .map(|text| Value::Name(text).into())
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::Style;
    use crate::formats::mark::testkit::{doubted, marked, record, written, written_in};
    use crate::formats::mark::{Mark, Running, live};
    use crate::widgets::text::width;
    use model::{BytesPerSecond, Iops, Judgement, RunRecord, RunState, judged::RunAnswer};

    const WIDE: Style = Style { color: false, unicode: true, width: 100, language: messages::Language::English };

    pub(crate) fn run() -> (RunRecord, Judgement) {
        let record = record();
        let mut judgement = Judgement { caveats: Vec::new(), ..analysis::judge(&record) };
        (judgement.answer, judgement.verdict) = (RunAnswer::default(), "fast".into());
        judgement.patterns.iter_mut().flat_map(|p| &mut p.levels).for_each(|l| l.struck = None);
        (record, judgement)
    }

    #[test]
    fn the_table_of_a_whole_mark() {
        insta::assert_snapshot!(written_in("table", &marked(), &WIDE));
    }

    #[test]
    fn the_table_in_ascii_and_eighty_columns_with_every_doubt() {
        let style = Style { color: false, unicode: false, width: 80, language: messages::Language::English };
        let text = written_in("table", &doubted(), &style);
        assert!(text.is_ascii(), "{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn the_table_fills_while_it_runs() {
        let mut record = record();
        record.state = RunState::Interrupted;
        record.steps.truncate(7);
        let running = Running { stage: 7, rate: Some(BytesPerSecond(612e6)), iops: Some(Iops(583.6)) };
        let text = live(&Mark::from_record(&record, &[]), Some(running), &WIDE);
        insta::assert_snapshot!(text);
        record.steps.clear();
        let first = Running { stage: 0, ..running };
        insta::assert_snapshot!(live(&Mark::from_record(&record, &[]), Some(first), &WIDE));
        for columns in 40..130 {
            let text = live(&Mark::from_record(&record, &[]), Some(first), &Style { width: columns, ..WIDE });
            assert!(text.lines().all(|l| width(l) <= columns), "{text}");
        }
    }

    #[test]
    fn a_table_for_an_issue() {
        insta::assert_snapshot!(written("markdown", &marked()));
        insta::assert_snapshot!(written("markdown", &doubted()));
    }

    #[test]
    fn every_line_of_csv_has_as_many_fields_as_the_head() {
        let text = written("csv", &marked());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 13);
        let n = lines[0].split(',').count();
        assert!(n == 19 && lines.iter().all(|l| l.split(',').count() == n), "{text}");
        assert!(lines[1].starts_with("SEQ1M Q8T1,SEQ,1048576,8,1,read,100,5,"), "{}", lines[1]);
    }
}

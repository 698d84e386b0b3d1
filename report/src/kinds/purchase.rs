//! Purchase options for a demand: the one to buy, the volumes that carry the demand, those that are large enough but
//! throttle, and the reasons why others are not offered.

use crate::document::{Block, Cell, Column, Document, Head, Sign, Table, Text, Tone, Value};
use crate::widgets::figures::{count, duration, money};
use messages::{Sentence, sentence};
use model::judged::{
    BoughtVolume, MonthlyPrice, NeedRate, Outcome, Purchase, PurchaseLayout, Purchases, RejectedKind, Rejection,
    RoleRoom, RoomSource, ServedDemand, best_purchase,
};
use model::{Nanos, units::thousands};
use std::collections::BTreeSet;

/// Maximum number of entries in a table, if not all are shown.
pub(crate) const SHOWN: usize = 8;

/// Returns the document of the options; `name` names the demand, and `most` is the maximum number of entries in a
/// table.
pub(crate) fn document(name: &str, purchases: &Purchases, most: usize) -> Document {
    let mut d = Document::new("purchase", name);
    let recorded = purchases.needs.is_empty();
    let length = if recorded { duration(purchases.length).into() } else { Sentence::default() };
    let title = Some((sentence!("purchase-title", name), length));
    d.head = Head { title, path: name.to_owned(), ..Head::default() };
    d.part("answer", "", [Block::Text(answer(purchases))]);
    d.part("terms", "", terms(purchases));
    if recorded {
        d.part("roles", "purchase-roles", [Block::Table(roles(&purchases.roles, most))]);
    }
    if let Some(current) = &purchases.current {
        d.part("current", "purchase-current", [options(std::slice::from_ref(current), most)]);
    }
    if let Some(instance) = &purchases.instance {
        let doubt = (!instance.carries).then(|| doubt(sentence!("purchase-instance-holds")));
        let table = options(std::slice::from_ref(instance), most);
        d.part("instance", "purchase-instance", doubt.into_iter().chain([table]));
    }
    layout(&mut d, ["together", "together-throttled"], "purchase-together", &purchases.together, most);
    if let Some(apart) = &purchases.apart {
        layout(&mut d, ["apart", "apart-throttled"], "purchase-apart", apart, most);
    }
    if !purchases.rejected.is_empty() {
        d.part("rejected", "purchase-rejected", [Block::Table(rejected(&purchases.rejected, most))]);
    }
    if purchases.instance.is_none() {
        let table = options(&purchases.instances, most);
        d.part("instances", "purchase-instances", [table]).aside("purchase-instances-aside");
    }
    let credits = recorded.then(|| sentence!("purchase-credits-note"));
    let latency = purchases.latency.map(|latency| sentence!("purchase-latency-note", latency));
    let mut carrying = purchases.together.carrying.iter();
    let local = carrying.any(Purchase::is_local).then(|| sentence!("purchase-local-note"));
    let notes = [sentence!("purchase-headroom-note"), sentence!("purchase-note")];
    let notes = credits.into_iter().chain(latency).chain(local).chain(notes).chain(prices(purchases));
    d.part("notes", "", notes.map(Block::remark));
    d
}

/// Returns the purchase to make, with its price: the cheapest of those that carry the demand.
fn answer(purchases: &Purchases) -> Text {
    let Some(best) = best_purchase(std::iter::once(&purchases.together).chain(&purchases.apart)) else {
        return Text::new(sentence!("purchase-none")).tone(Outcome::Fail.into());
    };
    let row = best.bought.iter().map(|b| b.row.as_str()).collect::<Vec<_>>().join(" + ");
    let price = best.price.zip(best.bought.first().and_then(|b| b.price.as_ref()));
    let buy = match price {
        Some((amount, MonthlyPrice { currency, region, .. })) => {
            let amount = money(amount);
            sentence!("purchase-buy", row, amount, currency, region)
        }
        None => sentence!("purchase-buy-unpriced", row),
    };
    let tightest = best.headroom.as_ref().map(|h| {
        let (factor, limit) = (format!("{:.2}", h.factor), h.limit.as_str());
        match h.factor < 1.0 {
            true => sentence!("purchase-buy-waits", factor, limit),
            false => sentence!("purchase-buy-headroom", factor, limit),
        }
    });
    Text::new(Sentence::join([Some(buy), tightest].into_iter().flatten(), "; ")).tone(Outcome::Pass.into())
}

/// Returns a need in figures: `8k randread: ...: 6,000 IOPS, 49.15 MB/s, 12 in flight`.
fn need(of: &NeedRate) -> Sentence {
    let rate = sentence!("limits-solve-need", need = of.need.as_str(), rate = of.iops, bandwidth = of.bandwidth);
    let depth = of.in_flight.map(|depth| sentence!("limits-solve-depth", depth = thousands(depth)));
    Sentence::join([Some(rate), depth].into_iter().flatten(), "; ")
}

/// Returns the requirements and the doubts about the result.
fn terms(purchases: &Purchases) -> Vec<Block> {
    let percent = format!("{:.0}", purchases.headroom * 100.0);
    if !purchases.needs.is_empty() {
        let mut blocks: Vec<Block> = purchases.needs.iter().map(|n| Block::text(need(n))).collect();
        if purchases.needs.len() > 1 {
            let word = if purchases.simultaneous { "limits-solve-together" } else { "limits-solve-apart" };
            blocks.push(Block::text(messages::sentence(messages::Message::new(word))));
        }
        if purchases.headroom > 0.0 {
            blocks.push(Block::text(sentence!("purchase-need-headroom", percent)));
        }
        return with_doubts(blocks, purchases);
    }
    let requests = count(purchases.roles.iter().map(|r| r.requests).sum());
    let lasting = match purchases.lasting {
        None => sentence!("purchase-without-end"),
        Some(time) => sentence!("purchase-lasting", time = duration(time)),
    };
    let wait = format!("{} s", purchases.wait.secs());
    with_doubts(
        vec![Block::text(sentence!("purchase-asked", requests, percent, wait)), Block::text(lasting)],
        purchases,
    )
}

fn with_doubts(mut blocks: Vec<Block>, purchases: &Purchases) -> Vec<Block> {
    blocks.extend(purchases.doubts.iter().map(|d| doubt(d.line())));
    blocks
}

fn doubt(text: Sentence) -> Block {
    Block::Text(Text::new(text).sign(Sign::DOUBT))
}

fn roles(roles: &[RoleRoom], most: usize) -> Table {
    let source = |role: &RoleRoom| match role.source {
        RoomSource::Said => "purchase-room-said",
        RoomSource::Recorded => "purchase-room-recorded",
        RoomSource::Touched => "purchase-room-touched",
        RoomSource::Unknown => "purchase-room-unknown",
    };
    let mut table = Table::builder("roles", roles.iter().take(most))
        .column(Column::text("role", "page-role").most(18), |role| Cell::name(&role.role))
        .column(Column::figure("requests", "page-requests"), |role| Value::Count(role.requests))
        .column(Column::figure("space_bytes", "purchase-room"), |role| {
            if role.source == RoomSource::Unknown { Value::Unknown } else { role.room.into() }
        })
        .column(Column::text("from", "purchase-room-source").rank(1), |role| Value::word(source(role)))
        .build();
    left_out(&mut table, roles.len(), most);
    table
}

/// Returns a table of the kinds that are not offered, with the reasons.
fn rejected(kinds: &[RejectedKind], most: usize) -> Table {
    let reason = |kind: &RejectedKind| match &kind.reason {
        Rejection::Capacity { largest } => sentence!("purchase-rejected-capacity", largest = *largest),
        Rejection::Cap { headroom } => {
            let percent = format!("{:.1}", headroom.factor * 100.0);
            sentence!("purchase-rejected-cap", percent, limit = headroom.limit.as_str())
        }
        Rejection::Latency { class } => {
            let class = messages::sentence(messages::Message::new(class.message()));
            sentence!("purchase-rejected-latency", class)
        }
        Rejection::Unpublished => sentence!("purchase-rejected-unpublished"),
    };
    let mut table = Table::builder("rejected", kinds.iter().take(most))
        .column(Column::text("kind", "purchase-head-kind").most(30), |kind| Cell::name(&kind.kind))
        .column(Column::text("reason", "purchase-head-reason"), |kind| Value::Text(reason(kind)))
        .build();
    left_out(&mut table, kinds.len(), most);
    table
}

/// Adds the number of entries that are not shown.
fn left_out(table: &mut Table, all: usize, most: usize) {
    if all > most {
        table.remark(sentence!("purchase-more", n = all - most));
    }
}

/// Adds the purchases that carry the demand, and those that throttle it.
fn layout(d: &mut Document, ids: [&'static str; 2], title: &'static str, layout: &PurchaseLayout, most: usize) {
    d.part(ids[0], title, [options(&layout.carrying, most)]).aside("purchase-aside");
    if !layout.holding.is_empty() {
        d.part(ids[1], "purchase-holding", [options(&layout.holding, most)]);
    }
}

/// Number of columns of a volume.
const COLUMNS: usize = 14;

/// Returns the columns of a volume. Those about waiting have values only if requests waited.
fn columns() -> [Column; COLUMNS] {
    [
        Column::text("buy", "purchase-head-buy").most(52),
        Column::text("role", "page-role").most(14),
        Column::figure("monthly", "purchase-head-price"),
        Column::figure("headroom", "limits-head-headroom"),
        Column::text("tightest", "limits-head-tightest").rank(7).most(30),
        Column::text("latency", "purchase-head-latency").rank(3),
        Column::figure("waiting_ns", "purchase-head-waiting"),
        Column::figure("delayed", "purchase-head-delayed").rank(2),
        Column::figure("longest_wait_ns", "purchase-head-longest"),
        Column::figure("first_wait_ns", "purchase-head-first").rank(4),
        Column::figure("empty_ns", "purchase-head-empty").rank(5),
        Column::figure("credits", "purchase-head-credits").rank(6),
        Column::figure("lasts_ns", "purchase-head-lasts").rank(1),
        Column::text("limited_by", "purchase-head-binds").rank(3).most(30),
    ]
}

/// Returns a table of purchases with a row for each volume, or that there are none.
fn options(purchases: &[Purchase], most: usize) -> Block {
    if purchases.is_empty() {
        return Block::Text(Text::new(sentence!("purchase-none")).tone(Tone::Doubt));
    }
    let mut table = Table::new("purchases", columns());
    for purchase in purchases.iter().take(most) {
        for cells in volumes(purchase) {
            table.row(cells);
        }
        if let (Some(price), [_, _, ..]) = (purchase.price, purchase.bought.as_slice()) {
            let price = Cell::from(Value::Money(price)).sign(Sign::TOTAL);
            table.row(cells([Cell::default(), Cell::default(), price, Cell::default()], None));
        }
    }
    left_out(&mut table, purchases.len(), most);
    Block::Table(table)
}

/// Returns the cells of each volume of a purchase; the first also has the result.
fn volumes(purchase: &Purchase) -> impl Iterator<Item = [Cell; COLUMNS]> {
    purchase.bought.iter().enumerate().map(|(at, BoughtVolume { row, roles, price, latency, .. })| {
        let price = Value::or_blank(price.as_ref().map(|p| Value::Money(p.amount)));
        let latency = Cell::or_blank(latency.map(|class| Value::word(class.message())));
        let bought = [Cell::name(row), Value::Name(roles.join(", ")).into(), price.into(), latency];
        cells(bought, (at == 0).then_some(purchase))
    })
}

fn cells([row, roles, price, latency]: [Cell; 4], purchase: Option<&Purchase>) -> [Cell; COLUMNS] {
    let (served, headroom) = (purchase.map(|p| &p.served), purchase.and_then(|p| p.headroom.as_ref()));
    let time = |time: Option<Nanos>| Cell::or_blank(time.map(Value::Seconds));
    let waited = |of: fn(&ServedDemand) -> Nanos| time(served.map(of).filter(|t| !t.is_zero()));
    let credits = || served.into_iter().flat_map(|s| &s.credits);
    let lowest = credits().map(|c| c.lowest).min_by(f64::total_cmp);
    let delayed = served.map(|s| s.delayed).filter(|n| *n > 0);
    [
        row,
        roles,
        price,
        Cell::or_blank(headroom.map(|h| Value::Fixed(h.factor, 2))),
        Cell::or_blank(headroom.map(|h| Value::name(&h.limit))),
        latency,
        waited(|s| s.waiting),
        Cell::or_blank(delayed.map(Value::Count)),
        waited(|s| s.longest_wait),
        time(served.and_then(|s| s.first_wait)),
        time(credits().filter_map(|c| c.empty).min()),
        Cell::or_blank(lowest.map(Value::Share)),
        time(served.and_then(|s| s.lasts)),
        Cell::or_blank(served.and_then(|s| s.binds.as_ref()).map(Value::name)),
    ]
}

/// Returns the currency, region and dates of the prices shown.
fn prices(purchases: &Purchases) -> Option<Sentence> {
    let layouts = [Some(&purchases.together), purchases.apart.as_ref()];
    let named = &purchases.current;
    let purchases = layouts.into_iter().flatten().flat_map(|l| l.carrying.iter().chain(&l.holding)).chain(named);
    let prices: Vec<&MonthlyPrice> = purchases.flat_map(|p| &p.bought).filter_map(|b| b.price.as_ref()).collect();
    let each = |of: fn(&MonthlyPrice) -> &str| prices.iter().map(|p| of(p)).collect::<BTreeSet<_>>();
    let joined = |texts: BTreeSet<&str>| texts.into_iter().collect::<Vec<_>>().join(", ");
    let dates: BTreeSet<&str> = each(|p| &p.date).into_iter().filter(|date| !date.is_empty()).collect();
    let (from, to) = (dates.first()?.to_string(), dates.last()?.to_string());
    let (currency, region) = (joined(each(|p| &p.currency)), joined(each(|p| &p.region)));
    let dates = if from == to { from.to_owned() } else { format!("{from} – {to}") };
    Some(sentence!("purchase-prices", currency, region, dates))
}

/// Returns a row for each volume of every purchase, for CSV.
pub(crate) fn csv(purchases: &Purchases) -> Table {
    let first = ["layout", "option"].map(|key| Column::text(key, ""));
    let mut table = Table::new("purchases", first.into_iter().chain(columns()));
    let apart = purchases.apart.iter().flat_map(|l| [("apart", &l.carrying), ("apart-throttled", &l.holding)]);
    let Purchases { together, instances, instance, current, .. } = purchases;
    let layouts =
        [("together", &together.carrying), ("together-throttled", &together.holding)].into_iter().chain(apart);
    let current = current.iter().map(|purchase| ("current", purchase));
    let instances = instance.iter().chain(instances).map(|purchase| ("instance", purchase)).chain(current);
    let options =
        layouts.flat_map(|(layout, list)| list.iter().map(move |purchase| (layout, purchase))).chain(instances);
    for (at, (layout, purchase)) in options.enumerate() {
        let first = [Cell::from(Value::name(layout)), Value::Setting(at as u64 + 1).into()];
        for cells in volumes(purchase) {
            table.row(first.clone().into_iter().chain(cells));
        }
    }
    table
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::fixture::text;
    use crate::widgets::text::width;
    use crate::{Style, Subject};
    use messages::Language;
    use model::Bytes;
    use model::judged::{CreditUse, Headroom, LatencyClass};

    fn bought(row: &str, role: &str, amount: f64) -> BoughtVolume {
        let price = MonthlyPrice {
            amount,
            currency: "USD".into(),
            region: "us-east-1".into(),
            date: "2020-12-01".into(),
            ..MonthlyPrice::default()
        };
        let roles = if role.is_empty() { Vec::new() } else { vec![role.to_owned()] };
        BoughtVolume {
            roles,
            row: row.into(),
            price: Some(price),
            latency: Some(LatencyClass::SingleDigitMs),
            source: "s".into(),
            date: "2026-11-20".into(),
        }
    }

    pub(crate) fn purchases() -> Purchases {
        let credits =
            CreditUse { limit: "gp2 volume IOPS".into(), lowest: 0.25, end: 0.5, empty: Some(Nanos::from_secs(2000)) };
        let held = ServedDemand {
            requests: 1_234_567,
            delayed: 40_400,
            waiting: Nanos::from_secs(15),
            longest_wait: Nanos::from_secs(5),
            first_wait: Some(Nanos(0)),
            left: 7,
            binds: Some("gp2 volume IOPS".into()),
            credits: vec![credits],
            lasts: Some(Nanos::from_secs(2000)),
        };
        let headroom = |factor, limit: &str| Some(Headroom { factor, limit: limit.into() });
        let spare = headroom(1.3, "gp3 volume IOPS");
        let carries = |bought: Vec<BoughtVolume>| Purchase::new(bought, ServedDemand::default(), true, spare.clone());
        let gp3 = bought("aws/gp3:size=110GiB,iops=4300,mbps=125", "", 15.3);
        let holding = Purchase::new(
            vec![bought("aws/gp2:size=110GiB", "", 11.0)],
            held,
            false,
            headroom(0.08, "gp2 volume IOPS"),
        );
        let each = ["data", "journal"].map(|role| bought("aws/gp3:size=100GiB,iops=4000,mbps=125", role, 1013.0));
        let role =
            |role: &str, source| RoleRoom { role: role.into(), requests: 50_000, room: Bytes::from_gib(100), source };
        Purchases {
            length: Nanos::from_secs(3600),
            headroom: 0.3,
            credits: 1.0,
            roles: vec![role("data", RoomSource::Recorded), role("journal", RoomSource::Touched)],
            room: Bytes::from_gib(110),
            together: PurchaseLayout { carrying: vec![carries(vec![gp3])], holding: vec![holding.clone()] },
            apart: Some(PurchaseLayout { carrying: vec![carries(each.into())], holding: Vec::new() }),
            rejected: vec![
                RejectedKind {
                    kind: "aws/st1".into(),
                    reason: Rejection::Cap { headroom: Headroom { factor: 0.1, limit: "st1 volume IOPS".into() } },
                },
                RejectedKind { kind: "aws/io2".into(), reason: Rejection::Capacity { largest: Bytes::from_gib(64) } },
            ],
            instance: Some(holding),
            ..Purchases::default()
        }
    }

    fn screen(columns: usize, language: Language) -> String {
        written("terminal", &Style { color: false, unicode: true, width: columns, language })
    }

    fn written(format: &str, style: &Style) -> String {
        let subject = Subject::Purchases { name: "db.sqio", purchases: &purchases(), is_whole: false };
        text(|out| crate::format(format).expect("it is registered").write(subject, style, out))
    }

    #[test]
    fn a_screen_has_what_carries_what_holds_and_what_it_costs() {
        insta::assert_snapshot!(screen(132, Language::English));
    }

    #[test]
    fn it_fits_in_every_language() {
        for language in [Language::English, Language::Japanese, Language::Chinese, Language::Russian] {
            for columns in [40, 80, 120] {
                let text = screen(columns, language);
                assert!(text.lines().all(|l| width(l) <= columns), "{columns}:\n{text}");
            }
        }
    }

    #[test]
    fn the_document_has_every_figure() {
        let out = written("json", &Style::default());
        let document: serde_json::Value = serde_json::from_str(&out).expect("a document");
        let held = &document["together"]["holding"][0];
        assert_eq!((held["delayed"].as_u64(), held["left"].as_u64()), (Some(40_400), Some(7)));
        assert_eq!(held["credits"][0]["empty"], 2_000_000_000_000_u64);
        assert_eq!(document["apart"]["carrying"][0]["price"], 2026.0);
        assert_eq!(document["roles"][1]["room_by"], "touched");
    }

    #[test]
    fn every_format_has_the_volumes_and_their_prices() {
        for format in ["markdown", "html", "csv"].iter().filter(|f| cfg!(feature = "html") || **f != "html") {
            let text = written(format, &Style::default());
            for part in ["aws/gp3:size=100GiB,iops=4000,mbps=125", "gp2 volume IOPS", "15.3"] {
                assert!(text.replace('\\', "").contains(part), "{format} lacks {part}:\n{text}");
            }
        }
        let csv = written("csv", &Style::default());
        assert!(csv.lines().count() == 6 && csv.contains("together-throttled,2,"), "{csv}");
    }
}

//! Purchase options for a recorded demand, as a screen and as a JSON document.

use crate::Style;
use crate::widgets::figures::{count, duration, percent};
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Row, Table};
use crate::widgets::text::{Hue, Line, Paint};
use messages::message;
use model::{
    BoughtVolume, MonthlyPrice, Nanos, Purchase, PurchaseLayout, Purchases, RoleRoom, RoomSource, ServedDemand,
};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Maximum number of purchases shown in a table by default.
const SHOWN: usize = 12;

/// Writes the purchase options; `name` is the name of the recording. `all` lists every option.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_purchases(
    name: &str,
    purchases: &Purchases,
    all: bool,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = &mut Page::new(style, out);
    let ink = page.ink;
    let most = if all { usize::MAX } else { SHOWN };
    page.heading(&ink.format(&message!("purchase-title", name)), &duration(purchases.length))?;
    terms(page, purchases)?;
    page.blank()?;
    page.heading(ink.word("purchase-roles"), "")?;
    roles(page, &purchases.roles, most)?;
    if let Some(instance) = &purchases.instance {
        page.blank()?;
        page.heading(ink.word("purchase-instance"), "")?;
        if !instance.carries {
            let holds = ink.word("purchase-instance-holds").to_owned();
            page.hanging(Line::plain(" ! "), 3, &holds, Paint::PLAIN)?;
        }
        table(page, std::slice::from_ref(instance), most)?;
    }
    layout(page, ink.word("purchase-together"), &purchases.together, most)?;
    if let Some(apart) = &purchases.apart {
        layout(page, ink.word("purchase-apart"), apart, most)?;
    }
    if purchases.instance.is_none() {
        page.blank()?;
        page.heading(ink.word("purchase-instances"), ink.word("purchase-instances-aside"))?;
        table(page, &purchases.instances, most)?;
    }
    page.blank()?;
    let mut notes = vec![ink.word("purchase-credits-note").to_owned(), ink.word("purchase-note").to_owned()];
    notes.extend(prices(purchases).map(|text| ink.format(&text)));
    notes.iter().try_for_each(|note| page.hanging(Line::plain(" "), 1, note, Paint::DIM))
}

fn terms(page: &mut Page, purchases: &Purchases) -> io::Result<()> {
    let ink = page.ink;
    let requests = count(purchases.roles.iter().map(|r| r.requests).sum());
    let percent = format!("{:.0}", purchases.headroom * 100.0);
    let asked = message!("purchase-asked", requests, percent, wait = format!("{} s", purchases.wait.secs()));
    page.hanging(Line::plain(" "), 1, &ink.format(&asked), Paint::PLAIN)?;
    let lasting = match purchases.lasting {
        None => ink.word("purchase-without-end").to_owned(),
        Some(time) => ink.format(&message!("purchase-lasting", time = duration(time))),
    };
    page.hanging(Line::plain(" "), 1, &lasting, Paint::PLAIN)?;
    for doubt in &purchases.doubts {
        let text = format!("{}: {}", ink.translate(&doubt.statement), ink.translate(&doubt.evidence));
        page.hanging(Line::plain(" ! "), 3, &text, Paint::PLAIN)?;
    }
    Ok(())
}

fn roles(page: &mut Page, roles: &[RoleRoom], most: usize) -> io::Result<()> {
    let ink = page.ink;
    let columns = vec![
        Column::left(ink.word("page-role")),
        Column::right(ink.word("page-requests")),
        Column::right(ink.word("purchase-room")),
        Column::left(ink.word("purchase-room-source")).droppable(1),
    ];
    let mut table = Table::new(columns, 1);
    for role in roles.iter().take(most) {
        let source = match role.source {
            RoomSource::Said => "purchase-room-said",
            RoomSource::Recorded => "purchase-room-recorded",
            RoomSource::Touched => "purchase-room-touched",
        };
        table.row(vec![
            Line::new().with(ink.clipped(&role.role, 18), Paint::BOLD),
            Line::plain(count(role.requests)),
            Line::plain(role.room.to_string()),
            Line::plain(ink.word(source)),
        ]);
    }
    more(page, &mut table, roles.len(), most);
    table.write(page)
}

/// Adds a line with the number of entries that are not shown.
fn more(page: &Page, table: &mut Table, all: usize, most: usize) {
    if all > most {
        let text = page.ink.format(&message!("purchase-more", n = all - most));
        table.rows.push(Row::Across(Line::new().with(text, Paint::DIM)));
    }
}

fn layout(page: &mut Page, title: &str, layout: &PurchaseLayout, most: usize) -> io::Result<()> {
    let ink = page.ink;
    page.blank()?;
    page.heading(title, ink.word("purchase-aside"))?;
    table(page, &layout.carrying, most)?;
    if layout.holding.is_empty() {
        return Ok(());
    }
    page.blank()?;
    page.heading(ink.word("purchase-holding"), "")?;
    table(page, &layout.holding, most)
}

/// Writes a table of purchases, with a line for each volume. Columns about waiting are filled only if requests waited.
fn table(page: &mut Page, purchases: &[Purchase], most: usize) -> io::Result<()> {
    let ink = page.ink;
    if purchases.is_empty() {
        let none = ink.word("purchase-none").to_owned();
        return page.hanging(Line::plain(" "), 1, &none, Paint::new(Hue::Doubt));
    }
    let mut table = Table::new(
        vec![
            Column::left(ink.word("purchase-head-buy")),
            Column::left(ink.word("page-role")),
            Column::right(ink.word("purchase-head-price")),
            Column::right(ink.word("purchase-head-waiting")),
            Column::right(ink.word("purchase-head-delayed")).droppable(2),
            Column::right(ink.word("purchase-head-longest")),
            Column::right(ink.word("purchase-head-first")).droppable(4),
            Column::right(ink.word("purchase-head-empty")).droppable(5),
            Column::right(ink.word("purchase-head-credits")).droppable(6),
            Column::right(ink.word("purchase-head-lasts")).droppable(1),
            Column::left(ink.word("purchase-head-binds")).droppable(3),
        ],
        1,
    );
    for purchase in purchases.iter().take(most) {
        let several = purchase.bought.len() > 1;
        for (at, bought) in purchase.bought.iter().enumerate() {
            let price = if several { bought.price.as_ref().map(|p| p.amount) } else { purchase.price() };
            let mut cells = bought_cells(page, bought, price);
            cells.extend(served_cells(page, (at == 0).then_some(&purchase.served)));
            table.row(cells);
        }
        if let Some(price) = purchase.price().filter(|_| several) {
            let mut cells = vec![Line::new(), Line::new(), Line::plain(format!("= {}", money(price)))];
            cells.extend(served_cells(page, None));
            table.row(cells);
        }
    }
    more(page, &mut table, purchases.len(), most);
    table.write(page)
}

fn bought_cells(page: &Page, bought: &BoughtVolume, price: Option<f64>) -> Vec<Line> {
    let ink = page.ink;
    vec![
        Line::new().with(ink.clipped(&bought.row, 52), Paint::BOLD),
        Line::plain(ink.clipped(&bought.roles.join(", "), 14)),
        price.map_or_else(Line::new, |amount| Line::plain(money(amount))),
    ]
}

fn served_cells(page: &Page, served: Option<&ServedDemand>) -> Vec<Line> {
    let none = ServedDemand::default();
    let (ink, served) = (page.ink, served.unwrap_or(&none));
    let time = |time: Option<Nanos>| time.map_or_else(Line::new, |t| Line::plain(whole_seconds(t)));
    let waited = |time: Nanos| Some(time).filter(|t| !t.is_zero());
    let least = served.credits.iter().map(|c| c.lowest).min_by(f64::total_cmp);
    vec![
        time(waited(served.waiting)),
        if served.delayed > 0 { Line::plain(count(served.delayed)) } else { Line::new() },
        time(waited(served.longest_wait)),
        time(served.first_wait),
        time(served.credits.iter().filter_map(|c| c.empty).min()),
        least.map_or_else(Line::new, |share| Line::plain(percent(share))),
        time(served.lasts),
        served.binds.as_ref().map_or_else(Line::new, |name| Line::plain(ink.clipped(name, 30))),
    ]
}

/// Formats a time in whole seconds, because the model is not more precise.
fn whole_seconds(time: Nanos) -> String {
    if time < Nanos::from_secs(600) { format!("{:.0} s", time.secs()) } else { duration(time) }
}

/// Formats an amount as `1,234.50`.
fn money(amount: f64) -> String {
    let cents = (amount * 100.0).round() as u64;
    format!("{}.{:02}", count(cents / 100), cents % 100)
}

/// Returns the currency, region and dates of the prices shown.
fn prices(purchases: &Purchases) -> Option<messages::Message> {
    let layouts = [Some(&purchases.together), purchases.apart.as_ref()];
    let purchases = layouts.into_iter().flatten().flat_map(|l| l.carrying.iter().chain(&l.holding));
    let prices: Vec<&MonthlyPrice> = purchases.flat_map(|p| &p.bought).filter_map(|b| b.price.as_ref()).collect();
    let each = |of: fn(&MonthlyPrice) -> &str| {
        let mut currencies: Vec<&str> = prices.iter().map(|p| of(p)).collect();
        currencies.sort_unstable();
        currencies.dedup();
        currencies
    };
    let dates = each(|p| &p.date);
    let (from, to) = (dates.first()?.to_string(), dates.last()?.to_string());
    let (currency, region) = (each(|p| &p.currency).join(", "), each(|p| &p.region).join(", "));
    Some(message!("purchase-prices", currency, region, from, to))
}

/// Writes the purchase options as one JSON document: times in nanoseconds, sizes in bytes, shares from 0 to 1.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_purchases_json(name: &str, purchases: &Purchases, out: &mut dyn Write) -> io::Result<()> {
    let roles = purchases.roles.iter().map(|r| {
        let source = match r.source {
            RoomSource::Said => "said",
            RoomSource::Recorded => "recorded",
            RoomSource::Touched => "touched",
        };
        json!({"role": r.role, "requests": r.requests, "room": r.room.as_u64(), "room_by": source})
    });
    let purchases_json = |list: &[Purchase]| list.iter().map(purchase_json).collect::<Vec<_>>();
    let layout = |layout: &PurchaseLayout| json!({"carrying": purchases_json(&layout.carrying), "holding": purchases_json(&layout.holding)});
    let document = json!({
        "recording": name,
        "length": purchases.length.as_nanos(),
        "headroom": purchases.headroom,
        "wait": purchases.wait.as_nanos(),
        "lasting": purchases.lasting.map(Nanos::as_nanos),
        "credits": purchases.credits,
        "room": purchases.room.as_u64(),
        "roles": roles.collect::<Vec<_>>(),
        "instance": purchases.instance.as_ref().map(purchase_json),
        "together": layout(&purchases.together),
        "apart": purchases.apart.as_ref().map(layout),
        "instances": purchases_json(&purchases.instances),
        "doubts": purchases.doubts,
    });
    serde_json::to_writer_pretty(&mut *out, &document).map_err(io::Error::other)?;
    out.write_all(b"\n")
}

fn purchase_json(purchase: &Purchase) -> Value {
    let bought = purchase.bought.iter().map(|b| {
        let price = b.price.as_ref().map(|p| {
            json!({"amount": p.amount, "currency": p.currency, "region": p.region, "source": p.source, "date": p.date})
        });
        json!({"row": b.row, "roles": b.roles, "price": price, "source": b.source, "date": b.date})
    });
    let served = &purchase.served;
    let time = |time: Option<Nanos>| time.map(Nanos::as_nanos);
    let credits = served
        .credits
        .iter()
        .map(|c| json!({"limit": c.limit, "lowest": c.lowest, "end": c.end, "empty": time(c.empty)}));
    json!({
        "bought": bought.collect::<Vec<_>>(),
        "price": purchase.price(),
        "carries": purchase.carries,
        "requests": served.requests,
        "delayed": served.delayed,
        "waiting": served.waiting.as_nanos(),
        "longest_wait": served.longest_wait.as_nanos(),
        "first_wait": time(served.first_wait),
        "left": served.left,
        "binds": served.binds,
        "credits": credits.collect::<Vec<_>>(),
        "lasts": time(served.lasts),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::text::width;
    use messages::Language;
    use model::{Bytes, CreditUse};

    fn bought(row: &str, role: &str, amount: f64) -> BoughtVolume {
        let price = MonthlyPrice {
            amount,
            currency: "USD".into(),
            region: "us-east-1".into(),
            date: "2020-12-01".into(),
            ..MonthlyPrice::default()
        };
        let roles = if role.is_empty() { Vec::new() } else { vec![role.to_owned()] };
        BoughtVolume { roles, row: row.into(), price: Some(price), source: "s".into(), date: "2026-11-20".into() }
    }

    fn purchases() -> Purchases {
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
        let carries = |bought: Vec<BoughtVolume>| Purchase { bought, carries: true, ..Purchase::default() };
        let gp3 = bought("aws/gp3:size=110GiB,iops=4300,mbps=125", "", 15.3);
        let holding = Purchase { bought: vec![bought("aws/gp2:size=110GiB", "", 11.0)], served: held, carries: false };
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
            instance: Some(holding),
            ..Purchases::default()
        }
    }

    fn screen(columns: usize, language: Language) -> String {
        let style = Style { color: false, unicode: true, width: columns, language };
        let mut out = Vec::new();
        write_purchases("db.sqio", &purchases(), false, &style, &mut out).expect("a vector takes every byte");
        String::from_utf8(out).expect("text")
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
        let mut out = Vec::new();
        write_purchases_json("db.sqio", &purchases(), &mut out).expect("a vector takes every byte");
        let document: Value = serde_json::from_slice(&out).expect("a document");
        let held = &document["together"]["holding"][0];
        assert_eq!((held["delayed"].as_u64(), held["left"].as_u64()), (Some(40_400), Some(7)));
        assert_eq!(held["credits"][0]["empty"], 2_000_000_000_000_u64);
        assert_eq!(document["apart"]["carrying"][0]["price"], 2026.0);
        assert_eq!(document["roles"][1]["room_by"], "touched");
    }
}

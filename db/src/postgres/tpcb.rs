//! The TPC-B workload as pgbench runs it (`tpcb-like`): four tables and a transaction of three updates, a SELECT and an
//! INSERT, with the same statements, types and sizes. Statements are prepared and take one round trip each.

use super::link::{Link, error_text, io_error};
use super::{failed, failed_to};
use crate::DbError;
use load::random::Random;
use load::session::{Batch, BatchResult, Session};
use postgres::{Client, Statement};
use std::io;
use std::time::Instant;

/// Number of tellers for each unit of the scale.
const TELLERS: i64 = 10;
/// Number of accounts for each unit of the scale.
const ACCOUNTS: i64 = 100_000;
/// Maximum absolute change of a balance.
const MOST: u64 = 5000;

/// Sums of the balances, the number of history rows, and the sum of the changes in these rows.
struct Sums {
    branches: i64,
    tellers: i64,
    accounts: i64,
    rows: i64,
    deltas: i64,
}

/// Creates the tables for this scale if they are missing, empties the history and vacuums the small tables, as pgbench
/// does before a run. Returns the sum of all branches' balances.
pub fn prepare(client: &mut Client, link: &Link, scale: u32) -> Result<i64, DbError> {
    let s = &link.schema;
    let exists = client
        .query_one("SELECT to_regclass($1) IS NOT NULL", &[&link.table("tpcb_history")])
        .map_err(failed_to("look for the TPC-B tables"))?
        .get::<_, bool>(0);
    let rows = |client: &mut Client| -> Result<i64, postgres::Error> {
        Ok(client.query_one(&format!("SELECT count(*) FROM {s}.tpcb_branches"), &[])?.get(0))
    };
    // The history is created last: if it exists, all tables are complete.
    if !exists || rows(client).map_err(failed_to("count branches"))? != i64::from(scale) {
        let (scale, tellers, accounts) = (i64::from(scale), i64::from(scale) * TELLERS, i64::from(scale) * ACCOUNTS);
        let sql = format!(
            "BEGIN; DROP TABLE IF EXISTS {s}.tpcb_branches, {s}.tpcb_tellers, {s}.tpcb_accounts, {s}.tpcb_history; \
             CREATE TABLE {s}.tpcb_branches (bid int NOT NULL, bbalance int, filler char(88)); \
             CREATE TABLE {s}.tpcb_tellers (tid int NOT NULL, bid int, tbalance int, filler char(84)); \
             CREATE TABLE {s}.tpcb_accounts (aid int NOT NULL, bid int, abalance int, filler char(84)); \
             INSERT INTO {s}.tpcb_branches SELECT i, 0, '' FROM generate_series(1, {scale}) i; \
             INSERT INTO {s}.tpcb_tellers SELECT i, (i - 1) / {TELLERS} + 1, 0, '' FROM generate_series(1, {tellers}) i; \
             INSERT INTO {s}.tpcb_accounts SELECT i, (i - 1) / {ACCOUNTS} + 1, 0, '' FROM generate_series(1, {accounts}) i; \
             ALTER TABLE {s}.tpcb_branches ADD PRIMARY KEY (bid); \
             ALTER TABLE {s}.tpcb_tellers ADD PRIMARY KEY (tid); \
             ALTER TABLE {s}.tpcb_accounts ADD PRIMARY KEY (aid); \
             CREATE TABLE {s}.tpcb_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22)); COMMIT"
        );
        client.batch_execute(&sql).map_err(failed_to("create the TPC-B tables"))?;
        client
            .batch_execute(&format!("VACUUM ANALYZE {s}.tpcb_accounts"))
            .map_err(failed_to("vacuum the TPC-B tables"))?;
    }
    client
        .batch_execute(&format!("TRUNCATE {s}.tpcb_history"))
        .and_then(|()| client.batch_execute(&format!("VACUUM ANALYZE {s}.tpcb_branches")))
        .and_then(|()| client.batch_execute(&format!("VACUUM ANALYZE {s}.tpcb_tellers")))
        .map_err(failed_to("vacuum the TPC-B tables"))?;
    Ok(sums(client, link)?.branches)
}

fn sums(client: &mut Client, link: &Link) -> Result<Sums, DbError> {
    let s = &link.schema;
    let sql = format!(
        "SELECT (SELECT coalesce(sum(bbalance), 0) FROM {s}.tpcb_branches)::bigint, \
         (SELECT coalesce(sum(tbalance), 0) FROM {s}.tpcb_tellers)::bigint, \
         (SELECT coalesce(sum(abalance), 0) FROM {s}.tpcb_accounts)::bigint, \
         (SELECT count(*) FROM {s}.tpcb_history), (SELECT coalesce(sum(delta), 0) FROM {s}.tpcb_history)::bigint"
    );
    let row = client.query_one(&sql, &[]).map_err(failed_to("add up the TPC-B balances"))?;
    let [branches, tellers, accounts, rows, deltas] = std::array::from_fn(|column| row.get(column));
    Ok(Sums { branches, tellers, accounts, rows, deltas })
}

/// Checks TPC-B's consistency condition: balances of branches, tellers and accounts have the same sum, and the history
/// contains every change since `before`.
pub fn check(client: &mut Client, link: &Link, before: i64) -> Result<String, DbError> {
    let Sums { branches, tellers, accounts, rows, deltas } = sums(client, link)?;
    if branches == tellers && tellers == accounts && branches - before == deltas {
        return Ok(format!("TPC-B: {rows} rows of history; the balances of branches, tellers and accounts match them"));
    }
    let reason = format!(
        "branches have {branches} (before {before}), tellers {tellers}, accounts {accounts}, the history {deltas} in {rows} rows"
    );
    Err(failed("keep TPC-B's balances consistent", reason))
}

/// A client that works like a pgbench client.
pub struct TpcbSession {
    client: Client,
    statements: [Statement; 5],
    random: Random,
    scale: u64,
}

impl TpcbSession {
    /// Opens the client on its own connection, with the server's default planner settings.
    pub fn open(mut client: Client, link: &Link, scale: u32, seed: u64, worker: u32) -> Result<TpcbSession, String> {
        let s = &link.schema;
        let to_error = |e: postgres::Error| format!("postgres cannot prepare TPC-B's statements: {}", error_text(&e));
        client
            .batch_execute(
                "SET enable_seqscan = on; SET enable_bitmapscan = on; SET enable_sort = on; SET plan_cache_mode = auto",
            )
            .map_err(to_error)?;
        let texts = [
            format!("UPDATE {s}.tpcb_accounts SET abalance = abalance + $1 WHERE aid = $2"),
            format!("SELECT abalance FROM {s}.tpcb_accounts WHERE aid = $1"),
            format!("UPDATE {s}.tpcb_tellers SET tbalance = tbalance + $1 WHERE tid = $2"),
            format!("UPDATE {s}.tpcb_branches SET bbalance = bbalance + $1 WHERE bid = $2"),
            format!(
                "INSERT INTO {s}.tpcb_history (tid, bid, aid, delta, mtime) VALUES ($1, $2, $3, $4, CURRENT_TIMESTAMP)"
            ),
        ];
        let statements = texts.iter().map(|text| client.prepare(text)).collect::<Result<Vec<_>, _>>();
        let statements = statements.map_err(to_error)?.try_into().map_err(|_| "five statements".to_owned())?;
        let random = Random::new(seed ^ (u64::from(worker) << 40) ^ 0x7C9B);
        Ok(TpcbSession { client, statements, random, scale: u64::from(scale) })
    }

    fn transaction(&mut self, result: &mut BatchResult) -> Result<(), postgres::Error> {
        let mut drawn = |n: i64| self.random.below(self.scale * n as u64) as i32 + 1;
        let (aid, bid, tid) = (drawn(ACCOUNTS), drawn(1), drawn(TELLERS));
        let delta = self.random.below(2 * MOST + 1) as i32 - MOST as i32;
        let [account, balance, teller, branch, history] = &self.statements;
        let client = &mut self.client;
        client.batch_execute("BEGIN")?;
        let mut before = Instant::now();
        // The time of the SELECT is recorded only as part of the transaction. The updates are also recorded
        // individually.
        let mut took = |result: &mut BatchResult, recorded: bool| {
            let now = Instant::now();
            if recorded {
                result.each.push((now - before).as_nanos() as u64);
            }
            before = now;
        };
        client.execute(account, &[&delta, &aid])?;
        took(result, true);
        client.query_one(balance, &[&aid])?;
        took(result, false);
        client.execute(teller, &[&delta, &tid])?;
        took(result, true);
        client.execute(branch, &[&delta, &bid])?;
        took(result, true);
        client.execute(history, &[&tid, &bid, &aid, &delta])?;
        took(result, true);
        let before = Instant::now();
        client.batch_execute("COMMIT")?;
        result.commits.push(before.elapsed().as_nanos() as u64);
        Ok(())
    }
}

impl Session for TpcbSession {
    fn perform(&mut self, _batch: &Batch<'_>, result: &mut BatchResult) -> io::Result<()> {
        self.transaction(result).map_err(|e| {
            // If this fails, too, the connection is closed, and the server rolls back by itself.
            let _ = self.client.batch_execute("ROLLBACK");
            io_error("run a TPC-B transaction", &e)
        })
    }
}

//! Measurements of listing, filtering, pushing and connecting, for bench/journal. Run them alone, with `--ignored
//! --nocapture figures`.

use crate::child::open;
use crate::labels::digest;
use crate::team;
use model::RunRecord;
use std::time::{Duration, Instant};
use store::fixture::{self, id};
use store::{Filter, Now, RunListCache, Store, TeamAccess, TeamView};
use testkit::postgres::{Database, OTHER_PASSWORD, PASSWORD, find_programs};

/// Returns the median duration of `times` calls.
fn median(times: usize, mut what: impl FnMut()) -> Duration {
    let mut took: Vec<Duration> = (0..times)
        .map(|_| {
            let since = Instant::now();
            what();
            since.elapsed()
        })
        .collect();
    took.sort_unstable();
    took[times / 2]
}

fn write(store: &Store, seed: u64, seconds: u64) -> Duration {
    let events = fixture::run(seed, seconds);
    let mut writer = store.create_run(&events[0]).expect("begins");
    events[1..].iter().for_each(|e| writer.append(e).expect("appends"));
    let digest = digest(&RunRecord::from_events(events).expect("one run"));
    let since = Instant::now();
    assert_eq!(writer.finish(digest).expect("finishes").waits, None);
    since.elapsed()
}

fn print_figures(who: &str, runs: u64, store: &Store, look: &mut dyn FnMut() -> usize) {
    let filter = Filter::parse("target~/mnt and bs=8k and iops>1k", Now { instant: 0, offset: 0 }).expect("a filter");
    let none = Filter::parse("bs=1m", Now { instant: 0, offset: 0 }).expect("a filter");
    let list = median(9, || assert_eq!(store.list().expect("lists").runs.len() as u64, runs));
    let matching = median(9, || assert_eq!(store.list_where(&filter).expect("lists").runs.len() as u64, runs));
    let few = median(9, || assert_eq!(store.list_where(&none).expect("lists").runs.len(), 0));
    let looked = median(9, || assert_eq!(look() as u64, runs));
    let mut listed = store.list().expect("lists").runs;
    let kept = median(9, || filter.retain(&mut listed).expect("asks"));
    eprintln!(
        "{who}, {runs} runs: list {list:.2?}, filter that holds for all {matching:.2?}, for none {few:.2?}, \
         a look of the dashboard {looked:.2?}, its filter {kept:.2?}"
    );
}

fn fill(store: &Store, from: u64, to: u64) -> Duration {
    let mut took: Vec<Duration> = (from..to).map(|seed| write(store, seed, 2)).collect();
    took.sort_unstable();
    took[took.len() / 2]
}

fn view(url: &str) -> TeamView {
    TeamView::open(url, &TeamAccess::default(), |_| store::Digest::default()).expect("an address")
}

#[test]
#[ignore = "measures, a minute or more"]
fn figures_of_listing_filtering_and_putting() {
    let dir = tempfile::tempdir_in("/var/tmp").expect("a directory");
    let store = open(&dir.path().join("here")).with_digest(digest);
    let mut lookout = RunListCache::new(store.clone());
    for (from, to) in [(0, 30), (30, 1000)] {
        let ended = fill(&store, from, to);
        eprintln!("directory: a run's end {ended:.2?}");
        print_figures("directory", to, &store, &mut || lookout.refresh().expect("looks").len());
    }
    for database in Database::on_each_server() {
        let version = database.sql("SHOW server_version");
        let store = team::open(&database.url_of_owner(), &dir.path().join("team")).with_digest(digest);
        store.init_team().expect("made");
        for (from, to) in [(0, 30), (30, 1000)] {
            let put = fill(&store, from, to);
            eprintln!("PostgreSQL {version}: a run of 2 s, its end and putting it there {put:.2?}");
            // Use a new view each time, because a view caches its last listing.
            let mut look = || view(&database.url_of_owner()).list().expect("lists").len();
            print_figures(&format!("PostgreSQL {version}"), to, &store, &mut look);
        }
        let (long, bytes) = (write(&store, 5000, 1800), database.sql("SELECT max(bytes) FROM secchi.journal"));
        let read = median(5, || assert_eq!(store.read(&id(5000)).expect("reads").id, id(5000)));
        eprintln!(
            "PostgreSQL {version}: a run of 30 min ({bytes} bytes of journal) put in {long:.2?}, read in {read:.2?}"
        );
    }
}

#[test]
#[ignore = "measures"]
fn figures_of_tls() {
    for bin in find_programs() {
        let dir = tempfile::tempdir().expect("a directory");
        let Some(server) = team::encrypted(&bin, dir.path(), team::OVER_TLS) else { continue };
        let database = Database::new_on(&server);
        database.sql("ALTER ROLE bob SUPERUSER");
        let root = dir.path().join("root.crt").display().to_string().replace('/', "%2F");
        let bob = |words: &str| {
            team::over_tcp(&database, "localhost", words)
                .replace(&format!("ann:{PASSWORD}"), &format!("bob:{}", OTHER_PASSWORD))
        };
        team::open(&bob("sslmode=disable"), dir.path()).init_team().expect("made");
        let ways = [
            ("socket", database.url("bob", OTHER_PASSWORD)),
            ("no TLS", bob("sslmode=disable")),
            ("require", bob("sslmode=require&channel_binding=disable")),
            ("require, bound", bob("sslmode=require&channel_binding=require")),
            ("verify-full, bound", bob(&format!("sslmode=verify-full&channel_binding=require&sslrootcert={root}"))),
        ];
        for _ in 0..3 {
            for (name, url) in &ways {
                let reader = view(url);
                let took = median(51, || reader.reach().expect("in"));
                eprintln!("{name}: connected, asked and gone {took:.2?}");
            }
        }
    }
}

use super::*;
use crate::sql_value::SqlValue as Bound;
use proptest::prelude::*;

const NOW: Now = Now { instant: 1_795_000_000_000_000_000, offset: 3600 };

fn parse(text: &str) -> Filter {
    Filter::parse(text, NOW).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn wrong(text: &str) -> String {
    Filter::parse(text, NOW).expect_err(text).to_string()
}

fn sql(text: &str) -> (String, Vec<Bound>) {
    select(&parse(text), Dialect::Sqlite)
}

#[test]
fn and_binds_stronger_than_or_and_not_strongest() {
    assert_eq!(parse("bs=8k or bs=4k and not tag=old").to_string(), "bs=8k or (bs=4k and not tag=old)");
    assert_eq!(parse("(bs=8k or bs=4k) and tag!=old").to_string(), "(bs=8k or bs=4k) and tag!=old");
    assert_eq!(parse("NOT NOT state = complete AND exit<=1").to_string(), "not not state=complete and exit<=1");
    assert_eq!(parse("op=randread").to_string(), "pattern=randread", "an alias is shown by its name");
}

#[test]
fn values_are_quoted_where_they_must_be() {
    assert_eq!(parse("note~'it''s (fine)'").to_string(), "note~'it''s (fine)'");
    assert_eq!(parse(r#"note~"it's""#), parse("note~'it''s'"));
    assert_eq!(parse("target~A=/mnt").to_string(), "target~A=/mnt");
    assert_eq!(parse("note=''").to_string(), "note=''");
}

#[test]
fn values_go_by_the_units_of_their_field() {
    let bound = |text: &str| sql(text).1.remove(0);
    assert_eq!(bound("bs=8k"), Bound::Integer(8192));
    assert_eq!(bound("p99<1.5ms"), Bound::Integer(1_500_000));
    assert_eq!(bound("iops>=12k"), Bound::Real(12_000.0));
    assert_eq!((bound("mbps>200"), bound("mbps>200MiB")), (Bound::Real(2e8), Bound::Real(209_715_200.0)));
    assert_eq!(bound("since 3d"), Bound::Integer(NOW.instant - 3 * 86_400_000_000_000));
    // A local day, one hour ahead of UTC: it lasts from 23:00 UTC of the previous day to 23:00 UTC.
    let day = 86_400_000_000_000;
    let begins = 1_793_487_600_000_000_000;
    assert_eq!(sql("started=2026-11-01").1, [Bound::Integer(begins), Bound::Integer(begins + day)]);
    assert_eq!(bound("started>2026-11-01"), Bound::Integer(begins + day), "after the whole of that day");
    assert_eq!(bound("started<=2026-11-01"), Bound::Integer(begins + day));
    assert_eq!(bound("before 2026-11-01T10:30Z"), Bound::Integer(begins + 41_400_000_000_000));
}

#[test]
fn a_mistake_is_one_sentence_that_helps() {
    for (text, needle) in [
        ("", "expected at the end"),
        ("bs=8k and", "expected at the end"),
        ("blok=8k", "unknown field `blok`"),
        ("blok=8k", "did you mean `block`?"),
        ("bs", "followed by one of = != < <= > >="),
        ("bs 8k", "followed by one of"),
        ("bs=", "a value is expected after `bs=`"),
        ("bs~8k", "`bs` takes = != < <= > >=, not ~"),
        ("target>5", "`target` takes = != ~ !~, not >"),
        ("bs=8q", "unknown unit `q`"),
        ("p99<5", "no unit of time"),
        ("exit=one", "not a whole number"),
        ("(bs=8k", "unmatched `(`"),
        ("bs=8k)", "unmatched `)`"),
        ("bs=8k bs=4k", "`and` or `or` is expected before `bs=4k`"),
        ("note='x", "unterminated '"),
        ("started>3d", "write `since 3d`"),
        ("since yesterday", "is not a time"),
        ("id=xyz", "not the beginning of an id"),
        ("=8k", "a field such as bs is expected"),
    ] {
        let error = wrong(text);
        assert!(error.contains(needle) && !error.contains('\n'), "{text}: {error}");
    }
    assert!(wrong(&"(".repeat(500)).contains("more than 64 levels deep"));
    assert!(wrong(&"not ".repeat(500)).contains("more than 64 levels deep"));
    assert!(wrong(&format!("note='{}'", "x".repeat(5000))).contains("the maximum is"));
}

#[test]
fn what_is_typed_is_bound_and_never_in_the_text() {
    let evil = "'; DROP TABLE run; --";
    let (text, bound) = sql(&format!("target~'{}' or tag='{}'", evil.replace('\'', "''"), evil.replace('\'', "''")));
    assert!(!text.contains("DROP") && text.contains("?1") && text.contains("?2"), "{text}");
    assert_eq!(bound, [Bound::Text(evil.to_ascii_lowercase()), Bound::Text(evil.to_owned())]);
    let (text, _) = select(&parse("bs=8k and p99<1ms"), Dialect::Postgres);
    assert!(text.ends_with("WHERE (((workload.bs = $1) IS TRUE) AND ((workload.p99_ns < $2) IS TRUE))"), "{text}");
}

#[test]
fn every_field_has_a_name_of_its_own() {
    let mut names: Vec<&str> =
        FIELDS.iter().flat_map(|f| std::iter::once(f.name).chain(f.also.iter().copied())).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    assert!(names.iter().all(|n| !["and", "or", "not", "since", "before"].contains(n)));
}

/// Generates values that a field of this kind accepts.
fn value_of(kind: FieldKind) -> BoxedStrategy<String> {
    match kind {
        FieldKind::Text => "\\PC{0,12}|[a-z' ()\"=~]{0,8}".boxed(),
        FieldKind::Id => "[0-9a-f]{0,8}".boxed(),
        FieldKind::Number => any::<i32>().prop_map(|n| n.to_string()).boxed(),
        FieldKind::Size => "[1-9][0-9]{0,3}(k|m|g|KiB|MB)?".boxed(),
        FieldKind::Time => "[1-9][0-9]{0,3}(us|ms|s|m|h)".boxed(),
        FieldKind::Rate => "[1-9][0-9]{0,3}k?".boxed(),
        FieldKind::Bandwidth => "[1-9][0-9]{0,3}(MB|MiB|Mbps)?".boxed(),
        FieldKind::Moment => {
            "20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9])(T[01][0-9]:[0-5][0-9](:[0-5][0-9])?Z?)?".boxed()
        }
    }
}

fn test() -> impl Strategy<Value = Filter> {
    (0..FIELDS.len(), any::<prop::sample::Index>()).prop_flat_map(|(i, sign)| {
        let field = &FIELDS[i];
        let fitting: Vec<Operator> = Operator::ALL.iter().map(|o| o.1).filter(|o| o.fits(field.kind)).collect();
        let operator = fitting[sign.index(fitting.len())];
        value_of(field.kind).prop_map(move |typed| {
            let value = Value::read(field, &typed, NOW).expect("made to fit");
            Filter::Test(Box::new(Test { field, operator, value, typed, moment: false }))
        })
    })
}

fn since() -> impl Strategy<Value = Filter> {
    ("[1-9][0-9]?(h|d)", any::<bool>()).prop_map(|(typed, since)| {
        let value = Value::moment(&typed, NOW, true).expect("made to fit");
        let operator = if since { Operator::AtLeast } else { Operator::Less };
        Filter::Test(Box::new(Test { field: find("started").expect("a field"), operator, value, typed, moment: true }))
    })
}

pub(crate) fn filters() -> impl Strategy<Value = Filter> {
    prop_oneof![6 => test(), 1 => since()].prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|f| Filter::Not(Box::new(f))),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Filter::All),
            prop::collection::vec(inner, 2..4).prop_map(Filter::Any),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_printed_reads_back_as_the_same(filter in filters()) {
        let text = filter.to_string();
        prop_assume!(text.len() <= 4096);
        let back = Filter::parse(&text, NOW);
        prop_assert_eq!(back.as_ref(), Ok(&filter), "{}", text);
    }

    #[test]
    fn no_text_panics_and_none_of_it_is_in_the_sql(text in any::<String>(), near in "[a-z0-9 =<>!~()'\"-]{0,60}") {
        for text in [text, near] {
            if let Ok(filter) = Filter::parse(&text, NOW) {
                for dialect in [Dialect::Sqlite, Dialect::Postgres] {
                    let (sql, bound) = select(&filter, dialect);
                    prop_assert!(sql.bytes().all(|b| b.is_ascii_alphanumeric() || b" .,_=<>()?$\"".contains(&b)), "{}", sql);
                    prop_assert!(!bound.is_empty());
                }
            }
        }
    }
}

//! A JSON value in the order and spelling of fio's printer: `"key" : value`, two spaces per level, six decimals.

use crate::formats::document::quoted;

/// A JSON value. Objects keep the order in which their keys were added.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::formats::fio) enum Value {
    Whole(i64),
    Real(f64),
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

impl Value {
    /// Creates an integer; values above the range of a signed 64-bit integer are clamped, because every reader of fio's
    /// output expects one.
    pub(super) fn whole(n: u64) -> Value {
        Value::Whole(i64::try_from(n).unwrap_or(i64::MAX))
    }

    pub(super) fn text(s: &str) -> Value {
        Value::Text(s.to_owned())
    }

    /// Creates an object from its fields.
    pub(super) fn object<K: Into<String>>(fields: impl IntoIterator<Item = (K, Value)>) -> Value {
        Value::Object(fields.into_iter().map(|(k, v)| (k.into(), v)).collect())
    }

    /// Returns the document without a trailing line end.
    pub(in crate::formats::fio) fn print(&self) -> String {
        let mut out = String::new();
        self.put(0, &mut out);
        out
    }

    fn put(&self, level: usize, out: &mut String) {
        match self {
            Value::Whole(n) => out.push_str(&n.to_string()),
            // JSON has no NaN. Nothing here divides by zero; this only protects readers.
            Value::Real(x) => out.push_str(&format!("{:.6}", if x.is_finite() { *x } else { 0.0 })),
            Value::Text(text) => out.push_str(&quoted(text)),
            Value::List(list) => within(level, '[', ']', list, out, |value, level, out| value.put(level, out)),
            Value::Object(fields) => within(level, '{', '}', fields, out, |(key, value), level, out| {
                out.push_str(&quoted(key));
                out.push_str(" : ");
                value.put(level, out);
            }),
        }
    }
}

fn within<T>(
    level: usize,
    open: char,
    close: char,
    items: &[T],
    out: &mut String,
    put: impl Fn(&T, usize, &mut String),
) {
    out.push(open);
    for (i, item) in items.iter().enumerate() {
        out.push_str(if i == 0 { "\n" } else { ",\n" });
        out.extend(std::iter::repeat_n("  ", level + 1));
        put(item, level + 1, out);
    }
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", level));
    out.push(close);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::sanitise::is_harmful;
    use proptest::prelude::*;

    #[test]
    fn the_spelling_is_fios() {
        let value = Value::object([
            ("a b", Value::whole(7)),
            ("r", Value::Real(1.5)),
            ("list", Value::List(vec![Value::text("x"), Value::Whole(-1)])),
        ]);
        assert_eq!(value.print(), "{\n  \"a b\" : 7,\n  \"r\" : 1.500000,\n  \"list\" : [\n    \"x\",\n    -1\n  ]\n}");
    }

    proptest! {
        #[test]
        fn any_text_reads_back_and_steers_no_terminal(text in any::<String>()) {
            let printed = Value::text(&text).print();
            prop_assert!(!printed.contains(is_harmful));
            prop_assert_eq!(serde_json::from_str::<String>(&printed).unwrap(), text);
        }
    }
}

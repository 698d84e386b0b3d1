//! Translation of a filter into the condition of a SELECT. The SQL text consists only of constants of this program;
//! every value is bound.

use super::{FieldKind, Filter, Operator, Test, Value};
use crate::sql_value::SqlValue as Bound;
use std::fmt::Write;

/// SQL dialect, which determines the syntax of parameters and the names of functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// SQLite, with parameters such as `?1`.
    Sqlite,
    /// PostgreSQL, with parameters such as `$1`.
    #[cfg_attr(not(feature = "postgres"), allow(dead_code, reason = "the other backend is disabled"))]
    Postgres,
}

/// Returns the SELECT for the ids of matching runs, and the values bound to its parameters, in order.
pub(crate) fn select(filter: &Filter, dialect: Dialect) -> (String, Vec<Bound>) {
    let mut writer = Writer { dialect, text: String::new(), bound: Vec::new() };
    writer.filter(filter);
    let text =
        format!("SELECT DISTINCT run.id FROM run LEFT JOIN workload ON workload.run = run.id WHERE {}", writer.text);
    (text, writer.bound)
}

struct Writer {
    dialect: Dialect,
    text: String,
    bound: Vec<Bound>,
}

impl Writer {
    fn put(&mut self, text: &'static str) {
        self.text.push_str(text);
    }

    /// Appends a parameter and binds `value` to it.
    fn bind(&mut self, value: Bound) {
        self.bound.push(value);
        self.put(match self.dialect {
            Dialect::Sqlite => "?",
            Dialect::Postgres => "$",
        });
        // This is the parameter's number, not user input.
        let _ = write!(self.text, "{}", self.bound.len());
    }

    fn filter(&mut self, filter: &Filter) {
        let (parts, word) = match filter {
            Filter::Test(test) => return self.test(test),
            Filter::Not(inner) => {
                self.put("NOT ");
                return self.filter(inner);
            }
            Filter::All(parts) => (parts, " AND "),
            Filter::Any(parts) => (parts, " OR "),
        };
        self.put("(");
        for (i, part) in parts.iter().enumerate() {
            self.put(if i == 0 { "" } else { word });
            self.filter(part);
        }
        self.put(")");
    }

    /// Appends a test. IS TRUE makes an unknown (NULL) value fail the test. `!=` is the negation of `=`, so it is true
    /// for unknown values.
    fn test(&mut self, test: &Test) {
        if matches!(test.operator, Operator::Differs | Operator::Lacks) {
            self.put("NOT ");
        }
        let tag = test.field.name == "tag";
        self.put(if tag { "EXISTS (SELECT 1 FROM tag WHERE tag.run = run.id AND " } else { "(" });
        self.put("(");
        self.comparison(test);
        self.put(if tag { "))" } else { ") IS TRUE)" });
    }

    fn comparison(&mut self, test: &Test) {
        let column = test.field.column;
        match (&test.value, test.operator) {
            (Value::Text(text), Operator::Contains | Operator::Lacks) => {
                self.put(match self.dialect {
                    Dialect::Sqlite => "instr(lower(",
                    Dialect::Postgres => "strpos(lower(",
                });
                self.put(column);
                // In both databases, letters outside a to z are compared unchanged.
                self.put(match self.dialect {
                    Dialect::Sqlite => "), ",
                    Dialect::Postgres => " COLLATE \"C\"), ",
                });
                self.bind(Bound::Text(text.to_ascii_lowercase()));
                self.put(") > 0");
            }
            (Value::Text(text), _) if test.field.kind == FieldKind::Id => {
                self.put("substr(");
                self.put(column);
                self.put(", 1, length(CAST(");
                self.bind(Bound::Text(text.clone()));
                self.put(" AS text))) = ");
                self.bind(Bound::Text(text.clone()));
            }
            (Value::Text(text), _) => self.ordered(column, " = ", Bound::Text(text.clone())),
            (Value::Integer(n), operator) => self.ordered(column, sign(operator), Bound::Integer(*n)),
            (Value::Real(r), operator) => self.ordered(column, sign(operator), Bound::Real(*r)),
            (Value::Span(from, to), operator) => match operator {
                Operator::Less => self.ordered(column, " < ", Bound::Integer(*from)),
                Operator::AtLeast => self.ordered(column, " >= ", Bound::Integer(*from)),
                Operator::AtMost => self.ordered(column, " < ", Bound::Integer(*to)),
                Operator::More => self.ordered(column, " >= ", Bound::Integer(*to)),
                _ => {
                    self.ordered(column, " >= ", Bound::Integer(*from));
                    self.put(" AND ");
                    self.ordered(column, " < ", Bound::Integer(*to));
                }
            },
        }
    }

    fn ordered(&mut self, column: &'static str, sign: &'static str, value: Bound) {
        self.put(column);
        self.put(sign);
        self.bind(value);
    }
}

fn sign(operator: Operator) -> &'static str {
    match operator {
        Operator::Less => " < ",
        Operator::AtMost => " <= ",
        Operator::More => " > ",
        Operator::AtLeast => " >= ",
        _ => " = ",
    }
}

//! Integer expressions of shells: `$((i * 2))`, `((i++))`.

use crate::syntax::is_name;

/// Maximum nesting of parentheses.
const DEEPEST: u32 = 20;

/// Returns the value of an expression of numbers, variables, `+ - * / %` and parentheses; `None` for anything else.
pub fn evaluate(expression: &str, value: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    let mut rest = expression.trim_start();
    let number = sum(&mut rest, value, DEEPEST)?;
    rest.is_empty().then_some(number)
}

fn take(rest: &mut &str, sign: char) -> bool {
    let after = rest.strip_prefix(sign);
    *rest = after.unwrap_or(rest).trim_start();
    after.is_some()
}

fn sum(rest: &mut &str, value: &dyn Fn(&str) -> Option<i64>, depth: u32) -> Option<i64> {
    let mut total = product(rest, value, depth)?;
    loop {
        if take(rest, '+') {
            total = total.checked_add(product(rest, value, depth)?)?;
        } else if take(rest, '-') {
            total = total.checked_sub(product(rest, value, depth)?)?;
        } else {
            return Some(total);
        }
    }
}

fn product(rest: &mut &str, value: &dyn Fn(&str) -> Option<i64>, depth: u32) -> Option<i64> {
    let mut total = term(rest, value, depth)?;
    loop {
        if take(rest, '*') {
            total = total.checked_mul(term(rest, value, depth)?)?;
        } else if take(rest, '/') {
            total = total.checked_div(term(rest, value, depth)?)?;
        } else if take(rest, '%') {
            total = total.checked_rem(term(rest, value, depth)?)?;
        } else {
            return Some(total);
        }
    }
}

fn term(rest: &mut &str, value: &dyn Fn(&str) -> Option<i64>, depth: u32) -> Option<i64> {
    if take(rest, '(') {
        let number = sum(rest, value, depth.checked_sub(1)?)?;
        return take(rest, ')').then_some(number);
    }
    take(rest, '$');
    let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (word, after) = rest.split_at(length);
    *rest = after.trim_start();
    if is_name(word) { value(word) } else { word.parse().ok() }
}

/// Calls `set` for every variable that an expression may change. It passes the change for `NAME++`, `NAME--` and
/// `NAME+=N`, and `None` for any other assignment.
pub fn assign(expression: &str, mut set: impl FnMut(&str, Option<i64>)) {
    let text: String = expression.chars().filter(|c| !c.is_whitespace()).collect();
    let changes: Option<(&str, i64)> = match (text.strip_suffix("++"), text.strip_suffix("--")) {
        (Some(name), _) => Some((name, 1)),
        (_, Some(name)) => Some((name, -1)),
        _ => text.split_once("+=").and_then(|(name, by)| Some((name, by.parse().ok()?))),
    };
    if let Some((name, by)) = changes.filter(|(name, _)| is_name(name)) {
        return set(name, Some(by));
    }
    let compares = ["==", "!=", "<=", ">="].iter().fold(text.clone(), |t, o| t.replace(o, ""));
    if compares.contains('=') || text.contains("++") || text.contains("--") {
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|w| is_name(w)).for_each(|w| set(w, None));
    }
}

//! Parser for filters, by recursive descent, with limits on length and nesting depth.

use super::{Filter, FilterError, Now, Operator, Test, Value, find};

/// Maximum length of a filter, in bytes.
const LONGEST: usize = 4096;
/// Maximum nesting depth.
const DEEPEST: usize = 64;

impl Filter {
    /// Parses a filter. `since 3d` means three days before `now`.
    ///
    /// # Errors
    /// Returns an error if the text is not a valid filter. The error names the mistake and the expected form.
    pub fn parse(text: &str, now: Now) -> Result<Filter, FilterError> {
        if text.len() > LONGEST {
            return Err(FilterError(format!("the filter has {} bytes; the maximum is {LONGEST}", text.len())));
        }
        let mut parser = Parser { rest: text, now, depth: 0 };
        let filter = parser.any()?;
        parser.skip();
        match parser.rest.chars().next() {
            None => Ok(filter),
            Some(')') => Err(FilterError("unmatched `)`".to_owned())),
            Some(_) => Err(FilterError(format!("`and` or `or` is expected before `{}`", model::clip(parser.rest)))),
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
    now: Now,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Consumes `sign` if it comes next.
    fn takes(&mut self, sign: &str) -> bool {
        self.skip();
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Consumes the letters, digits and `_` that come next; the result may be empty.
    fn word(&mut self) -> &'a str {
        self.skip();
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    /// Consumes `keyword` if it comes next, ignoring case.
    fn keyword(&mut self, keyword: &str) -> bool {
        let before = self.rest;
        let is = self.word().eq_ignore_ascii_case(keyword);
        if !is {
            self.rest = before;
        }
        is
    }

    fn any(&mut self) -> Result<Filter, FilterError> {
        let mut parts = vec![self.all()?];
        while self.keyword("or") {
            parts.push(self.all()?);
        }
        Ok(one_or(parts, Filter::Any))
    }

    fn all(&mut self) -> Result<Filter, FilterError> {
        let mut parts = vec![self.parse_term()?];
        while self.keyword("and") {
            parts.push(self.parse_term()?);
        }
        Ok(one_or(parts, Filter::All))
    }

    fn parse_term(&mut self) -> Result<Filter, FilterError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(FilterError(format!("the filter is nested more than {DEEPEST} levels deep")));
        }
        let one = if self.keyword("not") {
            Filter::Not(Box::new(self.parse_term()?))
        } else if self.takes("(") {
            let inner = self.any()?;
            if !self.takes(")") {
                return Err(FilterError("unmatched `(`".to_owned()));
            }
            inner
        } else {
            Filter::Test(Box::new(self.test()?))
        };
        self.depth -= 1;
        Ok(one)
    }

    fn test(&mut self) -> Result<Test, FilterError> {
        self.skip();
        let before = self.rest;
        let name = self.word();
        if name.is_empty() {
            return Err(FilterError(match before.is_empty() {
                true => "a test such as bs=8k is expected at the end".to_owned(),
                false => format!("a field such as bs is expected before `{}`", model::clip(before)),
            }));
        }
        let moment = name.eq_ignore_ascii_case("since") || name.eq_ignore_ascii_case("before");
        self.skip();
        if moment && !self.rest.starts_with(['=', '!', '~', '<', '>']) {
            let (field, typed) = (find("started")?, self.value(name)?);
            let value = Value::moment(&typed, self.now, true)?;
            let since = name.eq_ignore_ascii_case("since");
            let operator = if since { Operator::AtLeast } else { Operator::Less };
            return Ok(Test { field, operator, value, typed, moment: true });
        }
        let field = find(name)?;
        let Some((sign, operator)) = Operator::ALL.into_iter().find(|(sign, _)| self.rest.starts_with(sign)) else {
            let operators = field.kind.operators();
            return Err(FilterError(format!("`{name}` must be followed by one of {operators} and a value")));
        };
        if !operator.fits(field.kind) {
            return Err(FilterError(format!("`{}` takes {}, not {sign}", field.name, field.kind.operators())));
        }
        self.rest = &self.rest[sign.len()..];
        let typed = self.value(&format!("{}{sign}", field.name))?;
        let value = Value::read(field, &typed, self.now)?;
        Ok(Test { field, operator, value, typed, moment: false })
    }

    /// Consumes a value. A quoted value is enclosed in ' or " (the quote itself is doubled); any other value ends at
    /// whitespace, a parenthesis or a quote.
    fn value(&mut self, before: &str) -> Result<String, FilterError> {
        self.skip();
        let Some(quote) = self.rest.chars().next().filter(|c| matches!(c, '\'' | '"')) else {
            let end = self.rest.find(|c: char| c.is_whitespace() || "()'\"".contains(c)).unwrap_or(self.rest.len());
            let (value, rest) = self.rest.split_at(end);
            if value.is_empty() {
                return Err(FilterError(format!("a value is expected after `{before}`")));
            }
            self.rest = rest;
            return Ok(value.to_owned());
        };
        let mut value = String::new();
        let mut chars = self.rest[1..].char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            match (c == quote, chars.peek()) {
                (true, Some((_, next))) if *next == quote => {
                    value.push(quote);
                    chars.next();
                }
                (true, _) => {
                    self.rest = &self.rest[at + 2..];
                    return Ok(value);
                }
                (false, _) => value.push(c),
            }
        }
        Err(FilterError(format!("unterminated {quote} after `{before}`")))
    }
}

fn one_or(mut parts: Vec<Filter>, many: fn(Vec<Filter>) -> Filter) -> Filter {
    match (parts.len(), parts.pop()) {
        (1, Some(one)) => one,
        (_, last) => {
            parts.extend(last);
            many(parts)
        }
    }
}

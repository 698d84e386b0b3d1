//! Lines whose fields are separated by commas, tabs or semicolons.

/// Splits a line at a delimiter. A delimiter inside quotes is part of the field. A doubled quote is a literal quote.
pub(crate) fn fields(line: &str, delimiter: char) -> Vec<String> {
    let mut list = Vec::new();
    let mut field = String::new();
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => quoted = !quoted,
            c if c == delimiter && !quoted => list.push(std::mem::take(&mut field).trim().to_owned()),
            c => field.push(c),
        }
    }
    list.push(field.trim().to_owned());
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_parted_outside_of_quotes() {
        assert_eq!(fields("a, b ,\"c,\"\"d\"\"\",", ','), ["a", "b", "c,\"d\"", ""]);
        assert_eq!(fields("", ','), [""]);
    }
}

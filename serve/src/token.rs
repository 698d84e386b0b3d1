//! Access token: 128 random bits from the system, created at each start, or a token supplied by the user.

use subtle::ConstantTimeEq;

/// Length of a new token, in bytes.
const BYTES: usize = 16;

/// Secret that grants access to a server.
#[derive(Clone)]
pub struct Token(String);

/// Formats the token without showing the secret.
impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(..)")
    }
}

impl Token {
    /// Creates a random token.
    ///
    /// # Errors
    /// Returns an error if the system provides no random numbers.
    pub fn new() -> std::io::Result<Token> {
        let mut bytes = [0u8; BYTES];
        getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
        Ok(Token(bytes.iter().map(|b| format!("{b:02x}")).collect()))
    }

    /// Returns the token in `text`, which the user supplied. Returns `None` unless `text` consists of 16 to 128 letters
    /// and digits.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Token> {
        let good = (BYTES..=128).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric());
        good.then(|| Token(text.to_owned()))
    }

    /// Returns the token as text for addresses and headers. A token from [`Token::new`] has 32 hexadecimal digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns `true` if `given` is this token. The time taken does not depend on the position of the first difference.
    #[must_use]
    pub fn is(&self, given: &str) -> bool {
        self.0.as_bytes().ct_eq(given.as_bytes()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_itself_and_no_other() {
        let (one, two) = (Token::new().expect("randomness"), Token::new().expect("randomness"));
        assert_eq!(one.as_str().len(), 32);
        assert!(one.is(one.as_str()) && !one.is(two.as_str()) && !one.is("") && !one.is(&one.as_str()[..31]));
        assert_eq!(format!("{one:?}"), "Token(..)");
        assert!(Token::from_text(one.as_str()).is_some_and(|kept| kept.is(one.as_str())));
        for none in ["", "0123456789abcde", "0123456789abcdef\n", "0123456789 abcdef", &"a".repeat(129)] {
            assert!(Token::from_text(none).is_none(), "{none}");
        }
    }
}

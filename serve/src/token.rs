//! The secret that lets in: 128 bits of the system's randomness, new at each start.

use subtle::ConstantTimeEq;

/// Bytes of a token.
const BYTES: usize = 16;

/// A secret of one start of a server.
#[derive(Clone)]
pub struct Token(String);

/// Never shown by accident.
impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(..)")
    }
}

impl Token {
    /// A new one.
    ///
    /// # Errors
    /// When the system has no randomness to give.
    pub fn new() -> std::io::Result<Token> {
        let mut bytes = [0u8; BYTES];
        getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
        Ok(Token(bytes.iter().map(|b| format!("{b:02x}")).collect()))
    }

    /// As it stands in an address or a header: 32 hexadecimal digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `given` is it; takes as long for a near miss as for a far one.
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
    }
}

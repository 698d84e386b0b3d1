//! Credentials for servers: they are passed to engines but never recorded.

use serde::{Serialize, Serializer};

/// Options whose values are secrets.
pub const SECRETS: &[&str] =
    &["http_pass", "http_s3_key", "http_s3_security_token", "http_s3_sse_customer_key", "http_swift_auth_token"];

/// Placeholder for a secret in a record.
const WITHHELD: &str = "***";

/// Returns the value of an option for a record, with secrets replaced.
#[must_use]
pub fn without_secret<'a>(name: &str, value: &'a str) -> &'a str {
    if SECRETS.contains(&name) { WITHHELD } else { value }
}

/// Returns the words of a command line for a record, with secrets replaced.
#[must_use]
pub fn words_without_secrets<S: AsRef<str>>(words: &[S]) -> Vec<String> {
    // Options may be abbreviated to an unambiguous prefix, so any prefix of a secret option is treated as a secret.
    let secret = |name: &str| name.len() > "http_".len() && SECRETS.iter().any(|s| s.starts_with(name));
    let mut next = false;
    let kept = |word: &S| {
        let word = word.as_ref();
        if std::mem::take(&mut next) {
            return WITHHELD.to_owned();
        }
        let bare = word.trim_start_matches('-');
        match bare.split_once('=') {
            Some((name, _)) if secret(name) => format!("{}{name}={WITHHELD}", &word[..word.len() - bare.len()]),
            None if bare.len() < word.len() && secret(bare) => {
                next = true;
                word.to_owned()
            }
            _ => word.to_owned(),
        }
    };
    words.iter().map(kept).collect()
}

/// Serializes options of an engine with secrets replaced.
pub(crate) fn serialize<S: Serializer>(options: &[(String, String)], serializer: S) -> Result<S::Ok, S::Error> {
    let kept: Vec<(&str, &str)> = options.iter().map(|(n, v)| (n.as_str(), without_secret(n, v))).collect();
    kept.serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_taken_out_of_words_however_they_stand() {
        let words =
            ["--http_s3_key=a=b", "--http_s3_keyid=who", "--http_pass", "c", "--http_pa=d", "x.fio", "--rw=read"];
        let kept =
            ["--http_s3_key=***", "--http_s3_keyid=who", "--http_pass", "***", "--http_pa=***", "x.fio", "--rw=read"];
        assert_eq!(words_without_secrets(&words), kept);
    }

    #[test]
    fn a_written_job_has_none() {
        let options = vec![("http_s3_key".to_owned(), "hidden".to_owned()), ("http_host".to_owned(), "h".to_owned())];
        let tuning = crate::plan::JobTuning { engine_options: options, ..crate::plan::JobTuning::default() };
        let text = serde_json::to_string(&tuning).unwrap();
        assert!(!text.contains("hidden") && text.contains(r#"["http_s3_key","***"],["http_host","h"]"#), "{text}");
        assert!(serde_json::from_str::<crate::plan::JobTuning>(&text).is_ok());
    }
}

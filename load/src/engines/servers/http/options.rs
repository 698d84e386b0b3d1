//! Options of the `http` engine.

use model::{EngineOption, OptionValue, OptionWord};

pub(super) const TLS: EngineOption = EngineOption::new(
    "https",
    OptionValue::Words(
        &[
            OptionWord::new("off", "no"),
            OptionWord::new("on", "yes, and the server's certificate is checked"),
            OptionWord::new("insecure", "yes, whoever the server is"),
        ],
        &[],
    ),
    "off",
    "Whether requests are encrypted.",
);

pub(super) const PROTOCOL: EngineOption = EngineOption::new(
    "http_mode",
    OptionValue::Words(
        &[
            OptionWord::new("webdav", "any server that takes PUT"),
            OptionWord::new("s3", "S3, with signatures of version 4"),
            OptionWord::new("swift", "OpenStack Swift, with the token of a session"),
        ],
        &[],
    ),
    "webdav",
    "Whose protocol requests follow.",
);

pub(super) const OBJECT: EngineOption = EngineOption::new(
    "http_object_mode",
    OptionValue::Words(
        &[
            OptionWord::new("block", "a block: `<filename>_<offset>_<length>`"),
            OptionWord::new(WHOLE_FILE, "a file, of which blocks are read; a write replaces it"),
        ],
        &[],
    ),
    "block",
    "What an object holds.",
);

pub(super) const WHOLE_FILE: &str = "range";

pub(super) const OPTIONS: &[EngineOption] = &[
    TLS,
    PROTOCOL,
    OBJECT,
    EngineOption::new(
        "http_host",
        OptionValue::Text,
        "localhost",
        "The server, with a port behind a colon where it is not 80 or 443. Of S3, the bucket may stand before it; else it is the beginning of `filename`.",
    ),
    EngineOption::new(
        "http_user",
        OptionValue::Text,
        "",
        "User, with `http_pass`: the basic scheme of HTTP (fio asks the server for its scheme).",
    ),
    EngineOption::new("http_pass", OptionValue::Text, "", "Password. It is kept in no record."),
    EngineOption::new("http_s3_keyid", OptionValue::Text, "", "Identity of the key of S3."),
    EngineOption::new("http_s3_key", OptionValue::Text, "", "The key of S3. It is kept in no record."),
    EngineOption::new(
        "http_s3_security_token",
        OptionValue::Text,
        "",
        "Token of a session of S3. It is kept in no record.",
    ),
    EngineOption::new("http_s3_region", OptionValue::Text, "us-east-1", "Region of S3."),
    EngineOption::new(
        "http_s3_storage_class",
        OptionValue::Text,
        "STANDARD",
        "Class of storage that objects are put into.",
    ),
    EngineOption::new(
        "http_s3_sse_customer_key",
        OptionValue::Text,
        "",
        "Key of 32 bytes by which the server encrypts objects. It is kept in no record.",
    ),
    EngineOption::new("http_s3_sse_customer_algorithm", OptionValue::Text, "AES256", "How it encrypts."),
    EngineOption::new(
        "http_swift_auth_token",
        OptionValue::Text,
        "",
        "Token of a session of Swift. It is kept in no record.",
    ),
];

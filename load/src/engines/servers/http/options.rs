//! Options of the `http` engine.

use model::plan::{EngineOption, OptionValue, OptionWord};

pub(super) const TLS: EngineOption = EngineOption::new(
    "https",
    OptionValue::Words(
        &[
            OptionWord::new("off", "no encryption"),
            OptionWord::new("on", "encryption, with a check of the server's certificate"),
            OptionWord::new("insecure", "encryption, without a check of the server's certificate"),
        ],
        &[],
    ),
    "off",
    "Encryption of requests.",
);

pub(super) const PROTOCOL: EngineOption = EngineOption::new(
    "http_mode",
    OptionValue::Words(
        &[
            OptionWord::new("webdav", "any server that supports PUT"),
            OptionWord::new("s3", "S3, with version 4 signatures"),
            OptionWord::new("swift", "OpenStack Swift, with a session token"),
        ],
        &[],
    ),
    "webdav",
    "Protocol of requests.",
);

pub(super) const OBJECT: EngineOption = EngineOption::new(
    "http_object_mode",
    OptionValue::Words(
        &[
            OptionWord::new("block", "one object per block: `<filename>_<offset>_<length>`"),
            OptionWord::new(WHOLE_FILE, "one object per file; reads use ranges, and each write replaces the object"),
        ],
        &[],
    ),
    "block",
    "Contents of an object.",
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
        "Server, with `:port` if the port is not 80 or 443. For S3, the bucket is a prefix of the host name or the \
         first part of `filename`.",
    ),
    EngineOption::new(
        "http_user",
        OptionValue::Text,
        "",
        "User for HTTP basic authentication with `http_pass` (fio negotiates the scheme with the server).",
    ),
    EngineOption::new(
        "http_pass",
        OptionValue::Text,
        "",
        "Password for HTTP basic authentication. Never stored in records.",
    ),
    EngineOption::new("http_s3_keyid", OptionValue::Text, "", "S3 access key ID."),
    EngineOption::new("http_s3_key", OptionValue::Text, "", "S3 secret key. Never stored in records."),
    EngineOption::new("http_s3_security_token", OptionValue::Text, "", "S3 session token. Never stored in records."),
    EngineOption::new("http_s3_region", OptionValue::Text, "us-east-1", "S3 region."),
    EngineOption::new("http_s3_storage_class", OptionValue::Text, "STANDARD", "Storage class of the objects."),
    EngineOption::new(
        "http_s3_sse_customer_key",
        OptionValue::Text,
        "",
        "32-byte key that the server uses to encrypt objects. Never stored in records.",
    ),
    EngineOption::new(
        "http_s3_sse_customer_algorithm",
        OptionValue::Text,
        "AES256",
        "Algorithm for encryption with the customer key.",
    ),
    EngineOption::new("http_swift_auth_token", OptionValue::Text, "", "Swift session token. Never stored in records."),
];

//! Compresses the text files that the program contains: profiles, scripts, routines.

use std::io;

const FILES: [(&str, &[&str]); 3] = [
    ("src/scripts", &["shared.m", "gtm.m", "iris.mac", "notes-gtm.txt", "notes-iris.txt", "setup-gtm.sh"]),
    ("src/gtm", &["secchises.m"]),
    (
        "src/model/profiles",
        &["sqlite-wal.toml", "postgres.toml", "postgres-18.toml", "gtm.toml", "iris.toml", "innodb.toml"],
    ),
];

fn main() -> io::Result<()> {
    embed::pack_files(&FILES)
}

# What a developer does every day. `just` alone lists it; each line can be typed by hand as well.

# What fast checks find: formatting, lints, tests of one crate (just check model)
check crate="secchi":
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings
    cargo test --locked -p {{crate}}

# All tests, as CI runs them
test:
    cargo test --workspace --locked --no-fail-fast

# Accept what the generated references and pages are now; look at the difference before it is committed
bless:
    SECCHI_BLESS=1 cargo test --locked -p secchi --test docs
    git diff --stat

# The cost of an operation beside fio and a bare loop (about four minutes, on a quiet machine)
bench *words:
    cargo run --release --locked -p bench -- {{words}}

# Licences, sources and advisories of what is depended on (needs cargo-deny; tests hold licences and sources to deny.toml as well)
deny:
    cargo deny --all-features check

# The program for Windows, built here and run under wine
windows:
    tests/windows/ci

# The program for macOS, compiled down to its types; `just macos link` makes it whole by zig
macos *words:
    tests/macos/check {{words}}

# Everything CI does; installs what it needs
ci:
    .ci/run

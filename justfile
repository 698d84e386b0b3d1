# Everyday commands of developers. `just` alone runs the fast checks; `just --list` lists the commands.

# Run the fast checks: formatting, lints, tests of one crate (just check secchi-model)
check crate="secchi":
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings
    cargo test --locked -p {{crate}}

# Run the fast tests, as CI does
test:
    .ci/recipes/fast

# Run the paced tests, as CI does (as root, on a quiet machine)
paced *words:
    .ci/recipes/paced {{words}}

# Run one recipe of CI, such as lint or packages; `ls .ci/recipes` lists them
recipe name:
    .ci/recipes/{{name}}

# Update the generated references and pages; review the difference before committing
bless:
    SECCHI_BLESS=1 cargo test --locked -p secchi --features schema --test docs
    python3 python/generate_types.py
    git diff --stat

# Measure the cost of an operation, compared with fio and a bare loop (about four minutes, on a quiet machine)
bench *words:
    cargo run --release --locked -p secchi-bench -- {{words}}

# Check licences, sources and advisories of dependencies (needs cargo-deny; tests also check licences and sources)
deny:
    cargo deny --all-features check

# Check the spelling of documents, messages and help (needs typos: pip install typos)
typos:
    typos

# Run formatting, style and architecture checks before each commit
hook:
    git config core.hooksPath .githooks

# Build the program for Windows and run it under wine
windows:
    tests/windows/ci

# Type-check the program for macOS; `just macos link` builds it with zig
macos *words:
    tests/macos/check {{words}}

# Run everything CI does; installs what it needs
ci:
    .ci/run

# Recipes that CI calls; `just` lists them.

set shell := ["bash", "-euo", "pipefail", "-c"]

default:
    @just --list --unsorted

# All tests: unit, integration, doc tests.
test:
    if command -v cargo-nextest >/dev/null; then cargo nextest run --workspace; else cargo test --workspace --lib --bins --tests; fi
    cargo test --workspace --doc

# Formatting, lints, dependencies, documentation, spelling.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --all-features -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet
    cargo deny --offline check bans licenses sources
    if command -v typos >/dev/null; then typos; else echo "typos is not installed: spelling not checked" >&2; fi

fmt:
    cargo fmt --all

# Speed and memory, each beside memcpy in the same run.
bench *ARGS:
    cargo bench --workspace {{ARGS}}

# Rewrites the golden snapshots; read the difference before you commit it.
snapshots:
    INSTA_UPDATE=always cargo test -p recto-view --test it golden

# Fuzzes every target for SECONDS in all.
fuzz SECONDS="60":
    .ci/fuzz {{SECONDS}}

# What CI runs, on a machine that has the tools.
ci: lint test
    cargo bench --workspace --no-run
    just fuzz 60

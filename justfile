# Recipes that CI calls, in the order of `.ci/run`; `just` lists them.

set shell := ["bash", "-euo", "pipefail", "-c"]

default:
    @just --list --unsorted

# All tests: doc tests, then unit and integration tests (with cargo-nextest, if it is there).
test:
    cargo test --workspace --features recto-testkit/upstream,recto-archive/postgres --doc --quiet
    if command -v cargo-nextest >/dev/null; then cargo nextest run --workspace --features recto-testkit/upstream,recto-archive/postgres; else cargo test --workspace --features recto-testkit/upstream,recto-archive/postgres --lib --bins --tests; fi

# Everything that is checked without running the code.
lint: format-check spelling dependencies clippy docs

# Formats all crates, the fuzz targets too.
fmt:
    cargo fmt --all
    cargo fmt --manifest-path fuzz/Cargo.toml

[private]
format-check:
    cargo fmt --all --check -- --color never
    cargo fmt --manifest-path fuzz/Cargo.toml --check -- --color never

# Spelling of sources and documents.
spelling:
    typos

# Licences, duplicates and origins of all dependencies.
dependencies:
    cargo deny --offline --log-level error check bans licenses sources

# Clippy over libraries, binaries, tests, benches and examples; warnings are errors.
clippy:
    cargo clippy --workspace --all-targets --all-features -- -D warnings

# The API's documentation; warnings are errors.
docs:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features

# Speed of everything that has a benchmark: `just bench`, `just bench -- outline`.
bench *ARGS:
    cargo bench --workspace --bench '*' {{ARGS}}

# Tokens of whole JSON files in mode `table` beside JSON and TOON; install TOON first (examples/layouts/README.md).
layouts FOLDER="../shared/corpus/outputs":
    cargo run --release --quiet -p recto -- eval --layouts {{FOLDER}} \
        --peer 'toon=node examples/layouts/toon.mjs' --peer 'toon-tab=node examples/layouts/toon.mjs tab'

# Rewrites the golden snapshots; read the difference before you commit it.
snapshots:
    INSTA_UPDATE=always cargo test -p recto-view --test it golden

# Fuzzes all targets, for SECONDS altogether.
fuzz SECONDS="60":
    .ci/fuzz {{SECONDS}}

# All that CI does.
ci:
    .ci/run

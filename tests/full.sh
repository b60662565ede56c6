#!/usr/bin/env bash
# The tests that need more than stable Rust. What cannot run here is printed and counted, never passed over.
set -uo pipefail
cd "$(dirname "$0")/.."

passed=0 failed=0 skipped=0

check() { # name, command...
    local name=$1; shift
    echo "== $name"
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $name"; fi
}

skip() { # name, reason
    echo "== $1"; echo "SKIPPED: $2"; skipped=$((skipped + 1))
}

if cargo +nightly --version >/dev/null 2>&1; then
    check "compile-fail doctests with their error codes" \
        cargo +nightly test --locked -q --doc -p venues -p policies -p signing -p session --target-dir target/nightly
    check "fuzz targets build" cargo +nightly check -q --manifest-path fuzz/Cargo.toml --bins
else
    skip "compile-fail doctests with their error codes" "no nightly toolchain"
    skip "fuzz targets build" "no nightly toolchain"
fi

if cargo +nightly fuzz --version >/dev/null 2>&1; then
    check "the fuzz canary is found" ./fuzz/canary.sh
    check "every fuzz target survives its seeds" ./fuzz/run.sh 0
else
    skip "the fuzz canary is found" "no cargo-fuzz"
    skip "every fuzz target survives its seeds" "no cargo-fuzz"
fi

check "eight clients race for a budget for ${BUDGET_SECS:-60} seconds" \
    env BUDGET_SECS="${BUDGET_SECS:-60}" \
    cargo test --locked -q -p enclave --test budgets -- --ignored --nocapture

check "a vault that boots halted obeys its operator and nobody else" ./tests/operator.sh

check "the pure crates build against core alone, and their controls do not" ./tests/purity.sh

check "the Hyperliquid decoder against hypersdk" \
    cargo test --locked -q --manifest-path oracles/hypersdk/Cargo.toml --target-dir target/hypersdk

if pkg-config --exists openssl 2>/dev/null; then
    check "image files beside those of Amazon's own writer" \
        cargo test --locked -q --manifest-path oracles/eif/Cargo.toml --target-dir target/oracle-eif
else
    skip "image files beside those of Amazon's own writer" "no headers of OpenSSL"
fi

if python3 -c '' 2>/dev/null; then
    check "a client written from docs/PROTOCOL.md alone" ./tests/protocol.sh
else
    skip "a client written from docs/PROTOCOL.md alone" "no python3"
fi

if python3 -c 'import cryptography' 2>/dev/null; then
    check "sessions byte for byte as a second implementation of Noise has them" ./tests/noise.sh
else
    skip "sessions byte for byte as a second implementation of Noise has them" "no python3 with cryptography"
fi

if python3 -c 'import cryptography' 2>/dev/null; then
    check "attestation documents as a second implementation judges them" ./tests/nitro.sh
else
    skip "attestation documents as a second implementation judges them" "no python3 with cryptography"
fi

if python3 -c '' 2>/dev/null; then
    check "every refusal code is produced by a test" ./tests/refusals.py
else
    skip "every refusal code is produced by a test" "no python3"
fi

if python3 -c 'import tomllib' 2>/dev/null; then
    check "every security requirement has its tests, and they pass" ./tests/requirements.py
else
    skip "every security requirement has its tests, and they pass" "no python3 with tomllib (3.11)"
fi

check "50 kill -9 of the host and of the vault under load lose no receipt" \
    env KILL_ROUNDS=50 cargo test --locked -q -p enclave-dev --test kill

if valgrind --version >/dev/null 2>&1; then
    check "decode and digest cost at most 1.5 times a plain reading, in instructions" \
        cargo run --locked --release -q -p decode-cost
    check "the largest payloads under the largest books stay below their bounds" \
        cargo run --locked --release -q -p decode-cost -- --policies
else
    skip "decode and digest cost at most 1.5 times a plain reading, in instructions" "no valgrind"
    skip "the largest payloads under the largest books stay below their bounds" "no valgrind"
fi

if [ -f ../shared/judge/judge.py ]; then
    check "the judge" ./tests/judge.sh
else
    skip "the judge" "no shared vectors beside this checkout"
fi

if cargo deny --version >/dev/null 2>&1; then
    check "licences, bans and sources of the dependencies" cargo deny --locked check bans licenses sources
    if cargo deny fetch db >/dev/null 2>&1; then
        check "advisories against the dependencies" cargo deny --locked check advisories
    else
        skip "advisories against the dependencies" "the advisory database cannot be reached"
    fi
else
    skip "licences, bans, sources and advisories of the dependencies" "no cargo-deny"
fi

echo
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

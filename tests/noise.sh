#!/usr/bin/env bash
# Both handshake messages and the first frames of a session with fixed keys, compared with a second implementation.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo run --locked -q -p session --example vectors | python3 tests/noise_oracle.py -

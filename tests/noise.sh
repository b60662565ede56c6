#!/usr/bin/env bash
# Both handshake messages and the first frames of the committed session, compared with a second implementation.
# That the vault makes the same bytes is a test of the `session` crate. Exit 77 where python has no cryptography.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 tests/noise_oracle.py session/vectors/session.txt

#!/usr/bin/env bash
# A vault that boots halted, with real processes: nothing is signed before an operator's start, not after a kill before a
# resume, and not after kill -9 and a new boot before another start. Nobody but the book's host is heard; a client that is cut
# off stays so until it is reinstated; an operator's certificate lets another one in.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --locked -q -p enclave-dev -p portcullis-host -p portcullis
cargo build --locked -q -p client-sdk --example evm_swap --example hyperliquid_order
bin=${CARGO_TARGET_DIR:-target}/debug
folder=$(mktemp -d)
vault=; host=
trap 'kill $vault $host 2>/dev/null || true; wait 2>/dev/null || true; rm -r "$folder"' EXIT

public_key=$("$bin/portcullis" operator keygen "$folder/ann.op")
"$bin/portcullis" operator keygen "$folder/stranger.op" >"$folder/stranger.pub"
sed -e 's/^boot_mode = .*/boot_mode = "halted"/' policies/book/demo.toml >"$folder/demo.toml"
printf '\n[[operators]]\nname = "ann"\n%s\n' "$public_key" >>"$folder/demo.toml"
hash=$("$bin/portcullis" policy hash "$folder/demo.toml" | cut -d' ' -f1)
# The demo's throw-away keys: everybody has them.
for name in bot host stranger; do
    (umask 077; printf 'portcullis dev key: %s' "$name" | sha256sum | cut -c1-64 >"$folder/$name.key")
done

fail() { echo "operator.sh: $*"; cat "$folder"/*.log; exit 1; }
within() { for _ in $(seq 100); do if "$@"; then return 0; fi; sleep 0.1; done; fail "not in ten seconds: $*"; }
boot() {
    "$bin/enclave-dev" serve --book "$folder/demo.toml" --keys "$folder/keys" --listen "unix:$folder/vault" \
        --control "unix:$folder/control" 2>>"$folder/vault.log" &
    vault=$!
    within answers
}
identity=(--key "$folder/host.key" --policy-hash "$hash" --root development)
answers() { "$bin/portcullis-host" status --control "unix:$folder/control" "${identity[@]}" >/dev/null 2>&1; }
order() { "$bin/portcullis" operator "$1" --admin "$folder/bots.admin" --key "$folder/$2.op" "${@:3}"; }
signs() { "$bin/examples/evm_swap" "unix:$folder/bots" "$hash" "$folder/bot.key" >>"$folder/bot.log" 2>&1; }
signs_not() { ! signs || fail "signed although $1"; tail -n 1 "$folder/bot.log" | grep -qi halted || fail "another refusal"; }

boot
"$bin/portcullis-host" run --vault "unix:$folder/vault" --control "unix:$folder/control" "${identity[@]}" --listen "$folder/bots" \
    --admin "$folder/bots.admin" --receipts "$folder/receipts" 2>>"$folder/host.log" &
host=$!
within test -S "$folder/bots.admin"

signs_not "nobody has started it"
! order start stranger 2>/dev/null || fail "a stranger has started it"
signs_not "only a stranger has started it"
order resume ann
signs_not "a resume is no start"
order start ann
signs || fail "started, and does not sign"
"$bin/portcullis-host" kill --admin "$folder/bots.admin"
signs_not "it was killed"
order start ann
signs_not "a start lifts no kill"
order resume ann
signs || fail "resumed, and does not sign"
order set-mode ann cancel-only
! signs || fail "signed a swap in cancel-only mode"
order set-mode ann live
signs || fail "live again, and does not sign"

! "$bin/portcullis-host" kill --control "unix:$folder/control" --key "$folder/stranger.key" --policy-hash "$hash" \
    --root development 2>>"$folder/stranger.log" || fail "a stranger has pulled the switch"
grep -q ClientNotKnown "$folder/stranger.log" || grep -q ChannelNotAllowed "$folder/stranger.log" || fail "another reason"
signs || fail "a stranger has halted it"
bot=$(sed -n '/^name = "bot"/,/^may/s/.*x25519 = "0x\([0-9a-f]*\)".*/\1/p' "$folder/demo.toml")
"$bin/portcullis-host" cut-client --admin "$folder/bots.admin" "$bot"
! signs || fail "signed for a client that is cut off"
order resume ann
! signs || fail "a resume has reinstated a client"
order reinstate ann "$bot"
signs || fail "reinstated, and does not sign"
"$bin/portcullis-host" tighten --admin "$folder/bots.admin" --venue evm cancel-only
! signs || fail "signed a swap after the host has made the venue stricter"
order resume ann
signs || fail "resumed, and does not sign"

quoter=$("$bin/portcullis" session keygen "$folder/quoter.key" | sed 's/.*"0x\(.*\)".*/\1/')
quotes() { "$bin/examples/hyperliquid_order" "unix:$folder/bots" "$hash" "$folder/quoter.key" "$@" >>"$folder/quoter.log" 2>&1; }
! quotes || fail "signed for a client that nobody knows"
grep -q ClientNotKnown "$folder/quoter.log" || fail "another reason"
"$bin/portcullis" operator certify --book "$folder/demo.toml" --key "$folder/ann.op" --role quoter --client quoter-1 \
    --public-key "$quoter" --days 1 --out "$folder/quoter.cert"
quotes "$folder/quoter.cert" || fail "certified, and not signed for"

kill -9 "$vault"; wait "$vault" 2>/dev/null || true
boot
signs_not "it was killed and nobody has started the new boot"
order start ann
within signs
"$bin/portcullis" audit verify "$folder/receipts"

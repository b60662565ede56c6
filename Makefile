# Portcullis. `make help` lists the targets.

CARGO ?= cargo
NIGHTLY ?= nightly
FUZZ_SECS ?= 600
MUTANTS_SECS ?= 1800
FUZZ_TARGETS = evm hyperliquid_msgpack hyperliquid_json hyperliquid_user uniswapx polymarket solana solana_swift nitro_document eif vault_handle wire

.PHONY: help demo test test-core test-full purity requirements mutants lint doc judge decode-cost policy-cost refusals fuzz fuzz-canary deny clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

demo: ## build, start a vault and a host, sign for every venue, pull the kill switch, verify the receipts
	$(CARGO) build --locked --release -p enclave-dev -p portcullis-host
	@./target/release/demo

test: ## all tests that need stable Rust only
	$(CARGO) test --locked --workspace

test-core: ## the same without the oracles, whose libraries take minutes to build
	$(CARGO) test --locked --workspace --exclude 'oracle-*'

test-full: test lint ## test, and what needs more: nightly, the shared judge; each skip is printed and counted
	@./tests/full.sh

lint: ## format, clippy without warnings, documentation
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -q -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps -q

purity: ## wire, venues, book and policies build against core alone, and their controls do not
	@./tests/purity.sh

requirements: ## S1-S27, the tests that hold each, and their results; fails on one without a test
	@./tests/requirements.py

refusals: ## every refusal code is produced by a test, and tests/refusals.tsv says by which
	@./tests/refusals.py

mutants: ## mutation testing of the rules and decoders for MUTANTS_SECS (1800) seconds (needs cargo-mutants)
	@./tests/mutants.sh $(MUTANTS_SECS)

judge: ## compare with what the venues' own libraries made (needs the shared vectors beside this checkout)
	@./tests/judge.sh

decode-cost: ## instructions of decode and digest beside a plain reading, in one run (needs valgrind)
	$(CARGO) run --locked --release -q -p decode-cost

policy-cost: ## instructions of the worst decisions: largest books, largest payloads; fails above a bound (needs valgrind)
	$(CARGO) run --locked --release -q -p decode-cost -- --policies

fuzz: ## every fuzz target for FUZZ_SECS (600) seconds, two at a time
	@./fuzz/run.sh $(FUZZ_SECS) $(FUZZ_TARGETS)

fuzz-canary: ## the target with a planted panic must be found
	@./fuzz/canary.sh

deny: ## advisories, licences, sources (needs cargo-deny)
	cargo deny check

clean: ## remove what was built
	$(CARGO) clean

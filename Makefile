# One command does everything: `make test`. `make help` lists the rest.

CARGO ?= cargo
.DEFAULT_GOAL := help
.PHONY: help setup demo test bench deny

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-6s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Check the tools and install the wasm target, if it is missing
	@.ci/setup

demo: setup ## Tell a memory three years of a small company, and ask about them
	$(CARGO) run --locked --package gligabao -- demo

test: setup ## Format, lints, guest and all tests: what CI runs
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(CARGO) test --locked --workspace

bench: setup ## Measure what calls cost, into bench/results.md (an optimized build: takes a while)
	@mkdir -p bench
	@{ printf '# What calls cost\n\nMeasured by `make bench` on %s with %s cores; only ratios carry over.\n' \
	    "$$(uname -sm)" "$$(getconf _NPROCESSORS_ONLN)" && \
	  for bench in engine scale points; do $(CARGO) bench --locked --package gligabao-tests --bench $$bench || exit 1; done; \
	} | tee bench/results.md

deny: ## Check licences, advisories and sources of the dependencies (needs cargo-deny and the network)
	$(CARGO) deny --locked check

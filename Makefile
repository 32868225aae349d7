# The only commands a newcomer needs. Each installs what it needs first (Debian 12, root or sudo).
.DEFAULT_GOAL := help
PREFIX ?= /usr/local
SECONDS ?= 60

build: ## the program, at build/release/apps/interlock/interlock
	tools/bootstrap build
	cmake --workflow --preset release

demo: ## a poisoned document against a guarded agent, on real MCP software
	tools/bootstrap demo
	cmake --workflow --preset release
	demo/run

test: ## every test: unit, property, fuzz corpora, architecture, real MCP peers
	tools/bootstrap test
	tools/test

test-slow: ## the same with the random suites at length (10^6 cases of the gate against its model)
	tools/bootstrap test
	INTERLOCK_SLOW=1 tools/test

test-data: ## what needs the large data sets: make test-data DATA=dir
	tools/bootstrap data
	cmake --workflow --preset release
	tools/test-data "$(DATA)"

lint: ## format, clang-tidy, shell scripts, file lengths
	tools/bootstrap lint
	tools/lint

bench: ## every benchmark, release build
	tools/bootstrap bench
	tools/bench

fuzz: ## each fuzz target for SECONDS=60
	tools/bootstrap fuzz
	tools/fuzz $(SECONDS)

install: build ## into PREFIX=/usr/local
	cmake --install build/release --prefix "$(PREFIX)"

fresh-check: ## demo and test in a bare Debian 12 root (needs root and debootstrap)
	tools/fresh-check

clean: ## everything that was built here; .tools (Node) and node_modules stay
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14

.PHONY: build demo test test-slow test-data lint bench fuzz install fresh-check clean help

.DEFAULT_GOAL := help
.PHONY: help run build test check ci nightly lint fuzz bench simulate simulate-faults chaos soak dojo release module-zip docs record-copilotkit interop-copilotkit clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile

run: build ## build the gateway and serve on GATEWAY_ADDR, http://127.0.0.1:8080 without it; threads are kept in data/
	GATEWAY_STORE_DEFAULT=file:data/threads.db bin/gateway serve

build: ## build the web page if it changed, and bin/gateway with it
	bash -c 'source .ci/env.sh && build_gateway'

test: ## install what the tests need (no browser), then build, vet, lint, Go tests, the page's tests, real clients in Node
	bash .ci/run test

check: ## the quick loop: build, vet, lint, types, the page's tests, Go tests of packages that changed
	bash .ci/run check

ci: ## what CI runs: make test, then browser, deploy, bench, faults and chaos
	bash .ci/run

nightly: ## the long tests, at most an hour: all Go tests with -race, fuzzing, neighbours, each look of the page, releases, the module and the documents in clean directories, benchmarks, simulation, chaos, soak
	bash .ci/run nightly

lint: ## build, vet, golangci-lint, shellcheck and the rules of the house
	bash .ci/run install checks

fuzz: ## 15 minutes of two cores for all fuzz targets
	FUZZ_SECONDS=1800 FUZZ_LIMIT=1800 bash .ci/run fuzz

bench: ## what an event costs, against the least program, each step of it, and the targets of docs/performance.md: BENCH_OUT=file keeps it for benchstat
	BENCH_FORM=long BENCH_LIMIT=900 bash .ci/run bench

simulate: ## what runs, readers and questions cost on a Redis Cluster of three shards, and whether docs/scaling.md predicts it; records bench/units.json
	SIMULATE_FLAGS="-record bench/units.json" bash .ci/run simulate
	bash -c 'source .ci/env.sh && UPDATE=1 go test ./bench'

simulate-faults: ## gateways over a simulated store, network and clock, with faults by seed: make simulate-faults SEED=7 FAULTS_SECONDS=600 goes on from seed 7
	FAULTS_SEED="$(SEED)" FAULTS_LIMIT=86400 FAULTS_SECONDS=$(or $(FAULTS_SECONDS),60) bash .ci/run faults

chaos: ## kill replicas and Redis: 500 threads, five minutes of kills; writes docs/chaos.md
	CHAOS_FLAGS="-write docs/chaos.md" bash .ci/run chaos-long

soak: ## fifteen minutes of churn on each store: memory, goroutines, descriptors and Redis stay what they were; writes docs/soak.md
	SOAK_LASTS=15m CHAOS_FLAGS="-write docs/soak.md" bash .ci/run soak-long

dojo: ## the AG-UI Dojo's own pages and tests, from a checkout of its repository: make dojo AGUI=/path/to/ag-ui WAY=runtime (or direct, go)
	AGUI="$(AGUI)" bash interop/dojo/run.sh $(or $(WAY),runtime)

release: ## binaries for all platforms, bills of materials and checksums in bin/release: make release VERSION=v1.2.3
	VERSION="$(VERSION)" bash deploy/release/release.sh

module-zip: ## the Go module with the page in it, as a module proxy in bin/module, and the commit for its tag: make module-zip VERSION=v1.2.3
	VERSION="$(VERSION)" bash deploy/release/module.sh

docs: ## the site of the documents, with search, in bin/site
	bash -c 'source .ci/env.sh && source .ci/bring.sh && npm_packages docs/site && npm --prefix docs/site run --silent build'

record-copilotkit: ## ask CopilotKit's own server again, and write down what it answers
	cd interop/browser && npm run --silent record

interop-copilotkit: ## the pages' tests with another CopilotKit: make interop-copilotkit VERSION=1.74.0
	bash interop/browser/version.sh "$(VERSION)"

clean: ## remove what builds and tests left in the checkout
	rm -rf bin test-results clients/js/dist clients/js/node_modules web/node_modules docs/site/node_modules interop/node_modules interop/*/node_modules interop/neighbours/*/node_modules interop/browser/dist examples/*/node_modules
	find web/dist -mindepth 1 -not -name .gitkeep -delete
	find . -name '*.test' -not -path '*/node_modules/*' -type f -delete

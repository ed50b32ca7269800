.DEFAULT_GOAL := help
.PHONY: help run build test check lint fuzz bench simulate chaos soak dojo release record-copilotkit interop-copilotkit clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile

run: build ## build the gateway and serve on GATEWAY_ADDR, http://127.0.0.1:8080 without it; threads are kept in data/
	GATEWAY_STORE_DEFAULT=file:data/threads.db bin/gateway serve

build: ## build the web page if it changed, and bin/gateway with it
	bash web/build.sh
	go build -trimpath -tags grpcnotrace -o bin/gateway ./cmd/gateway

test: ## install what the tests need and run all that CI runs
	bash .ci/run

check: ## the quick loop: build, vet, lint, types, the page's tests, Go tests without the race detector
	bash .ci/run install checks quick

lint: ## build, vet, golangci-lint, shellcheck and the rules of the house
	bash .ci/run install checks

fuzz: ## the long form of CI's fuzz stage: 15 minutes shared by all targets
	FUZZ_SECONDS=900 FUZZ_LIMIT=1500 bash .ci/run fuzz

bench: ## what an event costs, against the least program, each step of it, and the targets of docs/performance.md: BENCH_OUT=file keeps it for benchstat
	BENCH_FORM=long BENCH_LIMIT=900 bash .ci/run bench

simulate: ## what runs, readers and questions cost on a Redis Cluster of three shards, and whether docs/scaling.md predicts it; records bench/units.json
	go build -trimpath -tags grpcnotrace -o bin/gateway ./cmd/gateway
	go run ./bench simulate -gateway bin/gateway -record bench/units.json
	UPDATE=1 go test ./bench

chaos: ## kill replicas and Redis: 500 threads, ten minutes of kills; writes docs/chaos.md
	CHAOS_FORM=-long CHAOS_LIMIT=1500 bash .ci/run chaos

soak: ## fifteen minutes of churn on each store: memory, goroutines, descriptors and Redis stay what they were; writes docs/soak.md
	SOAK_FORM=-long SOAK_LIMIT=1800 bash .ci/run soak

dojo: ## the AG-UI Dojo's own pages and tests, from a checkout of its repository: make dojo AGUI=/path/to/ag-ui WAY=runtime (or direct, go)
	AGUI="$(AGUI)" bash interop/dojo/run.sh $(or $(WAY),runtime)

release: ## binaries for all platforms, bills of materials and checksums in bin/release: make release VERSION=v1.2.3
	VERSION="$(VERSION)" bash deploy/release/release.sh

record-copilotkit: ## ask CopilotKit's own server again, and write down what it answers
	cd interop/browser && npm run --silent record

interop-copilotkit: ## the pages' tests with another CopilotKit: make interop-copilotkit VERSION=1.74.0
	bash interop/browser/version.sh "$(VERSION)"

clean: ## remove what builds and tests left in the checkout
	rm -rf bin test-results web/node_modules interop/node_modules interop/*/node_modules interop/neighbours/*/node_modules interop/browser/dist examples/*/node_modules
	find web/dist -mindepth 1 -not -name .gitkeep -delete
	find . -name '*.test' -not -path '*/node_modules/*' -type f -delete

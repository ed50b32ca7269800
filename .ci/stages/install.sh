#!/usr/bin/env bash
# Brings what `make test` needs: Debian packages that are missing, pinned tools, npm packages from lock files. No browser.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"
# shellcheck source=.ci/bring.sh
source .ci/bring.sh

need gcc gcc libc6-dev # the race detector links C
need shellcheck shellcheck
need redis-server redis-server # the Redis store's tests start their own
need strace strace # the file store's power cuts are put together from system calls
need caddy caddy # the load balancer of examples/replicas
need curl curl # operators' commands ask with it
need openssl openssl # and look at certificates
need promtool prometheus # it judges what is scraped, alerts and rules, and scrapes a gateway
install_needed

tools() {
  go mod download
  built golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint "$GOLANGCI_LINT_VERSION"
}

# One waits for the network while the other computes.
tools &
tools=$!
npm_packages web interop clients/js
wait "$tools"

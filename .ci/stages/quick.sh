#!/usr/bin/env bash
# The Go tests without the race detector, and only those of packages that changed: `make check` is for every few minutes.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

go test ./...
for module in examples/*/go.mod; do
  go -C "$(dirname "$module")" test ./...
done

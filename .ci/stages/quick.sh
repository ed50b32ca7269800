#!/usr/bin/env bash
# The Go tests of packages that changed, without the race detector. The stage checks has the rules of the house.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

mapfile -t packages < <(go list ./... | grep -v '/internal/house$')
go test "${packages[@]}"
for module in examples/*/go.mod; do
  go -C "$(dirname "$module")" test ./...
done

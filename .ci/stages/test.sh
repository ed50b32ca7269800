#!/usr/bin/env bash
# All Go tests, with the race detector and in random order. -count=1: a pass from a cache is no pass. The house rules read files, and are
# the checks' stage's, and so is vetting. TestTravellersBesideAttackers, whose gateway is the released binary, is the bench stage's, which prints its times.
# Three packages at a time: two leave a quarter of two cores idle.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

mapfile -t packages < <(go list ./... | grep -v '/internal/house$')
export CGO_ENABLED=1 # the race detector is C
go test -race -p 3 -vet=off -shuffle=on -count=1 -timeout=6m -skip '^TestTravellersBesideAttackers$' "${packages[@]}"
# Programs of other modules that use this one as a library: `./...` does not reach them.
for module in examples/*/go.mod; do
  go -C "$(dirname "$module")" test -race -vet=off -shuffle=on -count=1 -timeout=2m ./...
done

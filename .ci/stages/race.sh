#!/usr/bin/env bash
# All Go tests with the race detector, also those that the stage go runs without it.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

export CGO_ENABLED=1
testrun go -race -p 3 -vet=off -shuffle=on -count=1 -timeout=10m ./...
for module in examples/*/go.mod; do
  (cd "$(dirname "$module")" && testrun go -race -vet=off -shuffle=on -count=1 -timeout=2m ./...)
done

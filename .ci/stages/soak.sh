#!/usr/bin/env bash
# A minute of churn, after which nothing may have grown; interop/chaos/soak.go says what is looked at. SOAK_FORM=-long is `make soak`.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/chaos" ./interop/chaos
if [ "${SOAK_FORM:-}" = -long ]; then
  "$bin/chaos" -soak -long -write docs/soak.md
else
  "$bin/chaos" -soak
fi

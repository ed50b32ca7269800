#!/usr/bin/env bash
# Replicas and Redis are killed under load; interop/chaos/doc.go says what is looked at. CHAOS_FORM=-long is `make chaos`.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/chaos" ./interop/chaos
if [ "${CHAOS_FORM:-}" = -long ]; then
  "$bin/chaos" -long -write docs/chaos.md
else
  "$bin/chaos"
fi

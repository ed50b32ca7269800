#!/usr/bin/env bash
# Kills replicas and Redis under load. interop/chaos/doc.go lists what is checked. CHAOS_FLAGS are further flags of the program.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/chaos" ./interop/chaos
read -ra flags <<<"${CHAOS_FLAGS:-}"
"$bin/chaos" "${flags[@]}"

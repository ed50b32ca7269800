#!/usr/bin/env bash
# Whether a Redis Cluster of three shards costs what the formulas of docs/scaling.md predict. Three times as much fails.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

build_gateway
read -ra flags <<<"${SIMULATE_FLAGS:--during 2s -judge 3}"
go run ./bench simulate -gateway "$GATEWAY_BIN" "${flags[@]}"

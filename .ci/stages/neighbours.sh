#!/usr/bin/env bash
# The real binary beside other people's agents and front ends, each in the version that its folder pins.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

go build -trimpath -tags grpcnotrace -o "$GATEWAY_BIN" ./cmd/gateway
cd interop/neighbours
node --test --test-concurrency=2 --test-timeout=200000 ./*/*.test.mjs

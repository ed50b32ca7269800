#!/usr/bin/env bash
# The real binary, driven by the real clients in Node.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

go build -trimpath -o "$GATEWAY_BIN" ./cmd/gateway
cd interop
npm test

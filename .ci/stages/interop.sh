#!/usr/bin/env bash
# The real binary, driven by the real clients in Node.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

bash web/build.sh # the binary is tested with its page
go build -trimpath -tags grpcnotrace -o "$GATEWAY_BIN" ./cmd/gateway
cd interop
npm test

#!/usr/bin/env bash
# The real binary with models, tools and specialists that are not ours: aimock, an MCP server, Node servers, itself.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

go build -trimpath -tags grpcnotrace -o "$GATEWAY_BIN" ./cmd/gateway
cd interop
npm run --silent models

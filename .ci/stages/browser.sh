#!/usr/bin/env bash
# The real binary under CopilotKit's pages in Chromium, and beside CopilotKit's own server.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

bash web/build.sh
go build -trimpath -tags grpcnotrace -o "$GATEWAY_BIN" ./cmd/gateway
cd interop/browser
npm run --silent build
npm test

#!/usr/bin/env bash
# The real binary under the real clients in Node, and with models, tools and specialists of others: aimock, an MCP server, Node servers.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

build_gateway
npm --prefix interop test --silent

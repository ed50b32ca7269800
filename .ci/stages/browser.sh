#!/usr/bin/env bash
# The real binary under its own page and CopilotKit's pages in Chromium. The nightly stage browser-all has each look and way.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

build_gateway
cd interop/browser
npm run --silent build
npm --silent test

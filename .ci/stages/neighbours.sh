#!/usr/bin/env bash
# The real binary beside other people's agents and front ends, each in the version that its folder pins.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

# shellcheck source=.ci/bring.sh
source .ci/bring.sh

npm_packages interop/neighbours/*/
build_gateway
cd interop/neighbours
testrun node --test-concurrency=2 --test-timeout=200000 ./*/*.test.mjs

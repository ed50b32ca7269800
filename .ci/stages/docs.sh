#!/usr/bin/env bash
# The site of the documents; their programs in empty directories, with the module as `go get` brings it; each block of the first pages in a clone.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"
# shellcheck source=.ci/bring.sh
source .ci/bring.sh

npm_packages docs/site
build_gateway
npm --prefix docs/site run --silent build
cd interop
testrun node --test-concurrency=2 --test-timeout=400000 manual/*.test.mjs

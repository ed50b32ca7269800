#!/usr/bin/env bash
# Runs each test ten times that was added since this stage passed last, or in the last day if it never did. More than 100 tests run fewer times.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

base=$(sed -n 's/^commit: //p' test-results/nightly/added.passed 2>/dev/null || true)
git cat-file -e "$base^{commit}" 2>/dev/null || base=$(git rev-list -1 --before='1 day ago' HEAD)
base=${base:-$(git rev-list --max-parents=0 HEAD | tail -n 1)}
build_gateway
npm --prefix interop/browser run --silent build
testrun added "$base"

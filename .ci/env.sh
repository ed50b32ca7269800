# shellcheck shell=bash
# What every stage shares: where tools live, how tools behave, and the flags of all builds. Sourced by .ci/run and by each stage.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Built tools and caches stay outside the checkout: a fresh clone finds them again, `make clean` leaves them.
CACHE=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/agui-gateway
export CACHE
export PATH=$CACHE/bin:$PATH
export GOLANGCI_LINT_CACHE=$CACHE/golangci-lint
export GOLANGCI_LINT_VERSION=v2.15.0
# These tools check the files of deploy/. kubectl-validate contains the schemas of Kubernetes 1.30. It would have to load those of other versions.
export HELM_VERSION=v3.22.0 KUBECTL_VALIDATE_VERSION=v0.0.4 CYCLONEDX_VERSION=v1.10.0

# The only set of build flags, that of the released binary. With other flags, tags or C everything would be compiled again. The race detector
# alone needs C (see .ci/stages/go.sh). GOGC=400 gives compilers more memory for an eighth less time.
export CGO_ENABLED=0 GOFLAGS="-trimpath -tags=grpcnotrace '-toolexec=env GOGC=400'"

# The binary that tests drive from outside.
GATEWAY_BIN=$PWD/bin/gateway
export GATEWAY_BIN

# build_gateway builds the page if it changed, and the binary with it.
build_gateway() {
  bash web/build.sh
  go build -o "$GATEWAY_BIN" ./cmd/gateway
}

# testrun runs tests and runs failed tests once more (see internal/testrun). npm scripts use it through TEST_NODE and TEST_VITEST.
testrun() { "$TESTRUN" "$@"; }
TESTRUN=$PWD/bin/testrun
export TESTRUN TEST_NODE="$TESTRUN node" TEST_VITEST="$TESTRUN vitest"

# Test machines need not reach npm's vulnerability service, and nobody reads its advertisements there.
export NPM_CONFIG_AUDIT=false NPM_CONFIG_FUND=false NPM_CONFIG_UPDATE_NOTIFIER=false
export DEBIAN_FRONTEND=noninteractive

# The models of tests are mocks. The caller's own model is never called.
unset OPENAI_BASE_URL OPENAI_API_KEY OPENAI_MODEL

# shellcheck shell=bash
# What every stage shares: where tools live, and how the tools behave. Sourced by .ci/run and by each stage.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Built tools and caches stay outside the checkout: a fresh clone finds them again, `make clean` leaves them.
CACHE=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/agui-gateway
export CACHE
export PATH=$CACHE/bin:$PATH
export GOLANGCI_LINT_CACHE=$CACHE/golangci-lint
export GOLANGCI_LINT_VERSION=v2.15.0
# What judges the files of deploy/. kubectl-validate brings the schemas of Kubernetes 1.30; those of others it would have to load.
export HELM_VERSION=v3.22.0 KUBECTL_VALIDATE_VERSION=v0.0.4 CYCLONEDX_VERSION=v1.10.0

# One way to compile for all stages, that of the released binary: other flags, tags or C would compile everything twice. Compilers may take
# more memory for an eighth less of their time.
export CGO_ENABLED=0 GOFLAGS="-trimpath -tags=grpcnotrace '-toolexec=env GOGC=400'"

# The binary that tests drive from outside.
GATEWAY_BIN=$PWD/bin/gateway
export GATEWAY_BIN

# Test machines need not reach npm's vulnerability service, and nobody reads its advertisements there.
export NPM_CONFIG_AUDIT=false NPM_CONFIG_FUND=false NPM_CONFIG_UPDATE_NOTIFIER=false
export DEBIAN_FRONTEND=noninteractive

# The tests' models are mocks: nobody's own is asked.
unset OPENAI_BASE_URL OPENAI_API_KEY OPENAI_MODEL

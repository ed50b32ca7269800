#!/usr/bin/env bash
# Brings what the other stages need: Debian packages that are missing, the pinned linter, npm packages from lock files.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

# package whose command is missing
packages=()
need() { command -v "$1" >/dev/null || packages+=("${@:2}"); }
need gcc gcc libc6-dev # the race detector links C
need shellcheck shellcheck
need redis-server redis-server # the Redis store's tests start their own
need strace strace # the file store's power cuts are put together from system calls
need caddy caddy # the load balancer of examples/replicas
need chromium chromium # the pages' tests
need promtool prometheus # it judges what is scraped, alerts and rules, and scrapes a gateway
if [ ${#packages[@]} -gt 0 ]; then
  as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
  echo "apt: ${packages[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${packages[@]}"
fi

# A linter built by another Go release cannot read this one's export data: both versions count.
linter() {
  local binary=$CACHE/bin/golangci-lint built
  built=$(go version -m "$binary" 2>/dev/null || true)
  if [[ $built != *": $(go env GOVERSION)"* || $built != *"golangci-lint/v2	$GOLANGCI_LINT_VERSION"* ]]; then
    echo "golangci-lint $GOLANGCI_LINT_VERSION: building"
    GOBIN=$CACHE/bin go install "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$GOLANGCI_LINT_VERSION" 2>&1 | { grep -v '^go: downloading' || true; }
  fi
}

# The lock file decides, and an unchanged one is not installed twice.
packages_of() {
  [ "$1/node_modules/.package-lock.json" -nt "$1/package-lock.json" ] || (cd "$1" && npm ci --prefer-offline)
}

# One waits for the network while the other computes. The folders share npm's cache, so that they come one after another.
{ go mod download && linter; } &
tools=$!
for folder in web interop interop/browser examples/copilotkit-react examples/copilotkit-node; do
  packages_of "$folder"
done
wait "$tools"

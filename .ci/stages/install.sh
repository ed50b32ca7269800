#!/usr/bin/env bash
# Brings what the other stages need: Debian packages that are missing, pinned tools, npm packages from lock files.
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
need curl curl # operators' commands ask with it
need openssl openssl # and look at certificates
need chromium chromium # the pages' tests
need systemd-analyze systemd # it judges the unit of deploy/systemd
need promtool prometheus # it judges what is scraped, alerts and rules, and scrapes a gateway
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
updated=
apt_install() {
  echo "apt: $*"
  [ -n "$updated" ] || "${as_root[@]}" apt-get update -qq || return 1
  updated=yes
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "$@"
}
[ ${#packages[@]} -eq 0 ] || apt_install "${packages[@]}"

# The pages' tests take Chromium's headless shell where it can be had. The whole browser brings what either needs of the system: fonts, and the types
# of files.
command -v chromium-headless-shell >/dev/null || apt_install chromium-headless-shell || echo "without Chromium's headless shell the pages' tests take the whole browser"

# built COMMAND PACKAGE VERSION: brings a tool at a version. One built by another Go release counts as missing, because a linter cannot
# read this one's export data then.
built() {
  local module
  module=$(go version -m "$CACHE/bin/$1" 2>/dev/null || true)
  if [[ $module != *": $(go env GOVERSION)"* || $module != *"	path	$2"* || $module != *"	mod	"*"	$3"* ]]; then
    echo "$1 $3: building"
    GOBIN=$CACHE/bin go install "$2@$3" 2>&1 | { grep -v '^go: downloading' || true; }
  fi
}

tools() {
  go mod download
  go -C interop/neighbours/gosdk mod download
  go -C interop/neighbours/goserver mod download
  built golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint "$GOLANGCI_LINT_VERSION"
  built helm helm.sh/helm/v3/cmd/helm "$HELM_VERSION"
  built kubectl-validate sigs.k8s.io/kubectl-validate "$KUBECTL_VALIDATE_VERSION"
  built cyclonedx-gomod github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod "$CYCLONEDX_VERSION"
  go build -C .ci/tools -o "$CACHE/bin/deploycheck" . 2>&1 | { grep -v '^go: downloading' || true; }
}

# The lock file decides, and an unchanged one is not installed twice.
packages_of() {
  [ "$1/node_modules/.package-lock.json" -nt "$1/package-lock.json" ] || (cd "$1" && npm ci --prefer-offline)
}

# One waits for the network while the other computes, and npm computes on one core: two folders at a time share its cache.
tools &
tools=$!
export -f packages_of
folders=()
for folder in web interop interop/browser interop/neighbours/*/ examples/copilotkit-react examples/copilotkit-node; do
  [ ! -f "$folder/package.json" ] || folders+=("$folder")
done
# shellcheck disable=SC2016 # the inner shell expands it
printf '%s\0' "${folders[@]}" | xargs -0 -n 1 -P 2 bash -euc 'packages_of "$1"' packages_of
wait "$tools"

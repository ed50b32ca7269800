#!/usr/bin/env bash
# The files of deploy/, read by the programs that they are for, and a release for this platform (the nightly stage release has all). All checks
# run, so that one red run names all findings. The Go tests of interop/deploy check what is rendered and what runs.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=()
check() {
  printf -- '--- %s\n' "$1"
  "${@:2}" || failed+=("$1")
}

chart=deploy/helm/agui-gateway

# The nightly stage chart compares what is rendered with the schemas of Kubernetes.
rendered() {
  local values
  for values in "$chart"/ci/*.yaml; do
    helm lint --strict --quiet "$chart" -f "$values" || return 1
    helm template team "$chart" --kube-version 1.30.0 -f "$values" >"$work/chart.yaml" || return 1
    grep -q '^kind: ' "$work/chart.yaml" || return 1
  done
}

# The unit names the path of the installed binary. The check replaces it by the path of the built one.
unit() {
  sed "s|/usr/local/bin/agui-gateway|$GATEWAY_BIN|" deploy/systemd/agui-gateway.service >"$work/agui-gateway.service"
  systemd-analyze verify --man=no "$work/agui-gateway.service" &&
    systemd-analyze security --offline=true --threshold=15 "$work/agui-gateway.service" | tail -n 1
}

build_gateway

check 'Dockerfile' deploycheck dockerfile Dockerfile
for file in examples/replicas/compose.yaml deploy/compose/compose.yaml; do
  check "$file" deploycheck compose "$file"
done
check 'chart' rendered
check 'unit' unit
check 'release' env PLATFORMS=linux_amd64:elf bash .ci/stages/release.sh
check 'tests' "$TESTRUN" go -p 3 -vet=off -shuffle=on -count=1 -timeout=6m ./interop/deploy

[ ${#failed[@]} -eq 0 ] || { printf 'deploy failed: %s\n' "$(printf '%s; ' "${failed[@]}")"; exit 1; }

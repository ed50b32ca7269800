#!/usr/bin/env bash
# The files of deploy/ before those who read them, and a release for every platform. All checks run, so that one red run names all findings.
# What is rendered, and what runs, the Go tests of interop/deploy judge.
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

# Built by go install, helm takes the cluster for an old one. The schemas of PodMonitor and PrometheusRule are their operator's and not Kubernetes'.
rendered() {
  local values name
  for values in "$chart"/ci/*.yaml; do
    name=$(basename "$values" -values.yaml)
    helm lint --strict --quiet "$chart" -f "$values" || return 1
    helm template team "$chart" --kube-version 1.30.0 -f "$values" |
      awk 'BEGIN { RS = "---\n"; ORS = "" } NF && !/\nkind: (PodMonitor|PrometheusRule)/ { print "---\n" $0 }' >"$work/$name.yaml" || return 1
    grep -q '^kind: ' "$work/$name.yaml" || return 1
    kubectl-validate "$work/$name.yaml" || return 1
  done
}

# The unit names the place where it is installed: here it is where it was built.
unit() {
  sed "s|/usr/local/bin/agui-gateway|$GATEWAY_BIN|" deploy/systemd/agui-gateway.service >"$work/agui-gateway.service"
  systemd-analyze verify --man=no "$work/agui-gateway.service" &&
    systemd-analyze security --offline=true --threshold=15 "$work/agui-gateway.service" | tail -n 1
}

# Two builds in two directories have the same bytes, and every file is one of its platform. The bytes of other platforms are not built twice.
release() {
  local file other=$work/elsewhere
  VERSION=devel bash deploy/release/release.sh "$work/release" || return 1
  (cd "$work/release" && sha256sum --check --strict --quiet SHA256SUMS) || return 1
  for file in linux_amd64:elf linux_arm64:elf darwin_amd64:mach-o darwin_arm64:mach-o windows_amd64.exe:pe; do
    binary "$work/release/agui-gateway_devel_${file%:*}" "${file#*:}" || return 1
    materials "$work/release/agui-gateway_devel_$(basename "${file%:*}" .exe).cdx.json" || return 1
  done
  "$work/release/agui-gateway_devel_linux_amd64" version -json | grep "$(git rev-parse HEAD)" || return 1

  git clone -q --shared . "$other" && git ls-files -z -co --exclude-standard | xargs -0 cp --parents --no-dereference --remove-destination -t "$other" && cp -a web/dist "$other/web/" || return 1
  (cd "$other" && touch web/dist/index.html.gz && VERSION=devel TARGETS=linux/amd64 bash deploy/release/release.sh "$work/again") || return 1
  cmp "$work"/{release,again}/agui-gateway_devel_linux_amd64 && cmp "$work"/{release,again}/agui-gateway_devel_linux_amd64.cdx.json
}

# materials FILE: a bill of materials has Go modules, npm packages of the page, and the commit's date.
materials() {
  local word
  for word in '"bomFormat": "CycloneDX"' '"pkg:golang/go.etcd.io/bbolt@' '"pkg:npm/react@' "$(TZ=UTC0 git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd)"; do
    grep -qF -- "$word" "$1" || { echo "$1 has no $word"; return 1; }
  done
}

# binary FILE FORMAT: it has this format and the page, and asks for no other file.
binary() {
  grep -qF dist/index.html.gz "$1" || { echo "$1 is without the page"; return 1; }
  if [ "$2" = elf ] && LC_ALL=C readelf --program-headers "$1" | grep -q INTERP; then
    echo "$1 is not static"
    return 1
  fi
  local begin
  begin=$(head -c 4 "$1" | od -An -tx1 | tr -d ' \n')
  case $2-$begin in
    elf-7f454c46 | mach-o-cffaedfe | pe-4d5a*) ;;
    *) echo "$1 begins with $begin, want $2"; return 1 ;;
  esac
}

bash web/build.sh
go build -trimpath -tags grpcnotrace -o "$GATEWAY_BIN" ./cmd/gateway

check 'Dockerfile' deploycheck dockerfile Dockerfile
for file in examples/replicas/compose.yaml deploy/compose/compose.yaml; do
  check "$file" deploycheck compose "$file"
done
check 'chart' rendered
check 'unit' unit
check 'release' release

[ ${#failed[@]} -eq 0 ] || { printf 'deploy failed: %s\n' "$(printf '%s; ' "${failed[@]}")"; exit 1; }

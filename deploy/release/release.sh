#!/usr/bin/env bash
# Builds a release: a static binary for each platform with the page in it, its bill of materials, and checksums.
#
#   bash deploy/release/release.sh [DIRECTORY]     without one bin/release
#
# From the environment:
#   VERSION=v1.2.3    what `gateway version` says; without it what git describe says
#   TARGETS=…         platforms, as os/arch with blanks between
#
# The same commit, Go and page give the same bytes, wherever it is built. It needs Go, and node with npm; for bills of materials cyclonedx-gomod
# (bash .ci/run install).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

out=${1:-bin/release}
targets=${TARGETS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64}
version=${VERSION:-$(git describe --tags --always --dirty)}
commit=$(git rev-parse HEAD)
date=$(TZ=UTC0 git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd)
PATH=${XDG_CACHE_HOME:-$HOME/.cache}/agui-gateway/bin:$PATH

if [[ ! $version =~ ^[A-Za-z0-9._-]+$ ]]; then
  echo "VERSION is $version, want letters, digits, dots and dashes, as in v1.2.3" >&2
  exit 2
fi
# What is called a version can be built again from its commit.
if [[ $version =~ ^v[0-9] && $version != *-dirty && -n $(git status --porcelain) ]]; then
  echo "the checkout has changes that are not committed: they cannot be $version" >&2
  exit 1
fi
command -v cyclonedx-gomod >/dev/null || { echo 'cyclonedx-gomod is missing: bash .ci/run install' >&2; exit 1; }

bash web/build.sh
[ -s web/dist/index.html.gz ] || { echo 'the page is not built, see above' >&2; exit 1; }

mkdir -p "$out"
out=$(cd "$out" && pwd)
rm -f "$out"/agui-gateway_* "$out/SHA256SUMS"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The packages of the page, without those that only build it. npm wants a version of everything.
mkdir "$work/page"
cp web/package.json web/package-lock.json "$work/page"
(
  cd "$work/page"
  npm version --silent --no-git-tag-version --allow-same-version 0.0.0 >/dev/null
  npm sbom --silent --sbom-format cyclonedx --omit dev --package-lock-only >"$work/page.json"
)

for target in $targets; do
  os=${target%/*} arch=${target#*/} suffix=
  [ "$os" != windows ] || suffix=.exe
  name=agui-gateway_${version}_${os}_$arch
  echo "$name"
  CGO_ENABLED=0 GOOS=$os GOARCH=$arch GOFLAGS="" GOGC=400 go build -trimpath -buildvcs=false -tags grpcnotrace \
    -ldflags="-s -w -X main.release=$version -X main.commit=$commit -X main.date=$date" -o "$out/$name$suffix" ./cmd/gateway
  cyclonedx-gomod bin -json -noserial -output "$work/go.json" -version "$version" "$out/$name$suffix" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
  node deploy/release/sbom.mjs "$work/go.json" "$work/page.json" "$date" >"$out/$name.cdx.json"
done
(cd "$out" && sha256sum agui-gateway_* >SHA256SUMS)
echo "$out/SHA256SUMS"

#!/usr/bin/env bash
# A release for every platform. Two builds in two directories have the same bytes, and every file has the format of its platform. With PLATFORMS
# set, only these are built, each once.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read -ra platforms <<<"${PLATFORMS:-linux_amd64:elf linux_arm64:elf darwin_amd64:mach-o darwin_arm64:mach-o windows_amd64.exe:pe}"

# check_materials FILE: a bill of materials has Go modules, npm packages of the page, and the commit's date.
check_materials() {
  local word
  for word in '"bomFormat": "CycloneDX"' '"pkg:golang/go.etcd.io/bbolt@' '"pkg:npm/react@' "$(TZ=UTC0 git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd)"; do
    grep -qF -- "$word" "$1" || { echo "$1 has no $word"; return 1; }
  done
}

# check_binary FILE FORMAT: the file has this format and the page, and needs no other file.
check_binary() {
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

targets=$(printf '%s\n' "${platforms[@]}" | sed -E 's/(\.exe)?:.*//; s/_/\//' | tr '\n' ' ')
TARGETS=$targets VERSION=devel bash deploy/release/release.sh "$work/release"
(cd "$work/release" && sha256sum --check --strict --quiet SHA256SUMS)
for platform in "${platforms[@]}"; do
  check_binary "$work/release/agui-gateway_devel_${platform%:*}" "${platform#*:}"
  check_materials "$work/release/agui-gateway_devel_$(basename "${platform%:*}" .exe).cdx.json"
done
"$work/release/agui-gateway_devel_linux_amd64" version -json | grep "$(git rev-parse HEAD)"
[ -z "${PLATFORMS:-}" ] || exit 0

other=$work/elsewhere
git clone -q --shared . "$other"
git ls-files -z -co --exclude-standard | xargs -0 cp --parents --no-dereference --remove-destination -t "$other"
cp -a web/dist "$other/web/"
(cd "$other" && touch web/dist/index.html.gz && VERSION=devel TARGETS=linux/amd64 bash deploy/release/release.sh "$work/again")
cmp "$work"/{release,again}/agui-gateway_devel_linux_amd64
cmp "$work"/{release,again}/agui-gateway_devel_linux_amd64.cdx.json

# shellcheck shell=bash
# Functions of the stages install and tools, which bring what other stages need.

packages=()

# need COMMAND PACKAGE...: these Debian packages bring a command.
need() { command -v "$1" >/dev/null || packages+=("${@:2}"); }

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
updated=
apt_install() {
  echo "apt: $*"
  [ -n "$updated" ] || "${as_root[@]}" apt-get update -qq || return 1
  updated=yes
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "$@"
}

# install_needed installs the packages of commands that are missing.
install_needed() { [ ${#packages[@]} -eq 0 ] || apt_install "${packages[@]}"; }

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

# npm_ci FOLDER: the lock file decides, and an unchanged one is not installed twice.
npm_ci() {
  [ "$1/node_modules/.package-lock.json" -nt "$1/package-lock.json" ] || (cd "$1" && npm ci --prefer-offline)
}

# npm_packages FOLDER...: installs the packages of folders that have any. npm computes on one core: two folders at a time share its cache.
npm_packages() {
  local folder folders=()
  for folder in "$@"; do
    [ ! -f "$folder/package.json" ] || folders+=("$folder")
  done
  export -f npm_ci
  # shellcheck disable=SC2016 # the inner shell expands it
  printf '%s\0' "${folders[@]}" | xargs -0 -n 1 -P 2 bash -euc 'npm_ci "$1"' npm_ci
}

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

# npm_ci FOLDER: installs what the lock file says. An unchanged lock file is not installed twice, and a fresh clone links the files of an
# earlier installation in the cache. Installations that no run used for two weeks go.
npm_ci() {
  local kept
  [ ! "$1/node_modules/.package-lock.json" -nt "$1/package-lock.json" ] || return 0
  kept=$CACHE/npm/$(cat "$1/package-lock.json" "$1/package.json" <(node --version) | sha256sum | cut -c1-32)
  if [ ! -d "$kept" ]; then
    (cd "$1" && npm ci --prefer-offline)
    mkdir -p "$CACHE/npm"
    rm -rf "$kept.new"
    cp -al "$1/node_modules" "$kept.new" 2>/dev/null || cp -a "$1/node_modules" "$kept.new"
    mv -T "$kept.new" "$kept" 2>/dev/null || rm -rf "$kept.new" # another run was faster
  else
    rm -rf "$1/node_modules"
    cp -al "$kept" "$1/node_modules" 2>/dev/null || { rm -rf "$1/node_modules" && cp -a "$kept" "$1/node_modules"; }
    touch "$kept" "$1/node_modules/.package-lock.json"
  fi
  find "$CACHE/npm" -mindepth 1 -maxdepth 1 -mtime +14 -exec rm -rf {} + 2>/dev/null || true
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

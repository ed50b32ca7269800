#!/usr/bin/env bash
# keep-older.sh COMMIT FILE: keeps the Go source of a commit's replica, with all of ours that it imports, in a .tar.gz from which
# the scenario rolling builds the older of its two versions: a checkout in CI has no history to build it from.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
commit=$1 file=$(realpath -m "$2")

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
git archive "$commit" | tar -x -C "$tree"
cd "$tree"
# shellcheck disable=SC2016
list='{{if .Module}}{{if .Module.Main}}{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{range .IgnoredGoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{range .EmbedFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}'
{ printf 'go.mod\ngo.sum\n'; go list -deps -f "$list" ./interop/chaos/replica | sed -n "s|^$tree/||p"; } | grep -v _test.go | sort -u > "$tree/.kept"
tar -c --owner=0 --group=0 --mode=0644 --mtime="$(git -C "$OLDPWD" log -1 --format=%cI "$commit")" -T "$tree/.kept" | gzip -9n > "$file"

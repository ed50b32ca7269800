#!/usr/bin/env bash
# Makes the Go module with the built page in it: the commit for the tag of a version, and a module proxy of files that has the version.
#
#   bash deploy/release/module.sh [DIRECTORY]     without one bin/module
#
# From the environment:
#   VERSION=v1.2.3    the version; without it v0.0.0-devel
#
# `go get` brings the files of the tag's commit, and no branch has web/dist. So the tag belongs on the commit that this script makes: HEAD and the
# page. The same commit, page and version give the same one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

out=${1:-bin/module}
version=${VERSION:-v0.0.0-devel}
if [[ ! $version =~ ^v[01]\.[0-9]+\.[0-9]+(-[A-Za-z0-9.-]+)?$ ]]; then
  echo "VERSION is $version, want three numbers, as in v1.2.3" >&2
  exit 2
fi
if [[ $version != v0.0.0-devel && -n $(git status --porcelain) ]]; then
  echo "the checkout has changes that are not committed: they cannot be $version" >&2
  exit 1
fi

bash web/build.sh
[ -s web/dist/index.html.gz ] || { echo 'the page is not built, see above' >&2; exit 1; }

module=$(go list -m)
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The commit is made in another index: the checkout stays as it is.
tree=$(
  export GIT_INDEX_FILE=$work/index
  git read-tree HEAD
  git add --force web/dist
  git write-tree
)
date=$(git log -1 --format=%cI)
commit=$(GIT_AUTHOR_NAME=release GIT_AUTHOR_EMAIL='' GIT_AUTHOR_DATE=$date GIT_COMMITTER_NAME=release GIT_COMMITTER_EMAIL='' \
  GIT_COMMITTER_DATE=$date git commit-tree -p HEAD -m "$version with the built page" "$tree")

# The go command makes the files of the proxy, from a repository with this one tag that git finds at the module's address.
git clone -q --bare --shared . "$work/repository"
git -C "$work/repository" tag "$version" "$commit"
GOMODCACHE=$work/modules GOFLAGS=-modcacherw GOPROXY=direct GOPRIVATE=$module GIT_CONFIG_COUNT=1 GIT_CONFIG_VALUE_0=https://$module \
  GIT_CONFIG_KEY_0=url.file://$work/repository.insteadOf go -C "$work" mod download "$module@$version"

files=$out/$module/@v
mkdir -p "$files"
for suffix in info mod zip; do
  cp "$work/modules/cache/download/$module/@v/$version.$suffix" "$files/"
done
(cd "$files" && printf '%s\n' *.zip | sed 's/\.zip$//' >list)
echo "$files/$version.zip"
echo "commit $commit: git tag $version $commit, and a push of the tag, publish it"

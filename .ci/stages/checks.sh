#!/usr/bin/env bash
# Everything that judges the code without running it. All checks run, so that one red run names all findings.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

failed=()
check() {
  printf -- '--- %s\n' "$1"
  "${@:2}" || failed+=("$1")
}

formatted() {
  local files
  files=$(git ls-files -z -co --exclude-standard -- '*.go' | xargs -0 -r gofmt -l) || return 1
  [ -z "$files" ] || { printf 'gofmt would change:\n%s\n' "$files"; return 1; }
}

# page_checked judges the page. It runs beside the checks of Go.
page_checked() {
  local rc=0
  npm --prefix web run --silent check || rc=1
  npm --prefix clients/js run --silent check || rc=1
  npm --prefix web run --silent test || rc=1
  return "$rc"
}
page_log=$(mktemp)
trap 'rm -f "$page_log"' EXIT
page_checked >"$page_log" 2>&1 &
page=$!
page_waited() {
  local rc=0
  wait "$page" || rc=$?
  cat "$page_log"
  return "$rc"
}

check 'go build' go build ./...
# golangci-lint vets this module's packages.
modules_vetted() {
  local module
  for module in examples/*/go.mod interop/neighbours/*/go.mod; do
    go -C "$(dirname "$module")" vet ./... || return 1
  done
}

check 'go vet of modules' modules_vetted
check 'gofmt' formatted
check 'go mod tidy' go mod tidy -diff
check 'golangci-lint config' golangci-lint config verify
check 'golangci-lint' golangci-lint run
check 'shellcheck' shellcheck -x .ci/run .ci/*.sh .ci/stages/*.sh examples/*/*.sh interop/*/*.sh deploy/*/*.sh web/build.sh
check 'types and tests of the page' page_waited
# The rules of the house run by themselves: a broken rule should not hide in a long test log.
check 'house rules' "$TESTRUN" go -count=1 ./internal/house

[ ${#failed[@]} -eq 0 ] || { printf 'checks failed: %s\n' "$(printf '%s; ' "${failed[@]}")"; exit 1; }

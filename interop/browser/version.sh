#!/usr/bin/env bash
# Is the gateway ready for another CopilotKit? Installs that version in a copy of these tests, shows what its server answers
# differently, and runs everything with it. The checkout is left as it is.
#
#   bash interop/browser/version.sh 1.75.0
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../.ci/env.sh"

version=${1:-}
[ -n "$version" ] || { echo 'say which: make interop-copilotkit VERSION=1.75.0' >&2; exit 2; }

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
export GATEWAY_BIN=$copy/gateway
go build -o "$GATEWAY_BIN" ./cmd/gateway
go build -o "$TESTRUN" ./internal/testrun
tar -c --exclude=node_modules --exclude=dist interop/package.json interop/package-lock.json interop/lib interop/copilotkit interop/models interop/browser examples clients/js | tar -x -C "$copy"

names=()
for name in @copilotkit/react-core @copilotkit/runtime; do # not every version has both
  if npm view "$name@$version" version >/dev/null 2>&1; then
    names+=("$name")
  else
    echo "$name has no $version, and stays as it is"
  fi
done
[ ${#names[@]} -gt 0 ]

# take FOLDER: installs the packages of a folder, CopilotKit's among them in that version.
take() (
  cd "$copy/$1"
  rm package-lock.json
  for name in "${names[@]}"; do
    [ "$(npm pkg get "dependencies.$name")" = "{}" ] || npm pkg set "dependencies.$name=$version"
  done
  npm install --no-audit --no-fund
)
take interop/browser
take examples/copilotkit-react
take examples/copilotkit-node
(cd "$copy/interop" && npm ci --no-audit --no-fund)
cd "$copy/interop/browser"
rm -f page_*.test.mjs # the gateway's own page has its own CopilotKit

printf '\n=== what its server answers differently\n'
node record.mjs "$copy/record.json"
diff -U4 ../copilotkit/record.json "$copy/record.json" || true

printf '\n=== the tests\n'
npm run --silent build
(cd .. && RECORD=$copy/record.json node --test copilotkit/*.test.mjs)
npm run nightly

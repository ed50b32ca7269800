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
tar -c --exclude=node_modules --exclude=dist interop/package.json interop/package-lock.json interop/lib interop/copilotkit interop/models interop/browser examples | tar -x -C "$copy"

cd "$copy/interop"
npm ci --no-audit --no-fund
cd browser
rm package-lock.json
rm -f page_*.test.mjs # the gateway's own page brings a CopilotKit of its own
found=
for name in @copilotkit/react-core @copilotkit/runtime; do # not every version has both
  if npm view "$name@$version" version >/dev/null 2>&1; then
    npm pkg set "dependencies.$name=$version"
    found=yes
  else
    echo "$name has no $version, and stays as it is"
  fi
done
[ -n "$found" ]
npm install --no-audit --no-fund
for example in copilotkit-react copilotkit-node; do
  ln -s "$PWD/node_modules" "$copy/examples/$example/node_modules"
done

printf '\n=== what its server answers differently\n'
node record.mjs "$copy/record.json"
diff -U4 ../copilotkit/record.json "$copy/record.json" || true

printf '\n=== the tests\n'
npm run --silent build
(cd .. && RECORD=$copy/record.json node --test copilotkit/*.test.mjs)
npm run nightly

#!/usr/bin/env bash
# The AG-UI Dojo's own end-to-end tests, in its own pages, against the gateway with examples/dojo/team.yaml.
#
#   AGUI=/path/to/ag-ui bash interop/dojo/run.sh [runtime|direct|go] [playwright arguments]
#
# AGUI is a checkout of the repository of AG-UI, or its git directory; AGUI_REF a commit of it, HEAD by default.
#   runtime   page, the Dojo's CopilotKit runtime in Node, gateway
#   direct    page, gateway: its /api/copilotkit takes the runtime's place
#   go        as runtime, with examples/dojo/main.go, which makes agents in Go, in place of the gateway
# Without arguments of Playwright these are the specs of the integrations whose pages the team serves. WORK keeps the pages
# once they are built, and what each way recorded: delete WORK/app after a change in slim.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
: "${AGUI:?say where a checkout of the repository of AG-UI is: make dojo AGUI=/path/to/ag-ui}"
way=${1:-runtime}
shift || true
case $way in runtime | direct | go) ;; *) echo "no way named $way; there are runtime, direct and go" >&2; exit 2 ;; esac
work=${WORK:-${TMPDIR:-/tmp}/gateway-dojo}
app=$work/app
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}
export CHROMIUM NEXT_TELEMETRY_DISABLED=1 NO_COLOR=1
pnpm() { npm exec --yes --package=pnpm@10.33.4 -- pnpm "$@"; }

# The pages and tests are as they are in the checkout. Only the table of backends is ours, and package.json has no integration
# that is a program of its own.
if [ ! -f "$app/.next/BUILD_ID" ]; then
  rm -rf "$app" "$work/source"
  mkdir -p "$app" "$work/source"
  git -C "$AGUI" archive "${AGUI_REF:-HEAD}" -- apps/dojo patches ':(exclude)apps/dojo/src/files.json' ':(exclude)*.event-trace.ts' | tar x -C "$work/source"
  cp -r "$work/source/apps/dojo/." "$app/"
  cp -r "$work/source/patches" "$app/patches"
  rm -rf "$app/src/mastra" "$app/src/crewai.test.ts"
  cp "$here/slim/package.json" "$app/package.json"
  cp "$here/slim/agents.ts" "$here/backends.json" "$app/src/"
  cp "$here"/slim/gateway.*.ts "$app/e2e/"
  echo '{}' >"$app/src/files.json" # what the pages' source view shows
  mv "$app/next.config.ts" "$app/next.config.dojo.ts"
  printf 'import config from "./next.config.dojo";\nexport default { ...config, typescript: { ignoreBuildErrors: true } };\n' >"$app/next.config.ts"
  (cd "$app" && pnpm install --ignore-scripts --prefer-offline)
  (cd "$app" && NEXT_FONT_GOOGLE_MOCKED_RESPONSES="$here/slim/fonts.cjs" npx next build)
fi

# A checkout without LFS has a text in place of the picture that one test attaches, which the gateway takes for no picture.
picture=$app/e2e/fixtures/test-image.png
if grep -q git-lfs "$picture"; then
  base64 -d >"$picture" <<<iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
fi

out=$work/out-$way
rm -rf "$out"
mkdir -p "$out"
pids=()
# shellcheck disable=SC2317 # the trap calls it
end() {
  [ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null || true
  wait 2>/dev/null || true
}
trap end EXIT
free() { node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})'; }
up() {
  for _ in $(seq 150); do
    if curl -sf -o /dev/null "$1"; then return; fi
    sleep 0.2
  done
  echo "$1 does not answer; see $out" >&2
  return 1
}
AIMOCK_PORT=$(free)
export AIMOCK_PORT OPENAI_BASE_URL=http://127.0.0.1:$AIMOCK_PORT/v1 OPENAI_API_KEY=none
gateway_port=$(free)
export GATEWAY_URL=http://127.0.0.1:$gateway_port
if [ "$way" = go ]; then
  (cd "$root" && go build -o "$work/dojo" ./examples/dojo)
  "$work/dojo" -addr "127.0.0.1:$gateway_port" >"$out/gateway.log" 2>&1 &
else
  (cd "$root" && go build -o "$work/gateway" ./cmd/gateway)
  "$work/gateway" -addr "127.0.0.1:$gateway_port" -config "$root/examples/dojo/team.yaml" -log-level debug >"$out/gateway.log" 2>&1 &
fi
pids+=($!)
up "$GATEWAY_URL/healthz"
dojo_port=$(free)
export BASE_URL=http://127.0.0.1:$dojo_port
(cd "$app" && exec node node_modules/next/dist/bin/next start -H 127.0.0.1 -p "$dojo_port") >"$out/dojo.log" 2>&1 &
pids+=($!)
up "$BASE_URL/langgraph-fastapi/feature/agentic_chat"
if [ "$way" = direct ]; then
  FRONT_PORT=$(free)
  export FRONT_PORT
  DOJO_URL=$BASE_URL TRACES=$out/traces node "$here/front.mjs" >"$out/front.log" 2>&1 &
  pids+=($!)
  export BASE_URL=http://127.0.0.1:$FRONT_PORT
  up "$BASE_URL/langgraph-fastapi/feature/agentic_chat"
fi

export RESULTS=$out/results.json OUTPUT=$out/playwright
[ $# -gt 0 ] || set -- tests/agUiDotnetTests tests/langgraphFastAPITests tests/serverStarterAllFeaturesTests tests/crewAITests/interruptPage.spec.ts tests/crewAITests/errorFlowPage.spec.ts
cd "$app/e2e"
status=0
npx playwright test -c gateway.config.ts "$@" >"$out/playwright.log" 2>&1 || status=$?
node "$here/report.mjs" "$out/results.json"
exit $status

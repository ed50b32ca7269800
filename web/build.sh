#!/usr/bin/env bash
# Builds the page into web/dist, if anything it is made of is newer than what is there. Without a Node that can do it, it says
# so and leaves the API to be built without a page.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

wanted=20.19
able() {
  command -v npm >/dev/null && node -e '
    const [a, b] = process.versions.node.split(".").map(Number), [c, d] = process.argv[1].split(".").map(Number);
    process.exit(a > c || (a === c && b >= d) ? 0 : 1)' "$wanted"
}

made=dist/index.html.gz
if [ -e "$made" ]; then
  newer=$(find ../clients/js/src ../clients/js/vite.mjs index.html package.json package-lock.json tsconfig.json vite.config.ts build.sh scripts src -type f -newer "$made" -not -name '*.test.*' -print -quit)
  [ -n "$newer" ] || exit 0
fi
if ! able; then
  echo "The web page is not built: that needs Node $wanted or newer and npm. The API works without it." >&2
  exit 0
fi
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund
npm run --silent build

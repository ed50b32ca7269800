#!/usr/bin/env bash
# Every fuzz target of the module shares FUZZ_SECONDS (90 in CI); each gets at least three.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

seconds=${FUZZ_SECONDS:-90}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

targets=() # "package target"
packages=$(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./...)
for package in $packages; do
  listed=$(go test -list='^Fuzz' "$package") || { echo "$listed"; exit 1; } # it does not build
  while read -r name; do
    [[ $name != Fuzz* ]] || targets+=("$package $name")
  done <<<"$listed"
done
if [ ${#targets[@]} -eq 0 ]; then
  echo 'no fuzz target found' >&2
  exit 1
fi
each=$((seconds / ${#targets[@]}))
[ "$each" -ge 3 ] || each=3
echo "${#targets[@]} targets, $each s each"

fuzz() { # package target
  go test -run='^$' -fuzz="^$2\$" -fuzztime="${each}s" -fuzzminimizetime=5s "$1" 2>&1 | tee "$log"
}

# Go before 1.27 sometimes reports the end of -fuzztime itself as a failure (golang/go#75804): a bare deadline line and no input.
# Only that is tried once more, and then has to pass; a finding has an input or a message of its own.
spurious() {
  grep -q '^ *context deadline exceeded$' "$log" && ! grep -qE 'Failing input|panic:|hung|_test\.go:[0-9]+:' "$log"
}

findings=()
for target in "${targets[@]}"; do
  read -r package name <<<"$target"
  echo "--- $package $name"
  fuzz "$package" "$name" || { spurious && fuzz "$package" "$name"; } || findings+=("$name")
done
if [ ${#findings[@]} -gt 0 ]; then
  echo "fuzzing failed: ${findings[*]} (inputs: testdata/fuzz of the package; keep the input with the fix)" >&2
  exit 1
fi

#!/usr/bin/env bash
# Every fuzz target of the module shares FUZZ_SECONDS (60 in CI, `make fuzz` gives them more); each gets at least two.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

seconds=${FUZZ_SECONDS:-60}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
kept=$(go env GOCACHE)/fuzz # where go test -fuzz keeps what it found interesting

targets=() # "folder target"
while IFS=: read -r file name; do
  targets+=("$(dirname "$file") $name")
done < <(git ls-files -co --exclude-standard -- '*_test.go' | xargs grep -oE '^func Fuzz[A-Za-z0-9_]*' /dev/null | sed 's/:func /:/')
if [ ${#targets[@]} -eq 0 ]; then
  echo 'no fuzz target found' >&2
  exit 1
fi
each=$((seconds / ${#targets[@]}))
[ "$each" -ge 2 ] || each=2
echo "${#targets[@]} targets, $each s each"

# A package is compiled with coverage once, not once per target.
binary() { # folder
  local out=$work/${1//\//_}.test
  [ -e "$out" ] || go test -c -fuzz=. -o "$out" "./$1" || return
  echo "$out"
}

fuzz() { # folder target
  local out
  out=$(binary "$1") || return
  (cd "$1" && "$out" -test.run='^$' -test.fuzz="^$2\$" -test.fuzztime="${each}s" -test.fuzzminimizetime=5s \
    -test.fuzzcachedir="$kept/$(go list .)") >"$log" 2>&1
}

# Go before 1.27 sometimes reports the end of -fuzztime itself as a failure (golang/go#75804): a bare deadline line and no input.
# Only that is tried once more, and then has to pass; a finding has an input or a message of its own.
spurious() {
  grep -q '^ *context deadline exceeded$' "$log" && ! grep -qE 'Failing input|panic:|hung|_test\.go:[0-9]+:' "$log"
}

findings=()
for target in "${targets[@]}"; do
  read -r folder name <<<"$target"
  echo "--- $folder $name"
  fuzz "$folder" "$name" || { spurious && fuzz "$folder" "$name"; } || findings+=("$name")
  cat "$log"
done
if [ ${#findings[@]} -gt 0 ]; then
  echo "fuzzing failed: ${findings[*]} (inputs: testdata/fuzz of the package; keep the input with the fix)" >&2
  exit 1
fi

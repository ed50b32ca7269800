#!/usr/bin/env bash
# All fuzz targets of the module share FUZZ_SECONDS of two workers; each gets at least two seconds.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

seconds=${FUZZ_SECONDS:-720}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
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

# fuzz BINARY FOLDER TARGET LOG: fuzzes by one worker, because two packages are fuzzed at the same time.
fuzz() {
  (cd "$2" && "$1" -test.run='^$' -test.fuzz="^$3\$" -test.fuzztime="${each}s" -test.fuzzminimizetime=5s -test.parallel=1 \
    -test.fuzzcachedir="$kept/$(go list .)") >"$4" 2>&1
}

# Go before 1.27 sometimes reports the end of -fuzztime itself as a failure (golang/go#75804): a bare deadline line and no input.
# Only that is tried once more, and then has to pass; a finding has an input or a message of its own.
spurious() { # log
  grep -q '^ *context deadline exceeded$' "$1" && ! grep -qE 'Failing input|panic:|hung|_test\.go:[0-9]+:' "$1"
}

# package FOLDER: compiles a package once and fuzzes its targets. Failures go to the folder's list of findings. Without coverage the fuzzer only
# warns, but nothing guides it.
package() {
  local folder name base=$work/${1//\//_}
  go test -c -fuzz=. -o "$base.test" "./$1" || { echo "$1: does not compile" >>"$base.findings"; return; }
  for target in "${targets[@]}"; do
    read -r folder name <<<"$target"
    [ "$folder" = "$1" ] || continue
    echo "--- $folder $name"
    fuzz "$base.test" "$folder" "$name" "$base.target" || { spurious "$base.target" && fuzz "$base.test" "$folder" "$name" "$base.target"; } ||
      echo "$name" >>"$base.findings"
    ! grep -q 'without coverage' "$base.target" || echo "$name: is fuzzed without coverage" >>"$base.findings"
    cat "$base.target"
  done
}

mapfile -t folders < <(printf '%s\n' "${targets[@]}" | cut -d' ' -f1 | sort -u)
for folder in "${folders[@]}"; do
  [ "$(jobs -rp | wc -l)" -lt 2 ] || wait -n
  package "$folder" >"$work/${folder//\//_}.log" 2>&1 &
done
wait
for folder in "${folders[@]}"; do
  cat "$work/${folder//\//_}.log"
done
if cat "$work"/*.findings 2>/dev/null; then
  echo 'fuzzing failed: the targets above (inputs: testdata/fuzz of the package; keep the input with the fix)' >&2
  exit 1
fi

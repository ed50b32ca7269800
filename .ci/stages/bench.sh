#!/usr/bin/env bash
# The figures of docs/bench.md, measured briefly: printed, not judged, for a busy machine makes any of them bad.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

benchtime=${BENCHTIME:-300ms}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for package in ./state/redisstore ./state/filestore ./gateway ./cmd/gateway; do
  go test -run '^$' -bench . -benchtime "$benchtime" "$package" | tee "$log"
  grep -qE '^Benchmark[^[:space:]]+[[:space:]]+[0-9]' "$log" || { echo "$package measured nothing" >&2; exit 1; }
done

# The trips of a hundred people, alone and beside attackers; the test judges whether all are planned, and the memory.
go test -count=1 -v -run '^TestTravellersBesideAttackers$' ./cmd/gateway | tee "$log"
grep -q 'p99' "$log" || { echo "the travellers were not measured" >&2; exit 1; }

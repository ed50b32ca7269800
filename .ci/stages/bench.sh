#!/usr/bin/env bash
# What a gateway costs against the least program, which fails at twice what docs/performance.md says; whether a Redis Cluster costs what the
# formulas of docs/scaling.md predict, which fails at three times that; and the figures of docs/bench.md, printed and not judged, for a busy machine makes any of them bad.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

go build -trimpath -tags grpcnotrace -o "$GATEWAY_BIN" ./cmd/gateway
read -ra compare <<<"${BENCH_COMPARE:--judge -rounds 3 -runs 300}"
go run ./bench compare -gateway "$GATEWAY_BIN" "${compare[@]}"
go run ./bench simulate -gateway "$GATEWAY_BIN" -during 2s -judge 3

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

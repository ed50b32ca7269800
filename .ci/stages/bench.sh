#!/usr/bin/env bash
# Compares a gateway with the smallest possible program, and judges the targets of docs/performance.md. BENCH_FORM is one of
#   short  the benchmarks with a judged ratio. A ratio that is twice the recorded one is a failure. This is the default.
#   all    also the benchmarks of each step of the walk. Their figures are only printed, because a busy machine makes them worse.
#   long   the same as all, with longer measurements. Nothing is judged.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

form=${BENCH_FORM:-short}
case $form in
  short | all) compare="-judge -rounds 3 -runs 300" benchtime=50ms flags=(-test.short) verdicts=(-judge) ;;
  long) compare="-rounds 5 -runs 1000" benchtime=500ms flags=() verdicts=() ;;
  *) echo "BENCH_FORM is short, all or long" >&2 && exit 2 ;;
esac

build_gateway
figures=$(mktemp) one=$(mktemp) tests=$(mktemp -d)
trap 'rm -rf "$figures" "$one" "$tests"' EXIT
read -ra compare <<<"$compare"
go run ./bench compare -gateway "$GATEWAY_BIN" "${compare[@]}" | tee "$figures"
go run ./bench hold -gateway "$GATEWAY_BIN" | tee -a "$figures"

packages=(model/openai gateway cmd/gateway) benchmarks='^Benchmark(Chunk|LongThread)$'
if [ "$form" != short ]; then
  packages+=(agui agui/run state state/memstore state/redisstore state/filestore groupchat gateway/wire gateway/internal/recorder)
  benchmarks=.
fi

# What is measured is built before, by both cores: a link has use for one.
built() { go test -c -ldflags='-s -w' -o "$tests/${1//\//_}" "./$1"; }
export tests
export -f built
# shellcheck disable=SC2016 # the inner shell expands it
printf '%s\0' "${packages[@]}" | xargs -0 -n 1 -P 2 bash -euc 'built "$1"' built

for package in "${packages[@]}"; do
  [ "$form-$package" != short-cmd/gateway ] || continue # its benchmarks are not judged
  (cd "$package" && "$tests/${package//\//_}" "${flags[@]}" -test.run '^$' -test.bench "$benchmarks" -test.benchtime "$benchtime" -test.timeout 10m) | tee "$one"
  grep -qE '^Benchmark[^[:space:]]+[[:space:]]+[0-9]' "$one" || { echo "$package measured nothing" >&2; exit 1; }
  cat "$one" >>"$figures"
done

# The trips of a hundred people, alone and beside attackers; the test judges whether all are planned, and the memory.
(cd cmd/gateway && "$tests/cmd_gateway" -test.v -test.run '^TestTravellersBesideAttackers$' -test.timeout 10m) | tee "$one"
grep -q 'p99' "$one" || { echo "the travellers were not measured" >&2; exit 1; }

# What was measured is kept for benchstat.
[ -z "${BENCH_OUT:-}" ] || cp "$figures" "$BENCH_OUT"
go run ./bench targets "${verdicts[@]}" <"$figures"

#!/usr/bin/env bash
# The stage bench with the benchmarks of each step of the walk.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

BENCH_FORM=all bash .ci/stages/bench.sh

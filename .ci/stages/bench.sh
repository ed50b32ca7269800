#!/usr/bin/env bash
# The figures of docs/bench.md, measured briefly: printed, not judged, for a busy machine makes any of them bad.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

benchtime=${BENCHTIME:-300ms}
go test -run '^$' -bench . -benchtime "$benchtime" ./state/redisstore ./gateway ./cmd/gateway

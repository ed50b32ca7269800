#!/usr/bin/env bash
# The stage chaos with 500 threads and five minutes of kills.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

CHAOS_FLAGS="-long ${CHAOS_FLAGS:-}" bash .ci/stages/chaos.sh

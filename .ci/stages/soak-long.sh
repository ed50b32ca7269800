#!/usr/bin/env bash
# The stage soak for SOAK_LASTS, five minutes without it.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

CHAOS_FLAGS="-soak -long -lasts ${SOAK_LASTS:-5m} ${CHAOS_FLAGS:-}" bash .ci/stages/chaos.sh

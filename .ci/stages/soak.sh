#!/usr/bin/env bash
# A minute of churn. Nothing may have grown after it. interop/chaos/soak.go lists the checks.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

CHAOS_FLAGS="-soak ${CHAOS_FLAGS:-}" bash .ci/stages/chaos.sh

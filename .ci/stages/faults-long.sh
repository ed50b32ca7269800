#!/usr/bin/env bash
# The stage faults for two minutes a test, from a new seed on. A failure prints the seed.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

FAULTS_SEED='' FAULTS_SECONDS=120 bash .ci/stages/faults.sh

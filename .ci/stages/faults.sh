#!/usr/bin/env bash
# Simulations of gateways with faults by seed, and rounds on a Redis that goes back. A push begins with seed 1. FAULTS_SEED is
# another one; an empty one means a new one. FAULTS_SECONDS is how long each of the two tests lasts. internal/faultsim has the checks.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

export FAULTS_SECONDS=${FAULTS_SECONDS:-15}
go test -count=1 -timeout "$((10 * FAULTS_SECONDS + 120))s" ./internal/faultsim -run 'TestFaults$|TestFailover$' -v

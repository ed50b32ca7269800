#!/usr/bin/env bash
# Simulations of gateways with faults by seed, and rounds on a Redis that goes back. FAULTS_SEED repeats a seed. FAULTS_SECONDS is how long each of the
# two tests lasts. internal/faultsim has the checks.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

export FAULTS_SECONDS=${FAULTS_SECONDS:-15}
go test -count=1 -timeout "$((10 * FAULTS_SECONDS + 120))s" ./internal/faultsim -run 'TestFaults$|TestFailover$' -v

#!/usr/bin/env bash
# The chart, rendered with each file of values, against the schemas of Kubernetes. kubectl-validate takes minutes to build, so this runs nightly.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"
# shellcheck source=.ci/bring.sh
source .ci/bring.sh

built kubectl-validate sigs.k8s.io/kubectl-validate "$KUBECTL_VALIDATE_VERSION"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chart=deploy/helm/agui-gateway

# A helm that go install built assumes an old cluster. Kubernetes has no schemas for PodMonitor and PrometheusRule: their operator has.
for values in "$chart"/ci/*.yaml; do
  name=$(basename "$values" -values.yaml)
  helm template team "$chart" --kube-version 1.30.0 -f "$values" |
    awk 'BEGIN { RS = "---\n"; ORS = "" } NF && !/\nkind: (PodMonitor|PrometheusRule)/ { print "---\n" $0 }' >"$work/$name.yaml"
  grep -q '^kind: ' "$work/$name.yaml"
  kubectl-validate "$work/$name.yaml"
done

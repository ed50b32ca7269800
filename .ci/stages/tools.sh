#!/usr/bin/env bash
# Brings what the stages after `make test` need: Chromium, the tools that judge the files of deploy/, npm packages of pages.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"
# shellcheck source=.ci/bring.sh
source .ci/bring.sh

need chromium chromium # the pages' tests
need systemd-analyze systemd # it judges the unit of deploy/systemd
install_needed

# The pages' tests take Chromium's headless shell where it can be had. The whole browser brings what either needs of the system: fonts, and the types
# of files.
command -v chromium-headless-shell >/dev/null || apt_install chromium-headless-shell || echo "without Chromium's headless shell the pages' tests take the whole browser"

tools() {
  built helm helm.sh/helm/v3/cmd/helm "$HELM_VERSION"
  built cyclonedx-gomod github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod "$CYCLONEDX_VERSION"
  go build -C .ci/tools -o "$CACHE/bin/deploycheck" . 2>&1 | { grep -v '^go: downloading' || true; }
}

# One waits for the network while the other computes.
tools &
tools=$!
npm_packages interop/browser examples/copilotkit-react examples/copilotkit-node
wait "$tools"

#!/usr/bin/env bash
# All tests in Chromium: those of the stage browser, and each look and way of the pages.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

export CI_NIGHTLY=1
bash .ci/stages/browser.sh

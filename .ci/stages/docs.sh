#!/usr/bin/env bash
# The site of the documents.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"
# shellcheck source=.ci/bring.sh
source .ci/bring.sh

npm_packages docs/site
npm --prefix docs/site run --silent build

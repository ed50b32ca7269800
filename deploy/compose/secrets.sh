#!/usr/bin/env bash
# Makes the secrets of compose.yaml, each only if it is not there: passwords of Redis and Grafana, and a key for the first caller, which is
# shown once.
#
#   bash deploy/compose/secrets.sh [NAME]     NAME is the caller's, without one it is first
#
# From the environment: SECRETS, another directory; GATEWAY_BIN, a built gateway instead of its image.
set -euo pipefail
case "${1:-}" in
-h | --help)
  sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit 0
  ;;
-*)
  echo "secrets.sh: $1 is no option; secrets.sh --help says what there is" >&2
  exit 2
  ;;
esac
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${SECRETS:-$here/secrets}

# Only its owner gets into the directory. The files can be read by every user, because containers have users of their own.
mkdir -p "$dir"
chmod 700 "$dir"
umask 022

# new FILE: whether it has to be made.
new() { [ ! -s "$dir/$1" ]; }
random() { head -c 24 /dev/urandom | od -An -v -tx1 | tr -d ' \n'; }

gateway() {
  if [ -n "${GATEWAY_BIN:-}" ]; then "$GATEWAY_BIN" "$@"; else docker compose -f "$here/compose.yaml" run --rm --no-deps -T replica-a "$@"; fi
}

if new redis.conf || new gateway.env; then
  password=$(random)
  echo "requirepass $password" >"$dir/redis.conf"
  cat >"$dir/gateway.env" <<EOF
# Secret settings of both replicas, read at their start.
GATEWAY_STORE=redis://:$password@redis:6379
#OPENAI_API_KEY=
EOF
fi
if new grafana_password; then
  random >"$dir/grafana_password"
fi
if new keys; then
  : >>"$dir/keys"
  line=$(gateway key "${1:-first}")
  echo "$line" >"$dir/keys"
fi
echo "secrets are in $dir" >&2

#!/usr/bin/env bash
# Two gateways, the Redis they share and a load balancer before them: on this machine, without containers, until Ctrl-C.
#
#   bash examples/replicas/run.sh
#
# From the environment:
#   PORT=8080         where the load balancer listens
#   PORT_A=8081       the first replica
#   PORT_B=8082       the second
#   REDIS_PORT=6380   Redis
#   GATEWAY_BIN=      a built gateway; without it one is built
#   GATEWAY_…=        settings of both replicas, as in docs/settings.md
#
# It needs redis-server and caddy: apt-get install --no-install-recommends redis-server caddy
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
port=${PORT:-8080}
port_a=${PORT_A:-8081}
port_b=${PORT_B:-8082}
redis_port=${REDIS_PORT:-6380}

# Short enough to be watched. A team in production keeps the defaults.
export GATEWAY_LEASE=${GATEWAY_LEASE:-2s}
export GATEWAY_DRAIN=${GATEWAY_DRAIN:-2s}
export GATEWAY_STORE=redis://127.0.0.1:$redis_port

for command in redis-server caddy; do
  command -v "$command" >/dev/null || { echo "$command is missing: apt-get install --no-install-recommends $command" >&2; exit 1; }
done

dir=$(mktemp -d)
declare -A pids=()

# stop PID: tells a process to end, and waits until it has.
stop() {
  local try
  kill "$1" 2>/dev/null || return 0 # it has ended already
  for ((try = 0; try < 300; try++)); do
    kill -0 "$1" 2>/dev/null || return 0
    sleep 0.05
  done
  kill -KILL "$1" 2>/dev/null || true
}

# The gateways end first: what they have to say on their way out goes to Redis.
cleanup() {
  local name
  trap '' INT TERM
  for name in "replica a" "replica b" balancer redis; do
    [ -n "${pids[$name]:-}" ] || continue
    stop "${pids[$name]}"
  done
  rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# start NAME COMMAND…: in a process group of its own, so that Ctrl-C reaches this script alone, which knows the order.
start() {
  set -m
  "${@:2}" >"$dir/$1.log" 2>&1 &
  set +m
  pids[$1]=$!
}

# await NAME COMMAND…: until the command succeeds.
await() {
  for ((try = 0; try < 150; try++)); do
    if "${@:2}" >/dev/null 2>&1; then return; fi
    kill -0 "${pids[$1]}" 2>/dev/null || break
    sleep 0.1
  done
  printf '%s does not start:\n' "$1" >&2
  cat "$dir/$1.log" >&2
  exit 1
}

gateway=${GATEWAY_BIN:-}
if [ -z "$gateway" ]; then
  gateway=$dir/gateway
  (cd "$here/../.." && go build -trimpath -o "$gateway" ./cmd/gateway)
fi

start redis redis-server --bind 127.0.0.1 --port "$redis_port" --dir "$dir" --save "" --appendonly yes --appendfsync everysec
await redis redis-cli -h 127.0.0.1 -p "$redis_port" ping

start "replica a" env GATEWAY_ADDR="127.0.0.1:$port_a" "$gateway" serve
start "replica b" env GATEWAY_ADDR="127.0.0.1:$port_b" "$gateway" serve
await "replica a" env GATEWAY_ADDR="127.0.0.1:$port_a" "$gateway" healthcheck
await "replica b" env GATEWAY_ADDR="127.0.0.1:$port_b" "$gateway" healthcheck

export BIND=127.0.0.1 PORT=$port UPSTREAMS="127.0.0.1:$port_a 127.0.0.1:$port_b" STORAGE=$dir/caddy
export XDG_CONFIG_HOME=$dir XDG_DATA_HOME=$dir
start balancer caddy run --config "$here/Caddyfile" --adapter caddyfile
await balancer env GATEWAY_ADDR="127.0.0.1:$port" "$gateway" healthcheck

printf '%-9s pid %-7s %s\n' redis "${pids[redis]}" "$GATEWAY_STORE" \
  "replica a" "${pids[replica a]}" "http://127.0.0.1:$port_a" \
  "replica b" "${pids[replica b]}" "http://127.0.0.1:$port_b" \
  balancer "${pids[balancer]}" "http://127.0.0.1:$port"
printf 'logs in %s\nready on http://%s\n' "$dir" "127.0.0.1:$port"

# Replicas may be killed, that is what this is for. Without the other two there is nothing to show.
while kill -0 "${pids[redis]}" 2>/dev/null && kill -0 "${pids[balancer]}" 2>/dev/null; do
  sleep 0.2
done
echo 'redis or the balancer has ended' >&2
false

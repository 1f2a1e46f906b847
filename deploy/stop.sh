#!/usr/bin/env bash
# `make stop` and its harsher sisters: ends what this checkout started.
#
# In:  nothing — stop the server of `make run` and every private PostgreSQL
#      reset   — and delete the databases and the master key
# Out: .pando without running servers; progress on stderr.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "stop: $*" >&2; }

how=${1:-stop}
case "$how" in
    stop | reset) ;;
    *) echo "usage: deploy/stop.sh [reset]" >&2; exit 2 ;;
esac

# The number may be another process's by now: ours runs the binary of this checkout.
pid=$(cat .pando/run.pid 2>/dev/null) || pid=
if [ -n "$pid" ] && [[ "$(readlink "/proc/$pid/exe")" == "$(pwd -P)"/.build/* ]]; then
    say "ending pando ($pid)"
    kill -TERM "$pid"
    for _ in {1..300}; do
        [ -e "/proc/$pid/exe" ] || break
        sleep 0.1
    done
    [ ! -e "/proc/$pid/exe" ] || { say "it did not end within 30 s; killing it"; kill -KILL "$pid"; }
fi
rm -f .pando/run.pid

for cluster in postgres test-postgres interop-postgres acceptance-postgres bench-postgres; do
    [ -e ".pando/$cluster" ] || [ -L ".pando/$cluster" ] || continue
    if [ "$how" = reset ]; then
        say "deleting .pando/$cluster"
        deploy/postgres.sh discard ".pando/$cluster"
    else
        deploy/postgres.sh stop ".pando/$cluster"
    fi
done
[ "$how" != reset ] || rm -f .pando/*.key

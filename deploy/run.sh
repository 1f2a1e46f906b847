#!/usr/bin/env bash
# `make run`: from a fresh checkout to a running federation.
#
# In:  PORT (8080); PANDO_* settings of one's own win. Arguments go to `pando dev`.
# Out: packages, .build/debug/pando, .pando/master.key; then this process becomes `pando dev`, which starts the private
#      PostgreSQL (deploy/postgres.sh), migrates, seeds, serves, runs the demo and prints its URLs. Ctrl-C stops all.
#      The process number is in .pando/run.pid for `make stop`.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "run: $*" >&2; }

export PANDO_PORT=${PANDO_PORT:-${PORT:-8080}}
export PANDO_ISSUER=${PANDO_ISSUER:-http://localhost:$PANDO_PORT}
# Whoever moves one server out of the way of another does not want them to meet at the metrics port.
[ "$PANDO_PORT" = 8080 ] || export PANDO_METRICS_PORT=${PANDO_METRICS_PORT-0}

if (exec 3<>"/dev/tcp/localhost/$PANDO_PORT") 2>/dev/null; then
    say "something listens on port $PANDO_PORT already; 'make stop' if it is ours, or PORT=8081 make run"
    exit 1
fi
deploy/packages.sh
deploy/build.sh run

if [ -z "${PANDO_MASTER_KEY_FILE:-}" ]; then
    mkdir -p .pando
    if [ ! -e .pando/master.key ] && [ -z "${PANDO_DATABASE:-}" ] && [ -e .pando/postgres/data/PG_VERSION ]; then
        say "the database in .pando/postgres is sealed under .pando/master.key, which is gone"
        say "put the key back, or 'make reset' to begin anew without that database"
        exit 1
    fi
    deploy/master-key.sh .pando/master.key
    export PANDO_MASTER_KEY_FILE=$PWD/.pando/master.key
fi
echo $$ >.pando/run.pid
exec .build/debug/pando dev "$@"

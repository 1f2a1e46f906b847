#!/usr/bin/env bash
# `make bench-peers`: this server and others, under the same wrk in the same run, each with tokens in the same PostgreSQL.
#
# In:  arguments for `pando-bench outside`.
# Out: its report on stdout, with a row for each peer and how many times as fast this server is as the best of them.
#      Peers are Authlib and django-oauth-toolkit (deploy/peers), each by gunicorn with as many workers as there are cores.
set -euo pipefail
cd "$(dirname "$0")/.."

cluster=.pando/bench-postgres venv=.pando/peers-venv
deploy/packages.sh bench
deploy/build.sh release
deploy/build.sh bench
deploy/python.sh "$venv" deploy/peers/requirements.txt

export PANDO_MASTER_KEY_FILE=$PWD/.pando/bench.key
peers=()
cleanup() {
    for peer in "${peers[@]}"; do kill "$peer" 2>/dev/null || true; done
    deploy/postgres.sh discard "$cluster"
    rm -f "$PANDO_MASTER_KEY_FILE"
}
trap cleanup EXIT
deploy/master-key.sh "$PANDO_MASTER_KEY_FILE" 2>/dev/null
deploy/postgres.sh discard "$cluster"
deploy/postgres.sh start "$cluster"

# libpq's own variables say where the database is.
part() { sed -n "s/.*\b$1=\([^ ]*\).*/\1/p" <<<"$url"; }
port=${PEERS_PORT:-8190} options=()
for name in authlib django; do
    url=$(deploy/postgres.sh url "$cluster" "peer_$name")
    export PGHOST PGPORT PGUSER PEER_DATABASE=peer_$name PEER_CLIENT=bench PEER_SECRET=bench-secret PEER_ISSUER=http://127.0.0.1:$port
    PGHOST=$(part host) PGPORT=$(part port) PGUSER=$(part user)
    (cd deploy/peers && "../../$venv/bin/python" "${name}_peer.py")
    (cd deploy/peers && exec "../../$venv/bin/gunicorn" --log-level warning --workers "$(nproc)" --worker-class gthread --threads 32 \
        --bind "127.0.0.1:$port" "${name}_peer:app") &
    peers+=($!)
    for _ in $(seq 100); do curl --silent --fail --output /dev/null "http://127.0.0.1:$port/ready" && break || sleep 0.2; done
    options+=(--peer "$name=http://127.0.0.1:$port")
    port=$((port + 1))
done

ulimit -Sn hard || true
PANDO_DATABASE=$(deploy/postgres.sh url "$cluster" pando_bench_outside)
export PANDO_DATABASE
.build/release/pando-bench outside "${options[@]}" "$@"

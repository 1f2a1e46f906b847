#!/usr/bin/env bash
# `make bench-peers`: this server and others, under the same wrk in the same run, each with tokens in the same PostgreSQL.
#
# In:  arguments for `pando-bench outside`. PEERS: which of them (authlib django glewlwyd). PEERS_PORT: the first of
#      their ports (8190).
# Out: its report on stdout, with a row for each peer and how many times as fast this server is as the best of them.
#      Peers (deploy/peers) are Authlib and django-oauth-toolkit, each by gunicorn with as many workers as there are
#      cores, and Debian's Glewlwyd, which is left out where Debian does not have it.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "bench-peers: $*" >&2; }

cluster=.pando/bench-postgres venv=$PWD/.pando/peers-venv root=$PWD/.pando/glewlwyd
deploy/packages.sh bench
deploy/build.sh release
deploy/build.sh bench
.build/release/pando-bench outside --check "$@"
[[ ! " $* " =~ " "(-h|--help)" " ]] || exit 0
deploy/python.sh "$venv" deploy/peers/requirements.txt

export PANDO_MASTER_KEY_FILE=$PWD/.pando/bench.key PEER_KEY=$PWD/.pando/peers-signer.pem
processes=()
cleanup() {
    for process in "${processes[@]}"; do kill "$process" 2>/dev/null || true; done
    deploy/postgres.sh discard "$cluster"
    rm -f "$PANDO_MASTER_KEY_FILE" "$PEER_KEY"
}
trap cleanup EXIT
rm -f "$PEER_KEY"
"$venv/bin/python" -W ignore deploy/peers/peer_keys.py "$PEER_KEY"
deploy/master-key.sh "$PANDO_MASTER_KEY_FILE" 2>/dev/null
deploy/postgres.sh discard "$cluster"
deploy/postgres.sh start "$cluster"

# libpq's own variables say where the database is.
part() { sed -n "s/.*\b$1=\([^ ]*\).*/\1/p" <<<"$url"; }

# Becomes the server of that name.
serve() {
    cd deploy/peers
    case "$1" in
        glewlwyd)
            LD_LIBRARY_PATH=$(printf '%s:' "$root"/usr/lib/*-linux-gnu)
            export LD_LIBRARY_PATH
            exec "$root/usr/bin/glewlwyd" --config-file="$root/glewlwyd.conf" >&2
            ;;
        *)
            exec "$venv/bin/gunicorn" --log-level warning --workers "$(nproc)" --worker-class gthread --threads 32 \
                --bind "127.0.0.1:$port" "$1_peer:app"
            ;;
    esac
}

answers() {
    local tries
    for tries in {1..100}; do
        if curl --silent --fail --output /dev/null "$1"; then return 0; fi
        sleep 0.2
    done
    return 1
}

port=${PEERS_PORT:-8190} options=()
for name in ${PEERS:-authlib django glewlwyd}; do
    base=http://127.0.0.1:$port ready=/ready
    if [ "$name" = glewlwyd ]; then
        base=$base/api/glwd ready=/.well-known/openid-configuration
        deploy/peers/unpack.sh "$root" glewlwyd dbconfig-no-thanks || { say "there is no Glewlwyd: going on without"; continue; }
    fi
    url=$(deploy/postgres.sh url "$cluster" "peer_$name")
    export PGHOST PGPORT PGUSER PEER_DATABASE=peer_$name PEER_CLIENT=bench PEER_SECRET=bench-secret PEER_ISSUER=$base PEER_ROOT=$root
    PGHOST=$(part host) PGPORT=$(part port) PGUSER=$(part user)
    (cd deploy/peers && "$venv/bin/python" -W ignore "${name}_peer.py")
    serve "$name" &
    processes+=($!)
    answers "$base$ready" || { say "$name did not start"; exit 1; }
    options+=(--peer "$name=$base")
    # Neither django-oauth-toolkit 3.4 nor the oauthlib below it has private_key_jwt.
    [ "$name" = django ] || options+=(--peer-key "$name=$PEER_KEY")
    port=$((port + 1))
done

ulimit -Sn hard || true
PANDO_DATABASE=$(deploy/postgres.sh url "$cluster" pando_bench_outside)
export PANDO_DATABASE
.build/release/pando-bench outside "${options[@]}" "$@"

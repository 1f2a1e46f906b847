#!/usr/bin/env bash
# `make acceptance`: an independent client's scenarios, from beside this checkout, against a server started for them.
#
# In:  CLIENT (eduid) — the folder of ../shared/clients; arguments for pytest. PANDO_* settings go through to the server.
# Out: pytest's report on stdout, its exit code; the server's log in .pando/acceptance.log. Server, database and master key
#      are made for this run and thrown away.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "acceptance: $*" >&2; }

client=${CLIENT:-eduid}
folder=../shared/clients/$client
cluster=.pando/acceptance-postgres
log=$PWD/.pando/acceptance.log
server=''

[ -e "$folder/requirements.txt" ] || { say "skipped: there is no $folder here"; exit 0; }
deploy/packages.sh test
deploy/build.sh debug
deploy/python.sh ".pando/venv-$client" "$folder/requirements.txt"
python=$PWD/.pando/venv-$client/bin/python

# shellcheck disable=SC2317 # reached by the trap
finish() {
    if [ -n "$server" ] && kill -TERM "$server" 2>/dev/null; then
        for _ in {1..200}; do
            kill -0 "$server" 2>/dev/null || break
            sleep 0.1
        done
        ! kill -KILL "$server" 2>/dev/null || say "the server did not end within 20 s of SIGTERM and was killed"
    fi
    deploy/postgres.sh discard "$cluster"
    rm -f "$PANDO_MASTER_KEY_FILE"
}

export PANDO_MASTER_KEY_FILE=$PWD/.pando/acceptance.key
trap finish EXIT
rm -f "$PANDO_MASTER_KEY_FILE"
deploy/master-key.sh "$PANDO_MASTER_KEY_FILE" 2>/dev/null
deploy/postgres.sh fresh "$cluster"
PANDO_DATABASE=$(deploy/postgres.sh url "$cluster" pando_acceptance)
free='import socket; s, t = (socket.create_server(("127.0.0.1", 0)) for _ in "ab"); print(s.getsockname()[1], t.getsockname()[1])'
read -r PANDO_PORT PANDO_METRICS_PORT < <("$python" -c "$free")
PANDO_ADMIN="$(printf %q "$PWD/.build/debug/pando") admin --json"
# Without `pando dev`'s own database the admin commands do not take over what it permits.
export PANDO_ALLOW_LOOPBACK_SERVICES=true
export PANDO_DATABASE PANDO_PORT PANDO_METRICS_PORT PANDO_ADMIN PANDO_ISSUER=http://localhost:$PANDO_PORT
export PANDO_METRICS=http://localhost:$PANDO_METRICS_PORT/metrics

.build/debug/pando dev --no-demo >"$log" 2>&1 &
server=$!
say "starting the server, $PANDO_ISSUER"
for _ in {1..600}; do
    ! curl -fsS -o /dev/null "$PANDO_ISSUER/readyz" 2>/dev/null || break
    kill -0 "$server" 2>/dev/null || { tail -n 30 "$log" >&2; say "the server ended; more in $log"; exit 1; }
    sleep 0.1
done
curl -fsS -o /dev/null "$PANDO_ISSUER/readyz" || { tail -n 30 "$log" >&2; say "not ready within a minute; more in $log"; exit 1; }

# PANDO_EPOCH lets the eduID scenarios end every token of the server, which is theirs alone.
export PANDO_EPOCH=${PANDO_EPOCH:-1} PYTHONDONTWRITEBYTECODE=1
failed=0
(cd "$folder" && "$python" -m pytest -ra -p no:cacheprovider "$@") || failed=$?
kill -0 "$server" 2>/dev/null || { say "the server ended during the run; see $log"; failed=1; }
exit "$failed"

#!/usr/bin/env bash
# `make release-check`: does the binary that is shipped run? `make test` runs debug builds only, and what an optimised
# build does differently it cannot see: one crashed in the first command that an operator types.
#
# In:  PANDO_BINARY — another binary than that of `make release`, which is built first otherwise (5 to 15 minutes).
# Out: a line for each step on stderr; exit 1 at the first that fails, with what it said. Server, database and master key are
#      made for this run and thrown away; the server's log is .pando/release-check.log.
#
# Each command has to leave with the status that it should; 128 and more is a crash. Which lists there are is read from the
# binary's own manual pages, so that one that is new is run too.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "release-check: $*" >&2; }
die() { say "$*"; exit 1; }

pando=${PANDO_BINARY:-$PWD/.build/release/pando}
cluster=.pando/release-check-postgres
log=$PWD/.pando/release-check.log
server=''

mkdir -p .pando
if [ -z "${PANDO_BINARY:-}" ]; then
    deploy/packages.sh
    deploy/build.sh release
fi
[ -x "$pando" ] || die "there is no $pando"
# Settings of another server, and of another database, are none of this one's.
for name in $(compgen -e | grep -E '^(PANDO_|PG)' || true); do unset "$name"; done

work=$(mktemp -d)
answer=$work/answer complaint=$work/complaint
# shellcheck disable=SC2317 # reached by the trap
finish() {
    [ -z "$server" ] || { kill -KILL "$server" && wait "$server"; } 2>/dev/null || true
    deploy/postgres.sh discard "$cluster" 2>/dev/null || true
    rm -rf "$PANDO_MASTER_KEY_FILE" "$work"
}
export PANDO_MASTER_KEY_FILE=$PWD/.pando/release-check.key
trap finish EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

rm -f "$PANDO_MASTER_KEY_FILE"
deploy/master-key.sh "$PANDO_MASTER_KEY_FILE" 2>/dev/null
POSTGRES_IN_MEMORY=yes deploy/postgres.sh fresh "$cluster" 2>/dev/null
PANDO_DATABASE=$(deploy/postgres.sh url "$cluster" pando_release)
read -r PANDO_PORT PANDO_METRICS_PORT < <(python3 -c '
import socket
servers = [socket.create_server(("127.0.0.1", 0)) for _ in "ab"]
print(*(each.getsockname()[1] for each in servers))')
export PANDO_DATABASE PANDO_PORT PANDO_METRICS_PORT PANDO_ISSUER=http://localhost:$PANDO_PORT

# Runs the binary; it has to leave with one of the statuses that are named first, with commas between.
# `input`: what it reads.
run() {
    local wanted=$1 status=0
    shift
    timeout -k 5 120 "$pando" "$@" <"${input:-/dev/null}" >"$answer" 2>"$complaint" || status=$?
    case ",$wanted," in
        *",$status,"*) return 0 ;;
    esac
    tail -n 20 "$complaint" >&2
    [ "$status" -lt 128 ] || die "pando $*: CRASHED with status $status"
    die "pando $*: left $status, not $wanted"
}
# A member of the JSON that was answered.
told() { python3 -c 'import json, sys; print(json.load(open(sys.argv[2]))[sys.argv[1]])' "$1" "$answer"; }

run 0 --version
say "$(head -n 1 "$answer"), $(du -h "$pando" | cut -f 1)"
run 0 config check
run 6 status
run 7 doctor
say "config check, status and doctor before anything is there"
run 0 migrate
run 0 migrate

PANDO_LOG_FORMAT=json "$pando" serve >"$log" 2>&1 &
server=$!
for _ in {1..600}; do
    ! curl -fsS -o /dev/null "$PANDO_ISSUER/readyz" 2>/dev/null || break
    kill -0 "$server" 2>/dev/null || { tail -n 20 "$log" >&2; die "the server ended at once; more in $log"; }
    sleep 0.1
done
curl -fsS -o /dev/null "$PANDO_ISSUER/readyz" || { tail -n 20 "$log" >&2; die "not ready within a minute"; }
say "serve: ready"

run 0 status
run 0 status --json
python3 -m json.tool "$answer" >/dev/null || die "status --json tells no JSON"
run 0,7 doctor
run 0,7 doctor --json
python3 -m json.tool "$answer" >/dev/null || die "doctor --json tells no JSON"
say "status and doctor"

# Lists and summaries. Those that want to be told of what leave 2.
lists=0
run 0 man --out "$work/man"
commands=$(sed -n 's/^\.SS "pando \(admin .*\)"$/\1/p' "$work"/man/pando-admin-*.1 | sort -u)
while read -r -a words; do
    case "${words[-1]}" in
        list | status) ;;
        *) continue ;;
    esac
    run 0,2 "${words[@]}" --json
    [ -s "$answer" ] || continue
    python3 -m json.tool "$answer" >/dev/null || die "pando ${words[*]} --json tells no JSON"
    run 0 "${words[@]}"
    lists=$((lists + 1))
done <<<"$commands"
[ "$lists" -ge 12 ] || die "only $lists lists were found: has the form of the manual pages changed?"
say "$lists lists of pando admin, of $(wc -l <<<"$commands") commands"

# One token: made, used, looked at, ended.
run 0 admin clients create --name Release --grant client_credentials --scope release --json
client=$(told client_id) secret=$(told client_secret)
# By stdin: arguments of a process are read by all.
ask() { printf 'user = "%s:%s"\n' "$client" "$secret" | curl -sS -K - -o "$answer" -w '%{http_code}' "$@"; }
status=$(ask -d grant_type=client_credentials "$PANDO_ISSUER/token")
[ "$status" = 200 ] || die "/token: $status $(cat "$answer")"
token=$(told access_token)
said() {
    status=$(ask -d "token=$token" "$PANDO_ISSUER/introspect")
    [ "$status" = 200 ] && [ "$(told active)" = "$1" ] || die "/introspect: $status $(cat "$answer")"
}
said True
printf '%s' "$token" >"$work/token"
input=$work/token run 0 admin tokens why -
status=$(ask -d "token=$token" "$PANDO_ISSUER/revoke")
[ "$status" = 200 ] || die "/revoke: $status"
said False
status=$(ask -d grant_type=client_credentials -d scope=nothing "$PANDO_ISSUER/token")
[ "$status" = 400 ] || die "/token for a scope that the client has not: $status"
run 0 admin audit verify
say "a token: given, active, revoked, inactive"

kill -TERM "$server"
status=0
for _ in {1..250}; do
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
done
! kill -0 "$server" 2>/dev/null || die "the server did not end within 25 s of SIGTERM"
wait "$server" || status=$?
server=''
[ "$status" = 0 ] || { tail -n 20 "$log" >&2; die "the server left $status at SIGTERM"; }
run 6 status
say "serve: ended by SIGTERM. All is well."

#!/usr/bin/env bash
# Restores what deploy/backup.sh made, and first of all tries whether that works.
#
#   deploy/restore.sh check FILE                  restore a dump into a PostgreSQL of its own, look at it, throw it away: each night
#   deploy/restore.sh check FOLDER [WAL [TIME]]   the same with a base backup, and the archived WAL up to its end, or to TIME
#   deploy/restore.sh into CONNINFO FILE          restore a dump into an empty database, in one transaction; -: that of PANDO_DATABASE
#   deploy/restore.sh lay DATA FOLDER [WAL [TIME]]  lay a base backup as a data directory that recovers when it is started
#
# In:  PANDO, the program (pando): the check has it look too, with PANDO_MASTER_KEY_FILE, whether this key opens what is sealed there.
#      A CONNINFO with a password stands in PANDO_DATABASE, since everybody on a machine reads arguments. TIME as PostgreSQL reads it: '2026-11-27 04:00:00+00'.
# Out: what was found, a line each, on stdout; exit 1 when anything is not as it was. A check touches nothing but a folder under TMPDIR.
#
# After each real restore tokens that were revoked since live again, until the epoch is bumped: it says so at the end, each time.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
say() { echo "restore: $*" >&2; }
die() { say "$*"; exit 1; }
usage() { sed -n 's/^#   \(deploy\)/usage: \1/p' "$0" >&2; exit 2; }

verb=${1:-}
case "$verb $#" in
    'check '[234] | 'into 3' | 'lay '[345]) ;;
    *) usage ;;
esac
pando=${PANDO:-pando}

# Of the version that a base backup is of, else the newest that is there.
programs() {
    local found
    found=${POSTGRES_BIN:-$(printf '%s\n' /usr/lib/postgresql/${1:-*}/bin | sort -V | tail -n 1)}
    [ -x "$found/pg_ctl" ] || die "there is no PostgreSQL ${1:-} in $found"
    echo "$found"
}

# A text between the quotes of postgresql.conf.
conf() { sed "s/\\\\/&&/g; s/'/&&/g" <<<"$1"; }
# A path in a command of postgresql.conf: for a shell, in which PostgreSQL puts things for what has a % before it.
in_command() { printf '%q' "$1" | sed 's/%/%%/g'; }

as_owner() {
    if [ "$(id -u)" -eq 0 ]; then setpriv --reuid postgres --regid postgres --init-groups -- "$@"; else "$@"; fi
}

bump() {
    cat >&2 <<'END'
restore: before anyone is let in:
restore:   pando migrate
restore:   pando admin epoch bump --reason 'restored the backup of …'
restore: every token of before ends with that. Without it those live again that were revoked since this backup was made; nothing else ends them.
restore: then refuse, suspend and delete again what was since (docs/operate.md, "Backups")
END
}

# What a dump was told to hold, against what is there.
compare() {
    local told=$1 conninfo=$2 different
    sed -n '/^\(count\|migrations\|epoch\) /p' "$told" >"$work/told"
    # The text of the counts is backup.sh's.
    sed -n "/^select 'migrations/,/^SQL/{/^SQL/d;p}" "$here/backup.sh" >"$work/counts.sql"
    "$bin/psql" -X -q -A -t -v ON_ERROR_STOP=1 -d "$conninfo" -f "$work/counts.sql" >"$work/found"
    if ! different=$(diff "$work/told" "$work/found"); then
        printf '%s\n' "$different" >&2
        die "what was restored is not what was dumped"
    fi
    echo "same $(grep -c '^count ' "$work/found") tables, $(awk '/^count /{n += $3} END {print n}' "$work/found") rows, $(sed -n 's/^migrations //p' "$work/found") migrations, epoch $(sed -n 's/^epoch //p' "$work/found")"
}

# What Pando itself says of it: that the schema is whole, and that the key is the one.
ask_pando() {
    local conninfo=$1 found
    if ! command -v "$pando" >/dev/null; then
        echo "not asked: there is no $pando; PANDO names it"
        return 0
    fi
    if [ -z "${PANDO_MASTER_KEY_FILE:-}" ]; then
        echo "not asked: PANDO_MASTER_KEY_FILE is not set, so nothing says whether the key is the one"
        return 0
    fi
    if ! command -v python3 >/dev/null; then
        echo "not asked: there is no python3 to read what pando says"
        return 0
    fi
    found=$(PANDO_DATABASE=$conninfo "$pando" doctor -o json 2>"$work/doctor.log") || true
    python3 -c '
import json, sys
items = json.loads(sys.argv[1] or "{}").get("items", [])
# The rest is about a server that serves, and this machine.
looked = [one for one in items if one["name"] in ("master-key", "database", "migrations") or one["name"].startswith("signing-key")]
for one in looked:
    print("doctor:", one["name"], one["status"] + ",", one["text"])
# Migrations that are newer than the backup are no fault of it.
sys.exit(0 if looked and all(one["status"] != "error" or one["name"] == "migrations" for one in looked) else 1)
' "$found" || { tail -n 3 "$work/doctor.log" >&2; die "pando doctor found an error"; }
    if grep -q '"name":"migrations","status":"error"' <<<"$found"; then
        return 0 # `pando admin` wants the schema of its own version
    fi
    PANDO_DATABASE=$conninfo "$pando" admin --json keys list >"$work/keys.json" 2>"$work/keys.log" || { tail -n 3 "$work/keys.log" >&2; die "the master key does not open what is sealed there"; }
    echo "opened $(grep -o '"kid"' "$work/keys.json" | wc -l) signing keys are listed"
}

scratch() {
    umask 077
    work=$(mktemp -d)
    [ "$(id -u)" -ne 0 ] || chmod 0711 "$work" # its user gets through, and sees nothing
    trap 'clear_scratch' EXIT
}
clear_scratch() {
    [ ! -e "$work/cluster" ] || "$here/postgres.sh" discard "$work/cluster" >/dev/null 2>&1 || true
    [ ! -e "$work/data/postmaster.pid" ] || as_owner "$bin/pg_ctl" stop --silent --mode immediate --pgdata "$work/data" || true
    rm -rf -- "$work"
}

check_dump() {
    local file=$1 conninfo
    bin=$(programs)
    [ -e "$file.told" ] || die "there is no $file.told: it says what the dump holds"
    [ "$(sha256sum "$file" | cut -d ' ' -f 1)" = "$(sed -n 's/^sha256 //p' "$file.told")" ] || die "$file is not the file that was made: its checksum is another"
    "$here/postgres.sh" fresh "$work/cluster" 2>/dev/null
    conninfo=$("$here/postgres.sh" url "$work/cluster" restored)
    "$bin/pg_restore" --single-transaction --exit-on-error --no-owner --dbname="$conninfo" "$file"
    compare "$file.told" "$conninfo"
    ask_pando "$conninfo"
}

# Where its own settings are elsewhere, as Debian has them, a base backup brings none; those that a standby must not have smaller are in its control file.
lay() {
    local data=$1 folder=$2 wal=${3:-} time=${4:-} command
    case "$time" in *$'\n'*) die "no time: $time" ;; esac
    [ -e "$folder/data/PG_VERSION" ] || die "$folder is no base backup"
    bin=$(programs "$(<"$folder/data/PG_VERSION")")
    [ ! -e "$data" ] || [ -z "$(ls -A -- "$data")" ] || die "$data is not empty"
    "$bin/pg_verifybackup" --quiet --no-parse-wal "$folder/data" || die "the base backup is not what its manifest says"
    install -d -m 0700 -- "$data"
    cp -a -- "$folder/data/." "$data/"
    rm -f -- "$data/standby.signal" "$data/postmaster.pid" "$data"/postmaster.opts
    {
        echo "# Written by deploy/restore.sh"
        command="cp $(in_command "$(realpath -m -- "$wal")")/%f \"%p\""
        [ -z "$wal" ] || echo "restore_command = '$(conf "$command")'"
        [ -z "$time" ] || echo "recovery_target_time = '$(conf "$time")'"
        [ -z "$time" ] || echo "recovery_target_action = 'promote'"
        [ -n "$wal" ] || echo "restore_command = 'false'"
    } >>"$data/postgresql.auto.conf"
    touch "$data/recovery.signal"
    [ "$(id -u)" -ne 0 ] || chown -R postgres:postgres -- "$data"
}

check_base() {
    local folder=$1 wal=${2:-} time=${3:-} data=$work/data socket=$work/socket control
    lay "$data" "$folder" "$wal" "$time"
    control=$("$bin/pg_controldata" "$data")
    of() { sed -n "s/^$1 setting: *//p" <<<"$control"; }
    install -d -m 0700 "$socket"
    {
        echo "listen_addresses = ''"
        echo "unix_socket_directories = '$socket'"
        echo "max_connections = $(of max_connections)"
        echo "max_worker_processes = $(of max_worker_processes)"
        echo "max_wal_senders = $(of max_wal_senders)"
        echo "max_prepared_transactions = $(of max_prepared_xacts)"
        echo "max_locks_per_transaction = $(of max_locks_per_xact)"
        # It must not archive over what the true one archives.
        echo "archive_mode = off"
        echo "hba_file = '$work/hba'"
        echo "ident_file = '$work/ident'"
    } >"$work/conf"
    echo "local all all trust" >"$work/hba"
    : >"$work/ident"
    [ "$(id -u)" -ne 0 ] || chown postgres:postgres "$socket" "$work/conf" "$work/hba" "$work/ident"
    if [ "$(id -u)" -eq 0 ] && [ -n "$wal" ]; then as_owner test -x "$wal" || die "the user postgres cannot read $wal"; fi
    touch "$work/log" && { [ "$(id -u)" -ne 0 ] || chown postgres:postgres "$work/log"; }
    (cd / && as_owner env -i PATH="$PATH" LC_ALL=C.UTF-8 "$bin/pg_ctl" start --silent --wait --timeout 600 --pgdata "$data" --log "$work/log" \
        --options "-c config_file='$work/conf' -c archive_mode=off" >/dev/null) || { tail -n 15 "$work/log" >&2; die "it did not recover"; }
    local conninfo="host=$socket user=${PANDO_BACKUP_ROLE:-pando} dbname=${PANDO_BACKUP_DATABASE:-pando}" tries
    for ((tries = 0; tries < 600; tries++)); do
        [ "$("$bin/psql" -X -q -A -t -d "$conninfo" -c 'select pg_is_in_recovery()' 2>/dev/null)" != f ] || break
        sleep 1
    done
    sed -n 's/.*LOG:  \(recovery stopping.*\|last completed transaction.*\|consistent recovery state.*\)/recovered: \1/p' "$work/log"
    sed -n "/^select 'migrations/,/^SQL/{/^SQL/d;p}" "$here/backup.sh" >"$work/counts.sql"
    "$bin/psql" -X -q -A -t -v ON_ERROR_STOP=1 -d "$conninfo" -f "$work/counts.sql" >"$work/found" || die "that is no database of Pando's"
    echo "found $(grep -c '^count ' "$work/found") tables, $(awk '/^count /{n += $3} END {print n}' "$work/found") rows, $(sed -n 's/^migrations //p' "$work/found") migrations, epoch $(sed -n 's/^epoch //p' "$work/found")"
    ask_pando "$conninfo"
}

case "$verb" in
    check)
        scratch
        if [ -d "$2" ]; then check_base "${@:2}"; else [ -f "$2" ] || die "there is no $2"; [ $# -eq 2 ] || usage; check_dump "$2"; fi
        say "$2 can be restored"
        ;;
    into)
        bin=$(programs)
        # shellcheck source=deploy/conninfo.sh
        . "$here/conninfo.sh"
        if [ "$2" != - ]; then hide_password "$2"; else hide_password "${PANDO_DATABASE:?}"; fi
        [ "$("$bin/psql" -X -q -A -t -v ON_ERROR_STOP=1 -d "$conninfo" -c "select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public'")" = 0 ] ||
            die "that database is not empty; nothing was touched"
        work=$(mktemp -d)
        trap 'rm -rf -- "$work"' EXIT
        "$bin/pg_restore" --single-transaction --exit-on-error --no-owner --dbname="$conninfo" "$3"
        [ ! -e "$3.told" ] || compare "$3.told" "$conninfo"
        bump
        ;;
    lay)
        lay "${@:2}"
        say "$2 recovers when PostgreSQL is started on it$([ -z "${4:-}" ] || echo ", with the WAL of $4")"
        bump
        ;;
esac

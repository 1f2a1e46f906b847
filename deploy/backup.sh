#!/usr/bin/env bash
# Backups of Pando's database, each checked when it is made. The master key is in none of them: keep that apart (docs/operate.md, "Backups").
#
#   deploy/backup.sh dump FILE           one file by pg_dump, with FILE.told: what was in the database at that moment, by numbers
#   deploy/backup.sh base FOLDER         a base backup by pg_basebackup, for point-in-time recovery; needs a role with REPLICATION
#   deploy/backup.sh archive WAL FOLDER  PostgreSQL's archive_command: puts one file of WAL into FOLDER, durably, never over another
#   deploy/backup.sh settings FOLDER     the lines of postgresql.conf that have WAL archived there, and who may make base backups
#
# In:  PANDO_DATABASE, libpq's conninfo, for dump and base. For base it may name a role of its own: user=backup.
# Out: dump: FILE is there whole, and can be read, or not at all. base: FOLDER/data, verified against its manifest. Exit 1, and nothing
#      under the name, when it failed. Mode 0600: whoever reads one knows all but what the master key seals. A password in the conninfo is
#      no argument of any program.
#
# The two are for different mornings. A dump is restored into any PostgreSQL, and loses what came after it: a night. A base backup and the
# WAL since lose seconds, and bring back any moment of them; they want the same version of PostgreSQL. Take both.
set -euo pipefail

say() { echo "backup: $*" >&2; }
die() { say "$*"; exit 1; }
usage() { sed -n 's/^#   \(deploy\)/usage: \1/p' "$0" >&2; exit 2; }

umask 077
verb=${1:-}
case "$verb $#" in
    'dump 2' | 'base 2' | 'archive 3' | 'settings 2') ;;
    *) usage ;;
esac

# The newest that is there: an older pg_dump refuses a newer server.
program() {
    local found
    found=$(printf '%s\n' "${POSTGRES_BIN:-/usr/lib/postgresql/*/bin}"/"$1" | sort -V | tail -n 1)
    [ -x "$found" ] || found=$(compgen -G "/usr/lib/postgresql/*/bin/$1" | sort -V | tail -n 1) || found=$(command -v "$1") || die "there is no $1; install postgresql-client"
    echo "$found"
}

durable() { sync -- "$@"; }

# A text between the quotes of postgresql.conf.
conf() { sed "s/\\\\/&&/g; s/'/&&/g" <<<"$1"; }
# A path in a command of postgresql.conf: for a shell, in which PostgreSQL puts things for what has a % before it.
in_command() { printf '%q' "$1" | sed 's/%/%%/g'; }

# Sets `conninfo`. Not read by archive, which PostgreSQL may run as a copy of this file alone.
database() {
    local here
    [ -n "${PANDO_DATABASE:-}" ] || die "PANDO_DATABASE is not set"
    here=$(cd "$(dirname -- "$0")" && pwd)
    # shellcheck source=deploy/conninfo.sh
    . "$here/conninfo.sh"
    hide_password "$PANDO_DATABASE"
}

# Every table's rows, counted in the snapshot that is dumped. restore.sh counts again.
counts() {
    cat <<'SQL'
select 'migrations ' || count(*) from migration;
select 'epoch ' || coalesce((select value #>> '{}' from setting where name = 'epoch'), '1');
select 'count ' || c.relname || ' '
    || (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from public.%I', c.relname), false, true, '')))[1]::text
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'public' and c.relkind = 'r' order by c.relname collate "C";
SQL
}

dump() {
    local file=$1 snapshot pid
    database
    [ ! -e "$file" ] || die "$file is there already"
    [ -d "$(dirname -- "$file")" ] || die "there is no folder for $file"
    new=$(mktemp -- "$file.XXXXXX")
    trap 'rm -f -- "$new" "$new.told"' EXIT

    # One session keeps the snapshot open, so that what is counted is what is dumped.
    coproc SESSION { "$(program psql)" -X -q -A -t -v ON_ERROR_STOP=1 -d "$conninfo"; }
    pid=$SESSION_PID
    exec {answers}<&"${SESSION[0]}" {asked}>&"${SESSION[1]}"
    echo "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; begin transaction isolation level repeatable read read only; select pg_export_snapshot();" >&"$asked"
    read -r snapshot <&"$answers" || die "the database does not answer"

    "$(program pg_dump)" --format=custom --no-owner --no-privileges --snapshot="$snapshot" --file="$new" --dbname="$conninfo"
    {
        echo "made $(date -u +%Y-%m-%dT%H:%M:%SZ)"
        { counts; echo "select 'server ' || current_setting('server_version'); commit;"; echo '\q'; } >&"$asked"
        cat <&"$answers"
        echo "sha256 $(sha256sum "$new" | cut -d ' ' -f 1)"
    } >"$new.told"
    exec {asked}>&- {answers}<&-
    wait "$pid" || die "counting failed"
    grep -q '^epoch ' "$new.told" || die "that is no database of Pando's: it has no epoch"
    "$(program pg_restore)" --list "$new" >/dev/null || die "the dump cannot be read"

    durable "$new" "$new.told"
    mv -- "$new.told" "$file.told"
    mv -- "$new" "$file" # last: whoever sees it sees all of it
    durable "$(dirname -- "$file")"
    say "$file, $(du -k -- "$file" | cut -f 1) KB, $(sed -n 's/^migrations //p' "$file.told") migrations, epoch $(sed -n 's/^epoch //p' "$file.told")"
}

base() {
    local folder=$1
    database
    [ ! -e "$folder" ] || die "$folder is there already"
    new=$folder.$$
    trap 'rm -rf -- "$new"' EXIT
    mkdir -p -- "$new"
    # With the WAL that was written meanwhile: it can be restored alone, as of its end.
    "$(program pg_basebackup)" --pgdata="$new/data" --format=plain --wal-method=stream --checkpoint=fast --manifest-checksums=SHA256 --dbname="$conninfo"
    "$(program pg_verifybackup)" --quiet "$new/data" || die "the base backup is not what its manifest says"
    {
        echo "made $(date -u +%Y-%m-%dT%H:%M:%SZ)"
        echo "server $(cat "$new/data/PG_VERSION")"
    } >"$new/told"
    durable "$new/told"
    mv -- "$new" "$folder"
    durable "$(dirname -- "$folder")"
    say "$folder, $(du -sm -- "$folder" | cut -f 1) MB"
}

archive() {
    local wal=$1 folder=$2 to
    to=$folder/$(basename -- "$wal")
    # PostgreSQL asks again after a crash of its own: the same file is no failure, another under its name is.
    if [ -e "$to" ]; then
        cmp -s -- "$wal" "$to" || die "$to is there already, and another"
        exit 0
    fi
    new=$(mktemp -- "$folder/.part.XXXXXX")
    trap 'rm -f -- "$new"' EXIT
    cp -- "$wal" "$new"
    durable "$new"
    mv -n -- "$new" "$to"
    # Of two that came at once.
    [ ! -e "$new" ] || cmp -s -- "$new" "$to" || die "$to is there already, and another"
    durable "$folder"
}

settings() {
    local command
    command="$(in_command "$(realpath -- "$0")") archive %p $(in_command "$(realpath -m -- "$1")")"
    cat <<END
# postgresql.conf
wal_level = replica
archive_mode = on                        # wants a restart
archive_command = '$(conf "$command")'
archive_timeout = 60s                    # at most so much is lost with the machine; without load, too

# As postgres, once; then PANDO_DATABASE='… user=backup' deploy/backup.sh base …
#   create role backup login replication;
#   grant pg_read_all_data to backup;
# pg_hba.conf
#   local replication backup peer map=backup        # or scram-sha-256 with a password, from another machine
END
}

case "$verb" in
    archive) archive "$2" "$3" ;;
    *) "$verb" "$2" ;;
esac

#!/usr/bin/env bash
# Puts partitions of `token` on another PostgreSQL: foreign tables in the place of empty ones (docs/scaling.md, "Partitions on several servers").
#
#   deploy/scaling/foreign-partition.sh prepare CONNINFO                              once, with all servers of Pando stopped
#   deploy/scaling/foreign-partition.sh move CONNINFO SERVER REMOTE PARTITION...      e.g. token_months_709; they have no rows yet
#
# In:  CONNINFO, Pando's database as its owner. SERVER, a foreign server of postgres_fdw there, which a superuser made, with a user mapping for the
#      owner. REMOTE, the database behind it, as the role that the mapping names. PostgreSQL's client programs.
# Out: a line for each partition on stdout; exit 1 when one could not be moved, which is left as it was.
#
# `prepare` takes the unique index of all partitions together, which PostgreSQL has no foreign partitions beside, and gives each an index of its own:
# identifiers are 88 random bits behind their time, so nothing relies on it. It locks `token` until the indexes are made.
set -euo pipefail

die() { echo "foreign-partition: $*" >&2; exit 1; }
usage() { sed -n 's/^#   \(deploy\)/usage: \1/p' "$0" >&2; exit 2; }

verb=${1:-}
case "$verb $#" in
    'prepare 2') ;;
    'move '[1-4]) usage ;;
    'move '*) ;;
    *) usage ;;
esac
conninfo=$2
sql() { psql -X -q -A -t -v ON_ERROR_STOP=1 -d "$1" "${@:2}"; }

if [ "$verb" = prepare ]; then
    sql "$conninfo" -1 <<'SQL'
set local lock_timeout = '5s';
alter table token drop constraint if exists token_pkey;
create index if not exists token_id on token (id);
SQL
    echo "prepared"
    exit 0
fi

server=$3 remote=$4
for partition in "${@:5}"; do
    [[ $partition =~ ^token_(days|weeks|months)_[0-9]+$ ]] || die "no partition of token: $partition"
    bound=$(sql "$conninfo" -v name="$partition" <<'SQL'
select pg_get_expr(c.relpartbound, c.oid) from pg_class c join pg_inherits i on i.inhrelid = c.oid
where i.inhparent = 'token'::regclass and c.relname = :'name' and c.relkind = 'r';
SQL
    )
    [ -n "$bound" ] || die "$partition is no partition of this server"
    # The columns and checks as they are here; what was left by one that failed before is empty, or stays.
    made=$(pg_dump --schema-only --section=pre-data --no-owner --no-privileges --table="$partition" -d "$conninfo" | sed '/^ALTER TABLE .* ATTACH /d')
    sql "$remote" -1 >/dev/null <<SQL || die "$partition could not be made at the other server"
do \$\$ begin
    if to_regclass('public.$partition') is not null then
        if exists (select from public.$partition) then raise exception 'it has rows'; end if;
        drop table public.$partition;
    end if;
end \$\$;
$made
alter table public.$partition add primary key (id);
create index on public.$partition (anchor);
SQL
    sql "$conninfo" -1 -v partition="$partition" -v server="$server" <<SQL || die "$partition stays where it is"
set local lock_timeout = '2s';
lock table $partition in access exclusive mode;
do \$\$ begin
    if exists (select from $partition) then raise exception '$partition has rows already'; end if;
end \$\$;
alter table token detach partition $partition;
drop table $partition;
create foreign table $partition partition of token $bound server :"server" options (schema_name 'public');
SQL
    echo "$partition is at $server"
done

#!/usr/bin/env bash
# A private PostgreSQL cluster from Debian's programs: real PostgreSQL, no setup. `pando dev` and the tests live on it.
#
#   deploy/postgres.sh start   [DIR]         make the cluster if there is none, start it unless it runs
#   deploy/postgres.sh stop    [DIR]         stop it; what is stopped may be stopped again
#   deploy/postgres.sh status  [DIR]         one line; exit 0 when it runs, 3 when not
#   deploy/postgres.sh url     [DIR [NAME]]  the libpq conninfo of database NAME (pando), which is made when missing
#   deploy/postgres.sh psql    [DIR]         psql in database pando; a cluster started for it is stopped after it
#   deploy/postgres.sh fresh   DIR           throw away what DIR holds and start anew, in memory when there is plenty
#   deploy/postgres.sh discard DIR           stop and delete it; its log stays as DIR.log
#
# In:  DIR (.pando/postgres). POSTGRES_TCP_PORT: listen on 127.0.0.1 too, for a role that was given a password.
#      POSTGRES_BIN: the programs, if not Debian's newest. POSTGRES_IN_MEMORY: `start` makes a new cluster in memory when
#      there is plenty, as `fresh` does: for tests, whose clusters outlive no machine.
# Out: stdout is the answer of status and url, progress and errors are on stderr; exit 1 when it failed.
#
# Inside DIR: data/, socket/, postgres.log. Whoever can enter socket/ (mode 0700: its owner, and root) is believed to be
# any role, since they could read the data just as well.
#
# Root. PostgreSQL refuses to run as root, so for root it runs as Debian's user postgres. That user often cannot reach a
# checkout of root's (a folder above it has mode 0700): the cluster then lies in /var/lib/pando/HASH and DIR is a symbolic
# link to it. An existing cluster always runs as the owner of its data, so `sudo` does no harm to that of a normal user.
set -euo pipefail

say() { echo "postgres: $*" >&2; }
die() { say "$*"; exit 1; }
usage() { sed -n 's/^#   \(deploy\)/usage: \1/p' "$0" >&2; exit 2; }

unset "${!PG@}" # the caller's PGHOST or PGUSER are about another server
export LC_ALL=C.UTF-8

verb=${1:-}
case "$verb $#" in
    'start '[12] | 'stop '[12] | 'status '[12] | 'psql '[12] | 'url '[123] | 'fresh 2' | 'discard 2') ;;
    *) usage ;;
esac
dir=$(realpath -sm -- "${2:-.pando/postgres}")
database=${3:-pando}
[[ $database =~ ^[a-z_][a-z0-9_]{0,62}$ ]] || die "no name for a database: $database"
port=${POSTGRES_TCP_PORT:-5432}
[[ $port =~ ^[0-9]{1,5}$ ]] || die "POSTGRES_TCP_PORT is no port: $port"
key=$(printf %s "$dir" | sha256sum | cut -c 1-12)
cd / # the user postgres may not be able to stand where root stands

# Who it belongs to, where it lies, which programs it needs. Looked up again after every change.
survey() {
    home=$(realpath -m -- "$dir")
    data=$home/data
    if [ -e "$home" ]; then
        owner=$(stat -c %u -- "$home")
    elif [ "$(id -u)" -eq 0 ]; then
        owner=$(id -u postgres 2>/dev/null) || die "root needs the user postgres of Debian's package to run it"
    else
        owner=$(id -u)
    fi
    [ "$(id -u)" -eq 0 ] || [ "$(id -u)" -eq "$owner" ] ||
        die "$dir belongs to $(stat -c %U -- "$home"), perhaps because root made it; say it with sudo, or delete it with 'sudo make reset'"
    [ "$owner" -ne 0 ] || die "$dir belongs to root, as whom PostgreSQL does not run; delete it and start again"
    if [ -n "${POSTGRES_BIN:-}" ]; then
        bin=$POSTGRES_BIN
    elif [ -e "$data/PG_VERSION" ]; then
        bin=/usr/lib/postgresql/$(<"$data/PG_VERSION")/bin
    else
        bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
    fi
    [ -x "$bin/postgres" ] || die "no PostgreSQL in $bin; deploy/packages.sh installs it"
}

as_owner() {
    if [ "$(id -u)" -eq "$owner" ]; then
        "$@"
    else
        setpriv --reuid "$owner" --regid "$(id -g "$(id -nu "$owner")")" --init-groups -- "$@"
    fi
}

initialised() { [ -e "$data/PG_VERSION" ]; }

# Line 1 is the process, which stands in its data folder; a reused number does not.
running() {
    local pid
    pid=$(head -n 1 "$data/postmaster.pid" 2>/dev/null) && [ "$(readlink "/proc/$pid/cwd")" = "$data" ]
}

# A path of a socket ends at 107 bytes; PostgreSQL splits the setting at commas and blanks.
socket_folder() {
    if [ ${#home} -le 80 ] && [[ $home =~ ^[A-Za-z0-9/._+-]+$ ]]; then
        echo "$home/socket"
    else
        echo "/tmp/pando-$owner-$key"
    fi
}

conninfo() { # ROLE DATABASE; where the running server says that it listens (lines 4 and 5)
    local file=$data/postmaster.pid
    echo "host=$(sed -n 5p "$file") port=$(sed -n 4p "$file") user=$1 dbname=$2"
}

# Where a new cluster will lie: in DIR, unless its user cannot get there.
choose_place() {
    [ ! -e "$home" ] || return 0
    local above=${dir%/*} place=$dir
    mkdir -p -- "$above" 2>/dev/null || true
    [ -w "$above" ] || die "$above cannot be written by $(id -nu)"
    [ ! -L "$dir" ] || rm -- "$dir" # points to nothing
    if ! as_owner test -x "$above"; then
        place=/var/lib/pando/$key
        install -d -m 0755 /var/lib/pando
        if [ -e "$place" ]; then # its link was deleted, with everything else in .pando perhaps: nothing to start from
            say "keeping a cluster that nothing points to as $place.old"
            home=$place data=$place/data leave_no_process
            rm -rf -- "$place.old" && mv -- "$place" "$place.old"
        fi
        ln -s -- "$place" "$dir"
    fi
    install -d -m 0700 -o "$owner" -- "$place"
    survey
}

choose_memory() {
    local free available
    free=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1) || free=0
    available=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)
    [ "$free" -ge 4194304 ] && [ "$available" -ge 6291456 ] && [ -w /dev/shm ] || return 0
    local place
    place=/dev/shm/pando-$(od -An -N 8 -tx8 /dev/urandom | tr -d ' ')
    mkdir -p -- "${dir%/*}"
    ln -s -- "$place" "$dir" # first, so that discard finds the place whatever happens
    as_owner mkdir -m 0700 -- "$place"
    survey
}

initialise() {
    say "making a cluster in $home"
    rm -rf -- "$data.new" # left by one that was killed
    as_owner "$bin/initdb" --pgdata "$data.new" --username postgres --encoding UTF8 --locale C.UTF-8 --auth-local trust \
        --auth-host scram-sha-256 --no-instructions >"$home/initdb.log" || die "initdb failed; see $home/initdb.log"
    echo "include_if_exists = 'pando.conf'" | as_owner tee -a "$data.new/postgresql.conf" >/dev/null
    as_owner mv -- "$data.new" "$data"
}

configure() {
    local listen=''
    [ -z "${POSTGRES_TCP_PORT:-}" ] || listen=127.0.0.1
    socket=$(socket_folder)
    as_owner mkdir -m 0700 -- "$socket" 2>/dev/null || true
    [ "$(stat -c '%F %u %a' -- "$socket")" = "directory $owner 700" ] || die "$socket is not a folder of its own with mode 0700"
    as_owner tee "$data/pando.conf" >/dev/null <<EOF
# Written by deploy/postgres.sh at every start.
unix_socket_directories = '$socket'
listen_addresses = '$listen'
port = $port
max_connections = 500
# Tests make many schemas at once, each in one transaction that locks all that it makes.
max_locks_per_transaction = 256
shared_buffers = 128MB
fsync = on
synchronous_commit = on
# After a crash: one call instead of an fsync of each file (0.7 s, not 4.5).
recovery_init_sync_method = syncfs
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
log_line_prefix = '%m [%p] %q%d '
EOF
}

# After kill -9 of the server its children may live on for a moment, and after rm -rf of its folder all of them may. Only
# when nobody stands in the data folder is it safe to delete the lock files, whose numbers may be someone else's by now.
leave_no_process() {
    local pids tries
    for tries in {1..100}; do
        mapfile -t pids < <(find /proc -maxdepth 2 -name cwd \( -lname "$data" -o -lname "$data (deleted)" \) 2>/dev/null | cut -d / -f 3)
        [ ${#pids[@]} -gt 0 ] || return 0
        [ "$tries" -ne 20 ] || kill -QUIT "${pids[@]}" 2>/dev/null || true # aborts at once; the next start recovers from the WAL
        sleep 0.1
    done
    die "processes ${pids[*]} of an earlier server do not end"
}

# The server outlives us and must not keep what was open for us: our lock, or the socket by whose end Foundation's
# Process, in `pando dev`, learns that we are done.
detached() (
    for fd in /proc/self/fd/*; do
        fd=${fd##*/}
        [ "$fd" -le 2 ] || [ "$fd" -eq 255 ] || exec {fd}>&- # 255 is bash's own and goes by itself
    done
    "$@"
)

start() {
    if ! initialised; then
        [ -z "${POSTGRES_IN_MEMORY:-}" ] || [ -L "$dir" ] || [ -e "$dir" ] || choose_memory
        choose_place
        initialise
    fi
    if ! running; then
        configure
        leave_no_process
        rm -f -- "$data/postmaster.pid" "$socket"/.s.PGSQL.*
        detached as_owner env -i PATH="$PATH" LC_ALL="$LC_ALL" "$bin/pg_ctl" start --silent --wait --timeout 60 --pgdata "$data" \
            --log "$home/postgres.log" </dev/null >/dev/null ||
            { tail -n 20 "$home/postgres.log" >&2; die "it did not start; more in $home/postgres.log"; }
    fi
    ensure_database pando
}

stop() {
    running || return 0
    as_owner "$bin/pg_ctl" stop --silent --wait --timeout 60 --mode fast --pgdata "$data" >/dev/null
}

ensure_database() {
    "$bin/psql" -X -q -v ON_ERROR_STOP=1 -v name="$1" -d "$(conninfo postgres postgres)" >/dev/null <<'SQL'
select 'create role pando login createdb' where not exists (select from pg_roles where rolname = 'pando') \gexec
select format('create database %I owner pando', :'name') where not exists (select from pg_database where datname = :'name') \gexec
SQL
}

discard() {
    [ -L "$dir" ] || [ -e "$dir" ] || return 0
    if [ -e "$home" ]; then
        initialised || [ -e "$home/initdb.log" ] || [ -z "$(ls -A -- "$home")" ] || die "$dir is no cluster; not deleting it"
        stop
        leave_no_process
        [ ! -s "$home/postgres.log" ] || cp -- "$home/postgres.log" "$dir.log"
        rm -rf -- "$home" "$(socket_folder)"
        [[ $home != /var/lib/pando/* ]] || rm -rf -- "$home.old"
    fi
    rm -rf -- "$dir"
}

survey
if [ "$verb" != status ] && [ -d "${dir%/*}" ] && [ -w "${dir%/*}" ]; then
    exec 9>"$dir.lock" # one of us at a time
    flock -w 120 9 || die "another deploy/postgres.sh works on $dir and does not end"
fi
case "$verb" in
    start) start ;;
    stop) stop ;;
    status)
        if running; then echo "runs: $(conninfo pando pando)"; else echo "does not run"; exit 3; fi
        ;;
    url)
        running || die "it does not run; 'deploy/postgres.sh start' or 'make run' starts it"
        ensure_database "$database"
        conninfo pando "$database"
        ;;
    psql)
        initialised || die "there is no database yet; 'make run' makes it"
        running || { start; trap stop EXIT; }
        flock -u 9
        "$bin/psql" -d "$(conninfo pando pando)"
        ;;
    fresh) discard; survey; choose_memory; start ;;
    discard) discard ;;
esac

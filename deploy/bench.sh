#!/usr/bin/env bash
# `make bench` and others of its kind: measure the release build.
#
# In:  what to measure (outside, growth, storm, cores, reach, local, tree, tiqr, operations, liquid, crawl, discovery;
#      outside by default), one after the other, and options of these `pando-bench` commands. Each of them gets those
#      that it knows; what none knows, or one does not take, ends this before anything is measured.
# Out: their reports on stdout; with --json and more than one, an object with a member for each. Each has a fresh
#      database, which lies on disk, not in memory: waiting for fsync is part of the measure.
set -euo pipefail
cd "$(dirname "$0")/.."

die() { echo "bench: $*" >&2; exit 2; }

kinds=()
while [[ ${1:-} =~ ^(outside|growth|storm|cores|reach|local|tree|tiqr|operations|liquid|crawl|discovery)$ ]]; do
    kinds+=("$1")
    shift
done
[ ${#kinds[@]} -gt 0 ] || kinds=(outside)

cluster=.pando/bench-postgres bench=.build/release/pando-bench
deploy/packages.sh bench
# `outside`, `growth` and `storm` measure the program that is shipped.
program=release
[[ ! " $* " =~ " --flames"[\ =] ]] || program=profile
[[ ! " ${kinds[*]} " =~ " "(outside|growth|storm)" " ]] || deploy/build.sh "$program"
deploy/build.sh bench

if [[ " $* " =~ " "(-h|--help)" " ]]; then
    for kind in "${kinds[@]}"; do "$bench" "$kind" --help; done
    exit 0
fi

# Options as the help of a command has them, one a line: `--json`, and `--seconds <` where a value follows.
declare -A known
for kind in "${kinds[@]}"; do
    known[$kind]=$("$bench" "$kind" --help | sed -n 's/^  \(--[a-z-]*\( <\)\{0,1\}\).*/\1/p')
    declare -a "options_$kind=()"
done
is_known() { grep -qx -e "$1\( <\)\{0,1\}" <<<"$2"; }
takes_value() { printf '%s\n' "${known[@]}" | grep -qxF -e "$1 <"; }

# To each command that knows the option $1 of the words that follow.
hand_out() {
    local option=$1 kind takers=0
    shift
    for kind in "${kinds[@]}"; do
        is_known "$option" "${known[$kind]}" || continue
        local -n options=options_$kind
        options+=("$@")
        takers=$((takers + 1))
    done
    [ "$takers" -gt 0 ] || die "no such option of: ${kinds[*]}: $option"
}

json=
while [ $# -gt 0 ]; do
    [[ $1 =~ ^(--[a-z-]+)(=.*)?$ ]] || die "no option: $1"
    option=${BASH_REMATCH[1]} words=("$1")
    if [ -z "${BASH_REMATCH[2]}" ] && takes_value "$option"; then
        [ $# -gt 1 ] || die "$option wants a value"
        words+=("$2")
        shift
    fi
    shift
    [ "$option" != --json ] || json=1
    hand_out "$option" "${words[@]}"
done

# measure KIND [--check]
measure() {
    local -n options=options_$1
    "$bench" "$1" "${options[@]}" "${@:2}"
}
for kind in "${kinds[@]}"; do measure "$kind" --check; done

# `liquid` holds as many sockets as this allows, and says how many that were; `storm` wants what it is told.
ulimit -Sn hard || true

export PANDO_MASTER_KEY_FILE=$PWD/.pando/bench.key
trap 'deploy/postgres.sh discard "$cluster"; rm -f "$PANDO_MASTER_KEY_FILE"' EXIT
deploy/master-key.sh "$PANDO_MASTER_KEY_FILE" 2>/dev/null
deploy/postgres.sh discard "$cluster"
deploy/postgres.sh start "$cluster"
[ ${#kinds[@]} -gt 1 ] || json= # its own value is all there is
opening='{' heading=
for kind in "${kinds[@]}"; do
    PANDO_DATABASE=$(deploy/postgres.sh url "$cluster" "pando_bench_$kind")
    export PANDO_DATABASE
    if [ -n "$json" ]; then
        echo "$opening\"$kind\":"
        opening=,
    elif [ ${#kinds[@]} -gt 1 ]; then
        printf "$heading== %s ==\n\n" "$kind"
        heading='\n'
    fi
    measure "$kind"
done
[ -z "$json" ] || echo '}'

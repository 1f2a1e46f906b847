#!/usr/bin/env bash
# `make bench`, `make bench-crawl`, `make bench-discovery`: measure the release build.
#
# In:  what to measure (outside, growth, cores, tree, tiqr, operations, liquid, crawl, discovery; outside by default), one after the other, and arguments for each of these `pando-bench` commands.
# Out: their reports on stdout. Each has a fresh database, which lies on disk, not in memory: waiting for fsync is part of the measure.
set -euo pipefail
cd "$(dirname "$0")/.."

kinds=()
while [[ ${1:-} =~ ^(outside|growth|cores|tree|tiqr|operations|liquid|crawl|discovery)$ ]]; do
    kinds+=("$1")
    shift
done
[ ${#kinds[@]} -gt 0 ] || kinds=(outside)

cluster=.pando/bench-postgres
deploy/packages.sh bench
# `outside` and `growth` measure the program that is shipped.
program=release
[[ " $* " != *" --flames "* ]] || program=profile
[[ ! " ${kinds[*]} " =~ " "(outside|growth)" " ]] || deploy/build.sh "$program"
deploy/build.sh bench

# `liquid` holds as many sockets as this allows, and says how many that were.
ulimit -Sn hard || true

export PANDO_MASTER_KEY_FILE=$PWD/.pando/bench.key
trap 'deploy/postgres.sh discard "$cluster"; rm -f "$PANDO_MASTER_KEY_FILE"' EXIT
deploy/master-key.sh "$PANDO_MASTER_KEY_FILE" 2>/dev/null
deploy/postgres.sh discard "$cluster"
deploy/postgres.sh start "$cluster"
for kind in "${kinds[@]}"; do
    PANDO_DATABASE=$(deploy/postgres.sh url "$cluster" "pando_bench_$kind")
    export PANDO_DATABASE
    .build/release/pando-bench "$kind" "$@"
done

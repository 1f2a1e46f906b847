#!/usr/bin/env bash
# `make bench`, `make bench-crawl`, `make bench-discovery`: measure the release build.
#
# In:  what to measure (tree, crawl, discovery; tree by default) and arguments for that `pando bench` command.
# Out: its report on stdout. The database is fresh and lies on disk, not in memory: waiting for fsync is part of the measure.
set -euo pipefail
cd "$(dirname "$0")/.."

kind=tree
case "${1:-}" in
    tree|crawl|discovery) kind=$1; shift ;;
esac

cluster=.pando/bench-postgres
deploy/packages.sh
deploy/build.sh release

export PANDO_MASTER_KEY_FILE=$PWD/.pando/bench.key
trap 'deploy/postgres.sh discard "$cluster"; rm -f "$PANDO_MASTER_KEY_FILE"' EXIT
deploy/master-key.sh "$PANDO_MASTER_KEY_FILE" 2>/dev/null
deploy/postgres.sh discard "$cluster"
deploy/postgres.sh start "$cluster"
PANDO_DATABASE=$(deploy/postgres.sh url "$cluster" pando_bench)
export PANDO_DATABASE
.build/release/pando bench "$kind" "$@"

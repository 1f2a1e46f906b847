#!/usr/bin/env bash
# `make bench`: measures the release build.
#
# In:  arguments for `pando bench`.
# Out: its report on stdout. The database is fresh and lies on disk, not in memory: waiting for fsync is part of the measure.
set -euo pipefail
cd "$(dirname "$0")/.."

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
.build/release/pando bench "$@"

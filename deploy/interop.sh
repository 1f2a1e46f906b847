#!/usr/bin/env bash
# `make interop`: the pytest suite in Tests/Interop, clients that know nothing of the code.
#
# In:  [--built] — the debug build is up to date already; then arguments for pytest. `--screens` is ours: the pictures that Chromium
#      takes of the pages go to Tests/Interop/screens, which is committed, instead of .pando/screens.
#      Without these the files are shared out among as many processes as there are cores, four at most: clients wait more
#      than they work.
# Out: pytest's report on stdout, its exit code. The fixtures start .build/debug/pando themselves, on the fresh database
#      whose libpq conninfo is in PANDO_TEST_DATABASE; its PostgreSQL is thrown away afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."

cluster=.pando/interop-postgres
if [ "${1:-}" = --built ]; then
    shift
else
    deploy/packages.sh test
    deploy/build.sh debug
fi
deploy/python.sh .venv Tests/Interop/requirements.txt

trap 'deploy/postgres.sh discard "$cluster"' EXIT
deploy/postgres.sh fresh "$cluster"
PANDO_TEST_DATABASE=$(deploy/postgres.sh url "$cluster" pando_interop)
export PANDO_TEST_DATABASE PYTHONDONTWRITEBYTECODE=1
side_by_side=()
if [ $# -eq 0 ]; then
    cores=$(nproc)
    side_by_side=(-n $((cores < 4 ? cores : 4)) --dist loadfile --no-loadscope-reorder) # conftest.py has the order
fi
.venv/bin/python -m pytest -ra -p no:cacheprovider "${side_by_side[@]}" Tests/Interop "$@"

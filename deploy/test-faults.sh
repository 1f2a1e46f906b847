#!/usr/bin/env bash
# `make test-faults`: everything that can break, broken while many ask, and what became of what they were told.
#
# In:  [--built] — the debug build is up to date already; then arguments for pytest: `--runs 3`, `-k failover`.
#      PANDO_BINARY — another binary; nothing is built then. A release build starts faster, which is most of a run's time.
#      PANDO_PREVIOUS — the last release's program, for the upgrade under load; its migrations are beside it, or in
#      PANDO_PREVIOUS_MIGRATIONS. Without it the upgrade is not tried, and the end says so.
#      PANDO_FAULTS_FOLDER — where the table goes; rows that are there already, of another part (-k), are in it too.
#      To fill a disk takes root; everything else does not.
# Out: pytest's report and the table of faults on stdout; .pando/faults/faults.md and faults.json. Exit 1 where anything
#      acknowledged was lost, anything revoked lived, or a good token was refused.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = --built ]; then
    shift
elif [ -z "${PANDO_BINARY:-}" ]; then
    deploy/packages.sh test
    deploy/build.sh debug
fi
deploy/python.sh .venv Tests/Interop/requirements.txt

# Each fault has servers and clusters of its own: what breaks is nobody else's. One after the other, as seconds are measured.
export PYTHONDONTWRITEBYTECODE=1
exec .venv/bin/python -m pytest -p no:cacheprovider Tests/Interop/faults --faults "$@"

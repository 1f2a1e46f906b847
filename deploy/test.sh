#!/usr/bin/env bash
# `make test`: everything that must hold before a change lands.
#
# In:  arguments for `swift test` (`make test ARGS='--filter ArchitectureTests'`); with them only that part runs.
# Out: the reports of swift test and pytest on stdout, then one line each on stderr; exit 1 when anything failed.
#      The tests find their database in PANDO_TEST_DATABASE, a libpq conninfo. It is fresh, in a PostgreSQL that is thrown
#      away afterwards; its log stays as .pando/test-postgres.log.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "test: $*" >&2; }

cluster=.pando/test-postgres
mkdir -p .pando
exec 8>.pando/test.lock
flock -n 8 || { say "waiting for another 'make test' in this checkout"; flock 8; }

deploy/packages.sh test
[ $# -gt 0 ] || deploy/format.sh check || { say "not formatted: make format"; exit 1; }
deploy/build.sh tests

trap 'deploy/postgres.sh discard "$cluster"' EXIT
deploy/postgres.sh fresh "$cluster" 8>&-
PANDO_TEST_DATABASE=$(deploy/postgres.sh url "$cluster" pando_test)
export PANDO_TEST_DATABASE

swift_tests=ok interop=ok
run() { swift test --skip-build --disable-xctest "$@" || swift_tests=FAILED; }
if [ $# -gt 0 ]; then
    run "$@"
else
    # One after the other: tests that keep all cores busy make those come too late that wait for a moment.
    run --filter DatabaseTests
    run --skip DatabaseTests --skip DatabaseAwayTests --skip AttackTests --skip TreeModelTests
    run --no-parallel --filter AttackTests --filter DatabaseAwayTests
    run --no-parallel --filter TreeModelTests
fi

if [ $# -gt 0 ]; then
    interop="skipped: the arguments are for swift test"
elif [ ! -e Tests/Interop/requirements.txt ]; then
    interop="skipped: there is no Tests/Interop/requirements.txt"
else
    deploy/interop.sh --built 8>&- || interop=FAILED
fi
say "swift test: $swift_tests"
say "Tests/Interop: $interop"
[ "$swift_tests" != FAILED ] && [ "$interop" != FAILED ]

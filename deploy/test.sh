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

tests=
# Also when this is ended early: whoever waits for a database that is gone would wait on.
finish() {
    [ -z "$tests" ] || end_tests
    deploy/postgres.sh discard "$cluster"
}
end_tests() {
    pkill -KILL -P "$tests" || true
    kill -KILL "$tests" 2>/dev/null || true
}
trap finish EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
deploy/postgres.sh fresh "$cluster" 8>&-
PANDO_TEST_DATABASE=$(deploy/postgres.sh url "$cluster" pando_test)
export PANDO_TEST_DATABASE

swift_tests=ok interop=ok
silence=600 log=.pando/test-swift.log failures=.pando/test-failures.log
: >"$failures"

# Names of tests that have begun and not ended, of the log of a run.
unfinished() {
    comm -23 <(sed -n 's/^◇ Test \(".*"\) started\.$/\1/p' "$log" | sort -u) \
        <(sed -En 's/^. Test (".*")( with [0-9]+ test cases?)? (passed|failed) after .*/\1/p' "$log" | sort -u)
}

# One that hangs fails, and is named, before whoever runs this loses patience.
run() {
    : >"$log"
    swift test --skip-build --disable-xctest "$@" > >(tee "$log") 8>&- &
    tests=$!
    while kill -0 "$tests" 2>/dev/null; do
        sleep 1
        (($(date +%s) - $(stat -c %Y "$log") > silence)) || continue
        say "nothing has ended for $silence seconds; begun, and not ended:"
        unfinished | tee -a "$failures" >&2
        end_tests
    done
    wait "$tests" || swift_tests=FAILED
    tests=
    # `recorded an issue at File.swift:1:2: why`, and what has no such line: a crash, a time limit.
    grep -E '^✘ .* recorded an issue|Fatal error|unexpected signal' "$log" | cut -c1-300 >>"$failures" || true
}
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
# Again at the end, where whoever sees only the end finds them.
head -n 15 "$failures" >&2
say "swift test: $swift_tests"
say "Tests/Interop: $interop"
[ "$swift_tests" != FAILED ] && [ "$interop" != FAILED ]

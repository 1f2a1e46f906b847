#!/usr/bin/env bash
# Builds with SwiftPM.
#
# In:  release — the binary to ship; nothing is done when no source changed since it was built
#      bench   — the binary that `make bench` starts, likewise
#      profile — the binary to ship with its symbols, for perf, in its place
#      run     — the binary that `make run` starts, likewise: a debug build, half as long as the other, and a part of
#                what `make test` builds
#      debug   — every target, with the check that each import is a declared dependency
#      tests   — debug, and the tests
# Out: .build/release/pando, .build/release/pando-bench or .build/debug/pando. On a terminal SwiftPM draws its own progress; elsewhere there is one line
#      a minute on stderr, the errors at the end when it failed, and all of it in .pando/build-KIND.log.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "build: $*" >&2; }

# The Swift runtime is linked in: 99 MB, where the binary and its libraries would be 121. No debug information is made
# for a binary that is stripped: 2.5 minutes less on 2 cores. What is generic is compiled for its types across modules,
# too: 6 MB more, and 5 to 12 % less CPU for a request.
shipped=(-c release --static-swift-stdlib -debug-info-format none -Xswiftc -cross-module-optimization -Xlinker -s)
checked=(--explicit-target-dependency-import-check error)

kind=${1:-debug}
case "$kind" in
    release) options=("${shipped[@]}" --product pando) binary=.build/release/pando ;;
    profile) options=("${shipped[@]:0:7}" --product pando) binary=.build/release/pando ;;
    bench) options=("${shipped[@]}" --product pando-bench) binary=.build/release/pando-bench ;;
    run) options=("${checked[@]}" --product pando) binary=.build/debug/pando ;;
    debug) options=("${checked[@]}") binary=.build/debug/pando ;;
    tests) options=(--build-tests "${checked[@]}") binary=.build/debug/pando ;;
    *) echo "usage: deploy/build.sh [release|bench|profile|run|debug|tests]" >&2; exit 2 ;;
esac
command -v swift >/dev/null || { say "no swift in the PATH; Pando needs Swift 6.2 or newer"; exit 1; }
mkdir -p .pando

# For `pando --version`. Only when it has changed: what includes it is compiled again.
if commit=$(git describe --always --dirty --exclude '*' --abbrev=12 2>/dev/null); then
    told="#define PANDO_COMMIT \"$commit\""
    if [ "$(cat Sources/CBuild/commit.h 2>/dev/null)" != "$told" ]; then
        echo "$told" >Sources/CBuild/commit.h
        touch Sources/CBuild/CBuild.c # a build that knew no such file does not look for it
    fi
fi

# SwiftPM takes a second to see that there is nothing to do, and the second release build ever compiles some dependencies
# again for most of a minute. -cnewer: a file that was put back with its old date has changed all the same.
stamp=.pando/built-$kind
with() { swift --version 2>/dev/null; cat Package.resolved 2>/dev/null || true; }
if [[ $kind =~ ^(release|bench|run)$ ]] && [ -x "$binary" ] && [ -e "$stamp" ] && with | cmp -s - "$stamp" &&
    [ -z "$(find Package.swift Sources crawler -cnewer "$stamp" -print -quit)" ]; then
    exit 0
fi

[ "$kind" != profile ] || rm -f .pando/built-release # what is there now is not what is shipped
[ -x "$binary" ] || say "the first build fetches and compiles all dependencies: 5 to 10 minutes on 2 cores"
started=$SECONDS
began=$(date +%s)
if [ -t 1 ]; then
    swift build "${options[@]}"
else
    log=.pando/build-$kind.log
    swift build "${options[@]}" >"$log" 2>&1 &
    builder=$!
    ticker=
    trap 'kill "$builder" $ticker 2>/dev/null; wait "$builder"; exit 130' INT TERM
    exec {never}<> <(:) # nothing comes from here: a pause without a process that could outlive us
    (while ! read -r -t 60 -u "$never"; do
        say "$kind, $(((SECONDS - started) / 60)) min, $(grep -o '^\[[0-9/]*\]' "$log" | tail -n 1)"
    done) &
    ticker=$!
    failed=0
    wait "$builder" || failed=$?
    kill "$ticker" 2>/dev/null || true
    if [ "$failed" -ne 0 ]; then
        { grep -E '(^|: )error:' "$log" | sort -u | head -n 40; echo; tail -n 30 "$log"; } >&2 || true
        say "failed; all of it is in $log"
        exit "$failed"
    fi
    grep -E '/(Sources|Tests|crawler)/.*: warning:' "$log" | grep -v '/\.build/' | sort -u | head -n 20 >&2 || true
    say "$kind, done in $((SECONDS - started)) s"
fi
with >"$stamp"
touch -d "@$began" "$stamp" # what changed while it was compiled is newer

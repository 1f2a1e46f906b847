#!/usr/bin/env bash
# `make fuzz`: builds the fuzz targets of Tests/Fuzz (libFuzzer, address sanitizer) and lets each look for inputs that break its oracle.
#
# In:  --seconds N   how long each target runs; 60
#      --target NAME only this one; may come several times
#      --jobs N      targets at a time; as many as there are cores
#      --built       do not build
# Out: a table on stdout; exit 1 when a target crashed, hung, leaked or grew over its limit. What it found is kept in .build/fuzz/crashes,
#      with the line that replays it. Inputs that reached something new stay in .build/fuzz/corpus and are where the next run begins.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "fuzz: $*" >&2; }

seconds=60 jobs=$(nproc) built=no wanted=()
while [ $# -gt 0 ]; do
    case "$1" in
        --seconds) seconds=${2:?--seconds needs a number}; shift 2 ;;
        --target) wanted+=("${2:?--target needs a name}"); shift 2 ;;
        --jobs) jobs=${2:?--jobs needs a number}; shift 2 ;;
        --built) built=yes; shift ;;
        *) echo "usage: deploy/fuzz.sh [--seconds N] [--target NAME]... [--jobs N] [--built]" >&2; exit 2 ;;
    esac
done

mkdir -p .pando
exec 8>.pando/fuzz.lock
flock -n 8 || { say "another 'make fuzz' is under way in this checkout"; exit 1; }

place=.build/fuzz
programs=(Parsers CeremonyFuzzers Endpoints Crawling)
if [ "$built" = no ]; then
    command -v swiftc >/dev/null || { say "no swift in the PATH; Pando needs Swift 6.2 or newer"; exit 1; }
    resources=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath" *: *"\(.*\)".*/\1/p')
    runtime=("$resources"/clang/lib/linux/libclang_rt.fuzzer-*.a)
    [ -e "${runtime[0]}" ] || { say "this Swift toolchain has no libFuzzer (libclang_rt.fuzzer in $resources/clang/lib/linux); use that of swift.org"; exit 1; }
    say "building; the first time that is everything below the rooms too, 10 minutes on 2 cores"
    for program in "${programs[@]}"; do
        nice -n 10 swift build --package-path Tests/Fuzz --scratch-path "$place" -c release --sanitize address --product "$program" \
            >.pando/build-fuzz.log 2>&1 8>&- || {
            { grep -E '(^|: )error:' .pando/build-fuzz.log | sort -u | head -n 40; echo; tail -n 20 .pando/build-fuzz.log; } >&2 || true
            say "failed; all of it is in .pando/build-fuzz.log"
            exit 1
        }
    done
fi

# The targets of a program are links to it.
mkdir -p "$place"/{targets,corpus,crashes,logs,vectors}
known=()
for program in "${programs[@]}"; do
    [ -x "$place/release/$program" ] || { say "the program $program is not built; its targets are left out"; continue; }
    while read -r name; do
        ln -sfn "../release/$program" "$place/targets/$name"
        known+=("$name")
    done < <("$place/release/$program" || true)
done
[ ${#wanted[@]} -gt 0 ] || wanted=("${known[@]}")
for name in "${wanted[@]}"; do
    [[ " ${known[*]} " == *" $name "* ]] || { say "no target $name; there are: ${known[*]}"; exit 2; }
done

# Published vectors beside the checkout are seeds where they are; they are not ours to commit.
published=()
for folder in ../shared/vectors/{jose,webauthn}; do [ ! -d "$folder" ] || published+=("$folder"); done
if [ ${#published[@]} -gt 0 ] && command -v python3 >/dev/null; then python3 Tests/Fuzz/vectors.py "${published[@]}" "$place/vectors"; fi

# A small quarantine, so that the memory which is shown is the target's; no leak may stay, and no 5 seconds be spent on one input.
export ASAN_OPTIONS=quarantine_size_mb=16:malloc_context_size=12:handle_abort=1:detect_leaks=1
run() {
    local name=$1 folders=()
    mkdir -p "$place/corpus/$name"
    for folder in "$place/corpus/$name" "Tests/Fuzz/seeds/$name" "$place/vectors/$name"; do [ ! -d "$folder" ] || folders+=("$folder"); done
    local dictionary=Tests/Fuzz/dictionaries/$name.dict
    exec nice -n 15 "$place/targets/$name" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=512 -max_len=4096 -len_control=100 -print_final_stats=1 \
        -artifact_prefix="$place/crashes/$name-" ${dictionary:+-dict="$dictionary"} "${folders[@]}" >"$place/logs/$name.log" 2>&1 8>&-
}

declare -A running=() outcome=()
trap 'kill "${!running[@]}" 2>/dev/null || true; exit 130' INT TERM
finish() {
    local pid status=0
    wait -n -p pid "${!running[@]}" || status=$?
    outcome[${running[$pid]}]=$status
    say "${running[$pid]}: $([ "$status" -eq 0 ] && echo ok || echo "FAILED ($status)")"
    unset "running[$pid]"
}
for name in "${wanted[@]}"; do
    while [ ${#running[@]} -ge "$jobs" ]; do finish; done
    run "$name" &
    running[$!]=$name
done
while [ ${#running[@]} -gt 0 ]; do finish; done

# A figure of libFuzzer's last line that has it.
figure() { grep -aoE "$1" "$place/logs/$2.log" | tail -n 1 | grep -oE '[0-9]+' || echo -; }
failed=0
printf '%-10s %12s %9s %7s %9s %7s %10s %8s  %s\n' target executions exec/s edges features corpus 'RSS start' 'RSS peak' result
for name in "${wanted[@]}"; do
    log=$place/logs/$name.log result=ok
    if [ "${outcome[$name]}" -ne 0 ]; then
        failed=1
        result=$(grep -aoE 'ORACLE: .*|ERROR: (libFuzzer|AddressSanitizer|LeakSanitizer): [a-zA-Z-]+' "$log" | head -n 1) || true
        result="FAILED: ${result:-exit ${outcome[$name]}}"
    elif ! grep -aq 'number_of_executed_units: [1-9]' "$log"; then
        failed=1 result="FAILED: nothing was run; see $log"
    fi
    start=$(grep -aE '#[0-9]+[[:space:]]+INITED' "$log" | grep -oE 'rss: [0-9]+' | grep -oE '[0-9]+') || start=-
    printf '%-10s %12s %9s %7s %9s %7s %7s MB %5s MB  %s\n' "$name" "$(figure 'number_of_executed_units: [0-9]+' "$name")" \
        "$(figure 'average_exec_per_sec: +[0-9]+' "$name")" "$(figure 'cov: [0-9]+' "$name")" "$(figure 'ft: [0-9]+' "$name")" \
        "$(figure 'corp: [0-9]+' "$name")" "$start" "$(figure 'peak_rss_mb: +[0-9]+' "$name")" "$result"
done
for name in "${wanted[@]}"; do
    [ "${outcome[$name]}" -eq 0 ] || grep -aoE 'Test unit written to .*' "$place/logs/$name.log" | sort -u | while read -r _ _ _ _ file; do
        echo "replay: $place/targets/$name $file"
    done
done
exit "$failed"

#!/usr/bin/env bash
# `make format`, and its check in `make test`: swift-format, of the Swift toolchain, as .swift-format has it.
#
# In:  nothing: writes; `check`: writes nothing.
# Out: with `check`, a line on stderr for each place that differs; exit 1 when there is one.
#      What no formatter breaks, a comment or a text over 120 columns, ArchitectureTests finds.
set -euo pipefail
cd "$(dirname "$0")/.."

# Not by folder: what is built lies below Tests/Fuzz, and its sources are links to those of the targets.
mapfile -d '' files < <(find Package.swift Sources crawler Tests examples -name .build -prune -o -type f -name '*.swift' -print0)
case ${1:-} in
    '') exec swift format format --in-place --parallel --configuration .swift-format "${files[@]}" ;;
    check) exec swift format lint --strict --parallel --configuration .swift-format "${files[@]}" ;;
    *) echo "usage: deploy/format.sh [check]" >&2; exit 2 ;;
esac

#!/usr/bin/env bash
# Makes a master key unless there is one.
#
# In:  FILE
# Out: FILE holds 32 random bytes as base64url, mode 0600. An existing file is never touched.
#
# What is sealed under it cannot be read without it: see "The master key" in deploy/README.md.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: deploy/master-key.sh FILE" >&2; exit 2; }
[ ! -e "$1" ] || exit 0
umask 077
new=$(mktemp -- "$1.XXXXXX")
trap 'rm -f -- "$new"' EXIT
head -c 32 /dev/urandom | base64 -w 0 | tr '+/' '-_' | tr -d '=' >"$new"
ln -- "$new" "$1" 2>/dev/null || [ -e "$1" ] # ln does not replace: of two at once one wins
echo "master key: made $1; keep a copy of it apart from the database" >&2

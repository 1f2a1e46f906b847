#!/usr/bin/env bash
# Writes pando's manual pages, one for each command and each noun of `pando admin`, as the binary tells them, and its
# completion for bash, zsh and fish.
#
# In:  the binary, PANDO_BINARY or that of `make release` or `make build`; PREFIX (/usr/local), DESTDIR
# Out: PREFIX/share/man/man1/pando*.1, PREFIX/share/bash-completion/…, zsh/site-functions, fish/vendor_completions.d
#
# Where `man` is, each page is read once by it, and any warning ends this.
set -euo pipefail
cd "$(dirname "$0")/.."

binary=${PANDO_BINARY:-}
for built in .build/release/pando .build/debug/pando; do
    [ -n "$binary" ] || [ ! -x "$built" ] || binary=$built
done
[ -n "$binary" ] || { echo "deploy/install-man.sh: there is no binary yet; run make build" >&2; exit 2; }

share=${DESTDIR:-}${PREFIX:-/usr/local}/share
"$binary" man --out "$share/man/man1" >/dev/null
"$binary" completion install bash --dir "$share/bash-completion/completions" >/dev/null
"$binary" completion install zsh --dir "$share/zsh/site-functions" >/dev/null
"$binary" completion install fish --dir "$share/fish/vendor_completions.d" >/dev/null

if command -v man >/dev/null; then
    for page in "$share"/man/man1/pando*.1; do
        said=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
        [ -z "$said" ] || { printf '%s: %s\n' "$page" "$said" >&2; exit 1; }
    done
fi
echo "manual pages and completion: $share"

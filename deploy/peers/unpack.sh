#!/usr/bin/env bash
# Unpacks a Debian package with what it depends on and this machine lacks: nothing is installed, no service starts, and
# nobody needs to be root.
#
# In:  FOLDER, PACKAGE…
# Out: the packages' files below FOLDER; nothing is done when they are there. Not 0 when they cannot be had.
set -euo pipefail

[ $# -ge 2 ] || { echo "usage: deploy/peers/unpack.sh FOLDER PACKAGE..." >&2; exit 2; }
folder=$(realpath -m -- "$1")
shift
[ "$*" != "$(cat -- "$folder/packages" 2>/dev/null)" ] || exit 0
command -v apt-get >/dev/null && command -v dpkg >/dev/null || { echo "unpack: this is no Debian" >&2; exit 1; }

echo "unpack: fetching $*" >&2
rm -rf -- "$folder"
mkdir -p -- "$folder.debs/partial" "$folder"
trap 'rm -rf -- "$folder.debs"' EXIT
apt-get -qq -o Debug::NoLocking=1 -o APT::Sandbox::User= -o Dir::Cache::Archives="$folder.debs" --yes \
    --no-install-recommends --download-only --reinstall install "$@" >/dev/null
for package in "$folder.debs"/*.deb; do dpkg -x "$package" "$folder"; done
echo "$*" >"$folder/packages"

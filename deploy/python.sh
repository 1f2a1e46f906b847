#!/usr/bin/env bash
# Makes a Python environment for one of the pytest suites.
#
# In:  VENV — its folder; REQUIREMENTS — a pip requirements file. A file bare.txt beside it names packages that are wanted without what
#      they say they need, and uncompiled: old ones, whose pins do not go with the rest, and those of whose thousands of files tests read a few.
# Out: VENV/bin/python with what both name; nothing is done when neither changed since the last time.
set -euo pipefail

[ $# -eq 2 ] || { echo "usage: deploy/python.sh VENV REQUIREMENTS" >&2; exit 2; }
venv=$1 requirements=$2 stamp=$1/requirements.txt
bare=$(dirname "$requirements")/bare.txt
wanted=$(cat -- "$requirements"; [ ! -e "$bare" ] || cat -- "$bare")

[ "$wanted" != "$(cat -- "$stamp" 2>/dev/null)" ] || exit 0
# Who links to another checkout's has it to read: --clear would empty that one, and then fail at the link.
[ ! -L "$venv" ] || { echo "python: $venv is a link to $(readlink -- "$venv"), which is somebody else's and not up to date" >&2; exit 1; }
echo "python: putting $requirements into $venv" >&2
python=/usr/bin/python3 # the one that Debian's python3-venv belongs to
[ -x "$python" ] || python=python3
"$python" -m venv --clear "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$requirements" >&2
[ ! -e "$bare" ] || "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --requirement "$bare" >&2
printf '%s\n' "$wanted" >"$stamp"

#!/usr/bin/env bash
# Makes a Python environment for one of the pytest suites.
#
# In:  VENV — its folder; REQUIREMENTS — a pip requirements file
# Out: VENV/bin/python with what REQUIREMENTS names; nothing is done when neither changed since the last time.
set -euo pipefail

[ $# -eq 2 ] || { echo "usage: deploy/python.sh VENV REQUIREMENTS" >&2; exit 2; }
venv=$1 requirements=$2 stamp=$1/requirements.txt

! cmp -s -- "$requirements" "$stamp" || exit 0
echo "python: putting $requirements into $venv" >&2
python=/usr/bin/python3 # the one that Debian's python3-venv belongs to
[ -x "$python" ] || python=python3
"$python" -m venv --clear "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$requirements" >&2
cp -- "$requirements" "$stamp"

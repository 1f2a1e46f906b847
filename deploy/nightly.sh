#!/usr/bin/env bash
# The backup of each night, as pando-backup.timer has it made: a dump, which is restored to see whether it can be; then old ones go.
#
# In:  FOLDER — where dumps lie. What backup.sh and restore.sh read: PANDO_DATABASE, PANDO, PANDO_MASTER_KEY_FILE, TMPDIR
#      BACKUPS_KEPT — days for which dumps are kept (14)
#      BACKUP_CHECK=no — where this machine has no PostgreSQL of its own into which to restore, but pg_dump
# Out: FOLDER/pando-MOMENT.dump and its .told; what was found on stdout. Exit 1 when the dump failed or is not what was dumped: then
#      nothing older goes.
#
# A dump on the machine of its database is no backup yet: have FOLDER fetched from elsewhere.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: deploy/nightly.sh FOLDER" >&2; exit 2; }
here=$(cd "$(dirname -- "$0")" && pwd)
folder=$1 kept=${BACKUPS_KEPT:-14}
[[ $kept =~ ^[1-9][0-9]{0,4}$ ]] || { echo "nightly: BACKUPS_KEPT is no number of days: $kept" >&2; exit 2; }

file=$folder/pando-$(date -u +%Y-%m-%dT%H%M%SZ).dump
"$here/backup.sh" dump "$file"
if [ "${BACKUP_CHECK:-}" = no ]; then
    echo "nightly: not checked, as BACKUP_CHECK says" >&2
else
    # Counting a large table would have code compiled, which the unit's sandbox forbids to run.
    PGOPTIONS="-c jit=off" "$here/restore.sh" check "$file"
fi
# With what a dump left that was killed.
find "$folder" -maxdepth 1 -type f -name 'pando-*.dump*' -mtime "+$((kept - 1))" -delete

#!/usr/bin/env bash
# Patroni's post_bootstrap (patroni.yml): makes the role and the database of Pando in a cluster that was just made.
#
# In:  $1, the conninfo of its superuser; PANDO_DATABASE_PASSWORD (node.env).
# Out: nothing on stdout; exit 1 has Patroni give the new cluster up.
set -euo pipefail

[ -n "${PANDO_DATABASE_PASSWORD:-}" ] || { echo "create-database: PANDO_DATABASE_PASSWORD is empty" >&2; exit 1; }
# Read by psql from its environment: an argument would be seen by all users of the machine.
psql -X -q -v ON_ERROR_STOP=1 -d "$1" <<'SQL'
\getenv password PANDO_DATABASE_PASSWORD
create role pando login password :'password';
create database pando owner pando;
SQL

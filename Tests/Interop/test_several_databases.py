"""Past one PostgreSQL (docs/scaling.md): a standby that is read from and how old that is, a replica for reports that no secret goes to, and a partition of
tokens that lies on another server."""
from __future__ import annotations

import json
import subprocess
from pathlib import Path
from tempfile import mkdtemp

import pytest
import requests

from clients import machine
from databases import ask, superuser
from phone import person
from server import CHECKOUT, Cluster, Server
from standby import Standby
from waiting import eventually

COUNT = "select count(*) from token where kind = 'access_token'"


@pytest.fixture(scope="module")
def clusters(folder):
    """A PostgreSQL for Pando, which tells its changes, and another one."""
    made = [Cluster(Path(mkdtemp(dir=folder)) / "postgres") for _ in range(2)]
    try:
        for cluster in made:
            cluster.start()
        ask(superuser(made[0].url("pando")), "alter system set wal_level = 'logical'")
        made[0].stop()
        made[0].start()
        yield made
    finally:
        for cluster in made:
            cluster.discard()


@pytest.fixture(scope="module")
def pando(folder, clusters):
    own = Server(Path(mkdtemp(dir=folder)), clusters[0].url("pando"))
    with own.running():
        yield own


@pytest.fixture
def standby(clusters):
    made = Standby(clusters[0])
    yield made
    made.discard()


def asked(server, client: tuple[str, str]) -> requests.Response:
    return requests.post(f"{server.issuer}/token", data={"grant_type": "client_credentials"}, auth=client, timeout=30)


def issue(server, client: tuple[str, str]) -> str:
    answer = asked(server, client)
    assert answer.status_code == 200, answer.text
    return answer.json()["access_token"]


def is_active(server, client: tuple[str, str], token: str) -> bool:
    answer = requests.post(f"{server.issuer}/introspect", data={"token": token}, auth=client, timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()["active"]


def test_a_standby_is_read_from_and_says_how_old_it_is(pando, clusters, standby):
    """As somebody who looks with SQL sees it; a server that has both in its conninfo writes to the primary, whichever stands first."""
    client, there = machine(pando), standby.url("pando")
    issue(pando, client)
    here = int(ask(clusters[0].url("pando"), COUNT))
    assert eventually(lambda: int(ask(there, COUNT)) == here, within_s=60)
    assert ask(there, "select pg_is_in_recovery()") == "t"

    standby.pause()
    issued = [issue(pando, client) for _ in range(5)]
    assert int(ask(clusters[0].url("pando"), COUNT)) == here + len(issued)
    assert int(ask(there, COUNT)) == here, "a standby that does not replay tells what was"
    assert int(standby.ask("select pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())::bigint")) > 0, "and how far behind it is"
    assert all(is_active(pando, client, token) for token in issued), "nobody else waits for it"
    standby.go_on()
    assert eventually(lambda: int(ask(there, COUNT)) == here + len(issued), within_s=60)

    alone = pando.run("doctor", "--json", PANDO_DATABASE=there)
    assert alone.returncode != 0 and "it is a standby" in alone.stdout, alone.stdout + alone.stderr
    first, second = (dict(pair.split("=") for pair in url.split()) for url in (there, clusters[0].url("pando")))
    both = f"host={first['host']},{second['host']} port=5432,5432 user=pando dbname=pando"
    listed = pando.run("admin", "--json", "clients", "list", PANDO_DATABASE=both)
    assert listed.returncode == 0 and client[0] in listed.stdout, listed.stderr


def test_reports_get_what_was_done_and_no_secret(pando, clusters, folder):
    """The publication of deploy/scaling/reporting.sql, and a subscriber that has nothing else."""
    here, there = superuser(clusters[0].url("pando")), superuser(clusters[1].url("reports"))
    published = subprocess.run([*pando.psql(), "--file", CHECKOUT / "deploy/scaling/reporting.sql"], text=True, capture_output=True, timeout=60)
    assert published.returncode == 0, published.stderr
    columns = json.loads(ask(here, """
        select json_agg(json_build_array(c.table_name, c.column_name, c.data_type) order by c.table_name, c.ordinal_position)
        from pg_publication_tables p join information_schema.columns c on c.table_schema = p.schemaname and c.table_name = p.tablename
            and c.column_name = any (p.attnames) where p.pubname = 'pando_reporting'"""))
    names = {column for _, column, _ in columns}
    assert {kind for _, _, kind in columns} <= {"uuid", "text", "boolean", "bigint", "integer", "double precision", "timestamp with time zone"}
    assert not names & {"secret", "private", "password", "sealed", "sealed_by", "jwk", "thumbprint", "lineage", "email", "username", "origin", "detail",
                        "reason"}

    for table in sorted({table for table, _, _ in columns}):
        own = ", ".join(f'"{column}" {kind}' for name, column, kind in columns if name == table)
        key = ask(here, f"select string_agg(a.attname, ', ') from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey) "
                        f"where i.indrelid = '{table}'::regclass and i.indisprimary")
        ask(there, f"create table {table} ({own}, primary key ({key}))")
    ask(there, f"create subscription reports connection '{here}' publication pando_reporting")
    try:
        username = person(pando)
        identifier = pando.admin("accounts", "show", username)["id"]
        assert eventually(lambda: ask(there, f"select status from account where id = '{identifier}'") == "active", within_s=60)
        pando.admin("accounts", "suspend", username)
        assert eventually(lambda: ask(there, f"select status from account where id = '{identifier}'") == "suspended", within_s=60)
        assert eventually(lambda: int(ask(there, f"select count(*) from audit where account = '{identifier}'")) > 0, within_s=60)
        pando.admin("accounts", "delete", username)
        assert eventually(lambda: ask(there, f"select count(*) from account where id = '{identifier}'") == "0", within_s=60), "who is deleted is deleted there"
    finally:
        ask(there, "drop subscription reports")
        ask(here, "drop publication pando_reporting")


def moved(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([CHECKOUT / "deploy/scaling/foreign-partition.sh", *arguments], text=True, capture_output=True, timeout=60)


def test_partitions_of_tokens_lie_on_another_server(folder, clusters):
    """Tokens are issued there, found, and revoked by a row here; a process that comes later takes such partitions as made; who is away is no refusal."""
    here, there = clusters[0].url("apart"), clusters[1].url("tokens")
    place = dict(pair.split("=") for pair in there.split())
    own = Server(Path(mkdtemp(dir=folder)), here)
    with own.running():
        client = machine(own)
        own.stop()
        ask(superuser(here), "create extension postgres_fdw",
            f"create server second foreign data wrapper postgres_fdw options (host '{place['host']}', port '{place['port']}', dbname '{place['dbname']}')",
            "grant usage on foreign server second to pando",
            "create user mapping for pando server second options (user 'pando', password_required 'false')")
        days = ask(here, "select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'token'::regclass and "
                         "c.relname like 'token\\_days\\_%' order by 1").split()
        refused = moved("move", here, "second", there, days[0])
        assert refused.returncode == 1 and "indexes that are unique" in refused.stderr, refused.stderr
        for arguments in (["prepare", here], ["move", here, "second", there, *days]):
            done = moved(*arguments)
            assert done.returncode == 0, done.stderr

        own.start()
        live, dead = issue(own, client), issue(own, client)
        assert int(ask(there, " union all ".join(f"select count(*) from {table}" for table in days) + " order by 1 desc limit 1")) == 2, "they stand there"
        assert requests.post(f"{own.issuer}/revoke", data={"token": dead}, auth=client, timeout=30).status_code == 200
        assert ask(here, "select count(*) from revocation where label like 'token:%'") == "1", "and the revocation here"
        full = moved("move", here, "second", there, days[0])
        assert full.returncode == 1 and "is no partition of this server" in full.stderr, full.stderr

        own.stop()
        own.start()
        assert is_active(own, client, live) and not is_active(own, client, dead), "by a process that remembers neither"

        clusters[1].stop()
        away = asked(own, client)
        assert away.status_code == 503 and int(away.headers["Retry-After"]) >= 1, away.text
        assert requests.get(f"{own.issuer}/readyz", timeout=30).status_code == 200 and person(own), "what lies here goes on"
        clusters[1].start()
        assert eventually(lambda: asked(own, client).status_code == 200, within_s=60)
        assert is_active(own, client, live)

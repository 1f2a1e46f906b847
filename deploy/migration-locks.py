#!/usr/bin/env python3
"""`make migration-locks`: how long the newest migrations keep others waiting on large tables.

In:  [--last N] of the files in migrations/ (3), [--rows N] of each large table (1,000,000), [--limit MS] (500). Needs
     Debian's PostgreSQL, and 1.5 KB of disk for each of the rows: ten million want 15 GB and half an hour.
Out: a line for each migration on stdout: what it took, and the longest that a reader and a writer of any large table
     waited meanwhile. Exit 1 when somebody waited for longer than the limit.

All migrations but the last are applied to a database of its own, the tables that grow are filled, and each of the rest
runs as `pando migrate` would run it: a file, a transaction. Beside it a reader and a writer of each table take the lock
that their statements would take, a hundred times a second. What a migration waits for itself, behind somebody who reads
for long, is not in it: whoever comes after it would wait as long, so run it when no dump is under way.
"""
import argparse
import subprocess
import sys
import threading
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
CLUSTER = ".pando/locks-postgres"

# Rows of each as they are in use, with {rows} of them; identifiers without an end begin with the bits 11 (Base/NodeID).
NODE = "overlay(overlay(gen_random_uuid()::text placing 'c' from 1) placing '8' from 15)::uuid"
FILLS = {
    "account": """
        insert into account (id, username, password, created_at)
        select gen_random_uuid(), 'n-' || n, 'none', now() from generate_series(1, {rows}) n""",
    "ancestor": """
        insert into ancestor (kind, name, id, opened_at)
        select 'session', 's-' || n, {node}, now() from generate_series(1, {rows}) n""",
    "app_instance": """
        with app as (insert into app (id, name, created_at) values ('locks', 'locks', now()) returning id),
        version as (
            insert into app_version (id, app, version, kid, thumbprint, jwk, status, created_at)
            select 'locks.1', id, '1', 'k', 'k', '{{}}', 'allowed', now() from app returning id, app
        )
        insert into app_instance (id, app, version, device_id, thumbprint, jwk, lineage, created_at, last_seen)
        select 'i-' || n, v.app, v.id, 'd-' || n, 't-' || n, '{{}}', array[{node}, {node}, {node}], now(), now()
        from version v, generate_series(1, {rows}) n""",
    "audit": """
        insert into audit (at, actor, action, node, outcome)
        select now(), 'server', 'revoke', 'token:' || n, 'done' from generate_series(1, {rows}) n""",
    "authentication_event": """
        insert into authentication_event (id, account, method, at)
        select gen_random_uuid(), a.id, 'password', now() from account a limit {rows}""",
    "browser_session": """
        insert into browser_session (id, secret, account, lineage, created_at, last_seen, expires_at)
        select 's-' || n, sha256(n::text::bytea), a.id, array[{node}, {node}], now(), now(), now()
        from (select a.id, row_number() over () as n from account a limit {rows}) a""",
    "family": """
        insert into family (id, realm, kind, anchor, lineage, issued_at, child)
        select x.id, 'idp', 'access_token', x.id, array[x.id], now(), x.id
        from (select {node} as id from generate_series(1, {rows})) x""",
    "reach": """
        insert into reach (node, service) select {node}, 'learn' from generate_series(1, {rows})""",
    "revocation": """
        alter table revocation disable trigger revocation_changes;
        insert into revocation (node, label, revoked_at, actor)
        select {node}, 'token:' || n, now(), 'server' from generate_series(1, {rows}) n;
        alter table revocation enable trigger revocation_changes""",
    "token": """
        create table token_locks partition of token default;
        insert into token (id, realm, kind, family, anchor, lineage, issued_at, expires_at)
        select x.id, 'idp', 'access_token', x.id, x.id, array[x.id], now(), now() + interval '1 hour'
        from (select {node} as id from generate_series(1, {rows})) x""",
}
MODES = {"reader": "access share", "writer": "row exclusive"}


class Session:
    """One connection that stays open: psql, told a statement at a time."""

    def __init__(self, url: str) -> None:
        self.process = subprocess.Popen(
            ["psql", url, "-XqAt", "-v", "ON_ERROR_STOP=1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, sql: str) -> None:
        self.process.stdin.write(sql + ";\n\\echo done\n")
        self.process.stdin.flush()
        if not any(line.strip() == "done" for line in iter(self.process.stdout.readline, "")):
            raise SystemExit(f"migration-locks: psql failed at: {' '.join(sql.split())[:200]}")

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


class Waiting:
    """Takes the lock of a reader or a writer of a table again and again, and knows how long the slowest took."""

    def __init__(self, url: str, table: str, who: str) -> None:
        self.session, self.table, self.who = Session(url), table, who
        self.statement = f"begin; lock table {table} in {MODES[who]} mode; commit"
        self.longest, self.ends = 0.0, threading.Event()
        self.session.run("select 1")
        self.thread = threading.Thread(target=self.go_on)
        self.thread.start()

    def go_on(self) -> None:
        while not self.ends.is_set():
            begun = time.monotonic()
            self.session.run(self.statement)
            self.longest = max(self.longest, time.monotonic() - begun)
            time.sleep(0.01)

    def stop(self) -> None:
        self.ends.set()
        self.thread.join()
        self.session.close()


def measure(url: str, file: Path, tables: list[str]) -> tuple[float, dict[str, tuple[float, str]]]:
    """Seconds of the migration, and of the slowest of each kind, with its table."""
    waiting = [Waiting(url, table, who) for table in tables for who in MODES]
    time.sleep(0.5)
    for one in waiting:
        one.longest = 0.0
    begun = time.monotonic()
    migration = Session(url)
    migration.run(f"begin;\n{file.read_text()}\n;commit")
    took = time.monotonic() - begun
    migration.close()
    time.sleep(0.1)
    for one in waiting:
        one.stop()
    return took, {who: max((one.longest, one.table) for one in waiting if one.who == who) for who in MODES}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--last", type=int, default=3, help="how many of the migrations (3)")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of each large table (1,000,000)")
    parser.add_argument("--limit", type=int, default=500, help="milliseconds that nobody may wait longer (500)")
    asked = parser.parse_args()
    files = sorted((CHECKOUT / "migrations").glob("*.sql"))
    if not 0 < asked.last < len(files) or asked.rows < 1:
        parser.error(f"--last takes 1 to {len(files) - 1}, --rows 1 or more")

    def cluster(*words: str) -> str:
        return subprocess.run(
            [CHECKOUT / "deploy/postgres.sh", *words], check=True, stdout=subprocess.PIPE, text=True, cwd=CHECKOUT
        ).stdout.strip()

    # On disk, as tables of that size are.
    folder = str(CHECKOUT / CLUSTER)
    (CHECKOUT / ".pando").mkdir(exist_ok=True)
    cluster("start", folder)
    try:
        url, slowest = cluster("url", folder, "locks"), 0.0
        session = Session(url)
        for file in files[: -asked.last]:
            session.run(f"begin;\n{file.read_text()}\n;commit")
        for table, fill in FILLS.items():
            print(f"migration-locks: {asked.rows} rows of {table}", file=sys.stderr)
            session.run(fill.format(rows=asked.rows, node=NODE))
        session.run("vacuum analyze " + ", ".join(FILLS))
        session.close()
        print(f"| migration, {asked.rows:,} rows a table | took | a reader waited | a writer waited |\n|---|---|---|---|")
        for file in files[-asked.last:]:
            took, waits = measure(url, file, list(FILLS))
            cells = [f"{waits[who][0] * 1000:,.0f} ms ({waits[who][1]})" for who in MODES]
            print(f"| `{file.name}` | {took * 1000:,.0f} ms | {cells[0]} | {cells[1]} |", flush=True)
            slowest = max(slowest, *(waits[who][0] for who in MODES))
    finally:
        cluster("discard", folder)
    if slowest * 1000 > asked.limit:
        print(f"migration-locks: somebody waited for {slowest * 1000:,.0f} ms, {asked.limit} were allowed", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""`make migration-locks`: how long the newest migrations keep others waiting on large tables.

In:  [--last N] of the files in migrations/ (3), [--rows N] of each large table (1,000,000), [--limit MS] (500). Needs
     Debian's PostgreSQL, and 1.5 KB of disk for each of the rows: ten million want 15 GB and half an hour.
Out: a line for each migration on stdout: what it took, and the longest that a reader and a writer of any large table
     waited meanwhile; before them one of five seconds without a migration, which says what this machine does to them
     anyway. Exit 1 when somebody waited for longer than the limit.

All migrations but the last are applied to a database of its own, the tables that grow are filled, and each of the rest
runs as `pando migrate` would run it: a file, a transaction; or statement by statement, where the file says so. Beside it
a reader and a writer of each table go on, a hundred times a second at most: look a row up, add one or change one, as the
server does. What a migration waits for itself, behind somebody who reads for long, is not in it: whoever comes after it
would wait as long, so run it when no dump is under way.
"""
import argparse
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
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

# What a server asks of each, of rows that are there, by their index: {some} is one of the numbers of the fills,
# {of:TABLE.COLUMN} an identifier out of that. Both are queries of their own, so that each is answered once a statement.
SOME = "(select (1 + random() * ({rows} - 1))::bigint)"
READS = {
    "account": "select a.id, a.password from account a where a.id = {of:account.id}",
    "ancestor": "select a.id from ancestor a where a.kind = 'session' and a.name = 's-' || {some}",
    "app_instance": "select i.lineage, i.jwk from app_instance i where i.id = 'i-' || {some}",
    "audit": "select a.at, a.action from audit a order by a.id desc limit 50",
    "authentication_event": "select e.method, e.at from authentication_event e where e.id = {of:authentication_event.id}",
    "browser_session": "select s.account, s.lineage from browser_session s where s.id = 's-' || {some}",
    "family": "select f.sequence, f.lineage from family f where f.id = {of:family.id}",
    "reach": "select r.service from reach r where r.node = {of:reach.node}",
    "revocation": "select r.revoked_at from revocation r where r.node = {of:revocation.node}",
    "token": "select t.lineage, t.expires_at from token t where t.id = {of:token.id}",
}
WRITES = {
    "account": "update account set password = 'none' where id = {of:account.id}",
    "ancestor": """
        insert into ancestor (kind, name, id, opened_at)
        values ('session', 'w-' || gen_random_uuid(), {node}, now())""",
    "app_instance": "update app_instance set last_seen = now() where id = 'i-' || {some}",
    "audit": """
        insert into audit (at, actor, action, node, outcome) values (now(), 'server', 'revoke', 'token:w', 'done')""",
    "authentication_event": """
        insert into authentication_event (id, account, method, at)
        select gen_random_uuid(), a.id, 'password', now() from account a where a.id = {of:account.id}""",
    "browser_session": "update browser_session set last_seen = now() where id = 's-' || {some}",
    "family": "update family set sequence = sequence + 1 where id = {of:family.id}",
    "reach": "insert into reach (node, service) values ({node}, 'learn')",
    "revocation": """
        insert into revocation (node, label, revoked_at, actor) values ({node}, 'token:w', now(), 'server')""",
    "token": """
        insert into token (id, realm, kind, family, anchor, lineage, issued_at, expires_at)
        select x.id, 'idp', 'access_token', x.id, x.id, array[x.id], now(), now() + interval '1 hour'
        from (select {node} as id) x""",
}
LOADS = {"reader": READS, "writer": WRITES}
# As `MigrationFile.mark` in Sources/Database.
ALONE = "-- pando: no transaction"


def statement(text: str, rows: int) -> str:
    """Of a reader or a writer, in one line."""
    def there(found: re.Match) -> str:
        table, column = found.group(1).split(".")
        return f"(select x.{column} from {table} x where x.{column} >= (select {NODE}) order by x.{column} limit 1)"

    text = re.sub(r"\{of:([a-z_.]+)\}", there, text)
    return " ".join(text.replace("{some}", SOME).replace("{node}", NODE).replace("{rows}", str(rows)).split())


def script(file: Path) -> str:
    """As `pando migrate` runs it: psql, too, takes what is outside a transaction statement by statement."""
    text = file.read_text()
    return text if ALONE in text.splitlines() else f"begin;\n{text}\n;commit"


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
    """Reads or writes again and again, and knows how long the slowest took."""

    def __init__(self, url: str, table: str, who: str, rows: int) -> None:
        self.session, self.table, self.who = Session(url), table, who
        self.statement = statement(LOADS[who][table], rows)
        self.longest, self.count, self.failed, self.ends = 0.0, 0, "", threading.Event()
        # Neither what it reads is of interest here, nor the disk.
        self.session.run("\\o /dev/null\nset synchronous_commit to off")
        self.thread = threading.Thread(target=self.go_on)
        self.thread.start()

    def go_on(self) -> None:
        try:
            while not self.ends.is_set():
                begun = time.monotonic()
                self.session.run(self.statement)
                self.longest, self.count = max(self.longest, time.monotonic() - begun), self.count + 1
                time.sleep(0.01)
        except (SystemExit, OSError) as problem:
            self.failed = f"came to an end: {problem}"

    def stop(self) -> None:
        self.ends.set()
        self.thread.join()
        self.session.close()


def measure(url: str, file: Path | None, rows: int) -> tuple[float, dict[str, tuple[float, str]]]:
    """Seconds of the migration, and of the slowest of each kind, with its table; without a file what is so anyway."""
    waiting = [Waiting(url, table, who, rows) for table in FILLS for who in LOADS]
    # The first of each finds nothing in memory.
    time.sleep(2)
    for one in waiting:
        one.longest, one.count = 0.0, 0
    begun = time.monotonic()
    if file:
        migration = Session(url)
        migration.run(script(file))
        migration.close()
    else:
        time.sleep(5)
    took = time.monotonic() - begun
    time.sleep(0.1)
    for one in waiting:
        one.stop()
    for one in waiting:
        if one.failed or not one.count:
            raise SystemExit(f"migration-locks: the {one.who} of {one.table} {one.failed or 'got no turn'}")
    return took, {who: max((one.longest, one.table) for one in waiting if one.who == who) for who in LOADS}


def server_settings() -> list[str]:
    """As a server with such tables has them: a quarter of the memory for pages, and no checkpoint each minute."""
    pages = int(re.search(r"MemTotal:\s+(\d+) kB", Path("/proc/meminfo").read_text()).group(1)) // 4
    return [f"shared_buffers = '{pages}kB'", "max_wal_size = '8GB'"]


def fill(url: str, tables: list[str], rows: int) -> None:
    """Two at a time; the rows of some are about people, who come first."""
    def one(table: str) -> None:
        print(f"migration-locks: {rows} rows of {table}", file=sys.stderr)
        session = Session(url)
        session.run(FILLS[table].format(rows=rows, node=NODE))
        session.close()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(one, tables))


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
        session = Session(url.replace("user=pando", "user=postgres"))
        for setting in server_settings():
            session.run(f"alter system set {setting}")
        session.close()
        cluster("stop", folder)
        cluster("start", folder)
        session = Session(url)
        for file in files[: -asked.last]:
            session.run(script(file))
        session.close()
        fill(url, ["account"], asked.rows)
        fill(url, [table for table in FILLS if table != "account"], asked.rows)
        session = Session(url)
        session.run("vacuum analyze " + ", ".join(FILLS))
        session.close()
        print(f"| migration, {asked.rows:,} rows a table | took | a reader waited | a writer waited |\n|---|---|---|---|")
        for file in [None, *files[-asked.last:]]:
            took, waits = measure(url, file, asked.rows)
            cells = [f"{waits[who][0] * 1000:,.0f} ms ({waits[who][1]})" for who in LOADS]
            print(f"| {f'`{file.name}`' if file else 'none'} | {took * 1000:,.0f} ms | {cells[0]} | {cells[1]} |", flush=True)
            if file:
                slowest = max(slowest, *(waits[who][0] for who in LOADS))
    finally:
        cluster("discard", folder)
    if slowest * 1000 > asked.limit:
        print(f"migration-locks: somebody waited for {slowest * 1000:,.0f} ms, {asked.limit} were allowed", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Phones of another server taken over from its MariaDB while that runs, and from servers that are none: `pando admin tiqr import --from`."""
from __future__ import annotations

import json
import secrets
import shutil
import tempfile
from pathlib import Path

import pytest

from authority import Authority
from example_wordpress import MariaDB
from fake_mysql import CLEAR, FakeMySQL, error, file_wanted

SUITE, SECRET, PASSWORD = "OCRA-1:HOTP-SHA1-6:QH10-S", "00112233445566778899aabbccddeeff" * 2, "hunter 2 and 3"
# The name is of a row that is never imported: what counts is whether it was read.
ROWS = [{"userid": "x@y", "secret": SECRET, "displayname": "Ada", "notes": "n"}]


def bring(server, owner: str, url: str, *options: str, stdin: str = "", **environment: str):
    """The whole of stdout, and how it left. Neither says a secret or a password."""
    finished = server.run("admin", "tiqr", "import", "--json", "--from", url, "--identifier", "old.example.org", "--suite", SUITE, "--owner", owner, *options,
                          stdin=stdin, **environment)
    assert not any(word in finished.stdout + finished.stderr for word in (SECRET, PASSWORD, "\x1b"))
    return json.loads(finished.stdout) if finished.stdout else None, finished


@pytest.fixture(scope="module")
def owner(server) -> str:
    made = server.admin("clients", "create", "--name", "Book shop", "--grant", "client_credentials", "--scope", "org.tiqr.enroll", "--scope", "org.tiqr.auth")
    return f"client:{made['client_id']}"


@pytest.fixture(scope="module")
def old(folder):
    """The old server's database, by a user who may only read: users and secrets apart, with a name that must be quoted."""
    if not shutil.which("mariadb-install-db"):
        pytest.skip("there is no MariaDB: deploy/packages.sh test")
    database, mark = MariaDB.taken(Path(tempfile.mkdtemp(dir=folder))), secrets.token_hex(4)
    name = f"tiqr{mark}"
    try:
        for statement in (
                f"create database {name} character set utf8mb4",
                f"create table {name}.tiqruser (id int auto_increment primary key, userid varchar(30) not null unique, displayname varchar(30) not null, "
                "loginattempts int, tmpblocktimestamp bigint, tmpblockattempts int, blocked tinyint(1), notificationtype varchar(10), notificationaddress text)",
                f"create table {name}.`odd``secret` (secret varchar(255), UserID varchar(30) primary key)",
                f"create table {name}.bare (userid int)",
                f"insert into {name}.tiqruser (userid, displayname, loginattempts, blocked) values ('ada-{mark}', unhex('416461c39c'), 2, 0), "
                f"('bob-{mark}', '', null, 1), ('cleo@{mark}', 'Cleo', 0, 0)",
                f"insert into {name}.`odd``secret` select '{SECRET}', userid from {name}.tiqruser union select '{SECRET}', 'gone'",
                f"create user reader{mark}@localhost identified by '{PASSWORD}'", f"grant select on {name}.* to reader{mark}@localhost"):
            done = database.run(statement)
            assert done.returncode == 0, statement + done.stdout + done.stderr
        yield mark, f"mysql://reader{mark}@/{name}?socket={database.socket}"
    finally:
        database.give_back()


def test_phones_come_from_a_database_that_runs(server, owner, old):
    """A dry run, then the import, then once more: as from files. The password comes from the environment or from stdin."""
    mark, url = old
    tables = "--secrets-table", "odd`secret"

    dry, finished = bring(server, owner, url, *tables, MYSQL_PWD=PASSWORD)
    assert finished.returncode == 7 and dry["dry_run"] and (dry["imported"], dry["refused"], dry["unused_secrets"]) == (2, 1, 1), finished.stderr
    done, finished = bring(server, owner, url, *tables, "--yes", "--password-stdin", stdin=PASSWORD + "\n")
    assert finished.returncode == 7 and done["imported"] == 2
    assert [(item["line"], item["userid"], item["outcome"]) for item in done["items"]] == [(3, f"cleo@{mark}", "refused")]
    again, finished = bring(server, owner, url, *tables, "--yes", "--only", f"ada-{mark}", MYSQL_PWD=PASSWORD)
    assert finished.returncode == 0 and again["already"] == 1

    ada, bob = (server.admin("tiqr", "identities", "show", f"{name}-{mark}") for name in ("ada", "bob"))
    assert (ada["display_name"], ada["attempts_left"], ada["status"]) == ("AdaÜ", 3, "active")
    assert (bob["display_name"], bob["status"]) == (f"bob-{mark}", "blocked")


def test_what_is_not_there_has_its_exit_status(server, owner, old):
    """No database, a wrong password, no table, no column: 6, 6, 3, 5."""
    _, url = old

    assert bring(server, owner, url + ".none", MYSQL_PWD=PASSWORD)[1].returncode == 6
    assert bring(server, owner, url, MYSQL_PWD="wrong")[1].returncode == 6
    assert bring(server, owner, url, "--users-table", "user", MYSQL_PWD=PASSWORD)[1].returncode == 3
    assert bring(server, owner, url, "--users-table", "bare", MYSQL_PWD=PASSWORD)[1].returncode == 5


@pytest.fixture(scope="module")
def certificates(folder):
    """An authority's file, another's, and what the first has issued to `localhost`."""
    place, ours, theirs = Path(tempfile.mkdtemp(dir=folder)), Authority("Ours"), Authority("Theirs")
    (place / "ours.pem").write_bytes(ours.own)
    (place / "theirs.pem").write_bytes(theirs.own)
    return place / "ours.pem", place / "theirs.pem", ours.leaf(place, "database", "localhost")


def ask(server, owner, fake: FakeMySQL, query: str = "", host: str = "127.0.0.1"):
    """What it came to, and whether the password or a file of this machine was sent."""
    with fake:
        _, finished = bring(server, owner, f"mysql://old@{host}:{fake.port}/tiqr{query}", MYSQL_PWD=PASSWORD)
    assert b"root:" not in fake.heard
    return finished.returncode, PASSWORD.encode() in fake.heard, fake.statements


def test_tls_is_what_the_url_says(server, owner, certificates):
    """By whom it was issued and for which name count; a server that says it has no TLS gets no statement, and no login where it would have had to show a
    certificate."""
    ours, theirs, files = certificates

    code, _, statements = ask(server, owner, FakeMySQL(ROWS, files=files), f"?ssl-ca={ours}", host="localhost")
    assert code == 7 and statements[-1] == "select `userid`, `secret`, `displayname` from `tiqruser` order by `userid`"
    assert ask(server, owner, FakeMySQL(ROWS, files=files), "?ssl-mode=REQUIRED")[0] == 7
    assert ask(server, owner, FakeMySQL(ROWS))[0] == 7, "on this machine it may do without"

    assert ask(server, owner, FakeMySQL(ROWS, files=files), f"?ssl-ca={theirs}", host="localhost") == (6, False, [])
    assert ask(server, owner, FakeMySQL(ROWS, files=files), f"?ssl-ca={ours}") == (6, False, []), "another name"
    assert ask(server, owner, FakeMySQL(ROWS), "?ssl-mode=REQUIRED") == (6, False, [])
    plain = FakeMySQL(ROWS)
    assert ask(server, owner, plain, "?ssl-mode=VERIFY_IDENTITY") == (6, False, []) and plain.heard == b""


def test_a_hostile_server_gets_nothing(server, owner, certificates):
    """No file, no password but over a connection that is surely its own; its words do not steer the terminal, and what is no protocol ends it."""
    ours, _, files = certificates

    assert ask(server, owner, FakeMySQL(ROWS, answer=file_wanted("/etc/passwd")))[0] == 1
    assert ask(server, owner, FakeMySQL(ROWS, asks=CLEAR)) == (6, False, [])
    assert ask(server, owner, FakeMySQL(ROWS, files=files, asks=CLEAR), "?ssl-mode=REQUIRED") == (6, False, [])
    assert ask(server, owner, FakeMySQL(ROWS, files=files, asks=CLEAR), f"?ssl-ca={ours}", host="localhost")[:2] == (7, True)
    assert ask(server, owner, FakeMySQL(ROWS, greeting=b"HTTP/1.1 400 Bad Request"))[0] == 6
    assert ask(server, owner, FakeMySQL(ROWS, answer=error("no \x1b[2J")))[0] == 1

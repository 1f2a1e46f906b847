"""`accounts import`: broken off in the middle and begun again, here and from afar; how far it has come is for a terminal alone."""
from __future__ import annotations

import json
import os
import pty
import re
import secrets
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from phone import person
from remote import Remote
from server import BINARY, CHECKOUT, Server
from waiting import eventually

# Several transactions at either place, of which the one with this person is never done.
PEOPLE, LATE = 1_700, 1_300
PROGRESS = re.compile(r"\[#*-*\] \d+/\d+  0 failed")


class Here:
    """At the database."""

    def __init__(self, server: Server):
        self.environment, self.options = server.environment, ()


class Afar:
    """By the administration API, as an administrator who logged in on another machine."""

    def __init__(self, server: Server, folder: Path):
        remote, name = Remote(server, Path(tempfile.mkdtemp(dir=folder))), person(server)
        server.sql(f"insert into role_grant (account, role, granted_at, granted_by) select id, 'administrator', now(), 'test' from account where username = '{name}'")
        remote.log_in(name)
        self.environment, self.options = remote.environment, ("--server", server.issuer)


@pytest.fixture(scope="module", params=["here", "afar"])
def side(request, server, folder) -> Here | Afar:
    return Here(server) if request.param == "here" else Afar(server, folder)


class Crowd:
    """People of a file, and an institution of their own."""

    def __init__(self, server: Server, folder: Path, size: int):
        self.server, self.place = server, f"u{secrets.token_hex(5)}.example"
        server.admin("institutions", "create", self.place, "--name", "University")
        self.names = [f"{self.place[:11]}-{number}" for number in range(size)]
        self.lines = [f"{name},{name}@uni.example,{number},student;member\n" for number, name in enumerate(self.names)]
        self.file = Path(tempfile.mkdtemp(dir=folder)) / "people.csv"
        self.write()

    def write(self) -> None:
        self.file.write_text("username,email,external_id,eduperson_affiliation\n" + "".join(self.lines))

    def command(self, side: Here | Afar, *more: str) -> list[str]:
        return [str(BINARY), "admin", *side.options, "accounts", "import", str(self.file), "--institution", self.place, *more]

    def taken(self, side: Here | Afar, *more: str) -> subprocess.CompletedProcess:
        return subprocess.run(self.command(side, *more), cwd=CHECKOUT, env=side.environment, stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=300)

    def there(self) -> set[str]:
        return set(asked(self.server, f"select username from account where institution = '{self.place}'").split())

    def times_made(self) -> int:
        return int(asked(self.server, f"select count(*) from audit where action = 'accounts.create' and account in (select id from account where institution = '{self.place}')"))


def asked(server: Server, statement: str) -> str:
    return subprocess.run([*server.psql(), "--command", statement], check=True, text=True, capture_output=True, timeout=60).stdout.strip()


@contextmanager
def somebody_taking(server: Server, username: str):
    """Another transaction is about to make that account, and comes to nothing in the end: who wants the name waits. Yields whether somebody does."""
    other = subprocess.Popen(server.psql(), stdin=subprocess.PIPE, text=True)
    try:
        other.stdin.write(f"begin; insert into account (id, username, username_key, password, created_at) values (gen_random_uuid(), '{username}', '{username}', '', now());\n")
        other.stdin.flush()
        holder = f"select pid from pg_stat_activity where state = 'idle in transaction' and query like '%''{username}''%'"
        assert eventually(lambda: asked(server, holder), within_s=30)
        yield lambda: asked(server, f"select pid from pg_stat_activity where ({holder}) = any(pg_blocking_pids(pid))")
    finally:
        other.stdin.close()
        other.wait(timeout=30)


def test_a_run_that_was_killed_is_begun_again_and_makes_each_person_once(server, folder, side):
    crowd = Crowd(server, folder, PEOPLE)
    with somebody_taking(server, crowd.names[LATE]) as is_awaited:
        killed = subprocess.Popen(crowd.command(side), cwd=CHECKOUT, env=side.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            assert eventually(is_awaited, within_s=60), killed.poll()
        finally:
            killed.kill()
            said = killed.communicate(timeout=30)
    assert said[0] == "", "it was in the middle"
    # What a server had begun for who is gone may still come to its end.
    under_way = "select count(*) from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and xact_start is not null and pid <> pg_backend_pid()"
    assert eventually(lambda: asked(server, under_way) == "0", within_s=30)
    done = crowd.there()

    again = crowd.taken(side, "--json")
    once_more = crowd.taken(side, "--json")

    assert 0 < len(done) < PEOPLE and done == set(crowd.names[:len(done)]), "whole transactions, in the order of the file"
    counts = json.loads(again.stdout)
    assert again.returncode == 0 and (counts["same"], counts["new"], counts["refused"]) == (len(done), PEOPLE - len(done), 0), again.stderr
    assert crowd.there() == set(crowd.names) and crowd.times_made() == PEOPLE
    assert once_more.returncode == 0 and json.loads(once_more.stdout)["same"] == PEOPLE


def test_a_report_of_a_run_that_was_killed_tells_whom_it_made(server, folder):
    crowd, report, here = Crowd(server, folder, PEOPLE), Path(tempfile.mkdtemp(dir=folder)) / "report", Here(server)
    with somebody_taking(server, crowd.names[LATE]) as is_awaited:
        killed = subprocess.Popen(crowd.command(here, "--report", str(report)), cwd=CHECKOUT, env=here.environment, stdin=subprocess.DEVNULL)
        try:
            assert eventually(is_awaited, within_s=60), killed.poll()
        finally:
            killed.kill()
            killed.wait(timeout=30)
        told = [json.loads(line) for line in report.read_text().splitlines()]
        assert told and all(line["outcome"] == "new" for line in told)
        assert {line["username"] for line in told} == crowd.there()


def test_lines_that_are_refused_are_told_by_their_number_in_the_file(server, folder, side):
    crowd = Crowd(server, folder, 900)
    for number in (3, 700):
        crowd.lines[number] = crowd.lines[number].replace("@uni.example", "")
    crowd.write()

    finished = crowd.taken(side, "--json")

    counts = json.loads(finished.stdout)
    assert finished.returncode == 7 and (counts["new"], counts["refused"]) == (898, 2), finished.stderr
    # After the header, from 1.
    assert [(refusal["line"], refusal["username"]) for refusal in counts["refusals"]] == [(5, crowd.names[3]), (702, crowd.names[700])]
    assert crowd.there() == set(crowd.names) - {crowd.names[3], crowd.names[700]}


def test_a_report_is_made_by_who_is_at_the_server(server, folder):
    crowd, report = Crowd(server, folder, 5), folder / f"report-{secrets.token_hex(4)}"

    refused = crowd.taken(Afar(server, folder), "--report", str(report))

    assert refused.returncode == 2 and "--report" in refused.stderr and refused.stdout == ""
    assert not report.exists() and crowd.there() == set()


def test_what_must_be_seen_whole_and_is_too_large_for_a_request_changes_nothing(server, folder):
    crowd, afar = Crowd(server, folder, 1_500), Afar(server, folder)

    for options in (["--strict"], ["--suspend-missing", "--yes"]):
        refused = crowd.taken(afar, *options)

        assert refused.returncode == 2 and "64 KiB" in refused.stderr, refused.stderr
        assert crowd.there() == set()


def with_a_terminal(command: list[str], environment: dict) -> tuple[str, str]:
    """What is told on stdout, and what a terminal shows that is stderr."""
    terminal, end = pty.openpty()
    process = subprocess.Popen(command, cwd=CHECKOUT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=end, text=True)
    os.close(end)
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65_536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(terminal)
    told, _ = process.communicate(timeout=120)
    assert process.returncode == 0, shown
    return told, shown.decode()


def test_how_far_it_has_come_is_for_a_terminal_alone(server, folder, side):
    crowd = Crowd(server, folder, 1_100)

    told, shown = with_a_terminal(crowd.command(side, "--dry-run"), side.environment)
    _, of_a_program = with_a_terminal(crowd.command(side, "--dry-run", "--json"), side.environment)
    piped = crowd.taken(side, "--dry-run")

    assert PROGRESS.search(shown) and "\r\x1b[2K" in shown.rpartition(" left")[2], "gone at the end"
    assert "\x1b" not in told and "1100" in told
    assert piped.returncode == 0 and piped.stdout == told and not PROGRESS.search(of_a_program + piped.stderr)
    assert crowd.there() == set()

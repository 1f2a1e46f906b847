"""The audit trail's chain: verified by a program that has an export and nothing else."""
from __future__ import annotations

import json
import subprocess
import sys

import pytest

from server import CHECKOUT, Server

VERIFIER = CHECKOUT / "examples" / "verify_audit.py"


def verify(export: str, *published: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, str(VERIFIER), *published], input=export, capture_output=True, text=True, timeout=60)


@pytest.fixture(scope="module")
def export(server: Server) -> list[dict]:
    for number in range(5):
        server.admin("apps", "create", f"org.example.chained{number}", "--name", "Chained <ö>", "--reason", "\"why\"\n\u2028")
    server.admin("audit", "chain")
    finished = server.run("admin", "audit", "export", "--limit", "3")
    assert finished.returncode == 0, finished.stderr
    return [json.loads(line) for line in finished.stdout.splitlines()]


def text(records: list[dict]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_an_export_is_intact_and_leads_to_the_published_heads(server: Server, export: list[dict]):
    heads = [record for record in export if "day" in record]
    seen = verify(text(export), *(f"{head['day']}={head['hash']}" for head in heads))
    assert seen.returncode == 0 and seen.stdout.endswith("intact\n") and "not intact" not in seen.stdout, seen.stdout + seen.stderr
    assert server.admin("audit", "verify")["intact"] is True
    assert verify(text(export), "1999-12-31=00").returncode == 1


@pytest.mark.parametrize("member", ["at", "actor", "from", "action", "node", "account", "reason", "outcome", "detail"])
def test_each_member_is_hashed(export: list[dict], member: str):
    spoilt = [dict(record) for record in export]
    spoilt[-1][member] = "x"
    seen = verify(text(spoilt))
    assert seen.returncode == 1 and f"line {spoilt[-1]['id']} " in seen.stderr


def test_a_line_that_is_missing_or_moved_is_named(export: list[dict]):
    without = export[:-2] + export[-1:]
    assert f"place {export[-2]['place']} is missing" in verify(text(without)).stderr
    assert "do not lead to its head" in verify(text(export[:-1])).stderr
    assert verify(text(export[:-2] + [export[-1], export[-2]])).returncode == 1


def test_a_day_that_was_not_forgotten_is_missed(export: list[dict]):
    heads = [record for record in export if "day" in record]
    hidden = [{**record, "purged_at": f"{record['day']}T23:00:00Z"} for record in heads]
    seen = verify(text(hidden))
    assert seen.returncode == 1 and "were not forgotten" in seen.stderr

    # A whole day before, as after a purge that no line tells.
    first = {"day": "2000-01-01", "lines": 1, "first": heads[0]["first"] - 1, "last": heads[0]["first"] - 1, "previous": "00" * 32, "hash": heads[0]["previous"]}
    seen = verify(text([{**first, "purged_at": "2000-03-01T00:00:00Z"}, *export]))
    assert seen.returncode == 1 and "no line says that they were forgotten" in seen.stderr
    after = {**first, "day": "2999-01-01", "first": heads[-1]["last"] + 1, "last": heads[-1]["last"] + 1, "previous": heads[-1]["hash"], "purged_at": "3000-01-01T00:00:00Z"}
    assert "2999-01-01: its lines are missing" in verify(text([*export, after])).stderr


def test_a_spoilt_database_is_exit_7(folder):
    (folder / "spoilt-trail").mkdir()
    spoilt = Server(folder / "spoilt-trail")
    with spoilt.running():
        spoilt.admin("apps", "create", "org.example.app", "--name", "App")
        spoilt.admin("audit", "chain")
        spoilt.sql("update audit set actor = 'admin:eve' where action = 'apps.create'")
        finished = spoilt.run("admin", "--json", "audit", "verify")
        assert finished.returncode == 7
        assert [problem["kind"] for problem in json.loads(finished.stdout)["problems"]] == ["changed"]

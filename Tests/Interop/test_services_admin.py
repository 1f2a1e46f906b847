"""Taking a service out of the federation while the first token ever is being issued for it."""
from __future__ import annotations

import subprocess
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from server import CommandFailed, Server
from waiting import eventually


class Issuer:
    """A process that has opened the service's node for its first token, and not committed yet."""

    def __init__(self, server: Server, service: str):
        self.server, self.node = server, str(uuid.uuid4())
        self.process = subprocess.Popen(server.psql(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.say(f"begin; insert into ancestor (kind, name, id, opened_at) values ('service', '{service}', '{self.node}', now()) returning 'opened';")
        while self.process.stdout.readline().strip() != "opened":
            assert self.process.poll() is None

    def say(self, statement: str) -> None:
        self.process.stdin.write(statement + "\n")
        self.process.stdin.flush()

    def commit(self) -> None:
        self.process.communicate("commit;\n", timeout=30)
        assert self.process.returncode == 0


def value(server: Server, query: str) -> str:
    return subprocess.run([*server.psql(), "--command", query], check=True, capture_output=True, text=True, timeout=30).stdout.strip()


@pytest.mark.parametrize("words", [("suspend", "--revoke"), ("remove",)], ids=" ".join)
def test_who_comes_first_is_ended_too(own_server, words):
    own_server.admin("services", "add", "http://localhost:9/late", "--id", "late", "--name", "Late", "--allow-loopback")
    own_server.admin("services", "approve", "late")
    issuer = Issuer(own_server, "late")
    with ThreadPoolExecutor() as pool:
        done = pool.submit(own_server.admin, "services", words[0], "late", *words[1:])
        assert eventually(lambda: done.done() or value(own_server, "select count(*) from pg_locks where not granted") != "0", within_s=60)
        assert not done.done(), "it did not wait for who was issuing"
        issuer.commit()
        done.result(timeout=60)
    assert value(own_server, f"select label from revocation where node = '{issuer.node}'") == "service:late"


def test_claims_add_up(server):
    """Said twice they are there once; with --no-claims they are those alone."""
    base = "https://claims.example.org"
    added = server.admin("services", "add", base, "--name", "Claims", "--claim", "email", "--claim", "name", "--claim", "email")
    def update(*words: str) -> list:
        return server.admin("services", "update", added["id"], *words)["claims"]

    assert added["claims"] == ["email", "name"]
    assert update("--claim", "given_name", "--claim", "name") == ["email", "name", "given_name"]
    assert update("--no-claims", "--claim", "family_name") == ["family_name"]
    assert update("--claim", "email") == ["family_name", "email"]
    assert update("--name", "Others") == ["family_name", "email"]
    assert update("--no-claims") == []


def test_claims_of_a_client_add_to_those_of_its_scopes(server):
    """Whoever wants fewer says so."""
    def create(*words: str) -> list | None:
        made = ["clients", "create", "--name", "Claims", "--redirect-uri", "https://app.example.org/callback"]
        return server.admin(*made, *words).get("claims")

    scopes = create("--claim", "email")
    assert create() is None and {"name", "given_name", "family_name", "email"} <= set(scopes)
    assert create("--no-claims", "--claim", "email", "--claim", "email") == ["email"] and create("--no-claims") == []
    with pytest.raises(CommandFailed) as refused:
        create("--claim", "shoe_size")
    assert refused.value.exit_code == 5


def test_what_institutions_say_of_a_person(server):
    """By the names of claims; what a name cannot have is refused, and a second value is added."""
    username = f"said{uuid.uuid4().hex[:8]}"
    made = server.admin("accounts", "create", "--username", username, "--password-stdin", stdin="correct horse battery staple")
    assert made["attributes"] == {}

    def update(*words: str) -> dict:
        return server.admin("accounts", "update", username, *words)["attributes"]

    assert update("--attribute", "groups=teachers@example.org") == {"groups": ["teachers@example.org"]}
    both = update("--attribute", "groups=choir@example.org", "--attribute", "schac_home_organization=example.org")
    assert both == {"schac_home_organization": ["example.org"], "groups": ["teachers@example.org", "choir@example.org"]}
    assert update("--no-attribute", "groups", "--attribute", "groups=choir@example.org")["groups"] == ["choir@example.org"]
    assert server.admin("accounts", "show", username)["attributes"]["groups"] == ["choir@example.org"]
    for wrong, code in (("groups=teachers", 5), ("shoe_size=44", 5), ("groups", 2), ("schac_home_organization=b.example.org", 5)):
        with pytest.raises(CommandFailed) as refused:
            update("--attribute", wrong)
        assert refused.value.exit_code == code, wrong

"""The command line's manners: who is asked, what a script must say, and what it is told."""
from __future__ import annotations

import json
import os
import pty
import secrets
import subprocess

import pytest

from server import BINARY, CHECKOUT, CommandFailed, Server

ASKING = [
    ("accounts", "suspend", "nobody"), ("accounts", "delete", "nobody"), ("apps", "versions", "refuse", "org.example.app", "1"), ("instances", "revoke", "x"),
    ("instances", "block", "x"), ("apps", "refuse", "org.example.app"), ("apps", "delete", "org.example.app"), ("apps", "versions", "delete", "org.example.app", "1"), ("accounts", "refuse", "nobody", "--service", "learn"),
    ("instances", "refuse", "x", "--service", "learn"), ("services", "policy", "learn", "deny", "org.example.app"), ("services", "policy", "learn", "default", "closed"),
    ("services", "suspend", "learn", "--revoke"), ("services", "remove", "learn"), ("services", "prune", "--failed-for", "90d"),
    ("clients", "delete", "x"), ("clients", "rotate-secret", "x"), ("services", "rotate-secret", "learn"), ("tokens", "revoke", "account:nobody"), ("keys", "revoke", "x"), ("keys", "reseal", "--to-key", "x"), ("epoch", "bump"),
    ("tiqr", "identities", "block", "x"), ("tiqr", "identities", "remove", "x"), ("operations", "registrations", "block", "x"),
    ("operations", "registrations", "remove", "x"), ("passkeys", "remove", "x"), ("wallets", "revoke", "x"),
    # Its name before.
    ("wallets", "cut", "x")]


def error(finished: subprocess.CompletedProcess) -> dict:
    return json.loads(finished.stderr.strip().splitlines()[-1])


@pytest.mark.parametrize("command", ASKING, ids=" ".join)
def test_a_script_must_say_yes(server: Server, command: tuple[str, ...]):
    finished = server.run("admin", "--json", *command)
    assert finished.returncode == 2 and not finished.stdout, finished.stdout + finished.stderr
    assert error(finished)["error"] == "usage" and "--yes" in error(finished)["hint"] and "--dry-run tells" in error(finished)["hint"]


def test_a_dry_run_is_not_asked_and_yes_does_it(server: Server):
    name = f"m{secrets.token_hex(5)}"
    server.admin("accounts", "create", "--username", name, "--password-stdin", stdin="a sentence that nobody has")
    assert server.run("admin", "--json", "accounts", "delete", name).returncode == 2
    assert server.admin("accounts", "delete", name, "--dry-run")["dry_run"] is True and server.admin("accounts", "show", name)
    assert server.admin("accounts", "delete", name, "--yes")["username"] == name
    with pytest.raises(CommandFailed) as gone:
        server.admin("accounts", "show", name)
    assert gone.value.exit_code == 3


@pytest.mark.parametrize("answer, status", [("y\n", 3), ("n\n", 1), ("\n", 1)])
def test_people_are_asked(server: Server, answer: str, status: int):
    """On a terminal: yes goes on (to the account that is not there), anything else changes nothing."""
    terminal, end = pty.openpty()
    asked = subprocess.Popen([BINARY, "admin", "accounts", "delete", "nobody-here"], cwd=CHECKOUT, env=server.environment, stdin=end, stdout=end, stderr=end)
    os.close(end)
    os.write(terminal, answer.encode())
    assert asked.wait(timeout=60) == status
    os.close(terminal)


def test_options_may_follow_an_id_behind_hyphens(server: Server):
    for command in (("accounts", "show", "--", "-nobody", "--json"), ("accounts", "delete", "--", "-nobody", "--yes", "--reason", "tidying", "--json"),
                    ("accounts", "delete", "--yes", "--json", "--", "--nobody")):
        finished = server.run("admin", *command)
        assert finished.returncode == 3 and error(finished)["error_description"].endswith("nobody"), finished.stderr


def test_what_is_taken_says_by_which(server: Server):
    mark = secrets.token_hex(4)
    name, app, base = f"m{mark}", f"org.example.m{mark}", f"https://{mark}.example.org"

    def refused(*command: str, stdin: str = "") -> str:
        finished = server.run("admin", "--json", *command, stdin=stdin)
        assert finished.returncode == 4 and error(finished)["error"] == "conflict", finished.stderr
        return error(finished)["error_description"]

    account = server.admin("accounts", "create", "--username", name, "--password-stdin", stdin="a sentence that nobody has")
    taken = refused("accounts", "create", "--username", name.upper(), "--password-stdin", stdin="a sentence that nobody has")
    assert f"account {name}, {account['id']}" in taken
    server.admin("apps", "create", app, "--name", "Pocket")
    assert "the app Pocket" in refused("apps", "create", app, "--name", "Other")
    server.admin("services", "add", base, "--name", "One", "--id", f"one-{mark}")
    assert f"taken by the service one-{mark} (pending)" in refused("services", "add", base.upper().replace("HTTPS", "https"), "--name", "Two")
    assert f"taken by the service at {base} (pending)" in refused("services", "add", f"{base}/other", "--name", "Two", "--id", f"one-{mark}")
    server.admin("services", "remove", f"one-{mark}")
    assert "(removed)" in refused("services", "add", f"{base}/other", "--name", "Two", "--id", f"one-{mark}")
    assert server.admin("services", "add", base, "--name", "One again", "--id", f"two-{mark}")["status"] == "pending"


def test_a_revoked_version_can_register_again_and_that_is_said(server: Server):
    app, jwk = f"org.example.m{secrets.token_hex(4)}", json.dumps({"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})
    server.admin("apps", "create", app, "--name", "Pocket")
    made = server.admin("apps", "versions", "add", app, "1", "--jwk", "-", stdin=jwk)
    taken = server.run("admin", "--json", "apps", "versions", "add", app, "1", "--jwk", "-", stdin=jwk)
    assert taken.returncode == 4 and made["thumbprint"] in error(taken)["error_description"]
    assert f"apps versions refuse {app} 1" in server.admin("tokens", "revoke", f"version:{app}.1")["hint"]
    server.admin("apps", "versions", "refuse", app, "1")
    assert not server.admin("tokens", "revoke", f"version:{app}.1").get("hint")


def test_what_is_made_begins_with_no_hyphen(server: Server):
    made = [server.admin("clients", "create", "--name", "machine", "--grant", "client_credentials", "--scope", "read") for _ in range(20)]
    assert not [one for client in made for one in (client["client_id"], client["client_secret"]) if one.startswith("-")]
    assert not [key["kid"] for key in server.admin("keys", "list")["items"] if key["kid"].startswith("-")]

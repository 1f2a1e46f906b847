"""`pando admin --server`: a person logs in by `pando login`, and the words of the command line mean the same from afar."""
from __future__ import annotations

import json
import re
import secrets
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from phone import person
from remote import Remote
from server import BINARY, CHECKOUT


@pytest.fixture(scope="module")
def administrator(server) -> str:
    name = person(server)
    server.sql(f"insert into role_grant (account, role, granted_at, granted_by) select id, 'administrator', now(), 'test' from account where username = '{name}'")
    return name


@pytest.fixture(scope="module")
def remote(server, folder, administrator) -> Remote:
    remote = Remote(server, Path(tempfile.mkdtemp(dir=folder)))
    told = remote.log_in(administrator)
    assert told["username"] == administrator and told["server"] == server.issuer
    assert [grant["role"] for grant in told["roles"]] == ["administrator"]
    return remote


def error(finished: subprocess.CompletedProcess) -> dict:
    return json.loads(finished.stderr.strip().splitlines()[-1])


def test_the_login_is_nobody_elses(remote):
    assert remote.login_file.stat().st_mode & 0o777 == 0o600
    assert remote.run("whoami", "--json").returncode == 0, "the only server is the one that is meant"


def test_the_same_words_tell_the_same(server, remote):
    app, service = f"org.example.{secrets.token_hex(4)}", f"s{secrets.token_hex(4)}"
    server.admin("apps", "create", app, "--name", "Wallet")
    server.admin("services", "add", f"http://127.0.0.1:1/{service}", "--name", "Far", "--id", service, "--allow-loopback")
    name = person(server)
    for command in [
            ("accounts", "show", name), ("accounts", "list", "--query", name), ("apps", "show", app), ("apps", "list"), ("apps", "versions", "list", app),
            ("services", "show", service), ("services", "list", "--limit", "2"), ("services", "policy", service), ("clients", "list"), ("clients", "show", "pando-cli"),
            ("instances", "list"), ("keys", "list"), ("tree", "show", f"account:{name}"), ("tokens", "revoke", f"account:{name}", "--dry-run"),
            ("audit", "list", "--node", f"app:{app}"), ("crawl", "history", service), ("events", "status")]:
        here, there = server.run("admin", "--json", *command), remote.admin(*command)
        assert there.returncode == here.returncode == 0, there.stderr + here.stderr
        assert without_time(json.loads(there.stdout)) == without_time(json.loads(here.stdout)), command


def without_time(told):
    """What depends on when one asks."""
    if isinstance(told, dict):
        return {name: without_time(value) for name, value in told.items() if name not in ("revoked_at", "lag_s")}
    return [without_time(value) for value in told] if isinstance(told, list) else told


def test_people_read_the_same(server, remote):
    here = server.run("admin", "apps", "list")
    there = remote.run("admin", "apps", "list", "--server", server.issuer)
    assert there.stdout == here.stdout and there.returncode == 0


def test_what_is_made_there_is_there(server, remote, folder):
    name, key = f"r{secrets.token_hex(5)}", Path(tempfile.mkdtemp(dir=folder)) / "key"
    made = remote.admin("accounts", "create", "--username", name, "--password-stdin", stdin="a sentence that nobody has\n")
    assert made.returncode == 0, made.stderr
    assert server.admin("accounts", "show", name) == json.loads(made.stdout)
    assert server.run("admin", "keys", "generate", "--out", str(key)).returncode == 0
    server.admin("apps", "create", f"org.example.{name}", "--name", "Wallet")
    added = remote.admin("apps", "versions", "add", f"org.example.{name}", "1", "--jwk", f"{key}.pub")
    assert added.returncode == 0, added.stderr
    assert server.admin("apps", "versions", "list", f"org.example.{name}")["items"] == [json.loads(added.stdout)]
    actor = server.admin("audit", "list", "--action", "accounts.create", "--limit", "1")["items"][0]["actor"]
    assert actor.startswith("account:")


@pytest.mark.parametrize("command, status, word", [
    (("accounts", "show", "nobody-here"), 3, "not_found"), (("apps", "show"), 2, "usage"), (("accounts", "show", "a", "--no-such"), 2, "usage"),
    (("accounts", "create", "--username", "a b", "--password-stdin"), 5, "invalid"), (("keys", "reseal", "--to-key", "x"), 2, "usage"),
    (("audit", "list", "--since", "yesterday"), 5, "invalid")], ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value))
def test_what_fails_fails_alike(remote, command, status, word):
    finished = remote.admin(*command, stdin="a sentence that nobody has")
    assert (finished.returncode, error(finished)["error"], finished.stdout) == (status, word, ""), finished.stderr


def test_a_crawl_from_afar_takes_what_is_named(server, remote):
    refused = remote.admin("crawl", "run")
    assert refused.returncode == 2 and error(refused)["error"] == "usage" and "name them" in error(refused)["error_description"]
    services = json.loads(remote.admin("services", "list").stdout)["items"]
    # One of this server's own, as those of other tests may be gone.
    ids = [each["id"] for each in services if each["base"].startswith(server.issuer)][:1]
    there, here = remote.admin("crawl", "run", *ids), server.run("admin", "crawl", "run", *ids, "--json")
    told = [json.loads(finished.stdout) for finished in (there, here)]
    assert ids and there.returncode == here.returncode == 0 and [[each["service"] for each in one["items"]] for one in told] == [ids, ids]
    assert told[0].keys() == told[1].keys() == {"items", "next"} and told[0]["items"][0].keys() == told[1]["items"][0].keys()
    unknown = remote.admin("crawl", "run", "nowhere")
    assert unknown.returncode == 3 and error(unknown)["error"] == "not_found"


def test_a_check_from_afar_makes_nothing(server, remote):
    services = json.loads(remote.admin("services", "list").stdout)["items"]
    own = [each["id"] for each in services if each["base"].startswith(server.issuer)][0]
    there, refused = remote.admin("services", "check", own), remote.admin("services", "check", own, "--patience", "2")
    report = json.loads(there.stdout)
    assert there.returncode == 0 and report["assertions"] == "none" and report["errors"] == 0, there.stdout + there.stderr
    assert refused.returncode == 2 and "at the database" in refused.stderr
    assert remote.admin("services", "check", "nowhere").returncode == 3


def test_a_script_must_say_yes_there_too(server, remote):
    finished = remote.run("admin", "--json", "--server", server.issuer, "accounts", "delete", "nobody")
    assert finished.returncode == 2 and "--yes" in error(finished)["hint"]


def test_a_login_that_others_may_read_is_not_used(server, remote):
    remote.login_file.chmod(0o644)
    try:
        assert "others may read it" in error(remote.admin("apps", "list"))["error_description"]
    finally:
        remote.login_file.chmod(0o600)


def test_who_is_not_logged_in_is_told_how(server, folder):
    stranger = Remote(server, Path(tempfile.mkdtemp(dir=folder)))
    finished = stranger.admin("apps", "list")
    assert finished.returncode == 8 and error(finished)["hint"] == f"pando login --server {server.issuer}"


def test_who_has_no_role_may_nothing(server, folder):
    nobody = Remote(server, Path(tempfile.mkdtemp(dir=folder)))
    nobody.log_in(person(server))
    finished = nobody.admin("apps", "list")
    assert finished.returncode == 8 and error(finished)["error"] == "forbidden"


def test_two_at_once_do_not_refresh_twice_and_after_logging_out_nothing_is_left(server, folder, administrator):
    remote = Remote(server, Path(tempfile.mkdtemp(dir=folder)))
    remote.log_in(administrator)
    login = json.loads(remote.login_file.read_text())
    login["tokens"]["expires"] = 0
    remote.login_file.write_text(json.dumps(login))
    for command in [remote.begin("admin", "--json", "--server", server.issuer, "apps", "list") for _ in range(3)]:
        _, said = command.communicate(timeout=60)
        assert command.returncode == 0, said
    kept, place = remote.login_file.read_bytes(), remote.login_file
    assert json.loads(kept)["tokens"]["refreshToken"] != login["tokens"]["refreshToken"]
    assert remote.admin("apps", "list").returncode == 0

    assert json.loads(remote.run("logout", "--json").stdout) == {"server": server.issuer, "already": False}
    assert not place.exists()
    place.write_bytes(kept)
    place.chmod(0o600)
    finished = remote.admin("apps", "list")
    assert finished.returncode == 8, "what was got has ended at the server: " + finished.stderr


SCENARIOS = CHECKOUT.parent / "shared/clients/eduid"


@pytest.mark.skipif(not SCENARIOS.exists(), reason="there is no ../shared/clients/eduid beside this checkout")
def test_scenarios_of_the_command_line_pass_from_afar(server, remote):
    """All that the shared eduID client says to the command line, and what it sees in tokens then, with each command sent to the server."""
    given = {"PANDO_ISSUER": server.issuer, "PANDO_ADMIN": shlex.join([str(BINARY), "admin", "--json", "--server", server.issuer]), "PYTHONDONTWRITEBYTECODE": "1",
             "PYTEST_ADDOPTS": ""}
    finished = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_admin_cli.py"], cwd=SCENARIOS, env=remote.environment | given,
                              stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=600)
    assert finished.returncode == 0, finished.stdout[-6000:] + finished.stderr[-2000:]
    passed = re.search(r"(\d+) passed", finished.stdout)
    assert passed and int(passed[1]) >= 22, finished.stdout[-500:]

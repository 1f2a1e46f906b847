"""What the command line takes as a password, and in whose words it refuses one."""
from __future__ import annotations

import json
import secrets
import subprocess

import pytest

from server import BINARY, Cluster, CommandFailed, Server

GOOD = "a sentence that nobody has"


def create(server: Server, password: str, **environment: str):
    name = f"p{secrets.token_hex(5)}"
    arguments = ("admin", "--json", "accounts", "create", "--username", name, "--password-stdin", "--email", "grace.hopper@example.org")
    return name, server.run(*arguments, stdin=password, **environment)


@pytest.mark.parametrize("password, words", [
    ("eleven char", "at least 12 characters"), ("x" * 1_025, "too long"), ("Password1234", "many people use it"),
    ("GraceHopper1906", "made of your name"), ("pando-pando-7", "or of ours")])
def test_refused_as_the_page_does(server: Server, password: str, words: str):
    name, finished = create(server, password)
    told = json.loads(finished.stderr.strip().splitlines()[-1])
    assert finished.returncode == 5 and told["error"] == "invalid" and words in told["error_description"] and not finished.stdout
    with pytest.raises(CommandFailed) as missing:
        server.admin("accounts", "show", name)
    assert missing.value.exit_code == 3


def test_a_new_password_is_refused_alike(server: Server):
    name, finished = create(server, GOOD)
    assert finished.returncode == 0, finished.stderr
    for password in ("password1234", f"{name}-{name}"):
        refused = server.run("admin", "--json", "accounts", "password", name, "--password-stdin", stdin=password)
        assert refused.returncode == 5, refused.stdout + refused.stderr
    assert server.admin("accounts", "password", name, "--password-stdin", stdin=GOOD + " else")["username"] == name


def test_without_the_list_no_password_is_taken(server: Server, tmp_path):
    for text in (None, "bbbbbbbbbbbb\naaaaaaaaaaaa\n"):
        if text:
            (tmp_path / "list").write_text(text)
        _, finished = create(server, GOOD, PANDO_COMMON_PASSWORDS=str(tmp_path / "list"))
        assert finished.returncode == 1 and "common passwords" in finished.stderr, finished.stdout + finished.stderr


def test_the_list_is_found_from_anywhere(server: Server, tmp_path):
    arguments = [BINARY, "admin", "--json", "accounts", "create", "--username", f"p{secrets.token_hex(5)}", "--password-stdin"]
    database = server.environment.get("PANDO_DATABASE") or Cluster(server.folder / "postgres").url("pando")
    settings = server.environment | {"PANDO_STATE_DIRECTORY": str(server.folder.resolve()), "PANDO_DATABASE": database}
    finished = subprocess.run(arguments, cwd=tmp_path, env=settings, input="Password1234", text=True, capture_output=True, timeout=120)
    assert finished.returncode == 5 and "many people" in finished.stderr, finished.stdout + finished.stderr

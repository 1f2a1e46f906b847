"""The configuration tells what holds and where it came from; what it does not know stops it."""
from __future__ import annotations

import json

import pytest


def shown(server, *arguments: str, **environment: str) -> dict:
    finished = server.run("config", "show", "--json", *arguments, **environment)
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def test_each_value_has_an_origin(server):
    """Default, environment, flag."""
    values = shown(server, "--set", "crawler-concurrency=7")

    assert values["port"] == {"value": str(server.port), "origin": "PANDO_PORT"}
    assert values["crawler-concurrency"] == {"value": "7", "origin": "flag"}
    assert values["database-connections"]["origin"] == "default"


@pytest.mark.parametrize("name, text", [("pando.yaml", "log-level: debug\nport: 1234\n"), ("pando.json", '{"log-level": "debug", "port": 1234}')])
def test_a_file_stands_below_the_environment(server, tmp_path, name, text):
    """PANDO_CONFIG names JSON or YAML; the environment wins."""
    file = tmp_path / name
    file.write_text(text)

    values = shown(server, PANDO_CONFIG=str(file))

    assert values["log-level"] == {"value": "debug", "origin": str(file)}
    assert values["port"]["origin"] == "PANDO_PORT"


def test_secrets_are_hidden(server):
    """The connection string may hold a password."""
    finished = server.run("config", "show", PANDO_DATABASE="host=db.example.org password=hunter2")

    assert "hunter2" not in finished.stdout and "(hidden)" in finished.stdout


@pytest.mark.parametrize("command", [["serve"], ["dev", "--no-demo"], ["config", "show"], ["admin", "accounts", "list"], ["migrate"]], ids=" ".join)
def test_an_unknown_setting_stops_every_command(server, command):
    """A misspelt variable is named, and nothing starts."""
    finished = server.run(*command, PANDO_ISUER="https://id.example.org")

    assert finished.returncode == 2 and "PANDO_ISUER" in finished.stderr and finished.stdout == ""


def test_an_unknown_key_in_the_file_stops_it(server, tmp_path):
    """The same for files."""
    file = tmp_path / "pando.yaml"
    file.write_text("isuer: https://id.example.org\n")

    finished = server.run("serve", PANDO_CONFIG=str(file))

    assert finished.returncode == 2 and "isuer" in finished.stderr


@pytest.mark.parametrize("name, value, word", [
    ("PANDO_ISSUER", "http://id.example.org", "https"), ("PANDO_ISSUER", "id.example.org", "issuer"), ("PANDO_PORT", "eighty", "port"),
    ("PANDO_ROLES", "idp,crowler", "crowler")])
def test_a_value_that_cannot_stand_is_named(server, name, value, word):
    """Plain HTTP beyond loopback, what is no URL, no number, no role."""
    finished = server.run("serve", **{name: value})

    assert finished.returncode == 2 and word in finished.stderr

"""`pando demo`: the whole path by an app that ships with the server, against a server it knows only by its URL."""
from __future__ import annotations

import json

import pytest


@pytest.fixture(scope="module")
def help_text(server) -> str:
    text = server.run("demo", "--help").stdout
    if "--json" not in text:
        pytest.skip("this binary's `pando demo` has no --json yet")
    return text


def test_it_walks_to_its_end(server, help_text):
    """Registers, logs in, finds, goes, hands on, is cut: exit code 0 and one JSON value on stdout."""
    finished = server.run("demo", "--json", "--issuer", server.issuer)

    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout)


def test_it_says_when_nobody_answers(server, help_text):
    """An address without a server is told in words, not as a trace."""
    finished = server.run("demo", "--json", "--issuer", "http://localhost:9")

    assert finished.returncode != 0 and finished.stderr.strip() and "Fatal" not in finished.stderr

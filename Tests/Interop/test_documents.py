"""What the documentation shows is what happens: its Python and its marked shell lines run against a real server.

Shell fences run where they say ```sh run. Pages with Python, and those of docs/goals (test_goals.py), are followed by a reader (reading.py).
"""
from __future__ import annotations

import re
import shlex
import subprocess

import pytest

from server import BINARY, CHECKOUT, Server


def fences(page: str, kind: str) -> list[str]:
    text = (CHECKOUT / page).read_text()
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def run_shell(server: Server, script: str) -> subprocess.CompletedProcess:
    shim = f"pando() {{ {shlex.quote(str(BINARY))} \"$@\"; }}\n"
    return subprocess.run(["bash", "-euo", "pipefail", "-c", shim + script], cwd=CHECKOUT, env=server.environment | server.serving(), text=True, capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=180)


@pytest.mark.parametrize("page", ["README.md", "docs/operate.md"])
def test_commands_work(server, page):
    """Each marked block, in order, without an error and with something to read on stdout."""
    blocks = fences(page, "sh run")
    assert blocks
    for block in blocks:
        finished = run_shell(server, block)
        assert finished.returncode == 0 and finished.stdout, f"{block}\n{finished.stderr}"


def test_for_app_makers(reader):
    """From the version's key to another app's token, and back."""
    reader.follow("docs/for-app-makers.md")


def test_join_the_federation(reader):
    """An assertion for an outside service is checked as the page says, the event about it is understood, and asking back works."""
    reader.follow("docs/goals/write-an-app.md")
    reader.follow("docs/join-the-federation.md")

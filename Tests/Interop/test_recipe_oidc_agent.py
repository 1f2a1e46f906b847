"""docs/recipes.md, oidc-agent: Debian's program gets a token on a command line, with a secret and without, by device and by code, and refreshes it."""
from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from tempfile import mkdtemp

import pytest
import requests

from browsing import Browser
from recipe import Recipe
from server import free_port
from waiting import eventually


class Shell:
    """A shell in which oidc-agent runs: with a folder for its accounts, and nobody at the keyboard."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.environment = os.environ | {"OIDC_CONFIG_DIR": str(folder), "OIDC_ENCRYPTION_PW": "correct horse", "TMPDIR": str(folder), "HOME": str(folder)}
        started = self.run("oidc-agent --no-scheme --json")
        self.agent = json.loads(started.stdout)
        self.environment |= {"OIDC_SOCK": self.agent["socket"], "OIDCD_PID": self.agent["dpid"]}

    def begin(self, line: str) -> subprocess.Popen:
        """What it says goes to `said`."""
        with self.said.open("wb") as said:
            return subprocess.Popen(["bash", "-c", line], env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT)

    def run(self, line: str) -> subprocess.CompletedProcess:
        finished = subprocess.run(["bash", "-c", line], env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=60)
        assert finished.returncode == 0, f"{line}\n{finished.stdout}{finished.stderr}"
        return finished

    @property
    def said(self) -> Path:
        return self.folder / "said"

    def hears(self, pattern: str) -> str:
        found = eventually(lambda: re.search(pattern, self.said.read_text(errors="replace")), within_s=30)
        assert found, self.said.read_text(errors="replace")[-2000:]
        return found[1]

    def close(self) -> None:
        os.kill(int(self.agent["dpid"]), signal.SIGTERM)


@pytest.fixture
def shell(folder):
    shell = Shell(Path(mkdtemp(dir=folder)))
    yield shell
    shell.close()


@pytest.fixture
def recipe(server) -> Recipe:
    return Recipe(server, "oidc-agent", **{"localhost:4242": f"localhost:{free_port()}"})


@pytest.fixture
def browser(server, username) -> Browser:
    return Browser(server.issuer, username)


QUIETLY = " --pw-env --prompt none --confirm-default --no-url-call"


def by_device(shell: Shell, browser: Browser, line: str) -> None:
    """The page's line; somebody types the code into a browser."""
    making = shell.begin(line.strip() + QUIETLY)
    code = shell.hears(r"enter the code: (\S+)")
    assert browser.walk(f"{browser.site}/device?user_code={code}").status == 200
    assert making.wait(timeout=60) == 0, shell.said.read_text(errors="replace")[-2000:]


def is_good(server, shell: Shell, recipe: Recipe, username: str) -> None:
    """The token that the page's last line prints; and, once the agent takes it for old, a fresh one."""
    token = shell.run(recipe.fence("sh token")).stdout.strip()
    fresh = shell.run(recipe.fence("sh token").strip() + " --time 7200").stdout.strip()

    assert fresh != token, "a token that lives for less than two hours is refreshed"
    told = requests.get(f"{server.issuer}/userinfo", headers={"Authorization": f"Bearer {fresh}"}, timeout=20)
    assert told.json()["email"] == f"{username}@example.org"


def test_with_a_secret_by_device(server, shell, recipe, browser, username):
    recipe.create("sh create")

    by_device(shell, browser, recipe.fence("sh confidential"))

    is_good(server, shell, recipe, username)


def test_with_a_secret_by_code(server, shell, recipe, browser, username):
    """The agent listens at its redirect URI itself."""
    recipe.create("sh create")
    making = shell.begin(recipe.fence("sh confidential").strip().replace("--flow device", "--flow code") + QUIETLY)

    back = browser.come_back(shell.hears(r"(http://\S+/authorize\?\S+)"))
    assert requests.get(back, timeout=20).status_code == 200

    assert making.wait(timeout=60) == 0, shell.said.read_text(errors="replace")[-2000:]
    is_good(server, shell, recipe, username)


def test_without_a_secret(server, shell, recipe, browser, username):
    """A public client: the agent sends `Basic` with an empty secret (RFC 6749, 2.3.1), which says no more than the id."""
    recipe.create("sh create", "--auth-method none")

    by_device(shell, browser, recipe.fence("sh public"))

    is_good(server, shell, recipe, username)

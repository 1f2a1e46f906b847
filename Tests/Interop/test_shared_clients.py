"""The phones and relying services of ../shared/clients, where that folder stands beside the checkout, each against a server of their own.

All of them are run. Apart from a few expiries of 2 seconds and held answers it is short requests, so it takes a few minutes.
"""
from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest

from server import BINARY, CHECKOUT

CLIENTS = CHECKOUT.parent / "shared/clients"
LIMIT_S = 900


def clients(name: str, at_least: int):
    missing = not (CLIENTS / name / "requirements.txt").exists()
    return pytest.param(name, at_least, id=name, marks=pytest.mark.skipif(missing, reason=f"there is no ../shared/clients/{name} beside this checkout"))


@pytest.mark.parametrize(("name", "at_least"), [clients("tiqr", 400), clients("operations", 144), clients("liquid", 171)])
def test_every_scenario_passes(own_server, name, at_least):
    """tiqr: iOS, Android and protocol 1, blocks, parallel guesses, offline codes, pictures, back office. operations: PowerAuth, Mobile Token API, back office.
    liquid: the wallets of iOS, Android and the browser, signalling packet by packet and by python-socketio."""
    given = {"PANDO_ADMIN": shlex.join([str(BINARY), "admin", "--json"]), "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_ADDOPTS": ""}

    finished = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."], cwd=CLIENTS / name, env=own_server.environment | given,
                              stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=LIMIT_S)

    assert finished.returncode == 0, finished.stdout[-6000:] + finished.stderr[-2000:]
    passed = re.search(r"(\d+) passed", finished.stdout)
    assert passed and int(passed[1]) >= at_least, finished.stdout[-500:]
    assert own_server.process.poll() is None, own_server.tail()

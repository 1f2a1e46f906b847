"""The phone and the bank of ../shared/clients/operations, where that folder stands beside the checkout, against a server of their own.

All of it is run: PowerAuth, the Mobile Token API and the back office, and its own self-tests. Apart from a few expiries it is short requests.
"""
from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest

from server import BINARY, CHECKOUT

CLIENTS = CHECKOUT.parent / "shared/clients/operations"
LIMIT_S = 900
AT_LEAST = 144


@pytest.mark.skipif(not (CLIENTS / "requirements.txt").exists(), reason="there is no ../shared/clients/operations beside this checkout")
def test_the_sdk_passes_every_scenario(own_server):
    """iOS and Android: activating, signatures, tokens, states, shapes, proximity and offline codes."""
    given = {"PANDO_ADMIN": shlex.join([str(BINARY), "admin", "--json"]), "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_ADDOPTS": ""}

    finished = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."], cwd=CLIENTS, env=own_server.environment | given,
                              stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=LIMIT_S)

    assert finished.returncode == 0, finished.stdout[-6000:] + finished.stderr[-2000:]
    passed = re.search(r"(\d+) passed", finished.stdout)
    assert passed and int(passed[1]) >= AT_LEAST, finished.stdout[-500:]
    assert own_server.process.poll() is None, own_server.tail()

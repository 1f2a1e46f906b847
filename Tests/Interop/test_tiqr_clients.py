"""The tiqr phones and the relying service of ../shared/clients/tiqr, where that folder stands beside the checkout, against a server of their own.

All of it is run: apart from a few expiries of 2 seconds and held answers it is short requests, so it takes a minute or two.
"""
from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest

from server import BINARY, CHECKOUT

CLIENTS = CHECKOUT.parent / "shared/clients/tiqr"
LIMIT_S = 900
AT_LEAST = 400


@pytest.mark.skipif(not (CLIENTS / "requirements.txt").exists(), reason="there is no ../shared/clients/tiqr beside this checkout")
def test_both_apps_pass_every_scenario(own_server):
    """iOS, Android and protocol 1: enrolling, logging in, blocks, parallel guesses, offline codes, suites, pictures, the back office."""
    given = {"PANDO_ADMIN": shlex.join([str(BINARY), "admin", "--json"]), "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_ADDOPTS": ""}

    finished = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."], cwd=CLIENTS, env=own_server.environment | given,
                              stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=LIMIT_S)

    assert finished.returncode == 0, finished.stdout[-6000:] + finished.stderr[-2000:]
    passed = re.search(r"(\d+) passed", finished.stdout)
    assert passed and int(passed[1]) >= AT_LEAST, finished.stdout[-500:]
    assert own_server.process.poll() is None, own_server.tail()

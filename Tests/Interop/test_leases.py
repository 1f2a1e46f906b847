"""Two servers on one database, of which one is stopped as by a debugger: what a revocation promises holds all the same."""
from __future__ import annotations

import signal
import tempfile
import threading
import time
from pathlib import Path

import pytest
import requests

from clients import machine
from server import Server


@pytest.fixture
def pair(own_server, own_cluster, folder):
    """A second server beside `own_server`, for the same issuer, and a machine that both know."""
    other = Server(Path(tempfile.mkdtemp(dir=folder)), own_cluster.url("pando_own"))
    other.environment |= {"PANDO_ISSUER": own_server.issuer, "PANDO_STATE_DIRECTORY": own_server.environment["PANDO_STATE_DIRECTORY"]}
    try:
        yield own_server, other.start()
    finally:
        if other.process and other.process.poll() is None:
            other.process.send_signal(signal.SIGCONT)
        other.clear()


def active(port: int, credentials: tuple[str, str], token: str) -> bool:
    answer = requests.post(f"http://localhost:{port}/introspect", data={"token": token}, auth=credentials, timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()["active"]


def test_a_stopped_process_says_active_for_nothing_that_was_revoked(pair):
    """Of what was asked after the revocation had returned. An answer that is stopped on its way out, behind the last look
    at the lease, was true when it was written: its question had been asked before the revocation began."""
    one, two = pair
    credentials = machine(one)
    for _ in range(3):
        token = requests.post(f"{one.issuer}/token", data={"grant_type": "client_credentials"}, auth=credentials, timeout=30).json()["access_token"]
        until = time.monotonic() + 2
        while time.monotonic() < until:  # it answers from memory by now
            assert active(two.port, credentials, token)
        answers: list[tuple[float, float, bool]] = []
        going = threading.Event()

        def ask():
            while not going.is_set():
                asked = time.monotonic()
                said = active(two.port, credentials, token)
                answers.append((asked, time.monotonic(), said))

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        two.process.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        revoked = requests.post(f"{one.issuer}/revoke", data={"token": token}, auth=credentials, timeout=30)
        returned = time.monotonic()
        two.process.send_signal(signal.SIGCONT)
        time.sleep(0.5)
        going.set()
        for thread in threads:
            thread.join()

        assert revoked.status_code == 200
        assert returned - began < 4, f"the revocation took {returned - began:.1f} s"
        assert not [asked for asked, _, said in answers if said and asked > returned], "asked after the revocation"
        late = [asked for asked, got, said in answers if said and got > returned]
        assert all(asked < began for asked in late), "asked of the stopped process, and answered from an old lease"
        assert [said for asked, _, said in answers if asked > returned], "nothing was asked after it"

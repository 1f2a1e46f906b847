"""Two processes behind Debian's HAProxy are replaced one after the other, while many ask: no request fails. And what systemd is told meanwhile."""
from __future__ import annotations

import socket
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path
from tempfile import mkdtemp

import pytest
import requests
from cryptography import x509
from requests.auth import HTTPBasicAuth

from authority import Authority
from clients import machine
from served import Served, replicas
from server import CHECKOUT, free_port
from waiting import eventually

PROGRAM = Path("/usr/sbin/haproxy")
DRAIN_S = 3


class Proxy:
    """deploy/proxy/haproxy.cfg, with a line `server` for each and without TLS."""

    def __init__(self, folder: Path, port: int, servers: list[Served]):
        assert PROGRAM.exists(), f"{PROGRAM} is missing: deploy/packages.sh test installs it"
        text, frontend = (CHECKOUT / "deploy/proxy/haproxy.cfg").read_text(), []
        for line in text.splitlines():
            if line.strip().startswith("bind "):
                line = f"    bind 127.0.0.1:{port}"
            if "ssl_c_" in line or "Strict-Transport-Security" in line:
                continue
            if line.strip().startswith("server one "):
                frontend += [line.replace("one", f"s{one.port}").replace("127.0.0.1:8080", f"127.0.0.1:{one.port}") for one in servers]
                continue
            frontend.append(line)
        file = folder / "haproxy.cfg"
        file.write_text("\n".join(frontend) + "\n")
        self.socket, control = folder / "h", folder / "control.cfg"
        control.write_text(f"global\n    stats socket {self.socket} mode 600 level user\n")
        with (folder / "haproxy.log").open("wb") as log:
            self.process = subprocess.Popen([PROGRAM, "-db", "-f", file, "-f", control], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)

    def sees(self, one: Served) -> bool:
        """Whether it sends requests there: its own checks say so."""
        with socket.socket(socket.AF_UNIX) as control:
            control.connect(str(self.socket))
            control.sendall(b"show stat\n")
            told = b"".join(iter(lambda: control.recv(65_536), b"")).decode()
        return any(line.split(",")[1] == f"s{one.port}" and line.split(",")[17].startswith("UP") for line in told.splitlines() if "," in line)

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=20)


class Asking:
    """Programs that ask for tokens and whether those live, each on a connection that it keeps."""

    def __init__(self, issuer: str, client: tuple[str, str], count: int):
        self.issuer, self.auth, self.outcomes, self.over = issuer, HTTPBasicAuth(*client), Counter(), threading.Event()
        self.threads = [threading.Thread(target=self._ask) for _ in range(count)]
        for thread in self.threads:
            thread.start()

    def _ask(self) -> None:
        with requests.Session() as session:
            while not self.over.is_set():
                try:
                    answer = session.post(f"{self.issuer}/token", data={"grant_type": "client_credentials"}, auth=self.auth, timeout=20)
                    self.outcomes[f"token {answer.status_code}"] += 1
                    if answer.status_code == 200:
                        said = session.post(f"{self.issuer}/introspect", data={"token": answer.json()["access_token"]}, auth=self.auth, timeout=20)
                        self.outcomes[f"introspection {said.status_code} {said.status_code == 200 and said.json()['active']}"] += 1
                except requests.RequestException as error:
                    self.outcomes[type(error).__name__] += 1

    def end(self) -> Counter:
        self.over.set()
        for thread in self.threads:
            thread.join()
        return self.outcomes


def reached(issuer: str) -> bool:
    try:
        return requests.get(f"{issuer}/readyz", timeout=5).status_code == 200
    except requests.RequestException:
        return False


@pytest.fixture(scope="module")
def behind(folder):
    """Two processes that serve, and the proxy before them."""
    port = free_port()
    issuer = f"http://localhost:{port}"
    with replicas(folder, 2, issuer, PANDO_DRAIN_DELAY=str(DRAIN_S)) as several:
        proxy = None
        try:
            for one in several:
                one.start()
            proxy = Proxy(Path(mkdtemp(dir=folder)), port, several)
            assert eventually(lambda: reached(issuer), within_s=20)
            yield issuer, several, proxy
        finally:
            if proxy:
                proxy.close()


def test_a_rolling_restart_fails_no_request(behind):
    issuer, several, proxy = behind
    asking = Asking(issuer, machine(several[0]), 8)
    try:
        time.sleep(2)
        for _ in range(2):
            for one in several:
                assert one.stop() >= DRAIN_S
                one.start()
                # As who replaces them one by one waits until the proxy has seen it.
                assert eventually(lambda: proxy.sees(one), within_s=30)
    finally:
        outcomes = asking.end()
    assert set(outcomes) == {"token 200", "introspection 200 True"}, outcomes
    assert outcomes["token 200"] > 100


def test_it_says_that_it_will_stop_before_it_does(behind):
    """Ready no more, and served as ever; each answer ends its connection."""
    one = behind[1][0]
    with requests.Session() as session:
        assert session.get(f"{one.url}/readyz", timeout=5).headers.get("Connection") != "close"
        one.terminate()
        assert eventually(lambda: session.get(f"{one.url}/readyz", timeout=5).status_code == 503, within_s=2)
        refused, served = session.get(f"{one.url}/readyz", timeout=5), session.get(f"{one.url}/jwks.json", timeout=5)
    assert refused.headers["Retry-After"] == "2" and refused.json()["error"] == "temporarily_unavailable"
    assert served.status_code == 200 and served.headers["Connection"] == "close"
    one.ended(time.monotonic())
    one.start()


class Supervisor:
    """The socket at which systemd hears of a service."""

    def __init__(self, folder: Path):
        self.path, self.socket = Path(mkdtemp(dir=folder)) / "notify", socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.path))
        self.socket.settimeout(20)

    def told(self) -> list[str]:
        """The next message that is no sign of life."""
        while (lines := self.socket.recv(4096).decode().split("\n")) == ["WATCHDOG=1"]:
            pass
        return lines

    def signs(self) -> int:
        return sum(self.socket.recv(4096) == b"WATCHDOG=1" for _ in range(3))


def test_systemd_and_hangup(folder):
    """READY, signs of life, RELOADING and READY again with a new certificate, STOPPING. What cannot be read changes nothing. The metrics tell its end."""
    metrics = free_port()
    port, place, supervisor = free_port(), Path(mkdtemp(dir=folder)), Supervisor(folder)
    before, after = Authority("before"), Authority("after")
    made, key = before.leaf(place, "server", "localhost")
    (place / "before.pem").write_bytes(before.own)
    (place / "after.pem").write_bytes(after.own)
    with replicas(folder, 1, f"https://localhost:{port}", PANDO_DRAIN_DELAY="0", PANDO_TLS_CERTIFICATE=str(made), PANDO_TLS_KEY=str(key),
                  PANDO_METRICS_PORT=str(metrics), NOTIFY_SOCKET=str(supervisor.path), WATCHDOG_USEC="400000") as (one,):
        one.port = port
        one.environment["PANDO_PORT"] = str(port)

        def answers(authority: str) -> bool:
            try:
                return requests.get(f"https://localhost:{port}/readyz", verify=str(place / f"{authority}.pem"), timeout=5).status_code == 200
            except requests.exceptions.SSLError:
                return False

        def told_end() -> list[float]:
            lines = requests.get(f"http://127.0.0.1:{metrics}/metrics", timeout=10).text.splitlines()
            return [float(line.split()[1]) for line in lines if line.startswith("pando_tls_certificate_end_timestamp_seconds ")]

        def end() -> float:
            return x509.load_pem_x509_certificate(made.read_bytes()).not_valid_after_utc.timestamp()

        one.begin()
        assert supervisor.told() == ["READY=1"]
        assert answers("before") and not answers("after")
        assert told_end() == [end()]
        assert supervisor.signs() == 3

        after.leaf(place, "server", "localhost", days=90)
        one.hang_up()
        reloading = supervisor.told()
        assert reloading[0] == "RELOADING=1" and 0 < int(reloading[1].removeprefix("MONOTONIC_USEC=")) <= time.monotonic_ns() // 1_000
        assert supervisor.told() == ["READY=1"]
        assert answers("after") and not answers("before")
        renewed = end()
        assert told_end() == [renewed] and renewed > time.time() + 89 * 86_400

        made.write_text("no certificate")
        one.hang_up()
        assert supervisor.told()[0] == "RELOADING=1" and supervisor.told() == ["READY=1"]
        assert answers("after") and "those from before" in one.log.read_text() and told_end() == [renewed]

        one.stop()
        assert supervisor.told() == ["STOPPING=1"]

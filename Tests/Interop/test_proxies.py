"""deploy/proxy: Debian's HAProxy, nginx and Caddy with the files that are shipped, in front of two servers that are replaced one after the other, under load."""
from __future__ import annotations

import os
import socket
import subprocess
import threading
import time
from pathlib import Path
from tempfile import mkdtemp
from uuid import UUID

import pytest
import requests
from requests.adapters import HTTPAdapter

from authority import Authority
from clients import machine
from server import CHECKOUT, STOPS_WITHIN_S, Cluster, Server, free_port
from waiting import eventually

DRAIN_S = 4


def replaced(file: str, pairs: dict[str, str]) -> str:
    text = (CHECKOUT / "deploy/proxy" / file).read_text()
    for theirs, ours in pairs.items():
        assert theirs in text, f"{file} has no {theirs!r}"
        text = text.replace(theirs, ours)
    return text


def haproxy(folder: Path, port: int, one: int, two: int) -> tuple[list[str], list[str]]:
    (folder / "pando.pem").write_bytes((folder / "leaf.pem").read_bytes() + (folder / "leaf.key").read_bytes())
    (folder / "haproxy.cfg").write_text(replaced("haproxy.cfg", {
        "/etc/haproxy/id.example.org.pem": f"{folder}/pando.pem", "/etc/haproxy/clients.pem": f"{folder}/root.pem", "bind :443": f"bind 127.0.0.1:{port}",
        "127.0.0.1:8080": f"127.0.0.1:{one}", "#server two 127.0.0.1:8082": f"server two 127.0.0.1:{two}"}))
    return ["/usr/sbin/haproxy", "-c", "-f", f"{folder}/haproxy.cfg"], ["/usr/sbin/haproxy", "-db", "-f", f"{folder}/haproxy.cfg"]


def nginx(folder: Path, port: int, one: int, two: int) -> tuple[list[str], list[str]]:
    own = replaced("nginx.conf", {
        "/etc/nginx/id.example.org.pem": f"{folder}/leaf.pem", "/etc/nginx/id.example.org.key": f"{folder}/leaf.key", "listen 443": f"listen 127.0.0.1:{port}",
        "/var/log/nginx/pando.log": f"{folder}/access.log", "server 127.0.0.1:8080": f"server 127.0.0.1:{one}", "#server 127.0.0.1:8082": f"server 127.0.0.1:{two}"})
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    user = "user root;\n" if os.getuid() == 0 else ""
    (folder / "nginx.conf").write_text(f"{user}pid {folder}/nginx.pid;\nerror_log {folder}/error.log;\ndaemon off;\nevents {{}}\nhttp {{\n{temporary}{own}}}\n")
    command = ["/usr/sbin/nginx", "-c", f"{folder}/nginx.conf", "-e", f"{folder}/error.log"]
    return [*command, "-t"], command


def caddy(folder: Path, port: int, one: int, two: int) -> tuple[list[str], list[str]]:
    own = replaced("Caddyfile", {"id.example.org {": f"https://localhost:{port} {{\n\ttls {folder}/leaf.pem {folder}/leaf.key", "127.0.0.1:8080": f"127.0.0.1:{one} 127.0.0.1:{two}"})
    (folder / "Caddyfile").write_text("{\n\tadmin off\n\tauto_https off\n}\n" + own)
    options = ["--adapter", "caddyfile", "--config", f"{folder}/Caddyfile"]
    return ["/usr/bin/caddy", "validate", *options], ["/usr/bin/caddy", "run", *options]


class Pair:
    """Two servers on one database, of one issuer, which is a proxy that is started last."""

    def __init__(self, folder: Path, database: str):
        self.folder, self.authority, self.port = folder, Authority("root"), free_port()
        self.issuer = f"https://localhost:{self.port}"
        (folder / "root.pem").write_bytes(self.authority.own)
        self.authority.leaf(folder, "leaf", "localhost")
        settings = {"PANDO_TRUSTED_PROXY": "true", "PANDO_ISSUER": self.issuer, "PANDO_DRAIN_DELAY": str(DRAIN_S),
                    "PANDO_CLIENT_CERTIFICATE_HEADER": "Client-Cert", "PANDO_CLIENT_CERTIFICATE_VERIFY_HEADER": "X-SSL-Client-Verify"}
        self.servers = [Server(folder, database, **settings, PANDO_METRICS_PORT=str(free_port())) for _ in range(2)]
        for server in self.servers:
            server.log = folder / f"server-{server.port}.log"

    def start(self) -> "Pair":
        for server in self.servers:
            server.start()
        self.client = machine(self.servers[0])
        return self

    def clear(self) -> None:
        for server in self.servers:
            server.clear()


class Load:
    """Threads that ask for tokens and for metadata, each on a connection of its own, until told to stop."""

    def __init__(self, pair: Pair, threads: int = 4):
        self.pair, self.over, self.answers, self.lock = pair, threading.Event(), [], threading.Lock()
        self.refused: list[str] = []
        self.began = time.monotonic()
        self.threads = [threading.Thread(target=self._ask, daemon=True) for _ in range(threads)]

    def _ask(self) -> None:
        session = requests.Session()
        session.mount("https://", HTTPAdapter(max_retries=0))
        trusted = {"verify": str(self.pair.folder / "root.pem"), "timeout": 30}
        while not self.over.is_set():
            for send in (lambda: session.post(f"{self.pair.issuer}/token", data={"grant_type": "client_credentials"}, auth=self.pair.client, **trusted),
                         lambda: session.get(f"{self.pair.issuer}/.well-known/openid-configuration", **trusted)):
                try:
                    answer = send()
                    told, words = answer.status_code, f"{answer.request.method} at {time.monotonic() - self.began:.2f} s: {dict(answer.headers)} {answer.text[:200]}"
                except requests.RequestException as error:
                    told, words = type(error).__name__, f"at {time.monotonic() - self.began:.2f} s: {error}"
                with self.lock:
                    self.answers.append(told)
                    if told != 200:
                        self.refused.append(words)
            time.sleep(0.02)

    def __enter__(self) -> "Load":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.over.set()
        for thread in self.threads:
            thread.join(timeout=60)

    def more(self, number: int) -> bool:
        """So many more answers have come."""
        before = len(self.answers)
        return eventually(lambda: len(self.answers) >= before + number, within_s=60)


@pytest.fixture(scope="module")
def pair(folder):
    place = Path(mkdtemp(dir=folder))
    cluster = Cluster(place / "cluster")
    try:
        made = Pair(place, cluster.start().url("pando_pair"))
        try:
            yield made.start()
        finally:
            made.clear()
    finally:
        cluster.discard()


@pytest.fixture(params=[haproxy, nginx, caddy], ids=lambda kind: kind.__name__)
def proxy(pair, request):
    """One that took the configuration without a complaint, and serves."""
    check, command = request.param(pair.folder, pair.port, *(server.port for server in pair.servers))
    environment = os.environ | {"HOME": str(pair.folder)}
    checked = subprocess.run(check, env=environment, text=True, capture_output=True, timeout=60)
    assert checked.returncode == 0 and "[WARNING]" not in checked.stderr and "[warn]" not in checked.stderr, checked.stdout + checked.stderr
    with (pair.folder / "proxy.log").open("ab") as log:
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
    try:
        assert eventually(lambda: serves(pair), within_s=30)
        yield process
    finally:
        process.terminate()
        process.wait(timeout=30)


@pytest.mark.parametrize("kind", [haproxy, nginx, caddy], ids=lambda kind: kind.__name__)
def test_who_finds_no_server_is_asked_for_patience(kind, folder):
    """As by Pando without its database: an app tries again, and keeps its tokens."""
    place, authority, port = Path(mkdtemp(dir=folder)), Authority("root"), free_port()
    (place / "root.pem").write_bytes(authority.own)
    authority.leaf(place, "leaf", "localhost")
    _, command = kind(place, port, free_port(), free_port())
    with (place / "proxy.log").open("wb") as log, subprocess.Popen(command, env=os.environ | {"HOME": str(place)}, stdin=subprocess.DEVNULL, stdout=log, stderr=log) as process:
        try:
            assert eventually(lambda: listens(port), within_s=30), (place / "proxy.log").read_text()
            answer = requests.post(f"https://localhost:{port}/token", data={"grant_type": "client_credentials"}, verify=str(place / "root.pem"), timeout=30)
        finally:
            process.terminate()

    assert (answer.status_code, answer.headers["Retry-After"], answer.headers["Cache-Control"]) == (503, "2", "no-store"), answer.text
    assert answer.headers["Content-Type"] == "application/json" and answer.json()["error"] == "temporarily_unavailable"


def listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def asked(server: Server) -> float:
    """Requests for a token that it has answered since it began: the proxy has found it."""
    page = requests.get(f"http://127.0.0.1:{server.environment['PANDO_METRICS_PORT']}/metrics", timeout=20).text
    return sum(float(line.split()[-1]) for line in page.splitlines() if line.startswith("pando_http_requests_total{") and 'route="/token"' in line)


def all_are_asked(pair: Pair) -> bool:
    before = [asked(server) for server in pair.servers]
    return eventually(lambda: all(asked(server) > known for server, known in zip(pair.servers, before)), within_s=60)


def serves(pair: Pair) -> bool:
    try:
        return requests.get(f"{pair.issuer}/readyz", verify=str(pair.folder / "root.pem"), timeout=5).status_code == 200
    except requests.RequestException:
        return False


def test_servers_are_replaced_and_nobody_sees_it(pair, proxy):
    """A rolling restart: each leaves with its drain delay and comes back; not one request fails, no token request either."""
    steps = []
    with Load(pair) as load:
        assert load.more(50)
        for server in pair.servers:
            steps.append(f"{time.monotonic() - load.began:.2f} s: {server.port} is told to stop")
            began = time.monotonic()
            server.terminate()
            assert server.process.wait(timeout=STOPS_WITHIN_S + DRAIN_S) == 0
            assert time.monotonic() - began >= DRAIN_S, "it left at once: the proxy had no time to see it"
            steps.append(f"{time.monotonic() - load.began:.2f} s: it is gone")
            server.start()
            steps.append(f"{time.monotonic() - load.began:.2f} s: and back")
            assert all_are_asked(pair), "the proxy does not find it"
            steps.append(f"{time.monotonic() - load.began:.2f} s: and found")
        assert load.more(50)

    told = {status: load.answers.count(status) for status in set(load.answers)}
    assert set(told) == {200}, (told, steps, load.refused)


def test_one_is_killed(pair, proxy):
    """kill -9: what was under way at it may be lost, and nobody is shown it; a moment later all is well with the other."""
    with Load(pair) as load:
        assert all_are_asked(pair)
        pair.servers[0].kill()
        time.sleep(3)
        lost = [told for told in load.answers if told != 200]
        seen = len(load.answers)
        assert load.more(100)
        later = load.answers[seen:]
    pair.servers[0].start()

    assert set(later) == {200}, "the other one has all of it"
    assert len(lost) <= 2 * len(load.threads) * 3, lost


def test_metrics_stay_inside(pair, proxy):
    answer = requests.get(f"{pair.issuer}/metrics", verify=str(pair.folder / "root.pem"), timeout=20)

    assert answer.status_code == 404
    ready = requests.get(f"{pair.issuer}/readyz", verify=str(pair.folder / "root.pem"), timeout=20)
    assert ready.headers["Strict-Transport-Security"] == "max-age=31536000"


def test_nobody_names_a_request_but_the_proxy(pair, proxy):
    """What a client says it is called would have its lines found under somebody else's request."""
    answer = requests.get(f"{pair.issuer}/readyz", verify=str(pair.folder / "root.pem"), timeout=20, headers={"X-Request-Id": "of-another", "Request-Id": "of-another"})

    named = answer.headers["X-Request-Id"]
    log = (pair.folder / "access.log").read_text() if "nginx" in proxy.args[0] else ""
    assert named != "of-another"
    assert UUID(named) and "-" in named or named in log, "it is the proxy's and not Pando's own"

#!/usr/bin/env python3
"""The dashboard of a real run: a server under a mixed load is killed, PostgreSQL goes away, a service does not listen; a Prometheus with prometheus.yml and
rules.yml as they are, but every five seconds, looks on, and render.py draws what it saw.

In:  --svg PATH        where the picture goes (docs/plots/dashboard-of-a-run.svg)
     --speed FACTOR    everything that many times faster (1): alerts wait a minute before they fire, and do not when it is hurried
     PANDO_BINARY (.build/debug/pando), Debian's prometheus and postgresql, and the Python of `make interop` (.venv/bin/python)
Out: on stdout what was done when, and what the load was told. Eleven minutes. Nothing of it is left behind.
"""
from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
sys.path[:0] = [str(CHECKOUT / "Tests/Interop"), str(CHECKOUT / "Tests/Interop/faults")]

import requests  # noqa: E402

from browsing import Browser  # noqa: E402
from grants import World  # noqa: E402
from outside_service import OutsideService  # noqa: E402
from phone import PASSWORD, Phone, person  # noqa: E402
from served import Served, replicas  # noqa: E402
from server import Cluster, free_port  # noqa: E402

SCRAPE_S = 5
# By the clock of the run, in seconds.
DEAF, ENTERED, HEARS, KILLED, STARTED, AWAY, BACK, END = 60, 100, 150, 210, 290, 420, 440, 640


class People:
    """All who ask. What they are told is counted, and whatever it is they go on."""

    def __init__(self, world: World, outside: OutsideService, speed: float):
        self.world, self.outside, self.speed = world, outside, speed
        self.told: Counter[str] = Counter()
        self.over = threading.Event()
        self.guessed = person(world.server)
        self.phones = [Phone(world.issuer, world.release).register().log_in(world.name) for _ in range(2)]

    def machine(self) -> None:
        token = self.good(self.world.post("/token", data={"grant_type": "client_credentials"}, auth=self.world.basic)).json()["access_token"]
        for _ in range(3):
            self.good(self.world.post("/introspect", data={"token": token}, auth=self.world.basic))
        if random.random() < 0.4:
            self.good(self.world.post("/revoke", data={"token": token}, auth=self.world.basic))

    def refresher(self, phone: Phone):
        def refresh() -> None:
            form = {"grant_type": "refresh_token", "refresh_token": phone.pat["refresh_token"], "client_id": phone.client_id}
            phone.pat = self.good(self.world.post("/token", data=form, auth=phone.proof())).json()
        return refresh

    def web_user(self) -> None:
        pair = self.good(self.world.redeem(*self.world.code())).json()
        assert self.world.userinfo(pair)

    def login(self) -> None:
        """One of six guesses at somebody else's."""
        right = random.random() < 0.83
        browser = Browser(self.world.issuer, self.world.name if right else self.guessed)
        page = browser.open(f"{self.world.issuer}/login?return_to=/account")
        form = next(form for form in page.forms if form.passwords)
        browser.submit(page, form, username=browser.username, **dict.fromkeys(form.passwords, PASSWORD if right else "a wrong one"))

    def leaver(self) -> None:
        """A phone comes, opens two services, and is given away: all below it ends, and the service elsewhere is told."""
        phone = Phone(self.world.issuer, self.world.release).register().log_in(self.world.name)
        phone.open(self.world.viewer)
        phone.assertion(self.outside.base)
        self.good(phone.ask("POST", "/revoke", phone.instance, data={"token": phone.pat["refresh_token"]}))

    def stranger(self) -> None:
        form = {"grant_type": "client_credentials"}
        self.world.post("/token", data=form, auth=(self.world.basic.username, "a wrong one"))
        requests.get(f"{self.world.issuer}/wp-login.php", timeout=20)

    @staticmethod
    def good(answer: requests.Response) -> requests.Response:
        assert answer.status_code == 200, f"{answer.status_code}"
        return answer

    def repeat(self, action, pause_s: float) -> None:
        while not self.over.wait(random.uniform(0.5, 1.5) * pause_s / self.speed):
            try:
                action()
                self.told["done"] += 1
            except Exception as error:  # The load goes on whatever it is told; what that was is printed.
                self.told[str(error)[:60] if isinstance(error, AssertionError) and str(error) else type(error).__name__] += 1
                self.over.wait(0.3)

    def start(self) -> list[threading.Thread]:
        actions = [(self.machine, 0.15), (self.machine, 0.15), (self.web_user, 0.5), (self.login, 1.0), (self.leaver, 1.5), (self.stranger, 2.0)]
        actions += [(self.refresher(phone), 0.4) for phone in self.phones]
        threads = [threading.Thread(target=self.repeat, args=action) for action in actions]
        for thread in threads:
            thread.start()
        return threads


def prometheus(folder: Path, metrics: int, port: int) -> subprocess.Popen:
    shipped = (HERE / "prometheus.yml").read_text()
    for theirs, ours in {"interval: 15s": f"interval: {SCRAPE_S}s", "127.0.0.1:9464": f"127.0.0.1:{metrics}"}.items():
        assert theirs in shipped
        shipped = shipped.replace(theirs, ours)
    (folder / "prometheus.yml").write_text(shipped)
    (folder / "rules.yml").write_text((HERE / "rules.yml").read_text())
    with (folder / "prometheus.log").open("wb") as log:
        return subprocess.Popen(["prometheus", f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}",
                                 f"--web.listen-address=127.0.0.1:{port}"], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)


def events(server: Served, outside: OutsideService):
    """When what happens, and what it is. The server is dead for as long as PandoDown waits, and a scrape or two."""
    cluster = Cluster(server.folder.parent / "postgres")
    return [(DEAF, "a service does not listen", outside.close), (ENTERED, "another is entered, which the crawler does not reach", lambda: OutsideService(server)),
            (HEARS, "the first listens again", outside.open),
            (KILLED, "kill -9 of the server", server.kill), (STARTED, "it is started", server.start),
            (AWAY, "PostgreSQL is stopped", cluster.stop), (BACK, "PostgreSQL is started", cluster.start)]


def say(text: str) -> None:
    print(f"{datetime.now(timezone.utc):%H:%M:%S} {text}", flush=True)


def run(folder: Path, picture: Path, speed: float) -> None:
    port, metrics, asked = free_port(), free_port(), free_port()
    with replicas(folder, 1, f"http://localhost:{port}", PANDO_DRAIN_DELAY="0", PANDO_METRICS_PORT=str(metrics)) as (server,):
        server.port, server.environment["PANDO_PORT"] = port, str(port)
        server.start()
        watching = prometheus(folder, metrics, asked)
        try:
            outside = OutsideService(server).open()
            people = People(World(server, server.environment["PANDO_DATABASE"]), outside, speed)
            say("the load begins")
            began, threads = time.monotonic(), people.start()
            try:
                for at, what, action in events(server, outside):
                    time.sleep(max(began + at / speed - time.monotonic(), 0))
                    say(what)
                    action()
                time.sleep(max(began + END / speed - time.monotonic(), 0))
            finally:
                people.over.set()
                for thread in threads:
                    thread.join()
                outside.close()
            say(f"over; the load was told: {dict(people.told.most_common())}")
            drawn = subprocess.run(
                [sys.executable, HERE / "render.py", "--prometheus", f"http://127.0.0.1:{asked}", "--last", f"{time.monotonic() - began:.0f}s", "--scrape", f"{SCRAPE_S}s",
                 "--title", "Pando: a run with a kill and an outage"], stdout=subprocess.PIPE, text=True, check=True)
            picture.write_text(drawn.stdout)
        finally:
            watching.terminate()
            watching.wait(timeout=30)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--svg", type=Path, default=CHECKOUT / "docs/plots/dashboard-of-a-run.svg")
    parser.add_argument("--speed", type=float, default=1.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pando-dashboard-") as folder:
        run(Path(folder), given.svg, given.speed)


if __name__ == "__main__":
    main()

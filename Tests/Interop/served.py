"""`pando serve`, several processes on one database, as behind a proxy; started and stopped one by one."""
from __future__ import annotations

import base64
import os
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import requests

from server import CHECKOUT, READY_WITHIN_S, Cluster, Server, free_port


class Served(Server):
    """One process of `pando serve`. Its database is migrated and its master key is there already."""

    @property
    def url(self) -> str:
        """Past any proxy."""
        return f"http://127.0.0.1:{self.port}"

    def begin(self) -> "Served":
        """Started, not yet ready."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([self.binary, "serve"], cwd=CHECKOUT, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT, start_new_session=True)
        return self

    def start(self) -> "Served":
        self.begin()
        deadline = time.monotonic() + READY_WITHIN_S
        while not self.is_ready():
            assert self.process.poll() is None, f"the server ended with {self.process.returncode}:\n{self.tail()}"
            assert time.monotonic() < deadline, f"not ready within {READY_WITHIN_S} s:\n{self.tail()}"
            time.sleep(0.1)
        return self

    def is_ready(self) -> bool:
        try:
            return requests.get(f"{self.url}/readyz", timeout=5).status_code == 200
        except requests.RequestException:
            return False

    def hang_up(self) -> None:
        self.process.send_signal(signal.SIGHUP)


@contextmanager
def replicas(folder: Path, count: int, issuer: str, prepare=None, **settings: str):
    """`count` of them, none started, on a PostgreSQL of their own; `prepare` is given where that will be."""
    place = Path(mkdtemp(dir=folder))
    if prepare:
        prepare(place / "postgres")
    cluster = Cluster(place / "postgres").start()
    key = place / "master.key"
    key.write_text(base64.urlsafe_b64encode(os.urandom(32)).rstrip(b"=").decode() + "\n")
    key.chmod(0o600)
    several: list[Served] = []
    try:
        for number in range(count):
            own = place / str(number)
            own.mkdir()
            one = Served(own, cluster.url("pando"), PANDO_MASTER_KEY_FILE=str(key), PANDO_BIND="127.0.0.1", PANDO_TRUSTED_PROXY="true",
                         PANDO_ISSUER=issuer, PANDO_LOG_LEVEL="notice", **settings)
            one.issuer = issuer
            several.append(one)
        migrated = several[0].run("migrate")
        assert migrated.returncode == 0, migrated.stderr
        yield several
    finally:
        for one in several:
            if one.process and one.process.poll() is None:
                one.kill()
        cluster.discard()

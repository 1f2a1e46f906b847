"""Servers and PostgreSQL as processes that a test stops, starves and kills."""
from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from pathlib import Path

from grants import World
from served import replicas
from server import Cluster, free_port
from wire import Wire


def tree(number: int) -> list[int]:
    """A process and all below it."""
    below = []
    for task in Path(f"/proc/{number}/task").glob("*/children"):
        try:
            below += [child for name in task.read_text().split() for child in tree(int(name))]
        except OSError:
            pass
    return [number, *below]


def postmaster(cluster: Cluster) -> int:
    return int((cluster.folder / "data/postmaster.pid").read_text().split()[0])


def signal_all(numbers: list[int], what: signal.Signals) -> None:
    for number in numbers:
        try:
            os.kill(number, what)
        except ProcessLookupError:
            pass


class Site:
    """One server whose issuer is where it listens, PostgreSQL of its own behind a wire, and clients."""

    def __init__(self, one, wire: Wire, database: str, cluster: Cluster):
        self.one, self.wire, self.database, self.cluster = one, wire, database, cluster
        self._world: World | None = None

    def restart(self, database: str) -> None:
        """With another conninfo, and no wire between."""
        self.one.stop()
        self.one.environment["PANDO_DATABASE"] = self.database = database
        self.one.start()

    @property
    def world(self) -> World:
        self._world = self._world or World(self.one, self.database)
        return self._world


@contextmanager
def site(folder: Path, prepare=None, **settings: str):
    port = free_port()
    with replicas(folder, 1, f"http://localhost:{port}", prepare, **{"PANDO_DRAIN_DELAY": "0", "PANDO_METRICS_PORT": ""} | settings) as (one,):
        one.port, one.environment["PANDO_PORT"] = port, str(port)
        database = one.environment["PANDO_DATABASE"]
        wire = Wire(one.folder, database)
        one.environment["PANDO_DATABASE"] = wire.url
        try:
            one.start()
            yield Site(one, wire, database, Cluster(one.folder.parent / "postgres"))
        finally:
            one.clear()
            wire.close()

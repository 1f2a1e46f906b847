"""Two servers behind HAProxy, replaced one after the other, or one of them killed, or their PostgreSQL, while many ask; and an upgrade from the last release,
schema first."""
from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest

from grants import World
from load import Load
from served import Served, replicas
from server import BINARY, CHECKOUT, Cluster, free_port
from successor import Successor, followed
from test_processes import SILENT_S, STOPPED_S
from test_rolling_restart import DRAIN_S, PROGRAM, Proxy, reached
from waiting import eventually
from wire import Wire

SEEN_WITHIN_S = 30
# Of whom some wait for an answer at the moment in which it is broken.
PHONES = 8


@contextmanager
def behind_a_proxy(folder: Path, ready=lambda several: None, **settings: str):
    """The proxy's address is the issuer."""
    if not PROGRAM.exists():
        pytest.skip("HAProxy is not installed: deploy/packages.sh test installs it")
    port = free_port()
    with replicas(folder, 2, f"http://localhost:{port}", PANDO_DRAIN_DELAY=str(DRAIN_S), PANDO_METRICS_PORT="", **settings) as several:
        ready(several)
        proxy = None
        try:
            for one in several:
                one.start()
            proxy = Proxy(Path(mkdtemp(dir=folder)), port, several)
            assert eventually(lambda: reached(several[0].issuer), within_s=20)
            assert eventually(lambda: all(proxy.sees(one) for one in several), within_s=30)
            yield several, World(several[0], several[0].environment["PANDO_DATABASE"]), proxy
        finally:
            if proxy:
                proxy.close()


def replace(one: Served, proxy: Proxy) -> None:
    one.stop()
    one.start()
    # As who replaces them one by one waits until the proxy has seen it.
    assert eventually(lambda: proxy.sees(one), within_s=SEEN_WITHIN_S)


def test_a_rolling_restart(folder, row):
    one = row("rolling restart of two servers behind HAProxy")
    with behind_a_proxy(folder) as (several, world, proxy):
        load = Load(world, one)
        load.during(lambda: [replace(server, proxy) for server in several] and None)
        load.check()
        assert not one.others


def test_one_of_two_is_killed(folder, row):
    """Who was being served by it has no answer, or the proxy's; everybody else, and who asks again, is served by the other."""
    one = row("kill -9 of one of two servers behind HAProxy")
    with behind_a_proxy(folder) as (several, world, proxy):
        load = Load(world, one)

        def kill() -> float:
            several[0].process.send_signal(signal.SIGKILL)
            killed = time.monotonic()
            return killed
        load.during(kill, after_s=5)
        several[0].process.wait(timeout=20)
        load.check()
        assert set(one.others) <= {"no answer", "502", "503"}


def test_a_failover_behind_the_proxy(folder, row):
    """Both servers find the new primary by themselves, and the proxy finds them: everybody is told to come again meanwhile, by a server or by the proxy."""
    one = row("failover to a synchronous standby, two servers behind HAProxy")
    with ExitStack() as standing:
        standbys: list[Successor] = []

        def follow(several: list[Served]) -> None:
            database = several[0].environment["PANDO_DATABASE"]
            standbys.append(standing.enter_context(followed(Cluster(several[0].folder.parent / "postgres"), database, "FIRST 1 (b)")))
            for server in several:
                server.environment["PANDO_DATABASE"] = standbys[0].hosts
        with behind_a_proxy(folder, follow) as (several, world, proxy):
            load = Load(world, one)
            load.during(standbys[0].take_over, before_s=2, after_s=3)
            load.check()
            assert set(one.others) <= {"503"}
            assert all(server.process.poll() is None and proxy.sees(server) for server in several)


def test_the_network_is_silent_for_both(folder, row):
    """What one server did, and could tell nobody, the other is asked for again; many come back at the same moment."""
    one = row("network to PostgreSQL silent for 14 s, two servers behind HAProxy")
    with ExitStack() as standing:
        wires: list[Wire] = []

        def between(several: list[Served]) -> None:
            wires.append(Wire(several[0].folder, several[0].environment["PANDO_DATABASE"]))
            standing.callback(wires[0].close)
            for server in several:
                server.environment["PANDO_DATABASE"] = wires[0].url
        with behind_a_proxy(folder, between) as (several, world, proxy):
            load = Load(world, one, phones=PHONES)

            def silence() -> None:
                wires[0].silence(True)
                time.sleep(SILENT_S)
                wires[0].silence(False)
            load.during(silence)
            load.check()
            assert set(one.others) <= {"503"}


def test_one_of_two_stands_still(folder, row):
    """Those whom it did not answer turn to the other, later than a refresh may be asked for again."""
    one = row("SIGSTOP of one of two servers behind HAProxy for 12 s")
    with behind_a_proxy(folder) as (several, world, proxy):
        load = Load(world, one, phones=PHONES)

        def stop() -> None:
            several[0].process.send_signal(signal.SIGSTOP)
            time.sleep(STOPPED_S)
            several[0].process.send_signal(signal.SIGCONT)
        load.during(stop)
        load.check()


class Release:
    """A program with the migrations that it came with: beside it, or in PANDO_PREVIOUS_MIGRATIONS."""

    def __init__(self, binary: Path, migrations: Path):
        self.binary, self.migrations = binary, migrations
        self.names = sorted(file.name for file in migrations.glob("*.sql"))

    @staticmethod
    def previous() -> "Release":
        given = os.environ.get("PANDO_PREVIOUS")
        if not given:
            pytest.skip("PANDO_PREVIOUS names no program of the last release")
        folder = Path(os.environ.get("PANDO_PREVIOUS_MIGRATIONS") or Path(given).parent / "migrations")
        assert folder.is_dir(), f"there is no {folder}: set PANDO_PREVIOUS_MIGRATIONS"
        return Release(Path(given), folder)

    def take(self, one: Served) -> None:
        """From its next start on `one` is this release."""
        one.binary = self.binary
        one.environment["PANDO_MIGRATIONS"] = str(self.migrations)


def test_an_upgrade(folder, place, row):
    """The last release serves while each of the new migrations is made, one by one; then its processes are replaced one by one by the new program."""
    last, new = Release.previous(), Release(BINARY, CHECKOUT / "migrations")
    added = [name for name in new.names if name not in last.names]
    one = row(f"upgrade under load: {len(added)} migrations, two servers")
    schema = place / "schema"
    shutil.copytree(last.migrations, schema)
    with behind_a_proxy(folder, lambda several: [last.take(server) for server in several], PANDO_MIGRATIONS=str(last.migrations)) as (several, world, proxy):
        load = Load(world, one)
        migrated: list[str] = []

        def upgrade() -> None:
            for name in added:
                shutil.copy(new.migrations / name, schema)
                finished = subprocess.run([new.binary, "migrate", "--set", f"migrations={schema}"], cwd=CHECKOUT, text=True, capture_output=True, timeout=120,
                                          env=several[0].environment)
                assert finished.returncode == 0, f"{name}: {finished.stderr}"
                migrated.append(name)
                time.sleep(0.5)
            for server in several:
                new.take(server)
                replace(server, proxy)
        load.during(upgrade)
        load.check()
        assert migrated == added
        assert not one.others

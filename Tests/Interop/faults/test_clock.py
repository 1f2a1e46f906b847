"""The server's clock jumps, away from those of its database and of its clients, or PostgreSQL's does: forth and back."""
from __future__ import annotations

import os
import shutil
import struct
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

from load import NO_ANSWER, Load
from processes import Site, site
from served import Served
from standby import program

JUMPED_S = 6
# What a proof or a client's assertion may be off by, and more.
WITHIN, BEYOND = 20, 600


@dataclass
class Clock:
    """`environment` is that of a process whose clock this moves."""

    library: Path
    offset: Path

    @property
    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self.library), "PANDO_FAULTS_CLOCK": str(self.offset)}

    def set(self, seconds: int) -> None:
        with self.offset.open("r+b") as file:
            file.write(struct.pack("q", seconds))

    def jump(self, *offsets: int) -> None:
        """To each of them for a while, and back."""
        for seconds in offsets:
            self.set(seconds)
            time.sleep(JUMPED_S)
        self.set(0)


@pytest.fixture
def clock():
    compiler = shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("there is no C compiler for jumping_clock.c")
    with tempfile.TemporaryDirectory(prefix="pando-clock-") as place:
        # PostgreSQL may be another user than this.
        os.chmod(place, 0o755)
        clock = Clock(Path(place) / "jumping_clock.so", Path(place) / "offset")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", clock.library, Path(__file__).with_name("jumping_clock.c"), "-ldl"], check=True, timeout=60)
        clock.offset.write_bytes(struct.pack("q", 0))
        yield clock


def test_by_twenty_seconds(folder, clock, row):
    with site(folder, **clock.environment) as at:
        load = Load(at.world, row("clock of the server 20 s ahead, then 20 s behind"))

        load.during(lambda: clock.jump(WITHIN, -WITHIN))
        load.check()
        assert not load.row.others


def test_by_ten_minutes(folder, clock, row):
    """Proofs of clients whose clocks are right are refused as such, until it is back; no token is called bad for it."""
    with site(folder, **clock.environment) as at:
        load = Load(at.world, row("clock of the server 10 min ahead, then 10 min behind"), proving=False)

        load.during(lambda: clock.jump(BEYOND, -BEYOND))
        load.check()
        assert set(load.wrong) == {"invalid_dpop_proof"}, load.wrong


# PostgreSQL


@pytest.fixture
def moved(folder, clock, monkeypatch):
    """A site whose PostgreSQL has that clock: deploy/postgres.sh clears the environment, and takes its programs from a folder that it is told."""
    programs = clock.library.parent / "bin"
    programs.mkdir()
    for file in Path(program("pg_ctl")).resolve().parent.iterdir():
        (programs / file.name).symlink_to(file)
    own = programs / "pg_ctl"
    real = own.resolve()
    own.unlink()
    moved = " ".join(f"{name}='{value}'" for name, value in clock.environment.items())
    own.write_text(f"#!/bin/sh\n{moved} exec '{real}' \"$@\"\n")
    own.chmod(0o755)
    monkeypatch.setenv("POSTGRES_BIN", str(programs))
    with site(folder) as at:
        yield at


def ahead_s(at: Site) -> float:
    return float(at.world.sql("select extract(epoch from clock_timestamp())")) - time.time()


def test_postgresqls_by_ten_minutes(moved, clock, row):
    """What is issued, signed and refreshed goes by the server's clock, so nothing of it is refused wherever PostgreSQL's is."""
    load = Load(moved.world, row("clock of PostgreSQL 10 min ahead, then back"))
    found: list[float] = []

    def jump() -> None:
        # Back is a jump, too.
        for seconds in (BEYOND, 0):
            clock.set(seconds)
            found.append(ahead_s(moved))
            time.sleep(JUMPED_S)
    load.during(jump)
    load.check()
    assert set(load.row.others) <= {"503"}
    # By seconds that no machine is too busy for.
    assert found == [pytest.approx(BEYOND, abs=60), pytest.approx(0, abs=60)]


class FinalElsewhere(Load):
    """Machines that ask the other server, at once, of what they have revoked: it answers from memory while it has a lease."""

    def __init__(self, world, row, other: Served):
        super().__init__(world, row)
        self.other = other

    def lives_there(self, session: requests.Session, token: str) -> bool:
        """Not where it does not answer: that is counted for nothing."""
        try:
            answer = session.post(f"{self.other.url}/introspect", data={"token": token}, auth=self.world.basic, timeout=30)
        except NO_ANSWER:
            return False
        return answer.status_code == 200 and answer.json()["active"]

    def machine(self, session: requests.Session) -> None:
        super().machine(session)
        with self.lock:
            token = self.live.pop() if len(self.live) > 40 else None
        # Once from the database, once from memory.
        if not token or not all(self.lives_there(session, token) for _ in range(2)):
            return
        if self.ask(session, "/revoke", "revoke", data={"token": token}, auth=self.world.basic):
            lives = self.lives_there(session, token)
            with self.lock:
                self.ended.append(token)
                self.row.alive += lives
                self.row.problems += ["revoked at one server, and alive at the other"] * lives


def test_postgresqls_with_two_servers(moved, clock, row):
    place = moved.one.folder.parent / "other"
    place.mkdir()
    other = Served(place, moved.database)
    other.environment = moved.one.environment | {"PANDO_PORT": str(other.port)}
    try:
        other.start()
        load = FinalElsewhere(moved.world, row("clock of PostgreSQL 10 min ahead, then back, three times, two servers"), other)

        load.during(lambda: clock.jump(BEYOND, 0, BEYOND, 0, BEYOND))
        load.check()
        assert set(load.row.others) <= {"503"}
    finally:
        other.clear()

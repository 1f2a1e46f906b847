"""The server's clock jumps, away from those of its database and of its clients: forth and back."""
from __future__ import annotations

import shutil
import struct
import subprocess
import time
from pathlib import Path

import pytest

from load import Load
from processes import site

JUMPED_S = 6
# What a proof or a client's assertion may be off by, and more.
WITHIN, BEYOND = 20, 600


@pytest.fixture
def faked(folder, place):
    compiler = shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("there is no C compiler for jumping_clock.c")
    library, offset = place / "jumping_clock.so", place / "offset"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, Path(__file__).with_name("jumping_clock.c"), "-ldl"], check=True, timeout=60)
    offset.write_bytes(struct.pack("q", 0))

    def set_clock(seconds: int) -> None:
        with offset.open("r+b") as file:
            file.write(struct.pack("q", seconds))
    with site(folder, LD_PRELOAD=str(library), PANDO_FAULTS_CLOCK=str(offset)) as at:
        yield at, set_clock


def jump(set_clock, by: int) -> None:
    for seconds in (by, -by):
        set_clock(seconds)
        time.sleep(JUMPED_S)
    set_clock(0)


def test_by_twenty_seconds(faked, row):
    at, set_clock = faked
    load = Load(at.world, row("clock of the server 20 s ahead, then 20 s behind"))

    load.during(lambda: jump(set_clock, WITHIN))
    load.check()
    assert not load.row.others


def test_by_ten_minutes(faked, row):
    """Proofs of clients whose clocks are right are refused as such, until it is back; no token is called bad for it."""
    at, set_clock = faked
    load = Load(at.world, row("clock of the server 10 min ahead, then 10 min behind"), proving=False)

    load.during(lambda: jump(set_clock, BEYOND))
    load.check()
    assert set(load.wrong) == {"invalid_dpop_proof"}, load.wrong

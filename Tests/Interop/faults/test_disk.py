"""The disk under PostgreSQL is full, or it takes no writes: 503, and nothing is lost; with room again service is back."""
from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from load import Load
from processes import site

SIZE_MIB = 300
FULL_S = 8


@pytest.fixture
def small_disk():
    """A file system in memory with little room. To mount one takes root; nobody else can fill a disk here without filling everybody's."""
    if os.getuid() != 0:
        pytest.skip("to mount a small disk takes root")
    place = Path(tempfile.mkdtemp(prefix="pando-disk-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE_MIB}m,mode=0755", "tmpfs", place], stderr=subprocess.DEVNULL).returncode != 0:
        place.rmdir()
        pytest.skip("mounting is not allowed here")
    place.chmod(0o755)
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)
    place.rmdir()


def test_the_disk_is_full(folder, row, small_disk):
    def prepare(cluster: Path) -> None:
        home = small_disk / "cluster"
        home.mkdir(mode=0o700)
        owner = pwd.getpwnam("postgres")
        os.chown(home, owner.pw_uid, owner.pw_gid)
        cluster.symlink_to(home)
    one = row(f"disk of PostgreSQL full for {FULL_S} s")
    with site(folder, prepare) as at:
        load = Load(at.world, one)
        ballast = small_disk / "ballast"

        def fill() -> float:
            deadline = time.monotonic() + FULL_S
            with ballast.open("wb", buffering=0) as file:
                # Again and again, as what is deleted there makes room.
                while time.monotonic() < deadline:
                    try:
                        file.write(bytes(1 << 16))
                    except OSError:
                        time.sleep(0.05)
            ballast.unlink()
            freed = time.monotonic()
            # Where it ended for want of room, whoever looks after it starts it again.
            at.cluster.start()
            return freed
        load.during(fill, before_s=2)
        load.check()
        assert load.row.others["503"], "it was not full"
        assert set(load.row.others) <= {"503"}
        assert shutil.disk_usage(small_disk).total == SIZE_MIB << 20


def test_it_takes_no_writes(folder, row):
    one = row("PostgreSQL read-only for 5 s")
    with site(folder) as at:
        load = Load(at.world, one)
        system = at.database.replace("user=pando", "user=postgres")

        def read_only(value: str) -> None:
            for statement in (f"alter system set default_transaction_read_only = {value}", "select pg_reload_conf()"):
                subprocess.run(["psql", "-Xqd", system, "-c", f"set default_transaction_read_only = off; {statement}" if "reload" in statement else statement], check=True,
                               stdout=subprocess.DEVNULL, timeout=30)

        def disturb() -> None:
            read_only("on")
            time.sleep(5)
            read_only("off")
        load.during(disturb)
        load.check()
        assert load.row.others["503"] and set(load.row.others) <= {"503"}

"""A standby that takes over: fed over a wire that a test can silence, in the way of replication that is wanted."""
from __future__ import annotations

import os
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from server import Cluster, session
from standby import Standby
from wire import Wire

REPLICATING_WITHIN_S = 30


class Successor(Standby):
    """Of `cluster`, whose conninfo is `database`. `name` is its application_name, which `synchronous_standby_names` of the primary may say."""

    def __init__(self, cluster: Cluster, database: str, name: str = "b"):
        self.database = database
        # Where the owner of the cluster's data can reach it.
        self.between = tempfile.TemporaryDirectory(prefix="pando-wire-")
        os.chmod(self.between.name, 0o755)
        self.wire = Wire(Path(self.between.name), database)
        source = self.wire.url.replace("user=pando", "user=postgres").split(" dbname=")[0]
        super().__init__(cluster, f"{source} application_name={name}")

    @property
    def hosts(self) -> str:
        """The conninfo of a server that finds whichever of the two is the primary."""
        host = self.database.split("host=")[1].split(" ")[0]
        return self.database.replace(f"host={host}", f"host={host},{self.folder}")

    def primary_says(self, statement: str) -> str:
        command = session(self.database.replace("user=pando", "user=postgres"))
        return subprocess.run([*command, "--command", statement], check=True, text=True, capture_output=True, timeout=60).stdout.strip()

    def follow(self, synchronous: str = "") -> None:
        """Until it does, in the way that is wanted."""
        self.primary_says(f"alter system set synchronous_standby_names = '{synchronous}'")
        self.primary_says("select pg_reload_conf()")
        wanted, deadline = "sync" if synchronous else "async", time.monotonic() + REPLICATING_WITHIN_S
        while (state := self.primary_says("select sync_state from pg_stat_replication")) not in (wanted, "quorum" if synchronous else wanted):
            assert time.monotonic() < deadline, f"replicates as {state!r}: {(self.folder / 'log').read_text()[-1000:]}"
            time.sleep(0.1)

    def take_over(self) -> float:
        """The primary is killed, and this is promoted. When it was killed, by time.monotonic."""
        self.cluster.kill()
        killed = time.monotonic()
        # What a test has held up of what the primary sent does not arrive later.
        self.wire.cut_all()
        self.promote()
        return killed

    def discard(self) -> None:
        super().discard()
        self.wire.close()
        self.between.cleanup()


@contextmanager
def followed(cluster: Cluster, database: str, synchronous: str):
    """A standby that follows, and is discarded."""
    standby = Successor(cluster, database)
    try:
        standby.follow(synchronous)
        yield standby
    finally:
        standby.discard()

"""A standby of a private PostgreSQL, fed over a wire that a test can silence, and its promotion."""
from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from server import Cluster, session
from wire import Wire

PROGRAMS = max(Path("/usr/lib/postgresql").glob("*/bin"))
REPLICATING_WITHIN_S = 30


class Standby:
    """`name` is its application_name, which `synchronous_standby_names` of the primary may say."""

    def __init__(self, cluster: Cluster, database: str, name: str = "b"):
        self.primary, self.database = cluster, database
        owner = (cluster.folder / "data").stat()
        self.home = Path(tempfile.mkdtemp(prefix="pando-standby-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
        self.as_owner = [] if os.getuid() == owner.st_uid else ["setpriv", "--reuid", pwd.getpwuid(owner.st_uid).pw_name, "--regid", str(owner.st_gid), "--init-groups", "--"]
        self.data, self.socket = self.home / "data", self.home / "s"
        self.socket.mkdir()
        for place in (self.home, self.socket):
            os.chown(place, owner.st_uid, owner.st_gid)
        between = self.home / "w"
        between.mkdir(mode=0o755)
        self.wire = Wire(between, database)
        source = self.wire.url.replace("user=pando", "user=postgres").split(" dbname=")[0]
        self._run("pg_basebackup", "--pgdata", self.data, "--wal-method", "stream", "--checkpoint", "fast", "--dbname", f"{source} application_name={name}", "--write-recovery-conf")
        options = f"-c unix_socket_directories={self.socket} -c port=5432 -c listen_addresses="
        self._run("pg_ctl", "start", "--silent", "--wait", "--pgdata", self.data, "--log", self.home / "log", "--options", options)

    def _run(self, program: str, *arguments) -> None:
        # Its descriptors are not ours: a server that is started so would keep them.
        finished = subprocess.run([*self.as_owner, PROGRAMS / program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE if
                                  program != "pg_ctl" else subprocess.DEVNULL, text=True, timeout=120, cwd="/", env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})
        assert finished.returncode == 0, f"{program}: {finished.stderr}"

    @property
    def hosts(self) -> str:
        """The conninfo of a server that finds whichever of the two is the primary."""
        host = self.database.split("host=")[1].split(" ")[0]
        return self.database.replace(f"host={host}", f"host={host},{self.socket}")

    def primary_says(self, statement: str) -> str:
        command = session(self.database.replace("user=pando", "user=postgres"))
        return subprocess.run([*command, "--command", statement], check=True, text=True, capture_output=True, timeout=60).stdout.strip()

    def follow(self, synchronous: str = "") -> None:
        """Until it does, in the way that is wanted."""
        self.primary_says(f"alter system set synchronous_standby_names = '{synchronous}'")
        self.primary_says("select pg_reload_conf()")
        wanted, deadline = "sync" if synchronous else "async", time.monotonic() + REPLICATING_WITHIN_S
        while (state := self.primary_says("select sync_state from pg_stat_replication")) not in (wanted, "quorum" if synchronous else wanted):
            assert time.monotonic() < deadline, f"replicates as {state!r}: {(self.home / 'log').read_text()[-1000:]}"
            time.sleep(0.1)

    def promote(self) -> None:
        self._run("pg_ctl", "promote", "--silent", "--wait", "--pgdata", self.data)

    def discard(self) -> None:
        subprocess.run([*self.as_owner, PROGRAMS / "pg_ctl", "stop", "--silent", "--mode", "immediate", "--pgdata", self.data], cwd="/", stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
        self.wire.close()
        shutil.rmtree(self.home, ignore_errors=True)

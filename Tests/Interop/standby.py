"""A streaming standby of a PostgreSQL of ours: made by pg_basebackup, read-only, replayed as it comes; it can be paused, stopped and go on."""
from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from server import Cluster, session


def program(name: str) -> str:
    return shutil.which(name) or str(max(Path("/usr/lib/postgresql").glob(f"*/bin/{name}")))


class Standby:
    """Of `cluster`, which runs. The processes belong to the owner of the cluster's data, as PostgreSQL refuses to run as root.

    `source` is the conninfo by which it replicates, where that is not the cluster's own.
    """

    def __init__(self, cluster: Cluster, source: str = ""):
        self.cluster = cluster
        data = (cluster.folder / "data").resolve()
        self.owner = data.stat().st_uid
        # Beside the cluster, where its owner may write and a socket's path is short.
        self.folder = Path(tempfile.mkdtemp(prefix="pando-standby-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
        os.chown(self.folder, self.owner, data.stat().st_gid)
        self.group = data.stat().st_gid
        self.data = self.folder / "data"
        primary = source or cluster.url("pando").replace("dbname=pando", "dbname=replication").replace("user=pando", "user=postgres")
        self._run(program("pg_basebackup"), "--pgdata", self.data, "--wal-method=stream", "--checkpoint=fast", "--write-recovery-conf", "--dbname", primary)
        self.start()

    def _run(self, *command) -> str:
        identity = {} if os.geteuid() == self.owner else {"user": self.owner, "group": self.group, "extra_groups": []}
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        finished = subprocess.run([str(part) for part in command], env=environment, cwd="/", text=True, capture_output=True, timeout=120, **identity)
        assert finished.returncode == 0, f"{command[0]}: {finished.stderr[-500:]}"
        return finished.stdout

    def start(self) -> None:
        self._run(program("pg_ctl"), "--pgdata", self.data, "--log", self.folder / "log", "--wait", "--options",
                  f"-c unix_socket_directories={self.folder} -c listen_addresses='' -c hot_standby=on", "start")

    def stop(self) -> None:
        self._run(program("pg_ctl"), "--pgdata", self.data, "--mode=immediate", "--wait", "stop")

    def url(self, name: str = "pando") -> str:
        port = next(part for part in self.cluster.url(name).split() if part.startswith("port="))
        user = next(part for part in self.cluster.url(name).split() if part.startswith("user="))
        return f"host={self.folder} {port} {user} dbname={name}"

    def ask(self, statement: str, name: str = "pando") -> str:
        """As who may do everything."""
        return subprocess.run([*session(self.url(name).replace("user=pando", "user=postgres")), "--command", statement], check=True, timeout=30, capture_output=True, text=True).stdout.strip()

    def pause(self) -> None:
        """Nothing that the primary commits is seen from now on."""
        self.ask("select pg_wal_replay_pause()")

    def go_on(self) -> None:
        self.ask("select pg_wal_replay_resume()")

    def promote(self) -> None:
        self._run(program("pg_ctl"), "--pgdata", self.data, "--wait", "promote")

    def discard(self) -> None:
        subprocess.run([program("pg_ctl"), "--pgdata", str(self.data), "--mode=immediate", "stop"], capture_output=True, timeout=60,
                       **({} if os.geteuid() == self.owner else {"user": self.owner, "group": self.group, "extra_groups": []}))
        shutil.rmtree(self.folder, ignore_errors=True)

"""More than one PostgreSQL: a standby of a cluster, and sessions of who may do anything there."""
from __future__ import annotations

import os
import pwd
import subprocess
from pathlib import Path

from server import Cluster, session

PROGRAMS = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))


def superuser(conninfo: str) -> str:
    """Whoever can reach the socket is believed to be any role (deploy/postgres.sh)."""
    return conninfo.replace("user=pando", "user=postgres")


def ask(conninfo: str, *statements: str) -> str:
    """What the last of them says; each is a transaction of its own."""
    commands = [word for statement in statements for word in ("--command", statement)]
    done = subprocess.run([*session(conninfo), *commands], text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, f"{statements}: {done.stderr}"
    return done.stdout.strip()


def run_as_owner(owner: int, *command) -> subprocess.CompletedProcess:
    """PostgreSQL does not run as root."""
    words = [str(word) for word in command]
    if os.geteuid() != owner:
        account = pwd.getpwuid(owner)
        words = ["setpriv", "--reuid", account.pw_name, "--regid", str(account.pw_gid), "--init-groups", "--", *words]
    done = subprocess.run(words, text=True, capture_output=True, timeout=120, cwd="/")
    assert done.returncode == 0, f"{words}: {done.stdout} {done.stderr}"
    return done


class Standby:
    """A streaming replica beside a cluster: by a base backup and a slot, on a socket in a folder of its own."""

    def __init__(self, cluster: Cluster):
        self.primary = superuser(cluster.url("postgres"))
        home = cluster.folder.resolve()
        self.owner, self.data, self.socket = (home / "data").stat().st_uid, home / "standby", home / "standby-socket"
        self.log = home / "standby.log"

    def start(self) -> "Standby":
        run_as_owner(self.owner, PROGRAMS / "pg_basebackup", "--pgdata", self.data, "--dbname", self.primary, "--checkpoint", "fast", "--wal-method", "stream",
                     "--create-slot", "--slot", "standby", "--write-recovery-conf")
        run_as_owner(self.owner, "mkdir", "--mode", "0700", self.socket)
        run_as_owner(self.owner, PROGRAMS / "pg_ctl", "start", "--silent", "--wait", "--pgdata", self.data, "--log", self.log, "--options",
                     f"-c unix_socket_directories={self.socket}")
        return self

    def url(self, name: str) -> str:
        return f"host={self.socket} port=5432 user=pando dbname={name}"

    def stop(self) -> None:
        if (self.data / "postmaster.pid").exists():
            run_as_owner(self.owner, PROGRAMS / "pg_ctl", "stop", "--silent", "--wait", "--mode", "immediate", "--pgdata", self.data)

"""More than one PostgreSQL: sessions of who may do anything there."""
from __future__ import annotations

import subprocess

from server import session


def superuser(conninfo: str) -> str:
    """Whoever can reach the socket is believed to be any role (deploy/postgres.sh)."""
    return conninfo.replace("user=pando", "user=postgres")


def ask(conninfo: str, *statements: str) -> str:
    """What the last of them says; each is a transaction of its own."""
    commands = [word for statement in statements for word in ("--command", statement)]
    done = subprocess.run([*session(conninfo), *commands], text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, f"{statements}: {done.stderr}"
    return done.stdout.strip()

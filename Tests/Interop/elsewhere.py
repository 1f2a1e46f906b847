"""A server of another institution: `pando serve` with a database, a master key and a URL of its own, whose services belong to the federation of another server."""
from __future__ import annotations

import base64
import json
import os
import secrets
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from served import Served
from server import Cluster, Server


class Elsewhere(Served):
    """`ids` are the names of its services at the issuer, by role."""

    ids: dict[str, str]

    def base(self, service: str) -> str:
        return f"{self.issuer}/services/{service}"


@contextmanager
def elsewhere(folder: Path, home: Server, *services: str, **settings: str):
    """Not started: migrated, its services entered and approved at `home`, who is the only one that knows what they may do there."""
    place = Path(mkdtemp(dir=folder))
    cluster = Cluster(place / "postgres").start()
    key, credentials = place / "master.key", place / "services.json"
    key.write_text(base64.urlsafe_b64encode(os.urandom(32)).rstrip(b"=").decode() + "\n")
    key.chmod(0o600)
    far = Elsewhere(place, cluster.url("pando"), PANDO_MASTER_KEY_FILE=str(key), PANDO_ROLES=",".join(services), PANDO_AUTHORIZATION_SERVER=home.issuer,
                    PANDO_SERVICE_CREDENTIALS=str(credentials), PANDO_LIST_INTERVAL="1", PANDO_DRAIN_DELAY="0", PANDO_LOG_LEVEL="notice", **settings)
    far.ids = {}
    try:
        given = {}
        for service in services:
            name = f"far-{service}-{secrets.token_hex(3)}"
            entry = home.admin("services", "add", far.base(service), "--id", name, "--name", f"Far {service}", "--claim", "email", "--lineage", "--notify", "push",
                               "--allow-loopback")
            home.admin("services", "approve", name)
            far.ids[service] = name
            given[service] = {"client_id": entry["client_id"], "client_secret": entry["client_secret"]}
        credentials.write_text(json.dumps(given))
        credentials.chmod(0o600)
        migrated = far.run("migrate")
        assert migrated.returncode == 0, migrated.stderr
        yield far
    finally:
        if far.process and far.process.poll() is None:
            far.kill()
        cluster.discard()

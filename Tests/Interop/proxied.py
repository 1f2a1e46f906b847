"""A server behind Debian's HAProxy, with the file that is shipped."""
from __future__ import annotations

import subprocess
from pathlib import Path

from authority import Authority
from server import CHECKOUT, Server, free_port

PROGRAM = Path("/usr/sbin/haproxy")
SETTINGS = {"PANDO_TRUSTED_PROXY": "true", "PANDO_CLIENT_CERTIFICATE_HEADER": "Client-Cert", "PANDO_CLIENT_CERTIFICATE_VERIFY_HEADER": "X-SSL-Client-Verify"}


class Proxied:
    """A server whose issuer is the proxy's address; `authority` is of its certificate and of those that clients may show."""

    def __init__(self, folder: Path, **settings: str):
        self.folder, self.authority, self.port = folder, Authority("root"), free_port()
        # What its configuration says besides, in place of what.
        self.changes: dict[str, str] = {}
        self.trusted = folder / "clients.pem"
        self.trusted.write_bytes(self.authority.own)
        self.server = Server(folder, **SETTINGS | settings)
        self.server.issuer = f"https://localhost:{self.port}"
        self.server.environment["PANDO_ISSUER"] = self.server.issuer

    def start(self) -> "Proxied":
        certificate, key = self.authority.leaf(self.folder, "id.example.org", "localhost")
        certificate.write_bytes(certificate.read_bytes() + key.read_bytes())
        own = {"/etc/haproxy/": f"{self.folder}/", "bind :443": f"bind 127.0.0.1:{self.port}", "127.0.0.1:8080": f"127.0.0.1:{self.server.port}"} | self.changes
        configuration = (CHECKOUT / "deploy/proxy/haproxy.cfg").read_text()
        for theirs, ours in own.items():
            assert theirs in configuration
            configuration = configuration.replace(theirs, ours)
        (self.folder / "haproxy.cfg").write_text(configuration)
        with (self.folder / "haproxy.log").open("wb") as log:
            self.process = subprocess.Popen([PROGRAM, "-db", "-f", self.folder / "haproxy.cfg"], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        self.server.start()
        return self

    def close(self) -> None:
        self.server.clear()
        self.process.terminate()
        self.process.wait(timeout=20)

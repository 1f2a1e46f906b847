"""An operator's machine that is not the server's."""
from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from browsing import Browser
from server import BINARY, CHECKOUT, Server, plain_environment, sure


class Remote:
    """A machine that has nothing but the program, and a person who logs in from it."""

    def __init__(self, server: Server, home: Path):
        self.server, self.home = server, home
        # No database, no configuration, no master key.
        self.environment = plain_environment() | {"HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "PANDO_STATE_DIRECTORY": str(home / "none")}

    def begin(self, *arguments: str) -> subprocess.Popen:
        return subprocess.Popen([BINARY, *arguments], cwd=CHECKOUT, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess:
        return subprocess.run([BINARY, *arguments], cwd=CHECKOUT, env=self.environment, input=stdin, text=True, capture_output=True, timeout=120)

    def admin(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess:
        return self.run("admin", "--json", "--server", self.server.issuer, *sure(arguments), stdin=stdin)

    def log_in(self, username: str, *options: str) -> dict:
        waiting = self.begin("login", "--json", "--server", self.server.issuer, *options)
        said = waiting.stderr.readline()
        address = re.search(r"https?://\S+user_code=\S+", said)
        assert address, said + waiting.stderr.read()
        assert Browser(self.server.issuer, username).walk(address[0]).status == 200
        told, said = waiting.communicate(timeout=60)
        assert waiting.returncode == 0, said
        return json.loads(told)

    @property
    def login_file(self) -> Path:
        return next((self.home / "config/pando").glob("*.login"))
